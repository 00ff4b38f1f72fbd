/* SPDX-License-Identifier: MIT */
/* test_pool.h — what tests of the pool share: a watchdog, pools in one line, fib */
#ifndef SKUA_TESTS_TEST_POOL_H
#define SKUA_TESTS_TEST_POOL_H

#include "check.h"

#include "base/atomic.h"
#include "os/clock.h"

#include <skua/skua.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MILLISECOND ((int64_t)1000000)
#define SECOND	    ((int64_t)1000000000)

/* Everything in such a build takes longer; rounds are divided. */
#if defined(SKUA_ATOMICS_CHAOS) || defined(SKUAI_ATOMICS_TSAN)
#define SLOW_BUILD 1
#else
#define SLOW_BUILD 0
#endif

/*
 * What is waited for comes at once, or after long where others want the machine as well: threads
 * that hand something to and fro in 0.7 s take 40 s beside four busy processes.  A limit of time
 * tells a hang from that only if it is generous, which costs nothing while nothing hangs.
 */
#define PATIENCE (SLOW_BUILD ? 12 : 4)

/*
 * The watchdog.  WATCH(20) at the head of a test: 20 * PATIENCE seconds from now the process ends
 * with the test's name, whatever it is stuck in.  The next WATCH, or UNWATCH(), takes it back.  A
 * child of fork() has none until it asks.  A timer of its own: tests use SIGALRM otherwise.
 */
static const char *watch_name;

static void watch_bark(int signal)
{
	static const char before[] = "watchdog: still running, taken for a hang: ";
	ssize_t ignored = write(STDERR_FILENO, before, sizeof(before) - 1);

	(void)signal;
	ignored = write(STDERR_FILENO, watch_name, strlen(watch_name));
	ignored = write(STDERR_FILENO, "\n", 1);
	(void)ignored;
	if (getenv("SKUA_TEST_HOLD")) /* to look at it with gdb */
		pause();
	_exit(97);
}

__attribute__((unused)) static void watch_set(const char *name, unsigned seconds)
{
	static timer_t timer;
	static pid_t owner;
	const char *text = getenv("SKUA_TEST_SCALE");
	unsigned scale = text ? (unsigned)strtoul(text, NULL, 10) : 1;

	if (owner != getpid()) {
		struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
					  .sigev_signo = SIGRTMIN + 7 };
		struct sigaction action = { .sa_handler = watch_bark };
		sigaction(SIGRTMIN + 7, &action, NULL);
		if (timer_create(CLOCK_MONOTONIC, &event, &timer))
			_exit(98);
		owner = getpid();
	}
	watch_name = name;
	time_t limit = (time_t)seconds * PATIENCE * (scale > 1 ? scale : 1);
	timer_settime(timer, 0, &(struct itimerspec){ .it_value.tv_sec = limit }, NULL);
}

#define WATCH(seconds) watch_set(__func__, (seconds))
#define UNWATCH()      watch_set("", 0)

/* A pool of so many workers with everything else by default. */
__attribute__((unused)) static struct skua_pool *pool_of(int workers)
{
	struct skua_pool_options options = { .size = sizeof(options), .workers = workers };
	struct skua_pool *pool = NULL;
	int error = skua_pool_open(&pool, &options);

	if (error)
		fail_msg("cannot open a pool of %d: %s", workers, skua_strerror(error));
	return pool;
}

__attribute__((unused)) static void pool_end(struct skua_pool *pool)
{
	assert_int_equal(skua_pool_close(pool, SKUA_CLOSE_DRAIN), SKUA_OK);
}

__attribute__((unused)) static struct skua_stats stats_of(struct skua_pool *pool)
{
	struct skua_stats stats = { .size = sizeof(stats) };

	assert_int_equal(skua_pool_stats(pool, -1, &stats), SKUA_OK);
	return stats;
}

__attribute__((unused)) static void sleep_ns(int64_t ns)
{
	struct timespec time = { .tv_sec = (time_t)(ns / SECOND), .tv_nsec = (long)(ns % SECOND) };

	nanosleep(&time, NULL); /* cut short by a signal: fine */
}

/* Busy for so long, without forking or joining. */
__attribute__((unused)) static void spin_for(int64_t ns)
{
	int64_t end = skua_clock_ns() + ns;

	while (skua_clock_ns() < end)
		continue;
}

/* Wait until *flag is at least `value`, or 5 * PATIENCE seconds.  False: it was not. */
__attribute__((unused)) static bool reaches(_Atomic uint32_t *flag, uint32_t value)
{
	int64_t end = skua_clock_ns() + 5 * SECOND * PATIENCE;

	while (skua_load(flag, acquire) < value) {
		if (skua_clock_ns() > end)
			return false;
		sleep_ns(50000);
	}
	return true;
}

SKUA_TASK(long, fib, int, n)
{
	if (n < 2)
		return n;
	skua_fork(fib, a, n - 1);
	long b = skua_call(fib, n - 2);
	return skua_join(fib, a) + b;
}

#endif
