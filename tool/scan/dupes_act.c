/* SPDX-License-Identifier: MIT */
/* dupes_act.c — one file in place of several: hard links, or shared blocks */
#include "scan/dupes.h"
#include "scan/handle.h"

#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/*
 * Who may write to the tree could put a link in our way between the comparison and the deed, and
 * have a file elsewhere replaced.  So directories are opened from the operand down, through no
 * link, and everything is done through them; what a name leads to is looked at once more at the
 * last moment, and must be the file that was compared.
 */

#define SHARE_AT_ONCE ((uint64_t)16 << 20) /* more than that no file system takes in one call */
#define NAME_TRIES    16

/* A file that is acted on, with the directory it is in. */
struct held {
	int folder, fd;
	const char *name; /* in the folder */
	char *path;	  /* of an operand: what name points into */
	struct stat stat; /* when it was opened */
};

static void complain(const char *path, const char *what, int number)
{
	fprintf(stderr, "skua scan: %s: %s: %s\n", text_clean(path, 0).s, what, strerror(number));
}

/* An operand is where its path leads; what is above it is the user's word. */
static void reach_operand(struct held *held, const struct dupe *dupe)
{
	held->path = strdup(dupe->dir->name);
	char *slash = held->path ? strrchr(held->path, '/') : NULL;

	errno = ENOMEM;
	held->name = slash ? slash + 1 : held->path;
	if (!held->path)
		return;
	const char *folder = !slash ? "." : slash == held->path ? "/" : held->path;
	if (slash)
		*slash = 0;
	held->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* 0, or an errno; to be let go of in any case. */
static int hold(struct held *held, struct dupes *dupes, struct dupe *dupe)
{
	*held = (struct held){ .folder = -1, .fd = -1 };
	if (dupe->file) {
		held->name = dupe->file->name;
		held->folder = handle_reach(dupes->scan, dupe->dir);
	} else {
		reach_operand(held, dupe);
	}
	if (held->folder < 0)
		return errno;
	held->fd = dupe_open_in(dupes, dupe, held->folder, held->name);
	return held->fd < 0 || fstat(held->fd, &held->stat) != 0 ? errno : 0;
}

static void let_go(struct held *held)
{
	if (held->fd >= 0)
		close(held->fd);
	if (held->folder >= 0)
		close(held->folder);
	free(held->path);
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Does the name in the folder still lead to the file that is held, and has nobody written to it? */
static bool is_as_held(const struct held *held, int folder, const char *name)
{
	struct stat now;

	return fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
	       is_same_file(&now, &held->stat) && now.st_size == held->stat.st_size &&
	       now.st_mtim.tv_sec == held->stat.st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == held->stat.st_mtim.tv_nsec;
}

/*
 * The twin becomes a name of the original: a link beside it is made first and then moved over it,
 * so that the name never points to nothing.
 */
static int replace_by_link(const struct held *original, const struct held *twin)
{
	char beside[64];
	int error = EEXIST;

	for (unsigned i = 0; i < NAME_TRIES && error == EEXIST; i++) {
		snprintf(beside, sizeof(beside), ".skua-%ld-%u", (long)getpid(), i);
		error = linkat(original->folder, original->name, twin->folder, beside, 0) == 0
				? 0
				: errno;
	}
	if (error)
		return error;
	if (!is_as_held(original, twin->folder, beside) ||
	    !is_as_held(twin, twin->folder, twin->name))
		error = ESTALE;
	else if (renameat(twin->folder, beside, twin->folder, twin->name) != 0)
		error = errno;
	if (error)
		unlinkat(twin->folder, beside, 0);
	return error;
}

static int link_files(const struct held *original, const struct held *twin, uint64_t bytes)
{
	if (is_same_file(&original->stat, &twin->stat)) /* meanwhile somebody else did it */
		return 0;
	if (original->stat.st_dev != twin->stat.st_dev)
		return EXDEV;
	if (!dupe_same_bytes(original->fd, twin->fd, bytes))
		return ESTALE;
	return replace_by_link(original, twin);
}

/* One piece; what was shared of it, 0 with errno.  The kernel compares first, under a lock. */
static uint64_t share_piece(int from, int to, uint64_t at, uint64_t bytes)
{
	_Alignas(struct file_dedupe_range) char
		memory[sizeof(struct file_dedupe_range) + sizeof(struct file_dedupe_range_info)];
	struct file_dedupe_range *range = (struct file_dedupe_range *)memory;

	*range = (struct file_dedupe_range){ .src_offset = at,
					     .src_length = bytes,
					     .dest_count = 1 };
	range->info[0] = (struct file_dedupe_range_info){ .dest_fd = to, .dest_offset = at };
	if (ioctl(from, FIDEDUPERANGE, range) != 0)
		return 0;
	if (range->info[0].status == FILE_DEDUPE_RANGE_SAME && range->info[0].bytes_deduped)
		return range->info[0].bytes_deduped;
	errno = range->info[0].status < 0			     ? -range->info[0].status
		: range->info[0].status == FILE_DEDUPE_RANGE_DIFFERS ? ESTALE
								     : EIO;
	return 0;
}

static int share_blocks(const struct held *original, const struct held *twin, uint64_t bytes)
{
	int to = openat(twin->folder, twin->name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat stat;
	int error = 0;

	if (to < 0)
		return errno;
	if (fstat(to, &stat) != 0 || !is_same_file(&stat, &twin->stat))
		error = ESTALE;
	for (uint64_t at = 0, some; !error && at < bytes; at += some) {
		uint64_t left = bytes - at;
		some = share_piece(original->fd, to, at,
				   left < SHARE_AT_ONCE ? left : SHARE_AT_ONCE);
		if (!some)
			error = errno;
	}
	close(to);
	return error;
}

static int act_on(struct dupes *dupes, enum dupe_action action, struct dupe *original,
		  struct dupe *twin)
{
	struct held one, two;
	int error = hold(&one, dupes, original), other = hold(&two, dupes, twin);

	if (!error)
		error = other;
	if (!error && action == DUPE_DEDUPE)
		error = share_blocks(&one, &two, original->bytes);
	else if (!error)
		error = link_files(&one, &two, original->bytes);
	let_go(&one);
	let_go(&two);
	return error;
}

static void act_on_name(struct dupes *dupes, enum dupe_action action, struct dupe *original,
			struct dupe *twin, struct dupe_deed *deed)
{
	int error = act_on(dupes, action, original, twin);

	if (!error) {
		deed->files++;
		return;
	}
	deed->failed++;
	char *path = dupe_path(twin);
	complain(path ? path : "a file",
		 action == DUPE_DEDUPE ? "cannot share its blocks" : "cannot become a link", error);
	free(path);
}

void dupes_act(struct dupes *dupes, enum dupe_action action, bool is_dry, struct dupe_deed *deed)
{
	*deed = (struct dupe_deed){ 0 };
	for (size_t g = 0; g < dupes->group_count && action != DUPE_REPORT; g++) {
		const struct dupe_group *group = &dupes->groups[g];
		struct dupe *original = &dupes->all[group->first];
		for (size_t i = 1; i < group->count && !dupes_is_stopped(dupes); i++) {
			struct dupe *twin = original + i;
			uint64_t failed = deed->failed;
			/* All its names, else its blocks stay; of shared blocks one will do. */
			for (; twin; twin = action == DUPE_HARDLINK ? twin->other_name : NULL) {
				if (is_dry)
					deed->files++;
				else
					act_on_name(dupes, action, original, twin, deed);
			}
			if (deed->failed == failed)
				deed->bytes += group->bytes;
		}
	}
}
