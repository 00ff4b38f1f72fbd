/* SPDX-License-Identifier: MIT */
/* caches.h — the kinds of cache that serve the allowed CPUs */
#ifndef SKUAI_TOPO_CACHES_H
#define SKUAI_TOPO_CACHES_H

#include "os/cpuset.h"

#include <skua/machine.h>

struct skuai_caches {
	unsigned count; /* entries used, nearest the core first */
	struct skua_cache entries[SKUA_CACHES_MAX];
	bool is_unreadable; /* something was refused, garbled, or one kind too many */
};

void skuai_caches_read(const char *root, const struct skuai_cpuset *allowed,
		       struct skuai_caches *caches);

#endif
