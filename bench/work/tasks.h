/* SPDX-License-Identifier: MIT */
/* tasks.h — what a task costs: empty ones, round trips, nodes of a graph */
#ifndef SKUA_WORK_TASKS_H
#define SKUA_WORK_TASKS_H

#include "work.h"

#define TASKS_THREADS 4608 /* 16 pools of 256 workers, and some */
#define TASKS_WIDTH   1000 /* nodes of a layer */
#define TASKS_WARM    10   /* so many times fewer run before, untimed; arbitrary */

struct skua_graph;

/* How many tasks a thread ran: it alone writes; read when all tasks were waited for. */
struct tasks_tally {
	_Alignas(128) uint64_t ran;
};

struct tasks {
	uint64_t count; /* of tasks; round trips are a tenth */
	uint64_t era;	/* of this problem: a thread that has none of its tallies sees it by that */
	struct skua_pool *pool;
	struct skua_graph *graph; /* that was built last */
	bool is_wrong;
	uint64_t measured; /* cases that were, of the last run */
	struct work_notes notes;
	_Atomic unsigned threads; /* that have a tally */
	struct tasks_tally tallies[TASKS_THREADS];
};

/* The body of an empty task. */
void tasks_ran(struct tasks *tasks);

/* How many ran since this was last asked. */
uint64_t tasks_ran_count(struct tasks *tasks);

#endif
