/* SPDX-License-Identifier: MIT */
/* shared_queue.c — a rival: one queue, one lock, workers sleep until there is something in it */
#include "crew.h"
#include "jobring.h"

/*
 * The pool that everybody writes first.  Whoever submits locks the queue, puts the job behind the
 * others, and wakes one sleeper if there is any.  A worker locks it, takes the oldest job, and runs
 * it; when there is none it parks, and the list of the parked is under the same lock:
 *
 *	submit: lock; push; take a sleeper off the list; unlock; give it a token
 *	worker: lock; empty; onto the list; unlock; sleep until there is a token; look again
 *
 * Between `empty` and `onto the list` nobody can push, so no wake is lost.  A woken worker may find
 * that another was faster; then it parks again.
 *
 * What it costs: two turns at one lock for each job, by all workers at once.
 */
struct shared_queue {
	struct rival_pool pool;
	_Alignas(CREW_LINE) pthread_mutex_t lock;
	struct jobring jobs;	   /* under the lock */
	struct crew_parked parked; /* under the lock */
};

static bool next(struct rival_pool *pool, struct crew_place *place, struct rival_job *job)
{
	struct shared_queue *queue = (struct shared_queue *)pool;

	crew_lock(place, &queue->lock);
	while (!jobring_take_oldest(&queue->jobs, job)) {
		if (crew_is_closing(pool)) {
			pthread_mutex_unlock(&queue->lock);
			return false;
		}
		crew_parked_add(&queue->parked, place);
		pthread_mutex_unlock(&queue->lock);
		crew_park(place);
		crew_lock(place, &queue->lock);
	}
	pthread_mutex_unlock(&queue->lock);
	return true;
}

static void submit(struct rival_pool *pool, int from, struct rival_job job)
{
	struct shared_queue *queue = (struct shared_queue *)pool;
	struct crew_place *place = crew_place(pool, from), *sleeper = NULL;

	crew_submitted(place);
	crew_lock(place, &queue->lock);
	bool is_in = jobring_push(&queue->jobs, job);
	if (is_in)
		sleeper = crew_parked_take(&queue->parked);
	pthread_mutex_unlock(&queue->lock);
	if (sleeper)
		crew_wake(sleeper);
	if (!is_in)
		crew_run_here(place, job);
}

static void drop(struct shared_queue *queue)
{
	jobring_free(&queue->jobs);
	pthread_mutex_destroy(&queue->lock);
	crew_free(&queue->pool);
}

static struct rival_pool *open_pool(const struct rival *rival, const struct rival_options *options)
{
	struct shared_queue *queue = crew_make(sizeof(*queue), rival, options);

	if (!queue)
		return NULL;
	pthread_mutex_init(&queue->lock, NULL);
	if (crew_start(&queue->pool, next))
		return &queue->pool;
	drop(queue);
	return NULL;
}

static void close_pool(struct rival_pool *pool)
{
	crew_stop(pool);
	drop((struct shared_queue *)pool);
}

const struct rival rival_shared_queue = {
	.name = "shared_queue",
	.role = "one queue under one lock",
	.counted = RIVAL_COUNTED_BY_ALL | RIVAL_COUNTED(LOCK_WAITS),
	.open = open_pool,
	.submit = submit,
	.wait = crew_wait,
	.stats = crew_stats,
	.close = close_pool,
};
