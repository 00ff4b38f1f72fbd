/* SPDX-License-Identifier: MIT */
/* merge.c — skua_merge: two sorted arrays become one, in parts that do not touch each other */
#include "par/sort_parts.h"

#include <skua/error.h>
#include <skua/fork.h>

#include <string.h>

/*
 * The middle of the longer array is looked up in the shorter one: what is before it in both, and
 * what is not, can be merged at the same time.  An order that contradicts itself gives other places
 * to cut at, but every element is still on one side of the cut.
 */

#define MERGE_GRAIN 8192 /* elements that are not worth a cut: some 20 us */

/* What one task merges; by pointer, there is no room for all in a slot. */
struct merge_job {
	const struct skuai_order *order;
	const char *a, *b;
	size_t a_count, b_count;
	char *into;
};

size_t skuai_sort_rank(const struct skuai_order *order, const char *base, size_t count,
		       const void *element, bool is_after)
{
	size_t bytes = order->leaves->bytes, rank = 0;

	while (count) {
		const char *middle = base + (rank + count / 2) * bytes;
		if (is_after ? !skuai_order_is_before(order, element, middle)
			     : skuai_order_is_before(order, middle, element)) {
			rank += count / 2 + 1;
			count -= count / 2 + 1;
		} else {
			count /= 2;
		}
	}
	return rank;
}

/* Arrays that need not be merged element by element. */
static bool merge_by_copying(const struct merge_job *merging)
{
	const struct skuai_order *order = merging->order;
	size_t bytes = order->leaves->bytes;
	size_t a_bytes = merging->a_count * bytes, b_bytes = merging->b_count * bytes;
	char *into = merging->into;

	if (!a_bytes || !b_bytes ||
	    !skuai_order_is_before(order, merging->b, merging->a + a_bytes - bytes)) {
		if (a_bytes)
			memcpy(into, merging->a, a_bytes);
		if (b_bytes)
			memcpy(into + a_bytes, merging->b, b_bytes);
		return true;
	}
	if (skuai_order_is_before(order, merging->b + b_bytes - bytes, merging->a)) {
		memcpy(into, merging->b, b_bytes);
		memcpy(into + b_bytes, merging->a, a_bytes);
		return true;
	}
	return false;
}

SKUA_TASK_VOID(merge_part, struct merge_job *, merging)
{
	const struct skuai_order *order = merging->order;
	size_t bytes = order->leaves->bytes;
	struct merge_job front = *merging, back = *merging;

	if (!skua_here || merging->a_count + merging->b_count <= MERGE_GRAIN) {
		if (!merge_by_copying(merging))
			order->leaves->merge(merging->a, merging->a_count, merging->b,
					     merging->b_count, merging->into, order->context);
		return;
	}
	if (merging->a_count >= merging->b_count) {
		front.a_count = merging->a_count / 2;
		front.b_count = skuai_sort_rank(order, merging->b, merging->b_count,
						merging->a + front.a_count * bytes, false);
	} else {
		front.b_count = merging->b_count / 2;
		front.a_count = skuai_sort_rank(order, merging->a, merging->a_count,
						merging->b + front.b_count * bytes, true);
	}
	back.a += front.a_count * bytes;
	back.a_count -= front.a_count;
	back.b += front.b_count * bytes;
	back.b_count -= front.b_count;
	back.into += (front.a_count + front.b_count) * bytes;
	skua_fork(merge_part, later, &back);
	skua_call(merge_part, &front);
	skua_join(merge_part, later);
}

void skuai_sort_merge(struct skua_slot *here, const struct skuai_order *order, const char *a,
		      size_t a_count, const char *b, size_t b_count, char *into)
{
	struct merge_job merging = { order, a, b, a_count, b_count, into };

	merge_part(here, &merging);
}

static void merge_whole(struct skua_slot *here, void *argument)
{
	merge_part(here, argument);
}

static bool merge_overlaps(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
	return a_bytes && b_bytes && a < b + b_bytes && b < a + a_bytes;
}

int skua_merge_any(struct skua_pool *pool, const void *a, size_t a_count, const void *b,
		   size_t b_count, void *into, size_t bytes, skua_compare *compare, void *context)
{
	struct skuai_plain plain = { .compare = compare, .context = context, .bytes = bytes };
	size_t count;

	if (!compare || !skuai_sort_array_is_valid(a, a_count, bytes) ||
	    !skuai_sort_array_is_valid(b, b_count, bytes) ||
	    __builtin_add_overflow(a_count, b_count, &count) ||
	    !skuai_sort_array_is_valid(into, count, bytes) ||
	    merge_overlaps(into, count * bytes, a, a_count * bytes) ||
	    merge_overlaps(into, count * bytes, b, b_count * bytes))
		return SKUA_EINVAL;
	struct skuai_order order = a_count ? skuai_plain_order(&plain, a, a_count)
					   : skuai_plain_order(&plain, b, b_count);
	struct merge_job merging = { &order, a, b, a_count, b_count, into };
	if (count > MERGE_GRAIN)
		return skuai_sort_visit(pool, merge_whole, &merging);
	merge_part(NULL, &merging);
	return SKUA_OK;
}
