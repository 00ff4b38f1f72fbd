/* SPDX-License-Identifier: MIT */
/* inject.c — the queue through which other threads hand jobs to a pool */
#include "sched/inject.h"

#include "base/atomic.h"
#include "trace/probes.h"

/*
 * Several shards, so that submitters do not meet.  In each, jobs are pushed on `newest`, a stack
 * linked through the jobs themselves: no memory is needed and a push cannot fail.  A worker takes
 * the whole stack with one exchange and turns it round into `oldest`, which is a queue again; it
 * then serves from there until it is empty.  Only that side has a lock, and nobody waits for it:
 * who finds it held goes on to the next shard.
 *
 * The race to fear in a lock-free stack is a pop that meets its node again (ABA).  Nobody pops:
 * the stack is only ever taken whole.
 */

bool skuai_inject_put(struct skuai_inject *inject, unsigned shard, struct skua_job *first,
		      struct skua_job *last)
{
	struct skuai_inject_shard *s = &inject->shards[shard % SKUAI_INJECT_SHARDS];
	struct skua_job *newest = skua_load(&s->newest,
					    relaxed); /* order inject.put.1: .2 decides */

	SKUAI_PROBE2(inject, shard, first);
	do
		last->next = newest;
	/* order inject.put.2: release, pairs inject.take.1; the jobs and their links */
	while (!skua_cas_weak(&s->newest, &newest, first, release, relaxed));
	return newest;
}

/*
 * Each job is a cache miss that tells where the next one is.  But jobs that one thread makes one
 * after the other mostly lie in a row, so we guess the fourth from here.  A wrong guess reads a
 * line in vain; a prefetch never faults.
 */
static void fetch_ahead(const struct skua_job *job, const struct skua_job *older)
{
	uintptr_t at = (uintptr_t)older, step = at - (uintptr_t)job;

	/* NOLINTNEXTLINE(performance-no-int-to-ptr): nobody looks at what is there */
	__builtin_prefetch((const void *)(at + 4 * step), 1);
}

/* The stack of a shard, turned round: oldest first. */
static struct skua_job *inject_turn(struct skuai_inject_shard *s)
{
	/* order inject.take.1: acquire, pairs inject.put.2 */
	struct skua_job *job = skua_exchange(&s->newest, NULL, acquire);
	struct skua_job *oldest = NULL;

	while (job) {
		struct skua_job *older = job->next;
		fetch_ahead(job, older);
		job->next = oldest;
		oldest = job;
		job = older;
	}
	return oldest;
}

static bool shard_has_any(struct skuai_inject_shard *s)
{
	/* order inject.look.1: relaxed, a hint; who must not miss one fences before */
	return skua_load(&s->oldest, relaxed) ||
	       skua_load(&s->newest, relaxed); /* order inject.look.2: likewise */
}

static unsigned shard_take(struct skuai_inject_shard *s, struct skua_job **jobs, unsigned most)
{
	unsigned count = 0;

	if (!shard_has_any(s) || !skuai_lock_try(&s->lock))
		return 0;
	struct skua_job *job = skua_load(&s->oldest, relaxed); /* order inject.take.2: the lock's */
	if (!job)
		job = inject_turn(s);
	while (job && count < most) {
		jobs[count++] = job;
		job = job->next;
	}
	skua_store(&s->oldest, job,
		   relaxed); /* order inject.take.3: relaxed, ordered by the lock */
	skuai_lock_give(&s->lock);
	return count;
}

unsigned skuai_inject_take(struct skuai_inject *inject, unsigned shard, struct skua_job **jobs,
			   unsigned most)
{
	for (unsigned i = 0; i < SKUAI_INJECT_SHARDS; i++) {
		unsigned count = shard_take(&inject->shards[(shard + i) % SKUAI_INJECT_SHARDS],
					    jobs, most);
		if (count)
			return count;
	}
	return 0;
}

bool skuai_inject_has_any(struct skuai_inject *inject)
{
	for (unsigned i = 0; i < SKUAI_INJECT_SHARDS; i++)
		if (shard_has_any(&inject->shards[i]))
			return true;
	return false;
}
