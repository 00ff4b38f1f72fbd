/* SPDX-License-Identifier: MIT */
/* links.h — files with several names: noted while walking, charged by a policy afterwards */
#ifndef SKUAT_SCAN_LINKS_H
#define SKUAT_SCAN_LINKS_H

#include "scan/walk.h"

enum link_charge {
	LINK_NEW,   /* charge it now */
	LINK_LATER, /* not now: it was charged, or will be by links_charge */
	LINK_LOST,  /* there is no memory to remember it */
};

/* A name of a file that has several was found. */
enum link_charge links_met(struct scan *scan, struct scan_worker *worker,
			   const struct scan_link *link);

/*
 * Would du meet the entry of `a` at position p before that of `b` at q?  Where one directory is
 * above the other, its entry counts against the directory on the way to the other.  As qsort wants
 * it.
 */
int links_compare_places(const struct scan_dir *a, uint32_t p, const struct scan_dir *b,
			 uint32_t q);

/* Is this the first time that we meet it?  For scans that remember all. */
bool links_is_first(struct scan *scan, const struct stat *stat);

/*
 * After the walk, with the tree in du's order (SCAN_BY_POSITION): add the sizes of all linked files
 * to the sums of directories, and to the total, as the policy says.
 */
void links_charge(struct scan *scan);

struct link_set *links_set_make(void); /* NULL: there is no memory */
void links_set_free(struct link_set *set);

#endif
