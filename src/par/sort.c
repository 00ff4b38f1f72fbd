/* SPDX-License-Identifier: MIT */
/* sort.c — skua_sort: a merge sort whose halves, and whose merges, are for whoever is idle */
#include "par/sort_parts.h"

#include "base/alloc.h"
#include "os/largepages.h"
#include "sched/forks.h"
#include "sched/visit.h"

#include <skua/error.h>
#include <skua/fork.h>

#include <string.h>

/*
 * Elements go from one array to the other and back, a level of the sort each:
 *
 *	base   [ sorted half  ][ sorted half  ]   is merged from there into the other, unless these
 *	temp   [ quarter ][ quarter ]...          are so few that a leaf sorts them
 *
 * Leaves are those of the header, with the comparison inlined if it is known; merging is cut into
 * parts (merge.c).  All is stable; memory that cannot be had is done without (sort_inplace.c).
 */

#define SORT_LEAF   1024 /* elements sorted in one go: they stay in the nearest cache */
#define SORT_SERIAL 4096 /* elements that are not worth a pool: some 100 us */
#define SORT_ROOM   4096 /* bytes on the stack */
#define SORT_LINE   64

struct sorting {
	struct skuai_order order;
	char *base, *temp;
	size_t count;
};

/* --- where --- */

struct sort_visit {
	skua_job_run *run;
	void *argument;
};

/* A sort and its merges nest as deep as there are bits in a count, each. */
static void sort_run_visit(struct skua_slot *here, void *argument)
{
	struct sort_visit *visit = argument;

	visit->run(here && skuai_forks_has_room(here, 128) ? here : NULL, visit->argument);
}

int skuai_sort_visit(struct skua_pool *pool, skua_job_run *run, void *argument)
{
	struct sort_visit visit = { run, argument };

	return skuai_visit_anyhow(pool, SKUA_PRIORITY_NORMAL, sort_run_visit, &visit);
}

int skuai_sort_each(struct skua_slot *here, uint64_t count, skua_loop_body *body, void *argument)
{
	const struct skuai_work work = { .body = body, .argument = argument };

	return here ? skuai_split(NULL, 0, count, &work, NULL) : body(NULL, 0, count, argument);
}

bool skuai_sort_options_are_valid(const struct skua_sort_options *options)
{
	return !options || options->size == sizeof(*options);
}

bool skuai_sort_array_is_valid(const void *base, size_t count, size_t bytes)
{
	size_t all;

	return bytes && (base || !count) && !__builtin_mul_overflow(count, bytes, &all) &&
	       all <= PTRDIFF_MAX;
}

void *skuai_sort_room(const void *base, size_t count, size_t bytes, void **block)
{
	*block = skuai_alloc(1, count * bytes + SORT_LINE);
	if (!*block)
		return NULL;
	skuai_large_pages(*block, count * bytes);
	return (char *)*block + (((uintptr_t)base - (uintptr_t)*block) & (SORT_LINE - 1));
}

/* --- what is sorted already --- */

struct sort_question {
	struct skuai_order order;
	const char *base;
	size_t count;
	bool is_sorted;
};

static int sort_check_order(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	const struct sort_question *question = argument;
	const struct skua_sort_leaves *leaves = question->order.leaves;
	size_t count = hi - lo + (hi < question->count); /* the next chunk's first too */

	(void)here;
	return leaves->run(question->base + lo * leaves->bytes, count, question->order.context) <
	       count;
}

static int sort_check_reverse(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	const struct sorting *sorting = argument;
	size_t bytes = sorting->order.leaves->bytes;

	(void)here;
	for (uint64_t i = lo; i < hi && i + 1 < sorting->count; i++)
		if (!skuai_order_is_before(&sorting->order, sorting->base + (i + 1) * bytes,
					   sorting->base + i * bytes))
			return 1;
	return 0;
}

/* Exchange indices with those as far from the end. */
static int sort_turn(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	const struct sorting *sorting = argument;
	size_t bytes = sorting->order.leaves->bytes;
	char room[SORT_LINE];

	(void)here;
	for (uint64_t i = lo; i < hi; i++) {
		char *a = sorting->base + i * bytes;
		char *b = sorting->base + (sorting->count - 1 - i) * bytes;
		for (size_t done = 0, part; done < bytes; done += part) {
			part = bytes - done < sizeof(room) ? bytes - done : sizeof(room);
			memcpy(room, a + done, part);
			memcpy(a + done, b + done, part);
			memcpy(b + done, room, part);
		}
	}
	return 0;
}

bool skuai_sort_is_sorted(struct skua_slot *here, const struct skuai_order *order, const char *base,
			  size_t count)
{
	struct sort_question question = { *order, base, count, false };

	return skuai_sort_each(here, count, sort_check_order, &question) == 0;
}

/* True: it is sorted now. */
static bool sort_is_in_order(struct skua_slot *here, struct sorting *sorting)
{
	const struct skuai_order *order = &sorting->order;

	if (!skuai_order_is_before(order, sorting->base + order->leaves->bytes, sorting->base))
		return skuai_sort_is_sorted(here, order, sorting->base, sorting->count);
	if (skuai_sort_each(here, sorting->count, sort_check_reverse, sorting) != 0)
		return false;
	skuai_sort_each(here, sorting->count / 2, sort_turn, sorting);
	return true;
}

/* --- sort --- */

/* Sort some of base, into the other array if is_in_temp. */
SKUA_TASK_VOID(sort_part, struct sorting *, sorting, size_t, first, size_t, count, bool, is_in_temp)
{
	const struct skua_sort_leaves *leaves = sorting->order.leaves;
	size_t half = count / 2, bytes = leaves->bytes;
	char *base = sorting->base + first * bytes, *temp = sorting->temp + first * bytes;

	if (count <= SORT_LEAF) {
		leaves->sort(base, temp, count, sorting->order.context);
		if (!is_in_temp)
			memcpy(base, temp, count * bytes);
		return;
	}
	if (skua_here) {
		skua_fork(sort_part, back, sorting, first + half, count - half, !is_in_temp);
		skua_call(sort_part, sorting, first, half, !is_in_temp);
		skua_join(sort_part, back);
	} else {
		sort_part(NULL, sorting, first, half, !is_in_temp);
		sort_part(NULL, sorting, first + half, count - half, !is_in_temp);
	}
	const char *from = is_in_temp ? base : temp;
	skuai_sort_merge(skua_here, &sorting->order, from, half, from + half * bytes, count - half,
			 is_in_temp ? temp : base);
}

static void sort_whole(struct skua_slot *here, void *argument)
{
	struct sorting *sorting = argument;
	void *block;

	if (sort_is_in_order(here, sorting))
		return;
	sorting->temp = skuai_sort_room(sorting->base, sorting->count, sorting->order.leaves->bytes,
					&block);
	if (sorting->temp)
		sort_part(here, sorting, 0, sorting->count, false);
	else
		skuai_sort_in_place(here, &sorting->order, sorting->base, sorting->count);
	skuai_free(block);
}

/* Elements that fit twice into the caches next to the stack. */
static void sort_few(struct sorting *sorting)
{
	const struct skua_sort_leaves *leaves = sorting->order.leaves;
	_Alignas(SORT_LINE) char room[SORT_ROOM];

	if (leaves->run(sorting->base, sorting->count, sorting->order.context) == sorting->count)
		return;
	leaves->sort(sorting->base, room, sorting->count, sorting->order.context);
	memcpy(sorting->base, room, sorting->count * leaves->bytes);
}

int skua_sort_typed(struct skua_pool *pool, void *base, size_t count,
		    const struct skua_sort_leaves *leaves, void *context,
		    const struct skua_sort_options *options)
{
	struct sorting sorting = { { leaves, context }, base, NULL, count };

	if (!leaves || !skuai_sort_array_is_valid(base, count, leaves->bytes) ||
	    !skuai_sort_options_are_valid(options))
		return SKUA_EINVAL;
	if (count < 2)
		return SKUA_OK;
	if (count * leaves->bytes <= SORT_ROOM)
		sort_few(&sorting);
	else if (count <= SORT_SERIAL)
		sort_whole(NULL, &sorting);
	else
		return skuai_sort_visit(pool, sort_whole, &sorting);
	return SKUA_OK;
}

int skua_sort_any(struct skua_pool *pool, void *base, size_t count, size_t bytes,
		  skua_compare *compare, void *context, const struct skua_sort_options *options)
{
	struct skuai_plain plain = { .compare = compare, .context = context, .bytes = bytes };

	if (!compare || !skuai_sort_array_is_valid(base, count, bytes))
		return SKUA_EINVAL;
	struct skuai_order order = skuai_plain_order(&plain, base, count);
	return skua_sort_typed(pool, base, count, order.leaves, order.context, options);
}

/* --- is it sorted? --- */

static void sort_answer(struct skua_slot *here, void *argument)
{
	struct sort_question *question = argument;

	question->is_sorted = skuai_sort_is_sorted(here, &question->order, question->base,
						   question->count);
}

int skua_is_sorted_any(struct skua_pool *pool, const void *base, size_t count, size_t bytes,
		       skua_compare *compare, void *context)
{
	struct skuai_plain plain = { .compare = compare, .context = context, .bytes = bytes };

	if (!compare || !skuai_sort_array_is_valid(base, count, bytes))
		return SKUA_EINVAL;
	if (count < 2)
		return 1;
	struct sort_question question = { skuai_plain_order(&plain, base, count), base, count,
					  false };
	int error = SKUA_OK;
	if (count <= SORT_SERIAL)
		sort_answer(NULL, &question);
	else
		error = skuai_sort_visit(pool, sort_answer, &question);
	return error ? error : question.is_sorted;
}
