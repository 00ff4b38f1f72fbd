/* SPDX-License-Identifier: MIT */
/* diff_join.h — two trees laid over each other: what came, went, grew and shrank */
#ifndef SKUAT_SCAN_DIFF_JOIN_H
#define SKUAT_SCAN_DIFF_JOIN_H

#include "scan/walk.h"

enum {
	DIFF_BEFORE,
	DIFF_AFTER,
	DIFF_SIDES
};

/* A path of one tree or both.  A file and a directory of the same name are two of them. */
struct diff_node {
	struct diff_node *parent, *child, *next; /* only what changed hangs on its parent */
	const char *name;			 /* of one of the trees */
	const struct scan_dir *dirs[DIFF_SIDES]; /* NULL: it is a file, or not there */
	uint64_t bytes[DIFF_SIDES], blocks[DIFF_SIDES], entries[DIFF_SIDES];
	bool is_there[DIFF_SIDES];
	bool is_dir;
	bool is_changed; /* it, or something in it */
	bool is_shown;	 /* for who prints */
	uint8_t type;	 /* after, or before where it went */
	uint32_t depth;
};

struct diff {
	struct arena arena;
	struct diff_node **all; /* parents before children; the root is the first */
	size_t count, room;
	const struct scan *scans[DIFF_SIDES];
	uint64_t came, went, grew, shrank; /* files, links and all that is no directory */
	uint64_t touched;		   /* files with a new time and the old size */
	uint64_t dirs_came, dirs_went;
};

/* Lay them over each other; their children get into the order of names.  False: no memory. */
bool diff_join(struct diff *diff, struct scan *before, struct scan *after);
void diff_free(struct diff *diff);

/* By how much a node grew; negative: shrank. */
static inline int64_t diff_change(const struct diff_node *node, bool is_apparent)
{
	const uint64_t *sizes = is_apparent ? node->bytes : node->blocks;

	return (int64_t)(sizes[DIFF_AFTER] - sizes[DIFF_BEFORE]) * (is_apparent ? 1 : 512);
}

/* Its path below the root, "." for that; to be freed.  NULL: there is no memory. */
char *diff_path(const struct diff_node *node);

#endif
