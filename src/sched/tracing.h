/* SPDX-License-Identifier: MIT */
/* tracing.h — what the scheduler tells a trace, at the price of a branch while there is none */
#ifndef SKUAI_SCHED_TRACING_H
#define SKUAI_SCHED_TRACING_H

#include "sched/profiling.h"
#include "trace/evring.h"

#include <stdio.h>

/*
 * A worker's `tracer` is NULL while its pool is not traced.  Only whoever is the worker writes to
 * its ring: not between saying that it sleeps and being up again, for a guest may have the place.
 *
 * Unstolen forks and joins do not come here.  Of forks that go the slow way for another reason some
 * are written, and now and then one more is sent that way.
 */
#define SKUAI_TRACER_KNOWN 64

struct skuai_tracer {
	struct skuai_evring ring; /* line: the worker writes, who copies reads */
	/* the worker's alone */
	_Alignas(SKUAI_LINE) uint64_t forks; /* that went the slow way */
	uint64_t fork_ticks;		     /* when one was last written */
	uint64_t sample_ticks;		     /* and when one was last sent that way */
	struct {
		uintptr_t address;
		uint32_t name;
	} known[SKUAI_TRACER_KNOWN]; /* names of functions, by address */
};

#ifdef SKUA_ATOMICS_MODEL
/* What is explored has no trace: a load at each event would only make it larger. */
static inline struct skuai_tracer *skuai_tracer_of(struct skuai_worker *self)
{
	(void)self;
	return NULL;
}
#else
static inline struct skuai_tracer *skuai_tracer_of(struct skuai_worker *self)
{
	/* order tracing.of.1: acquire, pairs traces.begin.1; the ring */
	struct skuai_tracer *tracer = skua_load(&self->tracer, acquire);

	return __builtin_expect(tracer != NULL, 0) ? tracer : NULL;
}
#endif

void skuai_tracer_put(struct skuai_tracer *tracer, enum skuai_trace_kind kind, uint32_t argument,
		      uint16_t peer, uint8_t detail) __attribute__((cold));
void skuai_tracer_task(struct skuai_tracer *tracer, uintptr_t function, uint16_t peer,
		       enum skuai_trace_origin origin) __attribute__((cold));
void skuai_tracer_name(struct skuai_tracer *tracer, uint32_t name) __attribute__((cold));
uint32_t skuai_tracer_name_of(struct skuai_tracer *tracer, uintptr_t function)
	__attribute__((cold));

/* An event of this worker. */
static inline void skuai_trace(struct skuai_worker *self, enum skuai_trace_kind kind,
			       uint32_t argument)
{
	struct skuai_tracer *tracer = skuai_tracer_of(self);

	if (tracer)
		skuai_tracer_put(tracer, kind, argument, SKUAI_TRACE_NOBODY, 0);
}

/* The same with another worker, or a reason, in it. */
static inline void skuai_trace_more(struct skuai_worker *self, enum skuai_trace_kind kind,
				    uint32_t argument, unsigned peer, unsigned detail)
{
	struct skuai_tracer *tracer = skuai_tracer_of(self);

	if (tracer)
		skuai_tracer_put(tracer, kind, argument, (uint16_t)peer, (uint8_t)detail);
}

/* A task begins. */
static inline void skuai_trace_task(struct skuai_worker *self, uintptr_t function, unsigned peer,
				    enum skuai_trace_origin origin)
{
	struct skuai_tracer *tracer = skuai_tracer_of(self);

	if (tracer)
		skuai_tracer_task(tracer, function, (uint16_t)peer, origin);
}

/* A fork into `slot` went the slow way, and shared so many. */
void skuai_trace_slow_fork(struct skuai_worker *self, struct skua_slot *slot);

/* So many were shared; `top` is the first slot that holds no task. */
void skuai_trace_share(struct skuai_worker *self, struct skua_slot *top, unsigned shared);

/* So many were stolen from a victim. */
void skuai_trace_steal(struct skuai_worker *self, const struct skuai_worker *victim,
		       unsigned count);

/* --- a pool's trace: traces.c --- */

/* SKUA_TRACE is set: begin.  The pool has no threads yet. */
void skuai_traces_open(struct skua_pool *pool);

/* Its threads have ended, or the program does: write what is to be written.  Again: nothing. */
void skuai_traces_finish(struct skua_pool *pool);

/* What came of it, for SKUA_STATS. */
void skuai_traces_report(struct skua_pool *pool, FILE *file);

/* Free it, with the pool. */
void skuai_traces_close(struct skua_pool *pool);

/* In the child of a fork: no trace, and no lock. */
void skuai_traces_orphan(struct skua_pool *pool);

/* Around a fork. */
void skuai_traces_lock(void);
void skuai_traces_unlock(void);

#endif
