/* SPDX-License-Identifier: MIT */
/* membarrier.c — make every other running thread of this process pass a full fence */
#include "os/membarrier.h"

#include "base/errcode.h"
#include "base/fault.h"

#include <skua/error.h>

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's answer, or a negative errno; the caller's errno is left alone. */
static int membarrier_call(int command)
{
	int error = skuai_fault(SKUAI_FAULT_MEMBARRIER);

	if (error)
		return -error;
	int saved = errno;
	long answer = syscall(SYS_membarrier, command, 0, 0);
	int result = answer < 0 ? -errno : (int)answer;
	errno = saved;
	return result;
}

bool skuai_membarrier_offered(void)
{
	int commands = membarrier_call(MEMBARRIER_CMD_QUERY);

	return commands >= 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

int skuai_membarrier_ready(void)
{
	int result = membarrier_call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);

	if (result == -EINVAL) /* a kernel that knows membarrier but not this command */
		return SKUA_ENOTSUP;
	return skuai_error_from_errno(-result);
}

int skuai_membarrier(void)
{
	int result = membarrier_call(MEMBARRIER_CMD_PRIVATE_EXPEDITED);

	if (result == -EPERM) { /* not registered: a child of fork(), on some kernels */
		int error = skuai_membarrier_ready();
		if (error)
			return error;
		result = membarrier_call(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
	}
	return skuai_error_from_errno(-result);
}
