/* SPDX-License-Identifier: MIT */
/* trace_check.h — what must be true of every trace, and who hears of it where it is not */
#ifndef SKUAT_TRACE_CHECK_H
#define SKUAT_TRACE_CHECK_H

#include "trace/trace_walk.h"

/* One thing that is not as it must be. */
struct violation {
	const char *rule; /* a word for scripts; "nesting" */
	uint32_t worker;
	uint64_t number; /* of the record in its ring; WALK_NONE: about the whole ring */
	int64_t ns;
	char text[200];
};

/*
 * Look at all rings.  `hear` is called for each violation, `most` times at most, though all are
 * counted.  `is_whole`: the trace is one of a whole run, and nothing may be open at its borders.
 */
struct check {
	const struct trace *trace;
	int64_t bound_ns;
	uint64_t most;
	bool is_whole;
	void (*hear)(void *context, const struct violation *violation);
	void *context;
	bool has_spares; /* so that sleeping beside work is no violation; found */
	uint64_t violations;
	uint64_t open_before, open_after; /* slices that began before, or did not end */
};

/* False: not enough memory. */
bool check_trace(struct check *check);

#endif
