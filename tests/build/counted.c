/* SPDX-License-Identifier: MIT */
/* counted.c — so many deque pairs or loop chunks and little else, for callgrind to count */
#include <semaphore.h>
#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BELOW 8 /* elements that stay in the deque: a pop of the last one is another matter */

/* A push and a pop each, by the owner. */
static int count_pairs(uint64_t count, enum skua_deque_fence fence)
{
	struct skua_deque_options options = { .size = sizeof(options), .fence = fence };
	struct skua_deque deque;
	uint64_t sum = 0, element = 0;
	int error = skua_deque_open(&deque, &options);

	if (error) {
		fprintf(stderr, "counted: no deque: %s\n", skua_strerror(error));
		return error == SKUA_ENOTSUP || error == SKUA_EPERM ? 77 : 3;
	}
	for (unsigned i = 0; i < BELOW; i++)
		skua_deque_push(&deque, i);
	for (uint64_t i = 0; i < count; i++) {
		skua_deque_push(&deque, i);
		skua_deque_pop(&deque, &element);
		sum += element;
	}
	skua_deque_close(&deque);
	return sum != count * (count - 1) / 2;
}

/*
 * How many indices make a chunk is decided by the clock: by one that has taken long enough, none
 * is added.  A sleep takes long and has few instructions, always as many.
 */
static int sleep_body(struct skua_slot *here, uint64_t lo, uint64_t hi, void *chunks)
{
	struct timespec time = { .tv_nsec = 150000 }; /* src/par/claims.c goes up to 66 us */

	(void)here;
	(void)lo;
	(void)hi;
	nanosleep(&time, NULL);
	++*(uint64_t *)chunks;
	return 0;
}

/* As many calls of the same body, without a loop of ours. */
static int count_sleeps(uint64_t count)
{
	skua_loop_body *volatile body = sleep_body;
	uint64_t chunks = 0;

	for (uint64_t i = 0; i < count; i++)
		body(NULL, i, i + 1, &chunks);
	return chunks != count;
}

struct busy {
	sem_t is_there, may_go;
};

static void be_busy(struct skua_slot *here, void *argument)
{
	struct busy *busy = argument;

	(void)here;
	sem_post(&busy->is_there);
	sem_wait(&busy->may_go);
}

SKUA_TASK(uint64_t, loop_task, uint64_t, count)
{
	uint64_t chunks = 0;

	return skua_for(skua_here, 0, count, sleep_body, &chunks, NULL) ? 0 : chunks;
}

/*
 * A pool of one worker would take all in one chunk, and a second worker would help at times; so the
 * second one is kept from it.
 */
static int count_chunks(uint64_t count)
{
	struct skua_pool_options options = { .size = sizeof(options), .workers = 2 };
	struct busy busy;
	struct skua_job job = { .run = be_busy, .argument = &busy };
	struct skua_pool *pool;

	if (skua_pool_open(&pool, &options))
		return 3;
	sem_init(&busy.is_there, 0, 0);
	sem_init(&busy.may_go, 0, 0);
	skua_submit(pool, &job);
	sem_wait(&busy.is_there);
	uint64_t chunks = skua_run(pool, loop_task, count);
	sem_post(&busy.may_go);
	skua_job_wait(&job, SKUA_FOREVER);
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
	printf("%llu chunks\n", (unsigned long long)chunks);
	return chunks != count;
}

int main(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[1] : "";
	uint64_t count = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;

	if (strcmp(what, "pair") == 0)
		return count_pairs(count, SKUA_FENCE_PORTABLE);
	if (strcmp(what, "pair_asymmetric") == 0)
		return count_pairs(count, SKUA_FENCE_ASYMMETRIC);
	if (strcmp(what, "sleep") == 0)
		return count_sleeps(count);
	if (strcmp(what, "chunk") == 0)
		return count_chunks(count);
	fprintf(stderr, "usage: counted pair|pair_asymmetric|sleep|chunk COUNT\n");
	return 2;
}
