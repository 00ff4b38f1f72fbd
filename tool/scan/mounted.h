/* SPDX-License-Identifier: MIT */
/* mounted.h — the mount that a directory is on: of which kind, of what, and all of it? */
#ifndef SKUAT_SCAN_MOUNTED_H
#define SKUAT_SCAN_MOUNTED_H

#include <stdbool.h>
#include <stdint.h>

struct mounted {
	bool is_whole;	  /* from its root on, not a directory of it that was mounted elsewhere */
	char type[32];	  /* "ext4" */
	char source[256]; /* "/dev/sda1", or whatever was said to mount(8) */
};

/* Of an open file; false: the system does not tell. */
bool mounted_read(int fd, struct mounted *mounted);

/* A line of /proc/self/mountinfo, if it is that of this mount. */
bool mounted_parse(const char *line, uint64_t id, struct mounted *mounted);

/*
 * Inodes in use on the file system whose root the open directory is; 0: it is no such root, or what
 * the system would say is not about what is seen there.
 */
uint64_t mounted_inodes(int fd);

#endif
