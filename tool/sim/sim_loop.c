/* SPDX-License-Identifier: MIT */
/* sim_loop.c — a simulation of discrete tasks from the first event to the last */
#include "sim/sim_draw.h"
#include "sim/sim_tasks.h"

static const struct sim_source *loop_source(enum sim_work kind)
{
	switch (kind) {
	case SIM_WORK_TREE:
		return &sim_source_tree;
	case SIM_WORK_UTS:
		return &sim_source_uts;
	case SIM_WORK_LAYERS:
		return &sim_source_layers;
	case SIM_WORK_DAG:
		return &sim_source_dag;
	default:
		return &sim_source_bag;
	}
}

static const struct sim_policy *loop_policy(enum sim_scheduler scheduler)
{
	switch (scheduler) {
	case SIM_CENTRAL:
		return &sim_policy_central;
	case SIM_SHARING:
		return &sim_policy_sharing;
	case SIM_STATIC:
		return &sim_policy_static;
	default:
		return &sim_policy_steal;
	}
}

/* Arrays that have one entry for each worker; those of queues for all come last. */
static int loop_open_workers(struct sim *sim, struct sim_error *error)
{
	struct sim_heap *heap = sim->heap;
	const struct sim_config *config = &sim->config;
	uint64_t n = sim->list_count;

	if (sim_victims_open(&sim->victims, config, heap, error))
		return -1;
	sim->since = sim_get(heap, n, sizeof(*sim->since));
	sim->oldest = sim_get(heap, n, sizeof(*sim->oldest));
	sim->newest = sim_get(heap, n, sizeof(*sim->newest));
	sim->size = sim_get(heap, n, sizeof(*sim->size));
	sim->task = sim_get(heap, n, sizeof(*sim->task));
	sim->frame = sim_get(heap, n, sizeof(*sim->frame));
	sim->before = sim_get(heap, n, sizeof(*sim->before));
	sim->behind = sim_get(heap, n, sizeof(*sim->behind));
	sim->state = sim_get(heap, n, sizeof(*sim->state));
	sim->was_used = sim_get(heap, n, sizeof(*sim->was_used));
	if (config->costs.serve)
		sim->free_at = sim_get(heap, n, sizeof(*sim->free_at));
	if (config->lifeline_tries) {
		sim->waiting = sim_get(heap, n, sizeof(*sim->waiting));
		sim->laid = sim_get(heap, n, sizeof(*sim->laid));
	}
	if (sim->is_ranked)
		sim->looks = sim_get(heap, n, sizeof(*sim->looks));
	if (!sim->since || !sim->oldest || !sim->newest || !sim->size || !sim->task ||
	    !sim->frame || !sim->before || !sim->behind || !sim->state || !sim->was_used ||
	    (config->costs.serve && !sim->free_at) ||
	    (config->lifeline_tries && (!sim->waiting || !sim->laid)) ||
	    (sim->is_ranked && !sim->looks))
		return sim_fail_memory(error, heap);
	for (uint64_t w = 0; w < n; w++) {
		sim->oldest[w] = sim->newest[w] = sim->task[w] = sim->frame[w] = SIM_NONE;
		sim->state[w] = SIM_STATE_BLOCKED;
	}
	return 0;
}

static void loop_close(struct sim *sim)
{
	struct sim_heap *heap = sim->heap;
	uint64_t n = sim->list_count;

	if (sim->source->close)
		sim->source->close(sim);
	sim_victims_close(&sim->victims, heap);
	sim_put(heap, sim->since, n, sizeof(*sim->since));
	sim_put(heap, sim->oldest, n, sizeof(*sim->oldest));
	sim_put(heap, sim->newest, n, sizeof(*sim->newest));
	sim_put(heap, sim->size, n, sizeof(*sim->size));
	sim_put(heap, sim->task, n, sizeof(*sim->task));
	sim_put(heap, sim->frame, n, sizeof(*sim->frame));
	sim_put(heap, sim->before, n, sizeof(*sim->before));
	sim_put(heap, sim->behind, n, sizeof(*sim->behind));
	sim_put(heap, sim->state, n, sizeof(*sim->state));
	sim_put(heap, sim->was_used, n, sizeof(*sim->was_used));
	sim_put(heap, sim->free_at, n, sizeof(*sim->free_at));
	sim_put(heap, sim->waiting, n, sizeof(*sim->waiting));
	sim_put(heap, sim->laid, n, sizeof(*sim->laid));
	sim_put(heap, sim->looks, n, sizeof(*sim->looks));
	sim_put(heap, sim->tasks, sim->task_limit, sizeof(*sim->tasks));
	sim_put(heap, sim->extra, sim->extra_limit, sim->extra_size ? sim->extra_size : 1);
	sim_put(heap, sim->parcels, sim->parcel_limit, sizeof(*sim->parcels));
	sim_queue_close(&sim->queue);
}

/* Delays that come again and again. */
static void loop_lanes(struct sim *sim)
{
	const struct sim_config *config = &sim->config;

	for (unsigned i = 0; i < config->topology.levels; i++) {
		uint64_t latency = config->topology.latency[i];
		uint64_t way = latency ? latency + config->costs.message : 0;
		if (way)
			sim_queue_lane(&sim->queue, way);
		sim_queue_lane(&sim->queue, way + config->costs.fail[i]);
	}
	if (config->workload.kind != SIM_WORK_DAG && !config->workload.jitter)
		sim_queue_lane(&sim->queue, config->workload.leaf);
	sim_queue_lane(&sim->queue, config->costs.wake);
}

static void loop_step(struct sim *sim, const struct sim_event *event)
{
	uint32_t who = event->who, argument = sim_argument(event);

	switch ((enum sim_event_kind)sim_kind(event)) {
	case SIM_EVENT_END:
		sim_end(sim, who);
		break;
	case SIM_EVENT_AFTER:
		sim_after(sim, who);
		break;
	case SIM_EVENT_LOOK:
		sim_look(sim, who, argument);
		break;
	case SIM_EVENT_ANSWER:
		sim_answer(sim, who, argument);
		break;
	case SIM_EVENT_SEND:
		sim_arrive(sim, who, argument);
		break;
	case SIM_EVENT_ASK:
		sim_ask(sim, who, argument);
		break;
	case SIM_EVENT_WAKE:
		sim_wake(sim, who);
		break;
	default:
		sim_asleep(sim, who);
	}
}

/*
 * With more workers than fit a cache, most of the time goes into waiting for memory.  Who comes
 * soon is known: ask for what their events will touch.
 */
#define AHEAD_FAR  20
#define AHEAD_NEAR 8

static void loop_ahead(const struct sim *sim)
{
	const struct sim_event *far = sim_queue_ahead(&sim->queue, AHEAD_FAR);
	const struct sim_event *near = sim_queue_ahead(&sim->queue, AHEAD_NEAR);

	if (far) {
		__builtin_prefetch(&sim->size[far->who]);
		if (sim_kind(far) != SIM_EVENT_LOOK)
			__builtin_prefetch(&sim->since[far->who], 1);
		if (sim_kind(far) == SIM_EVENT_ANSWER) {
			__builtin_prefetch(&sim->victims.thief[far->who], 1);
			if (sim->is_joining)
				__builtin_prefetch(&sim->frame[far->who]);
		} else if (sim_kind(far) == SIM_EVENT_END) {
			__builtin_prefetch(&sim->task[far->who], 1);
			__builtin_prefetch(&sim->newest[far->who], 1);
			__builtin_prefetch(&sim->oldest[far->who], 1);
			__builtin_prefetch(&sim->state[far->who], 1);
		}
	}
	if (near && sim_kind(near) == SIM_EVENT_END)
		__builtin_prefetch(&sim->tasks[sim->task[near->who]], 1);
}

static int loop_run(struct sim *sim, struct sim_error *error)
{
	const struct sim_config *config = &sim->config;
	bool is_large = config->workers > 4096; /* arbitrary: what a core's own cache holds */
	struct sim_event event;

	sim->source->start(sim);
	if (!sim->queue.is_out)
		sim->policy->start(sim);
	while (sim->live && sim_queue_take(&sim->queue, &event)) {
		if (is_large)
			loop_ahead(sim);
		loop_step(sim, &event);
		if (config->event_limit && sim->queue.taken > config->event_limit)
			return sim_fail_events(config, error);
		if (sim->is_stuck)
			return sim_fail(
				error,
				"worker # stands still for ever; leave it some time between "
				"its standstills",
				event.who, 0);
	}
	if (sim->queue.is_out)
		return sim_queue_fail(&sim->queue, error);
	if (sim->live)
		return sim_fail(error,
				"# tasks are left that nobody can run; this is a mistake in "
				"the simulator",
				sim->live, 0);
	return 0;
}

static void loop_result(struct sim *sim)
{
	struct sim_result *result = sim->result;

	result->makespan = sim->queue.now;
	for (uint32_t w = 0; w < sim->config.workers; w++) {
		sim_enter(sim, w, SIM_STATE_BLOCKED);
		result->used += sim->was_used[w];
	}
	result->events = sim->queue.taken;
	result->hash = sim_mix(sim->queue.hash);
}

int sim_run_tasks(const struct sim_config *config, struct sim_heap *heap, struct sim_result *result,
		  struct sim_error *error)
{
	struct sim sim = { .config = *config, .heap = heap, .result = result };

	sim.source = loop_source(config->workload.kind);
	sim.policy = loop_policy(config->scheduler);
	sim.is_whole = config->scheduler == SIM_SHARING || config->scheduler == SIM_STATIC;
	sim.is_ranked = config->is_urgent_first && config->workload.priority;
	sim.list_count = config->workers + (sim.is_ranked ? 3 : 1);
	sim.task_free = sim.parcel_free = sim.first = sim.last = SIM_NONE;
	for (sim.lifeline_base = 2; config->lifeline_tries; sim.lifeline_base++) {
		uint64_t reach = 1;
		for (uint32_t i = 0; i < config->lifelines && reach < config->workers; i++)
			reach *= sim.lifeline_base;
		if (reach >= config->workers)
			break;
	}
	sim_queue_open(&sim.queue, heap);
	loop_lanes(&sim);
	int status = loop_open_workers(&sim, error);
	if (!status)
		status = sim.source->open(&sim, error);
	if (!status)
		status = loop_run(&sim, error);
	if (!status)
		loop_result(&sim);
	loop_close(&sim);
	return status;
}
