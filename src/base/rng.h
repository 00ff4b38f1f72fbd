/* SPDX-License-Identifier: MIT */
/* rng.h — a small seedable random generator: splitmix64, eight bytes of state */
#ifndef SKUAI_BASE_RNG_H
#define SKUAI_BASE_RNG_H

#include <stdint.h>

/*
 * Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014), the output
 * function with Stafford's variant 13.  Any seed is good, 0 included; equal seeds, equal sequences.
 */
struct skuai_rng {
	uint64_t state; /* its owner reads and writes; never shared */
};

static inline uint64_t skuai_rng_next(struct skuai_rng *rng)
{
	uint64_t z = rng->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* A number in 0 .. bound-1; the bias is below 2^-32 for any bound, and bound 0 gives 0. */
static inline uint32_t skuai_rng_below(struct skuai_rng *rng, uint32_t bound)
{
	return (uint32_t)(((skuai_rng_next(rng) >> 32) * bound) >> 32);
}

#endif
