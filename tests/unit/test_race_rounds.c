/* SPDX-License-Identifier: MIT */
/* test_race_rounds.c — rounds of a race: order by seed, medians, rivals that fail or cheat */
#include "check.h"

#include "../../tool/race/race.h"

#include <string.h>
#include <unistd.h>

#define PATIENCE 1200
#define JOBS	 200
#define ROUNDS	 5
#define LOG_MAX	 64

/*
 * Rivals of the test: all run a job at once, inside the call, on "worker 0".  Each has a vice.
 */
enum vice {
	HONEST,
	LOSES, /* every hundredth job */
	REPEATS,
	CANNOT_OPEN,
};

struct rival_pool {
	enum vice vice;
	const struct rival *rival;
	uint64_t jobs;
};

static unsigned opened, closed;
static unsigned log_count;
static char run_log[LOG_MAX]; /* the first letter of whoever waits, that is, finishes a run */
static unsigned progress_calls, progress_last;

static const struct rival honest, loses, repeats, cannot_open;

static struct rival_pool *open_pool(const struct rival *rival, const struct rival_options *options)
{
	static struct rival_pool pools[4];
	enum vice vice = rival == &honest    ? HONEST
			 : rival == &loses   ? LOSES
			 : rival == &repeats ? REPEATS
					     : CANNOT_OPEN;

	(void)options;
	if (vice == CANNOT_OPEN)
		return NULL;
	opened++;
	pools[vice] = (struct rival_pool){ .vice = vice, .rival = rival };
	return &pools[vice];
}

static void submit(struct rival_pool *pool, int from, struct rival_job job)
{
	struct rival_worker here = { pool->rival, pool, 0 };

	(void)from;
	pool->jobs++;
	if (pool->vice == LOSES && pool->jobs % 100 == 0)
		return;
	job.run(&here, job.arg);
	if (pool->vice == REPEATS && pool->jobs % 100 == 0)
		job.run(&here, job.arg);
}

static void wait_for_jobs(struct rival_pool *pool)
{
	if (log_count < LOG_MAX)
		run_log[log_count++] = pool->rival->name[0];
}

static void tell_stats(struct rival_pool *pool, int worker, struct rival_stats *stats)
{
	*stats = (struct rival_stats){ 0 };
	if (worker == 0)
		*stats = (struct rival_stats){ .lock_waits = 3 * pool->jobs,
					       .steals = pool->jobs,
					       .busy_ns = 1000000 * pool->jobs };
}

static void close_pool(struct rival_pool *pool)
{
	(void)pool;
	closed++;
}

#define RIVAL(row)                                                       \
	static const struct rival row = {                                \
		.name = #row,                                            \
		.role = "",                                              \
		.counted = RIVAL_COUNTED_BY_ALL | RIVAL_COUNTED(STEALS), \
		.open = open_pool,                                       \
		.submit = submit,                                        \
		.wait = wait_for_jobs,                                   \
		.stats = tell_stats,                                     \
		.close = close_pool,                                     \
	}

RIVAL(honest);
RIVAL(loses);
RIVAL(repeats);
RIVAL(cannot_open);

static void show_progress(const char *shape, unsigned done, unsigned rounds)
{
	assert_string_equal(shape, "uniform");
	assert_int_equal(rounds, ROUNDS);
	assert_int_equal(done, progress_calls);
	progress_calls++;
	progress_last = done;
}

static struct race_plan plan_of(uint64_t seed)
{
	return (struct race_plan){
		.rival_count = 4,
		.rivals = { &honest, &cannot_open, &loses, &repeats },
		.counts = 1,
		.workers = { 1 },
		.jobs = JOBS,
		.repeat = ROUNDS,
		.seed = seed,
		.progress = show_progress,
	};
}

static struct race_result race(const struct race_plan *plan)
{
	struct race_result result;

	opened = closed = log_count = progress_calls = 0;
	assert_true(race_run(plan, shape_find("uniform"), &result));
	assert_int_equal(opened, closed);
	return result;
}

static void test_race_measures_each_row_once_a_round(void **state)
{
	struct race_plan plan = plan_of(1);
	struct race_result result = race(&plan);
	const struct race_row *serial = &result.rows[0], *row = &result.rows[1];

	(void)state;
	assert_int_equal(result.row_count, 5);
	assert_int_equal(result.jobs, JOBS);
	assert_int_equal(progress_calls, ROUNDS + 1);
	assert_int_equal(progress_last, ROUNDS);
	assert_string_equal(race_row_name(serial), "serial");
	assert_string_equal(race_row_name(row), "honest");
	assert_true(serial->check && row->check && !row->failed);
	assert_int_equal(serial->readings[RACE_SECONDS].count, ROUNDS);
	assert_int_equal(serial->readings[RACE_SPEEDUP].count, 0);
	assert_int_equal(serial->readings[RACE_IMBALANCE].count, 0);
	assert_int_equal(row->readings[RACE_SECONDS].count, ROUNDS);
	assert_int_equal(row->readings[RACE_SPEEDUP].count, ROUNDS);
	assert_int_equal(row->readings[RACE_CPU].count, ROUNDS);
	for (unsigned i = 0; i < ROUNDS; i++) {
		double ratio = serial->readings[RACE_SECONDS].values[i] /
			       row->readings[RACE_SECONDS].values[i];
		assert_true(row->readings[RACE_SPEEDUP].values[i] == ratio);
	}
	race_free(&result);
}

/* What a rival counts is told as it grew in a round; what it does not count is not told. */
static void test_race_tells_what_a_rival_counts(void **state)
{
	struct race_plan plan = plan_of(1);
	struct race_result result = race(&plan);
	const struct race_row *row = &result.rows[1];

	(void)state;
	assert_true(race_median(row, RACE_STEALS) == JOBS);
	assert_int_equal(row->readings[RACE_LOCK_WAITS].count, 0);
	assert_int_equal(row->readings[RACE_CAS_FAILURES].count, 0);
	for (unsigned i = 0; i < ROUNDS; i++) { /* it says 1 ms a job, and has one worker */
		double busy = row->readings[RACE_UTILISATION].values[i] *
			      row->readings[RACE_SECONDS].values[i];
		assert_true(busy > 0.999e-3 * JOBS && busy < 1.001e-3 * JOBS);
	}
	assert_true(race_median(row, RACE_IMBALANCE) == 1);
	race_free(&result);
}

static void test_race_goes_on_without_a_rival_that_cannot_open(void **state)
{
	struct race_plan plan = plan_of(1);
	struct race_result result = race(&plan);
	const struct race_row *row = &result.rows[2];

	(void)state;
	assert_non_null(row->failed);
	for (int i = 0; i < RACE_READINGS_COUNT; i++)
		assert_int_equal(row->readings[i].count, 0);
	assert_int_equal(result.rows[3].readings[RACE_SECONDS].count, ROUNDS);
	assert_int_equal(opened, 3);
	race_free(&result);
}

static void test_race_notices_lost_and_repeated_jobs(void **state)
{
	struct race_plan plan = plan_of(1);
	struct race_result result = race(&plan);

	(void)state;
	assert_false(result.rows[3].check);
	assert_int_equal(result.rows[3].worst.lost, JOBS / 100);
	assert_int_equal(result.rows[3].worst.twice, 0);
	assert_false(result.rows[4].check);
	assert_int_equal(result.rows[4].worst.lost, 0);
	assert_int_equal(result.rows[4].worst.twice, JOBS / 100);
	race_free(&result);
}

static void copy_log(uint64_t seed, char *copy)
{
	struct race_plan plan = plan_of(seed);
	struct race_result result = race(&plan);

	assert_int_equal(log_count, 3 * (ROUNDS + 1)); /* and the one that warms up */
	memcpy(copy, run_log, LOG_MAX);
	race_free(&result);
}

static void test_race_order_is_random_and_follows_the_seed(void **state)
{
	char first[LOG_MAX] = "", again[LOG_MAX] = "", other[LOG_MAX] = "";
	bool is_mixed = false;

	(void)state;
	copy_log(11, first);
	copy_log(11, again);
	copy_log(12, other);
	assert_memory_equal(first, again, 3 * (ROUNDS + 1));
	assert_memory_not_equal(first, other, 3 * (ROUNDS + 1));
	for (unsigned round = 1; round <= ROUNDS; round++) {
		const char *at = &first[3 * round];
		assert_int_equal(at[0] + at[1] + at[2], 'h' + 'l' + 'r'); /* each once */
		is_mixed |= memcmp(at, &first[3], 3) != 0;
	}
	assert_true(is_mixed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_race_measures_each_row_once_a_round),
		cmocka_unit_test(test_race_tells_what_a_rival_counts),
		cmocka_unit_test(test_race_goes_on_without_a_rival_that_cannot_open),
		cmocka_unit_test(test_race_notices_lost_and_repeated_jobs),
		cmocka_unit_test(test_race_order_is_random_and_follows_the_seed),
	};

	alarm(PATIENCE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
