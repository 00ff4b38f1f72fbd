/* SPDX-License-Identifier: MIT */
/* cilksort.h — merge sort in four parts with merges that are themselves parallel */
#ifndef SKUA_WORK_CILKSORT_H
#define SKUA_WORK_CILKSORT_H

#include "work.h"

#include <stddef.h>

#define CILKSORT_SORT_LEAF  2048 /* numbers; those of Cilk's own version */
#define CILKSORT_MERGE_LEAF 2048

struct cilksort {
	size_t count;
	const int32_t *given; /* what to sort */
	int32_t *numbers, *other;
	uint64_t sum, product; /* of the given ones, in any order */
};

/* The leaves. */
void cilksort_leaf(int32_t *numbers, size_t count);
void cilksort_merge_leaf(const int32_t *a, size_t a_count, const int32_t *b, size_t b_count,
			 int32_t *to);

/* How many of the sorted numbers are less than x. */
size_t cilksort_below(const int32_t *numbers, size_t count, int32_t x);

#endif
