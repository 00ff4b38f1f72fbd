/* SPDX-License-Identifier: MIT */
/* matmul.c — a matrix product by quarters: coarse leaves, shared caches, two phases a level */
#include "quads.h"

#include <skua/fork.h>

SKUA_TASK_VOID(matmul_task, float *, c, const float *, a, const float *, b, unsigned, n)
{
	unsigned half = n / 2;
	size_t q = (size_t)half * half;

	if (n == QUADS_TILE) {
		quads_tile(c, a, b);
		return;
	}
	for (unsigned k = 0; k < 2; k++) { /* as in quads_multiply; the second adds to the first */
		skua_fork(matmul_task, fourth, c + 3 * q, a + 2 * q + k * q, b + 2 * k * q + q,
			  half);
		skua_fork(matmul_task, third, c + 2 * q, a + 2 * q + k * q, b + 2 * k * q, half);
		skua_fork(matmul_task, second, c + q, a + k * q, b + 2 * k * q + q, half);
		skua_call(matmul_task, c, a + k * q, b + 2 * k * q, half);
		skua_join(matmul_task, second);
		skua_join(matmul_task, third);
		skua_join(matmul_task, fourth);
	}
}

static void *prepare(const struct work_problem *problem)
{
	return quads_open((unsigned)problem->size, 0);
}

static void reset(void *data)
{
	struct quads *quads = data;

	quads_clear(quads->c, quads->n);
}

static void run_serial(void *data)
{
	struct quads *quads = data;

	quads_multiply(quads->c, quads->a, quads->b, quads->n);
}

static void run_skua(void *data, struct skua_pool *pool)
{
	struct quads *quads = data;

	skua_run(pool, matmul_task, quads->c, quads->a, quads->b, quads->n);
}

static const struct work_problem problems[] = {
	{ .name = "128", .tier = WORK_TEST, .size = 128 },
	{ .name = "1024", .tier = WORK_QUICK, .size = 1024 },
	{ .name = "2048", .tier = WORK_LARGE, .size = 2048 },
	{ .name = NULL },
};

const struct work work_matmul = {
	.name = "matmul",
	.role = "a matrix product by quarters: coarse leaves, two phases a level",
	.unit = "rows",
	.problems = problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_skua,
	.check = quads_check,
	.drop = quads_close,
};
