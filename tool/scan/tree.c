/* SPDX-License-Identifier: MIT */
/* tree.c — going through what a walk has found: files, directories, paths, order */
#include "scan/tree.h"

#include <stdlib.h>
#include <string.h>

const struct scan_file *scan_files_next(struct scan_files *files)
{
	while (files->chunk && files->offset >= files->chunk->bytes) {
		files->chunk = files->chunk->next;
		files->offset = 0;
	}
	if (!files->chunk)
		return NULL;
	const struct scan_file *file = (const struct scan_file *)(files->chunk->files +
								  files->offset);
	if (files->offset == 0)
		files->position = files->chunk->position;
	else
		files->position += 1 + file->flags / SCAN_GAP_STEP;
	files->offset += (uint32_t)scan_file_size(file->name_length);
	return file;
}

const struct scan_file *scan_files_first(struct scan_files *files, const struct scan_dir *dir)
{
	*files = (struct scan_files){ atomic_load_explicit(&dir->chunks, memory_order_relaxed), 0,
				      0 };
	return scan_files_next(files);
}

struct scan_dir *scan_dir_next(const struct scan_dir *dir, const struct scan_dir *root)
{
	if (dir->child)
		return dir->child;
	while (dir != root && !dir->next)
		dir = dir->parent;
	return dir == root ? NULL : dir->next;
}

struct scan_dir *scan_dir_deepest(struct scan_dir *root)
{
	while (root->child)
		root = root->child;
	return root;
}

struct scan_dir *scan_dir_next_up(struct scan_dir *dir, const struct scan_dir *root)
{
	if (dir == root)
		return NULL;
	return dir->next ? scan_dir_deepest(dir->next) : dir->parent;
}

/* Does a slash belong between this name and the next?  Not after an operand that ends in one. */
static size_t slash_after(const struct scan_dir *dir)
{
	return dir->name_length == 0 || dir->name[dir->name_length - 1] != '/';
}

char *scan_path(const struct scan_dir *dir, const char *name)
{
	size_t tail = name ? strlen(name) : 0, length = dir->name_length;

	if (name)
		length += slash_after(dir) + tail;
	for (const struct scan_dir *up = dir->parent; up; up = up->parent)
		length += up->name_length + slash_after(up);
	char *path = malloc(length + 1);
	if (!path)
		return NULL;
	char *at = path + length;
	*at = 0;
	if (name) {
		at = memcpy(at - tail, name, tail);
		if (slash_after(dir))
			*--at = '/';
	}
	for (;;) {
		at = memcpy(at - dir->name_length, dir->name, dir->name_length);
		dir = dir->parent;
		if (!dir)
			return path;
		if (slash_after(dir))
			*--at = '/';
	}
}

static bool is_before(const struct scan_dir *a, const struct scan_dir *b, enum scan_order order)
{
	return order == SCAN_BY_NAME ? strcmp(a->name, b->name) < 0 : a->position < b->position;
}

/* A merge sort of the list from below: runs of 1, 2, 4... wait in `runs`, as digits of a count. */
static struct scan_dir *merge_dirs(struct scan_dir *a, struct scan_dir *b, enum scan_order order)
{
	struct scan_dir *first, **end = &first;

	while (a && b) {
		struct scan_dir **least = is_before(b, a, order) ? &b : &a;
		*end = *least;
		end = &(*least)->next;
		*least = *end;
	}
	*end = a ? a : b;
	return first;
}

static struct scan_dir *sort_dirs(struct scan_dir *list, enum scan_order order)
{
	struct scan_dir *runs[64] = { NULL }, *sorted = NULL;

	while (list) {
		struct scan_dir *run = list;
		unsigned i = 0;
		list = list->next;
		run->next = NULL;
		for (; runs[i]; runs[i++] = NULL)
			run = merge_dirs(runs[i], run, order);
		runs[i] = run;
	}
	for (unsigned i = 0; i < 64; i++)
		if (runs[i])
			sorted = merge_dirs(runs[i], sorted, order);
	return sorted;
}

/* Few are out of order, and those that are come as the newest first: insertion will do. */
static void sort_chunks(struct scan_dir *dir)
{
	struct scan_chunk *sorted = NULL,
			  *list = atomic_load_explicit(&dir->chunks, memory_order_relaxed);

	while (list) {
		struct scan_chunk *chunk = list, **at = &sorted;
		list = list->next;
		while (*at && (*at)->position < chunk->position)
			at = &(*at)->next;
		chunk->next = *at;
		*at = chunk;
	}
	atomic_store_explicit(&dir->chunks, sorted, memory_order_relaxed);
}

void scan_sort(struct scan_dir *root, enum scan_order order)
{
	for (struct scan_dir *dir = root; dir; dir = scan_dir_next(dir, root)) {
		dir->child = sort_dirs(dir->child, order);
		sort_chunks(dir);
	}
}
