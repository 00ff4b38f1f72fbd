/* SPDX-License-Identifier: MIT */
/* trace_sink.h — where a converted trace goes: a file that appears whole, or standard output */
#ifndef SKUAT_TRACE_SINK_H
#define SKUAT_TRACE_SINK_H

#include "whole_file.h"

#include <stddef.h>

struct trace_sink {
	struct whole_file file; /* not open: standard output */
	int error;		/* errno of the first write that failed */
};

/* "-" is standard output.  0, or an errno. */
int trace_sink_open(struct trace_sink *sink, const char *path);

/* The file appears under its name, unless something failed: then nothing is left.  0 or errno. */
int trace_sink_close(struct trace_sink *sink);

void trace_sink_bytes(struct trace_sink *sink, const void *bytes, size_t count);
__attribute__((format(printf, 2, 3))) void trace_sink_print(struct trace_sink *sink,
							    const char *format, ...);

/* The two formats.  Whether everything was written is told by closing. */
struct trace;
#define TRACE_NO_MEMORY (-1)
int trace_write_perfetto(const struct trace *trace, struct trace_sink *sink);
int trace_write_chrome(const struct trace *trace, struct trace_sink *sink);

#endif
