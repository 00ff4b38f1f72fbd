/* SPDX-License-Identifier: MIT */
/* submit.c — jobs: submit, run, wait */
#include "base/alloc.h"
#include "base/atomic.h"
#include "base/diag.h"
#include "os/clock.h"
#include "os/relax.h"
#include "sched/outcome.h"
#include "sched/worker.h"

#include <skua/error.h>
#include <skua/job.h>

#define WAIT_SPIN_NS 2000 /* a short job is over before a sleep would have begun */

/* The worker of this pool that the calling thread is, or NULL. */
static struct skuai_worker *self_in(struct skua_pool *pool)
{
	return skuai_self && skuai_self->pool == pool ? skuai_self : NULL;
}

/* Let the caller in; when it is no worker, skuai_pool_leave must follow. */
static int accept(struct skua_pool **pool, struct skuai_worker **self)
{
	int error = SKUA_OK;

	*self = NULL;
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

static void queue(struct skua_pool *pool, struct skuai_worker *self, struct skua_job *job)
{
	if (!self || skua_deque_push(&self->deque, (uint64_t)(uintptr_t)job) != SKUA_OK) {
		if (self)
			skuai_count(&self->counters.spills, 1);
		skuai_inject_put(&pool->inject, self ? self->number : shard_of_thread(), job, job);
	}
}

int skuai_submit(struct skua_pool *pool, struct skuai_worker *self, struct skua_job *job)
{
	if (!skuai_outcome_begin(job))
		return SKUA_EINVAL;
	adopt(pool, job);
	queue(pool, self, job);
	skuai_notify(pool, self, true);
	return SKUA_OK;
}

int skua_submit(struct skua_pool *pool, struct skua_job *job)
{
	struct skuai_worker *self;

	if (!job || !job->run)
		return SKUA_EINVAL;
	int error = accept(&pool, &self);
	if (error)
		return error;
	error = skuai_submit(pool, self, job);
	if (!self)
		skuai_pool_leave(pool);
	return error;
}

/* All become QUEUED, or none. */
static bool begin_all(struct skua_job *jobs, size_t count)
{
	for (size_t i = 0; i < count; i++) /* a job that is refused stays as it was: look first */
		if (!jobs[i].run || skuai_outcome_stage(&jobs[i]) == SKUAI_JOB_QUEUED)
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

static void queue_all(struct skua_pool *pool, struct skuai_worker *self, struct skua_job *jobs,
		      size_t count)
{
	for (size_t i = 0; i < count; i++) {
		adopt(pool, &jobs[i]);
		if (!self && i > 0)
			jobs[i].next = &jobs[i - 1];
	}
	if (!self)
		skuai_inject_put(&pool->inject, shard_of_thread(), &jobs[count - 1], &jobs[0]);
	for (size_t i = count; self && i-- > 0;) /* the newest comes out first: put it in last */
		queue(pool, self, &jobs[i]);
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
	int error = accept(&pool, &self);
	if (error)
		return error;
	if (!begin_all(jobs, count))
		error = SKUA_EINVAL;
	else if (count)
		queue_all(pool, self, jobs, count);
	if (!self)
		skuai_pool_leave(pool);
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

void skuai_job_begin(struct skuai_worker *self, struct skua_slot *here, struct skua_job *job)
{
	/* order submit.cancel.1: relaxed, a job is cancelled or runs, either is right meanwhile */
	bool is_cancelled = skua_load(&self->pool->is_cancelling, relaxed);
	void (*finish)(struct skua_job *, int) = job->finish;
	uint32_t era = skuai_era();

	if (!is_cancelled) {
		skuai_count(&self->counters.tasks, 1);
		skuai_count(&self->counters.jobs, 1);
		job->run(here, job->argument);
		if (era != skuai_era())
			skua_bug(
				"a job returned in the child of a fork() it made; end such a child "
				"with _exit() or exec()");
	}
	self->was_useful = true;
	skuai_outcome_end(job, is_cancelled ? SKUAI_JOB_CANCELED : SKUAI_JOB_DONE);
	if (finish)
		finish(job, is_cancelled ? SKUA_ECANCELED : SKUA_OK);
}

/* --- waiting --- */

static void wait_as_worker(struct skuai_worker *self, struct skua_job *job, int64_t deadline)
{
	struct skuai_until until = { .job = job, .deadline = deadline };

	skuai_work_until(self, skuai_forks_top(&self->forks), &until);
}

static void spin_a_little(struct skua_job *job)
{
	int64_t end = skuai_deadline_after(WAIT_SPIN_NS);

	while (skuai_outcome_stage(job) == SKUAI_JOB_QUEUED && skuai_clock_ns() < end)
		skuai_relax();
}

int skua_job_wait(struct skua_job *job, int64_t deadline)
{
	if (!job || skuai_outcome_stage(job) == SKUAI_JOB_NEW)
		return SKUA_EINVAL;
	if (skuai_outcome_stage(job) == SKUAI_JOB_QUEUED) {
		if (job->era != skuai_era())
			return SKUA_EFORKED;
		if (skuai_self) {
			wait_as_worker(skuai_self, job, deadline);
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

bool skua_job_is_done(const struct skua_job *job)
{
	uint32_t stage = job ? skuai_outcome_stage(job) : (uint32_t)SKUAI_JOB_NEW;

	return stage == SKUAI_JOB_DONE || stage == SKUAI_JOB_CANCELED;
}
