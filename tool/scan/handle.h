/* SPDX-License-Identifier: MIT */
/* handle.h — open directories: relative to their parents, never too many, never through a link */
#ifndef SKUAT_SCAN_HANDLE_H
#define SKUAT_SCAN_HANDLE_H

#include "scan/walk.h"

/*
 * A directory that others still need open: children that are not opened yet, and blocks of names
 * that are not looked at.  The last of them closes it.  When descriptors get scarce it is closed
 * early, fd is -1, and children are opened from the operand down.
 */
struct scan_handle {
	struct scan *scan;
	_Atomic uint32_t users;
	int fd;
};

/* Raise the limit of open files as far as it goes, and see how many workers it is good for. */
unsigned handle_limit(struct scan *scan, unsigned workers);

/* Open a directory for reading; -1 with errno. */
int handle_open_dir(struct scan *scan, const struct scan_dir *dir);

/* Look at a directory that cannot be opened. */
int handle_stat_dir(struct scan *scan, const struct scan_dir *dir, struct stat *stat);

/* To look at what a name leads to failed: errno is 0 where it is a link that leads nowhere; -1. */
int handle_refuse_link(int at, const char *name);

/*
 * Open a directory once more, after the walk: from the operand down, a name at a time, so however
 * long its path is, and through no link that somebody put there meanwhile.  -1 with errno.
 */
int handle_reach(const struct scan *scan, const struct scan_dir *dir);

struct scan_handle *handle_make(struct scan *scan, int fd, uint32_t users);

/* So many users less; the last closes and frees it.  dir->handle is then gone. */
void handle_release(struct scan_handle *handle);

#endif
