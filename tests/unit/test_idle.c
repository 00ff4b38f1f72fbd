/* SPDX-License-Identifier: MIT */
/* test_idle.c — who searches, who sleeps, whom to wake: counts and bits, one thread playing all */
#include "unit/test_pool.h"

#include "os/thread.h"
#include "sched/idle.h"

#include <stdlib.h>

static void test_idle_search_and_leave(void **state)
{
	static struct skuai_idle idle;

	(void)state;
	assert_true(skuai_idle_search(&idle, 2));
	assert_true(skuai_idle_search(&idle, 2));
	assert_false(skuai_idle_search(&idle, 2)); /* two do already */
	assert_int_equal(skuai_idle_searching(&idle), 2);
	assert_false(skuai_idle_leave(&idle)); /* not the last */
	assert_false(skuai_idle_leave(&idle)); /* the last, but nobody sleeps */
	assert_int_equal(skuai_idle_searching(&idle), 0);
	assert_true(skuai_idle_sleep(&idle, 5, false)); /* nobody searches */
	assert_true(skuai_idle_search(&idle, 1));
	assert_false(skuai_idle_sleep(&idle, 6, false)); /* somebody does */
	assert_true(skuai_idle_leave(&idle));		 /* the last: wake a sleeper */
	assert_int_equal(skuai_idle_sleeping(&idle), 2);
}

static void test_idle_sleepers_are_claimed_once(void **state)
{
	static struct skuai_idle idle;
	static const unsigned sleepers[] = { 0, 1, 63, 64, 1023, 1024, 2047 };

	(void)state;
	assert_int_equal(skuai_idle_claim(&idle, 0), -1);
	for (unsigned i = 0; i < 7; i++) {
		assert_false(skuai_idle_is_asleep(&idle, sleepers[i]));
		skuai_idle_sleep(&idle, sleepers[i], false);
		assert_true(skuai_idle_is_asleep(&idle, sleepers[i]));
	}
	assert_int_equal(skuai_idle_sleeping(&idle), 7);
	assert_int_equal(skuai_idle_claim(&idle, 64), 64); /* this one or the next */
	assert_int_equal(skuai_idle_searching(&idle), 1);
	assert_int_equal(skuai_idle_claim(&idle, 64), 1023);
	assert_int_equal(skuai_idle_claim(&idle, 2047), 2047);
	assert_int_equal(skuai_idle_claim(&idle, 2), 63);
	assert_int_equal(skuai_idle_claim(&idle, 1025), 0); /* round the end */
	assert_false(skuai_idle_rise(&idle, 0));	    /* claimed: a token is on its way */
	assert_true(skuai_idle_rise(&idle, 1));
	assert_false(skuai_idle_borrow(&idle, 1));
	assert_int_equal(skuai_idle_claim(&idle, 0), 1024);
	assert_int_equal(skuai_idle_claim(&idle, 0), -1);
	assert_int_equal(skuai_idle_sleeping(&idle), 0);
	assert_int_equal(skuai_idle_searching(&idle), 6); /* who rose by itself is not counted */
}

/* Whichever bit was passed over because it is below `first` in its word comes in the end. */
static void test_idle_claim_finds_every_bit_from_everywhere(void **state)
{
	static struct skuai_idle idle;

	(void)state;
	for (unsigned sleeper = 0; sleeper < 2048; sleeper += 61)
		for (unsigned first = 0; first < 2048; first += 17) {
			skuai_idle_sleep(&idle, sleeper, true);
			assert_int_equal(skuai_idle_claim(&idle, first), sleeper);
		}
}

static void test_idle_needs_wake(void **state)
{
	static struct skuai_idle idle;

	(void)state;
	assert_false(skuai_idle_needs_wake(&idle, true)); /* nobody sleeps */
	skuai_idle_sleep(&idle, 3, false);
	assert_true(skuai_idle_needs_wake(&idle, true));
	assert_true(skuai_idle_needs_wake(&idle, false));
	assert_true(skuai_idle_search(&idle, 1));
	assert_false(skuai_idle_needs_wake(&idle, true)); /* somebody looks around */
	skuai_idle_leave(&idle);
	assert_true(skuai_idle_sentinel_take(&idle, 3));
	assert_false(skuai_idle_sentinel_take(&idle, 4));
	assert_true(skuai_idle_is_sentinel(&idle, 3));
	assert_true(skuai_idle_needs_wake(&idle, true));
	assert_false(skuai_idle_needs_wake(&idle, false)); /* the sentinel will see */
	assert_false(skuai_idle_sentinel_leave(&idle, 4));
	assert_true(skuai_idle_sentinel_leave(&idle, 3));
	assert_true(skuai_idle_needs_wake(&idle, false));
	assert_true(skuai_idle_borrow(&idle, 3));
	assert_int_equal(skuai_idle_sleeping(&idle), 0);
	assert_int_equal(skuai_idle_searching(&idle), 0);
}

/* Sleepers and claimers at once: each sleep ends by one claim or one rise, and the counts agree. */
struct crowd {
	struct skuai_idle idle;
	_Atomic uint32_t next, claims, rises, is_over, searching;
	uint64_t rounds;
};

static void fall_asleep(void *argument)
{
	struct crowd *crowd = argument;
	unsigned self = skua_add(&crowd->next, 1, relaxed) * 70;

	for (uint64_t i = 0; i < crowd->rounds; i++) {
		skuai_idle_sleep(&crowd->idle, self, false);
		if (skuai_idle_rise(&crowd->idle, self))
			skua_add(&crowd->rises, 1, relaxed);
		else
			skuai_idle_leave(&crowd->idle); /* claimed, it counts as searching */
	}
}

static void claim_sleepers(void *argument)
{
	struct crowd *crowd = argument;

	while (!skua_load(&crowd->is_over, relaxed))
		if (skuai_idle_claim(&crowd->idle, 70) >= 0)
			skua_add(&crowd->claims, 1, relaxed);
}

static void test_idle_counts_agree_with_bits(void **state)
{
	WATCH(60);
	struct crowd *crowd = aligned_alloc(128, (sizeof(*crowd) + 127) / 128 * 128);
	struct skuai_thread threads[4];

	(void)state;
	memset(crowd, 0, sizeof(*crowd));
	crowd->rounds = test_rounds(SLOW_BUILD ? 5000 : 50000);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(skuai_thread_start(&threads[i], i ? fall_asleep : claim_sleepers,
						    crowd, NULL),
				 SKUA_OK);
	for (unsigned i = 1; i < 4; i++)
		skuai_thread_join(&threads[i]);
	skua_store(&crowd->is_over, 1, relaxed);
	skuai_thread_join(&threads[0]);
	assert_int_equal(skua_load(&crowd->claims, relaxed) + skua_load(&crowd->rises, relaxed),
			 3 * crowd->rounds);
	assert_int_equal(skuai_idle_sleeping(&crowd->idle), 0);
	assert_int_equal(skuai_idle_searching(&crowd->idle), 0);
	assert_int_equal(skua_load(&crowd->idle.sleepers, relaxed), 0);
	free(crowd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle_search_and_leave),
		cmocka_unit_test(test_idle_sleepers_are_claimed_once),
		cmocka_unit_test(test_idle_claim_finds_every_bit_from_everywhere),
		cmocka_unit_test(test_idle_needs_wake),
		cmocka_unit_test(test_idle_counts_agree_with_bits),
	};
	return cmocka_run_group_tests_name("idle", tests, NULL, NULL);
}
