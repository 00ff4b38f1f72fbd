/* SPDX-License-Identifier: MIT */
/* stats.h — the middle of many measurements, and how far they scatter */
#ifndef SKUAT_STATS_H
#define SKUAT_STATS_H

/* All 0 when there was nothing to look at. */
struct stats {
	unsigned count;
	double low, median, high; /* a quarter of the values is below low, a quarter above high */
};

/* Sorts the values. */
struct stats stats_of(double *values, unsigned count);

void stats_sort(double *values, unsigned count);

/* The value a fraction of the way up the sorted ones, between two of them where it must be. */
double stats_at(const double *sorted, unsigned count, double fraction);

#endif
