/* SPDX-License-Identifier: MIT */
/* clock.c — monotonic time in nanoseconds, and deadlines made of it */
#include "os/clock.h"

#include <time.h>

int64_t skuai_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC,
		      &now); /* cannot fail: the clock exists, the pointer is ours */
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t skuai_deadline_after(int64_t ns)
{
	int64_t deadline;

	if (__builtin_add_overflow(skuai_clock_ns(), ns < 0 ? 0 : ns, &deadline))
		return SKUAI_NO_DEADLINE;
	return deadline;
}
