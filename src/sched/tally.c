/* SPDX-License-Identifier: MIT */
/* tally.c — how many tasks of a group are not done, and the event when there are none */
#include "sched/tally.h"

#include "base/atomic.h"
#include "os/wait.h"
#include "sched/outcome.h"

void skuai_tally_leave(_Atomic uint32_t *count, struct skua_job *event, bool has_limit)
{
	uint32_t seen = 0, left;

	if (!has_limit) {
		/* order tally.leave.1: acq_rel, pairs itself, tally.leave.3; the last one hands on
		 * what all of them did */
		left = skua_sub(count, 1, acq_rel) - 1;
	} else {
		seen = skua_load(count, relaxed); /* order tally.leave.2: .3 decides */
		do
			left = (seen & ~SKUAI_TALLY_ROOM_WAITS) - 1;
		/* order tally.leave.3: acq_rel, pairs itself, tally.leave.1 */
		while (!skua_cas_weak(count, &seen, left, acq_rel, relaxed));
	}
	if (left == 0)
		skuai_outcome_end(event, SKUAI_JOB_DONE);
	else if (seen & SKUAI_TALLY_ROOM_WAITS)
		skuai_wake(count, SKUAI_WAKE_ALL); /* only its address: it may be gone */
}

bool skuai_tally_hold(_Atomic uint32_t *count)
{
	uint32_t seen = skua_load(count, relaxed); /* order tally.hold.1: .2 decides */

	while (seen & ~SKUAI_TALLY_ROOM_WAITS)
		/* order tally.hold.2: relaxed, a count */
		if (skua_cas_weak(count, &seen, seen + 1, relaxed, relaxed))
			return true;
	return false;
}

void skuai_tally_sleep(_Atomic uint32_t *count, uint32_t most, int64_t deadline)
{
	uint32_t seen = skua_load(count, relaxed); /* order tally.sleep.1: .2 decides */
	uint32_t waited = seen | SKUAI_TALLY_ROOM_WAITS;

	if ((seen & ~SKUAI_TALLY_ROOM_WAITS) <= most)
		return;
	/* order tally.sleep.2: relaxed, the count is read again after the sleep */
	if (seen == waited || skua_cas(count, &seen, waited, relaxed, relaxed))
		skuai_wait(count, waited, deadline);
}
