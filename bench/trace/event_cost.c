/* SPDX-License-Identifier: MIT */
/* event_cost.c — what one event of a trace costs, beside the reading of the clock that is in it */
#include <skua/skua.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BATCHES	    31 /* odd, so that the median is a measurement */
#define BATCH_CALLS 200000

enum variant {
	CLOCK,
	OFF,
	ON
};

struct batch {
	enum variant variant;
	uint32_t name;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The processor's own clock, as `run` knows it for this machine; without, the system's. */
#ifndef READ_CLOCK
#define READ_CLOCK now_ns()
#endif

/* By a worker: the events of tasks are its own. */
SKUA_TASK(int64_t, run_batch, struct batch, batch)
{
	uint64_t sum = 0;
	int64_t start = now_ns();

	if (batch.variant == CLOCK)
		for (uint64_t i = 0; i < BATCH_CALLS; i++)
			sum += (uint64_t)READ_CLOCK;
	else
		for (uint64_t i = 0; i < BATCH_CALLS; i++)
			skua_trace_mark(batch.name, i);
	int64_t end = now_ns();
	__asm__ volatile("" : : "r"(sum));
	return end - start;
}

static int by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The three in turn, batch by batch. */
static int measure(struct skua_pool *pool, double ns[3])
{
	static int64_t samples[3][BATCHES];
	uint32_t name = skua_trace_name("event");

	for (unsigned n = 0; n < BATCHES; n++) {
		for (enum variant variant = CLOCK; variant <= ON; variant++) {
			int error = variant == ON ? skua_trace_begin(pool, NULL) : SKUA_OK;
			if (error)
				return error;
			samples[variant][n] = skua_run(pool, run_batch,
						       (struct batch){ variant, name });
			if (variant == ON && (error = skua_trace_end(pool)))
				return error;
		}
	}
	for (unsigned i = 0; i < 3; i++) {
		qsort(samples[i], BATCHES, sizeof(samples[i][0]), by_value);
		ns[i] = (double)samples[i][BATCHES / 2] / BATCH_CALLS;
	}
	return SKUA_OK;
}

int main(void)
{
	struct skua_pool_options options = { .size = sizeof(options), .workers = 1 };
	struct skua_pool *pool;
	double ns[3];
	int error = skua_pool_open(&pool, &options);

	if (!error)
		error = measure(pool, ns);
	if (error) {
		fprintf(stderr, "event_cost: nothing was measured: %s\n", skua_strerror(error));
		return 1;
	}
	printf("{\"clock_ns\": %.2f, \"off_ns\": %.2f, \"event_ns\": %.2f}\n", ns[CLOCK], ns[OFF],
	       ns[ON]);
	return skua_pool_close(pool, SKUA_CLOSE_DRAIN) != SKUA_OK;
}
