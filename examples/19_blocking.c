/* SPDX-License-Identifier: MIT */
/* 19_blocking.c — tasks that sleep beside tasks that compute: spares keep the cores busy */
#include <skua/skua.h>

#include <stdio.h>
#include <time.h>

#define SLEEPERS 40
#define WORKERS	 2
#define SPARES	 8

/* Stands for a read from a slow disk. */
static int wait_for_disk(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	(void)argument;
	skua_blocking_begin();
	nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	skua_blocking_end();
	return 0;
}

struct range {
	long from, to;
	long *primes;
};

static int count_primes(struct skua_slot *skua_here, void *argument)
{
	struct range *range = argument;

	(void)skua_here;
	for (long n = range->from; n < range->to; n++) {
		long divisor = 2;
		while (divisor * divisor <= n && n % divisor)
			divisor++;
		*range->primes += divisor * divisor > n;
	}
	return 0;
}

int main(void)
{
	struct skua_pool_options options = { .size = sizeof(options),
					     .workers = WORKERS,
					     .spares = SPARES };
	struct skua_pool *pool;
	struct skua_group group;
	long primes[SLEEPERS] = { 0 }, all = 0;

	int error = skua_pool_open(&pool, &options);
	if (!error)
		error = skua_group_open(
			&group, &(struct skua_group_options){
					.size = sizeof(struct skua_group_options), .pool = pool });
	if (error) {
		fprintf(stderr, "cannot begin: %s\n", skua_strerror(error));
		return 1;
	}
	int64_t began = skua_clock_ns();
	for (long i = 0; i < SLEEPERS && !error; i++) {
		struct range range = { 2 + i * 1000, 2 + (i + 1) * 1000, &primes[i] };
		error = skua_go(&group, wait_for_disk, (void *)NULL);
		if (!error)
			error = skua_go(&group, count_primes, &range);
	}
	int ended = skua_group_wait(&group, SKUA_FOREVER);
	int64_t took = skua_clock_ns() - began;
	for (unsigned i = 0; i < SLEEPERS; i++)
		all += primes[i];
	printf("%d waits of 5 ms and %ld primes in %.0f ms: %u workers, %u threads at most\n",
	       SLEEPERS, all, (double)took / 1e6, skua_pool_workers(pool), skua_pool_places(pool));
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
	return error || ended || all != 4203; /* pi(40001) */
}
