/* SPDX-License-Identifier: MIT */
/* cpus.h — which CPUs exist, are switched on, and may be used by this process */
#ifndef SKUAI_TOPO_CPUS_H
#define SKUAI_TOPO_CPUS_H

#include "os/cpuset.h"

#include <skua/machine.h>

struct skuai_cpus {
	struct skuai_cpuset possible;
	struct skuai_cpuset online;
	struct skuai_cpuset allowed; /* never empty */
	unsigned unreadable; /* SKUA_PART_AFFINITY and SKUA_PART_CPUS, where guessed or clipped */
};

/* Look at this machine, or at the one whose files are below root. */
void skuai_cpus_read(const char *root, struct skuai_cpus *cpus);

#endif
