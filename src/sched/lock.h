/* SPDX-License-Identifier: MIT */
/* lock.h — a small lock that sleeps when it must wait */
#ifndef SKUAI_SCHED_LOCK_H
#define SKUAI_SCHED_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * FREE -> HELD by whoever takes it, HELD -> CONTENDED by whoever must wait, any -> FREE by the
 * holder, who wakes one waiter when it was CONTENDED.  A waiter that gets the lock takes it as
 * CONTENDED, since it cannot know whether others wait (Drepper, "Futexes are tricky", mutex 2).
 * Zero is FREE.  For slow paths only: no fork or join takes it but one that was asked for, or
 * shares unasked.
 */
struct skuai_lock {
	_Atomic uint32_t word;
};

void skuai_lock_take(struct skuai_lock *lock);
bool skuai_lock_try(struct skuai_lock *lock);
void skuai_lock_give(struct skuai_lock *lock);

#endif
