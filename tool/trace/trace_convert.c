/* SPDX-License-Identifier: MIT */
/* trace_convert.c — `skua trace convert`: into a format that viewers open */
#include "text.h"
#include "trace/trace_command.h"
#include "trace/trace_sink.h"

#include <stdio.h>
#include <string.h>

static int refuse_output(const char *path, int error)
{
	fprintf(stderr, "skua trace: cannot write %s: %s\n", text_clean(path, 0).s,
		strerror(error));
	return STATUS_FAULT;
}

int trace_convert(const struct trace_call *call)
{
	const struct trace_options *options = call->options;
	struct trace_sink sink;

	if (whole_file_is_same(options->output, call->path)) {
		fprintf(stderr, "skua trace: %s is the trace itself; name another file with -o\n",
			text_clean(options->output, 0).s);
		return STATUS_FAULT;
	}
	int error = trace_sink_open(&sink, options->output);
	if (error)
		return refuse_output(options->output, error);
	int written = options->format == TRACE_PERFETTO ? trace_write_perfetto(call->trace, &sink)
							: trace_write_chrome(call->trace, &sink);
	if (written == TRACE_NO_MEMORY)
		sink.error = -1; /* nothing half done appears */
	error = trace_sink_close(&sink);
	if (error > 0)
		return refuse_output(options->output, error);
	return error ? trace_no_memory(call->path) : STATUS_DONE;
}
