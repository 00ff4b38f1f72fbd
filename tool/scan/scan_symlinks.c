/* SPDX-License-Identifier: MIT */
/* scan_symlinks.c — the report of symbolic links: where they lead, and which lead nowhere */
#include "output.h"
#include "report.h"
#include "scan/handle.h"
#include "scan/scan_top.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* What was found out about a link. */
struct look {
	const struct scan_dir *dir; /* the directory that fd is open on */
	int fd;			    /* -1: it cannot be opened */
	char target[PATH_MAX + 1];
	bool has_target, is_broken, is_known; /* whether it leads somewhere */
};

static void offer_link(struct scan_item item, enum scan_type type, void *context)
{
	if (type == SCAN_SYMLINK)
		scan_top_offer(context, item);
}

static void look_at(const struct scan *scan, struct look *look, const struct scan_item *item)
{
	const char *name = item->file ? item->file->name : item->dir->name;
	int fd = AT_FDCWD;
	struct stat stat;

	look->has_target = look->is_broken = look->is_known = false;
	if (scan->is_read)
		return; /* it is not here */
	if (item->file) {
		if (look->dir != item->dir) {
			if (look->fd >= 0)
				close(look->fd);
			look->dir = item->dir;
			look->fd = handle_reach(scan, item->dir);
		}
		fd = look->fd;
		if (fd < 0)
			return;
	}
	ssize_t length = readlinkat(fd, name, look->target, PATH_MAX);
	if (length < 0)
		return;
	look->target[length] = 0;
	look->has_target = true;
	look->is_known = fstatat(fd, name, &stat, AT_NO_AUTOMOUNT) == 0;
	if (!look->is_known && (errno == ENOENT || errno == ELOOP || errno == ENOTDIR))
		look->is_known = look->is_broken = true;
}

static void row_json(struct json *json, const char *path, const struct look *look)
{
	json_object(json, NULL);
	json_name(json, "path", path);
	json_name(json, "target", look->has_target ? look->target : NULL);
	if (look->is_known)
		json_yes(json, "broken", look->is_broken);
	else
		json_null(json, "broken");
	json_close(json);
}

static void row_text(const char *path, const struct look *look)
{
	out("  ");
	scan_put_path(stdout, path);
	out(" -> ");
	if (look->has_target)
		scan_put_path(stdout, look->target);
	if (look->is_broken)
		out("  %sbroken%s", report_paint(stdout, PAINT_WARN),
		    report_paint(stdout, PAINT_PLAIN));
	else if (!look->is_known)
		out("  not known");
	out("\n");
}

static void print_links(const struct scan *scan, const struct scan_choice *choice,
			struct scan_top *top, struct look *look)
{
	size_t left = choice->limit < SIZE_MAX ? (size_t)choice->limit : SIZE_MAX;

	for (size_t i = 0; i < top->count && left; i++) {
		const struct scan_item *item = &top->items[i];
		if (scan_item_depth(item) > choice->max_depth)
			continue;
		char *path = scan_item_path(item);
		left--;
		if (!path) {
			top->is_lost = true;
			continue;
		}
		if (choice->is_null_ended) {
			out("%s%c", path, 0);
		} else {
			look_at(scan, look, item);
			if (choice->json)
				row_json(choice->json, path, look);
			else
				row_text(path, look);
		}
		free(path);
	}
}

static int print_symlinks(struct scan *scan, const struct scan_choice *choice)
{
	struct scan_top top = { .most = SIZE_MAX };
	struct look look = { .fd = -1 };

	scan_visit_all(scan, offer_link, &top);
	scan_top_sort(&top);
	if (choice->json)
		json_array(choice->json, "symbolic_links");
	print_links(scan, choice, &top, &look);
	if (choice->json)
		json_close(choice->json);
	else if (!choice->is_null_ended && top.count == 0)
		out("  none\n");
	if (look.fd >= 0)
		close(look.fd);
	int status = scan_top_status(&top, "symlinks");
	scan_top_free(&top);
	return status;
}

const struct scan_report scan_report_symlinks = {
	.name = "symlinks",
	.title = "Symbolic links",
	.level = SCAN_EVERYTHING,
	.is_paths = true,
	.print = print_symlinks,
};
