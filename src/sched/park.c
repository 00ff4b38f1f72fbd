/* SPDX-License-Identifier: MIT */
/* park.c — one parking spot: its thread sleeps there until somebody leaves a token */
#include "sched/park.h"

#include "base/atomic.h"
#include "os/wait.h"

enum {
	PARK_EMPTY = 0,
	PARK_TOKENS = SKUAI_PARK_NEWS | SKUAI_PARK_CALL,
	PARK_ASLEEP = 4,
};

unsigned skuai_park(struct skuai_park *park, int64_t deadline)
{
	uint32_t seen = PARK_EMPTY;

	/* order park.sleep.1: relaxed, whether or not there is a token already .3 reads it */
	if (skua_cas(&park->word, &seen, PARK_ASLEEP, relaxed, relaxed)) {
		do {
			if (skuai_wait(&park->word, PARK_ASLEEP, deadline) == SKUAI_WAIT_TIMED_OUT)
				break;
			/* order park.sleep.2: relaxed, .3 reads it again */
		} while (skua_load(&park->word, relaxed) == PARK_ASLEEP);
	}
	/* order park.sleep.3: acquire, pairs park.wake.1; what the waker did before is visible */
	return skua_exchange(&park->word, PARK_EMPTY, acquire) & PARK_TOKENS;
}

static bool park_leave(struct skuai_park *park, uint32_t token)
{
	/* order park.wake.1: release, pairs park.sleep.3 */
	bool slept = skua_or(&park->word, token, release) == PARK_ASLEEP;

	if (slept)
		skuai_wake(&park->word, 1);
	return slept;
}

bool skuai_unpark(struct skuai_park *park)
{
	return park_leave(park, SKUAI_PARK_NEWS);
}

bool skuai_unpark_call(struct skuai_park *park)
{
	return park_leave(park, SKUAI_PARK_CALL);
}

bool skuai_park_is_asleep(struct skuai_park *park)
{
	return skua_load(&park->word, relaxed) ==
	       PARK_ASLEEP; /* order park.look.1: relaxed, news */
}
