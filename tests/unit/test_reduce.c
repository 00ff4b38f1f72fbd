/* SPDX-License-Identifier: MIT */
/* test_reduce.c — skua_reduce: in order, of any size, to the last bit when asked */
#include "unit/test_pool.h"

#include "base/fault.h"

#include <skua/loop.h>

#include <string.h>

static const int worker_counts[] = { 1, 2, 3, 8, 64 };
#define WIDTHS (sizeof(worker_counts) / sizeof(worker_counts[0]))

static const struct skua_loop_options stable = { .size = sizeof(stable), .is_stable = true };

/* --- in order: a result is a run of neighbours, or wrong --- */

struct run {
	uint64_t first, end, sum;
	bool is_begun, is_wrong;
};

SKUA_FOLD(join_runs, struct run, run, const uint64_t *, weight, i)
{
	if (!run->is_begun)
		*run = (struct run){ .first = i, .end = i, .is_begun = true };
	run->is_wrong |= run->end != i;
	run->end = i + 1;
	run->sum += i;
	for (uint64_t turn = 0; turn < *weight; turn++)
		__asm__ volatile("" : : : "memory");
}

SKUA_FOLD_MERGE(join_runs, struct run, run, next)
{
	if (!next->is_begun)
		return;
	if (!run->is_begun) {
		*run = *next;
		return;
	}
	run->is_wrong |= next->is_wrong || run->end != next->first;
	run->end = next->end;
	run->sum += next->sum;
}

static void expect_run(struct skua_pool *pool, uint64_t lo, uint64_t hi, uint64_t weight,
		       const struct skua_loop_options *options)
{
	struct run run;

	assert_int_equal(skua_reduce(pool, lo, hi, join_runs, &weight, &run, options), SKUA_OK);
	uint64_t sum = 0;
	for (uint64_t i = lo; i < hi; i++)
		sum += i;
	if (run.is_wrong || run.sum != sum || (hi > lo && (run.first != lo || run.end != hi)))
		fail_msg("%d workers, %llu to %llu%s: %llu to %llu, sum %llu of %llu%s",
			 (int)skua_pool_workers(pool), (unsigned long long)lo,
			 (unsigned long long)hi, options ? ", stable" : "",
			 (unsigned long long)run.first, (unsigned long long)run.end,
			 (unsigned long long)run.sum, (unsigned long long)sum,
			 run.is_wrong ? ", out of order" : "");
}

static void test_reduce_in_order(void **state)
{
	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (unsigned round = 0; round < 30; round++) {
			uint64_t n = round < 8 ? round : test_random() % (round < 20 ? 999 : 20000);
			uint64_t lo = test_random() % 1000;
			expect_run(pool, lo, lo + n, test_random() % 40, NULL);
			expect_run(pool, lo, lo + n, test_random() % 40, &stable);
		}
		pool_end(pool);
	}
}

/* --- a result of nothing that is not zero --- */

SKUA_FOLD(least, int32_t, least_so_far, const int32_t *, values, i)
{
	if (values[i] < *least_so_far)
		*least_so_far = values[i];
}

SKUA_FOLD_INIT(least, int32_t, least_so_far)
{
	*least_so_far = INT32_MAX;
}

SKUA_FOLD_MERGE_INIT(least, int32_t, least_so_far, next)
{
	if (*next < *least_so_far)
		*least_so_far = *next;
}

static void test_reduce_of_nothing(void **state)
{
	static int32_t values[5000];
	int32_t result = 0;

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(3);
	for (unsigned i = 0; i < 5000; i++)
		values[i] = (int32_t)(test_random() % 1000000) + 1;
	values[4321] = -7;
	assert_int_equal(skua_reduce(pool, 0, 0, least, values, &result, NULL), SKUA_OK);
	assert_int_equal(result, INT32_MAX);
	assert_int_equal(skua_reduce(pool, 5, 0, least, values, &result, &stable), SKUA_OK);
	assert_int_equal(result, INT32_MAX);
	assert_int_equal(skua_reduce(pool, 0, 5000, least, values, &result, NULL), SKUA_OK);
	assert_int_equal(result, -7);
	assert_int_equal(skua_reduce(pool, 0, 5000, least, values, &result, &stable), SKUA_OK);
	assert_int_equal(result, -7);
	pool_end(pool);
}

/* --- to the last bit --- */

SKUA_FOLD(add_up, double, sum, const double *, values, i)
{
	*sum += values[i];
}

SKUA_FOLD_MERGE(add_up, double, sum, next)
{
	*sum += *next;
}

static void test_reduce_stable_to_the_bit(void **state)
{
	static const uint64_t counts[] = { 1, 2, 255, 256, 1000, 30001, 200000 };
	double *values = malloc(200000 * sizeof(*values));

	(void)state;
	assert_non_null(values);
	for (unsigned i = 0; i < 200000; i++) /* of all magnitudes: the order of additions shows */
		values[i] = (double)(test_random() >> 11) / (double)(1 + test_random() % 100000);
	for (unsigned c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		double expected = 0;
		for (unsigned w = 0; w < WIDTHS; w++) {
			WATCH(60);
			struct skua_pool *pool = pool_of(worker_counts[w]);
			for (unsigned round = 0; round < 5; round++) {
				double sum;
				assert_int_equal(skua_reduce(pool, 0, counts[c], add_up, values,
							     &sum, &stable),
						 SKUA_OK);
				if (!w && !round)
					expected = sum;
				assert_memory_equal(&sum, &expected, sizeof(sum));
			}
			pool_end(pool);
		}
	}
	free(values);
}

/* --- large results --- */

#define LETTERS 1024

struct letters {
	uint32_t count[LETTERS];
};

static int count_letters(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *into,
			 void *argument)
{
	struct letters *letters = into;

	(void)skua_here, (void)argument;
	for (uint64_t i = lo; i < hi; i++)
		letters->count[i * i % LETTERS]++;
	if (hi - lo == 1)
		spin_for(2000); /* so that there are thefts */
	return 0;
}

static void add_letters(void *into, void *next, void *argument)
{
	struct letters *to = into, *from = next;

	(void)argument;
	for (unsigned i = 0; i < LETTERS; i++)
		to->count[i] += from->count[i];
}

static const struct skua_fold letter_fold = { .bytes = sizeof(struct letters),
					      .body = count_letters,
					      .merge = add_letters };

static void expect_letters(struct skua_pool *pool, const struct skua_loop_options *options)
{
	static struct letters expected, result;

	memset(&expected, 0, sizeof(expected));
	for (uint64_t i = 0; i < 20000; i++)
		expected.count[i * i % LETTERS]++;
	assert_int_equal(skua_reduce(pool, 0, 20000, letter_fold, NULL, &result, options), SKUA_OK);
	assert_memory_equal(&result, &expected, sizeof(result));
}

static void test_reduce_large_results(void **state)
{
	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		expect_letters(pool, NULL);
		expect_letters(pool, &stable);
		pool_end(pool);
	}
}

static void test_reduce_without_memory(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	static struct letters result;
	WATCH(30);
	struct skua_pool *pool = pool_of(3);
	for (unsigned round = 0; round < 20; round++) { /* thieves give their parts back */
		skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
		expect_letters(pool, NULL);
		skuai_fault_disarm();
	}
	skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
	int error = skua_reduce(pool, 0, 20000, letter_fold, NULL, &result, &stable);
	skuai_fault_disarm();
	assert_int_equal(error, SKUA_ENOMEM);
	pool_end(pool);
#else
	skip();
#endif
}

/* --- errors and refusals --- */

static int refuse_half(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *into,
		       void *argument)
{
	(void)skua_here, (void)argument;
	*(uint64_t *)into += hi - lo;
	return lo <= 50000 && hi > 50000 ? -4321 : 0;
}

static void add_counts(void *into, void *next, void *argument)
{
	(void)argument;
	*(uint64_t *)into += *(uint64_t *)next;
}

static void test_reduce_error(void **state)
{
	const struct skua_fold fold = { .bytes = sizeof(uint64_t),
					.body = refuse_half,
					.merge = add_counts };

	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++)
		for (int is_stable = 0; is_stable < 2; is_stable++) {
			WATCH(60);
			struct skua_pool *pool = pool_of(worker_counts[w]);
			struct skua_reach reach;
			struct skua_loop_options options = { .size = sizeof(options),
							     .is_stable = is_stable,
							     .grain = 10,
							     .reach = &reach };
			uint64_t result;
			assert_int_equal(
				skua_reduce(pool, 0, 100000, fold, NULL, &result, &options), -4321);
			assert_true(reach.first <= 50000 && reach.count < 100000);
			/* The call that failed had its indices folded, but not counted. */
			assert_true(result >= reach.count);
			pool_end(pool);
		}
}

static void test_reduce_refuses(void **state)
{
	const struct skua_fold good = letter_fold;
	struct skua_fold bad = good;
	struct letters result;

	(void)state;
	assert_int_equal(skua_loop_reduce(NULL, 0, 9, NULL, NULL, &result, NULL), SKUA_EINVAL);
	assert_int_equal(skua_reduce(NULL, 0, 9, good, NULL, NULL, NULL), SKUA_EINVAL);
	bad.bytes = 0;
	assert_int_equal(skua_reduce(NULL, 0, 9, bad, NULL, &result, NULL), SKUA_EINVAL);
	bad = good;
	bad.body = NULL;
	assert_int_equal(skua_reduce(NULL, 0, 9, bad, NULL, &result, NULL), SKUA_EINVAL);
	bad = good;
	bad.merge = NULL;
	assert_int_equal(skua_reduce(NULL, 0, 9, bad, NULL, &result, NULL), SKUA_EINVAL);
	assert_int_equal(skua_reduce(NULL, 0, 9, good, NULL, &result,
				     &(struct skua_loop_options){ .size = 1 }),
			 SKUA_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reduce_in_order),
		cmocka_unit_test(test_reduce_of_nothing),
		cmocka_unit_test(test_reduce_stable_to_the_bit),
		cmocka_unit_test(test_reduce_large_results),
		cmocka_unit_test(test_reduce_without_memory),
		cmocka_unit_test(test_reduce_error),
		cmocka_unit_test(test_reduce_refuses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
