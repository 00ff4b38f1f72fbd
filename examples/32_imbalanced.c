/* SPDX-License-Identifier: MIT */
/* 32_imbalanced.c — halves that are none: what docs/observability.md finds and mends */
#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 *	32_imbalanced [split] [SECONDS]
 *
 * How many right-angled triangles have whole sides, the longest of up to 1000?
 */
#define LONGEST	  1000
#define TRIANGLES 881

static int is_split;

/* Those whose longest side is c: the larger it is, the more there is to try. */
static int with_longest(int c)
{
	int count = 0;

	for (int b = 1; b < c; b++)
		for (int a = 1; a < b; a++)
			count += a * a + b * b == c * c;
	return count;
}

SKUA_TASK(int, with_longest_from, int, from, int, to)
{
	int count = 0;

	if (is_split && to - from > 1) {
		int middle = from + (to - from) / 2;
		skua_fork(with_longest_from, upper, middle, to);
		count = skua_call(with_longest_from, from, middle);
		return skua_join(with_longest_from, upper) + count;
	}
	for (int c = from; c < to; c++)
		count += with_longest(c);
	return count;
}

/* One half for each of two workers: half of the numbers, that is, and not of the work. */
SKUA_TASK(int, triangles, int, longest)
{
	skua_fork(with_longest_from, upper, longest / 2, longest + 1);
	int lower = skua_call(with_longest_from, 1, longest / 2);
	return skua_join(with_longest_from, upper) + lower;
}

int main(int argc, char **argv)
{
	struct skua_pool *pool;
	int64_t start, took, end = skua_clock_ns();
	int count, error = skua_pool_open(&pool, NULL);

	if (error) {
		fprintf(stderr, "32_imbalanced: no pool: %s\n", skua_strerror(error));
		return 1;
	}
	for (int i = 1; i < argc; i++) {
		is_split |= strcmp(argv[i], "split") == 0;
		end += atoi(argv[i]) * (int64_t)1000000000;
	}
	do { /* again and again, to be watched */
		start = skua_clock_ns();
		count = skua_run(pool, triangles, LONGEST);
		took = skua_clock_ns() - start;
	} while (count == TRIANGLES && skua_clock_ns() < end);
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
	printf("%d triangles in %.1f ms\n", count, (double)took / 1e6);
	return count == TRIANGLES ? 0 : 1;
}
