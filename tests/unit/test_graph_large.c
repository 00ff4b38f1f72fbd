/* SPDX-License-Identifier: MIT */
/* test_graph_large.c — a million nodes: each runs once, in bounded memory */
#include "unit/test_graph.h"

#include <stdlib.h>

#define MANY (SLOW_BUILD ? 100000u : 1000000u)

static int count_byte(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	++*(unsigned char *)argument;
	return 0;
}

/* Edges of the n-th node for one of the shapes: a chain, none, a tree, two random ones before. */
static void link_large(struct skua_graph *graph, const skua_node *nodes, uint32_t n, unsigned shape)
{
	if (shape == 0)
		edge_in(graph, nodes[n - 1], nodes[n]);
	if (shape == 2)
		edge_in(graph, nodes[(n - 1) / 2], nodes[n]);
	for (unsigned i = 0; shape == 3 && i < 2; i++)
		edge_in(graph, nodes[n - 1 - test_random() % (n < 1000 ? n : 1000)], nodes[n]);
	if (shape == 4 && n < MANY - 1) { /* from one to all, and to one again */
		edge_in(graph, nodes[0], nodes[n]);
		edge_in(graph, nodes[n], nodes[MANY - 1]);
	}
}

/* A million nodes: each runs once a run, and a node takes about a hundred bytes and its edges. */
static void test_graph_large_runs_in_bounded_memory(void **state)
{
	unsigned char *runs = malloc(MANY);
	skua_node *nodes = malloc(MANY * sizeof(*nodes));

	(void)state;
	for (unsigned shape = 0; shape < 5; shape++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(2);
		struct skua_graph *graph = graph_in(pool);
		memset(runs, 0, MANY);
		for (uint32_t n = 0; n < MANY; n++)
			nodes[n] = task_in(graph, count_byte, &runs[n], NULL);
		for (uint32_t n = 1; n < MANY; n++)
			link_large(graph, nodes, n, shape);
		for (unsigned run = 0; run < 2; run++)
			assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
		for (uint32_t n = 0; n < MANY; n++)
			assert_int_equal(runs[n], 2);
		struct skua_graph_info info = info_of(graph);
		assert_true(info.bytes < (size_t)MANY * (64 + 2 * 40 + 4) + info.edges * 4 + 4096);
		graph_end(graph, pool);
	}
	free(runs);
	free(nodes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_graph_large_runs_in_bounded_memory),
	};
	return cmocka_run_group_tests_name("graph_large", tests, NULL, NULL);
}
