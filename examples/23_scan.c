/* SPDX-License-Identifier: MIT */
/* 23_scan.c — prefix sums: balances of an account, a horizon of hills */
#include <skua/scan.h>
#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT ((size_t)1000000)

SKUA_SCAN(add, double, sum, next)
{
	*sum += *next;
}

SKUA_SCAN(highest, int, so_far, next)
{
	if (*next > *so_far)
		*so_far = *next;
}

static bool is_same(const double *a, const double *b)
{
	for (size_t i = 0; i < COUNT; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* What was booked so far, before each booking; the last bits do not depend on who helped. */
static bool balances(const double *booked, double *before, double *again)
{
	const double opening = 1000;
	double closing = 0;
	struct skua_scan_options options = { .size = sizeof(options),
					     .is_exclusive = true,
					     .is_stable = true,
					     .initial = &opening,
					     .total = &closing };
	struct skua_pool_options alone = { .size = sizeof(alone), .workers = 1 };
	struct skua_pool *pool = NULL;

	if (skua_scan(NULL, booked, before, COUNT, add, &options) != SKUA_OK ||
	    skua_pool_open(&pool, &alone) != SKUA_OK)
		return false;
	options.total = NULL;
	bool is_done = skua_scan(pool, booked, again, COUNT, add, &options) == SKUA_OK;
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
	printf("%.2f before the last booking, %.2f after it\n", before[COUNT - 1], closing);
	return is_done && before[0] == opening &&
	       closing == before[COUNT - 1] + booked[COUNT - 1] && is_same(before, again);
}

/* The horizon seen from the left: how high the highest hill is, up to each place; in place. */
static bool horizon(int *hills)
{
	if (skua_scan(NULL, hills, hills, COUNT, highest, NULL) != SKUA_OK)
		return false;
	for (size_t i = 1; i < COUNT; i++)
		if (hills[i] < hills[i - 1])
			return false;
	printf("the highest of %zu hills: %d\n", COUNT, hills[COUNT - 1]);
	return hills[COUNT - 1] == 999983;
}

int main(void)
{
	double *booked = malloc(3 * COUNT * sizeof(*booked));
	int *hills = malloc(COUNT * sizeof(*hills));
	bool is_right = booked && hills;

	for (size_t i = 0; is_right && i < COUNT; i++) {
		booked[i] = ((double)(i % 7) - 3) * 0.01;
		hills[i] = (int)(i * 7919 % 999983);
	}
	if (is_right)
		hills[COUNT / 2] = 999983;
	is_right = is_right && balances(booked, booked + COUNT, booked + 2 * COUNT);
	is_right = is_right && horizon(hills);
	free(booked);
	free(hills);
	return is_right ? 0 : 1;
}
