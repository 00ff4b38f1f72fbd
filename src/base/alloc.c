/* SPDX-License-Identifier: MIT */
/* alloc.c — memory from the heap: checked sizes, alignment, a fault point */
#include "base/alloc.h"

#include "base/diag.h"
#include "base/fault.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *skuai_alloc(size_t count, size_t size)
{
	if (skuai_fault(SKUAI_FAULT_MALLOC))
		return NULL;
	int saved = errno;
	void *memory = calloc(count, size); /* it refuses a product that overflows itself */
	errno = saved;
	return memory;
}

void *skuai_alloc_aligned(size_t count, size_t size, size_t align)
{
	size_t bytes;

	skua_assert(align != 0 && (align & (align - 1)) == 0);
	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - align)
		return NULL;
	if (skuai_fault(SKUAI_FAULT_MALLOC))
		return NULL;
	bytes = (bytes + align - 1) & ~(align - 1); /* aligned_alloc asks for a multiple */
	int saved = errno;
	void *memory = aligned_alloc(align, bytes);
	errno = saved;
	return memory ? memset(memory, 0, bytes) : NULL;
}

void skuai_free(void *memory)
{
	free(memory);
}
