/* SPDX-License-Identifier: MIT */
/* 04_foreign_thread.c — a program's own threads use one pool at once: run and submit */
#include <pthread.h>
#include <skua/skua.h>
#include <stdio.h>

#define THREADS 3
#define ROUNDS	50

SKUA_TASK(long, fib, int, n)
{
	if (n < 2)
		return n;
	skua_fork(fib, a, n - 1);
	long b = skua_call(fib, n - 2);
	return skua_join(fib, a) + b;
}

struct guest {
	struct skua_pool *pool;
	pthread_t thread;
	unsigned right; /* answers that were */
	int error;
};

/* A job may fork: the task begins where the job stands. */
static void answer(struct skua_slot *skua_here, void *result)
{
	*(long *)result = skua_call(fib, 18);
}

static void *be_guest(void *argument)
{
	struct guest *guest = argument;

	for (int i = 0; i < ROUNDS && !guest->error; i++) {
		long result = 0;
		struct skua_job job = SKUA_JOB(answer, &result);

		/* The job runs in the pool while this thread runs a task there itself. */
		guest->error = skua_submit(guest->pool, &job);
		if (guest->error)
			break;
		guest->right += skua_run(guest->pool, fib, 20) == 6765;
		guest->error = skua_job_wait(&job, SKUA_FOREVER);
		guest->right += result == 2584;
	}
	return NULL;
}

int main(void)
{
	struct skua_pool *pool;
	struct guest guests[THREADS];
	unsigned started = 0, right = 0;
	int error = skua_pool_open(&pool, NULL);

	if (error) {
		fprintf(stderr, "04_foreign_thread: no pool: %s\n", skua_strerror(error));
		return 1;
	}
	for (; started < THREADS; started++) {
		guests[started] = (struct guest){ .pool = pool };
		if (pthread_create(&guests[started].thread, NULL, be_guest, &guests[started]))
			break; /* with fewer, then */
	}
	for (unsigned i = 0; i < started; i++) {
		pthread_join(guests[i].thread, NULL);
		right += guests[i].right;
	}
	printf("%u threads, %u workers: %u right answers\n", started, skua_pool_workers(pool),
	       right);
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
	return right == 2 * ROUNDS * started ? 0 : 1;
}
