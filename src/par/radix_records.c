/* SPDX-License-Identifier: MIT */
/* radix_records.c — skua_sort_by_key: records sorted by a number that each has inside */
#include "par/sort_radix.h"

#include "base/alloc.h"

#include <skua/error.h>

/*
 * What is sorted are the ranks of the keys, each with the number of its record: in one word where
 * both fit, in two else.  Then every record is moved once, to where its number says, and all are
 * copied back.
 */

#define RECORDS_FEW    24   /* records sorted in place at once */
#define RECORDS_SERIAL 4096 /* records that are not worth a pool */

struct records {
	struct skuai_keymap map;
	unsigned key_width;
	char *base;
	size_t count, bytes, offset;
	char *items;	/* a rank and a number each */
	unsigned width; /* of an item: 8 or 16 */
	char *copies;	/* of the records, in order */
};

static uint64_t records_rank(const struct records *records, const char *record)
{
	const char *key = record + records->offset;

	return records->key_width == 4 ? skuai_rank_of(skuai_radix_get(key, 4), records->map, 4)
				       : skuai_rank_of(skuai_radix_get(key, 8), records->map, 8);
}

static int records_check_order(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	const struct records *records = argument;
	uint64_t before = records_rank(records, records->base + lo * records->bytes);

	(void)here;
	for (uint64_t i = lo + 1; i <= hi && i < records->count; i++) {
		uint64_t rank = records_rank(records, records->base + i * records->bytes);
		if (rank < before)
			return 1;
		before = rank;
	}
	return 0;
}

static int records_list(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	const struct records *records = argument;

	(void)here;
	for (uint64_t i = lo; i < hi; i++) {
		uint64_t rank = records_rank(records, records->base + i * records->bytes);
		char *item = records->items + i * records->width;
		if (records->width == 8)
			rank = rank << 32 | i;
		else
			skuai_radix_put(item + 8, i, 8);
		skuai_radix_put(item, rank, 8);
	}
	return 0;
}

/* The number that goes with a rank. */
static uint64_t records_number(const struct records *records, uint64_t i)
{
	const char *item = records->items + i * records->width;

	return records->width == 8 ? (uint32_t)skuai_radix_get(item, 8)
				   : skuai_radix_get(item + 8, 8);
}

static int records_copy(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	const struct records *records = argument;
	const size_t bytes = records->bytes;
	const uint64_t ahead = 16; /* records: arbitrary */

	(void)here;
	for (uint64_t i = lo; i < hi; i++) {
		char *to = records->copies + i * bytes;
		const char *from = records->base + records_number(records, i) * bytes;
		if (i + ahead < hi)
			__builtin_prefetch(records->base +
					   records_number(records, i + ahead) * bytes);
		if (bytes == 8)
			memcpy(to, from, 8);
		else if (bytes == 16)
			memcpy(to, from, 16);
		else
			memcpy(to, from, bytes);
	}
	return 0;
}

static int records_copy_back(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	const struct records *records = argument;
	size_t bytes = records->bytes;

	(void)here;
	memcpy(records->base + lo * bytes, records->copies + lo * bytes, (hi - lo) * bytes);
	return 0;
}

/* False: there is no memory, and the records are as they were. */
static bool records_sort_copies(struct skua_slot *here, struct records *records)
{
	struct skuai_radix radix = { .width = records->width };
	void *items_block, *temp_block = NULL, *copies_block = NULL;
	size_t count = records->count;
	bool is_sorted = false;

	radix.base = skuai_sort_room(NULL, count, records->width, &items_block);
	if (radix.base)
		radix.temp = skuai_sort_room(NULL, count, records->width, &temp_block);
	if (radix.temp) {
		records->items = radix.base;
		skuai_sort_each(here, count, records_list, records);
		is_sorted = skuai_radix_sort(here, &radix, count, true);
	}
	skuai_free(temp_block);
	if (is_sorted)
		records->copies = skuai_sort_room(records->base, count, records->bytes,
						  &copies_block);
	if (records->copies) {
		skuai_sort_each(here, count, records_copy, records);
		skuai_sort_each(here, count, records_copy_back, records);
	}
	skuai_free(copies_block);
	skuai_free(items_block);
	return records->copies;
}

static int records_compare(const void *a, const void *b, void *context)
{
	uint64_t rank_a = records_rank(context, a), rank_b = records_rank(context, b);

	return (rank_a > rank_b) - (rank_a < rank_b);
}

static void records_sort_whole(struct skua_slot *here, void *argument)
{
	struct records *records = argument;
	const struct skua_sort_leaves leaves = { records->bytes, records_compare, NULL, NULL,
						 NULL };
	const struct skuai_order order = { &leaves, records };

	if (skuai_sort_each(here, records->count, records_check_order, records) == 0)
		return;
	if (records->count <= RECORDS_FEW || !records_sort_copies(here, records))
		skuai_sort_in_place(here, &order, records->base, records->count);
}

int skua_sort_records(struct skua_pool *pool, void *base, size_t count, size_t bytes, size_t offset,
		      enum skua_key kind, const struct skua_sort_options *options)
{
	if (!skuai_key_is_valid(kind) || !skuai_sort_array_is_valid(base, count, bytes) ||
	    bytes < skuai_key_width(kind) || offset > bytes - skuai_key_width(kind) ||
	    !skuai_sort_options_are_valid(options))
		return SKUA_EINVAL;
	struct records records = { .map = skuai_keymap_of(kind),
				   .key_width = skuai_key_width(kind),
				   .base = base,
				   .count = count,
				   .bytes = bytes,
				   .offset = offset };
	records.width = records.key_width == 4 && count <= UINT32_MAX ? 8 : 16;
	if (count < 2)
		return SKUA_OK;
	if (count > RECORDS_SERIAL)
		return skuai_sort_visit(pool, records_sort_whole, &records);
	records_sort_whole(NULL, &records);
	return SKUA_OK;
}
