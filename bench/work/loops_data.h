/* SPDX-License-Identifier: MIT */
/* loops_data.h — loops whose indices cost the same, or not: costs, bodies, what must come out */
#ifndef SKUA_WORK_LOOPS_DATA_H
#define SKUA_WORK_LOOPS_DATA_H

#include "work.h"

/*
 * No runtime in here: the programs of bench/peers/algo link this file too.  The cost of an index is
 * a number of turns of a mill, four cycles each, which nobody can overtake; the mean of the skewed
 * loops is LOOPS_TURNS.  Cheap loops have the same few turns at every index, and as an index does
 * not wait for the one before, a turn is about two cycles there.
 */
#define LOOPS_SHAPES(X)                            \
	X(constant, "all the same", 0)             \
	X(linear, "rising with the index", 0)      \
	X(quadratic, "rising with its square", 0)  \
	X(heavy, "half of it in one index", 0)     \
	X(exponential, "doubling, 16 times", 0)    \
	X(bimodal, "one in ten has most of it", 0) \
	X(cheap1, "cheap: about 1 ns", 2)          \
	X(cheap10, "cheap: about 10 ns", 15)

#define LOOPS_NAME(name, role, turns) LOOPS_##name,
enum loops_shape {
	LOOPS_SHAPES(LOOPS_NAME) LOOPS_COUNT
};
#undef LOOPS_NAME

#define LOOPS_TURNS 78	    /* about 100 ns */
#define LOOPS_LONG  1000000 /* indices of a loop that is run once, and is not to be had cheap */
#define LOOPS_ALL   100000  /* indices of all the repetitions of a shorter one together */
#define LOOPS_CHEAP 10	    /* times as many of a cheap one */

/* Field for field known to algo_rayon/src/main.rs too. */
struct loops_data {
	uint32_t shape;	  /* enum loops_shape */
	uint64_t n;	  /* indices */
	uint64_t times;	  /* so often, one after the other */
	uint32_t *turns;  /* of each index */
	uint64_t *output; /* of each index: what the mill made of it */
};

#ifdef __cplusplus
extern "C" {
#endif

extern const struct work_problem loops_problems[];

const char *loops_name(uint32_t shape);
const char *loops_role(uint32_t shape);

/* NULL: not enough memory, or there is no such loop: those of a million indices are not cheap. */
struct loops_data *loops_open(uint32_t shape, uint64_t n);
void loops_close(struct loops_data *data);

/* The number of indices of a problem; 0: there is none of that name. */
uint64_t loops_size(const char *problem);
bool loops_has(uint32_t shape, uint64_t n);

void loops_reset(struct loops_data *data);
void loops_plain(struct loops_data *data);
bool loops_is_right(const struct loops_data *data);

#ifdef __cplusplus
}
#endif

/* One by one, whatever the compiler knows. */
static inline uint64_t loops_turn(uint64_t x)
{
	x = x * 6364136223846793005u + 1442695040888963407u;
	__asm__ volatile("" : "+r"(x));
	return x;
}

static inline uint64_t loops_mill(uint64_t x, uint32_t turns)
{
	for (uint32_t i = 0; i < turns; i++)
		x = loops_turn(x);
	return x;
}

/* Written out: compilers differ in which loops they unroll. */
static inline uint64_t loops_two(uint64_t x)
{
	return loops_turn(loops_turn(x));
}

static inline uint64_t loops_fifteen(uint64_t x)
{
	x = loops_two(loops_two(loops_two(loops_turn(x))));
	return loops_two(loops_two(loops_two(loops_two(x))));
}

/* The bodies. */
static inline void loops_skewed(const struct loops_data *data, uint64_t i)
{
	data->output[i] = loops_mill(i, data->turns[i]);
}

static inline void loops_cheap1(const struct loops_data *data, uint64_t i)
{
	data->output[i] = loops_two(i);
}

static inline void loops_cheap10(const struct loops_data *data, uint64_t i)
{
	data->output[i] = loops_fifteen(i);
}

#endif
