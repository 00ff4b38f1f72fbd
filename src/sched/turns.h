/* SPDX-License-Identifier: MIT */
/* turns.h — whose turn it is on a thief's round of visits; pure, so the simulator has it too */
#ifndef SKUAI_SCHED_TURNS_H
#define SKUAI_SCHED_TURNS_H

/* The i-th of all `count` workers but for self, from `start` on and round the end. */
static inline unsigned skuai_turn(unsigned self, unsigned count, unsigned start, unsigned i)
{
	unsigned own = (self + count - start % count) % count; /* self would come at this place */

	return (start + i + (i >= own)) % count;
}

/*
 * The i-th place in a row that is sorted by distance: those at distance n are at the places from
 * ends[n - 1] up to ends[n].  At each distance it begins `start` places on, and goes round.
 */
static inline unsigned skuai_turn_near(const unsigned *ends, unsigned distances, unsigned start,
				       unsigned i)
{
	unsigned begin = 0;

	for (unsigned near = 0; near < distances; near++) {
		unsigned end = ends[near];
		if (i < end)
			return begin + (i - begin + start) % (end - begin);
		begin = end;
	}
	return i;
}

#endif
