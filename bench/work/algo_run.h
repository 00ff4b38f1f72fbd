/* SPDX-License-Identifier: MIT */
/* algo_run.h — what `skua bench algo` and `loops` time, for bench/peers/algo_skua too */
#ifndef SKUA_WORK_ALGO_RUN_H
#define SKUA_WORK_ALGO_RUN_H

#include "algo_data.h"
#include "loops_data.h"

struct skua_slot;

/* By a worker: one case; all repetitions of one loop.  0, or an error of the library. */
int algo_run(struct skua_slot *skua_here, struct algo_data *data);
int loops_run(struct skua_slot *skua_here, struct loops_data *data);

/*
 * The sum of `reduce` by plain threads, the calling one among them.  False: the system has not got
 * so many.
 */
bool algo_run_threads(struct algo_data *data, unsigned threads);

#endif
