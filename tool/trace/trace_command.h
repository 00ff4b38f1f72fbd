/* SPDX-License-Identifier: MIT */
/* trace_command.h — what `skua trace` was asked for, and its four actions */
#ifndef SKUAT_TRACE_COMMAND_H
#define SKUAT_TRACE_COMMAND_H

#include "command.h"
#include "trace/trace_read.h"

#define TRACE_BOUND_NS	 10000000 /* that work may wait beside a sleeper: 10 ms */
#define TRACE_CHECK_MOST 20	  /* violations that are shown */
#define TRACE_TASK_MOST	 10	  /* names of tasks, and pairs of a large matrix */

enum trace_format {
	TRACE_FORMAT_UNSAID,
	TRACE_PERFETTO,
	TRACE_CHROME,
};

struct trace_options {
	bool is_json, is_whole;
	const char *output, *format_word;
	enum trace_format format;
	uint64_t most;	   /* 0: not said */
	uint64_t bound_ns; /* 0: not said */
};

/* What an action is given; the status it ends with. */
struct trace_call {
	const char *path;
	const struct trace *trace;
	const struct trace_options *options;
};

int trace_summary(const struct trace_call *call);
int trace_convert(const struct trace_call *call);
int trace_check(const struct trace_call *call);
int trace_list(const struct trace_call *call);

/* The two forms of a summary. */
struct summary;
void summary_text(const struct summary *summary, const struct trace_call *call);
void summary_json(const struct summary *summary, const struct trace_call *call);

/* Say on standard error that there is no memory; STATUS_FAULT. */
int trace_no_memory(const char *path);

/* "12.3 us", by value */
struct trace_time {
	char s[32];
};
struct trace_time trace_time(uint64_t ns);

#endif
