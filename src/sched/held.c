/* SPDX-License-Identifier: MIT */
/* held.c — locks that the calling thread has said it holds */
#include "sched/held.h"

#include "base/diag.h"
#include "sched/worker.h"

#include <skua/hold.h>

#define HELD_MOST 16

static _Thread_local struct {
	const void *lock;
	const char *name;
} held[HELD_MOST];
_Thread_local unsigned skuai_held_count __attribute__((tls_model("initial-exec"))); /* of those */
static _Thread_local unsigned held_unwatched; /* more than that */

void skua_hold_begin(const void *lock, const char *name)
{
	if (skuai_held_count == HELD_MOST) {
		held_unwatched++;
		return;
	}
	held[skuai_held_count].lock = lock;
	held[skuai_held_count++].name = name;
}

void skua_hold_end(const void *lock)
{
	for (unsigned i = skuai_held_count; i-- > 0;)
		if (held[i].lock == lock) {
			for (skuai_held_count--; i < skuai_held_count; i++)
				held[i] = held[i + 1];
			return;
		}
	if (!held_unwatched)
		skua_bug("skua_unhold: the thread does not hold this lock");
	held_unwatched--;
}

void skuai_held_complain(const char *function)
{
	if (!skuai_self)
		return;
	skuai_bug_of(function, held[skuai_held_count - 1].name,
		     "this lock is held by a task that waits and may be given another task to run, "
		     "which may want it; unlock first, or wait isolated");
}
