/* SPDX-License-Identifier: MIT */
/* fib.c — Fibonacci numbers without a cut-off: nothing but forks and joins */
#include "fib.h"

#include <skua/fork.h>
#include <stdlib.h>

/* The best that the compiler makes of it: gcc folds one of the two calls into a loop. */
WORK_NOINLINE static int64_t fib_plain(int n)
{
	if (n < 2)
		return n;
	return fib_plain(n - 1) + fib_plain(n - 2);
}

/* Two calls that stay two: what a program that forks has to be held against. */
WORK_NOINLINE static int64_t fib_two_calls(int n)
{
	if (n < 2)
		return n;
	int64_t a = fib_two_calls(n - 1);
	__asm__ volatile("");
	int64_t b = fib_two_calls(n - 2);
	__asm__ volatile("");
	return a + b;
}

SKUA_TASK(int64_t, fib_task, int, n)
{
	if (n < 2)
		return n;
	skua_fork(fib_task, a, n - 1);
	int64_t b = skua_call(fib_task, n - 2);
	return skua_join(fib_task, a) + b;
}

static void *prepare(const struct work_problem *problem)
{
	struct fib *fib = malloc(sizeof(*fib));
	int64_t next = 1;

	if (!fib)
		return NULL;
	*fib = (struct fib){ .n = (int)problem->size };
	for (int i = 0; i < fib->n; i++) {
		int64_t sum = fib->answer + next;
		fib->answer = next;
		next = sum;
	}
	return fib;
}

static void reset(void *data)
{
	((struct fib *)data)->result = -1;
}

static void run_serial(void *data)
{
	struct fib *fib = data;

	fib->result = fib_plain(fib->n);
}

static void run_second(void *data)
{
	struct fib *fib = data;

	fib->result = fib_two_calls(fib->n);
}

static void run_skua(void *data, struct skua_pool *pool)
{
	struct fib *fib = data;

	fib->result = skua_run(pool, fib_task, fib->n);
}

static bool check(void *data)
{
	struct fib *fib = data;

	return fib->result == fib->answer;
}

static const struct work_problem problems[] = {
	{ .name = "20", .tier = WORK_TEST, .size = 20 },
	{ .name = "32", .tier = WORK_USUAL, .size = 32 },
	{ .name = "40", .tier = WORK_QUICK, .size = 40 },
	{ .name = "42", .tier = WORK_LARGE, .size = 42 },
	{ .name = NULL },
};

const struct work work_fib = {
	.name = "fib",
	.role = "Fibonacci numbers without a cut-off: nothing but forks and joins",
	.unit = "which number",
	.problems = problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_skua,
	.check = check,
	.drop = free,
	.second = run_second,
	.second_name = "two_calls",
	.second_role = "plain C, two real calls",
};
