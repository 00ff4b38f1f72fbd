/* SPDX-License-Identifier: MIT */
/* interval.c — how many times as long it took, and how sure that is */
#include "bench/interval.h"

#include <math.h>
#include <string.h>

/*
 * The bootstrap: had we measured again, we might have got the same values in other numbers.  So
 * draw as many as there are out of them, any one any number of times, from both samples, and take
 * the ratio of the medians; and so on a few thousand times.  What the middle 95 % of these ratios
 * span is the interval.  It asks nothing of the values but that each round was as good as any
 * other: no bell curve, and a few wild ones do no harm.  (B. Efron, "Bootstrap methods: another
 * look at the jackknife", Annals of Statistics 7, 1979.)
 */
#define DRAWS 4000 /* 100 lie beyond each end: enough to be steady to a part of its width */

/* splitmix64: all bits are good enough, and the seed can be anything. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static double median_of(const struct sample *sorted)
{
	return stats_at(sorted->values, sorted->count, 0.5);
}

/* The i-th of what was drawn, in order, when value v was drawn counts[v] times. */
static double drawn_at(const struct sample *sorted, const uint16_t *counts, unsigned i)
{
	unsigned v = 0;

	for (unsigned passed = counts[0]; passed <= i; passed += counts[v])
		v++;
	return sorted->values[v];
}

/* Of as many values as there are, drawn from them. */
static double median_drawn(const struct sample *sorted, uint64_t *random)
{
	uint16_t counts[SAMPLES_MAX];
	unsigned n = sorted->count;

	memset(counts, 0, n * sizeof(counts[0]));
	for (unsigned i = 0; i < n; i++)
		counts[(next_random(random) >> 32) * n >> 32]++;
	double upper = drawn_at(sorted, counts, n / 2);
	return n % 2 ? upper : (drawn_at(sorted, counts, n / 2 - 1) + upper) / 2;
}

/* False: it has too few values, or one that no clock gave. */
static bool sort(const struct sample *sample, struct sample *sorted)
{
	if (sample->count < INTERVAL_LEAST)
		return false;
	sorted->count = sample->count;
	memcpy(sorted->values, sample->values, sample->count * sizeof(sample->values[0]));
	stats_sort(sorted->values, sorted->count);
	return sorted->values[0] > 0;
}

bool interval_of(const struct sample *before, const struct sample *after, struct interval *interval)
{
	struct sample old, new;
	double ratios[DRAWS];
	uint64_t random = 1; /* a fixed seed: the same files give the same answer */

	if (!sort(before, &old) || !sort(after, &new))
		return false;
	for (unsigned i = 0; i < DRAWS; i++) {
		double median = median_drawn(&old, &random);
		ratios[i] = median_drawn(&new, &random) / median;
	}
	stats_sort(ratios, DRAWS);
	struct interval found = { .ratio = median_of(&new) / median_of(&old),
				  .low = stats_at(ratios, DRAWS, 0.025),
				  .high = stats_at(ratios, DRAWS, 0.975) };
	if (!(found.low > 0 && isfinite(found.high)))
		return false; /* times beyond reason */
	*interval = found;
	return true;
}
