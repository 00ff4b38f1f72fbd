/* SPDX-License-Identifier: MIT */
/* sample.h — measurements of one thing, taken one by one between those of others */
#ifndef SKUAT_SAMPLE_H
#define SKUAT_SAMPLE_H

#include "bench/stats.h"

#include <stdint.h>

#define SAMPLES_MAX 1000

struct sample {
	unsigned count;
	double values[SAMPLES_MAX];
};

void sample_add(struct sample *sample, double value);
struct stats sample_stats(const struct sample *sample);

/*
 * The median of a/b, round by round: a machine that changes its speed between rounds moves both.
 * 0 when there is none.
 */
double sample_ratio(const struct sample *a, const struct sample *b);

/* Nanoseconds of a clock that nobody sets. */
int64_t sample_clock_ns(void);

#endif
