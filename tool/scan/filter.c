/* SPDX-License-Identifier: MIT */
/* filter.c — what a scan leaves out: by name before it is entered, by size, age and type after */
#include "scan/filter.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/*
 * A pattern matches as du's --exclude does: the whole path, or all that follows one of its slashes.
 * A star matches slashes too, so a name alone would not do.
 */
static bool matches_part(const char *pattern, const char *path)
{
	if (fnmatch(pattern, path, 0) == 0)
		return true;
	for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/'))
		if (at[1] != '/' && fnmatch(pattern, at + 1, 0) == 0)
			return true;
	return false;
}

bool filter_excludes(const struct filter *filter, const struct scan_dir *dir, const char *name)
{
	bool is_excluded = false;

	if (filter->exclude_count == 0)
		return false;
	char *path = scan_path(dir, name);
	for (unsigned i = 0; path && !is_excluded && i < filter->exclude_count; i++)
		is_excluded = matches_part(filter->excludes[i], path);
	free(path);
	return is_excluded;
}

bool filter_wants(const struct filter *filter, const char *name, enum scan_type type,
		  const struct stat *stat)
{
	return (uint64_t)stat->st_size >= filter->least_bytes &&
	       stat->st_mtime >= filter->newer_than && stat->st_mtime <= filter->older_than &&
	       (filter->types == 0 || (filter->types & 1u << type)) &&
	       (!filter->name || fnmatch(filter->name, name, 0) == 0);
}
