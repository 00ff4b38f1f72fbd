/* SPDX-License-Identifier: MIT */
/* radix_bucket.c — some thousands of keys sorted by their digits, in the caches of one worker */
#include "par/sort_radix.h"

/*
 * Of the bits in which the ranks differ, the upper ones make one or two digits, a few more bits
 * than it takes to tell so many ranks apart.  They are sorted by the lower digit, then by the upper
 * one; now neighbours are in order but for a few, which are put where they belong by inserting.
 * Where ranks crowd, that would take long: it has a budget, and then each group that shares its
 * digits is sorted by the bits below.  Each time there are fewer bits left, so it ends.
 */

#define RADIX_FEW	 24 /* items sorted by inserting */
#define RADIX_DIGIT_MOST 11 /* bits */
#define RADIX_EXTRA	 3  /* bits beyond log2(count): one in eight shares its digits */

struct radix_digits {
	uint64_t least;	  /* of the ranks */
	unsigned low;	  /* bits below the digits */
	unsigned bits[2]; /* of the lower digit, and of the upper one, which may be 0 */
};

SKUAI_RADIX_INLINE uint64_t radix_rank(const char *items, size_t i, unsigned width)
{
	return skuai_radix_get(items + i * width, width);
}

SKUAI_RADIX_INLINE void radix_move(char *to, size_t j, const char *from, size_t i, unsigned width)
{
	memcpy(to + j * width, from + i * width, width);
}

/* Put each where it belongs, among those before it.  False: it took more moves than allowed. */
SKUAI_RADIX_INLINE bool radix_insert(char *items, size_t count, size_t budget, unsigned width)
{
	uint64_t before = count ? radix_rank(items, 0, width) : 0;

	for (size_t i = 1; i < count; i++) {
		uint64_t rank = radix_rank(items, i, width);
		if (rank >= before) {
			before = rank;
			continue;
		}
		char item[16];
		size_t j = i;
		memcpy(item, items + i * width, width);
		do {
			radix_move(items, j, items, j - 1, width);
			j--;
		} while (j > 0 && radix_rank(items, j - 1, width) > rank);
		memcpy(items + j * width, item, width);
		if (budget < i - j)
			return false;
		budget -= i - j;
	}
	return true;
}

/* By value: what is stored might be them, as far as the compiler knows. */
SKUAI_RADIX_INLINE size_t radix_digit(uint64_t rank, struct radix_digits digits, int which)
{
	unsigned shift = digits.low + (which ? digits.bits[0] : 0);

	return ((rank - digits.least) >> shift) & (((size_t)1 << digits.bits[which]) - 1);
}

/* By one digit, from one array to the other. */
SKUAI_RADIX_INLINE void radix_deal(const char *from, char *to, size_t count, uint32_t *counts,
				   struct radix_digits digits, int which, unsigned width)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < (size_t)1 << digits.bits[which]; i++) {
		uint32_t here = counts[i];
		counts[i] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		radix_move(to, counts[radix_digit(radix_rank(from, i, width), digits, which)]++,
			   from, i, width);
}

/* By both digits.  True: they are in `to` now. */
SKUAI_RADIX_INLINE bool radix_deal_all(char *from, char *to, size_t count,
				       struct radix_digits digits, unsigned width)
{
	uint32_t counts[2][1 << RADIX_DIGIT_MOST];
	bool has_two = digits.bits[1];

	for (int which = 0; which <= has_two; which++)
		memset(counts[which], 0, sizeof(counts[0][0]) << digits.bits[which]);
	for (size_t i = 0; i < count; i++) {
		uint64_t rank = radix_rank(from, i, width);
		counts[0][radix_digit(rank, digits, 0)]++;
		if (has_two)
			counts[1][radix_digit(rank, digits, 1)]++;
	}
	radix_deal(from, to, count, counts[0], digits, 0, width);
	if (has_two)
		radix_deal(to, from, count, counts[1], digits, 1, width);
	return !has_two;
}

/* Not inlined: the counts are on the stack only while they are needed. */
__attribute__((noinline)) static bool radix_deal_4(char *from, char *to, size_t count,
						   struct radix_digits digits)
{
	return radix_deal_all(from, to, count, digits, 4);
}

__attribute__((noinline)) static bool radix_deal_8(char *from, char *to, size_t count,
						   struct radix_digits digits)
{
	return radix_deal_all(from, to, count, digits, 8);
}

__attribute__((noinline)) static bool radix_deal_16(char *from, char *to, size_t count,
						    struct radix_digits digits)
{
	return radix_deal_all(from, to, count, digits, 16);
}

static unsigned radix_bits_of(uint64_t number)
{
	return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

/* Which digits; false: they are sorted already. */
SKUAI_RADIX_INLINE bool radix_choose(const char *items, size_t count, struct radix_digits *digits,
				     unsigned width)
{
	uint64_t least = radix_rank(items, 0, width), most = least, before = least;
	bool is_sorted = true;

	for (size_t i = 1; i < count; i++) {
		uint64_t rank = radix_rank(items, i, width);
		is_sorted &= rank >= before;
		least = rank < least ? rank : least;
		most = rank > most ? rank : most;
		before = rank;
	}
	if (is_sorted)
		return false;
	unsigned bits = radix_bits_of(most - least);
	unsigned wanted = radix_bits_of(count - 1) + RADIX_EXTRA;
	if (wanted > bits)
		wanted = bits;
	if (wanted > 2 * RADIX_DIGIT_MOST)
		wanted = 2 * RADIX_DIGIT_MOST;
	digits->least = least;
	digits->low = bits - wanted;
	digits->bits[1] = wanted > RADIX_DIGIT_MOST ? wanted / 2 : 0;
	digits->bits[0] = wanted - digits->bits[1];
	return true;
}

static bool radix_sort_any(char *from, char *to, size_t count, unsigned width);

/* Groups that share their digits, each by the bits below. */
SKUAI_RADIX_INLINE void radix_sort_groups(char *from, char *to, size_t count,
					  const struct radix_digits *digits, unsigned width)
{
	for (size_t first = 0, end; first < count; first = end) {
		uint64_t group = (radix_rank(from, first, width) - digits->least) >> digits->low;
		for (end = first + 1; end < count; end++)
			if ((radix_rank(from, end, width) - digits->least) >> digits->low != group)
				break;
		char *at = from + first * width;
		if (radix_sort_any(at, to + first * width, end - first, width))
			memcpy(at, to + first * width, (end - first) * width);
	}
}

/* True: sorted, in `to`; false: where they were. */
SKUAI_RADIX_INLINE bool radix_sort_width(char *from, char *to, size_t count, unsigned width)
{
	struct radix_digits digits;
	bool is_in_to;

	if (count <= RADIX_FEW) {
		radix_insert(from, count, SIZE_MAX, width);
		return false;
	}
	if (!radix_choose(from, count, &digits, width))
		return false;
	if (width == 4)
		is_in_to = radix_deal_4(from, to, count, digits);
	else if (width == 8)
		is_in_to = radix_deal_8(from, to, count, digits);
	else
		is_in_to = radix_deal_16(from, to, count, digits);
	if (is_in_to) {
		char *swapped = from;
		from = to;
		to = swapped;
	}
	if (digits.low && !radix_insert(from, count, count, width))
		radix_sort_groups(from, to, count, &digits, width);
	return is_in_to;
}

static bool radix_sort_any(char *from, char *to, size_t count, unsigned width)
{
	return width == 4   ? radix_sort_width(from, to, count, 4)
	       : width == 8 ? radix_sort_width(from, to, count, 8)
			    : radix_sort_width(from, to, count, 16);
}

SKUAI_RADIX_INLINE void radix_finish_width(const struct skuai_radix *radix, const char *from,
					   char *to, size_t count, unsigned width)
{
	struct skuai_keymap map = radix->map;

	for (size_t i = 0; i < count; i++) {
		uint64_t key = skuai_key_of(radix_rank(from, i, width), map, width);
		skuai_radix_put(to + i * width, key, width);
		skuai_radix_follow(to + i * width, from + i * width, width);
	}
}

void skuai_radix_finish(const struct skuai_radix *radix, size_t first, size_t count,
			bool is_in_temp)
{
	const char *from = (is_in_temp ? radix->temp : radix->base) + first * radix->width;
	char *to = radix->base + first * radix->width;

	if (!radix->map.flip && !radix->map.bias) {
		if (is_in_temp)
			memcpy(to, from, count * radix->width);
	} else if (radix->width == 4) {
		radix_finish_width(radix, from, to, count, 4);
	} else if (radix->width == 8) {
		radix_finish_width(radix, from, to, count, 8);
	} else {
		radix_finish_width(radix, from, to, count, 16);
	}
}

void skuai_radix_bucket(const struct skuai_radix *radix, size_t first, size_t count,
			bool is_in_temp)
{
	char *base = radix->base + first * radix->width, *temp = radix->temp + first * radix->width;
	char *from = is_in_temp ? temp : base, *to = is_in_temp ? base : temp;

	for (size_t i = 0; i < count * radix->width; i += 64)
		__builtin_prefetch(to + i, 1);
	if (radix_sort_any(from, to, count, radix->width))
		is_in_temp = !is_in_temp;
	skuai_radix_finish(radix, first, count, is_in_temp);
}

bool skuai_radix_is_sorted(const char *ranks, size_t count, unsigned width)
{
	for (size_t i = 1; i < count; i++)
		if (skuai_radix_get(ranks + i * width, width) <
		    skuai_radix_get(ranks + (i - 1) * width, width))
			return false;
	return true;
}
