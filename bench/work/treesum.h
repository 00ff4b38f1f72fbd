/* SPDX-License-Identifier: MIT */
/* treesum.h — the sum of a balanced binary tree: a load or two beside each fork, and tiny roots */
#ifndef SKUA_WORK_TREESUM_H
#define SKUA_WORK_TREESUM_H

#include "work.h"

struct treesum_node {
	int64_t value;
	struct treesum_node *left, *right; /* both or neither */
};

struct treesum {
	struct treesum_node *root;
	uint64_t times; /* each is a root of its own */
	int64_t result, answer;
};

#endif
