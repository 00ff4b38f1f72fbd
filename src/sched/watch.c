/* SPDX-License-Identifier: MIT */
/* watch.c — what is done for a task that somebody looks at */
#include "sched/watch.h"

/*
 * Unmodelled: nothing here decides anything; TSan watches it.
 */

/* --- eyes --- */

void skuai_eye_set(struct skuai_worker *self, enum skuai_eye eye, bool is_open)
{
	if (is_open)
		skua_or(&self->eyes, (uint32_t)eye, relaxed); /* order watch.set.1: a hint */
	else
		skua_and(&self->eyes, ~(uint32_t)eye, relaxed); /* order watch.set.2: a hint */
}

void skuai_eyes_set(struct skua_pool *pool, enum skuai_eye eye, bool is_open)
{
	for (unsigned i = 0; i < pool->count; i++)
		skuai_eye_set(&pool->workers[i], eye, is_open);
}

/* --- tasks --- */

/* Its task is this function from now on; the one before. */
static uintptr_t rename_task(struct skuai_worker *self, uintptr_t function)
{
	/* order watch.task.1: relaxed, our own store */
	uintptr_t before = skua_load(&self->task, relaxed);

	skua_store(&self->task, function, relaxed); /* order watch.task.2: relaxed, news */
	return before;
}

void skuai_watch_begin(struct skuai_worker *self, struct skuai_watch *watch, uintptr_t function,
		       unsigned peer, enum skuai_trace_origin origin)
{
	watch->function = function;
	watch->outer = rename_task(self, function);
	skuai_hooks_task(self, true);
	skuai_trace_task(self, function, peer, origin);
	skuai_profile_enter(self, &watch->frame, function);
}

void skuai_watch_end(struct skuai_worker *self, const struct skuai_watch *watch)
{
	skuai_trace(self, SKUAI_TRACE_TASK_END, 0);
	rename_task(self, watch->function);
	skuai_hooks_task(self, false);
	rename_task(self, watch->outer);
}

void skuai_watch_back(struct skuai_worker *self, uintptr_t before)
{
	rename_task(self, before);
}

uintptr_t skuai_watch_name(struct skuai_worker *self, uintptr_t function)
{
	struct skuai_tracer *tracer = skuai_tracer_of(self);
	uintptr_t before = rename_task(self, function);

	if (tracer)
		skuai_tracer_name(tracer, skuai_tracer_name_of(tracer, function));
	if (self->profiler)
		skuai_profile_rename(self, function);
	return before;
}

void skuai_watch_inlined(struct skuai_worker *self, struct skuai_inlined *inlined)
{
	/* order watch.inlined.1: relaxed, our own store */
	inlined->outer = skua_load(&self->task, relaxed);
	inlined->name = self->profiler ? self->profiler->name : 0;
	skuai_trace_task(self, 0, SKUAI_TRACE_NOBODY, SKUAI_TRACE_OF_OWN);
}

void skuai_watch_inlined_end(struct skuai_worker *self, const struct skuai_inlined *inlined)
{
	skuai_trace(self, SKUAI_TRACE_TASK_END, 0);
	rename_task(self, inlined->outer);
	if (!self->profiler)
		return;
	skuai_strand_end(self->profiler);
	self->profiler->name = inlined->name;
	skuai_strand_begin(self->profiler);
}

/* --- guests and sleep --- */

void skuai_watch_enter(struct skuai_worker *place)
{
	/* order watch.enter.1: relaxed, news */
	skua_store(&place->guest_tid, skuai_thread_tid(), relaxed);
	rename_task(place, 0);
	SKUAI_PROBE2(job_begin, place->number, 0);
	skuai_hooks_task(place, true);
}

void skuai_watch_leave(struct skuai_worker *place)
{
	rename_task(place, 0); /* a root, as at the beginning */
	skuai_hooks_task(place, false);
	SKUAI_PROBE2(job_end, place->number, 0);
	skua_store(&place->guest_tid, 0, relaxed); /* order watch.leave.1: relaxed, news */
}

void skuai_watch_park(unsigned number)
{
	SKUAI_PROBE1(park, number);
	skuai_hooks_park(number, true);
}

void skuai_watch_unpark(unsigned number)
{
	SKUAI_PROBE1(unpark, number);
	skuai_hooks_park(number, false);
}
