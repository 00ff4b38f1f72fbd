/* SPDX-License-Identifier: MIT */
/* lock.c — a small lock that sleeps when it must wait */
#include "sched/lock.h"

#include "base/atomic.h"
#include "os/clock.h"
#include "os/wait.h"

enum {
	LOCK_FREE,
	LOCK_HELD,
	LOCK_CONTENDED, /* held, and somebody may be asleep */
};

bool skuai_lock_try(struct skuai_lock *lock)
{
	uint32_t free = LOCK_FREE;

	/* order lock.try.1: acquire, pairs lock.give.1; we see what the last holder did */
	return skua_cas(&lock->word, &free, LOCK_HELD, acquire, relaxed);
}

void skuai_lock_take(struct skuai_lock *lock)
{
	if (skuai_lock_try(lock))
		return;
	/* order lock.take.1: acquire, pairs lock.give.1 */
	while (skua_exchange(&lock->word, LOCK_CONTENDED, acquire) != LOCK_FREE)
		skuai_wait(&lock->word, LOCK_CONTENDED, SKUAI_NO_DEADLINE);
}

void skuai_lock_give(struct skuai_lock *lock)
{
	/* order lock.give.1: release, pairs lock.try.1, lock.take.1 */
	if (skua_exchange(&lock->word, LOCK_FREE, release) == LOCK_CONTENDED)
		skuai_wake(&lock->word, 1);
}
