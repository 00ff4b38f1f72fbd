/* SPDX-License-Identifier: MIT */
/* radix.c — skua_sort_keys: an array of numbers sorted by their digits */
#include "par/sort_radix.h"

#include "base/alloc.h"

#include <skua/error.h>
#include <skua/fork.h>

/*
 * Keys that are in order, or in reverse, are found out first.  Else they are dealt out to buckets
 * (radix_deal.c), and each bucket is sorted in a cache (radix_bucket.c); without memory for that
 * they are sorted in place, below.
 */

#define RADIX_SERIAL 8192 /* keys that are not worth a pool: some 50 us */
#define RADIX_ROOM   4096 /* bytes on the stack */
#define RADIX_ROW    32	  /* keys looked at before it is asked whether they are in order */

struct radix_whole {
	struct skuai_radix radix;
	size_t count;
	enum skua_key kind;
};

/* --- in order? --- */

/* Is key i of an array out of order with the next?  In reverse: is it below the next? */
SKUAI_RADIX_INLINE bool radix_is_wrong(const char *keys, size_t i, enum skua_key kind,
				       bool is_reverse)
{
	const struct skuai_keymap map = skuai_keymap_of(kind);
	const unsigned width = skuai_key_width(kind);
	uint64_t rank = skuai_rank_of(skuai_radix_get(keys + i * width, width), map, width);
	uint64_t next = skuai_rank_of(skuai_radix_get(keys + (i + 1) * width, width), map, width);

	if (width == 4) /* so narrow that the compiler finds an instruction for several */
		return is_reverse ? (uint32_t)next > (uint32_t)rank
				  : (uint32_t)next < (uint32_t)rank;
	return is_reverse ? next > rank : next < rank;
}

/* Is each key in [lo, hi) right with the next?  One branch for a row of them. */
SKUAI_RADIX_INLINE bool radix_run(const char *keys, size_t lo, size_t hi, enum skua_key kind,
				  bool is_reverse)
{
	for (; hi - lo >= RADIX_ROW; lo += RADIX_ROW) {
		unsigned wrong = 0;
		for (size_t i = 0; i < RADIX_ROW; i++)
			wrong |= radix_is_wrong(keys, lo + i, kind, is_reverse);
		if (wrong)
			return false;
	}
	for (; lo < hi; lo++)
		if (radix_is_wrong(keys, lo, kind, is_reverse))
			return false;
	return true;
}

#define RADIX_RUN_OF(kind)                                              \
	case kind:                                                      \
		return is_reverse ? radix_run(keys, lo, hi, kind, true) \
				  : radix_run(keys, lo, hi, kind, false);

static bool radix_is_run(const struct radix_whole *whole, size_t lo, size_t hi, bool is_reverse)
{
	const char *keys = whole->radix.base;

	if (hi == whole->count)
		hi--; /* the last has none after it */
	switch (whole->kind) {
		RADIX_RUN_OF(SKUA_KEY_UINT32)
		RADIX_RUN_OF(SKUA_KEY_INT32)
		RADIX_RUN_OF(SKUA_KEY_UINT64)
		RADIX_RUN_OF(SKUA_KEY_INT64)
		RADIX_RUN_OF(SKUA_KEY_FLOAT)
		RADIX_RUN_OF(SKUA_KEY_DOUBLE)
	}
	return false;
}

static int radix_check_order(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	(void)here;
	return !radix_is_run(argument, lo, hi, false);
}

static int radix_check_reverse(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	(void)here;
	return !radix_is_run(argument, lo, hi, true);
}

/* Exchange indices with those as far from the end. */
static int radix_turn(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	const struct radix_whole *whole = argument;
	const unsigned width = whole->radix.width;

	(void)here;
	for (uint64_t i = lo; i < hi; i++) {
		char *a = whole->radix.base + i * width;
		char *b = whole->radix.base + (whole->count - 1 - i) * width;
		uint64_t key = skuai_radix_get(a, width);
		skuai_radix_put(a, skuai_radix_get(b, width), width);
		skuai_radix_put(b, key, width);
	}
	return 0;
}

/* True: they are sorted now. */
static bool radix_is_in_order(struct skua_slot *here, struct radix_whole *whole)
{
	if (skuai_sort_each(here, whole->count, radix_check_order, whole) == 0)
		return true;
	if (!radix_is_run(whole, 0, 2, true) ||
	    skuai_sort_each(here, whole->count, radix_check_reverse, whole) != 0)
		return false;
	skuai_sort_each(here, whole->count / 2, radix_turn, whole);
	return true;
}

/* --- in place --- */

#define RADIX_FORK  4096 /* keys that are not worth a fork */
#define RADIX_LEAST 16	 /* keys sorted by inserting */

struct radix_place {
	struct skuai_keymap map;
	unsigned width;
};

static uint64_t radix_rank_at(const struct radix_place *place, const char *item)
{
	return place->width == 4 ? skuai_rank_of(skuai_radix_get(item, 4), place->map, 4)
				 : skuai_rank_of(skuai_radix_get(item, 8), place->map, 8);
}

static void radix_exchange(char *a, char *b, unsigned width)
{
	char item[8];

	memcpy(item, a, width);
	memcpy(a, b, width);
	memcpy(b, item, width);
}

static void radix_insert_few(const struct radix_place *place, char *keys, size_t count)
{
	for (size_t i = 1; i < count; i++)
		for (char *at = keys + i * place->width;
		     at > keys &&
		     radix_rank_at(place, at) < radix_rank_at(place, at - place->width);
		     at -= place->width)
			radix_exchange(at, at - place->width, place->width);
}

/* Keys whose ranks differ in no bit above this: those without it first, then both by the next. */
SKUA_TASK_VOID(radix_by_bit, const struct radix_place *, place, char *, keys, size_t, count, int,
	       bit)
{
	const unsigned width = place->width;
	char *lo = keys, *hi = keys + count * width;

	if (count <= RADIX_LEAST || bit < 0) {
		if (bit >= 0)
			radix_insert_few(place, keys, count);
		return;
	}
	while (lo < hi)
		if (radix_rank_at(place, lo) >> bit & 1) {
			hi -= width;
			radix_exchange(lo, hi, width);
		} else {
			lo += width;
		}
	size_t low_count = (size_t)(lo - keys) / width;
	if (skua_here && count > RADIX_FORK) {
		skua_fork(radix_by_bit, high, place, lo, count - low_count, bit - 1);
		skua_call(radix_by_bit, place, keys, low_count, bit - 1);
		skua_join(radix_by_bit, high);
	} else {
		radix_by_bit(skua_here, place, keys, low_count, bit - 1);
		radix_by_bit(skua_here, place, lo, count - low_count, bit - 1);
	}
}

/* --- the whole --- */

static void radix_sort_whole(struct skua_slot *here, void *argument)
{
	struct radix_whole *whole = argument;
	struct skuai_radix radix = whole->radix;
	struct radix_place place = { radix.map, radix.width };
	_Alignas(64) char room[RADIX_ROOM];
	void *block = NULL;

	if (radix_is_in_order(here, whole))
		return;
	if (whole->count * radix.width <= sizeof(room))
		radix.temp = room;
	else
		radix.temp = skuai_sort_room(radix.base, whole->count, radix.width, &block);
	if (!radix.temp || !skuai_radix_sort(here, &radix, whole->count, false))
		radix_by_bit(here, &place, radix.base, whole->count, (int)radix.width * 8 - 1);
	skuai_free(block);
}

int skua_sort_array(struct skua_pool *pool, void *keys, size_t count, enum skua_key kind,
		    const struct skua_sort_options *options)
{
	if (!skuai_key_is_valid(kind) ||
	    !skuai_sort_array_is_valid(keys, count, skuai_key_width(kind)) ||
	    !skuai_sort_options_are_valid(options))
		return SKUA_EINVAL;
	struct radix_whole whole = { .radix = { .map = skuai_keymap_of(kind),
						.base = keys,
						.width = skuai_key_width(kind) },
				     .count = count,
				     .kind = kind };
	if (count < 2)
		return SKUA_OK;
	if (count > RADIX_SERIAL)
		return skuai_sort_visit(pool, radix_sort_whole, &whole);
	radix_sort_whole(NULL, &whole);
	return SKUA_OK;
}
