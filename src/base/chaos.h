/* SPDX-License-Identifier: MIT */
/* chaos.h — the chaos back end of atomic.h: seeded random yields and delays */
#ifndef SKUAI_BASE_CHAOS_H
#define SKUAI_BASE_CHAOS_H

#include <stdint.h>

/*
 * Before each atomic access the thread may lose its turn: mostly not, sometimes it spins a little
 * or yields, rarely it sleeps long enough for the others to run far ahead.  Races that need a
 * thread to stand still at a bad moment become likely.  Each thread draws from its own sequence,
 * made from the seed and the order in which threads first came here; the operating system still
 * schedules, so a seed makes a failure likely again, not certain.
 */
#ifdef SKUA_ATOMICS_CHAOS
void skuai_chaos_point(void);

/*
 * Start all sequences from here; other threads that already drew keep theirs.  Without a call:
 * SKUA_CHAOS_SEED of the environment, else 1.
 */
void skuai_chaos_seed(uint64_t seed);

/* How often any thread yielded or slept here. */
uint64_t skuai_chaos_count(void);
#endif

#endif
