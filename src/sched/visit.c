/* SPDX-License-Identifier: MIT */
/* visit.c — skua_run: a thread takes the place of a worker that sleeps, or hands its task over */
#include "sched/visit.h"

#include "base/atomic.h"
#include "base/diag.h"
#include "os/clock.h"
#include "sched/held.h"
#include "sched/profiling.h"
#include "sched/tracing.h"
#include "sched/watch.h"
#include "sched/worker.h"

#include <skua/error.h>
#include <skua/fork.h>
#include <skua/job.h>

#include <assert.h>
#include <limits.h>

/*
 * A pool of N workers never runs more than N tasks at once, and a thread that calls skua_run would
 * only sleep while a worker does its work.  So it takes the place of one that sleeps with nothing
 * begun: same stack of forks, same deque, same number.  Nothing is handed over and nobody is woken;
 * a task that forks nothing costs about as much as a call.  The thread of that worker goes on
 * sleeping: the bit that allows to wake it is ours until we give the place back (idle.h).
 *
 * When nobody sleeps like that, or the caller is a worker of another pool, the task is injected as
 * a job and the caller waits for it.  Such a worker does its own pool's work meanwhile, so pools
 * may call each other.  If it took a second place here, it would have to serve both pools at once:
 * whoever waits for the one place may be what it waits for in the other.
 */
struct visit {
	struct skua_slot slot;
	struct skuai_worker *guest_of; /* the place taken; NULL: none */
	struct skua_pool *pool;
	skua_slot_task *task; /* handed over */
	struct skua_job job;
};
static_assert(sizeof(struct visit) <= sizeof(struct skua_visit), "the caller has room for it");

static _Thread_local unsigned last_place; /* where the caches are still warm */

/* Take this worker's place, if it sleeps with nothing begun. */
static bool take_place(struct skua_pool *pool, unsigned number)
{
	struct skuai_worker *worker = &pool->workers[number];

	if (!skuai_idle_is_asleep(&pool->idle, number) ||
	    /* order visit.take.1: relaxed, a hint; .2 looks again */
	    !skua_load(&worker->is_at_top, relaxed) || !skuai_idle_borrow(&pool->idle, number))
		return false;
	/* order visit.take.2: relaxed, carried by the bit */
	if (skua_load(&worker->is_at_top, relaxed))
		return true;
	/*
	 * It rose and fell asleep again inside a task, between our two looks: not to be had.  Its
	 * bit is taken, so it is owed a wake.
	 */
	skuai_idle_search(&pool->idle, UINT_MAX);
	skuai_unpark_call(&worker->park);
	return false;
}

/* The place is ours; if it was the sentinel's, somebody else must look around. */
static struct skuai_worker *move_in(struct skua_pool *pool, unsigned number)
{
	last_place = number;
	if (skuai_idle_is_sentinel(&pool->idle, number)) {
		skuai_idle_sentinel_leave(&pool->idle, number);
		skuai_notify(pool, NULL, false);
	}
	return &pool->workers[number];
}

static struct skuai_worker *find_place(struct skua_pool *pool)
{
	unsigned first = last_place % pool->count;
	unsigned sentinel = pool->count;

	if (skuai_idle_sleeping(&pool->idle) == 0)
		return NULL;
	for (unsigned i = 0; i < pool->count; i++) {
		unsigned number = (first + i) % pool->count;
		if (skuai_idle_is_sentinel(&pool->idle, number))
			sentinel = number; /* looks around for the others: the last to be taken */
		else if (take_place(pool, number))
			return move_in(pool, number);
	}
	if (sentinel < pool->count && take_place(pool, sentinel))
		return move_in(pool, sentinel);
	return NULL;
}

/* A place for the calling thread, or *here = NULL: hand the task over.  Else an error, no visit. */
static int begin(struct skua_visit *storage, struct skua_pool *pool, struct skua_slot **here)
{
	struct visit *visit = (struct visit *)(void *)storage;
	int error;

	*here = NULL;
	visit->guest_of = NULL;
	visit->pool = pool = skuai_pool_of(pool, &error);
	if (!pool)
		return error;
	if (skuai_self && skuai_self->pool == pool) {
		*here = skuai_forks_top(&skuai_self->forks);
		return SKUA_OK;
	}
	if (!skuai_pool_enter(pool))
		return SKUA_ECLOSED;
	/* A worker of another pool has a place, and must serve it while it waits: none here too. */
	struct skuai_worker *place = skuai_self ? NULL : find_place(pool);
	if (!place)
		return SKUA_OK;
	visit->guest_of = place;
	place->sleeper = pool->count + place->number;
	skuai_self = place;
	skua_deque_adopt(&place->deque);
	skuai_count(&place->counters.tasks, 1);
	skuai_trace(place, SKUAI_TRACE_UNPARK, 0);
	skuai_trace_task(place, 0, SKUAI_TRACE_NOBODY, SKUAI_TRACE_OF_VISIT);
	skuai_watch_enter(place);
	skuai_worker_begin(place);
	*here = place->forks.base;
	skuai_profile_safe_point(place, *here);
	skuai_profile_resume(place);
	return SKUA_OK;
}

struct skua_slot *skua_visit_begin(struct skua_visit *visit, struct skua_pool *pool)
{
	struct skua_slot *here;
	int error = begin(visit, pool, &here);

	if (error == SKUA_ECLOSED)
		skua_bug("skua_run: the pool is closing");
	if (error)
		skua_bug("skua_run: the pool cannot be used; open one with skua_pool_open to learn "
			 "why from its error code");
	return here;
}

void skua_visit_end(struct skua_visit *storage)
{
	struct visit *visit = (struct visit *)(void *)storage;
	struct skuai_worker *place = visit->guest_of;

	if (!place)
		return;
	struct skua_pool *pool = place->pool;
	unsigned number = place->number;
	skuai_profile_leave_visit(place);
	skuai_blocking_restore(place, 0);
	skuai_trace(place, SKUAI_TRACE_TASK_END, 0);
	skuai_trace(place, SKUAI_TRACE_PARK, 0); /* while the place is ours */
	skuai_watch_leave(place);
	skuai_self = NULL;
	place->sleeper = number;
	skua_store(&place->is_busy, false, relaxed); /* order visit.end.1: relaxed, a hint */
	/* order visit.end.2: relaxed, carried by the bit of idle.sleep.1 */
	skua_store(&place->is_at_top, true, relaxed);
	/* As if its thread had gone to sleep just now, with the look around that belongs to it. */
	if (skuai_idle_sleep(&pool->idle, number, false) &&
	    skuai_is_there_work(place, SKUAI_ALLOW_FORKS | SKUAI_ALLOW_JOBS))
		skuai_wake_one(pool, NULL);
	if (skuai_chosen_has(&pool->chosen, number))
		skuai_wake_chosen(pool, (uint64_t)1 << number);
	skuai_tell_closer(pool);
	skuai_pool_leave(pool);
}

static void run_handed_over(struct skua_slot *here, void *argument)
{
	struct visit *visit = argument;

	skuai_task_is(skuai_self, (uintptr_t)visit->task);
	visit->task(here, &visit->slot);
}

/* SKUA_OK, or SKUA_ECANCELED: it was not run.  The visit is over. */
static int hand_over(struct skua_visit *storage, enum skua_priority priority, skua_slot_task *task)
{
	struct visit *visit = (struct visit *)(void *)storage;

	visit->task = task;
	visit->job = (struct skua_job)SKUA_JOB(run_handed_over, visit);
	visit->job.priority = priority;
	skuai_submit(visit->pool, NULL, &visit->job);
	int error = skua_job_wait(&visit->job, SKUA_FOREVER);
	skuai_pool_leave(visit->pool);
	return error;
}

void skua_visit_hand_over(struct skua_visit *visit, skua_slot_task *task)
{
	if (hand_over(visit, SKUA_PRIORITY_NORMAL, task) != SKUA_OK)
		skua_bug("skua_run: the pool was closed meanwhile, its jobs cancelled");
}

void skua_pair_task(struct skua_slot *here, struct skua_slot *slot)
{
	struct skua_pair_args args = *(struct skua_pair_args *)(void *)slot->payload;

	args.run(here, args.argument);
}

/* Has the visit taken a place; else its caller is a worker already. */
static bool has_taken_place(struct skua_visit *storage)
{
	struct visit *visit = (struct visit *)(void *)storage;

	return visit->guest_of != NULL;
}

int skuai_visit(struct skua_pool *pool, enum skua_priority priority, skua_job_run *run,
		void *argument)
{
	struct skua_visit visit;
	struct skua_slot *here;
	int error = begin(&visit, pool, &here);

	if (error)
		return error;
	if (here) {
		if (has_taken_place(&visit)) /* else no task begins here */
			skuai_task_is(skuai_self, (uintptr_t)run);
		run(here, argument);
		skua_visit_end(&visit);
		return SKUA_OK;
	}
	struct skua_pair_args *args = (struct skua_pair_args *)(void *)visit.slot.payload;
	args->run = run;
	args->argument = argument;
	return hand_over(&visit, priority, skua_pair_task);
}

/* Is what came as a pool skua_here?  A compiler that was not asked to warn lets that pass. */
static bool is_slot_of(const struct skuai_worker *worker, const void *place)
{
	uintptr_t first = (uintptr_t)worker->forks.base, at = (uintptr_t)place;

	return at >= first && at - first < worker->forks.end * sizeof(struct skua_slot);
}

struct skua_slot *skuai_place_in(struct skua_pool *pool)
{
	if (!skuai_self || (pool && !is_slot_of(skuai_self, pool)))
		return NULL;
	return skuai_forks_top(&skuai_self->forks);
}

int skuai_visit_anyhow(struct skua_pool *pool, enum skua_priority priority, skua_job_run *run,
		       void *argument)
{
	struct skua_slot *here = skuai_place_in(pool);
	int error = SKUA_OK;

	if (here)
		run(here, argument);
	else
		error = skuai_visit(pool, priority, run, argument);
	if (error != SKUA_ENOMEM && error != SKUA_EAGAIN)
		return error;
	run(NULL, argument);
	return SKUA_OK;
}

SKUA_TASK_VOID(pair, skua_job_run *, f, void *, a, skua_job_run *, g, void *, b)
{
	skua_join_pair(skua_here, f, a, g, b);
}

void skua_run_pair(struct skua_pool *pool, skua_job_run *f, void *a, skua_job_run *g, void *b)
{
	skua_run(pool, pair, f, a, g, b);
}

/* --- what SKUA_CHECKED code asks --- */

void skua_check_thread(const char *task, const struct skua_slot *here)
{
	if (skuai_self && here->bounds == &skuai_self->forks.bounds)
		return;
	skua_misuse(task, "used by a thread that is not the worker it was given to");
}

void skua_check_join(const char *task, const struct skua_slot *here)
{
	skua_check_thread(task, here);
	/* order visit.check.1: relaxed, our own store */
	if (!skuai_self || !skua_load(&skuai_self->is_isolated, relaxed))
		skuai_held_check("skua_join");
}

void skua_misuse(const char *task, const char *what)
{
	skuai_bug_of("skua task", task, what);
}
