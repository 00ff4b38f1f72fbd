/* SPDX-License-Identifier: MIT */
/* whole_file.c — a file that appears under its name when it is whole, or not at all */
#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The mode of the file that will be replaced, or that of a new one. */
static mode_t mode_of(const struct stat *old)
{
	if (old)
		return old->st_mode & 0777;
	mode_t mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

static int open_beside(struct whole_file *file, const struct stat *old)
{
	const char *slash = strrchr(file->target, '/');
	int folder = slash ? (int)(slash - file->target) + 1 : 0;

	/* A name of its own: behind the other it could be too long. */
	if (asprintf(&file->temporary, "%.*s.skua-XXXXXX", folder, file->target) < 0) {
		file->temporary = NULL;
		errno = ENOMEM;
		return -1;
	}
	int fd = mkostemp(file->temporary, O_CLOEXEC);
	if (fd < 0) {
		int error = errno;
		free(file->temporary);
		file->temporary = NULL;
		errno = error;
		return -1;
	}
	fchmod(fd, mode_of(old));
	return fd;
}

static int open_target(struct whole_file *file)
{
	struct stat old;
	bool is_there = lstat(file->target, &old) == 0;

	if (is_there && !S_ISREG(old.st_mode))
		return open(file->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return open_beside(file, is_there ? &old : NULL);
}

static void forget(struct whole_file *file)
{
	free(file->temporary);
	free(file->target);
	*file = (struct whole_file){ .to = NULL };
}

int whole_file_open(struct whole_file *file, const char *path)
{
	*file = (struct whole_file){ .target = realpath(path, NULL) };
	if (!file->target)
		file->target = strdup(path);
	if (!file->target)
		return ENOMEM;
	int fd = open_target(file), error = errno;
	if (fd >= 0) {
		file->to = fdopen(fd, "wb");
		error = errno;
		if (!file->to)
			close(fd);
	}
	if (file->to)
		return 0;
	if (file->temporary)
		unlink(file->temporary);
	forget(file);
	return error;
}

static bool stat_either(const char *path, int standard, struct stat *found)
{
	return (strcmp(path, "-") == 0 ? fstat(standard, found) : stat(path, found)) == 0 &&
	       S_ISREG(found->st_mode);
}

bool whole_file_is_same(const char *path, const char *source)
{
	struct stat to, from;

	return stat_either(path, STDOUT_FILENO, &to) && stat_either(source, STDIN_FILENO, &from) &&
	       to.st_dev == from.st_dev && to.st_ino == from.st_ino;
}

bool whole_file_is_lost_link(const char *path)
{
	struct stat link, target;

	return lstat(path, &link) == 0 && S_ISLNK(link.st_mode) && stat(path, &target) != 0 &&
	       errno == ENOENT;
}

int whole_file_close(struct whole_file *file, int error)
{
	if (!error && (ferror(file->to) || fflush(file->to) != 0))
		error = errno ? errno : EIO;
	if (!error && file->temporary && fsync(fileno(file->to)) != 0 && errno != EINVAL)
		error = errno;
	if (fclose(file->to) != 0 && !error)
		error = errno;
	if (!error && file->temporary && rename(file->temporary, file->target) != 0)
		error = errno;
	if (error && file->temporary)
		unlink(file->temporary);
	forget(file);
	return error;
}
