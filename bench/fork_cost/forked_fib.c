/* SPDX-License-Identifier: MIT */
/* forked_fib.c — fib through the public API on one worker, a fork and join for every two calls */
#include <skua/skua.h>

#include <stdio.h>
#include <stdlib.h>

SKUA_TASK(long, fib, int, n)
{
	if (n < 2)
		return n;
	skua_fork(fib, a, n - 1);
	long b = skua_call(fib, n - 2);
	return skua_join(fib, a) + b;
}

int main(int argc, char **argv)
{
	struct skua_pool_options options = { .size = sizeof(options), .workers = 1 };
	struct skua_pool *pool;

	if (argc != 2)
		return 2;
	int error = skua_pool_open(&pool, &options);
	if (error) {
		fprintf(stderr, "forked_fib: no pool: %s\n", skua_strerror(error));
		return 1;
	}
	printf("%ld\n", skua_run(pool, fib, atoi(argv[1])));
	return skua_pool_close(pool, SKUA_CLOSE_DRAIN) != SKUA_OK;
}
