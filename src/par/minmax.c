/* SPDX-License-Identifier: MIT */
/* minmax.c — where the least and the greatest element of an array are */
#include "par/split.h"

#include <skua/error.h>
#include <skua/find.h>

/*
 * A reduction whose partial result is two indices.  One function does everything: it makes the
 * extremes those of some more elements.  To merge a part, it is shown the part's two.
 */
struct minmax_search {
	const void *array;
	skua_extremes_body *body;
	void *context;
};

static int minmax_fold(struct skua_slot *here, uint64_t lo, uint64_t hi, void *into, void *argument)
{
	const struct minmax_search *search = argument;

	(void)here;
	search->body(search->array, lo, hi, into, search->context);
	return 0;
}

/*
 * The least of the later part may be the greatest of both only where all of that part are equal, or
 * until its greatest is looked at: so the least goes first.
 */
static void minmax_merge(void *into, void *next, void *argument)
{
	const struct minmax_search *search = argument;
	const struct skua_extremes *part = next;

	if (!part->has_any)
		return;
	search->body(search->array, part->min, part->min + 1, into, search->context);
	search->body(search->array, part->max, part->max + 1, into, search->context);
}

static const struct skua_fold minmax_parts = { .bytes = sizeof(struct skua_extremes),
					       .body = minmax_fold,
					       .merge = minmax_merge };

static int minmax_run(struct skua_pool *pool, struct minmax_search *search, size_t count,
		      size_t *min, size_t *max, const struct skua_loop_options *options)
{
	struct skua_extremes found;
	const struct skuai_work work = { .fold = &minmax_parts,
					 .argument = search,
					 .result = &found,
					 .key = (uintptr_t)search->body };

	if ((!search->array && count) || (!min && !max) || !skuai_loop_options_are_valid(options))
		return SKUA_EINVAL;
	int error = skuai_split(pool, 0, count, &work, options);
	if (error)
		return error;
	if (min)
		*min = (size_t)found.min;
	if (max)
		*max = (size_t)found.max;
	return SKUA_OK;
}

int skua_array_extremes(struct skua_pool *pool, const void *array, size_t count,
			skua_extremes_body *body, size_t *min, size_t *max,
			const struct skua_loop_options *options)
{
	struct minmax_search search = { array, body, NULL };

	return body ? minmax_run(pool, &search, count, min, max, options) : SKUA_EINVAL;
}

/* --- any comparison --- */

struct minmax_order {
	size_t bytes;
	skua_compare *compare;
	void *context;
};

static void minmax_compared(const void *array, uint64_t lo, uint64_t hi,
			    struct skua_extremes *extremes, void *context)
{
	const struct minmax_order *order = context;
	const char *first = array;
	uint64_t min = extremes->has_any ? extremes->min : lo;
	uint64_t max = extremes->has_any ? extremes->max : lo;

	for (uint64_t i = lo; i < hi; i++) {
		const char *at = first + i * order->bytes;
		if (order->compare(at, first + min * order->bytes, order->context) < 0)
			min = i;
		else if (order->compare(first + max * order->bytes, at, order->context) < 0)
			max = i;
	}
	*extremes = (struct skua_extremes){ min, max, true };
}

int skua_array_min_max(struct skua_pool *pool, const void *array, size_t count, size_t bytes,
		       skua_compare *compare, void *context, size_t *min, size_t *max,
		       const struct skua_loop_options *options)
{
	struct minmax_order order = { bytes, compare, context };
	struct minmax_search search = { array, minmax_compared, &order };

	if (!compare || bytes == 0 || count > PTRDIFF_MAX / bytes)
		return SKUA_EINVAL;
	return minmax_run(pool, &search, count, min, max, options);
}
