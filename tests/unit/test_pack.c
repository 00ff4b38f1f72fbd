/* SPDX-License-Identifier: MIT */
/* test_pack.c — filter and partition against plain loops: inputs, workers, in place, no memory */
#include "unit/test_pool.h"

#include "base/fault.h"

#include <skua/pack.h>

static const int worker_counts[] = { 1, 2, 3, 8, 64 };
#define WORKER_COUNTS 5

static const size_t sizes[] = { 0, 1, 2, 3, 7, 100, 1001, 8193, 65537, 120001 };
#define SIZES 10

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

/* --- elements and tests --- */

/* Its value is what is asked for; its place says if the order was kept. */
struct item {
	uint32_t value, place;
};

/* The same, larger than what is copied without asking. */
struct box {
	struct item item;
	uint32_t more[10];
};

SKUA_FILTER(is_below, struct item, item, const uint32_t *, limit)
{
	return item->value < *limit;
}

SKUA_FILTER(is_box_below, struct box, box, const uint32_t *, limit)
{
	return box->item.value < *limit;
}

static bool plain_is_below(const void *item, void *limit)
{
	return ((const struct item *)item)->value < *(const uint32_t *)limit;
}

static const struct skua_test plain_item = { .bytes = sizeof(struct item),
					     .is_true = plain_is_below };
static const struct skua_test plain_box = { .bytes = sizeof(struct box),
					    .is_true = plain_is_below };
static const struct skua_test *const all_tests[] = { &is_below, &is_box_below, &plain_item,
						     &plain_box };

/* Random; sorted; reversed; all the same; few values; none and all by turns of some length. */
#define INPUTS 6

static uint32_t value_of(unsigned input, size_t i, size_t count)
{
	switch (input) {
	case 0:
		return (uint32_t)(test_random() % 1000);
	case 1:
		return (uint32_t)(i * 1000 / count);
	case 2:
		return (uint32_t)((count - i) * 1000 / count);
	case 3:
		return 400;
	case 4:
		return (uint32_t)(test_random() % 3 * 450);
	default:
		return i / 10000 % 2 * 999;
	}
}

static void *new_array(unsigned input, size_t count, size_t bytes)
{
	char *array = calloc(count + 1, bytes);

	assert_non_null(array);
	for (size_t i = 0; i < count; i++) {
		struct item item = { value_of(input, i, count), (uint32_t)i };
		memcpy(array + i * bytes, &item, sizeof(item));
	}
	return array;
}

/* The oracle: those below first, then the others. */
static size_t plain_partition(const char *in, char *out, size_t count, size_t bytes, uint32_t limit)
{
	size_t kept = 0, at = 0;

	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < count; i++)
			if (plain_is_below(in + i * bytes, &limit) == !pass) {
				memcpy(out + at++ * bytes, in + i * bytes, bytes);
				kept += !pass;
			}
	return kept;
}

/* --- filter --- */

static void check_filter(struct skua_pool *pool, const struct skua_test *test, unsigned input,
			 size_t count, uint32_t limit)
{
	size_t bytes = test->bytes, kept = 77;
	char *in = new_array(input, count, bytes), *copy = malloc((count + 1) * bytes);
	char *out = calloc(count + 1, bytes), *expected = calloc(count + 1, bytes);

	assert_true(copy && out && expected);
	memcpy(copy, in, count * bytes);
	size_t expected_kept = plain_partition(in, expected, count, bytes, limit);
	assert_int_equal(skua_array_filter(pool, in, out, count, test, &limit, &kept, NULL),
			 SKUA_OK);
	assert_int_equal(kept, expected_kept);
	assert_memory_equal(expected, out, kept * bytes);
	assert_memory_equal(copy, in, count * bytes);
	kept = 77;
	assert_int_equal(skua_array_filter(pool, in, in, count, test, &limit, &kept, NULL),
			 SKUA_OK);
	assert_int_equal(kept, expected_kept);
	assert_memory_equal(expected, in, kept * bytes);
	free(in);
	free(copy);
	free(out);
	free(expected);
}

static void test_filter_keeps_order(void **state)
{
	(void)state;
	WATCH(60);
	for (unsigned w = 0; w < WORKER_COUNTS; w++)
		for (unsigned s = 0; s < SIZES; s++)
			for (unsigned input = 0; input < INPUTS; input++) {
				size_t count = sizes[s] / (worker_counts[w] > 8 ? 8 : 1) /
					       (SLOW_BUILD ? 4 : 1);
				unsigned t = (w + s + input) % 4;
				check_filter(pools[w], all_tests[t], input, count, 500);
				check_filter(pools[w], all_tests[0], input, count, 0);
				check_filter(pools[w], all_tests[0], input, count, 1000);
			}
	UNWATCH();
}

/* Now and then it takes long: others are far ahead, and have no rooms left. */
SKUA_FILTER(is_odd_slowly, uint32_t, number, _Atomic uint32_t *, asked)
{
	skua_add(asked, 1, relaxed);
	if (*number % 4099 == 0)
		spin_for(100000);
	return *number & 1;
}

static void test_filter_asks_once_and_waits_for_nobody(void **state)
{
	size_t count = 200000;
	uint32_t *data = malloc(count * sizeof(*data));

	(void)state;
	assert_non_null(data);
	WATCH(60);
	for (unsigned round = 0; round < 2 * WORKER_COUNTS; round++) {
		_Atomic uint32_t asked = 0;
		size_t kept = 0;
		for (size_t i = 0; i < count; i++)
			data[i] = (uint32_t)i;
		assert_int_equal(skua_filter(pools[round / 2], data, data, count, is_odd_slowly,
					     &asked, &kept, NULL),
				 SKUA_OK);
		assert_int_equal(kept, count / 2);
		assert_int_equal(skua_load(&asked, relaxed), count);
		for (size_t i = 0; i < kept; i++)
			assert_int_equal(data[i], 2 * i + 1);
	}
	free(data);
	UNWATCH();
}

/* --- partition --- */

static void check_partition(struct skua_pool *pool, const struct skua_test *test, unsigned input,
			    size_t count, uint32_t limit)
{
	size_t bytes = test->bytes, kept = 77;
	char *data = new_array(input, count, bytes), *expected = calloc(count + 1, bytes);

	assert_non_null(expected);
	size_t expected_kept = plain_partition(data, expected, count, bytes, limit);
	assert_int_equal(skua_array_partition(pool, data, count, test, &limit, &kept, NULL),
			 SKUA_OK);
	assert_int_equal(kept, expected_kept);
	assert_memory_equal(expected, data, count * bytes);
	free(data);
	free(expected);
}

static void test_partition_keeps_order(void **state)
{
	(void)state;
	WATCH(60);
	for (unsigned w = 0; w < WORKER_COUNTS; w++)
		for (unsigned s = 0; s < SIZES; s++)
			for (unsigned input = 0; input < INPUTS; input++) {
				size_t count = sizes[s] / (worker_counts[w] > 8 ? 8 : 1) /
					       (SLOW_BUILD ? 4 : 1);
				unsigned t = (w + s + input) % 4;
				check_partition(pools[w], all_tests[t], input, count, 500);
				check_partition(pools[w], all_tests[0], input, count, 0);
				check_partition(pools[w], all_tests[0], input, count, 1000);
			}
	UNWATCH();
}

/* Every item is on its side, and there once. */
static void check_sides(const char *data, size_t count, size_t bytes, size_t kept, uint32_t limit)
{
	bool *is_seen = calloc(count + 1, sizeof(bool));

	assert_non_null(is_seen);
	for (size_t i = 0; i < count; i++) {
		struct item item;
		memcpy(&item, data + i * bytes, sizeof(item));
		assert_true((item.value < limit) == (i < kept));
		assert_true(item.place < count && !is_seen[item.place]);
		is_seen[item.place] = true;
	}
	free(is_seen);
}

static void test_partition_unordered_loses_nothing(void **state)
{
	struct skua_pack_options options = { .size = sizeof(options), .is_unordered = true };
	uint32_t limit = 500;

	(void)state;
	WATCH(60);
	for (unsigned s = 0; s < SIZES; s++)
		for (unsigned input = 0; input < INPUTS; input++) {
			const struct skua_test *test = all_tests[(s + input) % 4];
			size_t bytes = test->bytes, count = sizes[s] / (SLOW_BUILD ? 4 : 1);
			char *in = new_array(input, count, bytes);
			char *first = malloc((count + 1) * bytes),
			     *data = malloc((count + 1) * bytes);
			assert_true(first && data);
			for (unsigned w = 0; w < WORKER_COUNTS; w++) {
				size_t kept;
				memcpy(data, in, count * bytes);
				assert_int_equal(skua_array_partition(pools[w], data, count, test,
								      &limit, &kept, &options),
						 SKUA_OK);
				check_sides(data, count, bytes, kept, limit);
				if (w == 0)
					memcpy(first, data, count * bytes);
				assert_memory_equal(first, data,
						    count * bytes); /* for any number */
			}
			free(in);
			free(first);
			free(data);
		}
	UNWATCH();
}

/* None, one or two at the seam of blocks are out of place. */
static void test_partition_unordered_at_a_seam(void **state)
{
	struct skua_pack_options options = { .size = sizeof(options), .is_unordered = true };
	size_t block = 1024, count = 2 * block;
	uint32_t limit = 500;

	(void)state;
	for (size_t wrong = 0; wrong < 3; wrong++) {
		struct item *data = new_array(0, count, sizeof(*data));
		size_t kept = 77;
		for (size_t i = 0; i < count; i++) {
			bool is_no = (i >= block - wrong && i < block) ||
				     (i >= block && i < count - wrong);
			data[i].value = is_no ? 999 : 0;
		}
		assert_int_equal(
			skua_partition(pools[1], data, count, is_below, &limit, &kept, &options),
			SKUA_OK);
		assert_int_equal(kept, block);
		check_sides((char *)data, count, sizeof(*data), kept, limit);
		free(data);
	}
}

/* A test that says what it likes: every element is still there. */
static bool is_random(const void *element, void *state)
{
	uint64_t x = skua_add((_Atomic uint64_t *)state, 0x9e3779b97f4a7c15u, relaxed);

	(void)element;
	return (x ^ x >> 29) * 0xbf58476d1ce4e5b9u >> 63;
}

static void test_partition_with_a_fickle_test_loses_nothing(void **state)
{
	const struct skua_test test = { .bytes = sizeof(struct item), .is_true = is_random };
	size_t count = 50000;

	(void)state;
	for (unsigned round = 0; round < 6; round++) {
		struct skua_pack_options options = { .size = sizeof(options),
						     .is_unordered = round % 2 };
		struct item *data = new_array(0, count, sizeof(*data));
		bool *is_seen = calloc(count, sizeof(bool));
		_Atomic uint64_t random = test_random();
		size_t kept;
		assert_non_null(is_seen);
		assert_int_equal(skua_partition(pools[round / 2], data, count, test,
						(void *)&random, &kept, &options),
				 SKUA_OK);
		for (size_t i = 0; i < count; i++) {
			assert_false(is_seen[data[i].place]);
			is_seen[data[i].place] = true;
		}
		free(data);
		free(is_seen);
	}
}

/* --- in a task --- */

SKUA_TASK(size_t, filter_here, struct item *, data, size_t, count)
{
	uint32_t limit = 500;
	size_t kept = 0;

	return skua_filter(skua_here, data, data, count, is_below, &limit, &kept, NULL) ? 0 : kept;
}

static void test_filter_in_a_task(void **state)
{
	size_t count = 100000;
	struct item *data = new_array(3, count, sizeof(*data));

	(void)state;
	assert_int_equal(skua_run(pools[2], filter_here, data, count), count);
	free(data);
}

/* --- refusals --- */

static void test_pack_refuses(void **state)
{
	struct item in[4] = { { 1, 0 } }, out[4];
	struct skua_pack_options options = { .size = 3 };
	struct skua_test test = is_below;
	uint32_t limit = 5;
	size_t kept = 77;

	(void)state;
	assert_int_equal(skua_array_filter(NULL, in, out, 4, NULL, &limit, &kept, NULL),
			 SKUA_EINVAL);
	assert_int_equal(skua_filter(NULL, NULL, out, 4, test, &limit, &kept, NULL), SKUA_EINVAL);
	assert_int_equal(skua_filter(NULL, in, NULL, 4, test, &limit, &kept, NULL), SKUA_EINVAL);
	assert_int_equal(skua_filter(NULL, in, out, 4, test, &limit, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_filter(NULL, in, in + 1, 3, test, &limit, &kept, NULL), SKUA_EINVAL);
	assert_int_equal(skua_filter(NULL, in, out, SIZE_MAX / 8, test, &limit, &kept, NULL),
			 SKUA_EINVAL);
	assert_int_equal(skua_filter(NULL, in, out, 4, test, &limit, &kept, &options), SKUA_EINVAL);
	assert_int_equal(skua_partition(NULL, NULL, 4, test, &limit, &kept, NULL), SKUA_EINVAL);
	assert_int_equal(skua_partition(NULL, in, 4, test, &limit, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_partition(NULL, in, 4, test, &limit, &kept, &options), SKUA_EINVAL);
	test.bytes = 0;
	assert_int_equal(skua_filter(NULL, in, out, 4, test, &limit, &kept, NULL), SKUA_EINVAL);
	assert_int_equal(skua_partition(NULL, in, 4, test, &limit, &kept, NULL), SKUA_EINVAL);
	test = is_below;
	test.is_true = NULL;
	assert_int_equal(skua_filter(NULL, in, out, 4, test, &limit, &kept, NULL), SKUA_EINVAL);
	assert_int_equal(kept, 77);
	assert_int_equal(skua_filter(NULL, NULL, NULL, 0, is_below, &limit, &kept, NULL), SKUA_OK);
	assert_int_equal(kept, 0);
}

static void test_pack_without_memory(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	size_t count = 100000;
	struct item *in = new_array(0, count, sizeof(*in)), *out = malloc(count * sizeof(*out));
	struct item *expected = malloc(count * sizeof(*out));
	uint32_t limit = 500;

	assert_true(out && expected);
	size_t expected_kept = plain_partition((char *)in, (char *)expected, count, 8, limit);
	for (uint32_t nth = 1; nth < 8; nth++)
		for (unsigned kind = 0; kind < 3; kind++) {
			struct skua_pack_options options = { .size = sizeof(options),
							     .is_unordered = kind == 2 };
			size_t kept = 77;
			memcpy(out, in, count * sizeof(*out));
			skuai_fault_arm(SKUAI_FAULT_MALLOC, nth, true, SKUAI_FAULT_USUAL);
			int error = kind == 0 ? skua_filter(pools[2], out, out, count, is_below,
							    &limit, &kept, NULL)
					      : skua_partition(pools[2], out, count, is_below,
							       &limit, &kept, &options);
			skuai_fault_disarm();
			assert_int_equal(error, kind == 1 && nth == 1 ? SKUA_ENOMEM : SKUA_OK);
			assert_int_equal(kept, error ? 77 : expected_kept);
			if (error)
				assert_memory_equal(in, out, count * sizeof(*out));
			else if (kind == 2)
				check_sides((char *)out, count, sizeof(*out), kept, limit);
			else
				assert_memory_equal(expected, out, (kind ? count : kept) * 8);
		}
	free(in);
	free(out);
	free(expected);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filter_keeps_order),
		cmocka_unit_test(test_filter_asks_once_and_waits_for_nobody),
		cmocka_unit_test(test_partition_keeps_order),
		cmocka_unit_test(test_partition_unordered_loses_nothing),
		cmocka_unit_test(test_partition_unordered_at_a_seam),
		cmocka_unit_test(test_partition_with_a_fickle_test_loses_nothing),
		cmocka_unit_test(test_filter_in_a_task),
		cmocka_unit_test(test_pack_refuses),
		cmocka_unit_test(test_pack_without_memory),
	};

	return cmocka_run_group_tests(tests, open_pools, close_pools);
}
