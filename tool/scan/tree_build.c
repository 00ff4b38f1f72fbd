/* SPDX-License-Identifier: MIT */
/* tree_build.c — a scan's tree made from entries that a file tells, one after the other */
#include "scan/tree_build.h"

#include "scan/found.h"
#include "scan/links.h"

#include <stdlib.h>
#include <string.h>

/*
 * The tree is as a walk leaves it, so that every report works on it.  Memory grows with what was
 * read, never faster: paths of errors, which could be as long as the tree is deep, are kept up to
 * PATHS_MOST bytes.  Sizes that do not add up to a number of 63 bits are refused: sums would lie.
 */

#define PATHS_MOST ((uint64_t)64 << 20)
#define ROOTS_MOST 65536

static const char no_memory[] = "there is not enough memory for it";

bool build_open(struct build *build, struct scan *scan, const struct scan_options *options)
{
	*build = (struct build){ .scan = scan };
	*scan = (struct scan){ .options = *options, .is_read = true };
	scan->options.level = SCAN_EVERYTHING;
	scan->options.path_count = 0;
	scan->started_ns = skua_clock_ns();
	scan->workers = aligned_alloc(128, sizeof(*scan->workers));
	if (!scan->workers)
		return false;
	memset(scan->workers, 0, sizeof(*scan->workers));
	return true;
}

static const char *check_name(const struct told *told, bool is_root)
{
	const char *name = told->name;
	size_t length = told->name_length;

	if (length == 0) /* but for an operand that could not be there */
		return is_root && told->type == SCAN_OTHER && told->has_error ? NULL
									      : "a name is empty";
	if (memchr(name, 0, length))
		return "a name holds a 0 byte";
	if (is_root)
		return length > UINT16_MAX ? "the name of the root is too long" : NULL;
	if (length > UINT8_MAX)
		return "a name is longer than 255 bytes";
	if (memchr(name, '/', length))
		return "a name holds a slash";
	if (name[0] == '.' && (length == 1 || (length == 2 && name[1] == '.')))
		return "a name is . or ..";
	return NULL;
}

static const char *check_sizes(struct build *build, const struct told *told)
{
	const uint64_t most = INT64_MAX;

	if (told->bytes > most - build->bytes || told->blocks > most / 512 - build->blocks)
		return "the sizes add up to more than 2^63 bytes";
	build->bytes += told->bytes;
	build->blocks += told->blocks;
	build->entries++;
	return NULL;
}

/* The place among the entries of the open directory; its `pending` counts them meanwhile. */
static uint32_t next_position(struct build *build)
{
	/* order: relaxed; only we know of the tree */
	return atomic_fetch_add_explicit(&build->dir->pending, 1, memory_order_relaxed);
}

static struct scan_dir *make_root(struct build *build, size_t size)
{
	struct scan *scan = build->scan;
	unsigned count = scan->options.path_count;

	if (count == build->root_room) {
		unsigned room = count ? 2 * count : 1;
		void *roots = realloc((void *)scan->roots, room * sizeof(*scan->roots));
		if (!roots)
			return NULL;
		scan->roots = roots;
		build->root_room = room;
	}
	struct scan_dir *root = calloc(1, size);
	if (root) {
		root->position = count;
		scan->roots[scan->options.path_count++] = root;
	}
	return root;
}

static void count_dir(struct build *build, struct scan_dir *dir)
{
	struct scan_tally *total = &build->scan->total;
	struct scan_sums sums = { .newest = INT64_MIN, .errors = dir->has_error };

	if (dir->type == SCAN_DIRECTORY) {
		sums.bytes = dir->own_bytes;
		sums.blocks = dir->own_blocks;
		sums.newest = dir->mtime;
		total->directories++;
	} else if (!dir->parent && dir->type < SCAN_SKIP_NAME) { /* an operand that is a file */
		sums.bytes = dir->own_bytes;
		sums.blocks = dir->own_blocks;
		sums.newest = dir->mtime;
		sums.files = dir->type == SCAN_FILE;
		sums.symlinks = dir->type == SCAN_SYMLINK;
		sums.others = dir->type == SCAN_OTHER && !dir->has_error;
	} else if (dir->type >= SCAN_SKIP_NAME && dir->type != SCAN_SKIP_MET) {
		total->skipped++;
	}
	total->files += sums.files;
	total->symlinks += sums.symlinks;
	total->others += sums.others;
	total->bytes += sums.bytes;
	total->blocks += sums.blocks;
	found_add(dir, &sums);
}

const char *build_dir(struct build *build, const struct told *told)
{
	struct scan_dir *above = build->dir;
	size_t size = sizeof(struct scan_dir) + told->name_length + 1;
	const char *wrong = check_name(told, !above);

	if (!wrong)
		wrong = check_sizes(build, told);
	if (wrong)
		return wrong;
	if (above && above->type != SCAN_DIRECTORY)
		return "it tells what is in a directory that was not entered";
	if (!above && build->scan->options.path_count == ROOTS_MOST)
		return "it has too many roots";
	struct scan_dir *dir = above ? arena_take(&build->scan->workers[0].dirs, size)
				     : make_root(build, size);
	if (!dir)
		return no_memory;
	memcpy(dir->name, told->name, told->name_length);
	dir->name_length = (uint16_t)told->name_length;
	dir->type = (uint8_t)told->type;
	dir->has_error = told->has_error;
	dir->own_bytes = told->bytes;
	dir->own_blocks = told->blocks;
	dir->mtime = told->mtime;
	dir->dev = (uint32_t)told->dev; /* those of other systems may lose some bits */
	dir->ino = told->ino;
	atomic_init(&dir->newest, INT64_MIN);
	if (above) {
		dir->parent = above;
		dir->depth = above->depth + 1;
		dir->position = next_position(build);
		dir->next = above->child;
		above->child = dir;
	}
	count_dir(build, dir);
	build->dir = dir;
	build->chunk = NULL;
	return NULL;
}

static struct scan_file *take_file(struct build *build, const struct told *told, uint32_t position)
{
	struct arena *arena = &build->scan->workers[0].files;
	size_t size = scan_file_size(told->name_length);
	struct scan_file *file;

	if (build->chunk && arena_room(arena) >= size) {
		file = arena_follow(arena, size);
		build->chunk->bytes += (uint32_t)size;
	} else {
		struct scan_chunk *chunk = arena_take(arena, sizeof(*chunk) + size);
		if (!chunk)
			return NULL;
		chunk->position = position;
		chunk->bytes = (uint32_t)size;
		/* order: relaxed, both; only we know of the tree */
		chunk->next = atomic_load_explicit(&build->dir->chunks, memory_order_relaxed);
		atomic_store_explicit(&build->dir->chunks, chunk, memory_order_relaxed);
		build->chunk = chunk;
		file = (struct scan_file *)chunk->files;
	}
	memcpy(file->name, told->name, told->name_length);
	file->name_length = (uint8_t)told->name_length;
	file->type = (uint8_t)told->type;
	file->flags = told->has_error ? SCAN_UNKNOWN : 0;
	file->bytes = told->bytes;
	file->blocks_low = (uint32_t)told->blocks;
	file->blocks_high = told->blocks >> 40 ? UINT8_MAX : (uint8_t)(told->blocks >> 32);
	file->mtime = told->mtime;
	return file;
}

/* Its size goes to the directory now, or by a policy at the end. */
static const char *charge(struct build *build, const struct told *told, struct scan_file *file,
			  uint32_t position, struct scan_sums *sums)
{
	struct scan *scan = build->scan;
	struct scan_link link = { told->dev,   told->ino, build->dir, told->bytes, told->blocks,
				  told->mtime, file,	  position,   told->nlink };

	bool is_apart = (uint32_t)told->dev !=
			build->dir->dev; /* what tells its device is kept with links */
	if ((!told->is_linked && !is_apart) || scan->options.links == SCAN_LINKS_ALL) {
		sums->bytes = told->bytes;
		sums->blocks = told->blocks;
		return NULL;
	}
	file->flags |= SCAN_LINKED;
	return links_met(scan, &scan->workers[0], &link) == LINK_LATER ? NULL : no_memory;
}

const char *build_file(struct build *build, const struct told *told)
{
	struct scan_tally *total = &build->scan->total;
	struct scan_sums sums = { .newest = told->mtime, .errors = told->has_error };
	const char *wrong = check_name(told, false);

	if (!wrong)
		wrong = check_sizes(build, told);
	if (wrong)
		return wrong;
	if (!build->dir || build->dir->type != SCAN_DIRECTORY)
		return "it tells of a file outside of a directory";
	uint32_t position = next_position(build);
	struct scan_file *file = take_file(build, told, position);
	if (!file)
		return no_memory;
	if (told->type >= SCAN_SKIP_NAME) {
		total->skipped++;
		return NULL;
	}
	sums.files = told->type == SCAN_FILE;
	sums.symlinks = told->type == SCAN_SYMLINK;
	sums.others = told->type == SCAN_OTHER;
	wrong = charge(build, told, file, position, &sums);
	total->files += sums.files;
	total->symlinks += sums.symlinks;
	total->others += sums.others;
	total->bytes += sums.bytes;
	total->blocks += sums.blocks;
	found_add(build->dir, &sums);
	return wrong;
}

const char *build_leave(struct build *build)
{
	struct scan_dir *dir = build->dir;

	if (!dir)
		return "it leaves a directory where none is open";
	/* order: all relaxed; only we know of the tree */
	struct scan_sums sums = {
		.bytes = atomic_load_explicit(&dir->bytes, memory_order_relaxed),
		.blocks = atomic_load_explicit(&dir->blocks, memory_order_relaxed),
		.newest = atomic_load_explicit(&dir->newest, memory_order_relaxed),
		.files = atomic_load_explicit(&dir->files, memory_order_relaxed),
		.symlinks = atomic_load_explicit(&dir->symlinks, memory_order_relaxed),
		.others = atomic_load_explicit(&dir->others, memory_order_relaxed),
		.directories = atomic_load_explicit(&dir->directories, memory_order_relaxed) +
			       (dir->type == SCAN_DIRECTORY),
		.errors = atomic_load_explicit(&dir->errors, memory_order_relaxed),
	};
	atomic_store_explicit(&dir->pending, 0, memory_order_relaxed);
	if (dir->parent)
		found_add(dir->parent, &sums);
	build->dir = dir->parent;
	build->chunk = NULL;
	return NULL;
}

const char *build_error(struct build *build, const char *path, const char *name,
			enum scan_step step, int number)
{
	struct scan_errors *errors = &build->scan->errors;

	if (build->scan->options.path_count == 0)
		return "it tells of errors before it tells of a directory";
	build->scan->total.errors++;
	if (build->path_bytes > PATHS_MOST) {
		errors->lost++;
		return NULL;
	}
	if (errors->count == errors->room) {
		size_t room = errors->room ? 2 * errors->room : 16;
		struct scan_error *all = realloc(errors->all, room * sizeof(*all));
		if (!all)
			return no_memory;
		errors->all = all;
		errors->room = room;
	}
	struct scan_error error = { path ? strdup(path) : scan_path(build->dir, name), step, number,
				    build->dir ? build->dir : build->scan->roots[0],
				    (uint32_t)errors->count };
	if (!error.path)
		return no_memory;
	build->path_bytes += strlen(error.path) + 1;
	errors->all[errors->count++] = error;
	return NULL;
}

static int compare_errors(const void *left, const void *right)
{
	const struct scan_error *a = left, *b = right;
	int order = strcmp(a->path, b->path);

	return order ? order : (int)a->step - (int)b->step;
}

const char *build_end(struct build *build, int64_t when)
{
	struct scan *scan = build->scan;
	struct scan_worker *worker = &scan->workers[0];
	unsigned count = scan->options.path_count;

	if (build->dir)
		return "it ends inside a directory";
	if (count == 0)
		return "there is nothing in it";
	const char **paths = arena_take(&worker->dirs, count * sizeof(*paths));
	if (!paths)
		return no_memory;
	for (unsigned i = 0; i < count; i++) {
		paths[i] = scan->roots[i]->name;
		scan_sort(scan->roots[i], SCAN_BY_POSITION);
	}
	scan->options.paths = paths;
	links_charge(scan);
	if (scan->errors.count)
		qsort(scan->errors.all, scan->errors.count, sizeof(*scan->errors.all),
		      compare_errors);
	scan->read_when = when;
	scan->memory = worker->dirs.bytes + worker->files.bytes +
		       worker->links.room * sizeof(struct scan_link);
	scan->seconds = (double)(skua_clock_ns() - scan->started_ns) / 1e9;
	return NULL;
}
