/* SPDX-License-Identifier: MIT */
/* cores.c — the machine itself: plain threads with nothing in common; no runtime can do better */
#include "cores.h"

#include <pthread.h>
#include <skua/pool.h>
#include <stdlib.h>

/*
 * As many threads as the pool has workers, each with an equal share of the work, nothing shared and
 * nothing scheduled.  What that gains over one thread is what the machine has to give: processors
 * that share a core, a host that lends them out, clocks that sink under load.  Speed-ups of other
 * kernels in the same run are to be read beside it.  The work is plain calls, which keep a
 * processor as busy as those kernels do; a loop that waits for its own results would flatter the
 * machine.
 */
static WORK_NOINLINE uint64_t plain_fib(unsigned n)
{
	if (n < 2)
		return n;
	uint64_t a = plain_fib(n - 1);
	WORK_AGAIN();
	uint64_t b = plain_fib(n - 2);
	WORK_AGAIN();
	return a + b;
}

static void *run_share(void *argument)
{
	struct cores_share *share = argument;

	for (unsigned i = 0; i < share->times; i++)
		share->result += plain_fib(share->n);
	return NULL;
}

static void divide(struct cores *cores, unsigned threads)
{
	cores->count = threads;
	for (unsigned i = 0; i < threads; i++) {
		unsigned first = CORES_TIMES * i / threads, end = CORES_TIMES * (i + 1) / threads;
		cores->shares[i] = (struct cores_share){ .n = cores->n, .times = end - first };
	}
}

static void run_serial(void *data)
{
	struct cores *cores = data;

	divide(cores, 1);
	run_share(&cores->shares[0]);
}

static void run_threads(void *data, struct skua_pool *pool)
{
	struct cores *cores = data;
	unsigned workers = skua_pool_workers(pool), started = 1;

	divide(cores, workers < CORES_MOST ? workers : CORES_MOST);
	for (; started < cores->count; started++)
		if (pthread_create(&cores->shares[started].thread, NULL, run_share,
				   &cores->shares[started]))
			break;
	run_share(&cores->shares[0]);
	for (unsigned i = started; i < cores->count; i++) /* no more threads to be had */
		run_share(&cores->shares[i]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(cores->shares[i].thread, NULL);
}

static void *prepare(const struct work_problem *problem)
{
	struct cores *cores = calloc(1, sizeof(*cores));

	if (cores)
		cores->n = (unsigned)problem->size;
	return cores;
}

static bool check(void *data)
{
	struct cores *cores = data;
	uint64_t sum = 0, a = 0, b = 1;

	for (unsigned i = 0; i < cores->n; i++) {
		uint64_t next = a + b;
		a = b;
		b = next;
	}
	for (unsigned i = 0; i < cores->count; i++)
		sum += cores->shares[i].result;
	return cores->count > 0 && sum == CORES_TIMES * a;
}

static void reset(void *data)
{
	((struct cores *)data)->count = 0;
}

static const struct work_problem problems[] = {
	{ .name = "12", .tier = WORK_TEST, .size = 12 },
	{ .name = "25", .tier = WORK_QUICK, .size = 25 },
	{ .name = "29", .tier = WORK_USUAL, .size = 29 },
	{ .name = NULL },
};

const struct work work_cores = {
	.name = "cores",
	.role = "plain threads with nothing in common: what the machine can do",
	.unit = "fib of this, 192 times",
	.problems = problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_threads,
	.check = check,
	.drop = free,
};
