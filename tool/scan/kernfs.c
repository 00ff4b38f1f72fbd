/* SPDX-License-Identifier: MIT */
/* kernfs.c — file systems that the kernel makes up, and those across a network */
#include "scan/kernfs.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/vfs.h>

/* By the numbers of statfs(2); some are in no header that we may count on. */
static const uint32_t made_up[] = {
	0x00009fa0, /* proc */
	0x62656572, /* sysfs */
	0x0027e0eb, /* cgroup */
	0x63677270, /* cgroup2 */
	0x64626720, /* debugfs */
	0x74726163, /* tracefs */
	0x73636673, /* securityfs */
	0xf97cff8c, /* selinuxfs */
	0x6165676c, /* pstorefs */
	0xde5e81e4, /* efivarfs */
	0xcafe4a11, /* bpf */
	0x62656570, /* configfs */
	0x65735543, /* fusectl */
	0x00001cd1, /* devpts */
	0x6e736673, /* nsfs */
	0x42494e4d, /* binfmt_misc */
};

static const uint32_t remote[] = {
	0x00006969, /* nfs */
	0xff534d42, /* cifs */
	0xfe534d42, /* smb2 */
	0x00c36400, /* ceph */
	0x65735546, /* fuse */
	0x0bd00bd0, /* lustre */
	0x5346414f, /* afs */
	0x6b414653, /* afs, of the kernel */
	0x73757245, /* coda */
	0x47504653, /* gpfs */
	0x19830326, /* beegfs */
	0x20030528, /* orangefs */
	0x01021997, /* 9p */
	0x786f4256, /* vboxsf */
};

static const uint32_t unsorted[] = {
	0x00006969, /* nfs */
	0xff534d42, /* cifs */
	0x01021994, /* tmpfs */
	0x0bd00bd0, /* lustre */
};

static bool is_one_of(int fd, const uint32_t *list, size_t count)
{
	struct statfs found;

	if (fstatfs(fd, &found) != 0)
		return false;
	for (size_t i = 0; i < count; i++)
		if ((uint32_t)found.f_type == list[i])
			return true;
	return false;
}

bool kernfs_is(int fd)
{
	return is_one_of(fd, made_up, sizeof(made_up) / sizeof(*made_up));
}

bool kernfs_is_remote(int fd)
{
	return is_one_of(fd, remote, sizeof(remote) / sizeof(*remote));
}

bool kernfs_is_sorted_by_du(int fd)
{
	return !is_one_of(fd, unsorted, sizeof(unsorted) / sizeof(*unsorted));
}
