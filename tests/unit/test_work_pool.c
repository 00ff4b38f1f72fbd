/* SPDX-License-Identifier: MIT */
/* test_work_pool.c — every kernel of the benchmarks with 1, 2, 3 and 16 workers: one answer */
#include "check.h"

#include "../../bench/work/latency.h"
#include "../../bench/work/longleaf.h"
#include "../../bench/work/tick.h"
#include "../../bench/work/work.h"

#include <skua/skua.h>
#include <string.h>

#define WORK_ENTRY(name) &work_##name,
static const struct work *const works[] = { WORKS(WORK_ENTRY) };
#undef WORK_ENTRY
#define WORK_COUNT (sizeof(works) / sizeof(works[0]))

static struct skua_pool *open_pool(int workers)
{
	struct skua_pool_options options = { .size = sizeof(options), .workers = workers };
	struct skua_pool *pool = NULL;

	assert_int_equal(skua_pool_open(&pool, &options), SKUA_OK);
	return pool;
}

static void run_all(int workers, uint64_t rounds)
{
	struct skua_pool *pool = open_pool(workers);

	for (unsigned i = 0; i < WORK_COUNT; i++) {
		const struct work *work = works[i];
		for (const struct work_problem *p = work->problems; p->name; p++) {
			if (p->tier != WORK_TEST)
				continue;
			void *data = work->prepare(p);
			assert_non_null(data);
			for (uint64_t round = 0; round < rounds; round++) {
				work->reset(data);
				work->skua(data, pool);
				if (!work->check(data))
					fail_msg("%s:%s, %d workers, round %u", work->name, p->name,
						 workers, (unsigned)round);
			}
			work->drop(data);
		}
	}
	assert_int_equal(skua_pool_close(pool, SKUA_CLOSE_DRAIN), SKUA_OK);
}

static void test_work_one_worker_is_right(void **state)
{
	(void)state;
	run_all(1, test_rounds(2));
}

static void test_work_two_workers_are_right(void **state)
{
	(void)state;
	run_all(2, test_rounds(3));
}

static void test_work_three_workers_are_right(void **state)
{
	(void)state;
	run_all(3, test_rounds(3));
}

static void test_work_many_workers_are_right(void **state)
{
	(void)state;
	run_all(16, test_rounds(2));
}

/* --- the library's count of forks is what the algorithm makes --- */

static void assert_forks(const struct work *work, int workers, uint64_t forks)
{
	struct skua_pool_options options = { .size = sizeof(options),
					     .workers = workers,
					     .is_counting = true };
	struct skua_stats stats = { .size = sizeof(stats) };
	struct skua_pool *pool = NULL;
	void *data = work->prepare(work->problems);

	assert_non_null(data);
	assert_int_equal(skua_pool_open(&pool, &options), SKUA_OK);
	work->reset(data);
	work->skua(data, pool);
	assert_true(work->check(data));
	assert_int_equal(skua_pool_stats(pool, -1, &stats), SKUA_OK);
	assert_int_equal(stats.forks, forks);
	work->drop(data);
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
}

static void test_work_forks_are_counted_exactly(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 3; workers++) {
		assert_forks(&work_fib, workers, 10945);		    /* F(21) - 1 */
		assert_forks(&work_skynet, workers, 3 * (10 + 100 + 1000)); /* all but the roots */
		assert_forks(&work_treesum, workers, 100 * 15);		    /* inner nodes */
		assert_forks(&work_nqueens, workers, 2056);		    /* queens placed */
	}
}

static const struct work_reading *find(const struct work_notes *notes, const char *name)
{
	for (unsigned i = 0; i < notes->count; i++) {
		if (strcmp(notes->readings[i].name, name) == 0)
			return &notes->readings[i];
	}
	return NULL;
}

/* --- what the kernels that measure more than time have to tell --- */

static void test_work_longleaf_alone_has_nobody_to_tell_of(void **state)
{
	struct skua_pool *pool = open_pool(1);
	void *data = work_longleaf.prepare(work_longleaf.problems);

	(void)state;
	assert_non_null(data);
	work_longleaf.reset(data);
	work_longleaf.skua(data, pool);
	assert_int_equal(work_longleaf.notes(data)->count, 0);
	work_longleaf.drop(data);
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
}

static void test_work_tick_tells_of_bursts_and_cpu(void **state)
{
	struct skua_pool *pool = open_pool(2);
	void *data = work_tick.prepare(work_tick.problems);

	(void)state;
	assert_non_null(data);
	for (int is_serial = 0; is_serial < 2; is_serial++) {
		work_tick.reset(data);
		if (is_serial)
			work_tick.serial(data);
		else
			work_tick.skua(data, pool);
		const struct work_notes *notes = work_tick.notes(data);
		const struct work_reading *p50 = find(notes, "burst_p50");
		const struct work_reading *p99 = find(notes, "burst_p99");
		assert_true(p50 && p99 && find(notes, "cpu"));
		assert_true(p50->ns > 0 && p99->ns >= p50->ns && find(notes, "cpu")->ns > 0);
		assert_true(notes->seconds * 1e9 >= p99->ns);
	}
	work_tick.drop(data);
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
}

static void test_work_latency_tells_of_sleepers_and_searchers(void **state)
{
	static const char *const names[] = { "parked_p50",    "parked_p99",    "parked_submit",
					     "searching_p50", "searching_p99", "searching_submit" };
	struct skua_pool *pool = open_pool(2);
	void *data = work_latency.prepare(work_latency.problems);

	(void)state;
	assert_non_null(data);
	work_latency.reset(data);
	work_latency.skua(data, pool);
	assert_true(work_latency.check(data));
	const struct work_notes *notes = work_latency.notes(data);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct work_reading *reading = find(notes, names[i]);
		if (!reading || reading->ns <= 0)
			fail_msg("no %s", names[i]);
	}
	work_latency.drop(data);
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
}

static void test_work_tasks_tells_of_every_case(void **state)
{
	static const char *const names[] = { "spawn_inside",	  "spawn_outside",
					     "round_trip_inside", "round_trip_outside",
					     "graph_build",	  "graph_run" };
	struct skua_pool *pool = open_pool(2);
	void *data = work_tasks.prepare(work_tasks.problems);

	(void)state;
	assert_non_null(data);
	work_tasks.reset(data);
	work_tasks.skua(data, pool);
	assert_true(work_tasks.check(data));
	const struct work_notes *notes = work_tasks.notes(data);
	assert_int_equal(notes->count, sizeof(names) / sizeof(names[0]));
	for (unsigned i = 0; i < notes->count; i++) {
		assert_string_equal(notes->readings[i].name, names[i]);
		assert_true(notes->readings[i].ns > 0);
	}
	/* The whole of the first is what the others are compared by. */
	double each = notes->seconds * 1e9 / (double)work_tasks.problems->size;
	assert_true(each > 0.999 * notes->readings[0].ns && each < 1.001 * notes->readings[0].ns);
	work_tasks.drop(data);
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_work_one_worker_is_right),
		cmocka_unit_test(test_work_two_workers_are_right),
		cmocka_unit_test(test_work_three_workers_are_right),
		cmocka_unit_test(test_work_many_workers_are_right),
		cmocka_unit_test(test_work_forks_are_counted_exactly),
		cmocka_unit_test(test_work_longleaf_alone_has_nobody_to_tell_of),
		cmocka_unit_test(test_work_tick_tells_of_bursts_and_cpu),
		cmocka_unit_test(test_work_latency_tells_of_sleepers_and_searchers),
		cmocka_unit_test(test_work_tasks_tells_of_every_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
