/* SPDX-License-Identifier: MIT */
/* machine.c — the public report of the machine, put together from its parts */
#include "base/alloc.h"
#include "os/membarrier.h"
#include "os/quota.h"
#include "os/stackmem.h"
#include "os/sysfile.h"
#include "os/sysname.h"
#include "os/wait.h"
#include "topo/caches.h"
#include "topo/cpus.h"
#include "topo/layout.h"
#include "topo/workers.h"

#include <skua/error.h>
#include <skua/machine.h>

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Each part reads its own files and says which bits of `unreadable` it could not fill; no part's
 * failure touches another's.  The order matters in one place only: the CPUs come first, because
 * cores, caches, nodes and workers are about the allowed ones.
 *
 * Sizes.  A struct only ever grows at its end, and callers say how much of it they know.  So any
 * size from that of version 0.1 up is taken: we write no more than the caller has, and zero what
 * the caller has and we do not know.
 */

#define MACHINE_SIZE_0_1 (offsetof(struct skua_machine, unreadable) + sizeof(unsigned))
#define MACHINE_OPTIONS_SIZE_0_1 \
	(offsetof(struct skua_machine_options, root) + sizeof(const char *))

/* A size beyond this was never set by anybody; to refuse is kinder than to zero a stack. */
#define MACHINE_SIZE_MOST 65536

static void machine_read_cpus(const char *root, struct skua_machine *machine)
{
	struct skuai_cpus cpus;
	struct skuai_layout layout;
	struct skuai_caches caches;

	skuai_cpus_read(root, &cpus);
	machine->cpus_possible = skuai_cpuset_count(&cpus.possible);
	machine->cpus_online = skuai_cpuset_count(&cpus.online);
	machine->cpus_allowed = skuai_cpuset_count(&cpus.allowed);
	skuai_cpuset_format(&cpus.allowed, machine->cpus_allowed_list,
			    sizeof(machine->cpus_allowed_list));

	skuai_layout_read(root, &cpus.allowed, &layout);
	machine->cores = layout.cores;
	machine->packages = layout.packages;
	machine->nodes = layout.nodes;

	skuai_caches_read(root, &cpus.allowed, &caches);
	machine->cache_count = caches.count;
	memcpy(machine->caches, caches.entries, sizeof(machine->caches));

	machine->unreadable |= cpus.unreadable | layout.unreadable;
	if (caches.is_unreadable)
		machine->unreadable |= SKUA_PART_CACHES;
	/* No caches and no nodes is normal where the rest of /sys is there, and only there. */
	if ((cpus.unreadable & SKUA_PART_CPUS) && caches.count == 0)
		machine->unreadable |= SKUA_PART_CACHES;
	if ((cpus.unreadable & SKUA_PART_CPUS) && layout.nodes == 0)
		machine->unreadable |= SKUA_PART_NODES;
}

static void machine_read_quota(const char *root, struct skua_machine *machine)
{
	struct skuai_quota quota;

	skuai_quota_read(root, &quota);
	machine->cgroup = quota.cgroup;
	machine->cgroup_levels = quota.levels;
	machine->quota_us = quota.limit.quota_us;
	machine->quota_period_us = quota.limit.period_us;
	memcpy(machine->quota_file, quota.file, sizeof(machine->quota_file));
	static_assert(sizeof(machine->quota_file) == sizeof(quota.file), "the same room");
	if (quota.is_unreadable)
		machine->unreadable |= SKUA_PART_QUOTA;

	struct skuai_workers workers = skuai_workers_decide(machine->cpus_allowed, quota.limit,
							    getenv("SKUA_WORKERS"));
	machine->workers = workers.count;
	machine->workers_reason = workers.reason;
	machine->workers_env_ignored = workers.env_is_ignored;
}

/* The kernel's name of the first CPU; x86 says "model name", MIPS "cpu model", POWER "cpu". */
static void machine_read_model(const char *root, struct skua_machine *machine)
{
	char *buffer = skuai_alloc(SKUAI_FILE_SMALL, 1); /* the first CPU's lines are enough */
	struct skuai_text file;

	if (!buffer)
		return;
	skuai_file_read(root, "/proc/cpuinfo", buffer, SKUAI_FILE_SMALL, &file);
	while (file.count) {
		struct skuai_text value = skuai_text_cut(&file, '\n');
		struct skuai_text key = skuai_text_trim(skuai_text_cut(&value, ':'));
		if (!skuai_text_is(key, "model name") && !skuai_text_is(key, "cpu model") &&
		    !skuai_text_is(key, "cpu"))
			continue;
		skuai_text_show(skuai_text_trim(value), machine->cpu_model,
				sizeof(machine->cpu_model));
		break;
	}
	skuai_free(buffer);
}

static bool machine_arguments_are_valid(const struct skua_machine *machine,
					const struct skua_machine_options *options)
{
	if (!machine || machine->size < MACHINE_SIZE_0_1 || machine->size > MACHINE_SIZE_MOST)
		return false;
	if (!options)
		return true;
	if (options->size < MACHINE_OPTIONS_SIZE_0_1)
		return false;
	return !options->root || skuai_file_is_folder(options->root);
}

int skua_machine_read(struct skua_machine *machine, const struct skua_machine_options *options)
{
	int errno_before = errno;

	if (!machine_arguments_are_valid(machine, options)) {
		errno = errno_before;
		return SKUA_EINVAL;
	}
	const char *root = options ? options->root : NULL;
	struct skua_machine report = { .size = machine->size };
	machine_read_cpus(root, &report);
	machine_read_quota(root, &report);
	machine_read_model(root, &report);
	skuai_sysname_read(report.arch, sizeof(report.arch), report.kernel, sizeof(report.kernel));
	report.page_bytes = (unsigned)skuai_page_bytes();
	report.has_futex = skuai_wait_offered();
	report.has_membarrier = skuai_membarrier_offered();

	size_t known = machine->size < sizeof(report) ? machine->size : sizeof(report);
	size_t size = machine->size;
	memset(machine, 0, size);
	memcpy(machine, &report, known);
	errno = errno_before;
	return SKUA_OK;
}
