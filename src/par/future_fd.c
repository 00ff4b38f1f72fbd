/* SPDX-License-Identifier: MIT */
/* future_fd.c — a future as a file descriptor, for poll(2) and event loops */
#include "base/alloc.h"
#include "os/eventfd.h"
#include "sched/settle.h"

#include <skua/error.h>

struct fd_listener {
	struct skuai_listener listener;
	int teller;
};

static void tell_fd(struct skuai_listener *listener, int error)
{
	struct fd_listener *mine = (struct fd_listener *)(void *)listener;

	(void)error;
	skuai_eventfd_tell(mine->teller);
	skuai_free(mine);
}

int skua_future_fd(struct skua_future *future, int *fd)
{
	if (!future || !fd)
		return SKUA_EINVAL;
	struct fd_listener *listener = skuai_alloc(1, sizeof(*listener));
	if (!listener)
		return SKUA_ENOMEM;
	int error = skuai_eventfd_open(fd, &listener->teller);
	if (error) {
		skuai_free(listener);
		return error;
	}
	listener->listener.tell = tell_fd;
	if (!skuai_future_listen(future, &listener->listener))
		tell_fd(&listener->listener, SKUA_OK);
	return SKUA_OK;
}
