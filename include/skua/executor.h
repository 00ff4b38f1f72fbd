/* SPDX-License-Identifier: MIT */
/* executor.h — a pool as a struct of five fields, for libraries that have no pool */
#ifndef SKUA_EXECUTOR_H
#define SKUA_EXECUTOR_H

#include <skua/detail/export.h>
#include <stddef.h>

SKUA_BEGIN_C

/*
 * A library that could use more cores takes a pointer to this struct from its caller, and needs
 * nothing else of skua: no function to link, no other type.  It may as well copy these lines.
 *
 *	int index_build(struct index *index, const struct skua_executor *executor)
 *	{
 *		if (executor->abi != SKUA_EXECUTOR_ABI)
 *			return INDEX_BAD_EXECUTOR;
 *		... room for executor->width(executor->self) scratch buffers ...
 *		return executor->bulk(executor->self, index->pages, build_page, index);
 *	}
 *
 * The struct is plain data: copy it, keep it, build one yourself around any other pool.
 */

/* Goes up when a field or its meaning changes; fields are never added. */
#define SKUA_EXECUTOR_ABI 1

/** One step of a bulk call: `index` is below its count, `slot` below the executor's width. */
typedef void skua_bulk_run(void *argument, size_t index, unsigned slot);

/** What post runs. */
typedef void skua_post_run(void *argument);

struct skua_executor {
	size_t abi; /* SKUA_EXECUTOR_ABI */
	void *self; /* first argument of the three */
	/* How many steps may run at once, at least 1.  It never changes. */
	unsigned (*width)(void *self);
	/*
	 * Call run(argument, index, slot) once for each index below count, in any order and several
	 * at once; return when all have returned.  0, or negative and then no step was run.
	 *
	 * While a step of this call runs, no other step of this call has its slot, so scratch[slot]
	 * is its own, without locks.  A step that waits inside a bulk call of its own still runs,
	 * and that inner call hands out slots from 0 again: scratch belongs to one bulk call.
	 * Steps must not wait for each other: they may run one after the other.
	 */
	int (*bulk)(void *self, size_t count, skua_bulk_run *run, void *argument);
	/* Call run(argument) sometime, on some thread, and do not wait.  0, or negative: never. */
	int (*post)(void *self, skua_post_run *run, void *argument);
};

struct skua_pool;

/**
 * The executor of a pool: width is its workers and spares as opened, bulk forks, post submits a
 * job.
 *
 * bulk from a worker of the pool forks there; any other thread takes the place of a worker that
 * sleeps, or waits for one, as skua_run does.  It is SKUA_EINVAL: no function; SKUA_ECLOSED;
 * SKUA_ECANCELED: the pool was closed and cancelled before the first step; or for the default pool
 * why it cannot be opened.  It allocates nothing.  post is as skua_detach: SKUA_EINVAL,
 * SKUA_ENOMEM, SKUA_ECLOSED.
 *
 * Thread    any; the three as well
 * Memory    none; the pool must stay open while the executor is used
 * Ordering  what the caller of bulk or post did is visible to the function, and what the steps did
 *           to the caller of bulk
 * Fails     never; NULL: the default pool, opened on first use
 * Cost      five stores.  bulk: some 50 ns, 10 ns for each of the first 64 steps a worker, then a
 *           call and a load a step; post: a malloc and a skua_submit
 * See       examples/11_executor.c, examples/12_zstd_frames.c, man skua_executor
 */
SKUA_API struct skua_executor skua_pool_executor(struct skua_pool *pool);

/**
 * An executor without threads, for tests of what accepts one: width 1, steps in order, slot 0.
 *
 * post calls the function before it returns.  The only error is SKUA_EINVAL: no function.
 *
 * Thread    any
 * Memory    none
 * Ordering  none needed
 * Fails     never
 * Cost      bulk: a call a step
 * See       examples/11_executor.c, man skua_executor
 */
SKUA_API struct skua_executor skua_serial_executor(void);

SKUA_END_C

#endif
