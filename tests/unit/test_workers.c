/* SPDX-License-Identifier: MIT */
/* test_workers.c — how many workers, from CPUs, quota and environment */
#include "check.h"
#include "topo/workers.h"

static void expect(unsigned cpus, uint64_t quota_us, uint64_t period_us, unsigned count,
		   enum skua_workers_reason reason)
{
	struct skuai_limit quota = { quota_us, period_us };
	struct skuai_workers workers = skuai_workers_decide(cpus, quota, NULL);

	assert_int_equal(workers.count, count);
	assert_int_equal(workers.reason, reason);
	assert_false(workers.env_is_ignored);
}

static void test_workers_without_quota_are_the_cpus(void **state)
{
	(void)state;
	expect(1, 0, 0, 1, SKUA_WORKERS_FROM_CPUS);
	expect(8, 0, 0, 8, SKUA_WORKERS_FROM_CPUS);
	expect(0, 0, 0, 1, SKUA_WORKERS_FROM_CPUS);
}

static void test_workers_quota_is_rounded_up(void **state)
{
	(void)state;
	expect(8, 150000, 100000, 2, SKUA_WORKERS_FROM_QUOTA);
	expect(8, 200000, 100000, 2, SKUA_WORKERS_FROM_QUOTA);
	expect(8, 200001, 100000, 3, SKUA_WORKERS_FROM_QUOTA);
	expect(8, 1, UINT64_MAX, 1, SKUA_WORKERS_FROM_QUOTA);
	expect(8, UINT64_MAX, UINT64_MAX, 1, SKUA_WORKERS_FROM_QUOTA);
}

static void test_workers_quota_above_the_cpus_decides_nothing(void **state)
{
	(void)state;
	expect(2, 150000, 100000, 2, SKUA_WORKERS_FROM_CPUS);
	expect(2, UINT64_MAX, 1, 2, SKUA_WORKERS_FROM_CPUS);
	expect(1, 50000, 100000, 1, SKUA_WORKERS_FROM_CPUS);
}

static void test_workers_stop_at_the_most(void **state)
{
	(void)state;
	expect(SKUA_WORKERS_MAX, 0, 0, SKUA_WORKERS_MAX, SKUA_WORKERS_FROM_CPUS);
	expect(SKUA_WORKERS_MAX + 1, 0, 0, SKUA_WORKERS_MAX, SKUA_WORKERS_FROM_LIMIT);
	expect(8192, 2000, 1, SKUA_WORKERS_MAX, SKUA_WORKERS_FROM_LIMIT);
	expect(8192, 2000, 1000, 2, SKUA_WORKERS_FROM_QUOTA);
}

static void test_workers_environment_overrides_when_it_is_a_number(void **state)
{
	(void)state;
	struct skuai_limit quota = { 150000, 100000 };
	static const struct {
		const char *wish;
		unsigned count;
	} good[] = { { "1", 1 }, { "7", 7 }, { "1024", 1024 }, { "007", 7 } };
	static const char *const bad[] = { "0",
					   "1025",
					   "-1",
					   "+2",
					   " 2",
					   "2 ",
					   "2\n",
					   "0x2",
					   "2x",
					   "x2",
					   "1.5",
					   "2,",
					   "99999999999999999999999",
					   "\xff" };

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct skuai_workers workers = skuai_workers_decide(8, quota, good[i].wish);
		assert_int_equal(workers.count, good[i].count);
		assert_int_equal(workers.reason, SKUA_WORKERS_FROM_ENV);
		assert_false(workers.env_is_ignored);
	}
	assert_false(skuai_workers_decide(8, quota, "").env_is_ignored);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct skuai_workers workers = skuai_workers_decide(8, quota, bad[i]);
		assert_int_equal(workers.count, 2);
		assert_int_equal(workers.reason, SKUA_WORKERS_FROM_QUOTA);
		assert_true(workers.env_is_ignored);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_workers_without_quota_are_the_cpus),
		cmocka_unit_test(test_workers_quota_is_rounded_up),
		cmocka_unit_test(test_workers_quota_above_the_cpus_decides_nothing),
		cmocka_unit_test(test_workers_stop_at_the_most),
		cmocka_unit_test(test_workers_environment_overrides_when_it_is_a_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
