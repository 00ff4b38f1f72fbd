/* SPDX-License-Identifier: MIT */
/* cells.h — memory for tasks with their arguments: 64 or 128 bytes, kept for the next one */
#ifndef SKUAI_SCHED_CELLS_H
#define SKUAI_SCHED_CELLS_H

#include "sched/lock.h"

#include <skua/job.h>

#include <string.h>

#define SKUAI_COPY_BYTES  48 /* arguments that a cell holds by value */
#define SKUAI_SMALL_BYTES 24 /* and a small one */

struct skua_pool;
struct skuai_worker;

/* What a group, a future or the like keeps of a task that waits. */
struct skuai_cell {
	struct skua_job job; /* posted; job.argument is the cell */
	void *owner;	     /* the group or future it belongs to */
	int (*task)(struct skua_slot *skua_here, void *argument);
	_Alignas(16) unsigned char copy[SKUAI_COPY_BYTES];
};

/*
 * The same in one line, for most tasks of most groups: the first half of a job, as far as queues
 * look at it, and then other things.  SKUAI_JOB_SMALL in its state tells.
 */
struct skuai_small_cell {
	void (*run)(struct skua_slot *here, struct skuai_small_cell *cell); /* here NULL: cancel */
	struct skua_job *next;
	void *owner;
	_Atomic uint32_t state;
	enum skua_priority priority;
	int (*task)(struct skua_slot *skua_here, void *argument);
	unsigned char copy[SKUAI_SMALL_BYTES];
} __attribute__((may_alias)); /* queues read and write it as a job */

/* A worker's cells that nobody needs at the moment, linked by next. */
struct skuai_cells {
	struct skua_job *free;
	unsigned count;		/* of those */
	struct skua_job *spare; /* a whole batch of more, or NULL */
};

enum skuai_cell_size {
	SKUAI_CELL_SMALL,
	SKUAI_CELL_LARGE,
	SKUAI_CELL_SIZES,
};

/* A pool's: for threads that are no workers, and for what workers have too much of. */
struct skuai_cell_store {
	_Alignas(128) struct skuai_lock lock;
	struct skua_job *batches[SKUAI_CELL_SIZES]; /* linked by the argument of their first */
	struct skuai_cells loose[SKUAI_CELL_SIZES]; /* less than a batch */
	struct skuai_cell_chunk *chunks; /* all that was ever allocated; freed with the pool */
};

/* One of a worker's own; NULL: it has none. */
static inline struct skua_job *skuai_cells_take(struct skuai_cells *cells)
{
	struct skua_job *cell = cells->free;

	if (cell) {
		cells->free = cell->next;
		cells->count--;
	}
	return cell;
}

/* A cell with anything in it; NULL: no memory. */
struct skuai_cell *skuai_cell_get(struct skua_pool *pool, struct skuai_worker *self);

/* It is not needed any more. */
void skuai_cell_put(struct skua_pool *pool, struct skuai_worker *self, struct skuai_cell *cell);

/* The same for small ones. */
struct skuai_small_cell *skuai_small_cell_get(struct skua_pool *pool, struct skuai_worker *self);
void skuai_small_cell_put(struct skua_pool *pool, struct skuai_worker *self,
			  struct skuai_small_cell *cell);

/* Put a task's arguments into its cell: a copy of so many bytes, or with 0 the pointer itself. */
static inline void skuai_cell_give(struct skuai_cell *cell, const void *argument, size_t bytes)
{
	cell->job.era = (uint32_t)bytes; /* a posted job has no other use for it */
	if (bytes == 0) {
		memcpy(cell->copy, &argument, sizeof(argument));
	} else if (bytes >= 8 && bytes <= 16) { /* mostly: two words, one over the other */
		uint64_t first, last;
		memcpy(&first, argument, 8);
		memcpy(&last, (const unsigned char *)argument + bytes - 8, 8);
		memcpy(cell->copy, &first, 8);
		memcpy(cell->copy + bytes - 8, &last, 8);
	} else {
		memcpy(cell->copy, argument, bytes);
	}
}

/* What the task is called with. */
static inline void *skuai_cell_argument(struct skuai_cell *cell)
{
	void *pointer;

	if (cell->job.era)
		return cell->copy;
	memcpy(&pointer, cell->copy, sizeof(pointer));
	return pointer;
}

/*
 * A cell to which there are several ways: queues, lists, an owner.  Each holds a reference, the
 * last to drop its own gives the cell back; the first to claim it runs the task.  Who holds several
 * ways drops them together.
 */
bool skuai_cell_claim(struct skuai_cell *cell);
void skuai_cell_drop(struct skua_pool *pool, struct skuai_worker *self, struct skuai_cell *cell,
		     unsigned ways);

/* Free everything. */
void skuai_cells_close(struct skua_pool *pool);

#endif
