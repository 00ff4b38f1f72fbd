/* SPDX-License-Identifier: MIT */
/* outcome.c — how far a job has come, and who waits for it */
#include "sched/outcome.h"

#include "base/atomic.h"
#include "os/clock.h"
#include "os/wait.h"

/*
 * NEW -> QUEUED by the submitter, QUEUED -> DONE or CANCELED by whoever ran or dropped it, and from
 * there QUEUED again.  While QUEUED, waiters leave word: threads of the program add a bit and sleep
 * on the word itself; a worker sleeps where its pool can wake it too, and leaves the address of
 * that spot in job->waiter, then a bit.  Whoever takes the address out again, the worker or the
 * finisher, has the last word on it: a bit may have been left by one worker and the address by
 * another.
 *
 * The race to fear: the waiter sees DONE, returns, and frees the job, or closes the pool that its
 * spot is in, while the finisher still has to wake it.  So the finisher leaves its token before the
 * one step that says DONE, and after it uses the job's address only to name it to the kernel, never
 * its memory.  A worker that wakes before DONE cannot register again (ENDING), and looks again.
 * Red without: model_outcome freed, late_worker_alone, two_workers.
 */

bool skuai_outcome_begin(struct skua_job *job)
{
	uint32_t state = skua_load(&job->state, relaxed); /* order outcome.begin.1: .2 decides */

	/* order outcome.begin.2: acquire, pairs outcome.end.2, outcome.end.5; the run before is
	 * over for us too */
	return (state & SKUAI_JOB_STAGE) != SKUAI_JOB_QUEUED &&
	       skua_cas(&job->state, &state, SKUAI_JOB_QUEUED, acquire, relaxed);
}

void skuai_outcome_revert(struct skua_job *job)
{
	skua_store(&job->state, SKUAI_JOB_NEW,
		   relaxed); /* order outcome.revert.1: nobody knows of it */
}

/* A worker has registered: tell it first.  The state before. */
static uint32_t end_with_worker(struct skua_job *job, uint32_t stage)
{
	/* order outcome.end.3: acquire, pairs outcome.register.3; before .4; survives because the
	 * checker has no load buffering, in which .4 would overtake this */
	skua_or(&job->state, SKUAI_JOB_ENDING, acquire);
	/* order outcome.end.4: release, pairs outcome.withdraw.1; .3.  Nobody registers any more */
	struct skuai_park *waiter = skua_exchange(&job->waiter, NULL, release);

	if (waiter)
		skuai_unpark(waiter);
	/* order outcome.end.5: release, pairs outcome.stage.1, outcome.begin.2, outcome.withdraw.2;
	 * all that the job did */
	return skua_exchange(&job->state, stage, release);
}

void skuai_outcome_end(struct skua_job *job, uint32_t stage)
{
	uint32_t state = skua_load(&job->state, relaxed); /* order outcome.end.1: .2 decides */

	while (!(state & SKUAI_JOB_WORKER_WAITS) &&
	       /* order outcome.end.2: release, pairs outcome.stage.1, outcome.begin.2; all that the
	        * job did */
	       !skua_cas_weak(&job->state, &state, stage, release, relaxed))
		;
	if (state & SKUAI_JOB_WORKER_WAITS)
		state = end_with_worker(job, stage);
	if (state & SKUAI_JOB_THREAD_WAITS)
		skuai_wake(&job->state, SKUAI_WAKE_ALL);
}

uint32_t skuai_outcome_sleep(struct skua_job *job, int64_t deadline)
{
	enum skuai_wait_result result = SKUAI_WAIT_RETURNED;

	while (skuai_outcome_stage(job) == SKUAI_JOB_QUEUED && result != SKUAI_WAIT_TIMED_OUT) {
		/* order outcome.sleep.1: relaxed, .2 decides */
		uint32_t state = skua_load(&job->state, relaxed);
		uint32_t waited = state | SKUAI_JOB_THREAD_WAITS;
		if ((state & SKUAI_JOB_STAGE) != SKUAI_JOB_QUEUED)
			continue;
		/* order outcome.sleep.2: relaxed, the stage is read again after the sleep */
		if (state == waited || skua_cas(&job->state, &state, waited, relaxed, relaxed))
			result = skuai_wait(&job->state, waited, deadline);
	}
	return skuai_outcome_stage(job);
}

bool skuai_outcome_register(struct skua_job *job, struct skuai_park *park)
{
	void *nobody = NULL;

	/* order outcome.register.1: relaxed, one worker at most; carried by .3 */
	if (!skua_cas(&job->waiter, &nobody, park, relaxed, relaxed))
		return false;
	uint32_t state = skua_load(&job->state, relaxed); /* order outcome.register.2: .3 decides */
	while ((state & (SKUAI_JOB_STAGE | SKUAI_JOB_ENDING)) == SKUAI_JOB_QUEUED)
		/* order outcome.register.3: release, pairs outcome.end.3; the spot.  Though the bit
		 * may be set already: the finisher must read what this writes; survives because the
		 * checker has no load buffering, in which this would overtake .1 */
		if (skua_cas_weak(&job->state, &state, state | SKUAI_JOB_WORKER_WAITS, release,
				  relaxed))
			return true;
	return !skuai_outcome_withdraw(job, park); /* taken out meanwhile: it is told */
}

/* Whoever ends the job is about to leave a token, or just did: sleep until that is over. */
static void wait_for_token(struct skua_job *job)
{
	for (;;) {
		/* order outcome.withdraw.2: acquire, pairs outcome.end.5; the spot is ours again */
		uint32_t state = skua_load(&job->state, acquire);
		uint32_t waited = state | SKUAI_JOB_THREAD_WAITS;
		if (!(state & SKUAI_JOB_ENDING))
			return;
		/* order outcome.withdraw.3: relaxed, .2 looks again */
		if (state == waited || skua_cas(&job->state, &state, waited, relaxed, relaxed))
			skuai_wait(&job->state, waited, SKUAI_NO_DEADLINE);
	}
}

bool skuai_outcome_withdraw(struct skua_job *job, struct skuai_park *park)
{
	void *mine = park;

	/* order outcome.withdraw.1: acquire when it fails, pairs outcome.end.4; we see ENDING or
	 * later.
	 * When not: survives because C11 wants no less than the failure order, nothing else does */
	if (skua_cas(&job->waiter, &mine, NULL, acquire, acquire))
		return true;
	wait_for_token(job);
	return false;
}
