/* SPDX-License-Identifier: MIT */
/* clock.c — monotonic time in nanoseconds, and deadlines made of it */
#include "os/clock.h"

#include <time.h>

static int64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now); /* cannot fail: the clock exists, the pointer is ours */
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t skuai_clock_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t skuai_clock_cpu_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

int64_t skuai_deadline_after(int64_t ns)
{
	int64_t deadline;

	if (__builtin_add_overflow(skuai_clock_ns(), ns < 0 ? 0 : ns, &deadline))
		return SKUAI_NO_DEADLINE;
	return deadline;
}

bool skuai_deadline_is_past(int64_t deadline)
{
	return deadline != SKUAI_NO_DEADLINE && skuai_clock_ns() >= deadline;
}
