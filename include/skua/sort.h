/* SPDX-License-Identifier: MIT */
/* sort.h — parallel sorts of anything by comparison and of keys by their digits; merging */
#ifndef SKUA_SORT_H
#define SKUA_SORT_H

#include <skua/detail/compare.h>
#include <skua/detail/slot.h>
#include <skua/detail/where.h>

SKUA_BEGIN_C

/*
 *	SKUA_SORT(by_price, struct offer, a, b)
 *	{
 *		return a->price < b->price;
 *	}
 *	...
 *	int error = by_price(pool, offers, count, NULL);
 *
 *	error = skua_sort(pool, names, count, sizeof(*names), compare, context, NULL);
 *	error = skua_sort_keys(pool, numbers, count, SKUA_KEY_DOUBLE, NULL);
 *	error = skua_sort_by_key(pool, offers, count, sizeof(*offers),
 *				 offsetof(struct offer, price), SKUA_KEY_UINT32, NULL);
 *
 * The first argument says where, as for the loops of loop.h; by_price() takes a pool, or NULL: in
 * a task pass that.  What is sorted already, or in reverse, is
 * found out in one pass.  A comparison that contradicts itself gives some order of the same
 * elements.
 */

struct skua_sort_options {
	size_t size;	/* sizeof(struct skua_sort_options) */
	bool is_stable; /* elements that are equal keep their order */
};

/** What a key is. */
enum skua_key {
	SKUA_KEY_UINT32,
	SKUA_KEY_INT32,
	SKUA_KEY_UINT64,
	SKUA_KEY_INT64,
	SKUA_KEY_FLOAT,
	SKUA_KEY_DOUBLE,
};

/**
 * Sort elements of any size by a comparison: skua_sort(where, base, count, bytes, compare, context,
 * options).  compare is called by several threads at once.
 *
 * Thread    any; a worker works along, another thread takes the place of a worker that sleeps
 * Memory    as much again as is sorted, given back at the end; without it, in place and slower
 * Ordering  what the caller did is visible to compare, what was sorted to the caller
 * Fails     SKUA_EINVAL: no base, no compare, elements of no bytes, wrong options; SKUA_ECLOSED;
 *           SKUA_ECANCELED: the pool was closed with SKUA_CLOSE_CANCEL while the call of a thread
 *           that is no worker of it was in a queue.  Nothing was changed.
 * Cost      about count * log2(count) comparisons, 1 each where it is sorted already; in place
 *           some log2(count) times that many moves
 * See       examples/22_sort.c, man skua_sort
 */
#define skua_sort(where, base, count, bytes, compare, context, options) \
	skua_sort_any(SKUA_WHERE(where), (base), (count), (bytes), (compare), (context), (options))
SKUA_API int skua_sort_any(struct skua_pool *pool, void *base, size_t count, size_t bytes,
			   skua_compare *compare, void *context,
			   const struct skua_sort_options *options);

/**
 * Sort an array of keys: skua_sort_keys(where, keys, count, kind, options).
 *
 * Floating point: -inf, ..., -0, +0, ..., +inf, then all NaNs, whatever their sign; none is lost.
 *
 * Thread    any, as skua_sort
 * Memory    as much again as is sorted, given back at the end; without it, in place and slower
 * Ordering  as skua_sort
 * Fails     SKUA_EINVAL: no keys, no such kind, wrong options; SKUA_ECLOSED, SKUA_ECANCELED, as
 *           skua_sort.  Nothing was changed.
 * Cost      some 10 to 15 ns a key, however many there are; 1 where they are sorted already
 * See       examples/22_sort.c, man skua_sort
 */
#define skua_sort_keys(where, keys, count, kind, options) \
	skua_sort_array(SKUA_WHERE(where), (keys), (count), (kind), (options))
SKUA_API int skua_sort_array(struct skua_pool *pool, void *keys, size_t count, enum skua_key kind,
			     const struct skua_sort_options *options);

/**
 * Sort records by a key that each has at an offset; keys in the order of skua_sort_keys, records of
 * one key keep theirs: skua_sort_by_key(where, base, count, bytes, offset, kind, options).
 *
 * Thread    any, as skua_sort
 * Memory    16 or 32 bytes a record, and the records once more, given back at the end; without it,
 *           in place and slower
 * Ordering  as skua_sort
 * Fails     SKUA_EINVAL: no base, the key is not inside a record, no such kind, wrong options;
 *           SKUA_ECLOSED, SKUA_ECANCELED, as skua_sort.  Nothing was changed.
 * Cost      as skua_sort_keys of twice as many, and two copies of each record
 * See       examples/22_sort.c, man skua_sort
 */
#define skua_sort_by_key(where, base, count, bytes, offset, kind, options) \
	skua_sort_records(SKUA_WHERE(where), (base), (count), (bytes), (offset), (kind), (options))
SKUA_API int skua_sort_records(struct skua_pool *pool, void *base, size_t count, size_t bytes,
			       size_t offset, enum skua_key kind,
			       const struct skua_sort_options *options);

/**
 * Merge two sorted arrays into a third; of elements that are equal, those of a come first:
 * skua_merge(where, a, a_count, b, b_count, into, bytes, compare, context).
 *
 * Thread    any, as skua_sort
 * Memory    none
 * Ordering  as skua_sort
 * Fails     SKUA_EINVAL: an array that has elements is NULL, `into` overlaps another, no compare,
 *           elements of no bytes; SKUA_ECLOSED, SKUA_ECANCELED, as skua_sort.  Nothing was changed.
 * Cost      a comparison and a copy an element
 * See       examples/22_sort.c, man skua_sort
 */
#define skua_merge(where, a, a_count, b, b_count, into, bytes, compare, context)           \
	skua_merge_any(SKUA_WHERE(where), (a), (a_count), (b), (b_count), (into), (bytes), \
		       (compare), (context))
SKUA_API int skua_merge_any(struct skua_pool *pool, const void *a, size_t a_count, const void *b,
			    size_t b_count, void *into, size_t bytes, skua_compare *compare,
			    void *context);

/**
 * Is no element before the one it follows?  skua_is_sorted(where, base, count, bytes, compare,
 * context) is 1 or 0.
 *
 * Thread    any, as skua_sort
 * Memory    none
 * Ordering  as skua_sort
 * Fails     SKUA_EINVAL: no base, no compare, elements of no bytes; SKUA_ECLOSED, SKUA_ECANCELED,
 *           as skua_sort
 * Cost      a comparison an element; it stops soon after the first that is out of order
 * See       man skua_sort
 */
#define skua_is_sorted(where, base, count, bytes, compare, context) \
	skua_is_sorted_any(SKUA_WHERE(where), (base), (count), (bytes), (compare), (context))
SKUA_API int skua_is_sorted_any(struct skua_pool *pool, const void *base, size_t count,
				size_t bytes, skua_compare *compare, void *context);

/* --- typed: what SKUA_SORT makes of a comparison --- */

/* The parts of a sort that compare often; with the comparison known, a compiler inlines it. */
struct skua_sort_leaves {
	size_t bytes;	       /* of an element */
	skua_compare *compare; /* only whether it is below 0 matters */
	/* Sort count elements of base, which end in scratch; what is in base then is of no use. */
	void (*sort)(void *base, void *scratch, size_t count, void *context);
	void (*merge)(const void *a, size_t a_count, const void *b, size_t b_count, void *into,
		      void *context);
	/* How many there are before the first that is out of order, or count. */
	size_t (*run)(const void *base, size_t count, void *context);
};

/**
 * Sort with such leaves: what a sort that SKUA_SORT defines calls.
 *
 * Thread    any, as skua_sort
 * Memory    as skua_sort
 * Ordering  as skua_sort
 * Fails     as skua_sort
 * Cost      as skua_sort, with cheaper comparisons
 * See       examples/22_sort.c, man skua_sort
 */
SKUA_API int skua_sort_typed(struct skua_pool *pool, void *base, size_t count,
			     const struct skua_sort_leaves *leaves, void *context,
			     const struct skua_sort_options *options);

SKUA_END_C

/*
 * Begin the definition of a sort: SKUA_SORT(name, type, a, b) { is *a before *b? }.  It makes
 *
 *	int name(struct skua_pool *pool, type *base, size_t count,
 *		 const struct skua_sort_options *options);
 *
 * The answer is true or false: `return *a - *b`, as for qsort, compiles and does not sort.
 */
#define SKUA_SORT(name, type, a, b)                                                                \
	SKUA_PLAIN(type)                                                                           \
	static inline bool name##_skua_less(type const *a, type const *b);                         \
	static int name##_skua_compare(const void *skua_a, const void *skua_b, void *skua_none)    \
	{                                                                                          \
		(void)skua_none;                                                                   \
		return -(int)name##_skua_less((type const *)skua_a, (type const *)skua_b);         \
	}                                                                                          \
	static void name##_skua_sort(void *skua_base, void *skua_scratch, size_t skua_count,       \
				     void *skua_none)                                              \
	{                                                                                          \
		skua_leaf_sort((char *)skua_base, (char *)skua_scratch, skua_count, sizeof(type),  \
			       SKUA_IS_POINTER(*(type const *)skua_base), name##_skua_compare,     \
			       skua_none);                                                         \
	}                                                                                          \
	static void name##_skua_merge(const void *skua_a, size_t skua_a_count, const void *skua_b, \
				      size_t skua_b_count, void *skua_into, void *skua_none)       \
	{                                                                                          \
		skua_leaf_merge((const char *)skua_a, skua_a_count, (const char *)skua_b,          \
				skua_b_count, (char *)skua_into, sizeof(type),                     \
				SKUA_IS_POINTER(*(type const *)skua_a), name##_skua_compare,       \
				skua_none);                                                        \
	}                                                                                          \
	static size_t name##_skua_run(const void *skua_base, size_t skua_count, void *skua_none)   \
	{                                                                                          \
		return skua_leaf_run((const char *)skua_base, skua_count, sizeof(type),            \
				     name##_skua_compare, skua_none);                              \
	}                                                                                          \
	static __attribute__((unused)) int name(struct skua_pool *skua_where, type *skua_base,     \
						size_t skua_count,                                 \
						const struct skua_sort_options *skua_options)      \
	{                                                                                          \
		static const struct skua_sort_leaves skua_leaves = {                               \
			sizeof(type), name##_skua_compare, name##_skua_sort, name##_skua_merge,    \
			name##_skua_run                                                            \
		};                                                                                 \
		return skua_sort_typed(skua_where, (void *)skua_base, skua_count, &skua_leaves,    \
				       (void *)0, skua_options);                                   \
	}                                                                                          \
	static inline bool name##_skua_less(type const *a, type const *b)

/* Of an expression, which is not evaluated; the number is the compilers'. */
#define SKUA_IS_POINTER(x) (__builtin_classify_type(x) == 5)

/*
 * Below: what the leaves of all sorts are made of.  Where the size and the comparison are constants
 * all of it is inlined.  Nothing branches on a comparison: in random data half of the branches
 * would be taken for the wrong ones.  Whatever the comparisons say, each element is moved once.
 */

/* All ones or none.  The compiler is not to know that there are but two: it would branch. */
SKUA_INLINE uintptr_t skua_leaf_mask(bool is_set)
{
	uintptr_t mask = (uintptr_t)0 - (uintptr_t)is_set;

	__asm__("" : "+r"(mask));
	return mask;
}

SKUA_INLINE const char *skua_leaf_pick(uintptr_t mask, const char *first, const char *second)
{
	return first + (ptrdiff_t)(((uintptr_t)second - (uintptr_t)first) & mask);
}

/* Elements that are pointers: what they point to will be compared soon. */
SKUA_INLINE void skua_leaf_fetch(const char *element)
{
	void *pointer;

	__builtin_memcpy(&pointer, element, sizeof(pointer));
	__builtin_prefetch(pointer);
}

/* One merge in the making, from both ends; none of them moves further than its array. */
struct skua_leaf_ends {
	const char *a, *b;	     /* the first that are left */
	const char *a_last, *b_last; /* the last */
	char *into, *into_last;
};

SKUA_INLINE const char *skua_leaf_front(struct skua_leaf_ends *ends, size_t bytes,
					skua_compare *compare, void *context)
{
	uintptr_t is_b = skua_leaf_mask(compare(ends->b, ends->a, context) < 0);
	const char *from = skua_leaf_pick(is_b, ends->a, ends->b);

	__builtin_memcpy(ends->into, from, bytes);
	ends->b += bytes & is_b;
	ends->a += bytes & ~is_b;
	ends->into += bytes;
	return from;
}

SKUA_INLINE const char *skua_leaf_back(struct skua_leaf_ends *ends, size_t bytes,
				       skua_compare *compare, void *context)
{
	uintptr_t is_a = skua_leaf_mask(compare(ends->b_last, ends->a_last, context) < 0);
	const char *from = skua_leaf_pick(is_a, ends->b_last, ends->a_last);

	__builtin_memcpy(ends->into_last, from, bytes);
	ends->a_last -= bytes & is_a;
	ends->b_last -= bytes & ~is_a;
	ends->into_last -= bytes;
	return from;
}

#define SKUA_LEAF_AHEAD 8 /* elements from a fetch to its use */

/*
 * Merge from both ends at once: two chains of comparisons that do not wait for each other.  While
 * neither end takes more than half of the shorter array they cannot meet, so nothing need be looked
 * at but the count; then the same with what is left.
 */
SKUA_INLINE void skua_leaf_merge(const char *a, size_t a_count, const char *b, size_t b_count,
				 char *into, size_t bytes, bool is_pointer, skua_compare *compare,
				 void *context)
{
	for (;;) {
		size_t steps = (a_count < b_count ? a_count : b_count) / 2;
		if (steps < SKUA_LEAF_AHEAD)
			break;
		struct skua_leaf_ends ends = { a,
					       b,
					       a + (a_count - 1) * bytes,
					       b + (b_count - 1) * bytes,
					       into,
					       into + (a_count + b_count - 1) * bytes };
		for (size_t i = 0; i < steps; i++) {
			const char *front = skua_leaf_front(&ends, bytes, compare, context);
			const char *back = skua_leaf_back(&ends, bytes, compare, context);
			if (is_pointer) {
				skua_leaf_fetch(front + SKUA_LEAF_AHEAD * bytes);
				skua_leaf_fetch(back - SKUA_LEAF_AHEAD * bytes);
			}
		}
		a = ends.a;
		b = ends.b;
		into = ends.into;
		a_count = (size_t)(ends.a_last + bytes - a) / bytes;
		b_count = (size_t)(ends.b_last + bytes - b) / bytes;
	}
	while (a_count && b_count) {
		uintptr_t is_b = skua_leaf_mask(compare(b, a, context) < 0);
		__builtin_memcpy(into, skua_leaf_pick(is_b, a, b), bytes);
		into += bytes;
		b += bytes & is_b;
		a += bytes & ~is_b;
		b_count -= is_b & 1;
		a_count -= ~is_b & 1;
	}
	if (a_count)
		__builtin_memcpy(into, a, a_count * bytes);
	if (b_count)
		__builtin_memcpy(into, b, b_count * bytes);
}

/* Two neighbours of the same length: each end goes half way, and they meet if nobody lied. */
SKUA_INLINE void skua_leaf_merge_equal(const char *a, size_t count, char *into, size_t bytes,
				       skua_compare *compare, void *context)
{
	const char *b = a + count * bytes;
	struct skua_leaf_ends ends = { a,	  b,
				       b - bytes, b + (count - 1) * bytes,
				       into,	  into + (2 * count - 1) * bytes };

	for (size_t i = 0; i < count; i++) {
		skua_leaf_front(&ends, bytes, compare, context);
		skua_leaf_back(&ends, bytes, compare, context);
	}
	if (ends.a != ends.a_last + bytes) /* then some were taken twice, and others not */
		skua_leaf_merge(a, count, b, count, into, bytes, false, compare, context);
}

/* Four elements in five comparisons. */
SKUA_INLINE void skua_leaf_four(const char *x, char *into, size_t bytes, skua_compare *compare,
				void *context)
{
	uintptr_t is_1_first = skua_leaf_mask(compare(x + bytes, x, context) < 0);
	uintptr_t is_3_first = skua_leaf_mask(compare(x + 3 * bytes, x + 2 * bytes, context) < 0);
	const char *a = x + (bytes & is_1_first), *b = x + (bytes & ~is_1_first);
	const char *c = x + 2 * bytes + (bytes & is_3_first);
	const char *d = x + 2 * bytes + (bytes & ~is_3_first);
	/* a is before b, and c before d; what is first and last is known by two more */
	uintptr_t is_c_first = skua_leaf_mask(compare(c, a, context) < 0);
	uintptr_t is_b_last = skua_leaf_mask(compare(d, b, context) < 0);
	const char *left = skua_leaf_pick(is_c_first, skua_leaf_pick(is_b_last, b, c), a);
	const char *right = skua_leaf_pick(is_b_last, skua_leaf_pick(is_c_first, c, b), d);
	uintptr_t is_right_first = skua_leaf_mask(compare(right, left, context) < 0);

	__builtin_memcpy(into, skua_leaf_pick(is_c_first, a, c), bytes);
	__builtin_memcpy(into + bytes, skua_leaf_pick(is_right_first, left, right), bytes);
	__builtin_memcpy(into + 2 * bytes, skua_leaf_pick(is_right_first, right, left), bytes);
	__builtin_memcpy(into + 3 * bytes, skua_leaf_pick(is_b_last, d, b), bytes);
}

/* A few elements, one after the other put where they belong. */
SKUA_INLINE void skua_leaf_insert(const char *x, size_t count, char *into, size_t bytes,
				  skua_compare *compare, void *context)
{
	for (size_t i = 0; i < count; i++) {
		char *place = into + i * bytes;
		for (; place > into && compare(x + i * bytes, place - bytes, context) < 0;
		     place -= bytes)
			__builtin_memcpy(place, place - bytes, bytes);
		__builtin_memcpy(place, x + i * bytes, bytes);
	}
}

/* Fours, then pairs of what there is, from one array to the other and back. */
SKUA_INLINE void skua_leaf_sort(char *base, char *scratch, size_t count, size_t bytes,
				bool is_pointer, skua_compare *compare, void *context)
{
	char *from = scratch, *to = base;
	size_t i = 0;

	for (; i + 4 <= count; i += 4) {
		for (size_t k = i + 8; is_pointer && k < i + 12 && k < count; k++)
			skua_leaf_fetch(base + k * bytes);
		skua_leaf_four(base + i * bytes, scratch + i * bytes, bytes, compare, context);
	}
	skua_leaf_insert(base + i * bytes, count - i, scratch + i * bytes, bytes, compare, context);
	for (size_t width = 4; width < count; width *= 2) {
		for (i = 0; i + 2 * width <= count; i += 2 * width)
			skua_leaf_merge_equal(from + i * bytes, width, to + i * bytes, bytes,
					      compare, context);
		size_t rest = count - i, a_count = rest < width ? rest : width;
		skua_leaf_merge(from + i * bytes, a_count, from + (i + a_count) * bytes,
				rest - a_count, to + i * bytes, bytes, false, compare, context);
		char *swapped = from;
		from = to;
		to = swapped;
	}
	if (from != scratch)
		__builtin_memcpy(scratch, from, count * bytes);
}

SKUA_INLINE size_t skua_leaf_run(const char *base, size_t count, size_t bytes,
				 skua_compare *compare, void *context)
{
	for (size_t i = 1; i < count; i++, base += bytes)
		if (compare(base + bytes, base, context) < 0)
			return i;
	return count;
}

#endif
