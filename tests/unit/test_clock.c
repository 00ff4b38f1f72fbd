/* SPDX-License-Identifier: MIT */
/* test_clock.c — time goes forward, deadlines never overflow */
#include "check.h"

#include "os/clock.h"

static void test_clock_never_goes_back(void **state)
{
	int64_t last = skuai_clock_ns();

	(void)state;
	for (int i = 0; i < 100000; i++) {
		int64_t now = skuai_clock_ns();
		assert_true(now >= last);
		last = now;
	}
}

static void test_clock_deadline_saturates(void **state)
{
	(void)state;
	assert_true(skuai_deadline_is_past(0));
	assert_true(skuai_deadline_is_past(INT64_MIN));
	assert_true(skuai_deadline_is_past(skuai_clock_ns()));
	assert_false(skuai_deadline_is_past(skuai_deadline_after((int64_t)3600 * 1000000000)));
	assert_false(skuai_deadline_is_past(SKUAI_NO_DEADLINE));
	assert_true(skuai_deadline_after(INT64_MAX) == SKUAI_NO_DEADLINE);
	assert_true(skuai_deadline_after(INT64_MAX - 1) == SKUAI_NO_DEADLINE);
	int64_t now = skuai_clock_ns(), hour = 3600 * (int64_t)1000000000;
	assert_true(skuai_deadline_after(hour) >= now + hour);
	assert_true(skuai_deadline_after(INT64_MIN) >= now);
	assert_true(skuai_deadline_after(INT64_MIN) < now + hour);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clock_never_goes_back),
		cmocka_unit_test(test_clock_deadline_saturates),
	};
	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
