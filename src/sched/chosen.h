/* SPDX-License-Identifier: MIT */
/* chosen.h — jobs that only some workers may run */
#ifndef SKUAI_SCHED_CHOSEN_H
#define SKUAI_SCHED_CHOSEN_H

#include "base/atomic.h"
#include "sched/lock.h"

#include <skua/job.h>

/* Those of one priority. */
struct skuai_chosen_queue {
	struct skua_job *oldest, *newest;
	uint64_t workers; /* that there may be one for: who finds none takes its bit out */
};

/* Queues, oldest first, with a lock: such jobs are few.  Zeroed is empty. */
struct skuai_chosen {
	_Alignas(128) _Atomic uint32_t count; /* a hint; exact under the lock */
	struct skuai_lock lock;
	struct skuai_chosen_queue queues[SKUA_PRIORITY_LOW + 1];
};

/* A posted job that worker i may run when bit i of `workers` is set. */
void skuai_chosen_put(struct skuai_chosen *chosen, struct skua_job *job, uint64_t workers);

/* The oldest of this priority that this worker may run; NULL: none. */
struct skua_job *skuai_chosen_take(struct skuai_chosen *chosen, unsigned worker,
				   enum skua_priority priority);

/* Is there any, for anybody?  A hint, for who is about to look. */
static inline bool skuai_chosen_is_empty(struct skuai_chosen *chosen)
{
	return !skua_load(&chosen->count, relaxed); /* order chosen.count.6: relaxed, a hint */
}

/* How many wait; a moment ago. */
uint32_t skuai_chosen_count(struct skuai_chosen *chosen);

/* Is there one for this worker? */
bool skuai_chosen_has(struct skuai_chosen *chosen, unsigned worker);

#endif
