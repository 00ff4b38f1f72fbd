/* SPDX-License-Identifier: MIT */
/* test_alloc.c — heap memory: zeroed, aligned, sizes checked, refusal survived */
#include "check.h"

#include "base/alloc.h"
#include "base/fault.h"

#include <stdint.h>

static bool is_zero(const unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bytes[i])
			return false;
	return true;
}

static void test_alloc_gives_zeroed_memory(void **state)
{
	(void)state;
	unsigned char *bytes = skuai_alloc(100, 7);
	assert_non_null(bytes);
	assert_true(is_zero(bytes, 700));
	skuai_free(bytes);
	skuai_free(NULL);
}

static void test_alloc_aligned_keeps_its_promise(void **state)
{
	(void)state;
	for (size_t align = 8; align <= 8192; align *= 2) {
		unsigned char *bytes = skuai_alloc_aligned(3, 11, align);
		assert_non_null(bytes);
		assert_int_equal((uintptr_t)bytes % align, 0);
		assert_true(is_zero(bytes, 33));
		skuai_free(bytes);
	}
}

static void test_alloc_overflowing_size_gives_null(void **state)
{
	(void)state;
	/* volatile: the compiler would warn about the very thing we ask for */
	volatile size_t huge = SIZE_MAX / 2 + 1;
	assert_null(skuai_alloc_aligned(huge, 2, 64));
	assert_null(skuai_alloc_aligned(huge, 4, 64));
	assert_null(skuai_alloc_aligned(SIZE_MAX - 1, 1, 64));
}

static void test_alloc_refused_gives_null_and_works_again(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	skuai_fault_arm(SKUAI_FAULT_MALLOC, 2, false, SKUAI_FAULT_USUAL);
	void *first = skuai_alloc(1, 8);
	void *second = skuai_alloc_aligned(1, 8, 64);
	void *third = skuai_alloc(1, 8);
	skuai_fault_disarm();
	assert_non_null(first);
	assert_null(second);
	assert_non_null(third);
	skuai_free(first);
	skuai_free(third);
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alloc_gives_zeroed_memory),
		cmocka_unit_test(test_alloc_aligned_keeps_its_promise),
		cmocka_unit_test(test_alloc_overflowing_size_gives_null),
		cmocka_unit_test(test_alloc_refused_gives_null_and_works_again),
	};
	return cmocka_run_group_tests_name("alloc", tests, NULL, NULL);
}
