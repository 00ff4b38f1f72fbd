/* SPDX-License-Identifier: MIT */
/* test_cgroup.c — the text of control-group files: limits, own groups, mounts, paths */
#include "check.h"
#include "os/cgroup.h"

#include <string.h>

#define TEXT(literal) ((struct skuai_text){ (literal), sizeof(literal) - 1 })

static struct skuai_limit limit;

static void expect_limit(uint64_t quota_us, uint64_t period_us)
{
	assert_true(limit.quota_us == quota_us);
	assert_true(limit.period_us == period_us);
}

static void test_cgroup_v2_limit_reads_all_forms(void **state)
{
	(void)state;
	assert_int_equal(skuai_limit_parse_v2(TEXT("150000 100000\n"), &limit), SKUAI_LIMIT_SET);
	expect_limit(150000, 100000);
	assert_int_equal(skuai_limit_parse_v2(TEXT("150000 50000"), &limit), SKUAI_LIMIT_SET);
	expect_limit(150000, 50000);
	assert_int_equal(skuai_limit_parse_v2(TEXT("150000\n"), &limit), SKUAI_LIMIT_SET);
	expect_limit(150000, 100000);
	assert_int_equal(skuai_limit_parse_v2(TEXT("max 100000\n"), &limit), SKUAI_LIMIT_NONE);
	expect_limit(0, 0);
	assert_int_equal(skuai_limit_parse_v2(TEXT("max"), &limit), SKUAI_LIMIT_NONE);
	assert_int_equal(skuai_limit_parse_v2(TEXT("0 100000\n"), &limit), SKUAI_LIMIT_NONE);
	expect_limit(0, 0);
}

static void test_cgroup_v2_limit_huge_saturates(void **state)
{
	(void)state;
	assert_int_equal(skuai_limit_parse_v2(TEXT("99999999999999999999999 100000"), &limit),
			 SKUAI_LIMIT_SET);
	expect_limit(UINT64_MAX, 100000);
}

static void test_cgroup_v2_limit_garbage_is_told(void **state)
{
	(void)state;
	const struct skuai_text bad[] = {
		TEXT(""),
		TEXT("\n"),
		TEXT("many thanks"),
		TEXT("-1 100000"),
		TEXT("150000 0"),
		TEXT("150000 -5"),
		TEXT("150000 100000 1"),
		TEXT("150000\0 100000"),
		TEXT("1.5 100000"),
		TEXT("maximum"),
		TEXT("max many"),
		TEXT("150000 max"),
		TEXT("150000\n100000"),
		TEXT("\xff\xfe\0\1"),
		TEXT("0x10 100000"),
		TEXT("150000  100000"),
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (skuai_limit_parse_v2(bad[i], &limit) != SKUAI_LIMIT_GARBLED)
			fail_msg("taken for a limit: '%s'", bad[i].at);
		expect_limit(0, 0);
	}
}

static void test_cgroup_v1_limit_reads_all_forms(void **state)
{
	(void)state;
	assert_int_equal(skuai_limit_parse_v1(TEXT("150000\n"), TEXT("100000\n"), &limit),
			 SKUAI_LIMIT_SET);
	expect_limit(150000, 100000);
	assert_int_equal(skuai_limit_parse_v1(TEXT("-1\n"), TEXT("100000\n"), &limit),
			 SKUAI_LIMIT_NONE);
	expect_limit(0, 0);
	assert_int_equal(skuai_limit_parse_v1(TEXT("-1"), TEXT(""), &limit), SKUAI_LIMIT_NONE);
	assert_int_equal(skuai_limit_parse_v1(TEXT("0\n"), TEXT("100000\n"), &limit),
			 SKUAI_LIMIT_NONE);
}

static void test_cgroup_v1_limit_garbage_is_told(void **state)
{
	(void)state;
	const struct skuai_text quotas[] = { TEXT(""),	  TEXT("-"),   TEXT("--1"), TEXT("-1x"),
					     TEXT("max"), TEXT("1 2"), TEXT("1\0") };
	const struct skuai_text periods[] = { TEXT(""), TEXT("0"), TEXT("-1"), TEXT("x"),
					      TEXT("1 2") };

	for (size_t i = 0; i < sizeof(quotas) / sizeof(quotas[0]); i++)
		assert_int_equal(skuai_limit_parse_v1(quotas[i], TEXT("100000"), &limit),
				 SKUAI_LIMIT_GARBLED);
	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
		assert_int_equal(skuai_limit_parse_v1(TEXT("5000"), periods[i], &limit),
				 SKUAI_LIMIT_GARBLED);
	expect_limit(0, 0);
}

static bool tighter(uint64_t a_quota, uint64_t a_period, uint64_t b_quota, uint64_t b_period)
{
	return skuai_limit_is_tighter((struct skuai_limit){ a_quota, a_period },
				      (struct skuai_limit){ b_quota, b_period });
}

static void test_cgroup_tighter_compares_fractions_not_quotas(void **state)
{
	(void)state;
	assert_true(tighter(150000, 100000, 400000, 100000));
	assert_false(tighter(400000, 100000, 150000, 100000));
	assert_true(tighter(200000, 100000, 150000, 50000)); /* 2 CPUs against 3 */
	assert_false(tighter(150000, 100000, 15, 10));	     /* the same */
	assert_false(tighter(15, 10, 150000, 100000));
}

static void test_cgroup_tighter_no_limit_is_the_loosest(void **state)
{
	(void)state;
	assert_true(tighter(UINT64_MAX, 1, 0, 0));
	assert_false(tighter(0, 0, UINT64_MAX, 1));
	assert_false(tighter(0, 0, 0, 0));
}

static void test_cgroup_tighter_is_exact_near_overflow(void **state)
{
	(void)state;
	assert_true(tighter(UINT64_MAX - 1, UINT64_MAX, 1, 1));
	assert_true(tighter(UINT64_MAX - 2, UINT64_MAX - 1, UINT64_MAX - 1, UINT64_MAX));
	assert_false(tighter(UINT64_MAX - 1, UINT64_MAX, UINT64_MAX - 2, UINT64_MAX - 1));
	assert_false(tighter(UINT64_MAX, UINT64_MAX, 1, 1));
	__extension__ typedef unsigned __int128 wide;
	for (uint64_t round = 0; round < test_rounds(100000); round++) {
		uint64_t n[4];
		for (int i = 0; i < 4; i++)
			n[i] = (test_random() >> (test_random() % 64)) | 1;
		assert_int_equal(tighter(n[0], n[1], n[2], n[3]),
				 (wide)n[0] * n[3] < (wide)n[2] * n[1]);
	}
}

static void test_cgroup_own_finds_both_hierarchies(void **state)
{
	(void)state;
	struct skuai_cgroup_own own;

	skuai_cgroup_parse_own(
		TEXT("5:cpuset:/wrong\n4:cpuacct,cpu:/a:b\n1:name=systemd:/\n0::/c\n"), &own);
	assert_true(skuai_text_is(own.v1_cpu, "/a:b"));
	assert_true(skuai_text_is(own.v2, "/c"));
}

static void test_cgroup_own_takes_no_other_controller_for_cpu(void **state)
{
	(void)state;
	struct skuai_cgroup_own own;

	skuai_cgroup_parse_own(TEXT("5:cpuset:/a\n4:cpuacct,xcpu,cpu2:/b\n3:name=cpu:/d\n7::/e"),
			       &own);
	assert_null(own.v1_cpu.at);
	assert_null(own.v2.at);
}

static void test_cgroup_own_skips_garbage(void **state)
{
	(void)state;
	struct skuai_cgroup_own own;

	skuai_cgroup_parse_own(TEXT("\n::\n0:\n0::relative\n\0\0\n4:cpu\n:cpu:\n0::/good"), &own);
	assert_null(own.v1_cpu.at);
	assert_true(skuai_text_is(own.v2, "/good"));
	skuai_cgroup_parse_own((struct skuai_text){ NULL, 0 }, &own);
	assert_null(own.v2.at);
}

static void test_cgroup_mount_finds_the_two_kinds(void **state)
{
	(void)state;
	struct skuai_cgroup_mount mount;

	assert_true(skuai_cgroup_parse_mount(
		TEXT("33 31 0:30 /docker/x /sys/fs/cgroup/cpu,cpuacct rw shared:9 master:1 - cgroup cgroup rw,cpuacct,cpu"),
		&mount));
	assert_false(mount.is_v2);
	assert_true(skuai_text_is(mount.root, "/docker/x"));
	assert_true(skuai_text_is(mount.point, "/sys/fs/cgroup/cpu,cpuacct"));
	assert_true(
		skuai_cgroup_parse_mount(TEXT("30 22 0:26 / /cg rw - cgroup2 none rw"), &mount));
	assert_true(mount.is_v2);
	assert_true(skuai_text_is(mount.point, "/cg"));
}

static void test_cgroup_mount_takes_nothing_else(void **state)
{
	(void)state;
	const struct skuai_text others[] = {
		TEXT("32 31 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset"),
		TEXT("31 22 0:28 / /sys/fs/cgroup rw - tmpfs cgroup2 rw,cpu"),
		TEXT("36 35 98:0 / /cgroup2 rw - ext4 cgroup2 rw"),
		TEXT("36 35 98:0 / /x rw cgroup2 x rw"), /* no "-" */
		TEXT("cgroup2"),
		TEXT(""),
		TEXT("- - - - - - cgroup"),
	};
	struct skuai_cgroup_mount mount;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (skuai_cgroup_parse_mount(others[i], &mount))
			fail_msg("taken for a mount: %s", others[i].at);
}

static void test_cgroup_unescape_undoes_octal(void **state)
{
	(void)state;
	char path[32];

	assert_true(skuai_cgroup_unescape(TEXT("/a\\040b\\011\\134x2d"), path, sizeof(path)));
	assert_string_equal(path, "/a b\t\\x2d");
	assert_true(skuai_cgroup_unescape(TEXT("/a\\04"), path, sizeof(path)));
	assert_string_equal(path, "/a\\04"); /* no escape: as it stands */
	assert_true(skuai_cgroup_unescape(TEXT("/\\777\\089"), path, sizeof(path)));
	assert_string_equal(path, "/\\777\\089");
}

static void test_cgroup_unescape_refuses_what_is_no_path(void **state)
{
	(void)state;
	char path[8];

	assert_false(skuai_cgroup_unescape(TEXT(""), path, sizeof(path)));
	assert_false(skuai_cgroup_unescape(TEXT("relative"), path, sizeof(path)));
	assert_false(skuai_cgroup_unescape(TEXT("/a\\000b"), path, sizeof(path)));
	assert_false(skuai_cgroup_unescape(TEXT("/a\0b"), path, sizeof(path)));
	assert_true(skuai_cgroup_unescape(TEXT("/234567"), path, sizeof(path)));
	assert_false(skuai_cgroup_unescape(TEXT("/2345678"), path, sizeof(path)));
}

static void expect_below(struct skuai_text group, const char *root, const char *expected)
{
	struct skuai_text below = TEXT("untouched");

	if (skuai_cgroup_below(group, root, &below) != (expected != NULL))
		fail_msg("%s below %s", group.at, root);
	assert_true(skuai_text_is(below, expected ? expected : "untouched"));
}

static void test_cgroup_below_takes_whole_names_only(void **state)
{
	(void)state;
	expect_below(TEXT("/a/b"), "/", "/a/b");
	expect_below(TEXT("/"), "/", "");
	expect_below(TEXT("/a/b"), "/a", "/b");
	expect_below(TEXT("/a"), "/a", "");
	expect_below(TEXT("/a/"), "/a", "");
	expect_below(TEXT("/ab"), "/a", NULL);
	expect_below(TEXT("/b"), "/a", NULL);
	expect_below(TEXT("/"), "/a", NULL);
	expect_below(TEXT("/"), "/..", NULL);
}

static void test_cgroup_below_never_climbs(void **state)
{
	(void)state;
	expect_below(TEXT("/../x"), "/", NULL);
	expect_below(TEXT("/a/../../etc"), "/a", NULL);
	expect_below(TEXT("/a/.."), "/", NULL);
	expect_below(TEXT("/a..b/...c"), "/", "/a..b/...c");
	expect_below(TEXT("/a\0b"), "/", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cgroup_v2_limit_reads_all_forms),
		cmocka_unit_test(test_cgroup_v2_limit_huge_saturates),
		cmocka_unit_test(test_cgroup_v2_limit_garbage_is_told),
		cmocka_unit_test(test_cgroup_v1_limit_reads_all_forms),
		cmocka_unit_test(test_cgroup_v1_limit_garbage_is_told),
		cmocka_unit_test(test_cgroup_tighter_compares_fractions_not_quotas),
		cmocka_unit_test(test_cgroup_tighter_no_limit_is_the_loosest),
		cmocka_unit_test(test_cgroup_tighter_is_exact_near_overflow),
		cmocka_unit_test(test_cgroup_own_finds_both_hierarchies),
		cmocka_unit_test(test_cgroup_own_takes_no_other_controller_for_cpu),
		cmocka_unit_test(test_cgroup_own_skips_garbage),
		cmocka_unit_test(test_cgroup_mount_finds_the_two_kinds),
		cmocka_unit_test(test_cgroup_mount_takes_nothing_else),
		cmocka_unit_test(test_cgroup_unescape_undoes_octal),
		cmocka_unit_test(test_cgroup_unescape_refuses_what_is_no_path),
		cmocka_unit_test(test_cgroup_below_takes_whole_names_only),
		cmocka_unit_test(test_cgroup_below_never_climbs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
