/* SPDX-License-Identifier: MIT */
/* kernel.h — what is measured, what the user asked for, and what one measurement gives */
#ifndef SKUAT_KERNEL_H
#define SKUAT_KERNEL_H

#include "../../bench/work/work.h"
#include "bench/sample.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Two kinds of kernels.  Most are programs of bench/work: one algorithm as a plain serial program
 * and with skua's forks.  The others measure a part of the library and do it their own way; here is
 * the one list of those.  To add one, add its name and define `const struct kernel kernel_NAME` in
 * tool/bench/kernel_NAME.c.
 */
#define KERNELS(X) X(deque)

#define FIGURES_MAX	  32
#define WORKER_COUNTS_MAX 16
#define WORKERS_MAX	  256

/* What the user asked for. */
struct bench_plan {
	unsigned counts; /* how many numbers of workers to compare; 0: the kernel's own choice */
	unsigned workers[WORKER_COUNTS_MAX];
	unsigned repeat; /* rounds; each measures everything once, so that a slow spell of the
			  * machine falls on all alike; 0: as the kernel thinks */
	bool is_quick;	 /* everything in a minute: fewer rounds, unless told how many */
	/* Call before the first round and after each, for people who wait. */
	void (*progress)(const char *kernel, unsigned done, unsigned rounds);
};

/* A kernel's figure beside the common ones: one row and one column of its table. */
struct figure {
	const char *name;    /* of the row; "pair" */
	const char *variant; /* of the column; "portable" */
	const char *role;    /* the row in words */
	struct sample ns;    /* nanoseconds for one; no values: not measured, see skipped */
};

struct bench_result {
	const char *name, *role;
	const char *problem; /* which of the kernel's sizes; NULL: it has only one */
	const char *unit;    /* what size counts, "push+pop pairs" */
	uint64_t size;	     /* of the problem */
	unsigned workers;    /* threads that worked on it, at most */
	unsigned rounds;
	struct sample serial; /* seconds of the plain serial program ... */
	struct sample second; /* ... of another one, if there is one ... */
	struct sample own;    /* ... and of skua, round by round */
	struct sample cpu;    /* CPU seconds of all threads in skua's time; none: not measured */
	const char *second_role;
	bool has_ratio; /* its time against the serial one means something */
	double speedup; /* of the first number of workers' time to this; 0: there is but one */
	unsigned speedup_from; /* that number of workers */
	uint64_t tasks, steals;
	bool check;	     /* every result was right */
	const char *skipped; /* what could not be measured and why; NULL: nothing */
	const char *failed;  /* why run() gave false */
	unsigned figure_count;
	struct figure figures[FIGURES_MAX];
};

struct kernel {
	const char *name;
	const char *role; /* what it measures */
	/*
	 * With at most so many threads; 0: its own choice.  False: it could not run, result->failed
	 * says why.  *result starts zeroed but for name and role, check and has_ratio true.
	 */
	bool (*run)(const struct bench_plan *plan, unsigned workers, struct bench_result *result);
};

#define KERNEL_DECLARE(name) extern const struct kernel kernel_##name;
KERNELS(KERNEL_DECLARE)
#undef KERNEL_DECLARE

/* A program of bench/work; one result for each number of workers, at least one. */
bool measure_work(const struct bench_plan *plan, const struct work *work,
		  const struct work_problem *problem, struct bench_result *results);

#endif
