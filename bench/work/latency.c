/* SPDX-License-Identifier: MIT */
/* latency.c — from a submit outside the pool to the job's first instruction */
#include "latency.h"

#include "ranked.h"

#include <skua/job.h>
#include <stdlib.h>
#include <time.h>

/*
 * The calling thread is none of the pool's.  It submits one job at a time and waits for it.  Jobs
 * for sleeping workers go to the pool under measure, each after a millisecond of silence.  Jobs for
 * a searching worker go to a pool of one worker that is told to search for long; it is opened and
 * closed within the run, so that it burns nobody else's time.
 */
void latency_stamp(struct latency_stamp *stamp)
{
	stamp->start = skua_clock_ns();
}

static void stamp_start(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	latency_stamp(argument);
}

/* Sleep: the CPU must be free for whoever falls asleep. */
static void pause_asleep(int64_t ns)
{
	struct timespec left = { .tv_nsec = ns };

	while (nanosleep(&left, &left))
		;
}

/* Stay awake: where the CPU is one, the searching worker must not be the only one to have it. */
static void pause_awake(int64_t ns)
{
	int64_t end = skua_clock_ns() + ns;

	while (skua_clock_ns() < end)
		;
}

static void submit_one(struct latency *latency, struct latency_times *times, struct skua_pool *pool)
{
	struct latency_stamp stamp = { 0 };
	struct skua_job job = SKUA_JOB(stamp_start, &stamp);
	int64_t start = skua_clock_ns();
	int error = skua_submit(pool, &job);
	int64_t end = skua_clock_ns();

	if (error || skua_job_wait(&job, SKUA_FOREVER) || stamp.start < start) {
		latency->is_wrong = true;
		return;
	}
	times->submit_ns[times->count] = (double)(end - start);
	times->wait_ns[times->count++] = (double)(stamp.start - start);
}

static void run_parked(struct latency *latency, struct skua_pool *pool)
{
	for (unsigned i = 0; i < latency->jobs; i++) {
		pause_asleep(LATENCY_PARKED_PAUSE);
		submit_one(latency, &latency->parked, pool);
	}
}

/* Without a thread to spare there is nothing to tell of it. */
static void run_searching(struct latency *latency)
{
	struct skua_pool_options options = { .size = sizeof(options),
					     .workers = 1,
					     .spin_ns = LATENCY_SPIN };
	struct skua_pool *pool;

	if (skua_pool_open(&pool, &options))
		return;
	submit_one(latency, &latency->searching, pool); /* wakes it; not to be counted */
	latency->searching.count = 0;
	for (unsigned i = 0; i < latency->jobs * LATENCY_SEARCH_TIMES; i++) {
		pause_awake(LATENCY_SEARCH_PAUSE);
		submit_one(latency, &latency->searching, pool);
	}
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
}

static void note(struct work_notes *notes, const char *name, const char *role, double ns)
{
	notes->readings[notes->count++] = (struct work_reading){ name, role, ns };
}

static void take_notes(struct latency *latency)
{
	struct work_notes *notes = &latency->notes;
	struct latency_times *parked = &latency->parked, *searching = &latency->searching;

	for (unsigned i = 0; i < parked->count; i++)
		notes->seconds += parked->wait_ns[i] * 1e-9;
	note(notes, "parked_p50", "to a sleeper, median",
	     ranked(parked->wait_ns, parked->count, 50));
	note(notes, "parked_p99", "to a sleeper, 99 of 100",
	     ranked(parked->wait_ns, parked->count, 99));
	note(notes, "parked_submit", "the call, with sleepers",
	     ranked(parked->submit_ns, parked->count, 50));
	if (!searching->count)
		return;
	note(notes, "searching_p50", "to a searcher, median",
	     ranked(searching->wait_ns, searching->count, 50));
	note(notes, "searching_p99", "to a searcher, 99 of 100",
	     ranked(searching->wait_ns, searching->count, 99));
	note(notes, "searching_submit", "the call, with a searcher",
	     ranked(searching->submit_ns, searching->count, 50));
}

static void run_skua(void *data, struct skua_pool *pool)
{
	struct latency *latency = data;

	run_parked(latency, pool);
	run_searching(latency);
	take_notes(latency);
}

void latency_run(struct latency *latency, void (*submit)(struct latency_stamp *stamp))
{
	struct latency_times *times = &latency->parked;

	for (unsigned i = 0; i < latency->jobs; i++) {
		struct latency_stamp stamp = { 0 };

		pause_asleep(LATENCY_PARKED_PAUSE);
		int64_t start = skua_clock_ns();
		submit(&stamp);
		latency->is_wrong |= stamp.start < start;
		times->wait_ns[times->count++] = (double)(stamp.start - start);
	}
	take_notes(latency);
}

/* The same jobs as plain calls: what is left is the clock. */
static void run_serial(void *data)
{
	struct latency *latency = data;
	struct latency_stamp stamp = { 0 };

	for (unsigned i = 0; i < latency->jobs; i++) {
		int64_t start = skua_clock_ns();
		stamp_start(NULL, &stamp);
		latency->notes.seconds += (double)(stamp.start - start) * 1e-9;
		latency->is_wrong |= stamp.start < start;
		latency->parked.count++;
	}
}

static void drop(void *data)
{
	struct latency *latency = data;

	free(latency->parked.wait_ns);
	free(latency);
}

static void *prepare(const struct work_problem *problem)
{
	struct latency *latency = calloc(1, sizeof(*latency));
	size_t jobs = problem->size, searching = jobs * LATENCY_SEARCH_TIMES + 1;
	double *room = calloc(2 * (jobs + searching), sizeof(*room));

	if (!latency || !room) {
		free(room);
		free(latency);
		return NULL;
	}
	latency->jobs = (unsigned)jobs;
	latency->parked = (struct latency_times){ 0, room, room + jobs };
	latency->searching = (struct latency_times){ 0, room + 2 * jobs,
						     room + 2 * jobs + searching };
	return latency;
}

static void reset(void *data)
{
	struct latency *latency = data;

	latency->parked.count = latency->searching.count = 0;
	latency->is_wrong = false;
	latency->notes = (struct work_notes){ 0 };
}

static bool check(void *data)
{
	struct latency *latency = data;

	return !latency->is_wrong && latency->parked.count == latency->jobs;
}

static const struct work_notes *notes(const void *data)
{
	return &((const struct latency *)data)->notes;
}

static const struct work_problem problems[] = {
	{ .name = "10", .tier = WORK_TEST, .size = 10 },
	{ .name = "300", .tier = WORK_QUICK, .size = 300 },
	{ .name = NULL },
};

const struct work work_latency = {
	.name = "latency",
	.role = "from a submit outside the pool to the job's first instruction",
	.unit = "jobs to sleeping workers",
	.problems = problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_skua,
	.check = check,
	.drop = drop,
	.notes = notes,
	.has_no_ratio = true,
};
