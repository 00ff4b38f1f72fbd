/* SPDX-License-Identifier: MIT */
/* test_work_parts.c — the leaves of the benchmarks' kernels, each held against a simpler way */
#include "check.h"

#include "../../bench/work/cilksort.h"
#include "../../bench/work/grind.h"
#include "../../bench/work/knapsack.h"
#include "../../bench/work/quads.h"
#include "../../bench/work/ranked.h"
#include "../../bench/work/sha1.h"

#include <stdlib.h>
#include <string.h>

/* --- SHA-1: known digests, made with sha1sum --- */

static void assert_sha1(const uint32_t *words, unsigned count, const uint32_t *wanted)
{
	uint32_t digest[SHA1_WORDS];

	sha1_words(digest, words, count);
	assert_memory_equal(digest, wanted, sizeof(digest));
}

static void test_sha1_known_messages_have_their_digests(void **state)
{
	static const uint32_t abcd[] = { 0x61626364 };
	static const uint32_t zeros[SHA1_WORDS] = { 0 };
	static const uint32_t full[SHA1_WORDS_MAX] = {
		0x61626364, 0x65666768, 0x696a6b6c, 0x6d6e6f70, 0x71727374, 0x75767778, 0x797a3031,
		0x32333435, 0x36373839, 0x41424344, 0x45464748, 0x494a4b4c, 0x4d4e4f50
	};

	(void)state;
	assert_sha1(
		abcd, 0,
		(const uint32_t[]){ 0xda39a3ee, 0x5e6b4b0d, 0x3255bfef, 0x95601890, 0xafd80709 });
	assert_sha1(
		abcd, 1,
		(const uint32_t[]){ 0x81fe8bfe, 0x87576c3e, 0xcb22426f, 0x8e578473, 0x82917acf });
	assert_sha1(
		zeros, SHA1_WORDS,
		(const uint32_t[]){ 0x6768033e, 0x21646824, 0x7bd031a0, 0xa2d9876d, 0x79818f8f });
	assert_sha1(
		full, SHA1_WORDS_MAX,
		(const uint32_t[]){ 0xeec0d7ac, 0xb76fb206, 0x9b7fbfb8, 0xc975bd47, 0x966bd3d0 });
}

/* --- grind --- */

static void test_grind_answer_is_what_the_work_gives(void **state)
{
	(void)state;
	for (uint64_t turns = 0; turns < 100; turns++)
		assert_int_equal(grind(turns * 77, turns), grind_answer(turns * 77, turns));
	assert_int_equal(grind(5, 123457), grind_answer(5, 123457));
	assert_int_not_equal(grind_answer(5, 123457), grind_answer(5, 123456));
}

/* --- ranked --- */

static void test_ranked_gives_the_nearest_rank(void **state)
{
	double values[] = { 5, 1, 4, 2, 3 }, hundred[200];

	(void)state;
	assert_true(ranked(values, 5, 50) == 3);
	assert_true(ranked(values, 5, 99) == 5);
	assert_true(ranked(values, 5, 0) == 1);
	assert_true(ranked(values, 1, 50) == 1);
	assert_true(ranked(values, 0, 50) == 0);
	for (unsigned i = 0; i < 200; i++)
		hundred[i] = 200 - i;
	assert_true(ranked(hundred, 200, 50) == 100);
	assert_true(ranked(hundred, 200, 99) == 198);
	assert_true(ranked(hundred, 200, 100) == 200);
}

/* --- the leaves of cilksort --- */

#define MANY 3000

static int by_number(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static void assert_sorts(int32_t *numbers, size_t count)
{
	int32_t wanted[MANY];

	memcpy(wanted, numbers, count * sizeof(*numbers));
	qsort(wanted, count, sizeof(*wanted), by_number);
	cilksort_leaf(numbers, count);
	assert_memory_equal(numbers, wanted, count * sizeof(*numbers));
}

static void test_cilksort_leaf_sorts_every_shape(void **state)
{
	static const uint32_t ranges[] = { 1, 2, 3, 10, 1000, 1u << 31 };
	int32_t numbers[MANY];

	(void)state;
	for (unsigned r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++) {
		for (size_t count = 0; count < MANY; count = count * 5 / 4 + 1) {
			for (size_t i = 0; i < count; i++)
				numbers[i] = (int32_t)(test_random() % ranges[r]) -
					     (int32_t)(ranges[r] / 2);
			assert_sorts(numbers, count);
			assert_sorts(numbers, count); /* in order already */
			for (size_t i = 0; i < count; i++)
				numbers[i] = -(int32_t)i;
			assert_sorts(numbers, count); /* from the wrong end */
		}
	}
}

static void test_cilksort_merge_leaf_is_a_sort_of_both(void **state)
{
	int32_t both[MANY], merged[MANY];

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		size_t count = test_random() % MANY, half = count ? test_random() % count : 0;
		for (size_t i = 0; i < count; i++)
			both[i] = (int32_t)(test_random() % 500);
		qsort(both, half, sizeof(*both), by_number);
		qsort(both + half, count - half, sizeof(*both), by_number);
		size_t below = cilksort_below(both, half, 250), seen = 0;
		while (seen < half && both[seen] < 250)
			seen++;
		assert_int_equal(below, seen);
		cilksort_merge_leaf(both, half, both + half, count - half, merged);
		qsort(both, count, sizeof(*both), by_number);
		assert_memory_equal(both, merged, count * sizeof(*both));
	}
}

/* --- matrices --- */

static void test_quads_check_takes_the_product_only(void **state)
{
	struct quads *quads = quads_open(2 * QUADS_TILE, 0);

	(void)state;
	assert_non_null(quads);
	size_t count = (size_t)quads->n * quads->n;
	quads_multiply(quads->c, quads->a, quads->b, quads->n);
	assert_true(quads_check(quads));
	for (int i = 0; i < 50; i++) {
		size_t at = test_random() % count;
		quads->c[at] += 1;
		assert_false(quads_check(quads));
		quads->c[at] -= 1;
	}
	assert_true(quads_check(quads));
	quads_clear(quads->c, quads->n);
	assert_false(quads_check(quads));
	quads_close(quads);
}

/* One tile against the definition. */
static void test_quads_tile_is_the_product_of_rows_and_columns(void **state)
{
	struct quads *quads = quads_open(QUADS_TILE, 0);

	(void)state;
	assert_non_null(quads);
	quads_tile(quads->c, quads->a, quads->b);
	for (unsigned row = 0; row < QUADS_TILE; row++) {
		for (unsigned column = 0; column < QUADS_TILE; column++) {
			float sum = 0;
			for (unsigned k = 0; k < QUADS_TILE; k++)
				sum += quads->a[row * QUADS_TILE + k] *
				       quads->b[k * QUADS_TILE + column];
			assert_true(quads->c[row * QUADS_TILE + column] == sum);
		}
	}
	quads_close(quads);
}

/* --- knapsack --- */

/* The optimum by trying all fillings of a small one. */
static int try_all(const struct knapsack *sack, int i, int room)
{
	if (i == sack->count)
		return 0;
	int best = try_all(sack, i + 1, room);
	if (sack->items[i].weight <= room) {
		int with = sack->items[i].value +
			   try_all(sack, i + 1, room - sack->items[i].weight);
		best = with > best ? with : best;
	}
	return best;
}

static void test_knapsack_answer_is_the_optimum(void **state)
{
	(void)state;
	for (uint64_t items = 1; items <= 16; items++) {
		struct work_problem problem = { .name = "some", .size = items };
		struct knapsack *sack = work_knapsack.prepare(&problem);
		assert_non_null(sack);
		assert_int_equal(sack->answer, try_all(sack, 0, sack->capacity));
		work_knapsack.reset(sack);
		work_knapsack.serial(sack);
		assert_int_equal(knapsack_best(sack), sack->answer);
		work_knapsack.drop(sack);
	}
}

static void test_knapsack_less_is_no_offer(void **state)
{
	struct knapsack *sack = work_knapsack.prepare(work_knapsack.problems);

	(void)state;
	assert_non_null(sack);
	work_knapsack.reset(sack);
	knapsack_offer(sack, 7);
	knapsack_offer(sack, 5);
	assert_int_equal(knapsack_best(sack), 7);
	work_knapsack.drop(sack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sha1_known_messages_have_their_digests),
		cmocka_unit_test(test_grind_answer_is_what_the_work_gives),
		cmocka_unit_test(test_ranked_gives_the_nearest_rank),
		cmocka_unit_test(test_cilksort_leaf_sorts_every_shape),
		cmocka_unit_test(test_cilksort_merge_leaf_is_a_sort_of_both),
		cmocka_unit_test(test_quads_check_takes_the_product_only),
		cmocka_unit_test(test_quads_tile_is_the_product_of_rows_and_columns),
		cmocka_unit_test(test_knapsack_answer_is_the_optimum),
		cmocka_unit_test(test_knapsack_less_is_no_offer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
