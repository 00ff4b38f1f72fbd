/* SPDX-License-Identifier: MIT */
/* pack.h — what moves elements together: filter, partition, unique, group by key */
#ifndef SKUA_PACK_H
#define SKUA_PACK_H

#include <skua/detail/where.h>
#include <skua/error.h>
#include <skua/job.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

SKUA_BEGIN_C

/*
 *	SKUA_FILTER(is_above, int, element, const int *, limit)
 *	{
 *		return *element > *limit;
 *	}
 *	...
 *	size_t kept;
 *	int error = skua_filter(pool, x, y, n, is_above, &limit, &kept, NULL);
 *
 * y[0] to y[kept - 1] are then the elements of x above the limit, in the order they had in x.  The
 * results of all functions here are the same for any number of workers.  The first argument says
 * where: skua_here in a task, a pool, or NULL: the pool of the calling worker, else the default
 * pool.  Elements that are not of the size the macro was given do not compile, if the compiler
 * optimizes.
 */

struct skua_pack_options {
	size_t size;		     /* sizeof(struct skua_pack_options) */
	enum skua_priority priority; /* if it must wait in a queue: the caller is no worker */
	bool is_unordered;	     /* partition: order does not matter, memory does */
};

/*
 * A question to elements of so many bytes.  SKUA_FILTER defines one whose loops the compiler has
 * seen; without macros, fill in the first two and leave the others NULL.
 */
struct skua_test {
	size_t bytes;
	bool (*is_true)(const void *element, void *argument);
	/* Copy those for which it is true to out, which is not behind in; how many. */
	size_t (*filter)(const void *in, void *out, size_t count, void *argument);
	/* The same, and the others to no, which is another array. */
	size_t (*divide)(const void *in, void *yes, void *no, size_t count, void *argument);
};

/*
 * Begin the definition of a test: SKUA_FILTER(name, type, element, argtype, argument) { return
 * condition; }, where element is a type const *.  It is asked once for each element.
 */
#define SKUA_FILTER(name, type, element, argtype, argument)                                 \
	SKUA_PLAIN(type)                                                                    \
	static inline bool name##_skua_ask(type const *element, argtype argument);          \
	static bool name##_skua_is_true(const void *skua_element, void *skua_argument)      \
	{                                                                                   \
		return name##_skua_ask((type const *)skua_element, (argtype)skua_argument); \
	}                                                                                   \
	SKUA_FILTER_LEAF(name, type, argtype)                                               \
	SKUA_DIVIDE_LEAF(name, type, argtype)                                               \
	static const struct skua_test name = { sizeof(type), name##_skua_is_true,           \
					       name##_skua_filter, name##_skua_divide };    \
	static inline bool name##_skua_ask(type const *element,                             \
					   argtype argument __attribute__((unused)))

/*
 * Small elements are copied before it is known if they are wanted: there is no branch to guess.
 * Four at a time: short loops cost twice as much where they happen to cross a line of code.
 */
#define SKUA_FILTER_LEAF(name, type, argtype)                                                     \
	static inline size_t name##_skua_step(type const *skua_in, type *skua_out,                \
					      argtype skua_argument)                              \
	{                                                                                         \
		if (sizeof(type) <= 16) {                                                         \
			type skua_one = *skua_in;                                                 \
			*skua_out = skua_one;                                                     \
			return name##_skua_ask(&skua_one, skua_argument);                         \
		}                                                                                 \
		if (!name##_skua_ask(skua_in, skua_argument))                                     \
			return 0;                                                                 \
		if (skua_out != skua_in)                                                          \
			*skua_out = *skua_in;                                                     \
		return 1;                                                                         \
	}                                                                                         \
	static size_t name##_skua_filter(const void *skua_from, void *skua_to, size_t skua_count, \
					 void *skua_any)                                          \
	{                                                                                         \
		type const *skua_in = (type const *)skua_from;                                    \
		argtype skua_argument = (argtype)skua_any;                                        \
		type *skua_out = (type *)skua_to;                                                 \
		size_t skua_i = 0;                                                                \
		for (; skua_count - skua_i >= 4; skua_i += 4) {                                   \
			skua_out += name##_skua_step(skua_in + skua_i, skua_out, skua_argument);  \
			skua_out += name##_skua_step(skua_in + skua_i + 1, skua_out,              \
						     skua_argument);                              \
			skua_out += name##_skua_step(skua_in + skua_i + 2, skua_out,              \
						     skua_argument);                              \
			skua_out += name##_skua_step(skua_in + skua_i + 3, skua_out,              \
						     skua_argument);                              \
		}                                                                                 \
		for (; skua_i < skua_count; skua_i++)                                             \
			skua_out += name##_skua_step(skua_in + skua_i, skua_out, skua_argument);  \
		return (size_t)(skua_out - (type *)skua_to);                                      \
	}

#define SKUA_DIVIDE_LEAF(name, type, argtype)                                                   \
	static size_t name##_skua_divide(const void *skua_from, void *skua_to, void *skua_rest, \
					 size_t skua_count, void *skua_argument)                \
	{                                                                                       \
		type const *skua_in = (type const *)skua_from;                                  \
		type *skua_yes = (type *)skua_to;                                               \
		type *skua_no = (type *)skua_rest;                                              \
		size_t skua_kept = 0;                                                           \
		for (size_t skua_i = 0; skua_i < skua_count; skua_i++) {                        \
			type skua_one = skua_in[skua_i];                                        \
			skua_yes[skua_kept] = skua_one;                                         \
			skua_no[skua_i - skua_kept] = skua_one;                                 \
			skua_kept += name##_skua_ask(&skua_one, (argtype)skua_argument);        \
		}                                                                               \
		return skua_kept;                                                               \
	}

/**
 * Keep the elements for which a test is true, in their order: skua_filter(where, in, out, count,
 * test, argument, &kept, options).  out has room for all of them, and may be the same array as in;
 * what is in it from *kept on is no longer of any use.
 *
 * Thread    any; what takes some microseconds only is done by the calling thread alone, more with
 *           whoever is idle in the pool.  Without a pool to be had, or when that closes, it still
 *           runs, there alone.  The test may be called by several threads at once.
 * Memory    none for little; with helpers 44 bytes for each block of 64 KiB, and 512 KiB for each
 *           helper; it does without either
 * Ordering  what the caller did is visible to the test, what was kept to the caller
 * Fails     SKUA_EINVAL: NULL, elements of no bytes, arrays that overlap but are not the same,
 *           wrong options.  Nothing was written then.
 * Cost      one worker: the plain loop; two: somewhat more than half of it
 * See       examples/24_pack.c, man skua_pack
 */
#define skua_filter(where, in, out, count, test, argument, kept, options)                        \
	(SKUA_FITS_TYPE(in, (test).bytes, (test).filter),                                        \
	 SKUA_FITS_TYPE(out, (test).bytes, (test).filter),                                       \
	 skua_array_filter(SKUA_WHERE(where), (in), (out), (count), &(test), (argument), (kept), \
			   (options)))
SKUA_API int skua_array_filter(struct skua_pool *pool, const void *in, void *out, size_t count,
			       const struct skua_test *test, const void *argument, size_t *kept,
			       const struct skua_pack_options *options) SKUA_OPAQUE(6);

/**
 * Move the elements for which a test is true to the front: skua_partition(where, data, count, test,
 * argument, &kept, options).  *kept is their number; all others come after them.  Both keep the
 * order they had, unless options.is_unordered says that it does not matter.
 *
 * Thread    as skua_filter
 * Memory    as much as the data, and as skua_filter; unordered: 40 bytes for each 1024 elements,
 *           and without the memory for that the calling thread does it alone
 * Ordering  as skua_filter
 * Fails     as skua_filter; SKUA_ENOMEM: the data are as they were.  Unordered: never that.
 * Cost      as skua_filter, and copying the others back
 * See       examples/24_pack.c, man skua_pack
 */
#define skua_partition(where, data, count, test, argument, kept, options)                      \
	(SKUA_FITS_TYPE(data, (test).bytes, (test).filter),                                    \
	 skua_array_partition(SKUA_WHERE(where), (data), (count), &(test), (argument), (kept), \
			      (options)))
SKUA_API int skua_array_partition(struct skua_pool *pool, void *data, size_t count,
				  const struct skua_test *test, const void *argument, size_t *kept,
				  const struct skua_pack_options *options) SKUA_OPAQUE(5);

/* --- unique --- */

/* Whether two elements are the same; as struct skua_test. */
struct skua_same {
	size_t bytes;
	bool (*is_same)(const void *a, const void *b, void *argument);
	/* Copy those that are not the same as the one before to out, which is not behind in; how
	 * many.  has_before: there is one before in[0]; if not, that is copied. */
	size_t (*unique)(const void *in, void *out, size_t count, bool has_before, void *argument);
};

/* Begin the definition of a sameness: SKUA_UNIQUE(name, type, a, b) { return *a == *b; }. */
#define SKUA_UNIQUE(name, type, a, b)                                               \
	SKUA_PLAIN(type)                                                            \
	static inline bool name##_skua_ask(type const *a, type const *b);           \
	static bool name##_skua_is_same(const void *skua_a, const void *skua_b,     \
					void *skua_argument)                        \
	{                                                                           \
		(void)skua_argument;                                                \
		return name##_skua_ask((type const *)skua_a, (type const *)skua_b); \
	}                                                                           \
	SKUA_UNIQUE_LEAF(name, type)                                                \
	static const struct skua_same name = { sizeof(type), name##_skua_is_same,   \
					       name##_skua_unique };                \
	static inline bool name##_skua_ask(type const *a, type const *b)

/* In place, nothing is written while all are kept: others may be reading the last of them. */
#define SKUA_UNIQUE_LEAF(name, type)                                                              \
	static size_t name##_skua_unique(const void *skua_from, void *skua_to, size_t skua_count, \
					 bool skua_has_before, void *skua_argument)               \
	{                                                                                         \
		type const *skua_in = (type const *)skua_from;                                    \
		type *skua_out = (type *)skua_to;                                                 \
		size_t skua_i = 0;                                                                \
		(void)skua_argument;                                                              \
		if (skua_count == 0)                                                              \
			return 0;                                                                 \
		if (skua_in == skua_out)                                                          \
			while (skua_i < skua_count &&                                             \
			       ((skua_i == 0 && !skua_has_before) ||                              \
				!name##_skua_ask(&skua_in[skua_i] - 1, &skua_in[skua_i])))        \
				skua_i++;                                                         \
		if (skua_i == skua_count)                                                         \
			return skua_count;                                                        \
		size_t skua_kept = skua_i;                                                        \
		type skua_last = skua_in[skua_i];                                                 \
		if (skua_in != skua_out) {                                                        \
			bool skua_is_kept = !skua_has_before ||                                   \
					    !name##_skua_ask(skua_in - 1, &skua_last);            \
			skua_out[0] = skua_last;                                                  \
			skua_kept = skua_is_kept;                                                 \
		}                                                                                 \
		for (skua_i++; skua_i < skua_count; skua_i++) {                                   \
			type skua_one = skua_in[skua_i];                                          \
			skua_out[skua_kept] = skua_one;                                           \
			skua_kept += !name##_skua_ask(&skua_last, &skua_one);                     \
			skua_last = skua_one;                                                     \
		}                                                                                 \
		return skua_kept;                                                                 \
	}

/**
 * Drop every element that is the same as the one before it, so that of equal neighbours the first
 * is kept: skua_unique(where, in, out, count, same, argument, &kept, options).  Of a sorted array,
 * each is kept once.  out is as for skua_filter.
 *
 * Thread    as skua_filter
 * Memory    as skua_filter
 * Ordering  as skua_filter
 * Fails     as skua_filter
 * Cost      as skua_filter
 * See       examples/24_pack.c, man skua_pack
 */
#define skua_unique(where, in, out, count, same, argument, kept, options)                        \
	(SKUA_FITS_TYPE(in, (same).bytes, (same).unique),                                        \
	 SKUA_FITS_TYPE(out, (same).bytes, (same).unique),                                       \
	 skua_array_unique(SKUA_WHERE(where), (in), (out), (count), &(same), (argument), (kept), \
			   (options)))
SKUA_API int skua_array_unique(struct skua_pool *pool, const void *in, void *out, size_t count,
			       const struct skua_same *same, const void *argument, size_t *kept,
			       const struct skua_pack_options *options) SKUA_OPAQUE(6);

/* --- groups --- */

/* A number for each record; records with the same number are a group.  As struct skua_test. */
struct skua_group_key {
	size_t bytes;
	uint64_t (*key)(const void *record, void *argument);
	void (*keys)(const void *records, uint64_t *keys, size_t count, void *argument);
};

/* Begin the definition of a key: SKUA_GROUP_KEY(name, type, record) { return record->country; }. */
#define SKUA_GROUP_KEY(name, type, record)                                            \
	static inline uint64_t name##_skua_ask(type const *record);                   \
	static uint64_t name##_skua_key(const void *skua_record, void *skua_argument) \
	{                                                                             \
		(void)skua_argument;                                                  \
		return name##_skua_ask((type const *)skua_record);                    \
	}                                                                             \
	static void name##_skua_keys(const void *skua_records, uint64_t *skua_keys,   \
				     size_t skua_count, void *skua_argument)          \
	{                                                                             \
		(void)skua_argument;                                                  \
		for (size_t skua_i = 0; skua_i < skua_count; skua_i++)                \
			skua_keys[skua_i] = name##_skua_ask(                          \
				&((type const *)skua_records)[skua_i]);               \
	}                                                                             \
	static const struct skua_group_key name = { sizeof(type), name##_skua_key,    \
						    name##_skua_keys };               \
	static inline uint64_t name##_skua_ask(type const *record)

/*
 * Groups in ascending order of their keys.  Group g is of the records number order[start[g]] to
 * order[start[g + 1] - 1], in the order they had.
 */
struct skua_groups {
	size_t count;	/* of groups */
	uint64_t *keys; /* one each */
	size_t *start;	/* one each, and one more: the number of records */
	size_t *order;	/* of all records */
};

/**
 * Find out which records belong together: skua_group_by(where, records, count, key, argument,
 * &groups, options).  The records stay as they are.  Give *groups back with skua_groups_free.
 *
 * Thread    any; with whoever is idle in the pool; without a pool, or when that closes, alone
 * Memory    32 bytes a record, few keys: 16; the result 8 bytes a record and 16 a group
 * Ordering  what the caller did is visible to key, the groups to the caller
 * Fails     SKUA_EINVAL: NULL, records of no bytes, wrong options; SKUA_ENOMEM.  *groups is then
 *           untouched.
 * Cost      two passes over all for each byte in which the keys differ; two if those are 11 bits
 * See       examples/24_pack.c, man skua_pack
 */
#define skua_group_by(where, records, count, key, argument, groups, options)                      \
	(SKUA_FITS_TYPE(records, (key).bytes, (key).keys),                                        \
	 skua_array_group_by(SKUA_WHERE(where), (records), (count), &(key), (argument), (groups), \
			     (options)))
SKUA_API int skua_array_group_by(struct skua_pool *pool, const void *records, size_t count,
				 const struct skua_group_key *key, const void *argument,
				 struct skua_groups *groups,
				 const struct skua_pack_options *options) SKUA_OPAQUE(5);

/**
 * Give back what skua_group_by gave; *groups has none then.  Zeroed ones have none.
 *
 * Thread    any, nobody else uses them
 * Memory    all freed
 * Ordering  none
 * Fails     never
 * Cost      three times free
 * See       examples/24_pack.c, man skua_pack
 */
SKUA_API void skua_groups_free(struct skua_groups *groups);

SKUA_END_C

#endif
