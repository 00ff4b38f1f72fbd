/* SPDX-License-Identifier: MIT */
/* sim_port.h — all that the simulator needs of its host: memory, error texts, wide products */
#ifndef SKUA_SIM_PORT_H
#define SKUA_SIM_PORT_H

#include "sim/sim.h"

/*
 * The simulator also runs in a page, as WebAssembly without a libc: clang --target=wasm32
 * -ffreestanding -nostdlib -DSIM_FREESTANDING.  So its files call nothing that is not declared here
 * or in a header of theirs.  sim_host.c is the one that does; a page brings its own memory.
 */

/* What one run has of the caller's memory. */
struct sim_heap {
	struct sim_memory memory;
	uint64_t bytes, peak;
};

/* NULL: no memory, or more than can be addressed.  What they give is zero. */
void *sim_get(struct sim_heap *heap, uint64_t count, size_t size);
void sim_put(struct sim_heap *heap, void *block, uint64_t count, size_t size);

/* The same with room for more; the old block is gone, unless it returns NULL. */
void *sim_grow(struct sim_heap *heap, void *block, uint64_t old, uint64_t count, size_t size);

/* Say it, with a and b for the first and the second # in the text; -1. */
int sim_fail(struct sim_error *error, const char *text, uint64_t a, uint64_t b);
int sim_fail_memory(struct sim_error *error, const struct sim_heap *heap);

bool sim_is_same(const char *a, const char *b);

/* a * b >> shift, which must fit 64 bits; shift below 128. */
uint64_t sim_mul_shift(uint64_t a, uint64_t b, unsigned shift);
/* a * b / c, rounded down; the largest number if that does not fit, or c is 0. */
uint64_t sim_mul_div(uint64_t a, uint64_t b, uint64_t c);

#endif
