/* SPDX-License-Identifier: MIT */
/* html_page.h — a scan as one page that needs nothing else: what of it goes in */
#ifndef SKUAT_SCAN_HTML_H
#define SKUAT_SCAN_HTML_H

#include "scan/scan_command.h"

/* A box of the page: a directory, a file, or those too small to be seen. */
struct html_box {
	const struct scan_dir *dir; /* itself, or where the file is */
	const char *name;	    /* NULL: `smaller` of them */
	uint32_t parent;	    /* index of its box */
	uint32_t smaller;
	uint64_t bytes, blocks, files;
	uint8_t kind; /* 0 a directory, 1 a file, 2 the smaller ones */
};

struct html_boxes {
	struct html_box *all;
	size_t count, room;
};

/*
 * Choose what is large enough to be seen, parents before children; the rest of each directory is
 * one box.  At most HTML_BOXES_MAX.  False: there is no memory.
 */
#define HTML_BOXES_MAX 20000
bool html_choose(const struct scan *scan, struct html_boxes *boxes);

#endif
