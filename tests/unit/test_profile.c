/* SPDX-License-Identifier: MIT */
/* test_profile.c — work and span, to the tick by a clock of our own, on one worker and on more */
#include "unit/test_pool.h"

#include "sched/profiling.h"

#include <skua/future.h>
#include <skua/monitor.h>

#include <math.h>

#ifdef SKUA_FAULTS

/*
 * Each thread has a clock that stands still but for what burn() says.  So the work of a program is
 * the sum of what it burns, and its span what follows from its shape, whoever runs what.
 */
static _Thread_local uint64_t burnt = 1000;

static uint64_t fake_clock(void)
{
	return burnt;
}

/* Large, so that nanoseconds do not round it. */
static void burn(uint64_t amount)
{
	burnt += amount * 1000000;
}

static struct skua_profile profile_of(struct skua_pool *pool)
{
	struct skua_profile profile = { .size = sizeof(profile) };

	assert_int_equal(skua_profile_end(pool, &profile), SKUA_OK);
	return profile;
}

/* The numbers are in real nanoseconds of a clock that is not: only ratios mean something. */
static void expect_ratio(const struct skua_profile *profile, double work, double span)
{
	double is = (double)profile->work_ns / (double)profile->span_ns;

	if (fabs(is / (work / span) - 1) > 1e-4)
		fail_msg("work/span is %f, and %f/%f = %f was expected", is, work, span,
			 work / span);
}

/* --- shapes --- */

#define LEAF  100
#define INNER 10
#define AFTER 3

SKUA_TASK(int, tree, int, depth, int64_t, spin)
{
	if (depth == 0) {
		burn(LEAF);
		spin_for(spin);
		return 1;
	}
	burn(INNER);
	skua_fork(tree, left, depth - 1, spin);
	int right = skua_call(tree, depth - 1, spin);
	int sum = skua_join(tree, left) + right;
	burn(AFTER);
	return sum;
}

static double tree_work(int depth)
{
	return depth ? INNER + AFTER + 2 * tree_work(depth - 1) : LEAF;
}

static void test_profile_of_a_tree_on_one_worker(void **state)
{
	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	for (int depth = 0; depth < 8; depth++) {
		assert_int_equal(skua_profile_begin(pool), SKUA_OK);
		assert_int_equal(skua_run(pool, tree, depth, 0), 1 << depth);
		struct skua_profile profile = profile_of(pool);
		expect_ratio(&profile, tree_work(depth), LEAF + depth * (INNER + AFTER));
		assert_int_equal(profile.forks, (1 << depth) - 1);
		assert_int_equal(profile.workers, 1);
	}
	pool_end(pool);
}

/* The same numbers when others steal: that is what makes them the program's. */
static void test_profile_is_the_same_on_four_workers(void **state)
{
	uint64_t steals = 0;

	(void)state;
	WATCH(60);
	struct skua_pool *pool = pool_of(4);
	int64_t end = skua_clock_ns() + 5 * SECOND * PATIENCE; /* for somebody to come at all */
	for (int round = 0;
	     round < 5 || (steals < 10 && round < 50) || (!steals && skua_clock_ns() < end);
	     round++) {
		assert_int_equal(skua_profile_begin(pool), SKUA_OK);
		assert_int_equal(skua_run(pool, tree, 6, 200000), 64);
		struct skua_profile profile = profile_of(pool);
		expect_ratio(&profile, tree_work(6), LEAF + 6 * (INNER + AFTER));
		assert_int_equal(profile.forks, 63);
		steals = stats_of(pool).steals;
	}
	assert_true(steals > 0);
	pool_end(pool);
}

SKUA_TASK_VOID(shorter, int, amount)
{
	burn((uint64_t)amount);
}

/* Three forks at once, joined in turn; the longest is on the path, with what came before it. */
SKUA_TASK_VOID(fan, int, unused)
{
	(void)unused;
	burn(1);
	skua_fork(shorter, a, 50);
	burn(2);
	skua_fork(shorter, b, 70);
	burn(4);
	skua_fork(shorter, c, 20);
	burn(8);
	skua_join(shorter, c);
	skua_join(shorter, b);
	burn(16);
	skua_join(shorter, a);
	burn(32);
}

static void test_profile_of_uneven_forks(void **state)
{
	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	assert_int_equal(skua_profile_begin(pool), SKUA_OK);
	skua_run(pool, fan, 0);
	skua_run(pool, fan, 0); /* one after the other: the spans add up */
	struct skua_profile profile = profile_of(pool);
	expect_ratio(&profile, 2 * (63 + 140), 2 * (1 + 2 + 70 + 16 + 32));
	assert_int_equal(profile.task_count, 2);
	assert_string_equal(profile.tasks[0].name, "shorter");
	assert_true(profile.burdened_ns > profile.span_ns);
	pool_end(pool);
}

static int member(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	burn(*(uint64_t *)argument);
	return 0;
}

SKUA_TASK_VOID(with_group, struct skua_pool *, pool)
{
	struct skua_group group;
	struct skua_group_options options = { .size = sizeof(options), .pool = pool };

	burn(5);
	assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
	for (uint64_t i = 1; i <= 4; i++)
		assert_int_equal(skua_go(&group, member, &(uint64_t){ 10 * i }), SKUA_OK);
	assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
	burn(7);
}

static void test_profile_of_a_group(void **state)
{
	(void)state;
	WATCH(20);
	for (int workers = 1; workers <= 3; workers++) {
		struct skua_pool *pool = pool_of(workers);
		assert_int_equal(skua_profile_begin(pool), SKUA_OK);
		skua_run(pool, with_group, pool);
		struct skua_profile profile = profile_of(pool);
		expect_ratio(&profile, 5 + 100 + 7, 5 + 40 + 7);
		pool_end(pool);
	}
}

static void burning_job(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	burn((uint64_t)(uintptr_t)argument);
}

static void test_profile_of_jobs(void **state)
{
	struct skua_job jobs[20];

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	assert_int_equal(skua_profile_begin(pool), SKUA_OK);
	for (uintptr_t i = 0; i < 20; i++)
		jobs[i] = (struct skua_job)SKUA_JOB(burning_job, (void *)(i + 1));
	assert_int_equal(skua_submit_many(pool, jobs, 20), SKUA_OK);
	for (int i = 0; i < 20; i++)
		assert_int_equal(skua_job_wait(&jobs[i], SKUA_FOREVER), SKUA_OK);
	struct skua_profile profile = profile_of(pool);
	expect_ratio(&profile, 210, 20);
	pool_end(pool);
}

static int body(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument)
{
	(void)skua_here, (void)argument;
	burn(hi - lo);
	spin_for((int64_t)(hi - lo) * 2000);
	return 0;
}

/* How a loop is cut into chunks is a matter of time; not that all of it is work, not all span. */
static void test_profile_of_a_loop(void **state)
{
	(void)state;
	WATCH(30);
	struct skua_pool *pool = pool_of(2);
	assert_int_equal(skua_profile_begin(pool), SKUA_OK);
	assert_int_equal(skua_loop_for(pool, 0, 4000, body, NULL, NULL), SKUA_OK);
	struct skua_profile profile = profile_of(pool);
	assert_true(profile.span_ns > 0 && profile.span_ns < profile.work_ns / 2);
	assert_string_equal(profile.tasks[0].name, "body");
	pool_end(pool);
}

#else

static uint64_t fake_clock(void)
{
	return 0;
}

#endif

/* --- whatever the clock --- */

static int compare(const void *a, const void *b, void *context)
{
	(void)context;
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* Results are what they are without it, also where it is switched on and off meanwhile. */
static void test_profile_changes_no_result(void **state)
{
	enum {
		COUNT = 20000
	};
	int *numbers = malloc(COUNT * sizeof(*numbers));

	(void)state;
	WATCH(60);
	struct skua_pool *pool = pool_of(3);
	for (int round = 0; round < 10; round++) {
		if (round % 3 != 2)
			skua_profile_begin(pool);
		assert_int_equal(skua_run(pool, fib, 15), 610);
		for (int i = 0; i < COUNT; i++)
			numbers[i] = (int)(test_random() % 1000);
		assert_int_equal(
			skua_sort_any(pool, numbers, COUNT, sizeof(*numbers), compare, NULL, NULL),
			SKUA_OK);
		for (int i = 1; i < COUNT; i++)
			assert_true(numbers[i - 1] <= numbers[i]);
		if (round % 3 == 1)
			assert_int_equal(skua_profile_end(pool, NULL), SKUA_OK);
	}
	free(numbers);
	pool_end(pool);
}

static _Atomic uint32_t is_inside, may_go;

static void around(struct skua_slot *skua_here, void *argument)
{
	(void)argument;
	skua_store(&is_inside, 1, release);
	while (!skua_load(&may_go, acquire))
		skua_call(fib, 5);
}

static void await_it(struct skua_slot *skua_here, void *future)
{
	(void)skua_here;
	skua_store(&is_inside, 1, release);
	skua_await(future, SKUA_FOREVER);
}

static void run_job(struct skua_pool *pool, struct skua_job *job)
{
	assert_int_equal(skua_submit(pool, job), SKUA_OK);
	assert_int_equal(skua_job_wait(job, SKUA_FOREVER), SKUA_OK);
}

static void be_nothing(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
}

/* A job that began unprofiled ends so, whatever its worker runs while it waits, watched or not. */
static void test_profile_begins_while_a_job_waits(void **state)
{
	(void)state;
	WATCH(60);
	for (int is_watched = 0; is_watched < 2; is_watched++) {
		struct skua_monitor_options private = { .size = sizeof(private), .is_private = 1 };
		struct skua_future future = { 0 };
		struct skua_pool *pool = pool_of(1);
		struct skua_job job = SKUA_JOB(await_it, &future),
				other = SKUA_JOB(be_nothing, NULL);
		if (is_watched)
			assert_int_equal(skua_monitor_begin(pool, &private), SKUA_OK);
		skua_store(&is_inside, 0, relaxed);
		assert_int_equal(skua_submit(pool, &job), SKUA_OK);
		while (!skua_load(&is_inside, acquire))
			sleep_ns(MILLISECOND);
		assert_int_equal(skua_profile_begin(pool), SKUA_OK);
		run_job(pool, &other);
		assert_null(pool->workers[0].profiler);
		skua_future_fulfil(&future, 0);
		assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
		do /* until it looks up between two of them */
			run_job(pool, &other);
		while (!pool->workers[0].profiler);
		assert_int_equal(skua_profile_end(pool, NULL), SKUA_OK);
		pool_end(pool);
	}
}

/* What began before, and what is not over, is left out; nothing else happens. */
static void test_profile_begins_and_ends_amid_work(void **state)
{
	struct skua_job job = SKUA_JOB(around, NULL);

	(void)state;
	WATCH(30);
	struct skua_pool *pool = pool_of(2);
	skua_store(&is_inside, 0, relaxed);
	skua_store(&may_go, 0, relaxed);
	assert_int_equal(skua_submit(pool, &job), SKUA_OK);
	assert_true(reaches(&is_inside, 1));
	for (int i = 0; i < 20; i++) {
		struct skua_profile profile = { .size = sizeof(profile) };
		assert_int_equal(skua_profile_begin(pool), SKUA_OK);
		sleep_ns(MILLISECOND);
		assert_int_equal(skua_profile_end(pool, &profile), SKUA_OK);
	}
	skua_store(&may_go, 1, release);
	assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_run(pool, fib, 10), 55);
	pool_end(pool);
}

static void test_profile_refuses(void **state)
{
	struct skua_profile profile = { .size = sizeof(profile) };

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	assert_int_equal(skua_profile_end(pool, &profile), SKUA_EINVAL);
	assert_int_equal(skua_profile_begin(pool), SKUA_OK);
	assert_int_equal(skua_profile_begin(pool), SKUA_EBUSY);
	profile.size = 8;
	assert_int_equal(skua_profile_end(pool, &profile), SKUA_EINVAL);
	assert_int_equal(skua_profile_end(pool, NULL), SKUA_OK);
	assert_int_equal(skua_profile_end(pool, NULL), SKUA_EINVAL);
	pool_end(pool);
}

static void test_profile_predicts(void **state)
{
	struct skua_profile profile = {
		.size = sizeof(profile), .work_ns = 1000000, .span_ns = 100000, .workers = 2
	};
	char text[4096], small[10];

	(void)state;
	assert_true(skua_profile_speedup(NULL, 4) == 0 && skua_profile_speedup(&profile, 0) == 0);
	assert_true(fabs(skua_profile_speedup(&profile, 1) - 1) < 1e-9);
	assert_true(fabs(skua_profile_speedup(&profile, 2) - 1000 / 550.0) < 1e-9);
	profile.burdened_ns = 250000;
	assert_true(fabs(skua_profile_speedup(&profile, 2) - 1000 / 625.0) < 1e-9);
	assert_true(skua_profile_speedup(&profile, 1024) < 4);
	size_t length = skua_profile_text(&profile, text, sizeof(text));
	assert_int_equal(length, strlen(text));
	assert_non_null(strstr(text, "parallelism        10.0"));
	assert_non_null(strstr(text, " 1024\n"));
	assert_int_equal(skua_profile_text(&profile, small, sizeof(small)), length);
	assert_int_equal(strlen(small), sizeof(small) - 1);
	assert_int_equal(skua_profile_text(&profile, NULL, 0), length);
	assert_int_equal(skua_profile_text(NULL, text, sizeof(text)), 0);
	memset(&profile, 0, sizeof(profile)); /* nothing was run */
	assert_true(skua_profile_speedup(&profile, 8) == 1);
	assert_true(skua_profile_text(&profile, text, sizeof(text)) > 0);
}

static void profiled_program(void *argument)
{
	(void)argument;
	watch_set("child", 20);
	setenv("SKUA_PROFILE", "1", 1);
	struct skua_pool *pool = pool_of(2);
	skua_run(pool, fib, 15);
	if (skua_profile_begin(pool) != SKUA_EBUSY || skua_profile_end(pool, NULL) != SKUA_EINVAL)
		_exit(1);
	_exit(skua_pool_close(pool, SKUA_CLOSE_DRAIN) != SKUA_OK);
}

static void test_profile_follows_the_environment(void **state)
{
	char text[4096];

	(void)state;
	assert_int_equal(test_in_child_stderr(profiled_program, NULL, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "profile of pool \"skua\", 2 workers"));
	assert_non_null(strstr(text, "forks               986\n"));
	assert_non_null(strstr(text, "\nfib "));
}

static int use_clock(void **state)
{
	(void)state;
	(void)fake_clock;
#ifdef SKUA_FAULTS
	skuai_profile_clock = fake_clock;
#endif
	return 0;
}

static int use_real_clock(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	skuai_profile_clock = NULL;
#endif
	return 0;
}

#define WITH_CLOCK(test) cmocka_unit_test_setup_teardown(test, use_clock, use_real_clock)

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef SKUA_FAULTS
		WITH_CLOCK(test_profile_of_a_tree_on_one_worker),
		WITH_CLOCK(test_profile_is_the_same_on_four_workers),
		WITH_CLOCK(test_profile_of_uneven_forks),
		WITH_CLOCK(test_profile_of_a_group),
		WITH_CLOCK(test_profile_of_jobs),
		WITH_CLOCK(test_profile_of_a_loop),
#endif
		WITH_CLOCK(test_profile_changes_no_result),
		cmocka_unit_test(test_profile_begins_and_ends_amid_work),
		cmocka_unit_test(test_profile_begins_while_a_job_waits),
		cmocka_unit_test(test_profile_refuses),
		cmocka_unit_test(test_profile_predicts),
		cmocka_unit_test(test_profile_follows_the_environment),
	};
	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
