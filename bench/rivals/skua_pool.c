/* SPDX-License-Identifier: MIT */
/* skua_pool.c — skua's own pool as a rival among the others, and once more for each of its knobs */
#include "rival.h"

#include "base/atomic.h"

#include <skua/group.h>
#include <stdlib.h>
#include <string.h>

/*
 * As a user would write it: an open group on a pool of its own, one skua_go for each job, which
 * copies it, and a wait for the group.  From a worker a job goes to that worker's deque, where
 * others may steal it; from outside to the pool's queue.
 *
 * Jobs and their time are counted here, per place, the rest is read from the pool's own counters.
 * It does not count what CAS and locks cost it.
 *
 * Each row has its options: struct rival's `knobs`.  For another one copy a rival, and change them.
 */

/* A worker; and one more for all threads from outside. */
struct own_place {
	_Alignas(128) struct rival_worker here; /* written by open */
	_Atomic uint64_t jobs;	  /* written by the worker, or added to by those from outside */
	_Atomic uint64_t busy_ns; /* written by the worker */
	unsigned depth;		  /* the worker's: jobs that run inside each other */
};

/* Not that of crew.h: skua brings its own threads. */
struct rival_pool {
	struct skua_pool *pool;
	struct skua_group group;
	bool is_timed;
	unsigned count;		  /* of workers' places */
	struct own_place *places; /* count, and the one for outside */
};

static struct own_place *place_of(struct rival_pool *pool, int worker)
{
	return &pool->places[worker < 0 ? pool->count : (unsigned)worker];
}

static void run_outside(struct own_place *place, struct rival_job job)
{
	job.run(&place->here, job.arg);
	skua_add(&place->jobs, 1, relaxed); /* order skua_pool.ran.1: relaxed, a number */
}

static void add(_Atomic uint64_t *count, uint64_t n)
{
	uint64_t old = skua_load(count, relaxed); /* order skua_pool.add.1: relaxed, our own */

	skua_store(count, old + n, relaxed); /* order skua_pool.add.2: relaxed, a number */
}

static void run_inside(struct own_place *place, struct rival_job job)
{
	bool is_timed = place->here.pool->is_timed && !place->depth;
	int64_t start = is_timed ? skua_clock_ns() : 0;

	place->depth++;
	job.run(&place->here, job.arg);
	place->depth--;
	if (is_timed)
		add(&place->busy_ns, (uint64_t)(skua_clock_ns() - start));
	add(&place->jobs, 1);
}

/* What a task of the group is given a copy of. */
struct errand {
	struct rival_pool *pool;
	struct rival_job job;
};

static int run_errand(struct skua_slot *skua_here, void *argument)
{
	const struct errand *errand = argument;
	int self = skua_pool_self(errand->pool->pool);
	struct own_place *place = place_of(errand->pool, self);

	(void)skua_here;
	if (self < 0)
		run_outside(place, errand->job);
	else
		run_inside(place, errand->job);
	return 0;
}

static void submit(struct rival_pool *pool, int from, struct rival_job job)
{
	struct errand errand = { pool, job };

	(void)from; /* skua knows its workers */
	if (skua_go(&pool->group, run_errand, &errand))
		run_errand(NULL, &errand); /* no memory */
}

static void wait_for_jobs(struct rival_pool *pool)
{
	skua_group_wait(&pool->group, SKUA_FOREVER); /* its tasks return no errors */
}

static void stats_of(struct rival_pool *pool, int worker, struct rival_stats *stats)
{
	struct skua_stats own = { .size = sizeof(own) };
	struct own_place *place = place_of(pool, worker);

	if (worker >= 0) /* -1 would be all together */
		skua_pool_stats(pool->pool, worker, &own);
	*stats = (struct rival_stats){
		/* order skua_pool.stats.1: relaxed, a number; the wait brought it */
		.jobs = skua_load(&place->jobs, relaxed),
		/* order skua_pool.stats.2: relaxed, likewise */
		.busy_ns = skua_load(&place->busy_ns, relaxed),
		.steals = own.steals + own.stolen_jobs,
		.failed_steals = own.failed,
		.parks = own.parks,
	};
}

static void close_pool(struct rival_pool *pool)
{
	wait_for_jobs(pool);
	skua_pool_close(pool->pool, SKUA_CLOSE_DRAIN);
	free(pool->places);
	free(pool);
}

static bool make_places(struct rival_pool *pool, const struct rival *rival)
{
	size_t bytes;

	pool->count = skua_pool_places(pool->pool);
	bytes = (pool->count + 1) * sizeof(*pool->places);
	pool->places = aligned_alloc(_Alignof(struct own_place), bytes);
	if (!pool->places)
		return false;
	memset(pool->places, 0, bytes);
	for (unsigned i = 0; i <= pool->count; i++)
		pool->places[i].here = (struct rival_worker){ rival, pool,
							      i < pool->count ? (int)i
									      : RIVAL_OUTSIDE };
	return true;
}

static struct rival_pool *open_pool(const struct rival *rival, const struct rival_options *options)
{
	struct skua_pool_options knobs = { 0 };
	struct rival_pool *pool;

	if (options->workers < 1 || options->workers > RIVAL_WORKERS_MAX)
		return NULL;
	if (rival->knobs)
		knobs = *rival->knobs;
	knobs.size = sizeof(knobs);
	knobs.workers = (int)options->workers;
	pool = calloc(1, sizeof(*pool));
	if (!pool)
		return NULL;
	pool->is_timed = options->is_timed;
	if (skua_pool_open(&pool->pool, &knobs)) {
		free(pool);
		return NULL;
	}
	struct skua_group_options group = { .size = sizeof(group), .pool = pool->pool };
	if (!make_places(pool, rival) || skua_group_open(&pool->group, &group)) {
		skua_pool_close(pool->pool, SKUA_CLOSE_DRAIN);
		free(pool->places);
		free(pool);
		return NULL;
	}
	return pool;
}

#define ROW(row, text, ...)                                                                        \
	const struct rival rival_##row = {                                                         \
		.name = #row,                                                                      \
		.role = text,                                                                      \
		.counted = RIVAL_COUNTED_BY_ALL | RIVAL_COUNTED(STEALS) |                          \
			   RIVAL_COUNTED(FAILED_STEALS),                                           \
		.knobs = &(                                                                        \
			const struct skua_pool_options){ .size = sizeof(struct skua_pool_options), \
							 __VA_ARGS__ },                            \
		.open = open_pool,                                                                 \
		.submit = submit,                                                                  \
		.wait = wait_for_jobs,                                                             \
		.stats = stats_of,                                                                 \
		.close = close_pool,                                                               \
	}

ROW(skua, "half of a random worker's jobs, as it comes", .workers = 0);
ROW(skua_one, "one job at a time", .amount = SKUA_AMOUNT_ONE);
ROW(skua_round_robin, "victims in turn", .victim = SKUA_VICTIM_ROUND_ROBIN);
ROW(skua_nearest, "near victims first, workers pinned", .victim = SKUA_VICTIM_NEAREST,
    .is_pinned = true);
ROW(skua_no_spin, "no search before sleep", .spin_ns = -1);
