/* SPDX-License-Identifier: MIT */
/* cpuset.h — a set of CPU numbers, its text form, and the CPUs this process may use */
#ifndef SKUAI_OS_CPUSET_H
#define SKUAI_OS_CPUSET_H

#include "os/systext.h"

#include <limits.h>

/* The largest NR_CPUS that any Linux architecture can be built with. */
#define SKUAI_CPUS_MAX 8192

#define SKUAI_WORD_CPUS (sizeof(unsigned long) * CHAR_BIT)

/* CPU i is bit i % SKUAI_WORD_CPUS of words[i / SKUAI_WORD_CPUS], as sched_getaffinity has it. */
struct skuai_cpuset {
	unsigned long words[SKUAI_CPUS_MAX / SKUAI_WORD_CPUS];
};

bool skuai_cpuset_has(const struct skuai_cpuset *set, unsigned cpu);
void skuai_cpuset_add(struct skuai_cpuset *set, unsigned cpu);
void skuai_cpuset_drop(struct skuai_cpuset *set, unsigned cpu);
unsigned skuai_cpuset_count(const struct skuai_cpuset *set);

/* The lowest CPU of the set from `from` on, or SKUAI_CPUS_MAX. */
unsigned skuai_cpuset_next(const struct skuai_cpuset *set, unsigned from);

void skuai_cpuset_and(struct skuai_cpuset *set, const struct skuai_cpuset *other);
void skuai_cpuset_or(struct skuai_cpuset *set, const struct skuai_cpuset *other);
void skuai_cpuset_minus(struct skuai_cpuset *set, const struct skuai_cpuset *other);

enum skuai_cpuset_result {
	SKUAI_CPUSET_WHOLE,
	SKUAI_CPUSET_CLIPPED, /* as far as it goes: it named CPUs from SKUAI_CPUS_MAX on */
	SKUAI_CPUSET_GARBLED, /* not to be had; the set is empty */
};

/* Read a kernel CPU list, "0-3,8,10-11"; blanks around it are skipped, and nothing means no CPU. */
enum skuai_cpuset_result skuai_cpuset_parse(struct skuai_text list, struct skuai_cpuset *set);

/* Write it as such a list; one that does not fit ends in "...". */
void skuai_cpuset_format(const struct skuai_cpuset *set, char *list, size_t room);

/* Ask the system which CPUs a thread may run on; 0: the calling one. */
enum skuai_cpuset_result skuai_cpuset_allowed(uint32_t tid, struct skuai_cpuset *set);

#endif
