/* SPDX-License-Identifier: MIT */
/* watch.h — what a worker tells about its tasks: to traces, profiles, the monitor, hooks, probes */
#ifndef SKUAI_SCHED_WATCH_H
#define SKUAI_SCHED_WATCH_H

#include "sched/profiling.h"
#include "sched/tracing.h"
#include "sched/worker.h"
#include "trace/probes.h"

#include <skua/monitor.h>

/*
 * Mostly nobody looks: then a job costs one load of `eyes`, a fork that its owner joins nothing.
 * A task is begun watched or not, and ends so: who opens an eye in the middle of one hears of the
 * next one; under an eye that was open already, of an end without its beginning.  What the monitor
 * reads is of a moment ago, and that is all it asks for.
 */
enum skuai_eye {
	SKUAI_EYE_TRACE = 1,
	SKUAI_EYE_PROFILE = 2, /* the worker itself opens and shuts it */
	SKUAI_EYE_MONITOR = 4,
	SKUAI_EYE_HOOKS = 8, /* open from the beginning, or never */
};

/* Of one worker; of all of a pool. */
void skuai_eye_set(struct skuai_worker *self, enum skuai_eye eye, bool is_open);
void skuai_eyes_set(struct skua_pool *pool, enum skuai_eye eye, bool is_open);

/* hooks.c: a pool is being opened, and has no threads yet: from now on hooks stay as they are. */
void skuai_hooks_open(struct skua_pool *pool);
/* It could not be opened after all: as if nobody had tried. */
void skuai_hooks_failed(void);

/* Call what skua_hooks_set was given: a task begins or ends, a thread goes to sleep or is up. */
void skuai_hooks_task(struct skuai_worker *self, bool is_begin);
void skuai_hooks_park(unsigned number, bool is_begin);

#ifdef SKUA_ATOMICS_MODEL
static inline bool skuai_is_watched(struct skuai_worker *self)
{
	(void)self; /* as skuai_tracer_of */
	return false;
}
#else
static inline bool skuai_is_watched(struct skuai_worker *self)
{
	/* order watch.eyes.1: relaxed, a hint; what is behind an eye has an order of its own */
	return __builtin_expect(skua_load(&self->eyes, relaxed) != 0, 0);
}
#endif

/* What the worker was in before a task that somebody looks at. */
struct skuai_watch {
	struct skuai_profile_frame frame;
	uintptr_t outer;    /* its function */
	uintptr_t function; /* as the task was begun: hooks hear the same at its end */
};

/* Somebody looks: a job, a stolen fork or a root of this function begins.  The profile's end is for
 * the caller, before ours: it differs. */
void skuai_watch_begin(struct skuai_worker *self, struct skuai_watch *watch, uintptr_t function,
		       unsigned peer, enum skuai_trace_origin origin) __attribute__((cold));
void skuai_watch_end(struct skuai_worker *self, const struct skuai_watch *watch)
	__attribute__((cold));

/* The task that has just begun is, when you look inside, this function, which ours only calls; what
 * it was before.  Where the task goes on after, that must be set again. */
uintptr_t skuai_watch_name(struct skuai_worker *self, uintptr_t function) __attribute__((cold));
void skuai_watch_back(struct skuai_worker *self, uintptr_t before) __attribute__((cold));
static inline void skuai_task_is(struct skuai_worker *self, uintptr_t function)
{
	if (skuai_is_watched(self))
		skuai_watch_name(self, function);
}

/* Before and after a worker runs a task without taking it from a queue. */
struct skuai_inlined {
	uintptr_t outer;
	unsigned name;
	bool is_watched;
};
void skuai_watch_inlined(struct skuai_worker *self, struct skuai_inlined *inlined)
	__attribute__((cold));
void skuai_watch_inlined_end(struct skuai_worker *self, const struct skuai_inlined *inlined)
	__attribute__((cold));

static inline void skuai_begin_inlined(struct skuai_worker *self, struct skuai_inlined *inlined)
{
	skuai_count(&self->counters.tasks, 1);
	skuai_count(&self->counters.inlined, 1);
	inlined->is_watched = skuai_is_watched(self);
	if (inlined->is_watched)
		skuai_watch_inlined(self, inlined);
}

static inline void skuai_end_inlined(struct skuai_worker *self, const struct skuai_inlined *inlined)
{
	if (__builtin_expect(inlined->is_watched, 0))
		skuai_watch_inlined_end(self, inlined);
}

/* A guest is in the worker's place; and has left it. */
void skuai_watch_enter(struct skuai_worker *place);
void skuai_watch_leave(struct skuai_worker *place);

/* A thread goes to sleep as this worker; and is up again. */
void skuai_watch_park(unsigned number);
void skuai_watch_unpark(unsigned number);

#endif
