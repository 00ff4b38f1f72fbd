/* SPDX-License-Identifier: MIT */
/* spinning.c — does a disk turn?  Then many readers at a time only make its head run about */
#include "scan/spinning.h"

#include "scan/mounted.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The first bytes of a file as text; false: there are none. */
static bool read_start(const char *path, char *text, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t bytes = fd >= 0 ? read(fd, text, room - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (bytes <= 0)
		return false;
	text[bytes] = 0;
	return true;
}

/* A partition has no queue of its own: that is its disk's, one level up. */
static bool says_rotational(const char *root, dev_t device)
{
	static const char *const places[] = { "queue", "../queue" };
	char path[PATH_MAX], text[8];

	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u/%s/rotational", root,
			 major(device), minor(device), places[i]);
		if (read_start(path, text, sizeof(text)))
			return text[0] == '1';
	}
	return false;
}

/* By the name of its driver's disks: those of hypervisors, and of what is no disk at all. */
static bool has_virtual_name(const char *root, dev_t device)
{
	static const char *const starts[] = { "vd", "xvd", "nbd", "rbd", "loop", "ram", "zram" };
	char path[PATH_MAX], leads[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u", root, major(device), minor(device));
	ssize_t length = readlink(path, leads, sizeof(leads) - 1);
	if (length <= 0)
		return false;
	leads[length] = 0;
	const char *slash = strrchr(leads, '/'), *name = slash ? slash + 1 : leads;
	for (unsigned i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (strncmp(name, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

/* x86 tells by a flag of its processors; the first of them is near the start of the file. */
static bool is_virtual_machine(const char *root)
{
	char path[PATH_MAX], text[4096];

	snprintf(path, sizeof(path), "%s/proc/cpuinfo", root);
	return read_start(path, text, sizeof(text)) && strstr(text, " hypervisor");
}

bool spinning_is(const char *root, dev_t device)
{
	return says_rotational(root, device) && !has_virtual_name(root, device) &&
	       !is_virtual_machine(root);
}

bool spinning_is_below(int fd)
{
	struct stat stat_of;
	struct mounted mounted;

	if (fstat(fd, &stat_of) != 0)
		return false;
	dev_t device = stat_of.st_dev;
	if (major(device) == 0) { /* made up, as btrfs does: the mount says what it is of */
		if (!mounted_read(fd, &mounted) || mounted.source[0] != '/' ||
		    stat(mounted.source, &stat_of) != 0 || !S_ISBLK(stat_of.st_mode))
			return false;
		device = stat_of.st_rdev;
	}
	return spinning_is("", device);
}
