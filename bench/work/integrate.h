/* SPDX-License-Identifier: MIT */
/* integrate.h — the area under a curve by halving: how deep it goes depends on the data */
#ifndef SKUA_WORK_INTEGRATE_H
#define SKUA_WORK_INTEGRATE_H

#include "work.h"

#include <math.h>

#define INTEGRATE_ERROR 1e-9 /* an interval that halving improves by less than this is done */

struct integrate {
	double end; /* from 0 to here */
	double result;
	double first;  /* the serial program's: the same additions in the same tree, bit for bit */
	double answer; /* by the formula */
};

/* The curve, and its area from 0. */
static inline double integrate_curve(double x)
{
	return (x * x + 1) * x;
}

static inline double integrate_area(double x)
{
	return x * x * (x * x / 4 + 0.5);
}

/* One interval: its middle, and the areas of both halves. */
struct integrate_halves {
	double x, y, left, right;
	bool is_done;
};

static inline struct integrate_halves integrate_halve(double x1, double y1, double x2, double y2,
						      double area)
{
	double half = (x2 - x1) / 2;
	struct integrate_halves halves = { .x = x1 + half };

	halves.y = integrate_curve(halves.x);
	halves.left = (y1 + halves.y) / 2 * half;
	halves.right = (halves.y + y2) / 2 * half;
	halves.is_done = fabs(halves.left + halves.right - area) < INTEGRATE_ERROR;
	return halves;
}

#endif
