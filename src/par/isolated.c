/* SPDX-License-Identifier: MIT */
/* isolated.c — isolated groups and regions: who waits runs what is part of it, and nothing else */
#include "base/atomic.h"
#include "base/diag.h"
#include "os/clock.h"
#include "par/group_parts.h"
#include "sched/outcome.h"
#include "sched/watch.h"

#include <skua/error.h>

#include <assert.h>

/*
 * Who waits for an isolated group may run nothing but its tasks, and cannot find them in deques
 * where they stand among others.  So their cells also stand in a list of the group: there are two
 * ways to a cell, and whoever claims it first runs it (cells.h).  An old way in some deque is found
 * long after the group is gone, and must not need it.
 */

static struct skuai_lock *lock_of(struct skua_group *group)
{
	static_assert(sizeof(struct skuai_lock) == sizeof(uint32_t), "it has the room");
	return (struct skuai_lock *)(void *)&group->lock;
}

void skuai_group_list(struct skua_group *group, struct skuai_cell *cell)
{
	skua_store(&cell->job.refs, 2, relaxed); /* order isolated.list.1: relaxed, alone */
	skuai_lock_take(lock_of(group));
	/* order isolated.list.2: relaxed, under the lock */
	struct skuai_cell *newest = skua_load(&group->waiting, relaxed);
	cell->job.link = newest ? &newest->job : NULL;
	skua_store(&group->waiting, cell, relaxed); /* order isolated.list.3: relaxed, as .2 */
	skuai_lock_give(lock_of(group));
}

static struct skuai_cell *unlist_cell(struct skua_group *group)
{
	/* order isolated.list.4: relaxed, a hint: what is missed comes by the other way */
	if (!skua_load(&group->waiting, relaxed))
		return NULL;
	skuai_lock_take(lock_of(group));
	/* order isolated.list.5: relaxed, as .2 */
	struct skuai_cell *cell = skua_load(&group->waiting, relaxed);
	if (cell)
		/* order isolated.list.6: relaxed, as .2 */
		skua_store(&group->waiting, (struct skuai_cell *)(void *)cell->job.link, relaxed);
	skuai_lock_give(lock_of(group));
	return cell;
}

/*
 * Who runs a task from the list leaves the other way to it behind, in its own deque as a rule, and
 * there nobody comes along while all waits are isolated: take such ends away, newest first.
 */
static void tidy_deque(struct skuai_worker *self)
{
	uint64_t element;

	while (skua_deque_pop(&self->deque, &element) == SKUA_TAKE_GOT) {
		struct skua_job *job = skuai_job_of(element);
		/* order isolated.tidy.1: relaxed, a claim is for ever */
		uint32_t state = skua_load(&job->state, relaxed);
		bool is_cell = state & SKUAI_JOB_POSTED && !(state & SKUAI_JOB_SMALL);
		if (is_cell && state & SKUAI_JOB_CLAIMED && job->run == skuai_group_run_claimed) {
			skuai_cell_drop(self->pool, self, job->argument, 1);
			continue;
		}
		/* Not ours to take, and for a moment nobody saw it: R1. */
		skuai_post_known(self->pool, self, job);
		break;
	}
}

void skuai_group_run_listed(struct skua_group *group, struct skuai_worker *self, int64_t deadline)
{
	struct skuai_cell *cell;
	bool has_run = false;

	while (skuai_group_may_run(group, self) && !skuai_deadline_is_past(deadline) &&
	       (cell = unlist_cell(group))) {
		if (skuai_cell_claim(cell)) {
			struct skuai_inlined inlined;
			skuai_begin_inlined(self, &inlined);
			skuai_group_begin(self, skuai_forks_top(&self->forks), cell);
			skuai_end_inlined(self, &inlined);
			skuai_group_leave(group);
			has_run = true;
		}
		skuai_cell_drop(group->pool, self, cell, 1);
	}
	if (has_run)
		tidy_deque(self);
}

void skuai_group_empty_list(struct skua_group *group, struct skuai_worker *self)
{
	struct skuai_cell *cell;

	while ((cell = unlist_cell(group)))
		skuai_cell_drop(group->pool, self, cell, 1);
}

void skua_isolate(struct skua_slot *here, skua_job_run *run, void *argument)
{
	struct skuai_worker *self = skuai_self;

	if (!self)
		skua_bug("skua_isolate: called by a thread that runs no task");
	/* order isolated.region.1: relaxed, our own store */
	bool was_isolated = skua_load(&self->is_isolated, relaxed);
	/* order isolated.region.2: relaxed, carried by whatever a thief takes from us */
	skua_store(&self->is_isolated, true, relaxed);
	run(here, argument);
	skua_store(&self->is_isolated, was_isolated, relaxed); /* order isolated.region.3: as .2 */
}
