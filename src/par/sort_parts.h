/* SPDX-License-Identifier: MIT */
/* sort_parts.h — what the sorts share: checks, memory, sorting in place, merging with forks */
#ifndef SKUAI_PAR_SORT_PARTS_H
#define SKUAI_PAR_SORT_PARTS_H

#include "par/split.h"

#include <skua/sort.h>

/* Elements, and how they are compared; the same for all parts of a sort. */
struct skuai_order {
	const struct skua_sort_leaves *leaves;
	void *context;
};

static inline bool skuai_order_is_before(const struct skuai_order *order, const void *a,
					 const void *b)
{
	return order->leaves->compare(a, b, order->context) < 0;
}

/* A comparison of the caller's: what the leaves for plain comparisons have as their context. */
struct skuai_plain {
	skua_compare *compare;
	void *context;
	size_t bytes;
	struct skua_sort_leaves any; /* for a size that has no leaves of its own */
};

/* The order of these elements by a plain comparison; base is looked at, count may be 0. */
struct skuai_order skuai_plain_order(struct skuai_plain *plain, const void *base, size_t count);

/* Run it in the pool, or with no place: there is none to be had, or it has few slots for forks. */
int skuai_sort_visit(struct skua_pool *pool, skua_job_run *run, void *argument);

/* A loop at a place in a pool: at NULL, where there is no pool, it is a call. */
int skuai_sort_each(struct skua_slot *here, uint64_t count, skua_loop_body *body, void *argument);

/* NULL, or options that can be had. */
bool skuai_sort_options_are_valid(const struct skua_sort_options *options);

/* An array that can be sorted. */
bool skuai_sort_array_is_valid(const void *base, size_t count, size_t bytes);

/* Memory for count elements, as far from a line's beginning as base is; or NULL.  *block is to be
 * freed. */
void *skuai_sort_room(const void *base, size_t count, size_t bytes, void **block);

/* Merge with whoever is idle. */
void skuai_sort_merge(struct skua_slot *here, const struct skuai_order *order, const char *a,
		      size_t a_count, const char *b, size_t b_count, char *into);

/* Sort with no memory but the stack; stable. */
void skuai_sort_in_place(struct skua_slot *here, const struct skuai_order *order, char *base,
			 size_t count);

/* How many of count elements come before this one; those that are equal to it too, if is_after. */
size_t skuai_sort_rank(const struct skuai_order *order, const char *base, size_t count,
		       const void *element, bool is_after);

/* 1: no element is before the one it follows.  0: one is. */
bool skuai_sort_is_sorted(struct skua_slot *here, const struct skuai_order *order, const char *base,
			  size_t count);

#endif
