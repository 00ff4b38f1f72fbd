/* SPDX-License-Identifier: MIT */
/* work_sharing.c — a rival: whoever has a job pushes it to the worker that has least to do */
#include "inbox.h"

/*
 * Each worker has a queue, and nobody takes from another's.  Whoever submits looks how many jobs
 * each worker has, the running one included, and gives the new one to whoever has fewest; to the
 * first it meets that has none.  The look begins one further each time, so that of equals all get
 * their turn.  The numbers are read without a lock, and may be of a moment ago.
 *
 * What it costs: the producer does the distributing, as many looks a job as there are workers, also
 * when everybody is busy and nothing needs to move.  And it counts jobs, not time: a long one that
 * was queued behind another stays there.
 */
static unsigned least_loaded(struct inbox_pool *inboxes, uint64_t start)
{
	unsigned workers = inboxes->pool.workers, best = 0;
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < workers && least > 0; i++) {
		unsigned worker = (unsigned)((start + i) % workers);
		uint64_t load = inbox_load(inboxes, worker);
		if (load < least) {
			least = load;
			best = worker;
		}
	}
	return best;
}

static void submit(struct rival_pool *pool, int from, struct rival_job job)
{
	struct inbox_pool *inboxes = (struct inbox_pool *)pool;
	struct crew_place *place = crew_place(pool, from);
	uint64_t start = crew_bump(place, &place->dealt, 1);

	inbox_give(inboxes, least_loaded(inboxes, start), place, job);
}

const struct rival rival_work_sharing = {
	.name = "work_sharing",
	.role = "the producer pushes to the least loaded",
	.counted = RIVAL_COUNTED_BY_ALL | RIVAL_COUNTED(LOCK_WAITS),
	.open = inbox_open,
	.submit = submit,
	.wait = crew_wait,
	.stats = crew_stats,
	.close = inbox_close,
};
