/* SPDX-License-Identifier: MIT */
/* scan_stats.c — reports of a tree's extremes and averages, and of where its entries are */
#include "output.h"
#include "report.h"
#include "scan/scan_top.h"

#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#define INODE_ROWS 10 /* unless --limit says otherwise */

/* Of each kind the first one in order. */
struct extremes {
	const struct scan_choice *choice;
	struct scan_top largest, newest, oldest, longest, deepest, fullest;
	uint64_t files, bytes, entries, depths; /* sums */
	uint64_t directories;
};

#define SIGN (UINT64_C(1) << 63) /* makes the order of signed numbers that of unsigned ones */

static void offer(struct scan_top *top, struct scan_item item, uint64_t key)
{
	item.key = key;
	scan_top_offer(top, item);
}

/* Entries of a directory itself, not of those below it. */
static uint64_t own_entries(const struct scan_dir *dir)
{
	uint64_t entries = scan_entries_of(dir) - 1;

	for (const struct scan_dir *child = dir->child; child; child = child->next)
		if (child->type == SCAN_DIRECTORY)
			entries -= scan_entries_of(child) - 1;
	return entries;
}

static void visit(struct scan_item item, enum scan_type type, void *context)
{
	struct extremes *all = context;
	const char *name = item.file ? item.file->name : item.dir->name;

	all->entries++;
	all->depths += scan_item_depth(&item);
	if (item.file || item.dir->parent)
		offer(&all->longest, item, strlen(name));
	if (type == SCAN_DIRECTORY) {
		all->directories++;
		offer(&all->deepest, item, item.dir->depth);
		offer(&all->fullest, item, own_entries(item.dir));
	}
	if (type != SCAN_FILE || (item.file && (item.file->flags & SCAN_UNKNOWN)))
		return;
	if (item.file && !scan_is_charged(item.file))
		return;
	int64_t moment = item.file ? item.file->mtime : item.dir->mtime;
	uint64_t bytes = item.file ? item.file->bytes : item.dir->own_bytes;
	all->files++;
	all->bytes += bytes;
	offer(&all->largest, item, bytes);
	if (moment == SCAN_NO_TIME)
		return;
	offer(&all->newest, item, (uint64_t)moment + SIGN);
	offer(&all->oldest, item, ~((uint64_t)moment + SIGN));
}

/* What the key of an extreme is. */
enum extreme_kind {
	EXTREME_COUNT,
	EXTREME_BYTES,
	EXTREME_NEWEST,
	EXTREME_OLDEST
};

static int64_t moment_of(uint64_t key, enum extreme_kind kind)
{
	return (int64_t)((kind == EXTREME_OLDEST ? ~key : key) - SIGN);
}

static void extreme_json(struct json *json, const char *key, const char *value,
			 const struct scan_item *item, enum extreme_kind kind)
{
	if (!item) {
		json_null(json, key);
		return;
	}
	char *path = scan_item_path(item);
	json_object(json, key);
	json_name(json, "path", path);
	if (kind == EXTREME_NEWEST || kind == EXTREME_OLDEST)
		json_signed(json, value, moment_of(item->key, kind));
	else
		json_count(json, value, item->key);
	json_close(json);
	free(path);
}

static void extreme_text(const char *label, const struct scan_item *item, enum extreme_kind kind)
{
	char *path = item ? scan_item_path(item) : NULL;

	out("  %s%-12s%s", report_paint(stdout, PAINT_LABEL), label,
	    report_paint(stdout, PAINT_PLAIN));
	if (!item)
		out("none");
	else if (kind == EXTREME_COUNT)
		out("%s", scan_number(item->key).s);
	else if (kind == EXTREME_BYTES)
		out("%s", scan_bytes(item->key).s);
	else
		out("%s", scan_moment(moment_of(item->key, kind)).s);
	if (path) {
		out("  ");
		scan_put_path(stdout, path);
	}
	out("\n");
	free(path);
}

static const struct scan_item *first_of(const struct scan_top *top)
{
	return top->count ? &top->items[0] : NULL;
}

static double mean(uint64_t sum, uint64_t count)
{
	return count ? (double)sum / (double)count : 0;
}

static void stats_json(const struct scan *scan, const struct extremes *all)
{
	struct json *json = all->choice->json;

	json_object(json, "stats");
	extreme_json(json, "largest_file", "bytes_apparent", first_of(&all->largest),
		     EXTREME_BYTES);
	extreme_json(json, "newest_file", "modified", first_of(&all->newest), EXTREME_NEWEST);
	extreme_json(json, "oldest_file", "modified", first_of(&all->oldest), EXTREME_OLDEST);
	extreme_json(json, "longest_name", "bytes", first_of(&all->longest), EXTREME_COUNT);
	extreme_json(json, "deepest_directory", "depth", first_of(&all->deepest), EXTREME_COUNT);
	extreme_json(json, "fullest_directory", "entries", first_of(&all->fullest), EXTREME_COUNT);
	json_real(json, "mean_file_bytes", mean(all->bytes, all->files));
	json_real(json, "mean_entries_per_directory", mean(all->entries, all->directories));
	json_real(json, "mean_depth", mean(all->depths, all->entries));
	json_text(json, "workers_rule",
		  scan->is_read ? NULL : workers_rule_name(scan->workers_rule));
	json_close(json);
}

static void stats_text(const struct scan *scan, const struct extremes *all)
{
	extreme_text("largest", first_of(&all->largest), EXTREME_BYTES);
	extreme_text("newest", first_of(&all->newest), EXTREME_NEWEST);
	extreme_text("oldest", first_of(&all->oldest), EXTREME_OLDEST);
	extreme_text("longest", first_of(&all->longest), EXTREME_COUNT);
	extreme_text("deepest", first_of(&all->deepest), EXTREME_COUNT);
	extreme_text("fullest", first_of(&all->fullest), EXTREME_COUNT);
	report_row("average", "%s a file, %.1f entries a directory, depth %.1f",
		   scan_bytes((uint64_t)mean(all->bytes, all->files)).s,
		   mean(all->entries, all->directories), mean(all->depths, all->entries));
	if (!scan->is_read)
		report_row("workers", "%s", workers_rule_words(scan->workers_rule));
}

static int print_stats(struct scan *scan, const struct scan_choice *choice)
{
	struct scan_top one = { .most = 1 };
	struct extremes all = { choice, one, one, one, one, one, one, 0, 0, 0, 0, 0 };
	struct scan_top *tops[] = { &all.largest, &all.newest,	&all.oldest,
				    &all.longest, &all.deepest, &all.fullest };
	bool is_lost = false;

	scan_visit_all(scan, visit, &all);
	if (choice->json)
		stats_json(scan, &all);
	else
		stats_text(scan, &all);
	for (unsigned i = 0; i < sizeof(tops) / sizeof(*tops); i++) {
		is_lost |= tops[i]->is_lost;
		scan_top_free(tops[i]);
	}
	return scan_top_status(&(struct scan_top){ .is_lost = is_lost }, "stats");
}

const struct scan_report scan_report_stats = {
	.name = "stats",
	.title = "Extremes and averages",
	.level = SCAN_EVERYTHING,
	.needs_sizes = true,
	.print = print_stats,
};

/* --- inodes --- */

static void offer_dir(struct scan_item item, enum scan_type type, void *context)
{
	if (type == SCAN_DIRECTORY)
		offer(context, item, scan_entries_of(item.dir));
}

static void system_json(struct json *json, const char *path, const struct statvfs *system)
{
	json_object(json, NULL);
	json_name(json, "path", path);
	json_count(json, "total", system->f_files);
	json_count(json, "used", system->f_files - system->f_ffree);
	json_close(json);
}

/* Inodes of the file systems, where they have a number of them. */
static void print_systems(const struct scan *scan, const struct scan_choice *choice)
{
	if (choice->json)
		json_array(choice->json, "file_systems");
	for (unsigned i = 0; i < scan->options.path_count && !scan->is_read; i++) {
		const char *path = scan->options.paths[i];
		struct statvfs system;
		if (statvfs(path, &system) != 0 || system.f_files < system.f_ffree)
			continue;
		if (choice->json) {
			system_json(choice->json, path, &system);
		} else if (system.f_files) {
			out("  ");
			scan_put_path(stdout, path);
			out(": the file system uses %s of %s inodes\n",
			    scan_number(system.f_files - system.f_ffree).s,
			    scan_number(system.f_files).s);
		}
	}
	if (choice->json)
		json_close(choice->json);
}

static int print_inodes(struct scan *scan, const struct scan_choice *choice)
{
	struct scan_top top = { .most = choice->limit < UINT64_MAX ? choice->limit : INODE_ROWS };

	scan_visit_all(scan, offer_dir, &top);
	scan_top_sort(&top);
	if (choice->json)
		json_object(choice->json, "inodes");
	print_systems(scan, choice);
	if (choice->json)
		json_array(choice->json, "directories");
	for (size_t i = 0; i < top.count; i++) {
		char *path = scan_item_path(&top.items[i]);
		if (choice->json) {
			json_object(choice->json, NULL);
			json_name(choice->json, "path", path);
			json_count(choice->json, "entries", top.items[i].key);
			json_close(choice->json);
		} else if (path) {
			out("  %14s  ", scan_number(top.items[i].key).s);
			scan_put_path(stdout, path);
			out("\n");
		}
		top.is_lost |= !path;
		free(path);
	}
	if (choice->json) {
		json_close(choice->json);
		json_close(choice->json);
	}
	int status = scan_top_status(&top, "inodes");
	scan_top_free(&top);
	return status;
}

const struct scan_report scan_report_inodes = {
	.name = "inodes",
	.title = "Directories with the most entries",
	.level = SCAN_DIRECTORIES,
	.print = print_inodes,
};
