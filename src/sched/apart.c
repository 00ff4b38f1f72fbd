/* SPDX-License-Identifier: MIT */
/* apart.c — workers that help each other do not share a CPU while another one is idle */
#include "base/atomic.h"
#include "os/cpuset.h"
#include "sched/worker.h"

/*
 * Where a thread wakes up is the kernel's affair, and mostly it finds a CPU that is idle.  In a
 * virtual machine it may not: a CPU of the guest that idles has given its processor back, seems to
 * be taken for preempted, and nobody is sent there.  So a helper wakes up where it fell asleep; and
 * if the worker that has the work is there now, it waits for milliseconds, then pushes that one
 * aside, takes a part, spins for more, and sleeps again.  As it never waits for long, no balancing
 * finds it either: two workers take twice the time of one, for as long as the program goes on.
 *
 * Two remedies, each a comparison of two numbers where all is well:
 *
 *	a thief     finds that its victim, who says where it is whenever it shares, is on this very
 *	            CPU: it forbids itself the CPUs of all who work for a moment, which moves it at
 *	            once, in some 40 us
 *	a waker     finds that the sleeper lay down on the CPU where it works itself: it forbids the
 *	            sleeper that CPU, and the sleeper allows it itself again when it is up
 *
 * What is known of others may be old; then one moves in vain, and a thief not again for a while.
 * Only the pool's own threads are moved, never a caller's.  Those that are pinned have nowhere else
 * to go; and where there are more workers than CPUs somebody must share one.
 */
#define APART_GAP_NS 1000000 /* between two moves of a thief; what it moves for lasts far longer */

/* All CPUs here are numbers and 1; 0: not known. */
static int32_t own_cpu(void)
{
	return skuai_thread_cpu() + 1;
}

/* --- thieves --- */

void skuai_say_where(struct skuai_worker *self)
{
	int32_t cpu = own_cpu();

	/* order apart.say.2: relaxed, our own store; thieves look at that line all the time */
	if (skua_load(&self->forks.cpu, relaxed) != cpu)
		skua_store(&self->forks.cpu, cpu, relaxed); /* order apart.say.1: relaxed, a hint */
}

/* Where workers are that have something to do, as far as they said. */
static void find_taken(struct skuai_worker *self, struct skuai_cpuset *taken)
{
	struct skua_pool *pool = self->pool;

	for (unsigned i = 0; i < pool->count; i++) {
		struct skuai_worker *worker = &pool->workers[i];
		/* order apart.taken.1: relaxed, a hint; .2 too */
		int32_t cpu = skua_load(&worker->forks.cpu, relaxed);
		/* order apart.taken.2: relaxed, see .1 */
		if (worker != self && cpu && skua_load(&worker->is_busy, relaxed))
			skuai_cpuset_add(taken, (unsigned)cpu - 1);
	}
}

void skuai_keep_apart(struct skuai_worker *self, struct skuai_worker *victim, int64_t now)
{
	/* order apart.keep.1: relaxed, a hint; .2 too */
	int32_t cpu = skua_load(&victim->forks.cpu, relaxed);
	bool is_own_thread = self->sleeper == self->number;

	/* order apart.keep.2: relaxed, see .1 */
	if (!cpu || cpu != own_cpu() || !skua_load(&victim->is_busy, relaxed) || !is_own_thread ||
	    now - self->moved_ns < APART_GAP_NS || skuai_is_oversubscribed(self->pool))
		return;
	struct skuai_cpuset taken = { 0 };
	find_taken(self, &taken);
	self->moved_ns = now;
	if (skuai_thread_leave(&taken))
		skuai_count(&self->counters.moves, 1);
}

/* --- sleepers --- */

void skuai_say_bed(struct skuai_worker *self)
{
	skua_store(&self->bed_cpu, own_cpu(), relaxed); /* order apart.bed.1: relaxed, a hint */
}

void skuai_call_apart(struct skuai_worker *sleeper)
{
	/* order apart.call.1: relaxed, a hint */
	int32_t cpu = skua_load(&sleeper->bed_cpu, relaxed);
	/* order apart.call.2: relaxed, set when its thread began, long before it slept */
	uint32_t tid = skua_load(&sleeper->tid, relaxed);

	/* order apart.call.4: relaxed, its own store before its bit was set, which we cleared */
	bool is_sent = skua_load(&sleeper->forbidden_cpu, relaxed) != 0;

	if (!cpu || cpu != own_cpu() || !tid || is_sent || skuai_is_oversubscribed(sleeper->pool))
		return;
	if (skuai_thread_forbid(tid, (unsigned)cpu - 1))
		/* order apart.call.3: relaxed, carried by the token of the call */
		skua_store(&sleeper->forbidden_cpu, cpu, relaxed);
}

void skuai_leave_bed(struct skuai_worker *self)
{
	/* order apart.leave.1: relaxed, carried by the token of the call */
	int32_t cpu = skua_load(&self->forbidden_cpu, relaxed);

	if (!cpu)
		return;
	if (!skuai_thread_allow(0, (unsigned)cpu - 1))
		return;				      /* the next time we get up */
	skua_store(&self->forbidden_cpu, 0, relaxed); /* order apart.leave.2: relaxed, our own */
	skuai_count(&self->counters.moves, 1);
}
