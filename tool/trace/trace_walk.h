/* SPDX-License-Identifier: MIT */
/* trace_walk.h — a ring's records as slices that nest, whatever the ring holds */
#ifndef SKUAT_TRACE_WALK_H
#define SKUAT_TRACE_WALK_H

#include "trace/trace_read.h"

/* Slices have a beginning and an end; all other records are points. */
enum trace_slice {
	SLICE_TASK,
	SLICE_WAIT,
	SLICE_PARK,
	SLICE_BLOCK,
	SLICE_SPAN,
	SLICE_KINDS,
};

/* What a worker does; the innermost slice decides, and a span is part of what it stands in. */
enum trace_state {
	STATE_RUNNING,	 /* in a task */
	STATE_SEARCHING, /* in nothing */
	STATE_ASLEEP,
	STATE_WAITING, /* for a task or job, with nothing else to run */
	STATE_BLOCKED,
	STATE_UNSEEN, /* before its first and behind its last record */
	STATE_COUNT,
};

extern const char *const trace_state_words[STATE_COUNT];

#define WALK_NONE SIZE_MAX /* no slice; no record */

struct open_slice {
	enum trace_slice kind;
	enum trace_state state;
	bool is_before; /* it was open before the first record; this is about its end: */
	struct skuai_trace_record record; /* that began it */
	uint64_t number;		  /* of the record in its ring */
	int64_t ns;			  /* when it began */
	size_t task; /* on the stack: the task it is part of, itself included */
	size_t wait; /* the wait that it is part of, with no task between them */
	size_t base; /* the nearest that is no span, itself included */
};

enum walk_what {
	WALK_OPEN,  /* a slice begins */
	WALK_SHUT,  /* the innermost slice ends */
	WALK_POINT, /* anything else */
	WALK_STRAY, /* the end of a slice that did not begin */
	WALK_END,
	WALK_NO_MEMORY,
};

struct walk_step {
	enum walk_what what;
	int64_t ns;	 /* from the start of the trace; never backwards, never outside of it */
	uint64_t number; /* of the record, in its ring; WALK_NONE: there is none */
	struct skuai_trace_record record;
	struct open_slice slice; /* of WALK_OPEN and WALK_SHUT */
	bool is_implied;	 /* its end is not in the ring */
};

struct walk {
	const struct trace *trace;
	const struct trace_ring *ring;
	uint64_t next;			  /* record */
	struct skuai_trace_record record; /* and the one before it */
	int64_t ns;
	struct open_slice *stack;
	size_t depth, room;
	size_t before; /* slices that were open before the first record */
	size_t told;   /* and those of them that were given as WALK_OPEN */
	size_t down;   /* close slices until so many are left; WALK_NONE: not now */
	bool is_shut_implied;
	size_t open[SLICE_KINDS];
};

/*
 * Go through a ring.  A slice whose beginning was before the first record begins with the trace, or
 * with the first record where records were dropped; one without an end ends with the trace.  An
 * end closes all slices inside of it.  False: not enough memory.
 */
bool walk_start(struct walk *walk, const struct trace *trace, const struct trace_ring *ring);
enum walk_what walk_next(struct walk *walk, struct walk_step *step);
void walk_stop(struct walk *walk);

/* When the next step happens; until then everything is as it is. */
int64_t walk_until(const struct walk *walk);

/* What the worker does from the last step on. */
static inline enum trace_state walk_state(const struct walk *walk)
{
	return walk->depth ? walk->stack[walk->depth - 1].state : STATE_SEARCHING;
}

/* The kind of slice that a record begins, or ends; SLICE_KINDS: it does not. */
enum trace_slice walk_begins(uint8_t kind);
enum trace_slice walk_ends(uint8_t kind);

/* What a slice is called: its name, or what it is; `reason` of a wait. */
const char *walk_slice_name(const struct trace *trace, const struct open_slice *slice);
const char *walk_reason(uint8_t detail); /* NULL: not known */
const char *walk_origin(uint8_t detail);
const char *walk_distance(uint8_t detail); /* of a steal: "core", ... */

#endif
