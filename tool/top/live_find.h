/* SPDX-License-Identifier: MIT */
/* live_find.h — which processes are monitored, and what their pools do */
#ifndef SKUAT_TOP_LIVE_FIND_H
#define SKUAT_TOP_LIVE_FIND_H

#include "top/live_read.h"

#define LIVE_POOLS_MAX 16 /* of one process that are shown; arbitrary */

struct live_process {
	unsigned number;
	uid_t owner;
	char program[32]; /* the kernel's short name of it; foreign text */
	unsigned pool_count;
	struct live_pool pools[LIVE_POOLS_MAX]; /* the lowest numbers first */
	unsigned left_out;			/* pools beyond those */
	char fault[256];			/* a file that was refused, and why; "": none */
};

enum live_found {
	LIVE_FOUND,
	LIVE_NO_PROCESS,   /* it has ended, or never was */
	LIVE_OTHER_USER,   /* and we may not look */
	LIVE_NO_POOL,	   /* none of its pools is monitored */
	LIVE_ALL_REFUSED,  /* ->fault says why */
	LIVE_OUT_OF_REACH, /* ->fault says which folder cannot be trusted or read */
};

/* Nanoseconds since the process was started; INT64_MAX: there is none, or that is not told. */
int64_t live_age_ns(unsigned number);

/* Look at one process.  Whatever is returned, ->pools are to be freed with live_forget. */
enum live_found live_look(unsigned number, struct live_process *process);
void live_forget(struct live_process *process);

/*
 * The monitored processes of this user, by number; at most `most`.  Files of processes that are
 * gone are removed, *removed counts them.  How many, or -1: no memory.
 */
int live_list(struct live_process **processes, unsigned most, unsigned *removed);

#endif
