/* SPDX-License-Identifier: MIT */
/* patience.c — how long a worker searches before it sleeps, and what waking one costs */
#include "base/atomic.h"
#include "os/clock.h"
#include "sched/worker.h"

/*
 * Searching costs CPU that others could use, sleeping costs a wake: so the search lasts twice as
 * long as a wake took lately.  Who waits for somebody that is at work, or has just helped with a
 * loop, has more to lose than that (docs/design/pool.md).
 *
 * Unmodelled: numbers, none of which decides whether work is found.
 */
#define SPIN_LEAST_NS 5000
#define SPIN_MOST_NS  50000

int64_t skuai_patience_ns(struct skuai_worker *self, const struct skuai_until *until)
{
	struct skua_pool *pool = self->pool;
	int64_t asked_for = pool->options.spin_ns;

	if (asked_for)
		return asked_for < 0 ? 0 : asked_for;
	bool is_crowded = skuai_is_crowded(pool);
	/* order patience.spin.2: relaxed, a hint */
	if ((is_crowded && !until->child) || skua_load(&pool->is_throttled, relaxed))
		return 0;
	/* Somebody is at what we wait for, and has a processor; or the next loop follows, and the
	 * nap that we would take, since nobody calls us before its end, is as long. */
	if (!is_crowded && (until->child || self->was_loop))
		return SPIN_MOST_NS;
	/* order patience.spin.1: relaxed, a number */
	int64_t twice = 2 * skua_load(&pool->wake_cost_ns, relaxed);
	return twice < SPIN_LEAST_NS ? SPIN_LEAST_NS : twice > SPIN_MOST_NS ? SPIN_MOST_NS : twice;
}

bool skuai_is_patient(struct skuai_worker *self, int64_t budget, int64_t searched)
{
	/* A program may wish for a long search; but who closes the pool waits until all sleep.
	 * order patience.close.1: relaxed, looked at again and again */
	return searched < budget &&
	       (searched < SPIN_MOST_NS ||
		!(skua_load(&self->pool->visitors, relaxed) & SKUAI_POOL_CLOSING));
}

void skuai_learn_wake(struct skuai_worker *self)
{
	/* order patience.learn.1: relaxed, carried by the token */
	int64_t called = skua_exchange(&self->woken_ns, 0, relaxed);

	if (!called)
		return;
	int64_t took = skuai_clock_ns() - called, cost = took < SPIN_MOST_NS ? took : SPIN_MOST_NS;
	/* order patience.learn.2: relaxed, an estimate; a lost update does not matter */
	int64_t before = skua_load(&self->pool->wake_cost_ns, relaxed);
	/* order patience.learn.3: relaxed, likewise */
	skua_store(&self->pool->wake_cost_ns, before ? before + (cost - before) / 8 : cost,
		   relaxed);
}
