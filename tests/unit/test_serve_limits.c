/* SPDX-License-Identifier: MIT */
/* test_serve_limits.c — the server's clients: how long an answer may take, and who gives way */
#include "check.h"
#include "view/serve_limits.h"

#define SECOND INT64_C(1000000000)
#define BEGIN  (1000 * SECOND)

/* Time runs from the last byte that was taken, not from the first. */
static void test_serve_limits_a_reader_that_goes_on_has_time(void **state)
{
	size_t mebibyte = (size_t)1 << 20;
	(void)state;

	assert_int_equal(serve_answer_until(BEGIN, BEGIN, 0), BEGIN + 60 * SECOND);
	for (int64_t s = 1; s <= 1000; s++) /* a gigabyte at 1 MiB/s: longer than a minute */
		assert_int_equal(
			serve_answer_until(BEGIN, BEGIN + s * SECOND, (size_t)s * mebibyte),
			BEGIN + (s + 60) * SECOND);
}

/* 100 bytes a second are not enough to stay, however long it goes on. */
static void test_serve_limits_a_trickle_ends(void **state)
{
	int64_t s = 0;
	(void)state;

	while (s < 1000 &&
	       serve_answer_until(BEGIN, BEGIN + s * SECOND, (size_t)s * 100) > BEGIN + s * SECOND)
		s++;
	assert_in_range(s, 60, 62);
	/* the largest page there is does not overflow */
	assert_true(serve_answer_until(INT64_MAX / 2, INT64_MAX / 2, (size_t)INT32_MAX) >
		    INT64_MAX / 2);
}

static bool goes(bool is_writing, int64_t ms, bool is_other_writing, int64_t other_ms)
{
	struct serve_place one = { is_writing, BEGIN - ms * 1000000 };
	struct serve_place other = { is_other_writing, BEGIN - other_ms * 1000000 };
	bool is_first = serve_goes_first(&one, &other, BEGIN);

	assert_true(!is_first || !serve_goes_first(&other, &one, BEGIN)); /* never both */
	return is_first;
}

static void test_serve_limits_the_stillest_gives_way(void **state)
{
	(void)state;

	/* Who has just come is kept before a slow reader, and before a silent one. */
	assert_true(goes(true, 1500, false, 20));
	assert_true(goes(true, 500, false, 20));
	assert_true(goes(true, 1500, false, 999));
	assert_true(goes(false, 1500, false, 20));
	/* A silent one goes before a slow reader, however long that is still. */
	assert_true(goes(false, 1500, true, 50000));
	/* A crowd of new ones does not put out a reader that goes on. */
	assert_true(goes(false, 500, true, 2));
	assert_false(goes(true, 2, false, 20));
	/* Among equals the longest still. */
	assert_true(goes(true, 3000, true, 2000));
	assert_true(goes(false, 3000, false, 2000));
	assert_false(goes(false, 20, false, 20));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_serve_limits_a_reader_that_goes_on_has_time),
		cmocka_unit_test(test_serve_limits_a_trickle_ends),
		cmocka_unit_test(test_serve_limits_the_stillest_gives_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
