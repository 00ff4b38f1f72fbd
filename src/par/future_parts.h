/* SPDX-License-Identifier: MIT */
/* future_parts.h — what the ways to wait for futures share */
#ifndef SKUAI_PAR_FUTURE_PARTS_H
#define SKUAI_PAR_FUTURE_PARTS_H

#include "sched/settle.h"
#include "sched/worker.h"

/* Was its task begun before a fork(), in the parent?  Then nobody will ever tell us. */
static inline bool skuai_future_is_forked(const struct skua_future *future, uint32_t stage)
{
	return stage == SKUAI_FUTURE_TASKED && (uint32_t)(uintptr_t)future->era != skuai_era();
}

/* Is it one whose task this thread is in the middle of? */
bool skuai_future_is_around_us(const struct skua_future *future);

/* Run its task, if it has not started and we are a worker that may. */
void skuai_future_run_unstarted(struct skua_future *future);

#endif
