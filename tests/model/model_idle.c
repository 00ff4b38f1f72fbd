/* SPDX-License-Identifier: MIT */
/* model_idle.c — the production idle protocol: no wake is lost, the counts follow the bits */
#include "mirror.h"

/* --- nobody sleeps beside work --- */

static void no_lost_wake(void)
{
	pool_open(
		&(struct pool){ .count = 1, .item_count = 1, .is_lazy = true, .is_urgent = true });
	mc_start(worker_awake, &pool->workers[0]);
	mc_start(producer, (void *)0);
	check_end();
}

static void two_sleepers(void)
{
	pool_open(&(struct pool){ .count = 2,
				  .item_count = 1,
				  .is_lazy = true,
				  .is_urgent = true,
				  .is_closed_by_last = true });
	mc_start(worker_awake, &pool->workers[0]);
	start_searching(1);
	mc_start(producer, (void *)0);
	check_end();
}

/* Two items for two workers, each of whom runs one: R21, the cascade through skuai_idle_leave. */
static void two_items(void *unused)
{
	(void)unused;
	producer((void *)0);
	producer((void *)1);
}

static void cascade(void)
{
	pool_open(
		&(struct pool){ .count = 2, .item_count = 2, .is_lazy = true, .is_urgent = true });
	start_listed(0);
	start_searching(1);
	mc_start(two_items, NULL);
	check_end();
}

static void cascade_asleep(void)
{
	pool_open(
		&(struct pool){ .count = 2, .item_count = 2, .is_lazy = true, .is_urgent = true });
	start_listed(0);
	start_listed(1);
	mc_start(two_items, NULL);
	check_end();
}

static void two_producers(void)
{
	pool_open(
		&(struct pool){ .count = 2, .item_count = 2, .is_lazy = true, .is_urgent = true });
	start_listed(0);
	start_searching(1);
	mc_start(producer, (void *)0);
	mc_start(producer, (void *)1);
	check_end();
}

/* The heart of it: the last searcher has found something and leaves, just as one that was not let
 * search goes to sleep, and just as there is more. */
static void leaver(void *self)
{
	stop_searching(self);
}

static void leave_against_sleep(void)
{
	pool_open(
		&(struct pool){ .count = 2, .item_count = 1, .is_lazy = true, .is_urgent = true });
	pool->workers[0].is_searching = skuai_idle_search(&pool->idle, 1);
	mc_start(leaver, &pool->workers[0]);
	mc_start(worker_awake, &pool->workers[1]);
	mc_start(producer, (void *)0);
	check_end();
}

/* --- the sentinel --- */

/* It naps once, then is cold and says so; a maker of work that is not urgent relied on it. */
static void sentinel_goes_cold(void)
{
	pool_open(&(struct pool){ .count = 1, .item_count = 1, .is_lazy = true });
	pool->workers[0].naps = 1;
	start_searching(0);
	mc_start(producer, (void *)0);
	check_end();
}

/* It finds work, and looks around no more: another must. */
static void sentinel_finds(void)
{
	pool_open(&(struct pool){ .count = 2, .item_count = 2, .is_lazy = true });
	pool->workers[1].naps = 1;
	start_listed(0);
	start_searching(1);
	mc_start(two_items, NULL);
	check_end();
}

/* Last searcher leaves, relying on a sentinel that goes cold. */
static void leave_against_cold(void)
{
	pool_open(&(struct pool){ .count = 2, .item_count = 1, .is_lazy = true, .most = 2 });
	pool->workers[0].is_searching = skuai_idle_search(&pool->idle, 2);
	mc_assert(skuai_idle_sentinel_take(&pool->idle, 1));
	mc_start(leaver, &pool->workers[0]);
	start_searching(1);
	mc_start(producer, (void *)0);
	check_end();
}

/* The sentinel has found something and leaves; the other searcher is the one to look around. */
static void sentinel_leaves(void)
{
	pool_open(&(struct pool){ .count = 2, .item_count = 1, .is_lazy = true, .most = 2 });
	pool->workers[0].is_searching = skuai_idle_search(&pool->idle, 2);
	mc_assert(skuai_idle_sentinel_take(&pool->idle, 0));
	mc_start(leaver, &pool->workers[0]);
	start_searching(1);
	mc_start(producer, (void *)0);
	check_end();
}

/* --- up for a reason of its own --- */

static _Atomic uint32_t *child;

static void thief(void *victim)
{
	struct worker *worker = victim;

	if (skua_exchange(child, 2, acq_rel) == 1) /* skuai_forks_done */
		skuai_unpark(&worker->park);
}

/* worker.c: a join waits; then the worker is back at the top, where a guest may take its place. */
static void joiner(void *arg)
{
	struct worker *self = arg;

	work_until(self, &(struct until){ .child = child, .deadline = SKUAI_NO_DEADLINE });
	mc_write(&self->place, mc_read(&self->place) + 1);
}

static void child_against_claim(void)
{
	pool_open(&(struct pool){ .count = 1, .item_count = 1, .is_urgent = true });
	child = &pool->ended;
	mc_start(joiner, &pool->workers[0]);
	mc_start(thief, &pool->workers[0]);
	mc_start(producer, (void *)0);
	mc_join();
	mc_assert(skuai_idle_searching(&pool->idle) == 0);
	mc_assert(skuai_idle_sleeping(&pool->idle) == 0);
	mc_assert(!skuai_idle_is_asleep(&pool->idle, 0) && !skuai_idle_is_asleep(&pool->idle, 1));
}

/* --- begin against the last one to sleep --- */

static void busy(void *self)
{
	begin(self);
	stop_threads();
}

static void sleeper(void *self)
{
	sleep_listed(self, &(struct until){ .deadline = SKUAI_NO_DEADLINE });
	stop_searching(self);
}

/* Either it asks itself or the other asks it. */
static void begin_against_arm(void)
{
	pool_open(&(struct pool){ .count = 2 });
	pool->workers[1].is_searching = skuai_idle_search(&pool->idle, 1);
	mc_start(busy, &pool->workers[0]);
	mc_start(sleeper, &pool->workers[1]);
	check_end();
	mc_assert(skua_load(&pool->workers[0].is_asked, relaxed));
}

static void begins(void *self)
{
	begin(self);
}

static void falls_asleep(void *arg)
{
	struct worker *self = arg;

	if (skuai_idle_sleep(&pool->idle, self->number, false))
		arm_everybody(self);
}

/* The last searcher leaves: it sees who is busy and wakes the sleeper, or that one is asked. */
static void begin_against_leave(void)
{
	pool_open(&(struct pool){ .count = 3 });
	pool->workers[0].is_searching = skuai_idle_search(&pool->idle, 1);
	mc_start(leaver, &pool->workers[0]);
	mc_start(falls_asleep, &pool->workers[1]);
	mc_start(begins, &pool->workers[2]);
	mc_join();
	mc_assert(skua_load(&pool->workers[2].is_asked, relaxed) ||
		  !skuai_idle_is_asleep(&pool->idle, 1));
}

/* --- guests --- */

/* visit.c: find_place for one place, skua_visit_begin, skua_visit_end */
static bool take_place(unsigned number)
{
	struct worker *worker = &pool->workers[number];

	if (!skuai_idle_is_asleep(&pool->idle, number) || !skua_load(&worker->is_at_top, relaxed) ||
	    !skuai_idle_borrow(&pool->idle, number))
		return false;
	if (!skua_load(&worker->is_at_top, relaxed)) {
		skuai_idle_search(&pool->idle, UINT32_MAX);
		skuai_unpark_call(&worker->park);
		return false;
	}
	if (skuai_idle_is_sentinel(&pool->idle, number)) {
		skuai_idle_sentinel_leave(&pool->idle, number);
		notify(false);
	}
	return true;
}

static void end_visit(unsigned number)
{
	struct worker *place = &pool->workers[number];

	skua_store(&place->is_busy, false, relaxed);
	skua_store(&place->is_at_top, true, relaxed);
	if (skuai_idle_sleep(&pool->idle, number, false) && is_there_work())
		wake_one(0);
	tell_closer();
}

static void guest(void *unused)
{
	struct worker *place = &pool->workers[0];

	(void)unused;
	if (!take_place(0))
		return;
	mc_write(&place->place, mc_read(&place->place) + 1);
	begin(place);
	mc_write(&place->place, mc_read(&place->place) + 1);
	end_visit(0);
}

/* The place is taken or its thread is called; the item is not left behind. */
static void borrow_against_claim(void)
{
	pool_open(
		&(struct pool){ .count = 1, .item_count = 1, .is_lazy = true, .is_urgent = true });
	start_listed(0);
	mc_start(guest, NULL);
	mc_start(producer, (void *)0);
	check_end();
}

static void borrow_against_nap(void)
{
	pool_open(&(struct pool){ .count = 1, .item_count = 1, .is_lazy = true });
	pool->workers[0].naps = 1;
	start_searching(0);
	mc_start(guest, NULL);
	mc_start(producer, (void *)0);
	check_end();
}

/* A late token for a reason long gone does not wake the thread whose place a guest has. */
static void joiner_then_top(void *arg)
{
	joiner(arg);
	worker_awake(arg);
}

static void guest_then_stop(void *unused)
{
	guest(unused);
	stop_threads();
}

static void borrow_against_late_token(void)
{
	pool_open(&(struct pool){ .count = 1 });
	child = &pool->ended;
	mc_start(joiner_then_top, &pool->workers[0]);
	mc_start(thief, &pool->workers[0]);
	mc_start(guest_then_stop, NULL);
	check_end();
}

/* pool.c: is_quiet.  Who counts a sleeper sees the work that it made before. */
static void worker_makes_and_sleeps(void *unused)
{
	(void)unused;
	publish(0);
	skuai_idle_sleep(&pool->idle, 0, false);
}

static void quiet_or_work(void)
{
	pool_open(&(struct pool){ .count = 1, .item_count = 1 });
	mc_start(worker_makes_and_sleeps, NULL);
	if (skuai_idle_sleeping(&pool->idle) == 1 && skuai_idle_is_asleep(&pool->idle, 0))
		mc_assert(is_there_work());
	mc_join();
}

/* Asleep with nothing begun, then again inside a task: its place is not to be had. */
static void called_then_joins(void *arg)
{
	sleep_until_called(arg, 0, &pool->workers[0].park, SKUAI_NO_DEADLINE);
	joiner(arg);
}

static void borrow_against_join(void)
{
	pool_open(&(struct pool){ .count = 1, .is_urgent = true });
	child = &pool->ended;
	skua_store(&pool->workers[0].is_at_top, true, relaxed);
	skuai_idle_sleep(&pool->idle, 0, false);
	wake_one(0);
	mc_start(called_then_joins, &pool->workers[0]);
	mc_start(thief, &pool->workers[0]);
	mc_start(guest, NULL);
	check_end();
}

/* The nap ends while a guest has the place; then the pool stops. */
static void nap_against_stop(void)
{
	pool_open(&(struct pool){ .count = 1 });
	pool->workers[0].naps = 1;
	start_searching(0);
	mc_start(guest_then_stop, NULL);
	check_end();
}

int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		{ .name = "no_lost_wake", .body = no_lost_wake, .spurious = 1 },
		{ .name = "leave_against_sleep", .body = leave_against_sleep },
		{ .name = "begin_against_arm", .body = begin_against_arm },
		{ .name = "begin_against_leave", .body = begin_against_leave },
		{ .name = "child_against_claim", .body = child_against_claim, .preemptions = 3 },
		{ .name = "sentinel_goes_cold", .body = sentinel_goes_cold },
		{ .name = "quiet_or_work", .body = quiet_or_work },
		{ .name = "sentinel_leaves", .body = sentinel_leaves },
		{ .name = "leave_against_cold", .body = leave_against_cold },
		{ .name = "borrow_against_claim", .body = borrow_against_claim },
		{ .name = "borrow_against_nap", .body = borrow_against_nap, .preemptions = 2 },
		{ .name = "borrow_against_late_token", .body = borrow_against_late_token },
		{ .name = "borrow_against_join", .body = borrow_against_join },
		{ .name = "nap_against_stop", .body = nap_against_stop },
		{ .name = "two_sleepers", .body = two_sleepers, .preemptions = 1 },
		{ .name = "cascade", .body = cascade, .preemptions = 2 },
		{ .name = "cascade_asleep", .body = cascade_asleep, .preemptions = 2 },
		{ .name = "large_sentinel_finds", .body = sentinel_finds, .preemptions = 2 },
		{ .name = "two_producers", .body = two_producers, .preemptions = 1 },
		{ .name = NULL },
	};
	return mc_main(argc, argv, cases);
}
