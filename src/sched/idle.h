/* SPDX-License-Identifier: MIT */
/* idle.h — who searches, who sleeps, and whom to wake */
#ifndef SKUAI_SCHED_IDLE_H
#define SKUAI_SCHED_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#define SKUAI_IDLE_WORDS \
	32 /* 64 sleepers each: a thread and a guest for SKUA_WORKERS_MAX workers */

struct skuai_idle {
	_Alignas(128) _Atomic uint64_t counts; /* rises << 32 | sleeping << 16 | searching */
	_Atomic uint32_t sentinel;	       /* number + 1 of the one that naps; 0: nobody */
	/* line: seldom written.  Counted up before a sleeper is, down after: 0 means nobody is */
	_Alignas(128) _Atomic uint32_t sleepers;
	/* a bit per sleeper: it sleeps, and nobody has undertaken to wake it */
	_Alignas(128) _Atomic uint64_t asleep[SKUAI_IDLE_WORDS];
};

/* --- a worker without work --- */

/* Begin to search, unless `most` do already. */
bool skuai_idle_search(struct skuai_idle *idle, unsigned most);

/*
 * Stop searching, work found or not needed.  True: nobody searches any more, so look at every queue
 * and at who is busy; if there is or may be more work, wake another with skuai_idle_claim.
 */
bool skuai_idle_leave(struct skuai_idle *idle);

/*
 * Announce sleep.  True: nobody searches any more, so look at every queue once more before
 * sleeping.  Either way: when you do not sleep after all, skuai_idle_rise.
 */
bool skuai_idle_sleep(struct skuai_idle *idle, unsigned self, bool was_searching);

/*
 * Up without having been called.  True: done, and not counted as searching.  False: somebody is
 * about to leave a token, and has counted us as searching: take it.
 */
bool skuai_idle_rise(struct skuai_idle *idle, unsigned self);

/* --- whoever makes work --- */

/*
 * After making work visible.  True: somebody should be woken.  A sentinel looks around by itself
 * every so often, which is soon enough for a task that its owner will otherwise run; not urgent.
 */
bool skuai_idle_needs_wake(struct skuai_idle *idle, bool is_urgent);

/* Undertake to wake a sleeper, number `first` or the next; it counts as searching.  -1: none. */
int skuai_idle_claim(struct skuai_idle *idle, unsigned first);

/* The same for this sleeper.  False: it no longer sleeps. */
bool skuai_idle_claim_number(struct skuai_idle *idle, unsigned number);

/* Undertake to use this sleeper's place instead of waking it.  False: it no longer sleeps. */
bool skuai_idle_borrow(struct skuai_idle *idle, unsigned number);

/* Changes whenever somebody gets up: equal twice, nobody did in between. */
uint64_t skuai_idle_snapshot(struct skuai_idle *idle);

/* How many sleep, how many search; a moment ago. */
unsigned skuai_idle_sleeping(struct skuai_idle *idle);
unsigned skuai_idle_searching(struct skuai_idle *idle);
bool skuai_idle_is_asleep(struct skuai_idle *idle, unsigned number);

/* --- the sentinel --- */

bool skuai_idle_sentinel_take(struct skuai_idle *idle, unsigned self);
bool skuai_idle_sentinel_leave(struct skuai_idle *idle, unsigned self);
bool skuai_idle_has_sentinel(struct skuai_idle *idle);
bool skuai_idle_is_sentinel(struct skuai_idle *idle, unsigned number);

#endif
