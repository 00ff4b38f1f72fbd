/* SPDX-License-Identifier: MIT */
/* sort_plain.c — leaves of sorts whose comparison is called through a pointer */
#include "par/sort_parts.h"

#include <string.h>

/*
 * The size of an element is a constant for the usual ones, so that moving one is a load and a
 * store.
 */

static int plain_compare(const void *a, const void *b, void *context)
{
	const struct skuai_plain *plain = context;

	return plain->compare(a, b, plain->context);
}

#define PLAIN_LEAVES(name, size, is_pointer)                                                       \
	static void name##_sort(void *base, void *scratch, size_t count, void *context)            \
	{                                                                                          \
		const struct skuai_plain *plain = context;                                         \
		skua_leaf_sort(base, scratch, count, size, is_pointer, plain->compare,             \
			       plain->context);                                                    \
	}                                                                                          \
	static void name##_merge(const void *a, size_t a_count, const void *b, size_t b_count,     \
				 void *into, void *context)                                        \
	{                                                                                          \
		const struct skuai_plain *plain = context;                                         \
		skua_leaf_merge(a, a_count, b, b_count, into, size, is_pointer, plain->compare,    \
				plain->context);                                                   \
	}                                                                                          \
	static size_t name##_run(const void *base, size_t count, void *context)                    \
	{                                                                                          \
		const struct skuai_plain *plain = context;                                         \
		return skua_leaf_run(base, count, size, plain->compare, plain->context);           \
	}                                                                                          \
	static const struct skua_sort_leaves name = { 0, plain_compare, name##_sort, name##_merge, \
						      name##_run };

PLAIN_LEAVES(plain_4, 4, false)
PLAIN_LEAVES(plain_8, 8, false)
PLAIN_LEAVES(plain_16, 16, false)
PLAIN_LEAVES(plain_pointers, sizeof(void *), true)
PLAIN_LEAVES(plain_any, plain->bytes, false)

/*
 * Are these pointers to something?  A few are looked at, as numbers: far from 0, and none of the
 * upper bits set.  A guess: it decides what is fetched ahead of its use, and to fetch from an
 * address that is none does no harm.
 */
static bool plain_are_pointers(const char *base, size_t count)
{
	const size_t looks = 8;

	for (size_t i = 0; i < looks; i++) {
		uintptr_t value;
		memcpy(&value, base + i * (count / looks) * sizeof(value), sizeof(value));
		if (value >> 32 == 0 || (uint64_t)value >> 48 != 0)
			return false;
	}
	return true;
}

struct skuai_order skuai_plain_order(struct skuai_plain *plain, const void *base, size_t count)
{
	const struct skua_sort_leaves *leaves = &plain_any;

	if (plain->bytes == sizeof(void *) && count >= 64 && plain_are_pointers(base, count))
		leaves = &plain_pointers;
	else if (plain->bytes == 4)
		leaves = &plain_4;
	else if (plain->bytes == 8)
		leaves = &plain_8;
	else if (plain->bytes == 16)
		leaves = &plain_16;
	plain->any = *leaves;
	plain->any.bytes = plain->bytes;
	return (struct skuai_order){ &plain->any, plain };
}
