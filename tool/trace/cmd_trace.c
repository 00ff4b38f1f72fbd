/* SPDX-License-Identifier: MIT */
/* cmd_trace.c — `skua trace`: what a recorded trace says, checked, listed or converted */
#include "args.h"
#include "text.h"
#include "trace/trace_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_MAX 1000000000

/* An action, and which options go with it. */
struct trace_action {
	const char *name;
	int (*run)(const struct trace_call *call);
	bool has_json, has_output, has_check, has_most;
};

static const struct trace_action actions[] = {
	{ "summary", trace_summary, .has_json = true, .has_most = true },
	{ "check", trace_check, .has_json = true, .has_check = true, .has_most = true },
	{ "convert", trace_convert, .has_output = true },
	{ "list", trace_list, .has_json = false },
};

#define ACTION_COUNT (sizeof(actions) / sizeof(*actions))

int trace_no_memory(const char *path)
{
	fprintf(stderr, "skua trace: not enough memory for %s; try a shorter trace\n",
		text_clean(path, 0).s);
	return STATUS_FAULT;
}

static int find_action(const struct call *call, const struct trace_action **action)
{
	const char *word = call->operands[0];
	struct nearest nearest = { .word = word };
	char hint[80];

	for (size_t i = 0; i < ACTION_COUNT; i++) {
		nearest_offer(&nearest, actions[i].name);
		if (strcmp(actions[i].name, word) == 0) {
			*action = &actions[i];
			return ARGS_GO;
		}
	}
	if (access(word, F_OK) == 0)
		snprintf(hint, sizeof(hint),
			 "that is a file: say first what to do with it, such as summary");
	else if (nearest.best)
		snprintf(hint, sizeof(hint), "did you mean %s?", nearest.best);
	else
		snprintf(hint, sizeof(hint), "expected summary, check, convert or list");
	return args_blame(call, word, hint, "there is nothing called '%s' to do with a trace",
			  text_clean(word, 60).s);
}

static int check_options(const struct call *call, const struct trace_action *action,
			 const struct trace_options *options)
{
	if (options->is_json && !action->has_json)
		return args_blame(call, NULL, "--json goes with summary and check",
				  "%s does not print JSON", action->name);
	if ((options->output || options->format_word) && !action->has_output)
		return args_blame(call, NULL, "--output and --format go with convert",
				  "%s writes no file", action->name);
	if ((options->bound_ns || options->is_whole) && !action->has_check)
		return args_blame(call, NULL, "--bound and --whole go with check",
				  "%s checks nothing", action->name);
	if (options->most && !action->has_most)
		return args_blame(call, NULL, "--most goes with summary and check",
				  "%s leaves nothing out", action->name);
	if (action->has_output && !options->output)
		return args_blame(call, NULL, "add -o OUT, such as -o trace.pftrace",
				  "where the result goes is missing");
	return ARGS_GO;
}

static bool ends_in(const char *word, const char *ending)
{
	size_t length = strlen(word), least = strlen(ending);

	return length > least && strcmp(word + length - least, ending) == 0;
}

/* As told, or by the name of the file. */
static int choose_format(const struct call *call, struct trace_options *options)
{
	static const struct {
		const char *name, *ending;
		enum trace_format format;
	} formats[] = { { "perfetto", ".pftrace", TRACE_PERFETTO },
			{ "chrome", ".json", TRACE_CHROME } };
	const char *word = options->format_word;

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (word ? strcmp(word, formats[i].name) == 0
			 : ends_in(options->output, formats[i].ending))
			options->format = formats[i].format;
	if (word && options->format == TRACE_FORMAT_UNSAID)
		return args_blame(call, word, "expected perfetto or chrome",
				  "there is no format '%s'", text_clean(word, 40).s);
	if (options->format == TRACE_FORMAT_UNSAID)
		return args_blame(call, options->output,
				  "add --format=perfetto or --format=chrome, or end it in .pftrace "
				  "or .json",
				  "the name does not tell the format");
	if (options->format == TRACE_PERFETTO && strcmp(options->output, "-") == 0 &&
	    isatty(STDOUT_FILENO))
		return args_blame(call, options->output, "send it to a file: -o trace.pftrace",
				  "Perfetto's format is nothing for a terminal");
	return ARGS_GO;
}

/* "10ms": a whole number, with us, ms or s behind it. */
static int take_bound(const struct call *call, const struct arg_option *option, void *values,
		      const char *value)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	struct trace_options *options = values;
	size_t digits = strspn(value, "0123456789");
	uint64_t number = digits && digits < 10 ? strtoull(value, NULL, 10) : 0;

	for (size_t i = 0; i < 3 && number; i++) {
		if (strcmp(value + digits, units[i].name) == 0) {
			options->bound_ns = number * units[i].ns;
			return ARGS_GO;
		}
	}
	return args_blame(call, value, "expected a number with us, ms or s behind it: 10ms",
			  "--%s=%s is no time", option->name, text_clean(value, 40).s);
}

static int trace_command(struct call *call)
{
	struct trace_options options = { 0 };
	const struct trace_action *action = NULL;
	struct trace trace;
	int status = args_parse(call, &options);

	if (status == ARGS_GO)
		status = find_action(call, &action);
	if (status == ARGS_GO && call->operand_count < 2)
		status = args_blame(call, NULL, "SKUA_TRACE=file records one; - is standard input",
				    "the file of the trace is missing");
	if (status == ARGS_GO)
		status = check_options(call, action, &options);
	if (status == ARGS_GO && action->has_output)
		status = choose_format(call, &options);
	if (status != ARGS_GO)
		return status;
	if (!trace_load(&trace, call->operands[1], call->command->name))
		return STATUS_FAULT;
	struct trace_call asked = { call->operands[1], &trace, &options };
	status = action->run(&asked);
	if (trace.is_truncated && status <= STATUS_PARTLY) {
		fprintf(stderr,
			"skua trace: %s is cut short: this is what is in it; record it again where "
			"there is room\n",
			text_clean(asked.path, 0).s);
		status = STATUS_PARTLY;
	}
	trace_drop(&trace);
	return status;
}

static const struct arg_option trace_option_table[] = {
	{ .name = "json",
	  .kind = ARG_FLAG,
	  .role = "summary, check: print JSON instead",
	  .offset = offsetof(struct trace_options, is_json) },
	{ .name = "most",
	  .kind = ARG_NUMBER,
	  .value = "N",
	  .role = "check: show N violations; summary: N names of tasks",
	  .least = 1,
	  .most = MOST_MAX,
	  .offset = offsetof(struct trace_options, most) },
	{ .name = "bound",
	  .kind = ARG_CALL,
	  .value = "TIME",
	  .role = "check: how long work may wait beside a sleeper, 10ms",
	  .take = take_bound },
	{ .name = "whole",
	  .kind = ARG_FLAG,
	  .role = "check: nothing may be open at the start or the end",
	  .offset = offsetof(struct trace_options, is_whole) },
	{ .name = "output",
	  .letter = 'o',
	  .kind = ARG_WORD,
	  .value = "OUT",
	  .role = "convert: to this file; - is standard output",
	  .offset = offsetof(struct trace_options, output) },
	{ .name = "format",
	  .kind = ARG_WORD,
	  .value = "NAME",
	  .role = "convert: perfetto or chrome; else by the end of OUT",
	  .offset = offsetof(struct trace_options, format_word) },
	{ .name = NULL },
};

const struct command command_trace = {
	.name = "trace",
	.role = "Say what a recorded trace shows; check, list or convert it",
	.options = trace_option_table,
	.operands = "ACTION FILE",
	.operands_min = 1,
	.operands_max = 2,
	.about = "A program that runs with SKUA_TRACE=FILE in its environment records one.\n"
		 "\n"
		 "  summary  who ran, slept, stole and waited, and what is amiss, in words\n"
		 "  check    what must be true of every trace; exit 1 where it is not\n"
		 "  convert  for ui.perfetto.dev (OUT.pftrace) or Chrome (OUT.json)\n"
		 "  list     every record as a line of text, in the order of time\n"
		 "\n"
		 "Exit status: 0 done, 1 a violation, or the file is cut short, 2 usage, 3 the\n"
		 "file could not be read or the output not be written.\n"
		 "\n"
		 "Examples:\n"
		 "  skua trace summary run.trace\n"
		 "  skua trace convert run.trace -o run.pftrace\n"
		 "\n"
		 "The manual is skua-trace(1).\n",
	.run = trace_command,
};
