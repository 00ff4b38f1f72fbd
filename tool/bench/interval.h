/* SPDX-License-Identifier: MIT */
/* interval.h — how many times as long it took, and how sure that is */
#ifndef SKUAT_INTERVAL_H
#define SKUAT_INTERVAL_H

#include "bench/sample.h"

#include <stdbool.h>

/*
 * Below this there is no interval: of five values all may well be above what they scatter around,
 * or all below, once in sixteen times; of six, once in thirty-two, and that is less than 5 %.
 */
#define INTERVAL_LEAST 6

struct interval {
	double ratio;	  /* of the medians, after / before */
	double low, high; /* 95 of 100 such hold what endless rounds would give */
};

/*
 * The same for the same samples, always.  False: fewer than INTERVAL_LEAST in one of them, or a
 * value that is not above 0.
 */
bool interval_of(const struct sample *before, const struct sample *after,
		 struct interval *interval);

#endif
