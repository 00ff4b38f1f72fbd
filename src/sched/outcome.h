/* SPDX-License-Identifier: MIT */
/* outcome.h — how far a job has come, and who waits for it */
#ifndef SKUAI_SCHED_OUTCOME_H
#define SKUAI_SCHED_OUTCOME_H

#include "base/atomic.h"
#include "sched/park.h"

#include <skua/job.h>

/* The life of job->state. */
enum {
	SKUAI_JOB_NEW = 0,
	SKUAI_JOB_QUEUED = 1, /* and not finished */
	SKUAI_JOB_DONE = 2,
	SKUAI_JOB_CANCELED = 3,
	SKUAI_JOB_STAGE = 3,	    /* mask of the four */
	SKUAI_JOB_THREAD_WAITS = 4, /* bit: threads sleep on the word itself */
	SKUAI_JOB_WORKER_WAITS = 8, /* bit: a worker has been waiting; job->waiter tells where */
	SKUAI_JOB_ENDING = 16,	    /* bit: over in a moment, no worker may begin to wait */
	SKUAI_JOB_POSTED = 32,	    /* instead: it has no outcome (post.h) */
	SKUAI_JOB_CLAIMED = 64,	    /* posted, and somebody runs it or has */
	SKUAI_JOB_SMALL = 128,	    /* posted, and only the first half of a job (cells.h) */
};

/* NEW, DONE or CANCELED becomes QUEUED.  False: it is queued already. */
bool skuai_outcome_begin(struct skua_job *job);

/* Not submitted after all: as if begin had not been. */
void skuai_outcome_revert(struct skua_job *job);

/* The job is over: DONE or CANCELED; wakes whoever waits.  The job may be gone when it returns. */
void skuai_outcome_end(struct skua_job *job, uint32_t stage);

/* Its stage. */
static inline uint32_t skuai_outcome_stage(const struct skua_job *job)
{
	/* order outcome.stage.1: acquire, pairs outcome.end.2, outcome.end.5 */
	return skua_load(&job->state, acquire) & SKUAI_JOB_STAGE;
}

/* Sleep on the job's word until it is over; the stage, QUEUED at the deadline. */
uint32_t skuai_outcome_sleep(struct skua_job *job, int64_t deadline);

/* A worker will sleep at `park` until the job is over.  False: over (in a moment), or another does.
 * */
bool skuai_outcome_register(struct skua_job *job, struct skuai_park *park);

/*
 * It no longer does; to be called when the job is over, too.  False: whoever ended the job has left
 * a token.  Either way nobody touches the spot on behalf of that job any more.
 */
bool skuai_outcome_withdraw(struct skua_job *job, struct skuai_park *park);

#endif
