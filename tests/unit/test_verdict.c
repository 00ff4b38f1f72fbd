/* SPDX-License-Identifier: MIT */
/* test_verdict.c — two runs of benchmarks: who is whose partner, and every verdict */
#include "bench/verdict.h"
#include "check.h"

#include <stdlib.h>

/* A row of so many rounds that scatter by 2 % around a time. */
static struct past_row row_of(const char *name, const char *problem, unsigned workers,
			      double seconds, unsigned rounds)
{
	struct past_row row = { .name = name,
				.problem = problem,
				.workers = workers,
				.check = true,
				.seconds = seconds,
				.serial = 1 };

	for (unsigned i = 0; i < rounds; i++)
		sample_add(&row.own, seconds * (0.98 + 0.04 * i / (rounds - 1)));
	return row;
}

static enum verdict judge(double before, double after, unsigned rounds, enum reason *reason)
{
	struct past_row old = row_of("fib", "40", 1, before, rounds);
	struct past_row new = row_of("fib", "40", 1, after, rounds);
	struct comparison found = compare_rows(&old, &new, 0.03);

	*reason = found.reason;
	return found.verdict;
}

static void test_verdict_verdicts_are_those_of_the_ratio(void **state)
{
	(void)state;
	enum reason reason;

	assert_int_equal(judge(1, 1, 9, &reason), VERDICT_SAME);
	assert_int_equal(judge(1, 1.029, 31, &reason), VERDICT_SAME);
	assert_int_equal(judge(1, 1.05, 9, &reason), VERDICT_SLOWER);
	assert_int_equal(judge(1, 20, 9, &reason), VERDICT_SLOWER);
	assert_int_equal(judge(1, 0.98, 31, &reason), VERDICT_SAME);
	assert_int_equal(judge(1, 0.9, 9, &reason), VERDICT_FASTER);
	assert_int_equal(reason, REASON_NONE);
}

static void test_verdict_cannot_tell_and_says_why(void **state)
{
	(void)state;
	struct past_row old = row_of("fib", "40", 1, 1, 9), new = row_of("fib", "40", 1, 1.2, 9);
	enum reason reason;

	assert_int_equal(judge(1, 2, 5, &reason), VERDICT_UNTOLD);
	assert_int_equal(reason, REASON_FEW);
	assert_int_equal(judge(1, 2, 0, &reason), VERDICT_UNTOLD);
	assert_int_equal(reason, REASON_NO_SAMPLES);
	assert_int_equal(judge(0, 1, 9, &reason), VERDICT_UNTOLD);
	assert_int_equal(reason, REASON_NO_TIME);
	/* Medians that differ by more than the threshold, but so do the rounds. */
	for (unsigned i = 0; i < 4; i++)
		old.own.values[i] = 2;
	struct comparison found = compare_rows(&old, &new, 0.03);
	assert_int_equal(found.verdict, VERDICT_UNTOLD);
	assert_int_equal(found.reason, REASON_SCATTER);
	assert_true(found.has_interval && found.interval.low < 1 && found.interval.high > 1);
	/* The time of a wrong result says nothing. */
	new.check = false;
	found = compare_rows(&old, &new, 0.03);
	assert_int_equal(found.reason, REASON_WRONG);
	assert_false(found.has_interval);
}

static void test_verdict_threshold_zero_takes_any(void **state)
{
	(void)state;
	struct past_row old = row_of("fib", "40", 1, 1, 31), new = row_of("fib", "40", 1, 1.02, 31);

	assert_int_equal(compare_rows(&old, &new, 0.03).verdict, VERDICT_SAME);
	assert_int_equal(compare_rows(&old, &new, 0).verdict, VERDICT_SLOWER);
	assert_int_equal(compare_rows(&new, &old, 0).verdict, VERDICT_FASTER);
}

static void test_verdict_pairs_kernel_size_and_workers(void **state)
{
	(void)state;
	struct past_row old_rows[] = {
		row_of("fib", "40", 1, 1, 9),	row_of("fib", "40", 2, 2, 9),
		row_of("deque", NULL, 3, 3, 9), row_of("deque", NULL, 3, 4, 9),
		row_of("gone", "1", 1, 5, 9),
	};
	struct past_row new_rows[] = {
		row_of("deque", NULL, 3, 3, 9), row_of("deque", NULL, 3, 8, 9),
		row_of("fib", "42", 1, 1, 9),	row_of("fib", "40", 2, 1, 9),
		row_of("deque", "1", 3, 3, 9),
	};
	struct past old = { .count = 5, .rows = old_rows }, new = { .count = 5, .rows = new_rows };
	static const enum verdict wanted[] = { VERDICT_SAME,	VERDICT_SLOWER,	  VERDICT_ONLY_NEW,
					       VERDICT_FASTER,	VERDICT_ONLY_NEW, VERDICT_ONLY_OLD,
					       VERDICT_ONLY_OLD };
	struct comparisons all;

	for (unsigned i = 0; i < 5; i++)
		new_rows[i].serial = 1.5;
	assert_true(compare_runs(&old, &new, 0.03, &all));
	assert_int_equal(all.count, 7);
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(all.each[i].verdict, wanted[i]);
	assert_ptr_equal(all.each[5].before, &old_rows[0]);
	assert_ptr_equal(all.each[6].before, &old_rows[4]);
	assert_int_equal(all.verdicts[VERDICT_ONLY_NEW], 2);
	assert_int_equal(all.verdicts[VERDICT_UNTOLD], 0);
	assert_true(all.serial == 1.5);
	free(all.each);
}

static void test_verdict_of_nothing_is_nothing(void **state)
{
	(void)state;
	struct past old = { 0 }, new = { 0 };
	struct comparisons all;

	assert_true(compare_runs(&old, &new, 0.03, &all));
	assert_int_equal(all.count, 0);
	assert_true(all.serial == 0);
	free(all.each);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdict_verdicts_are_those_of_the_ratio),
		cmocka_unit_test(test_verdict_cannot_tell_and_says_why),
		cmocka_unit_test(test_verdict_threshold_zero_takes_any),
		cmocka_unit_test(test_verdict_pairs_kernel_size_and_workers),
		cmocka_unit_test(test_verdict_of_nothing_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
