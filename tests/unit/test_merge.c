/* SPDX-License-Identifier: MIT */
/* test_merge.c — two sorted arrays merged: sizes, order of equals, overlaps, liars */
#include "unit/test_sort.h"

struct pair {
	uint32_t value, number; /* numbers of b are larger than those of a */
};

static int compare_pairs(const void *a, const void *b, void *context)
{
	const struct pair *x = a, *y = b;

	(void)context;
	return (x->value > y->value) - (x->value < y->value);
}

static int compare_in_full(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int by_value = compare_pairs(a, b, NULL);

	return by_value ? by_value : (x->number > y->number) - (x->number < y->number);
}

static int compare_never(const void *a, const void *b, void *context)
{
	(void)a;
	(void)b;
	(void)context;
	return -1;
}

static struct pair *pairs_of(size_t count, uint32_t first, uint32_t values, uint32_t least)
{
	struct pair *pairs = calloc(count + 1, sizeof(*pairs));

	assert_non_null(pairs);
	for (size_t i = 0; i < count; i++)
		pairs[i].value = least + (uint32_t)test_random() % values;
	qsort(pairs, count, sizeof(*pairs), compare_in_full);
	for (size_t i = 0; i < count; i++)
		pairs[i].number = first + (uint32_t)i;
	return pairs;
}

static void check_merge(struct skua_pool *pool, size_t a_count, size_t b_count, uint32_t values,
			uint32_t b_least)
{
	struct pair *a = pairs_of(a_count, 0, values, 1000000);
	struct pair *b = pairs_of(b_count, (uint32_t)a_count, values, b_least);
	struct pair *into = calloc(a_count + b_count + 1, sizeof(*into));
	struct pair *expected = calloc(a_count + b_count + 1, sizeof(*expected));

	assert_non_null(into);
	assert_non_null(expected);
	memcpy(expected, a, a_count * sizeof(*a));
	memcpy(expected + a_count, b, b_count * sizeof(*b));
	qsort(expected, a_count + b_count, sizeof(*expected), compare_in_full);
	assert_int_equal(
		skua_merge(pool, a, a_count, b, b_count, into, sizeof(*a), compare_pairs, NULL),
		SKUA_OK);
	if (memcmp(into, expected, (a_count + b_count + 1) * sizeof(*into)) != 0)
		fail_msg("%zu and %zu of %u values", a_count, b_count, values);
	free(a);
	free(b);
	free(into);
	free(expected);
}

static void test_merge_any_two_sizes_is_stable(void **state)
{
	const size_t counts[] = { 0, 1, 2, 7, 16, 17, 100, 1000, 5001, 9000, 30011 };
	const size_t kinds = sizeof(counts) / sizeof(counts[0]);
	struct sort_pools all;

	(void)state;
	WATCH(60);
	printf("seed %#llx\n", (unsigned long long)test_seed());
	sort_pools_open(&all);
	for (size_t i = 0; i < kinds; i++)
		for (size_t k = 0; k < kinds; k++) {
			struct skua_pool *pool = all.pools[(i * kinds + k) % SORT_POOLS];
			check_merge(pool, counts[i], counts[k], 1000000, 1000000);
			check_merge(pool, counts[i], counts[k], 5, 1000000);
			check_merge(pool, counts[i], counts[k], 100, 2000000); /* b after a */
			check_merge(pool, counts[i], counts[k], 100, 0);       /* and before */
		}
	sort_pools_close(&all);
}

static void test_merge_with_a_liar_loses_nothing(void **state)
{
	struct skua_pool *pool = pool_of(3);
	const size_t count = 20000;
	struct pair *a = pairs_of(count, 0, 1000, 0), *b = pairs_of(count, 20000, 1000, 0);
	struct pair *into = calloc(2 * count, sizeof(*into));
	uint64_t sum = 0;

	(void)state;
	assert_non_null(into);
	assert_int_equal(
		skua_merge(pool, a, count, b, count, into, sizeof(*a), compare_never, NULL),
		SKUA_OK);
	for (size_t i = 0; i < 2 * count; i++)
		sum += into[i].number;
	assert_int_equal(sum, 2 * count * (2 * count - 1) / 2);
	free(a);
	free(b);
	free(into);
	pool_end(pool);
}

static void test_merge_refuses_what_makes_no_sense(void **state)
{
	struct pair room[8] = { { 1, 0 }, { 5, 1 }, { 2, 2 }, { 6, 3 } }, before[8];
	const uint32_t merged[] = { 1, 2, 5, 6 };

	(void)state;
	memcpy(before, room, sizeof(room));
#define REFUSED(a, a_count, b, b_count, into, bytes, compare)                                  \
	assert_int_equal(skua_merge(NULL, a, a_count, b, b_count, into, bytes, compare, NULL), \
			 SKUA_EINVAL)
	REFUSED(NULL, 2, room + 2, 2, room + 4, sizeof(*room), compare_pairs);
	REFUSED(room, 2, NULL, 2, room + 4, sizeof(*room), compare_pairs);
	REFUSED(room, 2, room + 2, 2, NULL, sizeof(*room), compare_pairs);
	REFUSED(room, 2, room + 2, 2, room + 4, 0, compare_pairs);
	REFUSED(room, 2, room + 2, 2, room + 4, sizeof(*room), NULL);
	REFUSED(room, 2, room + 2, 2, room, sizeof(*room), compare_pairs);
	REFUSED(room, 2, room + 2, 2, room + 3, sizeof(*room), compare_pairs);
	REFUSED(room + 4, 2, room + 6, 2, room + 1, sizeof(*room), compare_pairs);
	REFUSED(room, SIZE_MAX, room + 2, 2, room + 4, 1, compare_pairs);
	REFUSED(room, SIZE_MAX / 2, room, SIZE_MAX / 2, room + 4, 1, compare_pairs);
	assert_memory_equal(room, before, sizeof(room));
	assert_int_equal(skua_merge(NULL, NULL, 0, NULL, 0, NULL, 1, compare_pairs, NULL), SKUA_OK);
	assert_int_equal(skua_merge(NULL, room, 2, room + 2, 2, room + 4, sizeof(*room),
				    compare_pairs, NULL),
			 SKUA_OK);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(room[4 + i].value, merged[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge_any_two_sizes_is_stable),
		cmocka_unit_test(test_merge_with_a_liar_loses_nothing),
		cmocka_unit_test(test_merge_refuses_what_makes_no_sense),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
