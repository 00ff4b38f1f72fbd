/* SPDX-License-Identifier: MIT */
/* cmd_bench.c — `skua bench`: kernels against their plain serial version, in one run */
#include "args.h"
#include "bench/bench.h"
#include "json.h"
#include "output.h"
#include "report.h"
#include "text.h"

#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPEAT_USUAL 31 /* odd, so that the median is a measurement; under ten seconds in all */

#define KERNEL_ENTRY(name) &kernel_##name,
static const struct kernel *const kernels[] = { KERNELS(KERNEL_ENTRY) NULL };
#undef KERNEL_ENTRY

struct bench_options {
	uint64_t workers, repeat;
	bool is_json, is_list;
};

static const struct kernel *find_kernel(const char *name)
{
	for (const struct kernel *const *kernel = kernels; *kernel; kernel++) {
		if (strcmp((*kernel)->name, name) == 0)
			return *kernel;
	}
	return NULL;
}

static int kernel_unknown(const struct call *call, const char *word)
{
	struct nearest nearest = { .word = word };
	char hint[80];

	for (const struct kernel *const *kernel = kernels; *kernel; kernel++)
		nearest_offer(&nearest, (*kernel)->name);
	if (nearest.best)
		snprintf(hint, sizeof(hint), "did you mean %s?", nearest.best);
	else
		snprintf(hint, sizeof(hint), "'skua bench --list' names the kernels");
	return args_blame(call, word, hint, "there is no kernel '%s'", text_clean(word, 60).s);
}

/* On a terminal, and only when it takes long enough to wonder. */
static void show_progress(const char *kernel, unsigned done, unsigned rounds)
{
	static int64_t start;
	static bool is_shown;
	int64_t now = sample_clock_ns();

	if (!isatty(STDERR_FILENO))
		return;
	if (done == 1 || !start)
		start = now;
	if (done == rounds) {
		if (is_shown)
			fprintf(stderr, "\r%40s\r", "");
		is_shown = false;
	} else if (now - start > 500000000) {
		fprintf(stderr, "\rskua bench: %.16s %u/%u", kernel, done, rounds);
		is_shown = true;
	}
}

/* Run one and show it; the exit status. */
static int run_kernel(const struct kernel *kernel, const struct bench_plan *plan, struct json *json)
{
	struct bench_result *result = calloc(1, sizeof(*result));
	int status = STATUS_DONE;

	if (!result) {
		fprintf(stderr, "skua bench: not enough memory for the measurements\n");
		return STATUS_FAULT;
	}
	result->check = true;
	if (!kernel->run(plan, result)) {
		fprintf(stderr, "skua bench: cannot measure %s: %s\n", kernel->name,
			result->failed);
		status = STATUS_FAULT;
	} else {
		if (json)
			bench_json(json, kernel, result);
		else
			bench_text(kernel, result);
		if (!result->check)
			fprintf(stderr, "skua bench: %s gave a wrong result\n", kernel->name);
		if (result->skipped)
			fprintf(stderr, "skua bench: %s: left out %s\n", kernel->name,
				result->skipped);
		if (!result->check || result->skipped)
			status = STATUS_PARTLY;
	}
	free(result);
	return status;
}

static int bench_run(struct call *call)
{
	struct bench_options options = { .repeat = REPEAT_USUAL };
	struct json json = { 0 };
	int status = args_parse(call, &options), worst = STATUS_DONE;

	if (status != ARGS_GO)
		return status;
	for (int i = 0; i < call->operand_count; i++) {
		if (!find_kernel(call->operands[i]))
			return kernel_unknown(call, call->operands[i]);
	}
	if (options.is_list) {
		for (const struct kernel *const *kernel = kernels; *kernel; kernel++)
			out("%-12s%s\n", (*kernel)->name, (*kernel)->role);
		return STATUS_DONE;
	}
	struct bench_plan plan = { .workers = (unsigned)options.workers,
				   .repeat = (unsigned)options.repeat,
				   .progress = show_progress };
	if (options.is_json) {
		json_object(&json, NULL);
		json_text(&json, "schema", "skua-bench-1");
		json_text(&json, "skua_version", skua_version_text());
		json_count(&json, "repeat", options.repeat);
		json_array(&json, "kernels");
	}
	int count = call->operand_count;
	for (int i = 0; count ? i < count : kernels[i] != NULL; i++) {
		const struct kernel *kernel = count ? find_kernel(call->operands[i]) : kernels[i];
		if (i && !options.is_json)
			out("\n");
		status = run_kernel(kernel, &plan, options.is_json ? &json : NULL);
		if (status > worst)
			worst = status;
	}
	while (json.depth)
		json_close(&json);
	return worst;
}

static const struct arg_option bench_option_table[] = {
	{ .name = "workers",
	  .kind = ARG_NUMBER,
	  .value = "N",
	  .role = "threads at most, the owner or caller included",
	  .least = 1,
	  .most = 256,
	  .offset = offsetof(struct bench_options, workers) },
	{ .name = "repeat",
	  .kind = ARG_NUMBER,
	  .value = "R",
	  .role = "rounds; each measures everything once (31)",
	  .least = 1,
	  .most = SAMPLES_MAX,
	  .offset = offsetof(struct bench_options, repeat) },
	{ .name = "list",
	  .kind = ARG_FLAG,
	  .role = "name the kernels and stop",
	  .offset = offsetof(struct bench_options, is_list) },
	{ .name = "json",
	  .kind = ARG_FLAG,
	  .role = "print JSON instead, schema skua-bench-1",
	  .offset = offsetof(struct bench_options, is_json) },
	{ .name = NULL },
};

const struct command command_bench = {
	.name = "bench",
	.role = "Measure skua against plain serial code, results checked",
	.options = bench_option_table,
	.operands = "[KERNEL...]",
	.operands_max = 64,
	.about = "Without a KERNEL all of them run.  Everything is measured in turn, round by\n"
		 "round, and the medians compared.\n"
		 "\n"
		 "Exit status: 0 done and right, 1 a result was wrong or something was left out,\n"
		 "2 usage, 3 it could not be measured or written.\n"
		 "\n"
		 "Examples:\n"
		 "  skua bench deque                the deque: push, pop, steal, growth\n"
		 "  skua bench deque --workers=1    without thieves\n"
		 "\n"
		 "The manual is skua-bench(1).\n",
	.run = bench_run,
};
