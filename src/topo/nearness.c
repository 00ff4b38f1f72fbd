/* SPDX-License-Identifier: MIT */
/* nearness.c — which allowed CPUs share a core, a cache, a node; whom a thief visits first */
#include "topo/nearness.h"

#include "base/alloc.h"
#include "topo/sysfs.h"

#include <skua/error.h>

#include <stdio.h>
#include <string.h>

/*
 * Reading.  As in layout.c: take the lowest CPU not yet placed, read the list of those it shares
 * something with, and place all of them.  So only one CPU of each core, package and cache is asked,
 * and each step asks another CPU: it ends, whatever the files say.  A list without its own CPU says
 * nothing.  Which cache is the last is known only when all caches of a CPU can be read.
 *
 * Judging.  What is not known makes two CPUs neither nearer nor farther: to be near, both must be
 * known to share something; to be far, both must be known to be apart.  Where nothing is known, all
 * are therefore at one distance, that of CPUs of one node.
 */

#define NEARNESS_CACHES 16   /* folders and levels; as caches.c has it */
#define NEARNESS_ROW	1024 /* bytes for the distances of a node, up to 4 for each other */

/* The names of one list: since Linux 5.2, and before. */
struct nearness_names {
	const char *now, *before;
};

/* Does this CPU still want a place? */
static bool nearness_wants(const struct skuai_nearness *nearness, unsigned cpu, enum skuai_in in)
{
	return nearness->cpus[cpu].is_allowed && nearness->cpus[cpu].in[in] < 0;
}

/*
 * Give those of the group that want a place the next number; returns how many there were.
 * `note` is the level of a cache, or the number of a node.
 */
static unsigned nearness_place(struct skuai_nearness *nearness, enum skuai_in in,
			       const struct skuai_cpuset *group, unsigned note)
{
	unsigned placed = 0;

	for (unsigned cpu = skuai_cpuset_next(group, 0); cpu < nearness->limit;
	     cpu = skuai_cpuset_next(group, cpu + 1)) {
		struct skuai_cpu *entry = &nearness->cpus[cpu];
		if (!nearness_wants(nearness, cpu, in))
			continue;
		entry->in[in] = (int16_t)nearness->groups[in];
		if (in == SKUAI_IN_CACHE)
			entry->cache_level = (uint8_t)note;
		if (in == SKUAI_IN_NODE)
			entry->node_number = (int16_t)note;
		placed++;
	}
	nearness->groups[in] += placed != 0;
	return placed;
}

static void nearness_read_lists(const char *root, struct skuai_nearness *nearness, enum skuai_in in,
				const struct nearness_names *names)
{
	struct skuai_cpuset group;

	for (unsigned cpu = 0; cpu < nearness->limit; cpu++) {
		if (!nearness_wants(nearness, cpu, in))
			continue;
		enum skuai_file is = skuai_sysfs_list(root, &group, "cpu/cpu%u/topology/%s", cpu,
						      names->now);
		if (is == SKUAI_FILE_MISSING)
			is = skuai_sysfs_list(root, &group, "cpu/cpu%u/topology/%s", cpu,
					      names->before);
		if (is != SKUAI_FILE_READ)
			nearness->unreadable |= SKUA_PART_CORES;
		if (skuai_cpuset_has(&group, cpu))
			nearness_place(nearness, in, &group, 0);
		else
			nearness->unreadable |= SKUA_PART_CORES;
	}
}

/* Does data go through this cache?  False also where that cannot be read, and then told. */
static bool nearness_cache_has_data(const char *root, unsigned cpu, unsigned index,
				    bool *is_unreadable)
{
	char buffer[SKUAI_SYSFS_WORD];
	struct skuai_text type;
	enum skuai_file is = skuai_sysfs_text(root, buffer, &type, "cpu/cpu%u/cache/index%u/type",
					      cpu, index);

	if (is == SKUAI_FILE_READ &&
	    (skuai_text_is(type, "Data") || skuai_text_is(type, "Unified")))
		return true;
	if (is != SKUAI_FILE_READ || !skuai_text_is(type, "Instruction"))
		*is_unreadable = true;
	return false;
}

/*
 * The level of the outermost cache that data of this CPU goes through, and its folder; 0 when no
 * cache is told, or one that may be the outermost cannot be read.
 */
static unsigned nearness_find_last(const char *root, unsigned cpu, unsigned *last,
				   bool *is_unreadable)
{
	unsigned found = 0;

	for (unsigned index = 0; index < NEARNESS_CACHES; index++) {
		uint64_t level = 0;
		enum skuai_file is = skuai_sysfs_number(
			root, &level, "cpu/cpu%u/cache/index%u/level", cpu, index);
		if (is == SKUAI_FILE_MISSING)
			break;
		if (is != SKUAI_FILE_READ || level < 1 || level > NEARNESS_CACHES) {
			*is_unreadable = true;
			continue;
		}
		if (nearness_cache_has_data(root, cpu, index, is_unreadable) && level > found) {
			found = (unsigned)level;
			*last = index;
		}
	}
	return *is_unreadable ? 0 : found;
}

static void nearness_read_caches(const char *root, struct skuai_nearness *nearness)
{
	struct skuai_cpuset shared;

	for (unsigned cpu = 0; cpu < nearness->limit; cpu++) {
		bool is_unreadable = false;
		unsigned index = 0, level;
		if (!nearness_wants(nearness, cpu, SKUAI_IN_CACHE))
			continue;
		level = nearness_find_last(root, cpu, &index, &is_unreadable);
		if (level)
			is_unreadable = skuai_sysfs_list(root, &shared,
							 "cpu/cpu%u/cache/index%u/shared_cpu_list",
							 cpu, index) != SKUAI_FILE_READ ||
					!skuai_cpuset_has(&shared, cpu);
		if (is_unreadable)
			nearness->unreadable |= SKUA_PART_CACHES;
		else if (level)
			nearness_place(nearness, SKUAI_IN_CACHE, &shared, level);
	}
}

/* --- nodes --- */

/*
 * One row of distances: a number for each online node, in their order.  It is taken whole or not at
 * all; a kernel need not tell it.  `numbers` are the kernel's, of the nodes that were placed.
 */
static void nearness_read_row(const char *root, struct skuai_nearness *nearness, unsigned row,
			      const struct skuai_cpuset *online, const unsigned *numbers)
{
	char path[64], buffer[NEARNESS_ROW];
	uint8_t distances[SKUAI_NEAR_NODES] = { 0 };
	struct skuai_text text;
	unsigned found = 0, nodes = nearness->groups[SKUAI_IN_NODE];

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/distance", numbers[row]);
	enum skuai_file is = skuai_file_read(root, path, buffer, sizeof(buffer), &text);
	text = skuai_text_trim(text);
	for (unsigned node = skuai_cpuset_next(online, 0);
	     is == SKUAI_FILE_READ && node < SKUAI_CPUS_MAX;
	     node = skuai_cpuset_next(online, node + 1)) {
		uint64_t distance;
		if (!skuai_text_number(skuai_text_cut(&text, ' '), &distance) || !distance ||
		    distance > UINT8_MAX)
			is = SKUAI_FILE_REFUSED;
		else if (found < nodes && numbers[found] == node)
			distances[found++] = (uint8_t)distance;
	}
	if (is == SKUAI_FILE_READ && found == nodes && !text.count)
		memcpy(nearness->distances[row], distances, sizeof(distances));
	else if (is != SKUAI_FILE_MISSING)
		nearness->unreadable |= SKUA_PART_NODES;
}

/* A node counts when it has an allowed CPU; a kernel without NUMA has no folder for nodes. */
static void nearness_read_nodes(const char *root, struct skuai_nearness *nearness)
{
	struct skuai_cpuset online, own;
	unsigned numbers[SKUAI_NEAR_NODES] = { 0 }, unplaced = nearness->count;
	const unsigned *nodes = &nearness->groups[SKUAI_IN_NODE];
	enum skuai_file is = skuai_sysfs_list(root, &online, "node/online");

	if (is == SKUAI_FILE_MISSING)
		return;
	if (is != SKUAI_FILE_READ)
		nearness->unreadable |= SKUA_PART_NODES;
	for (unsigned node = skuai_cpuset_next(&online, 0); unplaced && node < SKUAI_CPUS_MAX;
	     node = skuai_cpuset_next(&online, node + 1)) {
		if (skuai_sysfs_list(root, &own, "node/node%u/cpulist", node) != SKUAI_FILE_READ)
			nearness->unreadable |= SKUA_PART_NODES;
		unsigned placed = nearness_place(nearness, SKUAI_IN_NODE, &own, node);
		if (placed && *nodes <= SKUAI_NEAR_NODES)
			numbers[*nodes - 1] = node;
		unplaced -= placed;
	}
	for (unsigned row = 0; *nodes > 1 && *nodes <= SKUAI_NEAR_NODES && row < *nodes; row++)
		nearness_read_row(root, nearness, row, &online, numbers);
}

/* --- the whole --- */

/* The kernel tells it where CPUs differ (big.LITTLE), and since Linux 6.12 on hybrid x86. */
static void nearness_read_capacities(const char *root, struct skuai_nearness *nearness)
{
	for (unsigned cpu = 0; cpu < nearness->limit; cpu++) {
		uint64_t capacity = 0;
		if (nearness->cpus[cpu].is_allowed &&
		    skuai_sysfs_number(root, &capacity, "cpu/cpu%u/cpu_capacity", cpu) ==
			    SKUAI_FILE_READ &&
		    capacity <= UINT16_MAX)
			nearness->cpus[cpu].capacity = (uint16_t)capacity;
	}
}

int skuai_nearness_read(const char *root, const struct skuai_cpuset *allowed,
			struct skuai_nearness **nearness)
{
	static const struct nearness_names core = { "core_cpus_list", "thread_siblings_list" };
	static const struct nearness_names package = { "package_cpus_list", "core_siblings_list" };
	struct skuai_nearness *made;
	unsigned cpu, limit = 0;

	for (cpu = skuai_cpuset_next(allowed, 0); cpu < SKUAI_CPUS_MAX;
	     cpu = skuai_cpuset_next(allowed, cpu + 1))
		limit = cpu + 1;
	made = skuai_alloc(1, sizeof(*made) + limit * sizeof(made->cpus[0]));
	if (!made)
		return SKUA_ENOMEM;
	made->limit = limit;
	made->count = skuai_cpuset_count(allowed);
	for (cpu = 0; cpu < limit; cpu++) {
		made->cpus[cpu] = (struct skuai_cpu){ .in = { -1, -1, -1, -1 },
						      .node_number = -1,
						      .is_allowed = skuai_cpuset_has(allowed,
										     cpu) };
	}
	nearness_read_lists(root, made, SKUAI_IN_CORE, &core);
	nearness_read_lists(root, made, SKUAI_IN_PACKAGE, &package);
	nearness_read_caches(root, made);
	nearness_read_nodes(root, made);
	nearness_read_capacities(root, made);
	*nearness = made;
	return SKUA_OK;
}

void skuai_nearness_free(struct skuai_nearness *nearness)
{
	skuai_free(nearness);
}

/* --- judging --- */

/* NULL when nothing is known of it. */
static const struct skuai_cpu *nearness_of(const struct skuai_nearness *nearness, unsigned cpu)
{
	return nearness && cpu < nearness->limit ? &nearness->cpus[cpu] : NULL;
}

static bool nearness_same(const struct skuai_cpu *a, const struct skuai_cpu *b, enum skuai_in in)
{
	return a->in[in] >= 0 && a->in[in] == b->in[in];
}

static bool nearness_apart(const struct skuai_cpu *a, const struct skuai_cpu *b, enum skuai_in in)
{
	return a->in[in] >= 0 && b->in[in] >= 0 && a->in[in] != b->in[in];
}

static unsigned nearness_judge(const struct skuai_cpu *a, const struct skuai_cpu *b)
{
	if (!a || !b)
		return SKUAI_NEAR_NODE;
	if (a == b || nearness_same(a, b, SKUAI_IN_CORE))
		return SKUAI_NEAR_CORE;
	if (nearness_same(a, b, SKUAI_IN_CACHE))
		return SKUAI_NEAR_CACHE;
	if (nearness_same(a, b, SKUAI_IN_NODE))
		return SKUAI_NEAR_NODE;
	/* Without NUMA in the kernel two packages are still two. */
	return nearness_apart(a, b, SKUAI_IN_NODE) || nearness_apart(a, b, SKUAI_IN_PACKAGE)
		       ? SKUAI_NEAR_FAR
		       : SKUAI_NEAR_NODE;
}

unsigned skuai_nearness_between(const struct skuai_nearness *nearness, unsigned cpu_a,
				unsigned cpu_b)
{
	if (cpu_a == cpu_b)
		return SKUAI_NEAR_CORE;
	return nearness_judge(nearness_of(nearness, cpu_a), nearness_of(nearness, cpu_b));
}

/* A key is class * NEARNESS_CLASS + distance of the nodes, which is a byte. */
#define NEARNESS_CLASS (UINT8_MAX + 1)
#define NEARNESS_KEYS  (SKUAI_NEAR_COUNT * NEARNESS_CLASS)

/* What victims are sorted by. */
static unsigned nearness_key(const struct skuai_nearness *nearness, unsigned from, unsigned to)
{
	unsigned class = skuai_nearness_between(nearness, from, to), distance = 0;

	if (class == SKUAI_NEAR_FAR && nearness->groups[SKUAI_IN_NODE] <= SKUAI_NEAR_NODES) {
		int a = nearness->cpus[from].in[SKUAI_IN_NODE];
		int b = nearness->cpus[to].in[SKUAI_IN_NODE];
		distance = a >= 0 && b >= 0 ? nearness->distances[a][b] : 0;
	}
	return class * NEARNESS_CLASS + distance;
}

/* Counting sort: equals keep their order, and the time is that of two looks at each worker. */
void skuai_nearness_order(const struct skuai_nearness *nearness, const unsigned *cpus,
			  unsigned count, unsigned self, struct skuai_victims *victims)
{
	uint16_t starts[NEARNESS_KEYS] = { 0 };
	unsigned placed = 0;

	for (unsigned i = 1; i < count; i++)
		starts[nearness_key(nearness, cpus[self], cpus[(self + i) % count])]++;
	for (unsigned key = 0; key < NEARNESS_KEYS; key++) {
		unsigned there = starts[key];
		starts[key] = (uint16_t)placed;
		placed += there;
		victims->ends[key / NEARNESS_CLASS] = placed;
	}
	for (unsigned i = 1; i < count; i++) {
		unsigned other = (self + i) % count;
		unsigned key = nearness_key(nearness, cpus[self], cpus[other]);
		victims->numbers[starts[key]++] = (uint16_t)other;
	}
}
