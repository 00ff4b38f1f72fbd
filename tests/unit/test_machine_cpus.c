/* SPDX-License-Identifier: MIT */
/* test_machine_cpus.c — where each CPU is, for programs: roots, sizes, bad arguments, faults */
#include "base/fault.h"
#include "check.h"

#include <skua/skua.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 8

static struct skua_cpu entries[ROOM];
static struct skua_cpus cpus;

static void start(void)
{
	memset(entries, 0xa5, sizeof(entries));
	memset(&cpus, 0xa5, sizeof(cpus));
	cpus.size = sizeof(cpus);
	cpus.cpu_size = sizeof(entries[0]);
	cpus.cpus = entries;
	cpus.room = ROOM;
}

static int read_root(const char *root)
{
	struct skua_machine_options options = { .size = sizeof(options), .root = root };

	start();
	return skua_machine_cpus(&cpus, &options);
}

static void put(const char *path, const char *text)
{
	char full[256];

	snprintf(full, sizeof(full), "sys/devices/system/%s", path);
	test_write_text(test_folder(), full, text);
}

/* CPUs 2 and 3 are one core of node 1, 4 another of node 4; no cache is told for CPU 4. */
static void put_three(void)
{
	test_remove(test_folder(), "sys");
	put("cpu/possible", "0-7\n");
	put("cpu/online", "2-4\n");
	put("cpu/cpu2/topology/core_cpus_list", "2-3\n");
	put("cpu/cpu2/topology/package_cpus_list", "2-4\n");
	put("cpu/cpu4/topology/core_cpus_list", "4\n");
	put("cpu/cpu2/cache/index0/level", "2\n");
	put("cpu/cpu2/cache/index0/type", "Unified\n");
	put("cpu/cpu2/cache/index0/shared_cpu_list", "2-3\n");
	put("cpu/cpu4/cpu_capacity", "800\n");
	put("node/online", "0-1,4\n");
	put("node/node0/cpulist", "\n");
	put("node/node1/cpulist", "2-3\n");
	put("node/node4/cpulist", "4\n");
	test_write_text(test_folder(), "proc/self/status", "Cpus_allowed_list:\t0-7\n");
}

static void expect_entry(const struct skua_cpu *found, struct skua_cpu wanted)
{
	assert_int_equal(found->cpu, wanted.cpu);
	assert_int_equal(found->core, wanted.core);
	assert_int_equal(found->cache, wanted.cache);
	assert_int_equal(found->node, wanted.node);
	assert_int_equal(found->package, wanted.package);
	assert_int_equal(found->cache_level, wanted.cache_level);
	assert_int_equal(found->capacity, wanted.capacity);
}

static const struct skua_cpu three[] = {
	{ 2, 0, 0, 1, 0, 2, 0 },
	{ 3, 0, 0, 1, 0, 2, 0 },
	{ 4, 1, -1, 4, 0, 0, 800 },
};

static void test_machine_cpus_of_a_fake_root(void **state)
{
	(void)state;
	put_three();
	assert_int_equal(read_root(test_folder()), SKUA_OK);
	assert_int_equal(cpus.count, 3);
	assert_int_equal(cpus.unreadable, 0);
	for (unsigned i = 0; i < 3; i++)
		expect_entry(&entries[i], three[i]);
	for (unsigned i = 3; i < ROOM; i++)
		assert_int_equal(entries[i].cpu, 0xa5a5a5a5);
}

static void test_machine_cpus_of_this_machine(void **state)
{
	(void)state;
	cpu_set_t mask;

	start();
	assert_int_equal(skua_machine_cpus(&cpus, NULL), SKUA_OK);
	assert_int_equal(sched_getaffinity(0, sizeof(mask), &mask), 0);
	assert_int_equal(cpus.count, CPU_COUNT(&mask));
	for (size_t i = 0; i < cpus.count && i < ROOM; i++) {
		assert_true(CPU_ISSET(entries[i].cpu, &mask));
		assert_true(!i || entries[i].cpu > entries[i - 1].cpu);
	}
}

static void test_machine_cpus_too_little_room_is_filled_and_all_are_counted(void **state)
{
	(void)state;
	struct skua_machine_options options = { .size = sizeof(options), .root = test_folder() };

	put_three();
	for (size_t room = 0; room <= 4; room++) {
		start();
		cpus.room = room;
		if (!room)
			cpus.cpus = NULL;
		assert_int_equal(skua_machine_cpus(&cpus, &options), SKUA_OK);
		assert_int_equal(cpus.count, 3);
		for (size_t i = 0; i < ROOM; i++)
			assert_int_equal(entries[i].cpu, i < room && i < 3 ? 2 + i : 0xa5a5a5a5);
	}
}

/* Callers built against a newer header than the library: longer structs. */
static void test_machine_cpus_sizes_of_other_versions_are_respected(void **state)
{
	(void)state;
	struct skua_machine_options options = { .size = sizeof(options), .root = test_folder() };
	struct {
		struct skua_cpu known;
		unsigned char more[36];
	} longer[ROOM];
	struct {
		struct skua_cpus known;
		unsigned char more[40];
	} longer_cpus;

	put_three();
	start();
	memset(longer, 0xa5, sizeof(longer));
	memset(&longer_cpus, 0xa5, sizeof(longer_cpus));
	longer_cpus.known = cpus;
	longer_cpus.known.size = sizeof(longer_cpus);
	longer_cpus.known.cpu_size = sizeof(longer[0]);
	longer_cpus.known.cpus = &longer[0].known;
	assert_int_equal(skua_machine_cpus(&longer_cpus.known, &options), SKUA_OK);
	for (unsigned i = 0; i < ROOM; i++) {
		if (i < 3)
			expect_entry(&longer[i].known, three[i]);
		for (unsigned k = 0; k < sizeof(longer[0].more); k++)
			assert_int_equal(longer[i].more[k], i < 3 ? 0 : 0xa5);
	}
	for (unsigned k = 0; k < sizeof(longer_cpus.more); k++)
		assert_int_equal(longer_cpus.more[k], 0);
}

static void expect_refused(struct skua_cpus *into, const struct skua_machine_options *options)
{
	struct skua_cpus before;

	if (into)
		before = *into;
	errno = 77;
	assert_int_equal(skua_machine_cpus(into, options), SKUA_EINVAL);
	assert_int_equal(errno, 77);
	if (into)
		assert_memory_equal(into, &before, sizeof(before));
	for (unsigned i = 0; i < ROOM; i++)
		assert_int_equal(entries[i].cpu, 0xa5a5a5a5);
}

static void test_machine_cpus_bad_arguments_are_refused_and_change_nothing(void **state)
{
	(void)state;
	struct skua_machine_options options = { .size = sizeof(options),
						.root = "/nowhere/at/all" };
	static const size_t sizes[] = { 0, 1, sizeof(struct skua_cpu) - 4, SIZE_MAX, 0xa5a5a5a5 };

	put_three();
	start();
	expect_refused(NULL, NULL);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		start();
		cpus.size = sizes[i];
		expect_refused(&cpus, NULL);
		start();
		cpus.cpu_size = sizes[i];
		expect_refused(&cpus, NULL);
	}
	start();
	cpus.cpu_size++; /* its elements would not be aligned */
	expect_refused(&cpus, NULL);
	start();
	cpus.cpus = NULL;
	expect_refused(&cpus, NULL);
	start();
	expect_refused(&cpus, &options);
	options.root = NULL;
	for (options.size = 0; options.size < sizeof(options); options.size++)
		expect_refused(&cpus, &options);
}

static void test_machine_cpus_empty_root_is_one_cpu_of_which_nothing_is_known(void **state)
{
	(void)state;
	test_remove(test_folder(), "sys");
	test_remove(test_folder(), "proc");
	errno = 77;
	assert_int_equal(read_root(test_folder()), SKUA_OK);
	assert_int_equal(errno, 77);
	assert_int_equal(cpus.count, 1);
	expect_entry(&entries[0], (struct skua_cpu){ 0, -1, -1, -1, -1, 0, 0 });
	assert_int_equal(cpus.unreadable, SKUA_PART_AFFINITY | SKUA_PART_CPUS | SKUA_PART_CORES);
}

static void *read_both(void *argument)
{
	assert_int_equal(read_root(argument), SKUA_OK);
	assert_int_equal(read_root(NULL), SKUA_OK);
	return NULL;
}

/* As much stack as machine.h says: what is still painted was never touched. */
static void test_machine_cpus_need_little_stack(void **state)
{
	(void)state;
	put_three();
	put("node/node1/distance", "10 20 30\n");
	size_t used = test_stack_used(read_both, (void *)test_folder());
	if (!used)
		skip();
	assert_true(used <= 24 << 10);
}

static void test_machine_cpus_refused_memory_is_told_and_changes_nothing(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	static const size_t room = ROOM;

	put_three();
	skuai_fault_disarm();
	skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
	assert_int_equal(read_root(test_folder()), SKUA_ENOMEM);
	skuai_fault_disarm();
	assert_int_equal(cpus.room, room);
	assert_int_equal(cpus.unreadable, 0xa5a5a5a5);
	assert_int_equal(entries[0].cpu, 0xa5a5a5a5);
#else
	skip();
#endif
}

static void test_machine_cpus_any_failing_file_is_told(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	static const enum skuai_fault_kind kinds[] = { SKUAI_FAULT_OPEN, SKUAI_FAULT_READ };

	put_three();
	for (unsigned i = 0; i < 2; i++) {
		for (uint32_t nth = 1;; nth++) {
			skuai_fault_disarm();
			skuai_fault_arm(kinds[i], nth, false, EIO);
			assert_int_equal(read_root(test_folder()), SKUA_OK);
			if (skuai_fault_calls(kinds[i]) < nth)
				break;
			assert_true(nth < 1000);
			assert_true(cpus.count >= 1 && cpus.count <= 8);
			/* capacities come last, and are not worth a complaint */
			bool is_told = cpus.unreadable, is_same = cpus.count == 3;
			for (unsigned k = 0; is_same && k < 3; k++)
				is_same = entries[k].core == three[k].core &&
					  entries[k].cache == three[k].cache &&
					  entries[k].node == three[k].node &&
					  entries[k].package == three[k].package;
			assert_true(is_told || is_same);
		}
	}
	skuai_fault_disarm();
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machine_cpus_of_a_fake_root),
		cmocka_unit_test(test_machine_cpus_of_this_machine),
		cmocka_unit_test(test_machine_cpus_too_little_room_is_filled_and_all_are_counted),
		cmocka_unit_test(test_machine_cpus_sizes_of_other_versions_are_respected),
		cmocka_unit_test(test_machine_cpus_bad_arguments_are_refused_and_change_nothing),
		cmocka_unit_test(test_machine_cpus_empty_root_is_one_cpu_of_which_nothing_is_known),
		cmocka_unit_test(test_machine_cpus_need_little_stack),
		cmocka_unit_test(test_machine_cpus_refused_memory_is_told_and_changes_nothing),
		cmocka_unit_test(test_machine_cpus_any_failing_file_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
