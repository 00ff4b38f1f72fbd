/* SPDX-License-Identifier: MIT */
/* cmd_bench.c — `skua bench`: kernels against their plain serial version, in one run */
#include "args.h"
#include "bench/bench.h"
#include "bench/choice.h"
#include "bench/others.h"
#include "bench/verdict.h"
#include "json.h"
#include "output.h"
#include "text.h"

#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bench_options {
	const char *workers;
	uint64_t repeat, threshold;
	bool is_large, is_json, is_list, is_compare;
};

#define THRESHOLD_USUAL 3 /* per cent; what a machine makes of a difference by itself */
#define THRESHOLD_MOST	1000
#define NOT_GIVEN	UINT64_MAX

/* What has been shown, and how it went. */
struct bench_output {
	struct json *json; /* NULL: for people */
	bool has_any;	   /* something was shown */
	bool has_rows;	   /* the table of programs is begun */
	bool is_right;	   /* every row of it */
	int worst;	   /* exit status */
};

/* On a terminal, and only when it takes long enough to wonder. */
static void show_progress(const char *kernel, unsigned done, unsigned rounds)
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
		fprintf(stderr, "\rskua bench: %.20s %u/%u  ", kernel, done, rounds);
		is_shown = true;
	}
}

/* "2", or "1,2,16" */
static int read_workers(const struct call *call, const char *word, struct bench_plan *plan)
{
	char hint[80];

	for (const char *at = word;;) {
		size_t digits = strspn(at, "0123456789");
		unsigned long n = digits && digits <= 4 ? strtoul(at, NULL, 10) : 0;

		if (n < 1 || n > WORKERS_MAX || (at[digits] && at[digits] != ',')) {
			snprintf(hint, sizeof(hint),
				 "expected a whole number, 1..%u, or several: 1,2,4", WORKERS_MAX);
			return args_blame(call, word, hint, "--workers=%s is out of range",
					  text_clean(word, 40).s);
		}
		if (plan->counts == WORKER_COUNTS_MAX) {
			snprintf(hint, sizeof(hint), "at most %u at a time", WORKER_COUNTS_MAX);
			return args_blame(call, word, hint, "--workers has too many numbers");
		}
		plan->workers[plan->counts++] = (unsigned)n;
		if (!at[digits])
			return ARGS_GO;
		at += digits + 1;
	}
}

static void show(struct bench_output *output, const struct choice *choice,
		 const struct bench_result *result, bool is_first)
{
	if (output->json) {
		bench_json(output->json, result);
	} else if (choice->kernel) {
		if (output->has_rows)
			bench_rows_end(output->is_right);
		if (output->has_any)
			out("\n");
		output->has_rows = false;
		bench_text(result);
	} else {
		if (output->has_any && !output->has_rows)
			out("\n");
		if (!output->has_rows) {
			bench_rows_title();
			output->is_right = true;
		}
		output->has_rows = true;
		output->is_right &= result->check;
		bench_row(result, is_first);
	}
	output->has_any = true;
	if (!result->check)
		fprintf(stderr, "skua bench: %s gave a wrong result\n", result->name);
	if (result->skipped)
		fprintf(stderr, "skua bench: %s: left out %s\n", result->name, result->skipped);
	if ((!result->check || result->skipped) && output->worst < STATUS_PARTLY)
		output->worst = STATUS_PARTLY;
}

/* Measure one and show it. */
static void run_choice(const struct choice *choice, const struct bench_plan *plan,
		       struct bench_output *output)
{
	unsigned counts = plan->counts ? plan->counts : 1, i = 0;
	struct bench_result *results = calloc(counts, sizeof(*results));
	bool is_done = true;

	if (!results) {
		fprintf(stderr, "skua bench: not enough memory for the measurements\n");
		output->worst = STATUS_FAULT;
		return;
	}
	for (; i < counts; i++) {
		results[i].name = choice_name(choice);
		results[i].role = choice_role(choice);
		results[i].check = results[i].has_ratio = true;
	}
	if (choice->work)
		is_done = measure_work(plan, choice->work, choice->problem, results);
	for (i = 0; i < counts && is_done; i++) {
		if (choice->kernel)
			is_done = choice->kernel->run(plan, plan->workers[i], &results[i]);
		if (is_done)
			show(output, choice, &results[i], i == 0);
	}
	if (!is_done) {
		fprintf(stderr, "skua bench: cannot measure %s: %s\n", choice_name(choice),
			results[choice->kernel ? i - 1 : 0].failed);
		output->worst = STATUS_FAULT;
	}
	free(results);
}

static void start_json(struct json *json, const struct bench_plan *plan)
{
	json_object(json, NULL);
	json_text(json, "schema", "skua-bench-1");
	json_text(json, "skua_version", skua_version_text());
	json_count(json, "repeat", plan->repeat);
	json_array(json, "kernels");
}

static void end_json(struct json *json, double other_cpus)
{
	json_close(json); /* kernels */
	if (other_cpus >= 0)
		json_real(json, "other_cpus", other_cpus);
	else
		json_null(json, "other_cpus");
	json_close(json);
}

/* The word of the command line that gave an option. */
static const char *find_word(const struct call *call, const char *option)
{
	for (int i = call->first; i < call->argc; i++) {
		if (strncmp(call->argv[i], option, strlen(option)) == 0)
			return call->argv[i];
	}
	return NULL;
}

static int run_compare(const struct call *call, const struct bench_options *options)
{
	const char *other = options->workers	? "--workers"
			    : options->repeat	? "--repeat"
			    : options->is_large ? "--large"
			    : options->is_list	? "--list"
						: NULL;
	uint64_t percent = options->threshold == NOT_GIVEN ? THRESHOLD_USUAL : options->threshold;

	if (other)
		return args_blame(call, find_word(call, other), "leave it out",
				  "--compare measures nothing, so %s has no meaning", other);
	if (call->operand_count != 2)
		return args_blame(call, call->operand_count > 2 ? call->operands[2] : NULL,
				  "expected --compare OLD NEW, both written by 'skua bench --json'",
				  "--compare needs two files");
	return compare_files(call->operands[0], call->operands[1], (double)percent / 100,
			     options->is_json);
}

static int bench_run(struct call *call)
{
	struct bench_options options = { .threshold = NOT_GIVEN };
	struct bench_plan plan = { .progress = show_progress };
	struct json json = { 0 };
	struct bench_output output = { 0 };
	int status = args_parse(call, &options);
	unsigned count;

	if (status == ARGS_GO && options.is_compare)
		return run_compare(call, &options);
	if (status == ARGS_GO && options.threshold != NOT_GIVEN)
		return args_blame(call, find_word(call, "--threshold"), "add --compare OLD NEW",
				  "--threshold goes with --compare");
	if (status == ARGS_GO && options.workers)
		status = read_workers(call, options.workers, &plan);
	if (status != ARGS_GO)
		return status;
	plan.repeat = (unsigned)options.repeat;
	plan.is_quick = call->operand_count == 0;
	struct choice *choices = choose(call, options.is_large, &count, &status);
	if (!choices)
		return status;
	if (options.is_list) {
		choice_list();
		free(choices);
		return STATUS_DONE;
	}
	if (options.is_json) {
		output.json = &json;
		start_json(&json, &plan);
	}
	struct others others = others_start();
	for (unsigned i = 0; i < count; i++)
		run_choice(&choices[i], &plan, &output);
	double other_cpus = others_since(&others);
	if (output.has_rows)
		bench_rows_end(output.is_right);
	if (options.is_json)
		end_json(&json, other_cpus);
	else
		bench_busy(other_cpus);
	free(choices);
	return output.worst;
}

static const struct arg_option bench_option_table[] = {
	{ .name = "workers",
	  .kind = ARG_WORD,
	  .value = "N",
	  .role = "threads, the caller included; or several to compare: 1,2,4",
	  .offset = offsetof(struct bench_options, workers) },
	{ .name = "repeat",
	  .kind = ARG_NUMBER,
	  .value = "R",
	  .role = "rounds; each measures everything once",
	  .least = 1,
	  .most = SAMPLES_MAX,
	  .offset = offsetof(struct bench_options, repeat) },
	{ .name = "large",
	  .kind = ARG_FLAG,
	  .role = "the large sizes too: minutes each",
	  .offset = offsetof(struct bench_options, is_large) },
	{ .name = "list",
	  .kind = ARG_FLAG,
	  .role = "name the kernels and their sizes, and stop",
	  .offset = offsetof(struct bench_options, is_list) },
	{ .name = "compare",
	  .kind = ARG_FLAG,
	  .role = "OLD NEW: measure nothing, say what became slower",
	  .offset = offsetof(struct bench_options, is_compare) },
	{ .name = "threshold",
	  .kind = ARG_NUMBER,
	  .value = "P",
	  .role = "of --compare: P per cent are no difference; without it 3",
	  .least = 0,
	  .most = THRESHOLD_MOST,
	  .offset = offsetof(struct bench_options, threshold) },
	{ .name = "json",
	  .kind = ARG_FLAG,
	  .role = "print JSON instead, schema skua-bench-1 or skua-compare-1",
	  .offset = offsetof(struct bench_options, is_json) },
	{ .name = NULL },
};

const struct command command_bench = {
	.name = "bench",
	.role = "Measure skua against plain serial code, results checked",
	.options = bench_option_table,
	.operands = "[K...]",
	.operands_max = 64,
	.about =
		"K is the name of a kernel, or NAME:SIZE.  Without any all of them run, for about\n"
		"a minute.  Everything is measured in turn, round by round, and the medians are\n"
		"compared.\n"
		"\n"
		"With --compare the operands are two files that 'skua bench --json' wrote.\n"
		"\n"
		"Exit status: 0 done and right, 1 a result was wrong or something was left out,\n"
		"or became slower, 2 usage, 3 it could not be measured, read or written.\n"
		"\n"
		"Examples:\n"
		"  skua bench fib uts:T3 --workers=1,2    speed-up of two workers over one\n"
		"  skua bench deque --workers=1           the deque: push, pop, steal, growth\n"
		"  skua bench --compare old.json new.json what became slower\n"
		"\n"
		"The manual is skua-bench(1).\n",
	.run = bench_run,
};
