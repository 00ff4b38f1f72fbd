/* SPDX-License-Identifier: MIT */
/* ranked.c — the value that so many of a hundred do not exceed */
#include "ranked.h"

#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double ranked(double *values, unsigned count, unsigned percent)
{
	if (!count)
		return 0;
	qsort(values, count, sizeof(*values), by_size);
	unsigned rank = (unsigned)(((unsigned long)count * percent + 99) / 100);
	return values[rank ? rank - 1 : 0];
}
