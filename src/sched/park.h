/* SPDX-License-Identifier: MIT */
/* park.h — one parking spot: its thread sleeps there until somebody leaves a token */
#ifndef SKUAI_SCHED_PARK_H
#define SKUAI_SCHED_PARK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * EMPTY -> ASLEEP by the one thread that parks here; a token is added by anybody; EMPTY again by
 * the thread when it goes on.  A token left before the thread parks is found by it, so nothing is
 * lost; two of a kind are one.
 *
 * There are two kinds.  NEWS: something may have changed, look again; it may be old and meant for
 * something the thread has already seen.  CALL: the right to wake this sleeper was taken
 * (skuai_idle_claim), and this is the wake that was owed for it.  Exactly one CALL comes for each
 * such right, and the sleeper does not go on without it: who has only NEWS must first get back the
 * right to be up (skuai_idle_rise).
 */
enum {
	SKUAI_PARK_NEWS = 1,
	SKUAI_PARK_CALL = 2,
};

struct skuai_park {
	_Atomic uint32_t word; /* 0: EMPTY */
};

/* Sleep until there is a token, and take what is there: a sum of the above; 0: too late. */
unsigned skuai_park(struct skuai_park *park, int64_t deadline);

/* Leave a token, and wake the thread if it sleeps.  True: it slept. */
bool skuai_unpark(struct skuai_park *park);	 /* NEWS */
bool skuai_unpark_call(struct skuai_park *park); /* CALL */

/* Does somebody sleep there?  A moment ago. */
bool skuai_park_is_asleep(struct skuai_park *park);

#endif
