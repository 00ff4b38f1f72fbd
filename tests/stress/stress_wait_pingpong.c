/* SPDX-License-Identifier: MIT */
/* stress_wait_pingpong.c — many sleep/wake pairs between two threads, none may be lost */
#include "check.h"

#include "base/atomic.h"
#include "os/clock.h"
#include "os/thread.h"
#include "os/wait.h"

/*
 * The ball is a number; even: the main thread may hit it, odd: the other.  Each side sleeps while
 * the ball is not its own.  A lost wake-up leaves both asleep: the main side waits with a deadline
 * and then says so; a long one, for on a busy machine the other side may be slow to come.
 */
#define PATIENCE_S 60

struct table {
	_Atomic uint32_t ball;
	uint32_t last;
};

static void return_balls(void *argument)
{
	struct table *table = argument;

	for (uint32_t ball = 1; ball < table->last; ball += 2) {
		uint32_t seen;
		while ((seen = skua_load(&table->ball, acquire)) != ball)
			skuai_wait(&table->ball, seen, SKUAI_NO_DEADLINE);
		skua_store(&table->ball, ball + 1, release);
		skuai_wake(&table->ball, 1);
	}
}

static void stress_wait_pingpong_no_wake_is_lost(void **state)
{
	struct table table = { .last = (uint32_t)test_rounds(40000) };
	struct skuai_thread thread;

	(void)state;
	assert_int_equal(skuai_thread_start(&thread, return_balls, &table, NULL), 0);
	for (uint32_t ball = 0; ball < table.last; ball += 2) {
		uint32_t seen;
		int64_t deadline = skuai_deadline_after(PATIENCE_S * (int64_t)1000000000);
		while ((seen = skua_load(&table.ball, acquire)) != ball)
			if (skuai_wait(&table.ball, seen, deadline) == SKUAI_WAIT_TIMED_OUT &&
			    skua_load(&table.ball, acquire) == seen)
				fail_msg("ball %u not returned in %d s: a wake was lost", ball,
					 PATIENCE_S);
		skua_store(&table.ball, ball + 1, release);
		skuai_wake(&table.ball, 1);
	}
	skuai_thread_join(&thread);
	assert_int_equal(skua_load(&table.ball, relaxed), table.last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stress_wait_pingpong_no_wake_is_lost),
	};
	return cmocka_run_group_tests_name("wait_pingpong", tests, NULL, NULL);
}
