/* SPDX-License-Identifier: MIT */
/* find.c — the first index that matches, any, all, how many */
#include "base/atomic.h"
#include "par/split.h"

#include <skua/error.h>
#include <skua/find.h>

/*
 * A search for the first match is a loop that knows the lowest match so far.  A chunk behind it is
 * over at once, and chunks that take no time grow fast: so what lies behind a match ends in a few
 * steps, however much it is, while what lies before it is still looked at.  A search for any match
 * ends as a loop does when a body fails.
 */

#define FIND_DONE 1 /* a code that is no error: stop, there is an answer */

struct find_search {
	skua_find_body *body;
	void *argument;
	_Atomic uint64_t best; /* the lowest match so far; UINT64_MAX: none.  Only falls */
};

/* In terms of struct skua_find alone, for what it has no function of its own. */
struct find_derived {
	skua_find_body *first;
	void *argument;
};

static bool find_is_valid(const struct skua_find *find, const void *answer,
			  const struct skua_loop_options *options)
{
	return find && find->first && answer && skuai_loop_options_are_valid(options);
}

static void find_lower(struct find_search *search, uint64_t index)
{
	/* order find.lower.1: relaxed, a number; the joins carry what else there is to see */
	uint64_t best = skua_load(&search->best, relaxed);

	/* order find.lower.2: relaxed, as .1 */
	while (index < best && !skua_cas_weak(&search->best, &best, index, relaxed, relaxed))
		continue;
}

static int find_in_chunk(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct find_search *search = argument;
	/* order find.chunk.1: relaxed, a number; an old one costs work, no more */
	uint64_t best = skua_load(&search->best, relaxed), end = best < hi ? best : hi;

	if (lo >= end)
		return 0;
	uint64_t index = search->body(here, lo, end, search->argument);
	if (index < end)
		find_lower(search, index);
	return 0;
}

int skua_loop_find_first(struct skua_pool *pool, uint64_t lo, uint64_t hi,
			 const struct skua_find *find, const void *argument, uint64_t *index,
			 const struct skua_loop_options *options)
{
	struct skua_loop_options mine = { .size = sizeof(mine) };
	struct skua_reach reach;

	if (!find_is_valid(find, index, options))
		return SKUA_EINVAL;
	struct find_search search = { find->first, (void *)argument, UINT64_MAX };
	const struct skuai_work work = { .body = find_in_chunk,
					 .argument = &search,
					 .key = (uintptr_t)find->first };
	if (options)
		mine = *options;
	mine.reach = &reach;
	int error = skuai_split(pool, lo, hi, &work, &mine);
	if (options && options->reach)
		*options->reach = reach;
	/* order find.end.1: relaxed, everybody else is done with it */
	uint64_t best = skua_load(&search.best, relaxed);
	bool is_certain = best != UINT64_MAX && best <= reach.first; /* all before it were done */
	if (error && !is_certain)
		return error;
	*index = best != UINT64_MAX ? best : hi;
	return SKUA_OK;
}

/* --- any, all --- */

static int find_any_in_chunk(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct find_search *search = argument;
	uint64_t index = search->body(here, lo, hi, search->argument);

	if (index >= hi)
		return 0;
	find_lower(search, index);
	return FIND_DONE;
}

static int find_any(struct skua_pool *pool, uint64_t lo, uint64_t hi, struct find_search *search,
		    bool *is_any, const struct skua_loop_options *options)
{
	const struct skuai_work work = { .body = find_any_in_chunk,
					 .argument = search,
					 .key = (uintptr_t)search->body };
	int error = skuai_split(pool, lo, hi, &work, options);
	/* order find.any.1: relaxed, everybody else is done with it */
	bool is_found = skua_load(&search->best, relaxed) != UINT64_MAX;

	if (error && !is_found)
		return error;
	*is_any = is_found;
	return SKUA_OK;
}

int skua_loop_any(struct skua_pool *pool, uint64_t lo, uint64_t hi, const struct skua_find *find,
		  const void *argument, bool *is_any, const struct skua_loop_options *options)
{
	if (!find_is_valid(find, is_any, options))
		return SKUA_EINVAL;
	struct find_search search = { find->first, (void *)argument, UINT64_MAX };
	return find_any(pool, lo, hi, &search, is_any, options);
}

/* The first index that does not match, asked one by one. */
static uint64_t find_derived_other(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct find_derived *derived = argument;

	while (lo < hi && derived->first(here, lo, lo + 1, derived->argument) == lo)
		lo++;
	return lo;
}

int skua_loop_all(struct skua_pool *pool, uint64_t lo, uint64_t hi, const struct skua_find *find,
		  const void *argument, bool *is_all, const struct skua_loop_options *options)
{
	bool is_other = false;

	if (!find_is_valid(find, is_all, options))
		return SKUA_EINVAL;
	struct find_derived derived = { find->first, (void *)argument };
	struct find_search search = { find->other, derived.argument, UINT64_MAX };
	if (!find->other)
		search = (struct find_search){ find_derived_other, &derived, UINT64_MAX };
	int error = find_any(pool, lo, hi, &search, &is_other, options);
	if (!error)
		*is_all = !is_other;
	return error;
}

/* --- how many --- */

static int find_count_fold(struct skua_slot *here, uint64_t lo, uint64_t hi, void *into,
			   void *argument)
{
	const struct find_search *search = argument;

	*(uint64_t *)into += search->body(here, lo, hi, search->argument);
	return 0;
}

static void find_count_merge(void *into, void *next, void *argument)
{
	(void)argument;
	*(uint64_t *)into += *(uint64_t *)next;
}

/* How many match, from match to match. */
static uint64_t find_derived_count(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct find_derived *derived = argument;
	uint64_t count = 0;

	while (lo < hi && (lo = derived->first(here, lo, hi, derived->argument)) < hi) {
		count++;
		lo++;
	}
	return count;
}

int skua_loop_count(struct skua_pool *pool, uint64_t lo, uint64_t hi, const struct skua_find *find,
		    const void *argument, uint64_t *count, const struct skua_loop_options *options)
{
	static const struct skua_fold fold = { .bytes = sizeof(*count),
					       .body = find_count_fold,
					       .merge = find_count_merge };

	if (!find_is_valid(find, count, options))
		return SKUA_EINVAL;
	struct find_derived derived = { find->first, (void *)argument };
	struct find_search search = { find->count, derived.argument, UINT64_MAX };
	if (!find->count)
		search = (struct find_search){ find_derived_count, &derived, UINT64_MAX };
	return skuai_split(pool, lo, hi,
			   &(struct skuai_work){ .fold = &fold,
						 .argument = &search,
						 .result = count,
						 .key = (uintptr_t)find->first },
			   options);
}
