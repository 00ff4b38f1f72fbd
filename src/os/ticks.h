/* SPDX-License-Identifier: MIT */
/* ticks.h — the processor's own clock: cheap, steady, of a rate known only roughly */
#ifndef SKUAI_OS_TICKS_H
#define SKUAI_OS_TICKS_H

#include <stdint.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include "os/clock.h"
#endif

/* For "was that long?", where a clock in nanoseconds would cost more than the answer is worth.
 * Moving to another processor may make it jump; differences must be taken with a grain of salt. */
static inline uint64_t skuai_ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return (uint64_t)skuai_clock_ns();
#endif
}

/* Some microseconds in ticks, to a factor of two. */
static inline uint64_t skuai_ticks_of_us(uint64_t us)
{
#if defined(__x86_64__)
	return us * 2500; /* processors of 2 to 5 GHz */
#elif defined(__aarch64__)
	uint64_t per_second;

	__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(per_second));
	return us * per_second / 1000000 + 1;
#else
	return us * 1000;
#endif
}

#endif
