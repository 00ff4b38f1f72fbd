/* SPDX-License-Identifier: MIT */
/* simcmd_calibrate.c — `skua sim calibrate`: simulated times beside those that skua bench took */
#include "args.h"
#include "json.h"
#include "json_read.h"
#include "output.h"
#include "report.h"
#include "sim/sim_host.h"
#include "sim/simcmd.h"
#include "text.h"

#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * What a unit of a program's work costs comes from one worker: from a smaller problem of the same
 * program where there is one, else from every other round of the problem itself.  Costs of thefts,
 * looks and wakes come from the kernels deque and latency, what a second core is worth from cores:
 * plain threads with nothing in common.  The rest is the simulator's.  A tick is a picosecond:
 * a node of some ns would be rounded too much.
 */
#define TICKS	     1000.0 /* of a nanosecond */
#define WORKERS_MOST 2	    /* columns of the table */

enum case_kind {
	CASE_PROGRAM,
	CASE_UTS,
};

static const struct calibration {
	const char *kernel, *problem, *from; /* from: the problem of which the cost is taken */
	enum case_kind kind;
	enum simcmd_program program;
	uint64_t size, from_size; /* of UTS: nodes */
} calibrations[] = {
	{ "fib", "40", "32", CASE_PROGRAM, SIMCMD_FIB, 40, 32 },
	{ "nqueens", "13", "13", CASE_PROGRAM, SIMCMD_QUEENS, 13, 13 },
	{ "uts", "T1", "T1", CASE_UTS, SIMCMD_PROGRAMS, 4130071, 4130071 },
	{ "uts", "T3", "T3", CASE_UTS, SIMCMD_PROGRAMS, 4112897, 4112897 },
	{ "cilksort", "10M", "10M", CASE_PROGRAM, SIMCMD_SORT, 10000000, 10000000 },
};

#define CASE_COUNT (sizeof(calibrations) / sizeof(*calibrations))

struct calibrated {
	const struct calibration *of;
	const char *from;	    /* "fib:32", or "every other round" */
	double measured, simulated; /* seconds */
	unsigned workers;
	double tolerance;
};

static bool is_within(const struct calibrated *row)
{
	double off = row->simulated / row->measured - 1;

	return off <= row->tolerance && -off <= row->tolerance;
}

/*
 * The least of rounds first, first + step, ...; 0: there are not six of them in all.  The least,
 * since whatever else the machine does makes a round longer, never shorter.
 */
static double least_of(const struct json_node *row, unsigned first, unsigned step)
{
	const struct json_node *samples = json_find(row, "samples_s");
	double least = 0;
	unsigned i = 0;

	if (!samples || samples->kind != JSON_ARRAY || samples->count < 6)
		return 0;
	for (const struct json_node *one = samples->first; one; one = one->next, i++) {
		if (one->kind == JSON_NUMBER && i % step == first && one->number > 0 &&
		    (least <= 0 || one->number < least))
			least = one->number;
	}
	return least;
}

/* The same of all rounds, or the median where there are few. */
static double seconds_of(const struct json_node *row)
{
	double least = row ? least_of(row, 0, 1) : 0;

	return least > 0 ? least : simcmd_bench_number(row, "seconds");
}

/* Where its costs come from, and what is measured against: both of one worker. */
struct source {
	double cost_seconds, measured;
	uint64_t size;
	char name[32];
};

static bool find_source(const struct simcmd_bench *bench, const struct calibration *of,
			struct source *source)
{
	const struct json_node *own = simcmd_bench_row(bench, of->kernel, of->problem, 1);
	const struct json_node *from = simcmd_bench_row(bench, of->kernel, of->from, 1);

	if (seconds_of(own) <= 0)
		return false;
	source->measured = seconds_of(own);
	if (from != own && seconds_of(from) > 0) {
		source->cost_seconds = seconds_of(from);
		source->size = of->from_size;
		snprintf(source->name, sizeof(source->name), "%s:%s", of->kernel, of->from);
		return true;
	}
	double even = least_of(own, 0, 2), odd = least_of(own, 1, 2);
	source->cost_seconds = odd > 0 ? odd : source->measured;
	source->measured = even > 0 ? even : source->measured;
	source->size = of->size;
	snprintf(source->name, sizeof(source->name), "%s", odd > 0 ? "odd rounds" : "itself");
	return true;
}

/* The work with what a unit costs. */
static bool set_work(const struct calibration *of, const struct source *source,
		     struct simcmd_plan *plan)
{
	struct simcmd_dag dag = { 0 };
	double ticks = source->cost_seconds * 1e9 * TICKS;

	plan->base.model = SIM_TASKS;
	plan->base.workload = (struct sim_workload){ .kind = SIM_WORK_UTS };
	snprintf(plan->load.name, sizeof(plan->load.name), "%s:%s", of->kernel, of->problem);
	if (of->kind == CASE_UTS) {
		uint64_t node = (uint64_t)(ticks / (double)source->size + 0.5);
		plan->base.workload.leaf = plan->base.workload.inner = node;
		return sim_uts_named(of->problem, &plan->base.workload.uts);
	}
	double units = (double)simcmd_program_units(of->program, source->size);
	simcmd_program_dag(of->program, of->size, (uint64_t)(ticks / units * 1024 + 0.5), &dag);
	return simcmd_dag_finish(&dag, plan);
}

static int simulate(const struct calibration *of, const struct source *source,
		    const struct simcmd_plan *base, struct calibrated *rows)
{
	struct simcmd_plan plan = *base;
	struct simcmd_sweep sweep = { 0 };
	int status = set_work(of, source, &plan) ? ARGS_GO : STATUS_FAULT;

	for (unsigned w = 0; w < WORKERS_MOST && status == ARGS_GO; w++) {
		plan.counts[0] = w + 1;
		plan.base.speeds = w ? base->base.speeds : NULL;
		plan.base.speed_count = w ? base->base.speed_count : 0;
		status = simcmd_sweep_run(&sweep, &plan);
		if (status == ARGS_GO)
			rows[w].simulated = simcmd_spread(&sweep, 0, 0, SIMCMD_MAKESPAN).mean /
					    TICKS / 1e9;
		simcmd_sweep_drop(&sweep);
	}
	free(plan.load.cost);
	free(plan.load.first);
	free(plan.load.next);
	return status;
}

/* --- showing --- */

struct calibrating {
	struct calibrated rows[CASE_COUNT * WORKERS_MOST];
	struct source sources[CASE_COUNT];
	unsigned count;
	double second_core; /* what two cores do, over what one does */
	unsigned outside;
};

static void write_text(const struct calibrating *all, const struct simcmd_plan *plan,
		       const char *file)
{
	char measured[24], simulated[24], name[40];

	report_text(0, "%sSimulated and measured%s, with costs of %s.",
		    report_paint(stdout, PAINT_TITLE), report_paint(stdout, PAINT_PLAIN),
		    text_clean(file, 60).s);
	out("\n%s%-14s%-13s%8s%11s%11s%8s%9s%s\n", report_paint(stdout, PAINT_LABEL), "kernel",
	    "costs from", "workers", "measured", "simulated", "off", "allowed",
	    report_paint(stdout, PAINT_PLAIN));
	for (unsigned i = 0; i < all->count; i++) {
		const struct calibrated *row = &all->rows[i];
		double off = 100 * (row->simulated / row->measured - 1);

		simcmd_ticks(measured, sizeof(measured), 1e9 * row->measured, "ns");
		simcmd_ticks(simulated, sizeof(simulated), 1e9 * row->simulated, "ns");
		snprintf(name, sizeof(name), "%s:%s", row->of->kernel, row->of->problem);
		out("%s%-14s%-13s%8u%11s%11s%+7.1f%%%8.0f%%%s\n",
		    report_paint(stdout, is_within(row) ? PAINT_PLAIN : PAINT_WARN), name,
		    row->from, row->workers, measured, simulated, off, 100 * row->tolerance,
		    report_paint(stdout, PAINT_PLAIN));
	}
	out("\n");
	report_text(2,
		    "A theft %.0f ns, a look in vain %.0f ns, a wake %.1f us; two cores do %.3f "
		    "times what one does (skua bench cores). Means of %u run%s, seed %llu.",
		    (double)plan->base.costs.steal[0] / TICKS,
		    (double)plan->base.costs.fail[0] / TICKS,
		    (double)plan->base.costs.wake / TICKS / 1000, all->second_core, plan->runs,
		    plan->runs == 1 ? "" : "s", (unsigned long long)plan->seed);
	if (all->outside)
		report_text(2,
			    "%s%u of %u are further off than allowed%s: was the machine quiet, "
			    "and were there nine rounds or more?",
			    report_paint(stdout, PAINT_WARN), all->outside, all->count,
			    report_paint(stdout, PAINT_PLAIN));
}

static void write_json(const struct calibrating *all, const struct simcmd_plan *plan,
		       const char *file)
{
	struct json json = { 0 };

	json_object(&json, NULL);
	json_text(&json, "schema", "skua-sim-calibrate-1");
	json_text(&json, "skua_version", skua_version_text());
	json_name(&json, "file", file);
	json_count(&json, "seed", plan->seed);
	json_count(&json, "runs", plan->runs);
	json_text(&json, "tick", "ps");
	simcmd_json_costs(&json, &plan->base.costs, 1);
	json_real(&json, "two_cores", all->second_core);
	json_count(&json, "outside", all->outside);
	json_array(&json, "rows");
	for (unsigned i = 0; i < all->count; i++) {
		const struct calibrated *row = &all->rows[i];
		json_object(&json, NULL);
		json_text(&json, "kernel", row->of->kernel);
		json_text(&json, "problem", row->of->problem);
		json_text(&json, "costs_from", row->from);
		json_count(&json, "workers", row->workers);
		json_real(&json, "measured_s", row->measured);
		json_real(&json, "simulated_s", row->simulated);
		json_real(&json, "off", row->simulated / row->measured - 1);
		json_real(&json, "allowed", row->tolerance);
		json_yes(&json, "is_within", is_within(row));
		json_close(&json);
	}
	json_close(&json);
	json_close(&json);
}

/* --- all of it --- */

static int calibrate_one(const struct simcmd_bench *bench, const struct calibration *of,
			 const struct simcmd_plan *plan, struct calibrating *all)
{
	struct source *source = &all->sources[of - calibrations];
	struct calibrated rows[WORKERS_MOST] = { { .of = of } };
	int status;

	if (!find_source(bench, of, source))
		return ARGS_GO;
	status = simulate(of, source, plan, rows);
	for (unsigned w = 0; w < WORKERS_MOST && status == ARGS_GO; w++) {
		const struct json_node *row = simcmd_bench_row(bench, of->kernel, of->problem,
							       w + 1);
		rows[w].of = of;
		rows[w].from = source->name;
		rows[w].workers = w + 1;
		rows[w].tolerance = w ? 0.05 : 0.02;
		rows[w].measured = w ? seconds_of(row) : source->measured;
		if (rows[w].measured <= 0)
			continue;
		all->outside += !is_within(&rows[w]);
		all->rows[all->count++] = rows[w];
	}
	return status;
}

/* The longest of the problems that plain threads work on. */
static const struct json_node *longest_of_cores(const struct simcmd_bench *bench, unsigned workers)
{
	const struct json_node *longest = NULL;

	for (const struct json_node *row = bench->kernels->first; row; row = row->next) {
		if (simcmd_bench_is(row, "cores", NULL, workers) &&
		    simcmd_bench_number(row, "seconds") > simcmd_bench_number(longest, "seconds"))
			longest = row;
	}
	return longest;
}

static void set_machine(const struct simcmd_bench *bench, struct simcmd_plan *plan,
			struct calibrating *all)
{
	const struct json_node *one = longest_of_cores(bench, 1), *two = longest_of_cores(bench, 2);

	all->second_core = one && two && seconds_of(two) > 0 ? seconds_of(one) / seconds_of(two)
							     : 0;
	if (!(all->second_core > 0.5 && all->second_core < 4))
		all->second_core = 2;
	plan->speeds[0] = (uint32_t)(all->second_core * 512 + 0.5);
	plan->base.speeds = plan->speeds;
	plan->base.speed_count = 1;
	plan->base.costs = (struct sim_costs){ .queue = (uint64_t)(100 * TICKS),
					       .wake = (uint64_t)(5000 * TICKS),
					       .park = (uint64_t)(2000 * TICKS) };
	for (unsigned i = 0; i < SIM_LEVELS; i++) {
		plan->base.costs.steal[i] = (uint64_t)(200 * TICKS);
		plan->base.costs.fail[i] = (uint64_t)(50 * TICKS);
	}
	simcmd_bench_costs(bench, TICKS, &plan->base.costs);
	/* Forks that nobody steals are part of the time that the program took on one worker. */
	plan->base.costs.push = plan->base.costs.pop = plan->base.costs.join = 0;
}

int simcmd_calibrate(const struct call *call, struct simcmd_plan *plan,
		     const struct simcmd_options *options)
{
	struct calibrating all = { .count = 0 };
	struct simcmd_bench bench;
	int status = ARGS_GO;

	if (!options->cost_file)
		return args_blame(call, NULL,
				  "'skua bench cores fib:32,40 ...': 'skua help sim' has the line",
				  "calibrate needs --costs=FILE of a run of skua bench");
	if (!simcmd_bench_read(&bench, options->cost_file))
		return STATUS_FAULT;
	free(plan->speeds);
	plan->speeds = malloc(sizeof(*plan->speeds));
	if (!plan->speeds)
		status = simcmd_no_memory();
	else
		set_machine(&bench, plan, &all);
	plan->count_count = plan->variant_count = 1;
	plan->variants[0] = simcmd_find_variant("skua");
	for (unsigned i = 0; i < CASE_COUNT && status == ARGS_GO; i++)
		status = calibrate_one(&bench, &calibrations[i], plan, &all);
	simcmd_bench_drop(&bench);
	if (status != ARGS_GO)
		return status;
	if (!all.count) {
		fprintf(stderr,
			"skua sim: %s has none of fib:40, nqueens:13, uts:T1, uts:T3, cilksort:10M "
			"with one worker\n    'skua help sim' has the line that measures them\n",
			text_clean(options->cost_file, 200).s);
		return STATUS_FAULT;
	}
	if (options->is_json)
		write_json(&all, plan, options->cost_file);
	else
		write_text(&all, plan, options->cost_file);
	return all.outside ? STATUS_PARTLY : STATUS_DONE;
}
