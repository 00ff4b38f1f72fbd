/* SPDX-License-Identifier: MIT */
/* model_tally.c — the count of a group: the last task ends it, once, and touches it no more */
#include "mc.h"

#include "base/alloc.h"
#include "base/atomic.h"
#include "os/clock.h"
#include "sched/outcome.h"
#include "sched/park.h"
#include "sched/tally.h"

#include <skua/error.h>

/*
 * A group is what group.c has of it: the count, the event, the error; its functions stand here
 * under their names there, without cells and queues.  A task writes its cell, then leaves.  The
 * group is a block of its own: who waited for it frees it, so whoever touches it after that, or
 * is not ordered before, is an error.  Claims: the wait ends when all tasks have left, not
 * before; the waiter sees what each of them did; nobody sleeps for ever (the checker sees a
 * deadlock).
 */
enum {
	TASKS_MAX = 2,
};

static struct table {
	struct group {
		_Atomic uint32_t pending;
		_Atomic int32_t error;
		struct skua_job done;
	} * group;
	uint32_t max_inflight;
	bool is_kept; /* others know the group for longer than the wait: not freed by it */
	struct mc_cell results[TASKS_MAX];
	unsigned begun[TASKS_MAX];
	struct skuai_park second; /* the worker that gets the task which a task adds */
	int winner;
} * table;

/* --- group.c --- */

static void open_table(uint32_t tasks, uint32_t max_inflight)
{
	table = mc_alloc(sizeof(*table));
	table->group = skuai_alloc(1, sizeof(*table->group));
	table->max_inflight = max_inflight;
	mc_assert(skuai_outcome_begin(&table->group->done));
	skua_store(&table->group->pending, 1 + tasks, relaxed);
}

static uint32_t pending_of(const struct group *group)
{
	return skua_load(&group->pending, relaxed) & ~SKUAI_TALLY_ROOM_WAITS;
}

static void leave(struct group *group)
{
	skuai_tally_leave(&group->pending, &group->done, table->max_inflight);
}

static bool is_over(struct group *group)
{
	return skuai_outcome_stage(&group->done) != SKUAI_JOB_QUEUED;
}

/* False: the deadline came first. */
static bool wait_for_all(struct group *group, int64_t deadline)
{
	leave(group);
	while (!is_over(group)) {
		bool is_late = skuai_outcome_sleep(&group->done, deadline) == SKUAI_JOB_QUEUED;
		if (is_late && skuai_tally_hold(&group->pending))
			return false;
		if (is_late)
			deadline =
				SKUAI_NO_DEADLINE; /* over in a moment: it looks again and again */
	}
	return true;
}

static void wait_for_room(struct group *group)
{
	while (pending_of(group) > table->max_inflight)
		skuai_tally_sleep(&group->pending, table->max_inflight, SKUAI_NO_DEADLINE);
}

/* --- threads --- */

static void work(unsigned number)
{
	mc_assert(++table->begun[number] == 1);
	mc_write(&table->results[number], 100 + number);
}

static void task(void *number)
{
	work((unsigned)(uintptr_t)number);
	leave(table->group);
}

/* All that was begun is over, and ours to see; the group's memory goes. */
static void end_wait(void)
{
	for (unsigned i = 0; i < TASKS_MAX; i++)
		mc_assert(mc_read(&table->results[i]) == (table->begun[i] ? 100 + i : 0));
	mc_assert(skua_load(&table->group->pending, relaxed) == 0);
	if (!table->is_kept)
		skuai_free(table->group);
}

static void waiter(void *unused)
{
	(void)unused;
	mc_assert(wait_for_all(table->group, SKUAI_NO_DEADLINE));
	end_wait();
}

static void check_end(unsigned tasks)
{
	mc_join();
	for (unsigned i = 0; i < TASKS_MAX; i++)
		mc_assert(table->begun[i] == (i < tasks));
	if (table->is_kept)
		skuai_free(table->group);
	mc_assert(mc_blocks_left() == 0);
}

/* --- the last one --- */

static void two_tasks_and_waiter(uint32_t max_inflight)
{
	open_table(2, max_inflight);
	mc_start(waiter, NULL);
	mc_start(task, (void *)0);
	mc_start(task, (void *)1);
	check_end(2);
}

static void last_one(void)
{
	two_tasks_and_waiter(0);
}

static void last_one_limited(void)
{
	two_tasks_and_waiter(2);
}

/* --- a wait that is given up --- */

/* Its time may be up at any moment; then it waits once more, for as long as it takes. */
static void impatient_waiter(void *unused)
{
	(void)unused;
	if (!wait_for_all(table->group, 1)) {
		mc_assert(pending_of(table->group) >= 1); /* open again */
		mc_assert(wait_for_all(table->group, SKUAI_NO_DEADLINE));
	}
	end_wait();
}

static void wait_given_up(void)
{
	open_table(1, mc_choose(2));
	mc_start(impatient_waiter, NULL);
	mc_start(task, (void *)0);
	check_end(1);
}

static void wait_given_up_two(void)
{
	open_table(2, 0);
	mc_start(impatient_waiter, NULL);
	mc_start(task, (void *)0);
	mc_start(task, (void *)1);
	check_end(2);
}

/* --- a task that adds another --- */

static void adding_task(void *unused)
{
	(void)unused;
	work(0);
	skua_add(&table->group->pending, 1, relaxed); /* group.c: add_small */
	skuai_unpark(&table->second);
	leave(table->group);
}

static void added_task(void *unused)
{
	(void)unused;
	skuai_park(&table->second, SKUAI_NO_DEADLINE);
	task((void *)1);
}

static void go_from_a_task(void)
{
	open_table(1, mc_choose(2));
	mc_start(waiter, NULL);
	mc_start(adding_task, NULL);
	mc_start(added_task, NULL);
	check_end(2);
}

/* --- room --- */

/* A thread of the program: it waits for room, adds a task, and runs it as a worker would. */
static void submitter(void *number)
{
	wait_for_room(table->group);
	skua_add(&table->group->pending, 1, relaxed);
	task(number);
}

/* One inside, none more may be: the submitter waits for it.  Nobody waits for all. */
static void room(void)
{
	open_table(1, 1);
	mc_start(task, (void *)0);
	mc_start(submitter, (void *)1);
	mc_join();
	mc_assert(pending_of(table->group) == 1);
	waiter(NULL);
	check_end(2);
}

/* Two wait for the same room; each of them gets it, and leaves. */
static void hurried_submitter(void *unused)
{
	(void)unused;
	wait_for_room(table->group);
	skua_add(&table->group->pending, 1, relaxed);
	leave(table->group);
}

static void room_for_two(void)
{
	open_table(1, 1);
	mc_start(task, (void *)0);
	mc_start(hurried_submitter, NULL);
	mc_start(hurried_submitter, NULL);
	mc_join();
	mc_assert(pending_of(table->group) == 1);
	waiter(NULL);
	check_end(1);
}

/* The submitter is a task of the group itself: it is counted, so the wait does not end before. */
static void submitting_task(void *unused)
{
	(void)unused;
	wait_for_room(table->group);
	skua_add(&table->group->pending, 1, relaxed);
	task((void *)1);
	leave(table->group);
}

static void room_beside_wait(void)
{
	open_table(2, 1);
	mc_start(waiter, NULL);
	mc_start(task, (void *)0);
	mc_start(submitting_task, NULL);
	check_end(2);
}

/* --- the error --- */

static bool fail(int why)
{
	int32_t none = SKUA_OK;

	return skua_cas(&table->group->error, &none, why, relaxed, relaxed);
}

/* group.c: run_small, run_task; each fails, unless it hears that another did. */
static void failing_task(void *number)
{
	int why = -1 - (int)(uintptr_t)number;

	if (skua_load(&table->group->error, relaxed) == SKUA_OK) {
		mc_write(&table->results[(uintptr_t)number], 1);
		if (fail(why))
			table->winner = why;
	}
	leave(table->group);
}

static void canceller(void *unused)
{
	(void)unused;
	if (fail(-3))
		table->winner = -3;
}

/* What the wait returns is the first error, and what its task did before is there. */
static void error_waiter(void *unused)
{
	(void)unused;
	mc_assert(wait_for_all(table->group, SKUAI_NO_DEADLINE));
	int error = skua_load(&table->group->error, relaxed);
	mc_assert(error < 0 && error == table->winner);
	mc_assert(error == -3 || mc_read(&table->results[-1 - error]) == 1);
	mc_outcome("%d", error);
	if (!table->is_kept)
		skuai_free(table->group);
}

static void first_error(void)
{
	open_table(2, 0);
	mc_start(error_waiter, NULL);
	mc_start(failing_task, (void *)0);
	mc_start(failing_task, (void *)1);
	mc_join();
	mc_assert(mc_blocks_left() == 0);
}

/* Whoever cancels from outside keeps the group for as long as it does. */
static void first_error_against_cancel(void)
{
	open_table(1, 0);
	table->is_kept = true;
	mc_start(error_waiter, NULL);
	mc_start(failing_task, (void *)0);
	mc_start(canceller, NULL);
	mc_join();
}

int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		{ .name = "last_one", .body = last_one },
		{ .name = "last_one_limited", .body = last_one_limited },
		{ .name = "wait_given_up", .body = wait_given_up, .spurious = 1 },
		{ .name = "wait_given_up_two", .body = wait_given_up_two },
		{ .name = "go_from_a_task", .body = go_from_a_task },
		{ .name = "room", .body = room, .spurious = 1 },
		{ .name = "room_for_two", .body = room_for_two },
		{ .name = "room_beside_wait", .body = room_beside_wait },
		{ .name = "first_error", .body = first_error, .outcomes = "-1 -2" },
		{ .name = "first_error_against_cancel",
		  .body = first_error_against_cancel,
		  .outcomes = "-1 -3" },
		{ .name = NULL },
	};
	return mc_main(argc, argv, cases);
}
