/* SPDX-License-Identifier: MIT */
/* future.h — futures: one result that comes later, from a task or from anywhere */
#ifndef SKUA_FUTURE_H
#define SKUA_FUTURE_H

#include <skua/group.h>

SKUA_BEGIN_C

/*
 * A future is 32 bytes of the caller's, anywhere, all zero at first.  It is fulfilled once: by a
 * task (skua_async), or by whoever calls skua_future_fulfil.
 *
 *	struct skua_future future = { 0 };
 *	skua_async(pool, &future, hash_file, &(struct file){ name, &sum });
 *	...
 *	int error = skua_await(&future, SKUA_FOREVER);
 *
 * A worker that waits for a task which has not started runs it itself.  A future stays where it is
 * until it is fulfilled and everybody who waits for it has returned.
 */
struct skua_future {
	/* all of it the library's */
	SKUA_ATOM(uint32_t) state;
	int32_t error;
	void *listeners;
	void *cell;
	void *era;
};

/**
 * Run a task sometime, and fulfil the future with what it returns: 0 or an error code.
 * skua_async(pool, &future, function, &arguments) copies its arguments as skua_go does.
 *
 * Thread    any
 * Memory    128 bytes while the task waits, from a store that the pool keeps
 * Ordering  what the caller did before is visible to the task
 * Fails     SKUA_EINVAL: NULL, no function, more than 48 bytes, no such priority; SKUA_EBUSY: it
 *           has a task or is fulfilled already; SKUA_ECLOSED; SKUA_ENOMEM.  The future is as it
 *           was.
 * Cost      some 30 ns, and a wake (some 2 us) when a worker sleeps and none is looking for work
 * See       examples/15_futures.c, man skua_future
 */
SKUA_API int skua_future_async(struct skua_pool *pool, struct skua_future *future,
			       enum skua_priority priority, skua_group_task *task,
			       const void *argument, size_t bytes) SKUA_COPIED(5, 6);

/**
 * The same, to be run when `first` is fulfilled.  If that ends with an error, so does this one,
 * and the task does not run.  The pool must not be closed before `first` and this future are
 * fulfilled, also when this one was cancelled meanwhile.
 *
 * Thread    any
 * Memory    128 bytes until then
 * Ordering  what the caller did, and all that fulfilled `first`, is visible to the task
 * Fails     as skua_future_async
 * Cost      some 30 ns
 * See       examples/15_futures.c, man skua_future
 */
SKUA_API int skua_future_then(struct skua_future *first, struct skua_pool *pool,
			      struct skua_future *future, skua_group_task *task,
			      const void *argument, size_t bytes) SKUA_COPIED(5, 6);

#ifdef __cplusplus
#define SKUA_BYTES_OF(...) skua_bytes_at((__VA_ARGS__))
#else
#define SKUA_BYTES_OF(...) SKUA_COPY_BYTES((__VA_ARGS__))
#endif
#define skua_async(pool, future, task, ...)                                              \
	skua_future_async((pool), (future), SKUA_PRIORITY_NORMAL, (task), (__VA_ARGS__), \
			  SKUA_BYTES_OF(__VA_ARGS__))
#define skua_then(first, pool, future, task, ...)                          \
	skua_future_then((first), (pool), (future), (task), (__VA_ARGS__), \
			 SKUA_BYTES_OF(__VA_ARGS__))

/**
 * Fulfil a future that has no task.
 *
 * Thread    any
 * Memory    none
 * Ordering  what the caller did before is visible to who waited
 * Fails     SKUA_EINVAL: NULL; SKUA_EBUSY: it has a task, or is fulfilled already
 * Cost      a few ns, and a wake for each thread that sleeps
 * See       examples/15_futures.c, man skua_future
 */
SKUA_API int skua_future_fulfil(struct skua_future *future, int error);

/**
 * Wait until it is fulfilled.  A worker that finds its task not started runs it to the end,
 * whatever the deadline.
 *
 * Thread    any, several at once
 * Memory    none
 * Ordering  everything that came before it was fulfilled is visible
 * Fails     what it was fulfilled with; SKUA_ETIMEDOUT: not at the deadline (skua_clock_ns time),
 *           or its task said so; SKUA_ECANCELED: its task did not run; SKUA_EFORKED: its task is
 *           the parent's, from before a fork(); SKUA_ECYCLE: called by its own task, or by one
 *           that runs on top of it while it waits; SKUA_EINVAL: NULL
 * Cost      a load when it is fulfilled
 * See       examples/15_futures.c, man skua_future
 */
SKUA_API int skua_await(struct skua_future *future, int64_t deadline);

/**
 * Wait until all are fulfilled.
 *
 * Thread    any
 * Memory    none
 * Ordering  as skua_await
 * Fails     the first error in the order of the array; SKUA_ETIMEDOUT; SKUA_EINVAL
 * Cost      a load for each that is fulfilled
 * See       examples/15_futures.c, man skua_future
 */
SKUA_API int skua_await_all(struct skua_future *const futures[], size_t count, int64_t deadline);

/**
 * Wait until one of them is fulfilled; *index says which.
 *
 * Thread    any
 * Memory    32 bytes for each beyond the first 16, until it returns
 * Ordering  as skua_await, for that one
 * Fails     what that one was fulfilled with; SKUA_ETIMEDOUT, *index is then `count`; SKUA_EINVAL:
 *           NULL, none; SKUA_ECYCLE: called by the tasks of all of them; SKUA_EFORKED; SKUA_ENOMEM
 * Cost      some 20 ns for each
 * See       examples/15_futures.c, man skua_future
 */
SKUA_API int skua_await_any(struct skua_future *const futures[], size_t count, int64_t deadline,
			    size_t *index);

/**
 * Is it fulfilled?
 *
 * Thread    any
 * Memory    none
 * Ordering  as skua_await when it says true
 * Fails     never
 * Cost      a load
 * See       man skua_future
 */
SKUA_API bool skua_future_is_done(const struct skua_future *future);

/**
 * Do not run its task, if it has not started: it is fulfilled with SKUA_ECANCELED.
 *
 * Thread    any
 * Memory    none
 * Ordering  none
 * Fails     SKUA_EBUSY: it runs, or is fulfilled, or its pool is closing; SKUA_EINVAL: NULL, no
 *           task
 * Cost      some 30 ns
 * See       man skua_future
 */
SKUA_API int skua_future_cancel(struct skua_future *future);

/**
 * Make a task that waits in a queue more urgent: it stands in two queues then.
 *
 * Thread    any
 * Memory    128 bytes until its old place in the queue is reached
 * Ordering  none
 * Fails     SKUA_EINVAL: NULL, no such priority; SKUA_EBUSY: it runs, is fulfilled, has no task, or
 *           waits for another future; SKUA_EFORKED: as skua_await; SKUA_ECLOSED; SKUA_ENOMEM
 * Cost      as skua_future_async
 * See       man skua_future
 */
SKUA_API int skua_future_raise(struct skua_future *future, enum skua_priority priority);

/**
 * A file descriptor that becomes readable when the future is fulfilled, for poll(2) and every event
 * loop.  It is the caller's to close, before or after.
 *
 * Thread    any
 * Memory    32 bytes, and a second descriptor, until it is fulfilled
 * Ordering  as skua_await, once it is readable
 * Fails     SKUA_EINVAL: NULL; SKUA_EAGAIN: no more files; SKUA_ENOMEM; SKUA_ENOTSUP
 * Cost      two system calls
 * See       examples/16_event_loop.c, man skua_future
 */
SKUA_API int skua_future_fd(struct skua_future *future, int *fd);

/*
 * A future with a value: SKUA_FUTURE(struct sum_future, double) makes the struct, to be fulfilled
 * with sum_future's `value` set, and read after the wait.
 */
#define SKUA_FUTURE(type_name, T)          \
	type_name                          \
	{                                  \
		struct skua_future future; \
		T value;                   \
	}

SKUA_END_C

#endif
