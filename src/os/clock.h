/* SPDX-License-Identifier: MIT */
/* clock.h — monotonic time in nanoseconds, and deadlines made of it */
#ifndef SKUAI_OS_CLOCK_H
#define SKUAI_OS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* A deadline that never comes. */
#define SKUAI_NO_DEADLINE INT64_MAX

/* Nanoseconds since some fixed moment; never goes back, not moved by setting the date. */
int64_t skuai_clock_ns(void);

/* Nanoseconds of CPU time that the calling thread has had; a system call, unlike the above. */
int64_t skuai_clock_cpu_ns(void);

/* The deadline this many ns from now; a sum that overflows never comes, a negative is now. */
int64_t skuai_deadline_after(int64_t ns);

/* Has it come?  The clock is not read for one that never does. */
bool skuai_deadline_is_past(int64_t deadline);

#endif
