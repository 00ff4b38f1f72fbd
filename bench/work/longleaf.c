/* SPDX-License-Identifier: MIT */
/* longleaf.c — forks that wait on a worker which has no time to answer: when does another help? */
#include "longleaf.h"

#include "grind.h"

#include <skua/fork.h>
#include <stdlib.h>

/*
 * The root forks eight tasks of 5 ms, then enters a leaf of 40 ms in which it neither forks nor
 * joins.  Where a worker hands out its forks only when it comes by, all of them wait 40 ms, and a
 * second worker is worth nothing.  Tasks and leaf write where nobody else does; the root reads it
 * when they are joined.
 */

static void run_task(struct longleaf *trap, unsigned i)
{
	trap->tasks[i].result = grind(i, trap->task_turns);
}

static void run_leaf(struct longleaf *trap)
{
	trap->leaf_result = grind(LONGLEAF_TASKS, trap->leaf_turns);
}

SKUA_TASK_VOID(trapped_task, struct longleaf *, trap, struct skua_pool *, pool, unsigned, i)
{
	trap->tasks[i].start = skua_clock_ns();
	trap->tasks[i].worker = skua_pool_self(pool);
	run_task(trap, i);
}

SKUA_TASK_VOID(trap_root, struct longleaf *, trap, struct skua_pool *, pool)
{
	skua_forked(trapped_task) forked[LONGLEAF_TASKS];

	trap->leaf_worker = skua_pool_self(pool);
	for (unsigned i = 0; i < LONGLEAF_TASKS; i++)
		skua_fork_into(trapped_task, forked[i], trap, pool, i);
	trap->leaf_start = skua_clock_ns();
	run_leaf(trap);
	for (unsigned i = LONGLEAF_TASKS; i-- > 0;)
		skua_join(trapped_task, forked[i]);
}

static void *prepare(const struct work_problem *problem)
{
	struct longleaf *trap = calloc(1, sizeof(*trap));

	if (trap) {
		trap->task_turns = problem->size / LONGLEAF_TASKS * GRIND_US;
		trap->leaf_turns = problem->size * GRIND_US;
	}
	return trap;
}

static void reset(void *data)
{
	struct longleaf *trap = data;

	*trap = (struct longleaf){ .task_turns = trap->task_turns, .leaf_turns = trap->leaf_turns };
}

static void run_serial(void *data)
{
	struct longleaf *trap = data;

	run_leaf(trap);
	for (unsigned i = LONGLEAF_TASKS; i-- > 0;)
		run_task(trap, i);
}

/* When, after the leaf began, did somebody else start one of the tasks? */
static void run_skua(void *data, struct skua_pool *pool)
{
	struct longleaf *trap = data;
	int64_t first = 0;

	skua_run(pool, trap_root, trap, pool);
	for (unsigned i = 0; i < LONGLEAF_TASKS; i++) {
		const struct longleaf_task *task = &trap->tasks[i];
		if (task->worker != trap->leaf_worker && (!first || task->start < first))
			first = task->start;
	}
	if (!first)
		return;
	/* A worker that was awake may have been there before the leaf. */
	int64_t waited = first > trap->leaf_start ? first - trap->leaf_start : 0;
	trap->notes.readings[trap->notes.count++] = (struct work_reading){
		.name = "first_start", .role = "until another one starts", .ns = (double)waited
	};
}

static bool check(void *data)
{
	struct longleaf *trap = data;

	for (unsigned i = 0; i < LONGLEAF_TASKS; i++) {
		if (trap->tasks[i].result != grind_answer(i, trap->task_turns))
			return false;
	}
	return trap->leaf_result == grind_answer(LONGLEAF_TASKS, trap->leaf_turns);
}

static const struct work_notes *notes(const void *data)
{
	return &((const struct longleaf *)data)->notes;
}

static const struct work_problem problems[] = {
	{ .name = "800us", .tier = WORK_TEST, .size = 800 },
	{ .name = "40ms", .tier = WORK_QUICK, .size = 40000 },
	{ .name = NULL },
};

const struct work work_longleaf = {
	.name = "longleaf",
	.role = "forks that wait on a worker which has no time to answer",
	.unit = "us in the leaf, and in all eight tasks",
	.problems = problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_skua,
	.check = check,
	.drop = free,
	.notes = notes,
};
