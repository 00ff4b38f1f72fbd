/* SPDX-License-Identifier: MIT */
/* simcmd_bound.c — `skua sim bound`: the c of T_P <= T1/P + c Tinf, over fork-join work and P */
#include "args.h"
#include "json.h"
#include "output.h"
#include "report.h"
#include "sim/simcmd.h"

#include <inttypes.h>
#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * In the theory a node of the dag and a try to steal take one step each, and pushes and pops are
 * part of the nodes.  So it is here: a node is NODE ticks, a try as well, all else is free.
 */
#define NODE	   "100"
#define NODE_TICKS 100

static const char *const bound_loads[] = {
	"tree:16,leaf=" NODE ",inner=" NODE ",after=" NODE,
	"tree:8,fan=4,leaf=" NODE ",inner=" NODE ",after=" NODE,
	"tree:14,leaf=" NODE ",inner=" NODE ",after=" NODE ",jitter=0.9",
	"tree:10,leaf=2000,inner=" NODE ",after=" NODE,
	"uts:fixed,leaf=" NODE ",inner=" NODE ",after=" NODE,
	"uts:linear,leaf=" NODE ",inner=" NODE ",after=" NODE,
	("fib:22,leaf=" NODE), /* in parentheses: one word, not two with a comma forgotten */
	"queens:7,leaf=2",
};

#define LOAD_COUNT (sizeof(bound_loads) / sizeof(*bound_loads))

/* One scheduler with one load and one number of workers. */
struct bound_row {
	const char *load, *scheduler;
	uint32_t workers;
	uint64_t work, span;
	double makespan;
	struct simcmd_spread c;
};

struct bound {
	struct bound_row *rows;
	unsigned count;
	double *factors; /* of all runs with more than one worker */
	size_t factor_count;
	struct simcmd_spread fit;
	const struct bound_row *largest; /* has the largest of single runs */
};

static void take_rows(struct bound *bound, const struct simcmd_sweep *sweep, const char *load)
{
	const struct simcmd_plan *plan = sweep->plan;

	for (unsigned i = 0; i < plan->variant_count * plan->count_count; i++) {
		unsigned v = i % plan->variant_count, c = i / plan->variant_count;
		const struct sim_result *result = simcmd_result(sweep, v, c, 0);

		/* There is room for all: NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
		bound->rows[bound->count++] = (struct bound_row){
			.load = load,
			.scheduler = plan->variants[v]->name,
			.workers = plan->counts[c],
			.work = result->work,
			.span = result->span,
			.makespan = simcmd_spread(sweep, v, c, SIMCMD_MAKESPAN).mean,
			.c = simcmd_spread(sweep, v, c, SIMCMD_FACTOR),
		};
		for (unsigned run = 0; run < plan->runs && plan->counts[c] > 1; run++)
			/* Likewise.  NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
			bound->factors[bound->factor_count++] = simcmd_value(
				simcmd_result(sweep, v, c, run), plan->counts[c], SIMCMD_FACTOR);
	}
}

static int run_load(const struct call *call, const struct simcmd_plan *plan, const char *load,
		    struct bound *bound)
{
	struct simcmd_plan own = *plan;
	struct simcmd_sweep sweep = { 0 };
	int status = simcmd_read_load(call, load, &own);

	if (status == ARGS_GO)
		status = simcmd_sweep_run(&sweep, &own);
	if (status == ARGS_GO)
		take_rows(bound, &sweep, load);
	simcmd_sweep_drop(&sweep);
	free(own.load.cost);
	free(own.load.first);
	free(own.load.next);
	return status;
}

static void fit(struct bound *bound)
{
	bound->largest = bound->rows;
	for (unsigned i = 1; i < bound->count; i++) {
		if (bound->rows[i].c.most > bound->largest->c.most)
			bound->largest = &bound->rows[i];
	}
	if (bound->factor_count)
		bound->fit = simcmd_spread_of(bound->factors, (unsigned)bound->factor_count);
}

static void write_text(const struct bound *bound, const struct simcmd_plan *plan)
{
	char work[16], span[16], time[16], interval[32];

	report_text(0,
		    "%sT_P <= T1/P + c Tinf%s, simulated: a node and a try to steal take a step "
		    "of %d ticks each, all else is free.",
		    report_paint(stdout, PAINT_TITLE), report_paint(stdout, PAINT_PLAIN),
		    NODE_TICKS);
	for (unsigned i = 0; i < bound->count; i++) {
		const struct bound_row *row = &bound->rows[i];

		if (!i || row->load != row[-1].load) {
			simcmd_count(work, sizeof(work), (double)row->work);
			simcmd_count(span, sizeof(span), (double)row->span);
			out("\n%s%s%s  T1 %s, Tinf %s\n", report_paint(stdout, PAINT_LABEL),
			    row->load, report_paint(stdout, PAINT_PLAIN), work, span);
			out("%9s  %-12s%9s%8s%18s%10s\n", "workers", "scheduler", "time", "c",
			    "95 %", "worst");
		}
		simcmd_count(time, sizeof(time), row->makespan);
		snprintf(interval, sizeof(interval), "[%.2f, %.2f]", row->c.mean - row->c.half,
			 row->c.mean + row->c.half);
		out("%9" PRIu32 "  %-12s%9s%8.2f%18s%10.2f\n", row->workers, row->scheduler, time,
		    row->c.mean, row->c.half >= 0 ? interval : "-", row->c.most);
	}
	out("\n");
	if (bound->factor_count > 1)
		report_text(2,
			    "%sFitted c = %.3f [%.3f, %.3f]%s over %zu runs with more than one "
			    "worker, 95 %% interval.",
			    report_paint(stdout, PAINT_GOOD), bound->fit.mean,
			    bound->fit.mean - bound->fit.half, bound->fit.mean + bound->fit.half,
			    report_paint(stdout, PAINT_PLAIN), bound->factor_count);
	report_text(2,
		    "Every run holds with c = %.3f: the worst was %s on %" PRIu32
		    " workers. %u run%s of each, seed %" PRIu64 ".",
		    bound->largest->c.most, bound->largest->load, bound->largest->workers,
		    plan->runs, plan->runs == 1 ? "" : "s", plan->seed);
}

static void write_real(struct json *json, const char *key, double value, bool is_known)
{
	if (is_known)
		json_real(json, key, value);
	else
		json_null(json, key);
}

static void write_rows(struct json *json, const struct bound *bound)
{
	json_array(json, "rows");
	for (unsigned i = 0; i < bound->count; i++) {
		const struct bound_row *row = &bound->rows[i];

		json_object(json, NULL);
		json_text(json, "workload", row->load);
		json_text(json, "scheduler", row->scheduler);
		json_count(json, "workers", row->workers);
		json_count(json, "work", row->work);
		json_count(json, "span", row->span);
		json_real(json, "makespan", row->makespan);
		json_real(json, "c", row->c.mean);
		write_real(json, "c_low", row->c.mean - row->c.half, row->c.half >= 0);
		write_real(json, "c_high", row->c.mean + row->c.half, row->c.half >= 0);
		json_real(json, "c_most", row->c.most);
		json_close(json);
	}
	json_close(json);
}

static void write_json(const struct bound *bound, const struct simcmd_plan *plan)
{
	struct json json = { 0 };
	bool is_fit = bound->factor_count > 1;

	json_object(&json, NULL);
	json_text(&json, "schema", "skua-sim-bound-1");
	json_text(&json, "skua_version", skua_version_text());
	json_count(&json, "seed", plan->seed);
	json_count(&json, "runs", plan->runs);
	write_real(&json, "c", bound->fit.mean, is_fit);
	write_real(&json, "c_low", bound->fit.mean - bound->fit.half, is_fit);
	write_real(&json, "c_high", bound->fit.mean + bound->fit.half, is_fit);
	json_real(&json, "c_most", bound->largest->c.most);
	json_text(&json, "most_workload", bound->largest->load);
	json_count(&json, "most_workers", bound->largest->workers);
	simcmd_json_costs(&json, &plan->base.costs, 1);
	write_rows(&json, bound);
	json_close(&json);
}

/* Costs of the theory, unless told otherwise. */
static int set_costs(const struct call *call, struct simcmd_plan *plan,
		     const struct simcmd_options *options)
{
	plan->base.costs = (struct sim_costs){ 0 };
	for (unsigned i = 0; i < SIM_LEVELS; i++)
		plan->base.costs.steal[i] = plan->base.costs.fail[i] = NODE_TICKS;
	return options->costs ? simcmd_read_costs(call, options->costs, &plan->base) : ARGS_GO;
}

int simcmd_bound(const struct call *call, struct simcmd_plan *plan,
		 const struct simcmd_options *options)
{
	size_t cells = LOAD_COUNT * plan->variant_count * plan->count_count;
	struct bound bound = { .rows = calloc(cells, sizeof(*bound.rows)),
			       .factors = calloc(cells * plan->runs, sizeof(*bound.factors)) };
	int status = bound.rows && bound.factors ? set_costs(call, plan, options)
						 : simcmd_no_memory();

	for (unsigned i = 0; i < LOAD_COUNT && status == ARGS_GO; i++)
		status = run_load(call, plan, bound_loads[i], &bound);
	if (status == ARGS_GO) {
		fit(&bound);
		if (options->is_json)
			write_json(&bound, plan);
		else
			write_text(&bound, plan);
		status = STATUS_DONE;
	}
	free(bound.rows);
	free(bound.factors);
	return status;
}
