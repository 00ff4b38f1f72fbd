/* SPDX-License-Identifier: MIT */
/* worker.c — what a worker does: run, search, sleep, and all of it again */
#include "sched/worker.h"

#include "base/atomic.h"
#include "base/diag.h"
#include "os/clock.h"
#include "os/membarrier.h"
#include "os/relax.h"
#include "os/wait.h"
#include "sched/outcome.h"
#include "sched/profiling.h"
#include "sched/tracing.h"
#include "sched/watch.h"

#include <skua/error.h>
#include <skua/job.h>

#include <assert.h>
#include <limits.h>

/*
 * One loop serves a worker's thread, a join that waits for a stolen task, and a wait for a job:
 * run what there is, search, sleep (skuai_work_until).  They differ in what ends them and in what
 * they may take.  README.md beside this file tells the protocol.
 *
 * Unmodelled: it needs real threads; tests/model/mirror.h plays its protocol around the production
 * idle.c and park.c, and TSan watches the rest.
 */
#define LOOP_WORTH   2	   /* times as much as a fork; arbitrary: it serves loops of 6 us */
#define RELAX_MOST   8	   /* pauses between two looks around, at most */
#define RELAX_BORED  512   /* of who stole only jobs that were over at once */
#define NAP_LEAST_NS 50000 /* of the sentinel */
#define NAP_MOST_NS  1600000
#define DEPTH_MOST   32	     /* tasks begun while waiting inside one another */
#define GLANCE_NS    1000000 /* between two looks around of who cannot be told */
#define STACK_SPARE  65536   /* bytes of C stack without which nothing more is begun */

_Thread_local struct skuai_worker *skuai_self __attribute__((tls_model("initial-exec")));

/* --- running --- */

void skuai_worker_begin(struct skuai_worker *self)
{
	/* order worker.begin.1: relaxed, before the look by the fence of skuai_idle_needs_wake */
	skua_store(&self->is_busy, true, relaxed);
	/*
	 * Somebody sleeps and nobody looks around: our next fork shares its task and wakes one.  If
	 * somebody does look around, it will ask us; and the last one to go to sleep asks everybody
	 * who is busy (arm_everybody).
	 */
	if (self->pool->count > 1 && skuai_idle_needs_wake(&self->pool->idle, false))
		skuai_forks_arm(&self->forks);
}

static int64_t work_time(struct skua_pool *pool, int64_t now)
{
	return skuai_is_oversubscribed(pool) ? skuai_clock_cpu_ns() : now;
}

int64_t skuai_work_clock(struct skua_pool *pool)
{
	return work_time(pool, skuai_clock_ns());
}

static void run_theft(struct skuai_worker *self, struct skua_slot *here,
		      const struct skuai_find *find, int64_t now)
{
	int64_t began = work_time(self->pool, now), waited = self->waited_ns;
	uint32_t era = skuai_era();
	/* The victim stays what it is, thread or guest, until its join; then it may change. */
	struct skuai_park *waiting = skuai_spot(find->victim);
	bool is_watched = skuai_is_watched(self);
	uintptr_t function = (uintptr_t)find->theft.task;
	struct skuai_watch watch;

	skuai_count(&self->counters.tasks, 1);
	SKUAI_PROBE3(steal, self->number, find->victim->number, 0);
	SKUAI_PROBE2(job_begin, self->number, function);
	if (is_watched)
		skuai_watch_begin(self, &watch, function, find->victim->number,
				  SKUAI_TRACE_OF_FORK);
	find->theft.task(here, find->theft.slot);
	if (is_watched) {
		skuai_profile_leave_theft(self, &watch.frame, find);
		skuai_watch_end(self, &watch);
	}
	SKUAI_PROBE2(job_end, self->number, function);
	if (era != skuai_era())
		skua_bug("a task returned in the child of a fork() it made; end such a child with "
			 "_exit() or exec()");
	if (skuai_forks_done(find->theft.slot)) {
		/* order worker.learn.4: relaxed, carried by the token */
		skua_store(&find->victim->woken_ns, skuai_clock_ns(), relaxed);
		skuai_unpark(waiting);
	}
	/* Waits for its own thieves are not work: they would make each other look useful. */
	now = skuai_clock_ns();
	int64_t ran = work_time(self->pool, now) - began - (self->waited_ns - waited);
	skuai_judge_theft(self, find->victim, ran * (self->was_loop ? LOOP_WORTH : 1), now);
}

/* Stop looking around; somebody else must when we were the last. */
static void stop_searching(struct skuai_worker *self)
{
	struct skuai_idle *idle = &self->pool->idle;
	bool was_sentinel = skuai_idle_is_sentinel(idle, self->number) &&
			    skuai_idle_sentinel_leave(idle, self->number);

	/* Who made work meanwhile relied on us; if nobody did, nobody need be woken.  Who makes
	 * some from now on sees us gone: idle.leave.2.  Red without the look: model_idle
	 * leave_against_sleep, begin_against_leave. */
	bool must_wake = self->is_searching ? skuai_idle_leave(idle)
					    : was_sentinel && skuai_idle_needs_wake(idle, false);
	if (must_wake)
		must_wake = skuai_is_anybody_busy(self->pool) ||
			    skuai_is_there_work(self, SKUAI_ALLOW_FORKS | SKUAI_ALLOW_JOBS);
	else /* A sentinel is soon enough for forks; but the jobs that we brought along are seen. */
		must_wake = self->is_searching && skua_deque_count(&self->deque) &&
			    skuai_idle_needs_wake(idle, true);
	if (must_wake)
		skuai_wake_one(self->pool, self);
	self->is_searching = false;
}

/* --- what a wait is for --- */

static bool is_over(struct skuai_worker *self, const struct skuai_until *until)
{
	if (until->child)
		return skuai_forks_is_done(until->child);
	if (until->job)
		return skuai_outcome_stage(until->job) != SKUAI_JOB_QUEUED ||
		       skuai_deadline_is_past(until->deadline);
	/* order worker.over.1: acquire, pairs pool.stop.1 */
	return skua_load(&self->pool->is_stopping, acquire);
}

static unsigned allowed_for(struct skuai_worker *self, const struct skuai_until *until)
{
	size_t total, left;

	if (!until->child && !until->job)
		return SKUAI_ALLOW_FORKS | SKUAI_ALLOW_JOBS;
	/* order worker.isolated.1: relaxed, our own store */
	if (until->is_isolated || (until->child && skua_load(&self->is_isolated, relaxed)))
		return 0;
	left = skuai_thread_stack_left(&total);
	if (left < STACK_SPARE && left < total / 4)
		return 0;
	if (until->job) /* it may wait for a job that only we can run: as deep as the stack goes */
		return SKUAI_ALLOW_FORKS | SKUAI_ALLOW_JOBS;
	if (self->depth >= DEPTH_MOST || left < total / 2)
		return SKUAI_ALLOW_CHILD;
	/*
	 * A join that picked up a job might be busy with it long after its child is done.  But it
	 * must in the end: the child may wait for another pool, and that for a job of ours.
	 */
	return SKUAI_ALLOW_CHILD | SKUAI_ALLOW_FORKS |
	       (skuai_clock_ns() >= until->jobs_ns ? SKUAI_ALLOW_JOBS : 0);
}

/* --- searching --- */

/* Spin for the end of the wait. */
static void linger(struct skuai_worker *self, const struct skuai_until *until, int64_t budget)
{
	int64_t began = skuai_clock_ns(); /* a budget may be all the time there is */

	while (!is_over(self, until) && skuai_clock_ns() - began < budget)
		skuai_relax();
}

/* Who had a loop may have another one by now: to look there costs nothing, and a loop of a few
 * microseconds is won or lost by when its helper comes. */
static bool has_next_loop(struct skuai_worker *self, unsigned allowed)
{
	return self->was_loop && allowed & SKUAI_ALLOW_FORKS &&
	       skuai_forks_has_shared(&self->pool->workers[self->next_victim].forks);
}

/* Look around until something is found, the wait is over, or it has taken long enough. */
static bool search(struct skuai_worker *self, const struct skuai_until *until, unsigned allowed,
		   struct skuai_find *find)
{
	struct skua_pool *pool = self->pool;
	unsigned wanted = skuai_width_wanted(&pool->width), most = wanted > 3 ? wanted / 2 : wanted;
	int64_t began = skuai_clock_ns(), budget = skuai_patience_ns(self, until), now;
	bool is_bored = skuai_is_bored(self, began) && !until->child;
	unsigned relax = is_bored ? RELAX_BORED : RELAX_MOST;
	unsigned pauses = self->was_loop ? relax : relax / RELAX_MOST, looks = 0;

	if (!self->idle_since_ns)
		self->idle_since_ns = began;
	skuai_follow(self, began);
	if (!self->is_searching && !(self->is_searching = skuai_idle_search(&pool->idle, most))) {
		/* Enough search; but what we wait for may come any moment. */
		if (skuai_find_any(self, allowed, until->child, find))
			return true;
		if (until->child)
			linger(self, until, budget);
		return false;
	}
	do {
		if (is_over(self, until))
			return false;
		if (skuai_find_any(self, allowed, until->child, find))
			return true;
		if (skuai_is_oversubscribed(pool))
			skuai_thread_yield(); /* whom we asked may wait for this very CPU */
		for (unsigned i = 0; i < pauses && !has_next_loop(self, allowed); i++)
			skuai_relax();
		if (pauses < relax)
			pauses *= 2;
		now = skuai_clock_ns();
		looks++;
	} while (skuai_is_patient(self, budget, now - began) || skuai_should_force(self, now) ||
		 skuai_is_promising(self, now));
	skuai_trace(self, SKUAI_TRACE_MISS, looks);
	return false;
}

/* --- sleeping --- */

/*
 * The last one awake asks all who are busy, so that their next fork wakes somebody.  True: one of
 * them has a task already and does not look up.  The barrier makes sure that a fork either meets
 * our request or is seen here.
 */
static bool arm_everybody(struct skuai_worker *self)
{
	struct skua_pool *pool = self->pool;
	bool is_anybody = false, has_private = false;

	for (unsigned i = 0; i < pool->count; i++) {
		struct skuai_worker *worker = &pool->workers[i];
		/* order worker.arm.1: relaxed, after we said that we sleep by idle.sleep.3 */
		if (worker == self || !skua_load(&worker->is_busy, relaxed))
			continue;
		is_anybody = true;
		if (!skuai_forks_is_asked(&worker->forks))
			skuai_forks_ask(&worker->forks, 1);
	}
	/* order worker.arm.2: membarrier, a fork whose look at its bound came before is visible */
	if (!is_anybody || !pool->has_membarrier || skuai_membarrier() != SKUA_OK)
		return false;
	for (unsigned i = 0; i < pool->count; i++)
		has_private |= &pool->workers[i] != self &&
			       skuai_forks_has_private(&pool->workers[i].forks);
	return has_private;
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/*
 * How long to sleep.  Who was woken and found nothing worth it would be woken by the next fork
 * again, and the worker that forks pays for each wake: so it first naps as the sentinel, meanwhile
 * nobody is woken for a fork, and longer each time it is in vain.  Then it sleeps until called.
 */
static int64_t nap_deadline(struct skuai_worker *self, int64_t now)
{
	struct skua_pool *pool = self->pool;
	bool is_mine = skuai_idle_is_sentinel(&pool->idle, self->number);
	/* order worker.nap.1: relaxed, an estimate */
	int64_t nap = skua_load(&pool->nap_ns, relaxed);

	if (pool->count == 1)
		return SKUAI_NO_DEADLINE;
	if (is_mine && !self->was_useful && (nap >= NAP_MOST_NS || !skuai_is_anybody_busy(pool))) {
		skuai_idle_sentinel_leave(&pool->idle, self->number);
		return SKUAI_NO_DEADLINE;
	}
	if (!is_mine && !skuai_idle_sentinel_take(&pool->idle, self->number))
		return SKUAI_NO_DEADLINE;
	nap = self->was_useful || nap < NAP_LEAST_NS ? NAP_LEAST_NS : sooner(2 * nap, NAP_MOST_NS);
	self->was_useful = false;
	skua_store(&pool->nap_ns, nap, relaxed); /* order worker.nap.2: relaxed, an estimate */
	return now + nap;
}

void skuai_tell_closer(struct skua_pool *pool)
{
	/* order worker.quiet.1: relaxed, after we said that we sleep by idle.sleep.3 */
	if (skua_load(&pool->visitors, relaxed) & SKUAI_POOL_CLOSING &&
	    skuai_idle_sleeping(&pool->idle) >= skuai_width_active(&pool->width)) {
		skua_add(&pool->quiet, 1,
			 release); /* order worker.quiet.2: release, pairs pool.drain.1 */
		skuai_wake(&pool->quiet, SKUAI_WAKE_ALL);
	}
}

/* The place is ours again. */
static void get_up(struct skuai_worker *self)
{
	skua_deque_adopt(&self->deque); /* a guest may have come and gone since we were listed */
	if (self->sleeper == self->number)
		skuai_leave_bed(self);
	skuai_trace(self, SKUAI_TRACE_UNPARK, 0);
}

/* Up by ourselves, or with a token on its way; then whoever called has counted us as searching. */
static void rise(struct skuai_worker *self, unsigned sleeper, struct skuai_park *spot)
{
	/* Not listed: somebody has called us, or a guest has the place and lists us again after. */
	while (!skuai_idle_rise(&self->pool->idle, sleeper))
		if (skuai_park(spot, SKUAI_NO_DEADLINE) & SKUAI_PARK_CALL) {
			self->is_searching = true;
			break;
		}
	get_up(self);
}

/* Sleep, being listed as asleep. */
static void sleep_until_called(struct skuai_worker *self, unsigned sleeper, struct skuai_park *spot,
			       int64_t deadline)
{
	skuai_watch_park(self->number);
	/* order worker.learn.5: relaxed, of a wake that found us up; a lost one does not matter */
	skua_store(&self->woken_ns, 0, relaxed);
	if (skuai_park(spot, deadline) & SKUAI_PARK_CALL) {
		self->is_searching = true; /* whoever called has counted us */
		get_up(self);
	} else {
		rise(self, sleeper, spot);
	}
	skuai_learn_wake(self);
	skuai_watch_unpark(self->number);
}

static void sleep_listed(struct skuai_worker *self, const struct skuai_until *until,
			 unsigned allowed)
{
	struct skua_pool *pool = self->pool;
	bool is_top = !until->child && !until->job;
	int64_t deadline = nap_deadline(self, skuai_clock_ns());
	bool was_searching = self->is_searching;
	/* Once we sleep a guest may take the place, and what it writes to *self is not for us. */
	unsigned sleeper = self->sleeper;
	struct skuai_park *spot = skuai_spot(self);

	/* order worker.sleep.1: relaxed, carried by the bit of idle.sleep.1 */
	skua_store(&self->is_at_top, is_top, relaxed);
	self->is_searching = false;
	self->was_loop = false; /* a loop that follows now is a new one */
	skuai_count(&self->counters.parks, 1);
	skuai_trace(self, SKUAI_TRACE_PARK, 0); /* while the place is ours */
	if (sleeper == self->number)
		skuai_say_bed(self);
	bool is_last = skuai_idle_sleep(&pool->idle, sleeper, was_searching);
	bool must_arm = is_last && deadline == SKUAI_NO_DEADLINE &&
			!skuai_idle_has_sentinel(&pool->idle);
	if ((must_arm && arm_everybody(self)) || (is_last && skuai_is_there_work(self, allowed)) ||
	    (allowed & SKUAI_ALLOW_JOBS && skuai_chosen_has(&pool->chosen, self->number))) {
		rise(self, sleeper, spot);
		if (!self->is_searching) /* still the one that the makers of work relied on: R5 */
			self->is_searching = skuai_idle_search(&pool->idle, UINT_MAX);
		return;
	}
	if (is_over(self, until)) {
		rise(self, sleeper, spot);
		return;
	}
	if (is_last && !is_top && skuai_is_there_work(self, SKUAI_ALLOW_FORKS | SKUAI_ALLOW_JOBS))
		skuai_wake_free_one(pool); /* not for us, but for somebody who may take anything */
	if (is_top)
		skuai_tell_closer(pool);
	if (until->child && !(allowed & SKUAI_ALLOW_JOBS))
		deadline = sooner(deadline, until->jobs_ns);
	sleep_until_called(self, sleeper, spot, sooner(deadline, until->deadline));
}

/* Being dormant: wait until somebody has listed us as asleep and somebody called. */
static void wait_dormant(struct skuai_worker *self, const struct skuai_until *until)
{
	skuai_watch_park(self->number);
	while (!(skuai_park(&self->park, SKUAI_NO_DEADLINE) & SKUAI_PARK_CALL))
		if (is_over(self, until))
			break;
	skuai_watch_unpark(self->number);
	if (is_over(self, until))
		return;
	self->is_searching = true;
	get_up(self);
}

/* Too many workers are up: sleep until there are too few.  False: there are not too many. */
static bool sleep_dormant(struct skuai_worker *self, const struct skuai_until *until)
{
	struct skua_pool *pool = self->pool;

	if (skuai_chosen_has(&pool->chosen, self->number))
		return false;
	stop_searching(self);
	skuai_trace(self, SKUAI_TRACE_PARK, 0); /* while the place is ours */
	if (!skuai_width_retire(&pool->width, self->number)) {
		skuai_trace(self, SKUAI_TRACE_UNPARK, 0);
		return false;
	}
	/* Said first, looked then, by width.retire.4: who chose us saw the bit, or we see the job.
	 * Red without: model_width chosen_against_retire. */
	if (skuai_chosen_has(&pool->chosen, self->number) &&
	    skuai_width_keep(&pool->width, self->number)) {
		skuai_trace(self, SKUAI_TRACE_UNPARK, 0);
		return false;
	}
	skuai_count(&self->counters.parks, 1);
	/* From here on whoever brings us back lists us as asleep, and a guest may be at our place.
	 * */
	skuai_tell_closer(pool);
	wait_dormant(self, until);
	return true;
}

/* Nothing may be begun here any more: only the end of the wait can wake us. */
static void sleep_unlisted(struct skuai_worker *self, const struct skuai_until *until)
{
	stop_searching(self);
	skuai_count(&self->counters.parks, 1);
	skuai_watch_park(self->number);
	skuai_trace(self, SKUAI_TRACE_PARK, 0);
	skuai_park(skuai_spot(self), until->deadline);
	skuai_trace(self, SKUAI_TRACE_UNPARK, 0);
	skuai_watch_unpark(self->number);
}

/* Arrange to hear of the end of the wait.  False: it came, or nobody can tell us yet. */
static bool will_hear(struct skuai_worker *self, const struct skuai_until *until)
{
	if (until->child)
		return skuai_forks_wait(until->child);
	return !until->job || skuai_outcome_register(until->job, skuai_spot(self));
}

/* The thief is about to leave its name; or another worker waits for the same job already. */
static void wait_unheard(struct skuai_worker *self, const struct skuai_until *until)
{
	if (!until->job) {
		skuai_thread_yield();
		return;
	}
	skuai_trace(self, SKUAI_TRACE_PARK, 0);
	skuai_outcome_sleep(until->job, sooner(until->deadline, skuai_deadline_after(GLANCE_NS)));
	skuai_trace(self, SKUAI_TRACE_UNPARK, 0);
}

/* --- the loop --- */

static void end_idleness(struct skuai_worker *self, int64_t now)
{
	if (!self->idle_since_ns)
		return;
	skuai_count(&self->counters.idle_ns, (uint64_t)(now - self->idle_since_ns));
	self->idle_since_ns = 0;
}

/* Between two jobs: too many workers are up.  Now and then this looks how many should be. */
static bool must_pause(struct skuai_worker *self)
{
	if (self->tick % 64 == 0 && self->pool->is_following)
		skuai_follow(self, skuai_clock_ns());
	return skuai_is_surplus(self->pool);
}

/* Run what was found, and then jobs for as long as there are any that may be taken. */
static void run_found(struct skuai_worker *self, struct skua_slot *here,
		      const struct skuai_until *until, unsigned allowed, struct skuai_find *find)
{
	/* order worker.run.1: relaxed, our own store */
	bool was_busy = skua_load(&self->is_busy, relaxed);
	/* order worker.isolated.2: relaxed, our own store */
	bool was_isolated = skua_load(&self->is_isolated, relaxed);
	/* What is stolen from an isolated task may be a part of it.
	 * order worker.isolated.3: relaxed, carried by the theft */
	bool is_isolated = !find->job && skua_load(&find->victim->is_isolated, relaxed);
	struct skua_group *group = self->group;
	unsigned blocked = self->blocked;

	int64_t now = !find->job || self->idle_since_ns ? skuai_clock_ns() : 0;

	end_idleness(self, now);
	skuai_profile_safe_point(self, here);
	skuai_worker_begin(self);
	self->depth++;
	self->was_loop = false;
	self->group = NULL;
	/* order worker.isolated.4: relaxed, carried by forks.share.3 or forks.revoke.3 */
	skua_store(&self->is_isolated, is_isolated, relaxed);
	if (!find->job)
		run_theft(self, here, find, now);
	else
		do
			skuai_job_begin(self, here, find);
		while (allowed & SKUAI_ALLOW_JOBS && !is_over(self, until) && !must_pause(self) &&
		       skuai_find_job(self, find));
	self->depth--;
	if (until->child ||
	    until->job) /* what waits meanwhile is no help with a loop, or says so */
		self->was_loop = false;
	if (self->profiler && here == self->forks.base)
		skuai_profile_tell(self->profiler);
	self->group = group;
	skuai_blocking_restore(self, blocked);
	/* order worker.isolated.5: relaxed, as .4 */
	skua_store(&self->is_isolated, was_isolated, relaxed);
	/* order worker.run.2: relaxed, a hint for thieves */
	skua_store(&self->is_busy, was_busy, relaxed);
}

void skuai_work_until(struct skuai_worker *self, struct skua_slot *here,
		      const struct skuai_until *until)
{
	struct skua_pool *pool = self->pool;
	struct skuai_find find;
	bool is_top = !until->child && !until->job;

	if (!is_top) {
		skuai_profile_pause(self);
		skuai_trace_more(self, SKUAI_TRACE_WAIT_BEGIN, 0, SKUAI_TRACE_NOBODY,
				 until->reason);
	}
	while (!is_over(self, until)) {
		if (is_top && skuai_is_surplus(pool) && sleep_dormant(self, until))
			continue;
		unsigned allowed = allowed_for(self, until);
		if ((allowed & SKUAI_ALLOW_JOBS && skuai_find_job(self, &find)) ||
		    (allowed && search(self, until, allowed, &find))) {
			stop_searching(self);
			run_found(self, here, until, allowed, &find);
			continue;
		}
		if (!allowed)
			linger(self, until, skuai_patience_ns(self, until));
		if (is_over(self, until))
			break;
		if (!will_hear(self, until)) {
			wait_unheard(self, until);
			continue;
		}
		if (allowed & SKUAI_ALLOW_FORKS)
			sleep_listed(self, until, allowed);
		else
			sleep_unlisted(self, until);
		if (until->job)
			skuai_outcome_withdraw(until->job, skuai_spot(self));
	}
	stop_searching(self);
	end_idleness(self, skuai_clock_ns());
	if (!is_top) {
		skuai_trace(self, SKUAI_TRACE_WAIT_END, 0);
		skuai_profile_resume(self);
	}
}

void skuai_worker_main(void *argument)
{
	struct skuai_worker *self = argument;
	struct skua_pool *pool = self->pool;
	const struct skuai_until until = { .deadline = SKUAI_NO_DEADLINE };

	skuai_self = self;
	/* order worker.tid.1: relaxed, news for the monitor */
	skua_store(&self->tid, skuai_thread_tid(), relaxed);
	int cpu = pool->options.is_pinned ? skuai_victims_cpu(self->number) : -1;
	if (cpu >= 0) /* where that is refused, anywhere */
		skuai_thread_pin((unsigned)cpu);
	if (pool->options.hooks.start)
		pool->options.hooks.start(pool->options.hooks.context, self->number);
	/* Listed as asleep by whoever started us, so that a guest need not wait for our start. */
	if (skuai_width_is_dormant(&pool->width, self->number))
		wait_dormant(self, &until);
	else
		sleep_until_called(self, self->number, &self->park, SKUAI_NO_DEADLINE);
	skuai_work_until(self, self->forks.base, &until);
	if (pool->options.hooks.stop)
		pool->options.hooks.stop(pool->options.hooks.context, self->number);
	skuai_self = NULL;
}
