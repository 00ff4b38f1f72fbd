/* SPDX-License-Identifier: MIT */
/* extension_table.h — files by the end of their names: how many, and how large together */
#ifndef SKUAT_SCAN_EXTENSION_TABLE_H
#define SKUAT_SCAN_EXTENSION_TABLE_H

#include "scan/scan_command.h"

struct extension {
	char *text; /* without its dot, in lower case; "": files without one; NULL: free */
	uint64_t files, bytes, blocks;
};

struct extensions {
	struct extension *all; /* the first `count` are in order, once they are counted */
	size_t count, room;
	struct arena texts;
	bool is_lost; /* there was no memory for all */
};

/*
 * Count the regular files of a scan that kept everything.  The largest come first, by apparent size
 * or by space on disk; then the most files; then by text.
 */
void extensions_count(struct extensions *table, const struct scan *scan, bool is_apparent);

void extensions_free(struct extensions *table);

#endif
