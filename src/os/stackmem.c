/* SPDX-License-Identifier: MIT */
/* stackmem.c — large reserved memory that fills as it is touched, with a guard page at each end */
#include "os/stackmem.h"

#include "base/diag.h"
#include "base/errcode.h"
#include "base/fault.h"

#include <skua/error.h>

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

size_t skuai_page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* The whole reservation: usable bytes and two guards. */
static int map_unusable(void **start, size_t bytes)
{
	int error = skuai_fault(SKUAI_FAULT_MMAP);

	if (error)
		return error;
	*start = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return *start == MAP_FAILED ? errno : 0;
}

static int make_usable(void *base, size_t bytes)
{
	int error = skuai_fault(SKUAI_FAULT_MPROTECT);

	if (error)
		return error;
	return mprotect(base, bytes, PROT_READ | PROT_WRITE) ? errno : 0;
}

int skuai_stackmem_map(struct skuai_stackmem *memory, size_t bytes)
{
	size_t page = skuai_page_bytes();

	if (bytes == 0 || bytes > SIZE_MAX / 2 - 3 * page)
		return SKUA_EINVAL;
	bytes = (bytes + page - 1) / page * page;

	int saved = errno;
	void *start;
	int error = map_unusable(&start, bytes + 2 * page);
	if (!error) {
		error = make_usable((char *)start + page, bytes);
		if (error)
			munmap(start, bytes + 2 * page);
		else
			*memory = (struct skuai_stackmem){ (char *)start + page, bytes };
	}
	errno = saved;
	return skuai_error_from_errno(error);
}

void skuai_stackmem_unmap(struct skuai_stackmem *memory)
{
	if (!memory->base)
		return;
	size_t page = skuai_page_bytes();
	int saved = errno;
	int failed = munmap((char *)memory->base - page, memory->bytes + 2 * page);
	errno = saved;
	skua_verify(!failed); /* only a wrong address or size can fail */
	memory->base = NULL;
	memory->bytes = 0;
}
