/* SPDX-License-Identifier: MIT */
/* cpuset.c — a set of CPU numbers, its text form, and the CPUs this process may use */
#include "os/cpuset.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/fault.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#define CPUSET_WORDS (sizeof(struct skuai_cpuset) / sizeof(unsigned long))

static unsigned long cpuset_bit(unsigned cpu)
{
	return 1UL << (cpu % SKUAI_WORD_CPUS);
}

bool skuai_cpuset_has(const struct skuai_cpuset *set, unsigned cpu)
{
	return cpu < SKUAI_CPUS_MAX && (set->words[cpu / SKUAI_WORD_CPUS] & cpuset_bit(cpu)) != 0;
}

void skuai_cpuset_add(struct skuai_cpuset *set, unsigned cpu)
{
	skua_assert(cpu < SKUAI_CPUS_MAX);
	set->words[cpu / SKUAI_WORD_CPUS] |= cpuset_bit(cpu);
}

void skuai_cpuset_drop(struct skuai_cpuset *set, unsigned cpu)
{
	skua_assert(cpu < SKUAI_CPUS_MAX);
	set->words[cpu / SKUAI_WORD_CPUS] &= ~cpuset_bit(cpu);
}

unsigned skuai_cpuset_count(const struct skuai_cpuset *set)
{
	unsigned count = 0;

	for (size_t i = 0; i < CPUSET_WORDS; i++)
		count += (unsigned)__builtin_popcountl(set->words[i]);
	return count;
}

unsigned skuai_cpuset_next(const struct skuai_cpuset *set, unsigned from)
{
	while (from < SKUAI_CPUS_MAX) {
		unsigned long word = set->words[from / SKUAI_WORD_CPUS] >> (from % SKUAI_WORD_CPUS);
		if (word)
			return from + (unsigned)__builtin_ctzl(word);
		from += (unsigned)(SKUAI_WORD_CPUS - from % SKUAI_WORD_CPUS);
	}
	return SKUAI_CPUS_MAX;
}

void skuai_cpuset_and(struct skuai_cpuset *set, const struct skuai_cpuset *other)
{
	for (size_t i = 0; i < CPUSET_WORDS; i++)
		set->words[i] &= other->words[i];
}

void skuai_cpuset_or(struct skuai_cpuset *set, const struct skuai_cpuset *other)
{
	for (size_t i = 0; i < CPUSET_WORDS; i++)
		set->words[i] |= other->words[i];
}

void skuai_cpuset_minus(struct skuai_cpuset *set, const struct skuai_cpuset *other)
{
	for (size_t i = 0; i < CPUSET_WORDS; i++)
		set->words[i] &= ~other->words[i];
}

/* One item of a list, "8" or "10-11". */
static enum skuai_cpuset_result cpuset_parse_item(struct skuai_text item, struct skuai_cpuset *set)
{
	bool is_range = item.count && memchr(item.at, '-', item.count);
	struct skuai_text first_text = skuai_text_cut(&item, '-');
	uint64_t first, last;

	if (!skuai_text_number(first_text, &first))
		return SKUAI_CPUSET_GARBLED;
	last = first;
	if (is_range && !skuai_text_number(item, &last))
		return SKUAI_CPUSET_GARBLED;
	if (last < first)
		return SKUAI_CPUSET_GARBLED;
	for (uint64_t cpu = first; cpu <= last && cpu < SKUAI_CPUS_MAX; cpu++)
		skuai_cpuset_add(set, (unsigned)cpu);
	return last < SKUAI_CPUS_MAX ? SKUAI_CPUSET_WHOLE : SKUAI_CPUSET_CLIPPED;
}

enum skuai_cpuset_result skuai_cpuset_parse(struct skuai_text list, struct skuai_cpuset *set)
{
	enum skuai_cpuset_result result = SKUAI_CPUSET_WHOLE;
	bool is_more = true;

	memset(set, 0, sizeof(*set));
	list = skuai_text_trim(list);
	if (list.count == 0)
		return SKUAI_CPUSET_WHOLE;
	while (is_more) {
		struct skuai_text rest = list;
		struct skuai_text item = skuai_text_cut(&list, ',');
		is_more = item.count < rest.count; /* a comma followed: an item must follow it */
		switch (cpuset_parse_item(item, set)) {
		case SKUAI_CPUSET_WHOLE:
			break;
		case SKUAI_CPUSET_CLIPPED:
			result = SKUAI_CPUSET_CLIPPED;
			break;
		case SKUAI_CPUSET_GARBLED:
			memset(set, 0, sizeof(*set));
			return SKUAI_CPUSET_GARBLED;
		}
	}
	return result;
}

void skuai_cpuset_format(const struct skuai_cpuset *set, char *list, size_t room)
{
	size_t filled = 0;
	unsigned last;

	skua_assert(room > sizeof("..."));
	list[0] = '\0';
	for (unsigned first = skuai_cpuset_next(set, 0); first < SKUAI_CPUS_MAX;
	     first = skuai_cpuset_next(set, last + 1)) {
		char item[32];
		for (last = first; skuai_cpuset_has(set, last + 1);)
			last++;
		int length = snprintf(item, sizeof(item), "%s%u", filled ? "," : "", first);
		if (last > first)
			length += snprintf(item + length, sizeof(item) - (size_t)length, "-%u",
					   last);
		/* Room for the dots is kept until the last item, which needs none. */
		bool is_last = skuai_cpuset_next(set, last + 1) == SKUAI_CPUS_MAX;
		size_t kept = is_last ? sizeof("") : sizeof("...");
		if (filled + (size_t)length + kept > room) {
			memcpy(list + filled, "...", sizeof("..."));
			return;
		}
		memcpy(list + filled, item, (size_t)length + 1);
		filled += (size_t)length;
	}
}

/*
 * The kernel refuses a mask shorter than its own (EINVAL); ours is as long as any stock kernel's.
 * For a kernel patched beyond that, larger masks are tried up to a million CPUs (arbitrary).
 */
#define CPUSET_MASK_MOST ((size_t)1 << 17)

static int cpuset_ask(uint32_t tid, size_t bytes, unsigned long *mask)
{
	int saved = errno, error = skuai_fault(SKUAI_FAULT_AFFINITY);

	if (!error && sched_getaffinity((pid_t)tid, bytes, (cpu_set_t *)mask) != 0)
		error = errno;
	errno = saved;
	return error;
}

enum skuai_cpuset_result skuai_cpuset_allowed(uint32_t tid, struct skuai_cpuset *set)
{
	enum skuai_cpuset_result result = SKUAI_CPUSET_GARBLED;
	int error = cpuset_ask(tid, sizeof(*set), set->words);

	if (!error)
		return SKUAI_CPUSET_WHOLE;
	memset(set, 0, sizeof(*set));
	for (size_t bytes = 2 * sizeof(*set); error == EINVAL && bytes <= CPUSET_MASK_MOST;
	     bytes *= 2) {
		unsigned long *mask = skuai_alloc(bytes, 1);
		if (!mask)
			break;
		error = cpuset_ask(tid, bytes, mask);
		if (!error) {
			result = SKUAI_CPUSET_WHOLE;
			memcpy(set->words, mask, sizeof(*set));
			for (size_t i = CPUSET_WORDS; i < bytes / sizeof(*mask); i++)
				if (mask[i])
					result = SKUAI_CPUSET_CLIPPED;
		}
		skuai_free(mask);
	}
	return result;
}
