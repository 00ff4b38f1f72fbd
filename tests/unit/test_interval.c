/* SPDX-License-Identifier: MIT */
/* test_interval.c — ratios of medians and their intervals, on data whose truth is known */
#include "bench/interval.h"
#include "check.h"

#include <math.h>
#include <string.h>

/* The data is random but the same in every run: what is checked here holds for most, not all. */
static uint64_t seed;

static double uniform(void)
{
	seed = seed * 6364136223846793005 + 1442695040888963407;
	return (double)(seed >> 11) / 9007199254740992.0;
}

/* Times as machines give them: never below the true one by much, sometimes far above. */
static double draw_time(double truth)
{
	double bell = -6;

	for (int i = 0; i < 12; i++)
		bell += uniform();
	return truth * exp(0.05 * bell);
}

static struct sample draw_sample(unsigned count, double truth)
{
	struct sample sample = { 0 };

	for (unsigned i = 0; i < count; i++)
		sample_add(&sample, draw_time(truth));
	return sample;
}

static struct sample sample_of(const double *values, unsigned count, double factor)
{
	struct sample sample = { 0 };

	for (unsigned i = 0; i < count; i++)
		sample_add(&sample, values[i] * factor);
	return sample;
}

static const double nine[] = { 5, 1, 9, 3, 7, 2, 8, 4, 6 };

static void test_interval_of_known_medians_is_their_ratio(void **state)
{
	(void)state;
	struct sample odd = sample_of(nine, 9, 1), even = sample_of(nine, 8, 2);
	struct interval found;

	assert_true(interval_of(&odd, &odd, &found));
	assert_true(found.ratio == 1);
	assert_true(found.low < 1 && found.high > 1);
	assert_true(interval_of(&odd, &even, &found)); /* 4.5 * 2 and 5 */
	assert_true(fabs(found.ratio - 9.0 / 5) < 1e-12);
	assert_true(interval_of(&even, &odd, &found));
	assert_true(fabs(found.ratio - 5.0 / 9) < 1e-12);
}

static void test_interval_of_constants_is_a_point(void **state)
{
	(void)state;
	static const double same[] = { 3, 3, 3, 3, 3, 3 };
	struct sample before = sample_of(same, 6, 1), after = sample_of(same, 6, 1.5);
	struct interval found;

	assert_true(interval_of(&before, &after, &found));
	assert_true(found.ratio == 1.5 && found.low == 1.5 && found.high == 1.5);
}

static void test_interval_moves_with_its_unit_not(void **state)
{
	(void)state;
	struct sample before = draw_sample(15, 1), after = draw_sample(15, 2);
	struct sample small_before = sample_of(before.values, 15, 0x1p-30);
	struct sample small_after = sample_of(after.values, 15, 0x1p-30);
	struct interval large, small;

	assert_true(interval_of(&before, &after, &large));
	assert_true(interval_of(&small_before, &small_after, &small));
	assert_memory_equal(&large, &small, sizeof(large));
}

static void test_interval_is_the_same_each_time(void **state)
{
	(void)state;
	struct sample before = draw_sample(31, 1), after = draw_sample(31, 1.1), shuffled = after;
	struct interval first, again;

	assert_true(interval_of(&before, &after, &first));
	for (unsigned i = 0; i < 31; i++)
		shuffled.values[i] = after.values[30 - i];
	assert_true(interval_of(&before, &shuffled, &again));
	assert_memory_equal(&first, &again, sizeof(first));
}

static void test_interval_does_not_mind_outliers(void **state)
{
	(void)state;
	struct sample before = draw_sample(31, 1), after = draw_sample(31, 1.2);
	struct interval clean, wild;

	assert_true(interval_of(&before, &after, &clean));
	for (unsigned i = 0; i < 4; i++)
		after.values[7 * i] = 1e6; /* four rounds in which the machine did other things */
	assert_true(interval_of(&before, &after, &wild));
	assert_true(wild.ratio < 1.1 * clean.ratio);
	assert_true(wild.low > 1 && wild.high < 1.5);
}

static void test_interval_of_few_or_impossible_is_refused(void **state)
{
	(void)state;
	struct sample good = sample_of(nine, 6, 1), bad = sample_of(nine, 5, 1), none = { 0 };
	struct interval found;

	assert_true(interval_of(&good, &good, &found));
	assert_false(interval_of(&good, &bad, &found));
	assert_false(interval_of(&bad, &good, &found));
	assert_false(interval_of(&none, &none, &found));
	static const double wrong[] = { 0, -1, 1e-320 };
	for (unsigned i = 0; i < 3; i++) {
		bad = sample_of(nine, 6, i == 2 ? 1e308 / 9 : 1);
		none = sample_of(nine, 6, i == 2 ? 1e-320 : 1);
		none.values[3] = wrong[i];
		assert_false(interval_of(&none, &bad, &found));
		if (i < 2)
			assert_false(interval_of(&bad, &none, &found));
	}
}

static void test_interval_of_most_samples_is_narrow(void **state)
{
	(void)state;
	struct sample before = draw_sample(SAMPLES_MAX, 1), after = draw_sample(SAMPLES_MAX, 1.05);
	struct interval many, few;

	assert_true(interval_of(&before, &after, &many));
	before.count = after.count = 10;
	assert_true(interval_of(&before, &after, &few));
	assert_true(many.low > 1.03 && many.high < 1.07);
	assert_true(few.high - few.low > 3 * (many.high - many.low));
}

/* How often, of a thousand, the interval holds the truth. */
static unsigned count_hits(unsigned samples, double truth)
{
	unsigned hits = 0;

	seed = samples;
	for (unsigned i = 0; i < 1000; i++) {
		struct sample before = draw_sample(samples, 1);
		struct sample after = draw_sample(samples, truth);
		struct interval found;
		assert_true(interval_of(&before, &after, &found));
		hits += found.low <= truth && truth <= found.high;
	}
	return hits;
}

static void test_interval_holds_the_truth_in_95_of_100(void **state)
{
	(void)state;
	static const unsigned sizes[] = { 6, 9, 10, 31 };

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned hits = count_hits(sizes[i], 1.1);
		print_message("%u samples: %u of 1000 intervals hold the truth\n", sizes[i], hits);
		assert_in_range(hits, 930, 990);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interval_of_known_medians_is_their_ratio),
		cmocka_unit_test(test_interval_of_constants_is_a_point),
		cmocka_unit_test(test_interval_moves_with_its_unit_not),
		cmocka_unit_test(test_interval_is_the_same_each_time),
		cmocka_unit_test(test_interval_does_not_mind_outliers),
		cmocka_unit_test(test_interval_of_few_or_impossible_is_refused),
		cmocka_unit_test(test_interval_of_most_samples_is_narrow),
		cmocka_unit_test(test_interval_holds_the_truth_in_95_of_100),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
