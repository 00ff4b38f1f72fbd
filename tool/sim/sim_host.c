/* SPDX-License-Identifier: MIT */
/* sim_host.c — memory for the simulator where there is a libc */
#include "sim/sim_host.h"

#include <stdlib.h>
#include <sys/mman.h>

#define LARGE ((size_t)1 << 21) /* a huge page */

/* Thieves look at workers all over the place: on small pages each look would miss the TLB. */
static void *host_get(void *user, size_t bytes)
{
	(void)user;
	if (bytes < 2 * LARGE)
		return malloc(bytes);
	size_t whole = (bytes + LARGE - 1) / LARGE * LARGE;
	void *block = whole < bytes ? NULL : aligned_alloc(LARGE, whole);
#ifdef MADV_HUGEPAGE
	if (block)
		(void)madvise(block, whole, MADV_HUGEPAGE); /* a wish; without, it is slower */
#endif
	return block;
}

static void host_put(void *user, void *block, size_t bytes)
{
	(void)user, (void)bytes;
	free(block);
}

const struct sim_memory sim_host_memory = { host_get, host_put, NULL };
