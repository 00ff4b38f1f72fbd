/* SPDX-License-Identifier: MIT */
/* handle.c — open directories: relative to their parents, never too many, never through a link */
#include "scan/handle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define OPEN_MOST  65536 /* more helps nobody, and the kernel's table of them grows */
#define OPEN_ELSE  12	 /* what is open besides: standard streams, the pool's, an output file */
#define OPEN_EACH  3	 /* what a worker may hold for a moment: a directory and two on the way */
#define RETRY_MOST 200
#define RETRY_NS   1000000
#define READING	   (O_RDONLY | O_NONBLOCK)

unsigned handle_limit(struct scan *scan, unsigned workers)
{
	struct rlimit limit = { 1024, 1024 };

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max < OPEN_MOST ? limit.rlim_max : OPEN_MOST;
		setrlimit(RLIMIT_NOFILE, &limit);
		getrlimit(RLIMIT_NOFILE, &limit);
	}
	int most = limit.rlim_cur < OPEN_MOST ? (int)limit.rlim_cur : OPEN_MOST;
	int fit = (most - OPEN_ELSE) / OPEN_EACH;
	if (fit < 1)
		fit = 1;
	if (workers > (unsigned)fit)
		workers = (unsigned)fit;
	scan->fd_most = most - 1 - OPEN_EACH * (int)workers;
	return workers;
}

/* Others close theirs in a moment when the table is full; we hold none while we wait. */
static bool is_worth_retry(int error, unsigned *tries)
{
	if ((error != EMFILE && error != ENFILE) || ++*tries > RETRY_MOST)
		return false;
	nanosleep(&(struct timespec){ 0, RETRY_NS }, NULL);
	return true;
}

/* Reading should not change when a directory was last read; only its owner may ask for that. */
static int open_at(const struct scan *scan, int at, const char *name, int how)
{
	int flags = how | O_DIRECTORY | O_CLOEXEC | (scan->options.is_following ? 0 : O_NOFOLLOW);
	bool is_quiet = scan->knows_noatime && !(how & O_PATH);
	unsigned tries = 0;
	int fd;

	do {
		fd = openat(at, name, flags | (is_quiet ? O_NOATIME : 0));
		if (fd < 0 && errno == EPERM && is_quiet)
			fd = openat(at, name, flags);
	} while (fd < 0 && is_worth_retry(errno, &tries));
	return fd;
}

/* From the operand down, a name at a time: nobody can put a link in our way. */
static int open_from_root(const struct scan *scan, const struct scan_dir *dir, int how)
{
	const struct scan_dir **way = malloc((dir->depth + 1) * sizeof(*way));

	if (!way) {
		errno = ENOMEM;
		return -1;
	}
	for (const struct scan_dir *up = dir; up; up = up->parent)
		way[up->depth] = up;
	int fd = open_at(scan, AT_FDCWD, way[0]->name, how);
	for (uint32_t i = 1; i <= dir->depth && fd >= 0; i++) {
		int next = open_at(scan, fd, way[i]->name, how);
		int error = errno;
		close(fd);
		errno = error;
		fd = next;
	}
	free((void *)way);
	return fd;
}

int handle_open_dir(struct scan *scan, const struct scan_dir *dir)
{
	const struct scan_handle *above = dir->parent ? dir->parent->handle : NULL;

	if (above && above->fd >= 0)
		return open_at(scan, above->fd, dir->name, READING);
	return open_from_root(scan, dir, READING);
}

int handle_reach(const struct scan *scan, const struct scan_dir *dir)
{
	return open_from_root(scan, dir, O_PATH);
}

int handle_stat_dir(struct scan *scan, const struct scan_dir *dir, struct stat *stat)
{
	const struct scan_handle *above = dir->parent ? dir->parent->handle : NULL;
	int flags = AT_NO_AUTOMOUNT | (scan->options.is_following ? 0 : AT_SYMLINK_NOFOLLOW);

	if (!dir->parent) {
		if (fstatat(AT_FDCWD, dir->name, stat, flags) == 0)
			return 0;
		return scan->options.is_following && scan->options.is_like_du
			       ? handle_refuse_link(AT_FDCWD, dir->name)
			       : -1;
	}
	if (above && above->fd >= 0)
		return fstatat(above->fd, dir->name, stat, flags);
	int fd = open_from_root(scan, dir->parent, READING);
	if (fd < 0)
		return -1;
	int result = fstatat(fd, dir->name, stat, flags);
	int error = errno;
	close(fd);
	errno = error;
	return result;
}

int handle_refuse_link(int at, const char *name)
{
	int error = errno;
	struct stat stat;

	if (error == ENOENT && fstatat(at, name, &stat, AT_NO_AUTOMOUNT | AT_SYMLINK_NOFOLLOW) == 0)
		errno = 0;
	else
		errno = error;
	return -1;
}

struct scan_handle *handle_make(struct scan *scan, int fd, uint32_t users)
{
	struct scan_handle *handle = malloc(sizeof(*handle));

	if (handle) {
		handle->scan = scan;
		handle->fd = fd;
		atomic_init(&handle->users, users);
	}
	return handle;
}

void handle_release(struct scan_handle *handle)
{
	/* order: acq_rel; the last user sees what all others did with it, then closes */
	if (atomic_fetch_sub_explicit(&handle->users, 1, memory_order_acq_rel) != 1)
		return;
	if (handle->fd >= 0)
		close(handle->fd);
	free(handle);
}
