/* SPDX-License-Identifier: MIT */
/* settle.c — a result that comes once: who listens for it, and the moment when they are told */
#include "sched/settle.h"

#include "base/atomic.h"
#include "os/relax.h"
#include "os/thread.h"
#include "sched/worker.h"

/*
 * EMPTY -> TASKED by skua_async, either -> DONE by whoever has the result.  The lock is a bit of
 * the same word, because the step to DONE must give it back and be the last that touches the
 * future: whoever sees DONE may free it.  Under the lock the list of listeners is taken out; they
 * are told after, each by its own means and in its own memory.
 *
 * Who no longer wants to be told takes itself out under the lock.  If it is not there, it is being
 * told: then it must wait for that, since its memory is in use.  Red without: model_settle.
 */

/* True: the lock is ours, and what the state was. */
static inline bool future_try_lock(struct skua_future *future, uint32_t *seen)
{
	*seen = skua_load(&future->state, relaxed); /* order settle.lock.1: .2 decides */
	/* order settle.lock.2: acquire, pairs settle.unlock.1, settle.reserve.1, settle.done.1 */
	return !(*seen & SKUAI_FUTURE_LOCK) &&
	       skua_cas(&future->state, seen, *seen | SKUAI_FUTURE_LOCK, acquire, relaxed);
}

/* Somebody has it, for a moment. */
__attribute__((noinline)) static uint32_t lock_later(struct skua_future *future)
{
	uint32_t seen;

	for (unsigned tries = 1; !future_try_lock(future, &seen); tries++)
		if (tries % 64)
			skuai_relax();
		else
			skuai_thread_yield(); /* its holder may wait for this very CPU */
	return seen;
}

static inline uint32_t lock_future(struct skua_future *future)
{
	uint32_t seen;

	return future_try_lock(future, &seen) ? seen : lock_later(future);
}

uint32_t skuai_future_lock(struct skua_future *future)
{
	return lock_future(future);
}

bool skuai_future_reserve(struct skua_future *future, void *cell)
{
	uint32_t stage = lock_future(future);

	if (stage != SKUAI_FUTURE_EMPTY) {
		skuai_future_unlock(future, stage);
		return false;
	}
	future->cell = cell;
	/* Before anybody can see TASKED: who waits compares it. */
	future->era = (void *)(uintptr_t)skuai_era(); /* NOLINT(performance-no-int-to-ptr) */
	/* order settle.reserve.1: release, pairs settle.lock.2, settle.stage.1; gives the lock back
	 * */
	skua_store(&future->state, SKUAI_FUTURE_TASKED, release);
	return true;
}

void skuai_future_release(struct skua_future *future)
{
	skuai_future_lock(future);
	future->cell = NULL;
	/* order settle.reserve.2: release, as .1 */
	skua_store(&future->state, SKUAI_FUTURE_EMPTY, release);
}

void skuai_future_unlock(struct skua_future *future, uint32_t stage)
{
	/* order settle.unlock.1: release, pairs settle.lock.2; who holds the lock writes alone */
	skua_store(&future->state, stage, release);
}

bool skuai_future_listen(struct skua_future *future, struct skuai_listener *listener)
{
	uint32_t stage = lock_future(future);
	bool is_early = stage != SKUAI_FUTURE_DONE;

	if (is_early) {
		listener->next = future->listeners;
		future->listeners = listener;
	}
	skuai_future_unlock(future, stage);
	return is_early;
}

bool skuai_future_unlisten(struct skua_future *future, struct skuai_listener *listener)
{
	struct skuai_listener *first, **link = &first;
	uint32_t stage = lock_future(future);

	first = future->listeners;
	while (*link && *link != listener)
		link = &(*link)->next;
	bool is_there = *link != NULL;
	if (is_there)
		*link = listener->next;
	future->listeners = first;
	skuai_future_unlock(future, stage);
	return is_there;
}

/*
 * Who is told may settle another future, and who listens there a third: a chain of any length must
 * not nest.  So each thread has a list of those it has still to tell, and only the outermost call
 * works it off.
 */
__attribute__((noinline)) static void tell_all(struct skuai_listener *listener, int error)
{
	static _Thread_local struct skuai_listener *to_tell;
	static _Thread_local bool is_telling;

	while (listener) {
		struct skuai_listener *next = listener->next;
		listener->error = error;
		listener->next = to_tell;
		to_tell = listener;
		listener = next;
	}
	if (is_telling)
		return;
	is_telling = true;
	while ((listener = to_tell)) {
		to_tell = listener->next;
		listener->tell(listener, listener->error);
	}
	is_telling = false;
}

bool skuai_future_settle(struct skua_future *future, uint32_t from, int error)
{
	uint32_t stage = lock_future(future);

	if (stage != from) {
		skuai_future_unlock(future, stage);
		return false;
	}
	struct skuai_listener *listener = future->listeners;
	future->listeners = NULL;
	future->cell = NULL;
	future->error = error;
	/* order settle.done.1: release, pairs settle.stage.1, settle.lock.2; the result; gives the
	 * lock back, and is the last we see of the future */
	skua_store(&future->state, SKUAI_FUTURE_DONE, release);
	if (__builtin_expect(listener != NULL, 0))
		tell_all(listener, error);
	return true;
}
