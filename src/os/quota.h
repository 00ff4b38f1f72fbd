/* SPDX-License-Identifier: MIT */
/* quota.h — the tightest CPU quota that control groups put on this process */
#ifndef SKUAI_OS_QUOTA_H
#define SKUAI_OS_QUOTA_H

#include "os/cgroup.h"

#include <skua/machine.h>

struct skuai_quota {
	enum skua_cgroup cgroup; /* the hierarchies that were walked */
	unsigned levels;	 /* folders looked at */
	bool is_unreadable;	 /* something in the way could not be read; the rest still counts */
	struct skuai_limit limit; /* the tightest one found */
	char file[256]; /* what set it; else the first thing unreadable, if there is one; or "" */
};

/* Read it for this process, below root (NULL: the real one).  Never fails: see is_unreadable. */
void skuai_quota_read(const char *root, struct skuai_quota *quota);

/* How often the group of that file, as skuai_quota.file names it, was stopped because its quota was
 * used up.  False: it does not say. */
bool skuai_quota_stops(const char *root, const char *file, uint64_t *stops);

#endif
