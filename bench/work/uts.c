/* SPDX-License-Identifier: MIT */
/* uts.c — unbalanced tree search: trees that nobody can split evenly, counted to the last leaf */
#include "uts.h"

#include <math.h>
#include <skua/fork.h>
#include <stdlib.h>

#define CHILDREN_MAX 100 /* of a node that is no binomial root; the authors' number */

struct uts_node uts_root(const struct uts_tree *tree)
{
	const uint32_t words[SHA1_WORDS] = { 0, 0, 0, 0, tree->seed };
	struct uts_node root = { .height = 0 };

	sha1_words(root.state, words, SHA1_WORDS);
	return root;
}

/* How many children a geometric node of this height has on average. */
static double width_at(const struct uts_tree *tree, int height)
{
	if (height == 0)
		return tree->wide;
	switch (tree->shape) {
	case UTS_CYCLIC:
		if (height > 5 * tree->deep)
			return 0;
		return pow(tree->wide, sin(2 * 3.141592653589793 * height / tree->deep));
	case UTS_FIXED:
		return height < tree->deep ? tree->wide : 0;
	case UTS_LINEAR:
	default:
		return tree->wide * (1 - (double)height / tree->deep);
	}
}

unsigned uts_children(const struct uts_tree *tree, const struct uts_node *node)
{
	double chance = (node->state[4] & 0x7fffffff) / 2147483648.0;

	if (tree->kind == UTS_BINOMIAL && node->height == 0)
		return (unsigned)tree->wide;
	if (tree->kind == UTS_GEOMETRIC ||
	    (tree->kind == UTS_HYBRID && node->height < 0.5 * tree->deep)) {
		double p = 1 / (1 + width_at(tree, node->height));
		double children = floor(log(1 - chance) / log(1 - p));
		return children < CHILDREN_MAX ? (unsigned)children : CHILDREN_MAX;
	}
	return chance < tree->chance ? tree->many : 0;
}

/* Not inlined: the message would be in every frame of a deep tree. */
WORK_NOINLINE void uts_child(const struct uts_node *node, unsigned i, struct uts_node *child)
{
	const uint32_t words[SHA1_WORDS + 1] = { node->state[0], node->state[1], node->state[2],
						 node->state[3], node->state[4], i };

	sha1_words(child->state, words, SHA1_WORDS + 1);
	child->height = node->height + 1;
}

WORK_NOINLINE static void uts_plain(const struct uts_tree *tree, const struct uts_node *node,
				    struct uts_count *sum)
{
	struct uts_node child;
	unsigned children = uts_children(tree, node);

	uts_add(sum, uts_count_one(node, children));
	for (unsigned i = 0; i < children; i++) {
		uts_child(node, i, &child);
		uts_plain(tree, &child, sum);
	}
}

/*
 * The children of a node from first up to end, and all below them.  Half of them is forked as one,
 * so that a thief gets several: one by itself is most likely a leaf.  The others are forked one by
 * one, and a single child takes its parent's place in the frame: so most levels of a deep tree
 * are one frame.
 */
SKUA_TASK(struct uts_count, uts_range, const struct uts_tree *, tree, struct uts_node, parent,
	  unsigned, first, unsigned, end)
{
	skua_forked(uts_range) forked[UTS_FORKED_MAX];
	struct uts_count sum = { 0 };
	unsigned forks = 0;

	while (end - first == 1) {
		uts_child(&parent, first, &parent);
		first = 0;
		end = uts_children(tree, &parent);
		uts_add(&sum, uts_count_one(&parent, end));
	}
	if (end == 0)
		return sum;
	bool is_narrow = end - first <= UTS_NARROW;
	unsigned middle = first + (end - first) / 2;
	skua_fork_into(uts_range, forked[forks++], tree, parent, first, middle);
	for (first = middle; is_narrow && end - first > 1; first++)
		skua_fork_into(uts_range, forked[forks++], tree, parent, first, first + 1);
	uts_add(&sum, skua_call(uts_range, tree, parent, first, end));
	while (forks-- > 0)
		uts_add(&sum, skua_join(uts_range, forked[forks]));
	return sum;
}

SKUA_TASK(struct uts_count, uts_task, const struct uts_tree *, tree, struct uts_node, root)
{
	unsigned children = uts_children(tree, &root);
	struct uts_count sum = uts_count_one(&root, children);

	if (children > 0)
		uts_add(&sum, skua_call(uts_range, tree, root, 0, children));
	return sum;
}

/*
 * T1 to T3L: options and counts as in the authors' sample_trees.sh.  The small ones before them are
 * our own, for tests; they were counted by another program, in Python with its hashlib.
 */
static const struct uts_tree trees[] = {
	{ UTS_GEOMETRIC, UTS_FIXED, 19, 4, 5, 0, 0, { 3987, 3232, 5 } },
	{ UTS_GEOMETRIC, UTS_LINEAR, 34, 4, 8, 0, 0, { 1317, 762, 8 } },
	{ UTS_GEOMETRIC, UTS_CYCLIC, 502, 6, 6, 0, 0, { 4988, 3086, 31 } },
	{ UTS_BINOMIAL, UTS_LINEAR, 42, 20, 0, 0.12, 8, { 453, 398, 15 } },
	{ UTS_HYBRID, UTS_LINEAR, 1, 6, 8, 0.234375, 4, { 15914, 11966, 73 } },
	{ UTS_BINOMIAL, UTS_LINEAR, 33, 4, 0, 0.49999, 2, { 92549, 46276, 1005 } },
	{ UTS_GEOMETRIC, UTS_FIXED, 19, 4, 10, 0, 0, { 4130071, 3305118, 10 } },
	{ UTS_GEOMETRIC, UTS_CYCLIC, 502, 6, 16, 0, 0, { 4117769, 2342762, 81 } },
	{ UTS_BINOMIAL, UTS_LINEAR, 42, 2000, 0, 0.124875, 8, { 4112897, 3599034, 1572 } },
	{ UTS_HYBRID, UTS_LINEAR, 1, 6, 16, 0.234375, 4, { 4132453, 3108986, 134 } },
	{ UTS_GEOMETRIC, UTS_LINEAR, 34, 4, 20, 0, 0, { 4147582, 2181318, 20 } },
	{ UTS_GEOMETRIC, UTS_FIXED, 29, 4, 13, 0, 0, { 102181082, 81746377, 13 } },
	{ UTS_GEOMETRIC, UTS_CYCLIC, 220, 7, 23, 0, 0, { 96793510, 53791152, 67 } },
	{ UTS_BINOMIAL, UTS_LINEAR, 7, 2000, 0, 0.200014, 5, { 111345631, 89076904, 17844 } },
};
static const struct work_problem problems[] = {
	{ .name = "fixed", .tier = WORK_TEST, .size = 3987 },
	{ .name = "linear", .tier = WORK_TEST, .size = 1317 },
	{ .name = "cyclic", .tier = WORK_TEST, .size = 4988 },
	{ .name = "bin", .tier = WORK_TEST, .size = 453 },
	{ .name = "hybrid", .tier = WORK_TEST, .size = 15914 },
	{ .name = "deep", .tier = WORK_TEST, .size = 92549 },
	{ .name = "T1", .tier = WORK_QUICK, .size = 4130071 },
	{ .name = "T2", .tier = WORK_USUAL, .size = 4117769 },
	{ .name = "T3", .tier = WORK_QUICK, .size = 4112897 },
	{ .name = "T4", .tier = WORK_USUAL, .size = 4132453 },
	{ .name = "T5", .tier = WORK_USUAL, .size = 4147582 },
	{ .name = "T1L", .tier = WORK_LARGE, .size = 102181082 },
	{ .name = "T2L", .tier = WORK_LARGE, .size = 96793510 },
	{ .name = "T3L", .tier = WORK_LARGE, .size = 111345631 },
	{ .name = NULL },
};

static void *prepare(const struct work_problem *problem)
{
	struct uts *uts = malloc(sizeof(*uts));

	if (uts)
		*uts = (struct uts){ .tree = &trees[problem - problems] };
	return uts;
}

static void reset(void *data)
{
	((struct uts *)data)->result = (struct uts_count){ 0 };
}

static void run_serial(void *data)
{
	struct uts *uts = data;
	struct uts_node root = uts_root(uts->tree);

	uts_plain(uts->tree, &root, &uts->result);
}

static void run_skua(void *data, struct skua_pool *pool)
{
	struct uts *uts = data;

	uts->result = skua_run(pool, uts_task, uts->tree, uts_root(uts->tree));
}

static bool check(void *data)
{
	struct uts *uts = data;
	struct uts_count found = uts->result, wanted = uts->tree->answer;

	return found.nodes == wanted.nodes && found.leaves == wanted.leaves &&
	       found.depth == wanted.depth;
}

const struct work work_uts = {
	.name = "uts",
	.role = "unbalanced tree search: trees that nobody can split evenly",
	.unit = "nodes",
	.problems = problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_skua,
	.check = check,
	.drop = free,
};
