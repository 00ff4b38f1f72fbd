/* SPDX-License-Identifier: MIT */
/* test_quota.c — the tightest quota over fake, nested, hybrid and hostile control groups */
#include "base/fault.h"
#include "check.h"
#include "os/quota.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define V2_MOUNT \
	"30 22 0:26 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1_MOUNT \
	"33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
#define V1_CPUSET "32 31 0:29 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n"

#define V2 "sys/fs/cgroup"
#define V1 "sys/fs/cgroup/cpu,cpuacct"

static struct skuai_quota quota;

/* An empty root with these two files. */
static void start(const char *own, const char *mounts)
{
	test_remove(test_folder(), "sys");
	test_remove(test_folder(), "proc");
	test_write_text(test_folder(), "proc/self/cgroup", own);
	test_write_text(test_folder(), "proc/self/mountinfo", mounts);
}

static void put(const char *path, const char *text)
{
	test_write_text(test_folder(), path, text);
}

static void put_v1(const char *folder, const char *quota_us, const char *period_us)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", folder);
	put(path, quota_us);
	snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", folder);
	put(path, period_us);
}

static void expect(enum skua_cgroup cgroup, uint64_t quota_us, const char *file, bool is_unreadable)
{
	memset(&quota, 0xa5, sizeof(quota));
	skuai_quota_read(test_folder(), &quota);
	assert_int_equal(quota.cgroup, cgroup);
	assert_int_equal(quota.limit.quota_us, quota_us);
	assert_int_equal(quota.limit.period_us, quota_us ? 100000 : 0);
	assert_string_equal(quota.file, file);
	assert_int_equal(quota.is_unreadable, is_unreadable);
}

static void test_quota_v2_limit_of_own_group_is_found(void **state)
{
	(void)state;
	start("0::/job\n", V2_MOUNT);
	put(V2 "/job/cpu.max", "150000 100000\n");
	expect(SKUA_CGROUP_V2, 150000, "/sys/fs/cgroup/job/cpu.max", false);
	assert_int_equal(quota.levels, 2);
}

static void test_quota_v1_limit_of_own_group_is_found(void **state)
{
	(void)state;
	start("5:cpuset:/wrong\n4:cpuacct,cpu:/job\n", V1_CPUSET V1_MOUNT);
	put_v1(V1 "/job", "150000\n", "100000\n");
	put_v1("sys/fs/cgroup/cpuset/wrong", "1000\n", "100000\n");
	expect(SKUA_CGROUP_V1, 150000, "/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", false);
	assert_int_equal(quota.levels, 2);
}

static void test_quota_hybrid_takes_the_tighter_of_both(void **state)
{
	(void)state;
	start("4:cpu,cpuacct:/job\n0::/job\n",
	      V1_MOUNT "34 31 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
	put_v1(V1 "/job", "150000", "100000");
	put("sys/fs/cgroup/unified/job/cgroup.procs", "");
	expect(SKUA_CGROUP_HYBRID, 150000, "/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us",
	       false);
	put("sys/fs/cgroup/unified/job/cpu.max", "50000 100000\n");
	expect(SKUA_CGROUP_HYBRID, 50000, "/sys/fs/cgroup/unified/job/cpu.max", false);
}

static void test_quota_nested_tightest_level_wins(void **state)
{
	(void)state;
	start("0::/a/b/c\n", V2_MOUNT);
	put(V2 "/a/b/c/cpu.max", "400000 100000\n");
	put(V2 "/a/b/cpu.max", "max 100000\n");
	put(V2 "/a/cpu.max", "150000 100000\n");
	expect(SKUA_CGROUP_V2, 150000, "/sys/fs/cgroup/a/cpu.max", false);
	assert_int_equal(quota.levels, 4);
	put(V2 "/cpu.max",
	    "50000 100000\n"); /* a container sees its own limit at the mount point */
	expect(SKUA_CGROUP_V2, 50000, "/sys/fs/cgroup/cpu.max", false);
	put(V2 "/a/b/c/cpu.max", "20000 100000\n");
	expect(SKUA_CGROUP_V2, 20000, "/sys/fs/cgroup/a/b/c/cpu.max", false);

	start("4:cpu:/a/b\n", V1_MOUNT);
	put_v1(V1 "/a/b", "400000", "100000");
	put_v1(V1 "/a", "150000", "100000");
	put_v1(V1, "-1", "100000");
	expect(SKUA_CGROUP_V1, 150000, "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", false);
}

static void test_quota_levels_are_compared_as_fractions(void **state)
{
	(void)state;
	start("0::/a/b\n", V2_MOUNT);
	put(V2 "/a/b/cpu.max", "15000 5000"); /* 3 CPUs, with the smaller quota */
	put(V2 "/a/cpu.max", "150000 100000");
	expect(SKUA_CGROUP_V2, 150000, "/sys/fs/cgroup/a/cpu.max", false);
}

static void test_quota_no_limit_is_quota_zero_and_no_complaint(void **state)
{
	(void)state;
	static const char *const texts[] = { "max 100000\n", "max", "0 100000\n", "0" };

	start("0::/job\n", V2_MOUNT);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put(V2 "/job/cpu.max", texts[i]);
		expect(SKUA_CGROUP_V2, 0, "", false);
	}
	start("4:cpu,cpuacct:/job\n", V1_MOUNT);
	put_v1(V1 "/job", "-1\n", "100000\n");
	expect(SKUA_CGROUP_V1, 0, "", false);
	put_v1(V1 "/job", "0\n", "100000\n");
	expect(SKUA_CGROUP_V1, 0, "", false);
	start("0::/gone (deleted)\n", V2_MOUNT);
	expect(SKUA_CGROUP_V2, 0, "", false);
}

static void test_quota_huge_number_saturates(void **state)
{
	(void)state;
	start("0::/job\n", V2_MOUNT);
	put(V2 "/job/cpu.max", "999999999999999999999999999999 100000");
	skuai_quota_read(test_folder(), &quota);
	assert_true(quota.limit.quota_us == UINT64_MAX);
	assert_false(quota.is_unreadable);
	put(V2 "/cpu.max", "150000 100000");
	expect(SKUA_CGROUP_V2, 150000, "/sys/fs/cgroup/cpu.max", false);
}

static void test_quota_garbage_is_told_and_no_limit(void **state)
{
	(void)state;
	static const char *const texts[] = { "many thanks\n", "", "-5 100000", "150000 0",
					     "\177ELF\1\2" };

	start("0::/job\n", V2_MOUNT);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put(V2 "/job/cpu.max", texts[i]);
		expect(SKUA_CGROUP_V2, 0, "/sys/fs/cgroup/job/cpu.max", true);
	}
	test_write(test_folder(), V2 "/job/cpu.max", "1500\0000 100000", 14);
	expect(SKUA_CGROUP_V2, 0, "/sys/fs/cgroup/job/cpu.max", true);
}

static void test_quota_v1_without_period_is_told(void **state)
{
	(void)state;
	start("4:cpu,cpuacct:/job\n", V1_MOUNT);
	put(V1 "/job/cpu.cfs_quota_us", "150000\n");
	expect(SKUA_CGROUP_V1, 0, "/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", true);
	put(V1 "/job/cpu.cfs_quota_us", "-1\n");
	expect(SKUA_CGROUP_V1, 0, "", false);
}

static void test_quota_what_is_no_file_is_told_without_waiting(void **state)
{
	(void)state;
	char path[512];

	snprintf(path, sizeof(path), "%s/" V2 "/job/cpu.max", test_folder());
	alarm(20);
	for (int kind = 0; kind < 3; kind++) {
		start("0::/job\n", V2_MOUNT);
		put(V2 "/job/cgroup.procs", "");
		assert_int_equal(kind == 0   ? symlink("cpu.max", path)
				 : kind == 1 ? mkdir(path, 0700)
					     : mkfifo(path, 0600),
				 0);
		expect(SKUA_CGROUP_V2, 0, "/sys/fs/cgroup/job/cpu.max", true);
	}
	alarm(0);
}

static void test_quota_readable_limit_is_named_over_unreadable_file(void **state)
{
	(void)state;
	start("0::/a/b\n", V2_MOUNT);
	put(V2 "/a/b/cpu.max", "garbage");
	put(V2 "/a/cpu.max", "150000 100000");
	expect(SKUA_CGROUP_V2, 150000, "/sys/fs/cgroup/a/cpu.max", true);
	put(V2 "/a/b/cpu.max", "150000 100000"); /* and the other way round */
	put(V2 "/a/cpu.max", "garbage");
	expect(SKUA_CGROUP_V2, 150000, "/sys/fs/cgroup/a/b/cpu.max", true);
}

static void test_quota_too_long_file_is_told(void **state)
{
	(void)state;
	char *spaces = calloc(8192, 1);

	memset(spaces, ' ', 8191);
	start("0::/job\n", V2_MOUNT);
	memcpy(spaces, "150000", 6);
	put(V2 "/job/cpu.max", spaces);
	expect(SKUA_CGROUP_V2, 0, "/sys/fs/cgroup/job/cpu.max", true);
	free(spaces);
}

static void test_quota_mount_point_escapes_are_undone(void **state)
{
	(void)state;
	start("0::/job\n", "30 22 0:26 / /my\\040cg\\134x rw - cgroup2 cgroup2 rw\n");
	put("my cg\\x/job/cpu.max", "150000 100000\n");
	expect(SKUA_CGROUP_V2, 150000, "/my cg\\x/job/cpu.max", false);
	test_remove(test_folder(), "my cg\\x");
}

static void test_quota_mount_root_is_taken_off_the_group(void **state)
{
	(void)state;
	start("0::/docker/abc/inner\n",
	      "30 22 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
	put(V2 "/inner/cpu.max", "150000 100000\n");
	put(V2 "/docker/abc/inner/cpu.max", "1000 100000\n");
	expect(SKUA_CGROUP_V2, 150000, "/sys/fs/cgroup/inner/cpu.max", false);
	assert_int_equal(quota.levels, 2);
}

static void test_quota_group_outside_the_mount_uses_the_mount_point(void **state)
{
	(void)state;
	static const struct {
		const char *own, *mount;
		bool is_hidden;
	} worlds[] = {
		{ "0::/\n", V2_MOUNT, false }, /* a namespace of its own */
		{ "0::/\n", "30 22 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
		  false }, /* an engine that shows its container's own part */
		{ "0::/docker/abc\n",
		  "30 22 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", false },
		{ "0::/../other\n", V2_MOUNT, true },
		{ "0::/docker/abc\n",
		  "30 22 0:26 /docker/xyz /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", true },
		{ "0::/docker/abcd\n",
		  "30 22 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", true },
		{ "0::/\n", "30 22 0:26 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", true },
		{ "0::/\n", "30 22 0:26 /../x /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", true },
	};

	for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
		start(worlds[i].own, worlds[i].mount);
		put(V2 "/cpu.max", "150000 100000\n");
		expect(SKUA_CGROUP_V2, 150000, "/sys/fs/cgroup/cpu.max", worlds[i].is_hidden);
		assert_int_equal(quota.levels, 1);
		put(V2 "/cpu.max", "max 100000\n");
		expect(SKUA_CGROUP_V2, 0, worlds[i].is_hidden ? "/proc/self/cgroup" : "",
		       worlds[i].is_hidden);
	}
}

/* v1 is the same; and where v1 has the cpu controller, no limit can hide in v2. */
static void test_quota_hidden_group_matters_where_the_cpu_controller_is(void **state)
{
	(void)state;
	start("4:cpu,cpuacct:/docker/abc\n0::/docker/abc\n",
	      "33 31 0:30 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu\n");
	expect(SKUA_CGROUP_V1, 0, "", false);
	start("4:cpu,cpuacct:/job\n0::/\n", V1_CPUSET V2_MOUNT);
	expect(SKUA_CGROUP_V2, 0, "/proc/self/cgroup", true);
	start("4:cpu,cpuacct:/../job\n", V1_MOUNT);
	expect(SKUA_CGROUP_V1, 0, "/proc/self/cgroup", true);
	start("4:cpu,cpuacct:/\n0::/../job\n", V1_MOUNT V2_MOUNT);
	expect(SKUA_CGROUP_HYBRID, 0, "", false);
}

static void test_quota_best_of_several_mounts_is_walked(void **state)
{
	(void)state;
	start("0::/job\n", "30 22 0:26 /other /first rw - cgroup2 cgroup2 rw\n" V2_MOUNT
			   "31 22 0:26 / /third rw - cgroup2 cgroup2 rw\n");
	put("first/cpu.max", "1000 100000");
	put(V2 "/job/cpu.max", "150000 100000");
	put("third/job/cpu.max", "2000 100000");
	expect(SKUA_CGROUP_V2, 150000, "/sys/fs/cgroup/job/cpu.max", false);
	test_remove(test_folder(), "first");
	test_remove(test_folder(), "third");
}

static void test_quota_mounted_at_the_root_folder_is_walked(void **state)
{
	(void)state;
	start("0::/job\n", "30 22 0:26 / / rw - cgroup2 cgroup2 rw\n");
	put("job/cpu.max", "150000 100000");
	expect(SKUA_CGROUP_V2, 150000, "/job/cpu.max", false);
	assert_int_equal(quota.levels, 2);
	test_remove(test_folder(), "job");
}

static void test_quota_without_control_groups_is_no_complaint(void **state)
{
	(void)state;
	start("", "22 1 0:20 / /proc rw - proc proc rw\n");
	expect(SKUA_CGROUP_NONE, 0, "", false);
	test_remove(test_folder(), "proc/self/cgroup"); /* a kernel without them */
	expect(SKUA_CGROUP_NONE, 0, "", false);
	start("0::/\n", "22 1 0:20 / /proc rw - proc proc rw\n"); /* the root group has no limit */
	expect(SKUA_CGROUP_NONE, 0, "", false);
	start("9:name=systemd:/init.scope\n5:cpuset:/job\n", V1_CPUSET); /* none that limits */
	expect(SKUA_CGROUP_NONE, 0, "", false);
}

static void test_quota_group_without_mount_or_name_is_told(void **state)
{
	(void)state;
	static const char *const owns[] = { "0::/job\n", "4:cpu:/job\n", "\n", "many thanks\n",
					    "0::job\n" };

	for (size_t i = 0; i < sizeof(owns) / sizeof(owns[0]); i++) {
		start(owns[i], "22 1 0:20 / /proc rw - proc proc rw\n");
		expect(SKUA_CGROUP_NONE, 0, "/proc/self/cgroup", true);
	}
}

static void test_quota_without_proc_is_told(void **state)
{
	(void)state;
	start("", "");
	test_remove(test_folder(), "proc");
	expect(SKUA_CGROUP_NONE, 0, "/proc/self/cgroup", true);
	put("proc/self/cgroup", "0::/job\n");
	expect(SKUA_CGROUP_NONE, 0, "/proc/self/mountinfo", true);
}

static void test_quota_endless_nesting_stops_and_is_told(void **state)
{
	(void)state;
	char own[512] = "0::";

	for (int level = 0; level < 100; level++)
		strcat(own, "/a");
	start(own, V2_MOUNT);
	skuai_quota_read(test_folder(), &quota);
	assert_int_equal(quota.levels, 64);
	assert_true(quota.is_unreadable);
	assert_int_equal(quota.limit.quota_us, 0);
}

static void test_quota_too_long_path_is_told(void **state)
{
	(void)state;
	static char own[6000] = "0::";

	memset(own + 3, '/', 5000);
	for (size_t i = 4; i < 5000; i += 200)
		memset(own + i, 'x', 199);
	own[3] = '/';
	start(own, V2_MOUNT);
	skuai_quota_read(test_folder(), &quota);
	assert_true(quota.is_unreadable);
	assert_int_equal(quota.levels, 0);
}

static void test_quota_long_file_name_keeps_its_end(void **state)
{
	(void)state;
	char own[512] = "0::/", path[600];

	memset(own + 4, 'n', 250);
	start(own, V2_MOUNT);
	snprintf(path, sizeof(path), V2 "%s/cpu.max", own + 3);
	put(path, "150000 100000");
	skuai_quota_read(test_folder(), &quota);
	assert_int_equal(quota.limit.quota_us, 150000);
	assert_int_equal(strlen(quota.file), sizeof(quota.file) - 1);
	assert_memory_equal(quota.file, "...nnn", 6);
	assert_string_equal(quota.file + strlen(quota.file) - 9, "n/cpu.max");
}

static void test_quota_refused_file_is_told(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	start("0::/job\n", V2_MOUNT);
	put(V2 "/job/cpu.max", "150000 100000");
	put(V2 "/cpu.max", "400000 100000");
	skuai_fault_arm(SKUAI_FAULT_OPEN, 3, false, EACCES); /* cgroup, mountinfo, then the leaf */
	expect(SKUA_CGROUP_V2, 400000, "/sys/fs/cgroup/cpu.max", true);
	skuai_fault_arm(SKUAI_FAULT_OPEN, 3, true, EACCES);
	expect(SKUA_CGROUP_V2, 0, "/sys/fs/cgroup/job/cpu.max", true);
	skuai_fault_disarm();
	skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, false, SKUAI_FAULT_USUAL);
	expect(SKUA_CGROUP_NONE, 0, "", true); /* no file is to blame for no memory */
	skuai_fault_disarm();
	for (uint32_t nth = 1; nth <= 4; nth++) {
		skuai_fault_arm(SKUAI_FAULT_STAT, nth, false, SKUAI_FAULT_USUAL);
		skuai_quota_read(test_folder(), &quota);
		assert_true(quota.is_unreadable);
		skuai_fault_disarm();
	}
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quota_v2_limit_of_own_group_is_found),
		cmocka_unit_test(test_quota_v1_limit_of_own_group_is_found),
		cmocka_unit_test(test_quota_hybrid_takes_the_tighter_of_both),
		cmocka_unit_test(test_quota_nested_tightest_level_wins),
		cmocka_unit_test(test_quota_levels_are_compared_as_fractions),
		cmocka_unit_test(test_quota_no_limit_is_quota_zero_and_no_complaint),
		cmocka_unit_test(test_quota_huge_number_saturates),
		cmocka_unit_test(test_quota_garbage_is_told_and_no_limit),
		cmocka_unit_test(test_quota_v1_without_period_is_told),
		cmocka_unit_test(test_quota_what_is_no_file_is_told_without_waiting),
		cmocka_unit_test(test_quota_readable_limit_is_named_over_unreadable_file),
		cmocka_unit_test(test_quota_too_long_file_is_told),
		cmocka_unit_test(test_quota_mount_point_escapes_are_undone),
		cmocka_unit_test(test_quota_mount_root_is_taken_off_the_group),
		cmocka_unit_test(test_quota_group_outside_the_mount_uses_the_mount_point),
		cmocka_unit_test(test_quota_hidden_group_matters_where_the_cpu_controller_is),
		cmocka_unit_test(test_quota_best_of_several_mounts_is_walked),
		cmocka_unit_test(test_quota_mounted_at_the_root_folder_is_walked),
		cmocka_unit_test(test_quota_without_control_groups_is_no_complaint),
		cmocka_unit_test(test_quota_group_without_mount_or_name_is_told),
		cmocka_unit_test(test_quota_without_proc_is_told),
		cmocka_unit_test(test_quota_endless_nesting_stops_and_is_told),
		cmocka_unit_test(test_quota_too_long_path_is_told),
		cmocka_unit_test(test_quota_long_file_name_keeps_its_end),
		cmocka_unit_test(test_quota_refused_file_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
