/* SPDX-License-Identifier: MIT */
/* test_job.c — jobs: submitted from anywhere, run once, in order, finished, detached, refused */
#include "unit/test_pool.h"

#include "base/alloc.h"
#include "os/thread.h"

#include <skua/job.h>

#include <stdlib.h>

struct tally {
	_Atomic uint32_t runs;
	_Atomic uint32_t finishes;
	_Atomic uint32_t cancelled;
	_Atomic uint32_t is_free;
	_Atomic uint32_t order_next;
	uint32_t order[4096];
	struct skua_pool *pool;
	struct skua_job *jobs;
	unsigned count;
	int error;
};

static void count_run(struct skua_slot *skua_here, void *argument)
{
	struct tally *tally = argument;

	(void)skua_here;
	skua_add(&tally->runs, 1, relaxed);
}

static void test_job_runs_once_and_is_waited_for(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 3; workers++) {
		WATCH(20);
		struct skua_pool *pool = pool_of(workers);
		struct tally tally = { 0 };
		struct skua_job job = SKUA_JOB(count_run, &tally);
		assert_false(skua_job_is_done(&job));
		assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_EINVAL);
		for (uint32_t i = 1; i <= 200; i++) { /* the same job again and again */
			assert_int_equal(skua_submit(pool, &job), SKUA_OK);
			assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
			assert_true(skua_job_is_done(&job));
			assert_int_equal(skua_load(&tally.runs, relaxed), i);
		}
		assert_int_equal(stats_of(pool).jobs, 200);
		pool_end(pool);
	}
}

static void wait_to_be_free(struct skua_slot *skua_here, void *argument)
{
	struct tally *tally = argument;

	(void)skua_here;
	skua_add(&tally->runs, 1, release);
	reaches(&tally->is_free, 1);
}

static void test_job_refuses_bad_arguments(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct tally tally = { 0 };
	struct skua_job job = SKUA_JOB(wait_to_be_free, &tally), none = SKUA_JOB(NULL, NULL);

	(void)state;
	assert_int_equal(skua_submit(pool, NULL), SKUA_EINVAL);
	assert_int_equal(skua_submit(pool, &none), SKUA_EINVAL);
	assert_int_equal(skua_job_wait(NULL, SKUA_FOREVER), SKUA_EINVAL);
	assert_int_equal(skua_job_wait(&none, SKUA_FOREVER), SKUA_EINVAL);
	assert_false(skua_job_is_done(NULL));
	assert_int_equal(skua_submit_many(pool, NULL, 1), SKUA_EINVAL);
	assert_int_equal(skua_submit_many(pool, NULL, 0), SKUA_OK);
	assert_int_equal(skua_submit_many(pool, &none, 1), SKUA_EINVAL);
	assert_int_equal(skua_detach(pool, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_submit(pool, &job), SKUA_OK);
	assert_true(reaches(&tally.runs, 1));
	assert_int_equal(skua_submit(pool, &job), SKUA_EINVAL); /* it runs */
	skua_store(&tally.is_free, 1, release);
	assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&tally.runs, relaxed), 1);
	pool_end(pool);
}

/* All or none, and a refused job is as it was: one that was done is still done. */
static void test_job_many_refused_leaves_jobs_as_they_were(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	struct tally tally = { 0 };
	struct skua_job jobs[3] = { SKUA_JOB(count_run, &tally), SKUA_JOB(count_run, &tally),
				    SKUA_JOB(NULL, &tally) };

	(void)state;
	assert_int_equal(skua_submit(pool, &jobs[0]), SKUA_OK);
	assert_int_equal(skua_job_wait(&jobs[0], SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_submit_many(pool, jobs, 3), SKUA_EINVAL);
	assert_true(skua_job_is_done(&jobs[0]));
	assert_int_equal(skua_job_wait(&jobs[0], SKUA_FOREVER), SKUA_OK);
	assert_false(skua_job_is_done(&jobs[1]));
	assert_int_equal(skua_job_wait(&jobs[1], 0), SKUA_EINVAL);
	assert_int_equal(skua_load(&tally.runs, relaxed), 1);
	jobs[2].run = count_run;
	assert_int_equal(skua_submit_many(pool, jobs, 3), SKUA_OK);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(skua_job_wait(&jobs[i], SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&tally.runs, relaxed), 4);
	pool_end(pool);
}

/* --- order of a batch --- */

struct numbered {
	struct tally *tally;
	uint32_t number;
};

static void note_order(struct skua_slot *skua_here, void *argument)
{
	struct numbered *numbered = argument;

	(void)skua_here;
	uint32_t place = skua_add(&numbered->tally->order_next, 1, relaxed);
	numbered->tally->order[place] = numbered->number;
}

#define BATCH 16

static void submit_batch(struct skua_slot *skua_here, void *argument)
{
	struct tally *tally = argument;

	(void)skua_here;
	tally->error = skua_submit_many(tally->pool, tally->jobs, tally->count);
}

/* On one worker a small batch runs in the order of the array, wherever it was submitted. */
static void test_job_batch_keeps_its_order_on_one_worker(void **state)
{
	(void)state;
	for (unsigned from_worker = 0; from_worker < 2; from_worker++) {
		WATCH(20);
		struct tally tally = { .pool = pool_of(1), .count = BATCH };
		struct skua_job jobs[BATCH], submitter = SKUA_JOB(submit_batch, &tally);
		struct numbered numbered[BATCH];
		tally.jobs = jobs;
		for (uint32_t i = 0; i < BATCH; i++) {
			numbered[i] = (struct numbered){ &tally, i };
			jobs[i] = (struct skua_job)SKUA_JOB(note_order, &numbered[i]);
		}
		if (from_worker)
			assert_int_equal(skua_submit(tally.pool, &submitter), SKUA_OK);
		else
			submit_batch(NULL, &tally);
		if (from_worker)
			assert_int_equal(skua_job_wait(&submitter, SKUA_FOREVER), SKUA_OK);
		assert_int_equal(tally.error, SKUA_OK);
		for (uint32_t i = 0; i < BATCH; i++)
			assert_int_equal(skua_job_wait(&jobs[i], SKUA_FOREVER), SKUA_OK);
		for (uint32_t i = 0; i < BATCH; i++)
			assert_int_equal(tally.order[i], i);
		pool_end(tally.pool);
	}
}

/* --- finish --- */

static void free_job(struct skua_job *job, int error)
{
	struct tally *tally = job->argument;

	skua_add(error ? &tally->cancelled : &tally->runs, 1, relaxed);
	memset(job, 0xa5, sizeof(*job));
	free(job);
	skua_add(&tally->finishes, 1, release);
}

static void do_nothing(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
}

static void submit_freed(struct skua_slot *skua_here, void *argument)
{
	struct tally *tally = argument;

	(void)skua_here;
	for (unsigned i = 0; i < tally->count; i++) {
		struct skua_job *job = malloc(sizeof(*job));
		*job = (struct skua_job)SKUA_JOB(do_nothing, tally);
		job->finish = free_job;
		if (skua_submit(tally->pool, job))
			abort();
	}
}

static void test_job_finish_may_free_it(void **state)
{
	WATCH(30);
	struct tally tally = { .pool = pool_of(3), .count = 5000 };
	struct skua_job inside = SKUA_JOB(submit_freed, &tally);

	(void)state;
	assert_int_equal(skua_submit(tally.pool, &inside), SKUA_OK); /* from a worker */
	submit_freed(NULL, &tally);				     /* and from outside */
	assert_int_equal(skua_job_wait(&inside, SKUA_FOREVER), SKUA_OK);
	assert_true(reaches(&tally.finishes, 10000));
	pool_end(tally.pool);
	assert_int_equal(skua_load(&tally.finishes, relaxed), 10000);
	assert_int_equal(skua_load(&tally.runs, relaxed), 10000);
}

struct batch {
	struct skua_job jobs[64];
	_Atomic uint32_t left;
	struct tally *tally;
};

static void free_batch(struct skua_job *job, int error)
{
	struct batch *batch = job->argument;
	struct tally *tally = batch->tally;

	(void)error;
	job->next = (struct skua_job *)(uintptr_t)0xdead; /* it is ours now */
	job->pool = NULL;
	if (skua_sub(&batch->left, 1, acq_rel) == 1) {
		memset(batch, 0xa5, sizeof(*batch));
		free(batch);
		skua_add(&tally->finishes, 1, release);
	}
}

static void submit_batches(struct skua_slot *skua_here, void *argument)
{
	struct tally *tally = argument;

	(void)skua_here;
	for (unsigned i = 0; i < tally->count; i++) {
		struct batch *batch = calloc(1, sizeof(*batch));
		batch->tally = tally;
		skua_store(&batch->left, 64, relaxed);
		for (unsigned k = 0; k < 64; k++) {
			batch->jobs[k] = (struct skua_job)SKUA_JOB(do_nothing, batch);
			batch->jobs[k].finish = free_batch;
		}
		if (skua_submit_many(tally->pool, batch->jobs, 64))
			abort();
	}
}

/* A job is nobody's but its callee's after finish: skua_submit_many must not touch it again. */
static void test_job_many_does_not_touch_a_job_that_is_over(void **state)
{
	WATCH(60);
	struct tally tally = { .pool = pool_of(3), .count = SLOW_BUILD ? 300 : 3000 };
	struct skua_job inside = SKUA_JOB(submit_batches, &tally);

	(void)state;
	assert_int_equal(skua_submit(tally.pool, &inside), SKUA_OK);
	submit_batches(NULL, &tally);
	assert_int_equal(skua_job_wait(&inside, SKUA_FOREVER), SKUA_OK);
	assert_true(reaches(&tally.finishes, 2 * tally.count));
	pool_end(tally.pool);
}

static void submit_again(struct skua_job *job, int error)
{
	struct tally *tally = job->argument;

	if (!error && skua_load(&tally->runs, relaxed) < 20000) {
		if (skua_submit(tally->pool, job))
			abort();
	} else {
		skua_store(&tally->finishes, 1, release);
	}
}

/* A job that submits itself for ever does not keep others from running. */
static void test_job_finish_may_submit_it_again(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 2; workers++) {
		WATCH(30);
		struct tally tally = { .pool = pool_of(workers) }, other = { 0 };
		struct skua_job again = SKUA_JOB(count_run, &tally);
		struct skua_job plain = SKUA_JOB(count_run, &other);
		again.finish = submit_again;
		assert_int_equal(skua_submit(tally.pool, &again), SKUA_OK);
		assert_int_equal(skua_submit(tally.pool, &plain), SKUA_OK);
		assert_int_equal(skua_job_wait(&plain, SKUA_FOREVER), SKUA_OK);
		assert_true(reaches(&tally.finishes, 1));
		assert_int_equal(skua_load(&tally.runs, relaxed), 20000);
		pool_end(tally.pool);
	}
}

static void detach_more(struct skua_slot *skua_here, void *argument)
{
	struct tally *tally = argument;

	(void)skua_here;
	skua_add(&tally->runs, 1, relaxed);
	if (skua_add(&tally->order_next, 1, relaxed) < 1000 &&
	    skua_detach(tally->pool, detach_more, tally))
		abort();
}

static void test_job_detached_runs_and_is_freed(void **state)
{
	WATCH(20);
	struct tally tally = { .pool = pool_of(2) };

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(skua_detach(tally.pool, detach_more, &tally), SKUA_OK);
	pool_end(tally.pool); /* drains what they detach, too */
	assert_int_equal(skua_load(&tally.runs, relaxed), 1100);
}

/* A job may fork. */
static void run_fib(struct skua_slot *skua_here, void *argument)
{
	*(long *)argument = skua_call(fib, 18);
}

static void test_job_may_fork(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	struct skua_job jobs[50];
	long results[50] = { 0 };

	(void)state;
	for (unsigned i = 0; i < 50; i++)
		jobs[i] = (struct skua_job)SKUA_JOB(run_fib, &results[i]);
	assert_int_equal(skua_submit_many(pool, jobs, 50), SKUA_OK);
	for (unsigned i = 0; i < 50; i++) {
		assert_int_equal(skua_job_wait(&jobs[i], SKUA_FOREVER), SKUA_OK);
		assert_int_equal(results[i], 2584);
	}
	pool_end(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_job_runs_once_and_is_waited_for),
		cmocka_unit_test(test_job_refuses_bad_arguments),
		cmocka_unit_test(test_job_many_refused_leaves_jobs_as_they_were),
		cmocka_unit_test(test_job_batch_keeps_its_order_on_one_worker),
		cmocka_unit_test(test_job_finish_may_free_it),
		cmocka_unit_test(test_job_many_does_not_touch_a_job_that_is_over),
		cmocka_unit_test(test_job_finish_may_submit_it_again),
		cmocka_unit_test(test_job_detached_runs_and_is_freed),
		cmocka_unit_test(test_job_may_fork),
	};
	return cmocka_run_group_tests_name("job", tests, NULL, NULL);
}
