/* SPDX-License-Identifier: MIT */
/* treesum.c — the sum of a balanced binary tree: a load or two beside each fork, and tiny roots */
#include "treesum.h"

#include <skua/fork.h>
#include <stdlib.h>

/*
 * The benchmark of Spice (github.com/judofyr/spice).  A tree of 1023 nodes is summed in two
 * microseconds: a runtime that wakes somebody for that is slower with every worker it has.
 */

WORK_NOINLINE static int64_t sum_plain(const struct treesum_node *node)
{
	if (!node->left)
		return node->value;
	return node->value + sum_plain(node->left) + sum_plain(node->right);
}

/* Two calls that stay two; the compiler has made a loop of one of those above. */
WORK_NOINLINE static int64_t sum_two_calls(const struct treesum_node *node)
{
	if (!node->left)
		return node->value;
	int64_t left = sum_two_calls(node->left);
	__asm__ volatile("");
	int64_t right = sum_two_calls(node->right);
	__asm__ volatile("");
	return node->value + left + right;
}

SKUA_TASK(int64_t, sum_task, const struct treesum_node *, node)
{
	if (!node->left)
		return node->value;
	skua_fork(sum_task, right, node->right);
	int64_t left = skua_call(sum_task, node->left); /* first, as above: memory goes that way */
	return node->value + left + skua_join(sum_task, right);
}

/* Depth first, as a program that builds its tree by recursion gets it from an arena. */
static struct treesum_node *build(struct treesum_node **next, unsigned levels)
{
	struct treesum_node *node = (*next)++;

	if (levels > 1) {
		node->left = build(next, levels - 1);
		node->right = build(next, levels - 1);
	}
	return node;
}

static void drop(void *data)
{
	struct treesum *tree = data;

	free(tree->root);
	free(tree);
}

static void *prepare(const struct work_problem *problem)
{
	struct treesum *tree = malloc(sizeof(*tree));
	struct treesum_node *nodes = calloc(problem->size, sizeof(*nodes)), *next = nodes;
	unsigned levels = 0;

	if (!tree || !nodes) {
		free(nodes);
		free(tree);
		return NULL;
	}
	while (((uint64_t)1 << levels) <= problem->size)
		levels++;
	*tree = (struct treesum){ .root = build(&next, levels), .times = problem->times };
	for (uint64_t i = 0; i < problem->size; i++)
		nodes[i].value = (int64_t)i;
	uint64_t sum = problem->size * (problem->size - 1) / 2;
	tree->answer = (int64_t)(sum * problem->times);
	return tree;
}

static void reset(void *data)
{
	((struct treesum *)data)->result = 0;
}

static void run_serial(void *data)
{
	struct treesum *tree = data;

	for (uint64_t i = 0; i < tree->times; i++) {
		tree->result += sum_plain(tree->root);
		WORK_AGAIN();
	}
}

static void run_second(void *data)
{
	struct treesum *tree = data;

	for (uint64_t i = 0; i < tree->times; i++) {
		tree->result += sum_two_calls(tree->root);
		WORK_AGAIN();
	}
}

static void run_skua(void *data, struct skua_pool *pool)
{
	struct treesum *tree = data;

	for (uint64_t i = 0; i < tree->times; i++)
		tree->result += skua_run(pool, sum_task, tree->root);
}

static bool check(void *data)
{
	struct treesum *tree = data;

	return tree->result == tree->answer;
}

static const struct work_problem problems[] = {
	{ .name = "31", .tier = WORK_TEST, .size = 31, .times = 100 },
	{ .name = "1023", .tier = WORK_QUICK, .size = 1023, .times = 200000 },
	{ .name = "64k", .tier = WORK_USUAL, .size = 65535, .times = 30 },
	{ .name = "4M", .tier = WORK_QUICK, .size = 4194303, .times = 30 },
	{ .name = NULL },
};

const struct work work_treesum = {
	.name = "treesum",
	.role = "sums of a binary tree: many tiny roots, and one beyond all caches",
	.unit = "nodes of the tree",
	.problems = problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_skua,
	.check = check,
	.drop = drop,
	.second = run_second,
	.second_name = "two_calls",
	.second_role = "plain C, two real calls",
};
