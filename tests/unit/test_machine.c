/* SPDX-License-Identifier: MIT */
/* test_machine.c — the whole report: this machine, fake ones, bad arguments, every call failing */
#include "base/fault.h"
#include "check.h"

#include <skua/skua.h>

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct skua_machine machine;

static int read_root(const char *root)
{
	struct skua_machine_options options = { .size = sizeof(options), .root = root };

	memset(&machine, 0xa5, sizeof(machine));
	machine.size = sizeof(machine);
	return skua_machine_read(&machine, &options);
}

static void put(const char *path, const char *text)
{
	test_write_text(test_folder(), path, text);
}

/* 4 CPUs, 2 cores of 2 threads, one package, one node, L1d and L2, 1.5 CPUs of v2 quota. */
static void put_machine(void)
{
	char path[128];

	test_remove(test_folder(), "sys");
	test_remove(test_folder(), "proc");
	put("sys/devices/system/cpu/possible", "0-7\n");
	put("sys/devices/system/cpu/online", "0-3\n");
	put("sys/devices/system/node/online", "0\n");
	put("sys/devices/system/node/node0/cpulist", "0-3\n");
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		const char *const files[][2] = {
			{ "topology/core_cpus_list", cpu < 2 ? "0-1\n" : "2-3\n" },
			{ "topology/package_cpus_list", "0-3\n" },
			{ "cache/index0/level", "1\n" },
			{ "cache/index0/type", "Data\n" },
			{ "cache/index0/size", "32K\n" },
			{ "cache/index0/coherency_line_size", "64\n" },
			{ "cache/index0/shared_cpu_list", cpu < 2 ? "0-1\n" : "2-3\n" },
		};
		for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
			snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/%s", cpu,
				 files[i][0]);
			put(path, files[i][1]);
		}
	}
	put("proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-7\n");
	put("proc/self/cgroup", "0::/job\n");
	put("proc/self/mountinfo", "30 22 0:26 / /cg rw - cgroup2 cgroup2 rw\n");
	put("proc/cpuinfo",
	    "processor\t: 0\nmodel name\t: Fake \x1b[1m CPU \nmodel name\t: other\n");
	put("cg/job/cpu.max", "150000 100000\n");
}

static void test_machine_fake_root_is_reported(void **state)
{
	(void)state;
	put_machine();
	assert_int_equal(read_root(test_folder()), SKUA_OK);
	assert_int_equal(machine.size, sizeof(machine));
	assert_int_equal(machine.cpus_possible, 8);
	assert_int_equal(machine.cpus_online, 4);
	assert_int_equal(machine.cpus_allowed, 4);
	assert_string_equal(machine.cpus_allowed_list, "0-3");
	assert_int_equal(machine.cores, 2);
	assert_int_equal(machine.packages, 1);
	assert_int_equal(machine.nodes, 1);
	assert_int_equal(machine.cache_count, 1);
	assert_int_equal(machine.caches[0].count, 2);
	assert_int_equal(machine.cgroup, SKUA_CGROUP_V2);
	assert_int_equal(machine.cgroup_levels, 2);
	assert_int_equal(machine.quota_us, 150000);
	assert_int_equal(machine.quota_period_us, 100000);
	assert_string_equal(machine.quota_file, "/cg/job/cpu.max");
	assert_string_equal(machine.cpu_model, "Fake ?[1m CPU");
	assert_int_equal(machine.workers, 2);
	assert_int_equal(machine.workers_reason, SKUA_WORKERS_FROM_QUOTA);
	assert_false(machine.workers_env_ignored);
	assert_int_equal(machine.unreadable, 0);
}

static void test_machine_this_one_is_reported(void **state)
{
	(void)state;
	cpu_set_t mask;

	machine.size = sizeof(machine);
	assert_int_equal(skua_machine_read(&machine, NULL), SKUA_OK);
	assert_int_equal(sched_getaffinity(0, sizeof(mask), &mask), 0);
	assert_int_equal(machine.cpus_allowed, CPU_COUNT(&mask));
	assert_int_equal(machine.page_bytes, sysconf(_SC_PAGESIZE));
	assert_true(machine.workers >= 1 && machine.workers <= SKUA_WORKERS_MAX);
	assert_true(machine.arch[0] != '\0' && machine.kernel[0] != '\0');
	struct skua_machine same = { .size = sizeof(same) };
	assert_int_equal(read_root(NULL), SKUA_OK); /* a root of NULL is no root */
	assert_int_equal(skua_machine_read(&same, NULL), SKUA_OK);
	assert_string_equal(machine.cpus_allowed_list, same.cpus_allowed_list);
	assert_int_equal(machine.workers, same.workers);
}

static void test_machine_empty_root_is_one_cpu_with_all_flags(void **state)
{
	(void)state;
	test_remove(test_folder(), "sys");
	test_remove(test_folder(), "proc");
	assert_int_equal(read_root(test_folder()), SKUA_OK);
	assert_int_equal(machine.cpus_allowed, 1);
	assert_string_equal(machine.cpus_allowed_list, "0");
	assert_int_equal(machine.cores, 0);
	assert_int_equal(machine.workers, 1);
	assert_int_equal(machine.unreadable, SKUA_PART_AFFINITY | SKUA_PART_CPUS | SKUA_PART_CORES |
						     SKUA_PART_CACHES | SKUA_PART_NODES |
						     SKUA_PART_QUOTA);
}

static void test_machine_offline_cpus_never_count(void **state)
{
	(void)state;
	put_machine();
	put("sys/devices/system/cpu/online", "0,2\n");
	put("cg/job/cpu.max", "max 100000\n");
	assert_int_equal(read_root(test_folder()), SKUA_OK);
	assert_int_equal(machine.cpus_online, 2);
	assert_int_equal(machine.cpus_allowed, 2);
	assert_int_equal(machine.workers, 2);
	assert_int_equal(machine.workers_reason, SKUA_WORKERS_FROM_CPUS);
	assert_int_equal(machine.caches[0].shared_by, 1);
}

static void test_machine_with_4096_cpus_is_read_and_workers_stop_at_the_most(void **state)
{
	(void)state;
	char path[128], list[32];

	put_machine();
	put("cg/job/cpu.max", "max 100000\n");
	put("sys/devices/system/cpu/possible", "0-4095\n");
	put("sys/devices/system/cpu/online", "0-4095\n");
	put("proc/self/status", "Cpus_allowed_list:\t0-4095\n");
	for (unsigned cpu = 0; cpu < 4096; cpu += 16) {
		snprintf(list, sizeof(list), "%u-%u\n", cpu, cpu + 15);
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/core_cpus_list",
			 cpu);
		put(path, list);
		snprintf(path, sizeof(path),
			 "sys/devices/system/cpu/cpu%u/topology/package_cpus_list", cpu);
		put(path, "0-4095\n");
	}
	assert_int_equal(read_root(test_folder()), SKUA_OK);
	assert_int_equal(machine.cpus_allowed, 4096);
	assert_string_equal(machine.cpus_allowed_list, "0-4095");
	assert_int_equal(machine.cores, 256);
	assert_int_equal(machine.packages, 1);
	assert_int_equal(machine.workers, SKUA_WORKERS_MAX);
	assert_int_equal(machine.workers_reason, SKUA_WORKERS_FROM_LIMIT);
	assert_int_equal(machine.unreadable, 0);
}

/* Every other CPU of 4096: a list far longer than a page, as Linux 5.15 and later show it. */
static void test_machine_lists_longer_than_a_page_are_read(void **state)
{
	(void)state;
	static char list[2048 * 5 + 1];
	size_t length = 0;

	put_machine();
	put("cg/job/cpu.max", "max 100000\n");
	for (unsigned cpu = 0; cpu <= 4094; cpu += 2)
		length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%u",
					   cpu ? "," : "", cpu);
	assert_true(length > 2 * 4096);
	put("sys/devices/system/cpu/possible", list);
	put("sys/devices/system/cpu/online", list);
	put("sys/devices/system/node/node0/cpulist", list);
	put("sys/devices/system/cpu/cpu0/topology/core_cpus_list", list);
	put("sys/devices/system/cpu/cpu0/topology/package_cpus_list", list);
	put("sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list", list);
	put("proc/self/status", "Cpus_allowed_list:\t0-4095\n");
	assert_int_equal(read_root(test_folder()), SKUA_OK);
	assert_int_equal(machine.cpus_possible, 2048);
	assert_int_equal(machine.cpus_online, 2048);
	assert_int_equal(machine.cpus_allowed, 2048);
	assert_int_equal(machine.cores, 1);
	assert_int_equal(machine.packages, 1);
	assert_int_equal(machine.nodes, 1);
	assert_int_equal(machine.caches[0].shared_by, 2048);
	assert_int_equal(machine.unreadable, 0);
#ifdef SKUA_FAULTS
	skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, false, SKUAI_FAULT_USUAL);
	assert_int_equal(read_root(test_folder()), SKUA_OK);
	assert_int_equal(machine.unreadable, SKUA_PART_CPUS);
	skuai_fault_disarm();
#endif
}

/* What is known of nodes and caches is not doubted because the number of CPUs is not. */
static void test_machine_only_the_missing_part_is_told(void **state)
{
	(void)state;
	put_machine();
	test_remove(test_folder(), "sys/devices/system/cpu/possible");
	assert_int_equal(read_root(test_folder()), SKUA_OK);
	assert_int_equal(machine.nodes, 1);
	assert_int_equal(machine.cache_count, 1);
	assert_int_equal(machine.unreadable, SKUA_PART_CPUS);
}

static void *read_both(void *argument)
{
	assert_int_equal(read_root(argument), SKUA_OK);
	assert_int_equal(read_root(NULL), SKUA_OK);
	return NULL;
}

/* As much stack as machine.h says: what is still painted was never touched. */
static void test_machine_needs_little_stack(void **state)
{
	(void)state;
	put_machine();
	size_t used = test_stack_used(read_both, (void *)test_folder());
	if (!used)
		skip();
	assert_true(used <= 24 << 10);
}

static void test_machine_unreadable_quota_is_told_and_named(void **state)
{
	(void)state;
	put_machine();
	test_remove(test_folder(), "cg/job/cpu.max");
	put("cg/job/cpu.max/in/the/way", "");
	assert_int_equal(read_root(test_folder()), SKUA_OK);
	assert_int_equal(machine.unreadable, SKUA_PART_QUOTA);
	assert_string_equal(machine.quota_file, "/cg/job/cpu.max");
	assert_int_equal(machine.quota_us, 0);
	assert_int_equal(machine.workers, 4);
	test_remove(test_folder(), "cg");
}

static void test_machine_environment_decides_the_workers(void **state)
{
	(void)state;
	put_machine();
	setenv("SKUA_WORKERS", "3", 1);
	assert_int_equal(read_root(test_folder()), SKUA_OK);
	assert_int_equal(machine.workers, 3);
	assert_int_equal(machine.workers_reason, SKUA_WORKERS_FROM_ENV);
	assert_false(machine.workers_env_ignored);
	setenv("SKUA_WORKERS", "3 ", 1);
	assert_int_equal(read_root(test_folder()), SKUA_OK);
	assert_int_equal(machine.workers, 2);
	assert_int_equal(machine.workers_reason, SKUA_WORKERS_FROM_QUOTA);
	assert_true(machine.workers_env_ignored);
	unsetenv("SKUA_WORKERS");
}

static void expect_refused(struct skua_machine *into, const struct skua_machine_options *options)
{
	struct skua_machine before;

	if (into)
		before = *into;
	errno = 77;
	assert_int_equal(skua_machine_read(into, options), SKUA_EINVAL);
	assert_int_equal(errno, 77);
	if (into)
		assert_memory_equal(into, &before, sizeof(before));
}

static void test_machine_bad_arguments_are_refused_and_change_nothing(void **state)
{
	(void)state;
	char file[256];
	struct skua_machine_options options = { .size = sizeof(options) };
	struct skua_machine into;

	put_machine();
	snprintf(file, sizeof(file), "%s/proc/cpuinfo", test_folder());
	memset(&into, 0xa5, sizeof(into));
	expect_refused(NULL, NULL);
	static const size_t sizes[] = { 0, 1, sizeof(size_t), 200, SIZE_MAX, 0xa5a5a5a5 };
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		into.size = sizes[i];
		expect_refused(&into, NULL);
	}
	into.size = sizeof(into);
	const char *const roots[] = { "", "/nowhere/at/all", file };
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		options.root = roots[i];
		expect_refused(&into, &options);
	}
	options.root = NULL;
	for (options.size = 0; options.size < sizeof(options); options.size++)
		expect_refused(&into, &options);
}

/* Callers built against an older or a newer header than the library. */
static void test_machine_sizes_of_other_versions_are_respected(void **state)
{
	(void)state;
	enum {
		LARGE = sizeof(struct skua_machine) + 4096
	};
	static union {
		struct skua_machine machine;
		unsigned char bytes[LARGE + 16];
	} room;
	const size_t least = offsetof(struct skua_machine, unreadable) + sizeof(unsigned);

	memset(&room, 0xa5, sizeof(room));
	room.machine.size = LARGE;
	assert_int_equal(skua_machine_read(&room.machine, NULL), SKUA_OK);
	assert_int_equal(room.machine.size, LARGE);
	for (size_t i = sizeof(struct skua_machine); i < LARGE; i++)
		assert_int_equal(room.bytes[i], 0);
	for (size_t i = LARGE; i < sizeof(room); i++)
		assert_int_equal(room.bytes[i], 0xa5);

	memset(&room, 0xa5, sizeof(room));
	room.machine.size = least;
	assert_int_equal(skua_machine_read(&room.machine, NULL), SKUA_OK);
	assert_true(room.machine.workers >= 1);
	for (size_t i = least; i < sizeof(room); i++)
		assert_int_equal(room.bytes[i], 0xa5);
	room.machine.size = least - 1;
	assert_int_equal(skua_machine_read(&room.machine, NULL), SKUA_EINVAL);
}

static void test_machine_errno_is_left_alone(void **state)
{
	(void)state;
	test_remove(test_folder(), "sys");
	errno = 77;
	assert_int_equal(read_root(test_folder()), SKUA_OK);
	assert_int_equal(errno, 77);
}

static unsigned open_files(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned count = 0;

	assert_non_null(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static void test_machine_leaves_no_file_open(void **state)
{
	(void)state;
	put_machine();
	unsigned before = open_files();
	assert_int_equal(read_root(test_folder()), SKUA_OK);
	assert_int_equal(read_root(NULL), SKUA_OK);
	assert_int_equal(open_files(), before);
}

#ifdef SKUA_FAULTS
/*
 * Fail the n-th call, for every n there is; returns how many calls there were.  Only the look at
 * the root itself, which comes first, may end in a refusal.
 */
static uint32_t sweep(enum skuai_fault_kind kind, bool for_ever, const char *root, int error)
{
	for (uint32_t nth = 1;; nth++) {
		assert_true(nth < 100000);
		skuai_fault_disarm();
		skuai_fault_arm(kind, nth, for_ever, error);
		int result = read_root(root);
		uint32_t calls = skuai_fault_calls(kind);
		skuai_fault_disarm();
		if (kind == SKUAI_FAULT_STAT && root && nth == 1) {
			assert_int_equal(result, SKUA_EINVAL);
			continue;
		}
		if (result != SKUA_OK || machine.workers < 1 || machine.cpus_allowed < 1)
			fail_msg("%s call %u: result %d, workers %u", skuai_fault_word(kind), nth,
				 result, machine.workers);
		if (calls < nth)
			return nth - 1;
	}
}
#endif

static void test_machine_any_failing_call_still_gives_a_report(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	static const enum skuai_fault_kind kinds[] = { SKUAI_FAULT_MALLOC, SKUAI_FAULT_OPEN,
						       SKUAI_FAULT_READ, SKUAI_FAULT_STAT,
						       SKUAI_FAULT_AFFINITY };
	static const int errors[] = { SKUAI_FAULT_USUAL, ENOENT, EINTR, EINVAL };
	put_machine();
	unsigned before = open_files();

	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		uint32_t points = 0;
		for (int i = 0; i < 16; i++)
			points += sweep(kinds[kind], i & 1, i & 2 ? test_folder() : NULL,
					errors[i / 4]);
		print_message("%s: %u failures in all sweeps\n", skuai_fault_word(kinds[kind]),
			      points);
		assert_true(points > 0);
	}
	assert_int_equal(open_files(), before);
#else
	skip();
#endif
}

static void test_machine_failing_call_sets_the_flag_of_its_part(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	put_machine();
	skuai_fault_arm(SKUAI_FAULT_OPEN, 1, true, EACCES);
	assert_int_equal(read_root(test_folder()), SKUA_OK);
	assert_int_equal(machine.unreadable, SKUA_PART_AFFINITY | SKUA_PART_CPUS | SKUA_PART_CORES |
						     SKUA_PART_CACHES | SKUA_PART_NODES |
						     SKUA_PART_QUOTA);
	skuai_fault_disarm();
	skuai_fault_arm(SKUAI_FAULT_STAT, 2, true, SKUAI_FAULT_USUAL);
	assert_int_equal(read_root(test_folder()), SKUA_OK);
	assert_int_equal(machine.unreadable, SKUA_PART_AFFINITY | SKUA_PART_CPUS | SKUA_PART_CORES |
						     SKUA_PART_CACHES | SKUA_PART_NODES |
						     SKUA_PART_QUOTA);
	skuai_fault_disarm();
	skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
	assert_int_equal(read_root(test_folder()), SKUA_OK);
	assert_int_equal(machine.unreadable,
			 SKUA_PART_AFFINITY | SKUA_PART_CACHES | SKUA_PART_QUOTA);
	assert_int_equal(machine.workers, 4);
	skuai_fault_disarm();
#else
	skip();
#endif
}

static int without_environment(void **state)
{
	(void)state;
	return unsetenv("SKUA_WORKERS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machine_fake_root_is_reported),
		cmocka_unit_test(test_machine_this_one_is_reported),
		cmocka_unit_test(test_machine_empty_root_is_one_cpu_with_all_flags),
		cmocka_unit_test(test_machine_offline_cpus_never_count),
		cmocka_unit_test(test_machine_with_4096_cpus_is_read_and_workers_stop_at_the_most),
		cmocka_unit_test(test_machine_lists_longer_than_a_page_are_read),
		cmocka_unit_test(test_machine_only_the_missing_part_is_told),
		cmocka_unit_test(test_machine_needs_little_stack),
		cmocka_unit_test(test_machine_unreadable_quota_is_told_and_named),
		cmocka_unit_test(test_machine_environment_decides_the_workers),
		cmocka_unit_test(test_machine_bad_arguments_are_refused_and_change_nothing),
		cmocka_unit_test(test_machine_sizes_of_other_versions_are_respected),
		cmocka_unit_test(test_machine_errno_is_left_alone),
		cmocka_unit_test(test_machine_leaves_no_file_open),
		cmocka_unit_test(test_machine_any_failing_call_still_gives_a_report),
		cmocka_unit_test(test_machine_failing_call_sets_the_flag_of_its_part),
	};
	return cmocka_run_group_tests(tests, without_environment, NULL);
}
