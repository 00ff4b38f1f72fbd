/* SPDX-License-Identifier: MIT */
/* idling.h — after a burst of jobs there is nothing to do: what that costs */
#ifndef SKUA_WORK_IDLING_H
#define SKUA_WORK_IDLING_H

#include "work.h"

#define IDLE_JOBS   1000
#define IDLE_JOB_US 1

struct idle {
	uint64_t ms; /* left alone for so long */
	uint64_t results[IDLE_JOBS];
	bool is_over;  /* the pause was had */
	double cpu_ns; /* of all threads, during the pause */
	struct work_notes notes;
};

/* One job of the burst. */
void idle_job(struct idle *idle, unsigned i);

/* `burst` runs jobs 0 to IDLE_JOBS - 1, some way or other, and waits for them; then the pause. */
void idle_run(struct idle *idle, void (*burst)(struct idle *idle, void *way), void *way);

#endif
