/* SPDX-License-Identifier: MIT */
/* simcmd_steps.c — one run with every step of it as JSON, a line each, for a page to replay */
#include "args.h"
#include "sim/simcmd.h"

#include <inttypes.h>
#include <skua/skua.h>
#include <stdio.h>

struct log {
	FILE *to;
	bool has_priorities;
	uint64_t count;
};

static void write_known(FILE *to, uint32_t number)
{
	if (number == SIM_NONE)
		fputs(",null", to);
	else
		fprintf(to, ",%" PRIu32, number);
}

static void write_step(void *user, const struct sim_step *step)
{
	struct log *log = user;

	fprintf(log->to, "%s[%" PRIu64 ",\"%s\",%" PRIu32, log->count++ ? ",\n" : "", step->time,
		sim_step_name(step->kind), step->worker);
	write_known(log->to, step->other);
	write_known(log->to, step->task);
	fprintf(log->to, ",%" PRIu32 ",%" PRIu64, step->queue, step->count);
	if (log->has_priorities && step->task == SIM_NONE)
		fputs(",null", log->to);
	else if (log->has_priorities)
		fprintf(log->to, ",\"%s\"", sim_priority_name(step->priority));
	fputs("]", log->to);
}

static void write_head(FILE *to, const struct simcmd_plan *plan)
{
	fprintf(to,
		"{\"schema\": \"skua-sim-steps-1\", \"skua_version\": \"%s\", \"workload\": \"%s\",\n"
		"\"scheduler\": \"%s\", \"workers\": %" PRIu32 ", \"seed\": %" PRIu64
		", \"tick\": \"%s\",\n"
		"\"columns\": [\"time\", \"kind\", \"worker\", \"other\", \"task\", \"queue\", "
		"\"count\"%s],\n"
		"\"steps\": [\n",
		skua_version_text(), plan->load.name, plan->variants[0]->name, plan->counts[0],
		plan->seed, plan->load.unit, plan->load.priority ? ", \"priority\"" : "");
}

static bool write_steps(FILE *to, const void *what)
{
	const struct simcmd_plan *plan = what;
	struct sim_config config = simcmd_config(plan, 0, 0, 0);
	struct log log = { .to = to, .has_priorities = plan->load.priority };
	struct sim_result result;
	struct sim_error error;

	config.log = write_step;
	config.log_user = &log;
	write_head(to, plan);
	if (sim_run(&config, &result, &error)) {
		fprintf(stderr, "skua sim: %s: %s\n", plan->load.name, error.text);
		return false;
	}
	fprintf(to, "],\n\"makespan\": %" PRIu64 ", \"tasks\": %" PRIu64 "}\n", result.makespan,
		result.tasks);
	return true;
}

int simcmd_steps(const struct simcmd_plan *plan, const char *path)
{
	return simcmd_write_file(path, write_steps, plan) ? ARGS_GO : STATUS_FAULT;
}
