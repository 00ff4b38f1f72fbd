/* SPDX-License-Identifier: MIT */
/* fuzz_trace.c — the reader of traces, fed anything, also as a ring of a good file */
#include "trace/trace_check.h"
#include "trace/trace_sink.h"
#include "trace/trace_sum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONVERTED 16 /* one in so many: that takes ten times as long as the rest */

/* A broken promise aborts. */
#define PROMISE(claim) ((claim) ? (void)0 : abort())

static void hear_violation(void *context, const struct violation *violation)
{
	(void)context;
	PROMISE(violation->rule && violation->text[0]);
}

static void say_warning(void *context, const char *text)
{
	(void)context;
	PROMISE(text[0]);
}

static void convert(const struct trace *trace)
{
	static FILE *nowhere;

	if (!nowhere)
		nowhere = fopen("/dev/null", "wb");
	PROMISE(nowhere);
	struct trace_sink sink = { .file = { .to = nowhere } };
	PROMISE(trace_write_perfetto(trace, &sink) == 0);
	PROMISE(trace_write_chrome(trace, &sink) == 0 && !sink.error);
}

static void use_trace(const struct trace *trace)
{
	struct summary summary;
	struct check check = { .trace = trace, .bound_ns = 1, .most = 2, .hear = hear_violation };

	PROMISE(summary_make(&summary, trace));
	for (size_t i = 0; i < trace->ring_count; i++) {
		uint64_t sum = 0;
		for (unsigned state = 0; state < STATE_COUNT; state++)
			sum += summary.workers[i].ns[state];
		PROMISE(summary.workers[i].is_outside || sum == trace_length(trace));
	}
	summary_warn(&summary, say_warning, NULL);
	summary_drop(&summary);
	PROMISE(check_trace(&check));
}

static void read_once(const uint8_t *data, size_t size)
{
	struct trace trace;
	struct trace_fault fault = { 0 };
	uint8_t *copy = malloc(size ? size : 1); /* of exactly this length: one too far is seen */

	PROMISE(copy);
	if (size)
		memcpy(copy, data, size);
	if (trace_parse(&trace, copy, size, &fault)) {
		PROMISE(trace.records <= size / 16 && trace.name_count <= size / 8);
		use_trace(&trace);
		if (data[size - 1] % CONVERTED == 0)
			convert(&trace);
		trace_drop(&trace);
	} else {
		PROMISE(fault.what[0] && fault.at <= size);
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As a whole file, and as the records of a ring of one that is good otherwise. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct skuai_trace_header header = { .magic = SKUAI_TRACE_MAGIC,
					     .version = SKUAI_TRACE_VERSION,
					     .bytes = sizeof(header),
					     .workers = 3,
					     .end_ns = 1000000,
					     .end_ticks = 3000000 };
	struct skuai_trace_section section = { SKUAI_TRACE_RING, 1, 16 + size / 16 * 16 };
	struct skuai_trace_ring ring = { size / 16, 0 };
	size_t heads = sizeof(header) + sizeof(section) + sizeof(ring);
	uint8_t *file = malloc(heads + size);

	PROMISE(file);
	read_once(data, size);
	memcpy(file, &header, sizeof(header));
	memcpy(file + sizeof(header), &section, sizeof(section));
	memcpy(file + sizeof(header) + sizeof(section), &ring, sizeof(ring));
	if (size)
		memcpy(file + heads, data, size);
	read_once(file, heads + size / 16 * 16);
	free(file);
	return 0;
}
