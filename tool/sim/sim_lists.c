/* SPDX-License-Identifier: MIT */
/* sim_lists.c — simulated tasks, the deques they wait in, and parcels of them */
#include "sim/sim_tasks.h"

/* --- tasks --- */

static bool tasks_grow(struct sim *sim)
{
	uint32_t old = sim->task_limit, limit = old ? old * 2 : 1024;

	if (limit <= old || limit == SIM_NONE)
		return false;
	struct sim_task *tasks = sim_grow(sim->heap, sim->tasks, old, limit, sizeof(*tasks));
	if (!tasks)
		return false;
	sim->tasks = tasks;
	if (sim->extra_size) {
		unsigned char *extra = sim_grow(sim->heap, sim->extra, old, limit, sim->extra_size);
		if (extra)
			sim->extra = extra;
		sim->extra_limit = extra ? limit : old;
	}
	sim->task_limit = limit;
	return !sim->extra_size || sim->extra_limit == limit;
}

uint32_t sim_task_new(struct sim *sim, uint32_t parent, uint64_t span, uint64_t about)
{
	uint32_t task = sim->task_free;

	if (task != SIM_NONE) {
		sim->task_free = sim->tasks[task].newer;
	} else {
		if (sim->queue.is_out || (sim->task_count == sim->task_limit && !tasks_grow(sim))) {
			sim->queue.is_out = true;
			return SIM_NONE;
		}
		task = sim->task_count++;
	}
	sim->tasks[task] = (struct sim_task){ parent, 0, SIM_NONE, SIM_NONE, span, about };
	return task;
}

void sim_task_free(struct sim *sim, uint32_t task)
{
	sim->tasks[task].newer = sim->task_free;
	sim->task_free = task;
}

void *sim_task_extra(struct sim *sim, uint32_t task)
{
	return sim->extra + (size_t)task * sim->extra_size;
}

/* How many tasks a task stands for. */
uint32_t sim_task_count(const struct sim *sim, uint32_t task)
{
	return sim_is_range(sim) ? sim_range_count(sim->tasks[task].about) : 1;
}

/* --- the born --- */

void sim_bear(struct sim *sim, uint32_t task)
{
	if (task == SIM_NONE)
		return;
	sim->tasks[task].older = sim->tasks[task].newer = SIM_NONE;
	if (sim->born_count++)
		sim->tasks[sim->born_newest].newer = task;
	else
		sim->born_oldest = task;
	sim->born_newest = task;
	sim->live += sim_task_count(sim, task);
	if (sim->live > sim->result->peak_live)
		sim->result->peak_live = sim->live;
}

uint32_t sim_born_next(struct sim *sim)
{
	uint32_t task = sim->born_oldest;

	if (!sim->born_count)
		return SIM_NONE;
	sim->born_count--;
	sim->born_oldest = sim->tasks[task].newer;
	sim->tasks[task].newer = SIM_NONE;
	return task;
}

/* --- deques --- */

void sim_push(struct sim *sim, uint32_t w, uint32_t task)
{
	uint32_t newest = sim->newest[w];

	sim->tasks[task].older = newest;
	sim->tasks[task].newer = SIM_NONE;
	if (newest == SIM_NONE)
		sim->oldest[w] = task;
	else
		sim->tasks[newest].newer = task;
	sim->newest[w] = task;
	uint32_t count = sim_task_count(sim, task);
	sim->size[w] += count;
	sim->queued += count;
	if (sim->size[w] > sim->result->peak_queue)
		sim->result->peak_queue = sim->size[w];
}

/* Take one out of the list, as a whole. */
static void list_remove(struct sim *sim, uint32_t w, uint32_t task)
{
	struct sim_task *self = &sim->tasks[task];

	if (self->older == SIM_NONE)
		sim->oldest[w] = self->newer;
	else
		sim->tasks[self->older].newer = self->newer;
	if (self->newer == SIM_NONE)
		sim->newest[w] = self->older;
	else
		sim->tasks[self->newer].older = self->older;
	self->older = self->newer = SIM_NONE;
	uint32_t count = sim_task_count(sim, task);
	sim->size[w] -= count;
	sim->queued -= count;
}

/* The first `count` of a range, or the last, as a task of its own; the rest stays where it is. */
static uint32_t range_split(struct sim *sim, uint32_t w, uint32_t task, uint32_t count,
			    bool is_last)
{
	uint64_t about = sim->tasks[task].about;
	uint32_t first = sim_range_first(about), all = sim_range_count(about);
	uint64_t part = sim_range(is_last ? first + (all - count) : first, count);
	uint32_t split = sim_task_new(sim, SIM_NONE, sim->tasks[task].span, part);

	if (split == SIM_NONE)
		return SIM_NONE;
	sim->tasks[task].about = sim_range(is_last ? first : first + count, all - count);
	sim->size[w] -= count;
	sim->queued -= count;
	return split;
}

/* The owner's next, which must be there: the newest, or the oldest; `grain` of a range. */
uint32_t sim_pop(struct sim *sim, uint32_t w)
{
	bool is_oldest = sim->config.is_fifo || w >= sim->config.workers;
	uint32_t task = is_oldest ? sim->oldest[w] : sim->newest[w];
	uint32_t grain = sim->config.workload.grain;

	if (sim_is_range(sim) && !sim->is_whole && sim_task_count(sim, task) > grain)
		return range_split(sim, w, task, grain, false);
	list_remove(sim, w, task);
	return task;
}

/* Its oldest, which must be there, and be no range. */
uint32_t sim_pop_oldest(struct sim *sim, uint32_t w)
{
	uint32_t task = sim->oldest[w];

	list_remove(sim, w, task);
	return task;
}

/* How many tasks a thief gets of this one; 0: none. */
uint32_t sim_wanted(const struct sim *sim, uint32_t victim)
{
	uint32_t size = sim->size[victim], grain = sim->config.workload.grain, want = 1;

	if (sim->config.amount == SIM_AMOUNT_HALF)
		want = size / 2;
	else if (sim->config.amount == SIM_AMOUNT_PART)
		want = (uint32_t)((uint64_t)size * sim->config.part >> 10);
	if (sim_is_range(sim) && want < grain)
		want = grain;
	else if (!want)
		want = 1;
	return want < size ? want : size;
}

/* --- parcels --- */

struct sim_parcel *sim_parcel_of(struct sim *sim, uint32_t parcel)
{
	return &sim->parcels[parcel];
}

static uint32_t parcel_new(struct sim *sim)
{
	uint32_t parcel = sim->parcel_free, old = sim->parcel_limit;

	if (parcel != SIM_NONE) {
		sim->parcel_free = sim->parcels[parcel].newest;
	} else {
		if (sim->parcel_count == old) {
			uint32_t limit = old ? old * 2 : 256;
			void *grown = limit < SIM_ARGUMENT_NONE
					      ? sim_grow(sim->heap, sim->parcels, old, limit,
							 sizeof(*sim->parcels))
					      : NULL;
			if (!grown) {
				sim->queue.is_out = true;
				return SIM_ARGUMENT_NONE;
			}
			sim->parcels = grown;
			sim->parcel_limit = limit;
		}
		parcel = sim->parcel_count++;
	}
	sim->parcels[parcel] = (struct sim_parcel){ SIM_NONE, SIM_NONE, 0, SIM_NONE, SIM_NONE };
	return parcel;
}

static void parcel_add(struct sim *sim, uint32_t parcel, uint32_t task)
{
	struct sim_parcel *self = &sim->parcels[parcel];

	if (self->oldest == SIM_NONE)
		self->oldest = task;
	else
		sim->tasks[self->newest].newer = task;
	self->newest = task;
	self->count += sim_task_count(sim, task);
}

/* So many of the oldest tasks in a deque, packed; SIM_ARGUMENT_NONE: no memory. */
uint32_t sim_detach(struct sim *sim, uint32_t victim, uint64_t want)
{
	uint32_t parcel = parcel_new(sim);

	if (parcel == SIM_ARGUMENT_NONE)
		return parcel;
	sim->parcels[parcel].from = victim;
	while (want && sim->oldest[victim] != SIM_NONE) {
		uint32_t task = sim->oldest[victim], count = sim_task_count(sim, task);
		if (count > want) {
			count = (uint32_t)want;
			task = range_split(sim, victim, task, count, true);
			if (task == SIM_NONE)
				break;
		} else {
			list_remove(sim, victim, task);
		}
		parcel_add(sim, parcel, task);
		want -= count;
	}
	return parcel;
}

/* Into the deque of w, the oldest first; the parcel is gone. */
void sim_unpack(struct sim *sim, uint32_t w, uint32_t parcel)
{
	uint32_t task = sim->parcels[parcel].oldest;

	while (task != SIM_NONE) {
		uint32_t next = sim->tasks[task].newer;
		sim_push(sim, w, task);
		task = next;
	}
	sim->parcels[parcel].newest = sim->parcel_free;
	sim->parcel_free = parcel;
}

/* A parcel of one task that is in no list. */
void sim_send(struct sim *sim, uint32_t from, uint32_t to, uint32_t task, uint64_t delay)
{
	uint32_t parcel = parcel_new(sim);

	if (parcel == SIM_ARGUMENT_NONE)
		return;
	sim->tasks[task].older = sim->tasks[task].newer = SIM_NONE;
	sim->parcels[parcel].from = from;
	parcel_add(sim, parcel, task);
	sim_queue_put(&sim->queue, delay, to, sim_what(SIM_EVENT_SEND, parcel));
}
