/* SPDX-License-Identifier: MIT */
/* settle.h — a result that comes once: who listens for it, and the moment when they are told */
#ifndef SKUAI_SCHED_SETTLE_H
#define SKUAI_SCHED_SETTLE_H

#include "base/atomic.h"

#include <skua/future.h>

/* The life of future->state. */
enum {
	SKUAI_FUTURE_EMPTY = 0,	 /* zeroed memory; may be fulfilled */
	SKUAI_FUTURE_TASKED = 1, /* a task will fulfil it */
	SKUAI_FUTURE_DONE = 2,
	SKUAI_FUTURE_STAGE = 3, /* mask of the three */
	SKUAI_FUTURE_LOCK = 4,	/* bit: listeners, cell and error are somebody's for a moment */
};

/* Whoever wants to be told.  In the memory of whoever waits, or of its own. */
struct skuai_listener {
	struct skuai_listener *next;
	/* Called once, after the result is there; the listener may be gone when it returns. */
	void (*tell)(struct skuai_listener *listener, int error);
	int error; /* settle.c's: what to tell */
};

/* Its stage; everything that came before DONE is visible.  Here, because an await asks twice. */
static inline uint32_t skuai_future_stage(const struct skua_future *future)
{
	/* order settle.stage.1: acquire, pairs settle.done.1, settle.reserve.1 */
	return skua_load(&future->state, acquire) & SKUAI_FUTURE_STAGE;
}

/* EMPTY becomes TASKED, with this cell.  False: it was not EMPTY, nothing changed. */
bool skuai_future_reserve(struct skua_future *future, void *cell);

/* TASKED becomes EMPTY again: there is no task after all. */
void skuai_future_release(struct skua_future *future);

/* The lock, for listeners and cell; the stage, which is to be given back with it. */
uint32_t skuai_future_lock(struct skua_future *future);
void skuai_future_unlock(struct skua_future *future, uint32_t stage);

/* Listen.  False: it is DONE, nobody will be told. */
bool skuai_future_listen(struct skua_future *future, struct skuai_listener *listener);

/* Listen no more.  False: it is being told, or was. */
bool skuai_future_unlisten(struct skua_future *future, struct skuai_listener *listener);

/*
 * It is DONE, with this error, coming from this stage; all listeners are told.  The future may be
 * gone when it returns.  False: it was not in that stage, nothing changed.
 */
bool skuai_future_settle(struct skua_future *future, uint32_t from, int error);

#endif
