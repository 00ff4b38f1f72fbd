/* SPDX-License-Identifier: MIT */
/* held.h — locks that the calling thread has said it holds */
#ifndef SKUAI_SCHED_HELD_H
#define SKUAI_SCHED_HELD_H

/* How many the calling thread holds, as far as they are watched. */
extern _Thread_local unsigned skuai_held_count __attribute__((tls_model("initial-exec")));

/* A worker holds one: says so and aborts.  Another thread may. */
void skuai_held_complain(const char *function);

/* `function` may run other tasks now: a mistake while a lock is held.  Not to be called where the
 * wait is isolated: a wait for a job or a future never is, though the worker may be. */
static inline void skuai_held_check(const char *function)
{
	if (skuai_held_count)
		skuai_held_complain(function);
}

#endif
