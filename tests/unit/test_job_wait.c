/* SPDX-License-Identifier: MIT */
/* test_job_wait.c — waiting for jobs: deadlines, several waiters, workers that wait, cancelling */
#include "unit/test_pool.h"

#include "os/thread.h"

#include <skua/job.h>

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/resource.h>

struct gate {
	_Atomic uint32_t entered, is_open, runs, cancelled, finished;
};

static void pass_gate(struct skua_slot *skua_here, void *argument)
{
	struct gate *gate = argument;

	(void)skua_here;
	skua_add(&gate->entered, 1, release);
	reaches(&gate->is_open, 1);
	skua_add(&gate->runs, 1, relaxed);
}

static void count_run(struct skua_slot *skua_here, void *argument)
{
	struct gate *gate = argument;

	(void)skua_here;
	skua_add(&gate->runs, 1, relaxed);
}

static void test_job_wait_gives_up_at_its_deadline(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct gate gate = { 0 };
	struct skua_job job = SKUA_JOB(pass_gate, &gate);
	int64_t began = skua_clock_ns();

	(void)state;
	assert_int_equal(skua_submit(pool, &job), SKUA_OK);
	assert_int_equal(skua_job_wait(&job, 0), SKUA_ETIMEDOUT);
	assert_int_equal(skua_job_wait(&job, INT64_MIN), SKUA_ETIMEDOUT);
	assert_int_equal(skua_job_wait(&job, began + 30 * MILLISECOND), SKUA_ETIMEDOUT);
	assert_true(skua_clock_ns() - began >= 30 * MILLISECOND);
	assert_false(skua_job_is_done(&job));
	skua_store(&gate.is_open, 1, release);
	assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_job_wait(&job, 0), SKUA_OK); /* done is done, whatever the time */
	pool_end(pool);
}

struct waiter {
	struct skua_job *job;
	struct skuai_thread thread;
	int64_t deadline;
	int result;
	_Atomic uint32_t *waiting;
};

static void wait_for_it(void *argument)
{
	struct waiter *waiter = argument;

	skua_add(waiter->waiting, 1, release);
	waiter->result = skua_job_wait(waiter->job, waiter->deadline);
}

static void wait_as_job(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	wait_for_it(argument);
}

/* Three threads and two workers wait for one job; one of each gives up early. */
static void test_job_wait_by_several_at_once(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		WATCH(20);
		struct skua_pool *pool = pool_of(3);
		struct gate gate = { 0 };
		struct skua_job job = SKUA_JOB(pass_gate, &gate), inside[2];
		_Atomic uint32_t waiting = 0;
		struct waiter waiters[5];
		assert_int_equal(skua_submit(pool, &job), SKUA_OK);
		assert_true(reaches(&gate.entered, 1));
		for (unsigned i = 0; i < 5; i++) {
			waiters[i] = (struct waiter){ .job = &job,
						      .deadline = SKUA_FOREVER,
						      .waiting = &waiting };
			if (i == 0 || i == 3)
				waiters[i].deadline = skua_clock_ns() + MILLISECOND;
		}
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(skuai_thread_start(&waiters[i].thread, wait_for_it,
							    &waiters[i], NULL),
					 SKUA_OK);
		for (unsigned i = 0; i < 2; i++) {
			inside[i] = (struct skua_job)SKUA_JOB(wait_as_job, &waiters[3 + i]);
			assert_int_equal(skua_submit(pool, &inside[i]), SKUA_OK);
		}
		assert_true(reaches(&waiting, 5));
		sleep_ns(3 * MILLISECOND);
		skua_store(&gate.is_open, 1, release);
		for (unsigned i = 0; i < 3; i++)
			skuai_thread_join(&waiters[i].thread);
		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(skua_job_wait(&inside[i], SKUA_FOREVER), SKUA_OK);
		for (unsigned i = 0; i < 5; i++)
			assert_true(waiters[i].result == SKUA_OK ||
				    ((i == 0 || i == 3) && waiters[i].result == SKUA_ETIMEDOUT));
		pool_end(pool);
	}
}

static int64_t cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * SECOND +
	       ((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

static void sleep_till_posted(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	while (sem_wait(argument))
		assert_int_equal(errno, EINTR);
}

/*
 * Two workers that wait for the same long job sleep; they do not spin.  The job itself sleeps too
 * (a gate asks every 50 us, which alone was 60 to 190 ms of CPU), so all that is used is theirs: a
 * twentieth of the time, for the second of them looks round every millisecond; all of it and more
 * when one of them spins.  Before they sleep both search for a while, maybe when it is measured
 * already: one of several goes counts.
 */
static void test_job_wait_of_two_workers_costs_nothing(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(3);
	sem_t end;
	assert_int_equal(sem_init(&end, 0, 0), 0);
	struct skua_job job = SKUA_JOB(sleep_till_posted, &end), inside[2];
	_Atomic uint32_t waiting = 0;
	struct waiter waiters[2];

	(void)state;
	assert_int_equal(skua_submit(pool, &job), SKUA_OK);
	for (unsigned i = 0; i < 2; i++) {
		waiters[i] = (struct waiter){ .job = &job,
					      .deadline = SKUA_FOREVER,
					      .waiting = &waiting };
		inside[i] = (struct skua_job)SKUA_JOB(wait_as_job, &waiters[i]);
		assert_int_equal(skua_submit(pool, &inside[i]), SKUA_OK);
	}
	assert_true(reaches(&waiting, 2));
	bool is_quiet = false;
	for (unsigned go = 0; go < 20 && !is_quiet; go++) {
		int64_t began = skua_clock_ns(), before = cpu_ns();
		sleep_ns(300 * MILLISECOND);
		int64_t used = cpu_ns() - before, took = skua_clock_ns() - began;
		print_message("two workers waiting %lld us for one job: %lld us of CPU\n",
			      (long long)took / 1000, (long long)used / 1000);
		is_quiet = used < took / 2;
	}
	assert_int_equal(sem_post(&end), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(skua_job_wait(&inside[i], SKUA_FOREVER), SKUA_OK);
	pool_end(pool);
	sem_destroy(&end);
	if (!SLOW_BUILD)
		assert_true(is_quiet);
}

/* --- jobs that wait for jobs --- */

struct chain {
	struct skua_pool *pool;
	unsigned left;
	int error;
};

/* Submits the next one and waits for it: on one worker, each runs inside the one before. */
static void run_chain(struct skua_slot *skua_here, void *argument)
{
	struct chain *chain = argument;

	(void)skua_here;
	if (chain->left == 0)
		return;
	struct chain next = { chain->pool, chain->left - 1, 0 };
	struct skua_job job = SKUA_JOB(run_chain, &next);
	int error = skua_submit(chain->pool, &job);
	if (!error)
		error = skua_job_wait(&job, SKUA_FOREVER);
	chain->error = error ? error : next.error;
}

static void run_a_chain(int workers, unsigned length, size_t stack)
{
	struct skua_pool_options options = { .size = sizeof(options),
					     .workers = workers,
					     .stack_bytes = stack };
	struct chain chain = { NULL, length, 0 };
	struct skua_job job = SKUA_JOB(run_chain, &chain);

	assert_int_equal(skua_pool_open(&chain.pool, &options), SKUA_OK);
	assert_int_equal(skua_submit(chain.pool, &job), SKUA_OK);
	int64_t deadline = skua_clock_ns() + 5 * SECOND * PATIENCE;
	if (skua_job_wait(&job, deadline)) /* the pool is stuck: no way to clean up */
		fail_msg("%d workers, %zu bytes of stack: a chain of %u jobs that wait for each "
			 "other is stuck",
			 workers, stack, length);
	assert_int_equal(chain.error, SKUA_OK);
	pool_end(chain.pool);
}

static void test_job_wait_for_a_job_on_one_worker(void **state)
{
	WATCH(30);
	(void)state;
	run_a_chain(1, 1, 0);
	run_a_chain(1, 30, 0);
}

static void test_job_wait_long_chain(void **state)
{
	WATCH(60);
	(void)state;
	run_a_chain(1, 1000, 0);
	run_a_chain(3, 1000, 0);
}

static void test_job_wait_on_a_small_stack(void **state)
{
	WATCH(30);
	(void)state;
	run_a_chain(1, 3, 65536);
}

/* --- cancelling, and submitting too late --- */

static void count_end(struct skua_job *job, int error)
{
	struct gate *gate = job->argument;

	skua_add(error == SKUA_ECANCELED ? &gate->cancelled : &gate->finished, 1, relaxed);
}

struct closer {
	struct skua_pool *pool;
	_Atomic uint32_t is_begun, is_over;
	struct skuai_thread thread;
};

static void close_by_cancelling(void *argument)
{
	struct closer *closer = argument;

	skua_store(&closer->is_begun, 1, release);
	if (skua_pool_close(closer->pool, SKUA_CLOSE_CANCEL))
		abort();
	skua_store(&closer->is_over, 1, release);
}

#define CANCELLED 500

static void test_job_cancelled_adds_up(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 3; workers++) {
		WATCH(20);
		struct closer closer = { .pool = pool_of(workers) };
		struct gate gate = { 0 };
		struct skua_job first = SKUA_JOB(pass_gate, &gate), jobs[CANCELLED], late;
		struct gate more = { 0 };
		assert_int_equal(skua_submit(closer.pool, &first), SKUA_OK);
		assert_true(reaches(&gate.entered, 1));
		for (unsigned i = 0; i < CANCELLED; i++) {
			jobs[i] = (struct skua_job)SKUA_JOB(count_run, &more);
			jobs[i].finish = i % 2 ? count_end : NULL;
			assert_int_equal(skua_submit(closer.pool, &jobs[i]), SKUA_OK);
		}
		assert_int_equal(
			skuai_thread_start(&closer.thread, close_by_cancelling, &closer, NULL),
			SKUA_OK);
		assert_true(reaches(&closer.is_begun, 1));
		late = (struct skua_job)SKUA_JOB(count_run, &more);
		int error;
		unsigned slipped_in = 0;
		while ((error = skua_submit(closer.pool, &late)) != SKUA_ECLOSED) {
			assert_true(error == SKUA_OK || error == SKUA_EINVAL);
			slipped_in += error == SKUA_OK;
			sleep_ns(MILLISECOND);
		}
		assert_int_equal(skua_detach(closer.pool, count_run, &more), SKUA_ECLOSED);
		assert_int_equal(skua_submit_many(closer.pool, jobs, 0), SKUA_ECLOSED);
		assert_int_equal(skua_load(&closer.is_over, acquire), 0); /* the first still runs */
		skua_store(&gate.is_open, 1, release);
		skuai_thread_join(&closer.thread);
		assert_int_equal(skua_job_wait(&first, 0), SKUA_OK);
		unsigned ran = 0, cancelled = 0;
		for (unsigned i = 0; i < CANCELLED; i++) {
			assert_true(skua_job_is_done(&jobs[i]));
			error = skua_job_wait(&jobs[i], 0);
			ran += error == SKUA_OK;
			cancelled += error == SKUA_ECANCELED;
		}
		if (slipped_in)
			ran += skua_job_wait(&late, 0) == SKUA_OK;
		assert_int_equal(ran + cancelled,
				 CANCELLED + (slipped_in && skua_job_wait(&late, 0) == SKUA_OK));
		assert_int_equal(skua_load(&more.runs, relaxed), ran);
		assert_int_equal(skua_load(&more.finished, relaxed) +
					 skua_load(&more.cancelled, relaxed),
				 CANCELLED / 2);
		if (workers == 1) /* the only worker was held until the closing had begun */
			assert_true(cancelled == CANCELLED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_job_wait_gives_up_at_its_deadline),
		cmocka_unit_test(test_job_wait_by_several_at_once),
		cmocka_unit_test(test_job_wait_of_two_workers_costs_nothing),
		cmocka_unit_test(test_job_cancelled_adds_up),
		cmocka_unit_test(test_job_wait_for_a_job_on_one_worker),
		cmocka_unit_test(test_job_wait_long_chain),
		cmocka_unit_test(test_job_wait_on_a_small_stack),
	};
	return cmocka_run_group_tests_name("job_wait", tests, NULL, NULL);
}
