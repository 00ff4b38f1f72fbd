/* SPDX-License-Identifier: MIT */
/* test_graph.c — graphs: built, run in order, again and again; names, sizes, DOT; bad input */
#include "unit/test_graph.h"

#include <errno.h>
#include <stdlib.h>

/* --- order --- */

/* A diamond, by hand: each sees what came before it. */
static void test_graph_diamond_runs_in_order(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 3; workers++) {
		WATCH(20);
		struct skua_pool *pool = pool_of(workers);
		struct skua_graph *graph = graph_in(pool);
		struct sum top = { .count = 0 };
		struct sum left = { .before = { &top }, .count = 1 };
		struct sum right = { .before = { &top }, .count = 1 };
		struct sum end = { .before = { &left, &right }, .count = 2 };
		skua_node last = task_in(graph, add_up, &end, "end"); /* made first: no matter */
		skua_node a = task_in(graph, add_up, &top, "top");
		skua_node b = task_in(graph, add_up, &left, "left");
		skua_node c = task_in(graph, add_up, &right, "right");
		edge_in(graph, b, last);
		edge_in(graph, c, last);
		edge_in(graph, a, b);
		edge_in(graph, a, c);
		for (uint32_t round = 1; round <= 300; round++) {
			assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
			assert_int_equal(end.runs, round);
			assert_int_equal(end.value, 1 + 4 * 3 + 4 * 4);
			end.value = left.value = right.value = top.value = 1000000;
		}
		assert_int_equal(top.runs + left.runs + right.runs, 900);
		graph_end(graph, pool);
	}
}

#define RANDOM_NODES 3000

static void build_random(struct skua_graph *graph, struct sum *sums, skua_node *nodes)
{
	for (uint32_t n = 0; n < RANDOM_NODES; n++) {
		nodes[n] = task_in(graph, add_up, &sums[n], NULL);
		unsigned most = (unsigned)(test_random() % (SUM_MOST + 1));
		for (unsigned i = 0; n > 0 && i < most; i++) {
			uint32_t window = n < 50 || test_random() % 4 == 0 ? n : 50;
			uint32_t before = n - 1 - (uint32_t)(test_random() % window);
			edge_in(graph, nodes[before], nodes[n]); /* maybe twice the same */
			sums[n].before[sums[n].count++] = &sums[before];
		}
	}
}

static void test_graph_random_ones_run_in_order(void **state)
{
	struct sum *sums = calloc(RANDOM_NODES, sizeof(*sums));
	uint32_t *values = calloc(RANDOM_NODES, sizeof(*values));
	skua_node *nodes = calloc(RANDOM_NODES, sizeof(*nodes));
	_Atomic uint32_t picks = 0;

	(void)state;
	for (uint64_t round = 0; round < test_rounds(6); round++) {
		WATCH(30);
		struct skua_pool *pool = pool_of(1 + (int)(round % 4));
		struct skua_graph *graph = graph_in(pool);
		memset(sums, 0, RANDOM_NODES * sizeof(*sums));
		build_random(graph, sums, nodes);
		if (round % 2) /* with one it runs as if there might be loops */
			condition_in(graph, count_node, &picks, NULL);
		for (uint32_t run = 1; run <= 10; run++) {
			assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
			assert_true(sums_are_right(sums, sums, RANDOM_NODES, run, values));
		}
		for (uint32_t n = 0; n < RANDOM_NODES; n++)
			assert_int_equal(skua_graph_state(graph, nodes[n]), SKUA_NODE_DONE);
		graph_end(graph, pool);
	}
	free(sums);
	free(values);
	free(nodes);
}

/* --- change it between runs --- */

static void test_graph_grows_between_runs(void **state)
{
	WATCH(30);
	enum {
		NODES = 600
	};
	struct skua_pool *pool = pool_of(2);
	struct skua_graph *graph = graph_in(pool);
	struct sum sums[NODES] = { { .count = 0 } };
	uint32_t values[NODES];
	skua_node nodes[NODES];
	char name[20];

	(void)state;
	for (uint32_t n = 0; n < NODES; n++) {
		snprintf(name, sizeof(name), "node %u", n);
		nodes[n] = task_in(graph, add_up, &sums[n], n % 3 ? name : NULL);
		for (uint32_t i = 1; i <= 3 && i <= n; i++) {
			edge_in(graph, nodes[n - i], nodes[n]);
			sums[n].before[sums[n].count++] = &sums[n - i];
		}
		if (n % 20 != 19)
			continue;
		for (uint32_t k = 0; k <= n; k++)
			sums[k].runs = sums[k].value = 0;
		assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
		assert_true(sums_are_right(sums, sums, n + 1, 1, values));
	}
	for (uint32_t n = 0; n < NODES; n++) {
		snprintf(name, sizeof(name), "node %u", n);
		assert_string_equal(skua_graph_name(graph, nodes[n]), n % 3 ? name : "");
	}
	graph_end(graph, pool);
}

static void test_graph_empty_runs(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_graph *graph = graph_in(pool);

	(void)state;
	assert_int_equal(skua_graph_check(graph, NULL, 0, NULL), SKUA_OK);
	assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
	graph_end(graph, pool);
}

static void test_graph_runs_in_the_default_pool(void **state)
{
	WATCH(20);
	struct skua_graph *graph;
	_Atomic uint32_t runs = 0;

	(void)state;
	assert_int_equal(skua_graph_open(&graph, NULL), SKUA_OK);
	task_in(graph, count_node, &runs, NULL);
	assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&runs, relaxed), 1);
	assert_int_equal(skua_graph_close(graph), SKUA_OK);
	assert_int_equal(skua_pool_close(NULL, SKUA_CLOSE_DRAIN), SKUA_OK);
}

/* --- bad input --- */

static void test_graph_refuses_bad_arguments(void **state)
{
	WATCH(20);
	struct skua_graph_options odd = { .size = sizeof(odd) - 1 };
	struct skua_graph_options large = { .size = sizeof(large), .nodes = (uint32_t)1 << 31 };
	struct skua_graph *graph = (struct skua_graph *)(uintptr_t)0x5a5a;
	skua_node node = 77, path;
	_Atomic uint32_t runs = 0;

	(void)state;
	assert_int_equal(skua_graph_open(NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_graph_open(&graph, &odd), SKUA_EINVAL);
	assert_int_equal(skua_graph_open(&graph, &large), SKUA_EINVAL);
	assert_true(graph == (struct skua_graph *)(uintptr_t)0x5a5a);
	assert_int_equal(skua_graph_close(NULL), SKUA_OK);
	assert_int_equal(skua_graph_task(NULL, &node, count_node, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_graph_edge(NULL, 1, 1), SKUA_EINVAL);
	assert_int_equal(skua_graph_touch(NULL, 1, &node, SKUA_READS), SKUA_EINVAL);
	assert_int_equal(skua_graph_check(NULL, NULL, 0, NULL), SKUA_EINVAL);
	assert_int_equal(skua_graph_start(NULL), SKUA_EINVAL);
	assert_int_equal(skua_graph_run(NULL, SKUA_FOREVER), SKUA_EINVAL);
	assert_int_equal(skua_graph_wait(NULL, SKUA_FOREVER), SKUA_EINVAL);
	assert_int_equal(skua_graph_cancel(NULL, SKUA_ECANCELED), SKUA_EINVAL);
	assert_int_equal(skua_graph_spawn(NULL, 0, count_node, NULL), SKUA_EINVAL);
	assert_int_equal(skua_graph_state(NULL, 0), SKUA_EINVAL);
	assert_int_equal(skua_graph_measure(NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_graph_dot(NULL, stdout), SKUA_EINVAL);
	assert_null(skua_graph_name(NULL, 0));
	assert_false(skua_graph_is_running(NULL));

	struct skua_pool *pool = pool_of(1);
	graph = graph_in(pool);
	assert_int_equal(skua_graph_task(graph, NULL, count_node, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_graph_task(graph, &node, NULL, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_graph_condition(graph, &node, NULL, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(node, 77);
	assert_int_equal(skua_graph_wait(graph, SKUA_FOREVER), SKUA_EINVAL); /* never started */
	node = task_in(graph, count_node, &runs, NULL);
	assert_int_equal(skua_graph_state(graph, node), SKUA_NODE_WAITING);
	assert_int_equal(skua_graph_touch(graph, node, NULL, SKUA_READS), SKUA_EINVAL);
	assert_int_equal(skua_graph_touch(graph, node, &node, 0), SKUA_EINVAL);
	assert_int_equal(skua_graph_touch(graph, node, &node, 4), SKUA_EINVAL);
	assert_int_equal(skua_graph_check(graph, NULL, 1, NULL), SKUA_EINVAL);
	assert_int_equal(skua_graph_check(graph, &path, 1, NULL), SKUA_OK);
	assert_int_equal(skua_graph_cancel(graph, 0), SKUA_EINVAL);
	assert_int_equal(skua_graph_cancel(graph, SKUA_ECANCELED), SKUA_OK); /* it does not run */
	assert_int_equal(skua_graph_spawn(graph, node, count_node, &runs), SKUA_EINVAL);
	assert_int_equal(skua_graph_measure(graph, &(struct skua_graph_info){ 0 }), SKUA_EINVAL);
	assert_int_equal(skua_graph_dot(graph, NULL), SKUA_EINVAL);
	assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&runs, relaxed), 1);
	graph_end(graph, pool);
}

static void test_graph_refuses_foreign_nodes(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_graph *graph = graph_in(pool), *other = graph_in(pool);
	_Atomic uint32_t runs = 0;
	skua_node mine = task_in(graph, count_node, &runs, "mine");
	skua_node foreign = task_in(other, count_node, &runs, "foreign");
	const skua_node bad[] = { foreign, 0, UINT64_MAX, mine + 1 };

	(void)state;
	assert_int_equal(skua_node_index(mine), 0);
	assert_int_equal(skua_node_index(foreign), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(skua_graph_edge(graph, mine, bad[i]), SKUA_EINVAL);
		assert_int_equal(skua_graph_edge(graph, bad[i], mine), SKUA_EINVAL);
		assert_int_equal(skua_graph_touch(graph, bad[i], &runs, SKUA_READS), SKUA_EINVAL);
		assert_int_equal(skua_graph_state(graph, bad[i]), SKUA_EINVAL);
		assert_null(skua_graph_name(graph, bad[i]));
	}
	assert_int_equal(info_of(graph).edges, 0);
	assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&runs, relaxed), 1);
	assert_int_equal(skua_graph_close(other), SKUA_OK);
	graph_end(graph, pool);
}

/* --- what it says of itself --- */

static void test_graph_measures_itself(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_graph_options options = {
		.size = sizeof(options), .pool = pool, .nodes = 1000, .edges = 999
	};
	struct skua_graph *graph;
	skua_node nodes[1000];
	_Atomic uint32_t runs = 0;

	(void)state;
	assert_int_equal(skua_graph_open(&graph, &options), SKUA_OK);
	for (unsigned i = 0; i < 1000; i++)
		nodes[i] = task_in(graph, count_node, &runs, NULL);
	for (unsigned i = 1; i < 1000; i++)
		edge_in(graph, nodes[i - 1], nodes[i]);
	size_t built = info_of(graph).bytes;
	assert_true(built >= 1000 * 40 + 999 * 8 && built < 1000 * 40 + 999 * 8 + 1000);
	assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
	struct skua_graph_info info = info_of(graph);
	assert_int_equal(info.nodes, 1000);
	assert_int_equal(info.edges, 999);
	assert_true(info.bytes >= 1000 * 104 + 999 * 4 && info.bytes < 1000 * 108 + 1000);
	graph_end(graph, pool);
}

static void dot_of(struct skua_graph *graph, char *text, size_t size)
{
	FILE *file = fmemopen(text, size, "w");

	errno = 4711;
	assert_int_equal(skua_graph_dot(graph, file), SKUA_OK);
	assert_int_equal(errno, 4711);
	fclose(file);
}

static void test_graph_dot_escapes_and_numbers(void **state)
{
	static const char want[] = "digraph skua {\n\tnode [shape=box];\n"
				   "\tn0 [label=\"say \\\"hi\\\" \\\\ \\n there\"];\n"
				   "\tn1 [label=\"1\"];\n"
				   "\tn2 [label=\"loop?\", shape=diamond];\n"
				   "\tn0 -> n1;\n"
				   "\tn1 -> n2;\n"
				   "\tn2 -> n1 [style=dashed, label=\"0\"];\n"
				   "\tn2 -> n0 [style=dashed, label=\"1\"];\n"
				   "}\n";
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_graph *graph = graph_in(pool);
	_Atomic uint32_t runs = 0;
	char text[1000] = "", mixed[1000] = "";

	(void)state;
	skua_node a = task_in(graph, count_node, &runs, "say \"hi\" \\ \n\tthere");
	skua_node b = task_in(graph, count_node, &runs, "");
	skua_node c = condition_in(graph, count_node, &runs, "loop?");
	edge_in(graph, a, b);
	edge_in(graph, b, c);
	edge_in(graph, c, b);
	skua_graph_check(graph, NULL, 0, NULL); /* packs these; the next is new */
	edge_in(graph, c, a);
	dot_of(graph, mixed, sizeof(mixed));
	assert_string_equal(mixed, want);
	skua_graph_check(graph, NULL, 0, NULL);
	dot_of(graph, text, sizeof(text));
	assert_string_equal(text, want);
	FILE *full = fopen("/dev/full", "w");
	if (full) {
		assert_int_equal(skua_graph_dot(graph, full), SKUA_EIO);
		fclose(full);
	}
	graph_end(graph, pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_graph_diamond_runs_in_order),
		cmocka_unit_test(test_graph_random_ones_run_in_order),
		cmocka_unit_test(test_graph_grows_between_runs),
		cmocka_unit_test(test_graph_empty_runs),
		cmocka_unit_test(test_graph_runs_in_the_default_pool),
		cmocka_unit_test(test_graph_refuses_bad_arguments),
		cmocka_unit_test(test_graph_refuses_foreign_nodes),
		cmocka_unit_test(test_graph_measures_itself),
		cmocka_unit_test(test_graph_dot_escapes_and_numbers),
	};
	return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
