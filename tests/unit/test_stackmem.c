/* SPDX-License-Identifier: MIT */
/* test_stackmem.c — reserved memory: usable throughout, guarded at both ends, refusals survived */
#include "check.h"

#include "base/fault.h"
#include "os/stackmem.h"

#include <skua/error.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static void test_stackmem_every_byte_is_usable_and_zero(void **state)
{
	struct skuai_stackmem memory = { 0 };
	size_t page = skuai_page_bytes();

	(void)state;
	errno = 4711;
	assert_int_equal(skuai_stackmem_map(&memory, 3 * page - 5), SKUA_OK);
	assert_int_equal(memory.bytes, 3 * page);
	assert_int_equal((uintptr_t)memory.base % page, 0);
	unsigned char *bytes = memory.base;
	for (size_t i = 0; i < memory.bytes; i++) {
		assert_int_equal(bytes[i], 0);
		bytes[i] = 0xa5;
	}
	skuai_stackmem_unmap(&memory);
	assert_null(memory.base);
	skuai_stackmem_unmap(&memory);
	assert_int_equal(errno, 4711);
}

static void write_byte(void *where)
{
	*(volatile char *)where = 1;
}

static void test_stackmem_both_ends_are_guarded(void **state)
{
	struct skuai_stackmem memory;

	(void)state;
	assert_int_equal(skuai_stackmem_map(&memory, 1), SKUA_OK);
	char *first = memory.base, *last = first + memory.bytes - 1;
	assert_int_equal(test_in_child(write_byte, first), 0);
	assert_int_equal(test_in_child(write_byte, last), 0);
	assert_int_equal(test_in_child(write_byte, first - 1), 128 + SIGSEGV);
	assert_int_equal(test_in_child(write_byte, last + 1), 128 + SIGSEGV);
	skuai_stackmem_unmap(&memory);
}

static void test_stackmem_reserving_much_costs_nothing(void **state)
{
	struct skuai_stackmem memory;

	(void)state;
	assert_int_equal(skuai_stackmem_map(&memory, (size_t)1 << 36), SKUA_OK);
	((char *)memory.base)[(size_t)1 << 35] = 1;
	skuai_stackmem_unmap(&memory);
}

static void test_stackmem_bad_sizes_change_nothing(void **state)
{
	struct skuai_stackmem memory = { (void *)&memory, 17 };

	(void)state;
	assert_int_equal(skuai_stackmem_map(&memory, 0), SKUA_EINVAL);
	assert_int_equal(skuai_stackmem_map(&memory, SIZE_MAX), SKUA_EINVAL);
	assert_int_equal(skuai_stackmem_map(&memory, SIZE_MAX - 4096), SKUA_EINVAL);
	assert_int_equal(skuai_stackmem_map(&memory, SIZE_MAX / 4), SKUA_ENOMEM);
	assert_ptr_equal(memory.base, &memory);
	assert_int_equal(memory.bytes, 17);
}

/* Address space in use by this process, to see a mapping left behind. */
static long mapped_lines(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	long lines = 0;

	for (int c; maps && (c = fgetc(maps)) != EOF;)
		lines += c == '\n';
	if (maps)
		fclose(maps);
	return lines;
}

static void test_stackmem_each_call_refused_in_turn_leaves_nothing_behind(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	static const enum skuai_fault_kind kinds[] = { SKUAI_FAULT_MMAP, SKUAI_FAULT_MPROTECT };
	struct skuai_stackmem memory = { 0 };

	mapped_lines(); /* stdio takes its own memory once */
	long before = mapped_lines();
	for (int kind = 0; kind < 2; kind++)
		for (uint32_t nth = 1; nth <= 3; nth++)
			for (int for_ever = 0; for_ever <= 1; for_ever++) {
				skuai_fault_arm(kinds[kind], nth, for_ever, SKUAI_FAULT_USUAL);
				for (uint32_t call = 1; call <= 3; call++) {
					bool fails = for_ever ? call >= nth : call == nth;
					assert_int_equal(skuai_stackmem_map(&memory, 4096),
							 fails ? SKUA_ENOMEM : SKUA_OK);
					assert_int_equal(memory.base == NULL, fails);
					assert_int_equal(memory.bytes == 0, fails);
					skuai_stackmem_unmap(&memory);
				}
				skuai_fault_disarm();
			}
	assert_int_equal(mapped_lines(), before);
#else
	(void)mapped_lines;
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stackmem_every_byte_is_usable_and_zero),
		cmocka_unit_test(test_stackmem_both_ends_are_guarded),
		cmocka_unit_test(test_stackmem_reserving_much_costs_nothing),
		cmocka_unit_test(test_stackmem_bad_sizes_change_nothing),
		cmocka_unit_test(test_stackmem_each_call_refused_in_turn_leaves_nothing_behind),
	};
	return cmocka_run_group_tests_name("stackmem", tests, NULL, NULL);
}
