/* SPDX-License-Identifier: MIT */
/* where.h — the first argument of an algorithm: skua_here, a pool, or NULL */
#ifndef SKUA_DETAIL_WHERE_H
#define SKUA_DETAIL_WHERE_H

#include <skua/detail/export.h>
#include <stddef.h>

struct skua_pool;
struct skua_slot;

/*
 * SKUA_WHERE(where) is a pool.  For skua_here it is NULL, which a worker takes as the pool it works
 * for: so code that has skua_here at hand may say so, and code that has not need not.
 */
#ifdef __cplusplus
static inline struct skua_pool *skua_where(struct skua_pool *pool)
{
	return pool;
}
static inline struct skua_pool *skua_where(struct skua_slot *)
{
	return nullptr;
}
template <typename Null> static inline struct skua_pool *skua_where(Null) /* nullptr, NULL */
{
	static_assert(sizeof(Null) == sizeof(void *), "skua_here, a pool, or NULL");
	return nullptr;
}
#define SKUA_WHERE(where) skua_where(where)
#else
#define SKUA_WHERE(where) \
	_Generic((where), struct skua_slot * : (struct skua_pool *)0, default : (where))
#endif

/* Elements and results are copied byte by byte. */
#ifdef __cplusplus
#define SKUA_PLAIN(type)                             \
	static_assert(__is_trivially_copyable(type), \
		      "skua copies bytes: " #type " must be trivially copyable");
#else
#define SKUA_PLAIN(type)
#endif

#endif
