/* SPDX-License-Identifier: MIT */
/* test_sort.c — sorts by comparison against qsort: shapes, sizes, workers, liars, no memory */
#include "unit/test_sort.h"

#include "base/fault.h"

#include <string.h>

/* A value, and where it was: a stable sort sorts by both. */
struct record {
	uint64_t value;
	uint64_t number;
};

/* Of a size that no leaf is made for. */
struct wide {
	char name[11];
	uint8_t value;
	uint8_t number[4];
	char more[20];
};

SKUA_SORT(sort_records, struct record, a, b)
{
	return a->value < b->value;
}

SKUA_SORT(sort_numbers, uint32_t, a, b)
{
	return *a < *b;
}

SKUA_SORT(sort_names, const char *, a, b)
{
	return strcmp(*a, *b) < 0;
}

static _Atomic int context_seen;

static int compare_records(const void *a, const void *b, void *context)
{
	const struct record *x = a, *y = b;

	if (context != &context_seen)
		skua_store(&context_seen, 1, relaxed);
	return (x->value > y->value) - (x->value < y->value);
}

static int compare_exactly(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	int by_value = (x->value > y->value) - (x->value < y->value);

	return by_value ? by_value : (x->number > y->number) - (x->number < y->number);
}

static int compare_wide(const void *a, const void *b, void *context)
{
	(void)context;
	return ((const struct wide *)a)->value - ((const struct wide *)b)->value;
}

static int compare_numbers(const void *a, const void *b, void *context)
{
	uint32_t x, y;

	(void)context;
	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

static void *room_for(size_t count, size_t bytes)
{
	void *room = calloc(count + 1, bytes);

	assert_non_null(room);
	return room;
}

/* --- records, stable --- */

static void fill(struct record *records, size_t count, enum sort_shape shape)
{
	for (size_t i = 0; i < count; i++)
		records[i] = (struct record){ sort_value(shape, i, count), i };
}

static void check_sorts(struct skua_pool *pool, size_t count, enum sort_shape shape, bool is_typed)
{
	struct record *records = room_for(count, sizeof(*records));
	struct record *expected = room_for(count, sizeof(*expected));
	struct skua_sort_options stable = { .size = sizeof(stable), .is_stable = true };

	fill(records, count, shape);
	records[count] = (struct record){ 1, 2 }; /* not ours */
	memcpy(expected, records, (count + 1) * sizeof(*records));
	qsort(expected, count, sizeof(*expected), compare_exactly);
	int error = is_typed ? sort_records(pool, records, count, &stable)
			     : skua_sort(pool, records, count, sizeof(*records), compare_records,
					 &context_seen, &stable);
	assert_int_equal(error, SKUA_OK);
	if (memcmp(records, expected, (count + 1) * sizeof(*records)) != 0)
		fail_msg("shape %d, %zu records, typed %d", shape, count, is_typed);
	free(records);
	free(expected);
}

static void test_sort_any_shape_and_size_is_stable(void **state)
{
	struct sort_pools all;

	(void)state;
	WATCH(60);
	printf("seed %#llx\n", (unsigned long long)test_seed());
	sort_pools_open(&all);
	for (size_t i = 0; i < SORT_COUNTS; i++)
		for (int shape = 0; shape < SORT_SHAPES; shape++) {
			size_t pool = (i + (size_t)shape) % SORT_POOLS;
			if (SLOW_BUILD && sort_counts[i] > 13000)
				continue;
			check_sorts(all.pools[pool], sort_counts[i], (enum sort_shape)shape, true);
			check_sorts(all.pools[pool], sort_counts[i], (enum sort_shape)shape, false);
		}
	assert_int_equal(skua_load(&context_seen, relaxed), 0);
	sort_pools_close(&all);
}

static void test_sort_many_with_every_pool(void **state)
{
	struct sort_pools all;

	(void)state;
	WATCH(60);
	sort_pools_open(&all);
	for (size_t i = 0; i < SORT_POOLS; i++) {
		check_sorts(all.pools[i], SLOW_BUILD ? 20000 : 100000, SORT_RANDOM, true);
		check_sorts(all.pools[i], SLOW_BUILD ? 20000 : 100000, SORT_FEW, false);
		check_sorts(all.pools[i], SLOW_BUILD ? 20000 : 100000, SORT_REVERSED, false);
	}
	sort_pools_close(&all);
}

/* --- other sizes --- */

static void test_sort_elements_of_an_odd_size(void **state)
{
	struct skua_pool *pool = pool_of(3);
	enum {
		COUNT = 9001
	};
	struct wide *wides = room_for(COUNT, sizeof(*wides));
	struct skua_sort_options stable = { .size = sizeof(stable), .is_stable = true };

	(void)state;
	WATCH(30);
	for (uint32_t i = 0; i < COUNT; i++) {
		wides[i].value = (uint8_t)test_random();
		memcpy(wides[i].number, &i, sizeof(i));
		memset(wides[i].more, wides[i].value, sizeof(wides[i].more));
	}
	assert_int_equal(skua_sort(pool, wides, COUNT, sizeof(*wides), compare_wide, NULL, &stable),
			 SKUA_OK);
	for (uint32_t i = 1; i < COUNT; i++) {
		uint32_t a, b;
		memcpy(&a, wides[i - 1].number, sizeof(a));
		memcpy(&b, wides[i].number, sizeof(b));
		assert_true(wides[i - 1].value < wides[i].value ||
			    (wides[i - 1].value == wides[i].value && a < b));
		assert_int_equal(wides[i].more[19], (char)wides[i].value);
	}
	free(wides);
	pool_end(pool);
}

static int compare_names(const void *a, const void *b, void *context)
{
	(void)context;
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void check_names(struct skua_pool *pool, bool is_typed)
{
	enum {
		COUNT = 20011
	};
	char(*texts)[16] = room_for(COUNT, sizeof(*texts));
	const char **names = room_for(COUNT, sizeof(*names));

	for (size_t i = 0; i < COUNT; i++) {
		snprintf(texts[i], sizeof(texts[i]), "%llu",
			 (unsigned long long)(test_random() % 100000));
		names[i] = texts[i];
	}
	int error = is_typed ? sort_names(pool, names, COUNT, NULL)
			     : skua_sort(pool, names, COUNT, sizeof(*names), compare_names, NULL,
					 NULL);
	assert_int_equal(error, SKUA_OK);
	for (size_t i = 1; i < COUNT; i++)
		assert_true(strcmp(names[i - 1], names[i]) <= 0);
	size_t sum = 0; /* each pointer is still there: they are all of one array */
	for (size_t i = 0; i < COUNT; i++)
		sum += (size_t)(names[i] - texts[0]) / sizeof(texts[0]);
	assert_int_equal(sum, (size_t)COUNT * (COUNT - 1) / 2);
	free(names);
	free(texts);
}

static void test_sort_pointers_to_text(void **state)
{
	struct skua_pool *pool = pool_of(2);

	(void)state;
	WATCH(30);
	check_names(pool, true);
	check_names(pool, false);
	pool_end(pool);
}

/* --- comparisons that contradict themselves --- */

static int compare_by_chance(const void *a, const void *b, void *context)
{
	static _Atomic uint64_t state = 1;
	uint64_t next = skua_add(&state, 0x9e3779b97f4a7c15u, relaxed);

	(void)a;
	(void)b;
	(void)context;
	return (int)((next ^ next >> 29) * 0xbf58476d1ce4e5b9u >> 40 & 3) - 1;
}

static int compare_always_before(const void *a, const void *b, void *context)
{
	(void)a;
	(void)b;
	(void)context;
	return -1;
}

/* Paper, scissors, stone. */
static int compare_in_a_circle(const void *a, const void *b, void *context)
{
	uint32_t x, y;

	(void)context;
	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x % 3 == y % 3 ? 0 : (x + 1) % 3 == y % 3 ? -1 : 1;
}

SKUA_SORT(sort_by_chance, uint32_t, a, b)
{
	return compare_by_chance(a, b, NULL) < 0;
}

static void check_none_lost(uint32_t *numbers, size_t count)
{
	bool *is_seen = room_for(count, sizeof(*is_seen));

	for (size_t i = 0; i < count; i++) {
		assert_true(numbers[i] < count && !is_seen[numbers[i]]);
		is_seen[numbers[i]] = true;
	}
	assert_int_equal(numbers[count], 77);
	free(is_seen);
}

static void test_sort_with_a_liar_loses_nothing(void **state)
{
	skua_compare *const liars[] = { compare_by_chance, compare_always_before,
					compare_in_a_circle };
	const size_t counts[] = { 2, 5, 30, 1000, 1024, 3001, 10000, 20001 };
	struct skua_pool *pool = pool_of(3);

	(void)state;
	WATCH(30);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		for (size_t liar = 0; liar < 4; liar++) {
			uint32_t *numbers = room_for(counts[i], sizeof(*numbers));
			for (uint32_t k = 0; k < counts[i]; k++)
				numbers[k] = k;
			numbers[counts[i]] = 77;
			int error = liar == 3
					    ? sort_by_chance(pool, numbers, counts[i], NULL)
					    : skua_sort(pool, numbers, counts[i], sizeof(*numbers),
							liars[liar], NULL, NULL);
			assert_int_equal(error, SKUA_OK);
			check_none_lost(numbers, counts[i]);
			free(numbers);
		}
	pool_end(pool);
}

/* --- few comparisons where few are needed --- */

static _Atomic uint64_t comparisons;

static int compare_and_count(const void *a, const void *b, void *context)
{
	skua_add(&comparisons, 1, relaxed);
	return compare_numbers(a, b, context);
}

static uint64_t comparisons_for(struct skua_pool *pool, enum sort_shape shape, size_t count)
{
	uint32_t *numbers = room_for(count, sizeof(*numbers));

	for (size_t i = 0; i < count; i++)
		numbers[i] = (uint32_t)sort_value(shape, i, count);
	skua_store(&comparisons, 0, relaxed);
	assert_int_equal(
		skua_sort(pool, numbers, count, sizeof(*numbers), compare_and_count, NULL, NULL),
		SKUA_OK);
	free(numbers);
	return skua_load(&comparisons, relaxed);
}

static void test_sort_compares_no_more_than_it_must(void **state)
{
	struct skua_pool *pool = pool_of(2);
	const size_t count = 1 << 14;

	(void)state;
	WATCH(30);
	assert_in_range(comparisons_for(pool, SORT_SORTED, count), count - 1, count + 100);
	assert_in_range(comparisons_for(pool, SORT_CONSTANT, count), count - 1, count + 100);
	assert_in_range(comparisons_for(pool, SORT_REVERSED, count), count - 1, count + 100);
	/* log2(count!) is 13 a number or so */
	assert_in_range(comparisons_for(pool, SORT_RANDOM, count), 12 * count, 14 * count);
	assert_in_range(comparisons_for(pool, SORT_FEW, count), count, 14 * count);
	assert_in_range(comparisons_for(pool, SORT_SAW, count), count, 14 * count);
	pool_end(pool);
}

/* --- where, and what it does not take --- */

SKUA_TASK(int, sort_inside, uint32_t *, numbers, size_t, count)
{
	return skua_sort(skua_here, numbers, count, sizeof(*numbers), compare_numbers, NULL, NULL);
}

static void test_sort_in_a_task_and_in_the_default_pool(void **state)
{
	struct skua_pool *pool = pool_of(2);
	enum {
		COUNT = 10000
	};
	uint32_t *numbers = room_for(COUNT, sizeof(*numbers));

	(void)state;
	WATCH(30);
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < COUNT; i++)
			numbers[i] = (uint32_t)test_random();
		int error = round == 0	 ? skua_run(pool, sort_inside, numbers, COUNT)
			    : round == 1 ? sort_numbers(NULL, numbers, COUNT, NULL)
					 : skua_sort(NULL, numbers, COUNT, sizeof(*numbers),
						     compare_numbers, NULL, NULL);
		assert_int_equal(error, SKUA_OK);
		assert_int_equal(skua_is_sorted(pool, numbers, COUNT, sizeof(*numbers),
						compare_numbers, NULL),
				 1);
	}
	numbers[COUNT - 1] = numbers[COUNT / 2];
	numbers[COUNT / 2]++;
	assert_int_equal(
		skua_is_sorted(pool, numbers, COUNT, sizeof(*numbers), compare_numbers, NULL), 0);
	assert_int_equal(skua_is_sorted(pool, NULL, 0, 4, compare_numbers, NULL), 1);
	free(numbers);
	pool_end(pool);
}

static void test_sort_refuses_what_makes_no_sense(void **state)
{
	struct skua_sort_options wrong = { .size = 3 };
	uint32_t numbers[3] = { 3, 2, 1 };

	(void)state;
	assert_int_equal(skua_sort(NULL, NULL, 3, 4, compare_numbers, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_sort(NULL, numbers, 3, 0, compare_numbers, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_sort(NULL, numbers, 3, 4, NULL, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_sort(NULL, numbers, 3, 4, compare_numbers, NULL, &wrong),
			 SKUA_EINVAL);
	assert_int_equal(skua_sort(NULL, numbers, SIZE_MAX / 2, 4, compare_numbers, NULL, NULL),
			 SKUA_EINVAL);
	assert_int_equal(sort_numbers(NULL, NULL, 3, NULL), SKUA_EINVAL);
	assert_int_equal(sort_numbers(NULL, numbers, 3, &wrong), SKUA_EINVAL);
	assert_int_equal(skua_is_sorted(NULL, NULL, 3, 4, compare_numbers, NULL), SKUA_EINVAL);
	assert_int_equal(skua_is_sorted(NULL, numbers, 3, 0, compare_numbers, NULL), SKUA_EINVAL);
	assert_int_equal(skua_is_sorted(NULL, numbers, 3, 4, NULL, NULL), SKUA_EINVAL);
	assert_true(numbers[0] == 3 && numbers[1] == 2 && numbers[2] == 1);
	assert_int_equal(skua_sort(NULL, NULL, 0, 4, compare_numbers, NULL, NULL), SKUA_OK);
	assert_int_equal(sort_numbers(NULL, numbers, 3, NULL), SKUA_OK);
	assert_true(numbers[0] == 1 && numbers[1] == 2 && numbers[2] == 3);
}

/* --- no memory --- */

#ifdef SKUA_FAULTS
static void test_sort_without_memory_is_still_stable(void **state)
{
	struct skua_pool *pool = pool_of(3);

	(void)state;
	WATCH(60);
	for (int shape = 0; shape < SORT_SHAPES; shape++)
		for (size_t i = 0; i < 3; i++) {
			const size_t counts[] = { 1000, 2500, 9001 };
			skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
			check_sorts(pool, counts[i], (enum sort_shape)shape, true);
			check_sorts(pool, counts[i], (enum sort_shape)shape, false);
			skuai_fault_disarm();
		}
	pool_end(pool);
}

static void test_sort_wide_elements_without_memory(void **state)
{
	enum {
		COUNT = 50,
		BYTES = 2000 /* more than any room on the stack */
	};
	unsigned char *bytes = room_for(COUNT, BYTES);

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		memset(bytes + i * BYTES, (int)(i * 37 % COUNT), BYTES);
	skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
	int error = skua_sort(NULL, bytes, COUNT, BYTES, compare_wide, NULL, NULL);
	skuai_fault_disarm();
	assert_int_equal(error, SKUA_OK);
	for (size_t i = 0; i < COUNT; i++)
		assert_true(bytes[i * BYTES] == i && bytes[(i + 1) * BYTES - 1] == i);
	free(bytes);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sort_any_shape_and_size_is_stable),
		cmocka_unit_test(test_sort_many_with_every_pool),
		cmocka_unit_test(test_sort_elements_of_an_odd_size),
		cmocka_unit_test(test_sort_pointers_to_text),
		cmocka_unit_test(test_sort_with_a_liar_loses_nothing),
		cmocka_unit_test(test_sort_compares_no_more_than_it_must),
		cmocka_unit_test(test_sort_in_a_task_and_in_the_default_pool),
		cmocka_unit_test(test_sort_refuses_what_makes_no_sense),
#ifdef SKUA_FAULTS
		cmocka_unit_test(test_sort_without_memory_is_still_stable),
		cmocka_unit_test(test_sort_wide_elements_without_memory),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
