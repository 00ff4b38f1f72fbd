/* SPDX-License-Identifier: MIT */
/* find.h — searches: the first index that matches, any, all, how many; extremes; histograms */
#ifndef SKUA_FIND_H
#define SKUA_FIND_H

#include <skua/detail/compare.h>
#include <skua/loop.h>

SKUA_BEGIN_C

/*
 *	SKUA_FIND(is_broken, const struct record *, records, i)
 *	{
 *		return records[i].sum != sum_of(&records[i]);
 *	}
 *	...
 *	uint64_t index, count;
 *	int error = skua_find_first(pool, 0, n, is_broken, records, &index, NULL);
 *	error = skua_count(pool, 0, n, is_broken, records, &count, NULL);
 *
 * All run as skua_for does: on the thread that called, and on whoever is idle.  A condition may be
 * asked for any index of the range, in any order, those behind a match too, and some of them twice:
 * it should only look.
 */

/** About the indices from lo on, before hi: one of them, or how many. */
typedef uint64_t skua_find_body(struct skua_slot *skua_here, uint64_t lo, uint64_t hi,
				void *argument);

/** A condition, as functions over a range; the first one is enough. */
struct skua_find {
	skua_find_body *first; /* the first index that matches; hi: none */
	skua_find_body *other; /* the first that does not; hi: none.  NULL: found by `first` */
	skua_find_body *count; /* how many match.  NULL: found by `first` */
};

/* Begin the definition of a condition: SKUA_FIND(name, type, argument, index) { return it; }. */
#define SKUA_FIND(name, type, argument, index)                                                   \
	static inline bool name##_skua_item(struct skua_slot *skua_here, type argument,          \
					    uint64_t index);                                     \
	SKUA_FIND_BODY(name, first, type, true)                                                  \
	SKUA_FIND_BODY(name, other, type, false)                                                 \
	static uint64_t name##_skua_count(struct skua_slot *skua_here, uint64_t skua_lo,         \
					  uint64_t skua_hi, void *skua_argument)                 \
	{                                                                                        \
		uint64_t skua_count = 0;                                                         \
		for (; skua_hi - skua_lo >= SKUA_FIND_BLOCK; skua_lo += SKUA_FIND_BLOCK)         \
			for (uint64_t skua_i = 0; skua_i < SKUA_FIND_BLOCK; skua_i++)            \
				skua_count += name##_skua_item(skua_here, (type)skua_argument,   \
							       skua_lo + skua_i);                \
		for (; skua_lo < skua_hi; skua_lo++)                                             \
			skua_count += name##_skua_item(skua_here, (type)skua_argument, skua_lo); \
		return skua_count;                                                               \
	}                                                                                        \
	static const struct skua_find name = { name##_skua_first, name##_skua_other,             \
					       name##_skua_count };                              \
	static inline bool name##_skua_item(struct skua_slot *skua_here __attribute__((unused)), \
					    type argument __attribute__((unused)),               \
					    uint64_t index __attribute__((unused)))

/*
 * The loops of a known length, without a way out, are what a compiler makes vector instructions of.
 * A range is that long only where looking at an index takes no time.
 */
#define SKUA_FIND_BLOCK 64
#define SKUA_FIND_BODY(name, which, type, wanted)                                             \
	static uint64_t name##_skua_##which(struct skua_slot *skua_here, uint64_t skua_lo,    \
					    uint64_t skua_hi, void *skua_argument)            \
	{                                                                                     \
		for (; skua_hi - skua_lo >= SKUA_FIND_BLOCK; skua_lo += SKUA_FIND_BLOCK) {    \
			unsigned skua_any = 0;                                                \
			for (uint64_t skua_i = 0; skua_i < SKUA_FIND_BLOCK; skua_i++)         \
				skua_any |= name##_skua_item(skua_here, (type)skua_argument,  \
							     skua_lo + skua_i) == (wanted);   \
			if (skua_any)                                                         \
				break;                                                        \
		}                                                                             \
		while (skua_lo < skua_hi &&                                                   \
		       name##_skua_item(skua_here, (type)skua_argument, skua_lo) != (wanted)) \
			skua_lo++;                                                            \
		return skua_lo;                                                               \
	}

/**
 * The lowest index from lo on, before hi, that matches: skua_find_first(where, lo, hi, condition,
 * argument, &index, options).  *index is hi when none does.
 *
 * Nothing behind a match is begun once that is known; what is before it is looked at to the end.
 *
 * Thread    any, as skua_for
 * Memory    as skua_for
 * Ordering  as skua_for
 * Fails     SKUA_EINVAL: no condition, no index, wrong options; SKUA_ECLOSED; SKUA_ECANCELED,
 *           SKUA_ETIMEDOUT, as of skua_for, unless the answer was certain by then.  *index is then
 *           untouched.  options.reach counts indices behind a match as done.
 * Cost      as skua_for
 * See       examples/25_find.c, man skua_find
 */
SKUA_API int skua_loop_find_first(struct skua_pool *pool, uint64_t lo, uint64_t hi,
				  const struct skua_find *find, const void *argument,
				  uint64_t *index, const struct skua_loop_options *options)
	SKUA_OPAQUE(5);
#define skua_find_first(where, lo, hi, find, argument, index, options) \
	skua_loop_find_first(SKUA_WHERE(where), (lo), (hi), &(find), (argument), (index), (options))

/**
 * Does any index match?  skua_any(where, lo, hi, condition, argument, &is_any, options).  Of none:
 * false.  It stops everywhere at the first match that is found.
 *
 * Thread    any, as skua_for
 * Memory    as skua_for
 * Ordering  as skua_for
 * Fails     as skua_find_first; *is_any is then untouched
 * Cost      as skua_for
 * See       examples/25_find.c, man skua_find
 */
SKUA_API int skua_loop_any(struct skua_pool *pool, uint64_t lo, uint64_t hi,
			   const struct skua_find *find, const void *argument, bool *is_any,
			   const struct skua_loop_options *options) SKUA_OPAQUE(5);
#define skua_any(where, lo, hi, find, argument, is_any, options) \
	skua_loop_any(SKUA_WHERE(where), (lo), (hi), &(find), (argument), (is_any), (options))

/**
 * Do all indices match?  skua_all(where, lo, hi, condition, argument, &is_all, options).  Of none:
 * true.  It stops everywhere at the first index that is found not to.
 *
 * Thread    any, as skua_for
 * Memory    as skua_for
 * Ordering  as skua_for
 * Fails     as skua_find_first; *is_all is then untouched
 * Cost      as skua_for
 * See       examples/25_find.c, man skua_find
 */
SKUA_API int skua_loop_all(struct skua_pool *pool, uint64_t lo, uint64_t hi,
			   const struct skua_find *find, const void *argument, bool *is_all,
			   const struct skua_loop_options *options) SKUA_OPAQUE(5);
#define skua_all(where, lo, hi, find, argument, is_all, options) \
	skua_loop_all(SKUA_WHERE(where), (lo), (hi), &(find), (argument), (is_all), (options))

/**
 * How many indices match: skua_count(where, lo, hi, condition, argument, &count, options).
 *
 * Thread    any, as skua_for
 * Memory    as skua_for
 * Ordering  as skua_for
 * Fails     SKUA_EINVAL: no condition, no count, wrong options: *count is untouched; else as
 *           skua_reduce: *count is then of the indices that were looked at, options.reach.count
 * Cost      as skua_for
 * See       examples/25_find.c, man skua_find
 */
SKUA_API int skua_loop_count(struct skua_pool *pool, uint64_t lo, uint64_t hi,
			     const struct skua_find *find, const void *argument, uint64_t *count,
			     const struct skua_loop_options *options) SKUA_OPAQUE(5);
#define skua_count(where, lo, hi, find, argument, count, options) \
	skua_loop_count(SKUA_WHERE(where), (lo), (hi), &(find), (argument), (count), (options))

/* --- extremes --- */

/*
 *	SKUA_MIN_MAX(range_of, double, a, b)
 *	{
 *		return *a < *b;
 *	}
 *	...
 *	size_t min, max;
 *	int error = range_of(pool, heights, count, &min, &max, NULL);
 *
 * Of several that are equal, the first one counts, for the minimum and for the maximum: so the
 * answer does not depend on the workers.  An order that contradicts itself, as < does with NaN,
 * gives some index of the array; the same for any number of workers if options.is_stable is set.
 */

/** Where the least and the greatest of some elements are; what SKUA_MIN_MAX works with. */
struct skua_extremes {
	uint64_t min, max;
	bool has_any; /* else the two mean nothing */
};

/** See to it that the extremes are also those of the elements from lo on, before hi; lo < hi. */
typedef void skua_extremes_body(const void *array, uint64_t lo, uint64_t hi,
				struct skua_extremes *extremes, void *context);

/*
 * Begin the definition of `less`, true or false (`return *a - *b` is wrong, and compiles), and
 * define with it
 * int name(struct skua_pool *pool, type const *array, size_t count, size_t *min, size_t *max,
 * const struct skua_loop_options *options).
 */
#define SKUA_MIN_MAX(name, type, a, b)                                                            \
	static inline bool name##_skua_less(type const *a, type const *b);                        \
	static void name##_skua_body(const void *skua_array, uint64_t skua_lo, uint64_t skua_hi,  \
				     struct skua_extremes *skua_found,                            \
				     void *skua_context __attribute__((unused)))                  \
	{                                                                                         \
		type const *skua_first = (type const *)skua_array;                                \
		type const *skua_min = skua_first +                                               \
				       (skua_found->has_any ? skua_found->min : skua_lo);         \
		type const *skua_max = skua_first +                                               \
				       (skua_found->has_any ? skua_found->max : skua_lo);         \
		for (type const *skua_at = skua_first + skua_lo; skua_at < skua_first + skua_hi;  \
		     skua_at++) {                                                                 \
			if (name##_skua_less(skua_at, skua_min)) {                                \
				skua_min = skua_at;                                               \
				SKUA_BRANCH;                                                      \
			} else if (name##_skua_less(skua_max, skua_at)) {                         \
				skua_max = skua_at;                                               \
				SKUA_BRANCH;                                                      \
			}                                                                         \
		}                                                                                 \
		skua_found->min = (uint64_t)(skua_min - skua_first);                              \
		skua_found->max = (uint64_t)(skua_max - skua_first);                              \
		skua_found->has_any = true;                                                       \
	}                                                                                         \
	static inline __attribute__((unused)) int name(                                           \
		struct skua_pool *skua_where, type const *skua_array, size_t skua_length,         \
		size_t *skua_min, size_t *skua_max, const struct skua_loop_options *skua_options) \
	{                                                                                         \
		return skua_array_extremes(skua_where, skua_array, skua_length, name##_skua_body, \
					   skua_min, skua_max, skua_options);                     \
	}                                                                                         \
	static inline bool name##_skua_less(type const *a, type const *b)

/*
 * What stands here is a branch.  As a conditional move, which compilers like to make of it, each
 * step would wait for the element that the last one chose.
 */
#define SKUA_BRANCH __asm__ volatile("")

/**
 * Where the least and the greatest element of an array are, the first of equals each:
 * skua_min_max(where, array, count, bytes, compare, context, &min, &max, options).  One of the two
 * may be NULL.  Both are 0 when there is no element.
 *
 * Thread    any, as skua_for
 * Memory    as skua_for
 * Ordering  as skua_for
 * Fails     SKUA_EINVAL: no array, no comparison, elements of no size, too many of them, nowhere to
 *           put the answer, wrong options; else as skua_for.  The answers are then untouched.
 * Cost      two comparisons an element
 * See       man skua_find
 */
SKUA_API int skua_array_min_max(struct skua_pool *pool, const void *array, size_t count,
				size_t bytes, skua_compare *compare, void *context, size_t *min,
				size_t *max, const struct skua_loop_options *options);
#define skua_min_max(where, array, count, bytes, compare, context, min, max, options)          \
	skua_array_min_max(SKUA_WHERE(where), (array), (count), (bytes), (compare), (context), \
			   (min), (max), (options))

/**
 * What SKUA_MIN_MAX calls: the same with a body that sees many elements.
 *
 * Thread    any, as skua_for
 * Memory    as skua_for
 * Ordering  as skua_for
 * Fails     as skua_min_max
 * Cost      those of the body
 * See       examples/25_find.c, man skua_find
 */
SKUA_API int skua_array_extremes(struct skua_pool *pool, const void *array, size_t count,
				 skua_extremes_body *body, size_t *min, size_t *max,
				 const struct skua_loop_options *options);

/* --- histograms --- */

/** Write the bins of the indices from lo on, before hi, to bins[0], bins[1] and so on. */
typedef void skua_bins_body(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, uint64_t *bins,
			    void *argument);

/** Count them: add 1 to the count of each bin.  False: it met one that is not below `bins`. */
typedef bool skua_bins_count(struct skua_slot *skua_here, uint64_t lo, uint64_t hi,
			     uint64_t *counts, uint64_t bins, void *argument);

/** What bins the indices are in; the first function is enough. */
struct skua_bins {
	skua_bins_body *body;
	skua_bins_count *count; /* NULL: done by `body` */
};

/*
 * Begin the definition of it: SKUA_HISTOGRAM(name, type, argument, index) { return the bin; }.
 * Counting goes by fours, so that looking whether there is such a bin costs less.
 */
#define SKUA_HISTOGRAM(name, type, argument, index)                                                \
	static inline uint64_t name##_skua_item(struct skua_slot *skua_here, type argument,        \
						uint64_t index);                                   \
	static void name##_skua_bins(struct skua_slot *skua_here, uint64_t skua_lo,                \
				     uint64_t skua_hi, uint64_t *skua_bins, void *skua_argument)   \
	{                                                                                          \
		for (uint64_t skua_i = skua_lo; skua_i < skua_hi; skua_i++)                        \
			skua_bins[skua_i - skua_lo] = name##_skua_item(                            \
				skua_here, (type)skua_argument, skua_i);                           \
	}                                                                                          \
	static bool name##_skua_count(struct skua_slot *skua_here, uint64_t skua_lo,               \
				      uint64_t skua_hi, uint64_t *skua_counts, uint64_t skua_bins, \
				      void *skua_argument)                                         \
	{                                                                                          \
		for (; skua_hi - skua_lo >= 4; skua_lo += 4) {                                     \
			uint64_t skua_a = name##_skua_item(skua_here, (type)skua_argument,         \
							   skua_lo);                               \
			uint64_t skua_b = name##_skua_item(skua_here, (type)skua_argument,         \
							   skua_lo + 1);                           \
			uint64_t skua_c = name##_skua_item(skua_here, (type)skua_argument,         \
							   skua_lo + 2);                           \
			uint64_t skua_d = name##_skua_item(skua_here, (type)skua_argument,         \
							   skua_lo + 3);                           \
			if (skua_a >= skua_bins || skua_b >= skua_bins || skua_c >= skua_bins ||   \
			    skua_d >= skua_bins)                                                   \
				return false;                                                      \
			skua_counts[skua_a]++;                                                     \
			skua_counts[skua_b]++;                                                     \
			skua_counts[skua_c]++;                                                     \
			skua_counts[skua_d]++;                                                     \
		}                                                                                  \
		for (; skua_lo < skua_hi; skua_lo++) {                                             \
			uint64_t skua_a = name##_skua_item(skua_here, (type)skua_argument,         \
							   skua_lo);                               \
			if (skua_a >= skua_bins)                                                   \
				return false;                                                      \
			skua_counts[skua_a]++;                                                     \
		}                                                                                  \
		return true;                                                                       \
	}                                                                                          \
	static const struct skua_bins name = { name##_skua_bins, name##_skua_count };              \
	static inline uint64_t name##_skua_item(                                                   \
		struct skua_slot *skua_here __attribute__((unused)),                               \
		type argument __attribute__((unused)), uint64_t index __attribute__((unused)))

/**
 * Count the indices from lo on, before hi, by bin: skua_histogram(where, lo, hi, bins_of, argument,
 * bins, counts, options).  counts[0] to counts[bins - 1] are set, whatever they were.
 *
 * Thread    any, as skua_for
 * Memory    few bins: 8 bytes a bin for each theft.  More than 2048: 8 bytes a bin for each worker
 *           that helps, if that is not more than 2 bytes an index, else none: then, and without
 *           memory, all add to the one array, with a lock or with atomic additions.
 * Ordering  as skua_for
 * Fails     SKUA_EINVAL: no function, no counts, no bins, wrong options: counts are untouched; or
 *           a bin that is not below `bins`.  Else as skua_for.  Having begun, counts hold some of
 *           the indices.
 * Cost      an addition to memory for each index; each theft, or worker, clears and adds up bins
 * See       examples/25_find.c, man skua_find
 */
SKUA_API int skua_loop_histogram(struct skua_pool *pool, uint64_t lo, uint64_t hi,
				 const struct skua_bins *bins_of, const void *argument, size_t bins,
				 uint64_t *counts, const struct skua_loop_options *options)
	SKUA_OPAQUE(5);
#define skua_histogram(where, lo, hi, bins_of, argument, bins, counts, options)            \
	skua_loop_histogram(SKUA_WHERE(where), (lo), (hi), &(bins_of), (argument), (bins), \
			    (counts), (options))

SKUA_END_C

#endif
