/* SPDX-License-Identifier: MIT */
/* tree_tour.h — a tree from end to end: directories and files in the order they were read */
#ifndef SKUAT_SCAN_TREE_TOUR_H
#define SKUAT_SCAN_TREE_TOUR_H

#include "scan/walk.h"

enum tour_step {
	TOUR_END,
	TOUR_DIR,   /* tour->dir is entered; the root is the first */
	TOUR_FILE,  /* tour->file, of tour->dir */
	TOUR_LEAVE, /* tour->dir is left */
	TOUR_NO_MEMORY,
};

struct tour_level;

struct tour {
	const struct scan_dir *dir;
	const struct scan_file *file;
	const struct scan_dir *root; /* not entered yet */
	struct tour_level *levels;   /* a directory each; as deep as the tree */
	size_t depth, room;
};

/* Children must be in the order SCAN_BY_POSITION. */
void tour_start(struct tour *tour, const struct scan_dir *root);
enum tour_step tour_next(struct tour *tour);
void tour_stop(struct tour *tour);

/* What is known of the other names of files with SCAN_LINKED, to be looked up while touring. */
struct tour_links {
	const struct scan_link **all; /* by file */
	size_t count;
};

bool tour_links_make(struct tour_links *links, const struct scan *scan); /* false: no memory */
const struct scan_link *tour_links_find(const struct tour_links *links,
					const struct scan_file *file);
void tour_links_free(struct tour_links *links);

#endif
