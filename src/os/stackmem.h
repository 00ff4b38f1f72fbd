/* SPDX-License-Identifier: MIT */
/* stackmem.h — large reserved memory that fills as it is touched, with a guard page at each end */
#ifndef SKUAI_OS_STACKMEM_H
#define SKUAI_OS_STACKMEM_H

#include <stddef.h>

/*
 *	| guard page | usable bytes ... | guard page |
 *	             ^ base
 *
 * Reserving costs address space only; a page costs memory once it is written.  Running off either
 * end is a fault at the guilty instruction instead of silent damage.
 */
struct skuai_stackmem {
	void *base;   /* first usable byte, page aligned, zeroed; NULL when nothing is mapped */
	size_t bytes; /* usable, a multiple of the page size */
};

/*
 * Map at least `bytes`.  SKUA_EINVAL for 0 or a size that overflows; SKUA_ENOMEM.  *memory is then
 * untouched.
 */
int skuai_stackmem_map(struct skuai_stackmem *memory, size_t bytes);

/* Give it back; fine when nothing is mapped.  Leaves base NULL. */
void skuai_stackmem_unmap(struct skuai_stackmem *memory);

/* Bytes in a page. */
size_t skuai_page_bytes(void);

#endif
