/* SPDX-License-Identifier: MIT */
/* tree_build.h — a scan's tree made from entries that a file tells, one after the other */
#ifndef SKUAT_SCAN_TREE_BUILD_H
#define SKUAT_SCAN_TREE_BUILD_H

#include "scan/walk.h"

/* One entry, as a file tells it; nothing of it is believed. */
struct told {
	const char *name; /* needs no 0 at its end */
	size_t name_length;
	enum scan_type type;
	uint64_t bytes, blocks;
	int64_t mtime; /* SCAN_NO_TIME: not told */
	uint64_t dev, ino;
	uint32_t nlink;
	bool is_linked; /* has other names, which dev and ino tell */
	bool has_error; /* it could not be read */
};

/* The outermost directory that is open is a root; the innermost gets what is told. */
struct build {
	struct scan *scan;
	struct scan_dir *dir; /* the innermost; NULL: none is open */
	struct scan_chunk *chunk;
	unsigned root_room;
	uint64_t entries, bytes, blocks; /* all that was told */
	uint64_t path_bytes;		 /* of errors */
};

/* The scan becomes one without a walk: options tell the policy of links.  False: no memory. */
bool build_open(struct build *build, struct scan *scan, const struct scan_options *options);

/* Each returns NULL, or what is wrong with it; then only scan_close is left to do. */
const char *build_dir(struct build *build, const struct told *told); /* it is open then */
const char *build_file(struct build *build, const struct told *told);
const char *build_leave(struct build *build);

/* A path that could not be read; NULL: that of `name` in the innermost directory, or its own. */
const char *build_error(struct build *build, const char *path, const char *name,
			enum scan_step step, int number);

/* All is told: sums and links, as after a walk. */
const char *build_end(struct build *build, int64_t when);

#endif
