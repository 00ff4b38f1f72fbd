/* SPDX-License-Identifier: MIT */
/* 25_find.c — searches: the first that matches, any, all, how many; extremes; a histogram */
#include <inttypes.h>
#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>

#define DAYS 200000

struct day {
	double high, low; /* temperatures */
};

/* A condition on one index; four searches below use it. */
SKUA_FIND(is_frosty, const struct day *, days, i)
{
	return days[i].low < 0;
}

SKUA_FIND(is_sane, const struct day *, days, i)
{
	return days[i].low <= days[i].high;
}

/* The order of the elements: defines coldest(pool, array, count, &min, &max, options). */
SKUA_MIN_MAX(coldest, struct day, a, b)
{
	return a->low < b->low;
}

/* The bin of one index: how many degrees lie between the two. */
SKUA_HISTOGRAM(swing, const struct day *, days, i)
{
	return (uint64_t)(days[i].high - days[i].low);
}

static void make_days(struct day *days)
{
	uint32_t draw = 12345;

	for (int i = 0; i < DAYS; i++) {
		draw = draw * 1664525 + 1013904223;
		days[i].low = (double)(draw >> 16) / 65536 * 40 - (i < DAYS / 2 ? 0 : 2);
		draw = draw * 1664525 + 1013904223;
		days[i].high = days[i].low + (double)(draw >> 16) / 65536 * 20;
	}
}

/* What a plain loop says. */
static int check(const struct day *days, uint64_t first, uint64_t count, size_t min, size_t max)
{
	uint64_t frosty = 0;

	for (uint64_t i = 0; i < DAYS; i++) {
		if (days[i].low < 0 && frosty++ == 0 && i != first)
			return 1;
		if (days[i].low < days[min].low || days[i].low > days[max].low)
			return 1;
	}
	return count == frosty ? 0 : 1;
}

int main(void)
{
	struct day *days = calloc(DAYS, sizeof(*days));
	uint64_t first = 0, count = 0, swings[20], sum = 0;
	bool is_any = false, are_sane = false;
	size_t min = 0, max = 0;

	if (!days)
		return 1;
	make_days(days);
	/* NULL: in the default pool.  In a task, skua_here stands there. */
	int error = skua_find_first(NULL, 0, DAYS, is_frosty, days, &first, NULL);
	error = error ? error : skua_count(NULL, 0, DAYS, is_frosty, days, &count, NULL);
	error = error ? error : skua_any(NULL, 0, DAYS / 2, is_frosty, days, &is_any, NULL);
	error = error ? error : skua_all(NULL, 0, DAYS, is_sane, days, &are_sane, NULL);
	error = error ? error : coldest(NULL, days, DAYS, &min, &max, NULL);
	error = error ? error : skua_histogram(NULL, 0, DAYS, swing, days, 20, swings, NULL);
	if (error) {
		fprintf(stderr, "25_find: %s\n", skua_strerror(error));
		return 1;
	}
	for (int i = 0; i < 20; i++)
		sum += swings[i];
	printf("day %" PRIu64 " is the first with frost, %" PRIu64 " have some\n", first, count);
	printf("frost in the first half: %s; all days make sense: %s\n", is_any ? "yes" : "no",
	       are_sane ? "yes" : "no");
	printf("from %.1f on day %zu to %.1f on day %zu\n", days[min].low, min, days[max].low, max);
	bool is_right = check(days, first, count, min, max) == 0 && !is_any && are_sane;
	free(days);
	skua_pool_close(NULL, SKUA_CLOSE_DRAIN);
	return is_right && sum == DAYS ? 0 : 1;
}
