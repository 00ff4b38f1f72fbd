/* SPDX-License-Identifier: MIT */
/* top.h — `skua top`: what is shown of a process, and the forms in which it is shown */
#ifndef SKUAT_TOP_TOP_H
#define SKUAT_TOP_TOP_H

#include "top/live_find.h"

#include <stdint.h>
#include <stdio.h>

/* Two looks at a process; rates come from what lies between. */
struct top_view {
	struct live_process before, now;
	bool has_before;
	int64_t now_ns;	     /* of the second look */
	double interval_s;   /* as asked for, for the heading */
	bool is_interactive; /* 'q' ends it: the heading says so */
};

/* What a worker did between the looks; all 0 and is_known false where there was only one. */
struct top_rates {
	bool is_known;
	double tasks, steals, misses, parks; /* a second */
	double running;			     /* share of glances that found it in a task, 0 to 1 */
};

/* The pool of the look before that is the same as this one; NULL: there was none. */
const struct live_pool *top_pool_before(const struct top_view *view, const struct live_pool *pool);

/* Of one worker, or with -1 of all together. */
struct top_rates top_rates_of(const struct live_pool *before, const struct live_pool *now,
			      int worker);

/* Seconds since the pool was last looked at, when that is too long ago to be usual; else 0. */
double top_silence_s(const struct top_view *view, const struct live_pool *pool);

/* The word for a state. */
const char *top_state_word(uint32_t state);

/* One picture of the process, as text `width` columns wide, or as JSON on one line or several. */
void top_show_text(FILE *to, const struct top_view *view, unsigned width);
void top_show_json(const struct top_view *view, bool is_line);

/* What is monitored at all. */
void top_list_text(const struct live_process *processes, unsigned count, unsigned removed);
void top_list_json(const struct live_process *processes, unsigned count, unsigned removed);

/* Show `process` every so often until it ends, `count` times (0: for ever), or the user has seen
 * enough.  The exit status. */
struct top_watch {
	unsigned process;
	double interval_s;
	uint64_t count;
	bool is_plain, is_json, is_once;
};
int top_watch(const struct top_watch *watch);

#endif
