/* SPDX-License-Identifier: MIT */
/* sim_sharing.c — nobody steals: new tasks are sent to somebody, or are at home somewhere */
#include "sim/sim_draw.h"
#include "sim/sim_tasks.h"

static void sharing_idle(struct sim *sim, uint32_t w)
{
	sim_enter(sim, w, SIM_STATE_BLOCKED);
	SIM_REMARK(sim, SIM_STEP_BLOCK, w, SIM_NONE, SIM_NONE, 0);
}

/* Tasks that w has, the running one included. */
static uint32_t sharing_load(const struct sim *sim, uint32_t w)
{
	return sim->size[w] + (sim->task[w] != SIM_NONE);
}

/* Who gets a task that w has made; *asks: messages that this took. */
static uint32_t sharing_target(struct sim *sim, uint32_t w, unsigned *asks)
{
	const struct sim_config *config = &sim->config;
	struct sim_victims *victims = &sim->victims;

	*asks = 0;
	if (config->sharing == SIM_SHARING_THRESHOLD && sim->size[w] < config->threshold)
		return w;
	uint32_t to = sim_below(sim_victims_draw(victims, w), config->workers);
	if (config->sharing == SIM_SHARING_TWO) {
		uint32_t other = sim_below(sim_victims_draw(victims, w), config->workers);
		*asks = 4;
		if (sharing_load(sim, other) < sharing_load(sim, to))
			to = other;
	}
	return to;
}

/* Hand a task over; `asks` messages went before, to and fro. */
static void hand_over(struct sim *sim, uint32_t w, uint32_t to, uint32_t task, unsigned asks)
{
	uint64_t way = sim_way(sim, w, to);

	if (way) {
		sim->result->messages += asks;
		way *= asks ? 3 : 1;
	}
	if (to != w) {
		SIM_REMARK(sim, SIM_STEP_SEND, w, to, task, 1);
		if (way) {
			sim->result->messages++;
			sim_send(sim, w, to, task, way);
			return;
		}
		sim->result->sends++;
	}
	sim_push(sim, to, task);
	SIM_REMARK(sim, to == w ? SIM_STEP_PUSH : SIM_STEP_ARRIVE, to, w, task, 1);
	if (sim->state[to] == SIM_STATE_BLOCKED) {
		uint64_t overhead = sim->toll_overhead;
		sim->toll_overhead = 0; /* that is w's */
		sim_next(sim, to);
		sim->toll_overhead = overhead;
	}
}

static void sharing_place(struct sim *sim, uint32_t w)
{
	uint32_t task;
	unsigned asks;

	while ((task = sim_born_next(sim)) != SIM_NONE) {
		uint32_t to = sharing_target(sim, w, &asks);
		sim->toll_overhead += sim->config.costs.push;
		hand_over(sim, w, to, task, asks);
	}
	sim_next(sim, w);
}

/* Task i of a bag goes to w; equal ones are counted in one range. */
static void bag_deal(struct sim *sim, uint32_t w, uint32_t i)
{
	uint32_t newest = sim->newest[w];

	if (newest != SIM_NONE && !sim->is_spread) {
		sim->tasks[newest].about += sim_range(0, 1);
		sim->queued++;
		if (++sim->size[w] > sim->result->peak_queue)
			sim->result->peak_queue = sim->size[w];
		return;
	}
	uint32_t task = sim_task_new(sim, SIM_NONE, 0, sim_range(i, 1));
	if (task != SIM_NONE)
		sim_push(sim, w, task);
}

static void everybody_next(struct sim *sim)
{
	for (uint32_t w = 0; w < sim->config.workers; w++)
		if (sim->state[w] == SIM_STATE_BLOCKED)
			sim_next(sim, w);
}

/* Who has tasks at the start has made them, and sends them on. */
static void sharing_from_homes(struct sim *sim)
{
	uint32_t task;
	unsigned asks;

	while ((task = sim_born_next(sim)) != SIM_NONE) {
		uint32_t w = sim_start_home(sim, task), to = sharing_target(sim, w, &asks);
		hand_over(sim, w, to, task, asks);
	}
}

/* A bag is dealt out before the time begins, each of its tasks by itself. */
static void sharing_start(struct sim *sim)
{
	unsigned asks;

	if (sim->config.workload.home)
		sharing_from_homes(sim);
	uint32_t task = sim_born_next(sim);
	if (sim_is_range(sim)) {
		uint32_t count = sim_task_count(sim, task);
		sim_task_free(sim, task);
		for (uint32_t i = 0; i < count && !sim->queue.is_out; i++)
			bag_deal(sim, sharing_target(sim, 0, &asks), i);
	} else {
		for (; task != SIM_NONE; task = sim_born_next(sim))
			sim_push(sim, 0, task);
	}
	if (!sim->config.workload.home)
		sim_remark_start(sim);
	everybody_next(sim);
}

const struct sim_policy sim_policy_sharing = { sharing_start, sharing_place, sharing_idle };

/* --- a static split --- */

struct home {
	uint32_t begin, end; /* the workers that its children are dealt out to */
};

static struct home *home_of(struct sim *sim, uint32_t task)
{
	return (struct home *)((unsigned char *)sim_task_extra(sim, task) + sim->home_at);
}

void sim_home_root(struct sim *sim, uint32_t task)
{
	if (task != SIM_NONE && sim->config.scheduler == SIM_STATIC)
		*home_of(sim, task) = (struct home){ 0, sim->config.workers };
}

void sim_home_child(struct sim *sim, uint32_t parent, uint32_t child, uint32_t i, uint32_t of)
{
	if (child == SIM_NONE || sim->config.scheduler != SIM_STATIC)
		return;
	struct home all = *home_of(sim, parent);
	uint64_t length = all.end - all.begin;
	uint32_t begin = all.begin + (uint32_t)(i * length / of);
	uint32_t end = all.begin + (uint32_t)((i + 1) * length / of);
	*home_of(sim, child) = (struct home){ begin, end > begin ? end : begin + 1 };
}

uint32_t sim_home(struct sim *sim, uint32_t task)
{
	if (sim->dag.count)
		return (uint32_t)(sim->tasks[task].about * sim->config.workers / sim->dag.count);
	return home_of(sim, task)->begin;
}

static void static_place(struct sim *sim, uint32_t w)
{
	uint32_t task;

	while ((task = sim_born_next(sim)) != SIM_NONE) {
		sim->toll_overhead += sim->config.costs.push;
		hand_over(sim, w, sim_home(sim, task), task, 0);
	}
	sim_next(sim, w);
}

static void static_start(struct sim *sim)
{
	uint32_t task = sim_born_next(sim), workers = sim->config.workers;

	if (sim_is_range(sim)) {
		uint64_t count = sim_task_count(sim, task);
		sim_task_free(sim, task);
		for (uint64_t w = 0; w < workers; w++) {
			uint32_t begin = (uint32_t)(w * count / workers);
			uint32_t end = (uint32_t)((w + 1) * count / workers);
			if (begin == end)
				continue;
			task = sim_task_new(sim, SIM_NONE, 0, sim_range(begin, end - begin));
			if (task != SIM_NONE)
				sim_push(sim, (uint32_t)w, task);
		}
	} else {
		for (; task != SIM_NONE; task = sim_born_next(sim))
			sim_push(sim, sim_home(sim, task), task);
	}
	sim_remark_start(sim);
	everybody_next(sim);
}

const struct sim_policy sim_policy_static = { static_start, static_place, sharing_idle };
