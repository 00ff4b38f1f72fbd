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

#ifdef __cplusplus
#define SKUA_BEGIN_C extern "C" {
#define SKUA_END_C   }
#else
#define SKUA_BEGIN_C
#define SKUA_END_C
#endif

#endif
