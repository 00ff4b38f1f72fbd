/* SPDX-License-Identifier: MIT */
/* sysfile.c — read small files of /proc and /sys, or of a copy of them, without trusting them */
#include "os/sysfile.h"

#include "base/fault.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file system that answers EINTR more often than this is not going to answer; arbitrary. */
#define FILE_RETRIES 100

static enum skuai_file file_failed(int error)
{
	/* ENODEV: the file of a control group that was removed after we opened it. */
	return error == ENOENT || error == ENODEV ? SKUAI_FILE_MISSING : SKUAI_FILE_REFUSED;
}

/* A file descriptor, or -1 and *error. */
static int file_open(const char *path, int *error)
{
	for (int tries = 0; tries < FILE_RETRIES; tries++) {
		*error = skuai_fault(SKUAI_FAULT_OPEN);
		if (!*error) {
			int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
			if (fd >= 0)
				return fd;
			*error = errno;
		}
		if (*error != EINTR)
			break;
	}
	return -1;
}

/* How many bytes were read, or -1 and *error. */
static ssize_t file_read_some(int fd, char *buffer, size_t room, int *error)
{
	for (int tries = 0; tries < FILE_RETRIES; tries++) {
		*error = skuai_fault(SKUAI_FAULT_READ);
		if (!*error) {
			ssize_t count = read(fd, buffer, room);
			if (count >= 0)
				return count;
			*error = errno;
		}
		if (*error != EINTR)
			break;
	}
	return -1;
}

static enum skuai_file file_read_all(int fd, char *buffer, size_t room, struct skuai_text *text)
{
	struct stat status;
	int error = skuai_fault(SKUAI_FAULT_STAT);

	if (error || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
		return SKUAI_FILE_REFUSED;
	while (text->count < room) {
		ssize_t count = file_read_some(fd, buffer + text->count, room - text->count,
					       &error);
		if (count < 0)
			return file_failed(error);
		if (count == 0)
			return SKUAI_FILE_READ;
		text->count += (size_t)count;
	}
	char beyond; /* the buffer is full: is that all? */
	ssize_t more = file_read_some(fd, &beyond, 1, &error);
	if (more < 0)
		return file_failed(error);
	return more == 0 ? SKUAI_FILE_READ : SKUAI_FILE_CUT;
}

enum skuai_file skuai_file_read(const char *root, const char *path, char *buffer, size_t room,
				struct skuai_text *text)
{
	char full[SKUAI_PATH_ROOM];
	int error, length = snprintf(full, sizeof(full), "%s%s", root ? root : "", path);

	*text = (struct skuai_text){ .at = buffer, .count = 0 };
	if (length < 0 || (size_t)length >= sizeof(full))
		return SKUAI_FILE_REFUSED;
	int fd = file_open(full, &error);
	if (fd < 0)
		return file_failed(error);
	enum skuai_file result = file_read_all(fd, buffer, room, text);
	if (result != SKUAI_FILE_READ && result != SKUAI_FILE_CUT)
		text->count = 0; /* half a file is none */
	close(fd);
	return result;
}

bool skuai_file_is_folder(const char *path)
{
	struct stat status;

	return !skuai_fault(SKUAI_FAULT_STAT) && stat(path, &status) == 0 &&
	       S_ISDIR(status.st_mode);
}
