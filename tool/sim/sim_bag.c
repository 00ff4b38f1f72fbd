/* SPDX-License-Identifier: MIT */
/* sim_bag.c — flat bags of tasks, and loops whose indices differ in cost */
#include "sim/sim_tasks.h"

#define SCALE 1024 /* of an index, as in bench/work/loops_data.c */

/* What index i of n weighs, compared with others; as bench/work/loops_data.c has it. */
uint32_t sim_law_weight(enum sim_law law, uint64_t i, uint64_t n)
{
	uint64_t scaled = 1 + i * SCALE / n;

	switch (law) {
	case SIM_LAW_LINEAR:
		return (uint32_t)scaled;
	case SIM_LAW_QUADRATIC:
		return (uint32_t)(scaled * scaled);
	case SIM_LAW_HEAVY:
		return i == n / 3 && n > 1 ? (uint32_t)(n - 1) : 1;
	case SIM_LAW_EXPONENTIAL:
		return (uint32_t)1 << i * 16 / n;
	case SIM_LAW_BIMODAL:
		return (i * 0x9e3779b97f4a7c15u >> 32) % 10 == 3 ? 81 : 1;
	default:
		return 1;
	}
}

static int bag_open(struct sim *sim, struct sim_error *error)
{
	const struct sim_workload *workload = &sim->config.workload;
	uint64_t sum = 0;

	(void)error;
	sim->is_spread = workload->kind == SIM_WORK_LOOP && workload->law != SIM_LAW_CONSTANT;
	for (uint64_t i = 0; sim->is_spread && i < workload->count; i++)
		sum += sim_law_weight(workload->law, i, workload->count);
	if (sim->is_spread) /* ticks of one unit of weight, in 2^-16 */
		sim->loop_scale = sim_mul_div(workload->leaf * workload->count, 65536, sum);
	return 0;
}

static void bag_start(struct sim *sim)
{
	uint64_t all = sim_range(0, (uint32_t)sim->config.workload.count);

	sim_bear(sim, sim_task_new(sim, SIM_NONE, 0, all));
}

static uint64_t bag_cost(struct sim *sim, uint32_t task)
{
	const struct sim_workload *workload = &sim->config.workload;
	uint64_t about = sim->tasks[task].about, cost = 0;
	uint64_t first = sim_range_first(about), count = sim_range_count(about);

	if (!sim->is_spread)
		return count * workload->leaf;
	for (uint64_t i = first; i < first + count; i++)
		cost += sim_mul_shift(sim_law_weight(workload->law, i, workload->count),
				      sim->loop_scale, 16);
	return cost;
}

/* Its longest path is its dearest task, not the range that was run as one. */
static void bag_fork(struct sim *sim, uint32_t task)
{
	const struct sim_workload *workload = &sim->config.workload;
	struct sim_task *self = &sim->tasks[task];
	uint64_t first = sim_range_first(self->about), count = sim_range_count(self->about);
	uint32_t most = 0;

	if (count == 1)
		return;
	self->span = workload->leaf;
	for (uint64_t i = first; sim->is_spread && i < first + count; i++) {
		uint32_t weight = sim_law_weight(workload->law, i, workload->count);
		most = weight > most ? weight : most;
	}
	if (sim->is_spread)
		self->span = sim_mul_shift(most, sim->loop_scale, 16);
}

const struct sim_source sim_source_bag = { bag_open, NULL, bag_start, bag_cost, bag_fork };
