/* SPDX-License-Identifier: MIT */
/* counters.h — what a worker counts about itself; one writer, any reader */
#ifndef SKUAI_SCHED_COUNTERS_H
#define SKUAI_SCHED_COUNTERS_H

#include "base/atomic.h"

#include <skua/pool.h>

#include <stdio.h>

struct skuai_counters {
#define SKUAI_COUNTER_FIELD(name, what) _Atomic uint64_t name;
	SKUA_COUNTERS(SKUAI_COUNTER_FIELD)
#undef SKUAI_COUNTER_FIELD
};

/* Only whoever is the worker right now calls it: a load and a store, no read-modify-write. */
static inline void skuai_count(_Atomic uint64_t *counter, uint64_t more)
{
	uint64_t now = skua_load(counter, relaxed); /* order counters.add.1: our own store */

	skua_store(counter, now + more,
		   relaxed); /* order counters.add.2: a number, read whenever */
}

/* Add them to stats. */
void skuai_counters_add(const struct skuai_counters *counters, struct skua_stats *stats);

#define SKUAI_COUNTERS_SHOWN 8 /* workers with a column of their own; more would not fit a screen */

/* The table that SKUA_STATS=1 asks for: the sum over `count` workers, and the first few. */
void skuai_counters_print(FILE *file, const char *name, const struct skua_stats *all,
			  const struct skua_stats *each, unsigned count);

#endif
