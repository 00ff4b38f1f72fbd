/* SPDX-License-Identifier: MIT */
/* sim_rest.c — simulated sleepers: fall asleep, the last look, who is woken, who is up */
#include "sim/sim_tasks.h"

/*
 * As src/sched/README.md has it: who makes work visible wakes one sleeper if nobody searches (R1);
 * the last searcher looks once more after it has counted itself asleep (R2), ours at every queue;
 * the last searcher that found work wakes the next if there is more, ours also if anybody else runs
 * (R5).  Sleepers are woken last in, first out.
 */

static void sleepers_add(struct sim *sim, uint32_t w)
{
	sim->before[w] = SIM_NONE;
	sim->behind[w] = sim->first;
	if (sim->first != SIM_NONE)
		sim->before[sim->first] = w;
	sim->first = w;
	sim->sleepers++;
}

static void sleepers_remove(struct sim *sim, uint32_t w)
{
	if (sim->before[w] == SIM_NONE)
		sim->first = sim->behind[w];
	else
		sim->behind[sim->before[w]] = sim->behind[w];
	if (sim->behind[w] != SIM_NONE)
		sim->before[sim->behind[w]] = sim->before[w];
	sim->sleepers--;
}

void sim_fall_asleep(struct sim *sim, uint32_t w)
{
	sim->searchers--;
	sim_enter(sim, w, SIM_STATE_FALLING);
	sim_queue_put(&sim->queue, sim->config.costs.park, w, sim_what(SIM_EVENT_ASLEEP, 0));
}

void sim_asleep(struct sim *sim, uint32_t w)
{
	if (sim_is_joined(sim, w) || sim->size[w]) {
		sim_next(sim, w);
	} else if (sim->queued && !sim->searchers && sim->config.is_thorough) {
		sim_enter(sim, w, SIM_STATE_SEARCHING);
		sim->searchers++;
		sim->result->spells++;
		sim->victims.thief[w].tries = 0;
		sim_go_round(sim, w);
	} else if (sim->queued && !sim->searchers) {
		sim_search(sim, w);
	} else {
		sim_enter(sim, w, SIM_STATE_ASLEEP);
		sim->result->parks++;
		sleepers_add(sim, w);
		SIM_REMARK(sim, SIM_STEP_PARK, w, SIM_NONE, SIM_NONE, 0);
	}
}

/* Wake this one; it counts as searching from now on. */
void sim_rouse(struct sim *sim, uint32_t w, uint32_t by)
{
	if (sim->state[w] == SIM_STATE_ASLEEP)
		sleepers_remove(sim, w);
	sim_enter(sim, w, SIM_STATE_WAKING);
	sim->searchers++;
	sim->result->wakes++;
	sim_queue_put(&sim->queue, sim->config.costs.wake, w, sim_what(SIM_EVENT_WAKE, 0));
	SIM_REMARK(sim, SIM_STEP_WAKE, w, by, SIM_NONE, 0);
}

void sim_wake_one(struct sim *sim, uint32_t by)
{
	if (sim->first != SIM_NONE)
		sim_rouse(sim, sim->first, by);
}

/* A searcher has found work; it may have been the last one (R5). */
void sim_wake_next(struct sim *sim, uint32_t w)
{
	bool is_more = sim->queued || (sim->config.is_thorough && sim->running > 1);

	if (!sim->searchers && sim->sleepers && is_more)
		sim_wake_one(sim, w);
}

void sim_wake(struct sim *sim, uint32_t w)
{
	sim->searchers--;
	sim_next(sim, w);
	if (sim->is_ranked && sim->state[w] == SIM_STATE_RUNNING) /* an urgent one, unstolen */
		sim_wake_next(sim, w);
}
