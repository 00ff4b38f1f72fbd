/* SPDX-License-Identifier: MIT */
/* map.c — one array into another, an array in place, an array filled */
#include "os/stream.h"
#include "par/split.h"

#include <skua/error.h>
#include <skua/map.h>

#include <string.h>

/* Can there be such an array?  None at all is one of no elements. */
static bool map_is_array(const void *array, size_t count, size_t bytes)
{
	return bytes > 0 && count <= PTRDIFF_MAX / bytes && (array || count == 0);
}

static bool map_overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
	uintptr_t from = (uintptr_t)a, other = (uintptr_t)b;

	return from < other ? other - from < a_bytes : from - other < b_bytes;
}

/* --- map --- */

struct map_arrays {
	const char *in;
	char *out;
	size_t in_bytes, out_bytes;
	skua_map_body *body;
	void *argument;
};

static int map_chunk(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	const struct map_arrays *arrays = argument;

	return arrays->body(here, arrays->in + lo * arrays->in_bytes,
			    arrays->out + lo * arrays->out_bytes, hi - lo, arrays->argument);
}

int skua_array_map(struct skua_pool *pool, const void *in, size_t in_bytes, void *out,
		   size_t out_bytes, size_t count, skua_map_body *body, const void *argument,
		   const struct skua_loop_options *options)
{
	struct map_arrays arrays = { in, out, in_bytes, out_bytes, body, (void *)argument };

	if (!body || !map_is_array(in, count, in_bytes) || !map_is_array(out, count, out_bytes) ||
	    !skuai_loop_options_are_valid(options))
		return SKUA_EINVAL;
	bool is_in_place = in == out && in_bytes == out_bytes;
	if (!is_in_place && map_overlap(in, count * in_bytes, out, count * out_bytes))
		return SKUA_EINVAL;
	return skuai_split(pool, 0, count,
			   &(struct skuai_work){
				   .body = map_chunk, .argument = &arrays, .key = (uintptr_t)body },
			   options);
}

/* --- transform --- */

struct map_items {
	char *array;
	size_t bytes;
	skua_transform_body *body;
	void *argument;
};

static int map_transform_chunk(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	const struct map_items *items = argument;

	return items->body(here, items->array + lo * items->bytes, hi - lo, items->argument);
}

int skua_array_transform(struct skua_pool *pool, void *array, size_t count, size_t bytes,
			 skua_transform_body *body, const void *argument,
			 const struct skua_loop_options *options)
{
	struct map_items items = { array, bytes, body, (void *)argument };
	const struct skuai_work work = { .body = map_transform_chunk,
					 .argument = &items,
					 .key = (uintptr_t)body };

	if (!body || !map_is_array(array, count, bytes) || !skuai_loop_options_are_valid(options))
		return SKUA_EINVAL;
	return skuai_split(pool, 0, count, &work, options);
}

/* --- fill --- */

/*
 * A value of equal bytes is a memset.  Another is repeated in a block that stays in the first
 * cache, and a chunk is copies of that: as fast as the memory takes it, for a value of any size.
 * One that is too large for the block is its own.  An array that no cache holds is written past
 * them.
 */
#define FILL_BLOCK 8192		      /* bytes */
#define FILL_LARGE ((size_t)32 << 20) /* bytes of an array; arbitrary */

struct fill {
	char *array;
	size_t bytes;
	const char *block;  /* of the whole values that are copied at once */
	size_t block_bytes; /* 0: all bytes of a value are as the first of the block */
	bool is_large;
};

static int fill_chunk(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	const struct fill *fill = argument;
	char *to = fill->array + lo * fill->bytes;
	size_t left = (size_t)(hi - lo) * fill->bytes;

	(void)here;
	if (fill->block_bytes == 0) {
		memset(to, fill->block[0], left);
		return 0;
	}
	for (size_t bytes; left > 0; to += bytes, left -= bytes) {
		bytes = left < fill->block_bytes ? left : fill->block_bytes;
		if (fill->is_large)
			skuai_stream_copy(to, fill->block, bytes);
		else if (to != fill->block) /* the value itself, an element of the array */
			memcpy(to, fill->block, bytes);
	}
	if (fill->is_large)
		skuai_stream_end();
	return 0;
}

/* Repeat the value as often as it fits. */
static size_t fill_repeat(char *block, const char *value, size_t bytes)
{
	size_t used = bytes, whole = FILL_BLOCK / bytes * bytes;

	memcpy(block, value, bytes);
	while (used < whole) {
		size_t more = used <= whole - used ? used : whole - used;
		memcpy(block + used, block, more);
		used += more;
	}
	return used;
}

static bool fill_is_element(const struct fill *fill, const char *value)
{
	return value >= fill->array && (size_t)(value - fill->array) % fill->bytes == 0;
}

int skua_array_fill(struct skua_pool *pool, void *array, size_t count, size_t bytes,
		    const void *value, const struct skua_loop_options *options)
{
	_Alignas(64) char block[FILL_BLOCK];
	struct fill fill = { array, bytes, value, bytes, false };
	const struct skuai_work work = { .body = fill_chunk, .argument = &fill };

	if (!value || !map_is_array(array, count, bytes) || !skuai_loop_options_are_valid(options))
		return SKUA_EINVAL;
	if (map_overlap(array, count * bytes, value, bytes) && !fill_is_element(&fill, value))
		return SKUA_EINVAL;
	bool is_large = count * bytes >= FILL_LARGE && bytes <= FILL_BLOCK / 2;
	if (!is_large && (bytes == 1 || memcmp(value, fill.block + 1, bytes - 1) == 0)) {
		block[0] = fill.block[0];
		fill.block_bytes = 0;
		fill.block = block;
	} else if (bytes <= FILL_BLOCK / 2) {
		fill.block_bytes = fill_repeat(block, value, bytes);
		fill.block = block;
		fill.is_large = is_large;
	}
	return skuai_split(pool, 0, count, &work, options);
}
