/* SPDX-License-Identifier: MIT */
/* backlog.h — when tasks waited in deques, as far as samples of their depth tell */
#ifndef SKUAT_TRACE_BACKLOG_H
#define SKUAT_TRACE_BACKLOG_H

#include "trace/cover.h"
#include "trace/trace_read.h"

/*
 * From the first to the last of several samples of a worker's depth that all say "more than one".
 * In between it did not sleep or look elsewhere for work, as only a worker with nothing would.
 */
struct backlog_spell {
	int64_t start, end;
	size_t latest; /* of those up to this one, the one that ends last */
	uint32_t worker;
};

struct backlog {
	struct backlog_spell *spells; /* by start */
	size_t count;
	struct cover any; /* time in which anybody had one */
	int64_t least;
};

/* Spells of `least` nanoseconds or more.  False: not enough memory. */
bool backlog_find(struct backlog *backlog, const struct trace *trace, int64_t least);
void backlog_drop(struct backlog *backlog);

/* A spell that shares at least `least` with the time from start to end, or NULL. */
const struct backlog_spell *backlog_beside(const struct backlog *backlog, int64_t start,
					   int64_t end);

#endif
