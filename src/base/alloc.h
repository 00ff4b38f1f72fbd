/* SPDX-License-Identifier: MIT */
/* alloc.h — memory from the heap: checked sizes, alignment, a fault point */
#ifndef SKUAI_BASE_ALLOC_H
#define SKUAI_BASE_ALLOC_H

#include <stddef.h>

/* count * size zeroed bytes, or NULL: no room, or the product overflows.  errno stays. */
void *skuai_alloc(size_t count, size_t size);

/* The same, starting at a multiple of align (a power of two). */
void *skuai_alloc_aligned(size_t count, size_t size, size_t align);

/* Give back what either of the two gave; NULL is fine. */
void skuai_free(void *memory);

#endif
