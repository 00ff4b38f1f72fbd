/* SPDX-License-Identifier: MIT */
/* cpu_clock.h — CPU time of all threads of this process */
#ifndef SKUA_WORK_CPU_CLOCK_H
#define SKUA_WORK_CPU_CLOCK_H

#include <time.h>

static inline double cpu_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

#endif
