/* SPDX-License-Identifier: MIT */
/* scan_top.h — the first so many of a scan's entries by some key, and their order */
#ifndef SKUAT_SCAN_SCAN_TOP_H
#define SKUAT_SCAN_SCAN_TOP_H

#include "scan/scan_command.h"

/* An entry of a tree with what it is ordered by. */
struct scan_item {
	const struct scan_dir *dir;   /* the directory, or that of the file */
	const struct scan_file *file; /* NULL: the directory itself, or an operand that is none */
	uint64_t key;
};

/* Larger keys first, then by path: an order that no number of workers can change. */
int scan_item_compare(const struct scan_item *a, const struct scan_item *b);

/* By path alone, name by name: a directory comes before what is in it. */
int scan_item_compare_path(const struct scan_item *a, const struct scan_item *b);

static inline uint32_t scan_item_depth(const struct scan_item *item)
{
	return item->dir->depth + (item->file != NULL);
}

/* Its path, to be freed; NULL: there is no memory. */
char *scan_item_path(const struct scan_item *item);

/* Start with { .most = N }; SIZE_MAX: all. */
struct scan_top {
	struct scan_item *items;
	size_t count, room, most;
	bool is_lost; /* there was no memory for all that belong here */
};

void scan_top_offer(struct scan_top *top, struct scan_item item);
void scan_top_sort(struct scan_top *top); /* then `items` are in order */
void scan_top_free(struct scan_top *top);

/* Say that a report is not complete when it is not; its status. */
int scan_top_status(const struct scan_top *top, const char *report);

/*
 * Go through all directories and files of a scan, in no particular order.  `visit` gets an item
 * with key 0 for each; what was left out or not entered is not visited.
 */
typedef void scan_visit(struct scan_item item, enum scan_type type, void *context);
void scan_visit_all(const struct scan *scan, scan_visit *visit, void *context);

#endif
