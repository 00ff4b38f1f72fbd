/* SPDX-License-Identifier: MIT */
/* wake.c — whom to wake when there is work, and how a sleeper is listed */
#include "base/atomic.h"
#include "os/clock.h"
#include "os/relax.h"
#include "sched/tracing.h"

/*
 * The rules R1 and R5 of README.md beside this file, over the words of idle.c: who clears a
 * sleeper's bit owes it a CALL, and that is paid here.
 */

#define GLANCES 16 /* some 300 ns */
#define BEHIND	8  /* jobs in a row that found others waiting: who spins has taken them by then */

/* Jobs that this thread injected, one after the other, while the one before was still there. */
static _Thread_local unsigned behind_others;

struct skuai_park *skuai_spot(struct skuai_worker *worker)
{
	return worker->sleeper == worker->number ? &worker->park : &worker->guest_park;
}

/* Wake a sleeper that we have undertaken to wake. */
static void wake_call(struct skua_pool *pool, unsigned claimed, bool is_at_work)
{
	bool is_guest = claimed >= pool->count;
	struct skuai_worker *sleeper = &pool->workers[claimed - (is_guest ? pool->count : 0)];

	/* order wake.call.1: relaxed, carried by the token; it learns what waking costs */
	skua_store(&sleeper->woken_ns, skuai_clock_ns(), relaxed);
	if (is_at_work && !is_guest)
		skuai_call_apart(sleeper);
	skuai_unpark_call(is_guest ? &sleeper->guest_park : &sleeper->park);
}

bool skuai_wake_one(struct skua_pool *pool, struct skuai_worker *self)
{
	/* The next after us: those that sleep are woken in turn, ourselves last. */
	int claimed = skuai_idle_claim(&pool->idle, self ? self->sleeper + 1 : 0);

	if (claimed < 0)
		return false;
	wake_call(pool, (unsigned)claimed, self != NULL);
	if (self) {
		skuai_count(&self->counters.wakes, 1);
		skuai_trace_more(self, SKUAI_TRACE_WAKE, 0, (unsigned)claimed % pool->count, 0);
	}
	return true;
}

void skuai_wake_free_one(struct skua_pool *pool)
{
	for (unsigned i = 0; i < pool->count; i++)
		/* order wake.free.1: relaxed, a hint; woken in vain it looks around and sleeps */
		if (skua_load(&pool->workers[i].is_at_top, relaxed) &&
		    skuai_idle_claim_number(&pool->idle, i)) {
			wake_call(pool, i, false);
			return;
		}
}

void skuai_wake_chosen(struct skua_pool *pool, uint64_t workers)
{
	bool is_any_up = false;

	/* Its fence; whoever searches may not be one of them, and is no reason to wake none.  All
	 * that sleep are called: the first may find something else before. */
	(void)skuai_idle_needs_wake(&pool->idle, true);
	for (unsigned i = 0; i < pool->count && i < 64; i++) {
		if (!(workers >> i & 1))
			continue;
		is_any_up |= !skuai_width_is_dormant(&pool->width, i);
		if (skuai_idle_claim_number(&pool->idle, i))
			wake_call(pool, i, false);
		if (skuai_idle_claim_number(&pool->idle, pool->count + i)) /* a guest of its */
			wake_call(pool, pool->count + i, false);
	}
	for (unsigned i = 0; !is_any_up && i < pool->count && i < 64; i++)
		if (workers >> i & 1 && skuai_width_keep(&pool->width, i)) {
			skuai_list_asleep(pool, i);
			if (skuai_idle_claim_number(&pool->idle, i))
				wake_call(pool, i, false);
			return;
		}
}

void skuai_list_asleep(struct skua_pool *pool, unsigned number)
{
	/* order wake.list.1: relaxed, carried by the bit of idle.sleep.1 */
	skua_store(&pool->workers[number].is_at_top, true, relaxed);
	skuai_idle_sleep(&pool->idle, number, false);
}

void skuai_notify(struct skua_pool *pool, struct skuai_worker *self, bool is_urgent)
{
	if (self && pool->count == 1)
		return; /* we are all there is, and we are up */
	if (skuai_idle_needs_wake(&pool->idle, is_urgent))
		skuai_wake_one(pool, self);
}

static bool has_injected(struct skua_pool *pool)
{
	for (unsigned rank = 0; rank < SKUAI_CLASSES; rank++)
		if (skuai_inject_has_any(&pool->inject[rank]))
			return true;
	return false;
}

void skuai_notify_injected(struct skua_pool *pool, bool is_behind)
{
	behind_others = is_behind ? behind_others + 1 : 0;
	if (!skuai_idle_needs_wake(&pool->idle, true)) {
		/*
		 * One is on its way, and not there yet: then we wake a second ourselves.  Left to
		 * the first, the system would put it on the first one's CPU, to wait behind it,
		 * while ours falls idle when we wait.  Seen as 1.1 in place of 1.5 of two CPUs in
		 * `skua race bursty`.
		 */
		if (behind_others == BEHIND && skuai_idle_searching(&pool->idle) == 1)
			skuai_wake_one(pool, NULL);
		return;
	}
	/* Who is up may be about to look: a worker that has just told us of the job before.  A few
	 * glances cost less than to wake another one, which would then be in its way. */
	bool is_anybody_up = skuai_idle_sleeping(&pool->idle) < skuai_width_active(&pool->width);
	for (unsigned i = 0; is_anybody_up && i < GLANCES; i++) {
		if (!has_injected(pool) || skuai_idle_searching(&pool->idle))
			return; /* taken; or found by whoever searches, who looks once more: R2 */
		skuai_relax();
	}
	skuai_notify(pool, NULL, true);
}
