/* SPDX-License-Identifier: MIT */
/* quota.c — the tightest CPU quota that control groups put on this process */
#include "os/quota.h"

#include "base/alloc.h"
#include "os/sysfile.h"

#include <stdio.h>
#include <string.h>

/*
 * A process is in one group of each mounted hierarchy: one v2 hierarchy, and under v1 one that
 * carries the cpu controller.  Both can be there at once (hybrid).  A limit binds a group and all
 * groups below it, so what holds is the tightest on the way from the process's own group up.
 *
 *   1. /proc/self/cgroup names the group in each hierarchy, as a path from the hierarchy's root.
 *   2. /proc/self/mountinfo names where each hierarchy is mounted, and which of its groups is seen
 *      there ("/" on a plain machine, the container's own group inside one).
 *   3. folder = mount point + (group - seen group).  Where the group is not below the seen one a
 *      namespace is in between, and the mount point itself is the nearest folder we can name.
 *   4. From folder up to the mount point, read the limit of each: cpu.max (v2), or cpu.cfs_quota_us
 *      and cpu.cfs_period_us (v1).  Missing files are normal: root groups and groups without the
 *      controller have none.
 *
 * A hierarchy mounted more than once (bind mounts) is walked at the first mount that sees our
 * group, else at the first mount.  Limits above a container's mount point cannot be seen from
 * inside it.
 *
 * A group that no mount shows may have a limit that we miss, so it is told as unreadable.
 */

/* Folders looked at per hierarchy, from the leaf; deeper is told as unreadable.  Arbitrary. */
#define QUOTA_LEVELS_MAX 64

/* /proc/self/cgroup: at most some 20 lines, each one path. */
#define QUOTA_OWN_ROOM ((size_t)1 << 16)

/* A hierarchy's walk: where it starts and where it ends. */
struct quota_walk {
	bool is_found;	     /* some mount was seen */
	bool is_exact;	     /* one that sees our group */
	bool is_above;	     /* what it sees is "/..", above the top of our namespace */
	size_t point_length; /* the part of folder that is the mount point */
	char folder[SKUAI_PATH_ROOM];
};

/* Everything one reading needs; too large for a stack. */
struct quota_reading {
	const char *root;
	struct skuai_quota *quota;
	struct skuai_cgroup_own own;
	struct quota_walk v1, v2;
	char path[SKUAI_PATH_ROOM];
	char seen[SKUAI_PATH_ROOM], point[SKUAI_PATH_ROOM]; /* of the mount being looked at */
	char limit_text[SKUAI_FILE_SMALL], period_text[SKUAI_FILE_SMALL];
	char own_text[QUOTA_OWN_ROOM];
	char mounts_text[SKUAI_FILE_LARGE];
};

static void quota_name_file(struct skuai_quota *quota, const char *path)
{
	skuai_text_show((struct skuai_text){ path, strlen(path) }, quota->file,
			sizeof(quota->file));
}

static void quota_unreadable(struct skuai_quota *quota, const char *path)
{
	if (!quota->is_unreadable && quota->limit.quota_us == 0)
		quota_name_file(quota, path);
	quota->is_unreadable = true;
}

static void quota_merge(struct skuai_quota *quota, enum skuai_limit_result result,
			struct skuai_limit limit, const char *path)
{
	if (result == SKUAI_LIMIT_GARBLED)
		quota_unreadable(quota, path);
	if (result == SKUAI_LIMIT_SET && skuai_limit_is_tighter(limit, quota->limit)) {
		quota->limit = limit;
		quota_name_file(quota, path);
	}
}

/*
 * Read folder/name into buffer.  True: *text is what it says.  False: nothing to be had, and where
 * that is not normal it has been told.
 */
static bool quota_read_file(struct quota_reading *reading, const char *folder, const char *name,
			    char *buffer, struct skuai_text *text)
{
	int length = snprintf(reading->path, sizeof(reading->path), "%s/%s", folder, name);

	if (length < 0 || (size_t)length >= sizeof(reading->path)) {
		quota_unreadable(reading->quota, folder);
		return false;
	}
	switch (skuai_file_read(reading->root, reading->path, buffer, SKUAI_FILE_SMALL, text)) {
	case SKUAI_FILE_READ:
		return true;
	case SKUAI_FILE_MISSING:
		return false;
	case SKUAI_FILE_CUT:
	case SKUAI_FILE_REFUSED:
		break;
	}
	quota_unreadable(reading->quota, reading->path);
	return false;
}

static void quota_read_v2(struct quota_reading *reading, const char *folder)
{
	struct skuai_text max;
	struct skuai_limit limit;

	if (quota_read_file(reading, folder, "cpu.max", reading->limit_text, &max))
		quota_merge(reading->quota, skuai_limit_parse_v2(max, &limit), limit,
			    reading->path);
}

static void quota_read_v1(struct quota_reading *reading, const char *folder)
{
	struct skuai_text quota, period = { "", 0 };
	struct skuai_limit limit;

	if (!quota_read_file(reading, folder, "cpu.cfs_quota_us", reading->limit_text, &quota))
		return;
	/* Without a period a positive quota is garbled, and "-1" needs none. */
	quota_read_file(reading, folder, "cpu.cfs_period_us", reading->period_text, &period);
	snprintf(reading->path, sizeof(reading->path), "%s/cpu.cfs_quota_us", folder);
	quota_merge(reading->quota, skuai_limit_parse_v1(quota, period, &limit), limit,
		    reading->path);
}

/* From the process's folder up to the mount point. */
static void quota_climb(struct quota_reading *reading, struct quota_walk *walk,
			void (*read_level)(struct quota_reading *, const char *))
{
	size_t length = strlen(walk->folder);

	for (unsigned level = 0; level < QUOTA_LEVELS_MAX; level++) {
		reading->quota->levels++;
		read_level(reading, walk->folder);
		if (length <= walk->point_length)
			return;
		while (walk->folder[length] != '/')
			length--;
		walk->folder[length] = '\0';
	}
	quota_unreadable(reading->quota, walk->folder);
}

/* Set the walk to start at `group` as seen through this mount; false: the paths are too long. */
static bool quota_place(struct quota_reading *reading, const struct skuai_cgroup_mount *mount,
			struct quota_walk *walk, struct skuai_text group)
{
	char *seen = reading->seen, *point = reading->point;
	struct skuai_text below = { "", 0 }, unused;

	if (!skuai_cgroup_unescape(mount->root, seen, sizeof(reading->seen)) ||
	    !skuai_cgroup_unescape(mount->point, point, sizeof(reading->point)))
		return false;
	if (strcmp(point, "/") == 0)
		point[0] = '\0'; /* so that point + "/cpu.max" is a path in any case */
	bool is_exact = skuai_cgroup_below(group, seen, &below);
	if (walk->is_found && !is_exact)
		return true; /* what we have is as good */
	size_t length = strlen(point);
	if (length + below.count >= sizeof(walk->folder))
		return false;
	memcpy(walk->folder, point, length);
	if (below.count)
		memcpy(walk->folder + length, below.at, below.count);
	walk->folder[length + below.count] = '\0';
	walk->point_length = length;
	walk->is_found = true;
	walk->is_exact = is_exact;
	walk->is_above = !skuai_cgroup_below((struct skuai_text){ seen, strlen(seen) }, "/",
					     &unused);
	return true;
}

static void quota_find_mounts(struct quota_reading *reading, struct skuai_text mounts)
{
	while (mounts.count) {
		struct skuai_cgroup_mount mount;
		if (!skuai_cgroup_parse_mount(skuai_text_cut(&mounts, '\n'), &mount))
			continue;
		struct quota_walk *walk = mount.is_v2 ? &reading->v2 : &reading->v1;
		struct skuai_text group = mount.is_v2 ? reading->own.v2 : reading->own.v1_cpu;
		if (!group.at || walk->is_exact)
			continue;
		if (!quota_place(reading, &mount, walk, group))
			quota_unreadable(reading->quota, "/proc/self/mountinfo");
	}
}

/*
 * Is our group where we cannot look?  Only the hierarchy with the cpu controller matters, and v2
 * has it just where v1 has not.  (A container on a hybrid machine names its v2 group and seldom
 * mounts it.)  The group "/" is the top of all that has a name here: if a mount shows a part of it
 * only, then a container engine hides the rest, and the mount point is our group or as good; if
 * none shows it, it is the root group of the machine, which has no limit.
 */
static bool quota_is_hidden(const struct quota_reading *reading)
{
	bool is_v1 = reading->own.v1_cpu.at != NULL;
	const struct quota_walk *walk = is_v1 ? &reading->v1 : &reading->v2;
	struct skuai_text group = is_v1 ? reading->own.v1_cpu : reading->own.v2;

	if (!group.at || walk->is_exact)
		return false;
	return walk->is_above || !skuai_text_is(group, "/");
}

/* Steps 1 to 3. */
static void quota_find_walks(struct quota_reading *reading)
{
	const char *own_path = "/proc/self/cgroup", *mounts_path = "/proc/self/mountinfo";
	struct skuai_text own, mounts;
	enum skuai_file own_is = skuai_file_read(reading->root, own_path, reading->own_text,
						 sizeof(reading->own_text), &own);
	enum skuai_file mounts_is = skuai_file_read(reading->root, mounts_path,
						    reading->mounts_text,
						    sizeof(reading->mounts_text), &mounts);

	/* A kernel without control groups has mounts but no cgroup file; without both, no /proc. */
	if (own_is == SKUAI_FILE_MISSING && mounts_is == SKUAI_FILE_READ)
		return;
	if (own_is != SKUAI_FILE_READ)
		quota_unreadable(reading->quota, own_path);
	if (mounts_is != SKUAI_FILE_READ)
		quota_unreadable(reading->quota, mounts_path);
	skuai_cgroup_parse_own(own, &reading->own);
	quota_find_mounts(reading, mounts);
	if ((own.count && !reading->own.has_lines) || quota_is_hidden(reading))
		quota_unreadable(reading->quota, own_path);
}

void skuai_quota_read(const char *root, struct skuai_quota *quota)
{
	struct quota_reading *reading = skuai_alloc(1, sizeof(*reading));

	*quota = (struct skuai_quota){ .cgroup = SKUA_CGROUP_NONE };
	if (!reading) {
		quota->is_unreadable = true; /* and no file is to blame */
		return;
	}
	reading->root = root;
	reading->quota = quota;
	quota_find_walks(reading);
	if (reading->v1.is_found)
		quota_climb(reading, &reading->v1, quota_read_v1);
	if (reading->v2.is_found)
		quota_climb(reading, &reading->v2, quota_read_v2);
	if (reading->v1.is_found)
		quota->cgroup = reading->v2.is_found ? SKUA_CGROUP_HYBRID : SKUA_CGROUP_V1;
	else if (reading->v2.is_found)
		quota->cgroup = SKUA_CGROUP_V2;
	skuai_free(reading);
}

/* cpu.stat beside it: lines of a word and a number, the same in v1 and v2. */
bool skuai_quota_stops(const char *root, const char *file, uint64_t *stops)
{
	static const char name[] = "cpu.stat";
	char path[sizeof(((struct skuai_quota *)NULL)->file) + sizeof(name)],
		buffer[SKUAI_FILE_SMALL];
	const char *slash = strrchr(file, '/');
	struct skuai_text text;

	if (file[0] != '/') /* nothing, or a path that lost its front */
		return false;
	snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - file), file, name);
	if (skuai_file_read(root, path, buffer, sizeof(buffer), &text) != SKUAI_FILE_READ)
		return false;
	while (text.count) {
		struct skuai_text line = skuai_text_cut(&text, '\n');
		if (skuai_text_is(skuai_text_cut(&line, ' '), "nr_throttled"))
			return skuai_text_number(skuai_text_trim(line), stops);
	}
	return false;
}
