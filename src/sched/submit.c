/* SPDX-License-Identifier: MIT */
/* submit.c — jobs: submit, run, wait */
#include "base/alloc.h"
#include "base/atomic.h"
#include "base/diag.h"
#include "os/clock.h"
#include "os/relax.h"
#include "sched/held.h"
#include "sched/outcome.h"
#include "sched/post.h"
#include "sched/profiling.h"
#include "sched/tracing.h"
#include "sched/watch.h"

#include <skua/error.h>
#include <skua/job.h>

#define WAIT_SPIN_NS 2000 /* a short job is over before a sleep would have begun */

/* The worker of this pool that the calling thread is, or NULL. */
static struct skuai_worker *self_in(struct skua_pool *pool)
{
	return skuai_self && skuai_self->pool == pool ? skuai_self : NULL;
}

int skuai_pool_accept_any(struct skua_pool **pool, struct skuai_worker **self)
{
	int error = SKUA_OK;

	*pool = skuai_pool_of(*pool, &error);
	if (!*pool)
		return error;
	*self = self_in(*pool);
	return *self || skuai_pool_enter(*pool) ? SKUA_OK : SKUA_ECLOSED;
}

static void adopt(struct skua_pool *pool, struct skua_job *job)
{
	job->pool = pool;
	job->era = skuai_era();
	job->next = NULL;
}

/* Spread foreign threads over the shards. */
static unsigned shard_of_thread(void)
{
	return (unsigned)(skuai_thread_id() >> 12) * 2654435761u >> 16;
}

/* True: it stands behind others in the common queue. */
static bool queue(struct skua_pool *pool, struct skuai_worker *self, struct skua_job *job)
{
	if (self && job->priority == SKUA_PRIORITY_NORMAL) {
		if (skua_deque_push(&self->deque, (uint64_t)(uintptr_t)job) == SKUA_OK)
			return false;
		skuai_count(&self->counters.spills, 1);
	}
	return skuai_inject(pool, self ? self->number : shard_of_thread(), job);
}

static void notify_of_job(struct skua_pool *pool, struct skuai_worker *self, bool is_behind)
{
	if (self)
		skuai_notify(pool, self, true);
	else
		skuai_notify_injected(pool, is_behind);
}

int skuai_submit(struct skua_pool *pool, struct skuai_worker *self, struct skua_job *job)
{
	if (!skuai_outcome_begin(job))
		return SKUA_EINVAL;
	adopt(pool, job);
	notify_of_job(pool, self, queue(pool, self, job));
	return SKUA_OK;
}

static bool is_valid(const struct skua_job *job)
{
	return job->run && job->priority >= SKUA_PRIORITY_NORMAL &&
	       job->priority <= SKUA_PRIORITY_LOW;
}

__attribute__((noinline)) static void
post_elsewhere(struct skua_pool *pool, struct skuai_worker *self, struct skua_job *job)
{
	notify_of_job(pool, self, queue(pool, self, job));
}

void skuai_post_known(struct skua_pool *pool, struct skuai_worker *self, struct skua_job *job)
{
	job->next = NULL;
	if (self && job->priority == SKUA_PRIORITY_NORMAL &&
	    skua_deque_push(&self->deque, (uint64_t)(uintptr_t)job) == SKUA_OK)
		skuai_notify(pool, self, true);
	else
		post_elsewhere(pool, self, job);
}

static void post_as(struct skua_pool *pool, struct skuai_worker *self, struct skua_job *job,
		    uint32_t state)
{
	skua_store(&job->state, state, relaxed); /* order submit.post.1: carried by the queue */
	skuai_post_known(pool, self, job);
}

void skuai_post(struct skua_pool *pool, struct skuai_worker *self, struct skua_job *job)
{
	post_as(pool, self, job, SKUAI_JOB_POSTED);
}

void skuai_post_small(struct skua_pool *pool, struct skuai_worker *self,
		      struct skuai_small_cell *cell)
{
	post_as(pool, self, (struct skua_job *)(void *)cell, SKUAI_JOB_POSTED | SKUAI_JOB_SMALL);
}

void skuai_post_claimed(struct skua_pool *pool, struct skuai_worker *self, struct skua_job *job)
{
	post_as(pool, self, job, SKUAI_JOB_POSTED | SKUAI_JOB_CLAIMED);
}

void skuai_post_chosen(struct skua_pool *pool, struct skua_job *job, uint64_t workers)
{
	skuai_chosen_put(&pool->chosen, job, workers);
	skuai_wake_chosen(pool, workers);
}

void skuai_event_open(struct skua_job *event, struct skua_pool *pool)
{
	adopt(pool, event);
	/* order submit.event.1: relaxed, nobody knows of it yet */
	skua_store(&event->waiter, NULL, relaxed);
	/* order submit.event.2: relaxed, likewise */
	skua_store(&event->state, SKUAI_JOB_QUEUED, relaxed);
}

int skua_submit(struct skua_pool *pool, struct skua_job *job)
{
	struct skuai_worker *self;

	if (!job || !is_valid(job))
		return SKUA_EINVAL;
	int error = skuai_pool_accept(&pool, &self);
	if (error)
		return error;
	error = skuai_submit(pool, self, job);
	skuai_pool_thanks(pool, self);
	return error;
}

/* All become QUEUED, or none. */
static bool begin_all(struct skua_job *jobs, size_t count)
{
	for (size_t i = 0; i < count; i++) /* a job that is refused stays as it was: look first */
		if (!is_valid(&jobs[i]) || skuai_outcome_stage(&jobs[i]) == SKUAI_JOB_QUEUED)
			return false;
	for (size_t i = 0; i < count; i++) {
		if (skuai_outcome_begin(&jobs[i]))
			continue;
		while (i-- > 0)
			skuai_outcome_revert(&jobs[i]);
		return false;
	}
	return true;
}

/* Into one shard with one operation, when all are of the common class. */
static bool inject_chain(struct skua_pool *pool, struct skua_job *jobs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (jobs[i].priority != SKUA_PRIORITY_NORMAL)
			return false;
	for (size_t i = 1; i < count; i++)
		jobs[i].next = &jobs[i - 1];
	skuai_inject_put(&pool->inject[SKUAI_NORMAL], shard_of_thread(), &jobs[count - 1],
			 &jobs[0]);
	return true;
}

static void queue_all(struct skua_pool *pool, struct skuai_worker *self, struct skua_job *jobs,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		adopt(pool, &jobs[i]);
	bool is_chained = !self && inject_chain(pool, jobs, count);
	struct skua_job *last = NULL; /* for a deque: its newest comes out first, so put in last */
	for (size_t i = 0; !is_chained && i < count; i++)
		if (self && jobs[i].priority == SKUA_PRIORITY_NORMAL) {
			jobs[i].next = last;
			last = &jobs[i];
		} else {
			queue(pool, self, &jobs[i]); /* from here on it may be gone */
		}
	while (last) {
		struct skua_job *job = last;
		last = job->next;
		job->next = NULL;
		queue(pool, self, job);
	}
	skuai_notify(pool, self, true);
	/* One was woken if nobody searched; enough others for the rest. */
	for (size_t i = 1; i < count && i < pool->count; i++)
		if (!skuai_wake_one(pool, self))
			break;
}

int skua_submit_many(struct skua_pool *pool, struct skua_job *jobs, size_t count)
{
	struct skuai_worker *self;

	if (!jobs && count)
		return SKUA_EINVAL;
	int error = skuai_pool_accept(&pool, &self);
	if (error)
		return error;
	if (!begin_all(jobs, count))
		error = SKUA_EINVAL;
	else if (count)
		queue_all(pool, self, jobs, count);
	skuai_pool_thanks(pool, self);
	return error;
}

/* --- detached functions --- */

struct detached {
	struct skua_job job;
	skua_job_run *run;
	void *argument;
};

static void run_detached(struct skua_slot *here, void *argument)
{
	struct detached *detached = argument;

	skuai_task_is(skuai_self, (uintptr_t)detached->run);
	detached->run(here, detached->argument);
}

static void free_detached(struct skua_job *job, int error)
{
	(void)error;
	skuai_free(job);
}

int skua_detach(struct skua_pool *pool, skua_job_run *run, void *argument)
{
	if (!run)
		return SKUA_EINVAL;
	struct detached *detached = skuai_alloc(1, sizeof(*detached));
	if (!detached)
		return SKUA_ENOMEM;
	detached->run = run;
	detached->argument = argument;
	detached->job.run = run_detached;
	detached->job.argument = detached;
	detached->job.finish = free_detached;
	int error = skua_submit(pool, &detached->job);
	if (error)
		skuai_free(detached);
	return error;
}

/* --- running --- */

static void check_era(uint32_t era)
{
	if (era != skuai_era())
		skua_bug("a job returned in the child of a fork() it made; end such a child with "
			 "_exit() or exec()");
}

/* A job without an outcome: it is not ours any more when it has run. */
static void begin_posted(struct skua_slot *here, struct skua_job *job, uint32_t state,
			 bool is_cancelled)
{
	struct skuai_small_cell *small = (struct skuai_small_cell *)(void *)job;

	if (state & SKUAI_JOB_SMALL)
		small->run(is_cancelled ? NULL : here, small);
	else if (!is_cancelled)
		job->run(here, job->argument);
	else if (job->finish)
		job->finish(job, SKUA_ECANCELED);
}

static void begin_submitted(struct skua_slot *here, struct skua_job *job, bool is_cancelled)
{
	void (*finish)(struct skua_job *, int) = job->finish;

	if (!is_cancelled) {
		job->run(here, job->argument);
		if (skuai_is_watched(skuai_self))
			skuai_profile_job_done(skuai_self);
	}
	skuai_outcome_end(job, is_cancelled ? SKUAI_JOB_CANCELED : SKUAI_JOB_DONE);
	if (finish)
		finish(job, is_cancelled ? SKUA_ECANCELED : SKUA_OK);
}

/* Run or drop it. */
static inline void begin_job(struct skuai_worker *self, struct skua_slot *here,
			     struct skua_job *job, bool is_cancelled)
{
	/* order submit.begin.1: relaxed, carried by the queue; others add bits, but not these */
	uint32_t state = skua_load(&job->state, relaxed), era = skuai_era();

	self->was_useful = true;
	if (!is_cancelled) {
		skuai_count(&self->counters.tasks, 1);
		skuai_count(&self->counters.jobs, 1);
	}
	if (state & SKUAI_JOB_POSTED)
		begin_posted(here, job, state, is_cancelled);
	else
		begin_submitted(here, job, is_cancelled);
	check_era(era);
}

/* What it runs, as far as can be seen from here. */
static uintptr_t job_function(const struct skua_job *job)
{
	const struct skuai_small_cell *small = (const struct skuai_small_cell *)(const void *)job;
	/* order submit.function.1: relaxed, as submit.begin.1 */
	bool is_small = skua_load(&job->state, relaxed) & SKUAI_JOB_SMALL;

	return is_small ? (uintptr_t)small->task : (uintptr_t)job->run;
}

/* The same while somebody looks. */
__attribute__((cold, noinline)) static void
begin_watched(struct skuai_worker *self, struct skua_slot *here, const struct skuai_find *find)
{
	bool is_stolen = find->origin == SKUAI_TRACE_OF_DEQUE;
	struct skuai_watch watch;

	skuai_watch_begin(self, &watch, job_function(find->job),
			  is_stolen ? find->victim->number : SKUAI_TRACE_NOBODY,
			  (enum skuai_trace_origin)find->origin);
	begin_job(self, here, find->job, false);
	skuai_profile_leave_job(self, &watch.frame);
	skuai_watch_end(self, &watch);
}

void skuai_job_begin(struct skuai_worker *self, struct skua_slot *here,
		     const struct skuai_find *find)
{
	/* order submit.cancel.1: relaxed, a job is cancelled or runs, either is right meanwhile */
	bool is_cancelled = skua_load(&self->pool->is_cancelling, relaxed);
	uintptr_t function = (uintptr_t)find->job->run; /* for probes; the job may be gone after */

	SKUAI_PROBE2(job_begin, self->number, function);
	if (skuai_is_watched(self) && !is_cancelled)
		begin_watched(self, here, find);
	else
		begin_job(self, here, find->job, is_cancelled);
	SKUAI_PROBE2(job_end, self->number, function);
}

/* --- waiting --- */

static void wait_as_worker(struct skuai_worker *self, struct skua_job *job, int64_t deadline,
			   uint8_t reason)
{
	struct skuai_until until = { .job = job, .deadline = deadline, .reason = reason };

	skuai_work_until(self, skuai_forks_top(&self->forks), &until);
}

static void spin_a_little(struct skua_job *job)
{
	int64_t end = skuai_deadline_after(WAIT_SPIN_NS);

	while (skuai_outcome_stage(job) == SKUAI_JOB_QUEUED && skuai_clock_ns() < end)
		skuai_relax();
}

int skuai_job_wait_for(struct skua_job *job, int64_t deadline, uint8_t reason)
{
	if (!job || skuai_outcome_stage(job) == SKUAI_JOB_NEW)
		return SKUA_EINVAL;
	skuai_held_check("skua_job_wait"); /* also when it is done: luck is no excuse */
	if (skuai_outcome_stage(job) == SKUAI_JOB_QUEUED) {
		if (job->era != skuai_era())
			return SKUA_EFORKED;
		if (skuai_self) {
			wait_as_worker(skuai_self, job, deadline, reason);
		} else {
			spin_a_little(job);
			skuai_outcome_sleep(job, deadline);
		}
	}
	switch (skuai_outcome_stage(job)) {
	case SKUAI_JOB_DONE:
		return SKUA_OK;
	case SKUAI_JOB_CANCELED:
		return SKUA_ECANCELED;
	default:
		return SKUA_ETIMEDOUT;
	}
}

int skua_job_wait(struct skua_job *job, int64_t deadline)
{
	return skuai_job_wait_for(job, deadline, SKUAI_TRACE_FOR_JOB);
}

bool skua_job_is_done(const struct skua_job *job)
{
	uint32_t stage = job ? skuai_outcome_stage(job) : (uint32_t)SKUAI_JOB_NEW;

	return stage == SKUAI_JOB_DONE || stage == SKUAI_JOB_CANCELED;
}
