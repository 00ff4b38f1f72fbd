/* SPDX-License-Identifier: MIT */
/* test_graph_faults.c — every allocation of a graph fails in turn: an error, and nothing is lost */
#include "unit/test_graph.h"

#include "base/fault.h"

#include <stdlib.h>

#ifdef SKUA_FAULTS

#define NODES 60

/* One program: names, edges, hazards, a loop, growth between runs, spawned tasks. */
struct world {
	struct skua_graph *graph;
	skua_node nodes[NODES];
	_Atomic uint32_t runs, spawned;
	uint32_t rounds;
	uint32_t errors; /* calls that had no memory */
	int spawn_error;
	bool is_for_ever; /* the first error ends it */
};

static int spawn_one(struct skua_slot *skua_here, void *argument)
{
	struct world *world = argument;

	(void)skua_here;
	skua_add(&world->runs, 1, relaxed);
	int error = skua_graph_spawn(world->graph, world->nodes[0], count_node, &world->spawned);
	if (error == SKUA_ENOMEM && !world->is_for_ever) {
		world->spawn_error++;
		error = skua_graph_spawn(world->graph, world->nodes[0], count_node,
					 &world->spawned);
	}
	return error;
}

static int three_rounds(struct skua_slot *skua_here, void *argument)
{
	struct world *world = argument;

	(void)skua_here;
	return ++world->rounds % 3 == 0;
}

/* What failed for want of memory left the graph as it was, and works the second time. */
static bool is_unchanged(struct world *world, const struct skua_graph_info *before)
{
	struct skua_graph_info after = { .size = sizeof(after) };

	return skua_graph_measure(world->graph, &after) == SKUA_OK &&
	       after.nodes == before->nodes && after.edges == before->edges;
}

#define TRY(call)                                                           \
	do {                                                                \
		struct skua_graph_info before = { .size = sizeof(before) }; \
		skua_graph_measure(world->graph, &before);                  \
		int tried = (call);                                         \
		if (tried == SKUA_ENOMEM) {                                 \
			world->errors++;                                    \
			if (!is_unchanged(world, &before))                  \
				return 1000 + __LINE__;                     \
			if (world->is_for_ever)                             \
				return tried;                               \
			tried = (call);                                     \
		}                                                           \
		if (tried)                                                  \
			return 10000 + __LINE__;                            \
	} while (0)

static int build(struct world *world, unsigned begin, unsigned end)
{
	struct skua_graph *graph = world->graph;
	char name[16];

	for (unsigned i = begin; i < end; i++) {
		snprintf(name, sizeof(name), "node %u", i);
		TRY(skua_graph_task(graph, &world->nodes[i], i ? count_node : spawn_one,
				    i ? (void *)&world->runs : world, i % 2 ? name : NULL));
		if (i > 0)
			TRY(skua_graph_edge(graph, world->nodes[i / 2], world->nodes[i]));
		TRY(skua_graph_touch(graph, world->nodes[i], (char *)world + i, SKUA_WRITES));
		TRY(skua_graph_touch(graph, world->nodes[i], (char *)world + i / 2, SKUA_READS));
		TRY(skua_graph_touch(graph, world->nodes[i], world,
				     i % 10 ? SKUA_READS : SKUA_WRITES));
	}
	return 0;
}

static int live(struct world *world)
{
	struct skua_graph *graph = world->graph;
	skua_node loop;
	int error = build(world, 0, NODES / 2);

	if (error)
		return error;
	TRY(skua_graph_run(graph, SKUA_FOREVER));
	error = build(world, NODES / 2, NODES);
	if (error)
		return error;
	TRY(skua_graph_condition(graph, &loop, three_rounds, world, "three rounds"));
	TRY(skua_graph_edge(graph, world->nodes[NODES - 1], loop));
	TRY(skua_graph_edge(graph, loop, loop));
	TRY(skua_graph_check(graph, NULL, 0, NULL));
	TRY(skua_graph_run(graph, SKUA_FOREVER));
	if (world->rounds != 3 || skua_load(&world->runs, relaxed) != NODES + NODES / 2 ||
	    skua_load(&world->spawned, relaxed) != 2)
		return 3;
	for (unsigned i = 0; i < NODES; i++) {
		char name[16] = "";
		if (i % 2)
			snprintf(name, sizeof(name), "node %u", i);
		if (strcmp(skua_graph_name(graph, world->nodes[i]), name) != 0)
			return 4;
	}
	return 0;
}

/* The whole of it, with the n-th allocation failing.  False: there were fewer. */
static bool live_with_fault(struct skua_pool *pool, uint32_t nth, bool for_ever, uint32_t *failed)
{
	struct world *world = calloc(1, sizeof(*world));
	struct skua_graph_options options = { .size = sizeof(options), .pool = pool, .nodes = 2 };
	struct skua_graph *const mark = (struct skua_graph *)(uintptr_t)0x5a5a;

	world->is_for_ever = for_ever;
	world->graph = mark;
	skuai_fault_disarm();
	skuai_fault_arm(SKUAI_FAULT_MALLOC, nth, for_ever, SKUAI_FAULT_USUAL);
	int error = skua_graph_open(&world->graph, &options);
	if (error == SKUA_ENOMEM) {
		world->errors++;
		assert_true(world->graph == mark);
		if (!for_ever)
			error = skua_graph_open(&world->graph, &options);
	}
	if (!error) {
		error = live(world);
		skua_graph_close(world->graph);
	}
	bool was_hit = skuai_fault_calls(SKUAI_FAULT_MALLOC) >= nth;
	skuai_fault_disarm();
	if (error && !(for_ever && error == SKUA_ENOMEM))
		fail_msg("allocation %u failing%s: %d", nth, for_ever ? " for ever" : "", error);
	*failed += world->errors + (uint32_t)world->spawn_error;
	free(world);
	return was_hit;
}

static void test_graph_faults_each_allocation(void **state)
{
	(void)state;
	for (unsigned for_ever = 0; for_ever < 2; for_ever++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(2);
		uint32_t nth = 1, failed = 0;
		while (live_with_fault(pool, nth, for_ever, &failed))
			nth++;
		/* All but those of the pool's own queues came back as an error. */
		assert_true(nth > 20);
		assert_true(failed >= nth - 1 - 4);
		pool_end(pool);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_graph_faults_each_allocation),
	};
	return cmocka_run_group_tests_name("graph_faults", tests, NULL, NULL);
}

#else

int main(void)
{
	return 77; /* no fault table in this build */
}

#endif
