/* SPDX-License-Identifier: MIT */
/* fib.h — Fibonacci numbers without a cut-off: nothing but forks and joins */
#ifndef SKUA_WORK_FIB_H
#define SKUA_WORK_FIB_H

#include "work.h"

struct fib {
	int n;
	int64_t result;
	int64_t answer;
};

#endif
