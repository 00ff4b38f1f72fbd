/* SPDX-License-Identifier: MIT */
/* measure_work.c — a program of bench/work: serial and with skua, in turn, on several pools */
#include "bench/kernel.h"

#include <skua/skua.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define ROUNDS	     9 /* odd, so that the median is a measurement */
#define ROUNDS_QUICK 3

/*
 * All pools are open from the first round to the last.  Those that are not being measured have
 * nothing to do, and sleep.
 */
struct contest {
	const struct work *work;
	void *data;
	unsigned counts, open;
	struct skua_pool *pools[WORKER_COUNTS_MAX];
	struct bench_result *results; /* counts of them */
};

struct timing {
	double seconds, cpu;
};

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Run one of them once: `serial`, or, when that is NULL, skua's with a pool. */
static struct timing run_once(const struct contest *contest, struct skua_pool *pool,
			      void (*serial)(void *))
{
	const struct work *work = contest->work;

	if (work->reset)
		work->reset(contest->data);
	double cpu = cpu_seconds();
	int64_t start = sample_clock_ns();
	if (serial)
		serial(contest->data);
	else
		work->skua(contest->data, pool);
	int64_t end = sample_clock_ns();
	struct timing timing = { (double)(end - start) * 1e-9, cpu_seconds() - cpu };
	if (work->notes && work->notes(contest->data)->seconds > 0)
		timing.seconds = work->notes(contest->data)->seconds;
	return timing;
}

static struct figure *find_figure(struct bench_result *result, const char *name,
				  const char *variant, const char *role)
{
	unsigned i = 0;

	for (; i < result->figure_count; i++) {
		struct figure *figure = &result->figures[i];
		if (strcmp(figure->name, name) == 0 && strcmp(figure->variant, variant) == 0)
			return figure;
	}
	if (i == FIGURES_MAX)
		return NULL;
	result->figure_count++;
	result->figures[i].name = name;
	result->figures[i].variant = variant;
	result->figures[i].role = role;
	return &result->figures[i];
}

static void add_figure(struct bench_result *result, const struct work_reading *reading,
		       const char *variant)
{
	struct figure *figure = find_figure(result, reading->name, variant, reading->role);

	if (figure)
		sample_add(&figure->ns, reading->ns);
}

static void add_notes(const struct contest *contest, struct bench_result *result,
		      const char *variant)
{
	if (!contest->work->notes)
		return;
	const struct work_notes *notes = contest->work->notes(contest->data);
	for (unsigned i = 0; i < notes->count; i++)
		add_figure(result, &notes->readings[i], variant);
}

/* The serial programs belong to every number of workers alike. */
static void measure_serial(const struct contest *contest)
{
	const struct work *work = contest->work;
	struct timing serial = run_once(contest, NULL, work->serial), second = { 0 };
	bool is_right = work->check(contest->data);

	for (unsigned i = 0; i < contest->counts; i++)
		add_notes(contest, &contest->results[i], "serial");
	if (work->second) {
		second = run_once(contest, NULL, work->second);
		is_right &= work->check(contest->data);
	}
	for (unsigned i = 0; i < contest->counts; i++) {
		struct bench_result *result = &contest->results[i];
		struct work_reading reading = { work->second_name, work->second_role,
						second.seconds * 1e9 };
		result->check &= is_right;
		sample_add(&result->serial, serial.seconds);
		if (!work->second)
			continue;
		sample_add(&result->second, second.seconds);
		add_figure(result, &reading, "serial");
	}
}

static void measure_round(const struct contest *contest)
{
	measure_serial(contest);
	for (unsigned i = 0; i < contest->counts; i++) {
		struct bench_result *result = &contest->results[i];
		struct timing own = run_once(contest, contest->pools[i], NULL);
		result->check &= contest->work->check(contest->data);
		sample_add(&result->own, own.seconds);
		sample_add(&result->cpu, own.cpu);
		add_notes(contest, result, "skua");
	}
}

static bool open_pool(struct bench_result *result, unsigned workers, bool is_counting,
		      struct skua_pool **pool)
{
	struct skua_pool_options options = { .size = sizeof(options),
					     .workers = (int)workers,
					     .is_counting = is_counting };
	int error = skua_pool_open(pool, &options);

	if (error == SKUA_EAGAIN)
		result->failed = "the system has no more threads to give; try fewer --workers";
	else if (error)
		result->failed = skua_strerror(error);
	return !error;
}

/*
 * What the first run costs once, memory and caches, falls on this one: it is not timed.  Instead
 * it counts the tasks, which is too dear while the time is taken.
 */
static bool warm_up(const struct contest *contest, uint64_t *tasks)
{
	struct skua_stats stats = { .size = sizeof(stats) };
	struct skua_pool *pool;

	if (!open_pool(contest->results, 1, true, &pool))
		return false;
	run_once(contest, NULL, contest->work->serial);
	run_once(contest, pool, NULL);
	contest->results->check &= contest->work->check(contest->data);
	if (!skua_pool_stats(pool, -1, &stats))
		*tasks = stats.forks + stats.tasks - stats.steals;
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
	return true;
}

static void take_counters(const struct contest *contest, uint64_t tasks)
{
	for (unsigned i = 0; i < contest->counts; i++) {
		struct bench_result *result = &contest->results[i];
		struct skua_stats stats = { .size = sizeof(stats) };

		if (!skua_pool_stats(contest->pools[i], -1, &stats))
			result->steals = stats.steals + stats.stolen_jobs;
		result->tasks = tasks * result->rounds;
		result->check &= contest->results->check;
		if (i) {
			result->speedup = sample_ratio(&contest->results->own, &result->own);
			result->speedup_from = contest->results->workers;
		}
	}
}

static bool run_contest(struct contest *contest, const struct bench_plan *plan)
{
	uint64_t tasks = 0;
	unsigned rounds = plan->repeat ? plan->repeat : plan->is_quick ? ROUNDS_QUICK : ROUNDS;
	char label[32];

	snprintf(label, sizeof(label), "%s:%s", contest->work->name, contest->results->problem);
	plan->progress(label, 0, rounds);
	for (; contest->open < contest->counts; contest->open++) {
		unsigned i = contest->open;
		if (!open_pool(contest->results, plan->workers[i], false, &contest->pools[i]))
			return false;
		contest->results[i].workers = skua_pool_workers(contest->pools[i]);
		contest->results[i].rounds = rounds;
	}
	if (!warm_up(contest, &tasks))
		return false;
	plan->progress(label, 0, rounds);
	for (unsigned round = 0; round < rounds; round++) {
		measure_round(contest);
		plan->progress(label, round + 1, rounds);
	}
	take_counters(contest, tasks);
	return true;
}

bool measure_work(const struct bench_plan *plan, const struct work *work,
		  const struct work_problem *problem, struct bench_result *results)
{
	struct contest contest = { .work = work,
				   .counts = plan->counts ? plan->counts : 1,
				   .results = results };

	for (unsigned i = 0; i < contest.counts; i++) {
		results[i].problem = problem->name;
		results[i].unit = work->unit;
		results[i].size = problem->size;
		results[i].has_ratio = !work->has_no_ratio;
		results[i].second_role = work->second_role;
	}
	contest.data = work->prepare(problem);
	if (!contest.data) {
		results->failed = "not enough memory for the problem";
		return false;
	}
	bool is_done = run_contest(&contest, plan);
	while (contest.open)
		skua_pool_close(contest.pools[--contest.open], SKUA_CLOSE_DRAIN);
	work->drop(contest.data);
	return is_done;
}
