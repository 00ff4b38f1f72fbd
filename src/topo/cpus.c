/* SPDX-License-Identifier: MIT */
/* cpus.c — which CPUs exist, are switched on, and may be used by this process */
#include "topo/cpus.h"

#include "base/alloc.h"
#include "topo/sysfs.h"

/*
 * possible, online   from /sys/devices/system/cpu/
 * allowed            on this machine: the kernel's answer to sched_getaffinity, which leaves out
 *                    offline CPUs and is believed over /sys (a container's may be faked);
 *                    below a root, or where that was refused: Cpus_allowed_list of
 *                    /proc/self/status, without the CPUs that are not online
 *
 * What is missing is replaced by the nearest thing known, and told: allowed by online, online by
 * allowed, and all by CPU 0.
 */

static bool cpus_is_empty(const struct skuai_cpuset *set)
{
	return skuai_cpuset_next(set, 0) == SKUAI_CPUS_MAX;
}

/* Cpus_allowed_list of /proc/self/status; it may name CPUs that are offline. */
static enum skuai_cpuset_result cpus_from_status(const char *root, struct skuai_cpuset *set)
{
	enum skuai_cpuset_result result = SKUAI_CPUSET_GARBLED;
	char *buffer = skuai_alloc(SKUAI_FILE_LARGE, 1);
	struct skuai_text status;

	*set = (struct skuai_cpuset){ 0 };
	if (!buffer)
		return SKUAI_CPUSET_GARBLED;
	skuai_file_read(root, "/proc/self/status", buffer, SKUAI_FILE_LARGE, &status);
	while (status.count) {
		struct skuai_text value = skuai_text_cut(&status, '\n');
		if (!skuai_text_is(skuai_text_cut(&value, ':'), "Cpus_allowed_list"))
			continue;
		result = skuai_cpuset_parse(value, set);
		break;
	}
	skuai_free(buffer);
	return result;
}

static void cpus_read_allowed(const char *root, struct skuai_cpus *cpus)
{
	enum skuai_cpuset_result result = SKUAI_CPUSET_GARBLED;

	if (!root)
		result = skuai_cpuset_allowed(0, &cpus->allowed);
	if (result == SKUAI_CPUSET_GARBLED) {
		result = cpus_from_status(root, &cpus->allowed);
		if (!cpus_is_empty(&cpus->online))
			skuai_cpuset_and(&cpus->allowed, &cpus->online);
	}
	if (result != SKUAI_CPUSET_WHOLE)
		cpus->unreadable |= SKUA_PART_AFFINITY;
	if (cpus_is_empty(&cpus->allowed)) { /* a process that runs may use some CPU */
		cpus->unreadable |= SKUA_PART_AFFINITY;
		cpus->allowed = cpus->online;
	}
	if (cpus_is_empty(&cpus->allowed))
		skuai_cpuset_add(&cpus->allowed, 0);
}

void skuai_cpus_read(const char *root, struct skuai_cpus *cpus)
{
	*cpus = (struct skuai_cpus){ 0 };
	if (skuai_sysfs_list(root, &cpus->possible, "cpu/possible") != SKUAI_FILE_READ)
		cpus->unreadable |= SKUA_PART_CPUS;
	if (skuai_sysfs_list(root, &cpus->online, "cpu/online") != SKUAI_FILE_READ)
		cpus->unreadable |= SKUA_PART_CPUS;
	cpus_read_allowed(root, cpus);
	if (cpus_is_empty(&cpus->online)) {
		cpus->unreadable |= SKUA_PART_CPUS;
		cpus->online = cpus->allowed;
	}
	if (cpus_is_empty(&cpus->possible)) {
		cpus->unreadable |= SKUA_PART_CPUS;
		cpus->possible = cpus->online;
	}
}
