/* SPDX-License-Identifier: MIT */
/* layout.h — how the allowed CPUs are spread over cores, packages and NUMA nodes */
#ifndef SKUAI_TOPO_LAYOUT_H
#define SKUAI_TOPO_LAYOUT_H

#include "os/cpuset.h"

#include <skua/machine.h>

/* Each counts what could be read; see `unreadable` for whether that was all. */
struct skuai_layout {
	unsigned cores;
	unsigned packages;
	unsigned nodes;
	unsigned unreadable; /* SKUA_PART_CORES (cores or packages) and SKUA_PART_NODES */
};

void skuai_layout_read(const char *root, const struct skuai_cpuset *allowed,
		       struct skuai_layout *layout);

#endif
