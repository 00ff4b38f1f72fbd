/* SPDX-License-Identifier: MIT */
/* test_graph_run.c — runs: errors, cancellation, deadlines, who waits, children of fork() */
#include "unit/test_graph.h"

#include "os/thread.h"

#include <stdlib.h>
#include <sys/wait.h>

/* --- errors --- */

/* a -> b -> c; b fails, once. */
static void test_graph_run_stops_at_an_error(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 2; workers++) {
		WATCH(20);
		struct skua_pool *pool = pool_of(workers);
		struct skua_graph *graph = graph_in(pool);
		struct step steps[3] = { { .graph = graph }, { .result = -77 }, { .result = 0 } };
		for (unsigned i = 0; i < 3; i++)
			steps[i].node = task_in(graph, do_step, &steps[i], NULL);
		edge_in(graph, steps[0].node, steps[1].node);
		edge_in(graph, steps[1].node, steps[2].node);
		assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), -77);
		assert_int_equal(skua_graph_wait(graph, SKUA_FOREVER), -77); /* still */
		assert_int_equal(skua_graph_state(graph, steps[0].node), SKUA_NODE_DONE);
		assert_int_equal(skua_graph_state(graph, steps[1].node), SKUA_NODE_FAILED);
		assert_int_equal(skua_graph_state(graph, steps[2].node), SKUA_NODE_SKIPPED);
		assert_int_equal(runs_of(&steps[2]), 0);
		steps[1].result = 0;
		assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(skua_graph_state(graph, steps[i].node), SKUA_NODE_DONE);
		assert_int_equal(runs_of(&steps[2]), 1);
		graph_end(graph, pool);
	}
}

/* Two fail; the second only after the first has. */
static void test_graph_run_first_error_wins(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	struct skua_graph *graph = graph_in(pool);
	struct step late = { .result = 5 }, early = { .result = 4 };

	(void)state;
	late.node = task_in(graph, hold_step, &late, NULL);
	early.node = task_in(graph, hold_step, &early, NULL);
	assert_int_equal(skua_graph_start(graph), SKUA_OK);
	assert_true(reaches(&late.runs, 1));
	assert_true(reaches(&early.runs, 1));
	skua_store(&early.is_free, 1, release);
	while (skua_graph_state(graph, early.node) != SKUA_NODE_FAILED)
		sleep_ns(MILLISECOND);
	assert_int_equal(skua_graph_state(graph, late.node), SKUA_NODE_RUNNING);
	skua_store(&late.is_free, 1, release);
	assert_int_equal(skua_graph_wait(graph, SKUA_FOREVER), 4);
	assert_int_equal(skua_graph_state(graph, late.node), SKUA_NODE_FAILED);
	graph_end(graph, pool);
}

#define LAYERS 40
#define WIDTH  25

/* Anywhere in a large graph: what is behind it did not run, and the next run is as new. */
static void test_graph_run_after_an_error_is_as_new(void **state)
{
	struct step *steps = calloc(LAYERS * WIDTH, sizeof(*steps));

	(void)state;
	for (uint64_t round = 0; round < test_rounds(20); round++) {
		WATCH(30);
		struct skua_pool *pool = pool_of(1 + (int)(round % 3));
		struct skua_graph *graph = graph_in(pool);
		memset(steps, 0, LAYERS * WIDTH * sizeof(*steps));
		for (unsigned i = 0; i < LAYERS * WIDTH; i++) {
			steps[i].node = task_in(graph, do_step, &steps[i], NULL);
			for (unsigned k = 0; i >= WIDTH && k < WIDTH; k++) /* all of the layer */
				edge_in(graph, steps[(i / WIDTH - 1) * WIDTH + k].node,
					steps[i].node);
		}
		unsigned bad = (unsigned)(test_random() % (LAYERS * WIDTH));
		steps[bad].result = SKUA_EIO;
		assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_EIO);
		for (unsigned i = 0; i < LAYERS * WIDTH; i++) {
			if (i / WIDTH != bad / WIDTH)
				assert_int_equal(runs_of(&steps[i]), i < bad);
			assert_true(runs_of(&steps[i]) <= 1);
			int want = i == bad		? SKUA_NODE_FAILED
				   : runs_of(&steps[i]) ? SKUA_NODE_DONE
							: SKUA_NODE_SKIPPED;
			assert_int_equal(skua_graph_state(graph, steps[i].node), want);
			skua_store(&steps[i].runs, 0, relaxed);
		}
		steps[bad].result = 0;
		assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
		for (unsigned i = 0; i < LAYERS * WIDTH; i++)
			assert_int_equal(runs_of(&steps[i]), 1);
		graph_end(graph, pool);
	}
	free(steps);
}

/* --- cancel, deadline, busy --- */

static void test_graph_run_is_busy_and_times_out(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_graph *graph = graph_in(pool);
	struct step held = { .result = 0 }, after = { .result = 0 };
	skua_node node = 77;

	(void)state;
	held.node = task_in(graph, hold_step, &held, NULL);
	after.node = task_in(graph, do_step, &after, NULL);
	edge_in(graph, held.node, after.node);
	assert_int_equal(skua_graph_run(graph, skua_clock_ns() + MILLISECOND), SKUA_ETIMEDOUT);
	assert_true(skua_graph_is_running(graph));
	assert_true(reaches(&held.runs, 1));
	assert_int_equal(skua_graph_state(graph, held.node), SKUA_NODE_RUNNING);
	assert_int_equal(skua_graph_state(graph, after.node), SKUA_NODE_WAITING);
	assert_int_equal(skua_graph_start(graph), SKUA_EBUSY);
	assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_EBUSY);
	assert_int_equal(skua_graph_task(graph, &node, do_step, NULL, NULL), SKUA_EBUSY);
	assert_int_equal(skua_graph_condition(graph, &node, do_step, NULL, NULL), SKUA_EBUSY);
	assert_int_equal(skua_graph_edge(graph, held.node, after.node), SKUA_EBUSY);
	assert_int_equal(skua_graph_touch(graph, held.node, &held, SKUA_READS), SKUA_EBUSY);
	assert_int_equal(skua_graph_close(graph), SKUA_EBUSY);
	assert_int_equal(node, 77);
	assert_int_equal(skua_graph_wait(graph, 0), SKUA_ETIMEDOUT);
	skua_store(&held.is_free, 1, release);
	assert_int_equal(skua_graph_wait(graph, SKUA_FOREVER), SKUA_OK);
	assert_false(skua_graph_is_running(graph));
	assert_int_equal(runs_of(&after), 1);
	assert_int_equal(info_of(graph).edges, 1);
	/* Once more: what the last run left does not count. */
	skua_store(&held.is_free, 0, release);
	assert_int_equal(skua_graph_start(graph), SKUA_OK);
	assert_true(reaches(&held.runs, 2));
	assert_int_equal(skua_graph_state(graph, after.node), SKUA_NODE_WAITING);
	skua_store(&held.is_free, 1, release);
	assert_int_equal(skua_graph_wait(graph, SKUA_FOREVER), SKUA_OK);
	graph_end(graph, pool);
}

static int cancel_own(struct skua_slot *skua_here, void *argument)
{
	struct step *step = argument;

	(void)skua_here;
	step->result = skua_graph_cancel(step->graph, -88);
	return 3; /* too late: the first counts */
}

static void test_graph_run_cancelled_starts_nothing_more(void **state)
{
	(void)state;
	for (unsigned from_inside = 0; from_inside < 2; from_inside++) {
		WATCH(20);
		struct skua_pool *pool = pool_of(2);
		struct skua_graph *graph = graph_in(pool);
		struct step first = { .graph = graph }, after = { .result = 0 };
		first.node = task_in(graph, from_inside ? cancel_own : hold_step, &first, NULL);
		after.node = task_in(graph, do_step, &after, NULL);
		edge_in(graph, first.node, after.node);
		assert_int_equal(skua_graph_start(graph), SKUA_OK);
		if (!from_inside) {
			assert_true(reaches(&first.runs, 1));
			assert_int_equal(skua_graph_cancel(graph, -88), SKUA_OK);
			assert_int_equal(skua_graph_cancel(graph, -89), SKUA_OK);
			skua_store(&first.is_free, 1, release);
		}
		assert_int_equal(skua_graph_wait(graph, SKUA_FOREVER), -88);
		assert_int_equal(first.result, SKUA_OK);
		assert_int_equal(runs_of(&after), 0);
		assert_int_equal(skua_graph_state(graph, after.node), SKUA_NODE_SKIPPED);
		graph_end(graph, pool);
	}
}

/* --- who waits --- */

static int wait_for_own(struct skua_slot *skua_here, void *argument)
{
	struct step *step = argument;

	(void)skua_here;
	if (skua_graph_run(step->graph, SKUA_FOREVER) != SKUA_EBUSY)
		return 1;
	return skua_graph_wait(step->graph, SKUA_FOREVER) == SKUA_ECYCLE ? 0 : 2;
}

static void test_graph_run_own_node_cannot_wait(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	struct skua_graph *graph = graph_in(pool);
	struct step step = { .graph = graph };

	(void)state;
	task_in(graph, wait_for_own, &step, NULL);
	assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
	graph_end(graph, pool);
}

static int run_inner(struct skua_slot *skua_here, void *argument)
{
	struct step *step = argument;

	(void)skua_here;
	return skua_graph_run(step->inner, SKUA_FOREVER);
}

static void run_as_job(struct skua_slot *skua_here, void *argument)
{
	struct step *step = argument;

	step->result = run_inner(skua_here, argument);
}

/* A graph in a node of a graph in a job, with one worker to do it all. */
static void test_graph_run_inside_one_another(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 3; workers++) {
		WATCH(30);
		struct skua_pool *pool = pool_of(workers);
		struct skua_graph *inner[8], *outer = graph_in(pool);
		struct step steps[8], job_step = { .inner = outer, .result = 1 };
		struct skua_job job = SKUA_JOB(run_as_job, &job_step);
		_Atomic uint32_t runs = 0;
		for (unsigned i = 0; i < 8; i++) {
			inner[i] = graph_in(pool);
			for (unsigned k = 0; k < 100; k++)
				task_in(inner[i], count_node, &runs, NULL);
			steps[i] = (struct step){ .inner = inner[i] };
			task_in(outer, run_inner, &steps[i], NULL);
		}
		assert_int_equal(skua_submit(pool, &job), SKUA_OK);
		assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
		assert_int_equal(job_step.result, SKUA_OK);
		assert_int_equal(skua_load(&runs, relaxed), 800);
		for (unsigned i = 0; i < 8; i++)
			assert_int_equal(skua_graph_close(inner[i]), SKUA_OK);
		graph_end(outer, pool);
	}
}

struct starter {
	struct skuai_thread thread;
	struct skua_graph *graph;
	unsigned started, refused, wrong;
};

static void start_often(void *argument)
{
	struct starter *starter = argument;

	for (unsigned i = 0; i < 400; i++) {
		int error = skua_graph_start(starter->graph);
		starter->started += error == SKUA_OK;
		starter->refused += error == SKUA_EBUSY;
		starter->wrong += skua_graph_wait(starter->graph, SKUA_FOREVER) != SKUA_OK;
	}
}

/* Several start and wait at once: each start is a run, or refused. */
static void test_graph_run_several_start_and_wait(void **state)
{
	WATCH(60);
	struct skua_pool *pool = pool_of(2);
	struct skua_graph *graph = graph_in(pool);
	struct starter starters[3];
	_Atomic uint32_t runs = 0;
	unsigned started = 0;

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		task_in(graph, count_node, &runs, NULL);
	assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK); /* the first one alone */
	for (unsigned i = 0; i < 3; i++) {
		starters[i] = (struct starter){ .graph = graph };
		assert_int_equal(
			skuai_thread_start(&starters[i].thread, start_often, &starters[i], NULL),
			SKUA_OK);
	}
	for (unsigned i = 0; i < 3; i++) {
		skuai_thread_join(&starters[i].thread);
		assert_int_equal(starters[i].started + starters[i].refused, 400);
		assert_int_equal(starters[i].wrong, 0);
		started += starters[i].started;
	}
	assert_int_equal(skua_load(&runs, relaxed), 5 * (started + 1));
	graph_end(graph, pool);
}

/* Closed by its waiter the moment it is over: nobody may look at it any more.  ASan's test. */
static void test_graph_run_may_be_closed_at_once(void **state)
{
	WATCH(60);
	struct skua_pool *pool = pool_of(3);
	_Atomic uint32_t runs = 0;

	(void)state;
	for (uint64_t round = 0; round < test_rounds(SLOW_BUILD ? 200 : 2000); round++) {
		struct skua_graph *graph = graph_in(pool);
		skua_node top = task_in(graph, count_node, &runs, NULL);
		for (unsigned i = 0; i < 6; i++)
			edge_in(graph, top, task_in(graph, count_node, &runs, NULL));
		assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
		assert_int_equal(skua_graph_close(graph), SKUA_OK);
	}
	pool_end(pool);
}

/* --- fork(2) --- */

struct forking {
	struct skua_graph *running, *idle;
	skua_node node;
	_Atomic uint32_t *runs;
};

static void child_of_fork(void *argument)
{
	struct forking *f = argument;
	skua_node node;
	int bad = 0;

	bad |= skua_graph_wait(f->running, SKUA_FOREVER) != SKUA_EFORKED ? 1 : 0;
	bad |= skua_graph_start(f->running) != SKUA_EFORKED ? 2 : 0;
	bad |= skua_graph_task(f->running, &node, count_node, f->runs, NULL) != SKUA_EFORKED ? 4
											     : 0;
	bad |= skua_graph_close(f->running) != SKUA_OK ? 8 : 0;
	bad |= skua_graph_run(f->idle, SKUA_FOREVER) != SKUA_OK ? 16 : 0;
	bad |= skua_load(f->runs, relaxed) != 1 ? 32 : 0;
	bad |= skua_graph_close(f->idle) != SKUA_OK ? 64 : 0;
	_exit(bad);
}

static void test_graph_run_child_of_fork_is_told(void **state)
{
	WATCH(30);
	struct skua_pool *pool = pool_of(2);
	struct step held = { .result = 0 };
	_Atomic uint32_t runs = 0;
	struct forking f = { .running = graph_in(pool), .idle = graph_in(pool), .runs = &runs };

	(void)state;
	if (SLOW_BUILD)
		skip(); /* TSan and threads in a child of fork() do not go together */
	task_in(f.running, hold_step, &held, NULL);
	task_in(f.idle, count_node, &runs, NULL);
	assert_int_equal(skua_graph_start(f.running), SKUA_OK);
	assert_true(reaches(&held.runs, 1));
	assert_int_equal(test_in_child(child_of_fork, &f), 0);
	skua_store(&held.is_free, 1, release);
	assert_int_equal(skua_graph_wait(f.running, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&runs, relaxed), 0);
	assert_int_equal(skua_graph_close(f.idle), SKUA_OK);
	graph_end(f.running, pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_graph_run_stops_at_an_error),
		cmocka_unit_test(test_graph_run_first_error_wins),
		cmocka_unit_test(test_graph_run_after_an_error_is_as_new),
		cmocka_unit_test(test_graph_run_is_busy_and_times_out),
		cmocka_unit_test(test_graph_run_cancelled_starts_nothing_more),
		cmocka_unit_test(test_graph_run_own_node_cannot_wait),
		cmocka_unit_test(test_graph_run_inside_one_another),
		cmocka_unit_test(test_graph_run_several_start_and_wait),
		cmocka_unit_test(test_graph_run_may_be_closed_at_once),
		cmocka_unit_test(test_graph_run_child_of_fork_is_told),
	};
	return cmocka_run_group_tests_name("graph_run", tests, NULL, NULL);
}
