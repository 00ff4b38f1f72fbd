/* SPDX-License-Identifier: MIT */
/* run_race.c — rounds of one shape: the serial loop and every pool once, in random order */
#include "race/race.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

/*
 * After a run its workers may search on for a while before they sleep.  They are let do so: the
 * next to run shall have the CPUs to itself, and what they burn is on their own bill.
 */
#define SETTLE_NS 2000000

const char *const race_reading_keys[RACE_READINGS_COUNT] = {
#define RACE_READING_KEY(NAME, key) [RACE_##NAME] = #key,
	RACE_READINGS(RACE_READING_KEY)
};

/* What a run cost the process. */
struct bill {
	double cpu;
	double voluntary, involuntary;
};

struct contest {
	const struct race_plan *plan;
	struct race_result *result;
	struct field field;
	struct rival_pool **pools; /* one for each row; NULL: the serial loop, or it failed */
	unsigned *order;	   /* of the rows in this round */
};

static struct bill take_bill(void)
{
	struct timespec cpu = { 0 };
	struct rusage usage = { 0 };

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	getrusage(RUSAGE_SELF, &usage);
	return (struct bill){ .cpu = (double)cpu.tv_sec + (double)cpu.tv_nsec * 1e-9,
			      .voluntary = (double)usage.ru_nvcsw,
			      .involuntary = (double)usage.ru_nivcsw };
}

/* Of all places together. */
static struct rival_stats sum_stats(const struct race_row *row, struct rival_pool *pool)
{
	struct rival_stats sum = { 0 }, one;

	for (int i = RIVAL_OUTSIDE; i < (int)row->workers; i++) {
		row->rival->stats(pool, i, &one);
#define ADD(NAME, field, what) sum.field += one.field;
		RIVAL_COUNTERS(ADD)
#undef ADD
	}
	return sum;
}

static void add(struct race_row *row, enum race_reading reading, double value)
{
	sample_add(&row->readings[reading], value);
}

static void add_stats(struct race_row *row, const struct shape *shape, double seconds,
		      const struct rival_stats *before, const struct rival_stats *after)
{
	uint32_t counted = row->rival->counted;

#define ADD_COUNTED(NAME, field)           \
	if (counted & RIVAL_COUNTED(NAME)) \
	add(row, RACE_##NAME, (double)(after->field - before->field))
	ADD_COUNTED(LOCK_WAITS, lock_waits);
	ADD_COUNTED(CAS_FAILURES, cas_failures);
	ADD_COUNTED(STEALS, steals);
	ADD_COUNTED(FAILED_STEALS, failed_steals);
	ADD_COUNTED(PARKS, parks);
#undef ADD_COUNTED
	if (shape->is_clocked)
		add(row, RACE_UTILISATION,
		    (double)(after->busy_ns - before->busy_ns) * 1e-9 / seconds / row->workers);
}

static void judge(struct contest *contest, struct race_row *row)
{
	struct verdict verdict = field_judge(&contest->field, row->workers);

	if (row->check)
		row->worst = verdict;
	row->check &= verdict_is_right(&verdict);
	if (row->rival)
		add(row, RACE_IMBALANCE, verdict.imbalance);
}

static void measure(struct contest *contest, unsigned number)
{
	struct race_row *row = &contest->result->rows[number];
	struct rival_pool *pool = contest->pools[number];
	struct rival_stats before = { 0 }, after;
	struct bill start, end;
	int64_t ns;

	if (row->failed)
		return;
	if (pool)
		before = sum_stats(row, pool);
	start = take_bill();
	ns = pool ? field_run(&contest->field, row->rival, pool)
		  : field_run_serial(&contest->field);
	nanosleep(&(struct timespec){ .tv_nsec = SETTLE_NS }, NULL);
	end = take_bill();
	double seconds = ns > 0 ? (double)ns * 1e-9 : 1e-9;
	add(row, RACE_SECONDS, seconds);
	add(row, RACE_CPU, end.cpu - start.cpu);
	add(row, RACE_VOLUNTARY, end.voluntary - start.voluntary);
	add(row, RACE_INVOLUNTARY, end.involuntary - start.involuntary);
	if (pool) {
		after = sum_stats(row, pool);
		add_stats(row, contest->field.shape, seconds, &before, &after);
	}
	judge(contest, row);
}

/* Against the serial loop of the same round: a machine that changes its speed moves both. */
static void compare(struct contest *contest, unsigned round)
{
	double serial = contest->result->rows[0].readings[RACE_SECONDS].values[round];

	for (unsigned i = 1; i < contest->result->row_count; i++) {
		struct race_row *row = &contest->result->rows[i];
		if (row->failed)
			continue;
		double speedup = serial / row->readings[RACE_SECONDS].values[round];
		add(row, RACE_SPEEDUP, speedup);
		if (!contest->field.shape->is_clocked)
			add(row, RACE_UTILISATION, speedup / row->workers);
	}
}

static void shuffle(struct contest *contest, uint64_t *random)
{
	for (unsigned i = 0; i < contest->result->row_count; i++) {
		unsigned other = (unsigned)(race_random(random) % (i + 1));
		contest->order[i] = contest->order[other];
		contest->order[other] = i;
	}
}

/* What the first run costs once, memory and threads, falls on runs whose readings are dropped. */
static void warm_up(struct contest *contest)
{
	field_deal(&contest->field, contest->plan->seed);
	for (unsigned i = 0; i < contest->result->row_count; i++) {
		struct race_row *row = &contest->result->rows[i];
		measure(contest, i);
		for (int reading = 0; reading < RACE_READINGS_COUNT; reading++)
			row->readings[reading].count = 0;
	}
}

static void run_rounds(struct contest *contest)
{
	const struct race_plan *plan = contest->plan;
	uint64_t random = plan->seed;

	plan->progress(contest->field.shape->name, 0, plan->repeat);
	warm_up(contest);
	for (unsigned round = 0; round < plan->repeat; round++) {
		field_deal(&contest->field, race_random(&random));
		shuffle(contest, &random);
		for (unsigned i = 0; i < contest->result->row_count; i++)
			measure(contest, contest->order[i]);
		compare(contest, round);
		plan->progress(contest->field.shape->name, round + 1, plan->repeat);
	}
}

/* The serial loop, then every rival with the first number of workers, with the second, ... */
static void open_rows(struct contest *contest)
{
	const struct race_plan *plan = contest->plan;
	struct race_row *row = contest->result->rows;

	*row = (struct race_row){ .workers = 1, .check = true };
	for (unsigned i = 1; i < contest->result->row_count; i++) {
		const struct rival *rival = plan->rivals[(i - 1) % plan->rival_count];
		struct rival_options options = { .workers =
							 plan->workers[(i - 1) / plan->rival_count],
						 .is_timed = contest->field.shape->is_clocked };
		row = &contest->result->rows[i];
		row->rival = rival;
		row->workers = options.workers;
		row->check = true;
		contest->pools[i] = rival->open(rival, &options);
		if (!contest->pools[i])
			row->failed = "there was no memory or no thread for its pool";
	}
}

bool race_run(const struct race_plan *plan, const struct shape *shape, struct race_result *result)
{
	unsigned rows = 1 + plan->rival_count * plan->counts;
	struct contest contest = { .plan = plan, .result = result };

	*result = (struct race_result){ .shape = shape,
					.jobs = plan->jobs ? plan->jobs : shape->jobs,
					.rounds = plan->repeat,
					.row_count = rows };
	result->rows = calloc(rows, sizeof(*result->rows));
	contest.pools = calloc(rows, sizeof(struct rival_pool *));
	contest.order = calloc(rows, sizeof(*contest.order));
	bool is_made = result->rows && contest.pools && contest.order &&
		       field_make(&contest.field, shape, result->jobs);
	if (is_made) {
		open_rows(&contest);
		run_rounds(&contest);
		for (unsigned i = 0; i < rows; i++) {
			if (contest.pools[i])
				result->rows[i].rival->close(contest.pools[i]);
		}
		field_free(&contest.field);
	} else {
		race_free(result);
	}
	free(contest.pools);
	free(contest.order);
	return is_made;
}

void race_free(struct race_result *result)
{
	free(result->rows);
	result->rows = NULL;
}

const char *race_row_name(const struct race_row *row)
{
	return row->rival ? row->rival->name : "serial";
}

double race_median(const struct race_row *row, enum race_reading reading)
{
	return sample_stats(&row->readings[reading]).median;
}
