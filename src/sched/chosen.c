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
	struct skuai_chosen_queue *queue = &chosen->queues[job->priority];
	if (queue->newest)
		queue->newest->next = job;
	else
		queue->oldest = job;
	queue->newest = job;
	queue->workers |= workers;
	/* order chosen.count.1: relaxed, before the look for sleepers by the fence that follows */
	skua_add(&chosen->count, 1, relaxed);
	skuai_lock_give(&chosen->lock);
}

/*
 * Where the link to the first job is that this worker may run, NULL: there is none; *last: the job
 * before.  Locked.  A thousand jobs for another worker are walked over once, not at every look.
 */
static struct skua_job **find_link(struct skuai_chosen_queue *queue, unsigned worker,
				   struct skua_job **last)
{
	struct skua_job **link = &queue->oldest;

	*last = NULL;
	if (worker >= 64 || !(queue->workers >> worker & 1))
		return NULL;
	while (*link && !may_run(*link, worker)) {
		*last = *link;
		link = &(*link)->next;
	}
	if (*link)
		return link;
	queue->workers &= ~((uint64_t)1 << worker);
	return NULL;
}

struct skua_job *skuai_chosen_take(struct skuai_chosen *chosen, unsigned worker,
				   enum skua_priority priority)
{
	struct skuai_chosen_queue *queue = &chosen->queues[priority];
	struct skua_job *before;

	/* Who stands still with the lock must not keep us from other queues.
	 * order chosen.count.2: relaxed, a hint; a sleeper has fenced before */
	if (!skua_load(&chosen->count, relaxed) || !skuai_lock_try(&chosen->lock))
		return NULL;
	struct skua_job **link = find_link(queue, worker, &before);
	struct skua_job *job = link ? *link : NULL;
	if (job) {
		*link = job->next;
		if (queue->newest == job)
			queue->newest = before;
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
	bool has = false;

	/* order chosen.count.4: relaxed, after we said that we sleep by idle.sleep.3 */
	if (!skua_load(&chosen->count, relaxed))
		return false;
	skuai_lock_take(&chosen->lock);
	for (unsigned i = 0; !has && i <= SKUA_PRIORITY_LOW; i++)
		has = find_link(&chosen->queues[i], worker, &before);
	skuai_lock_give(&chosen->lock);
	return has;
}
