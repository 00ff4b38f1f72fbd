/* SPDX-License-Identifier: MIT */
/* simcmd_trace.c — the tasks of a recorded trace as a dag: how long each ran, inside of which */
#include "sim/simcmd.h"
#include "text.h"
#include "trace/trace_walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A trace knows when a task ran, on whom, and from whom it was stolen; not who waited for it, and
 * of forks that nobody stole not even that they were.  So a task becomes a node that costs what it
 * ran or blocked, without its waits and without the tasks that were run inside of those; and it may
 * begin when the task has begun inside of which it was run, or from under which it was stolen.
 * With the recorded number of workers that gives the recorded time, nearly; with more of them no
 * task is divided further than it was.
 */
struct task {
	uint32_t worker;
	uint32_t parent; /* the task it stands in, on the same worker; SIM_NONE: none */
	uint16_t victim; /* SKUAI_TRACE_NOBODY: not stolen */
	int64_t begin, end;
	uint64_t ran;
	uint32_t node; /* of its beginning, in the dag */
	bool has_inner;
};

struct tasks {
	struct task *all; /* ring by ring, each in the order they began */
	uint32_t count, room;
	uint32_t *ring_first; /* of each ring, the first task; and one behind the last */
};

static bool add_task(struct tasks *tasks, struct task task)
{
	if (tasks->count == tasks->room) {
		uint32_t room = tasks->room ? 2 * tasks->room : 1024;
		struct task *more = room > UINT32_MAX / 4
					    ? NULL
					    : realloc(tasks->all, room * sizeof(*more));
		if (!more)
			return false;
		tasks->all = more;
		tasks->room = room;
	}
	tasks->all[tasks->count++] = task;
	return true;
}

/* One ring; `open` is the innermost task.  False: no memory. */
static bool walk_ring(const struct trace *trace, const struct trace_ring *ring, struct tasks *tasks)
{
	struct walk walk;
	struct walk_step step = { .what = WALK_POINT };
	uint32_t open = SIM_NONE;
	int64_t last = trace->begin_ns;

	if (!walk_start(&walk, trace, ring))
		return false;
	while (step.what != WALK_END && step.what != WALK_NO_MEMORY) {
		enum trace_state state = walk_state(&walk);
		walk_next(&walk, &step);
		if (open != SIM_NONE && step.ns > last &&
		    (state == STATE_RUNNING || state == STATE_BLOCKED))
			tasks->all[open].ran += (uint64_t)(step.ns - last);
		last = step.ns > last ? step.ns : last;
		if (step.what == WALK_OPEN && step.slice.kind == SLICE_TASK) {
			bool is_stolen = step.slice.record.detail == SKUAI_TRACE_OF_FORK ||
					 step.slice.record.detail == SKUAI_TRACE_OF_DEQUE;
			struct task task = { .worker = ring->worker,
					     .parent = open,
					     .victim = is_stolen && !step.slice.is_before
							       ? step.slice.record.peer
							       : SKUAI_TRACE_NOBODY,
					     .begin = step.ns,
					     .end = INT64_MAX };
			if (!add_task(tasks, task))
				step.what = WALK_NO_MEMORY;
			else
				open = tasks->count - 1;
		} else if (step.what == WALK_SHUT && step.slice.kind == SLICE_TASK &&
			   open != SIM_NONE) {
			tasks->all[open].end = step.ns;
			open = tasks->all[open].parent;
		}
	}
	walk_stop(&walk);
	return step.what == WALK_END;
}

static bool read_tasks(const struct trace *trace, struct tasks *tasks)
{
	tasks->ring_first = calloc(trace->ring_count + 1, sizeof(*tasks->ring_first));
	if (!tasks->ring_first)
		return false;
	for (size_t i = 0; i < trace->ring_count; i++) {
		tasks->ring_first[i] = tasks->count;
		if (!trace_is_outside(trace, &trace->rings[i]) &&
		    !walk_ring(trace, &trace->rings[i], tasks))
			return false;
	}
	tasks->ring_first[trace->ring_count] = tasks->count;
	return true;
}

/* The innermost task that a worker was in at a moment; SIM_NONE: none. */
static uint32_t task_at(const struct trace *trace, const struct tasks *tasks, uint16_t worker,
			int64_t when)
{
	const struct trace_ring *ring = trace_find_ring(trace, worker);

	if (!ring)
		return SIM_NONE;
	uint32_t low = tasks->ring_first[ring - trace->rings];
	uint32_t first = low, high = tasks->ring_first[ring - trace->rings + 1];
	while (low < high) { /* the first that began later */
		uint32_t middle = low + (high - low) / 2;
		if (tasks->all[middle].begin <= when)
			low = middle + 1;
		else
			high = middle;
	}
	uint32_t task = low > first ? low - 1 : SIM_NONE;
	while (task != SIM_NONE && tasks->all[task].end <= when)
		task = tasks->all[task].parent;
	return task;
}

/* Which task each can begin after; a circle cannot be: it began earlier. */
static void find_parents(const struct trace *trace, struct tasks *tasks)
{
	for (uint32_t i = 0; i < tasks->count; i++) {
		struct task *task = &tasks->all[i];
		uint32_t from = task->parent;

		if (task->victim != SKUAI_TRACE_NOBODY && task->victim != task->worker)
			from = task_at(trace, tasks, task->victim, task->begin);
		if (from != SIM_NONE && (tasks->all[from].begin >= task->begin || from == i))
			from = SIM_NONE;
		task->node = from; /* until the nodes are there */
		if (from != SIM_NONE)
			tasks->all[from].has_inner = true;
	}
}

static bool make_dag(const struct tasks *tasks, struct simcmd_plan *plan)
{
	struct simcmd_dag dag = { 0 };
	uint32_t *begins = malloc(((size_t)tasks->count + 1) * sizeof(*begins));

	for (uint32_t i = 0; begins && i < tasks->count; i++)
		begins[i] = simcmd_dag_node(&dag, tasks->all[i].has_inner ? 0 : tasks->all[i].ran);
	for (uint32_t i = 0; begins && i < tasks->count && !dag.is_short; i++) {
		if (tasks->all[i].node != SIM_NONE)
			simcmd_dag_edge(&dag, begins[tasks->all[i].node], begins[i]);
	}
	/* Its own run is added last: whoever begins it goes on with it. */
	for (uint32_t i = 0; begins && i < tasks->count && !dag.is_short; i++) {
		if (tasks->all[i].has_inner)
			simcmd_dag_edge(&dag, begins[i], simcmd_dag_node(&dag, tasks->all[i].ran));
	}
	dag.is_short |= !begins;
	free(begins);
	return simcmd_dag_finish(&dag, plan);
}

static bool use_trace(const char *path, const struct trace *trace, struct simcmd_plan *plan)
{
	struct tasks tasks = { 0 };
	bool is_good = read_tasks(trace, &tasks);
	struct simcmd_load *load = &plan->load;

	if (!is_good) {
		simcmd_no_memory();
	} else if (!tasks.count) {
		fprintf(stderr,
			"skua sim: %s has no task in it; record a program that runs some, with "
			"SKUA_TRACE=file\n",
			text_clean(path, 200).s);
		is_good = false;
	} else {
		find_parents(trace, &tasks);
		is_good = make_dag(&tasks, plan);
	}
	free(tasks.all);
	free(tasks.ring_first);
	if (!is_good)
		return false;
	plan->base.model = SIM_TASKS;
	load->unit = "ns";
	load->recorded = trace_length(trace);
	load->recorded_workers = (uint32_t)trace_fact_number(trace, "workers");
	if (!load->recorded_workers || load->recorded_workers > SIM_WORKERS_MAX)
		load->recorded_workers = trace_workers(trace) ? trace_workers(trace) : 1;
	snprintf(load->name, sizeof(load->name), "trace");
	snprintf(load->about, sizeof(load->about), "the tasks of a recorded trace");
	if (trace->dropped || trace->is_truncated)
		fprintf(stderr,
			"skua sim: %s is not whole (%" PRIu64
			" records were overwritten%s): what is missing is not simulated\n",
			text_clean(path, 200).s, trace->dropped,
			trace->is_truncated ? ", and it is cut short" : "");
	return true;
}

bool simcmd_trace_file(const char *path, struct simcmd_plan *plan)
{
	struct trace trace;
	struct trace_fault fault;
	size_t size;
	char *bytes = simcmd_read_file(path, &size);

	if (!bytes)
		return false;
	if (!trace_parse(&trace, bytes, size, &fault)) {
		fprintf(stderr,
			"skua sim: cannot read %s: at byte %" PRIu64
			": %s\n    it should be what SKUA_TRACE=file wrote\n",
			text_clean(path, 200).s, fault.at, fault.what);
		free(bytes);
		return false;
	}
	bool is_good = use_trace(path, &trace, plan);
	trace_drop(&trace);
	free(bytes);
	return is_good;
}
