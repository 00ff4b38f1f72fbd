/* SPDX-License-Identifier: MIT */
/* test_reducer.c — sums, extremes, own types, lists, histograms, added to from everywhere */
#include "unit/test_pool.h"

#include "base/fault.h"
#include "os/thread.h"

#include <skua/reducer.h>

#include <math.h>
#include <string.h>

static const int worker_counts[] = { 1, 2, 8, 64 };

/* A type of the caller's: the longest word, the smaller one of two as long. */
struct word {
	uint32_t length, number;
};

static struct word longer(struct word a, struct word b)
{
	if (a.length != b.length)
		return a.length > b.length ? a : b;
	return a.number < b.number ? a : b;
}

SKUA_REDUCER(longest, struct word, ((struct word){ 0, UINT32_MAX }), longer);

struct all {
	struct skua_sum_int64 sum;
	struct skua_min_int64 min;
	struct skua_max_int64 max;
	struct skua_sum_double sum_double;
	struct skua_min_double min_double;
	struct skua_max_double max_double;
	struct longest longest;
	struct skua_list list;
	struct skua_histogram histogram;
	_Atomic uint32_t wrong;
};

#define BUCKETS 10

static void all_open(struct all *all, struct skua_pool *pool)
{
	memset(all, 0, sizeof(*all));
	assert_int_equal(skua_sum_int64_open(&all->sum, pool), SKUA_OK);
	assert_int_equal(skua_min_int64_open(&all->min, pool), SKUA_OK);
	assert_int_equal(skua_max_int64_open(&all->max, pool), SKUA_OK);
	assert_int_equal(skua_sum_double_open(&all->sum_double, pool), SKUA_OK);
	assert_int_equal(skua_min_double_open(&all->min_double, pool), SKUA_OK);
	assert_int_equal(skua_max_double_open(&all->max_double, pool), SKUA_OK);
	assert_int_equal(longest_open(&all->longest, pool), SKUA_OK);
	assert_int_equal(skua_list_open(&all->list, pool, sizeof(uint32_t)), SKUA_OK);
	assert_int_equal(skua_histogram_open(&all->histogram, pool, BUCKETS), SKUA_OK);
}

static void all_reset(struct all *all)
{
	assert_int_equal(skua_sum_int64_reset(&all->sum), SKUA_OK);
	assert_int_equal(skua_min_int64_reset(&all->min), SKUA_OK);
	assert_int_equal(skua_max_int64_reset(&all->max), SKUA_OK);
	assert_int_equal(skua_sum_double_reset(&all->sum_double), SKUA_OK);
	assert_int_equal(skua_min_double_reset(&all->min_double), SKUA_OK);
	assert_int_equal(skua_max_double_reset(&all->max_double), SKUA_OK);
	assert_int_equal(longest_reset(&all->longest), SKUA_OK);
	assert_int_equal(skua_list_reset(&all->list), SKUA_OK);
	assert_int_equal(skua_histogram_reset(&all->histogram), SKUA_OK);
}

static void all_close(struct all *all)
{
	assert_int_equal(skua_sum_int64_close(&all->sum), SKUA_OK);
	assert_int_equal(skua_min_int64_close(&all->min), SKUA_OK);
	assert_int_equal(skua_max_int64_close(&all->max), SKUA_OK);
	assert_int_equal(skua_sum_double_close(&all->sum_double), SKUA_OK);
	assert_int_equal(skua_min_double_close(&all->min_double), SKUA_OK);
	assert_int_equal(skua_max_double_close(&all->max_double), SKUA_OK);
	assert_int_equal(longest_close(&all->longest), SKUA_OK);
	assert_int_equal(skua_list_close(&all->list), SKUA_OK);
	assert_int_equal(skua_histogram_close(&all->histogram), SKUA_OK);
}

/* Number i goes into every one of them. */
static void all_add(struct all *all, uint32_t i)
{
	struct word word = { .length = i % 1000, .number = i };
	unsigned failed = 0;

	failed += skua_sum_int64_add(&all->sum, i) != SKUA_OK;
	failed += skua_min_int64_add(&all->min, (int64_t)i - 5) != SKUA_OK;
	failed += skua_max_int64_add(&all->max, -(int64_t)i) != SKUA_OK;
	failed += skua_sum_double_add(&all->sum_double, i) != SKUA_OK;
	failed += skua_min_double_add(&all->min_double, i % 7 ? (double)i : (double)NAN) != SKUA_OK;
	failed += skua_max_double_add(&all->max_double, i % 7 ? (double)i : (double)NAN) != SKUA_OK;
	failed += longest_add(&all->longest, word) != SKUA_OK;
	failed += skua_list_add(&all->list, &i) != SKUA_OK;
	failed += skua_histogram_add(&all->histogram, i % BUCKETS, 2) != SKUA_OK;
	if (failed)
		skua_add(&all->wrong, failed, relaxed);
}

static void check_list(struct skua_list *list, uint32_t end)
{
	uint32_t *items = calloc(end + 1, sizeof(*items));
	bool *is_seen = calloc(end, sizeof(*is_seen));
	size_t count = 0;

	assert_non_null(items);
	assert_non_null(is_seen);
	assert_int_equal(skua_list_count(list, &count), SKUA_OK);
	assert_int_equal(count, end);
	assert_int_equal(skua_list_copy(list, items, count - 1), SKUA_EFULL);
	assert_int_equal(skua_list_copy(list, items, count), SKUA_OK);
	for (uint32_t i = 0; i < end; i++) {
		assert_true(items[i] < end && !is_seen[items[i]]);
		is_seen[items[i]] = true;
	}
	assert_int_equal(items[end], 0);
	free(items);
	free(is_seen);
}

/* The totals of the numbers 0 .. end-1, end a multiple of 1000. */
static void check_totals(struct all *all, uint32_t end)
{
	int64_t sum = -1, min = -1, max = -1;
	double sum_double = -1, min_double = -1, max_double = -1;
	struct word word = { 0 };
	uint64_t counts[BUCKETS];

	assert_int_equal(skua_load(&all->wrong, relaxed), 0);
	assert_int_equal(skua_sum_int64_total(&all->sum, &sum), SKUA_OK);
	assert_int_equal(sum, (int64_t)end * (end - 1) / 2);
	assert_int_equal(skua_min_int64_total(&all->min, &min), SKUA_OK);
	assert_int_equal(min, -5);
	assert_int_equal(skua_max_int64_total(&all->max, &max), SKUA_OK);
	assert_int_equal(max, 0);
	assert_int_equal(skua_sum_double_total(&all->sum_double, &sum_double), SKUA_OK);
	assert_true(sum_double == (double)sum); /* small whole numbers: exact in any order */
	assert_int_equal(skua_min_double_total(&all->min_double, &min_double), SKUA_OK);
	assert_true(min_double == 1);
	assert_int_equal(skua_max_double_total(&all->max_double, &max_double), SKUA_OK);
	assert_true(max_double == (double)(end - 1 - ((end - 1) % 7 == 0)));
	assert_int_equal(longest_total(&all->longest, &word), SKUA_OK);
	assert_int_equal(word.length, 999);
	assert_int_equal(word.number, 999);
	assert_int_equal(skua_histogram_total(&all->histogram, counts, BUCKETS), SKUA_OK);
	for (unsigned i = 0; i < BUCKETS; i++)
		assert_int_equal(counts[i], 2 * (end / BUCKETS));
	check_list(&all->list, end);
}

SKUA_TASK_VOID(add_range, struct all *, all, uint32_t, begin, uint32_t, end)
{
	if (end - begin > 20) {
		uint32_t middle = begin + (end - begin) / 2;
		skua_fork(add_range, left, all, begin, middle);
		skua_call(add_range, all, middle, end);
		skua_join(add_range, left);
		return;
	}
	for (uint32_t i = begin; i < end; i++)
		all_add(all, i);
}

static void test_reducer_totals_of_a_tree(void **state)
{
	uint32_t end = SLOW_BUILD ? 2000 : 20000;

	(void)state;
	for (unsigned w = 0; w < 4; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		struct all all;
		all_open(&all, pool);
		for (unsigned round = 0; round < 2; round++) {
			skua_run(pool, add_range, &all, 0, end);
			check_totals(&all, end);
			check_totals(&all, end); /* a total changes nothing */
			all_reset(&all);
		}
		all_close(&all);
		pool_end(pool);
	}
}

struct adder {
	struct all *all;
	struct skuai_thread thread;
	uint32_t first, end;
};

static void adder_main(void *argument)
{
	struct adder *adder = argument;

	for (uint32_t i = adder->first; i < adder->end; i += 4)
		all_add(adder->all, i);
}

static void test_reducer_totals_of_foreign_threads(void **state)
{
	WATCH(60);
	struct skua_pool *pool = pool_of(2);
	struct all all;
	struct adder adders[4];

	(void)state;
	all_open(&all, pool);
	for (uint32_t i = 0; i < 4; i++) {
		adders[i] = (struct adder){ .all = &all, .first = i, .end = 4000 };
		assert_int_equal(
			skuai_thread_start(&adders[i].thread, adder_main, &adders[i], NULL),
			SKUA_OK);
	}
	for (unsigned i = 0; i < 4; i++)
		skuai_thread_join(&adders[i].thread);
	check_totals(&all, 4000);
	all_close(&all);
	pool_end(pool);
}

/* --- what nothing adds up to, and what does not fit --- */

static void test_reducer_of_nothing_is_the_identity(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct all all;
	int64_t number = 7;
	double real = 7;
	struct word word = { 1, 1 };
	uint64_t counts[BUCKETS];
	size_t count = 7;

	(void)state;
	all_open(&all, pool);
	assert_int_equal(skua_sum_int64_total(&all.sum, &number), SKUA_OK);
	assert_int_equal(number, 0);
	assert_int_equal(skua_min_int64_total(&all.min, &number), SKUA_OK);
	assert_true(number == INT64_MAX);
	assert_int_equal(skua_max_int64_total(&all.max, &number), SKUA_OK);
	assert_true(number == INT64_MIN);
	assert_int_equal(skua_sum_double_total(&all.sum_double, &real), SKUA_OK);
	assert_true(real == 0);
	assert_int_equal(skua_min_double_add(&all.min_double, (double)NAN), SKUA_OK);
	assert_int_equal(skua_min_double_total(&all.min_double, &real), SKUA_OK);
	assert_true(real == (double)INFINITY);
	assert_int_equal(skua_max_double_total(&all.max_double, &real), SKUA_OK);
	assert_true(real == -(double)INFINITY);
	assert_int_equal(longest_total(&all.longest, &word), SKUA_OK);
	assert_true(word.length == 0 && word.number == UINT32_MAX);
	memset(counts, 0xff, sizeof(counts));
	assert_int_equal(skua_histogram_total(&all.histogram, counts, BUCKETS), SKUA_OK);
	for (unsigned i = 0; i < BUCKETS; i++)
		assert_int_equal(counts[i], 0);
	assert_int_equal(skua_list_count(&all.list, &count), SKUA_OK);
	assert_int_equal(count, 0);
	assert_int_equal(skua_list_copy(&all.list, NULL, 0), SKUA_OK);
	all_close(&all);
	pool_end(pool);
}

/* Two views, of which one alone is beyond INT64_MAX: the total is right since it fits. */
static void test_reducer_sum_wraps_round(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_sum_int64 sum;
	int64_t total = 0;

	(void)state;
	assert_int_equal(skua_sum_int64_open(&sum, pool), SKUA_OK);
	int64_t *held = skua_sum_int64_lease(&sum);
	assert_non_null(held);
	*held = INT64_MIN;
	assert_int_equal(skua_sum_int64_add(&sum, INT64_MAX), SKUA_OK);
	assert_int_equal(skua_sum_int64_add(&sum, INT64_MAX), SKUA_OK);
	assert_int_equal(skua_sum_int64_total(&sum, &total), SKUA_EBUSY);
	assert_int_equal(total, 0);
	assert_int_equal(skua_sum_int64_reset(&sum), SKUA_EBUSY);
	assert_int_equal(skua_sum_int64_close(&sum), SKUA_EBUSY);
	assert_int_equal(skua_sum_int64_return(&sum, held), SKUA_OK);
	assert_int_equal(skua_sum_int64_return(&sum, held), SKUA_EINVAL);
	assert_int_equal(skua_sum_int64_total(&sum, &total), SKUA_OK);
	assert_true(total == INT64_MAX - 1); /* MIN + MAX + MAX */
	assert_int_equal(skua_sum_int64_close(&sum), SKUA_OK);
	pool_end(pool);
}

/* --- lists --- */

static void count_large(void *context, void *item)
{
	const unsigned char *bytes = item;
	size_t *next = context;

	*next = bytes[0] == (unsigned char)*next && bytes[99999] == bytes[0] ? *next + 1
									     : SIZE_MAX / 2;
}

/* Items of any size, larger than a block too; through one view they stay in order. */
static void test_reducer_list_of_large_and_of_odd_items(void **state)
{
	static unsigned char large[100000];
	static char copy[1000][3];
	struct skua_pool *pool = pool_of(1);
	struct skua_list list;
	size_t next = 0;

	(void)state;
	WATCH(20);
	assert_int_equal(skua_list_open(&list, pool, sizeof(large)), SKUA_OK);
	for (unsigned i = 0; i < 20; i++) {
		memset(large, (int)i, sizeof(large));
		assert_int_equal(skua_list_add(&list, large), SKUA_OK);
	}
	assert_int_equal(skua_list_each(&list, count_large, &next), SKUA_OK);
	assert_int_equal(next, 20);
	assert_int_equal(skua_list_close(&list), SKUA_OK);

	assert_int_equal(skua_list_open(&list, pool, 3), SKUA_OK);
	struct skua_list_view *view = skua_list_lease(&list);
	for (unsigned i = 0; i < 1000; i++) {
		char item[3] = { (char)(i % 100), (char)(i / 100), 'x' };
		assert_int_equal(skua_list_view_add(view, item), SKUA_OK);
	}
	assert_int_equal(skua_list_copy(&list, copy, 1000), SKUA_EBUSY);
	assert_int_equal(skua_list_each(&list, count_large, &next), SKUA_EBUSY);
	assert_int_equal(skua_list_return(&list, view), SKUA_OK);
	assert_int_equal(skua_list_copy(&list, copy, 1000), SKUA_OK);
	for (unsigned i = 0; i < 1000; i++)
		assert_true(copy[i][0] == (char)(i % 100) && copy[i][1] == (char)(i / 100) &&
			    copy[i][2] == 'x');
	assert_int_equal(skua_list_close(&list), SKUA_OK);
	pool_end(pool);
}

/* --- without macros --- */

struct owned {
	char *text;
};

static unsigned owned_alive;

static int owned_init(void *context, void *view)
{
	if (*(bool *)context)
		return -1;
	((struct owned *)view)->text = calloc(1, 100);
	owned_alive++;
	return 0;
}

static void owned_merge(void *context, void *into, const void *view)
{
	(void)context;
	strcat(((struct owned *)into)->text, ((const struct owned *)view)->text);
}

static void owned_fini(void *context, void *view)
{
	(void)context;
	free(((struct owned *)view)->text);
	owned_alive--;
}

static void test_reducer_with_views_that_own_memory(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	bool refuses = false;
	struct skua_reducer reducer;
	struct skua_reducer_options options = { .size = sizeof(options),
						.pool = pool,
						.bytes = sizeof(struct owned),
						.init = owned_init,
						.merge = owned_merge,
						.fini = owned_fini,
						.context = &refuses };
	struct owned total = { NULL };

	(void)state;
	assert_int_equal(skua_reducer_open(&reducer, &options), SKUA_OK);
	struct owned *a = skua_reducer_lease(&reducer), *b = skua_reducer_lease(&reducer);
	strcpy(a->text, "ab");
	strcpy(b->text, "ab");
	assert_int_equal(skua_reducer_total(&reducer, &total), SKUA_EBUSY);
	assert_null(total.text);
	assert_int_equal(skua_reducer_return(&reducer, a), SKUA_OK);
	assert_int_equal(skua_reducer_return(&reducer, b), SKUA_OK);
	refuses = true;
	assert_int_equal(skua_reducer_total(&reducer, &total), SKUA_ENOMEM);
	refuses = false;
	assert_int_equal(skua_reducer_total(&reducer, &total), SKUA_OK);
	assert_string_equal(total.text, "abab");
	assert_int_equal(owned_alive, 3);
	assert_int_equal(skua_reducer_reset(&reducer), SKUA_OK);
	assert_int_equal(owned_alive, 1);
	owned_fini(NULL, &total);
	assert_int_equal(skua_reducer_close(&reducer), SKUA_OK);
	pool_end(pool);
}

/* --- bad input, no memory --- */

static void test_reducer_refuses_bad_input(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_reducer reducer = { .bytes = 1 }, before = reducer;
	struct skua_reducer_options options = { .size = sizeof(options), .pool = pool, .bytes = 8 };
	struct skua_list list = { .item_bytes = 0 };
	struct skua_histogram histogram = { .buckets = 0 };
	uint64_t counts[4];

	(void)state;
	assert_int_equal(skua_reducer_open(&reducer, &options), SKUA_EINVAL); /* no merge */
	options.merge = owned_merge;
	options.size--;
	assert_int_equal(skua_reducer_open(&reducer, &options), SKUA_EINVAL);
	options.size++;
	options.bytes = 0;
	assert_int_equal(skua_reducer_open(&reducer, &options), SKUA_EINVAL);
	assert_int_equal(skua_reducer_open(&reducer, NULL), SKUA_EINVAL);
	assert_int_equal(skua_reducer_open(NULL, &options), SKUA_EINVAL);
	assert_memory_equal(&reducer, &before, sizeof(before));
	assert_int_equal(skua_reducer_total(&reducer, counts), SKUA_EINVAL); /* not open */
	assert_int_equal(skua_sum_int64_open(NULL, pool), SKUA_EINVAL);
	struct skua_sum_int64 closed;
	assert_int_equal(skua_sum_int64_open(&closed, pool), SKUA_OK);
	assert_int_equal(skua_sum_int64_close(&closed), SKUA_OK);
	assert_int_equal(skua_sum_int64_add(&closed, 1), SKUA_EINVAL);

	assert_int_equal(skua_list_open(&list, pool, 0), SKUA_EINVAL);
	assert_int_equal(skua_list_open(&list, pool, SIZE_MAX), SKUA_EINVAL);
	assert_int_equal(skua_list_open(NULL, pool, 8), SKUA_EINVAL);
	assert_int_equal(skua_list_add(&list, counts), SKUA_EINVAL);
	assert_int_equal(skua_list_view_add(NULL, counts), SKUA_EINVAL);
	assert_int_equal(skua_list_close(&list), SKUA_OK);

	assert_int_equal(skua_histogram_open(&histogram, pool, 0), SKUA_EINVAL);
	assert_int_equal(skua_histogram_open(&histogram, pool, SIZE_MAX / 4), SKUA_EINVAL);
	assert_int_equal(skua_histogram_open(NULL, pool, 4), SKUA_EINVAL);
	assert_int_equal(skua_histogram_add(&histogram, 0, 1), SKUA_EINVAL);
	assert_int_equal(skua_histogram_open(&histogram, pool, 4), SKUA_OK);
	assert_int_equal(skua_histogram_add(&histogram, 4, 1), SKUA_EINVAL);
	assert_int_equal(skua_histogram_total(&histogram, counts, 3), SKUA_EINVAL);
	assert_int_equal(skua_histogram_total(&histogram, NULL, 4), SKUA_EINVAL);
	assert_int_equal(skua_histogram_close(&histogram), SKUA_OK);
	assert_int_equal(skua_histogram_add(&histogram, 0, 1), SKUA_EINVAL);
	pool_end(pool);
}

#ifdef SKUA_FAULTS
/* One of each; 0 when all is right, else the code of the refusal. */
static int small_program(struct skua_pool *pool)
{
	struct skua_sum_int64 sum = { { .bytes = 0 } };
	struct skua_list list = { .item_bytes = 0 };
	struct skua_histogram histogram = { .buckets = 0 };
	int64_t total = 0;
	size_t count = 0;
	uint64_t counts[4] = { 0 };
	int added = 0;
	int error = skua_sum_int64_open(&sum, pool);

	error = error ? error : skua_list_open(&list, pool, 8);
	error = error ? error : skua_histogram_open(&histogram, pool, 4);
	error = error ? error : skua_sum_int64_add(&sum, 41);
	for (int64_t i = 0; i < 200 && !error; i++) {
		error = skua_list_add(&list, &i);
		added += !error;
	}
	error = error ? error : skua_histogram_add(&histogram, 3, 7);
	if (added > 0) { /* what was added before is there */
		assert_int_equal(skua_list_count(&list, &count), SKUA_OK);
		assert_int_equal(count, added);
	}
	if (!error) {
		assert_int_equal(skua_sum_int64_total(&sum, &total), SKUA_OK);
		assert_int_equal(total, 41);
		assert_int_equal(skua_histogram_total(&histogram, counts, 4), SKUA_OK);
		assert_int_equal(counts[3], 7);
	}
	assert_int_equal(skua_sum_int64_close(&sum), SKUA_OK); /* also what was never opened */
	assert_int_equal(skua_list_close(&list), SKUA_OK);
	assert_int_equal(skua_histogram_close(&histogram), SKUA_OK);
	return error;
}

static void test_reducer_without_memory(void **state)
{
	WATCH(60);
	struct skua_pool *pool = pool_of(1);
	uint32_t nth = 1;

	(void)state;
	for (int for_ever = 0; for_ever < 2; for_ever++)
		for (nth = 1;; nth++) {
			skuai_fault_disarm();
			skuai_fault_arm(SKUAI_FAULT_MALLOC, nth, for_ever, SKUAI_FAULT_USUAL);
			int error = small_program(pool);
			bool is_over = skuai_fault_calls(SKUAI_FAULT_MALLOC) < nth;
			skuai_fault_disarm();
			assert_int_equal(error, is_over ? SKUA_OK : SKUA_ENOMEM);
			if (is_over)
				break;
		}
	assert_true(nth > 6); /* three opened, three added to, and the list's blocks */
	pool_end(pool);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reducer_totals_of_a_tree),
		cmocka_unit_test(test_reducer_totals_of_foreign_threads),
		cmocka_unit_test(test_reducer_of_nothing_is_the_identity),
		cmocka_unit_test(test_reducer_sum_wraps_round),
		cmocka_unit_test(test_reducer_list_of_large_and_of_odd_items),
		cmocka_unit_test(test_reducer_with_views_that_own_memory),
		cmocka_unit_test(test_reducer_refuses_bad_input),
#ifdef SKUA_FAULTS
		cmocka_unit_test(test_reducer_without_memory),
#endif
	};
	return cmocka_run_group_tests_name("reducer", tests, NULL, NULL);
}
