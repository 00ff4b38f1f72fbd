/* SPDX-License-Identifier: MIT */
/* sim_central.c — one queue for all: it serves one taker at a time, the oldest task first */
#include "sim/sim_tasks.h"

/*
 * The queue is the list beyond the last worker's; who finds it empty waits in line.  Where
 * priorities are heeded, the urgent and the low have the two lists behind it.
 */

/* w takes from a queue for all, when that has served those before. */
void sim_serve(struct sim *sim, uint32_t w, uint32_t from)
{
	uint64_t now = sim->queue.now, queue = sim->config.costs.queue;
	uint64_t start = sim->served_until > now ? sim->served_until : now;

	sim->served_until = start + queue;
	sim->toll_waiting += sim->served_until - now;
	sim_begin(sim, w, sim_pop(sim, from));
}

/* Which of them w takes from next; SIM_NONE: there is nothing. */
static uint32_t central_queue(struct sim *sim, uint32_t w)
{
	uint32_t normal = sim->config.workers;

	if (sim->is_ranked)
		return sim_priority_choose(sim, w, normal);
	return sim->size[normal] ? normal : SIM_NONE;
}

static void central_idle(struct sim *sim, uint32_t w)
{
	uint32_t from = central_queue(sim, w);

	if (from != SIM_NONE) {
		sim_serve(sim, w, from);
		return;
	}
	sim_enter(sim, w, SIM_STATE_BLOCKED);
	SIM_REMARK(sim, SIM_STEP_BLOCK, w, SIM_NONE, SIM_NONE, 0);
	sim->behind[w] = SIM_NONE;
	if (sim->first == SIM_NONE)
		sim->first = w;
	else
		sim->behind[sim->last] = w;
	sim->last = w;
}

/* Who waited longest first. */
static void central_call(struct sim *sim)
{
	uint64_t overhead = sim->toll_overhead;

	sim->toll_overhead = 0; /* that is another's */
	while (sim->first != SIM_NONE && sim->queued) {
		uint32_t w = sim->first;
		sim->first = sim->behind[w];
		sim_serve(sim, w, central_queue(sim, w));
	}
	sim->toll_overhead = overhead;
}

static void central_place(struct sim *sim, uint32_t w)
{
	uint32_t task;

	while ((task = sim_born_next(sim)) != SIM_NONE) {
		sim->toll_overhead += sim->config.costs.push;
		sim_push(sim, sim_priority_queue(sim, task, sim->config.workers), task);
		SIM_REMARK(sim, SIM_STEP_PUSH, w, SIM_NONE, task, 1);
	}
	central_call(sim);
	sim_next(sim, w);
}

static void central_start(struct sim *sim)
{
	uint32_t task;

	while ((task = sim_born_next(sim)) != SIM_NONE)
		sim_push(sim, sim_priority_queue(sim, task, sim->config.workers), task);
	sim_remark_start(sim);
	for (uint32_t w = 0; w < sim->config.workers; w++)
		central_idle(sim, w);
}

const struct sim_policy sim_policy_central = { central_start, central_place, central_idle };
