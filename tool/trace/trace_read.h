/* SPDX-License-Identifier: MIT */
/* trace_read.h — a trace file in memory: rings, names and facts, whatever its bytes are */
#ifndef SKUAT_TRACE_READ_H
#define SKUAT_TRACE_READ_H

#include "trace/tracefile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_NAME_BYTES 1000 /* a longer name is cut: it is printed with each of its records */

/* What a worker wrote.  The records stay where the file's bytes are; trace_record decodes one. */
struct trace_ring {
	uint32_t worker;
	uint64_t written, dropped;
	uint64_t count; /* records that are there */
	const unsigned char *records;
	uint64_t at; /* byte of the file where its section begins */
};

struct trace_name {
	uint32_t number;
	const char *text; /* a byte of 0 in it has become 0xff */
};

/* Everything is sorted by its number.  Memory is at most a few times the file's size. */
struct trace {
	struct skuai_trace_header header;
	struct trace_ring *rings;
	size_t ring_count;
	struct trace_name *names;
	size_t name_count;
	const char *facts;  /* "key=value" and a 0, one after the other */
	size_t facts_bytes; /* of all of them */
	uint64_t records, dropped;
	uint64_t unknown_sections, unknown_records; /* skipped; of newer skuas */
	uint64_t trailing;			    /* bytes behind the end */
	bool is_truncated;  /* the file has no end: this is what there was before */
	bool is_calibrated; /* else a tick is taken for a nanosecond */
	int64_t begin_ns;   /* 0, or where the first record of a snapshot is; from the start */
	int64_t end_ns;	    /* likewise */
	void *owned, *strings;
	size_t owned_bytes;
};

/* What is wrong with the file, and where. */
struct trace_fault {
	uint64_t at;
	char what[160];
};

/*
 * Make sense of a file's bytes, which must stay.  False: it cannot be read, `fault` says why, and
 * nothing is to be dropped.  What is cut off at its end is no fault but is_truncated.
 */
bool trace_parse(struct trace *trace, const void *bytes, size_t size, struct trace_fault *fault);
void trace_drop(struct trace *trace);

/*
 * Read a file, "-" for standard input, whose bytes are then ->owned.  False after a message on
 * standard error, in the name of the subcommand.
 */
bool trace_load(struct trace *trace, const char *path, const char *command);

static inline uint64_t trace_get(const unsigned char *from, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)from[i] << 8 * i;
	return value;
}

static inline struct skuai_trace_record trace_record(const struct trace_ring *ring, uint64_t i)
{
	const unsigned char *from = ring->records + 16 * i;

	return (struct skuai_trace_record){
		.ticks = trace_get(from, 8),
		.argument = (uint32_t)trace_get(from + 8, 4),
		.peer = (uint16_t)trace_get(from + 12, 2),
		.kind = from[14],
		.detail = from[15],
	};
}

/* Nanoseconds since the trace began; less than 0 for what the clock says was before. */
int64_t trace_ns(const struct trace *trace, uint64_t ticks);

/* The name with a number; NULL: there is none. */
const struct trace_name *trace_find_name(const struct trace *trace, uint32_t number);

/* The ring of a worker, or NULL. */
const struct trace_ring *trace_find_ring(const struct trace *trace, uint32_t worker);

/* The value of a fact, or NULL; as a number, or 0. */
const char *trace_fact(const struct trace *trace, const char *key);
uint64_t trace_fact_number(const struct trace *trace, const char *key);

/* The word of a kind of record; NULL: not known. */
const char *trace_word(uint8_t kind);

static inline uint64_t trace_length(const struct trace *trace)
{
	return (uint64_t)(trace->end_ns - trace->begin_ns);
}

/* The ring of the threads that are no workers. */
static inline bool trace_is_outside(const struct trace *trace, const struct trace_ring *ring)
{
	return trace->header.flags & SKUAI_TRACE_HAS_OUTSIDE &&
	       ring->worker == trace->header.workers - 1;
}

/* Workers that there may be. */
static inline uint32_t trace_workers(const struct trace *trace)
{
	bool has_outside = trace->header.flags & SKUAI_TRACE_HAS_OUTSIDE;

	return trace->header.workers - (has_outside && trace->header.workers);
}

static inline bool trace_is_worker(const struct trace *trace, uint16_t peer)
{
	return peer != SKUAI_TRACE_NOBODY && peer < trace_workers(trace);
}

/* What is left of a mark's value, and how many forks a record stands for. */
static inline uint32_t trace_mark_value(const struct skuai_trace_record *record)
{
	return record->peer | (uint32_t)record->detail << 16;
}

static inline uint64_t trace_forks(const struct skuai_trace_record *record)
{
	return (uint64_t)1 << (record->detail < 63 ? record->detail : 63);
}

/* A sum that stays at its largest; a hostile file could make it go round. */
static inline uint64_t trace_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
