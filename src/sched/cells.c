/* SPDX-License-Identifier: MIT */
/* cells.c — memory for tasks with their arguments: 64 or 128 bytes, kept for the next one */
#include "sched/cells.h"

#include "base/alloc.h"
#include "base/atomic.h"
#include "sched/outcome.h"
#include "sched/worker.h"

#include <assert.h>
#include <stddef.h>

/*
 * A task is mostly made and run by the same worker, so each worker keeps the cells it is done with
 * and makes its next tasks of them: two loads and a store, nothing shared.  Where one makes and
 * another runs, cells pile up at the second.  It keeps up to two batches of 64; more go to the
 * pool's store, a batch at a time, where the first fetches them: a chain of 64 changes hands with
 * three stores under the lock, however far its cells are from the cache.  With the second batch a
 * worker that takes and gives by turns does not go there every time.
 *
 * Cells are carved out of chunks and freed with the pool: memory follows the most tasks that ever
 * waited at once.
 */
#define CELL_BATCH  64
#define SMALL_BYTES 64
#define LARGE_BYTES 128
#define CHUNK_BYTES ((size_t)CELL_BATCH * LARGE_BYTES)

static_assert(sizeof(struct skuai_cell) == LARGE_BYTES, "two lines");
static_assert(sizeof(struct skuai_small_cell) == SMALL_BYTES, "one line");
static_assert(offsetof(struct skuai_small_cell, next) == offsetof(struct skua_job, next), "a job");
static_assert(offsetof(struct skuai_small_cell, state) == offsetof(struct skua_job, state), "so");
static_assert(offsetof(struct skuai_small_cell, priority) == offsetof(struct skua_job, priority),
	      "far");

struct skuai_cell_chunk {
	struct skuai_cell_chunk *next;
	_Alignas(LARGE_BYTES) unsigned char bytes[CHUNK_BYTES];
};

static void push_cell(struct skua_job **list, struct skua_job *cell)
{
	cell->next = *list;
	*list = cell;
}

static void store_put(struct skuai_cell_store *store, enum skuai_cell_size size,
		      struct skua_job *batch)
{
	batch->argument = store->batches[size];
	store->batches[size] = batch;
}

static struct skua_job *store_take(struct skuai_cell_store *store, enum skuai_cell_size size)
{
	struct skua_job *batch = store->batches[size];

	if (batch)
		store->batches[size] = batch->argument;
	return batch;
}

/* A new chunk into the store, as batches.  Under its lock. */
static bool store_grow(struct skuai_cell_store *store, enum skuai_cell_size size)
{
	struct skuai_cell_chunk *chunk = skuai_alloc_aligned(1, sizeof(*chunk), LARGE_BYTES);
	size_t bytes = size == SKUAI_CELL_SMALL ? SMALL_BYTES : LARGE_BYTES;

	if (!chunk)
		return false;
	chunk->next = store->chunks;
	store->chunks = chunk;
	for (size_t end = CHUNK_BYTES; end > 0; end -= CELL_BATCH * bytes) {
		struct skua_job *batch = NULL;
		for (size_t i = 1; i <= CELL_BATCH; i++)
			push_cell(&batch,
				  (struct skua_job *)(void *)&chunk->bytes[end - i * bytes]);
		store_put(store, size, batch);
	}
	return true;
}

/* Fill what is empty: a batch, or what is loose.  False: no memory. */
static bool fetch(struct skuai_cell_store *store, enum skuai_cell_size size,
		  struct skuai_cells *cells)
{
	struct skuai_cells *loose = &store->loose[size];

	if (!store->batches[size] && loose->free && loose != cells) {
		*cells = (struct skuai_cells){ .free = loose->free, .count = loose->count };
		*loose = (struct skuai_cells){ 0 };
		return true;
	}
	if (!store->batches[size] && !store_grow(store, size))
		return false;
	cells->free = store_take(store, size);
	cells->count = CELL_BATCH;
	return true;
}

/* Who is no worker, under the lock; a worker that has none left. */
__attribute__((noinline)) static struct skua_job *
get_common(struct skua_pool *pool, struct skuai_worker *self, enum skuai_cell_size size)
{
	struct skuai_cell_store *store = &pool->cells;
	struct skuai_cells *cells = self ? &self->cells[size] : &store->loose[size];
	struct skua_job *cell = NULL;

	if (self && cells->spare) {
		*cells = (struct skuai_cells){ .free = cells->spare, .count = CELL_BATCH };
		return skuai_cells_take(cells);
	}
	skuai_lock_take(&store->lock);
	if (cells->free || fetch(store, size, cells))
		cell = skuai_cells_take(cells);
	if (cells->free) /* a worker had it last: let it come while the caller uses this one */
		__builtin_prefetch(cells->free, 1);
	skuai_lock_give(&store->lock);
	return cell;
}

static inline struct skua_job *get(struct skua_pool *pool, struct skuai_worker *self,
				   enum skuai_cell_size size)
{
	struct skua_job *cell = self ? skuai_cells_take(&self->cells[size]) : NULL;

	return cell ? cell : get_common(pool, self, size);
}

static unsigned keep(struct skuai_cells *cells, struct skua_job *cell)
{
	push_cell(&cells->free, cell);
	return ++cells->count;
}

/* One of no worker, or of a worker that has a whole batch: that is its spare one now. */
__attribute__((noinline)) static void put_common(struct skua_pool *pool, struct skuai_worker *self,
						 enum skuai_cell_size size, struct skua_job *cell)
{
	struct skuai_cell_store *store = &pool->cells;
	struct skuai_cells *cells = &store->loose[size];
	struct skua_job *batch = NULL;

	if (self) {
		cells = &self->cells[size];
		batch = cells->spare;
		*cells = (struct skuai_cells){ .spare = cells->free };
		keep(cells, cell);
		if (!batch)
			return;
	}
	skuai_lock_take(&store->lock);
	if (!self && keep(cells, cell) == CELL_BATCH) {
		batch = cells->free;
		*cells = (struct skuai_cells){ 0 };
	}
	if (batch)
		store_put(store, size, batch);
	skuai_lock_give(&store->lock);
}

static inline void put(struct skua_pool *pool, struct skuai_worker *self, enum skuai_cell_size size,
		       struct skua_job *cell)
{
	if (self && self->cells[size].count < CELL_BATCH)
		keep(&self->cells[size], cell);
	else
		put_common(pool, self, size, cell);
}

struct skuai_cell *skuai_cell_get(struct skua_pool *pool, struct skuai_worker *self)
{
	return (struct skuai_cell *)(void *)get(pool, self, SKUAI_CELL_LARGE);
}

void skuai_cell_put(struct skua_pool *pool, struct skuai_worker *self, struct skuai_cell *cell)
{
	put(pool, self, SKUAI_CELL_LARGE, &cell->job);
}

struct skuai_small_cell *skuai_small_cell_get(struct skua_pool *pool, struct skuai_worker *self)
{
	return (struct skuai_small_cell *)(void *)get(pool, self, SKUAI_CELL_SMALL);
}

void skuai_small_cell_put(struct skua_pool *pool, struct skuai_worker *self,
			  struct skuai_small_cell *cell)
{
	put(pool, self, SKUAI_CELL_SMALL, (struct skua_job *)(void *)cell);
}

bool skuai_cell_claim(struct skuai_cell *cell)
{
	/* order cells.claim.1: relaxed, only one gets it; what it holds came with the way to it */
	return !(skua_or(&cell->job.state, SKUAI_JOB_CLAIMED, relaxed) & SKUAI_JOB_CLAIMED);
}

void skuai_cell_drop(struct skua_pool *pool, struct skuai_worker *self, struct skuai_cell *cell,
		     unsigned ways)
{
	/*
	 * A new way is made by whoever has one: when all that are left are ours, none will come.
	 * order cells.drop.2: acquire, pairs .1; the others have done with it
	 */
	if (skua_load(&cell->job.refs, acquire) == ways ||
	    /* order cells.drop.1: acq_rel, pairs cells.drop.1, cells.drop.2; nobody uses it any
	     * more when it is given back */
	    skua_sub(&cell->job.refs, ways, acq_rel) == ways)
		skuai_cell_put(pool, self, cell);
}

void skuai_cells_close(struct skua_pool *pool)
{
	while (pool->cells.chunks) {
		struct skuai_cell_chunk *chunk = pool->cells.chunks;
		pool->cells.chunks = chunk->next;
		skuai_free(chunk);
	}
}
