/* SPDX-License-Identifier: MIT */
/* mpmc_ring.h — a ring of cells without locks, for many producers and many consumers */
#ifndef SKUA_RIVALS_MPMC_RING_H
#define SKUA_RIVALS_MPMC_RING_H

#include "rival.h"

#include "base/atomic.h"

/*
 * After Dmitry Vyukov's bounded MPMC queue (1024cores.net).  Two counters go up for ever: `tail`,
 * the number of the next job to come in, and `head`, of the next to go out.  Number n lives in cell
 * n modulo MPMC_CELLS, and the cell's `turn` says what may happen to it:
 *
 *	turn == n               free, for number n to be put in    moved by who wins tail n -> n + 1
 *	turn == n + 1           number n is in it, to be taken     moved by who wins head n -> n + 1
 *	turn == n + MPMC_CELLS  free again, for number n + MPMC_CELLS
 *
 * Who has won a counter by CAS has the cell to itself, and passes it on by a release of turn.  A
 * turn that lags behind means full to a producer, empty to a consumer.  Between winning and passing
 * on a thread can be stopped, and then those behind it see an empty ring; they lose time, no job.
 *
 * Who finds nothing may sleep, if it says so first:
 *
 *	producer: put a job; FENCE; read the number of sleepers; wake one if there is any
 *	consumer: raise the number of sleepers; FENCE; look once more; sleep
 *
 * Of the two fences one is first; the other side's look behind its own sees the write before it.
 *
 * tests/model/model_mpmc_ring.c goes through all of it, with two cells.
 */

#ifndef MPMC_CELLS
#define MPMC_CELLS 8192 /* 256 KiB, so that it stays in a second-level cache; else arbitrary */
#endif
#define MPMC_LINE 128 /* two cache lines: processors fetch them in pairs */

struct mpmc_cell {
	_Alignas(32) _Atomic uint64_t turn;
	struct rival_job job; /* of who has won the cell */
};

struct mpmc_ring {
	struct mpmc_cell *cells;
	/* line: consumers */
	_Alignas(MPMC_LINE) _Atomic uint64_t head;
	/* line: producers */
	_Alignas(MPMC_LINE) _Atomic uint64_t tail;
};

/* A cell that was won, and the number it was won for. */
struct mpmc_won {
	struct mpmc_cell *cell; /* NULL: full, or empty */
	uint64_t number;
	uint64_t failures; /* compare-and-swaps that another thread won */
};

/*
 * Win the next number of a counter.  `ahead` is by how much turn is ahead of it when the cell is
 * ready: 0 for producers, 1 for consumers.
 */
static inline struct mpmc_won mpmc_win(struct mpmc_ring *ring, _Atomic uint64_t *counter,
				       uint64_t ahead)
{
	struct mpmc_won won = { .cell = NULL };
	uint64_t n = skua_load(counter, relaxed); /* order mpmc_ring.win.1: relaxed, .3 checks */

	for (;;) {
		struct mpmc_cell *cell = &ring->cells[n % MPMC_CELLS];
		/* order mpmc_ring.win.2: acquire, pairs mpmc_ring.pass.1; the cell is ours then,
		 * with the job in it, or with the last one taken out */
		uint64_t turn = skua_load(&cell->turn, acquire);
		int64_t early = (int64_t)(turn - (n + ahead));
		if (early < 0)
			return won;
		if (early > 0) { /* somebody has had this number meanwhile */
			n = skua_load(counter, relaxed); /* order mpmc_ring.win.4: as .1 */
			continue;
		}
		/* order mpmc_ring.win.3: relaxed, only who may; the data go by turn */
		if (skua_cas(counter, &n, n + 1, relaxed, relaxed)) {
			won.cell = cell;
			won.number = n;
			return won;
		}
		won.failures++;
	}
}

/* A cell for a job to be put in; then mpmc_put. */
static inline struct mpmc_won mpmc_win_free(struct mpmc_ring *ring)
{
	return mpmc_win(ring, &ring->tail, 0);
}

/* A cell with a job to be taken out; then mpmc_taken. */
static inline struct mpmc_won mpmc_win_full(struct mpmc_ring *ring)
{
	return mpmc_win(ring, &ring->head, 1);
}

static inline void mpmc_pass(struct mpmc_cell *cell, uint64_t turn)
{
	/* order mpmc_ring.pass.1: release, pairs mpmc_ring.win.2 */
	skua_store(&cell->turn, turn, release);
}

/* The job is in the cell. */
static inline void mpmc_put(const struct mpmc_won *won)
{
	mpmc_pass(won->cell, won->number + 1);
}

/* The job is no longer needed there. */
static inline void mpmc_taken(const struct mpmc_won *won)
{
	mpmc_pass(won->cell, won->number + MPMC_CELLS);
}

/* Before any other thread knows of the ring. */
static inline void mpmc_begin(struct mpmc_ring *ring)
{
	for (uint64_t i = 0; i < MPMC_CELLS; i++)
		mpmc_pass(&ring->cells[i], i);
}

/* After a job was put in: does anybody sleep? */
static inline bool mpmc_has_sleeper(_Atomic uint32_t *sleepers)
{
	/* order mpmc_ring.sleeper.1: fence seq_cst, pairs mpmc_ring.sleep.1; told above */
	skua_fence(sleepers, seq_cst);
	/* order mpmc_ring.sleeper.2: relaxed, ordered by .1 */
	return skua_load(sleepers, relaxed);
}

/* After the number of sleepers was raised, before the last look for a job. */
static inline void mpmc_about_to_sleep(_Atomic uint32_t *sleepers)
{
	/* order mpmc_ring.sleep.1: fence seq_cst, pairs mpmc_ring.sleeper.1; told above */
	skua_fence(sleepers, seq_cst);
}

#endif
