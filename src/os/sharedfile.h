/* SPDX-License-Identifier: MIT */
/* sharedfile.h — a file that only this user's processes can read, in a folder of their own */
#ifndef SKUAI_OS_SHAREDFILE_H
#define SKUAI_OS_SHAREDFILE_H

#include <stddef.h>

#define SKUAI_SHARED_PATH_ROOM 512 /* longer XDG_RUNTIME_DIRs are passed over; arbitrary */

struct skuai_shared {
	int fd; /* -1: none */
	char path[SKUAI_SHARED_PATH_ROOM];
};

/*
 * Make the file `name` in $XDG_RUNTIME_DIR/skua, or where that cannot be had in /tmp/skua-UID.  The
 * folder is made if need be, mode 0700; one that is not ours, that others may enter, or that is a
 * symbolic link is refused.  The file is new, mode 0600; one of that name that was left behind is
 * removed first.  An errno, or 0; ->path tells which file it was about in any case.
 */
int skuai_shared_open(struct skuai_shared *shared, const char *name);

/* Write all of it from the start.  An errno, or 0. */
int skuai_shared_write(const struct skuai_shared *shared, const void *bytes, size_t count);

/* Remove the file, which readers that have it open keep; then let go of it. */
void skuai_shared_remove(const struct skuai_shared *shared);
void skuai_shared_close(struct skuai_shared *shared);

#endif
