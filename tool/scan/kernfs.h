/* SPDX-License-Identifier: MIT */
/* kernfs.h — file systems that the kernel makes up, and those across a network */
#ifndef SKUAT_SCAN_KERNFS_H
#define SKUAT_SCAN_KERNFS_H

#include <stdbool.h>

/* proc, sysfs and their like: what is in them takes no space, and some of it has no end. */
bool kernfs_is(int fd);

/* Every look is a message to somewhere else: more workers than CPUs are worth it. */
bool kernfs_is_remote(int fd);

/* Does sorting names by inode before looking at the files help?  du's rule. */
bool kernfs_is_sorted_by_du(int fd);

#endif
