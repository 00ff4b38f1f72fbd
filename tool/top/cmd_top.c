/* SPDX-License-Identifier: MIT */
/* cmd_top.c — `skua top`: what the workers of a running program do */
#include "args.h"
#include "top/top.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INTERVAL_S  0.5
#define LISTED_MOST 256

struct top_options {
	double interval_s;
	uint64_t count;
	bool is_once, is_plain, is_json;
};

static int take_interval(const struct call *call, const struct arg_option *option, void *values,
			 const char *value)
{
	struct top_options *options = values;
	char *end;
	double seconds = strtod(value, &end);

	(void)option;
	if (end == value || *end || strspn(value, "0123456789.") != strlen(value) ||
	    !isfinite(seconds) || seconds < 0.1 || seconds > 3600)
		return args_blame(call, value, "for example --interval=2",
				  "--interval wants seconds, 0.1 to 3600");
	options->interval_s = seconds;
	return ARGS_GO;
}

static int list_processes(const struct top_options *options)
{
	struct live_process *processes;
	unsigned removed;
	int count = live_list(&processes, LISTED_MOST, &removed);

	if (count < 0) {
		fprintf(stderr, "skua top: not enough memory to list processes\n");
		free(processes);
		return STATUS_FAULT;
	}
	if (options->is_json)
		top_list_json(processes, (unsigned)count, removed);
	else
		top_list_text(processes, (unsigned)count, removed);
	for (int i = 0; i < count; i++)
		live_forget(&processes[i]);
	free(processes);
	return STATUS_DONE;
}

static int top_run(struct call *call)
{
	struct top_options options = { .interval_s = INTERVAL_S };
	int status = args_parse(call, &options);

	if (status != ARGS_GO)
		return status;
	if (call->operand_count == 0)
		return list_processes(&options);
	const char *word = call->operands[0];
	size_t digits = strspn(word, "0123456789");
	if (!digits || word[digits] || digits > 9 || strtoul(word, NULL, 10) == 0)
		return args_blame(call, word, "'skua top' alone lists the processes to look at",
				  "PID must be the number of a process");
	struct top_watch watch = {
		.process = (unsigned)strtoul(word, NULL, 10),
		.interval_s = options.interval_s,
		.count = options.is_once ? 1 : options.count,
		.is_plain = options.is_plain,
		.is_json = options.is_json,
		.is_once = options.is_once,
	};
	return top_watch(&watch);
}

static const struct arg_option top_option_table[] = {
	{ .name = "interval",
	  .letter = 'i',
	  .kind = ARG_CALL,
	  .value = "SECONDS",
	  .role = "show it anew so often; 0.5 by default",
	  .take = take_interval },
	{ .name = "count",
	  .letter = 'n',
	  .kind = ARG_NUMBER,
	  .value = "N",
	  .role = "show it N times, then end",
	  .least = 1,
	  .most = UINT64_MAX,
	  .offset = offsetof(struct top_options, count) },
	{ .name = "once",
	  .letter = '1',
	  .kind = ARG_FLAG,
	  .role = "show one interval, then end",
	  .offset = offsetof(struct top_options, is_once) },
	{ .name = "plain",
	  .kind = ARG_FLAG,
	  .role = "one block after the other, on a terminal too",
	  .offset = offsetof(struct top_options, is_plain) },
	{ .name = "json",
	  .kind = ARG_FLAG,
	  .role = "a line of JSON each time, or with --once one object",
	  .offset = offsetof(struct top_options, is_json) },
	{ .name = NULL },
};

const struct command command_top = {
	.name = "top",
	.role = "Watch the workers of a running program",
	.options = top_option_table,
	.operands = "[PID]",
	.operands_max = 1,
	.about = "Without PID: the processes of this user that can be watched, those with\n"
		 "SKUA_MONITOR=1 in their environment or a call of skua_monitor_begin.\n"
		 "\n"
		 "Exit status: 0 shown until it or the user had enough, 2 usage, 3 there is\n"
		 "nothing to be seen of that process.\n"
		 "\n"
		 "The manual is skua-top(1), the JSON is described in docs/json.md.\n",
	.run = top_run,
};
