/* SPDX-License-Identifier: MIT */
/* machine_cpus.c — the public report of where each allowed CPU is */
#include "os/sysfile.h"
#include "topo/cpus.h"
#include "topo/nearness.h"

#include <skua/error.h>
#include <skua/machine.h>

#include <errno.h>
#include <string.h>

/*
 * Sizes, as in machine.c: both structs only ever grow at their end.  The array's elements lie
 * cpu_size apart, as the caller was built; we fill as much of each as we know, and zero the rest.
 */

#define MACHINE_CPUS_SIZE_0_1 (offsetof(struct skua_cpus, unreadable) + sizeof(unsigned))
#define MACHINE_CPU_SIZE_0_1  (offsetof(struct skua_cpu, capacity) + sizeof(unsigned))
#define MACHINE_CPUS_OPTIONS_SIZE_0_1 \
	(offsetof(struct skua_machine_options, root) + sizeof(const char *))
#define MACHINE_CPUS_SIZE_MOST 65536 /* beyond it nobody has set a size */

static bool machine_cpus_arguments_are_valid(const struct skua_cpus *cpus,
					     const struct skua_machine_options *options)
{
	if (!cpus || cpus->size < MACHINE_CPUS_SIZE_0_1 || cpus->size > MACHINE_CPUS_SIZE_MOST)
		return false;
	if (cpus->cpu_size < MACHINE_CPU_SIZE_0_1 || cpus->cpu_size > MACHINE_CPUS_SIZE_MOST ||
	    cpus->cpu_size % _Alignof(struct skua_cpu) || (!cpus->cpus && cpus->room))
		return false;
	if (!options)
		return true;
	if (options->size < MACHINE_CPUS_OPTIONS_SIZE_0_1)
		return false;
	return !options->root || skuai_file_is_folder(options->root);
}

static struct skua_cpu machine_cpus_entry(unsigned cpu, const struct skuai_cpu *known)
{
	return (struct skua_cpu){
		.cpu = cpu,
		.core = known->in[SKUAI_IN_CORE],
		.cache = known->in[SKUAI_IN_CACHE],
		.node = known->node_number,
		.package = known->in[SKUAI_IN_PACKAGE],
		.cache_level = known->cache_level,
		.capacity = known->capacity,
	};
}

static void machine_cpus_fill(const struct skuai_nearness *nearness, struct skua_cpus *cpus)
{
	size_t filled = 0, known = sizeof(struct skua_cpu);
	char *at = (char *)cpus->cpus;

	if (known > cpus->cpu_size)
		known = cpus->cpu_size;
	for (unsigned cpu = 0; cpu < nearness->limit && filled < cpus->room; cpu++) {
		if (!nearness->cpus[cpu].is_allowed)
			continue;
		struct skua_cpu entry = machine_cpus_entry(cpu, &nearness->cpus[cpu]);
		memset(at, 0, cpus->cpu_size);
		memcpy(at, &entry, known);
		at += cpus->cpu_size;
		filled++;
	}
}

int skua_machine_cpus(struct skua_cpus *cpus, const struct skua_machine_options *options)
{
	const char *root;
	int errno_before = errno, error = SKUA_EINVAL;
	struct skuai_nearness *nearness;
	struct skuai_cpus seen;

	if (machine_cpus_arguments_are_valid(cpus, options)) {
		root = options ? options->root : NULL;
		skuai_cpus_read(root, &seen);
		error = skuai_nearness_read(root, &seen.allowed, &nearness);
	}
	if (error == SKUA_OK) {
		machine_cpus_fill(nearness, cpus);
		cpus->count = nearness->count;
		cpus->unreadable = seen.unreadable | nearness->unreadable;
		if (cpus->size > sizeof(*cpus))
			memset((char *)cpus + sizeof(*cpus), 0, cpus->size - sizeof(*cpus));
		skuai_nearness_free(nearness);
	}
	errno = errno_before;
	return error;
}
