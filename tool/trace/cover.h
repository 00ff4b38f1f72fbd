/* SPDX-License-Identifier: MIT */
/* cover.h — pieces of time put together, and how much of another they cover */
#ifndef SKUAT_TRACE_COVER_H
#define SKUAT_TRACE_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cover_piece {
	int64_t start, end;
	int64_t before; /* length of all earlier ones; from cover_join on */
};

/* Start with { 0 }, add pieces in any order, join them, then ask. */
struct cover {
	struct cover_piece *pieces; /* joined: by time, and none overlap or touch */
	size_t count, room;
};

/* False: not enough memory. */
bool cover_add(struct cover *cover, int64_t start, int64_t end);
void cover_join(struct cover *cover);
void cover_drop(struct cover *cover);

int64_t cover_length(const struct cover *cover);

/* How much of the time from `start` to `end` is covered. */
int64_t cover_overlap(const struct cover *cover, int64_t start, int64_t end);

#endif
