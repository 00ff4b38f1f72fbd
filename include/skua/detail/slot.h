/* SPDX-License-Identifier: MIT */
/* slot.h — one waiting fork: 64 bytes on its worker's stack; the inlined halves of fork and join */
#ifndef SKUA_DETAIL_SLOT_H
#define SKUA_DETAIL_SLOT_H

#include <skua/detail/atom.h>
#include <skua/detail/export.h>
#include <skua/detail/keepcall.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

SKUA_BEGIN_C

/*
 * Every worker has an array of slots, used as a stack.  A fork fills the slot at its top and hands
 * the next one on; the join takes the same slot back.  Nobody else looks at a slot unless the
 * worker was asked for work, or shares some unasked (src/sched/forks.c tells that story).  Two
 * bounds of the worker decide whether a fork or join is the common one, and both are also how it is
 * asked: whoever wants something lowers `limit` and raises `joinlo`, and the next fork or join goes
 * the slow way.
 *
 *	fork   args -> slot, task -> slot.ready (release), slot at or above limit? slow
 *	join   NULL -> slot.ready, compiler fence, slot below joinlo? slow; else call the task
 *
 * The order of those two words in join is what a forced steal relies on: `order
 * slot.join.2`.
 */

struct skua_slot;

/* A task with its arguments in slot->payload; it leaves its result there. */
typedef void skua_slot_task(struct skua_slot *here, struct skua_slot *slot);

struct skua_bounds {
	SKUA_ATOM(struct skua_slot *) limit;  /* owner and askers write, owner reads */
	SKUA_ATOM(struct skua_slot *) joinlo; /* likewise */
};

#define SKUA_PAYLOAD_BYTES 40 /* arguments of a task, and its result, fit in here */
#define SKUA_SLOT_BYTES	   64

struct skua_slot {
	/* The owner writes: the task that waits; NULL: none, or it is being joined. */
	SKUA_ATOM(skua_slot_task *) ready;
	uint64_t payload[SKUA_PAYLOAD_BYTES / 8]; /* whoever runs the task, else the owner */
	struct skua_bounds *bounds;		  /* its worker's; set before it is first used */
	SKUA_ATOM(uintptr_t) state;		  /* forks.c: where a shared task stands */
} __attribute__((aligned(SKUA_SLOT_BYTES)));

/* The slow halves, in src/sched.  skua_join_slow: true when the result is in the slot. */
SKUA_API void skua_fork_slow(struct skua_slot *slot);
SKUA_API bool skua_join_slow(struct skua_slot *slot);

/* The same for keepcall.h, which calls them in a way of its own. */
SKUA_API void skua_fork_keep(void);
SKUA_API void skua_join_keep(void);

/* A mistake in using fork and join, found by SKUA_CHECKED code: says so and aborts. */
SKUA_API void skua_misuse(const char *task, const char *what) __attribute__((noreturn, cold));

SKUA_END_C

#define SKUA_INLINE static inline __attribute__((always_inline, unused))

/* The slot at *here is filled: let it wait for its join.  The next fork goes to the next slot. */
SKUA_INLINE void skua_slot_fork(struct skua_slot **here, skua_slot_task *task)
{
	struct skua_slot *slot = *here;

	/* order slot.fork.1: release, pairs forks.revoke.4; a thief that sees the task sees its
	 * arguments */
	skua_atom_store(skua_slot_task *, &slot->ready, task, release);
	SKUA_GOTO_UNLESS_BELOW(slot, &slot->bounds->limit, slow);
next:
	SKUA_NEXT_SLOT(*here, slot);
	return;
slow:
	SKUA_RARE;
	SKUA_FORK_SLOW(slot);
	goto next;
}

/* True: the task of this slot was run elsewhere, its result is in the slot.  Else call it now. */
SKUA_INLINE bool skua_slot_join(struct skua_slot **here, struct skua_slot *slot)
{
	uintptr_t is_done;

	*here = slot;
	/* order slot.join.1: relaxed, before the look at joinlo by .2 */
	skua_atom_store(skua_slot_task *, &slot->ready, (skua_slot_task *)0, relaxed);
	/* order slot.join.2: light, pairs forks.revoke.3
	 * shape    owner: ready = NULL, FENCE, load joinlo || thief: raise joinlo, MEMBARRIER, load
	 *          ready
	 * forbids  we miss the raised bound while the thief misses the NULL: both run the task
	 */
	skua_atom_light_fence(&slot->ready);
	SKUA_GOTO_IF_BELOW(slot, &slot->bounds->joinlo, slow);
	return false;
slow:
	SKUA_RARE;
	SKUA_JOIN_SLOW(is_done, slot);
	return is_done != 0;
}

#endif
