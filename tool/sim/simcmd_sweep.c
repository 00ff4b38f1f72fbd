/* SPDX-License-Identifier: MIT */
/* simcmd_sweep.c — all runs of a plan, on our own pool; what they have in common, and how sure */
#include "args.h"
#include "sim/sim_host.h"
#include "sim/simcmd.h"

#include <math.h>
#include <pthread.h>
#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * A run has its place in an array and depends on nothing but its configuration: so what is shown
 * does not depend on who ran what when.
 */
#define RUNS_AT_ONCE_BYTES ((uint64_t)4 << 30) /* of simulators that run at the same time */
#define WORKER_BYTES	   400		       /* of a simulator, for each worker; generous */
#define TASK_BYTES	   100		       /* and for each task of a dag */
#define PROGRESS_NS	   500000000

const char *const simcmd_metric_keys[] = {
#define SIMCMD_METRIC_KEY(NAME, key) #key,
	SIMCMD_METRICS(SIMCMD_METRIC_KEY)
#undef SIMCMD_METRIC_KEY
};

struct sim_config simcmd_config(const struct simcmd_plan *plan, unsigned variant, unsigned count,
				unsigned run)
{
	struct sim_config config = plan->base;

	config.scheduler = plan->variants[variant]->scheduler;
	if (plan->variants[variant]->set)
		plan->variants[variant]->set(&config);
	config.workers = plan->counts[count];
	config.seed = plan->seed + run;
	config.memory = sim_host_memory;
	return config;
}

const struct sim_result *simcmd_result(const struct simcmd_sweep *sweep, unsigned variant,
				       unsigned count, unsigned run)
{
	size_t cell = (size_t)variant * sweep->plan->count_count + count;

	return &sweep->results[cell * sweep->plan->runs + run];
}

/* --- running --- */

struct sweeping {
	struct simcmd_sweep *sweep;
	uint64_t total;
	bool is_shown;
	int64_t start;
	pthread_mutex_t lock; /* of the two below, and of standard error */
	uint64_t done;
	uint64_t failed; /* the first that did, by number; total: none */
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* On a terminal, and only when it takes long enough to wonder. */
static void note_done(struct sweeping *sweeping, uint64_t index, const struct sim_error *error)
{
	pthread_mutex_lock(&sweeping->lock);
	sweeping->done++;
	if (error && index < sweeping->failed) {
		sweeping->failed = index;
		sweeping->sweep->error = *error;
	}
	if (sweeping->is_shown && sweeping->done < sweeping->total &&
	    now_ns() - sweeping->start > PROGRESS_NS)
		fprintf(stderr, "\rskua sim: %llu/%llu runs  ", (unsigned long long)sweeping->done,
			(unsigned long long)sweeping->total);
	pthread_mutex_unlock(&sweeping->lock);
}

/* Large numbers of workers come first: a long run at the end would be waited for alone. */
static uint64_t place_of(const struct simcmd_plan *plan, uint64_t index)
{
	uint64_t run = index % plan->runs, cell = index / plan->runs;
	uint64_t variant = cell % plan->variant_count, count = cell / plan->variant_count;

	count = plan->count_count - 1 - count;
	return (variant * plan->count_count + count) * plan->runs + run;
}

SKUA_LOOP(run_one, struct sweeping *, sweeping, index)
{
	const struct simcmd_plan *plan = sweeping->sweep->plan;
	uint64_t place = place_of(plan, index);
	uint64_t cell = place / plan->runs;
	struct sim_config config = simcmd_config(plan, (unsigned)(cell / plan->count_count),
						 (unsigned)(cell % plan->count_count),
						 (unsigned)(place % plan->runs));
	struct sim_error error;
	int failed = sim_run(&config, &sweeping->sweep->results[place], &error);

	note_done(sweeping, place, failed ? &error : NULL);
}

/* As many workers as memory allows for. */
static int open_pool(const struct simcmd_plan *plan, struct skua_pool **pool)
{
	struct skua_pool_options options = { .size = sizeof(options), .name = "sim" };
	struct skua_machine machine = { .size = sizeof(machine) };
	uint64_t bytes = (uint64_t)plan->base.workload.dag.count * TASK_BYTES, most = 1;

	for (unsigned i = 0; i < plan->count_count; i++)
		most = plan->counts[i] > most ? plan->counts[i] : most;
	bytes += most * WORKER_BYTES;
	uint64_t fit = RUNS_AT_ONCE_BYTES / bytes;
	if (skua_machine_read(&machine, NULL) >= 0 && fit < machine.workers)
		options.workers = fit ? (int)fit : 1;
	return skua_pool_open(pool, &options);
}

static int check_all(const struct simcmd_plan *plan)
{
	struct sim_error error;

	for (unsigned v = 0; v < plan->variant_count; v++) {
		for (unsigned c = 0; c < plan->count_count; c++) {
			struct sim_config config = simcmd_config(plan, v, c, 0);
			if (!sim_check_config(&config, &error))
				continue;
			fprintf(stderr, "skua sim: %s with scheduler %s: %s\n", plan->load.name,
				plan->variants[v]->name, error.text);
			return STATUS_USAGE;
		}
	}
	return ARGS_GO;
}

static int run_all(struct sweeping *sweeping)
{
	struct skua_pool *pool;
	struct skua_loop_options options = { .size = sizeof(options), .grain = 1 };

	if (open_pool(sweeping->sweep->plan, &pool))
		return simcmd_no_memory();
	int error = skua_for(pool, 0, sweeping->total, run_one, sweeping, &options);
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
	if (sweeping->is_shown && now_ns() - sweeping->start > PROGRESS_NS)
		fprintf(stderr, "\r%40s\r", "");
	if (error)
		return simcmd_no_memory();
	if (sweeping->failed == sweeping->total)
		return ARGS_GO;
	fprintf(stderr, "skua sim: %s: %s\n", sweeping->sweep->plan->load.name,
		sweeping->sweep->error.text);
	return STATUS_FAULT;
}

int simcmd_sweep_run(struct simcmd_sweep *sweep, const struct simcmd_plan *plan)
{
	uint64_t total = (uint64_t)plan->variant_count * plan->count_count * plan->runs;
	struct sweeping sweeping = { .sweep = sweep,
				     .total = total,
				     .failed = total,
				     .is_shown = isatty(STDERR_FILENO),
				     .start = now_ns() };
	int status = check_all(plan);

	*sweep = (struct simcmd_sweep){ .plan = plan };
	if (status != ARGS_GO)
		return status;
	sweep->results = calloc(total, sizeof(*sweep->results));
	if (!sweep->results)
		return simcmd_no_memory();
	pthread_mutex_init(&sweeping.lock, NULL);
	status = run_all(&sweeping);
	pthread_mutex_destroy(&sweeping.lock);
	return status;
}

void simcmd_sweep_drop(struct simcmd_sweep *sweep)
{
	free(sweep->results);
	sweep->results = NULL;
}

/* --- what came out --- */

/* A part of all the time that all workers had. */
static double share_of(const struct sim_result *result, uint32_t workers, uint64_t ticks)
{
	double all = (double)workers * (double)result->makespan;

	return all > 0 ? (double)ticks / all : 0;
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static double bound_value(const struct sim_result *result, uint32_t workers,
			  enum simcmd_metric metric)
{
	double makespan = (double)result->makespan, span = (double)result->span;
	double even = (double)result->work / workers;

	if (metric == SIMCMD_SPEEDUP)
		return ratio((double)result->work, makespan);
	if (metric == SIMCMD_DISTANCE)
		return makespan - even;
	if (metric == SIMCMD_FACTOR)
		return ratio(makespan - even, span);
	return ratio(makespan, even + span);
}

static double mean_end(const struct sim_result *result, enum sim_priority priority)
{
	return ratio((double)result->ends[priority].sum, (double)result->ends[priority].count);
}

double simcmd_value(const struct sim_result *result, uint32_t workers, enum simcmd_metric metric)
{
	const struct sim_spent *spent = &result->spent;
	const double values[SIMCMD_METRIC_COUNT] = {
		[SIMCMD_MAKESPAN] = (double)result->makespan,
		[SIMCMD_EFFICIENCY] = (double)result->efficiency / 1e6,
		[SIMCMD_STEALS] = (double)result->steals,
		[SIMCMD_STOLEN] = (double)result->stolen,
		[SIMCMD_TRIES] = (double)result->tries,
		[SIMCMD_FAILED] = (double)result->failed,
		[SIMCMD_MESSAGES] = (double)result->messages,
		[SIMCMD_SENDS] = (double)result->sends,
		[SIMCMD_LIFELINES] = (double)result->lifeline_asks,
		[SIMCMD_PARKS] = (double)result->parks,
		[SIMCMD_WAKES] = (double)result->wakes,
		[SIMCMD_USED] = (double)result->used,
		[SIMCMD_QUEUE] = (double)result->peak_queue,
		[SIMCMD_LIVE] = (double)result->peak_live,
		[SIMCMD_BUSY] = share_of(result, workers, spent->busy),
		[SIMCMD_OVERHEAD] = share_of(result, workers, spent->overhead),
		[SIMCMD_SEARCHING] = share_of(result, workers, spent->searching),
		[SIMCMD_WAITING] = share_of(result, workers, spent->waiting),
		[SIMCMD_PARKED] = share_of(result, workers, spent->parked),
		[SIMCMD_BLOCKED] = share_of(result, workers, spent->blocked),
		[SIMCMD_SOJOURN] = (double)result->sojourn / 1e6,
		[SIMCMD_URGENT_MEAN] = mean_end(result, SIM_URGENT),
		[SIMCMD_URGENT_LAST] = (double)result->ends[SIM_URGENT].last,
		[SIMCMD_NORMAL_MEAN] = mean_end(result, SIM_NORMAL),
		[SIMCMD_NORMAL_LAST] = (double)result->ends[SIM_NORMAL].last,
		[SIMCMD_LOW_MEAN] = mean_end(result, SIM_LOW),
		[SIMCMD_LOW_LAST] = (double)result->ends[SIM_LOW].last,
		[SIMCMD_EVENTS] = (double)result->events,
		[SIMCMD_MEMORY] = (double)result->peak_bytes,
	};

	if (metric == SIMCMD_SPEEDUP || metric == SIMCMD_DISTANCE || metric == SIMCMD_FACTOR ||
	    metric == SIMCMD_BOUND)
		return bound_value(result, workers, metric);
	return values[metric];
}

/* Student's t for 95 of 100, two-sided, by degrees of freedom; then the normal distribution's. */
static double student(unsigned freedom)
{
	static const double few[] = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
				      2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
				      2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
				      2.060,  2.056, 2.052, 2.048, 2.045, 2.042 };

	if (freedom <= sizeof(few) / sizeof(*few))
		return few[freedom - 1];
	return 1.96 + 2.5 / freedom; /* within 0.002 of it */
}

struct simcmd_spread simcmd_spread_of(const double *values, unsigned count)
{
	struct simcmd_spread spread = { 0, -1, values[0], values[0] };
	double squares = 0;

	for (unsigned i = 0; i < count; i++) {
		spread.mean += values[i] / count;
		spread.least = values[i] < spread.least ? values[i] : spread.least;
		spread.most = values[i] > spread.most ? values[i] : spread.most;
	}
	for (unsigned i = 0; i < count; i++)
		squares += (values[i] - spread.mean) * (values[i] - spread.mean);
	if (spread.least >= spread.most)
		spread.mean = spread.least; /* to the last bit */
	if (count > 1)
		spread.half = student(count - 1) * sqrt(squares / (count - 1) / count);
	return spread;
}

struct simcmd_spread simcmd_spread(const struct simcmd_sweep *sweep, unsigned variant,
				   unsigned count, enum simcmd_metric metric)
{
	static double values[SIMCMD_RUNS_MAX]; /* one thread asks */

	for (unsigned i = 0; i < sweep->plan->runs; i++)
		values[i] = simcmd_value(simcmd_result(sweep, variant, count, i),
					 sweep->plan->counts[count], metric);
	return simcmd_spread_of(values, sweep->plan->runs);
}
