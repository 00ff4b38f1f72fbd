/* SPDX-License-Identifier: MIT */
/* test_unique.c — equal neighbours dropped, against a plain loop; across the seams of blocks */
#include "unit/test_pool.h"

#include "base/fault.h"

#include <skua/pack.h>

static const int worker_counts[] = { 1, 2, 3, 8, 64 };
#define WORKER_COUNTS 5

static const size_t sizes[] = { 0, 1, 2, 3, 100, 1001, 8193, 65537, 120001 };
#define SIZES 9

static struct skua_pool *pools[WORKER_COUNTS];

static int open_pools(void **state)
{
	(void)state;
	for (unsigned w = 0; w < WORKER_COUNTS; w++)
		pools[w] = pool_of(worker_counts[w]);
	return 0;
}

static int close_pools(void **state)
{
	(void)state;
	for (unsigned w = 0; w < WORKER_COUNTS; w++)
		pool_end(pools[w]);
	return 0;
}

/* The same value is the same; the place says which one was kept. */
struct item {
	uint32_t value, place;
};

SKUA_UNIQUE(same_value, struct item, a, b)
{
	return a->value == b->value;
}

static bool plain_same(const void *a, const void *b, void *asked)
{
	if (asked)
		skua_add((_Atomic uint32_t *)asked, 1, relaxed);
	return ((const struct item *)a)->value == ((const struct item *)b)->value;
}

static const struct skua_same plain_item = { .bytes = sizeof(struct item), .is_same = plain_same };

/* Random; all the same; all different; long runs; runs of any length. */
#define INPUTS 5

static struct item *new_items(unsigned input, size_t count)
{
	struct item *items = calloc(count + 1, sizeof(*items));
	uint32_t run = 0;

	assert_non_null(items);
	for (size_t i = 0; i < count; i++) {
		run += test_random() % 100 == 0;
		items[i].value = input == 0   ? (uint32_t)(test_random() % 3)
				 : input == 1 ? 5
				 : input == 2 ? (uint32_t)i
				 : input == 3 ? (uint32_t)(i / 9000)
					      : run;
		items[i].place = (uint32_t)i;
	}
	return items;
}

static size_t plain_unique(const struct item *in, struct item *out, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (i == 0 || in[i].value != in[i - 1].value)
			out[kept++] = in[i];
	return kept;
}

static void check_unique(struct skua_pool *pool, const struct skua_same *same, unsigned input,
			 size_t count)
{
	struct item *in = new_items(input, count), *out = calloc(count + 1, sizeof(*out));
	struct item *expected = calloc(count + 1, sizeof(*expected));
	size_t kept = 77;

	assert_true(out && expected);
	size_t expected_kept = plain_unique(in, expected, count);
	assert_int_equal(skua_array_unique(pool, in, out, count, same, NULL, &kept, NULL), SKUA_OK);
	assert_int_equal(kept, expected_kept);
	assert_memory_equal(expected, out, kept * sizeof(*out));
	kept = 77;
	assert_int_equal(skua_array_unique(pool, in, in, count, same, NULL, &kept, NULL), SKUA_OK);
	assert_int_equal(kept, expected_kept);
	assert_memory_equal(expected, in, kept * sizeof(*out));
	free(in);
	free(out);
	free(expected);
}

static void test_unique_keeps_the_first(void **state)
{
	(void)state;
	WATCH(60);
	for (unsigned w = 0; w < WORKER_COUNTS; w++)
		for (unsigned s = 0; s < SIZES; s++)
			for (unsigned input = 0; input < INPUTS; input++) {
				size_t count = sizes[s] / (worker_counts[w] > 8 ? 8 : 1) /
					       (SLOW_BUILD ? 4 : 1);
				check_unique(pools[w], &same_value, input, count);
				check_unique(pools[w], &plain_item, input, count);
			}
	UNWATCH();
}

static void test_unique_asks_for_each_pair_once(void **state)
{
	size_t count = 50000, kept;
	struct item *items = new_items(0, count);
	_Atomic uint32_t asked = 0;

	(void)state;
	assert_int_equal(
		skua_unique(pools[2], items, items, count, plain_item, (void *)&asked, &kept, NULL),
		SKUA_OK);
	assert_int_equal(skua_load(&asked, relaxed), count - 1);
	free(items);
}

static void test_unique_refuses(void **state)
{
	struct item in[4] = { { 1, 0 }, { 1, 1 } }, out[4];
	struct skua_pack_options options = { .size = 3 };
	struct skua_same same = same_value;
	size_t kept = 77;

	(void)state;
	assert_int_equal(skua_array_unique(NULL, in, out, 4, NULL, NULL, &kept, NULL), SKUA_EINVAL);
	assert_int_equal(skua_unique(NULL, NULL, out, 4, same, NULL, &kept, NULL), SKUA_EINVAL);
	assert_int_equal(skua_unique(NULL, in, NULL, 4, same, NULL, &kept, NULL), SKUA_EINVAL);
	assert_int_equal(skua_unique(NULL, in, out, 4, same, NULL, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_unique(NULL, in, in + 1, 3, same, NULL, &kept, NULL), SKUA_EINVAL);
	assert_int_equal(skua_unique(NULL, in, out, 4, same, NULL, &kept, &options), SKUA_EINVAL);
	same.bytes = 0;
	assert_int_equal(skua_unique(NULL, in, out, 4, same, NULL, &kept, NULL), SKUA_EINVAL);
	same = same_value;
	same.is_same = NULL;
	assert_int_equal(skua_unique(NULL, in, out, 4, same, NULL, &kept, NULL), SKUA_EINVAL);
	assert_int_equal(kept, 77);
	assert_int_equal(skua_unique(NULL, NULL, NULL, 0, same_value, NULL, &kept, NULL), SKUA_OK);
	assert_int_equal(kept, 0);
}

static void test_unique_without_memory(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	for (uint32_t nth = 1; nth < 6; nth++) {
		size_t count = 100000, kept = 77;
		struct item *in = new_items(4, count), *expected = calloc(count, sizeof(*expected));
		assert_non_null(expected);
		size_t expected_kept = plain_unique(in, expected, count);
		skuai_fault_arm(SKUAI_FAULT_MALLOC, nth, true, SKUAI_FAULT_USUAL);
		int error = skua_unique(pools[2], in, in, count, same_value, NULL, &kept, NULL);
		skuai_fault_disarm();
		assert_int_equal(error, SKUA_OK);
		assert_int_equal(kept, expected_kept);
		assert_memory_equal(expected, in, kept * sizeof(*in));
		free(in);
		free(expected);
	}
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unique_keeps_the_first),
		cmocka_unit_test(test_unique_asks_for_each_pair_once),
		cmocka_unit_test(test_unique_refuses),
		cmocka_unit_test(test_unique_without_memory),
	};

	return cmocka_run_group_tests(tests, open_pools, close_pools);
}
