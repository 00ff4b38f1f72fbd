/* SPDX-License-Identifier: MIT */
/* trace_look.c — questions to a trace that was read: times, names, facts, words */
#include "trace/trace_read.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

int64_t trace_ns(const struct trace *trace, uint64_t ticks)
{
	const struct skuai_trace_header *header = &trace->header;
	bool is_before = ticks < header->start_ticks;
	uint64_t moved = is_before ? header->start_ticks - ticks : ticks - header->start_ticks;
	wide ns = moved;

	if (trace->is_calibrated)
		ns = ns * ((uint64_t)header->end_ns - (uint64_t)header->start_ns) /
		     (header->end_ticks - header->start_ticks);
	if (ns > INT64_MAX / 2)
		ns = INT64_MAX / 2;
	return is_before ? -(int64_t)ns : (int64_t)ns;
}

const struct trace_name *trace_find_name(const struct trace *trace, uint32_t number)
{
	size_t low = 0, high = trace->name_count;

	while (low < high) { /* the first that is not less */
		size_t middle = low + (high - low) / 2;
		if (trace->names[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	if (number == 0 || low == trace->name_count || trace->names[low].number != number)
		return NULL;
	return &trace->names[low];
}

const struct trace_ring *trace_find_ring(const struct trace *trace, uint32_t worker)
{
	size_t low = 0, high = trace->ring_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (trace->rings[middle].worker == worker)
			return &trace->rings[middle];
		if (trace->rings[middle].worker < worker)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const char *trace_fact(const struct trace *trace, const char *key)
{
	const char *fact = trace->facts, *end = fact + trace->facts_bytes;
	size_t length = strlen(key);

	for (; fact < end; fact += strlen(fact) + 1)
		if (strncmp(fact, key, length) == 0 && fact[length] == '=')
			return fact + length + 1;
	return NULL;
}

uint64_t trace_fact_number(const struct trace *trace, const char *key)
{
	const char *value = trace_fact(trace, key);

	return value && strspn(value, "0123456789") < 10 ? strtoull(value, NULL, 10) : 0;
}

const char *trace_word(uint8_t kind)
{
	static const char *const words[] = {
#define TRACE_WORD(number, NAME, word) [number] = (word),
		SKUAI_TRACE_KINDS(TRACE_WORD)
#undef TRACE_WORD
	};

	return kind < sizeof(words) / sizeof(*words) ? words[kind] : NULL;
}
