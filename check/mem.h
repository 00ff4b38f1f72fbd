/* SPDX-License-Identifier: MIT */
/* mem.h — the memory of one explored execution: messages, views, fences, plain cells, blocks */
#ifndef SKUA_CHECK_MEM_H
#define SKUA_CHECK_MEM_H

#include "base/atomic_model.h"
#include "mc.h"

/* A fresh execution: no location, no message, no thread but 0. */
void mem_reset(void);

/* `child` begins with what `parent` knows; `waiter` learns what `ended` knew at its end. */
void mem_thread_start(int parent, int child);
void mem_thread_join(int waiter, int ended);

/* The accesses.  Each is one step of `thread`; branches inside it go through run_choose. */
uint64_t mem_load(int thread, uintptr_t address, size_t size, memory_order order);
void mem_store(int thread, uintptr_t address, size_t size, uint64_t value, memory_order order);
uint64_t mem_rmw(int thread, enum skuai_rmw op, uintptr_t address, size_t size, uint64_t value,
		 memory_order order);
bool mem_cas(int thread, uintptr_t address, size_t size, struct skuai_cas *cas);
void mem_fence(int thread, memory_order order);

/*
 * The kernel's look at a word before it puts `thread` to sleep: a relaxed load that misses nothing
 * which a thread knew that has woken sleepers of this word; mem_wake is such a wake.
 */
uint64_t mem_look(int thread, uintptr_t address, size_t size);
void mem_wake(int thread, uintptr_t address, size_t size);

/* Much time has passed: `thread` knows all that was written, though nothing orders it. */
void mem_settle(int thread);

/* Plain data.  NULL, or what is wrong with the access. */
const char *mem_plain(int thread, uintptr_t address, bool is_write);

/* Blocks of memory: given out in order, never reused within one execution. */
void *mem_block(size_t bytes, size_t align, bool is_counted);
void mem_block_free(int thread, void *block); /* a block of mem_block, not freed before */
unsigned mem_blocks_left(void);		      /* counted ones that were not freed */
uintptr_t mem_origin(void);		      /* where they begin; replay files count from there */

/* Something other than an access that the thread's future depends on: a wait that returned, ... */
void mem_note(int thread, uint64_t what);

/* 128 bits that tell one partial execution from another. */
struct mem_hash {
	uint64_t low, high;
};
struct mem_hash mem_state(void); /* all that the future can depend on */
struct mem_hash mem_graph(void); /* who read from whom, in which order each location was written */

/* Where the last access of this thread read from, for the printed interleaving. */
struct mem_source {
	int thread;	 /* the writer, or -1: the initial value */
	unsigned serial; /* its how-manieth step */
	unsigned newer;	 /* messages newer than the one read: 0 is the newest */
};
struct mem_source mem_last_source(void);
unsigned mem_serial(int thread); /* steps of this thread so far */

#endif
