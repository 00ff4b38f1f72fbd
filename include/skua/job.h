/* SPDX-License-Identifier: MIT */
/* job.h — jobs: functions handed to a pool from any thread, waited for or not */
#ifndef SKUA_JOB_H
#define SKUA_JOB_H

#include <skua/detail/slot.h>
#include <skua/pool.h>

SKUA_BEGIN_C

/*
 * A job is a struct of the caller's, anywhere it likes, that stays where it is until the job is
 * done.  Submitting allocates nothing and cannot run out of room.
 *
 *	struct skua_job job = SKUA_JOB(count_words, &text);
 *	int error = skua_submit(pool, &job);
 *	...
 *	error = skua_job_wait(&job, SKUA_FOREVER);
 *
 * `skua_here` is where the job stands on its worker: with it the job may fork (fork.h).
 */
typedef void skua_job_run(struct skua_slot *skua_here, void *argument);

/** How urgent a job is.  Workers take the more urgent first, whoever submitted it; the less
 * urgent ones get a turn now and then all the same, so that none waits for ever. */
enum skua_priority {
	SKUA_PRIORITY_NORMAL = 0,
	SKUA_PRIORITY_URGENT = 1,
	SKUA_PRIORITY_LOW = 2, /* when there is nothing else to do */
};

struct skua_job {
	skua_job_run *run;
	struct skua_job *next; /* the library's */
	void *argument;
	SKUA_ATOM(uint32_t) state; /* the library's */
	enum skua_priority priority;
	/* Called last, by the worker, or by whoever cancels; may be NULL.  The job is the callee's
	 * then, to free or to submit again: nobody may wait for such a job. */
	void (*finish)(struct skua_job *job, int error);
	/* the library's */
	union {
		struct skua_pool *pool;
		struct skua_job *link;
	};
	SKUA_ATOM(void *) waiter;
	SKUA_ATOM(uint32_t) refs;
	uint32_t era;
};

#define SKUA_JOB(function, argument)                                                              \
	{                                                                                         \
		(function), NULL, (argument), 0, SKUA_PRIORITY_NORMAL, NULL, { NULL }, NULL, 0, 0 \
	}

/**
 * Hand a job to a pool: to the calling worker's own deque, or from outside to the common queue.
 *
 * Thread    any
 * Memory    none: the job's own struct is the queue's element
 * Ordering  what the caller did before is visible to the job
 * Fails     SKUA_EINVAL: NULL, no function, no such priority, or it is queued or running already;
 *           SKUA_ECLOSED: the pool is closing.  The job is then as it was.
 * Cost      a few ns, and a wake (some 2 us) when a worker sleeps and none is looking for work
 * See       examples/03_submit_and_wait.c, man skua_job
 */
SKUA_API int skua_submit(struct skua_pool *pool, struct skua_job *job);

/**
 * Hand over `count` jobs at once, all or none.  One worker begins them in the array's order.
 *
 * Thread    any
 * Memory    none
 * Ordering  as skua_submit
 * Fails     as skua_submit; no job was then submitted
 * Cost      less than one by one: one queue operation, and no more wakes than sleepers
 * See       examples/03_submit_and_wait.c, man skua_job
 */
SKUA_API int skua_submit_many(struct skua_pool *pool, struct skua_job *jobs, size_t count);

/**
 * Run a function sometime, and forget it.
 *
 * Thread    any
 * Memory    one small allocation, freed after the run
 * Ordering  what the caller did before is visible to the function
 * Fails     SKUA_EINVAL: no function; SKUA_ENOMEM; SKUA_ECLOSED
 * Cost      a malloc more than skua_submit
 * See       man skua_job
 */
SKUA_API int skua_detach(struct skua_pool *pool, skua_job_run *run, void *argument);

/**
 * Wait until a job is done.  A worker that waits runs other tasks meanwhile.
 *
 * Thread    any, several at once
 * Memory    none
 * Ordering  everything the job did is visible after SKUA_OK
 * Fails     SKUA_ETIMEDOUT: not done at the deadline (skua_clock_ns time); SKUA_ECANCELED: it never
 *           ran, its pool was closed; SKUA_EFORKED: it was submitted before a fork() and belongs to
 *           the parent; SKUA_EINVAL: NULL, or never submitted
 * Cost      a load when it is done
 * See       examples/03_submit_and_wait.c, man skua_job
 */
SKUA_API int skua_job_wait(struct skua_job *job, int64_t deadline);

/**
 * Is the job done, or was it cancelled?
 *
 * Thread    any
 * Memory    none
 * Ordering  everything the job did is visible when it says true
 * Fails     never; a job never submitted is not done
 * Cost      a load
 * See       man skua_job
 */
SKUA_API bool skua_job_is_done(const struct skua_job *job);

SKUA_END_C

#endif
