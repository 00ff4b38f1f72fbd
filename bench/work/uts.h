/* SPDX-License-Identifier: MIT */
/* uts.h — unbalanced tree search: trees that nobody can split evenly, counted to the last leaf */
#ifndef SKUA_WORK_UTS_H
#define SKUA_WORK_UTS_H

#include "sha1.h"
#include "work.h"

/*
 * Olivier, Huan, Liu, Prins, Dinan, Sadayappan, Tseng: UTS, an unbalanced tree search benchmark
 * (LCPC 2006).  A node is a SHA-1 state; child i is the hash of the state and i; the state alone
 * decides how many children there are.  Options and names are those of the authors' program.
 */
enum uts_kind {
	UTS_BINOMIAL = 0,  /* -t 0: m children with probability q, else none */
	UTS_GEOMETRIC = 1, /* -t 1: about b children, fewer with depth as `shape` says */
	UTS_HYBRID = 2,	   /* -t 2: geometric to half the depth, then binomial */
};

enum uts_shape { /* -a */
	UTS_LINEAR = 0,
	UTS_CYCLIC = 2,
	UTS_FIXED = 3,
};

struct uts_count {
	uint64_t nodes, leaves, depth;
};

struct uts_tree {
	enum uts_kind kind;
	enum uts_shape shape;
	uint32_t seed; /* -r */
	double wide;   /* -b */
	int deep;      /* -d */
	double chance; /* -q */
	unsigned many; /* -m */
	struct uts_count answer;
};

struct uts_node {
	uint32_t state[SHA1_WORDS];
	int32_t height;
};

struct uts {
	const struct uts_tree *tree;
	struct uts_count result;
};

#define UTS_NARROW     8 /* children of one frame; binomial trees have no more below the root */
#define UTS_FORKED_MAX 4 /* forks of that frame; few, because T3L is 17844 nodes deep */

struct uts_node uts_root(const struct uts_tree *tree);
unsigned uts_children(const struct uts_tree *tree, const struct uts_node *node);
void uts_child(const struct uts_node *node, unsigned i, struct uts_node *child);

/* The node alone, which has so many children. */
static inline struct uts_count uts_count_one(const struct uts_node *node, unsigned children)
{
	struct uts_count one = { 1, children == 0, (uint64_t)node->height };

	return one;
}

static inline void uts_add(struct uts_count *sum, struct uts_count more)
{
	sum->nodes += more.nodes;
	sum->leaves += more.leaves;
	if (more.depth > sum->depth)
		sum->depth = more.depth;
}

#endif
