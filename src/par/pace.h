/* SPDX-License-Identifier: MIT */
/* pace.h — how many indices make a chunk: some microseconds' worth */
#ifndef SKUAI_PAR_PACE_H
#define SKUAI_PAR_PACE_H

#include "os/ticks.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Whoever wants a part of a loop may have to wait for the end of a chunk, so it is short; each
 * costs a look at the clock, so it is not shorter than it need be.  It begins with one index, and
 * the next is as many as would have been right, if that is not too many more.
 */
#define SKUAI_CHUNK_LEAST_US 2
#define SKUAI_CHUNK_MOST_US  4
#define SKUAI_CHUNK_GROWTH   64 /* times as many at the next step, at most */

struct skuai_pace {
	uint64_t chunk;	 /* indices */
	uint64_t grain;	 /* never less */
	uint64_t before; /* ticks when the last chunk ended */
	uint64_t extra;	 /* ticks by which a chunk may be longer than usual */
	uint64_t count;	 /* indices of the last chunk, */
	uint64_t took;	 /* and its ticks */
};

/* The next chunk begins now, not when the last one ended. */
static inline void skuai_pace_resume(struct skuai_pace *pace)
{
	pace->before = skuai_ticks();
}

/*
 * How many indices to take of so many that are left.  A quarter of them at most, unless that is
 * less than a quarter of a chunk: they may be dearer than those that the chunk was made for, and
 * then nobody could help.
 */
static inline uint64_t skuai_pace_next(const struct skuai_pace *pace, uint64_t left)
{
	uint64_t count = pace->chunk;

	if (count > left / 4)
		count = left / 4 > count / 4 ? left / 4 : count / 4;
	if (count < pace->grain)
		count = pace->grain;
	return count < left ? count : left;
}

/* A chunk of so many indices has ended now. */
static inline void skuai_pace_step(struct skuai_pace *pace, uint64_t count)
{
	uint64_t now = skuai_ticks(), took = now - pace->before;
	uint64_t least = skuai_ticks_of_us(SKUAI_CHUNK_LEAST_US) + pace->extra;

	pace->before = now;
	pace->count = count;
	pace->took = took;
	if (took < least) {
		uint64_t more = least / (took + 1) + 1;
		more = more < SKUAI_CHUNK_GROWTH ? more : SKUAI_CHUNK_GROWTH;
		more = count <= UINT64_MAX / more ? count * more : UINT64_MAX;
		pace->chunk = more > pace->chunk ? more : pace->chunk;
	} else if (took > skuai_ticks_of_us(SKUAI_CHUNK_MOST_US) + 2 * pace->extra &&
		   count > pace->grain) {
		/* A thread that lost its processor says too few; that is mended in a step. */
		uint64_t fewer = count / (took / least);
		pace->chunk = fewer > pace->grain ? fewer : pace->grain;
	}
}

#endif
