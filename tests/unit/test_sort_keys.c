/* SPDX-License-Identifier: MIT */
/* test_sort_keys.c — sorts of keys and of records by a key: every kind, shape, NaN, no memory */
#include "unit/test_sort.h"

#include "base/fault.h"

#include <math.h>
#include <string.h>

#define KINDS 6

static size_t width_of(enum skua_key kind)
{
	return kind == SKUA_KEY_UINT32 || kind == SKUA_KEY_INT32 || kind == SKUA_KEY_FLOAT ? 4 : 8;
}

/* The order that is promised, told in another way: < 0, 0, > 0. */
static int compare_doubles(double a, double b)
{
	if (isnan(a) || isnan(b))
		return (int)isnan(a) - (int)isnan(b);
	if (a == 0 && b == 0)
		return (int)signbit(b) - (int)signbit(a);
	return (a > b) - (a < b);
}

static int compare_keys(enum skua_key kind, const void *a, const void *b)
{
	switch (kind) {
	case SKUA_KEY_UINT32: {
		uint32_t x, y;
		memcpy(&x, a, 4);
		memcpy(&y, b, 4);
		return (x > y) - (x < y);
	}
	case SKUA_KEY_INT32: {
		int32_t x, y;
		memcpy(&x, a, 4);
		memcpy(&y, b, 4);
		return (x > y) - (x < y);
	}
	case SKUA_KEY_UINT64: {
		uint64_t x, y;
		memcpy(&x, a, 8);
		memcpy(&y, b, 8);
		return (x > y) - (x < y);
	}
	case SKUA_KEY_INT64: {
		int64_t x, y;
		memcpy(&x, a, 8);
		memcpy(&y, b, 8);
		return (x > y) - (x < y);
	}
	case SKUA_KEY_FLOAT: {
		float x, y;
		memcpy(&x, a, 4);
		memcpy(&y, b, 4);
		return compare_doubles((double)x, (double)y);
	}
	default: {
		double x, y;
		memcpy(&x, a, 8);
		memcpy(&y, b, 8);
		return compare_doubles(x, y);
	}
	}
}

/* A number as a key: floating-point ones also as any bits, NaN and infinity among them. */
static void put_key(enum skua_key kind, char *at, uint64_t value)
{
	float narrow = (float)value / 7 - 1000;
	double wide = (double)value / 7 - 1000;
	bool is_bits = value % 3 == 0;

	if (kind == SKUA_KEY_FLOAT && !is_bits)
		memcpy(at, &narrow, 4);
	else if (kind == SKUA_KEY_DOUBLE && !is_bits)
		memcpy(at, &wide, 8);
	else
		memcpy(at, &value, width_of(kind));
}

/* A sum that does not depend on the order: none lost, none twice. */
static uint64_t sum_of(const char *base, size_t count, size_t bytes)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t hash = 0xcbf29ce484222325u;
		for (size_t k = 0; k < bytes; k++)
			hash = (hash ^ (unsigned char)base[i * bytes + k]) * 0x100000001b3u;
		sum += hash * hash;
	}
	return sum;
}

static void check_keys(struct skua_pool *pool, enum skua_key kind, size_t count,
		       enum sort_shape shape)
{
	size_t width = width_of(kind);
	char *keys = calloc(count + 1, width);

	assert_non_null(keys);
	for (size_t i = 0; i < count; i++)
		put_key(kind, keys + i * width, sort_value(shape, i, count));
	memset(keys + count * width, 0x55, width);
	uint64_t sum = sum_of(keys, count, width);
	assert_int_equal(skua_sort_keys(pool, keys, count, kind, NULL), SKUA_OK);
	for (size_t i = 1; i < count; i++)
		if (compare_keys(kind, keys + (i - 1) * width, keys + i * width) > 0)
			fail_msg("kind %d, shape %d, %zu keys: wrong at %zu", kind, shape, count,
				 i);
	assert_int_equal(sum_of(keys, count, width), sum);
	assert_int_equal(keys[count * width], 0x55);
	free(keys);
}

static void test_sort_keys_of_any_kind_shape_and_size(void **state)
{
	struct sort_pools all;
	const int every = SLOW_BUILD ? 9 : 3; /* of the large ones */

	(void)state;
	WATCH(60);
	printf("seed %#llx\n", (unsigned long long)test_seed());
	sort_pools_open(&all);
	for (size_t i = 0; i < SORT_COUNTS; i++)
		for (int shape = 0; shape < SORT_SHAPES; shape++)
			for (int kind = 0; kind < KINDS; kind++) {
				size_t pool = (i + (size_t)shape + (size_t)kind) % SORT_POOLS;
				if (sort_counts[i] > 5000 &&
				    (shape + kind) % every != (int)i % every)
					continue;
				check_keys(all.pools[pool], (enum skua_key)kind, sort_counts[i],
					   (enum sort_shape)shape);
			}
	sort_pools_close(&all);
}

static void test_sort_many_keys_of_any_shape(void **state)
{
	struct skua_pool *pools[] = { pool_of(1), pool_of(2), pool_of(8) };

	(void)state;
	WATCH(60);
	for (int shape = 0; shape < SORT_SHAPES; shape++) {
		size_t count = SLOW_BUILD ? 140000 : 300000;
		int kind = (shape + (int)(test_seed() % KINDS)) % KINDS;
		check_keys(pools[shape % 3], (enum skua_key)kind, count, (enum sort_shape)shape);
	}
	for (size_t i = 0; i < 3; i++) {
		check_keys(pools[i], SKUA_KEY_DOUBLE, 140000, SORT_RANDOM);
		pool_end(pools[i]);
	}
}

/* Most of them the same, and a few that no sample finds below it: a bucket that stays large. */
static void test_sort_keys_of_which_most_are_one(void **state)
{
	const size_t count = 400000;
	struct skua_pool *pool = pool_of(2);
	uint64_t *keys = calloc(count, sizeof(*keys));

	(void)state;
	WATCH(60);
	assert_non_null(keys);
	for (size_t i = 0; i < count; i++)
		keys[i] = i % 16 < 13 ? (uint64_t)1 << 50 : test_random();
	for (size_t i = 1; i < 5; i++)
		keys[count - i] = ((uint64_t)1 << 50) - i;
	uint64_t sum = sum_of((char *)keys, count, 8);
	assert_int_equal(skua_sort_keys(pool, keys, count, SKUA_KEY_UINT64, NULL), SKUA_OK);
	for (size_t i = 1; i < count; i++)
		assert_true(keys[i - 1] <= keys[i]);
	assert_int_equal(sum_of((char *)keys, count, 8), sum);
	free(keys);
	pool_end(pool);
}

static void test_sort_doubles_puts_nan_last(void **state)
{
	double keys[] = { 1,  (double)NAN,	 -0.0,	 (double)INFINITY, -(double)NAN, 0,
			  -1, -(double)INFINITY, 5e-324, -5e-324 };
	const double expected[] = { -(double)INFINITY, -1, -5e-324, -0.0, 0, 5e-324, 1,
				    (double)INFINITY };

	(void)state;
	assert_int_equal(skua_sort_keys(NULL, keys, 10, SKUA_KEY_DOUBLE, NULL), SKUA_OK);
	assert_memory_equal(keys, expected, sizeof(expected));
	assert_true(isnan(keys[8]) && isnan(keys[9]));
	assert_true(signbit(keys[8]) != signbit(keys[9]));
}

/* --- records --- */

struct item {
	char before[3];
	char key[8]; /* aligned to nothing */
	uint32_t number;
};

static void check_records(struct skua_pool *pool, enum skua_key kind, size_t count,
			  enum sort_shape shape)
{
	struct item *items = calloc(count + 1, sizeof(*items));

	assert_non_null(items);
	for (size_t i = 0; i < count; i++) {
		put_key(kind, items[i].key, sort_value(shape, i, count));
		items[i].number = (uint32_t)i;
	}
	uint64_t sum = sum_of((char *)items, count, sizeof(*items));
	assert_int_equal(skua_sort_by_key(pool, items, count, sizeof(*items),
					  offsetof(struct item, key), kind, NULL),
			 SKUA_OK);
	for (size_t i = 1; i < count; i++) {
		int order = compare_keys(kind, items[i - 1].key, items[i].key);
		bool is_one_key = memcmp(items[i - 1].key, items[i].key, width_of(kind)) == 0;
		if (order > 0 || (is_one_key && items[i - 1].number >= items[i].number))
			fail_msg("kind %d, shape %d, %zu records: wrong at %zu", kind, shape, count,
				 i);
	}
	assert_int_equal(sum_of((char *)items, count, sizeof(*items)), sum);
	free(items);
}

static void test_sort_records_by_key_is_stable(void **state)
{
	struct sort_pools all;

	(void)state;
	WATCH(60);
	sort_pools_open(&all);
	for (size_t i = 0; i < SORT_COUNTS; i++)
		for (int shape = 0; shape < SORT_SHAPES; shape++) {
			int kind = (shape + (int)(i + test_seed() % KINDS)) % KINDS;
			if (SLOW_BUILD && sort_counts[i] > 13000)
				continue;
			check_records(all.pools[(i + (size_t)shape) % SORT_POOLS],
				      (enum skua_key)kind, sort_counts[i], (enum sort_shape)shape);
		}
	check_records(all.pools[1], SKUA_KEY_UINT64, 140000, SORT_FEW);
	check_records(all.pools[1], SKUA_KEY_FLOAT, 140000, SORT_CROWDED);
	sort_pools_close(&all);
}

static void test_sort_small_records_by_key(void **state)
{
	enum {
		COUNT = 20000
	};
	struct skua_pool *pool = pool_of(2);
	uint32_t(*pairs)[2] = calloc(COUNT, sizeof(*pairs));

	(void)state;
	assert_non_null(pairs);
	for (uint32_t i = 0; i < COUNT; i++) {
		pairs[i][0] = i;
		pairs[i][1] = (uint32_t)test_random() % 3000;
	}
	assert_int_equal(skua_sort_by_key(pool, pairs, COUNT, 8, 4, SKUA_KEY_INT32, NULL), SKUA_OK);
	for (uint32_t i = 1; i < COUNT; i++)
		assert_true(pairs[i - 1][1] < pairs[i][1] ||
			    (pairs[i - 1][1] == pairs[i][1] && pairs[i - 1][0] < pairs[i][0]));
	free(pairs);
	pool_end(pool);
}

/* --- refusals, no memory --- */

static void test_sort_keys_refuses_what_makes_no_sense(void **state)
{
	struct skua_sort_options wrong = { .size = 1 };
	uint64_t keys[2] = { 2, 1 };

	(void)state;
	assert_int_equal(skua_sort_keys(NULL, NULL, 2, SKUA_KEY_UINT64, NULL), SKUA_EINVAL);
	assert_int_equal(skua_sort_keys(NULL, keys, 2, (enum skua_key)6, NULL), SKUA_EINVAL);
	assert_int_equal(skua_sort_keys(NULL, keys, 2, (enum skua_key)(-1), NULL), SKUA_EINVAL);
	assert_int_equal(skua_sort_keys(NULL, keys, 2, SKUA_KEY_UINT64, &wrong), SKUA_EINVAL);
	assert_int_equal(skua_sort_keys(NULL, keys, SIZE_MAX / 4, SKUA_KEY_UINT64, NULL),
			 SKUA_EINVAL);
	assert_int_equal(skua_sort_by_key(NULL, NULL, 2, 8, 0, SKUA_KEY_UINT64, NULL), SKUA_EINVAL);
	assert_int_equal(skua_sort_by_key(NULL, keys, 2, 0, 0, SKUA_KEY_UINT64, NULL), SKUA_EINVAL);
	assert_int_equal(skua_sort_by_key(NULL, keys, 2, 8, 1, SKUA_KEY_UINT64, NULL), SKUA_EINVAL);
	assert_int_equal(skua_sort_by_key(NULL, keys, 2, 7, 0, SKUA_KEY_UINT64, NULL), SKUA_EINVAL);
	assert_int_equal(skua_sort_by_key(NULL, keys, 2, 8, SIZE_MAX, SKUA_KEY_INT32, NULL),
			 SKUA_EINVAL);
	assert_int_equal(skua_sort_by_key(NULL, keys, 2, 8, 0, (enum skua_key)99, NULL),
			 SKUA_EINVAL);
	assert_int_equal(skua_sort_by_key(NULL, keys, 2, 8, 0, SKUA_KEY_UINT64, &wrong),
			 SKUA_EINVAL);
	assert_true(keys[0] == 2 && keys[1] == 1);
	assert_int_equal(skua_sort_keys(NULL, NULL, 0, SKUA_KEY_FLOAT, NULL), SKUA_OK);
	assert_int_equal(skua_sort_by_key(NULL, NULL, 0, 8, 0, SKUA_KEY_FLOAT, NULL), SKUA_OK);
}

#ifdef SKUA_FAULTS
static void test_sort_keys_without_memory(void **state)
{
	struct skua_pool *pool = pool_of(3);

	(void)state;
	WATCH(60);
	/* For good, and each allocation in turn. */
	for (uint32_t nth = 1; nth <= 4; nth++)
		for (int shape = 0; shape < SORT_SHAPES; shape++) {
			enum skua_key kind = (enum skua_key)((shape + (int)nth) % KINDS);
			size_t count = shape % 2 ? 40000 : 1500;
			skuai_fault_arm(SKUAI_FAULT_MALLOC, nth, nth == 1, SKUAI_FAULT_USUAL);
			check_keys(pool, kind, count, (enum sort_shape)shape);
			skuai_fault_disarm();
			skuai_fault_arm(SKUAI_FAULT_MALLOC, nth, nth == 1, SKUAI_FAULT_USUAL);
			check_records(pool, kind, count / 4, (enum sort_shape)shape);
			skuai_fault_disarm();
		}
	for (int kind = 0; kind < KINDS; kind++) {
		skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
		check_keys(pool, (enum skua_key)kind, 9000, SORT_FEW);
		skuai_fault_disarm();
	}
	skuai_fault_arm(SKUAI_FAULT_MALLOC, 3, true, SKUAI_FAULT_USUAL);
	check_keys(pool, SKUA_KEY_UINT64, 300000, SORT_CROWDED);
	skuai_fault_disarm();
	pool_end(pool);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sort_keys_of_any_kind_shape_and_size),
		cmocka_unit_test(test_sort_many_keys_of_any_shape),
		cmocka_unit_test(test_sort_keys_of_which_most_are_one),
		cmocka_unit_test(test_sort_doubles_puts_nan_last),
		cmocka_unit_test(test_sort_records_by_key_is_stable),
		cmocka_unit_test(test_sort_small_records_by_key),
		cmocka_unit_test(test_sort_keys_refuses_what_makes_no_sense),
#ifdef SKUA_FAULTS
		cmocka_unit_test(test_sort_keys_without_memory),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
