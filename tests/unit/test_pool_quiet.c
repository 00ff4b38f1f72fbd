/* SPDX-License-Identifier: MIT */
/* test_pool_quiet.c — an idle pool costs nothing; signals and stops do not disturb a busy one */
#include "unit/test_pool.h"

#include "os/thread.h"
#include "sched/worker.h"

#include <skua/fork.h>
#include <skua/job.h>

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

static int64_t cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * SECOND +
	       ((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

/*
 * Goal: 0.1 % of a CPU.  Asserted: a tenth of one while they sleep, and not half a second in all
 * before that: on a busy machine it is long before so many threads have begun and looked around,
 * but it is not much that they use, for who has no processor uses none.
 */
static void expect_rest(struct skua_pool *pool, unsigned running, int64_t time)
{
	struct skuai_idle *idle = &pool->idle;
	int64_t before = cpu_ns(), end = skua_clock_ns() + 20 * SECOND;

	while ((skuai_idle_sleeping(idle) < pool->count - running || skuai_idle_searching(idle) ||
		skuai_idle_has_sentinel(idle)) &&
	       skua_clock_ns() < end)
		sleep_ns(5 * MILLISECOND);
	int64_t until_asleep = cpu_ns() - before;
	uint64_t parks = stats_of(pool).parks;
	int64_t began = skua_clock_ns();
	before = cpu_ns();
	sleep_ns(time);
	int64_t used = cpu_ns() - before, took = skua_clock_ns() - began;
	print_message("%u of %u workers asleep for %lld ms: %lld us of CPU, %llu parks; %lld us "
		      "before\n",
		      skuai_idle_sleeping(idle), pool->count, (long long)(took / MILLISECOND),
		      (long long)used / 1000, (unsigned long long)(stats_of(pool).parks - parks),
		      (long long)until_asleep / 1000);
	assert_true(until_asleep < 500 * MILLISECOND * (SLOW_BUILD ? 4 : 1));
	assert_true(used < took / 10);
}

static void test_pool_idle_costs_nothing(void **state)
{
	(void)state;
	for (int workers = 2; workers <= 256; workers *= 128) {
		WATCH(30);
		struct skua_pool *pool = pool_of(workers);
		assert_int_equal(skua_run(pool, fib, 18), 2584);
		expect_rest(pool, 0, SECOND);
		pool_end(pool);
	}
}

/* One worker runs, 255 have nothing: they sleep, too. */
static void sleep_till_posted(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	while (sem_wait(argument))
		assert_int_equal(errno, EINTR);
}

static void test_pool_idle_besides_one_that_runs(void **state)
{
	WATCH(30);
	struct skua_pool *pool = pool_of(256);
	sem_t end;
	struct skua_job job = SKUA_JOB(sleep_till_posted, &end);

	(void)state;
	assert_int_equal(sem_init(&end, 0, 0), 0);
	assert_int_equal(skua_submit(pool, &job), SKUA_OK);
	expect_rest(pool, 1, 300 * MILLISECOND);
	assert_int_equal(sem_post(&end), 0);
	assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	pool_end(pool);
	sem_destroy(&end);
}

/* --- signals --- */

static _Atomic uint32_t handled;

static void handle(int signal)
{
	(void)signal;
	skua_add(&handled, 1, relaxed);
}

struct storm {
	_Atomic uint32_t is_over;
	pthread_t targets[4];
	unsigned count;
	struct skuai_thread thread;
	uint64_t sent;
};

/* About 10 kHz at threads by turns; workers block them, guests and waiters do not. */
static void send_signals(void *argument)
{
	struct storm *storm = argument;

	while (!skua_load(&storm->is_over, acquire)) {
		pthread_kill(storm->targets[storm->sent % storm->count],
			     storm->sent % 2 ? SIGUSR1 : SIGALRM);
		storm->sent++;
		sleep_ns(50000);
	}
}

static void do_nothing(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
}

static void test_pool_signal_storm(void **state)
{
	WATCH(60);
	(void)state;
	struct sigaction action = { .sa_handler = handle }, before[2]; /* no SA_RESTART */
	sigaction(SIGUSR1, &action, &before[0]);
	sigaction(SIGALRM, &action, &before[1]);
	struct skua_pool *pool = pool_of(3);
	struct storm storm = { .targets = { pthread_self() }, .count = 1 };
	struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	assert_int_equal(skuai_thread_start(&storm.thread, send_signals, &storm, NULL), SKUA_OK);
	setitimer(ITIMER_REAL, &often, NULL); /* and SIGALRM at 5 kHz from the kernel */
	int64_t end = skua_clock_ns() + SECOND;
	uint64_t rounds = 0;
	while (skua_clock_ns() < end) {
		struct skua_job jobs[20];
		assert_int_equal(skua_run(pool, fib, 18), 2584);
		for (unsigned i = 0; i < 20; i++) {
			jobs[i] = (struct skua_job)SKUA_JOB(do_nothing, NULL);
			assert_int_equal(skua_submit(pool, &jobs[i]), SKUA_OK);
		}
		for (unsigned i = 0; i < 20; i++)
			assert_int_equal(skua_job_wait(&jobs[i], SKUA_FOREVER), SKUA_OK);
		struct skua_pool *other = pool_of(2);
		assert_int_equal(skua_run(other, fib, 10), 55);
		pool_end(other);
		rounds++;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	skua_store(&storm.is_over, 1, release);
	skuai_thread_join(&storm.thread);
	pool_end(pool);
	sleep_ns(20 * MILLISECOND); /* TSan hands signals on late, from the next call that blocks */
	action.sa_handler = SIG_IGN; /* the last of them later still */
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGALRM, &before[1], NULL);
	print_message("%llu rounds under %u handled signals\n", (unsigned long long)rounds,
		      skua_load(&handled, relaxed));
	assert_true(skua_load(&handled, relaxed) > 0);
}

/* --- stopped and continued --- */

static int work_on(void)
{
	struct skua_pool *pool = pool_of(3);
	int64_t end = skua_clock_ns() + SECOND;

	while (skua_clock_ns() < end) {
		struct skua_job job = SKUA_JOB(do_nothing, NULL);
		if (skua_run(pool, fib, 18) != 2584 || skua_submit(pool, &job) ||
		    skua_job_wait(&job, SKUA_FOREVER))
			return 1;
	}
	return skua_pool_close(pool, SKUA_CLOSE_DRAIN) ? 2 : 0;
}

static void test_pool_stopped_and_continued(void **state)
{
	WATCH(60);
	(void)state;
	int status = 0;
	pid_t child = fork();
	if (child == 0) {
		watch_set("child that is stopped and continued", 30);
		_exit(work_on());
	}
	assert_true(child > 0);
	for (unsigned i = 0; i < 100 && waitpid(child, &status, WNOHANG) == 0; i++) {
		sleep_ns(3 * MILLISECOND + (int64_t)(test_random() % (5 * MILLISECOND)));
		kill(child, SIGSTOP);
		sleep_ns(3 * MILLISECOND);
		kill(child, SIGCONT);
	}
	kill(child, SIGCONT);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pool_idle_costs_nothing),
		cmocka_unit_test(test_pool_idle_besides_one_that_runs),
		cmocka_unit_test(test_pool_signal_storm),
		cmocka_unit_test(test_pool_stopped_and_continued),
	};
	return cmocka_run_group_tests_name("pool_quiet", tests, NULL, NULL);
}
