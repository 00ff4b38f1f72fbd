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

/*
 * Are elements of the size that is worked with?  A compiler that optimizes sees both, and refuses
 * what does not fit; without, it passes.  Pointers to void, or to bytes, are to any memory.
 */
#ifdef __cplusplus
template <typename Element> char (&skua_element_of(Element *))[sizeof(Element)];
char (&skua_element_of(...))[1];
#define SKUA_ELEMENT(pointer) sizeof(skua_element_of(pointer))
#else
#define SKUA_ELEMENT(pointer) sizeof(*SKUA_OR_BYTES(pointer)) /* an int is a 0 */
#define SKUA_OR_BYTES(p) \
	_Generic((p), void * : (char *)0, const void * : (char *)0, int : (char *)0, default : (p))
#endif

#if defined(__OPTIMIZE__) && defined(__has_attribute)
#if __has_attribute(__error__)
#define SKUA_CAN_REFUSE
#endif
#endif
#ifdef SKUA_CAN_REFUSE
SKUA_BEGIN_C
__attribute__((__error__("skua: the elements are not of the type that it was defined for"))) void
skua_wrong_size(void);
SKUA_END_C
/* An error if is_wrong is true, and certain to be a constant where `known` is one. */
#define SKUA_REFUSE(known, is_wrong) \
	(__builtin_constant_p(known) && (is_wrong) ? skua_wrong_size() : (void)0)
#else
#define SKUA_REFUSE(known, is_wrong) ((void)0)
#endif

/* An array for what a typed macro defined; `leaf` is a function that only the macro fills in. */
#define SKUA_FITS_TYPE(pointer, bytes, leaf) \
	SKUA_REFUSE((leaf) && SKUA_DIFFERS(pointer, bytes), (leaf) && SKUA_DIFFERS(pointer, bytes))
#define SKUA_DIFFERS(pointer, bytes) \
	((bytes) != 0 && SKUA_ELEMENT(pointer) != 1 && SKUA_ELEMENT(pointer) != (bytes))
/* One whose size is given: three floats may be an element, half a double is none. */
#define SKUA_FITS_BYTES(pointer, bytes) SKUA_REFUSE(bytes, (bytes) % SKUA_ELEMENT(pointer) != 0)
/* One element, which has to have room. */
#define SKUA_FITS_ONE(pointer, bytes)     \
	(SKUA_FITS_BYTES(pointer, bytes), \
	 SKUA_REFUSE(bytes, __builtin_object_size((pointer), 0) < (bytes)))

#endif
