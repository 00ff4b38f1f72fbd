/* SPDX-License-Identifier: MIT */
/* tree_tour.c — a tree from end to end: directories and files in the order they were read */
#include "scan/tree_tour.h"

#include <stdlib.h>

struct tour_level {
	const struct scan_dir *dir, *child; /* the child that comes next */
	struct scan_files files;
	const struct scan_file *file; /* that comes next, and files.position its place */
};

void tour_start(struct tour *tour, const struct scan_dir *root)
{
	*tour = (struct tour){ .root = root };
}

void tour_stop(struct tour *tour)
{
	free(tour->levels);
	*tour = (struct tour){ .root = NULL };
}

static enum tour_step enter(struct tour *tour, const struct scan_dir *dir)
{
	if (tour->depth == tour->room) {
		size_t room = tour->room ? 2 * tour->room : 64;
		struct tour_level *levels = realloc(tour->levels, room * sizeof(*levels));
		if (!levels)
			return TOUR_NO_MEMORY;
		tour->levels = levels;
		tour->room = room;
	}
	struct tour_level *level = &tour->levels[tour->depth++];
	*level = (struct tour_level){ .dir = dir, .child = dir->child };
	level->file = scan_files_first(&level->files, dir);
	tour->dir = dir;
	return TOUR_DIR;
}

enum tour_step tour_next(struct tour *tour)
{
	if (tour->root) {
		const struct scan_dir *root = tour->root;
		tour->root = NULL;
		return enter(tour, root);
	}
	if (tour->depth == 0)
		return TOUR_END;
	struct tour_level *level = &tour->levels[tour->depth - 1];
	const struct scan_dir *child = level->child;
	tour->dir = level->dir;
	if (child && (!level->file || child->position <= level->files.position)) {
		level->child = child->next;
		return enter(tour, child);
	}
	if (level->file) {
		tour->file = level->file;
		level->file = scan_files_next(&level->files);
		return TOUR_FILE;
	}
	tour->depth--;
	return TOUR_LEAVE;
}

static int compare_files(const void *left, const void *right)
{
	const struct scan_link *const *a = left, *const *b = right;

	return ((*a)->file > (*b)->file) - ((*a)->file < (*b)->file);
}

bool tour_links_make(struct tour_links *links, const struct scan *scan)
{
	size_t count = 0;

	*links = (struct tour_links){ NULL, 0 };
	for (unsigned i = 0; i <= scan->places; i++)
		count += scan->workers[i].links.count;
	if (count == 0)
		return true;
	links->all = malloc(count * sizeof(*links->all));
	if (!links->all)
		return false;
	for (unsigned i = 0; i <= scan->places; i++) {
		const struct scan_link_list *some = &scan->workers[i].links;
		for (size_t j = 0; j < some->count; j++)
			links->all[links->count++] = &some->all[j];
	}
	qsort((void *)links->all, count, sizeof(*links->all), compare_files);
	return true;
}

const struct scan_link *tour_links_find(const struct tour_links *links,
					const struct scan_file *file)
{
	const struct scan_link wanted = { .file = file }, *key = &wanted;

	if (!(file->flags & SCAN_LINKED) || links->count == 0)
		return NULL;
	const struct scan_link **found = bsearch((const void *)&key, (const void *)links->all,
						 links->count, sizeof(*links->all), compare_files);
	return found ? *found : NULL;
}

void tour_links_free(struct tour_links *links)
{
	free((void *)links->all);
	*links = (struct tour_links){ NULL, 0 };
}
