/* SPDX-License-Identifier: MIT */
/* sim_priority.c — simulated priorities: the urgent first, the low last, but all of them move on */
#include "sim/sim_tasks.h"

/*
 * As src/sched/choose.c has it.  Urgent and low tasks wait in queues for all, the oldest first, so
 * that everybody takes the most urgent one there is; normal ones in the deque of whoever made them
 * ready.  A worker takes an urgent one, its own, one of somebody else; a low one when it has looked
 * at everybody in vain.  Every so often it is the turn of a low one, or of its own oldest.  The two
 * queues serve one taker at a time, as the central queue does.
 *
 * With a central queue there is nobody to rob: urgent, normal, low.
 */
#define OUT_OF_TURN 61 /* looks; FAIRNESS_TICK of choose.c */

static uint32_t urgent_queue(const struct sim *sim)
{
	return sim->config.workers + 1;
}

static uint32_t low_queue(const struct sim *sim)
{
	return sim->config.workers + 2;
}

enum sim_priority sim_priority_of(const struct sim *sim, uint32_t task)
{
	const uint8_t *priority = sim->config.workload.priority;

	return priority ? (enum sim_priority)priority[sim->tasks[task].about] : SIM_NORMAL;
}

/* Where a task waits that would wait in `usual` if it were a normal one. */
uint32_t sim_priority_queue(const struct sim *sim, uint32_t task, uint32_t usual)
{
	if (!sim->is_ranked)
		return usual;
	switch (sim_priority_of(sim, task)) {
	case SIM_URGENT:
		return urgent_queue(sim);
	case SIM_LOW:
		return low_queue(sim);
	default:
		return usual;
	}
}

/* Of four turns the pool gives two to queues that are not simulated; those are the low's, too. */
static bool is_turn_of_low(const struct sim *sim, uint32_t w)
{
	return sim->looks[w] / OUT_OF_TURN % 4 != 2;
}

static bool is_out_of_turn(const struct sim *sim, uint32_t w)
{
	return sim->looks[w] % OUT_OF_TURN == 0;
}

/* The queue that w takes from next; `own` is its deque, or the central one.  SIM_NONE: none. */
uint32_t sim_priority_choose(struct sim *sim, uint32_t w, uint32_t own)
{
	uint32_t low = low_queue(sim), urgent = urgent_queue(sim);
	bool can_rob = own == w && sim->config.workers > 1;

	sim->looks[w]++;
	if (is_out_of_turn(sim, w) && sim->size[low] && is_turn_of_low(sim, w))
		return low;
	if (is_out_of_turn(sim, w) && sim->size[own])
		return own;
	if (is_out_of_turn(sim, w) && sim->size[low])
		return low;
	if (sim->size[urgent])
		return urgent;
	if (sim->size[own])
		return own;
	return !can_rob && sim->size[low] ? low : SIM_NONE;
}

/* w begins what is next for a thief that has not begun to search; false: there is nothing. */
bool sim_priority_next(struct sim *sim, uint32_t w)
{
	if (sim->policy != &sim_policy_steal)
		return false;
	uint32_t from = sim_priority_choose(sim, w, w);
	if (from == SIM_NONE)
		return false;
	if (from != w) {
		sim_serve(sim, w, from);
		return true;
	}
	sim->toll_overhead += sim->config.costs.pop;
	sim_begin(sim, w, is_out_of_turn(sim, w) ? sim_pop_oldest(sim, w) : sim_pop(sim, w));
	return true;
}

/* w has tried one more victim in vain; true: it searches no more, for there is this to begin. */
bool sim_priority_search(struct sim *sim, uint32_t w)
{
	uint32_t from = urgent_queue(sim);

	if (!sim->size[from] && sim->victims.thief[w].tries + 1 >= sim->config.workers)
		from = low_queue(sim); /* everybody was looked at once */
	if (!sim->size[from])
		return false;
	sim->searchers--;
	sim_serve(sim, w, from);
	return true;
}

/* A task is over. */
void sim_priority_count(struct sim *sim, uint32_t task)
{
	struct sim_ends *ends = &sim->result->ends[sim_priority_of(sim, task)];

	ends->count++;
	ends->sum += sim->queue.now;
	ends->last = sim->queue.now;
}
