/* SPDX-License-Identifier: MIT */
/* post.h — jobs that nobody waits for: what groups, futures and graphs are made of */
#ifndef SKUAI_SCHED_POST_H
#define SKUAI_SCHED_POST_H

#include "base/atomic.h"
#include "sched/outcome.h"
#include "sched/worker.h"

#include <skua/error.h>
#include <skua/job.h>

/*
 * A posted job has no outcome: its worker calls run, and never touches the job again.  When the
 * pool is closed and cancelled meanwhile, finish is called instead, with SKUA_ECANCELED.  One of
 * the two happens, once.
 *
 *	skuai_pool_accept(&pool, &self)    the pool, NULL being the default one
 *	job.run, job.argument, job.finish
 *	skuai_post(pool, self, &job)       cannot fail
 *	skuai_pool_thanks(pool, self)
 */

/* Let the caller in; *self is the worker that it is, or NULL.  skuai_pool_thanks must follow. */
int skuai_pool_accept_any(struct skua_pool **pool, struct skuai_worker **self);
static inline int skuai_pool_accept(struct skua_pool **pool, struct skuai_worker **self)
{
	*self = skuai_self && skuai_self->pool == *pool ? skuai_self : NULL;
	/* order post.accept.1: relaxed, our own thread's doing: it is a worker of this era */
	if (*self && skua_load(&(*pool)->started, relaxed) == skuai_era())
		return SKUA_OK;
	return skuai_pool_accept_any(pool, self);
}

static inline void skuai_pool_thanks(struct skua_pool *pool, struct skuai_worker *self)
{
	if (!self)
		skuai_pool_leave(pool);
}

/* Queue it: in the worker's own deque, or from outside in the common queue. */
void skuai_post(struct skua_pool *pool, struct skuai_worker *self, struct skua_job *job);

/* The same for a small cell. */
void skuai_post_small(struct skua_pool *pool, struct skuai_worker *self,
		      struct skuai_small_cell *cell);

/* The same for one that is claimed: whoever else knows of it keeps its hands off. */
void skuai_post_claimed(struct skua_pool *pool, struct skuai_worker *self, struct skua_job *job);

/*
 * The same for one to which there is another way already, a list or a future: prepare it before
 * anybody can find it there, else its claim would be wiped out.  Red without: test_isolated
 * filled_from_outside, test_future cancel_against_async.
 */
static inline void skuai_post_prepare(struct skua_job *job)
{
	/* order post.prepare.1: relaxed, carried by whatever makes it known */
	skua_store(&job->state, SKUAI_JOB_POSTED, relaxed);
}
void skuai_post_known(struct skua_pool *pool, struct skuai_worker *self, struct skua_job *job);

/* A prepared one, for workers of which bit i is set in `workers`, whoever calls. */
void skuai_post_chosen(struct skua_pool *pool, struct skua_job *job, uint64_t workers);

/*
 * An event: a job that is never queued, for others to wait for with skua_job_wait.  It ends with
 * skuai_outcome_end(event, SKUAI_JOB_DONE), after which its memory may be gone.
 */
void skuai_event_open(struct skua_job *event, struct skua_pool *pool);

#endif
