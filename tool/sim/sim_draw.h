/* SPDX-License-Identifier: MIT */
/* sim_draw.h — random numbers by count: the n-th of a worker is the same whoever asks when */
#ifndef SKUA_SIM_DRAW_H
#define SKUA_SIM_DRAW_H

#include <stdint.h>

/*
 * No state but a count: a draw is a function of (seed, worker, n), so results depend on neither the
 * order of events nor on how many runs go on at a time.  Two rounds of the output function of
 * splitmix64 (Steele, Lea, Flood 2014, with Stafford's variant 13): one for whose stream it is, one
 * for the place in it.
 */
static inline uint64_t sim_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline uint64_t sim_draw(uint64_t seed, uint32_t who, uint64_t n)
{
	uint64_t stream = sim_mix(seed + 0x9e3779b97f4a7c15u * ((uint64_t)who + 1));

	return sim_mix(stream + 0x9e3779b97f4a7c15u * (n + 1));
}

/* 0 .. bound-1 of a draw; the bias is below 2^-32 times bound. */
static inline uint32_t sim_below(uint64_t draw, uint32_t bound)
{
	return (uint32_t)(((draw >> 32) * bound) >> 32);
}

/* One of `count` but for `self`, which is one of them. */
static inline uint32_t sim_other(uint64_t draw, uint32_t count, uint32_t self)
{
	uint32_t other = sim_below(draw, count - 1);

	return other + (other >= self);
}

/* log2(1 + i/256) in units of 2^-32. */
struct sim_logs {
	uint64_t of[257];
};

void sim_logs_make(struct sim_logs *logs);

/* Exponentially distributed with mean 1, in units of 2^-32: below 45 of them.  Off by 10^-5. */
uint64_t sim_exponential(const struct sim_logs *logs, uint64_t draw);

#endif
