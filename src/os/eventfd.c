/* SPDX-License-Identifier: MIT */
/* eventfd.c — a file descriptor that becomes readable when somebody says so */
#include "os/eventfd.h"

#include "base/errcode.h"
#include "base/fault.h"

#include <skua/error.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A second descriptor of the same event, or -1. */
static int open_both(int *fd)
{
	int error = skuai_fault(SKUAI_FAULT_OPEN);

	if (error) {
		errno = error;
		return -1;
	}
	*fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (*fd < 0)
		return -1;
	int copy = fcntl(*fd, F_DUPFD_CLOEXEC, 0);
	error = errno;
	if (copy < 0)
		close(*fd);
	errno = error;
	return copy;
}

int skuai_eventfd_open(int *fd, int *teller)
{
	int saved = errno, made = -1;
	int copy = open_both(&made);
	int error = copy < 0 ? skuai_error_from_errno(errno) : SKUA_OK;

	errno = saved;
	if (error)
		return error;
	*fd = made;
	*teller = copy;
	return SKUA_OK;
}

void skuai_eventfd_tell(int teller)
{
	uint64_t one = 1;
	int saved = errno;

	/* Cannot be full: it is told once.  A signal does not interrupt what does not wait. */
	ssize_t written = write(teller, &one, sizeof(one));
	(void)written;
	close(teller);
	errno = saved;
}
