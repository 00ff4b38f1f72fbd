/* SPDX-License-Identifier: MIT */
/* tick.h — short bursts of tiny jobs between serial work and pauses: to search or to sleep */
#ifndef SKUA_WORK_TICK_H
#define SKUA_WORK_TICK_H

#include "work.h"

#define TICK_BURSTS 12
#define TICK_JOBS   30
#define TICK_JOB_US 2
#define TICK_GAP_US 200
#define TICK_PAUSE  3000000 /* ns */

struct tick {
	unsigned ticks;
	bool is_wrong;
	uint64_t results[TICK_JOBS]; /* of one burst */
	double *burst_ns;	     /* of each */
	unsigned burst_count;
	double cpu_ns; /* of all threads, pauses included */
	struct work_notes notes;
};

/* One job of a burst. */
void tick_job(struct tick *tick, unsigned i);

/* All ticks; `burst` runs jobs 0 to TICK_JOBS - 1, some way or other, and waits for them. */
void tick_run(struct tick *tick, void (*burst)(struct tick *tick, void *way), void *way);

#endif
