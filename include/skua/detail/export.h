/* SPDX-License-Identifier: MIT */
/* export.h — marks what the shared library exports, and C linkage for C++ */
#ifndef SKUA_DETAIL_EXPORT_H
#define SKUA_DETAIL_EXPORT_H

/* The library is built with hidden visibility; only what carries SKUA_API leaves it. */
#if defined(__GNUC__)
#define SKUA_API __attribute__((visibility("default")))
#else
#define SKUA_API
#endif

/*
 * What argument n points to is handed on, or known by its address; or so many bytes of it are
 * copied.  Without that gcc takes a pointer to const for one that is read, and warns of an array
 * that a loop is about to fill.  It is told for warnings alone: no compiler may conclude from it
 * that stores before the call are not needed; tests/build/opaque.sh sees to that.
 */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#define SKUA_OPAQUE(n)	      __attribute__((access(none, n)))
#define SKUA_COPIED(n, bytes) __attribute__((access(read_only, n, bytes)))
#else
#define SKUA_OPAQUE(n)
#define SKUA_COPIED(n, bytes)
#endif

#ifdef __cplusplus
#define SKUA_BEGIN_C extern "C" {
#define SKUA_END_C   }
#else
#define SKUA_BEGIN_C
#define SKUA_END_C
#endif

#endif
