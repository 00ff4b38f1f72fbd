/* SPDX-License-Identifier: MIT */
/* test_histogram.c — skua_histogram: few bins and many, with memory and without, no such bin */
#include "unit/test_pool.h"

#include "base/fault.h"

#include <skua/find.h>

static const int worker_counts[] = { 1, 2, 3, 8, 64 };
#define WIDTHS (sizeof(worker_counts) / sizeof(worker_counts[0]))
#define MOST   (SLOW_BUILD ? 60000 : 300000)

struct numbers {
	uint32_t *x;
	uint64_t from; /* the index of the first */
};

SKUA_HISTOGRAM(bin_of, const struct numbers *, numbers, i)
{
	return numbers->x[i - numbers->from];
}

/* The same without macros. */
static void bins_of(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, uint64_t *bins,
		    void *argument)
{
	const struct numbers *numbers = argument;

	(void)skua_here;
	for (uint64_t i = lo; i < hi; i++)
		*bins++ = numbers->x[i - numbers->from];
}

static const struct skua_bins plain_bins = { .body = bins_of };

/* All in one bin, all evenly, most in a few, one after the other. */
static void draw_numbers(uint32_t *x, uint64_t n, size_t bins, unsigned kind)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t draw = test_random();
		uint64_t few = draw % 10 ? draw % 3 : draw >> 8;
		uint64_t kinds[] = { bins - 1, draw, few, i };
		x[i] = (uint32_t)(kinds[kind] % bins);
	}
}

static void expect_counts(struct skua_pool *pool, const struct numbers *numbers, uint64_t n,
			  size_t bins, const struct skua_loop_options *options)
{
	uint64_t *expected = calloc(bins, sizeof(*expected));
	uint64_t *counts = calloc(bins, sizeof(*counts));
	size_t bin = 0;

	assert_true(expected && counts);
	memset(counts, 0x55, bins * sizeof(*counts));
	for (uint64_t i = 0; i < n; i++)
		expected[numbers->x[i]]++;
	int error = skua_histogram(pool, numbers->from, numbers->from + n,
				   *(test_random() % 2 ? &bin_of : &plain_bins), numbers, bins,
				   counts, options);
	while (bin < bins && counts[bin] == expected[bin])
		bin++;
	if (error || bin < bins)
		fail_msg("%u workers, %llu indices, %zu bins: error %d, bin %zu has %llu, not %llu",
			 skua_pool_workers(pool), (unsigned long long)n, bins, error, bin,
			 (unsigned long long)(bin < bins ? counts[bin] : 0),
			 (unsigned long long)(bin < bins ? expected[bin] : 0));
	free(counts);
	free(expected);
}

static void test_histogram_as_a_plain_loop(void **state)
{
	static const size_t bin_counts[] = { 1, 2, 256, 2048, 2049, 10007 };
	static const uint64_t lengths[] = { 0, 1, 2, 255, 1000, 30011 };
	struct numbers numbers = { calloc(MOST, sizeof(uint32_t)), 0 };

	(void)state;
	assert_non_null(numbers.x);
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (unsigned b = 0; b < sizeof(bin_counts) / sizeof(bin_counts[0]); b++)
			for (unsigned l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
				unsigned kind = test_random() % 4;
				numbers.from = kind % 2 ? UINT64_MAX - lengths[l] : 5;
				draw_numbers(numbers.x, lengths[l], bin_counts[b], kind);
				expect_counts(pool, &numbers, lengths[l], bin_counts[b], NULL);
			}
		pool_end(pool);
	}
	free(numbers.x);
}

/* Enough indices for arrays of one's own, with many bins; and far too few of them. */
static void test_histogram_of_many(void **state)
{
	struct numbers numbers = { calloc(MOST, sizeof(uint32_t)), 0 };
	struct skua_loop_options options = { .size = sizeof(options),
					     .grain = 3,
					     .is_stable = true };

	(void)state;
	assert_non_null(numbers.x);
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (unsigned kind = 0; kind < 4; kind++) {
			draw_numbers(numbers.x, MOST, 3000, kind);
			expect_counts(pool, &numbers, MOST, 3000, NULL);
			expect_counts(pool, &numbers, MOST / 4, 3000, &options);
		}
		draw_numbers(numbers.x, MOST, 1000000, 1);
		expect_counts(pool, &numbers, MOST, 1000000, NULL);
		pool_end(pool);
	}
	free(numbers.x);
}

/* --- a bin that is not --- */

static void test_histogram_bin_out_of_range(void **state)
{
	static const size_t bin_counts[] = { 100, 5000 };
	struct numbers numbers = { calloc(MOST, sizeof(uint32_t)), 0 };
	uint64_t *counts = calloc(5001, sizeof(*counts));

	(void)state;
	assert_true(numbers.x && counts);
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (unsigned b = 0; b < 4; b++) { /* each with the macro and without */
			size_t bins = bin_counts[b / 2];
			uint64_t sum = 0;
			counts[bins] = 42;
			draw_numbers(numbers.x, MOST, bins, 1);
			numbers.x[test_random() % MOST] = (uint32_t)bins;
			const struct skua_bins *of = b % 2 ? &bin_of : &plain_bins;
			assert_int_equal(
				skua_histogram(pool, 0, MOST, *of, &numbers, bins, counts, NULL),
				SKUA_EINVAL);
			assert_int_equal(counts[bins], 42);
			for (size_t bin = 0; bin < bins; bin++)
				sum += counts[bin];
			assert_true(sum < MOST);
		}
		pool_end(pool);
	}
	free(counts);
	free(numbers.x);
}

/* --- a body that forks, deadlines, no memory, no pool --- */

SKUA_HISTOGRAM(fib_of, const uint64_t *, bins, i)
{
	skua_fork(fib, a, (int)(i % 12));
	long b = skua_call(fib, 3);
	return (uint64_t)(skua_join(fib, a) + b) % *bins;
}

static void test_histogram_body_forks(void **state)
{
	static uint64_t counts[4000];
	uint64_t bins = 4000, sum = 0;

	(void)state;
	WATCH(60);
	struct skua_pool *pool = pool_of(3);
	for (unsigned round = 0; round < 2; round++) { /* with arrays of one's own, and without */
		uint64_t n = round ? 2400 : 4 * 4000 * 3 + 12;
		assert_int_equal(skua_histogram(pool, 0, n, fib_of, &bins, 4000, counts, NULL),
				 SKUA_OK);
		sum = 0;
		for (unsigned bin = 0; bin < 4000; bin++)
			sum += counts[bin];
		assert_int_equal(sum, n);
		assert_int_equal(counts[2 + 55], n / 12); /* fib(10) */
		assert_int_equal(counts[2 + 1], n / 12 * 2);
	}
	pool_end(pool);
}

static void test_histogram_deadline(void **state)
{
	static uint64_t counts[3000];
	struct skua_reach reach;
	struct skua_loop_options options = { .size = sizeof(options),
					     .deadline = 1,
					     .reach = &reach };
	uint64_t bins = 3000;

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	counts[1] = 1;
	assert_int_equal(skua_histogram(pool, 0, 100000, fib_of, &bins, 3000, counts, &options),
			 SKUA_ETIMEDOUT);
	assert_int_equal(reach.count, 0);
	assert_int_equal(counts[1], 0);
	pool_end(pool);
}

static void test_histogram_without_memory(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	struct numbers numbers = { calloc(60000, sizeof(uint32_t)), 0 };

	WATCH(60);
	assert_non_null(numbers.x);
	struct skua_pool *pool = pool_of(3);
	draw_numbers(numbers.x, 60000, 2000, 1);
	for (uint32_t nth = 1; nth < 6; nth++) {
		skuai_fault_arm(SKUAI_FAULT_MALLOC, nth, nth % 2, SKUAI_FAULT_USUAL);
		expect_counts(pool, &numbers, 60000, 3000, NULL);
		skuai_fault_arm(SKUAI_FAULT_MALLOC, nth, nth % 2, SKUAI_FAULT_USUAL);
		expect_counts(pool, &numbers, 60000, 2000, NULL);
		skuai_fault_disarm();
	}
	pool_end(pool);
	skuai_fault_arm(SKUAI_FAULT_THREAD, 1, true, SKUAI_FAULT_USUAL);
	expect_counts(NULL, &numbers, 60000, 3000, NULL);
	skuai_fault_disarm();
	free(numbers.x);
#else
	skip();
#endif
}

static void test_histogram_refuses(void **state)
{
	static const struct skua_bins none = { 0 };
	struct numbers numbers = { 0 };
	struct skua_loop_options bad = { 0 };
	uint64_t counts[4] = { 7, 7, 7, 7 };
	size_t huge = SIZE_MAX / 8;

	(void)state;
	assert_int_equal(skua_histogram(NULL, 0, 9, none, &numbers, 4, counts, NULL), SKUA_EINVAL);
	assert_int_equal(skua_loop_histogram(NULL, 0, 9, NULL, &numbers, 4, counts, NULL),
			 SKUA_EINVAL);
	assert_int_equal(skua_histogram(NULL, 0, 9, bin_of, &numbers, 0, counts, NULL),
			 SKUA_EINVAL);
	assert_int_equal(skua_histogram(NULL, 0, 9, bin_of, &numbers, huge, counts, NULL),
			 SKUA_EINVAL);
	assert_int_equal(skua_histogram(NULL, 0, 9, bin_of, &numbers, 4, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_histogram(NULL, 0, 9, bin_of, &numbers, 4, counts, &bad),
			 SKUA_EINVAL);
	for (unsigned bin = 0; bin < 4; bin++)
		assert_int_equal(counts[bin], 7);
	assert_int_equal(skua_histogram(NULL, 9, 3, bin_of, &numbers, 4, counts, NULL), SKUA_OK);
	for (unsigned bin = 0; bin < 4; bin++)
		assert_int_equal(counts[bin], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_histogram_as_a_plain_loop),
		cmocka_unit_test(test_histogram_of_many),
		cmocka_unit_test(test_histogram_bin_out_of_range),
		cmocka_unit_test(test_histogram_body_forks),
		cmocka_unit_test(test_histogram_deadline),
		cmocka_unit_test(test_histogram_without_memory),
		cmocka_unit_test(test_histogram_refuses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
