/* SPDX-License-Identifier: MIT */
/* stats.c — the middle of many measurements, and how far they scatter */
#include "bench/stats.h"

#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The value a fraction of the way up the sorted ones, between two of them where it must be. */
static double at(const double *sorted, unsigned count, double fraction)
{
	double place = fraction * (count - 1);
	unsigned below = (unsigned)place;
	double rest = place - below;

	return rest > 0 ? sorted[below] * (1 - rest) + sorted[below + 1] * rest : sorted[below];
}

struct stats stats_of(double *values, unsigned count)
{
	if (!count)
		return (struct stats){ 0 };
	qsort(values, count, sizeof(*values), by_size);
	return (struct stats){ .count = count,
			       .low = at(values, count, 0.25),
			       .median = at(values, count, 0.5),
			       .high = at(values, count, 0.75) };
}
