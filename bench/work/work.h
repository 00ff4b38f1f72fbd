/* SPDX-License-Identifier: MIT */
/* work.h — what a benchmark kernel is: its problems, its serial program, the same with skua */
#ifndef SKUA_WORK_H
#define SKUA_WORK_H

#include <stdbool.h>
#include <stdint.h>

struct skua_pool;

/*
 * A kernel is one algorithm written twice, with the same leaf code: as a plain serial program, and
 * with skua's forks.  What both work on is ordinary data that knows no runtime: it is declared in
 * the kernel's own header, together with the leaf code.  To measure another runtime, include that
 * header, let `prepare` make the data, write the run, and let `check` judge it.
 *
 *	prepare  reset run check  reset run check  ...  drop
 *
 * Only `run` is timed.
 */

enum work_tier {
	WORK_TEST,  /* milliseconds, for tests: only when it is named */
	WORK_QUICK, /* what `skua bench` runs without being told */
	WORK_USUAL, /* and this when the kernel is named */
	WORK_LARGE, /* and this with --large */
};

/* One size of a kernel. */
struct work_problem {
	const char *name; /* "38", "T3"; NULL ends a list */
	enum work_tier tier;
	uint64_t size;	 /* in the kernel's unit */
	uint64_t times;	 /* so often in one run: less than a millisecond would measure the clock */
	uint64_t answer; /* what one must give, where that is known beforehand */
};

/* What a kernel has to tell beside its time. */
struct work_reading {
	const char *name; /* "burst_p99" */
	const char *role; /* the same for people */
	double ns;
};

#define WORK_READINGS_MAX 16

struct work_notes {
	unsigned count;
	struct work_reading readings[WORK_READINGS_MAX];
	double seconds; /* takes the place of the time of the whole run; 0: it does not */
};

struct work {
	const char *name;
	const char *role; /* what it is a measure of */
	const char *unit; /* what size counts */
	const struct work_problem *problems;
	void *(*prepare)(const struct work_problem *problem); /* NULL: not enough memory */
	void (*reset)(void *data);			      /* before each run; may be NULL */
	void (*serial)(void *data);
	void (*skua)(void *data, struct skua_pool *pool);
	bool (*check)(void *data); /* is what the last run left behind right, to the last bit? */
	void (*drop)(void *data);
	/* The last run's; the pointer is good until the next.  NULL: there are none. */
	const struct work_notes *(*notes)(const void *data);
	/* A second serial program to be measured with; NULL: there is none. */
	void (*second)(void *data);
	const char *second_name; /* "two_calls" */
	const char *second_role; /* the same for people */
	bool has_no_ratio;	 /* its serial program is no measure of skua's */
};

/* The one list, in the order they run.  To add a kernel, add its name and define work_NAME. */
#define WORKS(X)     \
	X(cores)     \
	X(fib)       \
	X(treesum)   \
	X(skynet)    \
	X(integrate) \
	X(nqueens)   \
	X(uts)       \
	X(matmul)    \
	X(strassen)  \
	X(cilksort)  \
	X(knapsack)  \
	X(longleaf)  \
	X(tick)      \
	X(latency)   \
	X(idle)      \
	X(blocking)  \
	X(tasks)     \
	X(loops)     \
	X(algo)

#define WORK_DECLARE(name) extern const struct work work_##name;
WORKS(WORK_DECLARE)
#undef WORK_DECLARE

#define WORK_NOINLINE __attribute__((noinline))

/*
 * The compiler may not look across this: without it, a serial program that is run `times` over on
 * the same data would be run once.
 */
#define WORK_AGAIN() __asm__ volatile("" : : : "memory")

#endif
