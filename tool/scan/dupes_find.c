/* SPDX-License-Identifier: MIT */
/* dupes_find.c — which files may be the same: narrowed down by size, ends, and growing prefixes */
#include "scan/dupes.h"
#include "scan/scan_top.h"

#include <stdlib.h>
#include <string.h>

/*
 * Files of a size of their own are out before anything is read.  The others are read in rounds;
 * after each the files are sorted by size and key, and those that stand alone are out:
 *
 *	the first 4 KiB, and the last 4 KiB where there are 64 KiB and more; up to 16 KiB: all of it
 *	the first MiB, 16 MiB, 128 MiB, all of it
 *
 * So two large files that differ early cost little, and equal ones are read once.  A key is 128
 * bits of a hash that nobody who makes files for the purpose is stopped by: whoever acts on the
 * result compares bytes first (dupes_act.c).
 */

#define HEAD	 4096
#define WHOLE	 16384 /* so small a file is read at once */
#define HAS_TAIL 65536

static const uint64_t limits[] = { 1 << 20, 16 << 20, 128 << 20, UINT64_MAX };

static int compare_dupes(const void *left, const void *right, void *context)
{
	const struct dupe *a = left, *b = right;

	(void)context;
	if (a->is_out != b->is_out)
		return a->is_out - b->is_out;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	for (unsigned i = 0; i < 2; i++)
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i] ? -1 : 1;
	return 0;
}

static bool is_same(const struct dupe *a, const struct dupe *b)
{
	return compare_dupes(a, b, NULL) == 0;
}

/* So that the first of several names is the same whoever sorts. */
static const struct skua_sort_options stable = { .size = sizeof(stable), .is_stable = true };

/* Sort, and drop what has no equal. */
static void narrow(struct dupes *dupes)
{
	size_t kept = 0;

	skua_sort(dupes->scan->pool, dupes->all, dupes->count, sizeof(*dupes->all), compare_dupes,
		  NULL, &stable);
	while (dupes->count > 0 && dupes->all[dupes->count - 1].is_out)
		dupes->count--;
	for (size_t i = 0, end; i < dupes->count; i = end) {
		for (end = i + 1; end < dupes->count && is_same(&dupes->all[i], &dupes->all[end]);)
			end++;
		if (end - i < 2)
			continue;
		memmove(&dupes->all[kept], &dupes->all[i], (end - i) * sizeof(*dupes->all));
		kept += end - i;
	}
	dupes->count = kept;
}

/* --- the candidates --- */

/* Room for one more candidate; false: there is no memory. */
static bool add_candidate(struct dupes *dupes, size_t *room, struct dupe dupe)
{
	if (dupes->count == *room) {
		size_t more = *room ? 2 * *room : 1024;
		struct dupe *all = realloc(dupes->all, more * sizeof(*all));
		if (!all)
			return false;
		dupes->all = all;
		*room = more;
	}
	dupes->all[dupes->count++] = dupe;
	return true;
}

struct collecting {
	struct dupes *dupes;
	uint64_t least;
	size_t room;
	bool is_lost;
};

static void collect_one(struct scan_item item, enum scan_type type, void *context)
{
	struct collecting *collecting = context;
	const struct scan_dir *dir = item.dir;
	const struct scan_file *file = item.file;
	struct dupe dupe = { .dir = dir,
			     .file = file,
			     .bytes = file ? file->bytes : dir->own_bytes,
			     .mtime = file ? file->mtime : dir->mtime,
			     .dev = file ? 0 : dir->dev,
			     .ino = file ? 0 : dir->ino };

	if (type != SCAN_FILE || dupe.bytes == 0 || dupe.bytes < collecting->least ||
	    (file && (file->flags & SCAN_UNKNOWN)))
		return;
	if (!add_candidate(collecting->dupes, &collecting->room, dupe))
		collecting->is_lost = true;
}

static int collect(struct dupes *dupes, uint64_t least)
{
	struct collecting collecting = { .dupes = dupes, .least = least };

	scan_visit_all(dupes->scan, collect_one, &collecting);
	return collecting.is_lost ? SKUA_ENOMEM : SKUA_OK;
}

static int compare_by_file(const void *left, const void *right)
{
	const struct scan_file *a = ((const struct scan_link *)left)->file,
			       *b = ((const struct scan_link *)right)->file;

	return (a > b) - (a < b);
}

/* What the walk noted of files with several names, to be looked up by the file. */
static int note_inodes(struct dupes *dupes)
{
	struct scan *scan = dupes->scan;
	size_t count = 0;

	for (unsigned i = 0; i <= scan->places; i++)
		count += scan->workers[i].links.count;
	if (count == 0)
		return SKUA_OK;
	struct scan_link *links = malloc(count * sizeof(*links));
	if (!links)
		return SKUA_ENOMEM;
	count = 0;
	for (unsigned i = 0; i <= scan->places; i++) {
		const struct scan_link_list *some = &scan->workers[i].links;
		if (some->count)
			memcpy(links + count, some->all, some->count * sizeof(*links));
		count += some->count;
	}
	qsort(links, count, sizeof(*links), compare_by_file);
	for (size_t i = 0; i < dupes->count; i++) {
		struct dupe *dupe = &dupes->all[i];
		struct scan_link wanted = { .file = dupe->file };
		const struct scan_link *found = dupe->file && (dupe->file->flags & SCAN_LINKED)
							? bsearch(&wanted, links, count,
								  sizeof(*links), compare_by_file)
							: NULL;
		if (found) {
			dupe->dev = found->dev;
			dupe->ino = found->ino;
		}
	}
	free(links);
	return SKUA_OK;
}

static int compare_inodes(const void *left, const void *right, void *context)
{
	const struct dupe *a = left, *b = right;

	(void)context;
	if (a->ino != b->ino)
		return a->ino < b->ino ? -1 : 1;
	if (a->dev != b->dev)
		return a->dev < b->dev ? -1 : 1;
	return 0;
}

/* Names of one file become one candidate; its other names hang on it, in memory of their own. */
static int collapse_names(struct dupes *dupes)
{
	struct dupe *all = dupes->all;
	size_t kept = 0;

	if (!all)
		return SKUA_OK;
	skua_sort(dupes->scan->pool, all, dupes->count, sizeof(*all), compare_inodes, NULL,
		  &stable);
	for (size_t i = 0; i < dupes->count; i++) {
		struct dupe *dupe = &all[i], *before = kept ? &all[kept - 1] : NULL;
		if (before && dupe->ino && compare_inodes(before, dupe, NULL) == 0) {
			struct dupe *other = arena_take(&dupes->names, sizeof(*other));
			if (!other)
				return SKUA_ENOMEM;
			*other = *dupe;
			other->other_name = before->other_name;
			before->other_name = other;
			continue;
		}
		all[kept++] = *dupe;
	}
	dupes->count = kept;
	return SKUA_OK;
}

/* --- rounds --- */

static int hash_ends(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct dupes *dupes = argument;

	(void)here;
	for (uint64_t i = lo; i < hi; i++) {
		struct dupe *dupe = &dupes->all[i];
		uint64_t bytes = dupe->bytes;
		dupe_hash(dupes, dupe, 0, bytes <= WHOLE ? bytes : HEAD);
		if (bytes >= HAS_TAIL && !dupe->is_out)
			dupe_hash(dupes, dupe, bytes - HEAD, bytes);
	}
	return 0;
}

/* What hash_ends and the rounds read of a file that has a twin. */
static void plan(struct dupes *dupes)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < dupes->count; i++) {
		uint64_t own = dupes->all[i].bytes;
		bytes += own + (own > WHOLE ? HEAD : 0) + (own >= HAS_TAIL ? HEAD : 0);
	}
	/* order: relaxed, a number to be shown */
	atomic_store_explicit(&dupes->bytes_planned, bytes, memory_order_relaxed);
}

struct round {
	struct dupes *dupes;
	uint64_t from, to;
};

static int hash_round(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	const struct round *round = argument;

	(void)here;
	for (uint64_t i = lo; i < hi; i++) {
		struct dupe *dupe = &round->dupes->all[i];
		uint64_t bytes = dupe->bytes;
		if (bytes > WHOLE && bytes > round->from)
			dupe_hash(round->dupes, dupe, round->from,
				  bytes < round->to ? bytes : round->to);
	}
	return 0;
}

static int run_rounds(struct dupes *dupes)
{
	const struct skua_loop_options one = { .size = sizeof(one), .grain = 1 };
	struct round round = { .dupes = dupes };

	skua_for(dupes->scan->pool, 0, dupes->count, hash_ends, dupes, &one);
	/* Now that they were opened all are known: a mount may show a file twice. */
	int error = collapse_names(dupes);
	if (error)
		return error;
	narrow(dupes);
	for (unsigned i = 0; i < sizeof(limits) / sizeof(*limits) && dupes->count > 0; i++) {
		round.to = limits[i];
		skua_for(dupes->scan->pool, 0, dupes->count, hash_round, &round, &one);
		narrow(dupes);
		round.from = limits[i];
	}
	return SKUA_OK;
}

/* What the hashes call equal is compared with the first of its group; what differs leaves it. */
static void compare_all(struct dupes *dupes)
{
	for (size_t i = 0, end; i < dupes->count; i = end) {
		for (end = i + 1; end < dupes->count && is_same(&dupes->all[i], &dupes->all[end]);
		     end++)
			;
		for (size_t j = i + 1; j < end && !dupes_is_stopped(dupes); j++)
			if (!dupe_equals(dupes, &dupes->all[i], &dupes->all[j]))
				dupes->all[j].is_out = true;
	}
	narrow(dupes);
	dupes->is_compared = true;
}

/* --- groups --- */

static int compare_paths(const void *left, const void *right)
{
	const struct dupe *a = left, *b = right;
	char *one = dupe_path(a), *two = dupe_path(b);
	int order = one && two ? strcmp(one, two) : 0;

	free(one);
	free(two);
	return order;
}

static uint64_t gain(const struct dupe_group *group)
{
	return group->bytes * (group->count - 1);
}

static int compare_groups(const void *left, const void *right, void *context)
{
	const struct dupe_group *a = left, *b = right;
	const struct dupes *dupes = context;

	if (gain(a) != gain(b))
		return gain(a) > gain(b) ? -1 : 1;
	return compare_paths(&dupes->all[a->first], &dupes->all[b->first]);
}

static int make_groups(struct dupes *dupes)
{
	dupes->groups = malloc((dupes->count / 2 + 1) * sizeof(*dupes->groups));
	if (!dupes->groups)
		return SKUA_ENOMEM;
	for (size_t i = 0, end; i < dupes->count; i = end) {
		for (end = i + 1; end < dupes->count && is_same(&dupes->all[i], &dupes->all[end]);)
			end++;
		qsort(&dupes->all[i], end - i, sizeof(*dupes->all), compare_paths);
		dupes->groups[dupes->group_count++] = (struct dupe_group){ i, end - i,
									   dupes->all[i].bytes };
	}
	skua_sort(dupes->scan->pool, dupes->groups, dupes->group_count, sizeof(*dupes->groups),
		  compare_groups, dupes, NULL);
	return SKUA_OK;
}

int dupes_find(struct dupes *dupes, uint64_t least, bool is_compared)
{
	int error = collect(dupes, least);
	if (!error)
		error = note_inodes(dupes);
	if (!error)
		error = collapse_names(dupes);
	if (!error) {
		narrow(dupes); /* by size: no key is known yet */
		plan(dupes);
		error = run_rounds(dupes);
	}
	if (!error && is_compared)
		compare_all(dupes);
	if (!error)
		error = dupes_is_stopped(dupes) ? SKUA_ECANCELED : make_groups(dupes);
	return error;
}
