/* SPDX-License-Identifier: MIT */
/* tracefile.h — the file of a trace: header, sections, records; docs/trace-format.md explains it */
#ifndef SKUAI_TRACE_TRACEFILE_H
#define SKUAI_TRACE_TRACEFILE_H

#include <assert.h>
#include <stdint.h>

/*
 * Little-endian, everything at a multiple of 8.  A header, then sections one after the other in
 * any order, the last of them SKUAI_TRACE_END.  A reader skips sections and records of kinds
 * that it does not know; a change that this would not survive gets a new version.
 */
#define SKUAI_TRACE_MAGIC   "SKUATRC\n"
#define SKUAI_TRACE_VERSION 1

struct skuai_trace_header {
	char magic[8];
	uint32_t version;
	uint32_t bytes;	  /* of this header: sections begin here */
	uint32_t workers; /* rings there may be: 0 ... workers - 1 */
	uint32_t flags;
	uint64_t process;     /* its number */
	int64_t start_ns;     /* of CLOCK_MONOTONIC, when the trace was begun */
	uint64_t start_ticks; /* at the same moment, of the clock in the records */
	int64_t end_ns;	      /* the same pair again, as late as it could be taken */
	uint64_t end_ticks;
	int64_t start_wall_ns; /* of CLOCK_REALTIME, at the start */
};
static_assert(sizeof(struct skuai_trace_header) == 72, "as documented");

enum {
	SKUAI_TRACE_IS_SNAPSHOT = 1, /* flags: the last moments of a run, not the whole */
	/* flags: the last ring, workers - 1, is no worker: marks and spans of all other threads */
	SKUAI_TRACE_HAS_OUTSIDE = 2,
};

struct skuai_trace_section {
	uint32_t kind;
	uint32_t number; /* of the worker, for a ring */
	uint64_t bytes;	 /* that follow, a multiple of 8 */
};
static_assert(sizeof(struct skuai_trace_section) == 16, "as documented");

enum skuai_trace_section_kind {
	SKUAI_TRACE_FACTS =
		1, /* lines "key=value\n" of UTF-8, zeros behind: program, version, ... */
	SKUAI_TRACE_NAMES = 2, /* struct skuai_trace_name, one after the other */
	SKUAI_TRACE_RING = 3,  /* struct skuai_trace_ring, then its records, oldest first */
	SKUAI_TRACE_END = 4,   /* no bytes: the file is whole */
};

/* A name that records refer to, then its bytes, then zeros up to a multiple of 8.  Not escaped. */
struct skuai_trace_name {
	uint32_t number; /* from 1; 0 is "no name" */
	uint32_t bytes;
};

struct skuai_trace_ring {
	uint64_t written; /* records that were ever put in, in the time that the file is about */
	uint64_t dropped; /* of those, overwritten: the oldest; written - dropped follow */
};

/*
 * What began before the first record of a ring may end in it, and what is not over at its end does
 * not end: a trace may be begun and ended at any moment, and the oldest records may be overwritten.
 * Otherwise what begins later ends earlier; tasks stand in waits, and waits in tasks.
 *
 * A ring is of a place.  While its own thread sleeps there (PARK), a thread of the program may take
 * the place: that is UNPARK, TASK_BEGIN of origin VISIT, ..., TASK_END, PARK.
 */

struct skuai_trace_record {
	uint64_t ticks;
	uint32_t argument;
	uint16_t peer; /* another worker, or SKUAI_TRACE_NOBODY */
	uint8_t kind;
	uint8_t detail;
};
static_assert(sizeof(struct skuai_trace_record) == 16, "as documented");

#define SKUAI_TRACE_NOBODY 0xffff

/*
 * What happened, in X(number, NAME, "word").  The words are what converters print.  argument, peer
 * and detail hold what is said behind each; what is not said is 0, peer NOBODY.
 */
#define SKUAI_TRACE_KINDS(X)                                                                      \
	X(1, TASK_BEGIN, "task") /* argument: its name; peer: stolen from; detail: origin */      \
	X(2, TASK_END, "task-end")                                                                \
	X(3, FORK, "fork")	  /* argument: depth; detail: stands for 2^detail forks, or, */   \
				  /* at 0, is one of which only some are written */               \
	X(4, STEAL, "steal")	  /* peer: the victim; argument: how many; detail: distance */    \
	X(5, MISS, "miss")	  /* argument: searches in a row that found nothing */            \
	X(6, PARK, "park")	  /* goes to sleep */                                             \
	X(7, UNPARK, "unpark")	  /* and is up again */                                           \
	X(8, WAKE, "wake")	  /* peer: whom it woke */                                        \
	X(9, INJECT, "inject")	  /* argument: jobs taken from the common queue */                \
	X(10, DEPTH, "depth")	  /* argument: tasks that wait in its deque and stack of forks */ \
	X(11, WAIT_BEGIN, "wait") /* detail: reason */                                            \
	X(12, WAIT_END, "wait-end")                                                               \
	X(13, BLOCK_BEGIN, "block") /* a blocking section */                                      \
	X(14, BLOCK_END, "block-end")                                                             \
	X(15, SPAN_BEGIN, "span")   /* argument: name; of the program itself */                   \
	X(16, SPAN_END, "span-end") /* argument: name */                                          \
	X(17, MARK, "mark")	    /* argument: name; peer: the low 16 bits of a value, */       \
				    /* detail: the next 8 */                                      \
	X(18, SHARE, "share")	    /* argument: tasks it gave to who asked */

enum skuai_trace_kind {
#define SKUAI_TRACE_KIND(number, NAME, word) SKUAI_TRACE_##NAME = (number),
	SKUAI_TRACE_KINDS(SKUAI_TRACE_KIND)
#undef SKUAI_TRACE_KIND
};

/* detail of TASK_BEGIN */
enum skuai_trace_origin {
	SKUAI_TRACE_OF_OWN,	/* from its own deque */
	SKUAI_TRACE_OF_FORK,	/* a stolen fork */
	SKUAI_TRACE_OF_DEQUE,	/* a stolen job */
	SKUAI_TRACE_OF_OUTSIDE, /* from the common queue */
	SKUAI_TRACE_OF_CHOSEN,	/* meant for this worker */
	SKUAI_TRACE_OF_VISIT,	/* skua_run: a thread in this worker's place */
};

/* detail of WAIT_BEGIN */
enum skuai_trace_reason {
	SKUAI_TRACE_FOR_JOIN,
	SKUAI_TRACE_FOR_JOB,
	SKUAI_TRACE_FOR_GROUP,
	SKUAI_TRACE_FOR_FUTURE,
	SKUAI_TRACE_FOR_GRAPH,
	SKUAI_TRACE_FOR_PIPELINE,
};

/* detail of STEAL: what thief and victim have in common */
enum skuai_trace_distance {
	SKUAI_TRACE_NOT_KNOWN, /* workers that are not pinned, or a machine that does not tell */
	SKUAI_TRACE_SAME_CORE,
	SKUAI_TRACE_SAME_CACHE,
	SKUAI_TRACE_SAME_NODE,
	SKUAI_TRACE_FAR,
};

#endif
