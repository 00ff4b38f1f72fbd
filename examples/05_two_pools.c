/* SPDX-License-Identifier: MIT */
/* 05_two_pools.c — two pools in one program: tasks of each run tasks in the other */
#include <skua/skua.h>
#include <stdio.h>

#define DEPTH 10

static struct skua_pool *pools[2];

/* The leaves of a binary tree: one half in this pool, the other half in the next. */
SKUA_TASK(unsigned, leaves, unsigned, depth)
{
	if (depth == 0)
		return 1;
	skua_fork(leaves, near_half, depth - 1);
	/*
	 * In its own pool this is a call.  For the other it hands the task over, and does work of
	 * its own pool while it waits, so neither waits for ever.
	 */
	unsigned far_half = skua_run(pools[depth % 2], leaves, depth - 1);
	return skua_join(leaves, near_half) + far_half;
}

int main(void)
{
	static const char *const names[2] = { "left",
					      "right" }; /* `ps -L` shows left-0, right-0 ... */
	unsigned opened = 0, total = 0;
	int error = SKUA_OK;

	for (; opened < 2; opened++) {
		struct skua_pool_options options = { .size = sizeof(options), .workers = 2 };

		options.name = names[opened];
		error = skua_pool_open(&pools[opened], &options);
		if (error) {
			fprintf(stderr, "05_two_pools: no pool '%s': %s\n", names[opened],
				skua_strerror(error));
			break;
		}
	}
	if (opened == 2) {
		total = skua_run(pools[0], leaves, DEPTH);
		for (unsigned i = 0; i < 2; i++) {
			struct skua_stats stats = { .size = sizeof(stats) };
			skua_pool_stats(pools[i], -1, &stats);
			printf("pool '%s': %u workers, %llu tasks\n", names[i],
			       skua_pool_workers(pools[i]), (unsigned long long)stats.tasks);
		}
		printf("%u leaves\n", total);
	}
	while (opened-- > 0)
		skua_pool_close(pools[opened], SKUA_CLOSE_DRAIN);
	return total == 1u << DEPTH ? 0 : 1;
}
