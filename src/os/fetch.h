/* SPDX-License-Identifier: MIT */
/* fetch.h — lines that are about to be read or written, asked for ahead and together */
#ifndef SKUAI_OS_FETCH_H
#define SKUAI_OS_FETCH_H

/*
 * Stores leave a core one after the other, so lines that others have come one after the other too;
 * asked for ahead, they come together.  The compiler's own prefetch would ask for a copy only: on
 * x86-64 it does not dare to use the instruction, which processors without it take for none.
 */
static inline void skuai_fetch(const void *place)
{
	__builtin_prefetch(place);
}

static inline void skuai_fetch_to_write(const void *place)
{
#if defined(__x86_64__)
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)place));
#else
	__builtin_prefetch(place, 1);
#endif
}

#endif
