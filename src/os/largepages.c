/* SPDX-License-Identifier: MIT */
/* largepages.c — memory that will be filled at once, in large pages where there are any */
#include "os/largepages.h"

#include "os/stackmem.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#define LARGE_LEAST \
	((size_t)4 << 20) /* bytes that are worth the call: two large pages are inside */

void skuai_large_pages(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
	if (bytes < LARGE_LEAST)
		return;
	size_t page = skuai_page_bytes();
	size_t before = (0 - (uintptr_t)memory) & (page - 1); /* it begins with a page */
	int saved = errno;
	madvise((char *)memory + before, (bytes - before) / page * page, MADV_HUGEPAGE);
	errno = saved;
#else
	(void)memory;
	(void)bytes;
#endif
}
