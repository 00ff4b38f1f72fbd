/* SPDX-License-Identifier: MIT */
/* 28_invoke.c — three questions about the same numbers, asked at once */
#include <skua/invoke.h>
#include <skua/skua.h>
#include <stdio.h>

#define COUNT 1000000

static uint32_t numbers[COUNT];

/* Each function has a place of its own for its answer. */
struct answers {
	uint64_t sum;
	uint32_t most;
	size_t ups; /* numbers greater than the one before */
};

static int add_up(struct skua_slot *skua_here, void *argument)
{
	uint64_t *sum = argument;

	(void)skua_here;
	for (size_t i = 0; i < COUNT; i++)
		*sum += numbers[i];
	return SKUA_OK;
}

static int find_most(struct skua_slot *skua_here, void *argument)
{
	uint32_t *most = argument;

	(void)skua_here;
	for (size_t i = 0; i < COUNT; i++)
		if (numbers[i] > *most)
			*most = numbers[i];
	return SKUA_OK;
}

static int count_ups(struct skua_slot *skua_here, void *argument)
{
	size_t *ups = argument;

	(void)skua_here;
	for (size_t i = 1; i < COUNT; i++)
		*ups += numbers[i] > numbers[i - 1];
	return SKUA_OK;
}

int main(void)
{
	struct answers at_once = { 0 }, plain = { 0 };

	for (uint32_t i = 0; i < COUNT; i++)
		numbers[i] = i * 2654435761u >> 8;
	int error = skua_invoke(NULL,
				SKUA_CALLS({ add_up, &at_once.sum }, { find_most, &at_once.most },
					   { count_ups, &at_once.ups }),
				NULL);
	if (error) {
		fprintf(stderr, "28_invoke: %s\n", skua_strerror(error));
		return 1;
	}
	add_up(NULL, &plain.sum);
	find_most(NULL, &plain.most);
	count_ups(NULL, &plain.ups);
	printf("sum %llu, most %u, %zu times up\n", (unsigned long long)at_once.sum, at_once.most,
	       at_once.ups);
	return at_once.sum == plain.sum && at_once.most == plain.most && at_once.ups == plain.ups
		       ? 0
		       : 1;
}
