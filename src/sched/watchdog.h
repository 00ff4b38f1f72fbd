/* SPDX-License-Identifier: MIT */
/* watchdog.h — who has been in one task for how long, and the report when it is too long */
#ifndef SKUAI_SCHED_WATCHDOG_H
#define SKUAI_SCHED_WATCHDOG_H

#include "sched/worker.h"
#include "trace/livefile.h"

struct skuai_monitor;

/* What is remembered of a worker between two looks. */
struct skuai_watched {
	uint64_t tasks;	  /* that it had begun */
	uint32_t answers; /* that it had given */
	bool is_reported;
	int64_t began_ns; /* when it was first seen in this task; 0: it is in none */
	int64_t since_ns; /* the same, or when it was last seen to get on */
};

/* What a worker does at this moment. */
enum skuai_live_state skuai_state_of(struct skuai_worker *worker);

/* Look at a worker, which is in that state; report it if it is stuck. */
void skuai_watchdog_look(struct skuai_monitor *monitor, unsigned number,
			 enum skuai_live_state state, int64_t now);

#endif
