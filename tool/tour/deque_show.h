/* SPDX-License-Identifier: MIT */
/* deque_show.h — an owner and thieves at one deque, run for the tour and counted */
#ifndef SKUAT_DEQUE_SHOW_H
#define SKUAT_DEQUE_SHOW_H

/*
 * Let an owner and up to `cpus` - 1 thieves (one at least) empty a deque, check that every element
 * came out once, and say who took how many: at most DEQUE_SHOW_ROWS lines.
 * Returns the exit status: STATUS_PARTLY when it was not so or could not be run.
 */
#define DEQUE_SHOW_ROWS 3
int deque_show(unsigned cpus);

#endif
