/* SPDX-License-Identifier: MIT */
/* mutex_deques.c — a rival: work stealing with locks; a deque each, thieves take half */
#include "crew.h"
#include "jobring.h"

#include <stdlib.h>

/*
 * Each worker has a deque under a lock of its own, and there is one common queue for threads from
 * outside.  A worker pushes what it submits to its own deque, and looks for its next job
 *
 *	1. in its own deque: the newest;
 *	2. in the deques of others, 64 times: a random one, if its lock is free, and half of what is
 *	   in it, from the oldest end;
 *	3. in the common queue: the oldest, and with it a fair share of the rest for its own deque;
 *	4. else it parks.
 *
 * Nobody waits for a lock while holding another: where two are needed the second is only tried, and
 * without it a thief takes one job instead of many.  So there is no circle of waiting.
 *
 * Lost wakes.  Locks alone order what happens, there is no fence:
 *
 *	submit: lock a queue, push, unlock; read the number of parked; wake one if there is any
 *	worker: onto the list of the parked; then lock each queue, look, unlock; sleep
 *
 * Whose turn at that queue's lock comes first?  If it is the submitter's, the worker finds the job.
 * If it is the worker's, then with the lock the submitter has been handed everything the worker did
 * before, and reads that one is parked.
 *
 * What it costs: a lock for each push and pop, even when nobody steals.
 */

#define ATTEMPTS 64 /* as in the articles that the claim is from */

struct locked_ring {
	_Alignas(CREW_LINE) pthread_mutex_t lock;
	struct jobring jobs; /* under the lock */
};

struct mutex_deques {
	struct rival_pool pool;
	struct locked_ring common;  /* what threads from outside submit */
	struct crew_parked parked;  /* under the lock of common */
	struct locked_ring *deques; /* of each worker one */
};

static struct mutex_deques *deques_of(struct rival_pool *pool)
{
	return (struct mutex_deques *)pool;
}

static struct locked_ring *own_of(struct mutex_deques *deques, struct crew_place *place)
{
	return &deques->deques[place->here.index];
}

/* --- submitting --- */

static void wake_one(struct mutex_deques *deques, struct crew_place *place)
{
	/* order mutex_deques.wake.1: relaxed, the queue's lock orders it: told above */
	if (!skua_load(&deques->parked.count, relaxed))
		return;
	crew_lock(place, &deques->common.lock);
	struct crew_place *sleeper = crew_parked_take(&deques->parked);
	pthread_mutex_unlock(&deques->common.lock);
	if (sleeper)
		crew_wake(sleeper);
}

static void submit(struct rival_pool *pool, int from, struct rival_job job)
{
	struct mutex_deques *deques = deques_of(pool);
	struct crew_place *place = crew_place(pool, from);
	struct locked_ring *ring = from < 0 ? &deques->common : own_of(deques, place);

	crew_submitted(place);
	crew_lock(place, &ring->lock);
	bool is_in = jobring_push(&ring->jobs, job);
	pthread_mutex_unlock(&ring->lock);
	if (is_in)
		wake_one(deques, place);
	else
		crew_run_here(place, job);
}

/* --- looking for a job --- */

static bool pop(struct mutex_deques *deques, struct crew_place *place, struct rival_job *job)
{
	struct locked_ring *own = own_of(deques, place);

	crew_lock(place, &own->lock);
	bool is_got = jobring_take_newest(&own->jobs, job);
	pthread_mutex_unlock(&own->lock);
	return is_got;
}

/* The `count` oldest of a ring that is locked and has them: one to run, the others to our own. */
static size_t take_oldest(struct jobring *from, size_t count, struct locked_ring *own,
			  struct rival_job *job)
{
	jobring_take_oldest(from, job);
	if (count == 1 || pthread_mutex_trylock(&own->lock))
		return 1;
	if (jobring_reserve(&own->jobs, count - 1))
		jobring_move(&own->jobs, from, count - 1);
	else
		count = 1;
	pthread_mutex_unlock(&own->lock);
	return count;
}

static size_t rob(struct mutex_deques *deques, struct crew_place *place, struct rival_job *job)
{
	unsigned workers = deques->pool.workers, self = (unsigned)place->here.index;
	/* any but ourselves */
	unsigned victim = (self + 1 + (unsigned)(crew_random(place) % (workers - 1))) % workers;
	struct locked_ring *ring = &deques->deques[victim];
	size_t taken = 0;

	if (pthread_mutex_trylock(&ring->lock))
		return 0;
	if (ring->jobs.count)
		taken = take_oldest(&ring->jobs, (ring->jobs.count + 1) / 2, own_of(deques, place),
				    job);
	pthread_mutex_unlock(&ring->lock);
	return taken;
}

static bool steal(struct mutex_deques *deques, struct crew_place *place, struct rival_job *job)
{
	for (unsigned i = 0; deques->pool.workers > 1 && i < ATTEMPTS; i++) {
		size_t taken = rob(deques, place, job);
		if (taken) {
			crew_count(place, RIVAL_STEALS, taken);
			return true;
		}
		crew_count(place, RIVAL_FAILED_STEALS, 1);
	}
	return false;
}

static bool take_common(struct mutex_deques *deques, struct crew_place *place,
			struct rival_job *job)
{
	struct jobring *jobs = &deques->common.jobs;

	crew_lock(place, &deques->common.lock);
	bool is_got = jobs->count > 0;
	if (is_got) {
		size_t share = (jobs->count + deques->pool.workers - 1) / deques->pool.workers;
		take_oldest(jobs, share, own_of(deques, place), job);
	}
	pthread_mutex_unlock(&deques->common.lock);
	return is_got;
}

/* --- parking --- */

static bool has_jobs(struct locked_ring *ring, struct crew_place *place)
{
	crew_lock(place, &ring->lock);
	bool has = ring->jobs.count > 0;
	pthread_mutex_unlock(&ring->lock);
	return has;
}

static bool is_anything_there(struct mutex_deques *deques, struct crew_place *place)
{
	bool is_there = has_jobs(&deques->common, place);

	for (unsigned i = 0; i < deques->pool.workers && !is_there; i++)
		is_there = has_jobs(&deques->deques[i], place);
	return is_there;
}

static void park(struct mutex_deques *deques, struct crew_place *place)
{
	crew_lock(place, &deques->common.lock);
	crew_parked_add(&deques->parked, place);
	pthread_mutex_unlock(&deques->common.lock);
	if (is_anything_there(deques, place)) {
		crew_lock(place, &deques->common.lock);
		bool is_off = crew_parked_drop(&deques->parked, place);
		pthread_mutex_unlock(&deques->common.lock);
		if (is_off)
			return;
	}
	crew_park(place); /* at once, when somebody took us off the list before */
}

static bool next(struct rival_pool *pool, struct crew_place *place, struct rival_job *job)
{
	struct mutex_deques *deques = deques_of(pool);

	if (pop(deques, place, job))
		return true;
	crew_tell_quiet(pool); /* before the long search */
	while (!steal(deques, place, job) && !take_common(deques, place, job)) {
		if (crew_is_closing(pool))
			return false;
		park(deques, place);
	}
	return true;
}

/* --- life --- */

static void drop(struct mutex_deques *deques)
{
	for (unsigned i = 0; deques->deques && i < deques->pool.workers; i++) {
		jobring_free(&deques->deques[i].jobs);
		pthread_mutex_destroy(&deques->deques[i].lock);
	}
	free(deques->deques);
	jobring_free(&deques->common.jobs);
	pthread_mutex_destroy(&deques->common.lock);
	crew_free(&deques->pool);
}

static struct rival_pool *open_pool(const struct rival *rival, const struct rival_options *options)
{
	struct mutex_deques *deques = crew_make(sizeof(*deques), rival, options);

	if (!deques)
		return NULL;
	pthread_mutex_init(&deques->common.lock, NULL);
	deques->deques = crew_lines(options->workers, sizeof(*deques->deques));
	for (unsigned i = 0; deques->deques && i < options->workers; i++)
		pthread_mutex_init(&deques->deques[i].lock, NULL);
	if (deques->deques && crew_start(&deques->pool, next))
		return &deques->pool;
	drop(deques);
	return NULL;
}

static void close_pool(struct rival_pool *pool)
{
	crew_stop(pool);
	drop(deques_of(pool));
}

const struct rival rival_mutex_deques = {
	.name = "mutex_deques",
	.role = "stealing with a lock for each deque, half at a time",
	.counted = RIVAL_COUNTED_BY_ALL | RIVAL_COUNTED(LOCK_WAITS) | RIVAL_COUNTED(STEALS) |
		   RIVAL_COUNTED(FAILED_STEALS),
	.open = open_pool,
	.submit = submit,
	.wait = crew_wait,
	.stats = crew_stats,
	.close = close_pool,
};
