/* SPDX-License-Identifier: MIT */
/* pool_show.h — an uneven set of jobs on one worker and on all of them, run for the tour */
#ifndef SKUAT_POOL_SHOW_H
#define SKUAT_POOL_SHOW_H

#include <stdbool.h>

/*
 * Run the same jobs on a pool of one worker and on one of the default size, check the results, and
 * say how long each took and how busy each worker was: at most POOL_SHOW_ROWS lines, one fewer when
 * brief.  Returns the exit status: STATUS_PARTLY when a result was wrong or no pool was to be had.
 * If a path is given, a last run is traced and leaves its trace there.
 */
#define POOL_SHOW_ROWS 4
int pool_show(bool is_brief, const char *trace);

#endif
