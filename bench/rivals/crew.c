/* SPDX-License-Identifier: MIT */
/* crew.c — what rivals have in common: threads, parking, counters, knowing that all is done */
#include "crew.h"

#include <skua/pool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Is all done?  Every place counts the jobs that it submitted, before they can be found, and those
 * that it ran, after their end.  Who wants to know adds up the second first, then the first:
 *
 *	ran = sum of RIVAL_JOBS (acquire)      then      submitted = sum of submitted
 *
 * Whoever sees that a job has run sees what it submitted, and that itself was submitted.  So
 * `submitted` counts every job in `ran`, their children, and what this thread knew of before.  If
 * the sums are equal there is nothing else: all of those have run.  The other way round a job could
 * run and submit another between the two sums, and hide it.
 *
 * Who waits, and who runs out of jobs, could miss each other:
 *
 *	waiter: is_waited = 1; FENCE; add up; sleep        worker: ran + 1; FENCE; read is_waited
 *
 * Of two fences one is first.  If it is the waiter's, the worker reads is_waited and adds up; if it
 * is the worker's, the waiter's sum has that job.  Among workers likewise: the one whose fence is
 * last sees the jobs of all others.  A token too many only makes the waiter look once more.
 */

/* --- all done? --- */

static bool is_quiet(struct rival_pool *pool)
{
	uint64_t ran = 0, submitted = 0;

	for (unsigned i = 0; i <= pool->workers; i++)
		/* order crew.quiet.1: acquire, pairs crew.ran.1, crew.ran.2; what it submitted */
		ran += skua_load(&pool->places[i].counters[RIVAL_JOBS], acquire);
	for (unsigned i = 0; i <= pool->workers; i++)
		/* order crew.quiet.2: relaxed, behind the acquires of .1 */
		submitted += skua_load(&pool->places[i].submitted, relaxed);
	return ran == submitted;
}

void crew_tell_quiet(struct rival_pool *pool)
{
	/* order crew.tell.1: fence seq_cst, pairs crew.wait.2; the job before, is_waited behind */
	skua_fence(&pool->is_waited, seq_cst);
	/* order crew.tell.2: relaxed, ordered by .1 */
	if (!skua_load(&pool->is_waited, relaxed) || !is_quiet(pool))
		return;
	/* order crew.tell.3: relaxed, one of several tells; the semaphore carries no data */
	if (skua_exchange(&pool->is_waited, 0, relaxed))
		sem_post(&pool->quiet);
}

static void sleep_for(sem_t *token)
{
	while (sem_wait(token)) /* a signal came */
		;
}

void crew_wait(struct rival_pool *pool)
{
	pthread_mutex_lock(&pool->turn);
	for (;;) {
		skua_store(&pool->is_waited, 1, relaxed); /* order crew.wait.1: carried by .2 */
		/* order crew.wait.2: fence seq_cst, pairs crew.tell.1; told above */
		skua_fence(&pool->is_waited, seq_cst);
		if (is_quiet(pool))
			break;
		sleep_for(&pool->quiet);
	}
	skua_store(&pool->is_waited, 0, relaxed); /* order crew.wait.3: relaxed, a wish no more */
	pthread_mutex_unlock(&pool->turn);
}

/* --- jobs --- */

void crew_submitted(struct crew_place *place)
{
	crew_bump(place, &place->submitted, 1);
}

static void count_run(struct crew_place *place)
{
	_Atomic uint64_t *ran = &place->counters[RIVAL_JOBS];

	if (place->here.index < 0) {
		/* order crew.ran.2: release, pairs crew.quiet.1; as .1, for several threads */
		skua_add(ran, 1, release);
		return;
	}
	uint64_t before = skua_load(ran, relaxed); /* order crew.ran.3: relaxed, nobody else's */
	/* order crew.ran.1: release, pairs crew.quiet.1; with all that the job submitted */
	skua_store(ran, before + 1, release);
}

void crew_run_here(struct crew_place *place, struct rival_job job)
{
	job.run(&place->here, job.arg);
	count_run(place);
	crew_tell_quiet(place->here.pool);
}

static void run(struct crew_place *place, struct rival_job job)
{
	bool is_timed = place->here.pool->is_timed;
	int64_t start = is_timed ? skua_clock_ns() : 0;

	job.run(&place->here, job.arg);
	if (is_timed)
		crew_count(place, RIVAL_BUSY_NS, (uint64_t)(skua_clock_ns() - start));
	count_run(place);
}

static void *work(void *argument)
{
	struct crew_place *place = argument;
	struct rival_pool *pool = place->here.pool;
	struct rival_job job;

	while (pool->next(pool, place, &job))
		run(place, job);
	return NULL;
}

/* --- parking --- */

/* Under the list's lock. */
static void change_count(struct crew_parked *parked, uint32_t change)
{
	/* order crew.parked.1: relaxed, under the lock */
	uint32_t count = skua_load(&parked->count, relaxed);

	/* order crew.parked.2: relaxed; who reads it without the lock says why that is enough */
	skua_store(&parked->count, count + change, relaxed);
}

void crew_parked_add(struct crew_parked *parked, struct crew_place *place)
{
	place->next_parked = parked->first;
	parked->first = place;
	change_count(parked, 1);
}

bool crew_parked_drop(struct crew_parked *parked, struct crew_place *place)
{
	struct crew_place **link = &parked->first;

	while (*link && *link != place)
		link = &(*link)->next_parked;
	if (!*link)
		return false;
	*link = place->next_parked;
	change_count(parked, (uint32_t)-1);
	return true;
}

struct crew_place *crew_parked_take(struct crew_parked *parked)
{
	struct crew_place *place = parked->first;

	if (place)
		crew_parked_drop(parked, place);
	return place;
}

void crew_park(struct crew_place *place)
{
	crew_tell_quiet(place->here.pool);
	crew_count(place, RIVAL_PARKS, 1);
	sleep_for(&place->token);
}

void crew_wake(struct crew_place *place)
{
	sem_post(&place->token);
}

bool crew_is_closing(struct rival_pool *pool)
{
	/* order crew.closing.1: relaxed, the token that comes with it is never lost */
	return skua_load(&pool->is_closing, relaxed);
}

/* --- a pool's life --- */

void *crew_lines(size_t count, size_t bytes)
{
	size_t whole = (count * bytes + CREW_LINE - 1) / CREW_LINE * CREW_LINE;
	void *memory = aligned_alloc(CREW_LINE, whole);

	return memory ? memset(memory, 0, whole) : NULL;
}

void *crew_make(size_t bytes, const struct rival *rival, const struct rival_options *options)
{
	unsigned workers = options->workers;

	if (workers < 1 || workers > RIVAL_WORKERS_MAX)
		return NULL;
	struct rival_pool *pool = crew_lines(1, bytes);
	struct crew_place *places = crew_lines(workers + 1, sizeof(*places));
	if (!pool || !places) {
		free(pool);
		free(places);
		return NULL;
	}
	*pool = (struct rival_pool){
		.rival = rival, .workers = workers, .is_timed = options->is_timed, .places = places
	};
	for (unsigned i = 0; i <= workers; i++) {
		int index = i < workers ? (int)i : RIVAL_OUTSIDE;
		places[i].here = (struct rival_worker){ rival, pool, index };
		places[i].random = i + 1;
		sem_init(&places[i].token, 0, 0); /* fails for a start value too large, only */
	}
	sem_init(&pool->quiet, 0, 0);
	pthread_mutex_init(&pool->turn, NULL);
	return pool;
}

void crew_free(struct rival_pool *pool)
{
	for (unsigned i = 0; i <= pool->workers; i++)
		sem_destroy(&pool->places[i].token);
	sem_destroy(&pool->quiet);
	pthread_mutex_destroy(&pool->turn);
	free(pool->places);
	free(pool);
}

/* Of the first `count` workers.  A token for each: who is about to park wakes again at once. */
static void end_threads(struct rival_pool *pool, unsigned count)
{
	/* order crew.closing.2: relaxed, carried by the tokens */
	skua_store(&pool->is_closing, 1, relaxed);
	for (unsigned i = 0; i < count; i++)
		crew_wake(&pool->places[i]);
	for (unsigned i = 0; i < count; i++)
		pthread_join(pool->places[i].thread, NULL);
}

bool crew_start(struct rival_pool *pool, crew_next *next)
{
	pool->next = next;
	for (unsigned i = 0; i < pool->workers; i++) {
		if (pthread_create(&pool->places[i].thread, NULL, work, &pool->places[i])) {
			end_threads(pool, i);
			return false;
		}
	}
	return true;
}

void crew_stop(struct rival_pool *pool)
{
	crew_wait(pool);
	end_threads(pool, pool->workers);
}

void crew_stats(struct rival_pool *pool, int worker, struct rival_stats *stats)
{
	struct crew_place *place = crew_place(pool, worker);

	/* order crew.stats.1: relaxed, numbers; those before a wait came with it */
#define READ(NAME, field, what) .field = skua_load(&place->counters[RIVAL_##NAME], relaxed),
	*stats = (struct rival_stats){ RIVAL_COUNTERS(READ) };
#undef READ
}

uint64_t crew_random(struct crew_place *place)
{
	/* xorshift64 (Marsaglia 2003): a few ns, good enough to choose a victim */
	uint64_t x = place->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return place->random = x;
}
