/* SPDX-License-Identifier: MIT */
/* mpmc_queue.c — a rival: one queue without locks, for many producers and many consumers */
#include "crew.h"
#include "mpmc_ring.h"

#include <sched.h>
#include <stdlib.h>

/*
 * The ring is mpmc_ring.h's, which tells how a job gets through it and why no wake is lost.
 *
 * Full: the submitter runs the job in place, which is also the back-pressure.
 *
 * Idle: a worker looks again some times, leaving the CPU to others between, then parks.
 *
 * What it costs: no lock, but two counters and a line of cells that all workers write.
 */

#define IDLE_LOOKS 16 /* some microseconds; arbitrary */

struct mpmc_queue {
	struct rival_pool pool;
	struct mpmc_ring ring;
	/* line: who parks and who wakes */
	_Alignas(CREW_LINE) pthread_mutex_t lock;
	struct crew_parked parked; /* under the lock */
};

_Static_assert(offsetof(struct mpmc_ring, tail) - offsetof(struct mpmc_ring, head) == CREW_LINE,
	       "a line each");

static struct mpmc_queue *queue_of(struct rival_pool *pool)
{
	return (struct mpmc_queue *)pool;
}

static bool put(struct mpmc_queue *queue, struct crew_place *place, struct rival_job job)
{
	struct mpmc_won won = mpmc_win_free(&queue->ring);

	if (won.failures)
		crew_count(place, RIVAL_CAS_FAILURES, won.failures);
	if (!won.cell)
		return false;
	won.cell->job = job;
	mpmc_put(&won);
	return true;
}

static bool take(struct mpmc_queue *queue, struct crew_place *place, struct rival_job *job)
{
	struct mpmc_won won = mpmc_win_full(&queue->ring);

	if (won.failures)
		crew_count(place, RIVAL_CAS_FAILURES, won.failures);
	if (!won.cell)
		return false;
	*job = won.cell->job;
	mpmc_taken(&won);
	return true;
}

static void submit(struct rival_pool *pool, int from, struct rival_job job)
{
	struct mpmc_queue *queue = queue_of(pool);
	struct crew_place *place = crew_place(pool, from);

	crew_submitted(place);
	if (!put(queue, place, job)) {
		crew_run_here(place, job);
		return;
	}
	if (!mpmc_has_sleeper(&queue->parked.count))
		return;
	crew_lock(place, &queue->lock);
	struct crew_place *sleeper = crew_parked_take(&queue->parked);
	pthread_mutex_unlock(&queue->lock);
	if (sleeper)
		crew_wake(sleeper);
}

static bool take_idly(struct mpmc_queue *queue, struct crew_place *place, struct rival_job *job)
{
	for (unsigned i = 0; i < IDLE_LOOKS; i++) {
		sched_yield();
		if (take(queue, place, job))
			return true;
	}
	return false;
}

/* True: there was a job after all. */
static bool park_or_take(struct mpmc_queue *queue, struct crew_place *place, struct rival_job *job)
{
	bool is_got;

	crew_lock(place, &queue->lock);
	crew_parked_add(&queue->parked, place);
	pthread_mutex_unlock(&queue->lock);
	mpmc_about_to_sleep(&queue->parked.count);
	is_got = take(queue, place, job);
	if (is_got) {
		crew_lock(place, &queue->lock);
		bool is_off = crew_parked_drop(&queue->parked, place);
		pthread_mutex_unlock(&queue->lock);
		if (is_off)
			return true;
	}
	crew_park(place); /* with a job: for the token of who took us off the list before */
	return is_got;
}

static bool next(struct rival_pool *pool, struct crew_place *place, struct rival_job *job)
{
	struct mpmc_queue *queue = queue_of(pool);

	if (take(queue, place, job))
		return true;
	crew_tell_quiet(pool); /* before the long search */
	while (!take_idly(queue, place, job)) {
		if (crew_is_closing(pool))
			return false;
		if (park_or_take(queue, place, job))
			return true;
	}
	return true;
}

static void drop(struct mpmc_queue *queue)
{
	free(queue->ring.cells);
	pthread_mutex_destroy(&queue->lock);
	crew_free(&queue->pool);
}

static struct rival_pool *open_pool(const struct rival *rival, const struct rival_options *options)
{
	struct mpmc_queue *queue = crew_make(sizeof(*queue), rival, options);

	if (!queue)
		return NULL;
	pthread_mutex_init(&queue->lock, NULL);
	queue->ring.cells = crew_lines(MPMC_CELLS, sizeof(*queue->ring.cells));
	if (queue->ring.cells)
		mpmc_begin(&queue->ring);
	if (queue->ring.cells && crew_start(&queue->pool, next))
		return &queue->pool;
	drop(queue);
	return NULL;
}

static void close_pool(struct rival_pool *pool)
{
	crew_stop(pool);
	drop(queue_of(pool));
}

const struct rival rival_mpmc_queue = {
	.name = "mpmc_queue",
	.role = "one bounded queue without locks",
	.counted = RIVAL_COUNTED_BY_ALL | RIVAL_COUNTED(LOCK_WAITS) | RIVAL_COUNTED(CAS_FAILURES),
	.open = open_pool,
	.submit = submit,
	.wait = crew_wait,
	.stats = crew_stats,
	.close = close_pool,
};
