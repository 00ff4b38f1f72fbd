/* SPDX-License-Identifier: MIT */
/* choice.h — which kernels to run, at which sizes, as named on the command line */
#ifndef SKUAT_CHOICE_H
#define SKUAT_CHOICE_H

#include "bench/kernel.h"

struct call;

/* One measurement: a kernel of its own kind, or a program of bench/work at one size. */
struct choice {
	const struct kernel *kernel; /* NULL: it is a program */
	const struct work *work;
	const struct work_problem *problem;
};

/* All there are, one after the other; false: there is no i-th.  problem is the first. */
bool choice_kernel(unsigned i, struct choice *choice);
const char *choice_name(const struct choice *choice);
const char *choice_role(const struct choice *choice);

/*
 * What to run: the operands of the call, or all kernels where there are none.  Gives the choices,
 * to be freed by the caller, and how many.  NULL: the exit status is in *status, and was explained.
 */
struct choice *choose(const struct call *call, bool is_large, unsigned *count, int *status);

/* Name all kernels and their sizes on standard output. */
void choice_list(void);

#endif
