/* SPDX-License-Identifier: MIT */
/* test_algo_edges.c — algorithms at their edges: large results, few slots, closing pools, spite */
#include "unit/test_pool.h"

#include <skua/algo.h>

#include <pthread.h>

/* --- results that are large, or want wide alignment --- */

struct large {
	uint64_t sum;
	char rest[256 * 1024];
};

SKUA_FOLD(into_large, struct large, large, void *, unused, i)
{
	large->sum += i;
}

SKUA_FOLD_MERGE(into_large, struct large, large, next)
{
	large->sum += next->sum;
}

/* A quarter of a megabyte must not be copied for each chunk: that took seconds. */
static void test_edges_large_result(void **state)
{
	static struct large result;

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(3);
	assert_int_equal(skua_reduce(pool, 0, 1000000, into_large, NULL, &result, NULL), SKUA_OK);
	assert_true(result.sum == 499999500000);
	pool_end(pool);
}

struct wide {
	_Alignas(64) uint64_t sum;
	uint64_t misplaced;
};

SKUA_FOLD(into_wide, struct wide, wide, const bool *, is_slow, i)
{
	wide->sum += i;
	wide->misplaced += (uintptr_t)wide % 64 != 0;
	if (*is_slow)
		spin_for(1000);
}

SKUA_FOLD_MERGE(into_wide, struct wide, wide, next)
{
	wide->sum += next->sum;
	wide->misplaced += next->misplaced + ((uintptr_t)next % 64 != 0);
}

static void test_edges_aligned_result(void **state)
{
	bool is_slow = true;
	struct wide result;

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(4);
	assert_int_equal(skua_reduce(pool, 0, 20000, into_wide, &is_slow, &result, NULL), SKUA_OK);
	assert_true(result.sum == 199990000);
	assert_int_equal(result.misplaced, 0);
	pool_end(pool);
}

/* --- elements that are pointers --- */

SKUA_FILTER(is_long, const char *, word, void *, unused)
{
	return (*word)[0] && (*word)[1];
}

SKUA_UNIQUE(same_word, const char *, a, b)
{
	return strcmp(*a, *b) == 0;
}

SKUA_SCAN(longer_word, const char *, longest, next)
{
	if (strlen(*next) > strlen(*longest))
		*longest = *next;
}

SKUA_SORT(by_word, const char *, a, b)
{
	return strcmp(*a, *b) < 0;
}

static void test_edges_pointers(void **state)
{
	const char *words[] = { "bb", "a", "bb", "ccc", "ccc", "" }, *out[6];
	size_t kept;

	(void)state;
	assert_int_equal(skua_filter(NULL, words, out, 6, is_long, NULL, &kept, NULL), SKUA_OK);
	assert_int_equal(kept, 4);
	assert_string_equal(out[3], "ccc");
	assert_int_equal(skua_unique(NULL, words, out, 6, same_word, NULL, &kept, NULL), SKUA_OK);
	assert_int_equal(kept, 5);
	assert_int_equal(skua_scan(NULL, words, out, 6, longer_word, NULL), SKUA_OK);
	assert_string_equal(out[1], "bb");
	assert_string_equal(out[5], "ccc");
	assert_int_equal(by_word(NULL, words, 6, NULL), SKUA_OK);
	assert_string_equal(words[0], "");
	assert_int_equal(skua_partition(NULL, words, 6, is_long, NULL, &kept, NULL), SKUA_OK);
	assert_int_equal(kept, 4);
	assert_string_equal(words[0], "bb");
	assert_string_equal(words[5], "a");
}

/* --- few slots for forks --- */

SKUA_LOOP(double_it, uint64_t *, x, i)
{
	x[i] *= 2;
}

static int compare_numbers(const void *a, const void *b, void *context)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	(void)context;
	return (x > y) - (x < y);
}

SKUA_FILTER(is_even, uint64_t, number, void *, unused)
{
	return *number % 2 == 0;
}

SKUA_FOLD(add_numbers, uint64_t, sum, const uint64_t *, x, i)
{
	*sum += x[i];
}

SKUA_FOLD_MERGE(add_numbers, uint64_t, sum, next)
{
	*sum += *next;
}

static void run_some(struct skua_pool *pool, uint64_t *x, size_t count)
{
	const struct skua_loop_options stable = { .size = sizeof(stable), .is_stable = true };
	uint64_t expected = 0, sum;
	size_t kept;

	for (size_t i = 0; i < count; i++)
		x[i] = i * 7919 % count;
	assert_int_equal(skua_for(pool, 0, count, double_it, x, NULL), SKUA_OK);
	for (size_t i = 0; i < count; i++)
		expected += x[i];
	assert_int_equal(skua_reduce(pool, 0, count, add_numbers, x, &sum, &stable), SKUA_OK);
	assert_true(sum == expected);
	assert_int_equal(skua_sort(pool, x, count, 8, compare_numbers, NULL, NULL), SKUA_OK);
	assert_int_equal(skua_sort_keys(pool, x, count, SKUA_KEY_UINT64, NULL), SKUA_OK);
	assert_int_equal(skua_is_sorted(pool, x, count, 8, compare_numbers, NULL), 1);
	assert_int_equal(skua_filter(pool, x, x, count, is_even, NULL, &kept, NULL), SKUA_OK);
	assert_int_equal(kept, count);
}

static void test_edges_few_slots(void **state)
{
	static const uint32_t slots[] = { 4, 8, 16, 64 };
	uint64_t *x = malloc(100000 * sizeof(*x));

	(void)state;
	assert_non_null(x);
	for (unsigned i = 0; i < 8; i++) {
		WATCH(30);
		struct skua_pool_options options = { .size = sizeof(options),
						     .workers = 3,
						     .fork_slots = slots[i % 4],
						     .is_counting = i >= 4 };
		struct skua_pool *pool;
		assert_int_equal(skua_pool_open(&pool, &options), SKUA_OK);
		run_some(pool, x, 100000);
		pool_end(pool);
	}
	free(x);
}

/* --- a pool that is closed while a thread is in the middle of it --- */

struct caller {
	struct skua_pool *pool;
	_Atomic uint32_t has_begun;
	uint64_t *x;
	unsigned what;
	int error;
};

static struct caller *key_caller; /* a key has no argument */

SKUA_GROUP_KEY(low_bits, uint64_t, record)
{
	skua_store(&key_caller->has_begun, 1, release);
	return *record % 5000;
}

SKUA_HISTOGRAM(bin_of, struct caller *, caller, i)
{
	skua_store(&caller->has_begun, 1, release);
	return caller->x[i] % 5000;
}

SKUA_FILTER(is_odd, uint64_t, number, struct caller *, caller)
{
	skua_store(&caller->has_begun, 1, release);
	return *number % 2;
}

static void *call(void *argument)
{
	struct caller *caller = argument;
	const struct skua_pack_options unordered = { .size = sizeof(unordered),
						     .is_unordered = true };
	uint64_t counts[5000];
	struct skua_groups groups = { 0 };
	size_t kept;

	switch (caller->what) {
	case 0:
		caller->error = skua_group_by(caller->pool, caller->x, 50000, low_bits, NULL,
					      &groups, NULL);
		skua_groups_free(&groups);
		break;
	case 1:
		caller->error = skua_partition(caller->pool, caller->x, 50000, is_odd, caller,
					       &kept, NULL);
		break;
	case 2:
		caller->error = skua_partition(caller->pool, caller->x, 50000, is_odd, caller,
					       &kept, &unordered);
		break;
	default:
		caller->error = skua_histogram(caller->pool, 0, 50000, bin_of, caller, 5000, counts,
					       NULL);
	}
	return NULL;
}

/* What began before goes on to its end: nobody uses the pool after it is freed. */
static void test_edges_closed_meanwhile(void **state)
{
	uint64_t *x = malloc(50000 * sizeof(*x));

	(void)state;
	assert_non_null(x);
	for (unsigned round = 0; round < 40; round++) {
		struct caller caller = { .pool = pool_of(2), .x = x, .what = round % 4 };
		pthread_t thread;
		WATCH(30);
		key_caller = &caller;
		for (size_t i = 0; i < 50000; i++)
			x[i] = test_random();
		assert_int_equal(pthread_create(&thread, NULL, call, &caller), 0);
		assert_true(reaches(&caller.has_begun, 1));
		pool_end(caller.pool);
		pthread_join(thread, NULL);
		assert_true(caller.error == SKUA_OK || caller.error == SKUA_ECLOSED);
	}
	free(x);
}

/* --- spite --- */

/* Nearly all keys are alike but for a few levels of higher ones: it must not be dealt for ever. */
static void test_edges_lopsided_keys(void **state)
{
	enum {
		COUNT = 300000
	};
	uint32_t *keys = malloc(COUNT * sizeof(*keys));

	(void)state;
	assert_non_null(keys);
	WATCH(30);
	struct skua_pool *pool = pool_of(2);
	for (unsigned shape = 0; shape < 3; shape++) {
		uint64_t sum = 0, found = 0;
		for (uint32_t i = 0; i < COUNT; i++) {
			uint32_t random = (uint32_t)test_random();
			keys[i] = shape == 0   ? random >> (random % 32)
				  : shape == 1 ? (random % 100 ? random % 3 : random)
					       : UINT32_MAX >> (random % 32);
			sum += keys[i];
		}
		assert_int_equal(skua_sort_keys(pool, keys, COUNT, SKUA_KEY_UINT32, NULL), SKUA_OK);
		for (uint32_t i = 0; i < COUNT; i++) {
			found += keys[i];
			assert_true(i == 0 || keys[i - 1] <= keys[i]);
		}
		assert_true(found == sum);
	}
	pool_end(pool);
	free(keys);
}

static void add_never(void *into, const void *next, void *argument)
{
	(void)into;
	(void)next;
	(void)argument;
	fail();
}

static bool ask_never(const void *element, void *argument)
{
	(void)element;
	(void)argument;
	fail();
	return true;
}

static bool ask_never_two(const void *a, const void *b, void *argument)
{
	(void)b;
	return ask_never(a, argument);
}

/* Nothing is to be done, so nothing is to be had for it, however large an element would be. */
static void test_edges_nothing_of_huge(void **state)
{
	static const size_t bytes[] = { 1, 65, PTRDIFF_MAX / 4, PTRDIFF_MAX, SIZE_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		const struct skua_scan_op op = { .bytes = bytes[i], .combine = add_never };
		const struct skua_test test = { .bytes = bytes[i], .is_true = ask_never };
		const struct skua_same same = { .bytes = bytes[i], .is_same = ask_never_two };
		size_t kept = 1;
		assert_int_equal(skua_scan(NULL, NULL, NULL, 0, op, NULL), SKUA_OK);
		assert_int_equal(skua_filter(NULL, NULL, NULL, 0, test, NULL, &kept, NULL),
				 SKUA_OK);
		assert_int_equal(skua_unique(NULL, NULL, NULL, 0, same, NULL, &kept, NULL),
				 SKUA_OK);
		assert_int_equal(skua_partition(NULL, NULL, 0, test, NULL, &kept, NULL), SKUA_OK);
		assert_int_equal(kept, 0);
	}
}

/* The sum of no elements is what came before all of them. */
static void test_edges_total_of_nothing(void **state)
{
	const struct skua_scan_op op = { .bytes = 100, .combine = add_never };
	char initial[100], total[100];
	struct skua_scan_options options = { .size = sizeof(options), .total = total };

	(void)state;
	memset(initial, 1, sizeof(initial));
	memset(total, 2, sizeof(total));
	assert_int_equal(skua_scan(NULL, NULL, NULL, 0, op, &options), SKUA_OK);
	assert_int_equal(total[99], 2); /* there is none */
	options.is_exclusive = true;
	assert_int_equal(skua_scan(NULL, NULL, NULL, 0, op, &options), SKUA_OK);
	assert_int_equal(total[99], 0);
	options.initial = initial;
	assert_int_equal(skua_scan(NULL, NULL, NULL, 0, op, &options), SKUA_OK);
	assert_memory_equal(total, initial, sizeof(total));
}

/* A tree that must stop does not walk to all its leaves. */
static void test_edges_stable_stops(void **state)
{
	struct skua_reach reach;
	struct skua_loop_options options = {
		.size = sizeof(options), .is_stable = true, .deadline = 1, .reach = &reach
	};
	uint64_t sum;

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	assert_int_equal(skua_reduce(pool, 0, (uint64_t)1 << 60, add_numbers, NULL, &sum, &options),
			 SKUA_ETIMEDOUT);
	assert_int_equal(reach.count, 0);
	pool_end(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges_large_result),
		cmocka_unit_test(test_edges_aligned_result),
		cmocka_unit_test(test_edges_pointers),
		cmocka_unit_test(test_edges_few_slots),
		cmocka_unit_test(test_edges_closed_meanwhile),
		cmocka_unit_test(test_edges_lopsided_keys),
		cmocka_unit_test(test_edges_nothing_of_huge),
		cmocka_unit_test(test_edges_total_of_nothing),
		cmocka_unit_test(test_edges_stable_stops),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
