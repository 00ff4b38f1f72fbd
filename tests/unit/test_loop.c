/* SPDX-License-Identifier: MIT */
/* test_loop.c — skua_for: every index once, whoever runs it; errors, deadlines, how far it got */
#include "unit/test_pool.h"

#include "base/fault.h"

#include <skua/loop.h>

#include <pthread.h>

static const int worker_counts[] = { 1, 2, 3, 8, 64 };
#define WIDTHS (sizeof(worker_counts) / sizeof(worker_counts[0]))

/* --- every index once --- */

struct marks {
	_Atomic uint8_t *of; /* how often each index was run */
	uint64_t from;
	uint64_t heavy;	 /* this one takes a while */
	uint64_t weight; /* turns of the others */
};

SKUA_LOOP(mark, struct marks *, marks, i)
{
	skua_add(&marks->of[i - marks->from], 1, relaxed);
	if (i == marks->heavy)
		spin_for(200000);
	for (uint64_t turn = 0; turn < marks->weight; turn++)
		__asm__ volatile("" : : : "memory");
}

/* The first index that was not run once, or n. */
static uint64_t flaw_of(const struct marks *marks, uint64_t n)
{
	uint64_t i = 0;

	while (i < n && skua_load(&marks->of[i], relaxed) == 1)
		i++;
	return i;
}

static void expect_each_once(struct skua_pool *pool, uint64_t from, uint64_t n, uint64_t weight,
			     const struct skua_loop_options *options)
{
	struct marks marks = { calloc(n + 1, 1), from, from + n / 3, weight };

	assert_non_null(marks.of);
	int error = skua_for(pool, from, from + n, mark, &marks, options);
	if (error || flaw_of(&marks, n) != n)
		fail_msg("%d workers, %llu from %llu: error %d, index %llu",
			 (int)skua_pool_workers(pool), (unsigned long long)n,
			 (unsigned long long)from, error, (unsigned long long)flaw_of(&marks, n));
	free(marks.of);
}

static void test_loop_each_index_once(void **state)
{
	static const uint64_t counts[] = { 0, 1, 2, 3, 7, 64, 100, 1000, 4097, 100003 };

	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (unsigned c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
			expect_each_once(pool, 0, counts[c], 0, NULL);
			expect_each_once(pool, UINT64_MAX - counts[c], counts[c], 20, NULL);
			expect_each_once(pool, 5, counts[c], 0,
					 &(struct skua_loop_options){
						 .size = sizeof(struct skua_loop_options),
						 .grain = 1 + test_random() % 50 });
		}
		pool_end(pool);
	}
}

static void test_loop_reversed_is_empty(void **state)
{
	struct marks marks = { 0 };
	struct skua_reach reach = { 1, 1 };
	struct skua_loop_options options = { .size = sizeof(options), .reach = &reach };

	(void)state;
	assert_int_equal(skua_for(NULL, 9, 3, mark, &marks, &options), SKUA_OK);
	assert_int_equal(reach.first, 9);
	assert_int_equal(reach.count, 0);
	assert_int_equal(skua_for(NULL, 9, 9, mark, &marks, NULL), SKUA_OK);
}

static int count_all(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument)
{
	(void)skua_here;
	skua_add((_Atomic uint64_t *)argument, hi - lo, relaxed);
	return 0;
}

static void test_loop_of_2_to_40(void **state)
{
	_Atomic uint64_t total = 0;

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	assert_int_equal(skua_for(pool, 0, (uint64_t)1 << 40, count_all, &total, NULL), SKUA_OK);
	assert_true(skua_load(&total, relaxed) == (uint64_t)1 << 40);
	pool_end(pool);
}

/* --- nested, and from everywhere --- */

struct table {
	_Atomic uint32_t sum;
	uint64_t width;
};

SKUA_LOOP(inner, struct table *, table, i)
{
	skua_add(&table->sum, (uint32_t)i, relaxed);
}

SKUA_LOOP_TRY(outer, struct table *, table, i)
{
	(void)i;
	return skua_for(skua_here, 0, table->width, inner, table, NULL);
}

static void test_loop_nested(void **state)
{
	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		struct table table = { .width = 100 };
		assert_int_equal(skua_for(pool, 0, 300, outer, &table, NULL), SKUA_OK);
		assert_int_equal(skua_load(&table.sum, relaxed), 300 * 4950);
		pool_end(pool);
	}
}

SKUA_LOOP(forker, _Atomic uint32_t *, sum, i)
{
	(void)i;
	skua_fork(fib, a, 9);
	long b = skua_call(fib, 8);
	skua_add(sum, (uint32_t)(skua_join(fib, a) + b), relaxed);
}

static void test_loop_body_forks(void **state)
{
	_Atomic uint32_t sum = 0;

	(void)state;
	WATCH(60);
	struct skua_pool *pool = pool_of(3);
	assert_int_equal(skua_for(pool, 0, 1000, forker, &sum, NULL), SKUA_OK);
	assert_int_equal(skua_load(&sum, relaxed), 1000 * 55);
	pool_end(pool);
}

static int loop_in_task(struct skua_slot *skua_here, void *argument)
{
	return skua_for(skua_here, 0, 1000, inner, argument, NULL);
}

static void test_loop_in_tasks_and_other_pools(void **state)
{
	struct table table = { 0 };
	struct skua_group group;

	(void)state;
	WATCH(60);
	struct skua_pool *pool = pool_of(2);
	struct skua_group_options options = { .size = sizeof(options), .pool = pool };
	assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
	for (int i = 0; i < 50; i++)
		assert_int_equal(skua_go(&group, loop_in_task, (void *)&table), SKUA_OK);
	assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&table.sum, relaxed), 50 * 499500);
	pool_end(pool);
}

/* --- an idle worker gets its share --- */

struct shares {
	_Atomic uint32_t others;
	pthread_t caller;
};

SKUA_LOOP(share, struct shares *, shares, i)
{
	(void)i;
	spin_for(100000);
	if (!pthread_equal(pthread_self(), shares->caller))
		skua_add(&shares->others, 1, relaxed);
}

static void test_loop_is_shared(void **state)
{
	(void)state;
	WATCH(60);
	struct skua_pool *pool = pool_of(2);
	struct shares shares = { .caller = pthread_self() };
	/* A hundred milliseconds: whoever idles has been woken long before that is over.  On a busy
	 * machine it may not have had a processor yet; then once more. */
	for (unsigned i = 0; i < 100 && !skua_load(&shares.others, relaxed); i++)
		assert_int_equal(skua_for(pool, 0, 1000, share, &shares, NULL), SKUA_OK);
	assert_int_not_equal(skua_load(&shares.others, relaxed), 0);
	pool_end(pool);
}

/* --- errors --- */

struct stopped {
	uint64_t at;
	_Atomic uint64_t run;
	struct skua_group *group;
};

SKUA_LOOP_TRY(stop_at, struct stopped *, stopped, i)
{
	if (i == stopped->at) {
		if (!stopped->group)
			return -1234;
		skua_group_cancel(stopped->group, SKUA_ECANCELED);
	}
	skua_add(&stopped->run, 1, relaxed);
	return 0;
}

static void test_loop_error_stops_it(void **state)
{
	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		struct stopped stopped = { .at = 50000 };
		struct skua_reach reach;
		struct skua_loop_options options = { .size = sizeof(options), .reach = &reach };
		assert_int_equal(skua_for(pool, 0, 100000, stop_at, &stopped, &options), -1234);
		assert_true(reach.first <= 50000);
		assert_true(reach.first <= reach.count && reach.count < 100000);
		/* More may have run than is told: those of a call that failed do not count. */
		assert_true(reach.count <= skua_load(&stopped.run, relaxed));
		pool_end(pool);
	}
}

static void test_loop_stops_with_its_group(void **state)
{
	struct skua_group group;
	struct stopped stopped = { .at = 1000, .group = &group };
	struct skua_reach reach;
	struct skua_loop_options options = { .size = sizeof(options),
					     .reach = &reach,
					     .group = &group };

	(void)state;
	WATCH(60);
	struct skua_pool *pool = pool_of(2);
	struct skua_group_options of_group = { .size = sizeof(of_group), .pool = pool };
	assert_int_equal(skua_group_open(&group, &of_group), SKUA_OK);
	assert_int_equal(skua_for(pool, 0, (uint64_t)1 << 40, stop_at, &stopped, &options),
			 SKUA_ECANCELED);
	assert_true(reach.first >= 1000 || reach.count > 0);
	assert_true(reach.count <= skua_load(&stopped.run, relaxed));
	/* It was cancelled before: nothing begins. */
	assert_int_equal(skua_for(pool, 7, 100, stop_at, &stopped, &options), SKUA_ECANCELED);
	assert_int_equal(reach.first, 7);
	assert_int_equal(reach.count, 0);
	skua_group_wait(&group, SKUA_FOREVER);
	pool_end(pool);
}

static void test_loop_deadline(void **state)
{
	struct shares shares = { .caller = pthread_self() };
	struct skua_reach reach;
	struct skua_loop_options options = { .size = sizeof(options), .reach = &reach };

	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		options.deadline = skua_clock_ns() + 5 * MILLISECOND;
		assert_int_equal(skua_for(pool, 0, 1000000, share, &shares, &options),
				 SKUA_ETIMEDOUT);
		assert_true(reach.count < 1000000);
		options.deadline = skua_clock_ns() - 1;
		assert_int_equal(skua_for(pool, 3, 1000, share, &shares, &options), SKUA_ETIMEDOUT);
		assert_int_equal(reach.first, 3);
		assert_int_equal(reach.count, 0);
		pool_end(pool);
	}
}

/* --- refusals --- */

static void test_loop_refuses(void **state)
{
	struct skua_loop_options good = { .size = sizeof(good) }, bad = { 0 };
	struct marks marks = { 0 };

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	assert_int_equal(skua_for(pool, 0, 9, NULL, &marks, NULL), SKUA_EINVAL);
	assert_int_equal(skua_for(pool, 0, 9, mark, &marks, &bad), SKUA_EINVAL);
	bad = good;
	bad.deadline = -1;
	assert_int_equal(skua_for(pool, 0, 9, mark, &marks, &bad), SKUA_EINVAL);
	bad = good;
	bad.priority = (enum skua_priority)3;
	assert_int_equal(skua_for(pool, 0, 9, mark, &marks, &bad), SKUA_EINVAL);
	bad = good;
	bad.grain = UINT64_MAX;
	expect_each_once(pool, 0, 1000, 0, &bad);
	pool_end(pool);
}

static void test_loop_without_a_pool(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	WATCH(20);
	skuai_fault_arm(SKUAI_FAULT_THREAD, 1, true, SKUAI_FAULT_USUAL);
	expect_each_once(NULL, 0, 100000, 0, NULL);
	skuai_fault_disarm();
	expect_each_once(NULL, 0, 100000, 0, NULL);
	assert_int_equal(skua_pool_close(NULL, SKUA_CLOSE_DRAIN), SKUA_OK);
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loop_each_index_once),
		cmocka_unit_test(test_loop_reversed_is_empty),
		cmocka_unit_test(test_loop_of_2_to_40),
		cmocka_unit_test(test_loop_nested),
		cmocka_unit_test(test_loop_body_forks),
		cmocka_unit_test(test_loop_in_tasks_and_other_pools),
		cmocka_unit_test(test_loop_is_shared),
		cmocka_unit_test(test_loop_error_stops_it),
		cmocka_unit_test(test_loop_stops_with_its_group),
		cmocka_unit_test(test_loop_deadline),
		cmocka_unit_test(test_loop_refuses),
		cmocka_unit_test(test_loop_without_a_pool),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
