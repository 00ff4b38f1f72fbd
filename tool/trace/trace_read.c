/* SPDX-License-Identifier: MIT */
/* trace_read.c — the bytes of a trace file made sense of; cut and hostile ones are safe */
#include "trace/trace_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Sections are looked at twice: first all sizes are checked and summed up, so that memory is asked
 * for once and never for more than the file can hold, then rings and names are taken over.  A size
 * that reaches beyond the file's end means that the file was cut there.
 */
struct layout {
	const unsigned char *bytes;
	size_t size;
	size_t rings, names, name_bytes, fact_bytes;
	struct trace *trace;
	struct trace_fault *fault;
	char *strings; /* where the next text goes */
};

/* One section: the bytes of it that are there. */
struct part {
	uint32_t kind, number;
	uint64_t told;		   /* bytes it says to have */
	const unsigned char *body; /* and those that it has: */
	size_t bytes;
	size_t at;
};

__attribute__((format(printf, 3, 4))) static bool blame_bytes(struct trace_fault *fault,
							      uint64_t at, const char *format, ...)
{
	va_list arguments;

	fault->at = at;
	va_start(arguments, format);
	vsnprintf(fault->what, sizeof(fault->what), format, arguments);
	va_end(arguments);
	return false;
}

static bool read_header(const struct layout *layout)
{
	const unsigned char *from = layout->bytes;
	struct skuai_trace_header *header = &layout->trace->header;
	size_t seen = layout->size < 8 ? layout->size : 8;

	if (layout->size == 0)
		return blame_bytes(layout->fault, 0, "it is empty; record a trace again");
	if (memcmp(from, SKUAI_TRACE_MAGIC, seen) != 0)
		return blame_bytes(layout->fault, 0,
				   "it is no trace of skua; record one with SKUA_TRACE=file");
	if (layout->size >= 12 && trace_get(from + 8, 4) != SKUAI_TRACE_VERSION)
		return blame_bytes(layout->fault, 8,
				   "it is of version %u, and this skua reads version %u; try the "
				   "skua that recorded it",
				   (unsigned)trace_get(from + 8, 4), SKUAI_TRACE_VERSION);
	if (layout->size < sizeof(*header))
		return blame_bytes(layout->fault, layout->size,
				   "it is cut short in its header; record a trace again");
	memcpy(header->magic, from, 8);
	header->version = (uint32_t)trace_get(from + 8, 4);
	header->bytes = (uint32_t)trace_get(from + 12, 4);
	header->workers = (uint32_t)trace_get(from + 16, 4);
	header->flags = (uint32_t)trace_get(from + 20, 4);
	header->process = trace_get(from + 24, 8);
	header->start_ns = (int64_t)trace_get(from + 32, 8);
	header->start_ticks = trace_get(from + 40, 8);
	header->end_ns = (int64_t)trace_get(from + 48, 8);
	header->end_ticks = trace_get(from + 56, 8);
	header->start_wall_ns = (int64_t)trace_get(from + 64, 8);
	if (header->bytes < sizeof(*header) || header->bytes % 8)
		return blame_bytes(layout->fault, 12,
				   "its header says to have %u bytes: it is damaged; record a "
				   "trace again",
				   header->bytes);
	if (header->bytes > layout->size)
		return blame_bytes(layout->fault, layout->size,
				   "it is cut short in its header; record a trace again");
	return true;
}

/* A record names its peer in 16 bits, and one of those names is nobody's. */
static bool check_workers(const struct layout *layout)
{
	uint32_t workers = layout->trace->header.workers;

	if (workers > SKUAI_TRACE_NOBODY)
		return blame_bytes(layout->fault, 16,
				   "its header says to have %u workers: it is damaged; record a "
				   "trace again",
				   workers);
	return true;
}

/* The section at *at, which moves behind it; false: there is none, and the file ends here. */
static bool next_part(const struct layout *layout, size_t *at, struct part *part)
{
	size_t left = layout->size - *at;
	const unsigned char *from = layout->bytes + *at;

	if (left < sizeof(struct skuai_trace_section))
		return false;
	left -= sizeof(struct skuai_trace_section);
	*part = (struct part){ .kind = (uint32_t)trace_get(from, 4),
			       .number = (uint32_t)trace_get(from + 4, 4),
			       .told = trace_get(from + 8, 8),
			       .body = from + sizeof(struct skuai_trace_section),
			       .at = *at };
	part->bytes = part->told < left ? (size_t)part->told : left;
	*at += sizeof(struct skuai_trace_section) + part->bytes;
	return true;
}

static bool is_cut(const struct part *part)
{
	return part->told > part->bytes;
}

static bool measure_ring(const struct layout *layout, const struct part *part)
{
	uint64_t written, dropped, held;

	if (part->number >= layout->trace->header.workers)
		return blame_bytes(layout->fault, part->at + 4,
				   "it has a ring of worker %u and only %u workers: it is "
				   "damaged; record a trace again",
				   part->number, layout->trace->header.workers);
	if (part->bytes < sizeof(struct skuai_trace_ring)) {
		if (is_cut(part))
			return true;
		return blame_bytes(layout->fault, part->at + 8,
				   "the ring of worker %u has no head: it is damaged; record a "
				   "trace again",
				   part->number);
	}
	written = trace_get(part->body, 8);
	dropped = trace_get(part->body + 8, 8);
	held = (part->told - sizeof(struct skuai_trace_ring)) / 16;
	if (dropped > written || written - dropped != held || part->told % 16)
		return blame_bytes(layout->fault, part->at + 16,
				   "the ring of worker %u does not have as many records as it "
				   "says: it is damaged; record a trace again",
				   part->number);
	return true;
}

/* The name at *at of a section; false: there is no whole one any more. */
static bool next_name(const struct part *part, size_t *at, uint32_t *number, size_t *bytes)
{
	size_t left = part->bytes - *at;

	if (left < sizeof(struct skuai_trace_name))
		return false;
	*number = (uint32_t)trace_get(part->body + *at, 4);
	*bytes = (size_t)trace_get(part->body + *at + 4, 4);
	if (*bytes > left - sizeof(struct skuai_trace_name))
		return false;
	*at += sizeof(struct skuai_trace_name) + ((*bytes + 7) & ~(size_t)7);
	*at = *at > part->bytes ? part->bytes : *at;
	return true;
}

static bool measure_names(struct layout *layout, const struct part *part)
{
	size_t at = 0, bytes;
	uint32_t number;

	while (next_name(part, &at, &number, &bytes)) {
		layout->names++;
		layout->name_bytes += (bytes < TRACE_NAME_BYTES ? bytes : TRACE_NAME_BYTES) + 1;
	}
	if (at != part->bytes && !is_cut(part))
		return blame_bytes(layout->fault, (uint64_t)(part->body - layout->bytes) + at,
				   "a name is longer than its section: it is damaged; record a "
				   "trace again");
	return true;
}

static bool measure_part(struct layout *layout, const struct part *part)
{
	if (part->told % 8)
		return blame_bytes(layout->fault, part->at + 8,
				   "a section has a size that is no multiple of 8: it is damaged; "
				   "record a trace again");
	switch (part->kind) {
	case SKUAI_TRACE_FACTS:
		layout->fact_bytes += part->bytes + 1;
		return true;
	case SKUAI_TRACE_NAMES:
		return measure_names(layout, part);
	case SKUAI_TRACE_RING:
		layout->rings += part->bytes >= sizeof(struct skuai_trace_ring);
		return measure_ring(layout, part);
	default:
		layout->trace->unknown_sections++;
		return true;
	}
}

/* Until the end, which is there or not. */
static bool measure(struct layout *layout)
{
	size_t at = layout->trace->header.bytes;
	struct part part;

	while (next_part(layout, &at, &part)) {
		if (part.kind == SKUAI_TRACE_END && part.told == 0) {
			layout->trace->trailing = layout->size - at;
			return true;
		}
		if (part.kind == SKUAI_TRACE_END)
			return blame_bytes(layout->fault, part.at + 8,
					   "its end is not empty: it is damaged; record a trace "
					   "again");
		if (!measure_part(layout, &part))
			return false;
		if (is_cut(&part))
			break;
	}
	layout->trace->is_truncated = true;
	return true;
}

static void take_ring(struct layout *layout, const struct part *part)
{
	struct trace *trace = layout->trace;
	struct trace_ring *ring = &trace->rings[trace->ring_count++];

	*ring = (struct trace_ring){ .worker = part->number,
				     .written = trace_get(part->body, 8),
				     .dropped = trace_get(part->body + 8, 8),
				     .count = (part->bytes - 16) / 16,
				     .records = part->body + 16,
				     .at = part->at };
	trace->records += ring->count;
	trace->dropped = trace_add(trace->dropped, ring->dropped);
	for (uint64_t i = 0; i < ring->count; i++)
		trace->unknown_records += !trace_word(ring->records[16 * i + 14]);
}

/* Not in the middle of a character, if it is one. */
static size_t cut_name(const unsigned char *from, size_t bytes)
{
	if (bytes <= TRACE_NAME_BYTES)
		return bytes;
	bytes = TRACE_NAME_BYTES;
	for (unsigned i = 0; i < 3 && from[bytes] >> 6 == 2; i++)
		bytes--;
	return bytes;
}

static void take_names(struct layout *layout, const struct part *part)
{
	struct trace *trace = layout->trace;
	size_t at = 0, bytes, before = 0;
	uint32_t number;

	for (; next_name(part, &at, &number, &bytes); before = at) {
		const unsigned char *from = part->body + before + sizeof(struct skuai_trace_name);
		size_t kept = cut_name(from, bytes);
		memcpy(layout->strings, from, kept);
		for (size_t i = 0; i < kept; i++)
			if (!layout->strings[i])
				layout->strings[i] = (char)0xff;
		layout->strings[kept] = 0;
		trace->names[trace->name_count++] = (struct trace_name){ .number = number,
									 .text = layout->strings };
		layout->strings += kept + 1;
	}
}

/* Lines become texts that end in 0; one that is no "key=value" is left out. */
static void take_facts(struct layout *layout, const struct part *part)
{
	const char *from = (const char *)part->body, *end = from + strnlen(from, part->bytes);

	while (from < end) {
		const char *next = memchr(from, '\n', (size_t)(end - from));
		size_t bytes = (size_t)((next ? next : end) - from);
		if (memchr(from, '=', bytes)) {
			memcpy(layout->strings, from, bytes);
			layout->strings[bytes] = 0;
			layout->strings += bytes + 1;
			layout->trace->facts_bytes += bytes + 1;
		}
		from += bytes + (next != NULL);
	}
}

/* Facts first: they lie one after the other, whatever sections stood between them. */
static void take_all(struct layout *layout, bool is_facts)
{
	size_t at = layout->trace->header.bytes;
	struct part part;

	while (next_part(layout, &at, &part) && part.kind != SKUAI_TRACE_END) {
		if (is_facts && part.kind == SKUAI_TRACE_FACTS)
			take_facts(layout, &part);
		if (!is_facts && part.kind == SKUAI_TRACE_NAMES)
			take_names(layout, &part);
		if (!is_facts && part.kind == SKUAI_TRACE_RING && part.bytes >= 16)
			take_ring(layout, &part);
		if (is_cut(&part))
			return;
	}
}

static int by_worker(const void *left, const void *right)
{
	const struct trace_ring *a = left, *b = right;

	return a->worker != b->worker ? (a->worker > b->worker) - (a->worker < b->worker)
				      : (a->at > b->at) - (a->at < b->at);
}

static int by_number(const void *left, const void *right)
{
	const struct trace_name *a = left, *b = right;

	return a->number != b->number ? (a->number > b->number) - (a->number < b->number)
				      : (a->text > b->text) - (a->text < b->text);
}

static bool sort_all(const struct layout *layout)
{
	struct trace *trace = layout->trace;

	qsort(trace->rings, trace->ring_count, sizeof(*trace->rings), by_worker);
	for (size_t i = 1; i < trace->ring_count; i++)
		if (trace->rings[i].worker == trace->rings[i - 1].worker)
			return blame_bytes(layout->fault, trace->rings[i].at,
					   "worker %u has two rings: it is damaged; record a trace "
					   "again",
					   trace->rings[i].worker);
	qsort(trace->names, trace->name_count, sizeof(*trace->names), by_number);
	return true;
}

/* The first and the last moment of all records. */
static void find_extremes(const struct trace *trace, int64_t *first, int64_t *last)
{
	*first = INT64_MAX;
	*last = INT64_MIN;
	for (size_t i = 0; i < trace->ring_count; i++) {
		for (uint64_t j = 0; j < trace->rings[i].count; j++) {
			int64_t ns = trace_ns(trace, trace_record(&trace->rings[i], j).ticks);
			*first = ns < *first ? ns : *first;
			*last = ns > *last ? ns : *last;
		}
	}
}

/* A clock that did not move is none; then the last record is the end. */
static void find_borders(struct trace *trace)
{
	const struct skuai_trace_header *header = &trace->header;
	bool is_snapshot = header->flags & SKUAI_TRACE_IS_SNAPSHOT;
	int64_t first, last;

	trace->is_calibrated = header->end_ns > header->start_ns &&
			       header->end_ticks > header->start_ticks &&
			       (uint64_t)header->end_ns - (uint64_t)header->start_ns <=
				       INT64_MAX / 2;
	if (trace->is_calibrated)
		trace->end_ns = header->end_ns - header->start_ns;
	if (trace->is_calibrated && !is_snapshot)
		return;
	find_extremes(trace, &first, &last);
	if (!trace->is_calibrated && last > 0)
		trace->end_ns = last;
	if (is_snapshot && first > 0)
		trace->begin_ns = first < trace->end_ns ? first : trace->end_ns;
}

bool trace_parse(struct trace *trace, const void *bytes, size_t size, struct trace_fault *fault)
{
	struct layout layout = { .bytes = bytes, .size = size, .trace = trace, .fault = fault };

	*trace = (struct trace){ 0 };
	if (!read_header(&layout) || !check_workers(&layout) || !measure(&layout))
		return false;
	trace->rings = malloc((layout.rings + 1) * sizeof(*trace->rings));
	trace->names = malloc((layout.names + 1) * sizeof(*trace->names));
	trace->strings = malloc(layout.fact_bytes + layout.name_bytes + 1);
	trace->facts = layout.strings = trace->strings;
	bool is_read = trace->rings && trace->names && trace->strings;
	if (is_read) {
		take_all(&layout, true);
		take_all(&layout, false);
		is_read = sort_all(&layout);
	} else {
		blame_bytes(fault, 0, "there is not enough memory to read it");
	}
	if (is_read)
		find_borders(trace);
	else
		trace_drop(trace);
	return is_read;
}

void trace_drop(struct trace *trace)
{
	free(trace->rings);
	free(trace->names);
	free(trace->strings);
	free(trace->owned);
	*trace = (struct trace){ 0 };
}
