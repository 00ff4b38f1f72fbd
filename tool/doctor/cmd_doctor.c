/* SPDX-License-Identifier: MIT */
/* cmd_doctor.c — `skua doctor`: what skua sees of this machine, and what it makes of it */
#include "args.h"
#include "doctor/doctor.h"
#include "words.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

const struct doctor_part doctor_parts[] = {
	{ SKUA_PART_AFFINITY, "affinity", "which CPUs this process may use",
	  "all online CPUs were taken as allowed; one, where those are not known either",
	  "see whether a sandbox denies sched_getaffinity(2); or set SKUA_WORKERS" },
	{ SKUA_PART_CPUS, "cpus", "which CPUs exist and are online",
	  "only the CPUs this process may use were counted",
	  "see whether /sys is mounted and /sys/devices/system/cpu/online can be read" },
	{ SKUA_PART_CORES, "cores", "which CPUs share a core or a package",
	  "cores, packages and SMT are not known; the number of workers does not need them",
	  "see whether /sys/devices/system/cpu/cpu0/topology can be read" },
	{ SKUA_PART_CACHES, "caches", "the caches",
	  "which CPUs share a cache is not known; the number of workers does not need it",
	  "see whether /sys/devices/system/cpu/cpu0/cache can be read" },
	{ SKUA_PART_NODES, "nodes", "the NUMA nodes", "memory is taken as equally near to all CPUs",
	  "see whether /sys/devices/system/node can be read" },
	{ SKUA_PART_QUOTA, "quota", "a cgroup CPU quota",
	  "no quota was assumed there, so there may be more workers than the quota feeds",
	  "see whether your cgroup is mounted, its files can be read and memory is not short; or set SKUA_WORKERS" },
	{ 0, NULL, NULL, NULL, NULL },
};

const char *doctor_part_file(const struct skua_machine *machine, const struct doctor_part *part)
{
	/* With a quota found elsewhere, quota_file names that one. */
	bool is_told = part->part == SKUA_PART_QUOTA && !words_has_quota(machine);

	return is_told && machine->quota_file[0] ? machine->quota_file : NULL;
}

struct doctor_options {
	bool is_json;
	const char *root;
};

/* In a pipe the report goes elsewhere: say on standard error too why the exit status is 1. */
static void complain(const struct skua_machine *machine)
{
	for (const struct doctor_part *part = doctor_parts; part->name; part++) {
		const char *file = doctor_part_file(machine, part);
		if (!(machine->unreadable & (unsigned)part->part))
			continue;
		fprintf(stderr, "skua doctor: could not read %s%s%s: %s\n", part->what,
			file ? " in " : "", file ? text_clean(file, 0).s : "", part->consequence);
	}
}

/* What this second look could not read is added to what the first could not. */
static void read_topology(const char *root, struct skua_machine *machine, struct skua_cpus *cpus)
{
	struct skua_machine_options options = { .size = sizeof(options), .root = root };

	*cpus = (struct skua_cpus){ .size = sizeof(*cpus), .cpu_size = sizeof(*cpus->cpus) };
	cpus->room = machine->cpus_allowed;
	cpus->cpus = calloc(cpus->room, sizeof(*cpus->cpus));
	if (cpus->cpus && skua_machine_cpus(cpus, &options) == SKUA_OK) {
		machine->unreadable |= cpus->unreadable;
		return;
	}
	machine->unreadable |= SKUA_PART_CORES | SKUA_PART_CACHES | SKUA_PART_NODES;
	free(cpus->cpus);
	cpus->cpus = NULL;
}

static int doctor_run(struct call *call)
{
	struct doctor_options options = { 0 };
	struct skua_machine machine;
	struct skua_cpus cpus;
	int status = args_parse(call, &options);

	if (status == ARGS_GO)
		status = words_read_machine(call, options.root, &machine);
	if (status != ARGS_GO)
		return status;
	read_topology(options.root, &machine, &cpus);
	if (options.is_json) {
		doctor_json(&machine, &cpus, options.root);
		complain(&machine);
	} else {
		doctor_text(&machine, &cpus, options.root);
	}
	free(cpus.cpus);
	return machine.unreadable ? STATUS_PARTLY : STATUS_DONE;
}

static const struct arg_option doctor_option_table[] = {
	{ .name = "json",
	  .kind = ARG_FLAG,
	  .role = "print JSON instead, schema skua-doctor-1",
	  .offset = offsetof(struct doctor_options, is_json) },
	{ .name = "root",
	  .kind = ARG_WORD,
	  .value = "DIR",
	  .role = "read a copied /proc and /sys: DIR/proc and DIR/sys",
	  .offset = offsetof(struct doctor_options, root) },
	{ .name = NULL },
};

const struct command command_doctor = {
	.name = "doctor",
	.role = "Examine this machine and say how many workers fit it",
	.options = doctor_option_table,
	.about = "Exit status: 0 all was read, 1 something could not be read (the report names\n"
		 "it), 2 usage, 3 the report could not be written.\n"
		 "\n"
		 "Examples:\n"
		 "  skua doctor                  the report\n"
		 "  taskset -c 0 skua doctor     the same, allowed on one CPU only\n"
		 "  SKUA_WORKERS=3 skua doctor   does my setting arrive?\n"
		 "\n"
		 "The manual is skua-doctor(1).\n",
	.run = doctor_run,
};
