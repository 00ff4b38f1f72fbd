/* SPDX-License-Identifier: MIT */
/* 31_monitored.c — a pool that can be watched, and a watchdog that names a stuck task */
#include <semaphore.h>
#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/*
 * Give it some seconds to run, and watch it meanwhile from another terminal:
 *
 *	$ build/release/examples/31_monitored 60 &
 *	$ skua top $!
 */
static sem_t is_named;
static int reports;

static void sleep_ms(int ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	nanosleep(&time, NULL);
}

/* Waits without saying so, as code of others does: nobody else can use the worker meanwhile. */
static void stuck_task(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
	while (sem_wait(&is_named)) /* a signal interrupted it */
		;
}

SKUA_TASK(long, fib, int, n)
{
	if (n < 2)
		return n;
	skua_fork(fib, a, n - 1);
	long b = skua_call(fib, n - 2);
	return skua_join(fib, a) + b;
}

/* Called by the library's own thread. */
static void on_stuck(const struct skua_stuck *stuck, void *context)
{
	(void)context;
	printf("worker %u has been in %s for more than %d ms, thread %lld sleeps in %s\n",
	       stuck->worker, stuck->name, (int)(stuck->age_ns / 1000000) / 100 * 100,
	       (long long)stuck->thread, stuck->wait[0] ? stuck->wait : "?");
	reports += stuck->function == (void (*)(void))stuck_task;
	sem_post(&is_named);
}

int main(int argc, char **argv)
{
	struct skua_pool *pool;
	struct skua_pool_options options = { .size = sizeof(options), .workers = 2 };
	struct skua_monitor_options watch = { .size = sizeof(watch),
					      .stuck_ms = 200,
					      .on_stuck = on_stuck };
	struct skua_job job = SKUA_JOB(stuck_task, NULL);
	int64_t end = skua_clock_ns() + (argc > 1 ? atoi(argv[1]) : 0) * (int64_t)1000000000;
	int error = skua_pool_open(&pool, &options);

	sem_init(&is_named, 0, 0);
	if (error) {
		fprintf(stderr, "31_monitored: no pool: %s\n", skua_strerror(error));
		return 1;
	}
	error = skua_monitor_begin(pool, &watch);
	if (error == SKUA_EBUSY) { /* SKUA_MONITOR=1 was faster */
		skua_monitor_end(pool);
		error = skua_monitor_begin(pool, &watch);
	}
	if (error == SKUA_EPERM || error == SKUA_EIO || error == SKUA_ESYS) {
		watch.is_private = true; /* no folder for the file: the watchdog alone */
		error = skua_monitor_begin(pool, &watch);
	}
	if (!error)
		error = skua_submit(pool, &job);
	if (error)
		fprintf(stderr, "31_monitored: %s\n", skua_strerror(error));
	while (skua_clock_ns() < end) {
		skua_run(pool, fib, 25);
		sleep_ms(2);
	}
	if (!error)
		error = skua_job_wait(&job, SKUA_FOREVER);
	skua_pool_close(pool, SKUA_CLOSE_DRAIN); /* the file goes with it */
	return error == SKUA_OK && reports == 1 ? 0 : 1;
}
