/* SPDX-License-Identifier: MIT */
/* monitor_thread.h — the thread that looks at a pool: what it sees of each worker, and keeps */
#ifndef SKUAI_SCHED_MONITOR_THREAD_H
#define SKUAI_SCHED_MONITOR_THREAD_H

#include "os/sharedfile.h"
#include "os/symbols.h"
#include "sched/watchdog.h"
#include "sched/worker.h"
#include "trace/livefile.h"

#include <skua/monitor.h>

#define SKUAI_MONITOR_NAMES 64 /* functions whose names are kept; arbitrary */

/* But for `is_over` the monitor's thread's alone, once it runs. */
struct skuai_monitor {
	struct skuai_monitor *next; /* of all in this process; under the lock of monitor_thread.c */
	struct skua_pool *pool;
	struct skua_monitor_options options; /* with every default filled in */
	uint32_t process;
	struct skuai_thread thread;
	_Atomic uint32_t is_over; /* whoever ends it writes */
	struct skuai_shared file; /* fd -1: nothing is shared */
	struct skuai_symbols *symbols;
	struct {
		uintptr_t function;
		char name[56];
	} names[SKUAI_MONITOR_NAMES];
	struct skuai_watched *watched;	  /* a worker each */
	uint64_t stuck;			  /* reports so far */
	struct skuai_live_head *image;	  /* of the file: the head, */
	struct skuai_live_worker *blocks; /* and behind it a block for each worker */
	size_t bytes;			  /* of all that */
};

/* A pool was opened: monitor it if the environment asks for it.  A failure is told on stderr. */
void skuai_monitor_wish(struct skua_pool *pool);

/* It is being closed, its threads are gone. */
void skuai_monitor_close(struct skua_pool *pool);

/* In the child of a fork: the monitor was the parent's. */
void skuai_monitor_orphan(struct skua_pool *pool);

/* --- monitor_see.c --- */

/* Look at everything, and write it to the file if there is one. */
void skuai_monitor_see(struct skuai_monitor *monitor);

/* Look only at who is running. */
void skuai_monitor_glance(struct skuai_monitor *monitor);

/* The name of a function, kept for the next time. */
const char *skuai_monitor_name(struct skuai_monitor *monitor, uintptr_t function);

#endif
