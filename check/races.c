/* SPDX-License-Identifier: MIT */
/* races.c — what happens-before must order: plain accesses, and every access before its free */
#include "mem_inside.h"
#include "run.h"

#include <string.h>

/*
 * Vector clocks ride in the views: cur.clock of a thread says how many steps of each other thread
 * happen before its next one.  An access leaves its own step's number behind; whoever comes later
 * and conflicts must know at least that number, else the two race, in whichever order they ran.
 */

enum {
	BLOCKS_MAX = 64,
	ARENA_BYTES = 1 << 18,
};

struct block {
	uintptr_t from, to;
	bool is_counted, is_freed;
	uint16_t used[MC_THREADS_MAX]; /* last access of each thread, as clock values */
};

static struct {
	struct block blocks[BLOCKS_MAX];
	unsigned count;
	size_t used; /* bytes of the arena */
} heap;

static _Alignas(4096) unsigned char arena[ARENA_BYTES];

/* --- plain data --- */

const char *mem_plain(int thread, uintptr_t address, bool is_write)
{
	mem_use_block(thread, address);
	struct location *location = &mem_now.locations[mem_locate(address, 8)];
	struct thread *self = mem_step(thread);
	const struct view *known = &self->cur;
	bool writer_known = location->plain_writer < 0 ||
			    known->clock[location->plain_writer] >= location->plain_write;

	remember(thread, is_write ? 10 : 11, address, 0);
	if (!writer_known)
		return is_write ? "data race: a write here is not ordered after another write"
				: "data race: a read here is not ordered after a write";
	for (int i = 0; is_write && i < MC_THREADS_MAX; i++)
		if (known->clock[i] < location->plain_reads[i])
			return "data race: a write here is not ordered after a read";
	if (is_write) {
		location->plain_writer = (int8_t)thread;
		location->plain_write = known->clock[thread];
	} else {
		location->plain_reads[thread] = known->clock[thread];
	}
	return NULL;
}

/* --- blocks of memory --- */

void mem_blocks_reset(void)
{
	memset(arena, 0, heap.used);
	heap.count = 0;
	heap.used = 0;
}

uintptr_t mem_origin(void)
{
	return (uintptr_t)arena;
}

void mem_use_block(int thread, uintptr_t address)
{
	for (unsigned i = 0; i < heap.count; i++) {
		struct block *block = &heap.blocks[i];
		if (address < block->from || address >= block->to)
			continue;
		if (block->is_freed)
			run_error("use after free: this memory was given back");
		block->used[thread] = (uint16_t)(mem_now.threads[thread].cur.clock[thread] + 1u);
	}
}

void *mem_block(size_t bytes, size_t align, bool is_counted)
{
	size_t from = (heap.used + align - 1) / align * align;

	if (heap.count == BLOCKS_MAX || bytes > ARENA_BYTES - from)
		run_limit("the case is too large: more than %d bytes or %d blocks", ARENA_BYTES,
			  BLOCKS_MAX);
	heap.used = from + bytes;
	uintptr_t at = (uintptr_t)arena + from;
	heap.blocks[heap.count++] =
		(struct block){ .from = at, .to = at + bytes, .is_counted = is_counted };
	return arena + from;
}

static struct block *find_block(void *memory)
{
	for (unsigned i = 0; i < heap.count; i++)
		if (heap.blocks[i].from == (uintptr_t)memory)
			return &heap.blocks[i];
	run_error("free of something that was not allocated");
}

void mem_block_free(int thread, void *memory)
{
	struct block *block = find_block(memory);

	if (block->is_freed)
		run_error("freed twice");
	/* Like a write to all of it: whoever used it must have done so before, not just earlier. */
	for (int i = 0; i < MC_THREADS_MAX; i++)
		if (mem_now.threads[thread].cur.clock[i] < block->used[i])
			run_error("freed, but nothing orders thread %d's use of it before", i);
	block->is_freed = true;
	remember(thread, 14, (uintptr_t)memory, 0);
}

unsigned mem_blocks_left(void)
{
	unsigned left = 0;

	for (unsigned i = 0; i < heap.count; i++)
		left += heap.blocks[i].is_counted && !heap.blocks[i].is_freed;
	return left;
}
