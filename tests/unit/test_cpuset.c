/* SPDX-License-Identifier: MIT */
/* test_cpuset.c — sets of CPUs, hostile lists of them, and this process's own */
#include "base/fault.h"
#include "check.h"
#include "os/cpuset.h"

#include <sched.h>
#include <string.h>

#define TEXT(literal) ((struct skuai_text){ (literal), sizeof(literal) - 1 })

static struct skuai_cpuset set;
static char list[64];

static const char *formatted(void)
{
	skuai_cpuset_format(&set, list, sizeof(list));
	return list;
}

static void test_cpuset_list_parses_and_formats_back(void **state)
{
	(void)state;
	assert_int_equal(skuai_cpuset_parse(TEXT("0-3,8,10-11\n"), &set), SKUAI_CPUSET_WHOLE);
	assert_string_equal(formatted(), "0-3,8,10-11");
	assert_int_equal(skuai_cpuset_count(&set), 7);
	assert_int_equal(skuai_cpuset_parse(TEXT("\t63-64,127-129,8191"), &set),
			 SKUAI_CPUSET_WHOLE);
	assert_string_equal(formatted(), "63-64,127-129,8191");
	assert_int_equal(skuai_cpuset_parse(TEXT("5,1-2,2,0"), &set), SKUAI_CPUSET_WHOLE);
	assert_string_equal(formatted(), "0-2,5");
}

static void test_cpuset_empty_list_is_no_cpu(void **state)
{
	(void)state;
	memset(&set, 0xff, sizeof(set));
	assert_int_equal(skuai_cpuset_parse(TEXT("\n"), &set), SKUAI_CPUSET_WHOLE);
	assert_int_equal(skuai_cpuset_count(&set), 0);
	assert_string_equal(formatted(), "");
	assert_int_equal(skuai_cpuset_parse((struct skuai_text){ NULL, 0 }, &set),
			 SKUAI_CPUSET_WHOLE);
}

static void test_cpuset_garbled_list_is_told_and_empty(void **state)
{
	(void)state;
	const struct skuai_text bad[] = {
		TEXT("3-1"),	 TEXT("0-3,"),	  TEXT(",0"),	 TEXT("0,,1"),
		TEXT("0-"),	 TEXT("-3"),	  TEXT("0-1-2"), TEXT("0 1"),
		TEXT("0x1"),	 TEXT("0-3junk"), TEXT("0\0-3"), TEXT("\xff\xfe"),
		TEXT("0-3:1/2"), TEXT("0, 1"),	  TEXT("all\n"), TEXT("0-3\n4-5\n"),
		TEXT("\0"),	 TEXT("-"),
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (skuai_cpuset_parse(bad[i], &set) != SKUAI_CPUSET_GARBLED)
			fail_msg("taken for a list: %s", bad[i].at);
		assert_int_equal(skuai_cpuset_count(&set), 0);
	}
}

static void test_cpuset_numbers_beyond_the_most_are_clipped_and_told(void **state)
{
	(void)state;
	assert_int_equal(skuai_cpuset_parse(TEXT("0-8191"), &set), SKUAI_CPUSET_WHOLE);
	assert_int_equal(skuai_cpuset_count(&set), SKUAI_CPUS_MAX);
	assert_int_equal(skuai_cpuset_parse(TEXT("8190-8192"), &set), SKUAI_CPUSET_CLIPPED);
	assert_int_equal(skuai_cpuset_count(&set), 2);
	assert_int_equal(skuai_cpuset_parse(TEXT("1,99999999999999999999999"), &set),
			 SKUAI_CPUSET_CLIPPED);
	assert_string_equal(formatted(), "1");
	assert_int_equal(skuai_cpuset_parse(TEXT("0-99999999999999999999999"), &set),
			 SKUAI_CPUSET_CLIPPED);
	assert_int_equal(skuai_cpuset_count(&set), SKUAI_CPUS_MAX);
	assert_string_equal(formatted(), "0-8191");
}

static void test_cpuset_next_finds_each_member_once(void **state)
{
	(void)state;
	static const unsigned members[] = { 0, 63, 64, 65, 4095, 8191 };
	unsigned at = 0;

	memset(&set, 0, sizeof(set));
	for (size_t i = 0; i < 6; i++)
		skuai_cpuset_add(&set, members[i]);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(skuai_cpuset_next(&set, at), members[i]);
		assert_true(skuai_cpuset_has(&set, members[i]));
		at = members[i] + 1;
	}
	assert_int_equal(skuai_cpuset_next(&set, at), SKUAI_CPUS_MAX);
	assert_false(skuai_cpuset_has(&set, 1));
	assert_false(skuai_cpuset_has(&set, SKUAI_CPUS_MAX));
	skuai_cpuset_drop(&set, 64);
	assert_int_equal(skuai_cpuset_next(&set, 64), 65);
}

static void test_cpuset_and_or_minus_are_those_of_sets(void **state)
{
	(void)state;
	struct skuai_cpuset other;

	skuai_cpuset_parse(TEXT("4-7,100"), &other);
	skuai_cpuset_parse(TEXT("0-5"), &set);
	skuai_cpuset_and(&set, &other);
	assert_string_equal(formatted(), "4-5");
	skuai_cpuset_parse(TEXT("0-5"), &set);
	skuai_cpuset_or(&set, &other);
	assert_string_equal(formatted(), "0-7,100");
	skuai_cpuset_parse(TEXT("0-5"), &set);
	skuai_cpuset_minus(&set, &other);
	assert_string_equal(formatted(), "0-3");
}

/* The list is cut at an item, never inside a number, and fits whatever the room is. */
static void test_cpuset_format_too_long_ends_in_dots(void **state)
{
	(void)state;
	char whole[64], cut[64];

	skuai_cpuset_parse(TEXT("1,3,5-7,100,1000-1001"), &set);
	skuai_cpuset_format(&set, whole, sizeof(whole));
	assert_string_equal(whole, "1,3,5-7,100,1000-1001");
	for (size_t room = 5; room <= sizeof(cut); room++) {
		memset(cut, 'x', sizeof(cut));
		skuai_cpuset_format(&set, cut, room);
		size_t length = strlen(cut);
		assert_true(length < room);
		if (room > strlen(whole)) {
			assert_string_equal(cut, whole);
			continue;
		}
		assert_string_equal(cut + length - 3, "...");
		assert_memory_equal(cut, whole, length - 3);
		assert_true(length == 3 || strchr(",", whole[length - 3]));
	}
}

static void test_cpuset_any_set_survives_its_text(void **state)
{
	(void)state;
	static char text[SKUAI_CPUS_MAX * 6];

	for (uint64_t round = 0; round < test_rounds(50); round++) {
		struct skuai_cpuset back;
		memset(&set, 0, sizeof(set));
		for (uint64_t i = test_random() % 3000; i > 0; i--)
			skuai_cpuset_add(&set, (unsigned)(test_random() % SKUAI_CPUS_MAX));
		skuai_cpuset_format(&set, text, sizeof(text));
		struct skuai_text read = { text, strlen(text) };
		assert_int_equal(skuai_cpuset_parse(read, &back), SKUAI_CPUSET_WHOLE);
		assert_memory_equal(&set, &back, sizeof(set));
	}
}

static void test_cpuset_allowed_is_what_the_system_says(void **state)
{
	(void)state;
	cpu_set_t mask;

	assert_int_equal(sched_getaffinity(0, sizeof(mask), &mask), 0);
	assert_int_equal(skuai_cpuset_allowed(0, &set), SKUAI_CPUSET_WHOLE);
	assert_int_equal(skuai_cpuset_count(&set), CPU_COUNT(&mask));
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		assert_int_equal(skuai_cpuset_has(&set, cpu), !!CPU_ISSET(cpu, &mask));
}

static void test_cpuset_allowed_grows_for_kernels_with_more_cpus(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	struct skuai_cpuset plain;

	assert_int_equal(skuai_cpuset_allowed(0, &plain), SKUAI_CPUSET_WHOLE);
	skuai_fault_arm(SKUAI_FAULT_AFFINITY, 1, false, EINVAL); /* "your mask is too short" */
	assert_int_equal(skuai_cpuset_allowed(0, &set), SKUAI_CPUSET_WHOLE);
	assert_memory_equal(&set, &plain, sizeof(set));
	skuai_fault_arm(SKUAI_FAULT_AFFINITY, 1, true, EINVAL); /* whatever the length */
	assert_int_equal(skuai_cpuset_allowed(0, &set), SKUAI_CPUSET_GARBLED);
	assert_int_equal(skuai_cpuset_count(&set), 0);
	skuai_fault_arm(SKUAI_FAULT_AFFINITY, 1, false, EPERM);
	assert_int_equal(skuai_cpuset_allowed(0, &set), SKUAI_CPUSET_GARBLED);
	skuai_fault_arm(SKUAI_FAULT_AFFINITY, 1, true, EINVAL);
	skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
	assert_int_equal(skuai_cpuset_allowed(0, &set), SKUAI_CPUSET_GARBLED);
	skuai_fault_disarm();
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpuset_list_parses_and_formats_back),
		cmocka_unit_test(test_cpuset_empty_list_is_no_cpu),
		cmocka_unit_test(test_cpuset_garbled_list_is_told_and_empty),
		cmocka_unit_test(test_cpuset_numbers_beyond_the_most_are_clipped_and_told),
		cmocka_unit_test(test_cpuset_next_finds_each_member_once),
		cmocka_unit_test(test_cpuset_and_or_minus_are_those_of_sets),
		cmocka_unit_test(test_cpuset_format_too_long_ends_in_dots),
		cmocka_unit_test(test_cpuset_any_set_survives_its_text),
		cmocka_unit_test(test_cpuset_allowed_is_what_the_system_says),
		cmocka_unit_test(test_cpuset_allowed_grows_for_kernels_with_more_cpus),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
