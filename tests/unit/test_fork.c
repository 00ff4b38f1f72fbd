/* SPDX-License-Identifier: MIT */
/* test_fork.c — fork and join: arguments and results of every shape, depth, breadth, nesting */
#include "unit/test_pool.h"

#include "os/thread.h"

#include <skua/fork.h>

#include <sched.h>
#include <stdlib.h>

static const int worker_counts[] = { 1, 2, 3, 16 };
#define EACH_COUNT(i) (size_t i = 0; i < sizeof(worker_counts) / sizeof(worker_counts[0]); i++)

/* --- every number of arguments --- */

struct wide {
	uint64_t words[5]; /* 40 bytes: as much as a slot holds */
};

SKUA_TASK(int, none)
{
	return 100;
}
SKUA_TASK(int8_t, one, int8_t, a)
{
	return (int8_t)(a + 1);
}
SKUA_TASK(double, two, float, a, double, b)
{
	return (double)a * b;
}
SKUA_TASK(const char *, three, const char *, a, size_t, b, bool, c)
{
	return c ? a + b : NULL;
}
SKUA_TASK(uint64_t, four, uint8_t, a, uint16_t, b, uint32_t, c, uint64_t, d)
{
	return a + b + c + d;
}
SKUA_TASK(long, five, long, a, long, b, long, c, long, d, long, e)
{
	return a - b + c - d + e;
}
SKUA_TASK(int, six, int, a, int, b, int, c, int, d, int, e, int, f)
{
	return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f;
}
SKUA_TASK(int, seven, int, a, int, b, int, c, int, d, int, e, int, f, int, g)
{
	return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f + 1000000 * g;
}
SKUA_TASK(int, eight, int, a, int, b, int, c, int, d, int, e, int, f, int, g, int, h)
{
	return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f + 1000000 * g +
	       10000000 * h;
}
SKUA_TASK(struct wide, widen, struct wide, a)
{
	for (unsigned i = 0; i < 5; i++)
		a.words[i] = ~a.words[i];
	return a;
}
SKUA_TASK_VOID(store_none)
{
}
SKUA_TASK_VOID(store_two, int *, where, int, what)
{
	*where = what;
}

/* Every shape forked, called and joined; how many were right. */
SKUA_TASK(int, all_shapes)
{
	static const char text[] = "abcdef";
	struct wide wide = { { 1, 2, 3, 4, 5 } };
	int stored = 0, right = 0;

	skua_fork(none, h0);
	skua_fork(one, h1, (int8_t)-128);
	skua_fork(two, h2, 1.5f, -4.0);
	skua_fork(three, h3, text, (size_t)3, true);
	skua_fork(four, h4, UINT8_MAX, UINT16_MAX, UINT32_MAX, (uint64_t)1 << 40);
	skua_fork(five, h5, 1L, 20L, 300L, 4000L, 50000L);
	skua_fork(six, h6, 1, 2, 3, 4, 5, 6);
	skua_fork(seven, h7, 1, 2, 3, 4, 5, 6, 7);
	skua_fork(eight, h8, 1, 2, 3, 4, 5, 6, 7, 8);
	skua_fork(widen, hw, wide);
	skua_fork(store_none, hn);
	skua_fork(store_two, hv, &stored, 77);
	sched_yield();
	skua_join(store_two, hv);
	right += stored == 77;
	skua_join(store_none, hn);
	struct wide back = skua_join(widen, hw);
	right += back.words[0] == ~(uint64_t)1 && back.words[4] == ~(uint64_t)5;
	right += skua_join(eight, h8) == 87654321;
	right += skua_join(seven, h7) == 7654321;
	right += skua_join(six, h6) == 654321;
	right += skua_join(five, h5) == 1 - 20 + 300 - 4000 + 50000;
	right += skua_join(four, h4) == 255u + 65535u + 4294967295u + ((uint64_t)1 << 40);
	right += skua_join(three, h3) == text + 3;
	right += skua_join(two, h2) == -6.0;
	right += skua_join(one, h1) == -127;
	right += skua_join(none, h0) == 100;
	right += skua_call(none) == 100 && skua_call(eight, 1, 2, 3, 4, 5, 6, 7, 8) == 87654321;
	skua_call(store_none);
	skua_call(store_two, &stored, 5);
	return right + (stored == 5);
}

static void test_fork_arguments_and_results_of_every_shape(void **state)
{
	(void)state;
	for
		EACH_COUNT(w)
		{
			WATCH(20);
			struct skua_pool *pool = pool_of(worker_counts[w]);
			for (unsigned round = 0; round < 500; round++)
				assert_int_equal(skua_run(pool, all_shapes), 13);
			struct wide wide = skua_run(pool, widen,
						    ((struct wide){ { 9, 8, 7, 6, 5 } }));
			assert_true(wide.words[3] == ~(uint64_t)6);
			int stored = 0;
			skua_run(pool, store_two, &stored, 3);
			skua_run(pool, store_none);
			assert_int_equal(stored, 3);
			assert_int_equal(skua_run(pool, none), 100);
			pool_end(pool);
		}
}

/* --- a task declared before, defined after; as a header and its file would --- */

SKUA_TASK_DECLARE(long, far_sum, long, from, long, to);
SKUA_TASK_DECLARE_VOID(far_store, long *, where, long, what);

SKUA_TASK(long, use_far, long, n)
{
	long stored = 0;
	skua_fork(far_sum, low, 0L, n);
	skua_fork(far_store, store, &stored, n);
	long high = skua_call(far_sum, n, 2 * n);
	skua_join(far_store, store);
	return skua_join(far_sum, low) + high + stored;
}

SKUA_TASK_DEFINE(long, far_sum, long, from, long, to)
{
	if (to - from < 10) {
		long sum = 0;
		for (long i = from; i < to; i++)
			sum += i;
		return sum;
	}
	long middle = from + (to - from) / 2;
	skua_fork(far_sum, low, from, middle);
	long high = skua_call(far_sum, middle, to);
	return skua_join(far_sum, low) + high;
}

SKUA_TASK_DEFINE(void, far_store, long *, where, long, what)
{
	*where = what;
}

static void test_fork_declared_and_defined_apart(void **state)
{
	WATCH(20);
	(void)state;
	struct skua_pool *pool = pool_of(2);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(skua_run(pool, use_far, 5000L), 9999L * 10000 / 2 + 5000);
	assert_int_equal(skua_run(pool, far_sum, 0L, 100L), 4950);
	pool_end(pool);
}

/* --- without macros --- */

struct span {
	const uint32_t *first;
	size_t count;
	uint64_t sum;
};

static void sum_span(struct skua_slot *skua_here, void *argument)
{
	struct span *span = argument;

	if (span->count <= 16) {
		for (size_t i = 0; i < span->count; i++)
			span->sum += span->first[i];
		return;
	}
	size_t half = span->count / 2;
	struct span low = { span->first, half, 0 };
	struct span high = { span->first + half, span->count - half, 0 };
	skua_join_pair(skua_here, sum_span, &low, sum_span, &high);
	span->sum = low.sum + high.sum;
}

static void test_fork_pairs(void **state)
{
	static uint32_t numbers[10000];
	uint64_t expected = 0;

	(void)state;
	for (uint32_t i = 0; i < 10000; i++)
		expected += numbers[i] = i * 2654435761u;
	for
		EACH_COUNT(w)
		{
			WATCH(20);
			struct skua_pool *pool = pool_of(worker_counts[w]);
			for (unsigned round = 0; round < 100; round++) {
				struct span low = { numbers, 3333, 0 };
				struct span high = { numbers + 3333, 10000 - 3333, 0 };
				skua_run_pair(pool, sum_span, &low, sum_span, &high);
				assert_int_equal(low.sum + high.sum, expected);
			}
			pool_end(pool);
		}
}

/* --- depth and breadth --- */

SKUA_TASK(long, chain, long, depth)
{
	if (depth == 0)
		return 0;
	skua_fork(chain, below, depth - 1);
	return skua_join(chain, below) + 1;
}

SKUA_TASK(long, chain_called, long, depth, uintptr_t *, lowest)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (*lowest > here)
		*lowest = here;
	if (depth == 0)
		return 0;
	skua_fork(none, side);
	long below = skua_call(chain_called, depth - 1, lowest);
	return skua_join(none, side) - 99 + below;
}

struct deep {
	long joined, called, bytes;
};

static void go_deep(struct skua_slot *skua_here, void *argument)
{
	struct deep *deep = argument;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), lowest = here;
	long depth = deep->joined;

	deep->joined = skua_call(chain, depth);
	deep->called = skua_call(chain_called, depth, &lowest);
	deep->bytes = (long)(here - lowest);
}

/* 10^5 levels on a worker's thread with its default stack, and as many waiting forks. */
static void test_fork_deep_chains(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 3; workers += 2) {
		WATCH(30);
		struct skua_pool *pool = pool_of(workers);
		long depth = SLOW_BUILD ? 20000 : 100000;
		struct deep deep = { .joined = depth };
		struct skua_job job = SKUA_JOB(go_deep, &deep);
		assert_int_equal(skua_submit(pool, &job), SKUA_OK);
		assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
		assert_int_equal(deep.joined, depth);
		assert_int_equal(deep.called, depth);
		print_message("%d workers: %ld levels took %ld bytes of stack each\n", workers,
			      depth, deep.bytes / depth);
		pool_end(pool);
	}
}

SKUA_TASK(uint64_t, sibling, uint64_t, id)
{
	return id * 0x9e3779b97f4a7c15u ^ id >> 7;
}

SKUA_TASK(uint64_t, many_siblings, uint64_t, count, skua_forked(sibling) *, handles)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		skua_fork_into(sibling, handles[i], i);
	for (uint64_t i = count; i-- > 0;)
		sum += skua_join(sibling, handles[i]);
	return sum;
}

static void test_fork_million_siblings(void **state)
{
	uint64_t count = SLOW_BUILD ? 100000 : 1000000, expected = 0;
	skua_forked(sibling) *handles = malloc(count * sizeof(*handles));

	(void)state;
	assert_non_null(handles);
	for (uint64_t i = 0; i < count; i++)
		expected += i * 0x9e3779b97f4a7c15u ^ i >> 7;
	for
		EACH_COUNT(w)
		{
			WATCH(30);
			struct skua_pool *pool = pool_of(worker_counts[w]);
			assert_true(skua_run(pool, many_siblings, count, handles) == expected);
			pool_end(pool);
		}
	free(handles);
}

/* --- skua_run inside a task, from a function that was not told where it stands --- */

static long plain_function(struct skua_pool *pool, int n)
{
	return skua_run(pool, fib, n);
}

SKUA_TASK(long, nested, struct skua_pool *, pool, int, depth)
{
	if (depth == 0)
		return plain_function(pool, 12);
	skua_fork(fib, side, 10);
	skua_fork(nested, below, pool, depth - 1);
	long here = plain_function(pool, 10);
	long sum = skua_join(nested, below);
	return sum + (skua_join(fib, side) == here ? 0 : 1000000);
}

static void test_fork_run_inside_a_task(void **state)
{
	(void)state;
	for
		EACH_COUNT(w)
		{
			WATCH(20);
			struct skua_pool *pool = pool_of(worker_counts[w]);
			for (unsigned round = 0; round < 100; round++)
				assert_int_equal(skua_run(pool, nested, pool, 20), 144);
			pool_end(pool);
		}
}

static void test_fork_fib(void **state)
{
	(void)state;
	for
		EACH_COUNT(w)
		{
			WATCH(20);
			struct skua_pool *pool = pool_of(worker_counts[w]);
			assert_int_equal(skua_run(pool, fib, SLOW_BUILD ? 20 : 27),
					 SLOW_BUILD ? 6765 : 196418);
			pool_end(pool);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fork_arguments_and_results_of_every_shape),
		cmocka_unit_test(test_fork_declared_and_defined_apart),
		cmocka_unit_test(test_fork_pairs),
		cmocka_unit_test(test_fork_deep_chains),
		cmocka_unit_test(test_fork_million_siblings),
		cmocka_unit_test(test_fork_run_inside_a_task),
		cmocka_unit_test(test_fork_fib),
	};
	return cmocka_run_group_tests_name("fork", tests, NULL, NULL);
}
