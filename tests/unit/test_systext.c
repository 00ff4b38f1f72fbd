/* SPDX-License-Identifier: MIT */
/* test_systext.c — cutting, comparing and reading pieces of text that nobody ended with a NUL */
#include "check.h"
#include "os/systext.h"

#include <string.h>

#define TEXT(literal) ((struct skuai_text){ (literal), sizeof(literal) - 1 })

static void test_systext_cut_walks_all_parts(void **state)
{
	(void)state;
	struct skuai_text rest = TEXT("a,,bc");

	assert_true(skuai_text_is(skuai_text_cut(&rest, ','), "a"));
	assert_true(skuai_text_is(skuai_text_cut(&rest, ','), ""));
	assert_true(skuai_text_is(skuai_text_cut(&rest, ','), "bc"));
	assert_int_equal(rest.count, 0);
	assert_true(skuai_text_is(skuai_text_cut(&rest, ','), ""));
	assert_int_equal(rest.count, 0);
}

static void test_systext_cut_of_nothing_is_nothing(void **state)
{
	(void)state;
	struct skuai_text rest = { NULL, 0 };

	assert_int_equal(skuai_text_cut(&rest, '\n').count, 0);
	assert_int_equal(rest.count, 0);
}

static void test_systext_cut_passes_nul_bytes(void **state)
{
	(void)state;
	struct skuai_text rest = TEXT("a\0b\nc");

	assert_int_equal(skuai_text_cut(&rest, '\n').count, 3);
	assert_true(skuai_text_is(rest, "c"));
}

static void test_systext_trim_takes_blanks_at_both_ends_only(void **state)
{
	(void)state;
	assert_true(skuai_text_is(skuai_text_trim(TEXT(" \t a b\n\n")), "a b"));
	assert_int_equal(skuai_text_trim(TEXT(" \n\t")).count, 0);
	assert_int_equal(skuai_text_trim(TEXT("\0")).count, 1);
}

static void test_systext_is_wants_every_byte(void **state)
{
	(void)state;
	assert_false(skuai_text_is(TEXT("cpuset"), "cpu"));
	assert_false(skuai_text_is(TEXT("cp"), "cpu"));
	assert_false(skuai_text_is(TEXT("cpu\0"), "cpu"));
	assert_true(skuai_text_starts(TEXT("cpuset"), "cpu"));
	assert_false(skuai_text_starts(TEXT("cp"), "cpu"));
}

static void test_systext_number_takes_digits_only(void **state)
{
	(void)state;
	const struct skuai_text bad[] = { TEXT(""),    TEXT("-1"),  TEXT("+1"),
					  TEXT(" 1"),  TEXT("1 "),  TEXT("0x1"),
					  TEXT("1.5"), TEXT("1\0"), TEXT("\xb2") };
	uint64_t number = 7;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(skuai_text_number(bad[i], &number));
	assert_int_equal(number, 7);
	assert_true(skuai_text_number(TEXT("0"), &number));
	assert_int_equal(number, 0);
	assert_true(skuai_text_number(TEXT("0042"), &number));
	assert_int_equal(number, 42);
}

static void test_systext_number_too_large_saturates(void **state)
{
	(void)state;
	uint64_t number;

	assert_true(skuai_text_number(TEXT("18446744073709551614"), &number));
	assert_true(number == UINT64_MAX - 1);
	assert_true(skuai_text_number(TEXT("18446744073709551616"), &number));
	assert_true(number == UINT64_MAX);
	assert_true(skuai_text_number(TEXT("18446744073709551616000000000000000000001"), &number));
	assert_true(number == UINT64_MAX);
}

static void test_systext_show_hides_what_steers_terminals(void **state)
{
	(void)state;
	char shown[16];

	skuai_text_show(TEXT("a\x1b[2J\0\x7f\xff~ "), shown, sizeof(shown));
	assert_string_equal(shown, "a?[2J???~ ");
}

static void test_systext_show_keeps_the_end_of_what_is_too_long(void **state)
{
	(void)state;
	char shown[12];

	skuai_text_show(TEXT("12345678901"), shown, sizeof(shown));
	assert_string_equal(shown, "12345678901");
	skuai_text_show(TEXT("123456789012"), shown, sizeof(shown));
	assert_string_equal(shown, "...56789012");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_systext_cut_walks_all_parts),
		cmocka_unit_test(test_systext_cut_of_nothing_is_nothing),
		cmocka_unit_test(test_systext_cut_passes_nul_bytes),
		cmocka_unit_test(test_systext_trim_takes_blanks_at_both_ends_only),
		cmocka_unit_test(test_systext_is_wants_every_byte),
		cmocka_unit_test(test_systext_number_takes_digits_only),
		cmocka_unit_test(test_systext_number_too_large_saturates),
		cmocka_unit_test(test_systext_show_hides_what_steers_terminals),
		cmocka_unit_test(test_systext_show_keeps_the_end_of_what_is_too_long),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
