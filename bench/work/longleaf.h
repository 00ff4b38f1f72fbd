/* SPDX-License-Identifier: MIT */
/* longleaf.h — forks that wait on a worker which has no time to answer: when does another help? */
#ifndef SKUA_WORK_LONGLEAF_H
#define SKUA_WORK_LONGLEAF_H

#include "work.h"

#define LONGLEAF_TASKS 8

struct longleaf_task {
	uint64_t result;
	int64_t start; /* ns; 0: never */
	int worker;
};

struct longleaf {
	uint64_t task_turns, leaf_turns;
	struct longleaf_task tasks[LONGLEAF_TASKS];
	uint64_t leaf_result;
	int64_t leaf_start;
	int leaf_worker;
	struct work_notes notes;
};

#endif
