/* SPDX-License-Identifier: MIT */
/* held.h — locks that the calling thread has said it holds */
#ifndef SKUAI_SCHED_HELD_H
#define SKUAI_SCHED_HELD_H

/* `function` may run other tasks now: a mistake while a lock is held.  Not to be called where the
 * wait is isolated: a wait for a job or a future never is, though the worker may be. */
void skuai_held_check(const char *function);

#endif
