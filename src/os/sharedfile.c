/* SPDX-License-Identifier: MIT */
/* sharedfile.c — a file that only this user's processes can read, in a folder of their own */
#include "os/sharedfile.h"

#include "base/fault.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Anybody can make names in /tmp.  So the folder must be a real one, ours, and closed to others:
 * looked at through the descriptor that is then used, not by its name, which could change in
 * between.  Inside it nobody else can make anything, so the file needs no such care beyond O_EXCL
 * and O_NOFOLLOW.
 *
 * The file is written, not mapped: a full disk or a file that somebody cut short would end a
 * program that had it mapped with SIGBUS.
 */

/* The folder's descriptor, or -1 and *error. */
static int open_folder(const char *path, int *error)
{
	struct stat status;

	*error = skuai_fault(SKUAI_FAULT_OPEN);
	if (!*error && mkdir(path, 0700) != 0 && errno != EEXIST)
		*error = errno;
	if (*error)
		return -1;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		*error = errno;
		return -1;
	}
	*error = skuai_fault(SKUAI_FAULT_STAT);
	if (!*error && fstat(fd, &status) != 0)
		*error = errno;
	else if (!*error && (status.st_uid != geteuid() || status.st_mode & 077))
		*error = EPERM; /* somebody else's, or open to them */
	if (!*error)
		return fd;
	close(fd);
	return -1;
}

static int make_file(struct skuai_shared *shared, const char *folder, const char *name)
{
	int error, length = snprintf(shared->path, sizeof(shared->path), "%s/%s", folder, name);

	if (length < 0 || (size_t)length >= sizeof(shared->path))
		return ENAMETOOLONG;
	int at = open_folder(folder, &error);
	if (at < 0)
		return error;
	unlinkat(at, name, 0); /* of a dead process that had our number */
	error = skuai_fault(SKUAI_FAULT_OPEN);
	if (!error) {
		int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
		shared->fd = openat(at, name, flags, 0600);
		error = shared->fd < 0 ? errno : 0;
	}
	close(at);
	return error;
}

int skuai_shared_open(struct skuai_shared *shared, const char *name)
{
	const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
	char folder[SKUAI_SHARED_PATH_ROOM];
	int saved = errno, error = ENOENT;

	shared->fd = -1;
	if (runtime && runtime[0] == '/') {
		int length = snprintf(folder, sizeof(folder), "%s/skua", runtime);
		if (length > 0 && (size_t)length < sizeof(folder))
			error = make_file(shared, folder, name);
	}
	if (error) {
		snprintf(folder, sizeof(folder), "/tmp/skua-%u", (unsigned)geteuid());
		error = make_file(shared, folder, name);
	}
	errno = saved;
	return error;
}

int skuai_shared_write(const struct skuai_shared *shared, const void *bytes, size_t count)
{
	const char *from = bytes;
	size_t done = 0;
	int saved = errno, error = 0;

	while (done < count && !error) {
		ssize_t wrote = pwrite(shared->fd, from + done, count - done, (off_t)done);
		if (wrote > 0)
			done += (size_t)wrote;
		else if (wrote == 0 || errno != EINTR)
			error = wrote == 0 ? ENOSPC : errno;
	}
	errno = saved;
	return error;
}

void skuai_shared_remove(const struct skuai_shared *shared)
{
	int saved = errno;

	if (shared->fd >= 0)
		unlink(shared->path); /* gone already is just as well */
	errno = saved;
}

void skuai_shared_close(struct skuai_shared *shared)
{
	if (shared->fd >= 0)
		close(shared->fd);
	shared->fd = -1;
}
