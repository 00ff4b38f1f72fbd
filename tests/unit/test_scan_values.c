/* SPDX-License-Identifier: MIT */
/* test_scan_values.c — sizes and ages as people write them, and what is none */
#include "check.h"
#include "scan/scan_command.h"

static void expect_size(const char *text, uint64_t wanted)
{
	uint64_t bytes = 42;

	if (!scan_read_size(text, &bytes) || bytes != wanted)
		fail_msg("%s is %llu, not %llu", text, (unsigned long long)bytes,
			 (unsigned long long)wanted);
}

static void test_values_sizes_are_read(void **state)
{
	(void)state;
	expect_size("0", 0);
	expect_size("4096", 4096);
	expect_size("7B", 7);
	expect_size("1K", 1024);
	expect_size("1k", 1024);
	expect_size("1KB", 1000);
	expect_size("1KiB", 1024);
	expect_size("10M", 10 * 1024 * 1024);
	expect_size("2MB", 2000000);
	expect_size("3G", UINT64_C(3) << 30);
	expect_size("1T", UINT64_C(1) << 40);
	expect_size("1P", UINT64_C(1) << 50);
	expect_size("15E", UINT64_C(15) << 60);
	expect_size("18446744073709551615", UINT64_MAX);
}

static void test_values_what_is_no_size_is_refused(void **state)
{
	static const char *const wrong[] = { "",     "K",    "-1",  "+1",
					     "1.5M", "1Q",   " 1",  "1 ",
					     "1Mi",  "1MBB", "16E", "18446744073709551616",
					     "1KK",  "0x10" };

	(void)state;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		uint64_t bytes = 42;
		if (scan_read_size(wrong[i], &bytes))
			fail_msg("'%s' was taken as a size", wrong[i]);
	}
}

static void expect_age(const char *text, int64_t wanted)
{
	int64_t moment = 42;

	if (!scan_read_age(text, 1000000000, &moment) || moment != wanted)
		fail_msg("%s is %lld, not %lld", text, (long long)moment, (long long)wanted);
}

static void test_values_ages_are_moments(void **state)
{
	(void)state;
	expect_age("0s", 1000000000);
	expect_age("90s", 1000000000 - 90);
	expect_age("2m", 1000000000 - 120);
	expect_age("1h", 1000000000 - 3600);
	expect_age("7d", 1000000000 - 7 * 86400);
	expect_age("2w", 1000000000 - 14 * 86400);
	expect_age("100y", 1000000000 - INT64_C(100) * 365 * 86400);
	expect_age("@0", 0);
	expect_age("@1700000000", 1700000000);
}

static void test_values_what_is_no_age_is_refused(void **state)
{
	static const char *const wrong[] = { "",
					     "h",
					     "1",
					     "-1h",
					     "1.5h",
					     "1H",
					     "1hh",
					     " 1h",
					     "1h ",
					     "@",
					     "@1s",
					     "@-1",
					     "99999999999999999999s",
					     "9999999999999999y" };

	(void)state;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		int64_t moment = 42;
		if (scan_read_age(wrong[i], 1000000000, &moment))
			fail_msg("'%s' was taken as an age", wrong[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_sizes_are_read),
		cmocka_unit_test(test_values_what_is_no_size_is_refused),
		cmocka_unit_test(test_values_ages_are_moments),
		cmocka_unit_test(test_values_what_is_no_age_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
