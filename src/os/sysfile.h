/* SPDX-License-Identifier: MIT */
/* sysfile.h — read small files of /proc and /sys, or of a copy of them, without trusting them */
#ifndef SKUAI_OS_SYSFILE_H
#define SKUAI_OS_SYSFILE_H

#include "os/systext.h"

/*
 * A path is given as on the machine described ("/proc/self/status") and read below a root folder
 * (NULL: the real one).  A root is a convenience for tests and copies, not a jail: symbolic links
 * in it are followed wherever they lead.
 *
 * Whatever stands at the path, a read ends: it never waits (a pipe, a terminal), never reads what
 * is not a regular file, and stops at the end of the buffer.
 */
enum skuai_file {
	SKUAI_FILE_READ,    /* all of it is in the buffer */
	SKUAI_FILE_CUT,	    /* it is longer: the buffer holds its beginning */
	SKUAI_FILE_MISSING, /* there is no such file; often quite normal */
	SKUAI_FILE_REFUSED, /* it is there, or may be, but cannot be read */
};

/* A page: more than any single value takes.  Lists of CPUs may be longer: see topo/sysfs.c. */
#define SKUAI_FILE_SMALL 4096

/* For /proc/self/mountinfo and status, whose length grows with the machine; arbitrary. */
#define SKUAI_FILE_LARGE ((size_t)1 << 20)

/* The longest path, root included, with its NUL; a longer one is SKUAI_FILE_REFUSED. */
#define SKUAI_PATH_ROOM 4096

/* Read root/path into buffer; *text is the part of the buffer that was filled. */
enum skuai_file skuai_file_read(const char *root, const char *path, char *buffer, size_t room,
				struct skuai_text *text);

/* Is this a folder? */
bool skuai_file_is_folder(const char *path);

#endif
