/* SPDX-License-Identifier: MIT */
/* crew.h — what rivals have in common: threads, parking, counters, knowing that all is done */
#ifndef SKUA_RIVALS_CREW_H
#define SKUA_RIVALS_CREW_H

#include "rival.h"

#include "base/atomic.h"

#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

/*
 * A rival is a struct that begins with struct rival_pool, and one function, `next`, that finds a
 * worker's next job.  The crew runs it.  How jobs travel is the rival's alone.
 *
 * Parking.  A worker sleeps at its own semaphore.  The rival keeps a list of those that are parked,
 * under a lock of its own:
 *
 *	worker: lock; nothing there; crew_parked_add; unlock; crew_park
 *	giver:  lock; put; place = crew_parked_take; unlock; crew_wake(place)
 *
 * That is a condition variable taken apart.  A real one would be shorter, but glibc's can lose a
 * signal (bug 25847, unfixed in Debian 12), and a token in a semaphore cannot be lost.
 *
 * All is done when as many jobs have run as were submitted.  One count for all would be a line that
 * every worker fights for, and spoil the comparison; so each place counts its own, and who wants to
 * know adds up: see crew.c.
 */

#define CREW_LINE 128 /* two cache lines: processors fetch them in pairs */

/* A worker; and one more for all threads from outside, which has no thread and never parks. */
struct crew_place {
	_Alignas(CREW_LINE) struct rival_worker here; /* first; written by crew_make */
	sem_t token;				      /* what it sleeps for */
	struct crew_place *next_parked;		      /* under the lock of its list */
	pthread_t thread;
	uint64_t random; /* the worker's alone */
	/* written by the worker, or with atomic additions by threads from outside; read by all */
	_Alignas(CREW_LINE) _Atomic uint64_t submitted;
	_Atomic uint64_t dealt; /* a cursor for rivals that deal jobs in turn */
	_Atomic uint64_t counters[RIVAL_COUNTERS_COUNT];
};

/* The next job, sleeping until there is one; false: the pool closes, and there is none. */
typedef bool crew_next(struct rival_pool *pool, struct crew_place *place, struct rival_job *job);

struct rival_pool {
	const struct rival *rival;
	crew_next *next;
	unsigned workers;
	bool is_timed;
	struct crew_place *places;   /* the workers', then the one for outside */
	_Atomic uint32_t is_closing; /* written by crew_stop, read by workers */
	/* who waits for all jobs */
	_Atomic uint32_t is_waited; /* set by who waits, cleared by who tells it */
	sem_t quiet;		    /* what it sleeps for */
	pthread_mutex_t turn;	    /* one at a time */
};

/* --- a pool's life --- */

/* `bytes` of memory, all zero, that begin with a pool; no thread runs yet.  NULL: refused. */
void *crew_make(size_t bytes, const struct rival *rival, const struct rival_options *options);

/* Start the threads.  False: refused, and none is left. */
bool crew_start(struct rival_pool *pool, crew_next *next);

/* Wait for all jobs, then end the threads. */
void crew_stop(struct rival_pool *pool);

/* Free what crew_make made. */
void crew_free(struct rival_pool *pool);

/* An array whose elements need a line of their own, all zero.  NULL: no memory.  For free(). */
void *crew_lines(size_t count, size_t bytes);

/* --- jobs --- */

static inline struct crew_place *crew_place(struct rival_pool *pool, int worker)
{
	return &pool->places[worker < 0 ? pool->workers : (unsigned)worker];
}

/* Counts a job that will be submitted: before any other thread can find it. */
void crew_submitted(struct crew_place *place);

/* There is no room for it: run it here and now. */
void crew_run_here(struct crew_place *place, struct rival_job job);

/* struct rival's wait and stats, for all of the crew */
void crew_wait(struct rival_pool *pool);
void crew_stats(struct rival_pool *pool, int worker, struct rival_stats *stats);

/* The worker has run out of jobs; was that the last one, and does somebody wait for it? */
void crew_tell_quiet(struct rival_pool *pool);

/* --- parking --- */

/* A list that is used under a lock of the rival's; all zero is an empty one. */
struct crew_parked {
	struct crew_place *first;
	_Atomic uint32_t
		count; /* written under the lock; read by all, as a hint or behind a fence */
};

void crew_parked_add(struct crew_parked *parked, struct crew_place *place);
struct crew_place *crew_parked_take(struct crew_parked *parked); /* the last; NULL: none */
/* No more; false: somebody took it, and its token comes. */
bool crew_parked_drop(struct crew_parked *parked, struct crew_place *place);

/* Sleep until there is a token, and take it. */
void crew_park(struct crew_place *place);
void crew_wake(struct crew_place *place);

bool crew_is_closing(struct rival_pool *pool);

/* --- counters and locks --- */

/* Adds to a count of this place; what it was before. */
static inline uint64_t crew_bump(struct crew_place *place, _Atomic uint64_t *count, uint64_t n)
{
	if (place->here.index < 0)
		return skua_add(count, n, relaxed); /* order crew.bump.1: relaxed, a number */
	uint64_t old = skua_load(count, relaxed);   /* order crew.bump.2: relaxed, nobody else's */

	skua_store(count, old + n, relaxed); /* order crew.bump.3: relaxed, a number */
	return old;
}

static inline void crew_count(struct crew_place *place, enum rival_counter counter, uint64_t n)
{
	crew_bump(place, &place->counters[counter], n);
}

/* Lock, and count it when somebody else has it. */
static inline void crew_lock(struct crew_place *place, pthread_mutex_t *lock)
{
	if (!pthread_mutex_trylock(lock))
		return;
	crew_count(place, RIVAL_LOCK_WAITS, 1);
	pthread_mutex_lock(lock);
}

/* The next number of the place's own sequence. */
uint64_t crew_random(struct crew_place *place);

#endif
