/* SPDX-License-Identifier: MIT */
/* sim_steal.c — simulated thieves: try, look at the victim, the answer */
#include "sim/sim_tasks.h"

/*
 * Where memory is shared (latency 0) a thief looks at once, and what it finds is its own from then
 * on; the try costs it `steal` or `fail`.  Else the request is on its way for the latency, the look
 * is when it arrives, and the answer takes the same time again.  If a deque serves one thief at a
 * time, the answer is later by that.
 */

/* How long a message takes; 0: none is needed. */
uint64_t sim_way(const struct sim *sim, uint32_t a, uint32_t b)
{
	uint64_t latency = sim->config.topology.latency[sim_level(&sim->config.topology, a, b)];

	return latency ? latency + sim->config.costs.message : 0;
}

void sim_search(struct sim *sim, uint32_t w)
{
	sim_enter(sim, w, SIM_STATE_SEARCHING);
	sim->searchers++;
	sim->result->spells++;
	sim->victims.thief[w].tries = 0;
	sim_try(sim, w);
}

void sim_try(struct sim *sim, uint32_t w)
{
	uint64_t now = sim->queue.now;

	if (sim->config.workers == 1) {
		sim_enter(sim, w, SIM_STATE_BLOCKED);
		return;
	}
	uint32_t victim = sim_victim_next(&sim->victims, w);
	sim->result->tries++;
	sim->result->spent.searching += now - sim->since[w];
	sim->since[w] = now;
	SIM_REMARK(sim, SIM_STEP_TRY, w, victim, SIM_NONE, 0);
	uint64_t way = sim_way(sim, w, victim);
	if (!way) {
		sim_look(sim, victim, w);
		return;
	}
	sim->result->messages += 2;
	sim_queue_put(&sim->queue, way, victim, sim_what(SIM_EVENT_LOOK, w));
}

/*
 * On to whoever has something now, however far round that is, and paid for as a try in vain for
 * each on the way; as one event, for with a million victims a million would be too many.  When it
 * gets there it may find the deque empty.  There must be something queued, and not with w.
 */
void sim_go_round(struct sim *sim, uint32_t w)
{
	uint32_t victim = sim_victim_next(&sim->victims, w), turn = 1;
	uint64_t passed = 0;

	for (; !sim->size[victim] && turn < sim->config.workers; turn++) {
		unsigned level = sim_level(&sim->config.topology, w, victim);
		uint64_t way = sim_way(sim, w, victim);
		passed += 2 * way + sim->config.costs.fail[level];
		sim->result->messages += way ? 2 : 0;
		sim->result->failed++;
		SIM_REMARK(sim, SIM_STEP_TRY, w, victim, SIM_NONE, 0);
		SIM_REMARK(sim, SIM_STEP_FAIL, w, SIM_NONE, SIM_NONE, 0);
		victim = sim_victim_next(&sim->victims, w);
	}
	sim->result->tries += turn;
	SIM_REMARK(sim, SIM_STEP_TRY, w, victim, SIM_NONE, 0);
	uint64_t way = sim_way(sim, w, victim);
	sim->result->messages += way ? 2 : 0;
	sim_queue_put(&sim->queue, passed + way, victim, sim_what(SIM_EVENT_LOOK, w));
}

/* The deque of the victim is busy for so long before this look is over. */
static uint64_t look_wait(struct sim *sim, uint32_t victim)
{
	uint64_t now = sim->queue.now;

	if (!sim->free_at)
		return 0;
	uint64_t start = sim->free_at[victim] > now ? sim->free_at[victim] : now;
	sim->free_at[victim] = start + sim->config.costs.serve;
	return sim->free_at[victim] - now;
}

void sim_look(struct sim *sim, uint32_t victim, uint32_t thief)
{
	unsigned level = sim_level(&sim->config.topology, thief, victim);
	uint64_t now = sim->queue.now;
	uint64_t back = now + sim_way(sim, thief, victim) + look_wait(sim, victim);
	uint64_t cost = sim->config.costs.fail[level];
	uint32_t parcel = SIM_ARGUMENT_NONE;

	if (!sim_way(sim, thief, victim)) { /* else it was a message that took the time */
		sim->result->spent.searching += now - sim->since[thief];
		sim->since[thief] = now;
	}
	if (sim->size[victim]) {
		parcel = sim_detach(sim, victim, sim_wanted(sim, victim));
		cost = sim->config.costs.steal[level];
		if (parcel != SIM_ARGUMENT_NONE)
			SIM_REMARK(sim, SIM_STEP_TAKE, thief, victim,
				   sim_parcel_of(sim, parcel)->oldest,
				   sim_parcel_of(sim, parcel)->count);
	}
	sim_queue_put(&sim->queue, sim_finish(sim, thief, back, cost) - now, thief,
		      sim_what(SIM_EVENT_ANSWER, parcel));
}

/* Ours ends its round; simulated try by try only up to here: a million thieves would take years. */
#define ROUND_MOST 4096

/* It has tried so often in vain that it rests, one way or the other. */
static bool try_rests(struct sim *sim, uint32_t w)
{
	const struct sim_config *config = &sim->config;
	uint64_t tries = sim->victims.thief[w].tries;

	if (config->lifeline_tries && tries >= config->lifeline_tries) {
		sim_quiesce(sim, w);
		return true;
	}
	uint64_t round = config->workers - 1, most = config->park_tries;
	if (config->is_thorough && most && most < round && round <= ROUND_MOST)
		most = round;
	if (config->is_thorough && sim->queued && sim->searchers == 1 && most && tries >= most &&
	    tries < round) {
		sim_go_round(sim, w);
		return true;
	}
	if ((most && tries >= most) ||
	    (config->park_rounds && tries >= config->park_rounds * round)) {
		sim_fall_asleep(sim, w);
		return true;
	}
	return false;
}

static void answer_in_vain(struct sim *sim, uint32_t w)
{
	sim->result->failed++;
	SIM_REMARK(sim, SIM_STEP_FAIL, w, SIM_NONE, SIM_NONE, 0);
	if (sim->size[w] || sim_is_joined(sim, w)) {
		sim->searchers--;
		sim_next(sim, w);
	} else if (sim->is_ranked && sim_priority_search(sim, w)) {
		sim_wake_next(sim, w);
	} else if (!try_rests(sim, w)) {
		sim_try(sim, w);
	}
}

void sim_answer(struct sim *sim, uint32_t w, uint32_t parcel)
{
	struct sim_result *result = sim->result;

	if (parcel == SIM_ARGUMENT_NONE) {
		answer_in_vain(sim, w);
		return;
	}
	uint32_t from = sim_parcel_of(sim, parcel)->from, count = sim_parcel_of(sim, parcel)->count;
	unsigned level = sim_level(&sim->config.topology, w, from);
	uint64_t ticks = sim->queue.now - sim->since[w], cost = sim->config.costs.steal[level];
	cost = cost < ticks ? cost : ticks;
	result->spent.overhead += cost;
	result->spent.waiting += ticks - cost;
	sim->since[w] = sim->queue.now;
	result->steals++;
	result->steals_at[level]++;
	result->stolen += count;
	sim_victim_found(&sim->victims, w, from);
	sim_unpack(sim, w, parcel);
	SIM_REMARK(sim, SIM_STEP_STEAL, w, from, sim->newest[w], count);
	sim->searchers--;
	sim_begin(sim, w, sim_pop(sim, w));
	if (sim->waiting)
		sim_give(sim, w);
	sim_wake_next(sim, w);
}

/* --- the policy --- */

/*
 * All but the last go to the deque, and it goes on with that one: as a call after forks.  Jobs that
 * have priorities all wait in a queue.
 */
static void steal_place(struct sim *sim, uint32_t w)
{
	uint32_t task, called = SIM_NONE;

	while ((task = sim_born_next(sim)) != SIM_NONE) {
		if (!sim->born_count && !sim->config.is_fifo && !sim->is_ranked) {
			called = task;
			break;
		}
		sim->toll_overhead += sim->config.costs.push;
		uint32_t to = sim_priority_queue(sim, task, w);
		sim_push(sim, to, task);
		SIM_REMARK(sim, SIM_STEP_PUSH, w, to == w ? w : SIM_NONE, task, 1);
	}
	if (called != SIM_NONE)
		sim_begin(sim, w, called);
	else
		sim_next(sim, w);
	if (sim->waiting)
		sim_give(sim, w);
	if (sim->sleepers && !sim->searchers && sim->queued)
		sim_wake_one(sim, w);
}

static void steal_start(struct sim *sim)
{
	uint32_t task, workers = sim->config.workers;

	while ((task = sim_born_next(sim)) != SIM_NONE)
		sim_push(sim, sim_priority_queue(sim, task, sim_start_home(sim, task)), task);
	sim_remark_start(sim);
	for (uint32_t w = 0; w < workers; w++) {
		if (sim->is_ranked)
			sim_priority_next(sim, w);
		else if (sim->size[w])
			sim_begin(sim, w, sim_pop(sim, w));
	}
	for (uint32_t w = 0; w < workers; w++)
		if (sim->state[w] != SIM_STATE_RUNNING)
			sim_search(sim, w);
}

const struct sim_policy sim_policy_steal = { steal_start, steal_place, sim_search };
