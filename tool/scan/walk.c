/* SPDX-License-Identifier: MIT */
/* walk.c — the walk itself: a directory is a task, and sums are folded upwards as tasks end */
#include "scan/walk.h"

#include "scan/filter.h"
#include "scan/found.h"
#include "scan/kernfs.h"
#include "scan/links.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * A task is a directory.  Whoever runs it opens it relative to its parent, reads all names, looks
 * at the files, hands over the subdirectories as tasks and goes on with one of them itself: a chain
 * of directories costs no hand-over at all.  A directory of many names is read on while other
 * workers look at the files of the blocks that were read; a block is 64 KiB of names.
 *
 * Nobody waits for anybody.  dir->pending counts what is not done below a directory: 1 for reading
 * it, 1 for each block handed over, 1 for each child.  Whoever takes away the last adds the sums to
 * the parent and takes away the 1 that this child was there, and so on upwards; the last root to
 * come to zero ends the scan.  A child is counted before it is handed over, so no directory comes
 * to zero too early.  The race to fear: the reader's own 1 must be the last it touches of a
 * directory, because at level totals a directory that is folded is freed.
 *
 * A small tree is done before a second worker could wake: the first HEADSTART directories are
 * not handed over but kept by the worker that has the root.
 *
 * Where links are followed a directory may be reached in two ways, and is walked at the first: so
 * one worker goes through them all, in du's order.
 */

#define HEADSTART   48
#define BLOCKS_EACH 8 /* handed over and not begun, for each worker: bounds what they hold */

/* Names of a directory, handed over. */
struct block {
	struct scan_dir *dir;
	uint32_t first; /* position of its first name */
	size_t bytes;
	_Alignas(8) char names[];
};

enum {
	WANT_DIRS = 1,
	WANT_FILES = 2
};

static struct scan_worker *worker_of(struct scan *scan)
{
	int self = skua_pool_self(scan->pool);

	return &scan->workers[self >= 0 ? (unsigned)self : scan->places];
}

static struct finding finding_of(struct scan *scan, struct scan_dir *dir, int fd)
{
	return (struct finding){ .scan = scan,
				 .worker = worker_of(scan),
				 .dir = dir,
				 .fd = fd,
				 .sums = { .newest = INT64_MIN } };
}

static bool is_stopped(const struct scan *scan)
{
	/* order: relaxed; when it is seen does not matter */
	return atomic_load_explicit(&scan->is_stopped, memory_order_relaxed);
}

/* Sums of what is folded go up with it. */
static void fold_into(struct scan_dir *parent, struct scan_dir *dir)
{
	/* order: all relaxed; the step of `pending` that brought us here acquired them */
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

	found_add(parent, &sums);
}

static void walk_task(struct skua_slot *here, void *argument);

/* An operand that is no directory. */
static void look_at_root(struct scan *scan, struct scan_dir *root)
{
	struct finding finding = finding_of(scan, root, -1);
	struct stat stat;

	if (handle_stat_dir(scan, root, &stat) != 0)
		found_error(&finding, SCAN_STEP_STAT, NULL, errno);
	else if (S_ISDIR(stat.st_mode)) /* since a moment ago */
		found_count(&finding.worker->tally.races, 1);
	else
		found_root_file(&finding, &stat);
	found_end(&finding);
}

/* One operand after the other: what two of them share is charged to the first. */
static void walk_next_root(struct scan *scan)
{
	while (scan->root_next < scan->options.path_count) {
		struct scan_dir *root = scan->roots[scan->root_next++];
		if (root->handle) {
			if (skua_detach(scan->pool, walk_task, root) != SKUA_OK)
				walk_task(NULL, root);
			return;
		}
		if (!root->has_error && root->type != SCAN_SKIP_NAME)
			look_at_root(scan, root);
	}
	skua_future_fulfil(&scan->done, SKUA_OK);
}

/* One thing less is pending below dir. */
static void fold(struct scan *scan, struct scan_dir *dir)
{
	/* order: acq_rel; who takes the last one sees the sums that all others added */
	while (atomic_fetch_sub_explicit(&dir->pending, 1, memory_order_acq_rel) == 1) {
		struct scan_dir *parent = dir->parent;
		if (!parent) {
			walk_next_root(scan);
			return;
		}
		fold_into(parent, dir);
		if (scan->options.level == SCAN_TOTALS)
			free(dir);
		dir = parent;
	}
}

/* --- reading --- */

static void look_at(struct finding *finding, const char *names, size_t bytes, uint32_t position,
		    unsigned wanted)
{
	const struct filter *filter = finding->scan->options.filter;

	for (size_t at = 0; at < bytes;) {
		const struct du_name *raw = (const struct du_name *)(names + at);
		at += raw->size;
		if (du_is_dots(raw->text))
			continue;
		struct scan_name name = { raw->text, (uint8_t)strlen(raw->text), raw->kind,
					  position++, raw->ino };
		if (filter && filter_excludes(filter, finding->dir, raw->text)) {
			if (wanted & WANT_FILES)
				found_skipped(finding, &name, SCAN_SKIP_NAME);
			continue;
		}
		bool is_dir = found_is_dir(finding, &name);
		if (is_dir && (wanted & WANT_DIRS))
			found_dir(finding, &name);
		else if (!is_dir && (wanted & WANT_FILES))
			found_file(finding, &name);
	}
}

static void block_task(struct skua_slot *here, void *argument)
{
	struct block *block = argument;
	struct scan_dir *dir = block->dir;
	struct scan_handle *handle = dir->handle;
	struct scan *scan = handle->scan;
	struct finding finding = finding_of(scan, dir, handle->fd);

	(void)here;
	if (spot_is_asked(&scan->spot))
		spot_tell(&scan->spot, dir);
	if (!is_stopped(scan))
		look_at(&finding, block->names, block->bytes, block->first, WANT_FILES);
	found_end(&finding);
	free(block);
	atomic_fetch_sub_explicit(&scan->blocks_out, 1, memory_order_relaxed);
	handle_release(handle);
	fold(scan, dir);
}

/* Let another worker look at the files of these names.  False: there are enough such blocks. */
static bool hand_over(struct finding *finding, const char *names, size_t bytes, uint32_t position)
{
	struct scan *scan = finding->scan;
	struct scan_dir *dir = finding->dir;

	/* order: relaxed, a rough limit */
	if (atomic_load_explicit(&scan->blocks_out, memory_order_relaxed) >
	    BLOCKS_EACH * scan->places)
		return false;
	struct block *block = malloc(sizeof(*block) + bytes);
	if (!block)
		return false;
	*block = (struct block){ dir, position, bytes };
	memcpy(block->names, names, bytes);
	atomic_fetch_add_explicit(&scan->blocks_out, 1, memory_order_relaxed);
	/* order: relaxed; our own 1 and the hand-over keep both alive */
	atomic_fetch_add_explicit(&dir->pending, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&dir->handle->users, 1, memory_order_relaxed);
	if (skua_detach(scan->pool, block_task, block) == SKUA_OK)
		return true;
	atomic_fetch_sub_explicit(&scan->blocks_out, 1, memory_order_relaxed);
	atomic_fetch_sub_explicit(&dir->pending, 1, memory_order_relaxed);
	atomic_fetch_sub_explicit(&dir->handle->users, 1, memory_order_relaxed);
	free(block);
	return false;
}

/* Names that were read; those after the first may be left to others. */
static void take_names(struct finding *finding, const char *names, size_t bytes, uint32_t position)
{
	unsigned wanted = WANT_DIRS | WANT_FILES;

	if (spot_is_asked(&finding->scan->spot))
		spot_tell(&finding->scan->spot, finding->dir);
	if (position > 0 && !finding->scan->options.counts_only &&
	    hand_over(finding, names, bytes, position))
		wanted = WANT_DIRS;
	finding->chunk = NULL;
	look_at(finding, names, bytes, position, wanted);
}

/* A directory that was removed after it was opened has no names to tell: that is no error. */
static void not_read(struct finding *finding, int number)
{
	if (number == ENOENT)
		found_count(&finding->worker->tally.races, 1);
	else
		found_error(finding, SCAN_STEP_READ, NULL, number);
}

/* All names of an open directory. */
static void read_names(struct finding *finding)
{
	char *buffer = finding->worker->buffer;
	uint32_t position = 0;

	while (!is_stopped(finding->scan)) {
		ssize_t bytes = getdents64(finding->fd, buffer, SCAN_BUFFER);
		if (bytes < 0)
			not_read(finding, errno);
		if (bytes <= 0)
			return;
		take_names(finding, buffer, (size_t)bytes, position);
		position += du_count_names(buffer, (size_t)bytes);
	}
}

/* The same in the order in which du comes to them. */
static void read_in_du_order(struct finding *finding)
{
	struct du_batch *batch = &finding->worker->batch;
	uint32_t position = 0;
	int error = 0;

	du_batch_begin(batch);
	while (!batch->is_end && !error && !is_stopped(finding->scan)) {
		error = du_batch_read(batch, finding->fd);
		for (size_t at = 0, bytes; at < batch->bytes; at += bytes) {
			bytes = du_batch_piece(batch, at, SCAN_BUFFER);
			take_names(finding, batch->names + at, bytes, position);
			position += du_count_names(batch->names + at, bytes);
		}
	}
	if (error)
		not_read(finding, error);
}

/* --- a directory --- */

/* May it be entered?  Else its type says why not. */
static bool is_entered(struct finding *finding, const struct stat *stat)
{
	const struct scan_options *options = &finding->scan->options;
	struct scan_dir *dir = finding->dir;

	bool is_elsewhere = dir->parent && (uint32_t)stat->st_dev != dir->parent->dev;
	/* A directory may be mounted within itself, and then the device is the same. */
	bool is_mount = is_elsewhere || (dir->parent && stat->st_ino != dir->ino);
	if (is_elsewhere && options->is_one_device)
		dir->type = SCAN_SKIP_DEVICE;
	else if (is_elsewhere && !options->enters_kernel && kernfs_is(finding->fd))
		dir->type = SCAN_SKIP_KERNEL;
	else if (((is_mount || options->is_following) && found_is_loop(finding, stat)) ||
		 (finding->scan->remembers_all && options->links != SCAN_LINKS_ALL &&
		  !links_is_first(finding->scan, stat)))
		dir->type = SCAN_SKIP_MET;
	return dir->type == SCAN_DIRECTORY;
}

static void note_own(struct finding *finding, const struct stat *stat)
{
	struct scan_dir *dir = finding->dir;

	dir->dev = (uint32_t)stat->st_dev;
	dir->ino = stat->st_ino;
	dir->mtime = stat->st_mtime;
	if (dir->type != SCAN_DIRECTORY)
		return;
	found_count(&finding->worker->tally.directories, 1);
	if (dir->depth > finding->worker->deepest)
		finding->worker->deepest = dir->depth;
	if (finding->scan->options.counts_only)
		return;
	dir->own_bytes = (uint64_t)stat->st_size;
	dir->own_blocks = (uint64_t)stat->st_blocks;
	finding->sums.bytes += dir->own_bytes;
	finding->sums.blocks += dir->own_blocks;
	if (dir->mtime > finding->sums.newest)
		finding->sums.newest = dir->mtime;
}

/* It cannot be opened: its own size may still be found. */
static void note_closed(struct finding *finding, int number)
{
	struct scan_dir *dir = finding->dir;
	struct stat stat;

	if (handle_stat_dir(finding->scan, dir, &stat) != 0) {
		number = errno;
		if (number != ENOENT || !dir->parent)
			found_error(finding, SCAN_STEP_STAT, NULL, number);
		else
			found_count(&finding->worker->tally.races, 1);
		dir->type = SCAN_SKIP_MET; /* it does not count as a directory */
		return;
	}
	if (!S_ISDIR(stat.st_mode)) {
		found_count(&finding->worker->tally.races, 1);
		dir->type = SCAN_SKIP_MET;
		return;
	}
	bool enters = is_entered(finding, &stat);
	note_own(finding, &stat);
	if (enters)
		found_error(finding, SCAN_STEP_OPEN, NULL, number);
}

/* Open, read, hand over; the children that were found are in finding. */
static void walk_dir(struct finding *finding)
{
	struct scan *scan = finding->scan;
	struct scan_dir *dir = finding->dir;
	struct stat stat;

	finding->fd = handle_open_dir(scan, dir);
	if (finding->fd < 0) {
		note_closed(finding, errno);
		return;
	}
	struct scan_handle *handle = dir->parent ? handle_make(scan, finding->fd, 1) : dir->handle;
	dir->handle = handle;
	if (!handle) {
		close(finding->fd);
		finding->fd = -1;
		dir->type = SCAN_SKIP_MET;
		found_error(finding, SCAN_STEP_MEMORY, NULL, ENOMEM);
		return;
	}
	handle->fd = finding->fd;
	if (fstat(finding->fd, &stat) != 0) {
		dir->type = SCAN_SKIP_MET;
		found_error(finding, SCAN_STEP_STAT, NULL, errno);
		return;
	}
	bool enters = is_entered(finding, &stat);
	note_own(finding, &stat);
	if (enters && scan->options.is_in_du_order)
		read_in_du_order(finding);
	else if (enters)
		read_names(finding);
}

/* One user of the handle for each child; one that holds a scarce descriptor is closed now. */
static void keep_for_children(struct finding *finding)
{
	struct scan_dir *dir = finding->dir;
	struct scan_handle *handle = dir->handle;

	if (!handle)
		return;
	/* order: relaxed, as in hand_over */
	atomic_fetch_add_explicit(&handle->users, finding->child_count, memory_order_relaxed);
	if (finding->fd > finding->scan->fd_most &&
	    atomic_load_explicit(&handle->users, memory_order_acquire) ==
		    1 + finding->child_count) { /* no block is out */
		close(handle->fd);
		handle->fd = -1;
	}
}

/* Children as they were read: a list grows at its head. */
static struct scan_dir *turn_round(struct scan_dir *list)
{
	struct scan_dir *turned = NULL;

	for (struct scan_dir *dir = list, *next; dir; dir = next) {
		next = dir->next;
		dir->next = turned;
		turned = dir;
	}
	return turned;
}

/* Read a directory; its children are returned as a list of their own, each counted already. */
static struct scan_dir *walk_one(struct scan *scan, struct scan_dir *dir)
{
	struct finding finding = finding_of(scan, dir, -1);
	struct scan_handle *above = dir->parent ? dir->parent->handle : NULL;

	if (!is_stopped(scan))
		walk_dir(&finding);
	if (above)
		handle_release(above);
	found_end(&finding);
	if (scan->options.is_following)
		finding.children = turn_round(finding.children);
	if (scan->options.level != SCAN_TOTALS)
		dir->child = finding.children;
	struct scan_handle *own = dir->handle;
	keep_for_children(&finding);
	/* order: relaxed; children see it through their hand-over, and our own 1 is still there */
	atomic_fetch_add_explicit(&dir->pending, finding.child_count, memory_order_relaxed);
	struct scan_dir *children = finding.children;
	if (own)
		handle_release(own);
	fold(scan, dir);
	return children;
}

/* Without memory for a task we go deeper ourselves: nothing is lost. */
static void give_away(struct scan *scan, struct scan_dir *dir)
{
	if (skua_detach(scan->pool, walk_task, dir) != SKUA_OK)
		walk_task(NULL, dir);
}

/* What the worker that has the root keeps for itself at the start. */
struct kept {
	struct scan_dir *first[HEADSTART]; /* lists of siblings */
	unsigned count;
	unsigned read; /* directories */
};

/* The next one to read: the newest that was kept. */
static struct scan_dir *take_kept(struct kept *kept)
{
	if (kept->count == 0)
		return NULL;
	struct scan_dir *dir = kept->first[kept->count - 1];
	if (!(kept->first[kept->count - 1] = dir->next))
		kept->count--;
	return dir;
}

/* All children but the first to others; the first is returned. */
static struct scan_dir *share(struct scan *scan, struct scan_dir *children, struct kept *kept)
{
	struct scan_dir *mine = children;

	if (!children)
		return take_kept(kept);
	if (kept->read < HEADSTART && kept->count < HEADSTART) {
		kept->first[kept->count++] = children;
		return take_kept(kept);
	}
	for (struct scan_dir *dir = take_kept(kept); dir; dir = take_kept(kept))
		give_away(scan, dir);
	for (struct scan_dir *dir = children->next, *next; dir; dir = next) {
		next = dir->next; /* once it is given away it may be gone */
		give_away(scan, dir);
	}
	return mine;
}

/* Lists of siblings that wait, one for each level; the innermost goes on first. */
struct waiting {
	struct scan_dir **lists;
	size_t count, room;
};

/* False: there is no memory. */
static bool wait_for_turn(struct waiting *waiting, struct scan_dir *list)
{
	if (waiting->count == waiting->room) {
		size_t room = waiting->room ? 2 * waiting->room : 64;
		void *lists = realloc((void *)waiting->lists, room * sizeof(*waiting->lists));
		if (!lists)
			return false;
		waiting->lists = lists;
		waiting->room = room;
	}
	waiting->lists[waiting->count++] = list;
	return true;
}

/* A directory, all below it, then the next: nothing is handed over, unless memory is short. */
static void walk_in_order(struct scan *scan, struct scan_dir *dir)
{
	struct waiting waiting = { NULL, 0, 0 };

	while (dir) {
		struct scan_dir *children = walk_one(scan, dir);
		if (children && !wait_for_turn(&waiting, children)) {
			for (struct scan_dir *child = children, *next; child; child = next) {
				next = child->next;
				give_away(scan, child);
			}
		}
		while (waiting.count && !waiting.lists[waiting.count - 1])
			waiting.count--;
		dir = waiting.count ? waiting.lists[waiting.count - 1] : NULL;
		if (dir)
			waiting.lists[waiting.count - 1] = dir->next;
	}
	free((void *)waiting.lists);
}

static void walk_task(struct skua_slot *here, void *argument)
{
	struct scan_dir *dir = argument;
	struct scan *scan = (dir->parent ? dir->parent : dir)->handle->scan;
	struct kept kept = { .read = dir->parent ? HEADSTART : 0 };

	(void)here;
	if (scan->options.is_following) {
		walk_in_order(scan, dir);
		return;
	}
	while (dir) {
		struct scan_dir *children = walk_one(scan, dir);
		kept.read++;
		dir = share(scan, children, &kept);
	}
}

void scan_start(struct scan *scan)
{
	scan->started_ns = skua_clock_ns();
	walk_next_root(scan);
}

void scan_stop(struct scan *scan)
{
	/* order: relaxed; it is seen soon, and nothing hangs on when */
	atomic_store_explicit(&scan->is_stopped, true, memory_order_relaxed);
}
