/* SPDX-License-Identifier: MIT */
/* strassen.h — a matrix product by seven smaller ones: uneven forks, much memory between them */
#ifndef SKUA_WORK_STRASSEN_H
#define SKUA_WORK_STRASSEN_H

#include "quads.h"

/* Rows; below, eight products of tiles are faster than seven and their sums. */
#define STRASSEN_LEAF 128

enum {
	STRASSEN_M1,
	STRASSEN_M2,
	STRASSEN_M3,
	STRASSEN_M4,
	STRASSEN_M5,
	STRASSEN_M6,
	STRASSEN_M7,
	STRASSEN_PRODUCTS
};

/* One level: c = a b.  Product m has the work at rooms + m * room to itself. */
struct strassen_quarters {
	size_t q; /* elements of one */
	const float *a, *b;
	float *c;
	float *sums; /* ten, then M1, M4, M5 */
	float *m[STRASSEN_PRODUCTS];
	float *rooms; /* for the products' own work */
	size_t room;
};

struct strassen_factors {
	const float *left, *right;
};

struct strassen_quarters strassen_lay_out(float *c, const float *a, const float *b, float *work,
					  unsigned n);

/* What product m is made of: two quarters, or sums of them, which this makes. */
struct strassen_factors strassen_make_factors(const struct strassen_quarters *at, int m);

/* c of all seven. */
void strassen_put_together(const struct strassen_quarters *at);

/* c = a b of STRASSEN_LEAF rows or fewer. */
void strassen_leaf(float *c, const float *a, const float *b, unsigned n);

#endif
