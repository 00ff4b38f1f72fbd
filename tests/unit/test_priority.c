/* SPDX-License-Identifier: MIT */
/* test_priority.c — priorities: the urgent first, the low at last; refusals, close, fork */
#include "unit/test_pool.h"

#include "os/thread.h"
#include "sched/worker.h"

#include <skua/future.h>
#include <skua/group.h>

#include <sys/wait.h>

#define MANY (SLOW_BUILD ? 3000u : 100000u)

/* What is queued, and by what means. */
enum means {
	BY_JOB,
	BY_GROUP,
	BY_FUTURE,
	MEANS
};

struct scene {
	struct skua_pool *pool;
	enum means means;
	_Atomic uint32_t held, is_free; /* workers are kept busy until all is queued */
	_Atomic uint32_t low_ran, low_before, urgent_ran, must_submit;
	struct skua_group low_group, urgent_group;
	struct skua_future urgent_future;
	struct skua_job urgent;
	struct skua_job *jobs;
	struct skua_future *futures;
};

static void hold_worker(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = argument;

	(void)skua_here;
	skua_add(&scene->held, 1, release);
	reaches(&scene->is_free, 1);
}

static int urgent_task(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;

	(void)skua_here;
	skua_store(&scene->low_before, skua_load(&scene->low_ran, relaxed), relaxed);
	skua_add(&scene->urgent_ran, 1, relaxed);
	return 0;
}

static void urgent_job(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = argument;

	urgent_task(skua_here, &scene);
}

static int submit_urgent(struct scene *scene)
{
	switch (scene->means) {
	case BY_JOB:
		scene->urgent = (struct skua_job)SKUA_JOB(urgent_job, scene);
		scene->urgent.priority = SKUA_PRIORITY_URGENT;
		return skua_submit(scene->pool, &scene->urgent);
	case BY_GROUP:
		return skua_go(&scene->urgent_group, urgent_task, &scene);
	default:
		return skua_future_async(scene->pool, &scene->urgent_future, SKUA_PRIORITY_URGENT,
					 urgent_task, &scene, sizeof(scene));
	}
}

static int low_task(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;

	(void)skua_here;
	if (skua_add(&scene->low_ran, 1, relaxed) == 100 &&
	    skua_exchange(&scene->must_submit, 0, relaxed))
		return submit_urgent(scene);
	return 0;
}

static void low_job(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = argument;

	if (low_task(skua_here, &scene))
		_exit(40);
}

static void submit_low(struct scene *scene, unsigned i)
{
	switch (scene->means) {
	case BY_JOB:
		scene->jobs[i] = (struct skua_job)SKUA_JOB(low_job, scene);
		scene->jobs[i].priority = SKUA_PRIORITY_LOW;
		assert_int_equal(skua_submit(scene->pool, &scene->jobs[i]), SKUA_OK);
		break;
	case BY_GROUP:
		assert_int_equal(skua_go(&scene->low_group, low_task, &scene), SKUA_OK);
		break;
	default:
		assert_int_equal(skua_future_async(scene->pool, &scene->futures[i],
						   SKUA_PRIORITY_LOW, low_task, &scene,
						   sizeof(scene)),
				 SKUA_OK);
	}
}

/* Every worker is in a job that ends when is_free says so. */
static void hold_all(struct scene *scene, struct skua_job *holders)
{
	unsigned workers = skua_pool_workers(scene->pool);

	for (unsigned i = 0; i < workers; i++) {
		holders[i] = (struct skua_job)SKUA_JOB(hold_worker, scene);
		assert_int_equal(skua_submit(scene->pool, &holders[i]), SKUA_OK);
		assert_true(reaches(&scene->held, i + 1));
	}
}

/* How many low ones ran before the urgent one, since that was queued. */
static uint32_t play_urgent(enum means means, int workers, bool is_inside)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	struct skua_group_options low = { .size = sizeof(low), .priority = SKUA_PRIORITY_LOW };
	struct skua_group_options urgent = { .size = sizeof(urgent),
					     .priority = SKUA_PRIORITY_URGENT };
	struct skua_job holders[2];

	scene->means = means;
	scene->pool = low.pool = urgent.pool = pool_of(workers);
	scene->jobs = calloc(MANY, sizeof(*scene->jobs));
	scene->futures = calloc(MANY, sizeof(*scene->futures));
	assert_int_equal(skua_group_open(&scene->low_group, &low), SKUA_OK);
	assert_int_equal(skua_group_open(&scene->urgent_group, &urgent), SKUA_OK);
	hold_all(scene, holders);
	for (unsigned i = 0; i < MANY; i++)
		submit_low(scene, i);
	if (is_inside)
		skua_store(&scene->must_submit, 1, relaxed);
	else
		assert_int_equal(submit_urgent(scene), SKUA_OK);
	skua_store(&scene->is_free, 1, release);
	assert_int_equal(skua_group_wait(&scene->low_group, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_group_wait(&scene->urgent_group, SKUA_FOREVER), SKUA_OK);
	pool_end(scene->pool);
	assert_int_equal(skua_load(&scene->urgent_ran, relaxed), 1);
	assert_int_equal(skua_load(&scene->low_ran, relaxed), MANY);
	uint32_t before = skua_load(&scene->low_before, relaxed) - (is_inside ? 100 : 0);
	free(scene->jobs);
	free(scene->futures);
	free(scene);
	return before;
}

/* Of two, the one that has taken it may lose its processor before it has counted, and the other one
 * goes on with low ones: not in most goes. */
static void expect_urgent(enum means means, int workers, bool is_inside)
{
	uint32_t before;
	int good = 0;

	do {
		WATCH(60);
		before = play_urgent(means, workers, is_inside);
		good += before < MANY / 100 ? 1 : -1;
	} while (workers > 1 && good > -3 && good < 2);
	if (good < 0)
		fail_msg("%d workers, by %d, from %s: %u of %u low ones before the urgent one",
			 workers, (int)means, is_inside ? "a worker" : "outside", before, MANY);
}

static void test_priority_urgent_before_a_hundred_thousand(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 2; workers++)
		for (enum means means = BY_JOB; means < MEANS; means++)
			for (int is_inside = 0; is_inside <= 1; is_inside++)
				expect_urgent(means, workers, is_inside);
}

/* --- order --- */

struct order {
	struct scene scene;
	struct skua_job jobs[90];
	_Atomic uint32_t next;
	unsigned seen[90];
	unsigned count;
};

static struct order *order;

static void note(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	order->seen[skua_add(&order->next, 1, relaxed)] = (unsigned)((struct skua_job *)argument -
								     order->jobs);
}

static unsigned rank_of(unsigned index)
{
	enum skua_priority priority = order->jobs[index].priority;

	return priority == SKUA_PRIORITY_URGENT ? 0 : priority == SKUA_PRIORITY_NORMAL ? 1 : 2;
}

static void open_order(unsigned count)
{
	static const enum skua_priority mixed[] = { SKUA_PRIORITY_LOW, SKUA_PRIORITY_URGENT,
						    SKUA_PRIORITY_NORMAL };

	order = calloc(1, sizeof(*order));
	order->scene.pool = pool_of(1);
	order->count = count;
	for (unsigned i = 0; i < count; i++) {
		order->jobs[i] = (struct skua_job)SKUA_JOB(note, &order->jobs[i]);
		order->jobs[i].priority = mixed[i % 3];
	}
}

/* How many ran before one that is more urgent. */
static unsigned close_order(void)
{
	unsigned early = 0;

	for (unsigned i = 0; i < order->count; i++)
		assert_int_equal(skua_job_wait(&order->jobs[i], SKUA_FOREVER), SKUA_OK);
	pool_end(order->scene.pool);
	for (unsigned i = 0; i < order->count; i++) {
		unsigned later = i + 1;
		while (later < order->count &&
		       rank_of(order->seen[later]) >= rank_of(order->seen[i]))
			later++;
		early += later < order->count;
	}
	return early;
}

static void test_priority_urgent_normal_low(void **state)
{
	WATCH(20);
	struct skua_job holder;

	(void)state;
	open_order(90);
	hold_all(&order->scene, &holder);
	for (unsigned i = 0; i < 90; i++)
		assert_int_equal(skua_submit(order->scene.pool, &order->jobs[i]), SKUA_OK);
	skua_store(&order->scene.is_free, 1, release);
	assert_in_range(close_order(), 0, 2); /* every 61st turn is somebody else's */
	free(order);
}

static void submit_all_inside(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
	if (skua_submit_many(order->scene.pool, order->jobs, order->count))
		_exit(42);
}

/* Few enough that nobody's turn comes: by class, and in the array's order within each. */
static void test_priority_submit_many_keeps_the_order(void **state)
{
	(void)state;
	for (int is_inside = 0; is_inside <= 1; is_inside++) {
		WATCH(20);
		struct skua_job holder, inside = SKUA_JOB(submit_all_inside, NULL);
		open_order(30);
		hold_all(&order->scene, &holder);
		if (is_inside)
			assert_int_equal(skua_submit(order->scene.pool, &inside), SKUA_OK);
		else
			assert_int_equal(
				skua_submit_many(order->scene.pool, order->jobs, order->count),
				SKUA_OK);
		skua_store(&order->scene.is_free, 1, release);
		if (is_inside) /* then all of them are submitted */
			assert_int_equal(skua_job_wait(&inside, SKUA_FOREVER), SKUA_OK);
		assert_int_equal(close_order(), 0);
		for (unsigned i = 1; i < 30; i++)
			if (rank_of(order->seen[i]) == rank_of(order->seen[i - 1]))
				assert_true(order->seen[i] > order->seen[i - 1]);
		free(order);
	}
}

/* --- refusals, close, fork --- */

static void grind(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
}

static void test_priority_refusals(void **state)
{
	WATCH(20);
	struct scene scene = { .pool = pool_of(1) }, *copied = &scene;
	struct skua_future future = { 0 };

	(void)state;
	for (int bad = -1; bad <= 3; bad += 4) {
		struct skua_job jobs[2] = { SKUA_JOB(grind, NULL), SKUA_JOB(grind, NULL) };
		struct skua_group group;
		struct skua_group_options options = { .size = sizeof(options),
						      .pool = scene.pool,
						      .priority = (enum skua_priority)bad };
		jobs[1].priority = (enum skua_priority)bad;
		assert_int_equal(skua_submit(scene.pool, &jobs[1]), SKUA_EINVAL);
		assert_int_equal(skua_submit_many(scene.pool, jobs, 2), SKUA_EINVAL);
		assert_int_equal(skua_job_wait(&jobs[0], SKUA_FOREVER),
				 SKUA_EINVAL); /* as it was */
		assert_int_equal(skua_group_open(&group, &options), SKUA_EINVAL);
		assert_int_equal(skua_future_async(scene.pool, &future, (enum skua_priority)bad,
						   urgent_task, &copied, sizeof(copied)),
				 SKUA_EINVAL);
		assert_int_equal(skua_future_raise(&future, (enum skua_priority)bad), SKUA_EINVAL);
		assert_false(skua_future_is_done(&future));
	}
	assert_int_equal(skua_future_async(scene.pool, &future, SKUA_PRIORITY_LOW, urgent_task,
					   &copied, sizeof(copied)),
			 SKUA_OK);
	assert_int_equal(skua_await(&future, SKUA_FOREVER), SKUA_OK);
	pool_end(scene.pool);
}

static int count_task(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;

	(void)skua_here;
	skua_add(&scene->low_ran, 1, relaxed);
	return 0;
}

/* 30 of every class and 30 for worker 0 alone, with every worker held up. */
static void queue_all_kinds(struct scene *scene, struct skua_job *holders,
			    struct skua_group groups[4])
{
	hold_all(scene, holders);
	for (unsigned i = 0; i < 4; i++) {
		struct skua_group_options options = { .size = sizeof(options),
						      .pool = scene->pool,
						      .priority = (enum skua_priority)(i % 3),
						      .workers = i == 3 };
		assert_int_equal(skua_group_open(&groups[i], &options), SKUA_OK);
		for (unsigned k = 0; k < 30; k++)
			assert_int_equal(skua_go(&groups[i], count_task, &scene), SKUA_OK);
	}
}

struct waiting {
	struct skua_group *group;
	int error;
};

static void wait_for_group(void *argument)
{
	struct waiting *waiting = argument;

	waiting->error = skua_group_wait(waiting->group, SKUA_FOREVER);
}

/* A close drains every class, or drops every class; who waits hears of it. */
static void test_priority_close_empties_every_class(void **state)
{
	(void)state;
	for (int how = 0; how <= 1; how++) {
		WATCH(30);
		struct scene scene = { .pool = pool_of(2) };
		struct skua_job holders[2];
		struct skua_group groups[4];
		struct waiting waiting[4];
		struct skuai_thread threads[4];
		enum skua_close close = how ? SKUA_CLOSE_CANCEL : SKUA_CLOSE_DRAIN;
		queue_all_kinds(&scene, holders, groups);
		for (unsigned i = 0; i < 4; i++) {
			waiting[i] = (struct waiting){ &groups[i], 1 };
			assert_int_equal(
				skuai_thread_start(&threads[i], wait_for_group, &waiting[i], NULL),
				0);
		}
		assert_true(reaches(&scene.pool->visitors, 4)); /* they are in */
		/* It has begun to close before the workers are free. */
		assert_int_equal(skua_pool_close_until(scene.pool, close, 0), SKUA_ETIMEDOUT);
		skua_store(&scene.is_free, 1, release);
		assert_int_equal(skua_pool_close(scene.pool, close), SKUA_OK);
		for (unsigned i = 0; i < 4; i++)
			skuai_thread_join(&threads[i]);
		for (unsigned i = 0; i < 4; i++) {
			assert_int_equal(waiting[i].error, how ? SKUA_ECANCELED : SKUA_OK);
			assert_int_equal(skua_group_skipped(&groups[i]), how ? 30 : 0);
		}
		assert_int_equal(skua_load(&scene.low_ran, relaxed), how ? 0 : 120);
	}
}

/* Sanitizers do not survive threads in the child of a program with threads: test_pool_fork.c. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NO_THREADS_IN_CHILD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
	__has_feature(thread_sanitizer)
#define NO_THREADS_IN_CHILD 1
#endif
#endif

#ifndef NO_THREADS_IN_CHILD
/* In the child of a fork() nothing of the parent's is queued; the parent loses nothing. */
static int use_in_child(struct scene *scene, struct skua_group *parents)
{
	struct skua_job holders[2];
	struct skua_group groups[4];

	watch_set("child", 20);
	skua_store(&scene->held, 0, relaxed);
	skua_store(&scene->is_free, 1, relaxed);
	queue_all_kinds(scene, holders, groups);
	for (unsigned i = 0; i < 4; i++)
		if (skua_group_wait(&groups[i], SKUA_FOREVER) != SKUA_OK)
			return 1;
	if (skua_group_wait(parents, SKUA_FOREVER) != SKUA_EFORKED)
		return 2;
	if (skua_pool_close(scene->pool, SKUA_CLOSE_DRAIN))
		return 3;
	return skua_load(&scene->low_ran, relaxed) == 120 ? 0 : 4;
}

static void test_priority_fork_empties_every_class(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 2; workers++) {
		WATCH(30);
		struct scene scene = { .pool = pool_of(workers) };
		struct skua_job holders[2];
		struct skua_group groups[4];
		int status = 0;
		queue_all_kinds(&scene, holders, groups);
		pid_t child = fork();
		if (child == 0)
			_exit(use_in_child(&scene, &groups[0]));
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
		skua_store(&scene.is_free, 1, release);
		for (unsigned i = 0; i < 4; i++)
			assert_int_equal(skua_group_wait(&groups[i], SKUA_FOREVER), SKUA_OK);
		pool_end(scene.pool);
		assert_int_equal(skua_load(&scene.low_ran, relaxed), 120);
	}
}

#endif

/* --- who searches --- */

static void count_up(struct skua_slot *skua_here, void *argument)
{
	_Atomic uint32_t *count = argument;

	(void)skua_here;
	skua_add(count, 1, release);
}

/* Jobs of all kinds are run by a worker that looks around, and does so for ever. */
static void test_priority_is_seen_by_who_searches(void **state)
{
	static const enum skua_priority kinds[] = { SKUA_PRIORITY_NORMAL, SKUA_PRIORITY_URGENT,
						    SKUA_PRIORITY_LOW, SKUA_PRIORITY_URGENT };
	struct skua_pool_options options = { .size = sizeof(options),
					     .workers = 1,
					     .spin_ns = 1000 * SECOND };
	struct skua_pool *pool;
	_Atomic uint32_t count = 0;

	(void)state;
	WATCH(60);
	assert_int_equal(skua_pool_open(&pool, &options), SKUA_OK);
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct skua_job job = SKUA_JOB(count_up, &count);
		job.priority = kinds[i];
		assert_int_equal(skua_submit(pool, &job), SKUA_OK);
		assert_true(reaches(&count, i + 1));
		assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	}
	pool_end(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_priority_is_seen_by_who_searches),
		cmocka_unit_test(test_priority_urgent_before_a_hundred_thousand),
		cmocka_unit_test(test_priority_urgent_normal_low),
		cmocka_unit_test(test_priority_submit_many_keeps_the_order),
		cmocka_unit_test(test_priority_refusals),
		cmocka_unit_test(test_priority_close_empties_every_class),
#ifndef NO_THREADS_IN_CHILD
		cmocka_unit_test(test_priority_fork_empties_every_class),
#endif
	};
	return cmocka_run_group_tests_name("priority", tests, NULL, NULL);
}
