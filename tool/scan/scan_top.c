/* SPDX-License-Identifier: MIT */
/* scan_top.c — the first so many of a scan's entries by some key, and their order */
#include "scan/scan_top.h"

#include <stdlib.h>
#include <string.h>

/*
 * The kept items are a heap with the last of them on top: one that comes before it takes its place.
 * Most are turned away by one comparison of keys.
 */

#define ROOM_FIRST 64

/* A step up: an item's directory, or a directory's parent. */
static struct scan_item above(const struct scan_item *item)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): who calls has counted the depth */
	return (struct scan_item){ .dir = item->file ? item->dir : item->dir->parent };
}

static const char *name_of(const struct scan_item *item)
{
	return item->file ? item->file->name : item->dir->name;
}

static bool is_same(const struct scan_item *a, const struct scan_item *b)
{
	return a->dir == b->dir && a->file == b->file;
}

int scan_item_compare_path(const struct scan_item *left, const struct scan_item *right)
{
	struct scan_item a = *left, b = *right;
	uint32_t a_depth = scan_item_depth(&a), b_depth = scan_item_depth(&b);
	int order = (a_depth > b_depth) - (a_depth < b_depth);

	for (; a_depth > b_depth; a_depth--)
		a = above(&a);
	for (; b_depth > a_depth; b_depth--)
		b = above(&b);
	if (is_same(&a, &b))
		return order; /* one is above the other */
	for (;;) {
		struct scan_item a_up = above(&a), b_up = above(&b);
		if (!a_up.dir && !b_up.dir)
			return a.dir->position < b.dir->position ? -1 : 1; /* operands */
		if (is_same(&a_up, &b_up))
			break;
		a = a_up;
		b = b_up;
	}
	return strcmp(name_of(&a), name_of(&b));
}

int scan_item_compare(const struct scan_item *a, const struct scan_item *b)
{
	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	return scan_item_compare_path(a, b);
}

static int compare(const void *left, const void *right)
{
	return scan_item_compare(left, right);
}

char *scan_item_path(const struct scan_item *item)
{
	return scan_path(item->dir, item->file ? item->file->name : NULL);
}

static void sift_up(struct scan_top *top, size_t at)
{
	struct scan_item *items = top->items, item = items[at];

	while (at && scan_item_compare(&item, &items[(at - 1) / 2]) > 0) {
		items[at] = items[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	items[at] = item;
}

static void sift_down(struct scan_top *top)
{
	struct scan_item *items = top->items, item = items[0];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < top->count) {
		if (child + 1 < top->count &&
		    scan_item_compare(&items[child + 1], &items[child]) > 0)
			child++;
		if (scan_item_compare(&item, &items[child]) >= 0)
			break;
		items[at] = items[child];
		at = child;
	}
	items[at] = item;
}

void scan_top_offer(struct scan_top *top, struct scan_item item)
{
	if (top->most == 0)
		return;
	if (top->count == top->most) {
		if (scan_item_compare(&item, &top->items[0]) < 0) {
			top->items[0] = item;
			sift_down(top);
		}
		return;
	}
	if (top->count == top->room) {
		size_t room = top->room ? 2 * top->room : ROOM_FIRST;
		struct scan_item *items = realloc(top->items, room * sizeof(*items));
		if (!items) {
			top->is_lost = true;
			return;
		}
		top->items = items;
		top->room = room;
	}
	top->items[top->count++] = item;
	if (top->most != SIZE_MAX)
		sift_up(top, top->count - 1);
}

void scan_top_sort(struct scan_top *top)
{
	if (top->count)
		qsort(top->items, top->count, sizeof(*top->items), compare);
}

void scan_top_free(struct scan_top *top)
{
	free(top->items);
	*top = (struct scan_top){ .most = top->most };
}

int scan_top_status(const struct scan_top *top, const char *report)
{
	if (!top->is_lost)
		return STATUS_DONE;
	fprintf(stderr,
		"skua scan: --%s is not complete: not enough memory; try --limit or less at a time\n",
		report);
	return STATUS_PARTLY;
}

void scan_visit_all(const struct scan *scan, scan_visit *visit, void *context)
{
	for (unsigned i = 0; i < scan->options.path_count; i++) {
		const struct scan_dir *root = scan->roots[i];
		for (const struct scan_dir *dir = root; dir; dir = scan_dir_next(dir, root)) {
			struct scan_files files;
			const struct scan_file *file = scan_files_first(&files, dir);
			if (dir->type <= SCAN_DIRECTORY &&
			    !(dir->has_error && dir->type == SCAN_OTHER))
				visit((struct scan_item){ .dir = dir }, (enum scan_type)dir->type,
				      context);
			for (; file; file = scan_files_next(&files))
				if (file->type < SCAN_DIRECTORY)
					visit((struct scan_item){ .dir = dir, .file = file },
					      (enum scan_type)file->type, context);
		}
	}
}
