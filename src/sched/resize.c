/* SPDX-License-Identifier: MIT */
/* resize.c — more workers or fewer: asked for, while tasks block, or as the machine allows */
#include "base/atomic.h"
#include "os/clock.h"
#include "os/quota.h"
#include "sched/post.h"
#include "sched/tracing.h"

#include <skua/error.h>
#include <skua/machine.h>

/* A change is noticed within five seconds; reading costs some 100 us. */
#define FOLLOW_NS ((int64_t)2000000000)

/*
 * Where tasks block now and then, they will again: so spares that came up stay up for a while, at
 * most as many again as should be.  Else every task that blocks would wake one, and its core would
 * idle until that is up.  Not where there are more CPUs than workers: it would use them all.
 */
#define LINGER_NS 10000000

void skuai_activate(struct skua_pool *pool, struct skuai_worker *self)
{
	int number;

	while ((number = skuai_width_activate(&pool->width)) >= 0) {
		skuai_list_asleep(pool, (unsigned)number); /* the next wake may be for it */
		skuai_notify(pool, self, true);
	}
}

int skua_pool_resize(struct skua_pool *pool, int workers)
{
	struct skuai_worker *self;
	int error = skuai_pool_accept(&pool, &self);

	if (error)
		return error;
	if (workers < 1 || (unsigned)workers > pool->count) {
		error = SKUA_EINVAL;
	} else {
		skuai_width_want(&pool->width, (unsigned)workers);
		skuai_activate(pool, self);
	}
	skuai_pool_thanks(pool, self);
	return error;
}

bool skuai_is_surplus(struct skua_pool *pool)
{
	unsigned surplus = skuai_width_surplus(&pool->width);

	if (!surplus)
		return false;
	/* order resize.cpus.3: relaxed, a number */
	unsigned cpus = skua_load(&pool->cpus, relaxed), wanted = skuai_width_wanted(&pool->width);
	/* order resize.linger.1: relaxed, a time */
	return wanted < cpus || surplus > wanted ||
	       skuai_clock_ns() >= skua_load(&pool->linger_ns, relaxed);
}

/* The task of `self` blocks, or no more.  Where there are no spares that is only told. */
static void set_blocking(struct skuai_worker *self, bool is_blocking)
{
	/* order resize.watch.1: relaxed, news for the monitor */
	skua_store(&self->is_blocking, is_blocking, relaxed);
	skuai_trace(self, is_blocking ? SKUAI_TRACE_BLOCK_BEGIN : SKUAI_TRACE_BLOCK_END, 0);
	if (self->pool->count == self->pool->regular)
		return;
	if (is_blocking)
		skuai_width_block(&self->pool->width);
	else
		skuai_width_unblock(&self->pool->width);
}

void skua_blocking_begin(void)
{
	struct skuai_worker *self = skuai_self;

	if (!self || self->blocked++ > 0)
		return;
	set_blocking(self, true);
	if (self->pool->count == self->pool->regular)
		return;
	/* order resize.linger.2: relaxed, a time */
	skua_store(&self->pool->linger_ns, skuai_deadline_after(LINGER_NS), relaxed);
	skuai_activate(self->pool, self);
}

void skua_blocking_end(void)
{
	struct skuai_worker *self = skuai_self;

	if (self && self->blocked > 0 && --self->blocked == 0)
		set_blocking(self, false);
}

void skuai_blocking_restore(struct skuai_worker *self, unsigned before)
{
	if (self->blocked > before && before == 0)
		set_blocking(self, false);
	else if (self->blocked == 0 && before > 0) /* it ended one that was not its own */
		set_blocking(self, true);
	self->blocked = before;
}

/* Was it used up since the last look?  The first look only notes how often it ever was. */
static void follow_quota(struct skua_pool *pool, const struct skua_machine *machine)
{
	uint64_t stops = 0;
	bool is_told = machine->quota_us &&
		       skuai_quota_stops(pool->options.machine_root, machine->quota_file, &stops);
	uint64_t now = is_told ? stops + 1 : 0;
	/* order resize.throttled.1: relaxed, a number of who looked last */
	uint64_t before = skua_exchange(&pool->stops, now, relaxed);

	/* order resize.throttled.2: relaxed, a hint */
	skua_store(&pool->is_throttled, before && now > before, relaxed);
}

void skuai_follow(struct skuai_worker *self, int64_t now)
{
	struct skua_pool *pool = self->pool;
	/* order resize.follow.1: relaxed, a time; .2 decides who looks */
	int64_t when = skua_load(&pool->follow_ns, relaxed);

	/* order resize.follow.2: relaxed, only one of several looks */
	if (!pool->is_following || now < when ||
	    !skua_cas(&pool->follow_ns, &when, now + FOLLOW_NS, relaxed, relaxed))
		return;
	struct skua_machine machine = { .size = sizeof(machine) };
	struct skua_machine_options where = { .size = sizeof(where),
					      .root = pool->options.machine_root };
	if (skua_machine_read(&machine, &where))
		return; /* as it was */
	/* order resize.follow.3: relaxed, a number */
	skua_store(&pool->cpus, machine.cpus_allowed, relaxed);
	follow_quota(pool, &machine);
	unsigned workers = machine.workers < pool->count ? machine.workers : pool->count;
	/* order resize.follow.4: relaxed, one at a time by .2; what was asked for since stays */
	if (skua_exchange(&pool->followed, workers, relaxed) == workers)
		return;
	skuai_width_want(&pool->width, workers);
	skuai_activate(pool, self);
}

bool skuai_is_oversubscribed(struct skua_pool *pool)
{
	/* order resize.cpus.1: relaxed, a number */
	return skuai_width_wanted(&pool->width) > skua_load(&pool->cpus, relaxed);
}

bool skuai_is_crowded(struct skua_pool *pool)
{
	/* order resize.cpus.2: relaxed, a number */
	unsigned cpus = skua_load(&pool->cpus, relaxed);

	return cpus < 2 ||
	       skuai_width_active(&pool->width) - skuai_idle_sleeping(&pool->idle) > cpus;
}
