/* SPDX-License-Identifier: MIT */
/* test_graph.h — what tests of graphs share: graphs in one line, nodes that sum, nodes that hold */
#ifndef SKUA_TESTS_TEST_GRAPH_H
#define SKUA_TESTS_TEST_GRAPH_H

#include "unit/test_pool.h"

#include <skua/graph.h>

__attribute__((unused)) static struct skua_graph *graph_in(struct skua_pool *pool)
{
	struct skua_graph_options options = { .size = sizeof(options), .pool = pool };
	struct skua_graph *graph = NULL;

	assert_int_equal(skua_graph_open(&graph, &options), SKUA_OK);
	return graph;
}

__attribute__((unused)) static skua_node task_in(struct skua_graph *graph, skua_node_run *run,
						 void *argument, const char *name)
{
	skua_node node = 0;

	assert_int_equal(skua_graph_task(graph, &node, run, argument, name), SKUA_OK);
	return node;
}

__attribute__((unused)) static skua_node condition_in(struct skua_graph *graph, skua_node_run *run,
						      void *argument, const char *name)
{
	skua_node node = 0;

	assert_int_equal(skua_graph_condition(graph, &node, run, argument, name), SKUA_OK);
	return node;
}

__attribute__((unused)) static void edge_in(struct skua_graph *graph, skua_node from, skua_node to)
{
	assert_int_equal(skua_graph_edge(graph, from, to), SKUA_OK);
}

__attribute__((unused)) static void graph_end(struct skua_graph *graph, struct skua_pool *pool)
{
	assert_int_equal(skua_graph_close(graph), SKUA_OK);
	pool_end(pool);
}

__attribute__((unused)) static int count_node(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	skua_add((_Atomic uint32_t *)argument, 1, relaxed);
	return 0;
}

__attribute__((unused)) static struct skua_graph_info info_of(struct skua_graph *graph)
{
	struct skua_graph_info info = { .size = sizeof(info) };

	assert_int_equal(skua_graph_measure(graph, &info), SKUA_OK);
	return info;
}

/*
 * A node that adds up what the nodes before it came to.  Plain memory: TSan, and a wrong sum, tell
 * when it starts too early.
 */
#define SUM_MOST 4

struct sum {
	struct sum *before[SUM_MOST];
	unsigned count;
	uint32_t value, runs;
};

__attribute__((unused)) static int add_up(struct skua_slot *skua_here, void *argument)
{
	struct sum *sum = argument;
	uint32_t value = 1;

	(void)skua_here;
	for (unsigned i = 0; i < sum->count; i++)
		value += sum->before[i]->value * (i + 3);
	sum->value = value;
	sum->runs++;
	return 0;
}

/* What a serial pass gives; the nodes before one have smaller numbers. */
__attribute__((unused)) static bool sums_are_right(const struct sum *sums, const struct sum *base,
						   uint32_t count, uint32_t runs, uint32_t *values)
{
	for (uint32_t n = 0; n < count; n++) {
		values[n] = 1;
		for (unsigned i = 0; i < sums[n].count; i++)
			values[n] += values[sums[n].before[i] - base] * (i + 3);
		if (sums[n].value != values[n] || sums[n].runs != runs)
			return false;
	}
	return true;
}

/* What a node of these tests knows. */
struct step {
	struct skua_graph *graph, *inner;
	skua_node node;
	int result;		  /* to return; or what a call in it gave */
	_Atomic uint32_t runs;	  /* it has begun so often */
	_Atomic uint32_t is_free; /* it may end */
	unsigned depth;
	struct step *other;
	_Atomic uint32_t *leaves;
};

__attribute__((unused)) static int do_step(struct skua_slot *skua_here, void *argument)
{
	struct step *step = argument;

	(void)skua_here;
	skua_add(&step->runs, 1, release);
	return step->result;
}

__attribute__((unused)) static int hold_step(struct skua_slot *skua_here, void *argument)
{
	struct step *step = argument;

	(void)skua_here;
	skua_add(&step->runs, 1, release);
	return reaches(&step->is_free, 1) ? step->result : SKUA_ETIMEDOUT;
}

__attribute__((unused)) static uint32_t runs_of(struct step *step)
{
	return skua_load(&step->runs, relaxed);
}

#endif
