/* SPDX-License-Identifier: MIT */
/* filter.h — what a scan leaves out: by name before it is entered, by size, age and type after */
#ifndef SKUAT_SCAN_FILTER_H
#define SKUAT_SCAN_FILTER_H

#include "scan/tree.h"

#include <sys/stat.h>

struct filter {
	const char *const *excludes; /* patterns of paths or their ends, as du has them */
	unsigned exclude_count;
	const char *name;     /* only files whose name matches; NULL: all */
	uint64_t least_bytes; /* only files of this size and more */
	int64_t newer_than;   /* only files changed since, seconds; INT64_MIN: all */
	int64_t older_than;   /* only files not changed since; INT64_MAX: all */
	unsigned types;	      /* only these, 1 << enum scan_type; 0: all */
};

/* Is the entry kept out by its name?  A directory then is not entered.  NULL: dir itself. */
bool filter_excludes(const struct filter *filter, const struct scan_dir *dir, const char *name);

/* Does the file count? */
bool filter_wants(const struct filter *filter, const char *name, enum scan_type type,
		  const struct stat *stat);

#endif
