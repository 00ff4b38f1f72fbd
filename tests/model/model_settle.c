/* SPDX-License-Identifier: MIT */
/* model_settle.c — results that come once: told once each, and nobody touches what is gone */
#include "mc.h"

#include "base/alloc.h"
#include "base/atomic.h"
#include "os/clock.h"
#include "os/thread.h"
#include "sched/outcome.h"
#include "sched/settle.h"
#include "sched/worker.h"

/*
 * Who waits is a listener with an event, as in future.c: skua_await.  There it stands on the
 * stack of its thread, here in a block that is freed when the wait returns; so is the future,
 * where nobody else has it.  Whoever touches either after that, or is not ordered before, is an
 * error.
 *
 * The fields of a future and of a listener are plain, and not watched: cells stand for them.
 * Who fulfils writes a result before, who listens a letter, and whoever is told reads it: two
 * that both believe to hold the lock, or one that does not see what the last holder wrote, are
 * a data race.
 */
enum {
	WAITERS_MAX = 2,
};

struct waiter {
	struct skuai_listener listener;
	struct skua_job event;
	struct mc_cell letter;
};

static struct table {
	struct skua_future *future;
	bool is_kept;		   /* several know the future: it is not freed by whoever waited */
	struct mc_cell results[2]; /* of two that fulfil it */
	struct mc_cell guarded;	   /* the fields of the future that its lock guards */
	unsigned settled;	   /* how often */
	struct waiter *noted[MC_THREADS_MAX][WAITERS_MAX]; /* whom each thread has to tell */
	unsigned noted_count[MC_THREADS_MAX];
} * table;

/* The lock spins.  Who spins is as one who came later: nothing is lost by not going on with it. */
void skuai_thread_yield(void)
{
	mc_prune();
}

_Atomic uint32_t skuai_era_now; /* nobody forks here */

/* --- telling --- */

/* What is found by whoever still looks at a listener that was told, or is gone. */
static void tell_nobody(struct skuai_listener *listener, int error)
{
	(void)listener;
	(void)error;
	mc_assert(!"a listener that is gone is told");
}

static struct skuai_listener gone = { .tell = tell_nobody };

/*
 * settle.c keeps a list of the thread's own while it tells, in a thread-local variable.  The
 * threads of a case are one to the compiler, so nothing may come between: what tell does is
 * done at once after.  The listener's link is spoilt already here.  So these cases do not see
 * whether DONE comes before the first is told.
 */
static void note(struct skuai_listener *listener, int error)
{
	(void)error;
	table->noted[mc_self()][table->noted_count[mc_self()]++] =
		(struct waiter *)(void *)listener;
	listener->next = &gone;
}

/* future.c: wake_waiter */
static void wake_noted(void)
{
	for (unsigned i = 0; i < table->noted_count[mc_self()]; i++) {
		struct waiter *waiter = table->noted[mc_self()][i];
		mc_assert(mc_read(&waiter->letter) == 42);
		skuai_outcome_end(&waiter->event, SKUAI_JOB_DONE);
	}
}

static void settle(uint32_t from, int error)
{
	bool is_first = skuai_future_settle(table->future, from, error);

	mc_assert(is_first || from == SKUAI_FUTURE_EMPTY);
	table->settled += is_first;
	wake_noted();
}

/* --- future.c: skua_await --- */

enum how {
	WAS_DONE,      /* at the first look */
	NOT_LISTENED,  /* it was done by then */
	TOLD,	       /* it listened */
	TOLD_TOO_LATE, /* it wanted to listen no more */
	GAVE_UP,       /* the deadline came first */
};

static enum how listen_until(struct waiter *waiter, int64_t deadline)
{
	enum how how = TOLD;

	if (!skuai_future_listen(table->future, &waiter->listener))
		return NOT_LISTENED;
	if (skuai_outcome_sleep(&waiter->event, deadline) == SKUAI_JOB_QUEUED) {
		if (skuai_future_unlisten(table->future, &waiter->listener))
			return GAVE_UP;
		how = TOLD_TOO_LATE;
	}
	skuai_outcome_sleep(&waiter->event, SKUAI_NO_DEADLINE);
	return how;
}

static enum how await(int64_t deadline)
{
	if (skuai_future_stage(table->future) == SKUAI_FUTURE_DONE)
		return WAS_DONE;
	struct waiter *waiter = skuai_alloc(1, sizeof(*waiter));
	waiter->listener.tell = note;
	mc_write(&waiter->letter, 42);
	mc_assert(skuai_outcome_begin(&waiter->event));
	enum how how = listen_until(waiter, deadline);
	waiter->listener = gone;
	skuai_free(waiter);
	return how;
}

/* --- threads --- */

static void fulfiller(void *number)
{
	unsigned mine = (unsigned)(uintptr_t)number;

	mc_write(&table->results[mine], 100 + mine);
	settle(SKUAI_FUTURE_EMPTY, -1 - (int)mine);
}

/* It is there: with the error of whoever was first, and all that it did. */
static void see(void)
{
	unsigned winner = (unsigned)(-1 - table->future->error);

	mc_assert(mc_read(&table->results[winner]) == 100 + winner);
	if (!table->is_kept)
		skuai_free(table->future);
}

static void waiter_patient(void *unused)
{
	(void)unused;
	mc_outcome("%d", (int)await(SKUAI_NO_DEADLINE));
	see();
}

/* Its time may be up at any moment; it does not come back. */
static void waiter_impatient(void *unused)
{
	(void)unused;
	enum how how = await(1);
	mc_outcome("%d", (int)how);
	if (how != GAVE_UP)
		see();
}

static void open_table(bool is_kept)
{
	table = mc_alloc(sizeof(*table));
	table->future = skuai_alloc(1, sizeof(*table->future));
	table->is_kept = is_kept;
}

static void check_end(void)
{
	mc_join();
	if (table->is_kept) {
		mc_assert(skua_load(&table->future->state, relaxed) == SKUAI_FUTURE_DONE);
		skuai_free(table->future);
	}
	mc_assert(table->settled == 1 && mc_blocks_left() == 0);
}

/* --- told once, or not any more --- */

static void listen(void)
{
	open_table(false);
	mc_start(waiter_patient, NULL);
	mc_start(fulfiller, (void *)0);
	check_end();
}

static void unlisten(void)
{
	open_table(true);
	mc_start(waiter_impatient, NULL);
	mc_start(fulfiller, (void *)0);
	check_end();
}

/* One in the middle of the list goes, while others come and the list is taken out. */
static void two_listeners(void)
{
	open_table(true);
	mc_start(waiter_patient, NULL);
	mc_start(waiter_impatient, NULL);
	mc_start(fulfiller, (void *)0);
	check_end();
}

static void two_fulfillers(void)
{
	open_table(true);
	mc_start(waiter_patient, NULL);
	mc_start(fulfiller, (void *)0);
	mc_start(fulfiller, (void *)1);
	check_end();
}

/* --- a task, or anybody --- */

/* skua_future_async, its task included. */
static void tasker(void *unused)
{
	(void)unused;
	if (!skuai_future_reserve(table->future, NULL))
		return;
	mc_write(&table->results[1], 101);
	settle(SKUAI_FUTURE_TASKED, -2);
}

/* Either has it.  Fulfilled while it has a task: no. */
static void reserve(void)
{
	open_table(true);
	mc_start(waiter_patient, NULL);
	mc_start(tasker, NULL);
	mc_start(fulfiller, (void *)0);
	check_end();
}

/* --- the lock --- */

static void hold_lock(void *unused)
{
	(void)unused;
	uint32_t stage = skuai_future_lock(table->future);
	mc_assert(stage != SKUAI_FUTURE_DONE);
	mc_write(&table->guarded, mc_read(&table->guarded) + 1);
	skuai_future_unlock(table->future, stage);
}

/* What the one before wrote goes through the hands of one that only changes the stage. */
static void reserver(void *unused)
{
	(void)unused;
	mc_assert(skuai_future_reserve(table->future, NULL));
}

static void releaser(void *unused)
{
	(void)unused;
	skuai_future_release(table->future);
}

static void hand_through(void (*middle)(void *), uint32_t before, uint32_t after)
{
	open_table(true);
	skua_store(&table->future->state, before, relaxed);
	mc_start(hold_lock, NULL);
	mc_start(middle, NULL);
	mc_start(hold_lock, NULL);
	mc_join();
	mc_assert(skua_load(&table->future->state, relaxed) == after);
	mc_assert(mc_read(&table->guarded) == 2);
	mc_outcome("whole");
}

static void hand_through_reserve(void)
{
	hand_through(reserver, SKUAI_FUTURE_EMPTY, SKUAI_FUTURE_TASKED);
}

static void hand_through_release(void)
{
	hand_through(releaser, SKUAI_FUTURE_TASKED, SKUAI_FUTURE_EMPTY);
}

/* Outcomes are of enum how: each way to wait has been gone to its end. */
int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		{ .name = "listen", .body = listen, .outcomes = "0 1 2", .spurious = 1 },
		{ .name = "unlisten", .body = unlisten, .outcomes = "0 1 2 3 4" },
		{ .name = "hand_through_reserve",
		  .body = hand_through_reserve,
		  .outcomes = "whole" },
		{ .name = "hand_through_release",
		  .body = hand_through_release,
		  .outcomes = "whole" },
		{ .name = "reserve", .body = reserve, .outcomes = "0 1 2" },
		{ .name = "two_fulfillers", .body = two_fulfillers, .outcomes = "0 1 2" },
		{ .name = "two_listeners",
		  .body = two_listeners,
		  .outcomes = "0 1 2 3 4",
		  .preemptions = 2 },
		{ .name = NULL },
	};
	return mc_main(argc, argv, cases);
}
