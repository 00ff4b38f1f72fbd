/* SPDX-License-Identifier: MIT */
/* scan.h — prefix sums of an array, with any associative operator */
#ifndef SKUA_SCAN_H
#define SKUA_SCAN_H

#include <skua/detail/where.h>
#include <skua/error.h>
#include <skua/job.h>
#include <stdbool.h>
#include <stddef.h>

SKUA_BEGIN_C

/*
 *	SKUA_SCAN(add, double, sum, next)
 *	{
 *		*sum += *next;
 *	}
 *	...
 *	int error = skua_scan(pool, x, sums, n, add, NULL);
 *
 * sums[i] is then x[0] + ... + x[i].  The operator may be any that is associative, and need not be
 * commutative: the left side is always what came first.
 */

/*
 * An operator on elements of so many bytes.  SKUA_SCAN defines one whose loops the compiler has
 * seen; without macros, fill in the first two and leave the others NULL.
 */
struct skua_scan_op {
	size_t bytes;
	/* into, which came first, and next become into */
	void (*combine)(void *into, const void *next, void *argument);
	/* All elements (one at least) become *into; is_stable: from left to right, else as it
	 * likes, but in order. */
	void (*reduce)(void *into, const void *in, size_t count, bool is_stable, void *argument);
	/* Scan some elements; *sum is of all before them, and then of all with them. */
	void (*scan)(const void *in, void *out, size_t count, void *sum, bool is_exclusive,
		     void *argument);
	/* Scan them by themselves, with *before in front of each result; *sum is of them alone. */
	void (*scan_after)(const void *in, void *out, size_t count, const void *before, void *sum,
			   bool is_exclusive, void *argument);
};

struct skua_scan_options {
	size_t size;		     /* sizeof(struct skua_scan_options) */
	bool is_exclusive;	     /* out[i] is of all before in[i], without it */
	bool is_stable;		     /* the same to the bit for any number of workers */
	const void *initial;	     /* comes before all; NULL: nothing, or zeroed if exclusive */
	void *argument;		     /* for combine */
	void *total;		     /* the sum of all goes here; NULL: nowhere */
	enum skua_priority priority; /* if it must wait in a queue: the caller is no worker */
};

/* Begin the definition of an operator: SKUA_SCAN(name, type, sum, next) { *sum += *next; }. */
#define SKUA_SCAN(name, type, sum, next)                                                \
	SKUA_PLAIN(type)                                                                \
	static inline void name##_skua_two(type *sum, type const *next);                \
	SKUA_SCAN_COMBINE(name, type)                                                   \
	SKUA_SCAN_REDUCE(name, type)                                                    \
	SKUA_SCAN_LEAF(name, type)                                                      \
	SKUA_SCAN_LEAF_AFTER(name, type)                                                \
	static const struct skua_scan_op name = { sizeof(type), name##_skua_combine,    \
						  name##_skua_reduce, name##_skua_scan, \
						  name##_skua_scan_after };             \
	static inline void name##_skua_two(type *sum, type const *next)

#define SKUA_SCAN_COMBINE(name, type)                                           \
	static void name##_skua_combine(void *skua_into, const void *skua_next, \
					void *skua_argument)                    \
	{                                                                       \
		(void)skua_argument;                                            \
		name##_skua_two((type *)skua_into, (type const *)skua_next);    \
	}

/* Four parts at once: an operator takes longer to finish than the processor needs to begin one. */
#define SKUA_SCAN_REDUCE(name, type)                                                              \
	static void name##_skua_reduce(void *skua_into, const void *skua_from, size_t skua_count, \
				       bool skua_is_stable, void *skua_argument)                  \
	{                                                                                         \
		type const *skua_in = (type const *)skua_from;                                    \
		type skua_sum = skua_in[0];                                                       \
		size_t skua_i = 1, skua_n = skua_count / 4;                                       \
		(void)skua_argument;                                                              \
		if (sizeof(type) <= 16 && !skua_is_stable && skua_n > 1) {                        \
			type skua_b = skua_in[skua_n];                                            \
			type skua_c = skua_in[2 * skua_n];                                        \
			type skua_d = skua_in[3 * skua_n];                                        \
			for (; skua_i < skua_n; skua_i++) {                                       \
				name##_skua_two(&skua_sum, &skua_in[skua_i]);                     \
				name##_skua_two(&skua_b, &skua_in[skua_n + skua_i]);              \
				name##_skua_two(&skua_c, &skua_in[2 * skua_n + skua_i]);          \
				name##_skua_two(&skua_d, &skua_in[3 * skua_n + skua_i]);          \
			}                                                                         \
			name##_skua_two(&skua_sum, &skua_b);                                      \
			name##_skua_two(&skua_sum, &skua_c);                                      \
			name##_skua_two(&skua_sum, &skua_d);                                      \
			skua_i = 4 * skua_n;                                                      \
		}                                                                                 \
		for (; skua_i < skua_count; skua_i++)                                             \
			name##_skua_two(&skua_sum, &skua_in[skua_i]);                             \
		*(type *)skua_into = skua_sum;                                                    \
	}

/* Four at a time: short loops cost twice as much where they happen to cross a line of code. */
#define SKUA_SCAN_LEAF(name, type)                                                                 \
	static inline void name##_skua_step(type const *skua_in, type *skua_out, type *skua_sum,   \
					    bool skua_is_exclusive)                                \
	{                                                                                          \
		type skua_next = *skua_in;                                                         \
		if (skua_is_exclusive)                                                             \
			*skua_out = *skua_sum;                                                     \
		name##_skua_two(skua_sum, &skua_next);                                             \
		if (!skua_is_exclusive)                                                            \
			*skua_out = *skua_sum;                                                     \
	}                                                                                          \
	static inline void name##_skua_steps(type const *skua_in, type *skua_out,                  \
					     size_t skua_count, type *skua_sum,                    \
					     bool skua_is_exclusive)                               \
	{                                                                                          \
		size_t skua_i = 0;                                                                 \
		for (; skua_count - skua_i >= 4; skua_i += 4) {                                    \
			type const *skua_from = skua_in + skua_i;                                  \
			type *skua_to = skua_out + skua_i;                                         \
			name##_skua_step(skua_from, skua_to, skua_sum, skua_is_exclusive);         \
			name##_skua_step(skua_from + 1, skua_to + 1, skua_sum, skua_is_exclusive); \
			name##_skua_step(skua_from + 2, skua_to + 2, skua_sum, skua_is_exclusive); \
			name##_skua_step(skua_from + 3, skua_to + 3, skua_sum, skua_is_exclusive); \
		}                                                                                  \
		for (; skua_i < skua_count; skua_i++)                                              \
			name##_skua_step(skua_in + skua_i, skua_out + skua_i, skua_sum,            \
					 skua_is_exclusive);                                       \
	}                                                                                          \
	static void name##_skua_scan(const void *skua_from, void *skua_to, size_t skua_count,      \
				     void *skua_all, bool skua_is_exclusive, void *skua_argument)  \
	{                                                                                          \
		type skua_sum = *(type *)skua_all;                                                 \
		(void)skua_argument;                                                               \
		if (skua_is_exclusive)                                                             \
			name##_skua_steps((type const *)skua_from, (type *)skua_to, skua_count,    \
					  &skua_sum, true);                                        \
		else                                                                               \
			name##_skua_steps((type const *)skua_from, (type *)skua_to, skua_count,    \
					  &skua_sum, false);                                       \
		*(type *)skua_all = skua_sum;                                                      \
	}

#define SKUA_SCAN_LEAF_AFTER(name, type)                                                          \
	static void name##_skua_scan_after(                                                       \
		const void *skua_from, void *skua_to, size_t skua_count, const void *skua_prefix, \
		void *skua_all, bool skua_is_exclusive, void *skua_argument)                      \
	{                                                                                         \
		type const *skua_in = (type const *)skua_from;                                    \
		type *skua_out = (type *)skua_to;                                                 \
		type const skua_before = *(type const *)skua_prefix;                              \
		type skua_result = skua_before;                                                   \
		type skua_sum = skua_in[0];                                                       \
		(void)skua_argument;                                                              \
		if (!skua_is_exclusive)                                                           \
			name##_skua_two(&skua_result, &skua_sum);                                 \
		skua_out[0] = skua_result;                                                        \
		for (size_t skua_i = 1; skua_i < skua_count; skua_i++) {                          \
			type skua_next = skua_in[skua_i];                                         \
			skua_result = skua_before;                                                \
			if (skua_is_exclusive)                                                    \
				name##_skua_two(&skua_result, &skua_sum);                         \
			name##_skua_two(&skua_sum, &skua_next);                                   \
			if (!skua_is_exclusive)                                                   \
				name##_skua_two(&skua_result, &skua_sum);                         \
			skua_out[skua_i] = skua_result;                                           \
		}                                                                                 \
		*(type *)skua_all = skua_sum;                                                     \
	}

/**
 * Scan an array: skua_scan(where, in, out, count, op, options).  out[i] is the sum of in[0] to
 * in[i]; exclusive: of all before in[i].  in and out may be the same array.  `where` is skua_here
 * in a task, a pool, or NULL: the pool of the calling worker, else the default pool.  Nothing is
 * done when there are no elements; the total is then what came before all, if there was such.
 * Elements that are not of the size SKUA_SCAN was given do not compile, if the compiler optimizes.
 *
 * How the elements are grouped depends on who is idle, so sums of doubles may vary in their last
 * bits; with options.is_stable they depend on the elements only, also without a pool.
 *
 * Thread    any; what takes some microseconds only is done by the calling thread alone, more with
 *           whoever is idle in the pool.  Without a pool to be had, or when that closes, it still
 *           runs, there alone.
 * Memory    none for little; with helpers three elements and 4 bytes for each block of 64 KiB, and
 *           without the memory for that no helpers; elements of more than 64 bytes: four of them
 * Ordering  what the caller did is visible to the operator, all results to the caller
 * Fails     SKUA_EINVAL: NULL, elements of no bytes, arrays that overlap but are not the same,
 *           wrong options; SKUA_ENOMEM: for the four elements.  Nothing was written then.
 * Cost      one worker: the plain loop; two: somewhat more than half of it; stable: twice the calls
 * See       examples/23_scan.c, man skua_scan
 */
#define skua_scan(where, in, out, count, op, options)                                           \
	(SKUA_FITS_TYPE(in, (op).bytes, (op).scan), SKUA_FITS_TYPE(out, (op).bytes, (op).scan), \
	 skua_array_scan(SKUA_WHERE(where), (in), (out), (count), &(op), (options)))
SKUA_API int skua_array_scan(struct skua_pool *pool, const void *in, void *out, size_t count,
			     const struct skua_scan_op *op,
			     const struct skua_scan_options *options);

SKUA_END_C

#endif
