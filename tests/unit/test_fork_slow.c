/* SPDX-License-Identifier: MIT */
/* test_fork_slow.c — the slow ways of fork and join: nothing live is lost, long tasks are robbed */
#include "unit/test_pool.h"

#include "os/thread.h"
#include "sched/worker.h"

#include <stdlib.h>

/* --- somebody asks all the time: every fork and join goes the slow way --- */

/*
 * What skuai_forks_ask does, inlined: a call here would make the compiler put away what is live,
 * and then nothing would be left for the slow half to spoil.
 */
#define ASKED()                                                                              \
	do {                                                                                 \
		struct skuai_forks *forks = (struct skuai_forks *)(void *)skua_here->bounds; \
		skua_add(&forks->want, 1, relaxed);                                          \
		skua_store(&forks->bounds.limit, NULL, relaxed);                             \
		skua_store(&forks->bounds.joinlo, (struct skua_slot *)UINTPTR_MAX, relaxed); \
	} while (0)

/* More live values than there are registers, of every kind, across forks and joins. */
SKUA_TASK(uint64_t, busy, uint64_t, n, uint64_t, x)
{
	uint64_t a = x * 3, b = x ^ 0x1234, c = x + n, d = x >> 3, e = ~x, f = x * x, g = n * 77;
	uint64_t i = x % 1009, j = x - 5, k = x | 1, l = n ^ x;
	double p = (double)(x % 1000) * 0.5, q = p + 1.25, r = p * 3.0, s = q - r, t = p * q;
	double u = r + s, v = t - u, w = v * 0.25;
	float y = (float)(x % 100) * 0.125f, z = y + 8.0f;
	long double ld = (long double)(x % 10000) + 0.5L, le = ld * 3.0L;

	if (n < 2)
		return a ^ b ^ c ^ d ^ e ^ f ^ g ^ i ^ j ^ k ^ l ^
		       (uint64_t)(int64_t)((p + q + r + s + t + u + v + w) * 64.0) ^
		       (uint64_t)(int64_t)((y + z) * 8.0f) ^ (uint64_t)(int64_t)((ld + le) * 2.0L);
	ASKED();
	skua_fork(busy, one, n - 1, x + 1);
	a += b;
	p += q;
	ld += 1.0L;
	ASKED();
	skua_fork(busy, two, n - 2, x + 2);
	b += c;
	q += r;
	y += z;
	ASKED();
	uint64_t sum = skua_join(busy, two);
	c += d;
	r += s;
	le += ld;
	ASKED();
	sum = sum * 31 + skua_join(busy, one);
	return sum ^ a ^ b ^ c ^ d ^ e ^ f ^ g ^ i ^ j ^ k ^ l ^
	       (uint64_t)(int64_t)((p + q + r + s + t + u + v + w) * 64.0) ^
	       (uint64_t)(int64_t)((y + z) * 8.0f) ^ (uint64_t)(int64_t)((ld + le) * 2.0L);
}

/* The same without forks. */
static uint64_t busy_plainly(uint64_t n, uint64_t x)
{
	uint64_t mix = (x * 3) ^ (x ^ 0x1234) ^ (x + n) ^ (x >> 3) ^ ~x ^ (x * x) ^ (n * 77) ^
		       (x % 1009) ^ (x - 5) ^ (x | 1) ^ (n ^ x);
	double p = (double)(x % 1000) * 0.5, q = p + 1.25, r = p * 3.0, s = q - r, t = p * q;
	double u = r + s, v = t - u, w = v * 0.25;
	float y = (float)(x % 100) * 0.125f, z = y + 8.0f;
	long double ld = (long double)(x % 10000) + 0.5L, le = ld * 3.0L;

	if (n < 2)
		return mix ^ (uint64_t)(int64_t)((p + q + r + s + t + u + v + w) * 64.0) ^
		       (uint64_t)(int64_t)((y + z) * 8.0f) ^ (uint64_t)(int64_t)((ld + le) * 2.0L);
	uint64_t a = x * 3, b = x ^ 0x1234, c = x + n, d = x >> 3;
	mix ^= a ^ b ^ c;
	a += b, b += c, c += d;
	p += q, q += r, r += s;
	y += z;
	ld += 1.0L;
	le += ld;
	uint64_t sum = busy_plainly(n - 2, x + 2) * 31 + busy_plainly(n - 1, x + 1);
	return sum ^ mix ^ a ^ b ^ c ^ (uint64_t)(int64_t)((p + q + r + s + t + u + v + w) * 64.0) ^
	       (uint64_t)(int64_t)((y + z) * 8.0f) ^ (uint64_t)(int64_t)((ld + le) * 2.0L);
}

/* One that forks and joins without calling anything else: nothing below its stack pointer. */
SKUA_TASK(uint64_t, leafy, uint64_t, n)
{
	volatile uint64_t room[16]; /* would go to the red zone of a function without calls */

	for (unsigned i = 0; i < 16; i++)
		room[i] = n + i;
	ASKED();
	skua_fork(busy, one, 1u, n);
	ASKED();
	skua_fork(busy, two, 1u, n + 1);
	ASKED();
	uint64_t sum = skua_join(busy, two);
	ASKED();
	sum ^= skua_join(busy, one);
	for (unsigned i = 0; i < 16; i++)
		sum += room[i] - n;
	return sum;
}

static void test_fork_slow_keeps_what_is_live(void **state)
{
	(void)state;
	struct skua_pool *alone = pool_of(1);
	uint64_t expected = busy_plainly(14, 42), expected_leafy = skua_run(alone, leafy, 7u);

	pool_end(alone);
	for (int workers = 1; workers <= 3; workers++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(workers);
		struct skua_stats stats;
		uint64_t rounds = 0, least = test_rounds(SLOW_BUILD ? 10 : 50);
		int64_t end = skua_clock_ns() + 2 * SECOND;
		do { /* until some joins had to wait; on a busy machine that may take a while */
			assert_true(skua_run(pool, busy, 14u, 42u) == expected);
			for (unsigned i = 0; i < 20; i++)
				assert_true(skua_run(pool, leafy, 7u) == expected_leafy);
			stats = stats_of(pool);
		} while (++rounds < least ||
			 (workers > 1 && stats.joins_waited < 50 && skua_clock_ns() < end));
		print_message("%d workers, %llu rounds: %llu tasks shared, %llu stolen, %llu joins "
			      "waited\n",
			      workers, (unsigned long long)rounds, (unsigned long long)stats.shared,
			      (unsigned long long)stats.steals,
			      (unsigned long long)stats.joins_waited);
		assert_true(stats.shared > 100 * rounds); /* else this test showed nothing */
		pool_end(pool);
	}
}

/* fib while everybody is asked: shares, reclaims and thefts in every mixture. */
SKUA_TASK(long, asked_fib, int, n)
{
	if (n < 2)
		return n;
	if (n % 3)
		ASKED();
	skua_fork(asked_fib, a, n - 1);
	if (n % 2)
		ASKED();
	long b = skua_call(asked_fib, n - 2);
	if (n % 5)
		ASKED();
	return skua_join(asked_fib, a) + b;
}

static void test_fork_slow_fib_under_constant_asking(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 4; workers++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(workers);
		for (uint64_t round = 0; round < test_rounds(SLOW_BUILD ? 5 : 40); round++)
			assert_int_equal(skua_run(pool, asked_fib, 18), 2584);
		pool_end(pool);
	}
}

/* --- a worker in a long task does not answer: its waiting tasks are taken by force --- */

struct robbery {
	_Atomic uint32_t ran;
	bool is_in_time;
};

SKUA_TASK_VOID(mark, struct robbery *, robbery)
{
	skua_add(&robbery->ran, 1, release);
}

/* Forks, then is busy until somebody else has run the fork. */
SKUA_TASK_VOID(does_not_answer, struct robbery *, robbery)
{
	skua_fork(mark, handle, robbery);
	robbery->is_in_time = reaches(&robbery->ran, 1);
	skua_join(mark, handle);
}

static void test_fork_slow_forced_steal(void **state)
{
	WATCH(60);
	(void)state;
	struct skua_pool *pool = pool_of(2);
	if (!pool->has_membarrier) {
		pool_end(pool);
		skip();
	}
	unsigned rounds = 30;
	for (unsigned round = 0; round < rounds; round++) {
		struct robbery robbery = { 0 };
		skua_run(pool, does_not_answer, &robbery);
		assert_true(robbery.is_in_time);
		assert_int_equal(skua_load(&robbery.ran, relaxed), 1);
	}
	struct skua_stats stats = stats_of(pool);
	print_message("%u long tasks: %llu steals, %llu by force\n", rounds,
		      (unsigned long long)stats.steals, (unsigned long long)stats.steals_forced);
	assert_int_equal(stats.steals, rounds);
	pool_end(pool);
}

/* The same with several forks below a long leaf: all but one were private when it began. */
SKUA_TASK_VOID(long_leaf, struct robbery *, robbery, unsigned, forks)
{
	skua_forked(mark) handles[8];

	for (unsigned i = 0; i < forks; i++)
		skua_fork_into(mark, handles[i], robbery);
	robbery->is_in_time = reaches(&robbery->ran, forks);
	for (unsigned i = forks; i-- > 0;)
		skua_join(mark, handles[i]);
}

static void test_fork_slow_private_tasks_are_taken_by_force(void **state)
{
	WATCH(60);
	(void)state;
	struct skua_pool *pool = pool_of(3);
	if (!pool->has_membarrier) {
		pool_end(pool);
		skip();
	}
	for (unsigned round = 0; round < 30; round++) {
		struct robbery robbery = { 0 };
		skua_run(pool, long_leaf, &robbery, 1 + round % 8);
		if (!robbery.is_in_time)
			fail_msg("round %u: only %u of %u forks were taken from a busy worker",
				 round, skua_load(&robbery.ran, relaxed), 1 + round % 8);
	}
	assert_true(stats_of(pool).steals_forced > 0);
	pool_end(pool);
}

/* Forced steals against forks and joins that never stop: one of them runs each task. */
SKUA_TASK(uint64_t, count_tree, unsigned, depth)
{
	if (depth == 0)
		return 1;
	skua_fork(count_tree, left, depth - 1);
	uint64_t right = skua_call(count_tree, depth - 1);
	return skua_join(count_tree, left) + right;
}

struct robber {
	struct skua_pool *pool;
	_Atomic uint32_t is_over, got;
	uint64_t tried;
	struct skuai_thread thread;
};

/* A thief that always uses force, in another worker's name; it runs what it gets. */
static void rob_all_the_time(void *argument)
{
	struct robber *robber = argument;
	struct skua_pool *other = pool_of(1); /* a place to run at */

	while (!skua_load(&robber->is_over, relaxed)) {
		struct skuai_theft theft;
		unsigned count = robber->pool->count, number = (unsigned)(robber->tried++ % count);
		struct skuai_worker *victim = &robber->pool->workers[number];
		if (!skuai_forks_revoke(&victim->forks, (number + 1) % count, &theft))
			continue;
		skua_add(&robber->got, 1, relaxed);
		struct skuai_park *waiting = skuai_spot(victim);
		theft.task(other->workers[0].forks.base, theft.slot);
		if (skuai_forks_done(theft.slot))
			skuai_unpark(waiting);
	}
	pool_end(other);
}

static void test_fork_slow_force_against_forks(void **state)
{
	(void)state;
	for (int workers = 2; workers <= 3; workers++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(workers);
		if (!pool->has_membarrier) {
			pool_end(pool);
			skip();
		}
		struct robber robber = { .pool = pool };
		assert_int_equal(
			skuai_thread_start(&robber.thread, rob_all_the_time, &robber, NULL),
			SKUA_OK);
		unsigned depth = SLOW_BUILD ? 10 : 14;
		int64_t end = skua_clock_ns() + 2 * SECOND;
		for (uint64_t round = 0;
		     round < test_rounds(30) ||
		     (skua_load(&robber.got, relaxed) < 300 && skua_clock_ns() < end);
		     round++)
			assert_int_equal(skua_run(pool, count_tree, depth), 1u << depth);
		skua_store(&robber.is_over, 1, relaxed);
		skuai_thread_join(&robber.thread);
		print_message("%d workers: %u of %llu forced steals got something\n", workers,
			      skua_load(&robber.got, relaxed), (unsigned long long)robber.tried);
		pool_end(pool);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fork_slow_keeps_what_is_live),
		cmocka_unit_test(test_fork_slow_fib_under_constant_asking),
		cmocka_unit_test(test_fork_slow_forced_steal),
		cmocka_unit_test(test_fork_slow_private_tasks_are_taken_by_force),
		cmocka_unit_test(test_fork_slow_force_against_forks),
	};
	return cmocka_run_group_tests_name("fork_slow", tests, NULL, NULL);
}
