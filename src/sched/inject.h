/* SPDX-License-Identifier: MIT */
/* inject.h — the queue through which other threads hand jobs to a pool */
#ifndef SKUAI_SCHED_INJECT_H
#define SKUAI_SCHED_INJECT_H

#include "sched/lock.h"

#include <skua/job.h>

#define SKUAI_INJECT_SHARDS 8 /* arbitrary; a power of two */

/* inject.c tells how it works.  Zeroed is empty. */
struct skuai_inject {
	struct skuai_inject_shard {
		/* line 0: anybody pushes, whoever holds the lock takes all */
		_Alignas(128) _Atomic(struct skua_job *) newest;
		/* line 1: whoever takes */
		_Alignas(128) struct skuai_lock lock;
		_Atomic(struct skua_job *) oldest; /* in order; under the lock, hints aside */
	} shards[SKUAI_INJECT_SHARDS];
};

/*
 * Put a chain of jobs: newest first, linked by next, `last` is the oldest of them.  True: others
 * that nobody has taken yet are before it in its shard.
 */
bool skuai_inject_put(struct skuai_inject *inject, unsigned shard, struct skua_job *first,
		      struct skua_job *last);

/* Take up to `most` jobs, the oldest of a shard first.  How many. */
unsigned skuai_inject_take(struct skuai_inject *inject, unsigned shard, struct skua_job **jobs,
			   unsigned most);

/* A look: is there anything. */
bool skuai_inject_has_any(struct skuai_inject *inject);

#endif
