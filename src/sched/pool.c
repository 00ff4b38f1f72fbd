/* SPDX-License-Identifier: MIT */
/* pool.c — a pool's life: open, start, close; the default pool */
#include "base/alloc.h"
#include "base/atomic.h"
#include "base/diag.h"
#include "os/clock.h"
#include "os/cpuset.h"
#include "os/membarrier.h"
#include "os/wait.h"
#include "os/wish.h"
#include "sched/monitor_thread.h"
#include "sched/profiling.h"
#include "sched/reset.h"
#include "sched/tracing.h"
#include "sched/watch.h"
#include "sched/worker.h"

#include <skua/error.h>
#include <skua/machine.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Threads are started and joined here, memory comes and goes.  Who closes waits until nobody is in
 * the middle of a call (visitors), then until everybody sleeps with nothing begun (is_quiet), and
 * only then ends the threads.  README.md beside this file tells the protocol.
 *
 * Unmodelled: it needs real threads; tests/model/model_close.c plays its protocol around the
 * production idle.c and park.c, and TSan watches the rest.
 */
#define STACK_BYTES	  ((size_t)64 << 20) /* address space; memory only as it is used */
#define FORK_SLOTS	  ((size_t)16 << 20) /* likewise: 1 GiB of addresses */
#define WORTH_AT_FIRST_NS 10000 /* of a theft: it takes some 600 to learn that they are small */
#define SLOTS_LEAST	  1024
#define SLOTS_MOST	  ((size_t)1 << 31)

/* --- memory --- */

static void *pool_alloc(const struct skua_allocator *allocator, size_t bytes)
{
	if (!allocator->get)
		return skuai_alloc_aligned(1, bytes, SKUAI_LINE);
	void *memory = allocator->get(allocator->context, bytes, SKUAI_LINE);
	return memory ? memset(memory, 0, bytes) : NULL;
}

static void pool_free(struct skua_pool *pool)
{
	struct skua_allocator allocator = pool->options.allocator;
	size_t bytes = pool->bytes;

	for (unsigned i = 0; i < pool->count; i++) {
		skua_deque_close(&pool->workers[i].deque);
		skuai_stackmem_unmap(&pool->workers[i].slots);
	}
	skuai_profiles_close(pool);
	skuai_traces_close(pool);
	skuai_cells_close(pool);
	skuai_victims_close(pool);
	if (allocator.put)
		allocator.put(allocator.context, pool, bytes);
	else
		skuai_free(pool);
}

/* Room for the slots: as asked for, or as much as the system gives of it. */
static int map_slots(struct skuai_worker *worker, size_t count)
{
	int error;

	while ((error = skuai_stackmem_map(&worker->slots, count * SKUA_SLOT_BYTES)) &&
	       error == SKUA_ENOMEM && count / 2 >= SLOTS_LEAST)
		count /= 2;
	if (!error)
		skuai_forks_open(&worker->forks, worker->slots.base, (uint32_t)count);
	return error;
}

static int open_worker(struct skua_pool *pool, unsigned number)
{
	struct skuai_worker *worker = &pool->workers[number];

	worker->pool = pool;
	worker->number = number;
	worker->sleeper = number;
	worker->ask_for = 1;
	worker->rng.state = pool->options.seed + number;
	/* order pool.worth.1: relaxed, nobody else knows of it yet */
	skua_store(&worker->worth_ns, WORTH_AT_FIRST_NS, relaxed);
	worker->forks.is_counting = pool->options.is_counting;
	int error = skua_deque_open(&worker->deque, NULL);
	return error ? error : map_slots(worker, pool->options.fork_slots);
}

/* --- options --- */

static uint64_t seed_wish(void)
{
	const char *text = getenv("SKUA_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 0) : 0;

	return seed ? seed : (uint64_t)skuai_clock_ns();
}

static bool options_are_valid(const struct skua_pool_options *o)
{
	return o->size >= sizeof(*o) && o->workers >= 0 && o->workers <= SKUA_WORKERS_MAX &&
	       o->spares >= 0 && o->spares <= SKUA_WORKERS_MAX - o->workers &&
	       (unsigned)o->victim <= SKUA_VICTIM_NEAREST &&
	       (unsigned)o->amount <= SKUA_AMOUNT_ONE && o->spin_ns >= -1 &&
	       o->stack_bytes <= SIZE_MAX / 4 &&
	       (o->fork_slots == 0 || (o->fork_slots >= 4 && o->fork_slots <= SLOTS_MOST)) &&
	       !o->allocator.get == !o->allocator.put;
}

/* The wishes with every default filled in. */
static int complete_options(struct skua_pool_options *o, const struct skua_pool_options *wish,
			    unsigned *cpus)
{
	struct skua_machine machine = { .size = sizeof(machine) };

	*o = (struct skua_pool_options){ .size = sizeof(*o) };
	if (wish && !options_are_valid(wish))
		return SKUA_EINVAL;
	if (wish)
		*o = *wish;
	struct skua_machine_options where = { .size = sizeof(where), .root = o->machine_root };
	int error = skua_machine_read(&machine, &where);
	if (error)
		return error;
	*cpus = machine.cpus_allowed;
	if (!o->workers)
		o->workers = (int)machine.workers;
	if (o->spares > SKUA_WORKERS_MAX - o->workers)
		o->spares = SKUA_WORKERS_MAX - o->workers;
	if (!o->name)
		o->name = "skua";
	if (!o->stack_bytes)
		o->stack_bytes = STACK_BYTES;
	if (!o->fork_slots)
		o->fork_slots = FORK_SLOTS;
	if (!o->seed)
		o->seed = seed_wish();
	return SKUA_OK;
}

/* --- open --- */

/* Everything but the threads. */
static int pool_make(struct skua_pool **made, const struct skua_pool_options *wish)
{
	struct skua_pool_options options;
	unsigned cpus = 1;
	int error = complete_options(&options, wish, &cpus);

	if (error)
		return error;
	unsigned count = (unsigned)options.workers + (unsigned)options.spares;
	size_t head = (sizeof(struct skua_pool) + SKUAI_LINE - 1) / SKUAI_LINE * SKUAI_LINE;
	size_t bytes = head + count * sizeof(struct skuai_worker);
	struct skua_pool *pool = pool_alloc(&options.allocator, bytes);
	if (!pool)
		return SKUA_ENOMEM;
	pool->options = options;
	pool->bytes = bytes;
	pool->count = count;
	pool->workers = (struct skuai_worker *)(void *)((char *)pool + head);
	strncpy(pool->name, options.name, sizeof(pool->name) - 1);
	pool->options.name = pool->name;
	pool->has_membarrier = skuai_membarrier_ready() == SKUA_OK;
	pool->regular = (unsigned)options.workers;
	pool->is_following = !wish || wish->workers == 0;
	skua_store(&pool->followed, pool->regular, relaxed); /* order pool.cpus.2: as .1 */
	skua_store(&pool->cpus, cpus, relaxed); /* order pool.cpus.1: nobody else knows of it yet */
	for (unsigned i = 0; i < count && !error; i++)
		error = open_worker(pool, i);
	if (!error)
		error = skuai_victims_open(pool);
	if (error)
		pool_free(pool);
	else
		*made = pool;
	return error;
}

static int start_worker(struct skua_pool *pool, unsigned number)
{
	struct skuai_worker *worker = &pool->workers[number];
	char name[32];

	if (worker->has_thread)
		return SKUA_OK; /* the one that forked, in the child */
	snprintf(name, sizeof(name), "%s-%u", pool->name, number);
	/* Not if a guest has the place, and will list it, or had it across a fork, and has. */
	if (worker->sleeper == number && !skuai_idle_is_asleep(&pool->idle, number) &&
	    !skuai_width_is_dormant(&pool->width, number))
		skuai_list_asleep(pool, number);
	struct skuai_thread_options options = { .name = name,
						.stack_bytes = pool->options.stack_bytes };
	int error = skuai_thread_start(&worker->thread, skuai_worker_main, worker, &options);
	worker->has_thread = !error;
	return error;
}

/* End and join the first `count` threads; all are asleep or about to be. */
static void stop_threads(struct skua_pool *pool, unsigned count)
{
	/* order pool.stop.1: release, pairs worker.over.1 */
	skua_store(&pool->is_stopping, true, release);
	for (unsigned i = 0; i < count; i++)
		skuai_unpark(&pool->workers[i].park);
	for (unsigned i = 0; i < count; i++) {
		if (&pool->workers[i] == skuai_self)
			continue; /* we are in its task, in the child of a fork */
		skuai_thread_join(&pool->workers[i].thread);
		pool->workers[i].has_thread = false;
	}
	skua_store(&pool->is_stopping, false, relaxed); /* order pool.stop.2: relaxed, alone */
}

int skuai_pool_start(struct skua_pool *pool)
{
	int error = SKUA_OK;
	unsigned started = 0;

	skuai_lock_take(&pool->start_lock);
	/* order pool.start.1: relaxed, under the lock */
	if (skua_load(&pool->started, relaxed) != skuai_era()) {
		skuai_width_open(&pool->width, pool->regular, pool->count);
		if (skuai_self && skuai_self->pool == pool) /* the child of a fork() it made */
			skuai_width_keep(&pool->width, skuai_self->number);
		for (unsigned i = 0; i < pool->count; i++) /* before anybody can have its place */
			skuai_trace(&pool->workers[i], SKUAI_TRACE_PARK, 0);
		while (started < pool->count && !(error = start_worker(pool, started)))
			started++;
		if (!error)
			/* order pool.start.2: release, pairs pool.of.1 */
			skua_store(&pool->started, skuai_era(), release);
		else {
			skuai_idle_rise(&pool->idle, started); /* listed, but never born */
			stop_threads(pool, started);
			memset(&pool->idle, 0, sizeof(pool->idle));
		}
	}
	skuai_lock_give(&pool->start_lock);
	return error;
}

int skua_pool_open(struct skua_pool **pool, const struct skua_pool_options *options)
{
	struct skua_pool *made = NULL;

	if (!pool)
		return SKUA_EINVAL;
	int error = pool_make(&made, options);
	if (error)
		return error;
	skuai_pools_add(made);
	skuai_hooks_open(made);
	skuai_traces_open(made);
	skuai_profiles_open(made);
	error = skuai_pool_start(made);
	if (error) {
		skuai_hooks_failed();
		skuai_pools_remove(made);
		pool_free(made);
		return error;
	}
	skuai_monitor_wish(made);
	*pool = made;
	return SKUA_OK;
}

/* --- the child of a fork --- */

void skuai_pool_orphan(struct skua_pool *pool)
{
	memset(&pool->idle, 0, sizeof(pool->idle));
	memset(pool->inject, 0, sizeof(pool->inject));
	skua_store(&pool->urgent, 0, relaxed); /* order pool.orphan.6: alone */
	skua_store(&pool->low, 0, relaxed);    /* order pool.orphan.7: alone */
	pool->start_lock = (struct skuai_lock){ 0 };
	pool->cells.lock = (struct skuai_lock){ 0 };
	memset(pool->cells.batches, 0, sizeof(pool->cells.batches)); /* whatever was going on */
	memset(pool->cells.loose, 0, sizeof(pool->cells.loose));
	memset(&pool->chosen, 0, sizeof(pool->chosen));
	skua_store(&pool->dirty, 0, relaxed);		  /* order pool.orphan.8: alone */
	skua_store(&pool->following, 0, relaxed);	  /* order pool.orphan.9: alone */
	skua_store(&pool->visitors, 0, relaxed);	  /* order pool.orphan.2: alone */
	skua_store(&pool->is_stopping, false, relaxed);	  /* order pool.orphan.3: alone */
	skua_store(&pool->is_cancelling, false, relaxed); /* order pool.orphan.4: alone */
	skuai_monitor_orphan(pool);
	skuai_traces_orphan(pool);
	skuai_profiles_orphan(pool);
	for (unsigned i = 0; i < pool->count; i++) {
		struct skuai_worker *worker = &pool->workers[i];
		bool is_mine = worker == skuai_self;
		worker->park = (struct skuai_park){ 0 };
		worker->guest_park = (struct skuai_park){ 0 };
		worker->forks.lock = (struct skuai_lock){ 0 };
		worker->is_searching = false;
		worker->has_thread = is_mine && worker->sleeper == worker->number;
		worker->asked = NULL;
		worker->is_asking = false;
		worker->blocked = 0;				/* the width is opened anew */
		skua_store(&worker->tracer, NULL, relaxed);	/* order pool.orphan.10: alone */
		skua_store(&worker->bed_cpu, 0, relaxed);	/* order pool.orphan.12: alone */
		skua_store(&worker->forbidden_cpu, 0, relaxed); /* order pool.orphan.13: alone */
		worker->profiler = NULL;
		skuai_eye_set(worker, SKUAI_EYE_PROFILE, false);
		skuai_eye_set(worker, SKUAI_EYE_TRACE, false);
		memset(worker->cells, 0, sizeof(worker->cells));
		skuai_deque_reset(&worker->deque); /* its jobs are the parent's */
		if (is_mine) {
			if (worker->sleeper != worker->number) /* as a guest, and will leave */
				skua_store(&pool->visitors, 1,
					   relaxed); /* order pool.orphan.5: alone */
			skuai_forks_orphan(&worker->forks);
			continue; /* whoever forked is in the middle of it */
		}
		skuai_forks_reset(&worker->forks);
		skua_store(&worker->task, 0, relaxed); /* order pool.orphan.11: alone */
		worker->depth = 0;
		worker->sleeper = worker->number;
		worker->idle_since_ns = 0;
		skua_store(&worker->is_busy, false, relaxed); /* order pool.orphan.1: alone */
	}
}

/* --- the default pool --- */

struct skuai_lock skuai_default_lock;
static _Atomic(struct skua_pool *) default_pool;

static void print_stats(struct skua_pool *pool);

/* At the end of the program: the default pool is not closed then, its work may go on. */
static void report_default(void)
{
	/* order pool.report.1: acquire, pairs pool.default.2 */
	struct skua_pool *pool = skua_load(&default_pool, acquire);

	if (pool) {
		skuai_traces_finish(pool);
		print_stats(pool);
		skuai_profiles_finish(pool);
	}
}

static struct skua_pool *open_default(int *error)
{
	skuai_lock_take(&skuai_default_lock);
	/* order pool.default.1: relaxed, under the lock */
	struct skua_pool *pool = skua_load(&default_pool, relaxed);
	static bool will_report;
	if (!pool && (*error = skua_pool_open(&pool, NULL)) == SKUA_OK && !will_report)
		will_report = atexit(report_default) == 0;
	if (pool)
		/* order pool.default.2: release, pairs pool.of.2, pool.close.1, pool.self.1,
		 * pool.report.1 */
		skua_store(&default_pool, pool, release);
	skuai_lock_give(&skuai_default_lock);
	return pool;
}

struct skua_pool *skuai_pool_of(struct skua_pool *pool, int *error)
{
	*error = SKUA_OK;
	if (!pool)
		pool = skua_load(&default_pool,
				 acquire); /* order pool.of.2: acquire, pairs pool.default.2 */
	if (!pool && !(pool = open_default(error)))
		return NULL;
	/* order pool.of.1: acquire, pairs pool.start.2 */
	if (skua_load(&pool->started, acquire) != skuai_era() && (*error = skuai_pool_start(pool)))
		return NULL;
	return pool;
}

/* --- close --- */

bool skuai_pool_enter(struct skua_pool *pool)
{
	/* order pool.enter.1: acquire, pairs pool.close.3; sees what came before the bit, or is
	 * seen */
	if (!(skua_add(&pool->visitors, 1, acquire) & SKUAI_POOL_CLOSING))
		return true;
	skuai_pool_leave(pool);
	return false;
}

void skuai_pool_leave(struct skua_pool *pool)
{
	/* order pool.leave.1: release, pairs pool.drain.2; the closer sees all we did */
	if (skua_sub(&pool->visitors, 1, release) == (SKUAI_POOL_CLOSING | 1))
		skuai_wake(&pool->visitors, SKUAI_WAKE_ALL); /* by address: it may be gone */
}

/*
 * Every thread sleeps with nothing begun, and nothing is queued; only they could change that.  The
 * snapshot makes sure that nobody was up in between to take what we did not see.
 */
static bool is_quiet(struct skua_pool *pool)
{
	uint64_t before = skuai_idle_snapshot(&pool->idle);

	if (skuai_idle_sleeping(&pool->idle) != skuai_width_active(&pool->width))
		return false;
	for (unsigned i = 0; i < pool->count; i++)
		/* order pool.quiet.1: relaxed, carried by the count, read acquire */
		if (!skuai_width_is_dormant(&pool->width, i) &&
		    (!skuai_idle_is_asleep(&pool->idle, i) ||
		     !skua_load(&pool->workers[i].is_at_top, relaxed)))
			return false;
	return !skuai_is_there_work(&pool->workers[0], SKUAI_ALLOW_FORKS | SKUAI_ALLOW_JOBS) &&
	       skuai_chosen_count(&pool->chosen) == 0 && skuai_idle_snapshot(&pool->idle) == before;
}

/* Wait until nobody is in the middle of a call any more.  False: the deadline came first. */
static bool see_visitors_off(struct skua_pool *pool, int64_t deadline)
{
	for (;;) {
		/* order pool.drain.2: acquire, pairs pool.leave.1 */
		uint32_t seen = skua_load(&pool->visitors, acquire);
		if (seen == SKUAI_POOL_CLOSING)
			return true;
		if (skuai_wait(&pool->visitors, seen, deadline) == SKUAI_WAIT_TIMED_OUT)
			return false;
	}
}

/* Wait until everybody sleeps and nothing is queued.  False: the deadline came first. */
static bool drain(struct skua_pool *pool, int64_t deadline)
{
	enum skuai_wait_result result = SKUAI_WAIT_RETURNED;

	if (!see_visitors_off(pool, deadline))
		return false;
	for (;;) {
		/* order pool.drain.1: acquire, pairs worker.quiet.2 */
		uint32_t seen = skua_load(&pool->quiet, acquire);
		if (is_quiet(pool))
			return true;
		if (result == SKUAI_WAIT_TIMED_OUT)
			return false;
		result = skuai_wait(&pool->quiet, seen, deadline);
	}
}

static void print_stats(struct skua_pool *pool)
{
	static _Atomic bool is_told;
	struct skua_stats all = { .size = sizeof(all) }, each[SKUAI_COUNTERS_SHOWN];

	if (!skuai_wish("SKUA_STATS", getenv("SKUA_STATS"), &is_told))
		return;
	for (unsigned i = 0; i < pool->count; i++) {
		skuai_counters_add(&pool->workers[i].counters, &all);
		if (i < SKUAI_COUNTERS_SHOWN) {
			each[i] = (struct skua_stats){ .size = sizeof(each[i]) };
			skuai_counters_add(&pool->workers[i].counters, &each[i]);
		}
	}
	skuai_counters_print(stderr, pool->name, &all, each, pool->count);
	skuai_traces_report(pool, stderr);
}

int skua_pool_close_until(struct skua_pool *pool, enum skua_close how, int64_t deadline)
{
	if (!pool) {
		/* order pool.close.1: acquire, pairs pool.default.2 */
		pool = skua_load(&default_pool, acquire);
		if (!pool)
			return SKUA_OK;
	}
	if (skua_pool_self(pool) >= 0)
		return SKUA_EBUSY;
	/* order pool.close.2: relaxed, whoever runs looks at it before each job */
	skua_store(&pool->is_cancelling, how == SKUA_CLOSE_CANCEL, relaxed);
	/* order pool.close.3: release, pairs pool.enter.1 */
	skua_or(&pool->visitors, SKUAI_POOL_CLOSING, release);
	/* order pool.close.4: fence seq_cst, pairs idle.sleep.3; either sees the other */
	skua_fence(&pool->idle.counts, seq_cst);
	/* order pool.close.5: relaxed, whoever started them did so before handing us the pool */
	if (skua_load(&pool->started, relaxed) == skuai_era()) {
		if (!drain(pool, deadline))
			return SKUA_ETIMEDOUT;
		stop_threads(pool, pool->count);
	}
	skuai_lock_take(&skuai_default_lock);
	/* order pool.close.6: relaxed, under the lock */
	if (skua_load(&default_pool, relaxed) == pool)
		skua_store(&default_pool, NULL, relaxed); /* order pool.close.7: likewise */
	skuai_lock_give(&skuai_default_lock);
#ifdef SKUA_FAULTS
	/* order pool.dirty.1: relaxed, its threads are gone */
	if (skua_load(&pool->dirty, relaxed))
		skua_bug("skua_pool_close: a group of this pool has tasks and was never waited "
			 "for");
	/* order pool.dirty.2: relaxed, as .1 */
	if (skua_load(&pool->following, relaxed))
		skua_bug("skua_pool_close: a task of this pool (skua_then) waits for a future that "
			 "was not fulfilled");
#endif
	skuai_monitor_close(pool);
	skuai_traces_finish(pool);
	print_stats(pool);
	skuai_profiles_finish(pool);
	skuai_pools_remove(pool);
	pool_free(pool);
	return SKUA_OK;
}

int skua_pool_close(struct skua_pool *pool, enum skua_close how)
{
	return skua_pool_close_until(pool, how, SKUAI_NO_DEADLINE);
}

/* --- what it says of itself --- */

unsigned skua_pool_workers(struct skua_pool *pool)
{
	int error;

	pool = skuai_pool_of(pool, &error);
	return pool ? skuai_width_wanted(&pool->width) : 0;
}

unsigned skua_pool_places(struct skua_pool *pool)
{
	int error;

	pool = skuai_pool_of(pool, &error);
	return pool ? pool->count : 0;
}

int skua_pool_self(struct skua_pool *pool)
{
	if (!pool)
		pool = skua_load(&default_pool,
				 acquire); /* order pool.self.1: acquire, pairs pool.default.2 */
	return pool && skuai_self && skuai_self->pool == pool ? (int)skuai_self->number : -1;
}

int skua_pool_stats(struct skua_pool *pool, int worker, struct skua_stats *stats)
{
	int error;

	pool = skuai_pool_of(pool, &error);
	if (!pool)
		return error;
	if (!stats || stats->size < sizeof(*stats) || worker < -1 || worker >= (int)pool->count)
		return SKUA_EINVAL;
	*stats = (struct skua_stats){ .size = stats->size };
	for (unsigned i = 0; i < pool->count; i++)
		if (worker < 0 || (unsigned)worker == i)
			skuai_counters_add(&pool->workers[i].counters, stats);
	return SKUA_OK;
}

int64_t skua_clock_ns(void)
{
	return skuai_clock_ns();
}
