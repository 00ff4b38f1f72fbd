/* SPDX-License-Identifier: MIT */
/* test_nearness.c — who is near whom on fake machines, true and lying; the order of victims */
#include "base/fault.h"
#include "check.h"
#include "topo/nearness.h"

#include <skua/error.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct skuai_nearness *nearness;

static void put(const char *path, const char *text)
{
	char full[256];

	snprintf(full, sizeof(full), "sys/devices/system/%s", path);
	test_write_text(test_folder(), full, text);
}

static void put_cpu(unsigned cpu, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "cpu/cpu%u/%s", cpu, name);
	put(path, text);
}

static void put_cache(unsigned cpu, unsigned index, const char *level_and_type, const char *shared)
{
	const char *const files[][2] = {
		{ "level", (char[]){ level_and_type[0], '\0' } },
		{ "type", level_and_type + 2 },
		{ "shared_cpu_list", shared },
	};

	for (size_t i = 0; i < 3; i++) {
		char name[64];
		snprintf(name, sizeof(name), "cache/index%u/%s", index, files[i][0]);
		put_cpu(cpu, name, files[i][1]);
	}
}

/* Core, package, a cache for instructions, one for data of the core, and the last level. */
static void put_place(unsigned cpu, const char *core, const char *package, const char *last)
{
	put_cpu(cpu, "topology/core_cpus_list", core);
	put_cpu(cpu, "topology/package_cpus_list", package);
	put_cache(cpu, 0, "1 Data\n", core);
	put_cache(cpu, 1, "9 Instruction\n", core);
	put_cache(cpu, 2, "3 Unified\n", last);
}

static void read_allowed(const char *allowed)
{
	struct skuai_cpuset set;
	struct skuai_text text = { allowed, strlen(allowed) };

	skuai_nearness_free(nearness);
	nearness = NULL;
	assert_int_equal(skuai_cpuset_parse(text, &set), SKUAI_CPUSET_WHOLE);
	assert_int_equal(skuai_nearness_read(test_folder(), &set, &nearness), SKUA_OK);
}

static void expect_groups(unsigned cores, unsigned caches, unsigned nodes, unsigned packages)
{
	assert_int_equal(nearness->groups[SKUAI_IN_CORE], cores);
	assert_int_equal(nearness->groups[SKUAI_IN_CACHE], caches);
	assert_int_equal(nearness->groups[SKUAI_IN_NODE], nodes);
	assert_int_equal(nearness->groups[SKUAI_IN_PACKAGE], packages);
}

/* One digit, of enum skuai_near, for each CPU from 0 on: how far it is from CPU a. */
static void expect_near(unsigned a, const char *digits)
{
	for (unsigned b = 0; digits[b]; b++) {
		unsigned found = skuai_nearness_between(nearness, a, b);
		if (found != (unsigned)(digits[b] - '0'))
			fail_msg("from CPU %u to %u: %u, not %c", a, b, found, digits[b]);
		assert_int_equal(skuai_nearness_between(nearness, b, a), found);
	}
}

/* As "3 0 1 | 4", a bar where a class ends, even an empty one. */
static void expect_order(const unsigned *cpus, unsigned count, unsigned self, const char *wanted)
{
	uint16_t numbers[16];
	struct skuai_victims victims = { .numbers = numbers };
	char found[256] = "";
	unsigned at = 0;

	assert_true(count <= 16);
	skuai_nearness_order(nearness, cpus, count, self, &victims);
	for (unsigned class = 0; class < SKUAI_NEAR_COUNT; class ++) {
		for (; at < victims.ends[class]; at++)
			snprintf(found + strlen(found), 8, "%u ", numbers[at]);
		if (class + 1 < SKUAI_NEAR_COUNT)
			strcat(found, "| ");
	}
	assert_int_equal(at, count - 1);
	if (found[strlen(found) - 1] == ' ')
		found[strlen(found) - 1] = '\0';
	assert_string_equal(found, wanted);
}

/* 2 packages = nodes = L3s of 4 cores of 2 threads; siblings are 8 apart. */
static void put_two_sockets(void)
{
	static const char *const halves[] = { "0-3,8-11\n", "4-7,12-15\n" };

	test_remove(test_folder(), "sys");
	for (unsigned cpu = 0; cpu < 16; cpu++) {
		char core[16];
		snprintf(core, sizeof(core), "%u,%u\n", cpu % 8, cpu % 8 + 8);
		put_place(cpu, core, halves[cpu % 8 / 4], halves[cpu % 8 / 4]);
	}
	put("node/online", "0-1\n");
	put("node/node0/cpulist", halves[0]);
	put("node/node1/cpulist", halves[1]);
	put("node/node0/distance", "10 21\n");
	put("node/node1/distance", "21 10\n");
}

static void test_nearness_two_sockets_with_threads(void **state)
{
	(void)state;
	put_two_sockets();
	read_allowed("0-15");
	assert_int_equal(nearness->unreadable, 0);
	assert_int_equal(nearness->count, 16);
	expect_groups(8, 2, 2, 2);
	expect_near(0, "0111333301113333");
	expect_near(13, "3333101133331011");
	for (unsigned cpu = 0; cpu < 16; cpu++) {
		assert_int_equal(nearness->cpus[cpu].in[SKUAI_IN_CORE], cpu % 8);
		assert_int_equal(nearness->cpus[cpu].in[SKUAI_IN_PACKAGE], cpu % 8 / 4);
		assert_int_equal(nearness->cpus[cpu].node_number, cpu % 8 / 4);
		assert_int_equal(nearness->cpus[cpu].cache_level, 3); /* not 9: no data there */
		assert_int_equal(nearness->cpus[cpu].capacity, 0);
	}
}

static void test_nearness_old_file_names_do_as_well(void **state)
{
	(void)state;
	put_two_sockets();
	for (unsigned cpu = 0; cpu < 16; cpu++) {
		char from[256], to[256];
		snprintf(from, sizeof(from), "%s/sys/devices/system/cpu/cpu%u/topology/%s",
			 test_folder(), cpu, "core_cpus_list");
		snprintf(to, sizeof(to), "%s/sys/devices/system/cpu/cpu%u/topology/%s",
			 test_folder(), cpu, "thread_siblings_list");
		assert_int_equal(rename(from, to), 0);
	}
	read_allowed("0-15");
	assert_int_equal(nearness->unreadable, 0);
	expect_groups(8, 2, 2, 2);
}

/* 4 L3s of 4 cores each in one package and one node. */
static void put_four_ccx(void)
{
	test_remove(test_folder(), "sys");
	for (unsigned cpu = 0; cpu < 16; cpu++) {
		char core[16], last[16];
		snprintf(core, sizeof(core), "%u\n", cpu);
		snprintf(last, sizeof(last), "%u-%u\n", cpu / 4 * 4, cpu / 4 * 4 + 3);
		put_place(cpu, core, "0-15\n", last);
	}
	put("node/online", "0\n");
	put("node/node0/cpulist", "0-15\n");
}

static void test_nearness_four_caches_in_one_node(void **state)
{
	(void)state;
	put_four_ccx();
	read_allowed("0-15");
	assert_int_equal(nearness->unreadable, 0);
	expect_groups(16, 4, 1, 1);
	expect_near(5, "2222101122222222");
}

/* 4 little and 4 big cores, a cluster each with its own L2; no L3, no NUMA. */
static void test_nearness_big_and_little(void **state)
{
	(void)state;
	static const char *const clusters[] = { "0-3\n", "4-7\n" };

	test_remove(test_folder(), "sys");
	for (unsigned cpu = 0; cpu < 8; cpu++) {
		char core[16];
		snprintf(core, sizeof(core), "%u\n", cpu);
		put_cpu(cpu, "topology/core_cpus_list", core);
		put_cpu(cpu, "topology/package_cpus_list", "0-7\n");
		put_cpu(cpu, "topology/cluster_cpus_list", clusters[cpu / 4]);
		put_cpu(cpu, "cpu_capacity", cpu < 4 ? "446\n" : "1024\n");
		put_cache(cpu, 0, "2 Unified\n", clusters[cpu / 4]); /* the last need not be last */
		put_cache(cpu, 1, "1 Data\n", core);
	}
	read_allowed("0-7");
	assert_int_equal(nearness->unreadable, 0);
	expect_groups(8, 2, 0, 1);
	expect_near(1, "10112222");
	expect_near(6, "22221101");
	for (unsigned cpu = 0; cpu < 8; cpu++) {
		assert_int_equal(nearness->cpus[cpu].capacity, cpu < 4 ? 446 : 1024);
		assert_int_equal(nearness->cpus[cpu].cache_level, 2);
		assert_int_equal(nearness->cpus[cpu].node_number, -1);
	}
	put_cpu(0, "cpu_capacity", "plenty\n");
	put_cpu(1, "cpu_capacity", "65537\n");
	read_allowed("0-7");
	assert_int_equal(nearness->cpus[0].capacity, 0);
	assert_int_equal(nearness->cpus[1].capacity, 0);
	assert_int_equal(nearness->cpus[2].capacity, 446);
}

static void test_nearness_one_cpu(void **state)
{
	(void)state;
	static const unsigned cpus[] = { 0, 0, 0 };

	test_remove(test_folder(), "sys");
	put_place(0, "0\n", "0\n", "0\n");
	read_allowed("0");
	assert_int_equal(nearness->unreadable, 0);
	expect_groups(1, 1, 0, 1);
	expect_near(0, "0");
	expect_order(cpus, 1, 0, "| | |");
	expect_order(cpus, 3, 1, "2 0 | | |"); /* more workers than CPUs */
}

static void test_nearness_affinity_with_holes(void **state)
{
	(void)state;
	put_two_sockets();
	read_allowed("1,3,9");
	assert_int_equal(nearness->unreadable, 0);
	assert_int_equal(nearness->count, 3);
	assert_int_equal(nearness->limit, 10);
	expect_groups(2, 1, 1, 1);
	expect_near(1, "2021222220"); /* CPUs that are not allowed are not known */
	assert_int_equal(skuai_nearness_between(nearness, 1, 9), SKUAI_NEAR_CORE);
	assert_int_equal(skuai_nearness_between(nearness, 9, 3), SKUAI_NEAR_CACHE);
	read_allowed("4,12-13");
	assert_int_equal(nearness->cpus[12].in[SKUAI_IN_NODE], 0); /* numbered from 0 ... */
	assert_int_equal(nearness->cpus[12].node_number, 1);	   /* ... but it is node 1 */
	expect_groups(2, 1, 1, 1);
}

static void test_nearness_without_files_all_are_equal(void **state)
{
	(void)state;
	static const unsigned cpus[] = { 0, 1, 2, 3 };

	test_remove(test_folder(), "sys");
	read_allowed("0-3");
	assert_int_equal(nearness->unreadable, SKUA_PART_CORES); /* as layout.c has it */
	expect_groups(0, 0, 0, 0);
	expect_near(0, "0222");
	expect_order(cpus, 4, 2, "| | 3 0 1 |");
	skuai_nearness_free(nearness);
	nearness = NULL; /* no memory: the same */
	expect_near(0, "0222");
	expect_order(cpus, 4, 2, "| | 3 0 1 |");
}

static void test_nearness_packages_are_apart_where_nodes_are_not_told(void **state)
{
	(void)state;
	put_two_sockets();
	test_remove(test_folder(), "sys/devices/system/node");
	read_allowed("0-15");
	assert_int_equal(nearness->unreadable, 0);
	expect_near(0, "0111333301113333");
	/* One node over both: the memory is equally near. */
	put("node/online", "0\n");
	put("node/node0/cpulist", "0-15\n");
	read_allowed("0-15");
	expect_near(0, "0111222201112222");
}

/* What is not known makes neither nearer nor farther, and it is told. */
static void test_nearness_garbled_files_are_not_known(void **state)
{
	(void)state;
	static const char *const lies[] = { "", "1\n", "all\n", "0-\n", "7-0\n", "\xff", "-1\n" };
	static const char *const files[] = { "topology/core_cpus_list", "cache/index2/level",
					     "cache/index2/type", "cache/index2/shared_cpu_list" };

	put_two_sockets();
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		for (size_t file = 0; file < 4; file++) {
			if (file == 1 && i == 1)
				continue; /* level 1 is one */
			put_place(0, "0,8\n", "0-3,8-11\n", "0-3,8-11\n");
			put_cpu(0, files[file], lies[i]);
			read_allowed("0-7"); /* one CPU of each core */
			assert_int_equal(nearness->unreadable,
					 file ? SKUA_PART_CACHES : SKUA_PART_CORES);
			/* CPU 1 says who shares its cache: 0 does */
			expect_groups(file ? 8 : 7, 2, 2, 2);
			expect_near(0, "01113333");
		}
	}
	put_two_sockets();
	for (unsigned cpu = 0; cpu < 16; cpu++)
		put_cpu(cpu, "cache/index2/shared_cpu_list", "none\n");
	read_allowed("0-15");
	assert_int_equal(nearness->unreadable, SKUA_PART_CACHES);
	expect_groups(8, 0, 2, 2); /* never the L1 as the last, though it can be read */
	expect_near(0, "0222333302223333");
	put_two_sockets();
	put("node/node1/cpulist", "nobody\n");
	read_allowed("0-15");
	assert_int_equal(nearness->unreadable, SKUA_PART_NODES);
	expect_groups(8, 2, 1, 2);
	expect_near(0, "0111333301113333"); /* the packages are known to be apart */
	expect_near(4, "3333011133330111");
	put("node/online", "99999999999999999999-0\n");
	read_allowed("0-15");
	assert_int_equal(nearness->unreadable, SKUA_PART_NODES);
	expect_groups(8, 2, 0, 2);
}

/* Links that lead to themselves, folders and lists that say everybody: it ends. */
static void test_nearness_loops_end(void **state)
{
	(void)state;
	char link[256];

	put_two_sockets();
	snprintf(link, sizeof(link), "%s/sys/devices/system/cpu/cpu0/topology/core_cpus_list",
		 test_folder());
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink("core_cpus_list", link), 0);
	put("node/online", "0-8191\n");
	read_allowed("0-7");
	assert_int_equal(nearness->unreadable, SKUA_PART_CORES | SKUA_PART_NODES);
	assert_int_equal(nearness->cpus[0].in[SKUAI_IN_CORE], -1);
	expect_near(0, "01113333");
	put_two_sockets();
	for (unsigned cpu = 0; cpu < 16; cpu++) { /* everybody is everywhere */
		put_place(cpu, "0-8191\n", "0-8191\n", "0-8191\n");
		for (unsigned index = 3; index < 16; index++)
			put_cache(cpu, index, "4 Unified\n", "0-15\n");
		for (unsigned index = 16; index < 20; index++) /* not looked at */
			put_cache(cpu, index, "5 Unified\n", "none\n");
	}
	read_allowed("0-15");
	assert_int_equal(nearness->unreadable, 0);
	expect_groups(1, 1, 2, 1);
	expect_near(3, "0000000000000000");
}

static void test_nearness_victims_come_nearest_first(void **state)
{
	(void)state;
	static const unsigned cpus[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const unsigned some[] = { 4, 9, 1, 12, 0 };

	put_two_sockets();
	read_allowed("0-15");
	expect_order(cpus, 16, 0, "8 | 1 2 3 9 10 11 | | 4 5 6 7 12 13 14 15");
	expect_order(cpus, 16, 9, "1 | 10 11 0 2 3 8 | | 12 13 14 15 4 5 6 7");
	expect_order(some, 5, 0, "3 | | | 1 2 4");
	expect_order(some, 5, 2, "1 | 4 | | 3 0");
	put_four_ccx();
	read_allowed("0-15");
	expect_order(cpus, 16, 6, "| 7 4 5 | 8 9 10 11 12 13 14 15 0 1 2 3 |");
}

/* 4 nodes of 2 CPUs, two of each package, in 3 distances. */
static void put_four_nodes(void)
{
	static const char *const rows[] = { "10 12 32 34\n", "12 10 34 32\n", "32 34 10 12\n",
					    "34 32 12 10\n" };

	test_remove(test_folder(), "sys");
	put("node/online", "0-2,5\n");
	for (unsigned node = 0; node < 4; node++) {
		char own[16], path[64];
		snprintf(own, sizeof(own), "%u-%u\n", 2 * node, 2 * node + 1);
		snprintf(path, sizeof(path), "node/node%u/cpulist", node < 3 ? node : 5);
		put(path, own);
		snprintf(path, sizeof(path), "node/node%u/distance", node < 3 ? node : 5);
		put(path, rows[node]);
	}
}

static void test_nearness_far_victims_come_in_the_order_of_their_nodes(void **state)
{
	(void)state;
	static const unsigned cpus[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

	put_four_nodes();
	read_allowed("0-7");
	assert_int_equal(nearness->unreadable, SKUA_PART_CORES);
	expect_order(cpus, 8, 0, "| | 1 | 2 3 4 5 6 7");
	expect_order(cpus, 8, 3, "| | 2 | 0 1 6 7 4 5");
	expect_order(cpus, 8, 7, "| | 6 | 4 5 2 3 0 1");
	read_allowed("2-7"); /* the columns are those of all online nodes, also of node 0 */
	expect_order(cpus + 2, 6, 1, "| | 0 | 4 5 2 3");

	/* Rows that cannot be believed: no order among nodes, and told. */
	static const char *const lies[] = { "",
					    "34 32 12\n",
					    "34 32 12 10 9\n",
					    "34 32 12 x\n",
					    "34 0 12 10\n",
					    "34 32 256 10\n" };
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		put_four_nodes();
		put("node/node5/distance", lies[i]);
		read_allowed("0-7");
		assert_int_equal(nearness->unreadable, SKUA_PART_CORES | SKUA_PART_NODES);
		expect_order(cpus, 8, 7, "| | 6 | 0 1 2 3 4 5");
		expect_order(cpus, 8, 3, "| | 2 | 0 1 6 7 4 5");
	}
	test_remove(test_folder(), "sys/devices/system/node/node5/distance");
	read_allowed("0-7");
	assert_int_equal(nearness->unreadable, SKUA_PART_CORES); /* a kernel need not tell */
	expect_order(cpus, 8, 7, "| | 6 | 0 1 2 3 4 5");
}

/* 70 nodes are more than distances are kept for; all are equally far. */
static void test_nearness_too_many_nodes_are_equally_far(void **state)
{
	(void)state;
	static const unsigned cpus[] = { 0, 69, 1, 68 };

	test_remove(test_folder(), "sys");
	put("node/online", "0-69\n");
	for (unsigned node = 0; node < 70; node++) {
		char own[16], path[64];
		snprintf(own, sizeof(own), "%u\n", node);
		snprintf(path, sizeof(path), "node/node%u/cpulist", node);
		put(path, own);
	}
	put("node/node0/distance", "not looked at\n");
	read_allowed("0-69");
	assert_int_equal(nearness->unreadable, SKUA_PART_CORES);
	expect_groups(0, 0, 70, 0);
	expect_order(cpus, 4, 1, "| | | 2 3 0");
}

/* 4 packages = nodes of 8 L3s of 16 cores of 2 threads. */
static void test_nearness_1024_cpus(void **state)
{
	(void)state;
	static unsigned cpus[1024];
	static uint16_t numbers[1024];
	struct skuai_victims victims = { .numbers = numbers };
	char core[32], last[32], package[32], path[64];

	test_remove(test_folder(), "sys");
	for (unsigned cpu = 0; cpu < 1024; cpu++) {
		cpus[cpu] = cpu;
		snprintf(core, sizeof(core), "%u-%u\n", cpu / 2 * 2, cpu / 2 * 2 + 1);
		snprintf(last, sizeof(last), "%u-%u\n", cpu / 32 * 32, cpu / 32 * 32 + 31);
		snprintf(package, sizeof(package), "%u-%u\n", cpu / 256 * 256,
			 cpu / 256 * 256 + 255);
		if (cpu % 32 == 0) /* the others need not be asked, but for their cores */
			put_place(cpu, core, package, last);
		else if (cpu % 2 == 0)
			put_cpu(cpu, "topology/core_cpus_list", core);
		if (cpu % 256 == 0) {
			snprintf(path, sizeof(path), "node/node%u/cpulist", cpu / 256);
			put(path, package);
		}
	}
	put("node/online", "0-9\n"); /* all are placed before node 4 is asked */
	read_allowed("0-1023");
	assert_int_equal(nearness->unreadable, 0);
	expect_groups(512, 32, 4, 4);
	skuai_nearness_order(nearness, cpus, 1024, 1000, &victims);
	assert_int_equal(victims.ends[SKUAI_NEAR_CORE], 1);
	assert_int_equal(victims.ends[SKUAI_NEAR_CACHE], 31);
	assert_int_equal(victims.ends[SKUAI_NEAR_NODE], 255);
	assert_int_equal(victims.ends[SKUAI_NEAR_FAR], 1023);
	for (unsigned i = 0; i < 1023; i++) {
		unsigned near = skuai_nearness_between(nearness, 1000, numbers[i]);
		assert_true(i < victims.ends[near] && (!near || i >= victims.ends[near - 1]));
		if (i && i != 1 && i != 31 && i != 255) /* round the end, inside a class */
			assert_true((numbers[i] - 1000u) % 1024 > (numbers[i - 1] - 1000u) % 1024);
	}
#ifdef SKUA_FAULTS
	skuai_fault_disarm();
	read_allowed("0-1023");
	/* 32 caches: three levels, the one after the last, three types, one list */
	assert_int_equal(skuai_fault_calls(SKUAI_FAULT_OPEN), 512 + 4 + 32 * 8 + 1 + 4 + 4 + 1024);
	assert_int_equal(skuai_fault_calls(SKUAI_FAULT_MALLOC), 1);
#endif
}

static void test_nearness_refused_memory_changes_nothing(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	struct skuai_nearness *other = (struct skuai_nearness *)&nearness;
	struct skuai_cpuset set = { 0 };

	skuai_cpuset_add(&set, 5);
	put_two_sockets();
	skuai_fault_disarm();
	skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
	assert_int_equal(skuai_nearness_read(test_folder(), &set, &other), SKUA_ENOMEM);
	skuai_fault_disarm();
	assert_ptr_equal(other, &nearness);
	assert_int_equal(skuai_nearness_read(test_folder(), &set, &other), SKUA_OK);
	skuai_nearness_free(other);
#else
	skip();
#endif
}

/* Every file in turn cannot be opened, or read: less is known, and nothing else happens. */
static void test_nearness_any_failing_call_makes_less_known(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	static const enum skuai_fault_kind kinds[] = { SKUAI_FAULT_OPEN, SKUAI_FAULT_READ,
						       SKUAI_FAULT_STAT };
	static const unsigned cpus[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	uint16_t numbers[16];
	struct skuai_victims victims = { .numbers = numbers };

	put_two_sockets();
	for (unsigned i = 0; i < 6; i++) {
		uint32_t nth = 0, calls = 1;
		for (; nth < calls; nth++) {
			skuai_fault_disarm();
			skuai_fault_arm(kinds[i / 2], nth + 1, i % 2, SKUAI_FAULT_USUAL);
			read_allowed("0-15");
			calls = skuai_fault_calls(kinds[i / 2]);
			assert_true(nth < 1000);
			assert_true(nearness->count == 16 && nearness->groups[SKUAI_IN_CORE] <= 16);
			skuai_nearness_order(nearness, cpus, 16, nth % 16, &victims);
			assert_int_equal(victims.ends[SKUAI_NEAR_FAR], 15);
		}
		assert_true(nth > 16);
	}
	skuai_fault_disarm();
#else
	skip();
#endif
}

static int forget(void **state)
{
	(void)state;
	skuai_nearness_free(nearness);
	nearness = NULL;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nearness_two_sockets_with_threads),
		cmocka_unit_test(test_nearness_old_file_names_do_as_well),
		cmocka_unit_test(test_nearness_four_caches_in_one_node),
		cmocka_unit_test(test_nearness_big_and_little),
		cmocka_unit_test(test_nearness_one_cpu),
		cmocka_unit_test(test_nearness_affinity_with_holes),
		cmocka_unit_test(test_nearness_without_files_all_are_equal),
		cmocka_unit_test(test_nearness_packages_are_apart_where_nodes_are_not_told),
		cmocka_unit_test(test_nearness_garbled_files_are_not_known),
		cmocka_unit_test(test_nearness_loops_end),
		cmocka_unit_test(test_nearness_victims_come_nearest_first),
		cmocka_unit_test(test_nearness_far_victims_come_in_the_order_of_their_nodes),
		cmocka_unit_test(test_nearness_too_many_nodes_are_equally_far),
		cmocka_unit_test(test_nearness_1024_cpus),
		cmocka_unit_test(test_nearness_refused_memory_changes_nothing),
		cmocka_unit_test(test_nearness_any_failing_call_makes_less_known),
	};
	return cmocka_run_group_tests(tests, NULL, forget);
}
