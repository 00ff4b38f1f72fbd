/* SPDX-License-Identifier: MIT */
/* scan_lists.c — reports that are lists: largest files and directories, recent, empty ones */
#include "output.h"
#include "scan/scan_top.h"

#include <stdlib.h>

/* What a row shows besides the path. */
enum list_kind {
	LIST_PATHS,
	LIST_SIZES,
	LIST_MOMENTS, /* and sizes */
};

struct list {
	const struct scan_choice *choice;
	struct scan_top top;
};

static bool is_shown(const struct list *list, const struct scan_item *item)
{
	return scan_item_depth(item) <= list->choice->max_depth;
}

static int64_t newest_of(const struct scan_item *item)
{
	/* order: relaxed; the walk is over */
	return item->file ? item->file->mtime
	       : item->dir->type == SCAN_DIRECTORY
		       ? atomic_load_explicit(&item->dir->newest, memory_order_relaxed)
		       : item->dir->mtime;
}

static bool is_moment_known(const struct scan_item *item)
{
	return newest_of(item) != SCAN_NO_TIME &&
	       !(item->file && (item->file->flags & SCAN_UNKNOWN));
}

static void row_json(struct json *json, const struct scan_item *item, const char *path,
		     enum list_kind kind)
{
	const struct scan_dir *dir = item->dir;
	const struct scan_file *file = item->file;

	/* order: relaxed, both; the walk is over */
	uint64_t bytes = file ? file->bytes
			      : atomic_load_explicit(&dir->bytes, memory_order_relaxed);
	uint64_t blocks = file ? scan_file_blocks(file)
			       : atomic_load_explicit(&dir->blocks, memory_order_relaxed);
	json_object(json, NULL);
	json_name(json, "path", path);
	if (kind != LIST_PATHS) {
		json_count(json, "bytes_apparent", bytes);
		json_count(json, "bytes_disk", blocks * 512);
		if (is_moment_known(item))
			json_signed(json, "modified", newest_of(item));
		else
			json_null(json, "modified");
		if (!file && dir->type == SCAN_DIRECTORY)
			json_count(json, "entries", scan_entries_of(dir));
	}
	json_close(json);
}

static uint64_t size_of(const struct scan_choice *choice, const struct scan_item *item)
{
	return item->file ? scan_size_of_file(choice, item->file)
			  : scan_size_of_dir(choice, item->dir);
}

static void row_text(const struct list *list, const struct scan_item *item, const char *path,
		     enum list_kind kind)
{
	out("  ");
	if (kind != LIST_PATHS)
		out("%10s  ", scan_bytes(size_of(list->choice, item)).s);
	if (kind == LIST_MOMENTS)
		out("%s  ", scan_moment(newest_of(item)).s);
	scan_put_path(stdout, path);
	out("\n");
}

/* Print the list as it is wanted, and free it. */
static int print_list(struct list *list, const char *report, const char *key, enum list_kind kind)
{
	const struct scan_choice *choice = list->choice;

	scan_top_sort(&list->top);
	if (choice->json)
		json_array(choice->json, key);
	for (size_t i = 0; i < list->top.count; i++) {
		const struct scan_item *item = &list->top.items[i];
		char *path = scan_item_path(item);
		if (!path)
			list->top.is_lost = true;
		else if (choice->json)
			row_json(choice->json, item, path, kind);
		else if (choice->is_null_ended)
			out("%s%c", path, 0);
		else
			row_text(list, item, path, kind);
		free(path);
	}
	if (choice->json)
		json_close(choice->json);
	else if (!choice->is_null_ended && list->top.count == 0)
		out("  none\n");
	int status = scan_top_status(&list->top, report);
	scan_top_free(&list->top);
	return status;
}

/* --- largest --- */

static void offer_file(struct scan_item item, enum scan_type type, void *context)
{
	struct list *list = context;

	if (type != SCAN_FILE || !is_shown(list, &item) ||
	    (item.file && !scan_is_charged(item.file)))
		return;
	item.key = size_of(list->choice, &item);
	scan_top_offer(&list->top, item);
}

static int print_largest_files(struct scan *scan, const struct scan_choice *choice)
{
	struct list list = { choice, { .most = choice->largest_files } };

	scan_visit_all(scan, offer_file, &list);
	return print_list(&list, "largest-files", "largest_files", LIST_SIZES);
}

const struct scan_report scan_report_largest_files = {
	.name = "largest-files",
	.title = "Largest files",
	.level = SCAN_EVERYTHING,
	.needs_sizes = true,
	.is_paths = true,
	.print = print_largest_files,
};

static void offer_dir(struct scan_item item, enum scan_type type, void *context)
{
	struct list *list = context;

	if (type != SCAN_DIRECTORY || !is_shown(list, &item))
		return;
	item.key = size_of(list->choice, &item);
	scan_top_offer(&list->top, item);
}

static int print_largest_dirs(struct scan *scan, const struct scan_choice *choice)
{
	struct list list = { choice, { .most = choice->largest_dirs } };

	scan_visit_all(scan, offer_dir, &list);
	return print_list(&list, "largest-dirs", "largest_directories", LIST_SIZES);
}

const struct scan_report scan_report_largest_dirs = {
	.name = "largest-dirs",
	.title = "Largest directories",
	.level = SCAN_DIRECTORIES,
	.needs_sizes = true,
	.is_paths = true,
	.print = print_largest_dirs,
};

/* --- recent --- */

static void offer_recent(struct scan_item item, enum scan_type type, void *context)
{
	struct list *list = context;
	int64_t moment = newest_of(&item);

	if (type == SCAN_DIRECTORY || moment < list->choice->recent || !is_shown(list, &item) ||
	    !is_moment_known(&item))
		return;
	item.key = (uint64_t)moment + (UINT64_C(1) << 63); /* in the order of signed ones */
	scan_top_offer(&list->top, item);
}

static int print_recent(struct scan *scan, const struct scan_choice *choice)
{
	struct list list = { choice, { .most = choice->limit } };

	scan_visit_all(scan, offer_recent, &list);
	return print_list(&list, "recent", "recent", LIST_MOMENTS);
}

const struct scan_report scan_report_recent = {
	.name = "recent",
	.title = "Changed recently, newest first",
	.level = SCAN_EVERYTHING,
	.needs_sizes = true,
	.is_paths = true,
	.print = print_recent,
};

/* --- empty directories --- */

/* Nothing in it, as far as was looked: not even something that was left out. */
static void offer_empty(struct scan_item item, enum scan_type type, void *context)
{
	struct list *list = context;
	const struct scan_dir *dir = item.dir;

	/* order: relaxed; the walk is over */
	if (type == SCAN_DIRECTORY && scan_entries_of(dir) == 1 && !dir->child && !dir->has_error &&
	    !atomic_load_explicit(&dir->chunks, memory_order_relaxed) && is_shown(list, &item))
		scan_top_offer(&list->top, item);
}

static int print_empty_dirs(struct scan *scan, const struct scan_choice *choice)
{
	struct list list = { choice, { .most = choice->limit } };

	if (!scan->is_partial) /* else: who knows what would have been found */
		scan_visit_all(scan, offer_empty, &list);
	return print_list(&list, "empty-dirs", "empty_directories", LIST_PATHS);
}

const struct scan_report scan_report_empty_dirs = {
	.name = "empty-dirs",
	.title = "Empty directories",
	.level = SCAN_EVERYTHING,
	.is_paths = true,
	.print = print_empty_dirs,
};
