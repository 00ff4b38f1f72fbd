/* SPDX-License-Identifier: MIT */
/* visit.h — skua_run for who wants an error code */
#ifndef SKUAI_SCHED_VISIT_H
#define SKUAI_SCHED_VISIT_H

#include <skua/job.h>

/*
 * Run a function in a pool as skua_run does, and return when it is done; the priority matters where
 * it must wait in a queue.  SKUA_OK, or it was not run: why the pool cannot be had; SKUA_ECLOSED;
 * SKUA_ECANCELED.
 */
int skuai_visit(struct skua_pool *pool, enum skua_priority priority, skua_job_run *run,
		void *argument);

/* Where the calling worker stands, if it is told to stay there (SKUA_WHERE); NULL: it is not. */
struct skua_slot *skuai_place_in(struct skua_pool *pool);

/*
 * The same for what can do without a pool: in the pool of the calling worker when none is named,
 * and where none can be had for want of memory or threads, here and now with no place (NULL).
 */
int skuai_visit_anyhow(struct skua_pool *pool, enum skua_priority priority, skua_job_run *run,
		       void *argument);

#endif
