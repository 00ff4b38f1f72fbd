/* SPDX-License-Identifier: MIT */
/* version.h — the version of these headers and of the library that was linked */
#ifndef SKUA_VERSION_H
#define SKUA_VERSION_H

#include <skua/detail/export.h>

SKUA_BEGIN_C

/* The one place the version is written; the build reads it from here. */
#define SKUA_VERSION_MAJOR 0
#define SKUA_VERSION_MINOR 1
#define SKUA_VERSION_PATCH 0

/** One number that orders versions: 0.1.0 is 100, 1.2.3 is 10203. */
#define SKUA_VERSION (SKUA_VERSION_MAJOR * 10000 + SKUA_VERSION_MINOR * 100 + SKUA_VERSION_PATCH)

/**
 * The version of the linked library, as a number like SKUA_VERSION.
 *
 * Compare it with SKUA_VERSION to learn that headers and library differ.
 *
 * Thread    any
 * Memory    none
 * Ordering  none
 * Fails     never
 * Cost      a function call
 * See       examples/00_machine.c
 */
SKUA_API int skua_version(void);

/**
 * The version of the linked library as text: "0.1.0".
 *
 * Thread    any
 * Memory    static; do not free
 * Ordering  none
 * Fails     never
 * Cost      a function call
 * See       skua --version
 */
SKUA_API const char *skua_version_text(void);

SKUA_END_C

#endif
