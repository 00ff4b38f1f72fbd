/* SPDX-License-Identifier: MIT */
/* test_group.c — groups: every task once, first error, cancel, full, deadline, refusals */
#include "unit/test_pool.h"

#include "base/fault.h"
#include "os/thread.h"

#include <skua/group.h>

struct scene {
	_Atomic uint32_t runs, is_free, sum, told;
	struct skua_group *group;
	struct skua_pool *pool;
};

static int count_run(struct skua_slot *skua_here, void *argument)
{
	struct scene **scene = argument;

	(void)skua_here;
	skua_add(&(*scene)->runs, 1, relaxed);
	return 0;
}

static void open_in(struct skua_group *group, struct skua_pool *pool)
{
	struct skua_group_options options = { .size = sizeof(options), .pool = pool };

	assert_int_equal(skua_group_open(group, &options), SKUA_OK);
}

static void test_group_from_outside(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 64; workers *= 4) {
		WATCH(30);
		struct skua_pool *pool = pool_of(workers);
		struct scene scene = { 0 }, *here = &scene;
		struct skua_group group;
		open_in(&group, pool);
		assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK); /* empty */
		for (uint32_t round = 1; round <= 3; round++) {
			for (unsigned i = 0; i < 1000; i++)
				assert_int_equal(skua_go(&group, count_run, &here), SKUA_OK);
			assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
			assert_int_equal(skua_load(&scene.runs, relaxed), round * 1000);
			assert_false(skua_group_is_busy(&group));
		}
		pool_end(pool);
	}
}

/* Arguments of every size are copied; a void pointer is handed on as it is. */
struct sized {
	unsigned char bytes[48];
};

static int sum_bytes(struct skua_slot *skua_here, void *argument)
{
	struct {
		struct scene *scene;
		unsigned char bytes[40];
	} *args = argument;

	(void)skua_here;
	for (unsigned i = 0; i < sizeof(args->bytes); i++)
		skua_add(&args->scene->sum, args->bytes[i], relaxed);
	return 0;
}

static int take_pointer(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = argument;

	(void)skua_here;
	skua_add(&scene->told, 1, relaxed);
	return 0;
}

static void test_group_copies_arguments(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	struct scene scene = { 0 };
	struct skua_group group;
	struct {
		struct scene *scene;
		unsigned char bytes[40];
	} args = { &scene, { 0 } };

	(void)state;
	open_in(&group, pool);
	for (unsigned i = 0; i < 100; i++) {
		memset(args.bytes, (int)i, sizeof(args.bytes));
		assert_int_equal(skua_go(&group, sum_bytes, &args), SKUA_OK);
	}
	memset(&args, 0xff, sizeof(args));
	assert_int_equal(skua_go(&group, take_pointer, (void *)&scene), SKUA_OK);
	assert_int_equal(skua_group_go(&group, take_pointer, &scene, 0), SKUA_OK);
	assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&scene.sum, relaxed), 40 * 4950);
	assert_int_equal(skua_load(&scene.told, relaxed), 2);
	pool_end(pool);
}

/* A tree of tasks that add tasks to their own group. */
struct node {
	struct scene *scene;
	unsigned depth;
};

static int grow(struct skua_slot *skua_here, void *argument)
{
	struct node node = *(struct node *)argument;

	(void)skua_here;
	skua_add(&node.scene->runs, 1, relaxed);
	for (unsigned i = 0; i < 2 && node.depth; i++)
		assert_int_equal(skua_go(node.scene->group, grow,
					 &(struct node){ node.scene, node.depth - 1 }),
				 SKUA_OK);
	return 0;
}

static void test_group_grows_from_inside(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 8; workers *= 2) {
		WATCH(30);
		struct skua_pool *pool = pool_of(workers);
		struct skua_group group;
		struct scene scene = { .group = &group };
		open_in(&group, pool);
		assert_int_equal(skua_go(&group, grow, &(struct node){ &scene, 12 }), SKUA_OK);
		assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
		assert_int_equal(skua_load(&scene.runs, relaxed), (2 << 12) - 1);
		pool_end(pool);
	}
}

/* A group inside a task, waited for by a worker; and that inside such a task. */
struct inner {
	struct scene *scene;
	unsigned depth;
	bool is_isolated;
};

static int open_inside(struct skua_slot *skua_here, void *argument)
{
	struct inner inner = *(struct inner *)argument;
	struct skua_group group;
	struct skua_group_options options = { .size = sizeof(options),
					      .pool = inner.scene->pool,
					      .is_isolated = inner.is_isolated };

	(void)skua_here;
	skua_add(&inner.scene->runs, 1, relaxed);
	if (!inner.depth)
		return 0;
	inner.depth--;
	assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(skua_go(&group, open_inside, &inner), SKUA_OK);
	return skua_group_wait(&group, SKUA_FOREVER);
}

static void test_group_inside_groups(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 16; workers *= 2)
		for (int is_isolated = 0; is_isolated <= 1; is_isolated++) {
			WATCH(30);
			struct scene scene = { .pool = pool_of(workers) };
			struct inner inner = { &scene, 6, is_isolated };
			struct skua_group group;
			open_in(&group, scene.pool);
			assert_int_equal(skua_go(&group, open_inside, &inner), SKUA_OK);
			assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
			assert_int_equal(skua_load(&scene.runs, relaxed), 1093); /* 3^0 ... 3^6 */
			pool_end(scene.pool);
		}
}

/* --- errors and cancellation --- */

struct failing {
	struct scene *scene;
	int error;
};

static int fail_with(struct skua_slot *skua_here, void *argument)
{
	struct failing *failing = argument;

	(void)skua_here;
	skua_add(&failing->scene->runs, 1, relaxed);
	return failing->error;
}

static void test_group_first_error_wins(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct scene scene = { 0 };
	struct skua_group group;
	unsigned added = 0;

	(void)state;
	open_in(&group, pool);
	for (int i = 0; i < 100; i++) {
		int error = skua_go(&group, fail_with,
				    &(struct failing){ &scene, i < 10 ? 0 : -1000 - i });
		assert_true(error == SKUA_OK || error == SKUA_ECANCELED);
		added += error == SKUA_OK;
	}
	int error = skua_group_wait(&group, SKUA_FOREVER);
	assert_in_range(error + 2000, 901, 990); /* of one of those that failed */
	assert_int_equal(skua_load(&scene.runs, relaxed) + skua_group_skipped(&group), added);
	/* It is as new. */
	assert_false(skua_group_is_cancelled(&group));
	assert_int_equal(skua_go(&group, fail_with, &(struct failing){ &scene, 0 }), SKUA_OK);
	assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_group_skipped(&group), 0);
	pool_end(pool);
}

static int hold_up(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;

	(void)skua_here;
	skua_add(&scene->told, 1, release);
	reaches(&scene->is_free, 1);
	return 0;
}

static void test_group_cancel_keeps_the_rest_from_starting(void **state)
{
	(void)state;
	for (int is_parent = 0; is_parent <= 1; is_parent++) {
		WATCH(20);
		struct skua_pool *pool = pool_of(1);
		struct scene scene = { 0 }, *here = &scene;
		struct skua_group parent, group;
		struct skua_group_options options = { .size = sizeof(options), .pool = pool };
		assert_int_equal(skua_group_open(&parent, &options), SKUA_OK);
		options.parent = &parent;
		options.pool = NULL; /* its parent's */
		assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
		assert_int_equal(skua_go(&group, hold_up, &here), SKUA_OK);
		for (unsigned i = 0; i < 50; i++)
			assert_int_equal(skua_go(&group, count_run, &here), SKUA_OK);
		assert_true(reaches(&scene.told, 1));
		struct skua_group *victim = is_parent ? &parent : &group;
		assert_int_equal(skua_group_cancel(victim, -77), SKUA_OK);
		assert_int_equal(skua_group_cancel(victim, -78), SKUA_OK); /* twice: the first */
		assert_true(skua_group_is_cancelled(&group));
		assert_int_equal(skua_go(&group, count_run, &here), SKUA_ECANCELED);
		assert_true(skua_group_is_busy(&group));
		skua_store(&scene.is_free, 1, release);
		assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), -77);
		assert_int_equal(skua_load(&scene.runs, relaxed), 0);
		assert_int_equal(skua_group_skipped(&group), 50);
		assert_int_equal(skua_group_cancel(&group, -79), SKUA_OK); /* after the end */
		assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), -79);
		pool_end(pool);
	}
}

static int cancel_own(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;

	(void)skua_here;
	skua_add(&scene->runs, 1, relaxed);
	return skua_group_cancel(scene->group, -5555);
}

static int wait_for_own(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;

	(void)skua_here;
	return skua_group_wait(scene->group, SKUA_FOREVER);
}

static void test_group_from_its_own_tasks(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	struct skua_group group;
	struct scene scene = { .group = &group }, *here = &scene;

	(void)state;
	open_in(&group, pool);
	assert_int_equal(skua_go(&group, cancel_own, &here), SKUA_OK);
	assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), -5555);
	assert_int_equal(skua_go(&group, wait_for_own, &here), SKUA_OK);
	assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_ECYCLE);
	pool_end(pool);
}

/* --- deadlines --- */

static void test_group_wait_gives_up_at_its_deadline(void **state)
{
	WATCH(30);
	struct skua_pool *pool = pool_of(1);
	struct scene scene = { 0 }, *here = &scene;
	struct skua_group group;

	(void)state;
	open_in(&group, pool);
	assert_int_equal(skua_go(&group, hold_up, &here), SKUA_OK);
	assert_true(reaches(&scene.told, 1));
	assert_int_equal(skua_group_wait(&group, 0), SKUA_ETIMEDOUT);
	assert_int_equal(skua_group_wait(&group, skua_clock_ns() + 3 * MILLISECOND),
			 SKUA_ETIMEDOUT);
	assert_true(skua_group_is_busy(&group));
	assert_int_equal(skua_go(&group, count_run, &here), SKUA_OK); /* it goes on */
	skua_store(&scene.is_free, 1, release);
	assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&scene.runs, relaxed), 1);
	pool_end(pool);
}

static void test_group_deadline_cancels(void **state)
{
	WATCH(30);
	struct skua_pool *pool = pool_of(1);
	struct scene scene = { 0 }, *here = &scene;
	struct skua_group group;
	struct skua_group_options options = { .size = sizeof(options),
					      .pool = pool,
					      .deadline = skua_clock_ns() + 5 * MILLISECOND };

	(void)state;
	assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
	/* On a busy machine the time may be over before the first has begun, or is added. */
	int errors[] = { skua_go(&group, hold_up, &here), skua_go(&group, count_run, &here) };
	unsigned added = 0;
	for (unsigned i = 0; i < 2; i++) {
		assert_true(errors[i] == SKUA_OK || errors[i] == SKUA_ECANCELED);
		added += errors[i] == SKUA_OK;
	}
	while (!skua_group_is_cancelled(&group))
		sleep_ns(MILLISECOND);
	skua_store(&scene.is_free, 1, release);
	assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_ETIMEDOUT);
	assert_int_equal(skua_load(&scene.runs, relaxed), 0);
	assert_int_equal(skua_group_skipped(&group), added - skua_load(&scene.told, relaxed));
	pool_end(pool);
}

/* --- full --- */

static int count_most(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;
	uint32_t now = skua_add(&scene->told, 1, relaxed) + 1;

	(void)skua_here;
	for (uint32_t most = skua_load(&scene->sum, relaxed); most < now;)
		if (skua_cas_weak(&scene->sum, &most, now, relaxed, relaxed))
			break;
	skua_add(&scene->runs, 1, relaxed);
	skua_sub(&scene->told, 1, relaxed);
	return 0;
}

static void test_group_full(void **state)
{
	(void)state;
	for (int mode = SKUA_FULL_HELP; mode <= SKUA_FULL_REFUSE; mode++) {
		WATCH(30);
		struct skua_pool *pool = pool_of(4);
		struct scene scene = { 0 }, *here = &scene;
		struct skua_group group;
		struct skua_group_options options = { .size = sizeof(options),
						      .pool = pool,
						      .max_inflight = 2,
						      .when_full = (enum skua_full)mode };
		unsigned refused = 0;
		assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
		for (unsigned i = 0; i < 2000; i++) {
			int error = skua_go(&group, count_most, &here);
			assert_true(error == SKUA_OK ||
				    (error == SKUA_EBUSY && mode == SKUA_FULL_REFUSE));
			refused += error != SKUA_OK;
		}
		assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
		assert_int_equal(skua_load(&scene.runs, relaxed), 2000 - refused);
		assert_in_range(skua_load(&scene.sum, relaxed), 1, 2);
		pool_end(pool);
	}
}

/* The submitter is a worker: it helps, or does something else while it waits. */
static int submit_many(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;

	(void)skua_here;
	for (unsigned i = 0; i < 500; i++)
		assert_int_equal(skua_go(scene->group, count_run, &scene), SKUA_OK);
	return 0;
}

static void test_group_full_of_a_worker(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 2; workers++)
		for (int mode = SKUA_FULL_HELP; mode <= SKUA_FULL_WAIT; mode++) {
			WATCH(30);
			struct skua_pool *pool = pool_of(workers);
			struct skua_group group, outer;
			struct scene scene = { .group = &group }, *here = &scene;
			struct skua_group_options options = { .size = sizeof(options),
							      .pool = pool,
							      .max_inflight = 3,
							      .when_full = (enum skua_full)mode };
			assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
			open_in(&outer, pool);
			assert_int_equal(skua_go(&outer, submit_many, &here), SKUA_OK);
			assert_int_equal(skua_group_wait(&outer, SKUA_FOREVER), SKUA_OK);
			assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
			assert_int_equal(skua_load(&scene.runs, relaxed), 500);
			pool_end(pool);
		}
}

/* --- only some workers --- */

static int note_worker(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;
	int number = skua_pool_self(scene->pool);

	(void)skua_here;
	assert_in_range(number, 0, 3);
	skua_or(&scene->sum, 1u << number, relaxed);
	skua_add(&scene->runs, 1, relaxed);
	return 0;
}

static void test_group_of_some_workers(void **state)
{
	(void)state;
	for (uint64_t mask = 1; mask < 16; mask++) {
		WATCH(30);
		struct scene scene = { .pool = pool_of(4) }, *here = &scene;
		struct skua_group group;
		struct skua_group_options options = { .size = sizeof(options),
						      .pool = scene.pool,
						      .workers = mask };
		assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
		for (unsigned round = 0; round < 5; round++) {
			for (unsigned i = 0; i < 20; i++)
				assert_int_equal(skua_go(&group, note_worker, &here), SKUA_OK);
			assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
		}
		assert_int_equal(skua_load(&scene.runs, relaxed), 100);
		assert_int_equal(skua_load(&scene.sum, relaxed) & ~mask, 0);
		pool_end(scene.pool);
	}
}

/* --- refusals, faults, the pool's end --- */

static void test_group_refuses(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	struct skua_group group, closed;
	struct scene scene = { 0 }, *here = &scene;
	struct skua_group_options good = { .size = sizeof(good), .pool = pool }, bad;

	(void)state;
	memset(&closed, 0, sizeof(closed));
	assert_int_equal(skua_group_open(NULL, &good), SKUA_EINVAL);
#define REFUSED(field, value)                                         \
	bad = good;                                                   \
	bad.field = (value);                                          \
	memset(&group, 0x5a, sizeof(group));                          \
	assert_int_equal(skua_group_open(&group, &bad), SKUA_EINVAL); \
	for (size_t i = 0; i < sizeof(group); i++)                    \
	assert_int_equal(((unsigned char *)&group)[i], 0x5a)
	REFUSED(size, sizeof(bad) - 1);
	REFUSED(deadline, -1);
	REFUSED(priority, (enum skua_priority)3);
	REFUSED(when_full, (enum skua_full)3);
	REFUSED(max_inflight, 1u << 31);
	REFUSED(workers, 4); /* there is no worker 2 */
	REFUSED(parent, &closed);
	open_in(&group, pool);
	volatile size_t bytes[] = { 8, 49 }; /* gcc would see that these are mistakes */
	assert_int_equal(skua_go((struct skua_group *)NULL, count_run, &here), SKUA_EINVAL);
	assert_int_equal(skua_go(&closed, count_run, &here), SKUA_EINVAL);
	assert_int_equal(skua_group_go(&group, NULL, &here, 8), SKUA_EINVAL);
	assert_int_equal(skua_group_go(&group, count_run, NULL, bytes[0]), SKUA_EINVAL);
	assert_int_equal(skua_group_go(&group, count_run, &here, bytes[1]), SKUA_EINVAL);
	assert_int_equal(skua_group_wait(NULL, 0), SKUA_EINVAL);
	assert_int_equal(skua_group_wait(&closed, 0), SKUA_EINVAL);
	assert_int_equal(skua_group_cancel(NULL, -1), SKUA_EINVAL);
	assert_int_equal(skua_group_cancel(&group, 0), SKUA_EINVAL);
	assert_int_equal(skua_group_cancel(&closed, -1), SKUA_EINVAL);
	assert_false(skua_group_is_busy(&group));
	assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&scene.runs, relaxed), 0);
	pool_end(pool);
}

static void wait_in_thread(void *argument)
{
	struct scene *scene = argument;
	int error;

	while ((error = skua_group_wait(scene->group, SKUA_FOREVER)) == SKUA_EBUSY)
		sleep_ns(MILLISECOND); /* the test itself is trying */
	skua_store(&scene->sum, (uint32_t)-error, release);
}

static void test_group_has_one_waiter(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_group group;
	struct scene scene = { .group = &group }, *here = &scene;
	struct skuai_thread thread;

	(void)state;
	open_in(&group, pool);
	assert_int_equal(skua_go(&group, hold_up, &here), SKUA_OK);
	assert_true(reaches(&scene.told, 1));
	skua_store(&scene.sum, 12345, relaxed);
	assert_int_equal(skuai_thread_start(&thread, wait_in_thread, &scene, NULL), SKUA_OK);
	int error;
	while ((error = skua_group_wait(&group, 0)) == SKUA_ETIMEDOUT)
		sleep_ns(MILLISECOND); /* the thread has not come to it yet */
	assert_int_equal(error, SKUA_EBUSY);
	skua_store(&scene.is_free, 1, release);
	skuai_thread_join(&thread);
	assert_int_equal(skua_load(&scene.sum, relaxed), SKUA_OK);
	pool_end(pool);
}

static void test_group_when_its_pool_is_cancelled(void **state)
{
	(void)state;
	for (int is_isolated = 0; is_isolated <= 1; is_isolated++) {
		WATCH(20);
		struct skua_pool *pool = pool_of(1);
		struct skua_group group;
		struct scene scene = { .group = &group }, *here = &scene;
		struct skua_group_options options = { .size = sizeof(options),
						      .pool = pool,
						      .is_isolated = is_isolated };
		struct skuai_thread thread;
		assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
		assert_int_equal(skua_go(&group, hold_up, &here), SKUA_OK);
		for (unsigned i = 0; i < 30; i++)
			assert_int_equal(skua_go(&group, count_run, &here), SKUA_OK);
		assert_true(reaches(&scene.told, 1));
		assert_int_equal(skuai_thread_start(&thread, wait_in_thread, &scene, NULL),
				 SKUA_OK);
		while (skua_group_wait(&group, 0) == SKUA_ETIMEDOUT)
			sleep_ns(MILLISECOND);
		assert_int_equal(skua_pool_close_until(pool, SKUA_CLOSE_CANCEL, skua_clock_ns()),
				 SKUA_ETIMEDOUT);
		skua_store(&scene.is_free, 1, release);
		assert_int_equal(skua_pool_close(pool, SKUA_CLOSE_CANCEL), SKUA_OK);
		skuai_thread_join(&thread);
		assert_int_equal(skua_load(&scene.sum, relaxed), -SKUA_ECANCELED);
		assert_int_equal(skua_load(&scene.runs, relaxed), 0);
		assert_int_equal(skua_group_skipped(&group), 30);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_group_from_outside),
		cmocka_unit_test(test_group_copies_arguments),
		cmocka_unit_test(test_group_grows_from_inside),
		cmocka_unit_test(test_group_inside_groups),
		cmocka_unit_test(test_group_first_error_wins),
		cmocka_unit_test(test_group_cancel_keeps_the_rest_from_starting),
		cmocka_unit_test(test_group_from_its_own_tasks),
		cmocka_unit_test(test_group_wait_gives_up_at_its_deadline),
		cmocka_unit_test(test_group_deadline_cancels),
		cmocka_unit_test(test_group_full),
		cmocka_unit_test(test_group_full_of_a_worker),
		cmocka_unit_test(test_group_of_some_workers),
		cmocka_unit_test(test_group_refuses),
		cmocka_unit_test(test_group_has_one_waiter),
		cmocka_unit_test(test_group_when_its_pool_is_cancelled),
	};
	return cmocka_run_group_tests_name("group", tests, NULL, NULL);
}
