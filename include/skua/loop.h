/* SPDX-License-Identifier: MIT */
/* loop.h — parallel loops and reductions that split only where somebody is idle */
#ifndef SKUA_LOOP_H
#define SKUA_LOOP_H

#include <skua/detail/where.h>
#include <skua/group.h>

SKUA_BEGIN_C

/*
 *	SKUA_LOOP(scale, struct scale *, s, i)
 *	{
 *		s->x[i] *= s->factor;
 *	}
 *	...
 *	int error = skua_for(pool, 0, n, scale, &(struct scale){ x, 2.0 }, NULL);
 *
 * The first argument says where: skua_here in a task, a pool, or NULL: the pool of the calling
 * worker, else the default pool.  There is no grain to tune: a loop runs chunk after chunk on the
 * thread that called it, and whoever is idle takes the back half of what is left.  A short loop
 * ends before anybody has noticed.
 */

/** A loop's body: the indices from lo on, before hi.  0, or an error code: the loop stops. */
typedef int skua_loop_body(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument);

/** How far a loop got. */
struct skua_reach {
	uint64_t first; /* every index before this one was done */
	uint64_t count; /* and so many were in all */
};

struct skua_loop_options {
	size_t size;		     /* sizeof(struct skua_loop_options) */
	uint64_t grain;		     /* the least that a body is given at once; 0: it depends */
	int64_t deadline;	     /* then it stops, with SKUA_ETIMEDOUT; 0: never */
	enum skua_priority priority; /* if it must wait in a queue: the caller is no worker */
	struct skua_group *group;    /* it stops when this is cancelled, with SKUA_ECANCELED */
	struct skua_reach *reach;    /* filled in, also when it failed */
	bool is_stable;		     /* reductions: parts do not depend on who is idle */
};

/* Inner loops of a fixed length: gcc -O2 makes vector instructions of those only. */
#define SKUA_BLOCK 16

/* Begin the definition of a loop body: SKUA_LOOP(name, type, argument, index) { one index }. */
#define SKUA_LOOP(name, type, argument, index)                                                     \
	static inline void name##_skua_item(struct skua_slot *skua_here, type argument,            \
					    uint64_t index);                                       \
	static int name(struct skua_slot *skua_here, uint64_t skua_lo, uint64_t skua_hi,           \
			void *skua_argument)                                                       \
	{                                                                                          \
		uint64_t skua_i = skua_lo;                                                         \
		for (; skua_hi - skua_i >= SKUA_BLOCK; skua_i += SKUA_BLOCK)                       \
			for (uint64_t skua_k = 0; skua_k < SKUA_BLOCK; skua_k++)                   \
				name##_skua_item(skua_here, (type)skua_argument, skua_i + skua_k); \
		for (; skua_i < skua_hi; skua_i++)                                                 \
			name##_skua_item(skua_here, (type)skua_argument, skua_i);                  \
		return 0;                                                                          \
	}                                                                                          \
	static inline void name##_skua_item(struct skua_slot *skua_here __attribute__((unused)),   \
					    type argument, uint64_t index)

/* The same for one that returns an error code: the first that is not 0 stops the loop. */
#define SKUA_LOOP_TRY(name, type, argument, index)                                              \
	static inline int name##_skua_item(struct skua_slot *skua_here, type argument,          \
					   uint64_t index);                                     \
	static int name(struct skua_slot *skua_here, uint64_t skua_lo, uint64_t skua_hi,        \
			void *skua_argument)                                                    \
	{                                                                                       \
		int skua_error = 0;                                                             \
		for (uint64_t skua_i = skua_lo; skua_i < skua_hi && !skua_error; skua_i++)      \
			skua_error = name##_skua_item(skua_here, (type)skua_argument, skua_i);  \
		return skua_error;                                                              \
	}                                                                                       \
	static inline int name##_skua_item(struct skua_slot *skua_here __attribute__((unused)), \
					   type argument, uint64_t index)

/**
 * Run a body over all indices from lo on, before hi, maybe many at the same time and in any order.
 * Nothing is done when hi is not above lo.
 *
 * Thread    any; a worker works along, another thread takes the place of a worker that sleeps
 * Memory    64 bytes of fork stack for each worker that helps; without any pool to be had it still
 *           runs, on the calling thread alone
 * Ordering  what the caller did is visible to the body, what the bodies did to the caller
 * Fails     SKUA_EINVAL: no body, wrong options; SKUA_ECLOSED; what the first body that failed
 *           returned; SKUA_ECANCELED, SKUA_ETIMEDOUT, as the options say.  Indices that were not
 *           begun by then are not done: options.reach tells how far it got.  SKUA_ECANCELED also:
 *           the pool was closed with SKUA_CLOSE_CANCEL while the call of a thread that is no worker
 *           of it was in a queue; nothing was done.
 * Cost      10 to 20 ns in a task, 50 to 120 ns from outside, and 20 ns for each chunk of some
 *           microseconds; a theft for each that helps
 * See       examples/20_loops.c, man skua_for
 */
#define skua_for(where, lo, hi, body, argument, options) \
	skua_loop_for(SKUA_WHERE(where), (lo), (hi), (body), (argument), (options))
SKUA_API int skua_loop_for(struct skua_pool *pool, uint64_t lo, uint64_t hi, skua_loop_body *body,
			   const void *argument, const struct skua_loop_options *options)
	SKUA_OPAQUE(5);

/* --- reductions --- */

/** Fold the indices from lo on, before hi, into *into.  0, or an error code: the loop stops. */
typedef int skua_fold_body(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *into,
			   void *argument);

/** What a partial result is, and how two of them that are neighbours become one. */
struct skua_fold {
	size_t bytes;				  /* of a result */
	skua_fold_body *body;			  /* folds indices into a result */
	void (*init)(void *into, void *argument); /* of nothing; NULL: zeroed is right */
	/* into, which came first, and next become into; associative */
	void (*merge)(void *into, void *next, void *argument);
};

/*
 *	SKUA_FOLD(dot, double, sum, const struct vectors *, v, i)
 *	{
 *		*sum += v->x[i] * v->y[i];
 *	}
 *	SKUA_FOLD_MERGE(dot, double, sum, next)
 *	{
 *		*sum += *next;
 *	}
 *	...
 *	double result;
 *	int error = skua_reduce(pool, 0, n, dot, &vectors, &result, NULL);
 *
 * SKUA_FOLD begins the body for one index, with a pointer to the partial result; SKUA_FOLD_MERGE
 * must follow it, and begins what makes one of two.  A result of nothing is zeroed memory; for
 * another, SKUA_FOLD_INIT(name, result, into) { ... } stands between the two, and SKUA_FOLD_MERGE
 * becomes SKUA_FOLD_MERGE_INIT.
 */
#define SKUA_FOLD(name, result, into, type, argument, index)                                     \
	SKUA_PLAIN(result)                                                                       \
	typedef result name##_skua_result;                                                       \
	static inline void name##_skua_item(struct skua_slot *skua_here, result *into,           \
					    type argument, uint64_t index);                      \
	static inline void name##_skua_range(struct skua_slot *skua_here, uint64_t skua_lo,      \
					     uint64_t skua_hi, result *skua_into,                \
					     void *skua_argument)                                \
	{                                                                                        \
		uint64_t skua_i = skua_lo;                                                       \
		for (; skua_hi - skua_i >= SKUA_BLOCK; skua_i += SKUA_BLOCK)                     \
			for (uint64_t skua_k = 0; skua_k < SKUA_BLOCK; skua_k++)                 \
				name##_skua_item(skua_here, skua_into, (type)skua_argument,      \
						 skua_i + skua_k);                               \
		for (; skua_i < skua_hi; skua_i++)                                               \
			name##_skua_item(skua_here, skua_into, (type)skua_argument, skua_i);     \
	}                                                                                        \
	static inline void name##_skua_near(struct skua_slot *skua_here, uint64_t skua_lo,       \
					    uint64_t skua_hi, result *skua_into,                 \
					    void *skua_argument)                                 \
	{                                                                                        \
		result skua_part = *skua_into; /* in registers, where it fits */                 \
		name##_skua_range(skua_here, skua_lo, skua_hi, &skua_part, skua_argument);       \
		*skua_into = skua_part;                                                          \
	}                                                                                        \
	static int name##_skua_body(struct skua_slot *skua_here, uint64_t skua_lo,               \
				    uint64_t skua_hi, void *skua_into, void *skua_argument)      \
	{                                                                                        \
		(sizeof(result) <= 64 ? name##_skua_near : name##_skua_range)(                   \
			skua_here, skua_lo, skua_hi, (result *)skua_into, skua_argument);        \
		return 0;                                                                        \
	}                                                                                        \
	static inline void name##_skua_item(struct skua_slot *skua_here __attribute__((unused)), \
					    result *into, type argument __attribute__((unused)), \
					    uint64_t index __attribute__((unused)))

#define SKUA_FOLD_INIT(name, result, into)                                 \
	enum {                                                             \
		name##_skua_has_init = 1                                   \
	}; /* SKUA_FOLD_MERGE_INIT must follow */                          \
	static inline void name##_skua_first(name##_skua_result *into);    \
	static void name##_skua_init(void *skua_into, void *skua_argument) \
	{                                                                  \
		(void)skua_argument;                                       \
		name##_skua_first((result *)skua_into);                    \
	}                                                                  \
	static inline void name##_skua_first(result *into)

#define SKUA_FOLD_MERGE(name, result, into, next)           \
	enum {                                              \
		name##_skua_has_init = 0                    \
	}; /* after SKUA_FOLD_INIT: SKUA_FOLD_MERGE_INIT */ \
	SKUA_FOLD_END(name, result, into, next, 0)
#define SKUA_FOLD_MERGE_INIT(name, result, into, next) \
	SKUA_FOLD_END(name, result, into, next, name##_skua_init)

/* A result that is not of the type that SKUA_FOLD named is a conflict of types here. */
#define SKUA_FOLD_END(name, result, into, next, begin)                                       \
	static inline void name##_skua_two(name##_skua_result *into,                         \
					   name##_skua_result const *next);                  \
	static void name##_skua_merge(void *skua_into, void *skua_next, void *skua_argument) \
	{                                                                                    \
		(void)skua_argument;                                                         \
		name##_skua_two((name##_skua_result *)skua_into,                             \
				(name##_skua_result const *)skua_next);                      \
	}                                                                                    \
	static const struct skua_fold name = { sizeof(result), name##_skua_body, begin,      \
					       name##_skua_merge };                          \
	static inline void name##_skua_two(result *into, result const *next)

/**
 * Fold all indices from lo on, before hi, into *result: skua_reduce(where, lo, hi, fold, argument,
 * &result, options).  Indices go in in order, and parts are merged with their neighbours in order:
 * merge must be associative, but need not be commutative.  A result that is smaller than the fold's
 * does not compile, where the compiler optimizes and sees both.
 *
 * Where the parts are depends on who is idle, so a sum of doubles may vary in its last bits; with
 * options.is_stable it depends on lo, hi and the grain only, and the result is the same to the bit
 * for any number of workers, without a pool too.
 *
 * Thread    any, as skua_for
 * Memory    as skua_for; for results of more than 64 bytes also one for each theft: a thief without
 *           memory gives its part back.  Partial results are aligned to 64 bytes.
 * Ordering  as skua_for; what a thread folded is visible to whoever merges it
 * Fails     as skua_for; *result is then a result of some of the indices
 * Cost      as skua_for, and a merge for each theft; stable: a merge for each part
 * See       examples/21_reduce.c, man skua_for
 */
#define skua_reduce(where, lo, hi, fold, argument, result, options)                     \
	(SKUA_FITS_ONE(result, (fold).bytes),                                           \
	 skua_loop_reduce(SKUA_WHERE(where), (lo), (hi), &(fold), (argument), (result), \
			  (options)))
SKUA_API int skua_loop_reduce(struct skua_pool *pool, uint64_t lo, uint64_t hi,
			      const struct skua_fold *fold, const void *argument, void *result,
			      const struct skua_loop_options *options) SKUA_OPAQUE(5);

SKUA_END_C

#endif
