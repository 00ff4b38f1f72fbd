/* SPDX-License-Identifier: MIT */
/* trace_list.c — `skua trace list`: every record as a line of text, in the order of time */
#include "output.h"
#include "text.h"
#include "trace/trace_command.h"
#include "trace/trace_walk.h"

#include <inttypes.h>
#include <stdlib.h>

/* A heap of rings, the one with the earliest next record on top. */
struct line_source {
	const struct trace_ring *ring;
	uint64_t next;
	int64_t ns; /* of that record */
};

static bool is_earlier(const struct line_source *a, const struct line_source *b)
{
	return a->ns != b->ns ? a->ns < b->ns : a->ring->worker < b->ring->worker;
}

static void sink_top(struct line_source *heap, size_t count, size_t at)
{
	for (;;) {
		size_t least = at;
		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
			if (is_earlier(&heap[child], &heap[least]))
				least = child;
		if (least == at)
			return;
		struct line_source swapped = heap[at];
		heap[at] = heap[least];
		heap[least] = swapped;
		at = least;
	}
}

static void list_name(const struct trace *trace, uint32_t number)
{
	const struct trace_name *name = trace_find_name(trace, number);

	if (name)
		out(" '%s'", text_clean(name->text, 0).s);
	else if (number)
		out(" name=%" PRIu32, number);
}

static void list_word(const char *key, const char *word, uint8_t detail)
{
	if (word)
		out(" %s=%s", key, word);
	else
		out(" %s=%u", key, detail);
}

static void list_peer(const char *key, uint16_t peer)
{
	if (peer != SKUAI_TRACE_NOBODY)
		out(" %s=%u", key, peer);
}

static void list_words(const struct trace *trace, const struct skuai_trace_record *record)
{
	switch (record->kind) {
	case SKUAI_TRACE_TASK_BEGIN:
		list_name(trace, record->argument);
		list_word("origin", walk_origin(record->detail), record->detail);
		list_peer("from", record->peer);
		break;
	case SKUAI_TRACE_FORK:
		out(" depth=%" PRIu32 " forks=%" PRIu64, record->argument, trace_forks(record));
		break;
	case SKUAI_TRACE_STEAL:
		list_peer("from", record->peer);
		out(" tasks=%" PRIu32, record->argument);
		list_word("distance", walk_distance(record->detail), record->detail);
		break;
	case SKUAI_TRACE_MISS:
		out(" searches=%" PRIu32, record->argument);
		break;
	case SKUAI_TRACE_WAKE:
		list_peer("whom", record->peer);
		break;
	case SKUAI_TRACE_INJECT:
		out(" jobs=%" PRIu32, record->argument);
		break;
	case SKUAI_TRACE_DEPTH:
	case SKUAI_TRACE_SHARE:
		out(" tasks=%" PRIu32, record->argument);
		break;
	case SKUAI_TRACE_WAIT_BEGIN:
		list_word("for", walk_reason(record->detail), record->detail);
		break;
	case SKUAI_TRACE_SPAN_BEGIN:
	case SKUAI_TRACE_SPAN_END:
		list_name(trace, record->argument);
		break;
	case SKUAI_TRACE_MARK:
		list_name(trace, record->argument);
		out(" value=%" PRIu32, trace_mark_value(record));
		break;
	default:
		break;
	}
}

static void list_record(const struct trace *trace, const struct line_source *source)
{
	struct skuai_trace_record record = trace_record(source->ring, source->next);
	const char *word = trace_word(record.kind);
	uint64_t ns = source->ns < 0 ? 0 - (uint64_t)source->ns : (uint64_t)source->ns;

	out("%s%" PRIu64 ".%09" PRIu64 " %" PRIu32 " ", source->ns < 0 ? "-" : "", ns / 1000000000,
	    ns % 1000000000, source->ring->worker);
	if (word) {
		out("%s", word);
		list_words(trace, &record);
	} else {
		out("unknown kind=%u argument=%" PRIu32 " peer=%u detail=%u", record.kind,
		    record.argument, record.peer, record.detail);
	}
	out("\n");
}

int trace_list(const struct trace_call *call)
{
	const struct trace *trace = call->trace;
	struct line_source *heap = malloc((trace->ring_count + 1) * sizeof(*heap));
	size_t count = 0;

	if (!heap)
		return trace_no_memory(call->path);
	for (size_t i = 0; i < trace->ring_count; i++) {
		const struct trace_ring *ring = &trace->rings[i];
		if (ring->count)
			heap[count++] = (struct line_source){
				ring, 0, trace_ns(trace, trace_record(ring, 0).ticks)
			};
	}
	for (size_t i = count; i > 0; i--)
		sink_top(heap, count, i - 1);
	while (count) {
		list_record(trace, &heap[0]);
		if (++heap[0].next == heap[0].ring->count)
			heap[0] = heap[--count];
		else
			heap[0].ns = trace_ns(trace,
					      trace_record(heap[0].ring, heap[0].next).ticks);
		sink_top(heap, count, 0);
	}
	free(heap);
	return STATUS_DONE;
}
