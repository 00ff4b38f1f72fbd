/* SPDX-License-Identifier: MIT */
/* reducer.h — reducers: each task adds to a view of its own, at the end they are one result */
#ifndef SKUA_REDUCER_H
#define SKUA_REDUCER_H

#include <skua/detail/export.h>
#include <skua/error.h>
#include <skua/local.h>

/*
 *	struct skua_sum_int64 sum;
 *	int error = skua_sum_int64_open(&sum, pool);
 *	...
 *	skua_sum_int64_add(&sum, 42);                    one value, in any task, on any thread
 *	...
 *	int64_t *view = skua_sum_int64_lease(&sum);       many: this view is mine alone
 *	for (...)
 *		*view += ...;
 *	skua_sum_int64_return(&sum, view);
 *	...
 *	int64_t total;
 *	error = skua_sum_int64_total(&sum, &total);      when all tasks are done
 *	skua_sum_int64_close(&sum);
 *
 * Below: a sum, minimum or maximum of int64_t or double; any type of the caller's (SKUA_REDUCER);
 * the same without macros (struct skua_reducer); lists and histograms.  Views are leases (local.h):
 * a task may hold one across forks and waits, and no other task sees it.
 *
 * Which view a value goes to, and in which order views are merged, varies from run to run: merging
 * must be associative and commutative.  Adding doubles is neither to the last bit, so a sum of
 * doubles may differ in its last bits from run to run.
 */

SKUA_BEGIN_C

/* --- any reducer, without macros --- */

struct skua_reducer_options {
	size_t size;		/* sizeof(struct skua_reducer_options) */
	struct skua_pool *pool; /* whose workers; NULL: the default pool */
	size_t bytes, align;	/* of a view, as in struct skua_local_options */
	/* Make a view, or a total, that has nothing in it: the identity of merge.  0, or anything
	 * else: it cannot be had.  NULL: zeroed is right. */
	int (*init)(void *context, void *view);
	void (*merge)(void *context, void *into, const void *view);
	void (*fini)(void *context, void *view); /* of a view, not of a total; may be NULL */
	void *context;
};

/** The library's.  Zeroed, it is closed.  Must not move while open. */
struct skua_reducer {
	struct skua_local local;
	size_t bytes;
	int (*init)(void *context, void *view);
	void (*merge)(void *context, void *into, const void *view);
	void *context;
};

/**
 * Make a reducer ready; it has no views yet.
 *
 * Thread    any
 * Memory    as skua_local_open
 * Ordering  hand it to other threads as you would any memory
 * Fails     SKUA_EINVAL: no merge, else as skua_local_open.  *reducer is then untouched.
 * Cost      an allocation
 * See       examples/09_reducers.c, man skua_reducer
 */
SKUA_API int skua_reducer_open(struct skua_reducer *reducer,
			       const struct skua_reducer_options *options);

/**
 * Lease a view: the caller's alone, until it is returned.  It holds what was added to it before.
 *
 * Thread    any
 * Memory    none when a view is free here, else a new one
 * Ordering  as skua_local_lease
 * Fails     NULL: no memory for a new view, or init refused it, or not open
 * Cost      as skua_local_lease
 * See       examples/09_reducers.c, man skua_reducer
 */
SKUA_API void *skua_reducer_lease(struct skua_reducer *reducer);

/**
 * Return a view; also by another thread than the one that leased it.
 *
 * Thread    any
 * Memory    none
 * Ordering  as skua_local_return
 * Fails     as skua_local_return
 * Cost      as skua_local_return
 * See       examples/09_reducers.c, man skua_reducer
 */
SKUA_API int skua_reducer_return(struct skua_reducer *reducer, void *view);

/**
 * Merge all views into *total, which is made by init first.  The views stay as they are.
 *
 * Thread    any; nobody may lease meanwhile
 * Memory    none of the library's
 * Ordering  everything that was returned is in it
 * Fails     SKUA_EINVAL: NULL, or not open; SKUA_EBUSY: a view is out; *total is then untouched.
 *           SKUA_ENOMEM: init refused the total.
 * Cost      a few loads a worker, and a merge a view
 * See       examples/09_reducers.c, man skua_reducer
 */
SKUA_API int skua_reducer_total(struct skua_reducer *reducer, void *total);

/**
 * Forget everything: the next total is of what is added from now on.
 *
 * Thread    any; nobody may lease meanwhile
 * Memory    all views freed
 * Ordering  as skua_local_clear
 * Fails     as skua_local_clear
 * Cost      as skua_local_clear
 * See       man skua_reducer
 */
SKUA_API int skua_reducer_reset(struct skua_reducer *reducer);

/**
 * Give all memory back.  One that is closed already stays so.
 *
 * Thread    the last one using it
 * Memory    all freed
 * Ordering  as skua_local_close
 * Fails     as skua_local_close
 * Cost      as skua_local_close
 * See       examples/09_reducers.c, man skua_reducer
 */
SKUA_API int skua_reducer_close(struct skua_reducer *reducer);

/* --- typed --- */

/*
 * SKUA_REDUCER(name, type, identity, merge); defines struct name and, with types checked,
 *
 *	int   name_open(struct name *, struct skua_pool *)    0 or an error; NULL: the default pool
 *	int   name_add(struct name *, type value)             SKUA_ENOMEM: it was not added
 *	type *name_lease(struct name *)                       NULL: no memory
 *	int   name_return(struct name *, type *view)
 *	int   name_total(struct name *, type *total)
 *	int   name_reset(struct name *)
 *	int   name_close(struct name *)
 *
 * each as the skua_reducer_ function of that name.  `merge(a, b)` gives what is in both together;
 * `identity` is an expression that adds nothing to anything.
 */
#define SKUA_REDUCER(name, type, identity, merge_two)                                             \
	struct name {                                                                             \
		struct skua_reducer reducer;                                                      \
	};                                                                                        \
	SKUA_REDUCER_FN int name##_skua_init(void *context, void *view)                           \
	{                                                                                         \
		(void)context;                                                                    \
		*(type *)view = (identity);                                                       \
		return SKUA_OK;                                                                   \
	}                                                                                         \
	SKUA_REDUCER_FN void name##_skua_merge(void *context, void *into, const void *view)       \
	{                                                                                         \
		(void)context;                                                                    \
		*(type *)into = merge_two(*(type *)into, *(const type *)view);                    \
	}                                                                                         \
	SKUA_REDUCER_FN int name##_open(struct name *r, struct skua_pool *pool)                   \
	{                                                                                         \
		struct skua_reducer_options options = { sizeof(options),                          \
							pool,                                     \
							sizeof(type),                             \
							__alignof__(type),                        \
							name##_skua_init,                         \
							name##_skua_merge,                        \
							NULL,                                     \
							NULL };                                   \
		return skua_reducer_open(r ? &r->reducer : NULL, &options);                       \
	}                                                                                         \
	SKUA_REDUCER_FN type *name##_lease(struct name *r)                                        \
	{                                                                                         \
		return (type *)skua_reducer_lease(&r->reducer);                                   \
	}                                                                                         \
	SKUA_REDUCER_FN int name##_return(struct name *r, type *view)                             \
	{                                                                                         \
		return skua_reducer_return(&r->reducer, view);                                    \
	}                                                                                         \
	SKUA_REDUCER_FN int name##_add(struct name *r, type value)                                \
	{                                                                                         \
		type *view = name##_lease(r);                                                     \
		if (!view)                                                                        \
			return skua_local_is_open(&r->reducer.local) ? SKUA_ENOMEM : SKUA_EINVAL; \
		*view = merge_two(*view, value);                                                  \
		return name##_return(r, view);                                                    \
	}                                                                                         \
	SKUA_REDUCER_FN int name##_total(struct name *r, type *total)                             \
	{                                                                                         \
		return skua_reducer_total(&r->reducer, total);                                    \
	}                                                                                         \
	SKUA_REDUCER_FN int name##_reset(struct name *r)                                          \
	{                                                                                         \
		return skua_reducer_reset(&r->reducer);                                           \
	}                                                                                         \
	SKUA_REDUCER_FN int name##_close(struct name *r)                                          \
	{                                                                                         \
		return skua_reducer_close(&r->reducer);                                           \
	}                                                                                         \
	struct name
#define SKUA_REDUCER_FN static inline __attribute__((unused))

/*
 * A sum that wraps round, as unsigned numbers do: whatever the order, the total is right when it
 * fits, even if parts of it did not.
 */
static inline int64_t skua_two_sum_int64(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}
static inline int64_t skua_two_min_int64(int64_t a, int64_t b)
{
	return b < a ? b : a;
}
static inline int64_t skua_two_max_int64(int64_t a, int64_t b)
{
	return b > a ? b : a;
}
static inline double skua_two_sum_double(double a, double b)
{
	return a + b;
}
/* What is not a number counts as nothing here; whether 0 or -0 is less is left open. */
static inline double skua_two_min_double(double a, double b)
{
	return b < a ? b : a;
}
static inline double skua_two_max_double(double a, double b)
{
	return b > a ? b : a;
}

SKUA_REDUCER(skua_sum_int64, int64_t, 0, skua_two_sum_int64);
SKUA_REDUCER(skua_min_int64, int64_t, INT64_MAX, skua_two_min_int64);
SKUA_REDUCER(skua_max_int64, int64_t, INT64_MIN, skua_two_max_int64);
SKUA_REDUCER(skua_sum_double, double, 0.0, skua_two_sum_double);
SKUA_REDUCER(skua_min_double, double, __builtin_inf(), skua_two_min_double);
SKUA_REDUCER(skua_max_double, double, -__builtin_inf(), skua_two_max_double);

/* --- lists --- */

/*
 * Items of one size, copied in by any task; at the end they are copied out or visited.  Items that
 * went through one view come in the order they were added; the views follow each other in no
 * particular order.
 */
struct skua_list {
	struct skua_local local; /* all of it the library's; must not move while open */
	size_t item_bytes;
};

/** What one task adds to. */
struct skua_list_view;

/**
 * Make a list of items of so many bytes.
 *
 * Thread    any
 * Memory    as skua_local_open
 * Ordering  hand it to other threads as you would any memory
 * Fails     SKUA_EINVAL: NULL, item_bytes 0 or above PTRDIFF_MAX / 2; else as skua_local_open.
 *           *list is then untouched.
 * Cost      an allocation
 * See       examples/09_reducers.c, man skua_reducer
 */
SKUA_API int skua_list_open(struct skua_list *list, struct skua_pool *pool, size_t item_bytes);

/**
 * Add a copy of one item.
 *
 * Thread    any
 * Memory    blocks of 512 bytes that double up to 64 KiB, in each view
 * Ordering  as skua_local_return
 * Fails     SKUA_EINVAL: NULL, or not open; SKUA_ENOMEM: it was not added
 * Cost      a lease, a copy, now and then a malloc
 * See       examples/09_reducers.c, man skua_reducer
 */
SKUA_API int skua_list_add(struct skua_list *list, const void *item);

/**
 * Lease a view of the list, to add many items with skua_list_view_add.
 *
 * Thread    any
 * Memory    as skua_local_lease
 * Ordering  as skua_local_lease
 * Fails     as skua_local_lease
 * Cost      as skua_local_lease
 * See       man skua_reducer
 */
SKUA_API struct skua_list_view *skua_list_lease(struct skua_list *list);

/**
 * Add a copy of one item to a leased view.
 *
 * Thread    who has the lease
 * Memory    as skua_list_add
 * Ordering  none
 * Fails     SKUA_EINVAL: NULL; SKUA_ENOMEM: it was not added
 * Cost      a copy, now and then a malloc
 * See       man skua_reducer
 */
SKUA_API int skua_list_view_add(struct skua_list_view *view, const void *item);

/**
 * Return a view.
 *
 * Thread    any
 * Memory    none
 * Ordering  as skua_local_return
 * Fails     as skua_local_return
 * Cost      as skua_local_return
 * See       man skua_reducer
 */
SKUA_API int skua_list_return(struct skua_list *list, struct skua_list_view *view);

/**
 * How many items there are.
 *
 * Thread    any; nobody may add meanwhile
 * Memory    none
 * Ordering  as skua_local_each
 * Fails     SKUA_EINVAL: NULL, or not open; SKUA_EBUSY: a view is out; *count is then untouched
 * Cost      a few loads a worker and a view
 * See       examples/09_reducers.c, man skua_reducer
 */
SKUA_API int skua_list_count(struct skua_list *list, size_t *count);

/**
 * Copy all items to an array with room for so many.
 *
 * Thread    any; nobody may add meanwhile
 * Memory    none
 * Ordering  as skua_local_each
 * Fails     SKUA_EINVAL: NULL, or not open; SKUA_EBUSY: a view is out; SKUA_EFULL: there are more
 *           than that.  Nothing was copied.
 * Cost      a memcpy a block
 * See       examples/09_reducers.c, man skua_reducer
 */
SKUA_API int skua_list_copy(struct skua_list *list, void *items, size_t room);

/**
 * Call visit(context, item) for each item; it may change the item.
 *
 * Thread    any; nobody may add meanwhile
 * Memory    none
 * Ordering  as skua_local_each
 * Fails     as skua_local_each
 * Cost      the calls
 * See       man skua_reducer
 */
SKUA_API int skua_list_each(struct skua_list *list, void (*visit)(void *context, void *item),
			    void *context);

/**
 * Forget all items.
 *
 * Thread    any; nobody may add meanwhile
 * Memory    all items freed
 * Ordering  as skua_local_clear
 * Fails     as skua_local_clear
 * Cost      as skua_local_clear, and a free a block
 * See       man skua_reducer
 */
SKUA_API int skua_list_reset(struct skua_list *list);

/**
 * Give all memory back.  One that is closed already stays so.
 *
 * Thread    the last one using it
 * Memory    all freed
 * Ordering  as skua_local_close
 * Fails     as skua_local_close
 * Cost      as skua_list_reset
 * See       examples/09_reducers.c, man skua_reducer
 */
SKUA_API int skua_list_close(struct skua_list *list);

/* --- histograms --- */

/** So many buckets of uint64_t.  Counts wrap round at 2^64. */
struct skua_histogram {
	struct skua_reducer reducer; /* all of it the library's; must not move while open */
	size_t buckets;
};

/**
 * Make a histogram of zeros.
 *
 * Thread    any
 * Memory    as skua_local_open; 8 bytes a bucket in each view
 * Ordering  hand it to other threads as you would any memory
 * Fails     SKUA_EINVAL: NULL, buckets 0 or above PTRDIFF_MAX / 8; else as skua_local_open.
 *           *histogram is then untouched.
 * Cost      an allocation
 * See       examples/09_reducers.c, man skua_reducer
 */
SKUA_API int skua_histogram_open(struct skua_histogram *histogram, struct skua_pool *pool,
				 size_t buckets);

/**
 * Add to one bucket.
 *
 * Thread    any
 * Memory    as skua_local_lease
 * Ordering  as skua_local_return
 * Fails     SKUA_EINVAL: NULL, not open, or no such bucket; SKUA_ENOMEM: it was not added
 * Cost      a lease and an addition
 * See       examples/09_reducers.c, man skua_reducer
 */
SKUA_API int skua_histogram_add(struct skua_histogram *histogram, size_t bucket, uint64_t count);

/**
 * Lease a view: the buckets, to add to directly.
 *
 * Thread    any
 * Memory    as skua_local_lease
 * Ordering  as skua_local_lease
 * Fails     as skua_local_lease
 * Cost      as skua_local_lease
 * See       examples/09_reducers.c, man skua_reducer
 */
SKUA_API uint64_t *skua_histogram_lease(struct skua_histogram *histogram);

/**
 * Return a view.
 *
 * Thread    any
 * Memory    none
 * Ordering  as skua_local_return
 * Fails     as skua_local_return
 * Cost      as skua_local_return
 * See       examples/09_reducers.c, man skua_reducer
 */
SKUA_API int skua_histogram_return(struct skua_histogram *histogram, uint64_t *view);

/**
 * The sums of all views, for all buckets.
 *
 * Thread    any; nobody may add meanwhile
 * Memory    none
 * Ordering  everything that was returned is in it
 * Fails     SKUA_EINVAL: NULL, not open, or another number of buckets; SKUA_EBUSY: a view is out.
 *           *totals is then untouched.
 * Cost      buckets additions a view
 * See       examples/09_reducers.c, man skua_reducer
 */
SKUA_API int skua_histogram_total(struct skua_histogram *histogram, uint64_t *totals,
				  size_t buckets);

/**
 * All zeros again.
 *
 * Thread    any; nobody may add meanwhile
 * Memory    all views freed
 * Ordering  as skua_local_clear
 * Fails     as skua_local_clear
 * Cost      as skua_local_clear
 * See       man skua_reducer
 */
SKUA_API int skua_histogram_reset(struct skua_histogram *histogram);

/**
 * Give all memory back.  One that is closed already stays so.
 *
 * Thread    the last one using it
 * Memory    all freed
 * Ordering  as skua_local_close
 * Fails     as skua_local_close
 * Cost      as skua_local_close
 * See       examples/09_reducers.c, man skua_reducer
 */
SKUA_API int skua_histogram_close(struct skua_histogram *histogram);

SKUA_END_C

#endif
