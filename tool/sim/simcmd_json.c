/* SPDX-License-Identifier: MIT */
/* simcmd_json.c — a sweep as JSON and as CSV; every field is documented in docs/json.md */
#include "json.h"
#include "sim/simcmd.h"

#include <inttypes.h>
#include <skua/skua.h>

static void write_levels(struct json *json, const char *key, const uint64_t *values,
			 unsigned levels)
{
	json_array(json, key);
	for (unsigned i = 0; i < levels; i++)
		json_count(json, NULL, values[i]);
	json_close(json);
}

void simcmd_json_costs(struct json *json, const struct sim_costs *costs, unsigned levels)
{
	json_object(json, "costs");
	json_count(json, "push", costs->push);
	json_count(json, "pop", costs->pop);
	json_count(json, "join", costs->join);
	write_levels(json, "steal", costs->steal, levels);
	write_levels(json, "fail", costs->fail, levels);
	json_count(json, "serve", costs->serve);
	json_count(json, "queue", costs->queue);
	json_count(json, "wake", costs->wake);
	json_count(json, "park", costs->park);
	json_count(json, "message", costs->message);
	json_close(json);
}

static void write_topology(struct json *json, const struct sim_topology *topology)
{
	json_array(json, "topology");
	for (unsigned i = 0; i < topology->levels; i++) {
		json_object(json, NULL);
		json_known(json, "group", i + 1 < topology->levels ? topology->group[i] : 0);
		json_count(json, "latency", topology->latency[i]);
		json_close(json);
	}
	json_close(json);
}

static void write_workload(struct json *json, const struct simcmd_sweep *sweep)
{
	const struct simcmd_load *load = &sweep->plan->load;

	json_object(json, "workload");
	json_text(json, "name", load->name);
	json_text(json, "role", load->about);
	json_count(json, "tasks", sweep->results->tasks);
	json_count(json, "work", sweep->results->work);
	json_count(json, "span", sweep->results->span);
	json_known(json, "recorded", load->recorded);
	json_known(json, "recorded_workers", load->recorded_workers);
	json_close(json);
}

static void write_row(struct json *json, const struct simcmd_sweep *sweep, unsigned variant,
		      unsigned count)
{
	const struct simcmd_plan *plan = sweep->plan;

	json_object(json, NULL);
	json_text(json, "scheduler", plan->variants[variant]->name);
	json_count(json, "workers", plan->counts[count]);
	for (int i = 0; i < SIMCMD_METRIC_COUNT; i++)
		json_real(json, simcmd_metric_keys[i],
			  simcmd_spread(sweep, variant, count, (enum simcmd_metric)i).mean);
	json_object(json, "half_widths");
	for (int i = 0; i < SIMCMD_METRIC_COUNT; i++) {
		double half = simcmd_spread(sweep, variant, count, (enum simcmd_metric)i).half;
		if (half >= 0)
			json_real(json, simcmd_metric_keys[i], half);
		else
			json_null(json, simcmd_metric_keys[i]);
	}
	json_close(json);
	json_close(json);
}

void simcmd_json(const struct simcmd_sweep *sweep)
{
	const struct simcmd_plan *plan = sweep->plan;
	struct json json = { 0 };

	json_object(&json, NULL);
	json_text(&json, "schema", "skua-sim-1");
	json_text(&json, "skua_version", skua_version_text());
	json_count(&json, "seed", plan->seed);
	json_count(&json, "runs", plan->runs);
	json_text(&json, "tick", plan->load.unit);
	write_workload(&json, sweep);
	simcmd_json_costs(&json, &plan->base.costs, plan->base.topology.levels);
	write_topology(&json, &plan->base.topology);
	json_array(&json, "rows");
	for (unsigned c = 0; c < plan->count_count; c++) {
		for (unsigned v = 0; v < plan->variant_count; v++)
			write_row(&json, sweep, v, c);
	}
	json_close(&json);
	json_close(&json);
}

/* A line for each run; the words in it are our own and need no quotes but the workload's. */
bool simcmd_csv(FILE *to, const void *what)
{
	const struct simcmd_sweep *sweep = what;
	const struct simcmd_plan *plan = sweep->plan;
	uint64_t cells = (uint64_t)plan->variant_count * plan->count_count;

	fputs("workload,scheduler,workers,seed,tasks,work,span", to);
	for (int i = 0; i < SIMCMD_METRIC_COUNT; i++)
		fprintf(to, ",%s", simcmd_metric_keys[i]);
	fputs("\n", to);
	for (uint64_t i = 0; i < cells * plan->runs; i++) {
		unsigned v = (unsigned)(i / plan->runs % plan->variant_count);
		unsigned c = (unsigned)(i / plan->runs / plan->variant_count);
		unsigned run = (unsigned)(i % plan->runs);
		const struct sim_result *result = simcmd_result(sweep, v, c, run);

		fprintf(to, "\"%s\",%s,%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
			plan->load.name, plan->variants[v]->name, plan->counts[c], plan->seed + run,
			result->tasks, result->work, result->span);
		for (int k = 0; k < SIMCMD_METRIC_COUNT; k++)
			fprintf(to, ",%.9g",
				simcmd_value(result, plan->counts[c], (enum simcmd_metric)k));
		fputs("\n", to);
	}
	return true;
}
