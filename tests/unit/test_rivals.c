/* SPDX-License-Identifier: MIT */
/* test_rivals.c — every rival of the race: each job once, and waits that end */
#include "unit/test_rivals.h"

#include <skua/pool.h>

/* --- every job once --- */

static void flat(struct scene *scene)
{
	for (uint32_t i = 0; i < JOBS; i++)
		submit(scene, i);
	scene->rival->wait(scene->pool);
	expect_once(scene, 0, JOBS, 1);
	expect(scene, "jobs counted", total_of(scene).jobs, JOBS);
}

static void test_rivals_run_each_of_many_jobs_once(void **state)
{
	(void)state;
	for_all(flat);
}

static void tree(struct scene *scene)
{
	scene->body = grow;
	for (unsigned round = 0; round < 3; round++) {
		submit(scene, 1);
		scene->rival->wait(scene->pool);
		expect_once(scene, 1, 2 * LEAVES, 1);
	}
	expect(scene, "jobs counted", total_of(scene).jobs, 3 * (2 * LEAVES - 1));
}

static void test_rivals_wait_for_jobs_that_jobs_submit(void **state)
{
	(void)state;
	for_all(tree);
}

/* One behind the other: between any two the pool looks as if all were done. */
static void follow(struct rival_worker *here, struct errand *errand)
{
	if (errand->number + 1 < JOBS / 10)
		rival_submit(here, job_of(errand->scene, errand->number + 1));
}

static void chain(struct scene *scene)
{
	scene->body = follow;
	for (unsigned round = 0; round < 5; round++) {
		submit(scene, 0);
		scene->rival->wait(scene->pool);
		expect_once(scene, 0, JOBS / 10, 1);
	}
}

static void test_rivals_wait_for_a_chain_to_its_end(void **state)
{
	(void)state;
	for_all(chain);
}

/* --- waiting and closing --- */

static void waits(struct scene *scene)
{
	scene->rival->wait(scene->pool); /* for nothing */
	for (uint32_t round = 1; round <= 3; round++) {
		for (uint32_t i = 0; i < 10; i++)
			submit(scene, i);
		scene->rival->wait(scene->pool);
		scene->rival->wait(scene->pool);
		expect_once(scene, 0, 10, 1);
		expect(scene, "jobs counted", total_of(scene).jobs, round * 10);
	}
}

static void test_rivals_wait_twice_and_go_on(void **state)
{
	(void)state;
	for_all(waits);
}

static void closes(struct scene *scene)
{
	_Atomic uint32_t *ran = &scene->ran;

	scene->body = grow;
	submit(scene, 1);
	scene->rival->close(scene->pool);
	scene->pool = NULL;
	expect(scene, "jobs run before close came back", skua_load(ran, relaxed), 2 * LEAVES - 1);
}

static void test_rivals_close_runs_what_is_left(void **state)
{
	(void)state;
	for_all(closes);
}

/* One job at a time: each has to wake a worker, and its end the one that waits. */
static void ping(struct scene *scene)
{
	uint64_t rounds = test_rounds(300);

	for (uint64_t i = 0; i < rounds; i++) {
		submit(scene, 0);
		if (i % 3 == 0)
			submit(scene, 1);
		scene->rival->wait(scene->pool);
		expect_once(scene, 0, 1, 1);
		expect_once(scene, 1, i % 3 ? 1 : 2, 1);
	}
}

static void test_rivals_lose_no_wake(void **state)
{
	(void)state;
	for_all(ping);
}

/*
 * The way to sleep is short, and full of locks: each is sometimes taken a little late, and each job
 * comes at some other moment after the end of the one before.  CMakeLists.txt wraps this call.
 */
static _Atomic uint32_t locks_are_late;
static _Thread_local bool is_submitter; /* whose locks are not */

/* Whoever else is on this CPU goes on meanwhile. */
static void pause_ns(uint64_t ns)
{
	int64_t end = skua_clock_ns() + (int64_t)ns;

	do
		sched_yield();
	while (skua_clock_ns() < end);
}

int __real_pthread_mutex_trylock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *lock);

int __wrap_pthread_mutex_trylock(pthread_mutex_t *lock)
{
	static _Thread_local uint64_t turns;

	if (skua_load(&locks_are_late, relaxed) && !is_submitter &&
	    ++turns * 0x9e3779b97f4a7c15 >> 63) /* every other time, in no order */
		pause_ns(10000);
	return __real_pthread_mutex_trylock(lock);
}

static void drowse(struct scene *scene)
{
	/* where there is one worker, no other makes up for a lost wake */
	uint64_t rounds = test_rounds(scene->workers == 1 ? 2000 : 500);

	for (uint32_t i = 1; i <= rounds; i++) {
		scene->rival->submit(scene->pool, RIVAL_OUTSIDE, job_of(scene, i % JOBS));
		wait_until_ran(scene, i);
		pause_ns(test_random() % (1024u << i % 3 * 2));
	}
}

static void test_rivals_take_a_job_when_about_to_sleep(void **state)
{
	(void)state;
	is_submitter = true;
	skua_store(&locks_are_late, 1, relaxed);
	for_all(drowse);
	skua_store(&locks_are_late, 0, relaxed);
}

/* --- several threads outside --- */

static void outside(struct scene *scene)
{
	scene->body = bring;
	submit_from_threads(scene);
	expect_once(scene, 0, JOBS, 1);
	expect(scene, "jobs counted", total_of(scene).jobs, JOBS);
}

static void test_rivals_take_jobs_from_several_threads(void **state)
{
	(void)state;
	for_all(outside);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rivals_run_each_of_many_jobs_once),
		cmocka_unit_test(test_rivals_wait_for_jobs_that_jobs_submit),
		cmocka_unit_test(test_rivals_wait_for_a_chain_to_its_end),
		cmocka_unit_test(test_rivals_wait_twice_and_go_on),
		cmocka_unit_test(test_rivals_close_runs_what_is_left),
		cmocka_unit_test(test_rivals_lose_no_wake),
		cmocka_unit_test(test_rivals_take_a_job_when_about_to_sleep),
		cmocka_unit_test(test_rivals_take_jobs_from_several_threads),
	};

	alarm(PATIENCE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
