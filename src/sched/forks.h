/* SPDX-License-Identifier: MIT */
/* forks.h — a worker's stack of waiting forks, and how others get at its oldest end */
#ifndef SKUAI_SCHED_FORKS_H
#define SKUAI_SCHED_FORKS_H

#include "os/fetch.h"
#include "sched/lock.h"

#include <skua/detail/slot.h>

#define SKUAI_LINE	  128 /* two lines: the processor fetches them in pairs */
#define SKUAI_SLOTS_SPARE 8   /* that algorithms leave to the bodies they call */

/* The writer decides the line.  forks.c tells the protocol. */
struct skuai_forks {
	/* line 0: the owner reads at every fork and join; others write it only to ask */
	_Alignas(SKUAI_LINE) struct skua_bounds bounds;
	/* line 1: thieves compare and swap, the owner in slow paths only */
	_Alignas(SKUAI_LINE) _Atomic uint64_t shared; /* split << 32 | tail */
	_Atomic int32_t cpu; /* where the owner last shared, and 1; 0: not known; apart.c */
	/* line 2: who asks, and who may not be in each other's way */
	_Alignas(SKUAI_LINE) _Atomic uint32_t want; /* requests not answered yet */
	_Atomic uint32_t answers;		    /* the owner counts its answers */
	struct skuai_lock lock;			    /* the owner's slow paths and forced steals */
	/* line 3: set at open, but for `made` the owner's alone */
	_Alignas(SKUAI_LINE) struct skua_slot *base;
	uint32_t made;	  /* slots whose bounds are set; at least one more than are used */
	uint32_t end;	  /* slots there is memory for */
	bool is_counting; /* every fork goes the slow way, to be counted; set before open */
	bool is_profiled; /* and every join too; the owner writes, while none waits */
};

/* Where a shared task stands; the life of slot->state. */
enum {
	SKUAI_FORK_DONE = 1,	  /* run by a thief; the result is in the slot */
	SKUAI_FORK_TAKEN = 2,	  /* bit: a thief has it, its number from bit FORK_THIEF on */
	SKUAI_FORK_WAITED = 4,	  /* bit: and the owner sleeps until it is done */
	SKUAI_FORK_THIEF = 3,	  /* shift */
	SKUAI_FORK_KEPT = 0x4000, /* waited when the process was forked: only its owner runs it */
	SKUAI_FORK_LOST = 0x8000, /* its thief was in another process: it will never be done */
	SKUAI_FORK_TASK = 65536	  /* from here on: the task itself, waiting for a thief */
};

/* A task in a thief's hands. */
struct skuai_theft {
	struct skua_slot *slot;
	skua_slot_task *task;
};

/* Use `count` zeroed slots (at least 4) at `memory` as the stack; forks is zeroed but for
 * is_counting. */
void skuai_forks_open(struct skuai_forks *forks, struct skua_slot *memory, uint32_t count);

/* Empty again, whatever was in it; nobody else may be looking. */
void skuai_forks_reset(struct skuai_forks *forks);

/* In the child of a fork(): what was stolen will not come back, what waits is for nobody else. */
void skuai_forks_orphan(struct skuai_forks *forks);

/* --- the owner --- */

/* The arguments are in this slot: let the task wait there, as a fork does. */
void skuai_forks_fill(struct skua_slot *slot, skua_slot_task *task);

/*
 * After a fork into slot at or above the limit: answer who asks.  If it is given, the oldest that
 * waits is shared though nobody asks, unless something is already.  How many tasks were shared.
 */
unsigned skuai_forks_fork(struct skuai_forks *forks, struct skua_slot *slot, bool is_given);

/* Answer who asks with what waits already; `here` is the next free slot.  How many were shared. */
unsigned skuai_forks_offer(struct skuai_forks *forks, struct skua_slot *here);

/* Has somebody taken the task that waits in this slot?  A moment ago. */
bool skuai_forks_is_taken(struct skua_slot *slot);

/* Before a join of slot below joinlo.  True: stolen; wait for it, then skuai_forks_joined. */
bool skuai_forks_join(struct skuai_forks *forks, struct skua_slot *slot, unsigned *shared);

/* The stolen task of this slot is done and its result read: the slot is free again. */
void skuai_forks_joined(struct skuai_forks *forks, struct skua_slot *slot);

/* The first slot that waits for no join, for code that was not told where it stands. */
struct skua_slot *skuai_forks_top(struct skuai_forks *forks);

/*
 * May the library fork so many times from here on its own account?  A program that opened a pool
 * with few slots has them for its own forks.
 */
static inline bool skuai_forks_has_room(const struct skua_slot *here, uint32_t count)
{
	const struct skuai_forks *forks = (const struct skuai_forks *)(const void *)here->bounds;

	return (size_t)(&forks->base[forks->end] - here) > count + SKUAI_SLOTS_SPARE;
}

/* The owner will write what thieves look at in a moment: fetch the line meanwhile. */
static inline void skuai_forks_fetch(const struct skua_slot *here)
{
	const struct skuai_forks *forks = (const struct skuai_forks *)(const void *)here->bounds;

	skuai_fetch_to_write((const void *)&forks->shared);
}

/* The owner wishes the next fork to go the slow way, and to share its task. */
void skuai_forks_arm(struct skuai_forks *forks);

/* The same without sharing: somebody wants to see a fork. */
void skuai_forks_look(struct skuai_forks *forks);

/* Every fork and join goes the slow way from now on, or not any more; none waits. */
void skuai_forks_profile(struct skuai_forks *forks, bool is_profiled);

/* How many tasks wait below `top`, shared or not; a moment ago. */
uint32_t skuai_forks_waiting(struct skuai_forks *forks, const struct skua_slot *top);

/* The thief of this slot's task, or -1: done, or not known yet. */
int skuai_forks_thief(struct skua_slot *slot);

bool skuai_forks_is_done(struct skua_slot *slot);
/* Was it taken, and is it done?  Then skuai_forks_joined may follow without skuai_forks_join. */
bool skuai_forks_is_gone(struct skua_slot *slot);
bool skuai_forks_is_lost(struct skua_slot *slot);

/* Ask for a wake when it is done.  False: it is already, or its thief is not known yet. */
bool skuai_forks_wait(struct skua_slot *slot);

/* --- thieves; `self` is the thief's number --- */

/* Take the oldest shared task.  False: there is none, or somebody was faster. */
bool skuai_forks_steal(struct skuai_forks *forks, unsigned self, struct skuai_theft *theft);

/*
 * Ask the owner to share so many, at least one; it gives no more than half.  Its next fork answers;
 * so does its next join, if it has more.
 */
void skuai_forks_ask(struct skuai_forks *forks, unsigned amount);

/* Take the oldest task from an owner that does not answer.  Needs skuai_membarrier_ready(). */
bool skuai_forks_revoke(struct skuai_forks *forks, unsigned self, struct skuai_theft *theft);

/* The stolen task has run.  True: its owner sleeps until it hears of it. */
bool skuai_forks_done(struct skua_slot *slot);

/* A look without obligation: is something shared; might something be kept. */
bool skuai_forks_has_shared(struct skuai_forks *forks);
bool skuai_forks_has_private(struct skuai_forks *forks);

/* Are there requests not answered yet; how many answers were given; a moment ago. */
bool skuai_forks_is_asked(struct skuai_forks *forks);
uint32_t skuai_forks_answers(struct skuai_forks *forks);

#endif
