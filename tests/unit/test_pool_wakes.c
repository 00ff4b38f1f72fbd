/* SPDX-License-Identifier: MIT */
/* test_pool_wakes.c — work that is there finds a worker that sleeps, and nobody is woken twice */
#include "unit/test_pool.h"

#include "os/thread.h"
#include "sched/worker.h"

#include <stdlib.h>

/* --- everybody comes: N tasks that wait for each other must all run at once --- */

struct meeting {
	_Atomic uint32_t arrived;
	_Atomic uint32_t missed;
	uint32_t expected;
};

static void attend(struct meeting *meeting)
{
	skua_add(&meeting->arrived, 1, acq_rel);
	if (!reaches(&meeting->arrived, meeting->expected))
		skua_add(&meeting->missed, 1, relaxed);
}

SKUA_TASK_VOID(guest, struct meeting *, meeting)
{
	attend(meeting);
}

SKUA_TASK_VOID(host, struct meeting *, meeting, unsigned, guests)
{
	skua_forked(guest) handles[16];

	for (unsigned i = 0; i < guests; i++)
		skua_fork_into(guest, handles[i], meeting);
	attend(meeting);
	for (unsigned i = guests; i-- > 0;)
		skua_join(guest, handles[i]);
}

static void meet(struct skua_pool *pool, unsigned workers, unsigned rounds, int64_t pause)
{
	for (unsigned round = 0; round < rounds; round++) {
		struct meeting meeting = { .expected = workers };
		skua_run(pool, host, &meeting, workers - 1);
		if (skua_load(&meeting.missed, relaxed))
			fail_msg("round %u: %u of %u workers came in time, the others slept", round,
				 skua_load(&meeting.arrived, relaxed) -
					 skua_load(&meeting.missed, relaxed),
				 workers);
		if (pause)
			sleep_ns(pause);
	}
}

/* One after the other, hot: every combination of sentinel, searcher and sleeper comes up. */
static void test_pool_wakes_all_workers_meet(void **state)
{
	(void)state;
	for (unsigned workers = 2; workers <= 5; workers++) {
		WATCH(60);
		struct skua_pool *pool = pool_of((int)workers);
		meet(pool, workers, (unsigned)test_rounds(SLOW_BUILD ? 50 : 300), 0);
		pool_end(pool);
	}
}

/* With pauses in between, in which a sentinel goes to sleep for good. */
static void test_pool_wakes_all_workers_meet_after_a_rest(void **state)
{
	(void)state;
	for (unsigned workers = 2; workers <= 3; workers++) {
		WATCH(60);
		struct skua_pool *pool = pool_of((int)workers);
		meet(pool, workers, 20, MILLISECOND);
		meet(pool, workers, 20, 8 * MILLISECOND);
		pool_end(pool);
	}
}

/* The same with all that a foreign thread submits. */
static void attend_job(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	attend(argument);
}

static void test_pool_wakes_jobs_meet(void **state)
{
	(void)state;
	for (unsigned workers = 2; workers <= 5; workers++) {
		WATCH(60);
		struct skua_pool *pool = pool_of((int)workers);
		for (unsigned round = 0; round < (SLOW_BUILD ? 20 : 100); round++) {
			struct meeting meeting = { .expected = workers };
			struct skua_job jobs[5];
			for (unsigned i = 0; i < workers; i++) {
				jobs[i] = (struct skua_job)SKUA_JOB(attend_job, &meeting);
				assert_int_equal(skua_submit(pool, &jobs[i]), SKUA_OK);
			}
			for (unsigned i = 0; i < workers; i++)
				assert_int_equal(skua_job_wait(&jobs[i], SKUA_FOREVER), SKUA_OK);
			if (skua_load(&meeting.missed, relaxed))
				fail_msg("%u workers, round %u: a job waited while a worker slept",
					 workers, round);
		}
		pool_end(pool);
	}
}

/* --- a worker that may not run jobs is called for one: somebody else must come --- */

struct hold {
	_Atomic uint32_t is_held, is_free, jobs_run;
	struct skua_pool *pool;
};

/* Runs elsewhere until it is let go. */
SKUA_TASK_VOID(hold_on, struct hold *, hold)
{
	skua_store(&hold->is_held, 1, release);
	reaches(&hold->is_free, 1);
}

/* Waits in a join for a task that somebody else has. */
static void wait_in_join(struct skua_slot *skua_here, void *argument)
{
	struct hold *hold = argument;

	skua_fork(hold_on, handle, hold);
	reaches(&hold->is_held, 1); /* stolen: by force, since we do not answer */
	skua_join(hold_on, handle);
}

static void count_job(struct skua_slot *skua_here, void *argument)
{
	struct hold *hold = argument;

	(void)skua_here;
	skua_add(&hold->jobs_run, 1, release);
}

static void test_pool_wakes_job_finds_the_worker_that_may_run_it(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 6; round++) {
		WATCH(60);
		struct hold hold = { .pool = pool_of(3) };
		struct skua_job joiner = SKUA_JOB(wait_in_join, &hold);
		struct skua_job job = SKUA_JOB(count_job, &hold);
		assert_int_equal(skua_submit(hold.pool, &joiner), SKUA_OK);
		assert_true(reaches(&hold.is_held, 1));
		sleep_ns(20 * MILLISECOND); /* now one runs, one waits in a join, one sleeps */
		assert_int_equal(skua_submit(hold.pool, &job), SKUA_OK);
		int64_t deadline = skua_clock_ns() + 2 * SECOND * PATIENCE;
		int error = skua_job_wait(&job, deadline);
		skua_store(&hold.is_free, 1, release);
		assert_int_equal(skua_job_wait(&joiner, SKUA_FOREVER), SKUA_OK);
		pool_end(hold.pool);
		if (error)
			fail_msg("round %u: a job waited 2 s while a worker slept", round);
	}
}

/* --- tokens that come late --- */

static unsigned searching(struct skua_pool *pool)
{
	return skuai_idle_searching(&pool->idle);
}

/* All sleep, for good, and the counts agree: at last, for whoever was called first looks around. */
static bool all_sleep(struct skua_pool *pool, unsigned workers)
{
	int64_t end = skua_clock_ns() + 5 * SECOND * PATIENCE;

	while (skuai_idle_sleeping(&pool->idle) != workers || searching(pool) != 0) {
		if (skua_clock_ns() > end)
			return false;
		sleep_ns(MILLISECOND);
	}
	return true;
}

struct late {
	unsigned searching;
	long fib;
	bool is_alone;
};

/*
 * owner: waits, sees DONE, goes on, sleeps at the top ─ a guest takes its place ─┐ must not
 * thief: says DONE ............ (descheduled) ............ leaves a token ───────┘ rise now
 */
SKUA_TASK_VOID(with_late_token, struct late *, late)
{
	struct skuai_worker *place = skuai_self;

	skuai_unpark(&place->park); /* what a slow thief does at this moment */
	sleep_ns(20 * MILLISECOND);
	late->searching = searching(place->pool);
	late->fib = skua_call(fib, 15);
	late->is_alone = place == skuai_self && skua_load(&place->is_busy, relaxed);
}

static void test_pool_wakes_late_token_does_not_put_two_threads_at_a_place(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 2; workers++) {
		WATCH(20);
		struct skua_pool *pool = pool_of(workers);
		struct late late = { 0 };
		skua_run(pool, with_late_token, &late);
		assert_int_equal(late.fib, 610);
		assert_int_equal(late.searching, 0); /* nobody was called, so nobody searches */
		assert_true(all_sleep(pool, (unsigned)workers)); /* 0 search, not 4294967295 */
		assert_int_equal(skua_run(pool, fib, 15), 610);
		pool_end(pool);
	}
}

/* A token at any other time is harmless too. */
static void test_pool_wakes_tokens_for_nothing(void **state)
{
	WATCH(30);
	(void)state;
	struct skua_pool *pool = pool_of(3);

	for (unsigned round = 0; round < 300; round++) {
		skuai_unpark(&pool->workers[round % 3].park);
		skuai_unpark(&pool->workers[(round + 1) % 3].guest_park);
		if (round % 2)
			assert_int_equal(skua_run(pool, fib, 12), 144);
	}
	assert_true(all_sleep(pool, 3));
	pool_end(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pool_wakes_all_workers_meet),
		cmocka_unit_test(test_pool_wakes_all_workers_meet_after_a_rest),
		cmocka_unit_test(test_pool_wakes_jobs_meet),
		cmocka_unit_test(test_pool_wakes_job_finds_the_worker_that_may_run_it),
		cmocka_unit_test(test_pool_wakes_late_token_does_not_put_two_threads_at_a_place),
		cmocka_unit_test(test_pool_wakes_tokens_for_nothing),
	};
	return cmocka_run_group_tests_name("pool_wakes", tests, NULL, NULL);
}
