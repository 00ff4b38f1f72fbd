/* SPDX-License-Identifier: MIT */
/* test_invoke.c — several functions at once: each one called, the first error, refusals */
#include "test_pool.h"

#include "base/fault.h"

#include <skua/invoke.h>

static const int worker_counts[] = { 1, 2, 3, 8, 64 };
#define WORKER_COUNTS (sizeof(worker_counts) / sizeof(worker_counts[0]))
#define CALLS_MOST    1000

/* What a call is given, and what it leaves. */
struct errand {
	unsigned called; /* plain: each is called by one thread */
	long result;
	int error;
	struct skua_group *cancelled;
};

static struct errand errands[CALLS_MOST];
static struct skua_call calls[CALLS_MOST];

static int run_errand(struct skua_slot *skua_here, void *argument)
{
	struct errand *errand = argument;

	errand->called++;
	errand->result = skua_here ? skua_call(fib, 8) : 21;
	if (errand->cancelled)
		skua_group_cancel(errand->cancelled, SKUA_ECANCELED);
	return errand->error;
}

static void prepare(size_t count)
{
	memset(errands, 0, sizeof(errands));
	for (size_t i = 0; i < count; i++)
		calls[i] = (struct skua_call){ run_errand, &errands[i] };
}

static size_t called(size_t count)
{
	size_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		assert_in_range(errands[i].called, 0, 1);
		sum += errands[i].called;
	}
	return sum;
}

static void expect_each_once(struct skua_pool *pool, size_t count)
{
	struct skua_reach reach = { 7, 7 };
	struct skua_loop_options options = { .size = sizeof(options), .reach = &reach };

	prepare(count);
	assert_int_equal(skua_invoke(pool, calls, count, &options), SKUA_OK);
	assert_int_equal(called(count), count);
	assert_int_equal(reach.first, count);
	assert_int_equal(reach.count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(errands[i].result, 21);
}

static void test_invoke_each_once(void **state)
{
	(void)state;
	WATCH(20);
	for (size_t w = 0; w < WORKER_COUNTS; w++) {
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (size_t count = 0; count < 40; count++)
			expect_each_once(pool, count);
		expect_each_once(pool, CALLS_MOST);
		pool_end(pool);
	}
	expect_each_once(NULL, 3);
	assert_int_equal(skua_invoke(NULL, NULL, 0, NULL), SKUA_OK);
}

/* Each waits until all have begun: they run at the same time, or never end. */
static int meet(struct skua_slot *skua_here, void *argument)
{
	_Atomic uint32_t *here = argument;

	(void)skua_here;
	skua_add(here, 1, relaxed);
	return reaches(here, 4) ? SKUA_OK : SKUA_ETIMEDOUT;
}

static void test_invoke_at_once(void **state)
{
	(void)state;
	WATCH(30);
	struct skua_pool *pool = pool_of(4);
	expect_each_once(pool, 2); /* short ones before: those after must be offered all the same */
	for (int round = 0; round < 20; round++) {
		_Atomic uint32_t here = 0;
		assert_int_equal(skua_invoke(pool,
					     SKUA_CALLS({ meet, &here }, { meet, &here },
							{ meet, &here }, { meet, &here }),
					     NULL),
				 SKUA_OK);
	}
	pool_end(pool);
}

/* From a task, with skua_here; inside one another. */
struct tower {
	_Atomic uint32_t leaves;
	unsigned depth;
};

static int build(struct skua_slot *skua_here, void *argument)
{
	struct tower *above = argument;

	if (above->depth == 0) {
		skua_add(&above->leaves, 1, relaxed);
		return SKUA_OK;
	}
	struct tower below = { .depth = above->depth - 1 };
	int error = skua_invoke(skua_here,
				SKUA_CALLS({ build, &below }, { build, &below }, { build, &below }),
				NULL);
	skua_add(&above->leaves, skua_load(&below.leaves, relaxed), relaxed);
	return error;
}

static void test_invoke_nested(void **state)
{
	(void)state;
	WATCH(20);
	for (size_t w = 0; w < WORKER_COUNTS; w++) {
		struct skua_pool *pool = pool_of(worker_counts[w]);
		struct tower tower = { .depth = 6 };
		assert_int_equal(skua_invoke(pool, SKUA_CALLS({ build, &tower }), NULL), SKUA_OK);
		assert_int_equal(skua_load(&tower.leaves, relaxed), 729);
		pool_end(pool);
	}
}

static void test_invoke_error(void **state)
{
	(void)state;
	WATCH(20);
	for (size_t w = 0; w < WORKER_COUNTS; w++) {
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (size_t bad = 0; bad < 50; bad++) {
			struct skua_reach reach;
			struct skua_loop_options options = { .size = sizeof(options),
							     .reach = &reach };
			prepare(50);
			errands[bad].error = -1500;
			assert_int_equal(skua_invoke(pool, calls, 50, &options), -1500);
			assert_int_equal(errands[bad].called, 1);
			assert_int_equal(called(50), reach.count + 1);
			assert_true(reach.first <= bad);
			for (size_t i = 0; i < reach.first; i++)
				assert_int_equal(errands[i].called, 1);
			if (worker_counts[w] == 1)
				assert_int_equal(reach.count, bad);
		}
		pool_end(pool);
	}
}

static void test_invoke_stops(void **state)
{
	struct skua_group group;
	struct skua_reach reach;
	struct skua_loop_options options = { .size = sizeof(options), .reach = &reach };

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_group_options of_group = { .size = sizeof(of_group), .pool = pool };
	prepare(9);
	options.deadline = skua_clock_ns() - 1;
	assert_int_equal(skua_invoke(pool, calls, 9, &options), SKUA_ETIMEDOUT);
	assert_int_equal(called(9), 0);
	options.deadline = 0;
	options.group = &group;
	errands[4].cancelled = &group;
	assert_int_equal(skua_group_open(&group, &of_group), SKUA_OK);
	assert_int_equal(skua_invoke(pool, calls, 9, &options), SKUA_ECANCELED);
	assert_int_equal(called(9), 5);
	assert_int_equal(reach.first, 5);
	assert_int_equal(reach.count, 5);
	assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_ECANCELED);
	pool_end(pool);
}

static void test_invoke_refuses(void **state)
{
	struct skua_loop_options options = { .size = sizeof(options), .deadline = -1 };

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	prepare(3);
	assert_int_equal(skua_invoke(pool, NULL, 1, NULL), SKUA_EINVAL);
	assert_int_equal(skua_invoke(pool, calls, 3, &options), SKUA_EINVAL);
	calls[2].run = NULL;
	assert_int_equal(skua_invoke(pool, calls, 3, NULL), SKUA_EINVAL);
	assert_int_equal(called(3), 0);
	assert_int_equal(skua_invoke(pool, calls, 2, NULL), SKUA_OK);
	pool_end(pool);
}

static void test_invoke_without_a_pool(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	WATCH(20);
	assert_int_equal(skua_pool_close(NULL, SKUA_CLOSE_DRAIN), SKUA_OK);
	skuai_fault_arm(SKUAI_FAULT_THREAD, 1, true, SKUAI_FAULT_USUAL);
	expect_each_once(NULL, 33);
	skuai_fault_disarm();
	expect_each_once(NULL, 33);
	assert_int_equal(skua_pool_close(NULL, SKUA_CLOSE_DRAIN), SKUA_OK);
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_invoke_each_once),      cmocka_unit_test(test_invoke_at_once),
		cmocka_unit_test(test_invoke_nested),	      cmocka_unit_test(test_invoke_error),
		cmocka_unit_test(test_invoke_stops),	      cmocka_unit_test(test_invoke_refuses),
		cmocka_unit_test(test_invoke_without_a_pool),
	};
	return cmocka_run_group_tests_name("invoke", tests, NULL, NULL);
}
