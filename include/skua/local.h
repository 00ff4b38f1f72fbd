/* SPDX-License-Identifier: MIT */
/* local.h — worker-local storage: instances leased to one task at a time */
#ifndef SKUA_LOCAL_H
#define SKUA_LOCAL_H

#include <skua/detail/export.h>
#include <skua/pool.h>
#include <stdbool.h>

SKUA_BEGIN_C

/*
 * Scratch memory, caches, partial results: one instance for each task that runs, not for each task
 * there is.
 *
 *	struct skua_local scratch;
 *	struct skua_local_options options = { .size = sizeof(options), .bytes = 65536 };
 *	int error = skua_local_open(&scratch, &options);
 *	...
 *	char *buffer = skua_local_lease(&scratch);      in a task: mine alone,
 *	if (buffer) {
 *		...                                     also across forks, joins and waits
 *		skua_local_return(&scratch, buffer);
 *	}
 *
 * A thread-local variable is not enough for that: a task that joins or waits may run another one
 * meanwhile, on the same thread, in the middle of what it was doing.  A lease is of the task.  A
 * task that runs inside another's wait gets another instance.
 *
 * Each worker keeps its instances and lends the one that it got back last, so that it is still in
 * the cache; there are as many as leases were out at once on each worker.  An instance may be
 * returned by another thread than the one that leased it; it goes back to where it came from.
 * Threads that are no workers of the pool share a common set.
 */
struct skua_local_options {
	size_t size;		/* sizeof(struct skua_local_options) */
	struct skua_pool *pool; /* whose workers; NULL: the default pool */
	size_t bytes;		/* of an instance, 1 and up */
	size_t align;		/* of an instance, a power of two up to 1 MiB; 0: as malloc's */
	/* Make an instance of zeroed memory; 0, or anything else: it cannot be had.  Or NULL. */
	int (*init)(void *context, void *instance);
	/* Called for each by skua_local_close; may be NULL. */
	void (*fini)(void *context, void *instance);
	void *context;
};

/** Its insides are src/par/local.c's.  Zeroed, it is closed.  Must not move while open. */
struct skua_local {
	unsigned char insides[96] __attribute__((aligned(8)));
};

/**
 * Make it ready; there are no instances yet.  It may outlive the pool.
 *
 * Thread    any
 * Memory    256 bytes a worker
 * Ordering  hand it to other threads as you would any memory
 * Fails     SKUA_EINVAL: NULL, wrong size, bytes 0 or above PTRDIFF_MAX, align no power of two or
 *           above 1 MiB; SKUA_ENOMEM; with the default pool as skua_pool_open.  *local is then
 *           untouched.
 * Cost      an allocation
 * See       examples/09_reducers.c, man skua_local
 */
SKUA_API int skua_local_open(struct skua_local *local, const struct skua_local_options *options);

/**
 * Is it open?
 *
 * Thread    any
 * Memory    none
 * Ordering  none
 * Fails     never; NULL is not
 * Cost      a load
 * See       man skua_local
 */
SKUA_API bool skua_local_is_open(const struct skua_local *local);

/**
 * Lease an instance: the caller's alone until it is returned.  It is as the last one left it.
 *
 * Thread    any
 * Memory    none when an instance is free here, else a new one: an allocation, then init
 * Ordering  what was done with the instance before is visible
 * Fails     NULL: no memory for a new instance, or init refused it, or `local` is not open
 * Cost      a worker: loads and stores, some 8 ns with the return; other threads: a lock, some 15
 * See       examples/09_reducers.c, man skua_local
 */
SKUA_API void *skua_local_lease(struct skua_local *local);

/**
 * End a lease.  By another thread than the one that began it: hand the pointer over as you would
 * any memory.
 *
 * Thread    any
 * Memory    none
 * Ordering  what the caller did with the instance is visible to who leases it next
 * Fails     SKUA_EINVAL: NULL, not open, an instance of another skua_local, or returned already.
 *           Any other pointer is found out in builds with assertions only, as with free().
 * Cost      as skua_local_lease; away from the worker that lent it two atomic operations, 10 ns
 * See       examples/09_reducers.c, man skua_local
 */
SKUA_API int skua_local_return(struct skua_local *local, void *instance);

/**
 * Call visit(context, instance) for each instance there is, in no particular order.
 *
 * Thread    any; nobody may lease meanwhile
 * Memory    none
 * Ordering  everything that was done with an instance before its return is visible
 * Fails     SKUA_EINVAL: NULL, or not open; SKUA_EBUSY: a lease is out.  Nothing was visited.
 * Cost      a few loads a worker, and the calls
 * See       man skua_local
 */
SKUA_API int skua_local_each(struct skua_local *local, void (*visit)(void *context, void *instance),
			     void *context);

/**
 * Free all instances, after fini for each; leases from now on make new ones.
 *
 * Thread    any; nobody may lease meanwhile
 * Memory    all instances freed
 * Ordering  as skua_local_each
 * Fails     SKUA_EINVAL: NULL, or not open; SKUA_EBUSY: a lease is out.  Nothing has changed.
 * Cost      a free for each instance
 * See       man skua_local
 */
SKUA_API int skua_local_clear(struct skua_local *local);

/**
 * Give all memory back, after fini for each instance.  One that is closed already stays so.
 *
 * Thread    the last one using it
 * Memory    all freed
 * Ordering  as skua_local_each
 * Fails     SKUA_EINVAL: NULL; SKUA_EBUSY: a lease is out.  Nothing has changed.
 * Cost      a free for each instance
 * See       examples/09_reducers.c, man skua_local
 */
SKUA_API int skua_local_close(struct skua_local *local);

SKUA_END_C

#endif
