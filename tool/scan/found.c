/* SPDX-License-Identifier: MIT */
/* found.c — what becomes of one entry of a directory: counted, sized, kept, or a new directory */
#include "scan/found.h"

#include "scan/filter.h"
#include "scan/links.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* order: all relaxed; one thread writes a tally, and who reads it meanwhile wants to know about */
void found_count(uint64_t *count, uint64_t more)
{
	__atomic_store_n(count, *count + more, __ATOMIC_RELAXED);
}

void found_add(struct scan_dir *dir, const struct scan_sums *sums)
{
	/* order: all relaxed; whoever folds the directory comes after the step of `pending` */
	if (sums->bytes)
		atomic_fetch_add_explicit(&dir->bytes, sums->bytes, memory_order_relaxed);
	if (sums->blocks)
		atomic_fetch_add_explicit(&dir->blocks, sums->blocks, memory_order_relaxed);
	if (sums->files)
		atomic_fetch_add_explicit(&dir->files, (uint32_t)sums->files, memory_order_relaxed);
	if (sums->symlinks)
		atomic_fetch_add_explicit(&dir->symlinks, (uint32_t)sums->symlinks,
					  memory_order_relaxed);
	if (sums->others)
		atomic_fetch_add_explicit(&dir->others, (uint32_t)sums->others,
					  memory_order_relaxed);
	if (sums->directories)
		atomic_fetch_add_explicit(&dir->directories, (uint32_t)sums->directories,
					  memory_order_relaxed);
	if (sums->errors)
		atomic_fetch_add_explicit(&dir->errors, (uint32_t)sums->errors,
					  memory_order_relaxed);
	int64_t newest = atomic_load_explicit(&dir->newest, memory_order_relaxed);
	while (sums->newest > newest &&
	       !atomic_compare_exchange_weak_explicit(&dir->newest, &newest, sums->newest,
						      memory_order_relaxed, memory_order_relaxed))
		;
}

void found_error(struct finding *finding, enum scan_step step, const struct scan_name *name,
		 int number)
{
	struct scan_dir *dir = finding->dir;
	struct scan_errors *errors = &finding->worker->errors;

	finding->sums.errors++;
	if (!name)
		dir->has_error = true;
	if (errors->count == errors->room) {
		size_t room = errors->room ? 2 * errors->room : 16;
		struct scan_error *all = realloc(errors->all, room * sizeof(*all));
		if (!all) {
			errors->lost++;
			return;
		}
		errors->all = all;
		errors->room = room;
	}
	struct scan_error error = { scan_path(dir, name ? name->text : NULL), step, number, dir,
				    name ? name->position : 0 };
	if (!error.path) {
		errors->lost++;
		return;
	}
	if (!name && dir->parent) {
		error.dir = dir->parent;
		error.position = dir->position;
	}
	if (finding->scan->options.level == SCAN_TOTALS)
		error.dir = NULL;
	errors->all[errors->count++] = error;
}

static int stat_name(const struct finding *finding, const char *name, struct stat *stat)
{
	const struct scan_options *options = &finding->scan->options;
	int flags = AT_NO_AUTOMOUNT;

	if (options->is_following) {
		if (fstatat(finding->fd, name, stat, flags) == 0)
			return 0;
		if (options->is_like_du)
			return handle_refuse_link(finding->fd, name);
	}
	return fstatat(finding->fd, name, stat, flags | AT_SYMLINK_NOFOLLOW); /* a broken link */
}

/* Not found where it just was: somebody else took it away, which is no error. */
static void not_seen(struct finding *finding, const struct scan_name *name, int number)
{
	if (number == ENOENT)
		found_count(&finding->worker->tally.races, 1);
	else
		found_error(finding, SCAN_STEP_STAT, name, number);
}

bool found_is_dir(struct finding *finding, const struct scan_name *name)
{
	struct stat stat;

	if (name->kind == DT_DIR)
		return true;
	if (name->kind != DT_UNKNOWN &&
	    !(name->kind == DT_LNK && finding->scan->options.is_following))
		return false;
	return stat_name(finding, name->text, &stat) == 0 && S_ISDIR(stat.st_mode);
}

void found_dir(struct finding *finding, const struct scan_name *name)
{
	struct scan *scan = finding->scan;
	size_t size = sizeof(struct scan_dir) + name->length + 1;
	struct scan_dir *child;

	if (scan->options.level == SCAN_TOTALS) /* freed when it is folded, by anybody */
		child = calloc(1, size);
	else
		child = arena_take(&finding->worker->dirs, size);
	if (!child) {
		found_error(finding, SCAN_STEP_MEMORY, name, ENOMEM);
		return;
	}
	memcpy(child->name, name->text, (size_t)name->length + 1);
	child->name_length = name->length;
	child->parent = finding->dir;
	child->depth = finding->dir->depth + 1;
	child->position = name->position;
	child->ino = name->ino; /* until it is opened: walk.c sees by it what is mounted there */
	child->type = SCAN_DIRECTORY;
	atomic_init(&child->pending, 1);
	atomic_init(&child->newest, INT64_MIN);
	child->next = finding->children;
	finding->children = child;
	finding->child_count++;
}

static enum scan_type type_of(const struct stat *stat)
{
	return S_ISREG(stat->st_mode)	? SCAN_FILE
	       : S_ISLNK(stat->st_mode) ? SCAN_SYMLINK
					: SCAN_OTHER;
}

static void count_type(struct scan_sums *sums, enum scan_type type)
{
	if (type == SCAN_FILE)
		sums->files++;
	else if (type == SCAN_SYMLINK)
		sums->symlinks++;
	else
		sums->others++;
}

/* Room for one more file behind the others, in this chunk or a new one. */
static struct scan_file *take_file(struct finding *finding, const struct scan_name *name)
{
	struct arena *arena = &finding->worker->files;
	size_t size = scan_file_size(name->length);
	uint32_t gap = name->position - finding->expected;

	finding->expected = name->position + 1;
	if (!finding->chunk || arena_room(arena) < size || gap > SCAN_GAP_MOST) {
		struct scan_chunk *chunk = arena_take(arena, sizeof(*chunk) + size);
		if (!chunk) {
			found_error(finding, SCAN_STEP_MEMORY, name, ENOMEM);
			return NULL;
		}
		chunk->position = name->position;
		chunk->bytes = (uint32_t)size;
		finding->chunk = chunk;
		/* order: release, pairs scan_sort's reading after the walk; blocks push too */
		chunk->next = atomic_load_explicit(&finding->dir->chunks, memory_order_relaxed);
		while (!atomic_compare_exchange_weak_explicit(&finding->dir->chunks, &chunk->next,
							      chunk, memory_order_release,
							      memory_order_relaxed))
			;
		return (struct scan_file *)chunk->files;
	}
	struct scan_file *file = arena_follow(arena, size);
	file->flags = (uint8_t)(gap * SCAN_GAP_STEP);
	finding->chunk->bytes += (uint32_t)size;
	return file;
}

static struct scan_file *keep_file(struct finding *finding, const struct scan_name *name,
				   enum scan_type type)
{
	if (finding->scan->options.level != SCAN_EVERYTHING)
		return NULL;
	struct scan_file *file = take_file(finding, name);
	if (file) {
		file->type = (uint8_t)type;
		file->name_length = name->length;
		memcpy(file->name, name->text, (size_t)name->length + 1);
	}
	return file;
}

/* Some file systems of the kernel tell of negative sizes. */
static uint64_t bytes_of(const struct stat *stat)
{
	return stat->st_size < 0 ? 0 : (uint64_t)stat->st_size;
}

/* Its size, charged here, or later by a policy when it has other names. */
static enum link_charge charge(struct finding *finding, const struct scan_name *name,
			       struct scan_file *file, const struct stat *stat)
{
	uint64_t bytes = bytes_of(stat), blocks = (uint64_t)stat->st_blocks;
	enum link_charge result = LINK_NEW;
	uint32_t nlink = stat->st_nlink < UINT32_MAX ? (uint32_t)stat->st_nlink : UINT32_MAX;

	if (file) {
		file->bytes = bytes;
		file->blocks_low = (uint32_t)blocks;
		file->blocks_high = blocks >> 40 ? UINT8_MAX : (uint8_t)(blocks >> 32);
		file->mtime = stat->st_mtime;
	}
	if (stat->st_mtime > finding->sums.newest)
		finding->sums.newest = stat->st_mtime;
	if ((stat->st_nlink > 1 || finding->scan->remembers_all) &&
	    finding->scan->options.links != SCAN_LINKS_ALL) {
		struct scan_link link = { stat->st_dev, stat->st_ino,	finding->dir,
					  bytes,	blocks,		stat->st_mtime,
					  file,		name->position, nlink };
		if (file)
			file->flags |= SCAN_LINKED;
		result = links_met(finding->scan, finding->worker, &link);
	}
	if (result == LINK_NEW) {
		finding->sums.bytes += bytes;
		finding->sums.blocks += blocks;
	} else if (result == LINK_LOST) {
		found_error(finding, SCAN_STEP_MEMORY, name, ENOMEM);
	}
	return result;
}

void found_file(struct finding *finding, const struct scan_name *name)
{
	const struct scan_options *options = &finding->scan->options;
	struct stat stat;
	enum scan_type type = name->kind == DT_REG   ? SCAN_FILE
			      : name->kind == DT_LNK ? SCAN_SYMLINK
						     : SCAN_OTHER;

	if (options->counts_only && name->kind != DT_UNKNOWN &&
	    !(options->is_following && type == SCAN_SYMLINK)) {
		count_type(&finding->sums, type);
		keep_file(finding, name, type);
		return;
	}
	if (stat_name(finding, name->text, &stat) != 0) {
		int number = errno;
		not_seen(finding, name, number);
		if (number == ENOENT)
			return;
		count_type(&finding->sums, type);
		struct scan_file *file = keep_file(finding, name, type);
		if (file)
			file->flags |= SCAN_UNKNOWN;
		return;
	}
	if (S_ISDIR(stat.st_mode)) { /* of unknown kind, and taken as a child; or it just changed */
		if (name->kind != DT_UNKNOWN && !options->is_following)
			found_count(&finding->worker->tally.races, 1);
		return;
	}
	if (options->is_one_device && (uint32_t)stat.st_dev != finding->dir->dev) {
		found_skipped(finding, name, SCAN_SKIP_DEVICE); /* something mounted on a file */
		return;
	}
	type = type_of(&stat);
	if (options->filter && !filter_wants(options->filter, name->text, type, &stat))
		return;
	count_type(&finding->sums, type);
	charge(finding, name, keep_file(finding, name, type), &stat);
}

void found_root_file(struct finding *finding, const struct stat *stat)
{
	struct scan_dir *dir = finding->dir;

	dir->type = (uint8_t)type_of(stat);
	dir->dev = (uint32_t)stat->st_dev;
	dir->ino = stat->st_ino;
	dir->mtime = stat->st_mtime;
	dir->own_bytes = bytes_of(stat);
	dir->own_blocks = (uint64_t)stat->st_blocks;
	count_type(&finding->sums, type_of(stat));
	const struct scan_name name = { .text = dir->name };
	if (charge(finding, &name, NULL, stat) == LINK_LATER &&
	    finding->scan->options.level == SCAN_TOTALS)
		dir->type = SCAN_SKIP_MET; /* elsewhere links_charge says so */
}

void found_skipped(struct finding *finding, const struct scan_name *name, enum scan_type why)
{
	found_count(&finding->worker->tally.skipped, 1);
	keep_file(finding, name, why);
}

bool found_is_loop(struct finding *finding, const struct stat *stat)
{
	for (const struct scan_dir *up = finding->dir->parent; up; up = up->parent) {
		if (up->ino == stat->st_ino && up->dev == (uint32_t)stat->st_dev) {
			found_error(finding, SCAN_STEP_LOOP, NULL, ELOOP);
			return true;
		}
	}
	return false;
}

void found_end(struct finding *finding)
{
	const struct scan_sums *sums = &finding->sums;
	struct scan_tally *tally = &finding->worker->tally;

	found_add(finding->dir, sums);
	found_count(&tally->files, sums->files);
	found_count(&tally->symlinks, sums->symlinks);
	found_count(&tally->others, sums->others);
	found_count(&tally->errors, sums->errors);
	found_count(&tally->bytes, sums->bytes);
	found_count(&tally->blocks, sums->blocks);
}
