/* SPDX-License-Identifier: MIT */
/* test_graph_check.c — circles: found, named node by node, and nothing runs */
#include "unit/test_graph.h"

#include <stdlib.h>

#define NODES 12

static _Atomic uint32_t runs;

static void nodes_in(struct skua_graph *graph, skua_node *nodes, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		nodes[i] = task_in(graph, count_node, &runs, NULL);
}

/* The circle is this one, and a run says the same and starts nothing. */
static void expect_circle(struct skua_graph *graph, const skua_node *want, size_t count)
{
	skua_node path[NODES + 1];
	size_t length = 0;
	struct skua_graph_info before = info_of(graph);

	path[count] = 4711;
	assert_int_equal(skua_graph_check(graph, path, count, &length), SKUA_ECYCLE);
	assert_int_equal(length, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(path[i], want[i]);
	assert_int_equal(path[count], 4711);
	skua_store(&runs, 0, relaxed);
	assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_ECYCLE);
	assert_int_equal(skua_graph_start(graph), SKUA_ECYCLE);
	assert_false(skua_graph_is_running(graph));
	assert_int_equal(skua_graph_wait(graph, SKUA_FOREVER), SKUA_EINVAL);
	assert_int_equal(skua_load(&runs, relaxed), 0);
	assert_int_equal(info_of(graph).edges, before.edges);
	assert_int_equal(info_of(graph).nodes, before.nodes);
}

static void test_graph_check_names_a_circle(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_graph *graph = graph_in(pool);
	skua_node n[NODES];

	(void)state;
	nodes_in(graph, n, NODES);
	edge_in(graph, n[0], n[1]); /* a way in */
	edge_in(graph, n[1], n[7]);
	edge_in(graph, n[7], n[3]); /* round: 3 5 7 */
	edge_in(graph, n[3], n[5]);
	edge_in(graph, n[5], n[7]);
	edge_in(graph, n[5], n[8]); /* behind it */
	edge_in(graph, n[8], n[2]);
	expect_circle(graph, (skua_node[]){ n[3], n[5], n[7] }, 3);
	graph_end(graph, pool);
}

static void test_graph_check_names_a_node_that_waits_for_itself(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_graph *graph = graph_in(pool);
	skua_node n[NODES];

	(void)state;
	nodes_in(graph, n, NODES);
	edge_in(graph, n[4], n[5]);
	edge_in(graph, n[4], n[4]);
	expect_circle(graph, &n[4], 1);
	graph_end(graph, pool);
}

static int pick_none(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	skua_add((_Atomic uint32_t *)argument, 1, relaxed);
	return 99;
}

/* Conditions may go round; but something must lead into it, else it would never run. */
static void test_graph_check_wants_a_way_into_a_loop(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	struct skua_graph *graph = graph_in(pool);
	skua_node n[4];

	(void)state;
	nodes_in(graph, n, 4);
	skua_node pick = condition_in(graph, pick_none, &runs, "again?");
	edge_in(graph, n[2], n[3]);
	edge_in(graph, n[3], pick);
	edge_in(graph, pick, n[2]);
	expect_circle(graph, (skua_node[]){ n[2], n[3], pick }, 3);
	edge_in(graph, n[0], n[2]); /* now there is one */
	assert_int_equal(skua_graph_check(graph, NULL, 0, NULL), SKUA_OK);
	skua_store(&runs, 0, relaxed);
	assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&runs, relaxed), 5);
	graph_end(graph, pool);
}

/* Short room: the first ones, and the whole length. */
static void test_graph_check_cuts_the_path_to_its_room(void **state)
{
	WATCH(30);
	enum {
		LONG = 100000
	};
	struct skua_pool *pool = pool_of(1);
	struct skua_graph *graph = graph_in(pool);
	skua_node *nodes = calloc(LONG, sizeof(*nodes)), path[4] = { 0 };
	size_t length = 0;

	(void)state;
	nodes_in(graph, nodes, LONG);
	for (unsigned i = 0; i < LONG; i++)
		edge_in(graph, nodes[i], nodes[(i + 1) % LONG]);
	assert_int_equal(skua_graph_check(graph, path, 3, &length), SKUA_ECYCLE);
	assert_int_equal(length, LONG);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(path[i], nodes[i]);
	assert_int_equal(path[3], 0);
	length = 7;
	assert_int_equal(skua_graph_check(graph, NULL, 0, &length), SKUA_ECYCLE);
	assert_int_equal(length, LONG);
	assert_int_equal(skua_graph_check(graph, NULL, 0, NULL), SKUA_ECYCLE);
	free(nodes);
	graph_end(graph, pool);
}

/* Random graphs against a search by brute force: is there a circle; is the named one real? */
static bool reaches_itself(bool edges[NODES][NODES])
{
	bool ways[NODES][NODES];

	memcpy(ways, edges, sizeof(ways));
	for (unsigned k = 0; k < NODES; k++)
		for (unsigned i = 0; i < NODES; i++)
			for (unsigned j = 0; j < NODES; j++)
				ways[i][j] |= ways[i][k] && ways[k][j];
	for (unsigned i = 0; i < NODES; i++)
		if (ways[i][i])
			return true;
	return false;
}

static void test_graph_check_agrees_with_brute_force(void **state)
{
	WATCH(30);
	struct skua_pool *pool = pool_of(1);
	unsigned with = 0, without = 0;

	(void)state;
	for (uint64_t round = 0; round < test_rounds(400); round++) {
		struct skua_graph *graph = graph_in(pool);
		bool edges[NODES][NODES] = { { false } };
		skua_node n[NODES], path[NODES];
		size_t length = 0;
		nodes_in(graph, n, NODES);
		for (unsigned i = 0; i < NODES; i++) {
			unsigned from = (unsigned)(test_random() % NODES);
			unsigned to = (unsigned)(test_random() % NODES);
			edges[from][to] = true;
			edge_in(graph, n[from], n[to]);
			if (i == NODES / 2) /* packed half way, one time in two */
				skua_graph_check(graph, NULL, 0, &length);
		}
		int error = skua_graph_check(graph, path, NODES, &length);
		assert_int_equal(error, reaches_itself(edges) ? SKUA_ECYCLE : SKUA_OK);
		for (size_t i = 0; i < length; i++)
			assert_true(edges[skua_node_index(path[i])]
					 [skua_node_index(path[(i + 1) % length])]);
		assert_true(error ? length > 0 : length == 0);
		with += error != 0;
		without += error == 0;
		assert_int_equal(skua_graph_close(graph), SKUA_OK);
	}
	assert_true(with > 10 && without > 10);
	pool_end(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_graph_check_names_a_circle),
		cmocka_unit_test(test_graph_check_names_a_node_that_waits_for_itself),
		cmocka_unit_test(test_graph_check_wants_a_way_into_a_loop),
		cmocka_unit_test(test_graph_check_cuts_the_path_to_its_room),
		cmocka_unit_test(test_graph_check_agrees_with_brute_force),
	};
	return cmocka_run_group_tests_name("graph_check", tests, NULL, NULL);
}
