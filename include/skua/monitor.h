/* SPDX-License-Identifier: MIT */
/* monitor.h — a running pool looked at: for `skua top`, a watchdog, hooks for profilers */
#ifndef SKUA_MONITOR_H
#define SKUA_MONITOR_H

#include <skua/detail/export.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

SKUA_BEGIN_C

struct skua_pool;

/**
 * A worker that has been in one task for too long.  Texts are the library's, until the callback
 * returns; "" stands for what the system does not tell.
 */
struct skua_stuck {
	size_t size;		/* sizeof(struct skua_stuck) */
	const char *pool;	/* its name */
	unsigned worker;	/* number in it */
	void (*function)(void); /* of the task; NULL: not known, a root of skua_run */
	const char *name;	/* of that function; "module+0x1234" where there are no symbols */
	int64_t age_ns;		/* it has been in it for at least so long */
	int64_t thread;		/* the kernel's number of the thread */
	char state;		/* as in /proc: R runs, S sleeps, D sleeps and cannot be woken; 0 */
	const char *wait;	/* the kernel function that it sleeps in */
	const char *stack;	/* functions found on its stack, a line each, newest first */
	const char *kernel_stack;
};

struct skua_monitor_options {
	size_t size;	 /* sizeof(struct skua_monitor_options) */
	int interval_ms; /* between two looks, 10 to 10000; 0: 100 */
	int stuck_ms;	 /* a task that takes longer is reported, once; 0: none is */
	void (*on_stuck)(const struct skua_stuck *stuck, void *context); /* NULL: to stderr */
	void *context;
	bool is_private; /* share nothing with `skua top`: the watchdog alone */
};

/**
 * Look at a pool from now on: a thread of the library's own reads what the workers count anyway,
 * shows it to `skua top`, and is the watchdog.  With SKUA_MONITOR=1 or SKUA_WATCHDOG=MS in the
 * environment every pool is monitored from its start.
 *
 * on_stuck is called on that thread.  It may not begin or end monitoring, nor close the pool.
 *
 * Thread    any
 * Memory    some KiB, and 200 bytes a worker; a file of as many, readable by this user only
 * Ordering  none
 * Fails     SKUA_EINVAL: wrong size, a number out of its range; SKUA_EBUSY: it is monitored
 *           already; SKUA_EPERM, SKUA_EIO, ...: the file cannot be made; SKUA_ENOMEM; SKUA_EAGAIN:
 *           no more threads; or why the pool cannot be had.  Then nothing is monitored.
 * Cost      for workers a few cache misses at every look
 * See       examples/31_monitored.c, man skua_monitor
 */
SKUA_API int skua_monitor_begin(struct skua_pool *pool, const struct skua_monitor_options *options);

/**
 * Look no more; the file is gone.  Closing the pool does the same.
 *
 * Thread    any but on_stuck's
 * Memory    all freed
 * Ordering  on_stuck is not running any more, and is not called again
 * Fails     SKUA_EINVAL: it is not monitored; SKUA_EBUSY: called by on_stuck
 * Cost      as long as on_stuck takes, if it runs
 * See       examples/31_monitored.c, man skua_monitor
 */
SKUA_API int skua_monitor_end(struct skua_pool *pool);

/** For other profilers: called on the thread that does it.  Each may be NULL. */
struct skua_task_hooks {
	size_t size; /* sizeof(struct skua_task_hooks) */
	/* jobs, stolen forks, roots; function is NULL for a root, and the library's own where it
	 * runs a future, a node, a token, a loop.  They nest: a task that waits may run others
	 * meanwhile. */
	void (*task_begin)(void *context, unsigned worker, void (*function)(void));
	void (*task_end)(void *context, unsigned worker, void (*function)(void));
	/* sleep for want of work, or until what is waited for is done */
	void (*park)(void *context, unsigned worker);
	void (*unpark)(void *context, unsigned worker);
	void *context;
};

/**
 * Have these called from now on, in all pools; NULL: none.
 *
 * Thread    any, before the first pool is opened, the default pool included
 * Memory    none; the struct is copied
 * Ordering  none
 * Fails     SKUA_EINVAL: wrong size; SKUA_EBUSY: a pool has been opened already
 * Cost      without hooks a load for each task and sleep; none for a fork that is not stolen
 * See       man skua_monitor
 */
SKUA_API int skua_hooks_set(const struct skua_task_hooks *hooks);

SKUA_END_C

#endif
