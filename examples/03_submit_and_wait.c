/* SPDX-License-Identifier: MIT */
/* 03_submit_and_wait.c — jobs in structs of the caller: submit, wait with a deadline or for all */
#include <skua/skua.h>
#include <stdio.h>

#define JOBS  8
#define CHUNK 100000u

struct chunk {
	struct skua_job job;
	unsigned first;	 /* numbers from here */
	unsigned primes; /* the job writes, who waited for it reads */
};

static void count_primes(struct skua_slot *skua_here, void *argument)
{
	struct chunk *chunk = argument;

	(void)skua_here; /* with it a job could fork: 02_fork_join.c */
	for (unsigned n = chunk->first; n < chunk->first + CHUNK; n++) {
		unsigned d = 2;
		while (d * d <= n && n % d)
			d++;
		chunk->primes += n > 1 && d * d > n;
	}
}

static int fail(const char *what, int error)
{
	fprintf(stderr, "03_submit_and_wait: %s: %s\n", what, skua_strerror(error));
	return 1;
}

int main(void)
{
	struct chunk chunks[JOBS] = { { .first = 0 } };
	struct skua_job again[JOBS];
	unsigned primes = 0;
	int error;

	/* One by one, in the default pool.  Nothing is allocated: the struct is the queue's. */
	for (unsigned i = 0; i < JOBS; i++) {
		chunks[i].first = i * CHUNK;
		chunks[i].job = (struct skua_job)SKUA_JOB(count_primes, &chunks[i]);
		error = skua_submit(NULL, &chunks[i].job);
		if (error)
			return fail("cannot submit", error);
	}

	/* Look in after a millisecond, then wait as long as it takes. */
	error = skua_job_wait(&chunks[JOBS - 1].job, skua_clock_ns() + 1000000);
	printf("the last job %s\n",
	       error == SKUA_ETIMEDOUT ? "takes longer than 1 ms" : "was fast");
	for (unsigned i = 0; i < JOBS; i++) {
		error = skua_job_wait(&chunks[i].job, SKUA_FOREVER);
		if (error)
			return fail("cannot wait", error);
		primes += chunks[i].primes;
	}

	/* All at once: an array of jobs goes in together, or not at all. */
	for (unsigned i = 0; i < JOBS; i++)
		again[i] = (struct skua_job)SKUA_JOB(count_primes, &chunks[i]);
	error = skua_submit_many(NULL, again, JOBS);
	if (error)
		return fail("cannot submit many", error);
	for (unsigned i = 0; i < JOBS; i++)
		skua_job_wait(&again[i], SKUA_FOREVER);
	unsigned twice = 0;
	for (unsigned i = 0; i < JOBS; i++)
		twice += chunks[i].primes; /* each job added the same again */

	skua_pool_close(NULL, SKUA_CLOSE_DRAIN);
	printf("%u primes below %u, counted twice\n", primes, JOBS * CHUNK);
	return primes == 63951 && twice == 2 * primes ? 0 : 1;
}
