/* SPDX-License-Identifier: MIT */
/* test_caches.c — kinds of cache counted from true and lying files */
#include "check.h"
#include "topo/caches.h"

#include <string.h>

static struct skuai_caches caches;

static void put(unsigned cpu, unsigned index, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cache/index%u/%s", cpu, index,
		 name);
	test_write_text(test_folder(), path, text);
}

static void put_cache(unsigned cpu, unsigned index, const char *level_and_type, const char *size,
		      const char *shared)
{
	char level[2] = { level_and_type[0], '\0' };

	put(cpu, index, "level", level);
	put(cpu, index, "type", level_and_type + 2);
	put(cpu, index, "size", size);
	put(cpu, index, "coherency_line_size", "64\n");
	put(cpu, index, "shared_cpu_list", shared);
}

/* Two cores of two threads, 4 caches each: L1d, L1i, L2, and one L3 for all. */
static void put_four(void)
{
	static const char *const cores[] = { "0,2\n", "1,3\n" };

	test_remove(test_folder(), "sys");
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		put_cache(cpu, 0, "1 Data\n", "48K\n", cores[cpu % 2]);
		put_cache(cpu, 1, "1 Instruction\n", "32K\n", cores[cpu % 2]);
		put_cache(cpu, 2, "2 Unified\n", "1280K\n", cores[cpu % 2]);
		put_cache(cpu, 3, "3 Unified\n", "16M\n", "0-3\n");
	}
}

static void read_allowed(const char *allowed)
{
	struct skuai_cpuset set;
	struct skuai_text text = { allowed, strlen(allowed) };

	assert_int_equal(skuai_cpuset_parse(text, &set), SKUAI_CPUSET_WHOLE);
	skuai_caches_read(test_folder(), &set, &caches);
}

static void expect_entry(unsigned at, unsigned level, enum skua_cache_kind kind, unsigned count,
			 unsigned shared_by, uint64_t size)
{
	const struct skua_cache *entry = &caches.entries[at];

	assert_true(at < caches.count);
	assert_int_equal(entry->level, level);
	assert_int_equal(entry->kind, kind);
	assert_int_equal(entry->count, count);
	assert_int_equal(entry->shared_by, shared_by);
	assert_int_equal(entry->size_bytes, size);
	assert_int_equal(entry->line_bytes, 64);
}

static void test_caches_of_two_cores_are_counted(void **state)
{
	(void)state;
	put_four();
	read_allowed("0-3");
	assert_false(caches.is_unreadable);
	assert_int_equal(caches.count, 4);
	expect_entry(0, 1, SKUA_CACHE_DATA, 2, 2, 48 << 10);
	expect_entry(1, 1, SKUA_CACHE_INSTRUCTION, 2, 2, 32 << 10);
	expect_entry(2, 2, SKUA_CACHE_UNIFIED, 2, 2, 1280 << 10);
	expect_entry(3, 3, SKUA_CACHE_UNIFIED, 1, 4, 16 << 20);
}

static void test_caches_only_allowed_cpus_count(void **state)
{
	(void)state;
	put_four();
	read_allowed("1-2");
	expect_entry(0, 1, SKUA_CACHE_DATA, 2, 1, 48 << 10);
	expect_entry(3, 3, SKUA_CACHE_UNIFIED, 1, 2, 16 << 20);
	read_allowed("3");
	expect_entry(0, 1, SKUA_CACHE_DATA, 1, 1, 48 << 10);
	expect_entry(3, 3, SKUA_CACHE_UNIFIED, 1, 1, 16 << 20);
}

/* Big and little cores: other sizes, and folders in another order. */
static void test_caches_of_unlike_cores_are_told_apart_by_level_and_kind(void **state)
{
	(void)state;
	test_remove(test_folder(), "sys");
	put_cache(0, 0, "3 Unified\n", "8M\n", "0-1\n");
	put_cache(0, 1, "1 Data\n", "32K\n", "0\n");
	put_cache(1, 0, "1 Data\n", "64K\n", "1\n");
	put_cache(1, 1, "3 Unified\n", "8M\n", "0-1\n");
	read_allowed("0-1");
	assert_false(caches.is_unreadable);
	assert_int_equal(caches.count, 2);
	expect_entry(0, 1, SKUA_CACHE_DATA, 2, 1, 64 << 10);
	expect_entry(1, 3, SKUA_CACHE_UNIFIED, 1, 2, 8 << 20);
}

static void test_caches_of_one_level_come_in_the_order_of_kinds(void **state)
{
	(void)state;
	test_remove(test_folder(), "sys");
	put_cache(0, 0, "1 Instruction\n", "32K\n", "0\n");
	put_cache(0, 1, "1 Data\n", "48K\n", "0\n");
	put_cache(0, 2, "1 Unified\n", "64K\n", "0\n");
	read_allowed("0");
	assert_int_equal(caches.count, 3);
	expect_entry(0, 1, SKUA_CACHE_UNIFIED, 1, 1, 64 << 10);
	expect_entry(1, 1, SKUA_CACHE_DATA, 1, 1, 48 << 10);
	expect_entry(2, 1, SKUA_CACHE_INSTRUCTION, 1, 1, 32 << 10);
}

static void test_caches_none_at_all_are_no_complaint(void **state)
{
	(void)state;
	test_remove(test_folder(), "sys");
	read_allowed("0-63");
	assert_int_equal(caches.count, 0);
	assert_false(caches.is_unreadable);
}

static void test_caches_size_and_line_may_be_untold(void **state)
{
	(void)state;
	test_remove(test_folder(), "sys");
	put(0, 0, "level", "1\n");
	put(0, 0, "type", "Data\n");
	put(0, 0, "shared_cpu_list", "0\n");
	read_allowed("0");
	assert_int_equal(caches.count, 1);
	assert_int_equal(caches.entries[0].count, 1);
	assert_int_equal(caches.entries[0].size_bytes, 0);
	assert_int_equal(caches.entries[0].line_bytes, 0);
	assert_false(caches.is_unreadable);
}

static void test_caches_garbage_is_told_and_the_rest_still_counts(void **state)
{
	(void)state;
	static const struct {
		const char *name, *text;
		unsigned kinds;
	} lies[] = {
		{ "level", "one\n", 3 },
		{ "level", "0\n", 3 },
		{ "level", "4000000000\n", 3 },
		{ "type", "Magic\n", 3 },
		{ "type", "", 3 },
		{ "size", "K\n", 4 },
		{ "size", "-1K\n", 4 },
		{ "coherency_line_size", "wide\n", 4 },
		{ "coherency_line_size", "99999999999\n", 4 },
		{ "shared_cpu_list", "3\n", 4 },
		{ "shared_cpu_list", "x\n", 4 },
	};

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		put_four();
		put(0, 2, lies[i].name, lies[i].text);
		read_allowed("0");
		if (!caches.is_unreadable || caches.count != lies[i].kinds)
			fail_msg("%s is '%s': %u kinds", lies[i].name, lies[i].text, caches.count);
		expect_entry(0, 1, SKUA_CACHE_DATA, 1, 1, 48 << 10);
		expect_entry(caches.count - 1, 3, SKUA_CACHE_UNIFIED, 1, 1, 16 << 20);
	}
	put_four();
	test_remove(test_folder(), "sys/devices/system/cpu/cpu0/cache/index2/shared_cpu_list");
	read_allowed("0-3");
	assert_true(caches.is_unreadable);
}

static void test_caches_huge_size_saturates(void **state)
{
	(void)state;
	put_four();
	put(0, 3, "size", "18446744073709551615G\n");
	read_allowed("0");
	assert_true(caches.entries[3].size_bytes == UINT64_MAX);
}

static void test_caches_too_many_kinds_are_told(void **state)
{
	(void)state;
	char kind[] = "9 Unified\n";

	test_remove(test_folder(), "sys");
	for (unsigned index = 0; index < 9; index++, kind[0]--)
		put_cache(0, index, kind, "1K\n", "0\n");
	read_allowed("0");
	assert_int_equal(caches.count, SKUA_CACHES_MAX);
	assert_true(caches.is_unreadable);
	for (unsigned at = 0; at < SKUA_CACHES_MAX; at++)
		expect_entry(at, at + 2, SKUA_CACHE_UNIFIED, 1, 1, 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_caches_of_two_cores_are_counted),
		cmocka_unit_test(test_caches_only_allowed_cpus_count),
		cmocka_unit_test(test_caches_of_unlike_cores_are_told_apart_by_level_and_kind),
		cmocka_unit_test(test_caches_of_one_level_come_in_the_order_of_kinds),
		cmocka_unit_test(test_caches_none_at_all_are_no_complaint),
		cmocka_unit_test(test_caches_size_and_line_may_be_untold),
		cmocka_unit_test(test_caches_garbage_is_told_and_the_rest_still_counts),
		cmocka_unit_test(test_caches_huge_size_saturates),
		cmocka_unit_test(test_caches_too_many_kinds_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
