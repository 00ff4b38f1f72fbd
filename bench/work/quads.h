/* SPDX-License-Identifier: MIT */
/* quads.h — square matrices cut into quarters again and again, and the product of two of them */
#ifndef SKUA_WORK_QUADS_H
#define SKUA_WORK_QUADS_H

#include "work.h"

#include <stddef.h>

/*
 * The quarters of a matrix lie one behind the other: upper left, upper right, lower left, lower
 * right; each is again a matrix of this kind, down to tiles that are stored row by row.  So a
 * quarter is a pointer, without a stride, and no two rows of a tile meet in the same cache set.
 *
 * The elements are small whole numbers, and all sums stay below 2^24: every order of additions
 * gives the same floats, and check can ask for exactly the right ones.
 */
#define QUADS_TILE 64

struct quads {
	unsigned n;	  /* QUADS_TILE times a power of two */
	float *a, *b, *c; /* c = a b */
	float *work;	  /* room for temporaries, where the kernel wants some */
};

/* a and b filled with -1, 0 and 1; NULL: no memory.  `room` elements of work, 0: none. */
struct quads *quads_open(unsigned n, size_t room);
void quads_close(void *quads); /* as struct work wants it: drop */

/* Where an element is. */
size_t quads_place(unsigned n, unsigned row, unsigned column);

void quads_clear(float *c, unsigned n);

/* c += a b of one tile: the leaf. */
void quads_tile(float *restrict c, const float *restrict a, const float *restrict b);

/* c += a b, serially. */
void quads_multiply(float *c, const float *a, const float *b, unsigned n);

/* Is c = a b?  Multiplies both sides with random vectors: a wrong c passes once in 2^32. */
bool quads_check(void *quads); /* as struct work wants it: check */

#endif
