/* SPDX-License-Identifier: MIT */
/* profile.h — how parallel a program is: work, span, and the speed-up to expect */
#ifndef SKUA_PROFILE_H
#define SKUA_PROFILE_H

#include <skua/detail/export.h>
#include <stddef.h>
#include <stdint.h>

SKUA_BEGIN_C

struct skua_pool;

/*
 * Work is the time of all that was run; span that of the longest chain of things of which each had
 * to wait for the one before.  No number of workers makes a program faster than its span, so work
 * over span is how many workers can be of use.  Both belong to the program, not to the run: one
 * worker is enough to measure what a hundred would gain.
 *
 * Without a line of code: SKUA_PROFILE=1 in the environment profiles every pool from open to close
 * and prints a report on standard error.
 */
#define SKUA_PROFILE_TASKS 12

struct skua_profile_task {
	char name[64];
	int64_t work_ns; /* of all its strands */
	int64_t span_ns; /* of those on the longest path */
};

struct skua_profile {
	size_t size;	     /* sizeof(struct skua_profile), set by the caller */
	int64_t wall_ns;     /* from begin to end */
	unsigned workers;    /* that should have been up at the end */
	int64_t work_ns;     /* on one worker */
	int64_t span_ns;     /* on any number */
	int64_t burdened_ns; /* the span, with a theft at each fork of the path */
	int64_t theft_ns;    /* what one was taken to cost */
	uint64_t forks;
	unsigned task_count; /* the most work first */
	struct skua_profile_task tasks[SKUA_PROFILE_TASKS];
};

/**
 * Profile a pool from now on: what begins after this, and ends before skua_profile_end.
 *
 * Every fork and join goes the slow way then, some 50 to 100 ns each.  What looking costs is
 * measured and taken off.
 *
 * Thread    any
 * Memory    some KiB a worker, and address space for 1 Mi waiting forks; kept until close
 * Ordering  none
 * Fails     SKUA_EBUSY: it is profiled already; SKUA_ENOMEM; why the default pool cannot be had
 * Cost      some 100 us
 * See       examples/30_profile.c, man skua_profile
 */
SKUA_API int skua_profile_begin(struct skua_pool *pool);

/**
 * Profile no more, and tell what was found; NULL: tell nothing.  Call it when what is to be
 * measured is over: what still runs is left out.
 *
 * Thread    any
 * Memory    none that stays
 * Ordering  none
 * Fails     SKUA_EINVAL: wrong size, or it is not profiled by skua_profile_begin
 * Cost      some 10 us, and reading the names of tasks from the program's file
 * See       examples/30_profile.c, man skua_profile
 */
SKUA_API int skua_profile_end(struct skua_pool *pool, struct skua_profile *profile);

/**
 * How many times as fast as on one worker it should be on so many: by Brent's bound, with the
 * burdened span.
 *
 * Thread    any
 * Memory    none
 * Ordering  none
 * Fails     never; 0 workers, NULL: 0
 * Cost      a division or two
 * See       examples/30_profile.c, man skua_profile
 */
SKUA_API double skua_profile_speedup(const struct skua_profile *profile, unsigned workers);

/**
 * The report that SKUA_PROFILE=1 prints, cut at room bytes; the length of all of it.
 *
 * Thread    any
 * Memory    none
 * Ordering  none
 * Fails     never; NULL: 0
 * Cost      some us
 * See       examples/30_profile.c, man skua_profile
 */
SKUA_API size_t skua_profile_text(const struct skua_profile *profile, char *text, size_t room);

SKUA_END_C

#endif
