/* SPDX-License-Identifier: MIT */
/* static_split.c — a rival: jobs are dealt in turn when submitted, and stay where they are */
#include "inbox.h"

/*
 * Each worker has a queue, and nobody takes from another's.  Whoever submits deals: its first job
 * to one worker, its next to the next, round and round.  Each deals from a cursor of its own, which
 * begins at itself, so that dealing shares nothing; all threads from outside have one together.
 *
 * What it costs: nothing is ever mended.  Where jobs are uneven some workers have much left when
 * others have nothing.  Where they are even it is hard to beat.
 */
static void submit(struct rival_pool *pool, int from, struct rival_job job)
{
	struct crew_place *place = crew_place(pool, from);
	uint64_t first = from < 0 ? 0 : (uint64_t)from;
	uint64_t turn = first + crew_bump(place, &place->dealt, 1);

	inbox_give((struct inbox_pool *)pool, (unsigned)(turn % pool->workers), place, job);
}

const struct rival rival_static_split = {
	.name = "static_split",
	.role = "dealt in turn at submission, never moved",
	.counted = RIVAL_COUNTED_BY_ALL | RIVAL_COUNTED(LOCK_WAITS),
	.open = inbox_open,
	.submit = submit,
	.wait = crew_wait,
	.stats = crew_stats,
	.close = inbox_close,
};
