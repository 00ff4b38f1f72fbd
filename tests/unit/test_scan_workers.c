/* SPDX-License-Identifier: MIT */
/* test_scan_workers.c — how many workers a scan gets: disks that turn, networks, few files */
#include "check.h"
#include "scan/mounted.h"
#include "scan/spinning.h"
#include "scan/walk.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define PLAIN_CPU   "flags\t\t: fpu vme sse\n"
#define VIRTUAL_CPU "flags\t\t: fpu vme hypervisor sse\n"

/* A machine whose disk 8:0 and its partition 8:1 say `rotational`. */
static const char *machine(const char *disk, const char *rotational, const char *cpuinfo)
{
	static char root[300];
	char path[512], leads[256];

	test_remove(test_folder(), "machine");
	snprintf(path, sizeof(path), "machine/sys/devices/%s/queue/rotational", disk);
	test_write_text(test_folder(), path, rotational);
	snprintf(path, sizeof(path), "machine/sys/devices/%s/%s1/partition", disk, disk);
	test_write_text(test_folder(), path, "1\n");
	test_write_text(test_folder(), "machine/sys/dev/block/.keep", "");
	test_write_text(test_folder(), "machine/proc/cpuinfo", cpuinfo);
	snprintf(root, sizeof(root), "%s/machine", test_folder());
	snprintf(leads, sizeof(leads), "../../devices/%s", disk);
	snprintf(path, sizeof(path), "%s/sys/dev/block/8:0", root);
	assert_int_equal(symlink(leads, path), 0);
	snprintf(leads, sizeof(leads), "../../devices/%s/%s1", disk, disk);
	snprintf(path, sizeof(path), "%s/sys/dev/block/8:1", root);
	assert_int_equal(symlink(leads, path), 0);
	return root;
}

static void test_workers_disk_and_partition_turn(void **state)
{
	const char *root = machine("sda", "1\n", PLAIN_CPU);

	(void)state;
	assert_true(spinning_is(root, makedev(8, 0)));
	assert_true(spinning_is(root, makedev(8, 1)));
	assert_false(spinning_is(root, makedev(8, 2))); /* nothing is known of it */
	root = machine("sda", "0\n", PLAIN_CPU);
	assert_false(spinning_is(root, makedev(8, 0)));
	assert_false(spinning_is(root, makedev(8, 1)));
	assert_false(spinning_is(machine("sda", "", PLAIN_CPU), makedev(8, 0)));
}

static void test_workers_virtual_disks_are_not_believed(void **state)
{
	(void)state;
	assert_false(spinning_is(machine("vda", "1\n", PLAIN_CPU), makedev(8, 1)));
	assert_false(spinning_is(machine("loop3", "1\n", PLAIN_CPU), makedev(8, 0)));
	assert_false(spinning_is(machine("sda", "1\n", VIRTUAL_CPU), makedev(8, 0)));
}

static void test_workers_mount_lines_are_understood(void **state)
{
	static const char whole[] = "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n";
	static const char part[] = "31 27 0:44 /home/a /srv rw - btrfs /dev/sdb rw,subvol=/home\n";
	struct mounted mounted;

	(void)state;
	assert_true(mounted_parse(whole, 27, &mounted));
	assert_true(mounted.is_whole);
	assert_string_equal(mounted.type, "ext4");
	assert_string_equal(mounted.source, "/dev/sda1");
	assert_false(mounted_parse(whole, 2, &mounted));
	assert_true(mounted_parse(part, 31, &mounted));
	assert_false(mounted.is_whole);
	assert_string_equal(mounted.source, "/dev/sdb");
	assert_false(mounted_parse("", 27, &mounted));
	assert_false(mounted_parse("27 1 254:0 / / rw\n", 27, &mounted));
}

/* The system's own files lead to the mount that we are on. */
static void test_workers_own_mount_is_found(void **state)
{
	struct mounted mounted;
	int fd = open("/proc", O_PATH | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	if (mounted_read(fd, &mounted)) /* not so below some sandboxes */
		assert_string_equal(mounted.type, "proc");
	assert_int_equal(mounted_inodes(fd), 0); /* it has none */
	close(fd);
	fd = open(test_folder(), O_PATH | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(mounted_inodes(fd), 0); /* no root of a file system */
	close(fd);
}

static void test_workers_number_fits_the_place(void **state)
{
	(void)state;
	assert_int_equal(workers_fit(WORKERS_CPUS, 6), 6);
	assert_int_equal(workers_fit(WORKERS_CPUS, 0), 1);
	assert_int_equal(workers_fit(WORKERS_SPINNING, 6), 1);
	assert_int_equal(workers_fit(WORKERS_NETWORK, 6), 24);
	assert_int_equal(workers_fit(WORKERS_NETWORK, 16), 64);
	assert_int_equal(workers_fit(WORKERS_NETWORK, 40), 64);
	assert_int_equal(workers_fit(WORKERS_NETWORK, 200), 200);
}

static enum workers_rule rule_of(int workers, bool is_following)
{
	const char *paths[] = { test_folder() };
	struct scan_options options = {
		.paths = paths, .path_count = 1, .workers = workers, .is_following = is_following
	};
	struct scan scan;

	assert_int_equal(scan_open(&scan, &options), SKUA_OK);
	enum workers_rule rule = scan.workers_rule;
	if (rule == WORKERS_FOLLOWING || rule == WORKERS_SPINNING)
		assert_int_equal(skua_pool_workers(scan.pool), 1);
	scan_run(&scan);
	scan_close(&scan);
	return rule;
}

static void with_few_files(void *argument)
{
	struct rlimit limit = { 16, 16 };

	(void)argument;
	setrlimit(RLIMIT_NOFILE, &limit);
	_exit(rule_of(64, false) == WORKERS_FILES ? 0 : 1);
}

static void test_workers_rule_is_the_last_that_applies(void **state)
{
	(void)state;
	unsetenv("SKUA_WORKERS");
	assert_true(rule_of(0, false) < WORKERS_ASKED);
	assert_int_equal(rule_of(2, false), WORKERS_ASKED);
	assert_int_equal(rule_of(2, true), WORKERS_FOLLOWING);
	setenv("SKUA_WORKERS", "2", 1);
	assert_int_equal(rule_of(0, false), WORKERS_ASKED);
	unsetenv("SKUA_WORKERS");
	assert_int_equal(test_in_child(with_few_files, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_workers_disk_and_partition_turn),
		cmocka_unit_test(test_workers_virtual_disks_are_not_believed),
		cmocka_unit_test(test_workers_mount_lines_are_understood),
		cmocka_unit_test(test_workers_own_mount_is_found),
		cmocka_unit_test(test_workers_number_fits_the_place),
		cmocka_unit_test(test_workers_rule_is_the_last_that_applies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
