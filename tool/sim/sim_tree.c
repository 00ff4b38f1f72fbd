/* SPDX-License-Identifier: MIT */
/* sim_tree.c — regular fork-join trees: so many levels, so many children each */
#include "sim/sim_draw.h"
#include "sim/sim_tasks.h"

/* A node is its level, and above that a hash of its path, by which costs differ. */
#define LEVEL_BITS 24
#define LEVEL_MASK (((uint64_t)1 << LEVEL_BITS) - 1)

uint64_t sim_jitter(const struct sim_config *config, uint64_t ticks, uint64_t about)
{
	uint32_t jitter = config->workload.jitter;

	if (!jitter || !ticks)
		return ticks;
	uint64_t part = 1024 - jitter + sim_below(sim_mix(about ^ config->seed), 2 * jitter + 1);
	return sim_mul_shift(ticks, part, 10);
}

static int tree_open(struct sim *sim, struct sim_error *error)
{
	(void)error;
	sim->is_joining = sim->config.workload.after || sim->config.join == SIM_JOIN_OWNER;
	if (sim->config.scheduler == SIM_STATIC)
		sim->extra_size = 8;
	return 0;
}

static void tree_start(struct sim *sim)
{
	uint32_t root = sim_task_new(sim, SIM_NONE, 0, 0);

	sim_home_root(sim, root);
	sim_bear(sim, root);
}

static uint64_t tree_cost(struct sim *sim, uint32_t task)
{
	const struct sim_workload *workload = &sim->config.workload;
	uint64_t about = sim->tasks[task].about;
	bool is_leaf = (about & LEVEL_MASK) == workload->depth;

	return sim_jitter(&sim->config, is_leaf ? workload->leaf : workload->inner, about);
}

static void tree_fork(struct sim *sim, uint32_t task)
{
	const struct sim_workload *workload = &sim->config.workload;
	uint64_t about = sim->tasks[task].about, span = sim->tasks[task].span;
	uint32_t parent = sim->is_joining ? task : SIM_NONE;

	if ((about & LEVEL_MASK) == workload->depth)
		return;
	for (uint32_t i = 0; i < workload->fan; i++) {
		uint64_t path = workload->jitter ? sim_mix(about * 31 + i) << LEVEL_BITS : 0;
		uint64_t level = (about & LEVEL_MASK) + 1;
		uint32_t child = sim_task_new(sim, parent, span, path | level);
		sim_home_child(sim, task, child, i, workload->fan);
		sim_bear(sim, child);
	}
}

const struct sim_source sim_source_tree = { tree_open, NULL, tree_start, tree_cost, tree_fork };
