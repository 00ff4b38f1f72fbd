/* SPDX-License-Identifier: MIT */
/* diff_join.c — two trees laid over each other: what came, went, grew and shrank */
#include "scan/diff_join.h"

#include <stdlib.h>
#include <string.h>

/*
 * Both sides of a directory are merged by name, and what is in them waits in `all` until its turn
 * comes: no recursion.  Directories are all kept, files only where they differ.  At the end, from
 * the last to the first, whatever changed is hung on its parent.
 */

static struct diff_node *add_node(struct diff *diff, struct diff_node *parent, const char *name)
{
	if (diff->count == diff->room) {
		size_t room = diff->room ? 2 * diff->room : 256;
		void *all = realloc((void *)diff->all, room * sizeof(*diff->all));
		if (!all)
			return NULL;
		diff->all = all;
		diff->room = room;
	}
	struct diff_node *node = arena_take(&diff->arena, sizeof(*node));
	if (!node)
		return NULL;
	node->parent = parent;
	node->name = name;
	node->depth = parent ? parent->depth + 1 : 0;
	diff->all[diff->count++] = node;
	return node;
}

static void set_dir(struct diff_node *node, unsigned side, const struct scan_dir *dir)
{
	/* order: relaxed, all; the walk is over */
	node->dirs[side] = dir;
	node->is_there[side] = true;
	node->type = dir->type;
	node->is_dir = dir->type == SCAN_DIRECTORY;
	node->bytes[side] = atomic_load_explicit(&dir->bytes, memory_order_relaxed);
	node->blocks[side] = atomic_load_explicit(&dir->blocks, memory_order_relaxed);
	node->entries[side] = (uint64_t)atomic_load_explicit(&dir->files, memory_order_relaxed) +
			      atomic_load_explicit(&dir->symlinks, memory_order_relaxed) +
			      atomic_load_explicit(&dir->others, memory_order_relaxed) +
			      atomic_load_explicit(&dir->directories, memory_order_relaxed) +
			      node->is_dir;
}

static bool add_dirs(struct diff *diff, struct diff_node *parent, const struct scan_dir *before,
		     const struct scan_dir *after)
{
	struct diff_node *node = add_node(diff, parent, (after ? after : before)->name);

	if (!node)
		return false;
	if (before)
		set_dir(node, DIFF_BEFORE, before);
	if (after)
		set_dir(node, DIFF_AFTER, after);
	diff->dirs_came += !before && node->is_dir;
	diff->dirs_went += !after && node->is_dir;
	return true;
}

/* The next that counts: what was not entered is as if it were not there. */
static const struct scan_dir *entered(const struct scan_dir *dir)
{
	while (dir && dir->type != SCAN_DIRECTORY)
		dir = dir->next;
	return dir;
}

static bool join_dirs(struct diff *diff, struct diff_node *node)
{
	const struct scan_dir *before = node->dirs[DIFF_BEFORE], *after = node->dirs[DIFF_AFTER];

	before = entered(before ? before->child : NULL);
	after = entered(after ? after->child : NULL);
	while (before || after) {
		int order = !before ? 1 : !after ? -1 : strcmp(before->name, after->name);
		if (!add_dirs(diff, node, order <= 0 ? before : NULL, order >= 0 ? after : NULL))
			return false;
		if (order <= 0)
			before = entered(before->next);
		if (order >= 0)
			after = entered(after->next);
	}
	return true;
}

/* --- files --- */

struct file_list {
	const struct scan_file **all;
	size_t count;
};

static int compare_files(const void *left, const void *right)
{
	const struct scan_file *const *a = left, *const *b = right;

	return strcmp((*a)->name, (*b)->name);
}

/* Files of a directory by name; those that a filter kept out are none. */
static bool list_files(struct file_list *list, const struct scan_dir *dir)
{
	struct scan_files files;
	size_t count = 0;

	*list = (struct file_list){ NULL, 0 };
	if (!dir)
		return true;
	for (const struct scan_file *f = scan_files_first(&files, dir); f;
	     f = scan_files_next(&files))
		count += f->type < SCAN_SKIP_NAME;
	if (count == 0)
		return true;
	list->all = malloc(count * sizeof(*list->all));
	if (!list->all)
		return false;
	for (const struct scan_file *f = scan_files_first(&files, dir); f;
	     f = scan_files_next(&files))
		if (f->type < SCAN_SKIP_NAME)
			list->all[list->count++] = f;
	qsort((void *)list->all, count, sizeof(*list->all), compare_files);
	return true;
}

static bool is_same(struct diff *diff, const struct scan_file *before,
		    const struct scan_file *after)
{
	if (before->bytes != after->bytes || scan_file_blocks(before) != scan_file_blocks(after))
		return false;
	if (before->mtime != SCAN_NO_TIME && after->mtime != SCAN_NO_TIME)
		diff->touched += before->mtime != after->mtime;
	return true;
}

static bool add_files(struct diff *diff, struct diff_node *parent, const struct scan_file *before,
		      const struct scan_file *after)
{
	const struct scan_file *files[DIFF_SIDES] = { before, after };

	if (before && after && is_same(diff, before, after))
		return true;
	struct diff_node *node = add_node(diff, parent, (after ? after : before)->name);
	if (!node)
		return false;
	for (unsigned side = 0; side < DIFF_SIDES; side++) {
		if (!files[side])
			continue;
		node->is_there[side] = true;
		node->type = files[side]->type;
		node->bytes[side] = files[side]->bytes;
		node->blocks[side] = scan_file_blocks(files[side]);
		node->entries[side] = 1;
	}
	if (before && after) {
		bool is_larger = after->bytes > before->bytes ||
				 (after->bytes == before->bytes &&
				  scan_file_blocks(after) > scan_file_blocks(before));
		diff->grew += is_larger;
		diff->shrank += !is_larger;
	}
	diff->came += !before;
	diff->went += !after;
	return true;
}

static bool join_files(struct diff *diff, struct diff_node *node)
{
	struct file_list before, after = { NULL, 0 };
	size_t i = 0, j = 0;
	bool is_done = list_files(&before, node->dirs[DIFF_BEFORE]) &&
		       list_files(&after, node->dirs[DIFF_AFTER]);

	while (is_done && (i < before.count || j < after.count)) {
		int order = i == before.count  ? 1
			    : j == after.count ? -1
					       : strcmp(before.all[i]->name, after.all[j]->name);
		is_done = add_files(diff, node, order <= 0 ? before.all[i] : NULL,
				    order >= 0 ? after.all[j] : NULL);
		i += order <= 0;
		j += order >= 0;
	}
	free((void *)before.all);
	free((void *)after.all);
	return is_done;
}

/* --- roots --- */

static int compare_roots(const void *left, const void *right)
{
	const struct scan_dir *const *a = left, *const *b = right;

	return strcmp((*a)->name, (*b)->name);
}

/* Several roots on a side: a root above them that is in no tree, and they are joined by name. */
static bool join_roots(struct diff *diff, struct scan *const scans[DIFF_SIDES])
{
	struct scan_dir **roots[DIFF_SIDES];
	unsigned counts[DIFF_SIDES], i = 0, j = 0;
	struct diff_node *top = add_node(diff, NULL, ".");

	if (!top)
		return false;
	top->is_dir = true;
	for (unsigned side = 0; side < DIFF_SIDES; side++) {
		roots[side] = scans[side]->roots;
		counts[side] = scans[side]->options.path_count;
		qsort((void *)roots[side], counts[side], sizeof(*roots[side]), compare_roots);
		top->is_there[side] = true;
		top->bytes[side] = scans[side]->total.bytes;
		top->blocks[side] = scans[side]->total.blocks;
	}
	while (i < counts[0] || j < counts[1]) {
		int order = i == counts[0]   ? 1
			    : j == counts[1] ? -1
					     : strcmp(roots[0][i]->name, roots[1][j]->name);
		if (!add_dirs(diff, top, order <= 0 ? roots[0][i] : NULL,
			      order >= 0 ? roots[1][j] : NULL))
			return false;
		i += order <= 0;
		j += order >= 0;
	}
	return true;
}

static void hang_changes(struct diff *diff)
{
	for (size_t i = diff->count; i-- > 0;) {
		struct diff_node *node = diff->all[i], *parent = node->parent;
		if (node->is_there[DIFF_BEFORE] != node->is_there[DIFF_AFTER] ||
		    node->bytes[DIFF_BEFORE] != node->bytes[DIFF_AFTER] ||
		    node->blocks[DIFF_BEFORE] != node->blocks[DIFF_AFTER])
			node->is_changed = true;
		if (!node->is_changed || !parent)
			continue;
		parent->is_changed = true;
		node->next = parent->child;
		parent->child = node;
	}
}

bool diff_join(struct diff *diff, struct scan *before, struct scan *after)
{
	struct scan *const scans[DIFF_SIDES] = { before, after };
	bool is_one = true;

	*diff = (struct diff){ .scans = { before, after } };
	for (unsigned side = 0; side < DIFF_SIDES; side++) {
		is_one = is_one && scans[side]->options.path_count == 1;
		for (unsigned i = 0; i < scans[side]->options.path_count; i++)
			scan_sort(scans[side]->roots[i], SCAN_BY_NAME);
	}
	bool is_done = is_one ? add_dirs(diff, NULL, before->roots[0], after->roots[0])
			      : join_roots(diff, scans);
	for (size_t i = 0; i < diff->count && is_done; i++)
		is_done = join_dirs(diff, diff->all[i]) && join_files(diff, diff->all[i]);
	if (is_done)
		hang_changes(diff);
	else
		diff_free(diff);
	return is_done;
}

void diff_free(struct diff *diff)
{
	arena_free(&diff->arena);
	free((void *)diff->all);
	*diff = (struct diff){ .all = NULL };
}

char *diff_path(const struct diff_node *node)
{
	size_t length = 0;

	if (!node->parent)
		return strdup(".");
	for (const struct diff_node *up = node; up->parent; up = up->parent)
		length += strlen(up->name) + 1;
	char *path = malloc(length);
	if (!path)
		return NULL;
	char *at = path + length;
	for (const struct diff_node *up = node; up->parent; up = up->parent) {
		size_t name = strlen(up->name);
		*--at = up == node ? 0 : '/';
		at = memcpy(at - name, up->name, name);
	}
	return path;
}
