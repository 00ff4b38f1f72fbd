/* SPDX-License-Identifier: MIT */
/* test_counters.c — the counters of a worker, and the table that SKUA_STATS=1 prints */
#include "unit/test_pool.h"

#include "sched/counters.h"

#include <stdlib.h>

static void test_counters_add_up(void **state)
{
	struct skuai_counters counters = { 0 };
	struct skua_stats stats = { .size = sizeof(stats), .jobs = 5 };

	(void)state;
	skuai_count(&counters.jobs, 1);
	skuai_count(&counters.jobs, 41);
	skuai_count(&counters.idle_ns, UINT64_MAX);
	skuai_counters_add(&counters, &stats);
	assert_int_equal(stats.jobs, 47);
	assert_true(stats.idle_ns == UINT64_MAX);
	assert_int_equal(stats.tasks, 0);
}

static void test_counters_table(void **state)
{
	struct skua_stats workers[2] = { { .jobs = 3 }, { .jobs = 4, .parks = 7 } };
	struct skua_stats all_workers = { .jobs = 7, .parks = 7 };
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_non_null(file);
	skuai_counters_print(file, "mine", &all_workers, workers, 2);
	fclose(file);
	assert_non_null(strstr(text, "pool \"mine\", 2 workers"));
	char *jobs = strstr(text, "\njobs"), *parks = strstr(text, "\nparks");
	unsigned long long all, one, two;
	assert_non_null(jobs);
	assert_non_null(parks);
	assert_int_equal(sscanf(jobs, "\njobs %llu %llu %llu", &all, &one, &two), 3);
	assert_true(all == 7 && one == 3 && two == 4);
	assert_null(strstr(text, "steals")); /* what did not happen is not listed */
	free(text);
}

static void close_with_stats(void *argument)
{
	int workers = *(int *)argument;

	watch_set("child", 20);
	setenv("SKUA_STATS", "1", 1);
	struct skua_pool *pool = pool_of(workers);
	for (int i = 0; i < 100; i++)
		skua_run(pool, fib, 5);
	_exit(skua_pool_close(pool, SKUA_CLOSE_DRAIN) != SKUA_OK);
}

static int do_nothing(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
	return 0;
}

SKUA_TASK(int, await_ten, struct skua_pool *, pool)
{
	int error = 0;

	for (int i = 0; i < 10; i++) {
		struct skua_future future = { 0 };
		error |= skua_async(pool, &future, do_nothing, (void *)0);
		error |= skua_await(&future, SKUA_FOREVER);
	}
	return error;
}

/* What is run at once by who waits for it is a task that was run, but no job taken from a queue. */
static void test_counters_count_what_runs_in_place(void **state)
{
	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	assert_int_equal(skua_run(pool, await_ten, pool), 0);
	struct skua_stats stats = stats_of(pool);
	assert_int_equal(stats.inlined, 10);
	assert_int_equal(stats.tasks, 11); /* and the root */
	assert_int_equal(stats.jobs, 0);
	pool_end(pool);
}

/* The total is that of all workers, also where there are more than the table shows. */
static void test_counters_are_printed_at_close(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 100; workers += 99) {
		char text[8192], expected[64];
		unsigned long long all = 0;
		assert_int_equal(
			test_in_child_stderr(close_with_stats, &workers, text, sizeof(text)), 0);
		snprintf(expected, sizeof(expected), "%d worker", workers);
		if (!strstr(text, expected))
			fail_msg("not of %d workers: %.200s", workers, text);
		char *tasks = strstr(text, "\ntasks");
		assert_non_null(tasks);
		assert_int_equal(sscanf(tasks, "\ntasks %llu", &all), 1);
		assert_true(all >= 100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters_add_up),
		cmocka_unit_test(test_counters_table),
		cmocka_unit_test(test_counters_count_what_runs_in_place),
		cmocka_unit_test(test_counters_are_printed_at_close),
	};
	return cmocka_run_group_tests_name("counters", tests, NULL, NULL);
}
