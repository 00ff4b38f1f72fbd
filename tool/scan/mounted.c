/* SPDX-License-Identifier: MIT */
/* mounted.c — the mount that a directory is on: of which kind, of what, and all of it? */
#include "scan/mounted.h"

#include "scan/kernfs.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* The number that mountinfo knows the mount by; 0: not told. */
static uint64_t mount_id(int fd)
{
	char path[64], line[128];
	uint64_t id = 0;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	FILE *file = fopen(path, "re");
	if (!file)
		return 0;
	while (id == 0 && fgets(line, sizeof(line), file))
		if (strncmp(line, "mnt_id:", 7) == 0)
			id = strtoull(line + 7, NULL, 10);
	fclose(file);
	return id;
}

/* 27 1 254:0 / /home rw,relatime shared:1 - ext4 /dev/vda rw */
bool mounted_parse(const char *line, uint64_t id, struct mounted *mounted)
{
	char root[8]; /* the start of what is longer than "/" will do */
	const char *rest = strstr(line, " - ");
	char *end;

	if (!rest || strtoull(line, &end, 10) != id || sscanf(end, " %*s %*s %7s", root) != 1)
		return false;
	mounted->is_whole = strcmp(root, "/") == 0;
	return sscanf(rest, " - %31s %255s", mounted->type, mounted->source) == 2;
}

bool mounted_read(int fd, struct mounted *mounted)
{
	uint64_t id = mount_id(fd);
	FILE *file = id ? fopen("/proc/self/mountinfo", "re") : NULL;
	char *line = NULL;
	size_t room = 0;
	bool is_found = false;

	if (!file)
		return false;
	while (!is_found && getline(&line, &room, file) > 0)
		is_found = mounted_parse(line, id, mounted);
	free(line);
	fclose(file);
	return is_found;
}

/* What is above it is on another file system, or there is nothing above it. */
static bool is_top(int fd)
{
	struct stat here, above;

	return fstat(fd, &here) == 0 && fstatat(fd, "..", &above, 0) == 0 &&
	       (here.st_dev != above.st_dev || here.st_ino == above.st_ino);
}

uint64_t mounted_inodes(int fd)
{
	struct mounted mounted;
	struct statvfs system;

	/* An overlay tells of one of its layers, a server of all that it has. */
	if (!is_top(fd) || kernfs_is_remote(fd) || !mounted_read(fd, &mounted) ||
	    !mounted.is_whole || strcmp(mounted.type, "overlay") == 0)
		return 0;
	if (fstatvfs(fd, &system) != 0 || system.f_files <= system.f_ffree)
		return 0;
	return system.f_files - system.f_ffree;
}
