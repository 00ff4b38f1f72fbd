/* SPDX-License-Identifier: MIT */
/* slowpath.c — the slow halves of fork and join: who asks is answered, a stolen task waited for */
#include "base/diag.h"
#include "os/clock.h"
#include "sched/profiling.h"
#include "sched/tracing.h"

#include <assert.h>

#define JOIN_PATIENCE_NS 1000000 /* a join waits so long before it runs jobs meanwhile */

static_assert(offsetof(struct skuai_worker, forks.bounds) == 0, "a slot's bounds are its worker");

static struct skuai_worker *worker_of(const struct skua_slot *slot)
{
	return (struct skuai_worker *)(void *)slot->bounds;
}

static uint32_t number_of_slot(const struct skuai_worker *self, const struct skua_slot *slot)
{
	return (uint32_t)(slot - self->forks.base);
}

/* Tasks were shared, below `top`. */
static void tell_shared(struct skuai_worker *self, struct skua_slot *top, unsigned shared)
{
	if (!shared)
		return;
	skuai_count(&self->counters.shared, shared);
	skuai_trace_share(self, top, shared);
	skuai_notify(self->pool, self, false);
}

static void fork_and_share(struct skua_slot *slot, bool is_given)
{
	struct skuai_worker *self = worker_of(slot);

	if (self->profiler) {
		skuai_strand_end(self->profiler);
		skuai_profile_fork(self->profiler, slot, number_of_slot(self, slot));
	}
	skuai_say_where(self);
	unsigned shared = skuai_forks_fork(&self->forks, slot, is_given);
	if (self->forks.is_counting)
		skuai_count(&self->counters.forks, 1);
	skuai_trace_slow_fork(self, slot);
	tell_shared(self, slot + 1, shared);
	skuai_profile_resume(self);
}

void skua_fork_slow(struct skua_slot *slot)
{
	fork_and_share(slot, false);
}

void skuai_fork_given(struct skua_slot **here, skua_slot_task *task)
{
	struct skua_slot *slot = (*here)++;

	skuai_forks_fill(slot, task);
	fork_and_share(slot, true);
}

void skuai_offer(struct skua_slot *here)
{
	struct skuai_worker *self = worker_of(here);

	if (!skuai_forks_waiting(&self->forks, here)) /* its next fork answers */
		return;
	skuai_say_where(self);
	tell_shared(self, here, skuai_forks_offer(&self->forks, here));
}

bool skua_join_slow(struct skua_slot *slot)
{
	struct skuai_worker *self = worker_of(slot);
	unsigned shared = 0;

	skuai_profile_pause(self);
	bool is_stolen = skuai_forks_is_gone(slot) || skuai_forks_join(&self->forks, slot, &shared);
	tell_shared(self, slot, shared);
	if (!is_stolen) {
		/* Run here and now, so that its end is seen; its result is in the slot then. */
		bool is_run = self->profiler &&
			      skuai_profile_run(self->profiler, slot, number_of_slot(self, slot));
		skuai_profile_resume(self);
		return is_run;
	}
	if (!skuai_forks_is_done(slot)) {
		int64_t began = skuai_work_clock(self->pool), waited = self->waited_ns;
		struct skuai_until until = { .child = slot,
					     .jobs_ns = skuai_deadline_after(JOIN_PATIENCE_NS),
					     .deadline = SKUAI_NO_DEADLINE };
		if (skuai_forks_is_lost(slot))
			skua_bug("skua_join: the task was stolen by a worker that a fork() did not "
				 "copy into this process");
		skuai_count(&self->counters.joins_waited, 1);
		skuai_work_until(self, slot + 1, &until);
		/* Inner waits are part of it. */
		self->waited_ns = waited + (skuai_work_clock(self->pool) - began);
	}
	skuai_forks_joined(&self->forks, slot);
	if (self->profiler)
		skuai_profile_joined(self->profiler, number_of_slot(self, slot));
	skuai_profile_resume(self);
	return true;
}
