/* SPDX-License-Identifier: MIT */
/* running.h — a loop while it runs: what may stop it, and whether somebody wants a part */
#ifndef SKUAI_PAR_RUNNING_H
#define SKUAI_PAR_RUNNING_H

#include "base/atomic.h"
#include "os/clock.h"
#include "par/habit.h"
#include "par/split.h"

#include <skua/detail/slot.h>
#include <skua/error.h>

struct skuai_run {
	const struct skuai_work *work;
	uint64_t grain;
	int64_t deadline;
	struct skua_group *group;
	struct skuai_habit *habit; /* how two divide it, if it has no results */
	_Atomic int32_t error;	   /* the first; then no chunk begins, with claims no window */
};

/* Stop with this error, if it is the first. */
static inline void skuai_stop_with(_Atomic int32_t *error, int why)
{
	int32_t none = 0;

	/* order running.stop.1: relaxed, a code; the joins carry what else there is to see */
	skua_cas(error, &none, why, relaxed, relaxed);
}

/* Is there an error, or reason for one? */
static inline bool skuai_must_stop(int64_t deadline, struct skua_group *group,
				   _Atomic int32_t *error)
{
	if (deadline != SKUAI_NO_DEADLINE && skuai_deadline_is_past(deadline))
		skuai_stop_with(error, SKUA_ETIMEDOUT);
	else if (group && skua_group_is_cancelled(group))
		skuai_stop_with(error, SKUA_ECANCELED);
	/* order running.stop.2: relaxed, a code: seen a chunk later it is as good */
	return skua_load(error, relaxed) != 0;
}

static inline void skuai_run_stop(struct skuai_run *run, int error)
{
	skuai_stop_with(&run->error, error);
}

static inline bool skuai_run_must_stop(struct skuai_run *run)
{
	return skuai_must_stop(run->deadline, run->group, &run->error);
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
