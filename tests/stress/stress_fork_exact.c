/* SPDX-License-Identifier: MIT */
/* stress_fork_exact.c — ten million forks: every task runs once, counted, summed and hashed */
#include "unit/test_pool.h"

/*
 * A result is used once even if its task ran twice, so each leaf also leaves a mark: a count, the
 * sum of ids and the sum of their hashes, in a corner of its thread's own.
 */
struct marks {
	uint64_t count, sum, hash;
};

#define CORNERS 64
static struct marks corners[CORNERS];
static _Atomic uint32_t corners_used;
static _Thread_local struct marks *corner;

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x7fb5d329728ea185u;
	x ^= x >> 27;
	return x * 0x81dadef4bc2dd44du;
}

static void leave_mark(uint64_t id)
{
	if (!corner)
		corner = &corners[skua_add(&corners_used, 1, relaxed) % CORNERS];
	corner->count++;
	corner->sum += id;
	corner->hash += mix(id);
}

/* Leaves from..to-1, unevenly cut; the result is their sum. */
SKUA_TASK(uint64_t, leaves, uint64_t, from, uint64_t, to)
{
	if (to - from == 1) {
		leave_mark(from);
		return from;
	}
	uint64_t cut = from + 1 + mix(from ^ to) % (to - from - 1);
	if (to - from > 64) /* deep, but not as deep as a list */
		cut = from + (to - from) / 3;
	skua_fork(leaves, left, from, cut);
	uint64_t right = skua_call(leaves, cut, to);
	return skua_join(leaves, left) + right;
}

static void check_marks(uint64_t count)
{
	struct marks all = { 0, 0, 0 };
	uint64_t hash = 0;

	assert_true(skua_load(&corners_used, relaxed) <= CORNERS);
	for (unsigned i = 0; i < CORNERS; i++) {
		all.count += corners[i].count;
		all.sum += corners[i].sum;
		all.hash += corners[i].hash;
		corners[i] = (struct marks){ 0, 0, 0 };
	}
	for (uint64_t id = 0; id < count; id++)
		hash += mix(id);
	assert_int_equal(all.count, count);
	assert_true(all.sum == count * (count - 1) / 2);
	assert_true(all.hash == hash);
}

static void run_leaves(int workers, uint64_t count)
{
	WATCH(60);
	struct skua_pool *pool = pool_of(workers);
	uint64_t chunk = 1000000;

	for (uint64_t done = 0; done < count; done += chunk) {
		assert_true(skua_run(pool, leaves, (uint64_t)0, chunk) == chunk * (chunk - 1) / 2);
		check_marks(chunk);
	}
	struct skua_stats stats = stats_of(pool);
	print_message("%d workers: %llu forks, %llu stolen, %llu of them by force\n", workers,
		      (unsigned long long)count, (unsigned long long)stats.steals,
		      (unsigned long long)stats.steals_forced);
	pool_end(pool);
}

static void stress_fork_exact_every_task_once(void **state)
{
	static const int workers[] = { 1, 2, 3, 8 };
	uint64_t count = test_rounds(SLOW_BUILD ? 100000 : 2500000);

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		run_leaves(workers[i], count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stress_fork_exact_every_task_once),
	};
	return cmocka_run_group_tests_name("fork_exact", tests, NULL, NULL);
}
