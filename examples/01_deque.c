/* SPDX-License-Identifier: MIT */
/* 01_deque.c — an owner and two thieves share the squares from 1 to 100000 through one deque */
#include <pthread.h>
#include <sched.h>
#include <skua/skua.h>
#include <stdio.h>

#define LAST	100000
#define THIEVES 2

SKUA_DEQUE_OF(numbers, uint64_t); /* struct numbers, numbers_push, numbers_pop, numbers_steal ... */

struct taker {
	struct numbers *numbers;
	uint64_t sum; /* its own until it is joined */
};

/* Take the oldest until the 0 that says there are no more. */
static void *be_thief(void *argument)
{
	struct taker *thief = argument;
	uint64_t n;

	for (;;) {
		switch (numbers_steal(thief->numbers, &n)) {
		case SKUA_TAKE_GOT:
			if (n == 0)
				return NULL;
			thief->sum += n * n;
			break;
		case SKUA_TAKE_RETRY: /* another was faster; look again */
			break;
		case SKUA_TAKE_EMPTY: /* at this moment; let the owner run */
			sched_yield();
			break;
		}
	}
}

int main(void)
{
	struct numbers numbers;
	struct taker thieves[THIEVES];
	pthread_t threads[THIEVES];
	uint64_t n, mine = 0, wanted = (uint64_t)LAST * (LAST + 1) * (2 * LAST + 1) / 6;
	unsigned started = 0;
	int error = numbers_open(&numbers, NULL); /* this thread owns it: push and pop are ours */

	if (error) {
		fprintf(stderr, "01_deque: no deque: %s\n", skua_strerror(error));
		return 1;
	}
	for (; started < THIEVES; started++) {
		thieves[started] = (struct taker){ .numbers = &numbers };
		if (pthread_create(&threads[started], NULL, be_thief, &thieves[started]))
			break; /* with fewer, then */
	}
	for (uint64_t i = 1; i <= LAST; i++) {
		if (numbers_push(&numbers, i) != SKUA_OK)
			mine += i * i; /* could not grow: the element is still ours */
		if (i % 2 == 0 && numbers_pop(&numbers, &n) == SKUA_TAKE_GOT)
			mine += n * n;
	}
	while (numbers_pop(&numbers, &n) == SKUA_TAKE_GOT)
		mine += n * n;
	for (unsigned i = 0; i < started; i++)
		numbers_push(&numbers, 0);
	uint64_t sum = mine;
	for (unsigned i = 0; i < started; i++) {
		pthread_join(threads[i], NULL);
		sum += thieves[i].sum;
	}
	numbers_close(&numbers);
	printf("sum of squares to %d: %llu, %llu of it by %u thieves\n", LAST,
	       (unsigned long long)sum, (unsigned long long)(sum - mine), started);
	return sum == wanted ? 0 : 1;
}
