/* SPDX-License-Identifier: MIT */
/* spinning.h — does a disk turn?  Then many readers at a time only make its head run about */
#ifndef SKUAT_SCAN_SPINNING_H
#define SKUAT_SCAN_SPINNING_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * What the kernel says of the disk that a block device is, or is a part of.  Disks of virtual
 * machines are not believed: most say that they turn, whatever is below them.  `root` is put before
 * /sys and /proc, "" for this machine.
 */
bool spinning_is(const char *root, dev_t device);

/* The same for what an open file is on; false too where its file system has no one device. */
bool spinning_is_below(int fd);

#endif
