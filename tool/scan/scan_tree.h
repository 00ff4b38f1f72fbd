/* SPDX-License-Identifier: MIT */
/* scan_tree.h — the largest parts of a tree, chosen so that no row is smaller than one left out */
#ifndef SKUAT_SCAN_SCAN_TREE_H
#define SKUAT_SCAN_SCAN_TREE_H

#include "scan/scan_top.h"

#define SCAN_NO_NODE SIZE_MAX

struct scan_node {
	struct scan_item item;		  /* its key is its size */
	size_t parent, first, last, next; /* nodes, by number; children from the largest down */
};

struct scan_tree {
	struct scan_node *nodes; /* a parent before its children; the largest first */
	size_t count, room;
	size_t first, last; /* operands */
	uint64_t total;	    /* size of all operands */
};

/* False: there is no memory; nothing is to be freed. */
bool scan_tree_make(struct scan_tree *tree, const struct scan *scan,
		    const struct scan_choice *choice);
void scan_tree_free(struct scan_tree *tree);

/* From tree->first on: a node, what is in it, then the next one of its parent. */
size_t scan_tree_next(const struct scan_tree *tree, size_t node);

#endif
