/* SPDX-License-Identifier: MIT */
/* caches.c — the kinds of cache that serve the allowed CPUs */
#include "topo/caches.h"

#include "base/alloc.h"
#include "topo/sysfs.h"

/*
 * Each CPU lists its caches in folders cache/index0, index1, ...; level and type make a kind, and
 * shared_cpu_list names the CPUs behind the same cache.  A cache is counted at the first of its
 * CPUs that is met; at the others it is only recognised, by the set of CPUs this kind already
 * serves.  The index alone would not do: where cores differ, so may the order of their folders.
 *
 * Bounded by allowed CPUs * CACHES_INDICES folders, whatever the files say.  No cache folder at all
 * is normal (many virtual machines, some Arm boards): then there are 0 kinds.  Size and line may be
 * missing for the same reason and stay 0.
 */

#define CACHES_INDICES 16 /* real ones stop at 5; arbitrary */
#define CACHES_LEVELS  16 /* likewise */

/* Everything one reading needs; too large for a stack. */
struct caches_reading {
	const char *root;
	const struct skuai_cpuset *allowed;
	struct skuai_caches *caches;
	struct skuai_cpuset served[SKUA_CACHES_MAX]; /* by caches of entries[i] counted so far */
};

/* "32K", "16384K", "1M" or plain bytes; 0 when not told. */
static uint64_t caches_read_size(const struct caches_reading *reading, unsigned cpu, unsigned index)
{
	char buffer[SKUAI_SYSFS_WORD];
	struct skuai_text text;
	uint64_t size, unit = 1;
	enum skuai_file is = skuai_sysfs_text(reading->root, buffer, &text,
					      "cpu/cpu%u/cache/index%u/size", cpu, index);

	if (is == SKUAI_FILE_MISSING)
		return 0;
	if (is == SKUAI_FILE_READ && text.count) {
		char last = text.at[text.count - 1];
		unit = last == 'K' ? 1u << 10 : last == 'M' ? 1u << 20 : last == 'G' ? 1u << 30 : 1;
		text.count -= unit > 1;
	}
	if (is != SKUAI_FILE_READ || !skuai_text_number(text, &size)) {
		reading->caches->is_unreadable = true;
		return 0;
	}
	return __builtin_mul_overflow(size, unit, &size) ? UINT64_MAX : size;
}

static unsigned caches_read_line(const struct caches_reading *reading, unsigned cpu, unsigned index)
{
	uint64_t bytes = 0;
	enum skuai_file is = skuai_sysfs_number(
		reading->root, &bytes, "cpu/cpu%u/cache/index%u/coherency_line_size", cpu, index);

	if (is == SKUAI_FILE_REFUSED || bytes > UINT32_MAX) {
		reading->caches->is_unreadable = true;
		return 0;
	}
	return (unsigned)bytes;
}

static bool caches_read_kind(const char *root, enum skua_cache_kind *kind, unsigned cpu,
			     unsigned index)
{
	char buffer[SKUAI_SYSFS_WORD];
	struct skuai_text text;

	if (skuai_sysfs_text(root, buffer, &text, "cpu/cpu%u/cache/index%u/type", cpu, index) !=
	    SKUAI_FILE_READ)
		return false;
	*kind = skuai_text_is(text, "Data")	     ? SKUA_CACHE_DATA
		: skuai_text_is(text, "Instruction") ? SKUA_CACHE_INSTRUCTION
						     : SKUA_CACHE_UNIFIED;
	return *kind != SKUA_CACHE_UNIFIED || skuai_text_is(text, "Unified");
}

/* The entry of this kind, made in its place if needed; SKUA_CACHES_MAX when there is no room. */
static unsigned caches_entry(struct caches_reading *reading, unsigned level,
			     enum skua_cache_kind kind)
{
	struct skuai_caches *caches = reading->caches;
	unsigned i, at = 0;

	for (; at < caches->count; at++) {
		const struct skua_cache *entry = &caches->entries[at];
		if (entry->level == level && entry->kind == kind)
			return at;
		if (entry->level > level || (entry->level == level && entry->kind > kind))
			break;
	}
	if (caches->count == SKUA_CACHES_MAX)
		return SKUA_CACHES_MAX;
	for (i = caches->count++; i > at; i--) {
		caches->entries[i] = caches->entries[i - 1];
		reading->served[i] = reading->served[i - 1];
	}
	caches->entries[at] = (struct skua_cache){ .level = level, .kind = kind };
	reading->served[at] = (struct skuai_cpuset){ 0 };
	return at;
}

/* One index folder; false when the file that gives the level is missing: there are no more. */
static bool caches_read_index(struct caches_reading *reading, unsigned cpu, unsigned index)
{
	struct skuai_caches *caches = reading->caches;
	struct skuai_cpuset shared;
	enum skua_cache_kind kind;
	uint64_t level = 0;
	enum skuai_file is = skuai_sysfs_number(reading->root, &level,
						"cpu/cpu%u/cache/index%u/level", cpu, index);

	if (is == SKUAI_FILE_MISSING)
		return false;
	if (is != SKUAI_FILE_READ || level < 1 || level > CACHES_LEVELS ||
	    !caches_read_kind(reading->root, &kind, cpu, index)) {
		caches->is_unreadable = true;
		return true;
	}
	unsigned at = caches_entry(reading, (unsigned)level, kind);
	if (at == SKUA_CACHES_MAX) {
		caches->is_unreadable = true;
		return true;
	}
	if (skuai_cpuset_has(&reading->served[at], cpu))
		return true;
	if (skuai_sysfs_list(reading->root, &shared, "cpu/cpu%u/cache/index%u/shared_cpu_list", cpu,
			     index) != SKUAI_FILE_READ ||
	    !skuai_cpuset_has(&shared, cpu)) {
		caches->is_unreadable = true; /* it serves this CPU; whom else is not known */
		skuai_cpuset_add(&shared, cpu);
	}
	skuai_cpuset_and(&shared, reading->allowed);
	skuai_cpuset_or(&reading->served[at], &shared);
	struct skua_cache *entry = &caches->entries[at];
	unsigned shared_by = skuai_cpuset_count(&shared);
	uint64_t size = caches_read_size(reading, cpu, index);
	unsigned line = caches_read_line(reading, cpu, index);
	entry->count++;
	entry->shared_by = shared_by > entry->shared_by ? shared_by : entry->shared_by;
	entry->size_bytes = size > entry->size_bytes ? size : entry->size_bytes;
	entry->line_bytes = line > entry->line_bytes ? line : entry->line_bytes;
	return true;
}

void skuai_caches_read(const char *root, const struct skuai_cpuset *allowed,
		       struct skuai_caches *caches)
{
	struct caches_reading *reading = skuai_alloc(1, sizeof(*reading));

	*caches = (struct skuai_caches){ .is_unreadable = !reading };
	if (!reading)
		return;
	reading->root = root;
	reading->allowed = allowed;
	reading->caches = caches;
	for (unsigned cpu = skuai_cpuset_next(allowed, 0); cpu < SKUAI_CPUS_MAX;
	     cpu = skuai_cpuset_next(allowed, cpu + 1))
		for (unsigned index = 0; index < CACHES_INDICES; index++)
			if (!caches_read_index(reading, cpu, index))
				break;
	skuai_free(reading);
}
