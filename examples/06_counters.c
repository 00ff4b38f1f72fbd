/* SPDX-License-Identifier: MIT */
/* 06_counters.c — what the workers did: counters of each, and of the pool */
#include <skua/skua.h>
#include <stdio.h>

#define JOBS 64

static void spin(struct skua_slot *skua_here, void *argument)
{
	int64_t end = skua_clock_ns() + 200000 + 10000 * (int64_t)(uintptr_t)argument;

	(void)skua_here;
	while (skua_clock_ns() < end)
		;
}

int main(void)
{
	struct skua_pool *pool;
	struct skua_job jobs[JOBS];
	struct skua_stats all = { .size = sizeof(all) };
	int error = skua_pool_open(&pool, NULL);

	if (error) {
		fprintf(stderr, "06_counters: no pool: %s\n", skua_strerror(error));
		return 1;
	}
	for (unsigned i = 0; i < JOBS; i++)
		jobs[i] = (struct skua_job)SKUA_JOB(spin, (void *)(uintptr_t)i);
	error = skua_submit_many(pool, jobs, JOBS);
	for (unsigned i = 0; i < JOBS && !error; i++)
		error = skua_job_wait(&jobs[i], SKUA_FOREVER);
	if (error)
		fprintf(stderr, "06_counters: jobs not run: %s\n", skua_strerror(error));

	/* One by one, then all together: worker -1. */
	unsigned workers = skua_pool_workers(pool);
	uint64_t sum = 0;
	for (unsigned i = 0; i < workers; i++) {
		struct skua_stats one = { .size = sizeof(one) };
		if (skua_pool_stats(pool, (int)i, &one) != SKUA_OK)
			return 1;
		printf("worker %u: %llu jobs, %llu of them stolen, asleep %llu times, idle %.1f ms\n",
		       i, (unsigned long long)one.jobs, (unsigned long long)one.stolen_jobs,
		       (unsigned long long)one.parks, (double)one.idle_ns / 1e6);
		sum += one.jobs;
	}
	error = skua_pool_stats(pool, -1, &all);

	/* The list of counters is a macro, so a table of all of them needs no list of its own. */
#define SHOW(name, what) \
	if (all.name)    \
		printf("  %-14s %10llu  %s\n", #name, (unsigned long long)all.name, what);
	SKUA_COUNTERS(SHOW)

	/* With SKUA_STATS=1 in the environment, closing prints such a table by itself. */
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
	return error == SKUA_OK && sum == JOBS && all.jobs == JOBS ? 0 : 1;
}
