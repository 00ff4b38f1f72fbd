/* SPDX-License-Identifier: MIT */
/* test_work_algo.c — arrays and loops that runtimes are compared by: what is wrong is noticed */
#include "check.h"

#include "../../bench/work/algo_data.h"
#include "../../bench/work/loops_data.h"

#include <string.h>

#define NOTHING SIZE_MAX

/* --- algo --- */

static void flip(void *bytes, size_t at)
{
	((unsigned char *)bytes)[at] ^= 1;
}

/* One bit of the value, or of the first or the last element, is enough. */
static void assert_every_end_counts(struct algo_data *data, size_t last)
{
	data->value ^= 1;
	assert_false(algo_is_right(data));
	data->value ^= 1;
	if (last == NOTHING)
		return;
	flip(data->output, 0);
	assert_false(algo_is_right(data));
	flip(data->output, 0);
	flip(data->output, last);
	assert_false(algo_is_right(data));
	flip(data->output, last);
	assert_true(algo_is_right(data));
}

/* The first byte of the last element that counts; NOTHING: there is but a value. */
static size_t last_of(const struct algo_data *data)
{
	switch (data->which) {
	case ALGO_reduce:
	case ALGO_reduces:
	case ALGO_uneven:
	case ALGO_find:
		return NOTHING;
	case ALGO_histo:
		return (size_t)(ALGO_BINS - 1) * 8;
	case ALGO_filter:
		return (data->value - 1) * 4;
	case ALGO_sort32:
	case ALGO_sorted:
		return (data->n - 1) * 4;
	default:
		return (data->n - 1) * 8;
	}
}

static void test_algo_one_wrong_bit_is_noticed(void **state)
{
	struct algo_set *set = algo_set_new("3000");

	(void)state;
	assert_non_null(set);
	assert_int_equal(algo_set_count(set), ALGO_COUNT);
	for (unsigned i = 0; i < ALGO_COUNT; i++) {
		struct algo_data *data = algo_set_at(set, i);
		assert_int_equal(data->which, i);
		algo_reset(data);
		algo_plain(data);
		if (!algo_is_right(data))
			fail_msg("%s: the plain program is wrong", algo_name(i));
		if (i != ALGO_strings)
			assert_every_end_counts(data, last_of(data));
	}
	algo_set_free(set);
}

static void test_algo_strings_in_another_order_are_wrong(void **state)
{
	struct algo_set *set = algo_set_new("3000");

	(void)state;
	assert_non_null(set);
	struct algo_data *data = algo_set_at(set, ALGO_strings);
	algo_reset(data);
	assert_false(algo_is_right(data));
	algo_plain(data);
	assert_true(algo_is_right(data));
	char **strings = data->output, *first = strings[0];
	strings[0] = strings[data->n - 1];
	strings[data->n - 1] = first;
	assert_false(algo_is_right(data));
	algo_set_free(set);
}

static void test_algo_plain_sorts_are_in_order(void **state)
{
	struct algo_set *set = algo_set_new("3000");

	(void)state;
	assert_non_null(set);
	const uint32_t *x = algo_set_at(set, ALGO_sort32)->output;
	const double *y = algo_set_at(set, ALGO_sortdbl)->output;
	const struct algo_data *last = algo_set_at(set, ALGO_sorted);
	for (unsigned i = ALGO_sort32; i < ALGO_COUNT; i++)
		algo_plain(algo_set_at(set, i));
	for (uint64_t i = 1; i < last->n; i++) {
		assert_true(x[i - 1] <= x[i]);
		assert_true(y[i - 1] <= y[i]);
	}
	assert_true(y[0] < 0 && y[last->n - 1] > 0);
	assert_memory_equal(last->input, last->output, last->n * sizeof(uint32_t));
	algo_set_free(set);
}

static void test_algo_groups_have_every_case_once(void **state)
{
	unsigned groups[ALGO_COUNT] = { 0 };

	(void)state;
	assert_null(algo_set_new("3001"));
	for (const struct work_problem *p = algo_problems; p->name; p++) {
		struct algo_set set;
		struct work_problem small = *p;
		small.size = 3000; /* of the same cases */
		assert_true(algo_set_open(&set, &small));
		for (unsigned i = 0; p->tier == WORK_USUAL && i < set.count; i++)
			groups[set.cases[i].which]++;
		algo_set_close(&set);
	}
	for (unsigned i = 0; i < ALGO_COUNT; i++)
		assert_int_equal(groups[i], 1);
}

static void test_algo_find_is_behind_three_quarters(void **state)
{
	struct algo_set *set = algo_set_new("3000");

	(void)state;
	assert_non_null(set);
	struct algo_data *data = algo_set_at(set, ALGO_find);
	algo_plain(data);
	assert_int_equal(data->value, data->n / 4 * 3);
	algo_set_free(set);
}

/* --- loops --- */

static uint64_t sum_of_turns(const struct loops_data *data)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < data->n; i++)
		sum += data->turns[i];
	return sum;
}

static void test_loops_one_wrong_index_is_noticed(void **state)
{
	(void)state;
	for (unsigned shape = 0; shape < LOOPS_COUNT; shape++) {
		struct loops_data *data = loops_open(shape, 10);
		assert_non_null(data);
		assert_false(loops_is_right(data));
		loops_plain(data);
		assert_true(loops_is_right(data));
		data->output[data->n - 1]++;
		assert_false(loops_is_right(data));
		loops_close(data);
	}
}

/* Rounded down: not more than a turn is lost at an index. */
static void test_loops_all_shapes_have_the_same_work(void **state)
{
	static const uint64_t sizes[] = { 100, 1000, 1000000 };

	(void)state;
	for (unsigned shape = 0; shape < LOOPS_cheap1; shape++)
		for (unsigned k = 0; k < 3; k++) {
			struct loops_data *data = loops_open(shape, sizes[k]);
			assert_non_null(data);
			uint64_t wanted = sizes[k] * LOOPS_TURNS, sum = sum_of_turns(data);
			assert_true(sum <= wanted && sum >= wanted - sizes[k]);
			loops_close(data);
		}
}

static void test_loops_one_index_has_half_of_the_work(void **state)
{
	struct loops_data *data = loops_open(LOOPS_heavy, 1000);

	(void)state;
	assert_non_null(data);
	assert_in_range(data->turns[333], 1000 * LOOPS_TURNS / 2 - 1, 1000 * LOOPS_TURNS / 2 + 1);
	loops_close(data);
}

static void test_loops_what_is_not_there_is_refused(void **state)
{
	(void)state;
	assert_int_equal(loops_size("1000"), 1000);
	assert_int_equal(loops_size("1001"), 0);
	assert_null(loops_open(LOOPS_COUNT, 10));
	assert_null(loops_open(LOOPS_cheap1, 1000000));
	assert_null(loops_open(LOOPS_linear, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_algo_one_wrong_bit_is_noticed),
		cmocka_unit_test(test_algo_strings_in_another_order_are_wrong),
		cmocka_unit_test(test_algo_plain_sorts_are_in_order),
		cmocka_unit_test(test_algo_groups_have_every_case_once),
		cmocka_unit_test(test_algo_find_is_behind_three_quarters),
		cmocka_unit_test(test_loops_one_wrong_index_is_noticed),
		cmocka_unit_test(test_loops_all_shapes_have_the_same_work),
		cmocka_unit_test(test_loops_one_index_has_half_of_the_work),
		cmocka_unit_test(test_loops_what_is_not_there_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
