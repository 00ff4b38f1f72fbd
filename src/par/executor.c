/* SPDX-License-Identifier: MIT */
/* executor.c — a pool behind the five fields of struct skua_executor */
#include "base/alloc.h"
#include "base/atomic.h"
#include "sched/tracing.h"
#include "sched/visit.h"
#include "sched/watch.h"
#include "sched/worker.h"

#include <skua/error.h>
#include <skua/executor.h>
#include <skua/fork.h>
#include <skua/job.h>

/*
 * A bulk call halves its range and forks one half, down to a leaf.  A leaf runs its steps one after
 * the other and looks between two of them whether somebody asks for work; then it splits as well.
 * So there are forks enough that others can take by force while a step is long, and a step costs
 * one load more than a call.
 *
 * The slot is the number of the worker.  A worker runs one thing at a time, but not one thing to
 * its end: a step that waits in a join of its own takes other work meanwhile, and that may be a
 * part of the same bulk call.  Then two steps of one call would have one slot.  So who runs steps
 * keeps a list of the calls it is inside of, on its C stack, and a part of one of those is refused:
 * the task returns false, and whoever joins it runs it after all.  That one may: it was not refused
 * itself, and since then has only begun what has ended.  Nothing waits, nothing is allocated.
 */
struct bulk {
	skua_bulk_run *run;
	void *argument;
	size_t count;
	size_t leaf; /* no more steps than this are kept together without a look for thieves */
};

/* Forks made for each worker before anybody asks: few cost nothing, and a long step in front of a
 * leaf holds up one of so many parts. */
#define PARTS_PER_WORKER 64

/* One leaf that this thread is in the middle of. */
struct inside {
	const struct bulk *bulk;
	const struct inside *outer;
};

/* The innermost.  A thread has one place at most, so what its stack holds its place does. */
static _Thread_local const struct inside *innermost __attribute__((tls_model("initial-exec")));

static bool is_inside(const struct bulk *bulk)
{
	for (const struct inside *inside = innermost; inside; inside = inside->outer)
		if (inside->bulk == bulk)
			return true;
	return false;
}

/* Run steps from `first` on; stop between two, of which the second is returned, when asked. */
static size_t run_leaf(struct skua_slot *here, const struct bulk *bulk, size_t first, size_t end)
{
	struct inside inside = { .bulk = bulk, .outer = innermost };
	unsigned slot = skuai_self->number;

	innermost = &inside;
	do {
		bulk->run(bulk->argument, first++, slot);
		/* order executor.asked.1: relaxed, an old bound delays an answer by a step */
	} while (end - first > 1 && here < skua_load(&here->bounds->limit, relaxed));
	if (end - first == 1)
		bulk->run(bulk->argument, first++, slot);
	innermost = inside.outer;
	return first;
}

/* False: refused, nothing was run. */
SKUA_TASK(bool, part, const struct bulk *, bulk, size_t, first, size_t, end)
{
	if (is_inside(bulk))
		return false;
	if (end - first <= bulk->leaf)
		first = run_leaf(skua_here, bulk, first, end);
	if (first == end)
		return true;
	size_t middle = first + (end - first) / 2;
	skua_fork(part, rest, bulk, middle, end);
	skua_call(part, bulk, first, middle);
	if (!skua_join(part, rest))
		skua_call(part, bulk, middle, end);
	return true;
}

static void run_all(struct skua_slot *skua_here, void *argument)
{
	const struct bulk *bulk = argument;

	skua_call(part, bulk, 0, bulk->count);
}

/* --- the executor of a pool --- */

static unsigned pool_width(void *self)
{
	unsigned workers = skua_pool_places(self);

	return workers ? workers : 1; /* the default pool cannot be had: bulk says why */
}

static int pool_bulk(void *self, size_t count, skua_bulk_run *run, void *argument)
{
	struct bulk bulk = { .run = run, .argument = argument, .count = count, .leaf = count };
	int error;

	if (!run)
		return SKUA_EINVAL;
	if (count == 0)
		return SKUA_OK;
	struct skua_pool *pool = skuai_pool_of(self, &error);
	if (!pool)
		return error;
	if (pool->count > 1)
		bulk.leaf = count / ((size_t)pool->count * PARTS_PER_WORKER) + 1;
	return skuai_visit(pool, SKUA_PRIORITY_NORMAL, run_all, &bulk);
}

/* A posted function: the job itself, freed when it is over. */
struct posted {
	struct skua_job job;
	skua_post_run *run;
	void *argument;
};

static void run_posted(struct skua_slot *here, void *argument)
{
	struct posted *posted = argument;

	(void)here;
	skuai_task_is(skuai_self, (uintptr_t)posted->run);
	posted->run(posted->argument);
}

static void free_posted(struct skua_job *job, int error)
{
	(void)error; /* cancelled or not: nobody asks */
	skuai_free(job);
}

static int pool_post(void *self, skua_post_run *run, void *argument)
{
	if (!run)
		return SKUA_EINVAL;
	struct posted *posted = skuai_alloc(1, sizeof(*posted));
	if (!posted)
		return SKUA_ENOMEM;
	posted->run = run;
	posted->argument = argument;
	posted->job.run = run_posted;
	posted->job.argument = posted;
	posted->job.finish = free_posted;
	int error = skua_submit(self, &posted->job);
	if (error)
		skuai_free(posted);
	return error;
}

struct skua_executor skua_pool_executor(struct skua_pool *pool)
{
	return (struct skua_executor){ .abi = SKUA_EXECUTOR_ABI,
				       .self = pool,
				       .width = pool_width,
				       .bulk = pool_bulk,
				       .post = pool_post };
}

/* --- one thread, in order --- */

static unsigned serial_width(void *self)
{
	(void)self;
	return 1;
}

static int serial_bulk(void *self, size_t count, skua_bulk_run *run, void *argument)
{
	(void)self;
	if (!run)
		return SKUA_EINVAL;
	for (size_t i = 0; i < count; i++)
		run(argument, i, 0);
	return SKUA_OK;
}

static int serial_post(void *self, skua_post_run *run, void *argument)
{
	(void)self;
	if (!run)
		return SKUA_EINVAL;
	run(argument);
	return SKUA_OK;
}

struct skua_executor skua_serial_executor(void)
{
	return (struct skua_executor){ .abi = SKUA_EXECUTOR_ABI,
				       .width = serial_width,
				       .bulk = serial_bulk,
				       .post = serial_post };
}
