/* SPDX-License-Identifier: MIT */
/* sim_uts_law.c — how many children a node of an unbalanced tree has, in whole numbers only */
#include "sim/sim_uts.h"

/*
 * The authors' program draws c in [0, 1) and has log(1 - c) / log(q) children, rounded down, where
 * q = w / (1 + w) and w is the mean at that height: k or more if 1 - c <= q^k.  c is a number of 31
 * bits, so a table of q^k in units of 2^-31 decides the same without a logarithm, and the same on
 * every machine.  Powers are kept to 2^-63, so that only a draw within 2^-32 of a limit could be
 * judged otherwise than by double arithmetic; the counts of all sample trees come out right.
 */
#define ONE_63 ((uint64_t)1 << 63)
#define ONE_60 ((uint64_t)1 << 60)
#define LN2_60 799144290325165979u  /* ln 2, of 2^60 */
#define TAU_60 7244019458077122842u /* 2 pi, of 2^60 */

static uint64_t mul_60(uint64_t a, uint64_t b)
{
	return sim_mul_shift(a, b, 60);
}

/* sin(2 pi i / n), of 2^60; *is_negative. */
static uint64_t sine(uint64_t i, uint64_t n, bool *is_negative)
{
	*is_negative = 2 * (i % n) > n;
	i = i % n * 4; /* quarters of n */
	if (i > 2 * n)
		i -= 2 * n;
	if (i > n)
		i = 2 * n - i;
	uint64_t x = sim_mul_div(TAU_60 / 4, i, n), square = mul_60(x, x), sum = x, term = x;
	for (uint64_t k = 2; k < 24; k += 2) {
		term = mul_60(term, square) / (k * (k + 1));
		sum = k % 4 ? sum - term : sum + term;
	}
	return sum;
}

/* ln b, of 2^56. */
static uint64_t logarithm(uint32_t b)
{
	unsigned whole = 31 - (unsigned)__builtin_clz(b);
	uint64_t x = (uint64_t)b << (62 - whole), log2 = (uint64_t)whole << 56; /* 1 is 2^62 */

	for (int bit = 55; bit >= 0; bit--) {
		x = sim_mul_shift(x, x, 62);
		if (x >> 63) {
			log2 |= (uint64_t)1 << bit;
			x >>= 1;
		}
	}
	return sim_mul_shift(log2, LN2_60, 60);
}

/* e^-x for x of 2^56, of 2^60. */
static uint64_t shrink(uint64_t x)
{
	uint64_t halvings = x / (LN2_60 >> 4);
	uint64_t rest = (x - halvings * (LN2_60 >> 4)) << 4, sum = ONE_60, term = ONE_60;

	for (uint64_t k = 1; k < 24; k++) {
		term = mul_60(term, rest) / k;
		sum += term;
	}
	return halvings < 60 ? sim_mul_div(ONE_60, ONE_60, sum) >> halvings : 0;
}

/* q = w / (1 + w) at a height, of 2^63. */
static uint64_t share_at(const struct sim_uts *tree, uint32_t height)
{
	uint64_t wide = tree->wide, deep = tree->deep;

	if (height == 0 || tree->shape == SIM_UTS_FIXED)
		return sim_mul_div(ONE_63, wide, wide + 1);
	if (tree->shape == SIM_UTS_LINEAR)
		return height < deep ? sim_mul_div(ONE_63, wide * (deep - height),
						   wide * (deep - height) + deep)
				     : 0;
	bool is_negative;
	uint64_t exponent = mul_60(sine(height, deep, &is_negative), logarithm(tree->wide));
	uint64_t u = shrink(exponent); /* w is this or its inverse */
	return sim_mul_div(is_negative ? u : ONE_60, ONE_63, ONE_60 + u);
}

uint32_t sim_uts_rows(const struct sim_uts *tree)
{
	if (tree->kind == SIM_UTS_BINOMIAL)
		return 0;
	return tree->shape == SIM_UTS_FIXED ? 1 : tree->deep + 1;
}

void sim_uts_fill(const struct sim_uts *tree, uint32_t *limits)
{
	for (uint32_t row = 0; row < sim_uts_rows(tree); row++) {
		uint64_t share = share_at(tree, row), power = ONE_63;
		for (uint32_t k = 0; k < SIM_UTS_MOST; k++) {
			power = sim_mul_shift(power, share, 63);
			*limits++ = (uint32_t)(power >> 32);
		}
	}
}

/* The row of a height; SIM_NONE: no children there. */
static uint32_t row_of(const struct sim_uts *tree, uint32_t height)
{
	if (height == 0)
		return 0;
	switch (tree->shape) {
	case SIM_UTS_FIXED:
		return height < tree->deep ? 0 : SIM_NONE;
	case SIM_UTS_CYCLIC:
		return height > 5 * tree->deep ? SIM_NONE : 1 + (height - 1) % tree->deep;
	default:
		return height < tree->deep ? height : SIM_NONE;
	}
}

uint32_t sim_uts_children(const struct sim_uts *tree, const uint32_t *limits, uint32_t height,
			  uint32_t draw)
{
	uint32_t children = 0, chance = draw & 0x7fffffff, left = 0x80000000 - chance;

	if (tree->kind == SIM_UTS_BINOMIAL && height == 0)
		return tree->wide;
	if (tree->kind == SIM_UTS_GEOMETRIC ||
	    (tree->kind == SIM_UTS_HYBRID && 2 * height < tree->deep)) {
		uint32_t row = row_of(tree, height);
		if (row == SIM_NONE)
			return 0;
		limits += (size_t)row * SIM_UTS_MOST;
		while (children < SIM_UTS_MOST && left <= limits[children])
			children++;
		return children;
	}
	return (uint64_t)chance * 1000000000 < ((uint64_t)tree->chance << 31) ? tree->many : 0;
}
