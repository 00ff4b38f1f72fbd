/* SPDX-License-Identifier: MIT */
/* stats.c — the middle of many measurements, and how far they scatter */
#include "bench/stats.h"

#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void stats_sort(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), by_size);
}

double stats_at(const double *sorted, unsigned count, double fraction)
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
	stats_sort(values, count);
	return (struct stats){ .count = count,
			       .low = stats_at(values, count, 0.25),
			       .median = stats_at(values, count, 0.5),
			       .high = stats_at(values, count, 0.75) };
}
