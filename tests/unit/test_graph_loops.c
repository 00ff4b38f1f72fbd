/* SPDX-License-Identifier: MIT */
/* test_graph_loops.c — conditions: branches, loops, nodes picked by several at once */
#include "unit/test_graph.h"

#include <stdlib.h>

/* What a node of these tests knows; plain numbers, so TSan sees a node that runs twice at once. */
struct turn {
	uint32_t runs;
	uint32_t least; /* a condition: so many times the first edge, then the second */
	int result;
};

static int take_turn(struct skua_slot *skua_here, void *argument)
{
	struct turn *turn = argument;

	(void)skua_here;
	turn->runs++;
	return turn->result;
}

static int pick_again(struct skua_slot *skua_here, void *argument)
{
	struct turn *turn = argument;

	(void)skua_here;
	return turn->runs++ % turn->least == turn->least - 1;
}

/* first -> body -> again? -> body, or last */
static void test_graph_loops_while(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 3; workers++) {
		WATCH(30);
		struct skua_pool *pool = pool_of(workers);
		struct skua_graph *graph = graph_in(pool);
		struct turn first = { 0 }, body = { 0 }, again = { .least = 1000 }, last = { 0 };
		skua_node a = task_in(graph, take_turn, &first, "first");
		skua_node b = task_in(graph, take_turn, &body, "body");
		skua_node c = condition_in(graph, pick_again, &again, "again?");
		skua_node d = task_in(graph, take_turn, &last, "last");
		edge_in(graph, a, b);
		edge_in(graph, b, c);
		edge_in(graph, c, b);
		edge_in(graph, c, d);
		for (uint32_t run = 1; run <= 5; run++) {
			assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
			assert_int_equal(first.runs, run);
			assert_int_equal(body.runs, run * 1000);
			assert_int_equal(again.runs, run * 1000);
			assert_int_equal(last.runs, run);
		}
		graph_end(graph, pool);
	}
}

/* A condition that picks itself, inside a loop; picks of edges there are not. */
static void test_graph_loops_nested_and_of_one(void **state)
{
	WATCH(30);
	struct skua_pool *pool = pool_of(2);
	struct skua_graph *graph = graph_in(pool);
	struct turn first = { 0 }, inner = { .least = 7 }, outer = { .least = 50 };

	(void)state;
	skua_node a = task_in(graph, take_turn, &first, NULL);
	skua_node in = condition_in(graph, pick_again, &inner, NULL);
	skua_node out = condition_in(graph, pick_again, &outer, NULL);
	edge_in(graph, a, in);
	edge_in(graph, in, in);
	edge_in(graph, in, out);
	edge_in(graph, out, in); /* and no second edge: then it is over */
	for (uint32_t run = 1; run <= 5; run++) {
		assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
		assert_int_equal(outer.runs, 50 * run);
		assert_int_equal(inner.runs, 350 * run);
	}
	graph_end(graph, pool);
}

static void test_graph_loops_branch_not_taken_is_skipped(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	struct skua_graph *graph = graph_in(pool);
	struct turn pick = { .result = 0 }, ways[3] = { { 0 } }, last = { 0 };
	skua_node way[3];

	(void)state;
	skua_node choose = condition_in(graph, take_turn, &pick, NULL);
	skua_node end = task_in(graph, take_turn, &last, NULL);
	for (unsigned i = 0; i < 3; i++) {
		way[i] = task_in(graph, take_turn, &ways[i], NULL);
		edge_in(graph, choose, way[i]);
		skua_node done = condition_in(graph, take_turn, &ways[i], NULL);
		edge_in(graph, way[i], done);
		edge_in(graph, done, end); /* a condition with one way: whoever comes by */
	}
	for (pick.result = 0; pick.result < 4; pick.result++) {
		for (unsigned i = 0; i < 3; i++)
			ways[i].runs = 0;
		last.runs = 0;
		assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
		for (int i = 0; i < 3; i++) {
			bool is_taken = i == pick.result;
			assert_int_equal(ways[i].runs, 2 * is_taken);
			assert_int_equal(skua_graph_state(graph, way[i]),
					 is_taken ? SKUA_NODE_DONE : SKUA_NODE_SKIPPED);
		}
		assert_int_equal(last.runs, pick.result < 3);
	}
	graph_end(graph, pool);
}

static void test_graph_loops_condition_fails(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_graph *graph = graph_in(pool);
	struct turn pick = { .result = -5 }, after = { 0 };

	(void)state;
	skua_node a = condition_in(graph, take_turn, &pick, NULL);
	skua_node b = task_in(graph, take_turn, &after, NULL);
	edge_in(graph, a, b);
	assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), -5);
	assert_int_equal(skua_graph_state(graph, a), SKUA_NODE_FAILED);
	assert_int_equal(skua_graph_state(graph, b), SKUA_NODE_SKIPPED);
	assert_int_equal(skua_graph_touch(graph, a, &pick, SKUA_READS), SKUA_EINVAL);
	pick.result = 0;
	assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(after.runs, 1);
	graph_end(graph, pool);
}

/* --- several at once --- */

#define PICKERS 8
#define TIMES	200

struct crowd {
	struct skua_pool *pool;
	struct skua_graph *graph;
	struct turn firsts[PICKERS], tasks[PICKERS], picks[PICKERS], sends[PICKERS];
	struct turn meeting, after;
};

/* Loops side by side; each time round all of them pick, or lead to, the same node. */
static void crowd_open(struct crowd *crowd, int workers, bool is_picked)
{
	memset(crowd, 0, sizeof(*crowd));
	crowd->pool = pool_of(workers);
	struct skua_graph *graph = crowd->graph = graph_in(crowd->pool);
	skua_node meeting = task_in(graph, take_turn, &crowd->meeting, "meeting");
	skua_node after = task_in(graph, take_turn, &crowd->after, "after");
	edge_in(graph, meeting, after);
	for (unsigned i = 0; i < PICKERS; i++) {
		crowd->picks[i].least = TIMES;
		skua_node first = task_in(graph, take_turn, &crowd->firsts[i], "first");
		skua_node task = task_in(graph, take_turn, &crowd->tasks[i], "task");
		skua_node pick = condition_in(graph, pick_again, &crowd->picks[i], "again?");
		skua_node send = condition_in(graph, take_turn, &crowd->sends[i], "send");
		edge_in(graph, first, task);
		edge_in(graph, task, pick);
		edge_in(graph, pick, task);
		edge_in(graph, task, is_picked ? send : meeting);
		edge_in(graph, send, meeting);
		if (!is_picked) /* not to be left without a way in */
			edge_in(graph, first, send);
	}
}

static void crowd_forget(struct crowd *crowd)
{
	for (unsigned i = 0; i < PICKERS; i++) {
		crowd->tasks[i].runs = crowd->picks[i].runs = crowd->sends[i].runs = 0;
		crowd->sends[i].result = 0;
	}
	crowd->meeting.runs = crowd->after.runs = 0;
}

/* Eight loops of 200 rounds: none of the picks is lost, and the node never runs twice at once. */
static void test_graph_loops_node_picked_by_many(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 4; workers++) {
		WATCH(60);
		struct crowd crowd;
		crowd_open(&crowd, workers, true);
		for (unsigned run = 0; run < 5; run++) {
			crowd_forget(&crowd);
			assert_int_equal(skua_graph_run(crowd.graph, SKUA_FOREVER), SKUA_OK);
			for (unsigned i = 0; i < PICKERS; i++)
				assert_int_equal(crowd.sends[i].runs, TIMES);
			assert_int_equal(crowd.meeting.runs, PICKERS * TIMES);
			assert_int_equal(crowd.after.runs, PICKERS * TIMES);
		}
		graph_end(crowd.graph, crowd.pool);
	}
}

/* The same, but the node waits for all eight: as many rounds as they have. */
static void test_graph_loops_node_waits_for_many_loops(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 4; workers++) {
		WATCH(60);
		struct crowd crowd;
		crowd_open(&crowd, workers, false);
		for (unsigned run = 0; run < 5; run++) {
			crowd_forget(&crowd);
			for (unsigned i = 0; i < PICKERS; i++)
				crowd.sends[i].result = 1; /* an edge that is not there */
			assert_int_equal(skua_graph_run(crowd.graph, SKUA_FOREVER), SKUA_OK);
			assert_int_equal(crowd.meeting.runs, TIMES);
			assert_int_equal(crowd.after.runs, TIMES);
		}
		graph_end(crowd.graph, crowd.pool);
	}
}

/* Cancelled at any moment it ends, and the next run is whole. */
static void test_graph_loops_cancelled_any_time(void **state)
{
	struct crowd crowd;

	(void)state;
	for (int workers = 1; workers <= 3; workers++) {
		crowd_open(&crowd, workers, true);
		for (uint64_t round = 0; round < test_rounds(60); round++) {
			WATCH(60);
			crowd_forget(&crowd);
			assert_int_equal(skua_graph_start(crowd.graph), SKUA_OK);
			spin_for((int64_t)(test_random() % 100000));
			assert_int_equal(skua_graph_cancel(crowd.graph, -3), SKUA_OK);
			int error = skua_graph_wait(crowd.graph, SKUA_FOREVER);
			assert_true(error == -3 || crowd.after.runs == PICKERS * TIMES);
		}
		crowd_forget(&crowd);
		assert_int_equal(skua_graph_run(crowd.graph, SKUA_FOREVER), SKUA_OK);
		assert_int_equal(crowd.after.runs, PICKERS * TIMES);
		graph_end(crowd.graph, crowd.pool);
	}
}

/* --- and others --- */

static int pick_until_told(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	return skua_load((_Atomic uint32_t *)argument, relaxed) != 0;
}

static void tell(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	skua_store((_Atomic uint32_t *)argument, 1, relaxed);
}

/* A loop without end leaves the only worker to others now and then. */
static void test_graph_loops_give_others_a_turn(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_graph *graph = graph_in(pool);
	_Atomic uint32_t is_told = 0;
	struct skua_job job = SKUA_JOB(tell, &is_told);

	(void)state;
	skua_node first = condition_in(graph, pick_until_told, &is_told, NULL);
	skua_node pick = condition_in(graph, pick_until_told, &is_told, NULL);
	edge_in(graph, first, pick);
	edge_in(graph, pick, pick);
	assert_int_equal(skua_graph_start(graph), SKUA_OK);
	assert_int_equal(skua_submit(pool, &job), SKUA_OK);
	assert_int_equal(skua_graph_wait(graph, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	graph_end(graph, pool);
}

/* A loop without end ends when its pool is closed and cancelled. */
static void test_graph_loops_end_with_their_pool(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	struct skua_graph *graph = graph_in(pool);
	_Atomic uint32_t never = 0;

	(void)state;
	skua_node first = condition_in(graph, pick_until_told, &never, NULL);
	skua_node pick = condition_in(graph, pick_until_told, &never, NULL);
	edge_in(graph, first, pick);
	edge_in(graph, pick, pick);
	assert_int_equal(skua_graph_start(graph), SKUA_OK);
	assert_int_equal(skua_graph_wait(graph, skua_clock_ns() + MILLISECOND), SKUA_ETIMEDOUT);
	assert_int_equal(skua_pool_close(pool, SKUA_CLOSE_CANCEL), SKUA_OK);
	assert_int_equal(skua_graph_wait(graph, SKUA_FOREVER), SKUA_ECANCELED);
	assert_int_equal(skua_graph_close(graph), SKUA_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_graph_loops_while),
		cmocka_unit_test(test_graph_loops_nested_and_of_one),
		cmocka_unit_test(test_graph_loops_branch_not_taken_is_skipped),
		cmocka_unit_test(test_graph_loops_condition_fails),
		cmocka_unit_test(test_graph_loops_node_picked_by_many),
		cmocka_unit_test(test_graph_loops_node_waits_for_many_loops),
		cmocka_unit_test(test_graph_loops_cancelled_any_time),
		cmocka_unit_test(test_graph_loops_give_others_a_turn),
		cmocka_unit_test(test_graph_loops_end_with_their_pool),
	};
	return cmocka_run_group_tests_name("graph_loops", tests, NULL, NULL);
}
