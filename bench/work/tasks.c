/* SPDX-License-Identifier: MIT */
/* tasks.c — what a task costs: empty ones, round trips, nodes of a graph */
#include "tasks.h"

#include "base/atomic.h"

#include <skua/fork.h>
#include <skua/future.h>
#include <skua/graph.h>
#include <skua/group.h>
#include <stdlib.h>
#include <string.h>

/*
 * The cases of bench/peers/tasks, where other runtimes are measured alike.  Inside: by a worker,
 * whom skua_run lets the calling thread be.  Outside: by the calling thread as such, which hands
 * over and waits, but runs nothing itself.  A first pass with a tenth of the tasks is not timed.
 *
 * The serial programs call the same function as often, through a pointer that the compiler cannot
 * see through.  There is none for building a graph.
 */

/* --- tallies --- */

static _Thread_local struct {
	uint64_t era;
	struct tasks_tally *tally;
} mine;

static void enlist(struct tasks *tasks)
{
	/* order tasks.enlist.1: relaxed, a number of one's own; the wait for all publishes it */
	unsigned number = skua_add(&tasks->threads, 1, relaxed);

	if (number >= TASKS_THREADS)
		abort(); /* more threads than skua bench can be asked for */
	mine.tally = &tasks->tallies[number];
	mine.era = tasks->era;
}

void tasks_ran(struct tasks *tasks)
{
	if (mine.era != tasks->era)
		enlist(tasks);
	mine.tally->ran++;
}

uint64_t tasks_ran_count(struct tasks *tasks)
{
	/* order tasks.count.1: relaxed, after the wait for all that count */
	unsigned threads = skua_load(&tasks->threads, relaxed);
	uint64_t sum = 0;

	for (unsigned i = 0; i < threads; i++) {
		sum += tasks->tallies[i].ran;
		tasks->tallies[i].ran = 0;
	}
	return sum;
}

static void expect(struct tasks *tasks, bool is_right)
{
	tasks->is_wrong |= !is_right;
}

/* --- empty tasks --- */

static int empty_task(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	tasks_ran(argument);
	return 0;
}

/* Each case gives the nanoseconds that all of n tasks took. */
static int64_t spawn(struct tasks *tasks, uint64_t n)
{
	struct skua_group_options options = { .size = sizeof(options), .pool = tasks->pool };
	struct skua_group group;
	int error = skua_group_open(&group, &options);

	if (error) {
		tasks->is_wrong = true;
		return 0;
	}
	int64_t start = skua_clock_ns();
	for (uint64_t i = 0; i < n; i++)
		error |= skua_go(&group, empty_task, (void *)tasks);
	error |= skua_group_wait(&group, SKUA_FOREVER);
	int64_t end = skua_clock_ns();
	expect(tasks, !error && tasks_ran_count(tasks) == n);
	return end - start;
}

static int64_t spawn_plain(struct tasks *tasks, uint64_t n)
{
	skua_group_task *volatile pointer = empty_task;
	skua_group_task *task = pointer;
	int64_t start = skua_clock_ns();
	int error = 0;

	for (uint64_t i = 0; i < n; i++)
		error |= task(NULL, tasks);
	int64_t end = skua_clock_ns();
	expect(tasks, !error && tasks_ran_count(tasks) == n);
	return end - start;
}

/* --- round trips --- */

struct trip {
	uint64_t *sum, value;
};

static int trip_task(struct skua_slot *skua_here, void *argument)
{
	const struct trip *trip = argument;

	(void)skua_here;
	*trip->sum += trip->value; /* one trip at a time; twice would be too much */
	return 0;
}

static int64_t round_trip(struct tasks *tasks, uint64_t n)
{
	uint64_t sum = 0;
	int error = 0;
	int64_t start = skua_clock_ns();

	for (uint64_t i = 1; i <= n; i++) {
		struct skua_future future = { 0 };
		error |= skua_async(tasks->pool, &future, trip_task, &(struct trip){ &sum, i });
		error |= skua_await(&future, SKUA_FOREVER);
	}
	int64_t end = skua_clock_ns();
	expect(tasks, !error && sum == n * (n + 1) / 2);
	return end - start;
}

static int64_t round_trip_plain(struct tasks *tasks, uint64_t n)
{
	skua_group_task *volatile pointer = trip_task;
	skua_group_task *task = pointer;
	uint64_t sum = 0;
	int error = 0;
	int64_t start = skua_clock_ns();

	for (uint64_t i = 1; i <= n; i++)
		error |= task(NULL, &(struct trip){ &sum, i });
	int64_t end = skua_clock_ns();
	expect(tasks, !error && sum == n * (n + 1) / 2);
	return end - start;
}

/* --- a graph --- */

/*
 * Layers of TASKS_WIDTH nodes.  Node j of layer l > 0 waits for two nodes of the layer before: j
 * and (j + 1 + l % (TASKS_WIDTH - 1)) % TASKS_WIDTH.
 */
static int build_layers(struct tasks *tasks, uint64_t n)
{
	skua_node layers[2][TASKS_WIDTH] = { { 0 } };
	int error = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t layer = i / TASKS_WIDTH, j = i % TASKS_WIDTH;
		skua_node *node = &layers[layer % 2][j], *before = layers[!(layer % 2)];

		error |= skua_graph_task(tasks->graph, node, empty_task, tasks, NULL);
		if (!layer)
			continue;
		error |= skua_graph_edge(tasks->graph, before[j], *node);
		j = (j + 1 + layer % (TASKS_WIDTH - 1)) % TASKS_WIDTH;
		error |= skua_graph_edge(tasks->graph, before[j], *node);
	}
	return error;
}

static void drop_graph(struct tasks *tasks)
{
	expect(tasks, skua_graph_close(tasks->graph) == 0);
	tasks->graph = NULL;
}

/* Ready to run: the check that the first start would make belongs to it. */
static int64_t graph_build(struct tasks *tasks, uint64_t n)
{
	struct skua_graph_options options = { .size = sizeof(options), .pool = tasks->pool };

	drop_graph(tasks);
	int64_t start = skua_clock_ns();
	int error = skua_graph_open(&tasks->graph, &options);
	if (!error)
		error = build_layers(tasks, n);
	if (!error)
		error = skua_graph_check(tasks->graph, NULL, 0, NULL);
	int64_t end = skua_clock_ns();
	expect(tasks, !error);
	return end - start;
}

/* Of the graph that was built last, for the second time: the first also meets cold memory. */
static int64_t graph_run(struct tasks *tasks, uint64_t n)
{
	int64_t start = 0, end = 0;

	for (int round = 0; round < 2; round++) {
		start = skua_clock_ns();
		int error = skua_graph_run(tasks->graph, SKUA_FOREVER);
		end = skua_clock_ns();
		expect(tasks, !error && tasks_ran_count(tasks) == n);
	}
	return end - start;
}

/* --- the cases --- */

typedef int64_t measure_case(struct tasks *tasks, uint64_t n);

static const struct {
	const char *name, *role;
	measure_case *skua, *plain;
	bool is_inside;
	unsigned divisor; /* so many times fewer than the problem has */
} cases[] = {
	{ "spawn_inside", "a task, by a worker", spawn, spawn_plain, true, 1 },
	{ "spawn_outside", "a task, from outside", spawn, spawn_plain, false, 1 },
	{ "round_trip_inside", "round trip, by a worker", round_trip, round_trip_plain, true, 10 },
	{ "round_trip_outside", "round trip, from outside", round_trip, round_trip_plain, false,
	  10 },
	{ "graph_build", "graph: a node, 2 edges", graph_build, NULL, true, 1 },
	{ "graph_run", "graph: a node, run again", graph_run, spawn_plain, true, 1 },
};

#define CASES (sizeof(cases) / sizeof(cases[0]))

SKUA_TASK(int64_t, inside, measure_case *, measure, struct tasks *, tasks, uint64_t, n)
{
	(void)skua_here;
	return measure(tasks, n);
}

/* The first case is what the kernel is compared by. */
static void note(struct tasks *tasks, unsigned i, int64_t ns, uint64_t n)
{
	struct work_notes *notes = &tasks->notes;

	if (i == 0)
		notes->seconds = (double)ns * 1e-9;
	notes->readings[notes->count++] = (struct work_reading){ cases[i].name, cases[i].role,
								 (double)ns / (double)n };
	tasks->measured++;
}

static uint64_t count_of(const struct tasks *tasks, unsigned i, uint64_t divisor)
{
	uint64_t n = tasks->count / cases[i].divisor / divisor;

	return n ? n : 1;
}

static int64_t measure(struct tasks *tasks, unsigned i, uint64_t n)
{
	if (cases[i].is_inside)
		return skua_run(tasks->pool, inside, cases[i].skua, tasks, n);
	return cases[i].skua(tasks, n);
}

static void run_skua(void *data, struct skua_pool *pool)
{
	struct tasks *tasks = data;

	tasks->pool = pool;
	for (unsigned i = 0; i < CASES; i++)
		measure(tasks, i, count_of(tasks, i, TASKS_WARM));
	for (unsigned i = 0; i < CASES; i++) {
		uint64_t n = count_of(tasks, i, 1);
		note(tasks, i, measure(tasks, i, n), n);
	}
	drop_graph(tasks);
}

static void run_serial(void *data)
{
	struct tasks *tasks = data;

	for (unsigned i = 0; i < CASES; i++) {
		uint64_t n = count_of(tasks, i, 1);
		if (cases[i].plain)
			note(tasks, i, cases[i].plain(tasks, n), n);
	}
}

static void *prepare(const struct work_problem *problem)
{
	static uint64_t eras;
	struct tasks *tasks = aligned_alloc(_Alignof(struct tasks), sizeof(*tasks));

	if (!tasks)
		return NULL;
	memset(tasks, 0, sizeof(*tasks));
	tasks->count = problem->size;
	tasks->era = ++eras;
	return tasks;
}

static void reset(void *data)
{
	struct tasks *tasks = data;

	tasks_ran_count(tasks);
	tasks->is_wrong = false;
	tasks->measured = 0;
	tasks->notes = (struct work_notes){ 0 };
}

static bool check(void *data)
{
	struct tasks *tasks = data;

	return !tasks->is_wrong && tasks->measured >= CASES - 1 && !tasks_ran_count(tasks);
}

static const struct work_notes *notes(const void *data)
{
	return &((const struct tasks *)data)->notes;
}

static const struct work_problem problems[] = {
	{ .name = "3000", .tier = WORK_TEST, .size = 3000 },
	{ .name = "100k", .tier = WORK_QUICK, .size = 100000 },
	{ .name = "1M", .tier = WORK_USUAL, .size = 1000000 },
	{ .name = NULL },
};

const struct work work_tasks = {
	.name = "tasks",
	.role = "empty tasks, round trips and nodes of a graph, one by one",
	.unit = "tasks",
	.problems = problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_skua,
	.check = check,
	.drop = free,
	.notes = notes,
};
