/* SPDX-License-Identifier: MIT */
/* tracing.c — what the scheduler tells a trace, put into words of 16 bytes */
#include "sched/tracing.h"

#include "os/ticks.h"
#include "trace/namebook.h"

#include <string.h>

/*
 * Unmodelled: a load of one pointer, and the ring behind it, which tests/model/model_evring.c
 * explores.
 */
#define FORK_GAP_US   20  /* no two forks are written closer together */
#define SAMPLE_GAP_US 100 /* nor two sent the slow way in order to be */
#define COUNTED_SHIFT 6	  /* where every fork is counted, one in 64 is written */

void skuai_tracer_put(struct skuai_tracer *tracer, enum skuai_trace_kind kind, uint32_t argument,
		      uint16_t peer, uint8_t detail)
{
	skuai_evring_put(&tracer->ring, skuai_ticks(),
			 skuai_event_rest(kind, argument, peer, detail));
}

uint32_t skuai_tracer_name_of(struct skuai_tracer *tracer, uintptr_t function)
{
	size_t place = (function >> 4 ^ function >> 10) % SKUAI_TRACER_KNOWN;

	if (tracer->known[place].address != function) {
		tracer->known[place].address = function;
		tracer->known[place].name = skuai_name_of_function(function);
	}
	return tracer->known[place].name;
}

void skuai_tracer_task(struct skuai_tracer *tracer, uintptr_t function, uint16_t peer,
		       enum skuai_trace_origin origin)
{
	skuai_tracer_put(tracer, SKUAI_TRACE_TASK_BEGIN, skuai_tracer_name_of(tracer, function),
			 peer, (uint8_t)origin);
}

void skuai_tracer_name(struct skuai_tracer *tracer, uint32_t name)
{
	_Atomic uint64_t *rest = skuai_evring_newest(&tracer->ring, SKUAI_TRACE_TASK_BEGIN);

	if (rest)
		/* order tracing.name.1: relaxed, our own; who copies has one name or the other
		 * order tracing.name.2: relaxed, our own */
		skua_store(rest, (skua_load(rest, relaxed) & ~(uint64_t)UINT32_MAX) | name,
			   relaxed);
}

void skuai_trace_slow_fork(struct skuai_worker *self, struct skua_slot *slot)
{
	struct skuai_tracer *tracer = skuai_tracer_of(self);

	if (!tracer)
		return;
	uint32_t depth = (uint32_t)(slot - self->forks.base);
	if (self->forks.is_counting) {
		if (++tracer->forks % ((uint64_t)1 << COUNTED_SHIFT) == 0)
			skuai_tracer_put(tracer, SKUAI_TRACE_FORK, depth, SKUAI_TRACE_NOBODY,
					 COUNTED_SHIFT);
		return;
	}
	uint64_t now = skuai_ticks();
	if (now - tracer->fork_ticks >= skuai_ticks_of_us(FORK_GAP_US)) {
		tracer->fork_ticks = now;
		skuai_tracer_put(tracer, SKUAI_TRACE_FORK, depth, SKUAI_TRACE_NOBODY, 0);
	}
	if (now - tracer->sample_ticks >= skuai_ticks_of_us(SAMPLE_GAP_US)) {
		tracer->sample_ticks = now;
		skuai_forks_look(&self->forks);
	}
}

void skuai_trace_share(struct skuai_worker *self, struct skua_slot *top, unsigned shared)
{
	struct skuai_tracer *tracer = skuai_tracer_of(self);

	if (!tracer)
		return;
	size_t waiting = skuai_forks_waiting(&self->forks, top) + skua_deque_count(&self->deque);
	skuai_tracer_put(tracer, SKUAI_TRACE_SHARE, shared, SKUAI_TRACE_NOBODY, 0);
	skuai_tracer_put(tracer, SKUAI_TRACE_DEPTH, (uint32_t)waiting, SKUAI_TRACE_NOBODY, 0);
}

void skuai_trace_steal(struct skuai_worker *self, const struct skuai_worker *victim, unsigned count)
{
	struct skuai_tracer *tracer = skuai_tracer_of(self);

	if (!tracer)
		return;
	int near = skuai_victims_distance(self, victim);
	skuai_tracer_put(
		tracer, SKUAI_TRACE_STEAL, count, (uint16_t)victim->number,
		(uint8_t)(near < 0 ? SKUAI_TRACE_NOT_KNOWN : SKUAI_TRACE_SAME_CORE + near));
	if (count > 1)
		skuai_tracer_put(tracer, SKUAI_TRACE_DEPTH,
				 (uint32_t)skua_deque_count(&self->deque), SKUAI_TRACE_NOBODY, 0);
}
