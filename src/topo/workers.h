/* SPDX-License-Identifier: MIT */
/* workers.h — how many workers to start, and why */
#ifndef SKUAI_TOPO_WORKERS_H
#define SKUAI_TOPO_WORKERS_H

#include "os/cgroup.h"

#include <skua/machine.h>

struct skuai_workers {
	unsigned count; /* 1 to SKUA_WORKERS_MAX */
	enum skua_workers_reason reason;
	bool env_is_ignored; /* SKUA_WORKERS says something else than 1 to SKUA_WORKERS_MAX */
};

/*
 * SKUA_WORKERS if it holds a number that will do; else the allowed CPUs or the quota, whichever is
 * less: with 1.5 CPUs to use, 2 workers, since one alone would leave a third of them unused.
 * `wish` is the value of SKUA_WORKERS; NULL and "" are no wish.
 */
struct skuai_workers skuai_workers_decide(unsigned cpus_allowed, struct skuai_limit quota,
					  const char *wish);

#endif
