/* SPDX-License-Identifier: MIT */
/* string.h — what public headers use of <string.h>, where there is no C library */
#ifndef SKUA_WASM_STRING_H
#define SKUA_WASM_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);

#endif
