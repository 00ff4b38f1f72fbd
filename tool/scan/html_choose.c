/* SPDX-License-Identifier: MIT */
/* html_choose.c — what of a tree is large enough to be seen on a page */
#include "scan/html_page.h"

#include <stdlib.h>
#include <string.h>

#define SEEN_PART 5000 /* a box of less than such a part of the whole is not drawn */

static bool add(struct html_boxes *boxes, const struct html_box *box)
{
	if (boxes->count == boxes->room) {
		size_t room = boxes->room ? 2 * boxes->room : 1024;
		struct html_box *all = realloc(boxes->all, room * sizeof(*all));
		if (!all)
			return false;
		boxes->all = all;
		boxes->room = room;
	}
	boxes->all[boxes->count++] = *box;
	return true;
}

static struct html_box box_of_dir(const struct scan_dir *dir, uint32_t parent)
{
	/* order: relaxed; the walk is over */
	return (struct html_box){
		.dir = dir,
		.name = dir->name,
		.parent = parent,
		.bytes = atomic_load_explicit(&dir->bytes, memory_order_relaxed),
		.blocks = atomic_load_explicit(&dir->blocks, memory_order_relaxed),
		.files = (uint64_t)atomic_load_explicit(&dir->files, memory_order_relaxed) +
			 atomic_load_explicit(&dir->symlinks, memory_order_relaxed) +
			 atomic_load_explicit(&dir->others, memory_order_relaxed),
		.kind = dir->type != SCAN_DIRECTORY,
	};
}

static void add_to(struct html_box *rest, const struct html_box *box)
{
	rest->bytes += box->bytes;
	rest->blocks += box->blocks;
	rest->files += box->files;
	rest->smaller++;
}

struct seen {
	uint64_t bytes, blocks; /* at least one of them, */
	uint64_t files;		/* or, for a directory, so many files */
};

static bool is_seen(const struct seen *least, const struct html_box *box)
{
	return box->bytes >= least->bytes || box->blocks >= least->blocks ||
	       (box->kind == 0 && box->files >= least->files);
}

/* The contents of one directory: those that are seen, and a box for the rest. */
static bool open_box(struct html_boxes *boxes, uint32_t index, const struct seen *least,
		     enum scan_links links)
{
	const struct scan_dir *dir = boxes->all[index].dir;
	struct html_box rest = { .dir = dir, .parent = index, .kind = 2 };
	struct scan_files files;

	for (const struct scan_dir *child = dir->child; child; child = child->next) {
		struct html_box box = box_of_dir(child, index);
		if (child->type != SCAN_DIRECTORY)
			continue;
		if (!is_seen(least, &box))
			add_to(&rest, &box);
		else if (!add(boxes, &box))
			return false;
	}
	for (const struct scan_file *file = scan_files_first(&files, dir); file;
	     file = scan_files_next(&files)) {
		bool is_charged = scan_is_charged_here(links, file);
		struct html_box box = { .dir = dir,
					.name = file->name,
					.parent = index,
					.bytes = is_charged ? file->bytes : 0,
					.blocks = is_charged ? scan_file_blocks(file) : 0,
					.files = 1,
					.kind = 1 };
		if (file->type >= SCAN_DIRECTORY)
			continue;
		if (!is_seen(least, &box))
			add_to(&rest, &box);
		else if (!add(boxes, &box))
			return false;
	}
	return rest.smaller == 0 || add(boxes, &rest);
}

/* All boxes of that size and more; parents come before their children, as a queue has them. */
static bool choose(const struct scan *scan, struct html_boxes *boxes, const struct seen *least)
{
	boxes->count = 0;
	if (scan->options.path_count > 1) {
		struct html_box all = { .name = "all", .kind = 0 };
		if (!add(boxes, &all))
			return false;
	}
	for (unsigned i = 0; i < scan->options.path_count; i++) {
		struct html_box box = box_of_dir(scan->roots[i], 0);
		if (!add(boxes, &box))
			return false;
		if (scan->options.path_count > 1)
			add_to(&boxes->all[0], &box);
	}
	for (size_t i = 0; i < boxes->count && boxes->count <= HTML_BOXES_MAX; i++)
		if (boxes->all[i].kind == 0 && boxes->all[i].dir &&
		    !open_box(boxes, (uint32_t)i, least, scan->options.links))
			return false;
	return true;
}

bool html_choose(const struct scan *scan, struct html_boxes *boxes)
{
	const struct scan_tally *total = &scan->total;
	uint64_t files = total->files + total->symlinks + total->others;
	struct seen least = { total->bytes / SEEN_PART + 1, total->blocks / SEEN_PART + 1,
			      files / SEEN_PART + 1 };

	*boxes = (struct html_boxes){ 0 };
	do {
		if (!choose(scan, boxes, &least)) {
			free(boxes->all);
			return false;
		}
		least.bytes *= 2;
		least.blocks *= 2;
		least.files *= 2;
	} while (boxes->count > HTML_BOXES_MAX);
	return true;
}
