/* SPDX-License-Identifier: MIT */
/* quads.c — square matrices cut into quarters again and again, and the product of two of them */
#include "quads.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNED 64 /* a cache line */

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static float *get(size_t count)
{
	return aligned_alloc(ALIGNED, count * sizeof(float));
}

struct quads *quads_open(unsigned n, size_t room)
{
	struct quads *quads = calloc(1, sizeof(*quads));
	size_t count = (size_t)n * n;
	uint64_t random = n;

	if (!quads)
		return NULL;
	*quads = (struct quads){ .n = n, .a = get(count), .b = get(count), .c = get(count) };
	quads->work = room ? get(room) : NULL;
	if (!quads->a || !quads->b || !quads->c || (room && !quads->work)) {
		quads_close(quads);
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		quads->a[i] = (float)(int)(next_random(&random) % 3) - 1;
		quads->b[i] = (float)(int)(next_random(&random) % 3) - 1;
	}
	quads_clear(quads->c, n);
	return quads;
}

void quads_close(void *data)
{
	struct quads *quads = data;

	free(quads->work);
	free(quads->c);
	free(quads->b);
	free(quads->a);
	free(quads);
}

void quads_clear(float *c, unsigned n)
{
	memset(c, 0, (size_t)n * n * sizeof(*c));
}

WORK_NOINLINE void quads_tile(float *restrict c, const float *restrict a, const float *restrict b)
{
	for (unsigned i = 0; i < QUADS_TILE; i++) {
		for (unsigned k = 0; k < QUADS_TILE; k++) {
			float x = a[i * QUADS_TILE + k];
			for (unsigned j = 0; j < QUADS_TILE; j++)
				c[i * QUADS_TILE + j] += x * b[k * QUADS_TILE + j];
		}
	}
}

void quads_multiply(float *c, const float *a, const float *b, unsigned n)
{
	unsigned half = n / 2;
	size_t q = (size_t)half * half;

	if (n == QUADS_TILE) {
		quads_tile(c, a, b);
		return;
	}
	for (unsigned k = 0; k < 2;
	     k++) { /* the left half of a with the upper of b, then the rest */
		quads_multiply(c, a + k * q, b + 2 * k * q, half);
		quads_multiply(c + q, a + k * q, b + 2 * k * q + q, half);
		quads_multiply(c + 2 * q, a + 2 * q + k * q, b + 2 * k * q, half);
		quads_multiply(c + 3 * q, a + 2 * q + k * q, b + 2 * k * q + q, half);
	}
}

size_t quads_place(unsigned n, unsigned row, unsigned column)
{
	size_t at = 0;

	while (n > QUADS_TILE) {
		n /= 2;
		at += (size_t)(2 * (row / n) + column / n) * n * n;
		row %= n;
		column %= n;
	}
	return at + row * QUADS_TILE + column;
}

/* y = m x, in whole numbers. */
static void apply(const float *m, unsigned n, const int64_t *x, int64_t *y)
{
	for (unsigned row = 0; row < n; row++) {
		y[row] = 0;
		for (unsigned tile = 0; tile < n; tile += QUADS_TILE) {
			const float *part = m + quads_place(n, row, tile);
			for (unsigned j = 0; j < QUADS_TILE; j++)
				y[row] += (int64_t)part[j] * x[tile + j];
		}
	}
}

bool quads_check(void *data)
{
	const struct quads *quads = data;
	unsigned n = quads->n;
	int64_t *x = calloc(4 * (size_t)n, sizeof(*x)), *bx = x + n, *abx = bx + n, *cx = abx + n;
	static uint64_t random = 1; /* another vector each time */

	if (!x)
		return false;
	for (unsigned i = 0; i < n; i++)
		x[i] = (int64_t)next_random(&random);
	apply(quads->b, n, x, bx);
	apply(quads->a, n, bx, abx);
	apply(quads->c, n, x, cx);
	bool is_right = memcmp(abx, cx, n * sizeof(*cx)) == 0;
	free(x);
	return is_right;
}
