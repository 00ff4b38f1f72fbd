/* SPDX-License-Identifier: MIT */
/* chosen.c — jobs that only some workers may run */
#include "sched/chosen.h"

#include "base/atomic.h"

/* The mask stands where other jobs have their waiter: a posted job has none. */
static bool may_run(struct skua_job *job, unsigned worker)
{
	/* order chosen.mask.1: relaxed, carried by the lock */
	uint64_t workers = (uint64_t)(uintptr_t)skua_load(&job->waiter, relaxed);

	return worker < 64 && workers >> worker & 1;
}

void skuai_chosen_put(struct skuai_chosen *chosen, struct skua_job *job, uint64_t workers)
{
	void *mask = (void *)(uintptr_t)workers; /* NOLINT(performance-no-int-to-ptr) */

	skua_store(&job->waiter, mask, relaxed); /* order chosen.mask.2: carried by the lock */
	job->next = NULL;
	skuai_lock_take(&chosen->lock);
	if (chosen->newest)
		chosen->newest->next = job;
	else
		chosen->oldest = job;
	chosen->newest = job;
	/* order chosen.count.1: relaxed, before the look for sleepers by the fence that follows */
	skua_add(&chosen->count, 1, relaxed);
	skuai_lock_give(&chosen->lock);
}

#define OF_ANY (-1)

/* Where the link to the first job is that this worker may run; *last: the job before.  Locked. */
static struct skua_job **find_link(struct skuai_chosen *chosen, unsigned worker, int priority,
				   struct skua_job **last)
{
	struct skua_job **link = &chosen->oldest;

	*last = NULL;
	while (*link && (!may_run(*link, worker) ||
			 (priority != OF_ANY && (int)(*link)->priority != priority))) {
		*last = *link;
		link = &(*link)->next;
	}
	return link;
}

struct skua_job *skuai_chosen_take(struct skuai_chosen *chosen, unsigned worker,
				   enum skua_priority priority)
{
	struct skua_job *before;

	/* Who stands still with the lock must not keep us from other queues.
	 * order chosen.count.2: relaxed, a hint; a sleeper has fenced before */
	if (!skua_load(&chosen->count, relaxed) || !skuai_lock_try(&chosen->lock))
		return NULL;
	struct skua_job **link = find_link(chosen, worker, (int)priority, &before);
	struct skua_job *job = *link;
	if (job) {
		*link = job->next;
		if (chosen->newest == job)
			chosen->newest = before;
		skua_sub(&chosen->count, 1, relaxed); /* order chosen.count.3: relaxed, a hint */
	}
	skuai_lock_give(&chosen->lock);
	return job;
}

uint32_t skuai_chosen_count(struct skuai_chosen *chosen)
{
	return skua_load(&chosen->count, relaxed); /* order chosen.count.5: relaxed, a number */
}

bool skuai_chosen_has(struct skuai_chosen *chosen, unsigned worker)
{
	struct skua_job *before;

	/* order chosen.count.4: relaxed, after we said that we sleep by idle.sleep.3 */
	if (!skua_load(&chosen->count, relaxed))
		return false;
	skuai_lock_take(&chosen->lock);
	bool has = *find_link(chosen, worker, OF_ANY, &before) != NULL;
	skuai_lock_give(&chosen->lock);
	return has;
}
