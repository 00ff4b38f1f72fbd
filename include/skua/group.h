/* SPDX-License-Identifier: MIT */
/* group.h — groups: many tasks, one wait, one error, one cancellation */
#ifndef SKUA_GROUP_H
#define SKUA_GROUP_H

#include <skua/job.h>

SKUA_BEGIN_C

/*
 * A group is a struct of the caller's, mostly on its stack.  Tasks are added to it from anywhere,
 * and waited for together:
 *
 *	struct skua_group group;
 *	int error = skua_group_open(&group, NULL);
 *	for (size_t i = 0; i < count; i++)
 *		skua_go(&group, hash_file, &(struct file){ names[i], &sums[i] });
 *	error = skua_group_wait(&group, SKUA_FOREVER);
 *
 * What the last argument points to is copied, so it may be gone when the task runs.  A task returns
 * 0 or an error code; the first error cancels the rest and comes back from the wait.
 */
typedef int skua_group_task(struct skua_slot *skua_here, void *argument);

/** What skua_go does when a group has as many tasks in flight as it may. */
enum skua_full {
	SKUA_FULL_HELP = 0,   /* a worker runs the task itself, at once; other threads wait */
	SKUA_FULL_WAIT = 1,   /* waits; a worker runs other tasks meanwhile */
	SKUA_FULL_REFUSE = 2, /* SKUA_EBUSY */
};

struct skua_group_options {
	size_t size;		   /* sizeof(struct skua_group_options) */
	struct skua_pool *pool;	   /* NULL: its parent's, else the default pool */
	struct skua_group *parent; /* cancelled with it; must outlive it */
	const char *name;	   /* for debuggers and traces; kept as it is */
	unsigned max_inflight;	   /* tasks added and not done, about; 0: no limit */
	enum skua_full when_full;
	enum skua_priority priority;
	bool is_isolated; /* who waits for it runs its tasks and nothing else: see man skua_group */
	uint64_t workers; /* bit i: worker i may run its tasks; 0: all may */
	int64_t deadline; /* it is cancelled then, with SKUA_ETIMEDOUT; 0: never */
};

struct skua_group {
	/* all of it the library's */
	struct skua_job done; /* an event: what waiters wait for */
	struct skua_pool *pool;
	struct skua_group *parent;
	const char *name;
	int64_t deadline;
	uint64_t workers;
	SKUA_ATOM(void *) waiting; /* isolated: cells that have not started */
	SKUA_ATOM(uint32_t) pending;
	SKUA_ATOM(int32_t) error;
	SKUA_ATOM(uint32_t) skipped;
	uint32_t skipped_before;
	SKUA_ATOM(uint32_t) lock;
	uint32_t max_inflight;
	SKUA_ATOM(uint32_t) is_waited;
	SKUA_ATOM(uint32_t) is_dirty;
	uint8_t when_full, priority, is_isolated, is_plain, is_simple, is_open;
	/* of a profile: where it was opened, its longest task */
	uint64_t opened;
	SKUA_ATOM(uint64_t) span;
};

#define SKUA_COPY_MOST 48 /* bytes of arguments that a task is given by value */

/**
 * Make a group ready for tasks.  It holds nothing that must be freed.
 *
 * Thread    any
 * Memory    none
 * Ordering  hand the group to other threads as you would any memory
 * Fails     SKUA_EINVAL: NULL, wrong size, a value out of its range, a negative deadline, no such
 *           worker; or as skua_pool_open when the default pool cannot be opened
 * Cost      a few ns
 * See       examples/07_groups.c, man skua_group
 */
SKUA_API int skua_group_open(struct skua_group *group, const struct skua_group_options *options);

/**
 * Add a task: skua_go(&group, function, &arguments) copies what the pointer points to, up to 48
 * bytes, and hands the function a pointer to the copy.  A void pointer is passed on as it is.
 *
 * skua_group_go is the same without a macro; with 0 bytes the pointer is passed on as it is.
 *
 * Thread    any before the wait; while somebody waits, only a task of the group
 * Memory    64 or 128 bytes while the task waits, from a store that the pool keeps
 * Ordering  what the caller did before is visible to the task
 * Fails     SKUA_EINVAL: NULL, no function, more than 48 bytes; SKUA_ECANCELED: the group was
 *           cancelled; SKUA_EBUSY: full, and it should be refused; SKUA_ECLOSED; SKUA_ENOMEM,
 *           from a thread that may not run it: a worker without memory runs the task at once;
 *           SKUA_EFORKED: opened before a fork(), in the parent.  The task is then not added.
 * Cost      some 20 ns, and a wake (some 2 us) when a worker sleeps and none is looking for work
 * See       examples/07_groups.c, man skua_group
 */
SKUA_API int skua_group_go(struct skua_group *group, skua_group_task *task, const void *argument,
			   size_t bytes) SKUA_COPIED(3, 4);

#ifdef __cplusplus
SKUA_END_C
template <typename T> static inline size_t skua_bytes_at(T *)
{
	static_assert(sizeof(T) <= SKUA_COPY_MOST, "more than 48 bytes: pass a void pointer");
	return sizeof(T);
}
static inline size_t skua_bytes_at(const void *)
{
	return 0;
}
static inline size_t skua_bytes_at(void *)
{
	return 0;
}
SKUA_BEGIN_C
#define skua_go(group, task, ...) \
	skua_group_go((group), (task), (__VA_ARGS__), skua_bytes_at((__VA_ARGS__)))
#else
/* clang-format off */
/* The argument, or in place of a void pointer one whose target has a size. */
#define SKUA_SIZED(argument)                                                                   \
	_Generic((argument), void *: (char *)0, const void *: (char *)0, default: (argument))
/* The size of its target, 0 for a void pointer; refuses what is too large. */
#define SKUA_COPY_BYTES(argument)                                                              \
	__extension__({                                                                        \
		_Static_assert(sizeof(*SKUA_SIZED(argument)) <= SKUA_COPY_MOST,                \
			       "more than 48 bytes: pass a void pointer");                     \
		_Generic((argument), void *: 0, const void *: 0, default: 1) *                 \
			sizeof(*SKUA_SIZED(argument));                                         \
	})
/* clang-format on */
#define skua_go(group, task, ...) \
	skua_group_go((group), (task), (__VA_ARGS__), SKUA_COPY_BYTES((__VA_ARGS__)))
#endif

/**
 * Wait until every task is done or was skipped.  The group is then empty and may be used again.
 *
 * A worker that waits runs other tasks meanwhile; only this group's when it is isolated.
 *
 * Thread    any; one at a time
 * Memory    none
 * Ordering  everything the tasks did is visible after it, but for SKUA_ETIMEDOUT of this wait
 * Fails     the first error of a task; what skua_group_cancel was told; SKUA_ETIMEDOUT: not done at
 *           the deadline (skua_clock_ns time), skua_group_is_busy tells it from an error of a task;
 *           SKUA_EBUSY: another thread waits for it; SKUA_ECYCLE: called by one of its own tasks;
 *           SKUA_EFORKED: opened before a fork(), in the parent; SKUA_EINVAL: NULL, not open
 * Cost      a few ns when nothing is left
 * See       examples/07_groups.c, man skua_group
 */
SKUA_API int skua_group_wait(struct skua_group *group, int64_t deadline);

/**
 * Let no task start that has not started; those that run may ask skua_group_is_cancelled.  Groups
 * that have this one as parent are cancelled too.  `why` comes back from the wait.
 *
 * Thread    any; also a task of the group; any number of times, the first counts
 * Memory    none
 * Ordering  none
 * Fails     SKUA_EINVAL: NULL, not open, why is not a negative error code
 * Cost      a few ns
 * See       examples/08_cancel.c, man skua_group
 */
SKUA_API int skua_group_cancel(struct skua_group *group, int why);

/**
 * Was it cancelled, or its parent, or is it past its deadline?
 *
 * Thread    any
 * Memory    none
 * Ordering  none
 * Fails     never; NULL is not cancelled
 * Cost      a load for each group up to the root; a clock is read when one has a deadline
 * See       examples/08_cancel.c, man skua_group
 */
SKUA_API bool skua_group_is_cancelled(struct skua_group *group);

/**
 * Does it have tasks that are not done?
 *
 * Thread    any
 * Memory    none
 * Ordering  none: a moment ago
 * Fails     never
 * Cost      a load
 * See       man skua_group
 */
SKUA_API bool skua_group_is_busy(const struct skua_group *group);

/**
 * How many tasks did not start because of a cancellation, since the first after the last wait.
 *
 * Thread    any
 * Memory    none
 * Ordering  exact after a wait
 * Fails     never
 * Cost      a load
 * See       examples/08_cancel.c, man skua_group
 */
SKUA_API unsigned skua_group_skipped(const struct skua_group *group);

/**
 * Run a function isolated: until it returns, a join in it, and in every task it forks, runs nothing
 * that is not part of it, and groups opened in it are isolated.  So it may hold a lock across them
 * that other tasks take.  A wait for a job or for a future, or for a group from outside that is not
 * isolated, runs other tasks all the same: what it waits for might be queued behind them.
 *
 * Thread    a worker, in a task
 * Memory    none
 * Ordering  none
 * Fails     never
 * Cost      a few ns; cores may idle where others would have found something to do
 * See       man skua_group
 */
SKUA_API void skua_isolate(struct skua_slot *skua_here, skua_job_run *run, void *argument);

SKUA_END_C

#endif
