/* SPDX-License-Identifier: MIT */
/* 30_profile.c — how many workers would be of use: work, span, and the speed-up to expect */
#include <skua/skua.h>
#include <stdio.h>

#define ROWS 64

static void burn(long turns)
{
	for (volatile long i = 0; i < turns; i++)
		;
}

/* Each row is as long as its number: whoever has the last ones has the most to do. */
SKUA_TASK_VOID(rows, int, from, int, to)
{
	if (to - from == 1) {
		burn(1000L * to);
		return;
	}
	int middle = from + (to - from) / 2;
	skua_fork(rows, lower, from, middle);
	skua_call(rows, middle, to);
	skua_join(rows, lower);
}

/* What no number of workers makes faster. */
SKUA_TASK_VOID(image, int, rows_count)
{
	burn(200000);
	skua_fork(rows, all, 0, rows_count);
	skua_join(rows, all);
}

int main(void)
{
	/* One worker will do: it is the program that is measured, not the machine. */
	struct skua_pool_options options = { .size = sizeof(options), .workers = 1 };
	struct skua_profile profile = { .size = sizeof(profile) };
	struct skua_pool *pool;
	char text[4096];

	if (skua_pool_open(&pool, &options) != SKUA_OK)
		return 1;
	int error = skua_profile_begin(pool);
	if (error == SKUA_OK) {
		skua_run(pool, image, ROWS);
		error = skua_profile_end(pool, &profile);
	}
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
	if (error) { /* SKUA_PROFILE=1: it is profiled already, and told of at the end */
		fprintf(stderr, "30_profile: %s\n", skua_strerror(error));
		return error == SKUA_EBUSY ? 0 : 1;
	}
	skua_profile_text(&profile, text, sizeof(text));
	fputs(text, stdout);
	printf("four workers would make it %.1f times as fast\n",
	       skua_profile_speedup(&profile, 4));
	/* A fork for each row but the first, and one for all; what burns in front is span. */
	return profile.forks == ROWS && profile.span_ns > 0 && profile.span_ns <= profile.work_ns &&
			       skua_profile_speedup(&profile, 4) < 4
		       ? 0
		       : 1;
}
