/* SPDX-License-Identifier: MIT */
/* integrate.c — the area under a curve by halving: how deep it goes depends on the data */
#include "integrate.h"

#include <skua/fork.h>
#include <stdlib.h>

/* As in the benchmarks of libfork and of Cilk; the curve is x^3 + x. */

WORK_NOINLINE static double integrate_plain(double x1, double y1, double x2, double y2, double area)
{
	struct integrate_halves at = integrate_halve(x1, y1, x2, y2, area);

	if (at.is_done)
		return at.left + at.right;
	return integrate_plain(x1, y1, at.x, at.y, at.left) +
	       integrate_plain(at.x, at.y, x2, y2, at.right);
}

SKUA_TASK(double, integrate_task, double, x1, double, y1, double, x2, double, y2, double, area)
{
	struct integrate_halves at = integrate_halve(x1, y1, x2, y2, area);

	if (at.is_done)
		return at.left + at.right;
	skua_fork(integrate_task, left, x1, y1, at.x, at.y, at.left);
	double right = skua_call(integrate_task, at.x, at.y, x2, y2, at.right);
	return skua_join(integrate_task, left) + right;
}

static void run_serial(void *data)
{
	struct integrate *area = data;

	area->result = integrate_plain(0, integrate_curve(0), area->end, integrate_curve(area->end),
				       0);
}

static void run_skua(void *data, struct skua_pool *pool)
{
	struct integrate *area = data;

	area->result = skua_run(pool, integrate_task, 0, integrate_curve(0), area->end,
				integrate_curve(area->end), 0);
}

static void *prepare(const struct work_problem *problem)
{
	struct integrate *area = malloc(sizeof(*area));

	if (!area)
		return NULL;
	*area = (struct integrate){ .end = (double)problem->size };
	area->answer = integrate_area(area->end);
	run_serial(area);
	area->first = area->result;
	return area;
}

static void reset(void *data)
{
	((struct integrate *)data)->result = -1;
}

static bool check(void *data)
{
	struct integrate *area = data;

	return area->result == area->first &&
	       fabs(area->result - area->answer) <= 1e-6 * area->answer;
}

static const struct work_problem problems[] = {
	{ .name = "100", .tier = WORK_TEST, .size = 100 },
	{ .name = "3000", .tier = WORK_QUICK, .size = 3000 },
	{ .name = "10000", .tier = WORK_LARGE, .size = 10000 },
	{ .name = NULL },
};

const struct work work_integrate = {
	.name = "integrate",
	.role = "the area under a curve by halving: as deep as the data asks for",
	.unit = "end of the interval",
	.problems = problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_skua,
	.check = check,
	.drop = free,
};
