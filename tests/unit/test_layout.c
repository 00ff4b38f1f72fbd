/* SPDX-License-Identifier: MIT */
/* test_layout.c — cores, packages and nodes counted from true and lying files */
#include "base/fault.h"
#include "check.h"
#include "topo/layout.h"

#include <string.h>

static struct skuai_layout layout;

static void start(void)
{
	test_remove(test_folder(), "sys");
}

static void put(const char *path, const char *text)
{
	char full[256];

	snprintf(full, sizeof(full), "sys/devices/system/%s", path);
	test_write_text(test_folder(), full, text);
}

static void put_cpu(unsigned cpu, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "cpu/cpu%u/topology/%s", cpu, name);
	put(path, text);
}

static void read_allowed(const char *allowed)
{
	struct skuai_cpuset set;
	struct skuai_text text = { allowed, strlen(allowed) };

	assert_int_equal(skuai_cpuset_parse(text, &set), SKUAI_CPUSET_WHOLE);
	skuai_layout_read(test_folder(), &set, &layout);
}

static void expect(const char *allowed, unsigned cores, unsigned packages, unsigned nodes,
		   unsigned unreadable)
{
	read_allowed(allowed);
	assert_int_equal(layout.cores, cores);
	assert_int_equal(layout.packages, packages);
	assert_int_equal(layout.nodes, nodes);
	assert_int_equal(layout.unreadable, unreadable);
}

/* 2 packages = nodes of 2 cores of 2 threads; siblings are 4 apart. */
static void put_eight(const char *core_name, const char *package_name)
{
	static const char *const cores[] = { "0,4\n", "1,5\n", "2,6\n", "3,7\n" };
	static const char *const packages[] = { "0-1,4-5\n", "2-3,6-7\n" };

	start();
	for (unsigned cpu = 0; cpu < 8; cpu++) {
		put_cpu(cpu, core_name, cores[cpu % 4]);
		put_cpu(cpu, package_name, packages[cpu % 4 / 2]);
	}
	put("node/online", "0-1\n");
	put("node/node0/cpulist", packages[0]);
	put("node/node1/cpulist", packages[1]);
}

static void test_layout_two_sockets_with_threads_are_counted(void **state)
{
	(void)state;
	put_eight("core_cpus_list", "package_cpus_list");
	expect("0-7", 4, 2, 2, 0);
}

static void test_layout_old_file_names_do_as_well(void **state)
{
	(void)state;
	put_eight("thread_siblings_list", "core_siblings_list");
	expect("0-7", 4, 2, 2, 0);
}

static void test_layout_only_allowed_cpus_count(void **state)
{
	(void)state;
	put_eight("core_cpus_list", "package_cpus_list");
	expect("4", 1, 1, 1, 0);
	expect("0,4", 1, 1, 1, 0);
	expect("0-1", 2, 1, 1, 0);
	expect("6-7", 2, 1, 1, 0);
	expect("0,7", 2, 2, 2, 0);
}

static void test_layout_without_node_folder_has_no_nodes_and_no_complaint(void **state)
{
	(void)state;
	put_eight("core_cpus_list", "package_cpus_list");
	test_remove(test_folder(), "sys/devices/system/node");
	expect("0-7", 4, 2, 0, 0);
}

static void test_layout_memory_only_node_does_not_count(void **state)
{
	(void)state;
	put_eight("core_cpus_list", "package_cpus_list");
	put("node/online", "0-2\n");
	put("node/node2/cpulist", "\n");
	expect("0-7", 4, 2, 2, 0);
}

static void test_layout_missing_topology_counts_nothing_and_is_told(void **state)
{
	(void)state;
	start();
	expect("0-7", 0, 0, 0, SKUA_PART_CORES);
	put_eight("core_cpus_list", "package_cpus_list");
	test_remove(test_folder(), "sys/devices/system/cpu/cpu3");
	expect("0-7", 4, 2, 2, SKUA_PART_CORES); /* CPU 7 shares its core and tells */
	test_remove(test_folder(), "sys/devices/system/cpu/cpu7");
	expect("0-7", 3, 2, 2, SKUA_PART_CORES);
}

static void test_layout_lists_that_lie_end_and_are_told(void **state)
{
	(void)state;
	static const char *const lies[] = { "", "1", "all", "0-", "7-0", "\xff" };

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		put_eight("core_cpus_list", "package_cpus_list");
		put_cpu(0, "core_cpus_list", lies[i]);
		put_cpu(4, "core_cpus_list", lies[i]);
		expect("0-7", 3, 2, 2, SKUA_PART_CORES);
	}
	put_eight("core_cpus_list", "package_cpus_list");
	put_cpu(0, "core_cpus_list", "0-99999999999999999999"); /* all in one core, it says */
	expect("0-7", 1, 2, 2, SKUA_PART_CORES);
}

static void test_layout_nodes_that_lie_end_and_are_told(void **state)
{
	(void)state;
	put_eight("core_cpus_list", "package_cpus_list");
	put("node/online", "0-99999999999999\n");
	put("node/node1/cpulist", "none\n");
	expect("0-7", 4, 2, 1, SKUA_PART_NODES);
	put("node/online", "nowhere\n");
	expect("0-7", 4, 2, 0, SKUA_PART_NODES);
	put("node/online", "0-3\n"); /* listed, but not there */
	put("node/node1/cpulist", "2-3\n");
	expect("0-7", 4, 2, 2, SKUA_PART_NODES);
	put("node/online", "0-1\n");
	put("node/node0/cpulist", "0-3\n");
	put("node/node1/cpulist", "2-3\n"); /* CPUs that node 0 has already */
	expect("0-7", 4, 2, 1, 0);
}

/* Only one CPU of each core and package is asked: with thousands of CPUs that is the cost. */
static void test_layout_covered_cpus_are_not_asked(void **state)
{
	(void)state;
	char text[32];

	start();
	for (unsigned cpu = 0; cpu < 4096; cpu += 8) {
		snprintf(text, sizeof(text), "%u-%u\n", cpu, cpu + 7);
		put_cpu(cpu, "core_cpus_list", text);
	}
	for (unsigned cpu = 0; cpu < 4096; cpu += 64) {
		snprintf(text, sizeof(text), "%u-%u\n", cpu, cpu + 63);
		put_cpu(cpu, "package_cpus_list", text);
	}
	expect("0-4095", 512, 64, 0, 0);
#ifdef SKUA_FAULTS
	skuai_fault_disarm();
	read_allowed("0-4095");
	assert_int_equal(skuai_fault_calls(SKUAI_FAULT_OPEN), 512 + 64 + 1);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout_two_sockets_with_threads_are_counted),
		cmocka_unit_test(test_layout_old_file_names_do_as_well),
		cmocka_unit_test(test_layout_only_allowed_cpus_count),
		cmocka_unit_test(test_layout_without_node_folder_has_no_nodes_and_no_complaint),
		cmocka_unit_test(test_layout_memory_only_node_does_not_count),
		cmocka_unit_test(test_layout_missing_topology_counts_nothing_and_is_told),
		cmocka_unit_test(test_layout_lists_that_lie_end_and_are_told),
		cmocka_unit_test(test_layout_nodes_that_lie_end_and_are_told),
		cmocka_unit_test(test_layout_covered_cpus_are_not_asked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
