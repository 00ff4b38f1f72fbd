/* SPDX-License-Identifier: MIT */
/* latency.h — from a submit outside the pool to the job's first instruction */
#ifndef SKUA_WORK_LATENCY_H
#define SKUA_WORK_LATENCY_H

#include "work.h"

#define LATENCY_PARKED_PAUSE 1000000  /* ns before each job: time for workers to fall asleep */
#define LATENCY_SEARCH_PAUSE 20000    /* ns before each job that is to meet a searching worker */
#define LATENCY_SEARCH_TIMES 5	      /* so many more of those, they are quick */
#define LATENCY_SPIN	     50000000 /* ns that worker searches: longer than any pause */

struct latency_times {
	unsigned count;
	double *wait_ns;   /* submit called to job started */
	double *submit_ns; /* the call of submit alone */
};

struct latency {
	unsigned jobs;
	struct latency_times parked, searching;
	bool is_wrong;
	struct work_notes notes;
};

/* When the job began; written by it, read when it is done. */
struct latency_stamp {
	int64_t start;
};

/*
 * The part with sleepers, for other runtimes: `submit` hands in a job that calls latency_stamp, and
 * returns when it is done.
 */
void latency_run(struct latency *latency, void (*submit)(struct latency_stamp *stamp));
void latency_stamp(struct latency_stamp *stamp);

#endif
