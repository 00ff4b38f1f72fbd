/* SPDX-License-Identifier: MIT */
/* layout.c — how the allowed CPUs are spread over cores, packages and NUMA nodes */
#include "topo/layout.h"

#include "topo/sysfs.h"

/*
 * Cores and packages: each CPU names the CPUs it shares one with, itself among them.  Take the
 * lowest CPU not yet placed, read its list, count one, and count all on the list as placed.  Each
 * step places at least one CPU, whatever the files say, so there are at most as many steps as
 * allowed CPUs, and on a machine of thousands only one CPU of each core is asked.
 *
 * Nodes: each node names its CPUs.  It counts when one of them is allowed.  A kernel without NUMA
 * has no node folder at all: then there are 0 nodes, and nothing is wrong.
 */

/* The names of one list: since Linux 5.2, and before. */
struct layout_names {
	const char *now, *before;
};

/* The number of different lists; *is_unreadable when some CPU's was not to be had. */
static unsigned layout_count(const char *root, struct skuai_cpuset unplaced,
			     const struct layout_names *names, bool *is_unreadable)
{
	unsigned count = 0;

	for (unsigned cpu = skuai_cpuset_next(&unplaced, 0); cpu < SKUAI_CPUS_MAX;
	     cpu = skuai_cpuset_next(&unplaced, cpu + 1)) {
		struct skuai_cpuset group;
		enum skuai_file is = skuai_sysfs_list(root, &group, "cpu/cpu%u/topology/%s", cpu,
						      names->now);
		if (is == SKUAI_FILE_MISSING)
			is = skuai_sysfs_list(root, &group, "cpu/cpu%u/topology/%s", cpu,
					      names->before);
		if (is != SKUAI_FILE_READ)
			*is_unreadable = true;
		if (!skuai_cpuset_has(&group, cpu)) {
			*is_unreadable = true; /* a list without its own CPU says nothing */
			continue;
		}
		count++;
		skuai_cpuset_minus(&unplaced, &group);
	}
	return count;
}

static unsigned layout_count_nodes(const char *root, struct skuai_cpuset unplaced,
				   bool *is_unreadable)
{
	struct skuai_cpuset nodes;
	unsigned count = 0;
	enum skuai_file is = skuai_sysfs_list(root, &nodes, "node/online");

	if (is == SKUAI_FILE_MISSING)
		return 0;
	if (is != SKUAI_FILE_READ)
		*is_unreadable = true;
	for (unsigned node = skuai_cpuset_next(&nodes, 0); node < SKUAI_CPUS_MAX;
	     node = skuai_cpuset_next(&nodes, node + 1)) {
		struct skuai_cpuset own;
		if (skuai_sysfs_list(root, &own, "node/node%u/cpulist", node) != SKUAI_FILE_READ)
			*is_unreadable = true;
		skuai_cpuset_and(&own, &unplaced);
		if (skuai_cpuset_next(&own, 0) == SKUAI_CPUS_MAX)
			continue; /* memory only, or other CPUs only */
		count++;
		skuai_cpuset_minus(&unplaced, &own);
		if (skuai_cpuset_next(&unplaced, 0) == SKUAI_CPUS_MAX)
			break; /* all placed: no other node can count */
	}
	return count;
}

void skuai_layout_read(const char *root, const struct skuai_cpuset *allowed,
		       struct skuai_layout *layout)
{
	static const struct layout_names core = { "core_cpus_list", "thread_siblings_list" };
	static const struct layout_names package = { "package_cpus_list", "core_siblings_list" };
	bool cores_unreadable = false, nodes_unreadable = false;

	*layout = (struct skuai_layout){ 0 };
	layout->cores = layout_count(root, *allowed, &core, &cores_unreadable);
	layout->packages = layout_count(root, *allowed, &package, &cores_unreadable);
	layout->nodes = layout_count_nodes(root, *allowed, &nodes_unreadable);
	if (cores_unreadable)
		layout->unreadable |= SKUA_PART_CORES;
	if (nodes_unreadable)
		layout->unreadable |= SKUA_PART_NODES;
}
