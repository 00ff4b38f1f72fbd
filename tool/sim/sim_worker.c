/* SPDX-License-Identifier: MIT */
/* sim_worker.c — what a simulated worker does: begin a task, end it, join, look what is next */
#include "sim/sim_tasks.h"

/* Account for the time in the old state. */
void sim_enter(struct sim *sim, uint32_t w, enum sim_state state)
{
	struct sim_spent *spent = &sim->result->spent;
	uint64_t now = sim->queue.now, ticks = now > sim->since[w] ? now - sim->since[w] : 0;

	switch ((enum sim_state)sim->state[w]) {
	case SIM_STATE_SEARCHING:
		spent->searching += ticks;
		break;
	case SIM_STATE_ASLEEP:
	case SIM_STATE_QUIET:
		spent->parked += ticks;
		break;
	case SIM_STATE_FALLING:
	case SIM_STATE_WAKING:
		spent->overhead += ticks;
		break;
	case SIM_STATE_BLOCKED:
		spent->blocked += ticks;
		break;
	default:
		break;
	}
	if (sim->state[w] != SIM_STATE_RUNNING || now > sim->since[w])
		sim->since[w] = now;
	sim->running -= sim->state[w] == SIM_STATE_RUNNING;
	sim->running += state == SIM_STATE_RUNNING;
	sim->state[w] = (uint8_t)state;
}

/* Be busy for so long from now on, the toll included; then the event. */
static void worker_busy(struct sim *sim, uint32_t w, uint64_t cost, enum sim_event_kind kind)
{
	struct sim_result *result = sim->result;
	uint64_t now = sim->queue.now;

	sim_enter(sim, w, SIM_STATE_RUNNING);
	uint64_t start = now + sim->toll_waiting + sim->toll_overhead;
	uint64_t end = sim_finish(sim, w, start, cost);
	result->spent.waiting += sim->toll_waiting;
	result->spent.overhead += sim->toll_overhead;
	result->spent.busy += end - start;
	result->work += cost;
	if (sim->config.busy_of)
		sim->config.busy_of[w] += end - start;
	sim->toll_waiting = sim->toll_overhead = 0;
	sim->since[w] = end;
	sim->was_used[w] = 1;
	sim_queue_put(&sim->queue, end - now, w, sim_what(kind, 0));
}

void sim_begin(struct sim *sim, uint32_t w, uint32_t task)
{
	if (task == SIM_NONE) /* no memory for it; the run ends before the next event */
		return;
	uint64_t cost = sim->source->cost(sim, task);
	sim->task[w] = task;
	sim->tasks[task].span += cost;
	worker_busy(sim, w, cost, SIM_EVENT_END);
	SIM_REMARK(sim, SIM_STEP_BEGIN, w, SIM_NONE, task, sim_task_count(sim, task));
}

/* Go on after a join. */
static void begin_after(struct sim *sim, uint32_t w, uint32_t task)
{
	uint64_t cost = sim_jitter(&sim->config, sim->config.workload.after,
				   ~sim->tasks[task].about);

	sim->toll_overhead += sim->config.costs.join;
	sim->task[w] = task;
	sim->tasks[task].span += cost;
	worker_busy(sim, w, cost, SIM_EVENT_AFTER);
	SIM_REMARK(sim, SIM_STEP_BEGIN, w, SIM_NONE, task, 0);
}

bool sim_is_joined(const struct sim *sim, uint32_t w)
{
	if (!sim->is_joining)
		return false;
	uint32_t frame = sim->frame[w];
	return frame != SIM_NONE && !sim->tasks[frame].pending;
}

/* A task is over.  Returns the parent that whoever ended its last child must go on with. */
static uint32_t task_over(struct sim *sim, uint32_t task)
{
	uint32_t parent = sim->tasks[task].parent;
	uint64_t span = sim->tasks[task].span;

	if (sim->config.workload.priority)
		sim_priority_count(sim, task);
	sim->live -= sim_task_count(sim, task);
	sim->result->tasks += sim_task_count(sim, task);
	if (span > sim->result->span)
		sim->result->span = span;
	sim_task_free(sim, task);
	if (parent == SIM_NONE)
		return SIM_NONE;
	struct sim_task *waits = &sim->tasks[parent];
	if (span > waits->span)
		waits->span = span;
	if (--waits->pending)
		return SIM_NONE;
	if (sim->config.join == SIM_JOIN_LAST)
		return parent;
	uint32_t owner = waits->older;
	if (sim->frame[owner] == parent &&
	    (sim->state[owner] == SIM_STATE_ASLEEP || sim->state[owner] == SIM_STATE_QUIET))
		sim_rouse(sim, owner, SIM_NONE);
	return SIM_NONE;
}

/* The newest frame of w is joined: leave it.  True: it goes on with that. */
static bool frame_leave(struct sim *sim, uint32_t w)
{
	uint32_t frame = sim->frame[w];

	sim->frame[w] = sim->tasks[frame].newer;
	if (sim->config.workload.after) {
		begin_after(sim, w, frame);
		return true;
	}
	sim->toll_overhead += sim->config.costs.join;
	task_over(sim, frame);
	return false;
}

static void pop_and_begin(struct sim *sim, uint32_t w)
{
	sim->toll_overhead += sim->config.costs.pop;
	sim_begin(sim, w, sim_pop(sim, w));
}

/* Nothing to begin that the toll could be a part of: it takes its time, and then w looks again. */
static void pay_toll(struct sim *sim, uint32_t w)
{
	sim_enter(sim, w, SIM_STATE_WAKING);
	sim->searchers++;
	if (sim->live)
		sim_queue_put(&sim->queue, sim->toll_overhead, w, sim_what(SIM_EVENT_WAKE, 0));
	else
		sim->queue.now += sim->toll_overhead; /* the last joins of all */
	sim->toll_overhead = 0;
}

/*
 * What w does now.  Its own deque; but whoever waits for children first takes those back that
 * nobody stole, and goes on as soon as the last is over, whatever else it has.
 */
void sim_next(struct sim *sim, uint32_t w)
{
	while (sim->is_joining && sim->frame[w] != SIM_NONE) {
		uint32_t newest = sim->newest[w];
		if (newest != SIM_NONE && sim->tasks[newest].parent == sim->frame[w]) {
			pop_and_begin(sim, w);
			return;
		}
		if (!sim_is_joined(sim, w))
			break;
		if (frame_leave(sim, w))
			return;
	}
	if (sim->is_ranked && sim_priority_next(sim, w))
		return;
	if (sim->size[w])
		pop_and_begin(sim, w);
	else if (sim->toll_overhead)
		pay_toll(sim, w);
	else
		sim->policy->is_idle(sim, w);
}

void sim_end(struct sim *sim, uint32_t w)
{
	uint32_t task = sim->task[w];

	sim->born_count = 0;
	sim->source->fork(sim, task);
	uint32_t born = sim->born_count;
	SIM_REMARK(sim, SIM_STEP_END, w, SIM_NONE, task, born);
	sim->task[w] = SIM_NONE;
	if (born && sim->is_joining) {
		sim->tasks[task].pending = born;
		if (sim->config.join == SIM_JOIN_OWNER) {
			sim->tasks[task].older = w;
			sim->tasks[task].newer = sim->frame[w];
			sim->frame[w] = task;
		}
	} else {
		uint32_t parent = task_over(sim, task);
		if (parent != SIM_NONE) {
			begin_after(sim, w, parent);
			return;
		}
	}
	if (born)
		sim->policy->place(sim, w);
	else
		sim_next(sim, w);
}

void sim_after(struct sim *sim, uint32_t w)
{
	uint32_t task = sim->task[w];

	SIM_REMARK(sim, SIM_STEP_END, w, SIM_NONE, task, 0);
	sim->task[w] = SIM_NONE;
	uint32_t parent = task_over(sim, task);
	if (parent != SIM_NONE)
		begin_after(sim, w, parent);
	else
		sim_next(sim, w);
}

/* Numbers of tasks are used again, but a dag's node is one task. */
static uint32_t remark_task(const struct sim *sim, uint32_t task)
{
	return task != SIM_NONE && sim->dag.count ? (uint32_t)sim->tasks[task].about : task;
}

void sim_remark(struct sim *sim, struct sim_remark remark)
{
	bool is_central = sim->config.scheduler == SIM_CENTRAL;
	uint32_t queue = is_central ? 0 : sim->size[remark.worker];

	for (uint32_t i = sim->config.workers; is_central && i < sim->list_count; i++)
		queue += sim->size[i];
	struct sim_step step = {
		.time = sim->queue.now,
		.kind = remark.kind,
		.worker = remark.worker,
		.other = remark.other,
		.task = remark_task(sim, remark.task),
		.queue = queue,
		.count = remark.count,
		.priority = remark.task == SIM_NONE ? SIM_NORMAL
						    : sim_priority_of(sim, remark.task),
	};

	sim->config.log(sim->config.log_user, &step);
}

/* As if they came one by one. */
void sim_remark_start(struct sim *sim)
{
	uint32_t workers = sim->config.workers;

	if (!sim->config.log)
		return;
	for (uint32_t w = 0; w < sim->list_count; w++)
		sim->size[w] = 0;
	for (uint32_t w = 0; w < sim->list_count; w++) {
		for (uint32_t i = sim->oldest[w]; i != SIM_NONE; i = sim->tasks[i].newer) {
			uint32_t count = sim_task_count(sim, i);
			sim->size[w] += count;
			SIM_REMARK(sim, w < workers ? SIM_STEP_ARRIVE : SIM_STEP_PUSH,
				   w < workers ? w : 0, SIM_NONE, i, count);
		}
	}
}
