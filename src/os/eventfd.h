/* SPDX-License-Identifier: MIT */
/* eventfd.h — a file descriptor that becomes readable when somebody says so */
#ifndef SKUAI_OS_EVENTFD_H
#define SKUAI_OS_EVENTFD_H

/* Two descriptors of one event: *fd to wait at, *teller to tell through.  Closed on exec. */
int skuai_eventfd_open(int *fd, int *teller);

/* *fd is readable from now on; the teller is closed. */
void skuai_eventfd_tell(int teller);

#endif
