/* SPDX-License-Identifier: MIT */
/* fork.h — fork-join: tasks as ordinary functions, forks at about the price of a call */
#ifndef SKUA_FORK_H
#define SKUA_FORK_H

#include <skua/detail/count.h>
#include <skua/detail/task.h>
#include <skua/job.h>
#include <skua/pool.h>

/*
 *	SKUA_TASK(long, fib, int, n)
 *	{
 *		if (n < 2)
 *			return n;
 *		skua_fork(fib, a, n - 1);          may run elsewhere
 *		long b = skua_call(fib, n - 2);    an ordinary call
 *		return skua_join(fib, a) + b;
 *	}
 *
 *	long x = skua_run(pool, fib, 40);          from any thread
 *
 * SKUA_TASK(result, name, type, argument, ...) begins the definition of a static function.  It has
 * up to eight arguments, 40 bytes together; pass more by pointer: the frame that forks outlives the
 * task.  Its first, hidden argument is `skua_here`, the place where the task stands on its worker.
 * SKUA_TASK_VOID(name, type, argument, ...) has no result.  To share a task between files, put
 * SKUA_TASK_DECLARE (or _VOID) in a header and SKUA_TASK_DEFINE in one file.
 *
 * Every fork is joined by the function that made it, once, the newest first.  Compile with
 * -DSKUA_CHECKED to have a mistake in that named when it happens.
 */
#define SKUA_TASK(...)	    SKUA_TASK_BEGIN(SKUA_TASK_STATIC, __VA_ARGS__)
#define SKUA_TASK_VOID(...) SKUA_TASK_BEGIN(SKUA_TASK_VOID_STATIC, void, __VA_ARGS__)

#define SKUA_TASK_DECLARE(...)	    SKUA_TASK_BEGIN(SKUA_TASK_EXTERN, __VA_ARGS__)
#define SKUA_TASK_DECLARE_VOID(...) SKUA_TASK_BEGIN(SKUA_TASK_VOID_EXTERN, void, __VA_ARGS__)
#define SKUA_TASK_DEFINE(...)	    SKUA_TASK_BEGIN(SKUA_TASK_BODY, __VA_ARGS__)

/* skua_fork(task, handle, arguments...): declare `handle` and let the task wait for its join. */
#define skua_fork(task, ...) \
	SKUA_ONE_OR_MORE(SKUA_FORK_BARE, SKUA_FORK_WITH, __VA_ARGS__)(task, __VA_ARGS__)
#define SKUA_FORK_BARE(task, handle) struct task##_skua_forked handle = task##_skua_fork(&skua_here)
#define SKUA_FORK_WITH(task, handle, ...) \
	struct task##_skua_forked handle = task##_skua_fork(&skua_here, __VA_ARGS__)

/* The same into a handle that is there already: an element of an array of skua_forked(task). */
#define skua_forked(task) struct task##_skua_forked
#define skua_fork_into(task, ...)                                               \
	SKUA_ONE_OR_MORE(SKUA_FORK_INTO_BARE, SKUA_FORK_INTO_WITH, __VA_ARGS__) \
	(task, __VA_ARGS__)
#define SKUA_FORK_INTO_BARE(task, handle) ((handle) = task##_skua_fork(&skua_here))
#define SKUA_FORK_INTO_WITH(task, handle, ...) \
	((handle) = task##_skua_fork(&skua_here, __VA_ARGS__))

/* Its result.  Runs it here if nobody took it, else waits, and does other work meanwhile. */
#define skua_join(task, handle) task##_skua_join(&skua_here, (handle))

/* Call a task as an ordinary function. */
#define skua_call(...)		  SKUA_CALL_FORM(__VA_ARGS__)(__VA_ARGS__)
#define SKUA_CALL_FORM(...)	  SKUA_ONE_OR_MORE(SKUA_CALL_BARE, SKUA_CALL_WITH, __VA_ARGS__)
#define SKUA_CALL_BARE(task)	  task##_skua_call(skua_here)
#define SKUA_CALL_WITH(task, ...) task##_skua_call(skua_here, __VA_ARGS__)

/*
 * Run a task in a pool and give its result.  Called by a worker of the pool it is a call; another
 * thread takes the place of a worker that sleeps, or waits for one when none does.  A worker of
 * another pool always waits, and does its own pool's work meanwhile.
 */
#define skua_run(pool, ...) \
	SKUA_ONE_OR_MORE(SKUA_RUN_BARE, SKUA_RUN_WITH, __VA_ARGS__)(pool, __VA_ARGS__)
#define SKUA_RUN_BARE(pool, task)      task##_skua_run(pool)
#define SKUA_RUN_WITH(pool, task, ...) task##_skua_run(pool, __VA_ARGS__)

SKUA_BEGIN_C

/**
 * Call f(a) and g(b), maybe at the same time; both are finished when it returns.  No macros.
 *
 * `here` is what the caller got as skua_here.  From a thread that is no worker: skua_run_pair.
 *
 * Thread    a worker, at the place `here`
 * Memory    64 bytes of its fork stack
 * Ordering  what the caller did is visible to both, what both did to the caller
 * Fails     never
 * Cost      a few ns over two calls
 * See       examples/02_fork_join.c, man skua_fork
 */
static inline void skua_join_pair(struct skua_slot *here, skua_job_run *f, void *a, skua_job_run *g,
				  void *b)
{
	struct skua_slot *slot = here;
	struct skua_pair_args *args = (struct skua_pair_args *)(void *)slot->payload;

	args->run = g;
	args->argument = b;
	skua_slot_fork(&here, skua_pair_task);
	f(here, a);
	SKUA_CHECK_JOIN("skua_join_pair", slot, here);
	if (!skua_slot_join(&here, slot))
		g(here, b);
}

/**
 * The same from any thread: runs in a pool as skua_run does.
 *
 * Thread    any
 * Memory    as skua_join_pair
 * Ordering  as skua_join_pair
 * Fails     never
 * Cost      as skua_run
 * See       examples/02_fork_join.c, man skua_fork
 */
SKUA_API void skua_run_pair(struct skua_pool *pool, skua_job_run *f, void *a, skua_job_run *g,
			    void *b);

SKUA_END_C

#endif
