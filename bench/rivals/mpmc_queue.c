/* SPDX-License-Identifier: MIT */
/* mpmc_queue.c — a rival: one queue without locks, for many producers and many consumers */
#include "crew.h"

#include <sched.h>
#include <stdlib.h>

/*
 * A ring of cells, after Dmitry Vyukov's bounded MPMC queue (1024cores.net).  Two counters go up
 * for ever: `tail`, the number of the next job to come in, and `head`, of the next to go out.
 * Number n lives in cell n modulo CELLS, and the cell's `turn` says what may happen to it:
 *
 *	turn == n          free, for number n to be put in        moved by who wins tail n -> n + 1
 *	turn == n + 1      number n is in it, to be taken         moved by who wins head n -> n + 1
 *	turn == n + CELLS  free again, for number n + CELLS
 *
 * Who has won a counter by CAS has the cell to itself, and passes it on by a release of turn.  A
 * turn that lags behind means full to a producer, empty to a consumer.  Between winning and passing
 * on a thread can be stopped, and then those behind it see an empty queue; they lose time, no job.
 *
 * Full: the submitter runs the job in place, which is also the back-pressure.
 *
 * Idle: a worker looks again some times, leaving the CPU to others between, then parks.
 *
 *	submit: put; FENCE; read the number of parked; wake one if there is any
 *	worker: onto the list of the parked (under a lock); FENCE; look once more; sleep
 *
 * Of the two fences one is first; the other side's look behind its own sees the write before it.
 *
 * What it costs: no lock, but two counters and a line of cells that all workers write.
 */

#define CELLS	   8192 /* 256 KiB, so that it stays in a second-level cache; else arbitrary */
#define IDLE_LOOKS 16	/* some microseconds; arbitrary */

struct cell {
	_Alignas(32) _Atomic uint64_t turn;
	struct rival_job job; /* of who has won the cell */
};

struct mpmc_queue {
	struct rival_pool pool;
	struct cell *cells;
	/* line: consumers */
	_Alignas(CREW_LINE) _Atomic uint64_t head;
	/* line: producers */
	_Alignas(CREW_LINE) _Atomic uint64_t tail;
	/* line: who parks and who wakes */
	_Alignas(CREW_LINE) pthread_mutex_t lock;
	struct crew_parked parked; /* under the lock */
};

_Static_assert(offsetof(struct mpmc_queue, tail) - offsetof(struct mpmc_queue, head) == CREW_LINE,
	       "a line each");

static struct mpmc_queue *queue_of(struct rival_pool *pool)
{
	return (struct mpmc_queue *)pool;
}

/*
 * Win the next number of a counter.  `ahead` is by how much turn is ahead of it when the cell is
 * ready: 0 for producers, 1 for consumers.  NULL: full, or empty.
 */
static struct cell *win(struct mpmc_queue *queue, _Atomic uint64_t *counter, uint64_t ahead,
			struct crew_place *place, uint64_t *number)
{
	uint64_t n = skua_load(counter, relaxed); /* order mpmc_queue.win.1: relaxed, .3 checks */

	for (;;) {
		struct cell *cell = &queue->cells[n % CELLS];
		/* order mpmc_queue.win.2: acquire, pairs mpmc_queue.pass.1; the cell is ours then,
		 * with the job in it, or with the last one taken out */
		uint64_t turn = skua_load(&cell->turn, acquire);
		int64_t early = (int64_t)(turn - (n + ahead));
		if (early < 0)
			return NULL;
		if (early > 0) { /* somebody has had this number meanwhile */
			n = skua_load(counter, relaxed); /* order mpmc_queue.win.4: as .1 */
			continue;
		}
		/* order mpmc_queue.win.3: relaxed, only who may; the data go by turn */
		if (skua_cas(counter, &n, n + 1, relaxed, relaxed)) {
			*number = n;
			return cell;
		}
		crew_count(place, RIVAL_CAS_FAILURES, 1);
	}
}

static void pass_on(struct cell *cell, uint64_t turn)
{
	/* order mpmc_queue.pass.1: release, pairs mpmc_queue.win.2 */
	skua_store(&cell->turn, turn, release);
}

static bool put(struct mpmc_queue *queue, struct crew_place *place, struct rival_job job)
{
	uint64_t number;
	struct cell *cell = win(queue, &queue->tail, 0, place, &number);

	if (!cell)
		return false;
	cell->job = job;
	pass_on(cell, number + 1);
	return true;
}

static bool take(struct mpmc_queue *queue, struct crew_place *place, struct rival_job *job)
{
	uint64_t number;
	struct cell *cell = win(queue, &queue->head, 1, place, &number);

	if (!cell)
		return false;
	*job = cell->job;
	pass_on(cell, number + CELLS);
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
	/* order mpmc_queue.submit.1: fence seq_cst, pairs mpmc_queue.park.1; told above */
	skua_fence(&queue->parked.count, seq_cst);
	/* order mpmc_queue.submit.2: relaxed, ordered by .1 */
	if (!skua_load(&queue->parked.count, relaxed))
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
	/* order mpmc_queue.park.1: fence seq_cst, pairs mpmc_queue.submit.1; told above */
	skua_fence(&queue->parked.count, seq_cst);
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
	free(queue->cells);
	pthread_mutex_destroy(&queue->lock);
	crew_free(&queue->pool);
}

static struct rival_pool *open_pool(const struct rival *rival, const struct rival_options *options)
{
	struct mpmc_queue *queue = crew_make(sizeof(*queue), rival, options);

	if (!queue)
		return NULL;
	pthread_mutex_init(&queue->lock, NULL);
	queue->cells = crew_lines(CELLS, sizeof(*queue->cells));
	for (uint64_t i = 0; queue->cells && i < CELLS; i++)
		pass_on(&queue->cells[i], i);
	if (queue->cells && crew_start(&queue->pool, next))
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
