/* SPDX-License-Identifier: MIT */
/* dupes_act.c — one file in place of several: hard links, or shared blocks */
#include "scan/dupes.h"

#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SHARE_AT_ONCE ((uint64_t)16 << 20) /* more than that no file system takes in one call */
#define NAME_TRIES    16

static void complain(const char *path, const char *what, int number)
{
	fprintf(stderr, "skua scan: %s: %s: %s\n", text_clean(path, 0).s, what, strerror(number));
}

/*
 * The twin becomes a name of the original: a link beside it is made first and then moved over it,
 * so that the name never points to nothing.
 */
static int replace_by_link(const char *original, const char *twin)
{
	size_t room = strlen(twin) + 32;
	char *beside = malloc(room);
	int error = beside ? EEXIST : ENOMEM;

	for (unsigned i = 0; i < NAME_TRIES && error == EEXIST; i++) {
		snprintf(beside, room, "%s.skua-%ld-%u", twin, (long)getpid(), i);
		error = linkat(AT_FDCWD, original, AT_FDCWD, beside, 0) == 0 ? 0 : errno;
	}
	if (!error && rename(beside, twin) != 0) {
		error = errno;
		unlink(beside);
	}
	free(beside);
	return error;
}

/* The kernel compares before it shares, under a lock; "differs" is no failure of ours. */
static int share_blocks(struct dupes *dupes, struct dupe *original, struct dupe *twin)
{
	char *path = scan_path(twin->dir, twin->file->name);
	int from = dupe_open(dupes, original);
	int to = path ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
	struct file_dedupe_range *range = calloc(1, sizeof(*range) +
							    sizeof(struct file_dedupe_range_info));
	uint64_t bytes = original->file->bytes;
	int error = from < 0 || to < 0 ? errno : range ? 0 : ENOMEM;

	for (uint64_t at = 0; !error && at < bytes;) {
		uint64_t some = bytes - at < SHARE_AT_ONCE ? bytes - at : SHARE_AT_ONCE;
		*range = (struct file_dedupe_range){ .src_offset = at,
						     .src_length = some,
						     .dest_count = 1 };
		range->info[0] = (struct file_dedupe_range_info){ .dest_fd = to,
								  .dest_offset = at };
		if (ioctl(from, FIDEDUPERANGE, range) != 0)
			error = errno;
		else if (range->info[0].status < 0)
			error = -range->info[0].status;
		else if (range->info[0].status == FILE_DEDUPE_RANGE_DIFFERS)
			error = ESTALE;
		at += some;
	}
	free(range);
	free(path);
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return error;
}

static int act_on(struct dupes *dupes, enum dupe_action action, struct dupe *original,
		  struct dupe *twin)
{
	if (action == DUPE_DEDUPE)
		return share_blocks(dupes, original, twin);
	if (!dupe_equals(dupes, original, twin))
		return ESTALE;
	if (original->dev != twin->dev)
		return EXDEV;
	char *one = scan_path(original->dir, original->file->name);
	char *two = scan_path(twin->dir, twin->file->name);
	int error = one && two ? replace_by_link(one, two) : ENOMEM;
	free(one);
	free(two);
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
	char *path = scan_path(twin->dir, twin->file->name);
	complain(path ? path : twin->file->name,
		 action == DUPE_DEDUPE ? "cannot share its blocks" : "cannot become a link", error);
	free(path);
}

void dupes_act(struct dupes *dupes, enum dupe_action action, bool is_dry, struct dupe_deed *deed)
{
	*deed = (struct dupe_deed){ 0 };
	for (size_t g = 0; g < dupes->group_count && action != DUPE_REPORT; g++) {
		const struct dupe_group *group = &dupes->groups[g];
		struct dupe *original = &dupes->all[group->first];
		for (size_t i = 1; i < group->count; i++) {
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
