/* SPDX-License-Identifier: MIT */
/* 21_reduce.c — a sum over a million items of uneven cost, and one that is the same to the bit */
#include <inttypes.h>
#include <skua/skua.h>
#include <stdio.h>
#include <string.h>

#define ITEMS 1000000

/* How many steps the Collatz sequence takes from here: some a few, some hundreds. */
static unsigned steps_from(uint64_t n)
{
	unsigned steps = 0;

	for (; n > 1; steps++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return steps;
}

/* What is made of the items: any struct. */
struct found {
	uint64_t sum, longest_at;
	unsigned longest;
};

SKUA_FOLD(walk, struct found, found, void *, unused, i)
{
	unsigned steps = steps_from(i);

	(void)unused;
	found->sum += steps;
	if (steps > found->longest) {
		found->longest = steps;
		found->longest_at = i;
	}
}

/* Two that are neighbours, in order: so the first of several longest ones is found. */
SKUA_FOLD_MERGE(walk, struct found, found, next)
{
	found->sum += next->sum;
	if (next->longest > found->longest) {
		found->longest = next->longest;
		found->longest_at = next->longest_at;
	}
}

SKUA_FOLD(harmonic, double, sum, void *, unused, i)
{
	(void)unused;
	*sum += 1.0 / (double)(i + 1);
}

SKUA_FOLD_MERGE(harmonic, double, sum, next)
{
	*sum += *next;
}

/* With so many workers; the number, or one that is none. */
static double harmonic_with(int workers)
{
	struct skua_pool_options of_pool = { .size = sizeof(of_pool), .workers = workers };
	struct skua_loop_options options = { .size = sizeof(options), .is_stable = true };
	struct skua_pool *pool;
	double sum = -1;

	if (skua_pool_open(&pool, &of_pool))
		return -1;
	if (skua_reduce(pool, 0, ITEMS, harmonic, NULL, &sum, &options))
		sum = -1;
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
	return sum;
}

int main(void)
{
	struct found found;
	int error = skua_reduce(NULL, 1, ITEMS + 1, walk, NULL, &found, NULL);

	skua_pool_close(NULL, SKUA_CLOSE_DRAIN);
	if (error) {
		fprintf(stderr, "21_reduce: %s\n", skua_strerror(error));
		return 1;
	}
	printf("%" PRIu64 " steps; the longest way, %u, is from %" PRIu64 "\n", found.sum,
	       found.longest, found.longest_at);

	/* Floating-point sums depend on the order; a stable one does not depend on the workers. */
	double one = harmonic_with(1), five = harmonic_with(5);
	printf("%.15f with 1 worker, %.15f with 5\n", one, five);
	return found.sum == 131434424 && found.longest_at == 837799 && found.longest == 524 &&
			       one > 14.39 && one < 14.40 && !memcmp(&one, &five, sizeof(one))
		       ? 0
		       : 1;
}
