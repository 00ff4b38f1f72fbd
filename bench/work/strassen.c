/* SPDX-License-Identifier: MIT */
/* strassen.c — a matrix product by seven smaller ones: uneven forks, much memory between them */
#include "strassen.h"

#include <skua/fork.h>

/*
 * Strassen, Gaussian elimination is not optimal (1969).  Of the seven products M1 to M7 four are
 * made where they are needed:
 *
 *	c11 = M1 + M4 - M5 + M7		c12 = M3 + M5
 *	c21 = M2 + M4			c22 = M1 - M2 + M3 + M6
 *
 * M7 in c11, M3 in c12, M2 in c21, M6 in c22; M1, M4, M5 and ten sums of quarters in `work`, and
 * behind them each product has room of its own.
 */
#define SUMS	10
#define QUARTER 13 /* quarters of work at each level */

/* Elements of work for n rows. */
static size_t strassen_room(unsigned n)
{
	size_t q = (size_t)n * n / 4;

	return n <= STRASSEN_LEAF ? 0 : QUARTER * q + STRASSEN_PRODUCTS * strassen_room(n / 2);
}

struct strassen_quarters strassen_lay_out(float *c, const float *a, const float *b, float *work,
					  unsigned n)
{
	size_t q = (size_t)n * n / 4;
	struct strassen_quarters at = { .q = q, .a = a, .b = b, .c = c, .sums = work };

	at.m[STRASSEN_M1] = work + SUMS * q;
	at.m[STRASSEN_M2] = c + 2 * q;
	at.m[STRASSEN_M3] = c + q;
	at.m[STRASSEN_M4] = work + (SUMS + 1) * q;
	at.m[STRASSEN_M5] = work + (SUMS + 2) * q;
	at.m[STRASSEN_M6] = c + 3 * q;
	at.m[STRASSEN_M7] = c;
	at.rooms = work + QUARTER * q;
	at.room = strassen_room(n / 2);
	return at;
}

/* sum = x + sign * y, one quarter. */
WORK_NOINLINE static const float *add(const struct strassen_quarters *at, unsigned sum,
				      const float *x, float sign, const float *y)
{
	float *restrict to = at->sums + sum * at->q;

	for (size_t i = 0; i < at->q; i++)
		to[i] = x[i] + sign * y[i];
	return to;
}

struct strassen_factors strassen_make_factors(const struct strassen_quarters *at, int m)
{
	const float *a11 = at->a, *a12 = a11 + at->q, *a21 = a12 + at->q, *a22 = a21 + at->q;
	const float *b11 = at->b, *b12 = b11 + at->q, *b21 = b12 + at->q, *b22 = b21 + at->q;

	switch (m) {
	case STRASSEN_M1:
		return (struct strassen_factors){ add(at, 0, a11, 1, a22),
						  add(at, 1, b11, 1, b22) };
	case STRASSEN_M2:
		return (struct strassen_factors){ add(at, 2, a21, 1, a22), b11 };
	case STRASSEN_M3:
		return (struct strassen_factors){ a11, add(at, 3, b12, -1, b22) };
	case STRASSEN_M4:
		return (struct strassen_factors){ a22, add(at, 4, b21, -1, b11) };
	case STRASSEN_M5:
		return (struct strassen_factors){ add(at, 5, a11, 1, a12), b22 };
	case STRASSEN_M6:
		return (struct strassen_factors){ add(at, 6, a21, -1, a11),
						  add(at, 7, b11, 1, b12) };
	default:
		return (struct strassen_factors){ add(at, 8, a12, -1, a22),
						  add(at, 9, b21, 1, b22) };
	}
}

WORK_NOINLINE void strassen_put_together(const struct strassen_quarters *at)
{
	float *restrict c11 = at->m[STRASSEN_M7], *restrict c12 = at->m[STRASSEN_M3];
	float *restrict c21 = at->m[STRASSEN_M2], *restrict c22 = at->m[STRASSEN_M6];
	const float *restrict m1 = at->m[STRASSEN_M1], *restrict m4 = at->m[STRASSEN_M4],
			      *restrict m5 = at->m[STRASSEN_M5];

	for (size_t i = 0; i < at->q; i++) {
		c22[i] += m1[i] - c21[i] + c12[i];
		c11[i] += m1[i] + m4[i] - m5[i];
		c12[i] += m5[i];
		c21[i] += m4[i];
	}
}

void strassen_leaf(float *c, const float *a, const float *b, unsigned n)
{
	quads_clear(c, n);
	quads_multiply(c, a, b, n);
}

WORK_NOINLINE static void strassen_plain(float *c, const float *a, const float *b, float *work,
					 unsigned n)
{
	struct strassen_quarters at = strassen_lay_out(c, a, b, work, n);

	if (n <= STRASSEN_LEAF) {
		strassen_leaf(c, a, b, n);
		return;
	}
	for (int m = 0; m < STRASSEN_PRODUCTS; m++) {
		struct strassen_factors f = strassen_make_factors(&at, m);
		strassen_plain(at.m[m], f.left, f.right, at.rooms + (size_t)m * at.room, n / 2);
	}
	strassen_put_together(&at);
}

SKUA_TASK_VOID(strassen_task, float *, c, const float *, a, const float *, b, float *, work,
	       unsigned, n)
{
	skua_forked(strassen_task) forked[STRASSEN_PRODUCTS];
	struct strassen_quarters at = strassen_lay_out(c, a, b, work, n);

	if (n <= STRASSEN_LEAF) {
		strassen_leaf(c, a, b, n);
		return;
	}
	for (int m = 0; m < STRASSEN_PRODUCTS; m++) {
		struct strassen_factors f = strassen_make_factors(&at, m);
		skua_fork_into(strassen_task, forked[m], at.m[m], f.left, f.right,
			       at.rooms + (size_t)m * at.room, n / 2);
	}
	for (int m = STRASSEN_PRODUCTS; m-- > 0;)
		skua_join(strassen_task, forked[m]);
	strassen_put_together(&at);
}

static void *prepare(const struct work_problem *problem)
{
	unsigned n = (unsigned)problem->size;

	return quads_open(n, strassen_room(n));
}

static void reset(void *data)
{
	struct quads *quads = data;

	quads_clear(quads->c, quads->n);
}

static void run_serial(void *data)
{
	struct quads *quads = data;

	strassen_plain(quads->c, quads->a, quads->b, quads->work, quads->n);
}

static void run_skua(void *data, struct skua_pool *pool)
{
	struct quads *quads = data;

	skua_run(pool, strassen_task, quads->c, quads->a, quads->b, quads->work, quads->n);
}

static const struct work_problem problems[] = {
	{ .name = "256", .tier = WORK_TEST, .size = 256 },
	{ .name = "1024", .tier = WORK_QUICK, .size = 1024 },
	{ .name = "2048", .tier = WORK_LARGE, .size = 2048 },
	{ .name = NULL },
};

const struct work work_strassen = {
	.name = "strassen",
	.role = "a matrix product by seven smaller ones: much memory between forks",
	.unit = "rows",
	.problems = problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_skua,
	.check = quads_check,
	.drop = quads_close,
};
