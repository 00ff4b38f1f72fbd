/* SPDX-License-Identifier: MIT */
/* test_pool_several.c — the default pool, several pools at once, pools that call each other */
#include "unit/test_pool.h"

#include "os/thread.h"

#include <skua/fork.h>
#include <skua/job.h>

#include <stdlib.h>

/* --- the default pool --- */

static void test_pool_default_opens_closes_and_opens_again(void **state)
{
	WATCH(30);
	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		assert_int_equal(skua_pool_close(NULL, SKUA_CLOSE_DRAIN), SKUA_OK); /* none yet */
		assert_int_equal(skua_run(NULL, fib, 15), 610);
		assert_true(skua_pool_workers(NULL) >= 1);
		assert_int_equal(skua_pool_self(NULL), -1);
		assert_true(stats_of(NULL).tasks >= 1);
		assert_int_equal(
			skua_pool_close(NULL, round % 2 ? SKUA_CLOSE_CANCEL : SKUA_CLOSE_DRAIN),
			SKUA_OK);
	}
}

static void run_default(void *argument)
{
	*(long *)argument = skua_run(NULL, fib, 15);
}

/* Several threads use it for the first time at once: one pool is opened. */
static void test_pool_default_first_used_by_many(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 30; round++) {
		WATCH(20);
		struct skuai_thread threads[6];
		long results[6] = { 0 };
		for (unsigned i = 0; i < 6; i++)
			assert_int_equal(
				skuai_thread_start(&threads[i], run_default, &results[i], NULL),
				SKUA_OK);
		for (unsigned i = 0; i < 6; i++) {
			skuai_thread_join(&threads[i]);
			assert_int_equal(results[i], 610);
		}
		assert_int_equal(skua_pool_close(NULL, SKUA_CLOSE_DRAIN), SKUA_OK);
	}
}

static void test_pool_default_obeys_the_environment(void **state)
{
	WATCH(20);
	(void)state;
	setenv("SKUA_WORKERS", "7", 1);
	assert_int_equal(skua_pool_workers(NULL), 7);
	struct skua_pool *pool = pool_of(0);
	assert_int_equal(skua_pool_workers(pool), 7);
	pool_end(pool);
	pool = pool_of(2); /* the program's word goes first */
	assert_int_equal(skua_pool_workers(pool), 2);
	pool_end(pool);
	assert_int_equal(skua_pool_close(NULL, SKUA_CLOSE_DRAIN), SKUA_OK);
	setenv("SKUA_WORKERS", "many", 1);
	assert_int_equal(skua_run(NULL, fib, 10), 55);
	assert_int_equal(skua_pool_close(NULL, SKUA_CLOSE_DRAIN), SKUA_OK);
	unsetenv("SKUA_WORKERS");
}

/* --- pools that call each other --- */

static struct skua_pool *pools[3];

static void open_pools(int a, int b, int c)
{
	pools[0] = pool_of(a);
	pools[1] = pool_of(b);
	pools[2] = c ? pool_of(c) : NULL;
}

static void close_pools(void)
{
	for (unsigned i = 0; i < 3; i++)
		if (pools[i])
			pool_end(pools[i]);
}

SKUA_TASK(long, to_and_fro, unsigned, at, unsigned, depth, unsigned, count)
{
	if (depth == 0)
		return 1;
	unsigned next = (at + 1) % count;
	skua_fork(fib, side, 3);
	long there = skua_run(pools[next], to_and_fro, next, depth - 1, count);
	return there + (skua_join(fib, side) == 2 ? 0 : 1000000);
}

struct caller {
	struct skuai_thread thread;
	unsigned first, depth, count;
	uint64_t rounds, wrong;
};

static void call_to_and_fro(void *argument)
{
	struct caller *caller = argument;

	for (uint64_t i = 0; i < caller->rounds; i++)
		caller->wrong += skua_run(pools[caller->first], to_and_fro, caller->first,
					  caller->depth, caller->count) != 1;
}

static void call_both_ways(unsigned callers, unsigned depth, unsigned count, uint64_t rounds)
{
	struct caller calls[6];

	for (unsigned i = 0; i < callers; i++) {
		calls[i] = (struct caller){
			.first = i % count, .depth = depth, .count = count, .rounds = rounds
		};
		assert_int_equal(
			skuai_thread_start(&calls[i].thread, call_to_and_fro, &calls[i], NULL),
			SKUA_OK);
	}
	for (unsigned i = 0; i < callers; i++) {
		skuai_thread_join(&calls[i].thread);
		assert_int_equal(calls[i].wrong, 0);
	}
}

static void test_pool_two_pools_call_each_other(void **state)
{
	static const int sizes[][2] = { { 1, 1 }, { 1, 2 }, { 2, 2 }, { 3, 1 } };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		WATCH(60);
		open_pools(sizes[i][0], sizes[i][1], 0);
		call_both_ways(2, 2, 2, test_rounds(SLOW_BUILD ? 200 : 2500));
		call_both_ways(4, 5, 2, test_rounds(SLOW_BUILD ? 20 : 300));
		close_pools();
	}
}

static void test_pool_two_pools_call_each_other_deeply(void **state)
{
	WATCH(60);
	(void)state;
	open_pools(1, 1, 0);
	call_both_ways(2, 100, 2, 20);
	call_both_ways(4, 100, 2, 20);
	close_pools();
}

static void test_pool_three_pools_nested(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 2; workers++) {
		WATCH(60);
		open_pools(workers, 1, workers);
		call_both_ways(1, 9, 3, 200);
		call_both_ways(6, 7, 3, test_rounds(SLOW_BUILD ? 10 : 100));
		close_pools();
	}
}

/* A tree with halves in either pool: joins wait in one for what runs in the other. */
SKUA_TASK(unsigned, leaves, unsigned, depth)
{
	if (depth == 0)
		return 1;
	skua_fork(leaves, near, depth - 1);
	unsigned far = skua_run(pools[depth % 2], leaves, depth - 1);
	return skua_join(leaves, near) + far;
}

static void test_pool_tree_across_two_pools(void **state)
{
	static const int sizes[][2] = { { 1, 1 }, { 2, 1 }, { 2, 2 }, { 3, 3 } };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		WATCH(60);
		open_pools(sizes[i][0], sizes[i][1], 0);
		for (uint64_t round = 0; round < test_rounds(SLOW_BUILD ? 5 : 40); round++)
			assert_int_equal(skua_run(pools[round % 2], leaves, 10), 1024);
		close_pools();
	}
}

/* --- jobs of one pool, waited for in the other --- */

static void do_nothing(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	*(int *)argument += 1;
}

/* Submits to the first pool, of which this thread is a worker further out, and waits. */
SKUA_TASK(int, submit_back)
{
	int runs = 0;
	struct skua_job job = SKUA_JOB(do_nothing, &runs);

	if (skua_submit(pools[0], &job) || skua_job_wait(&job, SKUA_FOREVER))
		return -1;
	return runs;
}

SKUA_TASK(int, go_over)
{
	return skua_run(pools[1], submit_back);
}

static void test_pool_wait_inside_for_a_job_of_the_outer_pool(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 2; workers++) {
		WATCH(20);
		open_pools(workers, 1, 0);
		for (unsigned round = 0; round < 100; round++)
			assert_int_equal(skua_run(pools[0], go_over), 1);
		close_pools();
	}
}

/* --- many at once --- */

static void test_pool_many_pools_at_once(void **state)
{
	WATCH(30);
	struct skua_pool *many[20];

	(void)state;
	for (int i = 0; i < 20; i++)
		many[i] = pool_of(1 + i % 3);
	for (unsigned round = 0; round < 10; round++)
		for (int i = 0; i < 20; i++)
			assert_int_equal(skua_run(many[i], fib, 12), 144);
	for (int i = 0; i < 20; i++)
		pool_end(many[(i * 7) % 20]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pool_default_opens_closes_and_opens_again),
		cmocka_unit_test(test_pool_default_first_used_by_many),
		cmocka_unit_test(test_pool_default_obeys_the_environment),
		cmocka_unit_test(test_pool_two_pools_call_each_other),
		cmocka_unit_test(test_pool_three_pools_nested),
		cmocka_unit_test(test_pool_tree_across_two_pools),
		cmocka_unit_test(test_pool_many_pools_at_once),
		cmocka_unit_test(test_pool_two_pools_call_each_other_deeply),
		cmocka_unit_test(test_pool_wait_inside_for_a_job_of_the_outer_pool),
	};
	return cmocka_run_group_tests_name("pool_several", tests, NULL, NULL);
}
