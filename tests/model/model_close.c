/* SPDX-License-Identifier: MIT */
/* model_close.c — closing a pool: it waits until all is done, and nobody is left inside */
#include "mirror.h"

/* pool.c: is_quiet */
static bool is_quiet(void)
{
	if (skuai_idle_sleeping(&pool->idle) != pool->count)
		return false;
	for (unsigned i = 0; i < pool->count; i++)
		if (!skuai_idle_is_asleep(&pool->idle, i) ||
		    !skua_load(&pool->workers[i].is_at_top, relaxed))
			return false;
	return !is_there_work();
}

/* pool.c: drain, without a deadline */
static void drain(void)
{
	for (;;) {
		uint32_t seen = skua_load(&pool->quiet, acquire);
		if (is_quiet())
			return;
		skuai_wait(&pool->quiet, seen, SKUAI_NO_DEADLINE);
	}
}

/* pool.c: skua_pool_close_until */
static void close_pool(void)
{
	skua_store(&pool->is_closing, true, release);
	skua_fence(&pool->idle.counts, seq_cst);
	drain();
	stop_threads();
	check_end();
	for (unsigned i = 0; i < pool->count; i++)
		(void)mc_read(&pool->workers[i].place); /* all its tasks did is visible */
}

/* One that has run what it had and finds nothing more. */
static void last_sleeper(void)
{
	pool_open(&(struct pool){ .count = 1 });
	mc_start(worker_awake, &pool->workers[0]);
	close_pool();
}

static void two_last_sleepers(void)
{
	pool_open(&(struct pool){ .count = 2 });
	start_searching(0);
	mc_start(worker_awake, &pool->workers[1]);
	close_pool();
}

/* What was submitted before is run. */
static void drains(void)
{
	pool_open(&(struct pool){ .count = 1, .item_count = 1, .is_urgent = true });
	start_listed(0);
	producer((void *)0);
	close_pool();
}

static void drains_two(void)
{
	pool_open(&(struct pool){ .count = 2, .item_count = 2, .is_urgent = true });
	start_listed(0);
	start_listed(1);
	producer((void *)0);
	producer((void *)1);
	close_pool();
}

/* The sentinel's time is up just then. */
static void nap(void)
{
	pool_open(&(struct pool){ .count = 1 });
	pool->workers[0].naps = 1;
	start_searching(0);
	close_pool();
}

/* --- a visit that is under way: a running task of the pool's --- */

/* visit.c: skua_visit_end.  The pool may be gone once the place is given back. */
static void end_visit(void *unused)
{
	struct worker *place = &pool->workers[0];

	(void)unused;
	publish(0);
	notify(true);
	mc_write(&place->place, mc_read(&place->place) + 1);
	skua_store(&place->is_busy, false, relaxed);
	skua_store(&place->is_at_top, true, relaxed);
	if (skuai_idle_sleep(&pool->idle, place->number, false) && is_there_work())
		wake_one(0);
	tell_closer();
}

static void visit(void)
{
	pool_open(&(struct pool){ .count = 1, .item_count = 1, .is_urgent = true });
	start_listed(0);
	mc_assert(skuai_idle_borrow(&pool->idle, 0));
	mc_start(end_visit, NULL);
	close_pool();
}

int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		{ .name = "last_sleeper", .body = last_sleeper, .spurious = 1 },
		{ .name = "two_last_sleepers", .body = two_last_sleepers, .preemptions = 2 },
		{ .name = "drains", .body = drains },
		{ .name = "large_drains_two", .body = drains_two, .preemptions = 1 },
		{ .name = "nap", .body = nap },
		{ .name = "visit", .body = visit, .preemptions = 2 },
		{ .name = NULL },
	};
	return mc_main(argc, argv, cases);
}
