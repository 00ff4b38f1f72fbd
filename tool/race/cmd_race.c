/* SPDX-License-Identifier: MIT */
/* cmd_race.c — `skua race`: skua and pools of other designs, with the same jobs, in one run */
#include "args.h"
#include "bench/bench.h"
#include "bench/others.h"
#include "json.h"
#include "output.h"
#include "race/race.h"

#include <skua/skua.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#define ROUNDS	   11 /* odd, so that the median is a measurement */
#define SHAPES_MAX 64

struct race_options {
	const char *rivals, *workers;
	uint64_t jobs, repeat, seed;
	bool is_list, is_json, is_csv;
};

/* On a terminal, and only when it takes long enough to wonder. */
static void show_progress(const char *shape, unsigned done, unsigned rounds)
{
	static int64_t start;
	static bool is_shown;
	int64_t now = sample_clock_ns();

	if (!isatty(STDERR_FILENO))
		return;
	if (!start)
		start = now;
	if (done == rounds) {
		if (is_shown)
			fprintf(stderr, "\r%40s\r", "");
		is_shown = false;
	} else if (now - start > 500000000) {
		fprintf(stderr, "\rskua race: %.10s %u/%u  ", shape, done, rounds);
		is_shown = true;
	}
}

/* Without --workers: as many as a pool would have. */
static void default_workers(struct race_plan *plan)
{
	struct skua_machine machine = { .size = sizeof(machine) };

	if (plan->counts)
		return;
	plan->counts = 1;
	plan->workers[0] = 1;
	if (!skua_machine_read(&machine, NULL))
		plan->workers[0] = machine.workers < RACE_WORKERS_MAX ? machine.workers
								      : RACE_WORKERS_MAX;
}

/* Tell what went wrong; the exit status. */
static int complain(const struct race_result *result)
{
	unsigned failed = 0;
	int status = STATUS_DONE;

	for (unsigned i = 0; i < result->row_count; i++) {
		const struct race_row *row = &result->rows[i];
		if (row->failed) {
			failed++;
			fprintf(stderr,
				"skua race: %s: left out %s with %u workers: %s; try fewer "
				"--workers\n",
				result->shape->name, race_row_name(row), row->workers, row->failed);
		} else if (!row->check) {
			status = STATUS_PARTLY;
			fprintf(stderr,
				"skua race: %s: %s with %u workers lost %u jobs, ran %u twice and "
				"gave %u wrong results; please report this\n",
				result->shape->name, race_row_name(row), row->workers,
				row->worst.lost, row->worst.twice, row->worst.wrong);
		}
	}
	if (failed)
		status = failed + 1 == result->row_count ? STATUS_FAULT : STATUS_PARTLY;
	return status;
}

static void show(const struct race_plan *plan, const struct race_options *options,
		 struct json *json, const struct race_result *result)
{
	if (options->is_json)
		race_json(json, result);
	else if (options->is_csv)
		race_csv(result);
	for (unsigned i = 0; i < plan->counts && !options->is_json && !options->is_csv; i++)
		race_text(result, plan->workers[i]);
}

static void start_output(const struct race_plan *plan, const struct race_options *options,
			 struct json *json)
{
	if (options->is_csv)
		race_csv_title();
	if (!options->is_json)
		return;
	json_object(json, NULL);
	json_text(json, "schema", "skua-race-1");
	json_text(json, "skua_version", skua_version_text());
	json_count(json, "seed", plan->seed);
	json_count(json, "repeat", plan->repeat);
	json_array(json, "shapes");
}

static void end_output(const struct race_plan *plan, const struct race_options *options,
		       struct json *json, bool is_right, double other_cpus)
{
	if (options->is_json) {
		json_close(json); /* shapes */
		if (other_cpus >= 0)
			json_real(json, "other_cpus", other_cpus);
		else
			json_null(json, "other_cpus");
		json_close(json);
	} else if (!options->is_csv) {
		race_text_end(plan, is_right);
		bench_busy(other_cpus);
	}
}

static int run_shapes(const struct race_plan *plan, const struct race_options *options,
		      const struct shape **chosen, unsigned count)
{
	struct json json = { 0 };
	struct others others = others_start();
	int worst = STATUS_DONE;

	start_output(plan, options, &json);
	for (unsigned i = 0; i < count; i++) {
		struct race_result result;
		int status = STATUS_FAULT;

		if (race_run(plan, chosen[i], &result)) {
			show(plan, options, &json, &result);
			status = complain(&result);
			race_free(&result);
		} else {
			fprintf(stderr,
				"skua race: cannot race %s: not enough memory; try fewer --jobs\n",
				chosen[i]->name);
		}
		worst = status > worst ? status : worst;
	}
	end_output(plan, options, &json, worst == STATUS_DONE, others_since(&others));
	return worst;
}

static int race_command(struct call *call)
{
	struct race_options options = { .repeat = ROUNDS, .seed = 1 };
	struct race_plan plan = { .progress = show_progress };
	const struct shape *chosen[SHAPES_MAX];
	unsigned count;
	int status = args_parse(call, &options);

	if (status == ARGS_GO)
		status = race_read_rivals(call, options.rivals, &plan);
	if (status == ARGS_GO)
		status = race_read_workers(call, options.workers, &plan);
	if (status == ARGS_GO)
		status = race_read_shapes(call, chosen, &count);
	if (status == ARGS_GO && options.is_json && options.is_csv)
		status = args_blame(call, NULL, "choose one of them",
				    "--json and --csv exclude each other");
	if (status != ARGS_GO)
		return status;
	if (options.is_list) {
		race_list();
		return STATUS_DONE;
	}
	plan.jobs = (uint32_t)options.jobs;
	plan.repeat = (unsigned)options.repeat;
	plan.seed = options.seed;
	default_workers(&plan);
	return run_shapes(&plan, &options, chosen, count);
}

static const struct arg_option race_option_table[] = {
	{ .name = "rivals",
	  .kind = ARG_WORD,
	  .value = "LIST",
	  .role = "only these: skua,shared_queue",
	  .offset = offsetof(struct race_options, rivals) },
	{ .name = "workers",
	  .kind = ARG_WORD,
	  .value = "N",
	  .role = "threads of each pool; or several to compare: 1,2,4",
	  .offset = offsetof(struct race_options, workers) },
	{ .name = "jobs",
	  .kind = ARG_NUMBER,
	  .value = "N",
	  .role = "so many jobs of each shape",
	  .least = 1,
	  .most = RACE_JOBS_MAX,
	  .offset = offsetof(struct race_options, jobs) },
	{ .name = "repeat",
	  .kind = ARG_NUMBER,
	  .value = "R",
	  .role = "rounds; each measures everything once",
	  .least = 1,
	  .most = SAMPLES_MAX,
	  .offset = offsetof(struct race_options, repeat) },
	{ .name = "seed",
	  .kind = ARG_NUMBER,
	  .value = "S",
	  .role = "of the order of runs and the sizes of jobs",
	  .most = UINT64_MAX,
	  .offset = offsetof(struct race_options, seed) },
	{ .name = "list",
	  .kind = ARG_FLAG,
	  .role = "name the shapes and the rivals, and stop",
	  .offset = offsetof(struct race_options, is_list) },
	{ .name = "json",
	  .kind = ARG_FLAG,
	  .role = "print JSON instead, schema skua-race-1",
	  .offset = offsetof(struct race_options, is_json) },
	{ .name = "csv",
	  .kind = ARG_FLAG,
	  .role = "print CSV instead, a line for each round",
	  .offset = offsetof(struct race_options, is_csv) },
	{ .name = NULL },
};

const struct command command_race = {
	.name = "race",
	.role = "Race skua against pools of other designs, results checked",
	.options = race_option_table,
	.operands = "[SHAPE...]",
	.operands_max = SHAPES_MAX,
	.about =
		"A shape is a kind of work; without any all of them run, for about half a minute.\n"
		"The serial loop and every pool are measured in turn, round by round, in random\n"
		"order, and the medians are compared.\n"
		"\n"
		"Exit status: 0 done and right, 1 a result was wrong or a rival was left out,\n"
		"2 usage, 3 nothing could be measured or written.\n"
		"\n"
		"Examples:\n"
		"  skua race skewed tiny                  where stealing should shine\n"
		"  skua race tiny --rivals=skua,skua_one  half at a time, or one by one\n"
		"\n"
		"The manual is skua-race(1).\n",
	.run = race_command,
};
