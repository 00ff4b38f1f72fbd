/* SPDX-License-Identifier: MIT */
/* whole_file.h — a file that appears under its name when it is whole, or not at all */
#ifndef SKUAT_WHOLE_FILE_H
#define SKUAT_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct whole_file {
	FILE *to;
	char *target;	 /* what the path leads to */
	char *temporary; /* beside it; NULL: it is written to as it is */
};

/*
 * A link is followed, and stays.  A device or pipe is written to as it is: to replace it would be a
 * surprise.  A file that is replaced passes on its mode.  0, or an errno: nothing is open then.
 */
int whole_file_open(struct whole_file *file, const char *path);

/*
 * Would a file written to `path` replace what was read from `source`?  "-" is standard output, and
 * standard input; links of both kinds are followed.  Devices and pipes are nobody's.
 */
bool whole_file_is_same(const char *path, const char *source);

/* Is `path` a link to nothing?  Where it is not, ENOENT means that a folder is missing. */
bool whole_file_is_lost_link(const char *path);

/*
 * Let it appear, unless `error`, an errno, says that it is not whole, or a write to it has failed:
 * then what was there before stays, and nothing is left beside it.  0, or the errno.
 */
int whole_file_close(struct whole_file *file, int error);

#endif
