/* SPDX-License-Identifier: MIT */
/* cgroup.h — the text of control-group files: own group, mounts, limits; touches no file */
#ifndef SKUAI_OS_CGROUP_H
#define SKUAI_OS_CGROUP_H

#include "os/systext.h"

/* So much CPU time in each period.  Both 0: no limit; otherwise neither is 0. */
struct skuai_limit {
	uint64_t quota_us;
	uint64_t period_us;
};

enum skuai_limit_result {
	SKUAI_LIMIT_SET,
	SKUAI_LIMIT_NONE,    /* the group has no limit of its own */
	SKUAI_LIMIT_GARBLED, /* this is not what the kernel writes */
};

/*
 * v2, cpu.max: "max 100000", "150000 100000" or "150000".
 *
 * A quota of 0 is NONE.  No kernel takes a quota below a millisecond, so 0 can only come from a
 * layer that fakes the file, and there (as in Docker's --cpu-quota=0) it says "not limited".  Taken
 * at its word it would forbid the very process that reads it.
 */
enum skuai_limit_result skuai_limit_parse_v2(struct skuai_text max, struct skuai_limit *limit);

/* v1, cpu.cfs_quota_us and cpu.cfs_period_us: any negative quota is NONE, and so is 0, as above. */
enum skuai_limit_result skuai_limit_parse_v1(struct skuai_text quota, struct skuai_text period,
					     struct skuai_limit *limit);

/* Does a leave less CPU time than b?  Exact for all numbers; "no limit" is never the tighter. */
bool skuai_limit_is_tighter(struct skuai_limit a, struct skuai_limit b);

/* The two places of a process that matter here; .at is NULL where it is in no such group. */
struct skuai_cgroup_own {
	struct skuai_text v1_cpu; /* group of the v1 hierarchy with the cpu controller */
	struct skuai_text v2;	  /* group of the v2 hierarchy */
	bool has_lines;		  /* some line was one, of whatever hierarchy */
};

/* Read /proc/self/cgroup: lines of "id:controllers:path".  Other lines are skipped. */
void skuai_cgroup_parse_own(struct skuai_text file, struct skuai_cgroup_own *own);

/* One mount of a hierarchy; both paths are still escaped, as in the file. */
struct skuai_cgroup_mount {
	bool is_v2;
	struct skuai_text root;	 /* the group that is seen at the mount point */
	struct skuai_text point; /* where */
};

/* Read a line of /proc/self/mountinfo: is it the v2 hierarchy, or the v1 one with cpu? */
bool skuai_cgroup_parse_mount(struct skuai_text line, struct skuai_cgroup_mount *mount);

/* Undo mountinfo's "\040" and end with a NUL; false: too long, holds a NUL, or is not absolute. */
bool skuai_cgroup_unescape(struct skuai_text escaped, char *path, size_t room);

/*
 * The part of `group` below `root`: "/a/b" below "/a" is "/b", and "" where they are the same.
 * False where group is not inside root, or climbs with "..": a control-group namespace is in
 * between, and the process's own folder has no name here.  (Also where it holds a NUL, which no
 * path does.)
 */
bool skuai_cgroup_below(struct skuai_text group, const char *root, struct skuai_text *below);

#endif
