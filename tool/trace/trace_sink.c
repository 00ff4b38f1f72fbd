/* SPDX-License-Identifier: MIT */
/* trace_sink.c — where a converted trace goes: a file that appears whole, or standard output */
#include "trace/trace_sink.h"

#include "output.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

int trace_sink_open(struct trace_sink *sink, const char *path)
{
	*sink = (struct trace_sink){ 0 };
	return strcmp(path, "-") == 0 ? 0 : whole_file_open(&sink->file, path);
}

int trace_sink_close(struct trace_sink *sink)
{
	if (sink->file.to)
		sink->error = whole_file_close(&sink->file, sink->error);
	return sink->error;
}

void trace_sink_bytes(struct trace_sink *sink, const void *bytes, size_t count)
{
	if (!sink->file.to)
		out_bytes(bytes, count);
	else if (!sink->error && fwrite(bytes, 1, count, sink->file.to) != count)
		sink->error = errno ? errno : EIO;
}

void trace_sink_print(struct trace_sink *sink, const char *format, ...)
{
	char text[512]; /* of numbers and words of our own; names go by trace_sink_bytes */
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (length > 0)
		trace_sink_bytes(sink, text,
				 (size_t)length < sizeof(text) ? (size_t)length : sizeof(text) - 1);
}
