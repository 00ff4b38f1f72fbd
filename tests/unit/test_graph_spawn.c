/* SPDX-License-Identifier: MIT */
/* test_graph_spawn.c — tasks that nodes spawn while they run; graphs whose pool is closed */
#include "unit/test_graph.h"

#include "os/thread.h"

#define TREE 5

static int spawn_tree(struct skua_slot *skua_here, void *argument)
{
	struct step *step = argument;
	int error = 0;

	(void)skua_here;
	skua_add(step->leaves, 1, relaxed);
	for (unsigned i = 0; step->depth > 0 && i < 3 && !error; i++)
		error = skua_graph_spawn(step->graph, step->node, spawn_tree, step + 1);
	if (step->depth == TREE)
		step->result = 1000; /* plain memory, after all that it spawned */
	return error;
}

static int check_tree(struct skua_slot *skua_here, void *argument)
{
	struct step *step = argument;

	(void)skua_here;
	step->result = (int)skua_load(step->leaves, relaxed) + step->other->result;
	return 0;
}

/* A node spawns, what it spawns does too; the node after it sees all of it done. */
static void test_graph_spawn_tasks_hold_up_what_comes_after(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 3; workers++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(workers);
		struct skua_graph *graph = graph_in(pool);
		struct step levels[TREE + 1], after;
		_Atomic uint32_t leaves = 0;
		for (unsigned i = 0; i <= TREE; i++)
			levels[i] = (struct step){ .graph = graph,
						   .depth = TREE - i,
						   .leaves = &leaves };
		after = (struct step){ .leaves = &leaves, .other = &levels[0] };
		skua_node top = task_in(graph, spawn_tree, &levels[0], NULL);
		for (unsigned i = 0; i <= TREE; i++)
			levels[i].node = top;
		edge_in(graph, top, task_in(graph, check_tree, &after, NULL));
		for (unsigned round = 0; round < 20; round++) {
			skua_store(&leaves, 0, relaxed);
			levels[0].result = 0;
			assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
			assert_int_equal(after.result, 1000 + 1 + 3 + 9 + 27 + 81 + 243);
			assert_int_equal(skua_graph_state(graph, top), SKUA_NODE_DONE);
		}
		graph_end(graph, pool);
	}
}

/* One child, on another worker, ends after the node's function: it goes on with what comes after,
 * which sees what the function did last.  TSan's test. */
static int start_late(struct skua_slot *skua_here, void *argument)
{
	struct step *step = argument;

	(void)skua_here;
	skua_add(&step->runs, 1, relaxed);
	spin_for(2 * MILLISECOND);
	return 0;
}

static int spawn_late(struct skua_slot *skua_here, void *argument)
{
	struct step *step = argument;
	int error = skua_graph_spawn(step->graph, step->node, start_late, step);

	(void)skua_here;
	step->result = reaches(&step->runs, 1) ? 1000 : 0;
	return error;
}

static void test_graph_spawn_last_child_goes_on(void **state)
{
	WATCH(30);
	struct skua_pool *pool = pool_of(2);
	struct skua_graph *graph = graph_in(pool);
	_Atomic uint32_t leaves = 0;
	struct step top = { .graph = graph }, after = { .leaves = &leaves, .other = &top };

	(void)state;
	top.node = task_in(graph, spawn_late, &top, NULL);
	edge_in(graph, top.node, task_in(graph, check_tree, &after, NULL));
	for (unsigned round = 0; round < 10; round++) {
		skua_store(&top.runs, 0, relaxed);
		top.result = after.result = 0;
		assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
		assert_int_equal(after.result, 1000);
	}
	graph_end(graph, pool);
}

static int spawn_failing(struct skua_slot *skua_here, void *argument)
{
	struct step *step = argument;

	(void)skua_here;
	return skua_graph_spawn(step->graph, step->node, do_step, step + 1);
}

static int spawn_after_cancel(struct skua_slot *skua_here, void *argument)
{
	struct step *step = argument;

	(void)skua_here;
	skua_graph_cancel(step->graph, SKUA_ECANCELED);
	step->result = skua_graph_spawn(step->graph, step->node, do_step, step + 1);
	return 0;
}

static int spawn_for_other(struct skua_slot *skua_here, void *argument)
{
	struct step *step = argument;

	(void)skua_here;
	if (skua_graph_spawn(step->graph, step->node, NULL, NULL) != SKUA_EINVAL)
		return 1;
	return skua_graph_spawn(step->graph, step[1].node, do_step, step + 1) == SKUA_EINVAL ? 0
											     : 2;
}

static void test_graph_spawn_tasks_fail_and_are_refused(void **state)
{
	static skua_node_run *const first[] = { spawn_failing, spawn_after_cancel,
						spawn_for_other };
	static const int want[] = { -66, SKUA_ECANCELED, SKUA_OK };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		WATCH(20);
		struct skua_pool *pool = pool_of(2);
		struct skua_graph *graph = graph_in(pool);
		struct step steps[2] = { { .graph = graph },
					 { .graph = graph, .result = i ? 0 : -66 } };
		steps[0].node = task_in(graph, first[i], &steps[0], NULL);
		steps[1].node = task_in(graph, do_step, &steps[1], NULL);
		edge_in(graph, steps[0].node, steps[1].node);
		assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), want[i]);
		assert_int_equal(skua_graph_state(graph, steps[0].node),
				 i == 0 ? SKUA_NODE_FAILED : SKUA_NODE_DONE);
		assert_int_equal(runs_of(&steps[1]), i != 1); /* spawned, or as a node */
		assert_int_equal(steps[0].result, i == 1 ? SKUA_ECANCELED : 0);
		graph_end(graph, pool);
	}
}

/* --- its pool is closed --- */

static int spawn_and_hold(struct skua_slot *skua_here, void *argument)
{
	struct step *step = argument;
	int error = skua_graph_spawn(step->graph, step->node, do_step, step + 1);

	return error ? error : hold_step(skua_here, argument);
}

struct closer {
	struct skua_pool *pool;
	int error;
};

static void close_cancelling(void *argument)
{
	struct closer *closer = argument;

	closer->error = skua_pool_close(closer->pool, SKUA_CLOSE_CANCEL);
}

/* A node runs and holds the only worker; others, a spawned task and the seed are queued. */
static void test_graph_spawn_pool_closed_cancels(void **state)
{
	enum {
		OTHERS = 200
	};

	(void)state;
	for (unsigned with_condition = 0; with_condition < 2; with_condition++) {
		WATCH(20);
		struct closer closer = { .pool = pool_of(1), .error = 1 };
		struct skua_graph *graph = graph_in(closer.pool);
		struct step steps[2] = { { .graph = graph }, { .result = 0 } };
		struct skuai_thread thread;
		_Atomic uint32_t runs = 0;
		steps[0].node = task_in(graph, spawn_and_hold, &steps[0], NULL);
		for (unsigned i = 0; i < OTHERS; i++)
			task_in(graph, count_node, &runs, NULL);
		if (with_condition)
			condition_in(graph, count_node, &runs, NULL);
		assert_int_equal(skua_graph_start(graph), SKUA_OK);
		assert_true(reaches(&steps[0].runs, 1));
		assert_int_equal(skua_pool_close_until(closer.pool, SKUA_CLOSE_CANCEL, 0),
				 SKUA_ETIMEDOUT);
		assert_int_equal(skuai_thread_start(&thread, close_cancelling, &closer, NULL),
				 SKUA_OK);
		skua_store(&steps[0].is_free, 1, release);
		assert_int_equal(skua_graph_wait(graph, SKUA_FOREVER), SKUA_ECANCELED);
		skuai_thread_join(&thread);
		assert_int_equal(closer.error, SKUA_OK);
		assert_int_equal(skua_load(&runs, relaxed) + runs_of(&steps[1]), 0);
		assert_int_equal(skua_graph_close(graph), SKUA_OK);
	}
}

static void test_graph_spawn_pool_closing_refuses(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_graph *graph = graph_in(pool), *late = graph_in(pool);
	struct step held = { .result = 0 };

	(void)state;
	task_in(graph, hold_step, &held, NULL);
	task_in(late, do_step, &held, NULL);
	assert_int_equal(skua_graph_start(graph), SKUA_OK);
	assert_true(reaches(&held.runs, 1));
	assert_int_equal(skua_pool_close_until(pool, SKUA_CLOSE_DRAIN, 0), SKUA_ETIMEDOUT);
	assert_int_equal(skua_graph_start(late), SKUA_ECLOSED);
	assert_int_equal(skua_graph_wait(late, 0), SKUA_EINVAL);
	skua_store(&held.is_free, 1, release);
	assert_int_equal(skua_graph_wait(graph, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_graph_close(late), SKUA_OK);
	graph_end(graph, pool);
}

/* What comes after a node that runs while its pool is closed does not run, not even directly. */
static void test_graph_spawn_pool_closed_stops_a_chain(void **state)
{
	WATCH(20);
	struct closer closer = { .pool = pool_of(1), .error = 1 };
	struct skua_graph *graph = graph_in(closer.pool);
	struct step held = { .result = 0 }, after = { .result = 0 };
	struct skuai_thread thread;

	(void)state;
	held.node = task_in(graph, hold_step, &held, NULL);
	after.node = task_in(graph, do_step, &after, NULL);
	edge_in(graph, held.node, after.node);
	assert_int_equal(skua_graph_start(graph), SKUA_OK);
	assert_true(reaches(&held.runs, 1));
	assert_int_equal(skua_pool_close_until(closer.pool, SKUA_CLOSE_CANCEL, 0), SKUA_ETIMEDOUT);
	assert_int_equal(skuai_thread_start(&thread, close_cancelling, &closer, NULL), SKUA_OK);
	skua_store(&held.is_free, 1, release);
	assert_int_equal(skua_graph_wait(graph, SKUA_FOREVER), SKUA_ECANCELED);
	skuai_thread_join(&thread);
	assert_int_equal(runs_of(&after), 0);
	assert_int_equal(skua_graph_state(graph, after.node), SKUA_NODE_SKIPPED);
	assert_int_equal(skua_graph_close(graph), SKUA_OK);
}

/*
 * A node is picked a second time while it runs; then its pool is closed with a task of it queued.
 * One worker: it comes to the second pick while the node waits for a job of another pool.
 */
struct picked {
	struct step step;
	struct skua_pool *other;
	_Atomic uint32_t is_picked;
};

static int pick_it(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
	return 0;
}

static int pick_it_again(struct skua_slot *skua_here, void *argument)
{
	struct picked *picked = argument;

	(void)skua_here;
	skua_store(&picked->is_picked, 1, release);
	return 0;
}

static void end_when_picked(struct skua_slot *skua_here, void *argument)
{
	struct picked *picked = argument;

	(void)skua_here;
	reaches(&picked->is_picked, 1);
}

static int wait_spawn_hold(struct skua_slot *skua_here, void *argument)
{
	struct picked *picked = argument;
	struct skua_job job = SKUA_JOB(end_when_picked, picked);

	if (skua_submit(picked->other, &job) || skua_job_wait(&job, SKUA_FOREVER))
		return 1;
	int error = skua_graph_spawn(picked->step.graph, picked->step.node, do_step, &picked->step);
	return error ? error : hold_step(skua_here, &picked->step);
}

static void test_graph_spawn_pool_closed_under_a_loop(void **state)
{
	WATCH(20);
	struct closer closer = { .pool = pool_of(1), .error = 1 };
	struct skua_graph *graph = graph_in(closer.pool);
	struct picked picked = { .step = { .graph = graph }, .other = pool_of(1) };
	struct skuai_thread thread;

	(void)state;
	skua_node first = condition_in(graph, pick_it, &picked, NULL);
	skua_node again = condition_in(graph, pick_it_again, &picked, NULL);
	picked.step.node = task_in(graph, wait_spawn_hold, &picked, NULL);
	edge_in(graph, first, picked.step.node);
	edge_in(graph, again, picked.step.node);
	assert_int_equal(skua_graph_start(graph), SKUA_OK);
	assert_true(reaches(&picked.step.runs, 1));
	assert_int_equal(skua_pool_close_until(closer.pool, SKUA_CLOSE_CANCEL, 0), SKUA_ETIMEDOUT);
	assert_int_equal(skuai_thread_start(&thread, close_cancelling, &closer, NULL), SKUA_OK);
	skua_store(&picked.step.is_free, 1, release);
	assert_int_equal(skua_graph_wait(graph, SKUA_FOREVER), SKUA_ECANCELED);
	skuai_thread_join(&thread);
	assert_int_equal(runs_of(&picked.step), 1);
	assert_int_equal(skua_graph_close(graph), SKUA_OK);
	pool_end(picked.other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_graph_spawn_tasks_hold_up_what_comes_after),
		cmocka_unit_test(test_graph_spawn_last_child_goes_on),
		cmocka_unit_test(test_graph_spawn_tasks_fail_and_are_refused),
		cmocka_unit_test(test_graph_spawn_pool_closed_cancels),
		cmocka_unit_test(test_graph_spawn_pool_closing_refuses),
		cmocka_unit_test(test_graph_spawn_pool_closed_stops_a_chain),
		cmocka_unit_test(test_graph_spawn_pool_closed_under_a_loop),
	};
	return cmocka_run_group_tests_name("graph_spawn", tests, NULL, NULL);
}
