/* SPDX-License-Identifier: MIT */
/* sim_draw.c — exponential random numbers from whole numbers only */
#include "sim/sim_draw.h"

#define LN_2 2977044472u /* of 2^32 */

/* A binary logarithm, digit by digit: square; if that is 2 or more, the digit is 1, and halve. */
void sim_logs_make(struct sim_logs *logs)
{
	for (uint64_t i = 0; i < 256; i++) {
		uint64_t x = (256 + i) << 23, sum = 0; /* 1 is 2^31 */
		for (int bit = 31; bit >= 0; bit--) {
			x = x * x >> 31;
			if (x >> 32) {
				sum |= (uint64_t)1 << bit;
				x >>= 1;
			}
		}
		logs->of[i] = sum;
	}
	logs->of[256] = (uint64_t)1 << 32;
}

/* -ln(u) for u = draw / 2^64: the place of the first 1, and the logarithm of what follows it. */
uint64_t sim_exponential(const struct sim_logs *logs, uint64_t draw)
{
	unsigned zeros = 0;

	draw |= 1;
	while (!(draw >> 63)) {
		draw <<= 1;
		zeros++;
	}
	uint64_t row = draw >> 55 & 255, rest = draw >> 23 & 0xffffffff;
	uint64_t fraction = logs->of[row] +
			    ((logs->of[row + 1] - logs->of[row]) * (rest >> 8) >> 24);
	uint64_t log2 = ((uint64_t)(zeros + 1) << 32) - fraction;
	return (log2 >> 8) * LN_2 >> 24;
}
