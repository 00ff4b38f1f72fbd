/* SPDX-License-Identifier: MIT */
/* idle.c — who searches, who sleeps, and whom to wake */
#include "sched/idle.h"

#include "base/atomic.h"

/*
 * A worker is running, searching or asleep.  README.md beside this file tells the whole protocol;
 * here stand the words it moves:
 *
 *	running -> searching    itself, if few enough search (search)
 *	searching -> running    itself (leave); the last one to leave looks around, and wakes
 *	                        another sleeper if there is or may be more work, because who made
 *	                        it meanwhile saw a searcher and woke nobody
 *	any -> asleep           itself (sleep); then, if nobody searches, it looks at all queues
 *	asleep -> searching     whoever made work (claim)
 *	asleep -> running       itself (rise), or a guest that takes its place (borrow)
 *
 * Each way up is counted, so that an observer can tell that nobody took one meanwhile.
 *
 * The race to fear: work is made visible just after the last look of the last searcher, and its
 * maker looks just before that one says "I sleep".  So both say first and look then, with a full
 * fence between: idle.sleep.3 and idle.needs.1.  Red without either: model_idle no_lost_wake.
 *
 * A bit of `asleep` is the right to wake that worker: whoever clears it owes it a token, and only
 * one can.  The counts follow the bits.  Producers look at `sleepers` first, which changes only as
 * somebody lies down or gets up, and mostly says that nobody sleeps; then at the counts.
 */

#define IDLE_SEARCHING ((uint64_t)1)
#define IDLE_SLEEPING  ((uint64_t)1 << 16)
#define IDLE_RISE      ((uint64_t)1 << 32) /* wraps; only compared over moments */

static unsigned searching_of(uint64_t counts)
{
	return (unsigned)(uint16_t)counts;
}

static unsigned sleeping_of(uint64_t counts)
{
	return (unsigned)(uint16_t)(counts >> 16);
}

static uint64_t bit_of(unsigned number)
{
	return (uint64_t)1 << (number % 64);
}

bool skuai_idle_search(struct skuai_idle *idle, unsigned most)
{
	uint64_t counts = skua_load(&idle->counts, relaxed); /* order idle.search.1: .2 decides */

	do {
		if (searching_of(counts) >= most)
			return false;
		/* order idle.search.2: relaxed, a count */
	} while (!skua_cas_weak(&idle->counts, &counts, counts + IDLE_SEARCHING, relaxed, relaxed));
	return true;
}

bool skuai_idle_leave(struct skuai_idle *idle)
{
	/*
	 * order idle.leave.1: acq_rel
	 * acquire pairs idle.sleep.2: whoever is counted as asleep can be claimed, and is a
	 * sentinel no more if it said so; release pairs idle.sleep.3: nor are we, for the next one
	 * to sleep and whoever makes work then
	 */
	uint64_t counts = skua_sub(&idle->counts, IDLE_SEARCHING, acq_rel);

	if (searching_of(counts) != 1 || sleeping_of(counts) == 0 || skuai_idle_has_sentinel(idle))
		return false;
	/* order idle.leave.2: fence seq_cst, pairs idle.needs.1
	 * shape    leaver: count itself out, FENCE, look || producer: push, FENCE, read count
	 * forbids  the leaver misses the push and the producer still sees a searcher
	 */
	skua_fence(&idle->counts, seq_cst);
	return true;
}

bool skuai_idle_sleep(struct skuai_idle *idle, unsigned self, bool was_searching)
{
	/* order idle.sleep.4: relaxed, before the caller's look by .3 */
	skua_add(&idle->sleepers, 1, relaxed);
	/* order idle.sleep.1: release, pairs idle.claim.2; who takes our place sees
	 * how we left it */
	skua_or(&idle->asleep[self / 64], bit_of(self), release);
	/* order idle.sleep.2: release, pairs idle.leave.1, idle.look.1; the bit, and that we are no
	 * sentinel any more.  Before the caller's look by .3 */
	uint64_t counts = skua_add(&idle->counts,
				   IDLE_SLEEPING - (was_searching ? IDLE_SEARCHING : 0), release);
	/* order idle.sleep.3: fence seq_cst, pairs idle.needs.1, idle.leave.1, pool.close.4
	 * shape    sleeper: count itself, FENCE, look || producer: push, FENCE, read count
	 * forbids  the sleeper misses the push and the producer misses the sleeper: work waits,
	 *          everybody sleeps
	 */
	skua_fence(&idle->counts, seq_cst);
	return searching_of(counts) == (was_searching ? 1u : 0u);
}

/* Clear the bit.  True: it was set, the right to wake (or to be up) is ours. */
static bool idle_take_bit(struct skuai_idle *idle, unsigned number)
{
	uint64_t bit = bit_of(number);

	/* order idle.claim.2: acquire, pairs idle.sleep.1 */
	return skua_and(&idle->asleep[number / 64], ~bit, acquire) & bit;
}

bool skuai_idle_rise(struct skuai_idle *idle, unsigned self)
{
	if (!idle_take_bit(idle, self))
		return false;
	/* order idle.rise.1: relaxed, a count */
	skua_add(&idle->counts, IDLE_RISE - IDLE_SLEEPING, relaxed);
	skua_sub(&idle->sleepers, 1, relaxed); /* order idle.rise.2: relaxed, a count */
	return true;
}

bool skuai_idle_needs_wake(struct skuai_idle *idle, bool is_urgent)
{
	/* order idle.needs.1: fence seq_cst, pairs idle.sleep.3, idle.leave.2 */
	skua_fence(&idle->counts, seq_cst);
	/* order idle.needs.3: relaxed, ordered by .1 */
	if (skua_load(&idle->sleepers, relaxed) == 0)
		return false;
	/* order idle.needs.2: relaxed, ordered by .1 */
	uint64_t counts = skua_load(&idle->counts, relaxed);

	return sleeping_of(counts) > 0 && searching_of(counts) == 0 &&
	       (is_urgent || !skuai_idle_has_sentinel(idle));
}

bool skuai_idle_claim_number(struct skuai_idle *idle, unsigned number)
{
	if (!idle_take_bit(idle, number))
		return false;
	/* order idle.claim.3: relaxed, a count */
	skua_add(&idle->counts, IDLE_RISE - IDLE_SLEEPING + IDLE_SEARCHING, relaxed);
	skua_sub(&idle->sleepers, 1, relaxed); /* order idle.claim.4: relaxed, a count */
	return true;
}

int skuai_idle_claim(struct skuai_idle *idle, unsigned first)
{
	for (unsigned i = 0; i <= SKUAI_IDLE_WORDS; i++) {
		unsigned word = (first / 64 + i) % SKUAI_IDLE_WORDS;
		/* order idle.claim.1: relaxed, .2 decides */
		uint64_t bits = skua_load(&idle->asleep[word], relaxed);
		if (i == 0) /* those before `first` come last */
			bits &= ~(uint64_t)0 << (first % 64);
		for (; bits; bits &= bits - 1) {
			unsigned number = word * 64 + (unsigned)__builtin_ctzll(bits);
			if (skuai_idle_claim_number(idle, number))
				return (int)number;
		}
	}
	return -1;
}

bool skuai_idle_borrow(struct skuai_idle *idle, unsigned number)
{
	return skuai_idle_rise(idle, number);
}

uint64_t skuai_idle_snapshot(struct skuai_idle *idle)
{
	/* order idle.look.4: acquire, as .1; survives because close looks at .1 as well */
	return skua_load(&idle->counts, acquire);
}

unsigned skuai_idle_sleeping(struct skuai_idle *idle)
{
	/* order idle.look.1: acquire, pairs idle.sleep.2; close sees what a sleeper left */
	return sleeping_of(skua_load(&idle->counts, acquire));
}

unsigned skuai_idle_searching(struct skuai_idle *idle)
{
	return searching_of(skua_load(&idle->counts, relaxed)); /* order idle.look.2: a hint */
}

bool skuai_idle_is_asleep(struct skuai_idle *idle, unsigned number)
{
	/* order idle.look.3: relaxed, a hint */
	return skua_load(&idle->asleep[number / 64], relaxed) & bit_of(number);
}

/* --- the sentinel --- */

bool skuai_idle_sentinel_take(struct skuai_idle *idle, unsigned self)
{
	uint32_t nobody = 0;

	/* order idle.sentinel.1: relaxed, a role, no data */
	return skua_cas(&idle->sentinel, &nobody, self + 1, relaxed, relaxed);
}

bool skuai_idle_sentinel_leave(struct skuai_idle *idle, unsigned self)
{
	uint32_t mine = self + 1;

	/* order idle.sentinel.2: relaxed, before the look that follows by idle.sleep.3 */
	return skua_cas(&idle->sentinel, &mine, 0, relaxed, relaxed);
}

bool skuai_idle_has_sentinel(struct skuai_idle *idle)
{
	/* order idle.sentinel.3: relaxed, after the push by idle.needs.1 */
	return skua_load(&idle->sentinel, relaxed) != 0;
}

bool skuai_idle_is_sentinel(struct skuai_idle *idle, unsigned number)
{
	/* order idle.sentinel.4: relaxed, a hint */
	return skua_load(&idle->sentinel, relaxed) == number + 1;
}
