/* SPDX-License-Identifier: MIT */
/* running.h — a loop while it runs: what may stop it, and whether somebody wants a part */
#ifndef SKUAI_PAR_RUNNING_H
#define SKUAI_PAR_RUNNING_H

#include "base/atomic.h"
#include "os/clock.h"
#include "par/split.h"

#include <skua/detail/slot.h>
#include <skua/error.h>

struct skuai_run {
	const struct skuai_work *work;
	uint64_t grain;
	int64_t deadline;
	struct skua_group *group;
	_Atomic int32_t error; /* the first; then no chunk begins */
};

static inline void skuai_run_stop(struct skuai_run *run, int error)
{
	int32_t none = 0;

	/* order running.stop.1: relaxed, a code; the joins carry what else there is to see */
	skua_cas(&run->error, &none, error, relaxed, relaxed);
}

static inline bool skuai_run_must_stop(struct skuai_run *run)
{
	if (run->deadline != SKUAI_NO_DEADLINE && skuai_deadline_is_past(run->deadline))
		skuai_run_stop(run, SKUA_ETIMEDOUT);
	else if (run->group && skua_group_is_cancelled(run->group))
		skuai_run_stop(run, SKUA_ECANCELED);
	/* order running.stop.2: relaxed, a code: seen a chunk later it is as good */
	return skua_load(&run->error, relaxed) != 0;
}

/* The next fork would go the slow way: somebody wants a part. */
static inline bool skuai_is_wanted(const struct skua_slot *here)
{
	/* order running.wanted.1: relaxed, as the look of a fork */
	return skua_load(&here->bounds->limit, relaxed) <= here;
}

/* --- claims.c --- */

/*
 * Work off the indices from lo on, before hi, of a loop that folds nothing, from this place in a
 * pool, with chunks of so many indices at first.  What was done is added to *reach.  How many ticks
 * all who worked on it did; 0: nobody helped.
 */
uint64_t skuai_claims_run(struct skua_slot *here, struct skuai_run *run, uint64_t lo, uint64_t hi,
			  uint64_t chunk, struct skua_reach *reach);

#endif
