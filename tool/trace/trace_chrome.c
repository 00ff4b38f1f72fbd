/* SPDX-License-Identifier: MIT */
/* trace_chrome.c — a trace as Chrome JSON: slices nest, times are us from the start */
#include "text.h"
#include "trace/trace_sink.h"
#include "trace/trace_walk.h"

#include <inttypes.h>
#include <string.h>

struct chrome {
	const struct trace *trace;
	struct trace_sink *sink;
	uint64_t flows;
	bool has_events;
};

/* In quotes, and ASCII wherever a reader could stumble. */
static void write_string(struct trace_sink *sink, const char *text)
{
	size_t left = strlen(text);

	trace_sink_bytes(sink, "\"", 1);
	while (left) {
		uint32_t character;
		size_t bytes = text_decode(text, left, &character);

		if (character == TEXT_INVALID)
			trace_sink_bytes(sink, "\\ufffd", 6);
		else if (character == '"' || character == '\\')
			trace_sink_print(sink, "\\%c", (char)character);
		else if (character < 0x20 || (character >= 0x7f && character <= 0x9f) ||
			 character == 0x2028 || character == 0x2029)
			trace_sink_print(sink, "\\u%04" PRIx32, character);
		else
			trace_sink_bytes(sink, text, bytes);
		text += bytes;
		left -= bytes;
	}
	trace_sink_bytes(sink, "\"", 1);
}

/* {"ph":"B","pid":1,"tid":0,"ts":12.345 and what belongs to every event. */
static void begin_event(struct chrome *chrome, char phase, uint32_t worker, int64_t ns)
{
	trace_sink_print(chrome->sink,
			 "%s{\"ph\":\"%c\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu32 ",\"ts\":%" PRId64
			 ".%03d",
			 chrome->has_events ? ",\n" : "\n", phase, chrome->trace->header.process,
			 worker, ns / 1000, (int)(ns % 1000));
	chrome->has_events = true;
}

static void put_name(struct chrome *chrome, const char *category, const char *name)
{
	trace_sink_print(chrome->sink, ",\"cat\":\"%s\",\"name\":", category);
	write_string(chrome->sink, name);
}

static void write_meta(struct chrome *chrome, const char *kind, uint32_t worker, const char *name)
{
	begin_event(chrome, 'M', worker, 0);
	put_name(chrome, "__metadata", kind);
	trace_sink_print(chrome->sink, ",\"args\":{\"name\":");
	write_string(chrome->sink, name);
	trace_sink_print(chrome->sink, "}}");
}

static void write_open(struct chrome *chrome, uint32_t worker, const struct walk_step *step)
{
	static const char *const categories[SLICE_KINDS] = { "task", "wait", "park", "block",
							     "span" };
	const struct open_slice *slice = &step->slice;
	const char *origin = slice->kind == SLICE_TASK && !slice->is_before
				     ? walk_origin(slice->record.detail)
				     : NULL;

	begin_event(chrome, 'B', worker, step->ns);
	put_name(chrome, categories[slice->kind], walk_slice_name(chrome->trace, slice));
	if (origin)
		trace_sink_print(chrome->sink, ",\"args\":{\"origin\":\"%s\"}", origin);
	trace_sink_print(chrome->sink, "}");
}

/* A flow begins at the victim and ends at the thief; the point is what it is fastened to. */
static void write_steal(struct chrome *chrome, uint32_t worker, const struct walk_step *step)
{
	const struct skuai_trace_record *record = &step->record;
	const char *distance = walk_distance(record->detail);

	if (trace_is_worker(chrome->trace, record->peer)) {
		chrome->flows++;
		begin_event(chrome, 's', record->peer, step->ns);
		put_name(chrome, "steal", "steal");
		trace_sink_print(chrome->sink, ",\"id\":%" PRIu64 "}", chrome->flows);
		begin_event(chrome, 'f', worker, step->ns);
		put_name(chrome, "steal", "steal");
		trace_sink_print(chrome->sink, ",\"id\":%" PRIu64 ",\"bp\":\"e\"}", chrome->flows);
	}
	begin_event(chrome, 'i', worker, step->ns);
	put_name(chrome, "steal", "steal");
	trace_sink_print(chrome->sink,
			 ",\"s\":\"t\",\"args\":{\"from\":%u,\"tasks\":%" PRIu32
			 ",\"distance\":\"%s\"}}",
			 record->peer, record->argument, distance ? distance : "other");
}

static void write_point(struct chrome *chrome, uint32_t worker, const struct walk_step *step)
{
	const struct skuai_trace_record *record = &step->record;
	const struct trace_name *name;

	switch (record->kind) {
	case SKUAI_TRACE_STEAL:
		write_steal(chrome, worker, step);
		break;
	case SKUAI_TRACE_DEPTH:
		begin_event(chrome, 'C', worker, step->ns);
		trace_sink_print(chrome->sink,
				 ",\"cat\":\"depth\",\"name\":\"depth of worker %" PRIu32
				 "\",\"args\":{\"tasks\":%" PRIu32 "}}",
				 worker, record->argument);
		break;
	case SKUAI_TRACE_MARK:
		name = trace_find_name(chrome->trace, record->argument);
		begin_event(chrome, 'i', worker, step->ns);
		put_name(chrome, "mark", name ? name->text : "mark");
		trace_sink_print(chrome->sink, ",\"s\":\"t\",\"args\":{\"value\":%" PRIu32 "}}",
				 trace_mark_value(record));
		break;
	default: /* as in trace_perfetto.c */
		break;
	}
}

static bool write_ring(struct chrome *chrome, const struct trace_ring *ring)
{
	struct walk walk;
	struct walk_step step;
	enum walk_what what;

	if (!walk_start(&walk, chrome->trace, ring))
		return false;
	while ((what = walk_next(&walk, &step)) != WALK_END && what != WALK_NO_MEMORY) {
		if (what == WALK_OPEN)
			write_open(chrome, ring->worker, &step);
		if (what == WALK_SHUT) {
			begin_event(chrome, 'E', ring->worker, step.ns);
			trace_sink_print(chrome->sink, "}");
		}
		if (what == WALK_POINT)
			write_point(chrome, ring->worker, &step);
	}
	walk_stop(&walk);
	return what == WALK_END;
}

int trace_write_chrome(const struct trace *trace, struct trace_sink *sink)
{
	struct chrome chrome = { .trace = trace, .sink = sink };
	const char *program = trace_fact(trace, "program");
	bool is_good = true;
	char name[32];

	trace_sink_print(sink, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	write_meta(&chrome, "process_name", 0, program ? program : "skua");
	for (size_t i = 0; i < trace->ring_count; i++) {
		uint32_t worker = trace->rings[i].worker;
		snprintf(name, sizeof(name), "worker %" PRIu32, worker);
		write_meta(&chrome, "thread_name", worker,
			   trace_is_outside(trace, &trace->rings[i]) ? "other threads" : name);
	}
	for (size_t i = 0; i < trace->ring_count && is_good; i++)
		is_good = write_ring(&chrome, &trace->rings[i]);
	trace_sink_print(sink,
			 "\n],\"otherData\":{\"start_ns\":\"%" PRId64 "\",\"dropped\":\"%" PRIu64
			 "\",\"truncated\":%s}}\n",
			 trace->header.start_ns, trace->dropped,
			 trace->is_truncated ? "true" : "false");
	return is_good ? 0 : TRACE_NO_MEMORY;
}
