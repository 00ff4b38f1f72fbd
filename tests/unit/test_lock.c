/* SPDX-License-Identifier: MIT */
/* test_lock.c — the small lock: one holder at a time, waiters sleep and are woken */
#include "unit/test_pool.h"

#include "os/thread.h"
#include "sched/lock.h"

#include <sched.h>

static void test_lock_try_take_give(void **state)
{
	WATCH(10);
	struct skuai_lock lock = { 0 };

	(void)state;
	assert_true(skuai_lock_try(&lock));
	assert_false(skuai_lock_try(&lock));
	skuai_lock_give(&lock);
	skuai_lock_take(&lock);
	assert_false(skuai_lock_try(&lock));
	skuai_lock_give(&lock);
	assert_true(skuai_lock_try(&lock));
	skuai_lock_give(&lock);
}

struct shared {
	struct skuai_lock lock;
	uint64_t plain; /* no atomic: the lock must order it */
	uint64_t rounds;
	_Atomic uint32_t inside, together;
};

static void add_under_lock(void *argument)
{
	struct shared *shared = argument;

	for (uint64_t i = 0; i < shared->rounds; i++) {
		skuai_lock_take(&shared->lock);
		if (skua_add(&shared->inside, 1, relaxed))
			skua_add(&shared->together, 1, relaxed);
		shared->plain++;
		if (i % 64 == 0)
			sched_yield(); /* others pile up */
		skua_sub(&shared->inside, 1, relaxed);
		skuai_lock_give(&shared->lock);
	}
}

static void test_lock_one_at_a_time(void **state)
{
	WATCH(60);
	struct shared shared = { .rounds = test_rounds(SLOW_BUILD ? 2000 : 20000) };
	struct skuai_thread threads[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(skuai_thread_start(&threads[i], add_under_lock, &shared, NULL),
				 SKUA_OK);
	for (unsigned i = 0; i < 4; i++)
		skuai_thread_join(&threads[i]);
	assert_int_equal(shared.plain, 4 * shared.rounds);
	assert_int_equal(skua_load(&shared.together, relaxed), 0);
	assert_true(skuai_lock_try(&shared.lock)); /* free in the end */
}

/* Who waits does so asleep, and comes as soon as it is given. */
static void take_and_say(void *argument)
{
	struct shared *shared = argument;

	skuai_lock_take(&shared->lock);
	skua_store(&shared->inside, 1, release);
	skuai_lock_give(&shared->lock);
}

static void test_lock_wakes_who_waits(void **state)
{
	WATCH(20);
	struct shared shared = { 0 };
	struct skuai_thread thread;

	(void)state;
	skuai_lock_take(&shared.lock);
	assert_int_equal(skuai_thread_start(&thread, take_and_say, &shared, NULL), SKUA_OK);
	sleep_ns(20 * MILLISECOND);
	assert_int_equal(skua_load(&shared.inside, relaxed), 0);
	skuai_lock_give(&shared.lock);
	assert_true(reaches(&shared.inside, 1));
	skuai_thread_join(&thread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lock_try_take_give),
		cmocka_unit_test(test_lock_one_at_a_time),
		cmocka_unit_test(test_lock_wakes_who_waits),
	};
	return cmocka_run_group_tests_name("lock", tests, NULL, NULL);
}
