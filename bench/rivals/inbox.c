/* SPDX-License-Identifier: MIT */
/* inbox.c — a pool of workers that each have a queue of their own, which nobody else takes from */
#include "inbox.h"

#include <stdlib.h>

/* Under the lock. */
static void publish(struct inbox *inbox)
{
	/* order inbox.load.1: relaxed, a hint */
	skua_store(&inbox->load, inbox->jobs.count + inbox->is_running, relaxed);
}

uint64_t inbox_load(const struct inbox_pool *inboxes, unsigned worker)
{
	/* order inbox.load.2: relaxed, a hint: a stale one costs time, not a job */
	return skua_load(&inboxes->inboxes[worker].load, relaxed);
}

void inbox_give(struct inbox_pool *inboxes, unsigned worker, struct crew_place *from,
		struct rival_job job)
{
	struct inbox *inbox = &inboxes->inboxes[worker];
	bool was_parked = false;

	crew_submitted(from);
	crew_lock(from, &inbox->lock);
	bool is_in = jobring_push(&inbox->jobs, job);
	if (is_in) {
		was_parked = inbox->is_parked;
		inbox->is_parked = false;
		publish(inbox);
	}
	pthread_mutex_unlock(&inbox->lock);
	if (was_parked)
		crew_wake(&inboxes->pool.places[worker]);
	if (!is_in)
		crew_run_here(from, job);
}

static bool next(struct rival_pool *pool, struct crew_place *place, struct rival_job *job)
{
	struct inbox *inbox = &((struct inbox_pool *)pool)->inboxes[place->here.index];
	bool is_got;

	crew_lock(place, &inbox->lock);
	for (;;) {
		is_got = jobring_take_oldest(&inbox->jobs, job);
		inbox->is_running = is_got;
		publish(inbox);
		if (is_got || crew_is_closing(pool))
			break;
		inbox->is_parked = true;
		pthread_mutex_unlock(&inbox->lock);
		crew_park(place);
		crew_lock(place, &inbox->lock);
	}
	pthread_mutex_unlock(&inbox->lock);
	return is_got;
}

static void drop(struct inbox_pool *inboxes)
{
	for (unsigned i = 0; inboxes->inboxes && i < inboxes->pool.workers; i++) {
		jobring_free(&inboxes->inboxes[i].jobs);
		pthread_mutex_destroy(&inboxes->inboxes[i].lock);
	}
	free(inboxes->inboxes);
	crew_free(&inboxes->pool);
}

struct rival_pool *inbox_open(const struct rival *rival, const struct rival_options *options)
{
	struct inbox_pool *inboxes = crew_make(sizeof(*inboxes), rival, options);

	if (!inboxes)
		return NULL;
	inboxes->inboxes = crew_lines(options->workers, sizeof(*inboxes->inboxes));
	for (unsigned i = 0; inboxes->inboxes && i < options->workers; i++)
		pthread_mutex_init(&inboxes->inboxes[i].lock, NULL);
	if (inboxes->inboxes && crew_start(&inboxes->pool, next))
		return &inboxes->pool;
	drop(inboxes);
	return NULL;
}

void inbox_close(struct rival_pool *pool)
{
	crew_stop(pool);
	drop((struct inbox_pool *)pool);
}
