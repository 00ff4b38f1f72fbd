/* SPDX-License-Identifier: MIT */
/* sort_radix.h — keys as numbers in their order, and the parts of a sort by digits */
#ifndef SKUAI_PAR_SORT_RADIX_H
#define SKUAI_PAR_SORT_RADIX_H

#include "par/sort_parts.h"

#include <string.h>

/*
 * Items are 4 or 8 bytes, a key each, or 16: a key and 8 bytes that go with it.  The functions here
 * are inlined with a constant width, and so made once for each.
 */
#define SKUAI_RADIX_INLINE static inline __attribute__((always_inline))

/*
 * How a key becomes a number without a sign that is in the same order, its rank: some bits are
 * flipped, others if the key is negative, and then all are turned by the bias so that NaNs are at
 * the end.
 */
struct skuai_keymap {
	uint64_t flip, flip_negative, bias;
};

SKUAI_RADIX_INLINE struct skuai_keymap skuai_keymap_of(enum skua_key kind)
{
	const uint64_t sign32 = (uint64_t)1 << 31, sign64 = (uint64_t)1 << 63;

	switch (kind) {
	case SKUA_KEY_INT32:
		return (struct skuai_keymap){ sign32, 0, 0 };
	case SKUA_KEY_INT64:
		return (struct skuai_keymap){ sign64, 0, 0 };
	case SKUA_KEY_FLOAT: /* the bias is what -inf becomes */
		return (struct skuai_keymap){ sign32, UINT32_MAX, 0x007fffff };
	case SKUA_KEY_DOUBLE:
		return (struct skuai_keymap){ sign64, UINT64_MAX, 0x000fffffffffffff };
	default:
		return (struct skuai_keymap){ 0, 0, 0 };
	}
}

SKUAI_RADIX_INLINE bool skuai_key_is_valid(enum skua_key kind)
{
	return kind >= SKUA_KEY_UINT32 && kind <= SKUA_KEY_DOUBLE;
}

SKUAI_RADIX_INLINE unsigned skuai_key_width(enum skua_key kind)
{
	return kind == SKUA_KEY_UINT32 || kind == SKUA_KEY_INT32 || kind == SKUA_KEY_FLOAT ? 4 : 8;
}

/* The key of an item. */
SKUAI_RADIX_INLINE uint64_t skuai_radix_get(const char *item, unsigned width)
{
	uint64_t wide;
	uint32_t narrow;

	if (width == 4) {
		memcpy(&narrow, item, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, item, sizeof(wide));
	return wide;
}

SKUAI_RADIX_INLINE void skuai_radix_put(char *item, uint64_t key, unsigned width)
{
	uint32_t narrow = (uint32_t)key;

	if (width == 4)
		memcpy(item, &narrow, sizeof(narrow));
	else
		memcpy(item, &key, sizeof(key));
}

/* What goes with a key. */
SKUAI_RADIX_INLINE void skuai_radix_follow(char *to, const char *from, unsigned width)
{
	if (width == 16)
		memcpy(to + 8, from + 8, 8);
}

SKUAI_RADIX_INLINE uint64_t skuai_rank_of(uint64_t key, struct skuai_keymap map, unsigned width)
{
	if (width == 4) {
		uint32_t narrow = (uint32_t)key;
		uint32_t sign = 0 - (narrow >> 31);
		return (uint32_t)((narrow ^
				   ((sign & (uint32_t)map.flip_negative) | (uint32_t)map.flip)) -
				  (uint32_t)map.bias);
	}
	uint64_t sign = 0 - (key >> 63);
	return (key ^ ((sign & map.flip_negative) | map.flip)) - map.bias;
}

SKUAI_RADIX_INLINE uint64_t skuai_key_of(uint64_t rank, struct skuai_keymap map, unsigned width)
{
	if (width == 4) {
		uint32_t narrow = (uint32_t)rank + (uint32_t)map.bias;
		uint32_t sign = (narrow >> 31) - 1; /* all ones: it was negative */
		return narrow ^ ((sign & (uint32_t)map.flip_negative) | (uint32_t)map.flip);
	}
	rank += map.bias;
	return rank ^ ((((rank >> 63) - 1) & map.flip_negative) | map.flip);
}

/* --- a sort --- */

struct skuai_radix {
	struct skuai_keymap map;
	char *base, *temp; /* keys, and room for as many */
	unsigned width;
};

#define SKUAI_RADIX_LARGE ((size_t)1 << 17) /* items; more are dealt out before they are sorted */

/*
 * Sort some of the ranks, at most SKUAI_RADIX_LARGE, which are in temp, or in base; they end in
 * base, as keys again.  Stable.
 */
void skuai_radix_bucket(const struct skuai_radix *radix, size_t first, size_t count,
			bool is_in_temp);

/* Ranks become keys in base; they are in temp, or there already. */
void skuai_radix_finish(const struct skuai_radix *radix, size_t first, size_t count,
			bool is_in_temp);

/* Are these ranks in order? */
bool skuai_radix_is_sorted(const char *ranks, size_t count, unsigned width);

/*
 * Sort the items of base, which are keys, or ranks already.  False: there is no memory to do it
 * with, and nothing was done.
 */
bool skuai_radix_sort(struct skua_slot *here, const struct skuai_radix *radix, size_t count,
		      bool has_ranks);

#endif
