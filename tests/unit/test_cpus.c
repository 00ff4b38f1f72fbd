/* SPDX-License-Identifier: MIT */
/* test_cpus.c — possible, online and allowed CPUs of fake machines, and what stands in for them */
#include "base/fault.h"
#include "check.h"
#include "topo/cpus.h"

#include <sched.h>

static struct skuai_cpus cpus;

static void machine(const char *possible, const char *online, const char *status)
{
	const char *const paths[] = { "sys/devices/system/cpu/possible",
				      "sys/devices/system/cpu/online", "proc/self/status" };
	const char *const texts[] = { possible, online, status };

	for (int i = 0; i < 3; i++) {
		if (texts[i])
			test_write_text(test_folder(), paths[i], texts[i]);
		else
			test_remove(test_folder(), paths[i]);
	}
}

static void expect(const char *possible, const char *online, const char *allowed,
		   unsigned unreadable)
{
	char text[64];

	skuai_cpus_read(test_folder(), &cpus);
	skuai_cpuset_format(&cpus.possible, text, sizeof(text));
	assert_string_equal(text, possible);
	skuai_cpuset_format(&cpus.online, text, sizeof(text));
	assert_string_equal(text, online);
	skuai_cpuset_format(&cpus.allowed, text, sizeof(text));
	assert_string_equal(text, allowed);
	assert_int_equal(cpus.unreadable, unreadable);
}

static void test_cpus_offline_ones_never_count(void **state)
{
	(void)state;
	machine("0-7\n", "0,2-3\n",
		"Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t2-7\nMems:\t0\n");
	expect("0-7", "0,2-3", "2-3", 0);
}

static void test_cpus_missing_or_garbled_affinity_is_online_and_told(void **state)
{
	(void)state;
	static const char *const texts[] = { NULL,
					     "",
					     "Name:\tx\n",
					     "Cpus_allowed_list:\tall\n",
					     "Cpus_allowed_list:\t\n",
					     "Cpus_allowed_list:\t4-5\n",
					     "xCpus_allowed_list:\t1\n" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		machine("0-7\n", "0-3\n", texts[i]);
		expect("0-7", "0-3", "0-3", SKUA_PART_AFFINITY);
	}
}

static void test_cpus_missing_online_is_allowed_and_told(void **state)
{
	(void)state;
	machine("0-7\n", NULL, "Cpus_allowed_list:\t1-2\n");
	expect("0-7", "1-2", "1-2", SKUA_PART_CPUS);
	machine("0-7\n", "junk", "Cpus_allowed_list:\t1-2\n");
	expect("0-7", "1-2", "1-2", SKUA_PART_CPUS);
	machine("0-7\n", "\n", "Cpus_allowed_list:\t1-2\n");
	expect("0-7", "1-2", "1-2", SKUA_PART_CPUS);
}

static void test_cpus_missing_possible_is_online_and_told(void **state)
{
	(void)state;
	machine(NULL, "0-3\n", "Cpus_allowed_list:\t1-2\n");
	expect("0-3", "0-3", "1-2", SKUA_PART_CPUS);
}

static void test_cpus_nothing_at_all_is_one_cpu_and_told(void **state)
{
	(void)state;
	machine(NULL, NULL, NULL);
	expect("0", "0", "0", SKUA_PART_CPUS | SKUA_PART_AFFINITY);
}

static void test_cpus_beyond_the_most_are_clipped_and_told(void **state)
{
	(void)state;
	machine("0-8191\n", "0-8191\n", "Cpus_allowed_list:\t0-9000\n");
	expect("0-8191", "0-8191", "0-8191", SKUA_PART_AFFINITY);
	machine("0-8191\n", "0-99999999999\n", "Cpus_allowed_list:\t0-7\n");
	expect("0-8191", "0-8191", "0-7", SKUA_PART_CPUS);
}

static void test_cpus_of_this_process_are_its_affinity(void **state)
{
	(void)state;
	cpu_set_t before, one;
	unsigned cpu = 0;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	while (!CPU_ISSET(cpu, &before))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	skuai_cpus_read(NULL, &cpus);
	assert_int_equal(skuai_cpuset_count(&cpus.allowed), 1);
	assert_true(skuai_cpuset_has(&cpus.allowed, cpu));
	assert_int_equal(cpus.unreadable & SKUA_PART_AFFINITY, 0);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	skuai_cpus_read(NULL, &cpus);
	assert_int_equal(skuai_cpuset_count(&cpus.allowed), CPU_COUNT(&before));
}

static void test_cpus_refused_affinity_is_read_from_proc(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	struct skuai_cpuset before;

	skuai_cpus_read(NULL, &cpus);
	before = cpus.allowed;
	skuai_fault_arm(SKUAI_FAULT_AFFINITY, 1, true, SKUAI_FAULT_USUAL);
	skuai_cpus_read(NULL, &cpus);
	assert_memory_equal(&before, &cpus.allowed, sizeof(before));
	assert_int_equal(cpus.unreadable & SKUA_PART_AFFINITY, 0);
	skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
	skuai_cpus_read(NULL, &cpus);
	assert_int_equal(cpus.unreadable & SKUA_PART_AFFINITY, SKUA_PART_AFFINITY);
	assert_true(skuai_cpuset_count(&cpus.allowed) >= 1);
	skuai_fault_disarm();
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus_offline_ones_never_count),
		cmocka_unit_test(test_cpus_missing_or_garbled_affinity_is_online_and_told),
		cmocka_unit_test(test_cpus_missing_online_is_allowed_and_told),
		cmocka_unit_test(test_cpus_missing_possible_is_online_and_told),
		cmocka_unit_test(test_cpus_nothing_at_all_is_one_cpu_and_told),
		cmocka_unit_test(test_cpus_beyond_the_most_are_clipped_and_told),
		cmocka_unit_test(test_cpus_of_this_process_are_its_affinity),
		cmocka_unit_test(test_cpus_refused_affinity_is_read_from_proc),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
