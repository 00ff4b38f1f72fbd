/* SPDX-License-Identifier: MIT */
/* livefile.h — the file through which a monitored pool is seen by `skua top` */
#ifndef SKUAI_TRACE_LIVEFILE_H
#define SKUAI_TRACE_LIVEFILE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/*
 * $XDG_RUNTIME_DIR/skua/PID.POOL, or /tmp/skua-UID/PID.POOL: a head, then a block for each worker.
 * The monitored process writes all of it anew some ten times a second; who reads while it writes
 * sees that by the checksum and reads again.  In the byte order of the machine: nobody else reads
 * it.  Any change gets a new version.
 */
#define SKUAI_LIVE_MAGIC   "SKUALIV\n"
#define SKUAI_LIVE_VERSION 1

struct skuai_live_head {
	char magic[8];
	uint32_t version;
	uint32_t head_bytes, worker_bytes; /* sizes of the two structs */
	uint32_t workers;		   /* blocks that follow: workers and spares */
	uint32_t wanted, active;	   /* that should be up, that are not dormant */
	uint32_t process, pool;		   /* its number, and which of its pools */
	uint64_t start_ticks;		   /* when the process began: field 22 of /proc/PID/stat */
	uint64_t space;		  /* in which its number counts: inode of its pid namespace */
	uint64_t writes;	  /* so many times was this written */
	uint64_t glances;	  /* looks at who is running, for the workers' `running` */
	int64_t now_ns, begun_ns; /* CLOCK_MONOTONIC: of this, of the start of monitoring */
	uint32_t interval_ms;	  /* between two writes */
	uint32_t stuck_ms;	  /* limit of the watchdog; 0: none */
	uint32_t queues;	  /* bit 0, 1, 2: urgent, normal, low jobs wait in common queues */
	uint32_t unused;
	uint64_t stuck; /* reports of the watchdog so far */
	char name[16];	/* of the pool */
	uint64_t check; /* of all words but this; last in the head */
};
static_assert(sizeof(struct skuai_live_head) == 136, "no padding");

/* What a worker does; words for people are in tool/top. */
enum skuai_live_state {
	SKUAI_LIVE_RUNNING,   /* in a task */
	SKUAI_LIVE_BLOCKED,   /* in a task that said that it blocks */
	SKUAI_LIVE_WAITING,   /* in a task that sleeps until something is done */
	SKUAI_LIVE_SEARCHING, /* awake without work */
	SKUAI_LIVE_ASLEEP,
	SKUAI_LIVE_DORMANT, /* not needed at present */
	SKUAI_LIVE_STATES,
};

enum {
	SKUAI_LIVE_IS_GUEST = 1, /* flags: a thread of the program is in its place */
	SKUAI_LIVE_IS_STUCK = 2, /* the watchdog has reported it */
};

struct skuai_live_worker {
	uint64_t tasks, jobs, steals, stolen_jobs, failed, parks, wakes, idle_ns; /* counters */
	uint64_t running;  /* glances that found it in a task, not asleep */
	uint64_t function; /* address of the task's; 0: not known, or no task */
	int64_t since_ns;  /* when it was first seen in this task; 0: in none */
	uint32_t state, flags;
	uint32_t thread; /* number of whoever is the worker; 0: not known */
	uint32_t deque;	 /* jobs that wait in its deque */
	uint32_t forks;	 /* forked tasks that wait for a thief */
	uint32_t unused;
	char task[56]; /* the function's name, as far as it is known */
};
static_assert(sizeof(struct skuai_live_worker) == 168, "no padding");

/* The checksum: it finds reads that met a write, not malice. */
static inline uint64_t skuai_live_check(const void *image, size_t bytes)
{
	const uint64_t *words = image;
	const size_t own = offsetof(struct skuai_live_head, check) / sizeof(*words);
	uint64_t sum = 0x9e3779b97f4a7c15;

	for (size_t i = 0; i < bytes / sizeof(*words); i++) {
		sum = (sum ^ (i == own ? 0 : words[i])) * 0x100000001b3;
		sum ^= sum >> 29;
	}
	return sum;
}

#endif
