/* SPDX-License-Identifier: MIT */
/* mirror.h — a pool reduced to who sleeps and who wakes: worker.c's calls, in worker.c's order */
#ifndef SKUA_MODEL_MIRROR_H
#define SKUA_MODEL_MIRROR_H

#include "mc.h"

#include "base/atomic.h"
#include "os/clock.h"
#include "os/wait.h"
#include "sched/idle.h"
#include "sched/park.h"

#include <limits.h>

/*
 * The functions of idle.c and park.c are the production ones.  Around them stands what worker.c,
 * visit.c and pool.c do with them, each function under its name there, without clocks, counters,
 * deques and forks.  Work is a word with a bit for each item that is there, set by a release and
 * taken by an acquire RMW, like a job.  Search does not spin (spin_ns = -1): one look before being
 * counted as searching, one after.
 *
 * Once it has run an item a worker of a LAZY mirror is busy for ever: so every item left behind is
 * one that nobody who was free has taken, and the checker sees a deadlock.
 */
enum {
	WORKERS_MAX = 3,
	ITEMS_MAX = 3,
};

struct worker {
	unsigned number;
	bool is_searching;
	unsigned naps; /* this many sleeps as a sentinel, if it can be; then it is cold */
	_Atomic bool is_busy;
	_Atomic bool is_asked;
	_Atomic bool is_at_top;
	struct skuai_park park;	      /* its thread's */
	struct skuai_park guest_park; /* its guest's; there is none that sleeps in these cases */
	struct mc_cell place; /* whoever works at this place writes it: two at once are a race */
};

static struct pool {
	struct skuai_idle idle;
	_Atomic bool is_stopping;
	_Atomic bool is_closing;
	_Atomic uint32_t quiet;
	_Atomic uint32_t items;		 /* a bit each: there */
	struct mc_cell cells[ITEMS_MAX]; /* what the maker of an item did before */
	_Atomic uint32_t ended;		 /* items that have been run */
	struct worker workers[WORKERS_MAX];
	unsigned count, most, item_count;
	bool is_lazy, is_urgent, is_closed_by_last;
} * pool;

/* What a wait is for; empty: the pool stops. */
struct until {
	_Atomic uint32_t *child; /* is 2 */
	int64_t deadline;
};

/* --- work --- */

static inline void publish(unsigned item)
{
	mc_write(&pool->cells[item], 100 + item);
	skua_or(&pool->items, 1u << item, release);
}

static inline bool take_any(void)
{
	uint32_t there = skua_load(&pool->items, relaxed);

	for (unsigned i = 0; i < pool->item_count; i++)
		if (there >> i & 1 && skua_and(&pool->items, ~(1u << i), acquire) >> i & 1) {
			mc_assert(mc_read(&pool->cells[i]) == 100 + i);
			return true;
		}
	return false;
}

/* search.c: skuai_is_there_work */
static inline bool is_there_work(void)
{
	return skua_load(&pool->items, relaxed);
}

/* search.c: skuai_is_anybody_busy */
static inline bool is_anybody_busy(void)
{
	for (unsigned i = 0; i < pool->count; i++)
		if (skua_load(&pool->workers[i].is_busy, relaxed))
			return true;
	return false;
}

/* --- wakes --- */

static inline bool wake_one(unsigned first)
{
	int claimed = skuai_idle_claim(&pool->idle, first);

	if (claimed < 0)
		return false;
	bool is_guest = (unsigned)claimed >= pool->count;
	struct worker *sleeper = &pool->workers[(unsigned)claimed - (is_guest ? pool->count : 0)];
	skuai_unpark_call(is_guest ? &sleeper->guest_park : &sleeper->park);
	return true;
}

static inline void notify(bool is_urgent)
{
	if (skuai_idle_needs_wake(&pool->idle, is_urgent))
		wake_one(0);
}

/* wake.c: skuai_notify_injected, with one glance; of two jobs, where it wakes more, nothing */
static inline void notify_injected(void)
{
	if (!skuai_idle_needs_wake(&pool->idle, true))
		return;
	if (skuai_idle_sleeping(&pool->idle) < pool->count &&
	    (!is_there_work() || skuai_idle_searching(&pool->idle)))
		return;
	notify(true);
}

/* worker.c: skuai_worker_begin */
static inline void begin(struct worker *self)
{
	skua_store(&self->is_busy, true, relaxed);
	if (skuai_idle_needs_wake(&pool->idle, false))
		skua_store(&self->is_asked, true, relaxed);
}

/* worker.c: stop_searching, but for jobs it brings along, for which it wakes more */
static inline void stop_searching(struct worker *self)
{
	bool was_sentinel = skuai_idle_is_sentinel(&pool->idle, self->number) &&
			    skuai_idle_sentinel_leave(&pool->idle, self->number);

	if (self->is_searching ? skuai_idle_leave(&pool->idle)
			       : was_sentinel && skuai_idle_needs_wake(&pool->idle, false))
		/* Items stand for forks; for jobs it wakes one beside a sentinel too. */
		if (!skuai_idle_has_sentinel(&pool->idle) && (is_anybody_busy() || is_there_work()))
			wake_one(self->number);
	self->is_searching = false;
}

/* --- the end --- */

/* pool.c: stop_threads, but for the join */
static inline void stop_threads(void)
{
	skua_store(&pool->is_stopping, true, release);
	for (unsigned i = 0; i < pool->count; i++)
		skuai_unpark(&pool->workers[i].park);
}

static inline void tell_closer(void)
{
	if (skua_load(&pool->is_closing, relaxed) &&
	    skuai_idle_sleeping(&pool->idle) >= pool->count) {
		skua_add(&pool->quiet, 1, release);
		skuai_wake(&pool->quiet, SKUAI_WAKE_ALL);
	}
}

static inline bool is_over(const struct until *until)
{
	return until->child ? skua_load(until->child, acquire) == 2
			    : skua_load(&pool->is_stopping, acquire);
}

/* --- sleep --- */

static inline void arm_everybody(struct worker *self)
{
	for (unsigned i = 0; i < pool->count; i++) {
		struct worker *worker = &pool->workers[i];
		if (worker != self && skua_load(&worker->is_busy, relaxed) &&
		    !skua_load(&worker->is_asked, relaxed))
			skua_store(&worker->is_asked, true, relaxed);
	}
}

/* Any deadline may pass at any moment. */
static inline int64_t nap_deadline(struct worker *self)
{
	bool is_mine = skuai_idle_is_sentinel(&pool->idle, self->number);

	if (self->naps == 0) {
		if (is_mine)
			skuai_idle_sentinel_leave(&pool->idle, self->number);
		return SKUAI_NO_DEADLINE;
	}
	self->naps--;
	return is_mine || skuai_idle_sentinel_take(&pool->idle, self->number) ? 1
									      : SKUAI_NO_DEADLINE;
}

static inline void rise(struct worker *self, unsigned sleeper, struct skuai_park *spot)
{
	while (!skuai_idle_rise(&pool->idle, sleeper)) /* called, or a guest is at our place */
		if (skuai_park(spot, SKUAI_NO_DEADLINE) & SKUAI_PARK_CALL) {
			self->is_searching = true;
			break;
		}
}

static inline void sleep_until_called(struct worker *self, unsigned sleeper,
				      struct skuai_park *spot, int64_t deadline)
{
	if (skuai_park(spot, deadline) & SKUAI_PARK_CALL)
		self->is_searching = true;
	else
		rise(self, sleeper, spot);
	mc_write(&self->place, mc_read(&self->place) + 1); /* skua_deque_adopt */
}

static inline void sleep_listed(struct worker *self, const struct until *until)
{
	bool is_top = !until->child;
	int64_t deadline = nap_deadline(self);
	bool was_searching = self->is_searching;
	unsigned sleeper = self->number;
	struct skuai_park *spot = &self->park;

	skua_store(&self->is_at_top, is_top, relaxed);
	self->is_searching = false;
	bool is_last = skuai_idle_sleep(&pool->idle, sleeper, was_searching);
	if (is_last && deadline == SKUAI_NO_DEADLINE && !skuai_idle_has_sentinel(&pool->idle))
		arm_everybody(self);
	if (is_last && is_there_work()) {
		rise(self, sleeper, spot);
		if (!self->is_searching)
			self->is_searching = skuai_idle_search(&pool->idle, UINT_MAX);
		return;
	}
	if (is_over(until)) {
		rise(self, sleeper, spot);
		return;
	}
	if (is_top)
		tell_closer();
	sleep_until_called(self, sleeper, spot,
			   deadline < until->deadline ? deadline : until->deadline);
}

/* --- the loop --- */

/* worker.c: search, and the look for jobs before it */
static inline bool search(struct worker *self)
{
	if (take_any())
		return true;
	if (self->is_searching)
		return false; /* it would look again at once */
	self->is_searching = skuai_idle_search(&pool->idle, pool->most);
	return take_any();
}

/* The last of the items ends the case, in place of pool.c; drain is model_close's. */
static inline void run_item(struct worker *self)
{
	mc_write(&self->place, mc_read(&self->place) + 1);
	if (pool->is_closed_by_last && skua_add(&pool->ended, 1, acq_rel) + 1 == pool->item_count)
		stop_threads();
}

static inline void work_until(struct worker *self, const struct until *until)
{
	while (!is_over(until)) {
		if (search(self)) {
			stop_searching(self);
			run_item(self);
			if (pool->is_lazy)
				return;
			continue;
		}
		/* Here it looks whether it is over; sleep_listed does so again. */
		if (until->child) { /* skuai_forks_wait */
			uint32_t nobody = 0;
			if (!skua_cas(until->child, &nobody, 1, acq_rel, acquire) && nobody == 2)
				continue;
		}
		sleep_listed(self, until);
	}
	stop_searching(self);
}

/* worker.c: skuai_worker_main; `arg` is the worker.  Awake at first: it is about to search. */
static inline void worker_awake(void *arg)
{
	work_until(arg, &(struct until){ .deadline = SKUAI_NO_DEADLINE });
}

/* The same, counted as searching already. */
static inline void start_searching(unsigned number)
{
	struct worker *self = &pool->workers[number];

	self->is_searching = skuai_idle_search(&pool->idle, pool->most);
	mc_start(worker_awake, self);
}

/* The same as it truly begins: listed as asleep by whoever started it (pool.c: start_worker). */
static inline void worker_listed(void *arg)
{
	struct worker *self = arg;

	sleep_until_called(self, self->number, &self->park, SKUAI_NO_DEADLINE);
	worker_awake(self);
}

static inline void producer(void *arg)
{
	publish((unsigned)(uintptr_t)arg);
	if (pool->is_urgent)
		notify_injected();
	else
		notify(false);
}

/* --- a case --- */

static inline void pool_open(const struct pool *wish)
{
	pool = mc_alloc(sizeof(*pool));
	pool->count = wish->count;
	pool->most = wish->most ? wish->most : 1;
	pool->item_count = wish->item_count;
	pool->is_lazy = wish->is_lazy;
	pool->is_urgent = wish->is_urgent;
	pool->is_closed_by_last = wish->is_closed_by_last;
	for (unsigned i = 0; i < pool->count; i++)
		pool->workers[i].number = i;
}

static inline void start_listed(unsigned number)
{
	skua_store(&pool->workers[number].is_at_top, true, relaxed);
	skuai_idle_sleep(&pool->idle, number, false);
	mc_start(worker_listed, &pool->workers[number]);
}

/* Everybody is up and gone: the counts are the bits, both none; nothing was left. */
static inline void check_end(void)
{
	mc_join();
	mc_assert(skuai_idle_searching(&pool->idle) == 0);
	mc_assert(skuai_idle_sleeping(&pool->idle) == 0);
	mc_assert(skua_load(&pool->idle.sleepers, relaxed) == 0);
	for (unsigned i = 0; i < 2 * pool->count; i++)
		mc_assert(!skuai_idle_is_asleep(&pool->idle, i));
	mc_assert(!is_there_work());
}

#endif
