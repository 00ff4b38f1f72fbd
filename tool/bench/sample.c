/* SPDX-License-Identifier: MIT */
/* sample.c — measurements of one thing, taken one by one between those of others */
#include "bench/sample.h"

#include <string.h>
#include <time.h>

void sample_add(struct sample *sample, double value)
{
	if (sample->count < SAMPLES_MAX)
		sample->values[sample->count++] = value;
}

struct stats sample_stats(const struct sample *sample)
{
	double sorted[SAMPLES_MAX];

	memcpy(sorted, sample->values, sample->count * sizeof(*sorted));
	return stats_of(sorted, sample->count);
}

double sample_ratio(const struct sample *a, const struct sample *b)
{
	struct sample ratios = { 0 };

	for (unsigned i = 0; i < a->count && i < b->count; i++) {
		if (b->values[i] > 0)
			sample_add(&ratios, a->values[i] / b->values[i]);
	}
	return sample_stats(&ratios).median;
}

int64_t sample_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
