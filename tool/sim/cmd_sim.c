/* SPDX-License-Identifier: MIT */
/* cmd_sim.c — `skua sim`: schedulers of up to millions of workers, simulated on this machine */
#include "args.h"
#include "sim/simcmd.h"
#include "text.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_USUAL   5
#define EVENTS_USUAL 10000000000 /* of a run: some ten minutes; arbitrary */

/* What is simulated when nothing is said: the comparison of the textbooks. */
static const char usual_load[] = "loop";
static const char usual_workers[] = "1..1024x4";
static const char usual_variants[] = "central,sharing,static,steal,skua";

static int exclude(const struct call *call, const char *guilty, const char *what)
{
	return args_blame(call, guilty, "choose one of them", "%s exclude each other", what);
}

/* Which of the options go together. */
static int check_options(const struct call *call, const struct simcmd_options *options,
			 const char *word)
{
	bool is_action = word && (strcmp(word, "bound") == 0 || strcmp(word, "calibrate") == 0);
	unsigned out_count = options->is_json;
	const char *files[] = { options->csv, options->svg, options->steps };

	for (unsigned i = 0; i < 3; i++) {
		out_count += files[i] && strcmp(files[i], "-") == 0;
		if (files[i] && is_action)
			return args_blame(call, files[i], "--json has its figures",
					  "%s writes no file", word);
	}
	if (out_count > 1)
		return exclude(call, NULL, "--json, and - for a file,");
	if (options->trace && options->profile)
		return exclude(call, options->profile, "--trace and --profile");
	if (word && (options->trace || options->profile))
		return exclude(call, word, "a workload and --trace or --profile");
	return ARGS_GO;
}

static int read_costs(const struct call *call, const struct simcmd_options *options,
		      struct simcmd_plan *plan)
{
	struct simcmd_bench bench;

	if (options->cost_file) {
		if (!simcmd_bench_read(&bench, options->cost_file))
			return STATUS_FAULT;
		simcmd_bench_costs(&bench, 1, &plan->base.costs);
		simcmd_bench_drop(&bench);
	}
	return options->costs ? simcmd_read_costs(call, options->costs, &plan->base) : ARGS_GO;
}

static int read_work(const struct call *call, const struct simcmd_options *options,
		     const char *word, struct simcmd_plan *plan)
{
	if (options->trace)
		return simcmd_trace_file(options->trace, plan) ? ARGS_GO : STATUS_FAULT;
	if (options->profile)
		return simcmd_profile_file(options->profile, plan) ? ARGS_GO : STATUS_FAULT;
	return simcmd_read_load(call, word ? word : usual_load, plan);
}

/* Numbers of workers and schedulers that suit the work, where none were asked for. */
static int choose_rest(const struct call *call, const struct simcmd_options *options,
		       const char *workers, const char *variants, struct simcmd_plan *plan)
{
	int status = simcmd_read_workers(call, options->workers ? options->workers : workers, plan);

	if (status == ARGS_GO)
		status = simcmd_read_variants(
			call, options->schedulers ? options->schedulers : variants, plan);
	return status;
}

static int choose_for_load(const struct call *call, const struct simcmd_options *options,
			   struct simcmd_plan *plan)
{
	char workers[64];
	uint64_t p = plan->load.recorded_workers;

	switch (plan->base.model) {
	case SIM_STEPS:
	case SIM_SHARES:
		return choose_rest(call, options, usual_workers, "steal-one,steal-half", plan);
	case SIM_OPEN:
		return choose_rest(call, options, "1000", "static,steal", plan);
	default:
		break;
	}
	snprintf(workers, sizeof(workers), "%llu,%llu,%llu,%llu", (unsigned long long)p, 2ULL * p,
		 4ULL * p, 8ULL * p);
	return choose_rest(call, options, p ? workers : usual_workers, p ? "skua" : usual_variants,
			   plan);
}

static int show(const struct simcmd_sweep *sweep, const struct simcmd_options *options)
{
	bool is_silent = (options->csv && strcmp(options->csv, "-") == 0) ||
			 (options->svg && strcmp(options->svg, "-") == 0);

	if (options->is_json)
		simcmd_json(sweep);
	else if (!is_silent)
		simcmd_text(sweep, options->is_detail);
	if (options->csv && !simcmd_write_file(options->csv, simcmd_csv, sweep))
		return STATUS_FAULT;
	if (options->svg && !simcmd_write_file(options->svg, simcmd_svg, sweep))
		return STATUS_FAULT;
	return STATUS_DONE;
}

static int simulate(const struct call *call, const struct simcmd_options *options, const char *word,
		    struct simcmd_plan *plan)
{
	struct simcmd_sweep sweep = { 0 };
	int status = read_work(call, options, word, plan);

	if (status == ARGS_GO)
		status = choose_for_load(call, options, plan);
	if (status == ARGS_GO && options->steps) {
		if (plan->variant_count != 1 || plan->count_count != 1)
			return args_blame(call, options->steps,
					  "give one --scheduler and one number of --workers",
					  "--steps is of one run");
		status = simcmd_steps(plan, options->steps);
		if (status == ARGS_GO && strcmp(options->steps, "-") == 0)
			return STATUS_DONE;
	}
	if (status == ARGS_GO)
		status = simcmd_sweep_run(&sweep, plan);
	if (status == ARGS_GO)
		status = show(&sweep, options);
	simcmd_sweep_drop(&sweep);
	return status;
}

static void drop_plan(struct simcmd_plan *plan)
{
	free(plan->load.cost);
	free(plan->load.first);
	free(plan->load.next);
	free(plan->load.home);
	free(plan->load.priority);
	free(plan->speeds);
	free(plan->stalls);
}

static int run_plan(const struct call *call, const struct simcmd_options *options,
		    struct simcmd_plan *plan)
{
	const char *word = call->operand_count ? call->operands[0] : NULL;
	int status = check_options(call, options, word);

	if (status == ARGS_GO)
		status = simcmd_read_topology(call, options, &plan->base);
	if (status == ARGS_GO)
		status = read_costs(call, options, plan);
	if (status == ARGS_GO)
		status = simcmd_read_knobs(call, options, plan);
	if (status != ARGS_GO)
		return status;
	if (word && strcmp(word, "calibrate") == 0)
		return simcmd_calibrate(call, plan, options);
	if (!word || strcmp(word, "bound") != 0)
		return simulate(call, options, word, plan);
	status = choose_rest(call, options, "1..10^4", "steal", plan);
	return status == ARGS_GO ? simcmd_bound(call, plan, options) : status;
}

static int sim_command(struct call *call)
{
	struct simcmd_options options = { .seed = 1, .runs = RUNS_USUAL, .events = EVENTS_USUAL };
	struct simcmd_plan plan = { .runs = 0 };
	int status = args_parse(call, &options);

	if (status != ARGS_GO)
		return status;
	if (options.is_list) {
		simcmd_list();
		return STATUS_DONE;
	}
	sim_defaults(&plan.base);
	simcmd_usual_costs(&plan.base);
	plan.base.event_limit = options.events;
	plan.seed = options.seed;
	plan.runs = (unsigned)options.runs;
	status = run_plan(call, &options, &plan);
	drop_plan(&plan);
	return status;
}

#define WORD_OPTION(word, name_of_value, what, field)                                 \
	{                                                                             \
		.name = word, .kind = ARG_WORD, .value = name_of_value, .role = what, \
		.offset = offsetof(struct simcmd_options, field)                      \
	}

static const struct arg_option sim_option_table[] = {
	WORD_OPTION("workers", "LIST", "1,64,1000, 1..10^6 by tens, or 1..1024x4", workers),
	WORD_OPTION("scheduler", "LIST", "such as central,steal-one,skua", schedulers),
	WORD_OPTION("victim", "NAME", "whom steal tries first: random, nearest, ...", victim),
	WORD_OPTION("amount", "HOW", "what a thief takes: one, half, or a part, 0.25", amount),
	WORD_OPTION("cost", "K=N,...", "ticks of push, pop, steal, fail, queue, wake, ...", costs),
	WORD_OPTION("costs", "FILE", "as skua bench --json measured them", cost_file),
	WORD_OPTION("topology", "T", "flat, machine, cluster, or 8:0,64:100,all:2000", topology),
	WORD_OPTION("latency", "N", "ticks of a message at the largest distance", latency),
	WORD_OPTION("join", "HOW", "who goes on after a join: last or owner", join),
	WORD_OPTION("lifelines", "W[,Z]", "tries before Z lifelines are laid", lifelines),
	WORD_OPTION("speeds", "LIST", "of the workers in turn, 1,1,0.5", speeds),
	WORD_OPTION("stall", "LIST", "workers that stand still, 0-3@1000+500/10000", stall),
	WORD_OPTION("quota", "N/PERIOD", "all may run N ticks of each period", quota),
	{ .name = "priorities",
	  .kind = ARG_FLAG,
	  .role = "of a dag's tasks: urgent ones first, low ones last",
	  .offset = offsetof(struct simcmd_options, has_priorities) },
	{ .name = "seed",
	  .kind = ARG_NUMBER,
	  .value = "S",
	  .role = "of the first run; the next has the next",
	  .most = UINT64_MAX - SIMCMD_RUNS_MAX,
	  .offset = offsetof(struct simcmd_options, seed) },
	{ .name = "runs",
	  .kind = ARG_NUMBER,
	  .value = "N",
	  .role = "of each; means and intervals are over them",
	  .least = 1,
	  .most = SIMCMD_RUNS_MAX,
	  .offset = offsetof(struct simcmd_options, runs) },
	{ .name = "events",
	  .kind = ARG_NUMBER,
	  .value = "N",
	  .role = "give up a run that has more, 10000000000",
	  .least = 1,
	  .most = UINT64_MAX,
	  .offset = offsetof(struct simcmd_options, events) },
	WORD_OPTION("trace", "FILE", "the tasks that SKUA_TRACE=FILE recorded", trace),
	WORD_OPTION("profile", "FILE", "the work and span that SKUA_PROFILE=1 told", profile),
	{ .name = "detail",
	  .kind = ARG_FLAG,
	  .role = "where the time went, steals, messages, queues too",
	  .offset = offsetof(struct simcmd_options, is_detail) },
	{ .name = "json",
	  .kind = ARG_FLAG,
	  .role = "print JSON instead, schema skua-sim-1",
	  .offset = offsetof(struct simcmd_options, is_json) },
	WORD_OPTION("csv", "FILE", "write a line for each run; - is standard output", csv),
	WORD_OPTION("svg", "FILE", "draw speed-up by workers; - is standard output", svg),
	WORD_OPTION("steps", "FILE", "write every step of one run as JSON, or to -", steps),
	{ .name = "list",
	  .kind = ARG_FLAG,
	  .role = "name the workloads, schedulers, victims and laws",
	  .offset = offsetof(struct simcmd_options, is_list) },
	{ .name = NULL },
};

const struct command command_sim = {
	.name = "sim",
	.role = "Simulate schedulers with up to millions of workers",
	.options = sim_option_table,
	.operands = "[WORKLOAD | bound | calibrate]",
	.operands_max = 1,
	.about =
		"A tick is a nanosecond.  The same seed gives the same bytes, on any machine.\n"
		"\n"
		"  bound      the c of T_P <= T1/P + c Tinf, over fork-join programs and workers\n"
		"  calibrate  simulated times beside those of a run of skua bench, --costs=FILE\n"
		"\n"
		"Exit status: 0 done, 1 calibrate: further off than allowed, 2 usage, 3 a file\n"
		"could not be read or written, or the simulation ran out of memory.\n"
		"\n"
		"Examples:\n"
		"  skua sim                               the comparison of the textbooks\n"
		"  skua sim --svg=figure.svg              and as a picture\n"
		"  skua sim tree:20 --workers=1..10^6 --scheduler=skua --runs=1\n"
		"  skua sim bag:100k,leaf=100 --scheduler=steal-one,steal-half --detail\n"
		"  skua bench cores fib:32 fib:40 nqueens uts:T1 uts:T3 cilksort deque latency \\\n"
		"      --workers=1,2 --json >bench.json; skua sim calibrate --costs=bench.json\n"
		"\n"
		"The manual is skua-sim(1).\n",
	.run = sim_command,
};
