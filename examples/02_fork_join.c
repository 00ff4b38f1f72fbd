/* SPDX-License-Identifier: MIT */
/* 02_fork_join.c — halves of a problem, maybe at the same time: as tasks, and without macros */
#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT 3000000
#define SMALL 1000 /* below this a loop is faster than another fork is worth */

/* A task is an ordinary function with typed arguments and result; a wrong type does not compile. */
SKUA_TASK(uint64_t, sum, const uint32_t *, numbers, size_t, count)
{
	uint64_t right = 0;

	if (count <= SMALL) {
		for (size_t i = 0; i < count; i++)
			right += numbers[i];
		return right;
	}
	skua_fork(sum, left, numbers, count / 2); /* an idle worker may take it */
	right = skua_call(sum, numbers + count / 2, count - count / 2);
	return skua_join(sum, left) + right; /* runs it here if nobody took it */
}

/* The same without macros: two functions, a pointer each. */
struct part {
	const uint32_t *numbers;
	size_t count;
	uint32_t largest;
};

static void find_largest(struct skua_slot *skua_here, void *argument)
{
	struct part *part = argument;

	if (part->count <= SMALL) {
		for (size_t i = 0; i < part->count; i++)
			if (part->numbers[i] > part->largest)
				part->largest = part->numbers[i];
		return;
	}
	size_t half = part->count / 2;
	struct part left = { part->numbers, half, 0 };
	struct part right = { part->numbers + half, part->count - half, 0 };
	skua_join_pair(skua_here, find_largest, &left, find_largest, &right);
	part->largest = left.largest > right.largest ? left.largest : right.largest;
}

int main(void)
{
	uint32_t *numbers = malloc(COUNT * sizeof(*numbers));
	struct skua_pool *pool;
	int error = skua_pool_open(&pool, NULL); /* NULL: right for this machine */

	if (error || !numbers) {
		fprintf(stderr, "02_fork_join: cannot begin: %s\n",
			skua_strerror(error ? error : SKUA_ENOMEM));
		return 1;
	}
	for (uint32_t i = 0; i < COUNT; i++)
		numbers[i] = (uint32_t)((uint64_t)i * 7919 % COUNT); /* 0 .. COUNT - 1, shuffled */

	uint64_t total = skua_run(pool, sum, numbers, (size_t)COUNT); /* from any thread */
	struct part low = { numbers, COUNT / 3, 0 };
	struct part high = { numbers + COUNT / 3, COUNT - COUNT / 3, 0 };
	skua_run_pair(pool, find_largest, &low, find_largest, &high);
	uint32_t largest = low.largest > high.largest ? low.largest : high.largest;

	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
	free(numbers);
	printf("%d numbers: sum %llu, largest %u\n", COUNT, (unsigned long long)total, largest);
	return total == (uint64_t)COUNT * (COUNT - 1) / 2 && largest == COUNT - 1 ? 0 : 1;
}
