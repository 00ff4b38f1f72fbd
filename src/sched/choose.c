/* SPDX-License-Identifier: MIT */
/* choose.c — which job a worker takes next: urgent ones, its own, injected ones, low ones */
#include "base/atomic.h"
#include "sched/tracing.h"

/*
 * Urgent and low jobs wait in queues of the whole pool, so that everybody takes the most urgent one
 * there is, not the most urgent of its own.  Normal ones wait in the deque of the worker that
 * submitted them.  In this order: urgent, own, injected; then search.c robs others; low at last.
 * A look at the urgent ones costs one load of a counter while there are none.
 *
 * Every so often the order is another one: the oldest first, or a low one first.  So a job that
 * submits itself again does not starve the rest, and low work moves on however much else there is.
 *
 * A queue whose lock somebody holds is passed over, not waited for: a worker that is descheduled
 * with it keeps nobody from the classes below.  Red without: model_choose passes_over.
 */
#define FAIRNESS_TICK	   61 /* Go's number; any prime around will do */
#define INJECTED_AT_A_TIME 16

enum skuai_class skuai_class_of(const struct skua_job *job)
{
	switch (job->priority) {
	case SKUA_PRIORITY_URGENT:
		return SKUAI_URGENT;
	case SKUA_PRIORITY_LOW:
		return SKUAI_LOW;
	default:
		return SKUAI_NORMAL;
	}
}

/* The hint that a class has, or NULL. */
static _Atomic int32_t *hint_of(struct skua_pool *pool, enum skuai_class rank)
{
	return rank == SKUAI_URGENT ? &pool->urgent : rank == SKUAI_LOW ? &pool->low : NULL;
}

bool skuai_inject(struct skua_pool *pool, unsigned shard, struct skua_job *job)
{
	enum skuai_class rank = skuai_class_of(job);
	_Atomic int32_t *hint = hint_of(pool, rank);

	bool is_behind = skuai_inject_put(&pool->inject[rank], shard, job, job);
	if (hint)
		/* order choose.hint.1: relaxed, a hint; who must not miss one looks at the queue */
		skua_add(hint, 1, relaxed);
	return is_behind;
}

void skuai_keep_jobs(struct skuai_worker *self, struct skua_job **jobs, unsigned count)
{
	for (unsigned i = count; i-- > 1;) {
		if (skua_deque_push(&self->deque, (uint64_t)(uintptr_t)jobs[i]) == 0)
			continue;
		/* No memory to grow: back to the common queue, which needs none. */
		jobs[i]->next = NULL;
		skuai_inject(self->pool, self->number, jobs[i]);
		skuai_count(&self->counters.spills, 1);
	}
	if (count > 1)
		skuai_notify(self->pool, self, true);
}

bool skuai_find_injected(struct skuai_worker *self, struct skuai_find *find)
{
	struct skua_job *jobs[INJECTED_AT_A_TIME];
	unsigned count = skuai_inject_take(&self->pool->inject[SKUAI_NORMAL], self->number, jobs,
					   INJECTED_AT_A_TIME);

	if (!count)
		return false;
	skuai_count(&self->counters.injected, count);
	skuai_trace(self, SKUAI_TRACE_INJECT, count);
	find->origin = SKUAI_TRACE_OF_OUTSIDE;
	find->job = jobs[0];
	skuai_keep_jobs(self, jobs, count);
	return true;
}

/* One job of a class that has a hint: it may be gone before we have a second one to keep. */
static bool find_in_class(struct skuai_worker *self, enum skuai_class rank, struct skuai_find *find)
{
	_Atomic int32_t *hint = hint_of(self->pool, rank);

	/* order choose.hint.2: relaxed, a hint */
	if (skua_load(hint, relaxed) <= 0 ||
	    !skuai_inject_take(&self->pool->inject[rank], self->number, &find->job, 1))
		return false;
	skua_sub(hint, 1, relaxed); /* order choose.hint.3: relaxed, a hint */
	skuai_count(&self->counters.injected, 1);
	skuai_trace(self, SKUAI_TRACE_INJECT, 1);
	find->origin = SKUAI_TRACE_OF_OUTSIDE;
	return true;
}

/* One for some workers, us among them. */
static bool find_chosen(struct skuai_worker *self, enum skua_priority priority,
			struct skuai_find *find)
{
	find->job = skuai_chosen_take(&self->pool->chosen, self->number, priority);
	find->origin = SKUAI_TRACE_OF_CHOSEN;
	return find->job != NULL;
}

bool skuai_find_low(struct skuai_worker *self, struct skuai_find *find)
{
	/* By turns, and by other turns when find_fairly calls: its tick for us is always odd. */
	bool is_common_first = (self->tick + self->tick / (4 * FAIRNESS_TICK)) % 2;

	return (is_common_first && find_in_class(self, SKUAI_LOW, find)) ||
	       find_chosen(self, SKUA_PRIORITY_LOW, find) || find_in_class(self, SKUAI_LOW, find);
}

static bool find_own_oldest(struct skuai_worker *self, struct skuai_find *find)
{
	uint64_t element;

	if (skua_deque_steal(&self->deque, &element) != SKUA_TAKE_GOT)
		return false;
	find->job = skuai_job_of(element);
	find->origin = SKUAI_TRACE_OF_OWN;
	return true;
}

/* Out of turn: each kind of queue is the first by turns, so that none of them waits for ever. */
static bool find_fairly(struct skuai_worker *self, struct skuai_find *find)
{
	for (unsigned turn = self->tick / FAIRNESS_TICK, last = turn + 4; turn != last; turn++) {
		bool is_found = turn % 4 == 0	? skuai_find_injected(self, find)
				: turn % 4 == 1 ? skuai_find_low(self, find)
				: turn % 4 == 2 ? find_own_oldest(self, find)
						: find_chosen(self, SKUA_PRIORITY_NORMAL, find);
		if (is_found)
			return true;
	}
	return false;
}

bool skuai_find_ahead(struct skuai_worker *self, struct skuai_find *find)
{
	bool has_chosen = !skuai_chosen_is_empty(&self->pool->chosen);
	/* order choose.hint.4: relaxed, a hint */
	bool has_urgent = skua_load(&self->pool->urgent, relaxed) > 0;

	return (has_chosen && find_chosen(self, SKUA_PRIORITY_URGENT, find)) ||
	       (has_urgent && find_in_class(self, SKUAI_URGENT, find)) ||
	       (has_chosen && find_chosen(self, SKUA_PRIORITY_NORMAL, find));
}

bool skuai_find_job(struct skuai_worker *self, struct skuai_find *find)
{
	uint64_t element;

	if (++self->tick % FAIRNESS_TICK == 0 && find_fairly(self, find))
		return true;
	if (skuai_find_ahead(self, find))
		return true;
	if (skua_deque_pop(&self->deque, &element) == SKUA_TAKE_GOT) {
		find->job = skuai_job_of(element);
		find->origin = SKUAI_TRACE_OF_OWN;
		return true;
	}
	return skuai_find_injected(self, find);
}
