/* SPDX-License-Identifier: MIT */
/* test_future.c — futures: fulfilled once, awaited by anybody, claimed, chained, raced, refused */
#include "unit/test_pool.h"

#include "base/fault.h"
#include "os/thread.h"

#include <skua/future.h>

#include <poll.h>

struct scene {
	_Atomic uint32_t runs, told, is_free;
	struct skua_future *future;
	struct skua_pool *pool;
	int error;
};

static int count_run(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;

	(void)skua_here;
	skua_add(&scene->runs, 1, relaxed);
	return scene->error;
}

static int hold_up(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;

	(void)skua_here;
	skua_add(&scene->told, 1, release);
	reaches(&scene->is_free, 1);
	return 0;
}

static void test_future_of_a_task(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 8; workers *= 2) {
		WATCH(20);
		struct skua_pool *pool = pool_of(workers);
		struct scene scene = { .error = -333 }, *here = &scene;
		for (uint32_t i = 1; i <= 500; i++) {
			struct skua_future future = { 0 };
			assert_false(skua_future_is_done(&future));
			assert_int_equal(skua_async(pool, &future, count_run, &here), SKUA_OK);
			assert_int_equal(skua_async(pool, &future, count_run, &here), SKUA_EBUSY);
			assert_int_equal(skua_future_fulfil(&future, 0), SKUA_EBUSY);
			assert_int_equal(skua_await(&future, SKUA_FOREVER), -333);
			assert_true(skua_future_is_done(&future));
			assert_int_equal(skua_await(&future, 0), -333); /* again */
			assert_int_equal(skua_load(&scene.runs, relaxed), i);
		}
		pool_end(pool);
	}
}

/* A worker that waits for what it has just queued runs it itself: nobody else could. */
static int await_own(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;
	struct skua_future futures[10];

	(void)skua_here;
	memset(futures, 0, sizeof(futures));
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(skua_async(scene->pool, &futures[i], count_run, &scene), SKUA_OK);
	for (unsigned i = 0; i < 10; i++) /* the oldest first: not the order of the deque */
		assert_int_equal(skua_await(&futures[i], SKUA_FOREVER), SKUA_OK);
	return 0;
}

static void test_future_is_claimed_by_who_waits(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 4; workers++) {
		WATCH(20);
		struct scene scene = { .pool = pool_of(workers) }, *here = &scene;
		struct skua_future future = { 0 };
		assert_int_equal(skua_async(scene.pool, &future, await_own, &here), SKUA_OK);
		assert_int_equal(skua_await(&future, SKUA_FOREVER), SKUA_OK);
		assert_int_equal(skua_load(&scene.runs, relaxed), 10);
		pool_end(scene.pool);
	}
}

/* A task that waits for itself is told so; one that is fulfilled comes before one to be run. */
static int await_itself(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;
	struct skua_future done = { 0 }, waiting = { 0 }, *both[2] = { &waiting, &done };
	size_t index = 9;

	(void)skua_here;
	assert_int_equal(skua_future_fulfil(&done, -5), SKUA_OK);
	assert_int_equal(skua_async(scene->pool, &waiting, count_run, &scene), SKUA_OK);
	assert_int_equal(skua_await_any(both, 2, SKUA_FOREVER, &index), -5);
	assert_int_equal(index, 1);
	assert_int_equal(skua_await(&waiting, SKUA_FOREVER), SKUA_OK);
	both[0] = both[1] = scene->future;
	assert_int_equal(skua_await_any(both, 2, SKUA_FOREVER, &index), SKUA_ECYCLE);
	return skua_await(scene->future, SKUA_FOREVER);
}

static void test_future_waits_for_itself(void **state)
{
	WATCH(20);
	struct skua_future future = { 0 };
	struct scene scene = { .future = &future, .pool = pool_of(1) }, *here = &scene;

	(void)state;
	assert_int_equal(skua_async(scene.pool, &future, await_itself, &here), SKUA_OK);
	assert_int_equal(skua_await(&future, SKUA_FOREVER), SKUA_ECYCLE);
	pool_end(scene.pool);
}

/* --- promises --- */

static void await_in_thread(void *argument)
{
	struct scene *scene = argument;

	skua_add(&scene->told, 1, release);
	if (skua_await(scene->future, SKUA_FOREVER) == -42)
		skua_add(&scene->runs, 1, relaxed);
}

static int await_in_task(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	await_in_thread(*(struct scene **)argument);
	return 0;
}

static void test_future_is_fulfilled_from_outside(void **state)
{
	WATCH(20);
	struct skua_future future = { 0 };
	struct scene scene = { .future = &future, .pool = pool_of(2) }, *here = &scene;
	struct skua_future tasks[2] = { { 0 }, { 0 } };
	struct skuai_thread threads[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(skuai_thread_start(&threads[i], await_in_thread, &scene, NULL),
				 SKUA_OK);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(skua_async(scene.pool, &tasks[i], await_in_task, &here), SKUA_OK);
	assert_true(reaches(&scene.told, 5));
	assert_int_equal(skua_await(&future, skua_clock_ns() + MILLISECOND), SKUA_ETIMEDOUT);
	assert_int_equal(skua_future_fulfil(&future, -42), SKUA_OK);
	assert_int_equal(skua_future_fulfil(&future, -43), SKUA_EBUSY);
	for (unsigned i = 0; i < 3; i++)
		skuai_thread_join(&threads[i]);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(skua_await(&tasks[i], SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&scene.runs, relaxed), 5);
	pool_end(scene.pool);
}

/* --- then, all, any --- */

static int add_ten(struct skua_slot *skua_here, void *argument)
{
	_Atomic uint32_t *number = *(_Atomic uint32_t **)argument;

	(void)skua_here;
	skua_add(number, 10, relaxed);
	return 0;
}

static void test_future_then(void **state)
{
	(void)state;
	for (int is_late = 0; is_late <= 1; is_late++)
		for (int error = -9; error <= 0; error += 9) {
			WATCH(20);
			struct skua_pool *pool = pool_of(2);
			_Atomic uint32_t number = 0, *pointer = &number;
			struct skua_future chain[20];
			memset(chain, 0, sizeof(chain));
			if (is_late)
				assert_int_equal(skua_future_fulfil(&chain[0], error), SKUA_OK);
			for (unsigned i = 1; i < 20; i++)
				assert_int_equal(skua_then(&chain[i - 1], pool, &chain[i], add_ten,
							   &pointer),
						 SKUA_OK);
			assert_int_equal(skua_then(&chain[0], pool, &chain[5], add_ten, &pointer),
					 SKUA_EBUSY);
			if (!is_late) {
				sleep_ns(MILLISECOND);
				assert_int_equal(skua_load(&number, relaxed), 0);
				assert_int_equal(skua_future_fulfil(&chain[0], error), SKUA_OK);
			}
			assert_int_equal(skua_await(&chain[19], SKUA_FOREVER), error);
			assert_int_equal(skua_load(&number, relaxed), error ? 0 : 190);
			pool_end(pool);
		}
}

static void test_future_all_and_any(void **state)
{
	(void)state;
	for (size_t count = 1; count <= 40; count += 13) {
		WATCH(20);
		struct skua_pool *pool = pool_of(2);
		struct scene scene = { 0 }, *here = &scene;
		struct skua_future futures[40], *pointers[40];
		size_t index = 99;
		memset(futures, 0, sizeof(futures));
		for (size_t i = 0; i < count; i++)
			pointers[i] = &futures[i];
		assert_int_equal(
			skua_await_any(pointers, count, skua_clock_ns() + MILLISECOND, &index),
			SKUA_ETIMEDOUT);
		assert_int_equal(index, count);
		assert_int_equal(skua_await_all(pointers, count, 0), SKUA_ETIMEDOUT);
		for (size_t i = 0; i < count; i++) /* each once is the first */
			if (i % 2)
				assert_int_equal(skua_future_fulfil(&futures[i], -7), SKUA_OK);
			else
				assert_int_equal(skua_async(pool, &futures[i], count_run, &here),
						 SKUA_OK);
		int error = skua_await_any(pointers, count, SKUA_FOREVER, &index);
		assert_true(index < count);
		assert_int_equal(error, index % 2 ? -7 : 0);
		assert_int_equal(skua_await_all(pointers, count, SKUA_FOREVER), count > 1 ? -7 : 0);
		for (size_t i = 0; i < count; i++)
			assert_true(skua_future_is_done(&futures[i]));
		pool_end(pool);
	}
}

/* --- cancel, raise, fd --- */

static void test_future_cancel(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct scene scene = { 0 }, *here = &scene;
	struct skua_future busy = { 0 }, waiting = { 0 }, empty = { 0 }, after = { 0 };

	(void)state;
	assert_int_equal(skua_async(pool, &busy, hold_up, &here), SKUA_OK);
	assert_true(reaches(&scene.told, 1));
	assert_int_equal(skua_async(pool, &waiting, count_run, &here), SKUA_OK);
	assert_int_equal(skua_then(&busy, pool, &after, count_run, &here), SKUA_OK);
	assert_int_equal(skua_future_cancel(&busy), SKUA_EBUSY);
	assert_int_equal(skua_future_cancel(&empty), SKUA_EINVAL);
	assert_int_equal(skua_future_cancel(&waiting), SKUA_OK);
	assert_int_equal(skua_future_cancel(&waiting), SKUA_EBUSY);
	assert_int_equal(skua_future_cancel(&after), SKUA_OK);
	assert_int_equal(skua_await(&waiting, 0), SKUA_ECANCELED);
	assert_int_equal(skua_await(&after, 0), SKUA_ECANCELED);
	skua_store(&scene.is_free, 1, release);
	assert_int_equal(skua_await(&busy, SKUA_FOREVER), SKUA_OK);
	pool_end(pool);
	assert_int_equal(skua_load(&scene.runs, relaxed), 0);
}

struct place {
	struct scene *scene;
	_Atomic uint32_t *place;
};

static int note_place(struct skua_slot *skua_here, void *argument)
{
	struct place *place = argument;

	(void)skua_here;
	skua_store(place->place, skua_add(&place->scene->runs, 1, relaxed), relaxed);
	return 0;
}

static void test_future_raise(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct scene scene = { 0 }, *here = &scene;
	struct skua_future busy = { 0 }, futures[40];
	_Atomic uint32_t places[40];

	(void)state;
	memset(futures, 0, sizeof(futures));
	assert_int_equal(skua_async(pool, &busy, hold_up, &here), SKUA_OK);
	assert_true(reaches(&scene.told, 1));
	for (unsigned i = 0; i < 40; i++)
		assert_int_equal(skua_future_async(pool, &futures[i], SKUA_PRIORITY_LOW, note_place,
						   &(struct place){ &scene, &places[i] },
						   sizeof(struct place)),
				 SKUA_OK);
	assert_int_equal(skua_future_raise(&futures[39], SKUA_PRIORITY_URGENT), SKUA_OK);
	assert_int_equal(skua_future_raise(&futures[39], SKUA_PRIORITY_URGENT), SKUA_OK);
	assert_int_equal(skua_future_raise(&futures[38], SKUA_PRIORITY_NORMAL), SKUA_OK);
	assert_int_equal(skua_future_raise(&busy, SKUA_PRIORITY_URGENT), SKUA_EBUSY);
	assert_int_equal(skua_future_raise(&busy, (enum skua_priority)7), SKUA_EINVAL);
	skua_store(&scene.is_free, 1, release);
	for (unsigned i = 0; i < 40; i++)
		assert_int_equal(skua_await(&futures[i], SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&scene.runs, relaxed), 40); /* each once */
	assert_int_equal(skua_load(&places[39], relaxed), 0);
	assert_int_equal(skua_load(&places[38], relaxed), 1);
	assert_int_equal(skua_future_raise(&futures[0], SKUA_PRIORITY_URGENT), SKUA_EBUSY);
	pool_end(pool);
}

static void test_future_has_a_descriptor(void **state)
{
	(void)state;
	for (int is_late = 0; is_late <= 1; is_late++) {
		WATCH(20);
		struct skua_future future = { 0 };
		struct pollfd wait = { .events = POLLIN };
		int closed;
		if (is_late)
			assert_int_equal(skua_future_fulfil(&future, 0), SKUA_OK);
		assert_int_equal(skua_future_fd(&future, &wait.fd), SKUA_OK);
		assert_int_equal(skua_future_fd(&future, &closed), SKUA_OK);
		close(closed); /* before it is told: nobody minds */
		assert_int_equal(poll(&wait, 1, 0), is_late);
		if (!is_late)
			assert_int_equal(skua_future_fulfil(&future, 0), SKUA_OK);
		assert_int_equal(poll(&wait, 1, 10000), 1);
		close(wait.fd);
	}
}

/* --- refusals and faults --- */

static void test_future_refuses(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_future future = { 0 }, first = { 0 };
	struct skua_future *none[1] = { NULL }, *one[1] = { &future };
	struct scene scene = { 0 }, *here = &scene;
	size_t index;
	volatile size_t bytes[] = { 8, 49 }; /* gcc would see that these are mistakes */
	int fd;

	(void)state;
	assert_int_equal(skua_async(pool, (struct skua_future *)NULL, count_run, &here),
			 SKUA_EINVAL);
	assert_int_equal(skua_future_async(pool, &future, SKUA_PRIORITY_NORMAL, NULL, &here, 8),
			 SKUA_EINVAL);
	assert_int_equal(
		skua_future_async(pool, &future, SKUA_PRIORITY_NORMAL, count_run, &here, bytes[1]),
		SKUA_EINVAL);
	assert_int_equal(
		skua_future_async(pool, &future, SKUA_PRIORITY_NORMAL, count_run, NULL, bytes[0]),
		SKUA_EINVAL);
	assert_int_equal(
		skua_future_async(pool, &future, (enum skua_priority)3, count_run, &here, 8),
		SKUA_EINVAL);
	assert_int_equal(skua_then((struct skua_future *)NULL, pool, &future, count_run, &here),
			 SKUA_EINVAL);
	assert_int_equal(skua_then(&future, pool, &future, count_run, &here), SKUA_EINVAL);
	assert_int_equal(skua_then(&first, pool, (struct skua_future *)NULL, count_run, &here),
			 SKUA_EINVAL);
	assert_int_equal(skua_await(NULL, 0), SKUA_EINVAL);
	assert_int_equal(skua_await(&future, -1), SKUA_ETIMEDOUT); /* long past */
	assert_int_equal(skua_await_all(none, 1, 0), SKUA_EINVAL);
	assert_int_equal(skua_await_all(NULL, 0, 0), SKUA_OK);
	assert_int_equal(skua_await_any(none, 1, 0, &index), SKUA_EINVAL);
	assert_int_equal(skua_await_any(one, 0, 0, &index), SKUA_EINVAL);
	assert_int_equal(skua_await_any(one, 1, 0, NULL), SKUA_EINVAL);
	assert_int_equal(skua_future_fulfil(NULL, 0), SKUA_EINVAL);
	assert_int_equal(skua_future_fd(NULL, &fd), SKUA_EINVAL);
	assert_int_equal(skua_future_fd(&future, NULL), SKUA_EINVAL);
	assert_int_equal(skua_future_cancel(NULL), SKUA_EINVAL);
	assert_int_equal(skua_future_raise(&future, SKUA_PRIORITY_LOW), SKUA_EBUSY);
	assert_false(skua_future_is_done(NULL));
	assert_int_equal(skua_future_fulfil(&future, 0), SKUA_OK); /* nothing changed it */
	pool_end(pool);
}

static void test_future_when_its_pool_is_cancelled(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct scene scene = { 0 }, *here = &scene;
	struct skua_future busy = { 0 }, futures[5], after = { 0 };

	(void)state;
	memset(futures, 0, sizeof(futures));
	assert_int_equal(skua_async(pool, &busy, hold_up, &here), SKUA_OK);
	assert_true(reaches(&scene.told, 1));
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(skua_async(pool, &futures[i], count_run, &here), SKUA_OK);
	assert_int_equal(skua_future_raise(&futures[2], SKUA_PRIORITY_URGENT), SKUA_OK);
	assert_int_equal(skua_then(&busy, pool, &after, count_run, &here), SKUA_OK);
	assert_int_equal(skua_pool_close_until(pool, SKUA_CLOSE_CANCEL, 0), SKUA_ETIMEDOUT);
	skua_store(&scene.is_free, 1, release);
	assert_int_equal(skua_pool_close(pool, SKUA_CLOSE_CANCEL), SKUA_OK);
	assert_int_equal(skua_await(&busy, SKUA_FOREVER), SKUA_OK);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(skua_await(&futures[i], SKUA_FOREVER), SKUA_ECANCELED);
	assert_int_equal(skua_await(&after, SKUA_FOREVER), SKUA_ECANCELED);
	assert_int_equal(skua_load(&scene.runs, relaxed), 0);
}

#ifdef SKUA_FAULTS
static void test_future_without_memory(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct scene scene = { 0 }, *here = &scene;
	struct skua_future future = { 0 }, first = { 0 }, *many[20];
	size_t index;
	int fd;

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		many[i] = &future;
	skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
	assert_int_equal(skua_async(pool, &future, count_run, &here), SKUA_ENOMEM);
	assert_int_equal(skua_then(&first, pool, &future, count_run, &here), SKUA_ENOMEM);
	assert_int_equal(skua_future_fd(&future, &fd), SKUA_ENOMEM);
	assert_int_equal(skua_await_any(many, 20, 0, &index), SKUA_ENOMEM);
	skuai_fault_disarm();
	skuai_fault_arm(SKUAI_FAULT_OPEN, 1, true, SKUAI_FAULT_USUAL);
	assert_int_equal(skua_future_fd(&future, &fd), SKUA_EAGAIN);
	skuai_fault_disarm();
	assert_int_equal(skua_async(pool, &future, count_run, &here), SKUA_OK);
	assert_int_equal(skua_await(&future, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&scene.runs, relaxed), 1);
	pool_end(pool);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_future_of_a_task),
		cmocka_unit_test(test_future_is_claimed_by_who_waits),
		cmocka_unit_test(test_future_waits_for_itself),
		cmocka_unit_test(test_future_is_fulfilled_from_outside),
		cmocka_unit_test(test_future_then),
		cmocka_unit_test(test_future_all_and_any),
		cmocka_unit_test(test_future_cancel),
		cmocka_unit_test(test_future_raise),
		cmocka_unit_test(test_future_has_a_descriptor),
		cmocka_unit_test(test_future_refuses),
		cmocka_unit_test(test_future_when_its_pool_is_cancelled),
#ifdef SKUA_FAULTS
		cmocka_unit_test(test_future_without_memory),
#endif
	};
	return cmocka_run_group_tests_name("future", tests, NULL, NULL);
}
