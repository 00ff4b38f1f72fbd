/* SPDX-License-Identifier: MIT */
/* test_park.c — the parking spot: a token is never lost, two are one, a deadline ends the sleep */
#include "unit/test_pool.h"

#include "os/thread.h"
#include "sched/park.h"

static void test_park_token_left_before_is_found(void **state)
{
	WATCH(10);
	struct skuai_park park = { 0 };

	(void)state;
	assert_false(skuai_unpark(&park)); /* nobody slept */
	assert_true(skuai_park(&park, SKUAI_NO_DEADLINE));
	assert_false(skuai_park(&park, 0)); /* it was one token */
	skuai_unpark(&park);
	skuai_unpark(&park); /* two are one */
	assert_true(skuai_park(&park, 0));
	assert_false(skuai_park(&park, 0));
}

static void test_park_gives_up_at_its_deadline(void **state)
{
	WATCH(10);
	struct skuai_park park = { 0 };
	int64_t deadline = skua_clock_ns() + 10 * MILLISECOND;

	(void)state;
	assert_false(skuai_park(&park, deadline));
	assert_true(skua_clock_ns() >= deadline);
	assert_false(skuai_park(&park, INT64_MIN));
}

struct pair {
	struct skuai_park ping, pong;
	uint64_t rounds;
	uint64_t plain; /* handed to and fro with the token */
};

static void return_tokens(void *argument)
{
	struct pair *pair = argument;

	for (uint64_t i = 0; i < pair->rounds; i++) {
		while (!skuai_park(&pair->ping, SKUAI_NO_DEADLINE))
			continue;
		pair->plain++;
		skuai_unpark(&pair->pong);
	}
}

static void test_park_no_token_is_lost(void **state)
{
	WATCH(60);
	struct pair pair = { .rounds = test_rounds(SLOW_BUILD ? 2000 : 20000) };
	struct skuai_thread thread;

	(void)state;
	assert_int_equal(skuai_thread_start(&thread, return_tokens, &pair, NULL), SKUA_OK);
	for (uint64_t i = 0; i < pair.rounds; i++) {
		pair.plain++;
		skuai_unpark(&pair.ping);
		/* with deadlines in between, which must not swallow a token */
		while (!skuai_park(&pair.pong, skua_clock_ns() + (int64_t)(i % 3) * 1000))
			continue;
	}
	skuai_thread_join(&thread);
	assert_int_equal(pair.plain, 2 * pair.rounds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_park_token_left_before_is_found),
		cmocka_unit_test(test_park_gives_up_at_its_deadline),
		cmocka_unit_test(test_park_no_token_is_lost),
	};
	return cmocka_run_group_tests_name("park", tests, NULL, NULL);
}
