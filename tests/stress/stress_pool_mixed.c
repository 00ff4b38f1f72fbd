/* SPDX-License-Identifier: MIT */
/* stress_pool_mixed.c — more threads than workers do everything at once, then it closes */
#include "unit/test_pool.h"

#include "base/rng.h"
#include "os/thread.h"

#include <skua/fork.h>
#include <skua/job.h>

#include <stdlib.h>

struct user {
	struct skua_pool *pool;
	struct skuai_thread thread;
	struct skuai_rng rng;
	uint64_t steps, wrong;
};

static void fib_job(struct skua_slot *skua_here, void *argument)
{
	*(long *)argument = skua_call(fib, 10);
}

/* A task that submits, waits for a while, then for good; from inside a fork's frame. */
SKUA_TASK(long, waits_for_a_job, struct skua_pool *, pool)
{
	long result = 0;
	struct skua_job job = SKUA_JOB(fib_job, &result);

	skua_fork(fib, side, 8);
	if (skua_submit(pool, &job))
		return -1;
	skua_job_wait(&job, skua_clock_ns() + 20000);
	if (skua_job_wait(&job, SKUA_FOREVER))
		return -2;
	return result + skua_join(fib, side);
}

static bool step_is_right(struct user *user, uint64_t dice)
{
	long result = 0, results[8] = { 0 };
	struct skua_job job = SKUA_JOB(fib_job, &result), jobs[8];

	switch (dice % 6) {
	case 0:
		return skua_run(user->pool, fib, 12) == 144;
	case 1:
		return skua_run(user->pool, waits_for_a_job, user->pool) == 55 + 21;
	case 2: /* the waiter gives up, then comes back */
		if (skua_submit(user->pool, &job))
			return false;
		skua_job_wait(&job, skua_clock_ns() + (int64_t)(dice >> 8) % 50000);
		return !skua_job_wait(&job, SKUA_FOREVER) && result == 55;
	case 3:
		for (unsigned i = 0; i < 8; i++)
			jobs[i] = (struct skua_job)SKUA_JOB(fib_job, &results[i]);
		if (skua_submit_many(user->pool, jobs, 8))
			return false;
		for (unsigned i = 8; i-- > 0;)
			if (skua_job_wait(&jobs[i], SKUA_FOREVER) || results[i] != 55)
				return false;
		return true;
	case 4: /* let everybody fall asleep */
		sleep_ns((int64_t)(dice >> 8) % 300000);
		return true;
	default:
		spin_for((int64_t)(dice >> 8) % 20000);
		return skua_run(user->pool, fib, 3) == 2;
	}
}

static void use_pool(void *argument)
{
	struct user *user = argument;

	for (uint64_t i = 0; i < user->steps; i++)
		user->wrong += !step_is_right(user, skuai_rng_next(&user->rng));
}

#define USERS 6

static void stress_pool_mixed_everything_at_once(void **state)
{
	static const int workers[] = { 1, 2, 3, 8 };

	(void)state;
	for (unsigned w = 0; w < 4; w++)
		for (uint64_t round = 0; round < test_rounds(4); round++) {
			WATCH(60);
			struct skua_pool *pool = pool_of(workers[w]);
			struct user users[USERS];
			for (unsigned i = 0; i < USERS; i++) {
				users[i] = (struct user){ .pool = pool,
							  .rng.state = test_random(),
							  .steps = SLOW_BUILD ? 100 : 500 };
				assert_int_equal(skuai_thread_start(&users[i].thread, use_pool,
								    &users[i], NULL),
						 SKUA_OK);
			}
			for (unsigned i = 0; i < USERS; i++) {
				skuai_thread_join(&users[i].thread);
				assert_int_equal(users[i].wrong, 0);
			}
			pool_end(pool);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stress_pool_mixed_everything_at_once),
	};
	return cmocka_run_group_tests_name("pool_mixed", tests, NULL, NULL);
}
