/* SPDX-License-Identifier: MIT */
/* test_sort.h — what tests of sorts share: inputs of every shape, pools of every size */
#ifndef SKUA_TESTS_TEST_SORT_H
#define SKUA_TESTS_TEST_SORT_H

#include "unit/test_pool.h"

#include <skua/sort.h>

static const int sort_workers[] = { 1, 2, 3, 8, 64 };
#define SORT_POOLS (sizeof(sort_workers) / sizeof(sort_workers[0]))

/* Around where the sorts change their ways, and some that are odd. */
static const size_t sort_counts[] = { 0,    1,	  2,	3,    4,     5,	    7,	   8,
				      9,    17,	  31,	33,   63,    64,    65,	   100,
				      127,  255,  511,	777,  1023,  1024,  1025,  2047,
				      4095, 4097, 5000, 8193, 12289, 16385, 30011, 50021 };
#define SORT_COUNTS (sizeof(sort_counts) / sizeof(sort_counts[0]))

enum sort_shape {
	SORT_RANDOM,
	SORT_SORTED,
	SORT_REVERSED,
	SORT_REVERSED_PAIRS, /* of equals */
	SORT_REVERSED_MOST,  /* but for the last */
	SORT_CONSTANT,
	SORT_FEW,      /* distinct values */
	SORT_NEARLY,   /* sorted, but for some */
	SORT_APPENDED, /* sorted, then a few at the end */
	SORT_ORGAN,    /* up, then down */
	SORT_SAW,      /* many runs */
	SORT_CROWDED,  /* nearly all close together, some far away */
	SORT_POWERS,   /* as many near each power of two */
	SORT_SHAPES
};

/* The i-th of count numbers of this shape. */
__attribute__((unused)) static uint64_t sort_value(enum sort_shape shape, uint64_t i,
						   uint64_t count)
{
	uint64_t random = test_random();

	switch (shape) {
	case SORT_SORTED:
		return i * 3;
	case SORT_REVERSED:
		return (count - i) * 3;
	case SORT_REVERSED_PAIRS:
		return (count - i) / 2;
	case SORT_REVERSED_MOST:
		return i + 1 < count ? count - i : count;
	case SORT_CONSTANT:
		return 42;
	case SORT_FEW:
		return random % 5 << 40 | random % 5;
	case SORT_NEARLY:
		return random % 50 ? i << 20 : random;
	case SORT_APPENDED:
		return i + 3 < count ? i : random % count;
	case SORT_ORGAN:
		return i < count / 2 ? i : count - i;
	case SORT_SAW:
		return i % 100 << 33;
	case SORT_CROWDED:
		return random % 1000 ? 7000 + random % 3 : random;
	case SORT_POWERS:
		return random >> (random % 61);
	default:
		return random;
	}
}

struct sort_pools {
	struct skua_pool *pools[SORT_POOLS];
};

__attribute__((unused)) static void sort_pools_open(struct sort_pools *all)
{
	for (size_t i = 0; i < SORT_POOLS; i++)
		all->pools[i] = pool_of(sort_workers[i]);
}

__attribute__((unused)) static void sort_pools_close(struct sort_pools *all)
{
	for (size_t i = 0; i < SORT_POOLS; i++)
		pool_end(all->pools[i]);
}

#endif
