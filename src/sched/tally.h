/* SPDX-License-Identifier: MIT */
/* tally.h — how many tasks of a group are not done, and the event when there are none */
#ifndef SKUAI_SCHED_TALLY_H
#define SKUAI_SCHED_TALLY_H

#include <skua/job.h>

/*
 * The count has one more while the group is open for tasks: a wait takes that one away, so whoever
 * comes to 0 is the last, ends the event, and never touches the group again.
 *
 *	open          count = 1, event QUEUED
 *	go            +1
 *	task done     -1, the last ends the event
 *	wait          -1, likewise; sleeps until the event has ended
 *	wait given up +1, unless it is 0
 *
 * The race to fear: the waiter returns, and the group's memory is gone, while the last task still
 * has to wake it.  outcome.c is made for that.  Red without: model_tally last_one.
 */
#define SKUAI_TALLY_ROOM_WAITS ((uint32_t)1 << 31) /* in the count: somebody waits for less */

/* One of those that are counted is no more.  has_limit: somebody may wait for room. */
void skuai_tally_leave(_Atomic uint32_t *count, struct skua_job *event, bool has_limit);

/* Hold it open again, as if nobody had waited.  False: it is over, or will be in a moment. */
bool skuai_tally_hold(_Atomic uint32_t *count);

/* Sleep until there is room for another, or the deadline. */
void skuai_tally_sleep(_Atomic uint32_t *count, uint32_t most, int64_t deadline);

#endif
