/* SPDX-License-Identifier: MIT */
/* profiling.h — work and span of what a pool runs, strand by strand, while that is asked for */
#ifndef SKUAI_SCHED_PROFILING_H
#define SKUAI_SCHED_PROFILING_H

#include "sched/worker.h"

#include <stdio.h>

/*
 * A strand is what runs between two forks, joins, beginnings and ends of tasks.  Work is the time
 * of all strands; span that of the longest path through them.  While a worker is profiled each of
 * its forks and joins goes the slow way:
 *
 *	fork    the strand ends; the path so far is laid beside the slot
 *	join    the strand ends; the task of the slot is run from the path that was laid there,
 *		by us, or by its thief from nothing; the longer of both paths goes on
 *
 * A worker is switched on and off by itself, at a moment when none of its forks waits: so every
 * fork that is joined here was laid down here.  What a thief found out it lays beside the slot of
 * its victim, before it says that the task is done.
 */
#define SKUAI_PROFILE_NAMES 12		   /* kept apart: first what has no name, last all others */
#define SKUAI_PROFILE_ROOT  ((uintptr_t)1) /* as a function: none that is known */
#define SKUAI_PROFILE_SIDES ((uint32_t)1 << 20)

/* Times are in ticks. */
struct skuai_path {
	uint64_t span;
	uint64_t burdened;		  /* with the price of a theft for each fork on the way */
	uint64_t by[SKUAI_PROFILE_NAMES]; /* the span again, by task */
};

/* Beside each slot. */
struct skuai_side {
	/* the owner's */
	skua_slot_task *task; /* waits in the slot; NULL: none that was profiled */
	struct skuai_path fork;
	/* its thief writes, before skuai_forks_done; the owner clears it in the join */
	struct skuai_path child;
	bool has_child;
};

struct skuai_profiler {
	/* the worker's alone */
	struct skuai_path path; /* to where it is, from the beginning of what it runs */
	uint64_t began;		/* the strand; 0: none runs */
	unsigned name;		/* of the task it is in */
	uint64_t cost;		/* of looking, for each strand: taken off */
	uint64_t burden;	/* a theft */
	uint64_t work, forks, by[SKUAI_PROFILE_NAMES];
	struct skuai_side *sides;
	uint32_t side_count;
	_Atomic uintptr_t *names; /* of all workers: functions, 0: none yet */
	/* told when somebody may ask; others read */
	_Atomic uint64_t told_work, told_forks, told_by[SKUAI_PROFILE_NAMES];
	_Atomic uint64_t visit_span, visit_burdened, visit_by[SKUAI_PROFILE_NAMES]; /* sums */
	_Atomic uint64_t job_span, job_burdened, job_by[SKUAI_PROFILE_NAMES]; /* the longest */
	struct skuai_stackmem memory;					      /* of the sides */
};

/* The sum of what all workers told. */
struct skuai_profile_sum {
	uint64_t work, forks, by[SKUAI_PROFILE_NAMES];
	struct skuai_path visits;
};

/* A pool's; made by the first begin, freed with the pool. */
struct skuai_profiles {
	bool is_environments;		 /* begun by SKUA_PROFILE */
	struct skuai_profile_sum before; /* what had been told at the beginning */
	int64_t start_ns;
	uint64_t start_ticks;
	_Atomic uint64_t burden; /* a theft, in ticks; who begins writes, workers read */
	_Atomic uintptr_t names[SKUAI_PROFILE_NAMES];
	struct skuai_profiler profilers[]; /* of each worker */
};

/* What a worker was in before it began something else. */
struct skuai_profile_frame {
	struct skuai_path path;
	unsigned name;
};

/* A loop whose chunks are as good as run at the same time. */
struct skuai_profile_fan {
	struct skuai_path before, most;
	unsigned chunks;
	unsigned name;
};

/* --- profiling.c; a NULL profiler is none --- */

/* At `here` none of its forks waits: switch it on or off, if that is asked for. */
void skuai_profile_switch(struct skuai_worker *self, struct skua_slot *here);
static inline void skuai_profile_safe_point(struct skuai_worker *self, struct skua_slot *here)
{
	/* order profiling.safe.1: acquire, pairs profiles.begin.1; the profilers */
	bool is_on = skua_load(&self->pool->profiling, acquire) != NULL;

	if (__builtin_expect(is_on != (self->profiler != NULL), 0) && here == self->forks.base &&
	    self->depth == 0)
		skuai_profile_switch(self, here);
}

/* The strand of this worker ends, or the next begins. */
void skuai_strand_end(struct skuai_profiler *profiler);
void skuai_strand_begin(struct skuai_profiler *profiler);

static inline void skuai_profile_pause(struct skuai_worker *self)
{
	if (__builtin_expect(self->profiler != NULL, 0))
		skuai_strand_end(self->profiler);
}

static inline void skuai_profile_resume(struct skuai_worker *self)
{
	if (__builtin_expect(self->profiler != NULL, 0))
		skuai_strand_begin(self->profiler);
}

/* The slow halves; each strand has ended before.  The caller begins the next. */
void skuai_profile_fork(struct skuai_profiler *profiler, struct skua_slot *slot, uint32_t number);
bool skuai_profile_run(struct skuai_profiler *profiler, struct skua_slot *slot, uint32_t number);
void skuai_profile_joined(struct skuai_profiler *profiler, uint32_t number);

/* Something else begins and ends: a stolen task, a job, a visit. */
void skuai_profile_enter(struct skuai_worker *self, struct skuai_profile_frame *frame,
			 uintptr_t function);
void skuai_profile_leave_theft(struct skuai_worker *self, const struct skuai_profile_frame *frame,
			       const struct skuai_find *find);
void skuai_profile_leave_job(struct skuai_worker *self, const struct skuai_profile_frame *frame);
void skuai_profile_leave_visit(struct skuai_worker *self);

/* All that it did so far is told to who asks; the strand has ended. */
void skuai_profile_tell(struct skuai_profiler *profiler);

/* A job, or something in one, is over, and who waits for it is about to hear of it. */
void skuai_profile_job_done(struct skuai_worker *self);
void skuai_profile_news(struct skuai_worker *self);

/* What runs from now on is this function; it is profiled. */
void skuai_profile_rename(struct skuai_worker *self, uintptr_t function);

/* A group: its tasks begin, as it were, when it is opened.  0: not profiled. */
static inline uint64_t skuai_profile_span_now(struct skuai_worker *self)
{
	if (!self || !self->profiler)
		return 0;
	skuai_strand_end(self->profiler);
	skuai_strand_begin(self->profiler);
	return self->profiler->path.span;
}
void skuai_profile_task_of(struct skuai_worker *self, _Atomic uint64_t *longest);
void skuai_profile_waited(struct skuai_worker *self, uint64_t opened, uint64_t longest);

/* A fan: begin, after each chunk, end. */
void skuai_profile_fan_begin(struct skuai_worker *self, struct skuai_profile_fan *fan,
			     uintptr_t function);
void skuai_profile_fan_chunk(struct skuai_worker *self, struct skuai_profile_fan *fan);
void skuai_profile_fan_end(struct skuai_worker *self, const struct skuai_profile_fan *fan);

#ifdef SKUA_FAULTS
/* A clock of a test's own, in place of the processor's. */
extern uint64_t (*skuai_profile_clock)(void);
#endif

/* --- profiles.c --- */

/* SKUA_PROFILE=1 is set: begin. */
void skuai_profiles_open(struct skua_pool *pool);

/* Its threads have ended, or the program does: report what SKUA_PROFILE asked for. */
void skuai_profiles_finish(struct skua_pool *pool);
void skuai_profiles_close(struct skua_pool *pool);
void skuai_profiles_orphan(struct skua_pool *pool);

#endif
