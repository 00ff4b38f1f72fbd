/* SPDX-License-Identifier: MIT */
/* test_graph_touch.c — data hazards: as if one by one, in the order they were declared */
#include "unit/test_graph.h"

#include <stdlib.h>

/* --- which edges --- */

static _Atomic uint32_t runs;

/* "w0 r1 r2 w3" or so, access and node of each call; the edges that come of it, as in DOT. */
static void expect_edges(const char *touches, const char *want)
{
	struct skua_graph *graph = graph_in(NULL);
	skua_node nodes[10];
	char text[2000] = "";
	int object;

	for (unsigned i = 0; i < 10; i++)
		nodes[i] = task_in(graph, count_node, &runs, NULL);
	for (; *touches; touches += touches[2] ? 3 : 2) {
		unsigned access = *touches == 'r'   ? SKUA_READS
				  : *touches == 'w' ? SKUA_WRITES
						    : SKUA_READS | SKUA_WRITES;
		assert_int_equal(skua_graph_touch(graph, nodes[touches[1] - '0'], &object, access),
				 SKUA_OK);
	}
	FILE *file = fmemopen(text, sizeof(text), "w");
	assert_int_equal(skua_graph_dot(graph, file), SKUA_OK);
	fclose(file);
	char *edges = strstr(text, "n9 [label=\"9\"];\n") + strlen("n9 [label=\"9\"];\n");
	*strchr(edges, '}') = '\0';
	assert_string_equal(edges, want);
	assert_int_equal(skua_graph_close(graph), SKUA_OK);
}

#define E(from, to) "\tn" #from " -> n" #to ";\n"

static void test_graph_touch_adds_the_edges_it_must(void **state)
{
	(void)state;
	expect_edges("r0 r1 r2", "");			      /* readers do not mind each other */
	expect_edges("w0 r1 r2", E(0, 1) E(0, 2));	      /* read after write */
	expect_edges("r0 r1 w2", E(1, 2) E(0, 2));	      /* write after read */
	expect_edges("w0 w1 w2", E(0, 1) E(1, 2));	      /* write after write */
	expect_edges("w0 r1 w2 r3", E(0, 1) E(1, 2) E(2, 3)); /* not 0 to 2: by way of 1 */
	expect_edges("b0 b1", E(0, 1));
	expect_edges("w0 w0 r0 w0", "");		 /* itself is no hazard */
	expect_edges("w0 r1 r1 w1 w2", E(0, 1) E(1, 2)); /* reads, then writes */
	expect_edges("r0 w0 r1", E(0, 1));
	expect_edges("r0 r1 w0 r2", E(1, 0) E(0, 2));
}

static void test_graph_touch_against_the_order_is_a_circle(void **state)
{
	struct skua_graph *graph = graph_in(NULL);
	skua_node a = task_in(graph, count_node, &runs, NULL);
	skua_node b = task_in(graph, count_node, &runs, NULL), path[2];
	int x, y;
	size_t length;

	(void)state;
	assert_int_equal(skua_graph_touch(graph, a, &x, SKUA_WRITES), SKUA_OK);
	assert_int_equal(skua_graph_touch(graph, b, &x, SKUA_READS), SKUA_OK);
	assert_int_equal(skua_graph_touch(graph, b, &y, SKUA_WRITES), SKUA_OK);
	assert_int_equal(skua_graph_touch(graph, a, &y, SKUA_READS), SKUA_OK);
	assert_int_equal(skua_graph_check(graph, path, 2, &length), SKUA_ECYCLE);
	assert_int_equal(length, 2);
	assert_true(path[0] == a && path[1] == b);
	assert_int_equal(skua_graph_close(graph), SKUA_OK);
}

/* --- what comes of it --- */

#define OBJECTS 200
#define TASKS	4000
#define TOUCHES 3

/* Writes a mix of what it reads; plain memory, so TSan sees who is too early. */
struct mix {
	uint64_t *objects, *sums;
	uint32_t number;
	uint32_t object[TOUCHES];
	unsigned access[TOUCHES];
};

static int do_mix(struct skua_slot *skua_here, void *argument)
{
	struct mix *mix = argument;
	uint64_t value = mix->number + 1;

	(void)skua_here;
	for (unsigned i = 0; i < TOUCHES; i++)
		if (mix->access[i] & SKUA_READS)
			value = value * 31 + mix->objects[mix->object[i]];
	for (unsigned i = 0; i < TOUCHES; i++)
		if (mix->access[i] & SKUA_WRITES)
			mix->objects[mix->object[i]] = value + i;
	mix->sums[mix->number] = value;
	return 0;
}

static void draw(struct mix *mix, uint32_t number)
{
	mix->number = number;
	for (unsigned i = 0; i < TOUCHES; i++) {
		mix->object[i] = (uint32_t)(test_random() % OBJECTS);
		mix->access[i] = test_random() % 3 ? SKUA_READS : 1 + (unsigned)test_random() % 3;
	}
}

static void test_graph_touch_is_as_if_one_by_one(void **state)
{
	struct mix *mixes = calloc(TASKS, sizeof(*mixes));
	uint64_t *sums = calloc(2 * TASKS, sizeof(*sums));

	(void)state;
	for (uint64_t round = 0; round < test_rounds(4); round++) {
		WATCH(30);
		struct skua_pool *pool = pool_of(1 + (int)(round % 4));
		struct skua_graph *graph = graph_in(pool);
		uint64_t shared[OBJECTS] = { 0 }, serial[OBJECTS] = { 0 };
		for (uint32_t n = 0; n < TASKS; n++) {
			draw(&mixes[n], n);
			skua_node node = task_in(graph, do_mix, &mixes[n], NULL);
			for (unsigned i = 0; i < TOUCHES; i++)
				assert_int_equal(skua_graph_touch(graph, node,
								  &shared[mixes[n].object[i]],
								  mixes[n].access[i]),
						 SKUA_OK);
		}
		for (unsigned run = 0; run < 3; run++) {
			for (uint32_t n = 0; n < TASKS; n++) {
				mixes[n].objects = serial;
				mixes[n].sums = sums;
				do_mix(NULL, &mixes[n]);
				mixes[n].objects = shared;
				mixes[n].sums = sums + TASKS;
			}
			assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
			assert_memory_equal(shared, serial, sizeof(serial));
			assert_memory_equal(sums, sums + TASKS, TASKS * sizeof(*sums));
		}
		graph_end(graph, pool);
	}
	free(mixes);
	free(sums);
}

/* Two readers run side by side: each waits to see the other. */
struct pair {
	_Atomic uint32_t here[2];
};

static int meet_first(struct skua_slot *skua_here, void *argument)
{
	struct pair *pair = argument;

	(void)skua_here;
	skua_store(&pair->here[0], 1, release);
	return reaches(&pair->here[1], 1) ? 0 : 1;
}

static int meet_second(struct skua_slot *skua_here, void *argument)
{
	struct pair *pair = argument;

	(void)skua_here;
	skua_store(&pair->here[1], 1, release);
	return reaches(&pair->here[0], 1) ? 0 : 1;
}

static void test_graph_touch_readers_run_side_by_side(void **state)
{
	WATCH(30);
	struct skua_pool *pool = pool_of(2);
	struct skua_graph *graph = graph_in(pool);
	struct pair pair = { .here = { 0 } };
	int object;

	(void)state;
	skua_node writer = task_in(graph, count_node, &runs, NULL);
	skua_node a = task_in(graph, meet_first, &pair, NULL);
	skua_node b = task_in(graph, meet_second, &pair, NULL);
	assert_int_equal(skua_graph_touch(graph, writer, &object, SKUA_WRITES), SKUA_OK);
	assert_int_equal(skua_graph_touch(graph, a, &object, SKUA_READS), SKUA_OK);
	assert_int_equal(skua_graph_touch(graph, b, &object, SKUA_READS), SKUA_OK);
	assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
	graph_end(graph, pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_graph_touch_adds_the_edges_it_must),
		cmocka_unit_test(test_graph_touch_against_the_order_is_a_circle),
		cmocka_unit_test(test_graph_touch_is_as_if_one_by_one),
		cmocka_unit_test(test_graph_touch_readers_run_side_by_side),
	};
	return cmocka_run_group_tests_name("graph_touch", tests, NULL, NULL);
}
