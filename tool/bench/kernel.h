/* SPDX-License-Identifier: MIT */
/* kernel.h — what a benchmark kernel is, the one list of them, and what one run gives */
#ifndef SKUAT_KERNEL_H
#define SKUAT_KERNEL_H

#include "bench/sample.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The one list, in the order they run.  To add a kernel, add its name here and define
 * `const struct kernel kernel_NAME` in tool/bench/kernel_NAME.c.
 */
#define KERNELS(X) X(deque)

#define FIGURES_MAX 32

/* What the user asked for. */
struct bench_plan {
	unsigned workers; /* 0: as many as the kernel thinks best */
	unsigned repeat;  /* rounds; each measures everything once, so that a slow spell of the
			   * machine falls on all alike */
	/* Call after each round, for people who wait. */
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
	uint64_t size;	      /* of the problem; the kernel says in which unit */
	unsigned workers;     /* threads that worked on it, at most */
	struct sample serial; /* seconds of the plain serial program ... */
	struct sample own;    /* ... and of skua, round by round */
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
	const char *size; /* what its size counts, "push+pop pairs" */
	/* False: it could not run, result->failed says why.  *result starts zeroed, check true. */
	bool (*run)(const struct bench_plan *plan, struct bench_result *result);
};

#define KERNEL_DECLARE(name) extern const struct kernel kernel_##name;
KERNELS(KERNEL_DECLARE)
#undef KERNEL_DECLARE

#endif
