/* SPDX-License-Identifier: MIT */
/* made_trace.h — a small trace with known answers, made in memory */
#ifndef SKUA_TESTS_MADE_TRACE_H
#define SKUA_TESTS_MADE_TRACE_H

#include "check.h"
#include "trace/tracefile.h"

#include <string.h>

#define TRACE_ROOM 4096

/* A file being made.  Start with { 0 }. */
struct made {
	unsigned char bytes[TRACE_ROOM];
	size_t size;
	size_t ring; /* where the open ring's section begins */
};

enum {
	NAME_ROOT = 1,
	NAME_LEAF,
	NAME_HERE,
	NAME_PHASE
};

#define MADE_TICKS 1000 /* of the clock when it began; then two ticks for each nanosecond */

static inline void made_bytes(struct made *made, const void *bytes, size_t count)
{
	assert_true(made->size + count <= TRACE_ROOM);
	memcpy(made->bytes + made->size, bytes, count);
	made->size += count;
}

static inline void made_header(struct made *made, uint32_t workers, int64_t ns)
{
	struct skuai_trace_header header = { .magic = SKUAI_TRACE_MAGIC,
					     .version = SKUAI_TRACE_VERSION,
					     .bytes = sizeof(header),
					     .workers = workers,
					     .process = 77,
					     .start_ns = 5000000000,
					     .start_ticks = MADE_TICKS,
					     .end_ns = 5000000000 + ns,
					     .end_ticks = MADE_TICKS + 2 * (uint64_t)ns,
					     .start_wall_ns = 1700000000000000000 };

	made_bytes(made, &header, sizeof(header));
}

static inline void made_section(struct made *made, uint32_t kind, uint32_t number, uint64_t bytes)
{
	struct skuai_trace_section section = { kind, number, bytes };

	made_bytes(made, &section, sizeof(section));
}

static inline void made_ring(struct made *made, uint32_t worker)
{
	struct skuai_trace_ring ring = { 0 };

	made->ring = made->size;
	made_section(made, SKUAI_TRACE_RING, worker, sizeof(ring));
	made_bytes(made, &ring, sizeof(ring));
}

/* One record into the open ring, at so many microseconds. */
static inline void made_record(struct made *made, double us, enum skuai_trace_kind kind,
			       uint32_t argument, int peer, unsigned detail)
{
	struct skuai_trace_record record = { .ticks = MADE_TICKS + (uint64_t)(us * 2000),
					     .argument = argument,
					     .peer = (uint16_t)(peer < 0 ? SKUAI_TRACE_NOBODY
									 : peer),
					     .kind = (uint8_t)kind,
					     .detail = (uint8_t)detail };
	struct skuai_trace_section section;
	struct skuai_trace_ring ring;

	made_bytes(made, &record, sizeof(record));
	memcpy(&section, made->bytes + made->ring, sizeof(section));
	memcpy(&ring, made->bytes + made->ring + sizeof(section), sizeof(ring));
	section.bytes += sizeof(record);
	ring.written++;
	memcpy(made->bytes + made->ring, &section, sizeof(section));
	memcpy(made->bytes + made->ring + sizeof(section), &ring, sizeof(ring));
}

static inline void made_text(struct made *made, const char *text)
{
	static const char zeros[8];

	made_bytes(made, text, strlen(text));
	made_bytes(made, zeros, (8 - made->size % 8) % 8);
}

static inline void made_names(struct made *made)
{
	static const char *const names[] = { "root", "leaf", "here", "a longer phase" };
	size_t at = made->size;
	struct skuai_trace_section section;

	made_section(made, SKUAI_TRACE_NAMES, 0, 0);
	for (uint32_t i = 0; i < 4; i++) {
		struct skuai_trace_name name = { i + 1, (uint32_t)strlen(names[i]) };
		made_bytes(made, &name, sizeof(name));
		made_text(made, names[i]);
	}
	memcpy(&section, made->bytes + at, sizeof(section));
	section.bytes = made->size - at - sizeof(section);
	memcpy(made->bytes + at, &section, sizeof(section));
}

static inline void made_facts(struct made *made)
{
	made_section(made, SKUAI_TRACE_FACTS, 0, 40);
	made_text(made, "program=sample\nversion=0.1.0\nworkers=2\n");
}

static inline void made_end(struct made *made)
{
	made_section(made, SKUAI_TRACE_END, 0, 0);
}

/*
 * Two workers in 10 us.  Worker 0 sleeps, runs a root that waits for a join and a leaf in it, has a
 * mark, a span and a blocking section, and sleeps; worker 1 searches, steals a leaf, takes another
 * from outside, and sleeps.  The answers are in test_trace_read.c.
 */
static inline void made_good(struct made *made)
{
	made_header(made, 2, 10000);
	made_facts(made);
	made_ring(made, 0);
	made_record(made, 1.0, SKUAI_TRACE_UNPARK, 0, -1, 0);
	made_record(made, 1.0, SKUAI_TRACE_TASK_BEGIN, NAME_ROOT, -1, SKUAI_TRACE_OF_VISIT);
	made_record(made, 1.5, SKUAI_TRACE_FORK, 1, -1, 6);
	made_record(made, 2.0, SKUAI_TRACE_SHARE, 2, -1, 0);
	made_record(made, 2.0, SKUAI_TRACE_DEPTH, 3, -1, 0);
	made_record(made, 3.0, SKUAI_TRACE_WAIT_BEGIN, 0, -1, SKUAI_TRACE_FOR_JOIN);
	made_record(made, 4.0, SKUAI_TRACE_TASK_BEGIN, NAME_LEAF, -1, SKUAI_TRACE_OF_OWN);
	made_record(made, 5.0, SKUAI_TRACE_TASK_END, 0, -1, 0);
	made_record(made, 6.0, SKUAI_TRACE_WAIT_END, 0, -1, 0);
	made_record(made, 6.5, SKUAI_TRACE_MARK, NAME_HERE, 70000 & 0xffff, 70000 >> 16);
	made_record(made, 7.0, SKUAI_TRACE_SPAN_BEGIN, NAME_PHASE, -1, 0);
	made_record(made, 8.0, SKUAI_TRACE_SPAN_END, NAME_PHASE, -1, 0);
	made_record(made, 8.5, SKUAI_TRACE_BLOCK_BEGIN, 0, -1, 0);
	made_record(made, 9.0, SKUAI_TRACE_BLOCK_END, 0, -1, 0);
	made_record(made, 9.0, SKUAI_TRACE_DEPTH, 0, -1, 0);
	made_record(made, 9.5, SKUAI_TRACE_TASK_END, 0, -1, 0);
	made_record(made, 9.5, SKUAI_TRACE_PARK, 0, -1, 0);
	made_ring(made, 1);
	made_record(made, 2.0, SKUAI_TRACE_MISS, 50, -1, 0);
	made_record(made, 2.2, SKUAI_TRACE_PARK, 0, -1, 0);
	made_record(made, 2.4, SKUAI_TRACE_UNPARK, 0, -1, 0);
	made_record(made, 2.5, SKUAI_TRACE_STEAL, 2, 0, SKUAI_TRACE_SAME_CORE);
	made_record(made, 2.5, SKUAI_TRACE_DEPTH, 1, -1, 0);
	made_record(made, 2.5, SKUAI_TRACE_TASK_BEGIN, NAME_LEAF, 0, SKUAI_TRACE_OF_FORK);
	made_record(made, 6.5, SKUAI_TRACE_TASK_END, 0, -1, 0);
	made_record(made, 7.0, SKUAI_TRACE_INJECT, 3, -1, 0);
	made_record(made, 7.0, SKUAI_TRACE_TASK_BEGIN, NAME_LEAF, -1, SKUAI_TRACE_OF_OUTSIDE);
	made_record(made, 8.0, SKUAI_TRACE_TASK_END, 0, -1, 0);
	made_record(made, 8.0, SKUAI_TRACE_WAKE, 0, 0, 0);
	made_record(made, 8.5, SKUAI_TRACE_PARK, 0, -1, 0);
	made_names(made);
	made_end(made);
}

#endif
