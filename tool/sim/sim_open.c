/* SPDX-License-Identifier: MIT */
/* sim_open.c — an open system: tasks arrive for ever, and who runs empty tries to steal one */
#include "sim/sim_draw.h"
#include "sim/sim_events.h"
#include "sim/sim_models.h"

/*
 * Mitzenmacher: Analyses of load stealing models (SPAA 1998).  Tasks arrive at each worker as a
 * Poisson process, here as one process for all of them with a worker drawn for each.  A worker that
 * ends its last task looks at one other, and takes a task if that has two or more.  Only how many
 * there are matters: the mean time in the system is the mean number of tasks in it by the rate at
 * which they come (Little's law).
 */
enum {
	OPEN_ARRIVAL,
	OPEN_END,
	OPEN_WARM, /* from here on it counts */
	OPEN_OVER,
};

#define OPEN_WORLD UINT32_MAX /* whose draws the arrivals are */
#define AREA_BITS  20	      /* of the area under the number of tasks, kept apart */

struct open_system {
	const struct sim_config *config;
	struct sim_logs logs;
	struct sim_queue queue;
	uint32_t *tasks; /* with each worker, the running one included */
	uint32_t *draws;
	uint64_t arrivals_drawn;
	uint64_t arrival_at; /* in 2^-16 ticks, so that no rounding changes the rate */
	uint64_t gap;	     /* between arrivals on average, likewise */
	uint64_t number;     /* of tasks in the system */
	uint64_t since;	     /* that is so */
	uint64_t area, area_high;
	uint64_t arrivals;
	bool is_warm;
	struct sim_result *result;
};

static void open_number(struct open_system *s, int more)
{
	if (s->is_warm) {
		s->area += s->number * (s->queue.now - s->since);
		s->area_high += s->area >> AREA_BITS;
		s->area &= ((uint64_t)1 << AREA_BITS) - 1;
	}
	s->since = s->queue.now;
	s->number += (uint64_t)(int64_t)more;
	if (s->number > s->result->peak_live)
		s->result->peak_live = s->number;
}

static void open_serve(struct open_system *s, uint32_t worker)
{
	uint64_t ticks = s->config->service;

	if (!s->config->is_constant) {
		uint64_t draw = sim_draw(s->config->seed, worker, s->draws[worker]++);
		ticks = sim_mul_shift(sim_exponential(&s->logs, draw), ticks, 32);
	}
	if (s->is_warm)
		s->result->spent.busy += ticks;
	sim_queue_put(&s->queue, ticks, worker, sim_what(OPEN_END, 0));
}

static void open_next_arrival(struct open_system *s)
{
	uint64_t draw = sim_draw(s->config->seed, OPEN_WORLD, s->arrivals_drawn++);

	s->arrival_at += sim_mul_shift(sim_exponential(&s->logs, draw), s->gap, 32);
	sim_queue_put(&s->queue, (s->arrival_at >> 16) - s->queue.now, 0,
		      sim_what(OPEN_ARRIVAL, 0));
}

static void open_arrive(struct open_system *s)
{
	uint64_t draw = sim_draw(s->config->seed, OPEN_WORLD, s->arrivals_drawn++);
	uint32_t worker = sim_below(draw, s->config->workers);

	open_number(s, 1);
	s->arrivals += s->is_warm;
	if (++s->tasks[worker] == 1)
		open_serve(s, worker);
	if (s->tasks[worker] > s->result->peak_queue)
		s->result->peak_queue = s->tasks[worker];
	open_next_arrival(s);
}

/* A look at somebody; moves one task. */
static bool open_steal(struct open_system *s, uint32_t thief)
{
	const struct sim_config *config = s->config;

	if (config->scheduler == SIM_STATIC || config->workers == 1)
		return false;
	uint64_t draw = sim_draw(config->seed, thief, s->draws[thief]++);
	uint32_t victim = sim_other(draw, config->workers, thief);
	s->result->tries += s->is_warm;
	if (s->tasks[victim] < 2)
		return false;
	s->result->steals += s->is_warm;
	s->tasks[victim]--;
	s->tasks[thief]++;
	return true;
}

static void open_end(struct open_system *s, uint32_t worker)
{
	open_number(s, -1);
	s->result->tasks += s->is_warm;
	s->tasks[worker]--;
	if (s->tasks[worker] || open_steal(s, worker))
		open_serve(s, worker);
}

static bool open_step(struct open_system *s, const struct sim_event *event)
{
	switch (sim_kind(event)) {
	case OPEN_ARRIVAL:
		open_arrive(s);
		break;
	case OPEN_END:
		open_end(s, event->who);
		break;
	case OPEN_WARM:
		open_number(s, 0);
		s->is_warm = true;
		break;
	default:
		open_number(s, 0);
		return false;
	}
	return true;
}

static void open_result(struct open_system *s)
{
	struct sim_result *result = s->result;
	const struct sim_config *config = s->config;
	uint64_t ticks = sim_mul_div(s->area_high, (uint64_t)1 << (AREA_BITS + 8), s->arrivals);

	result->makespan = config->length * config->service;
	result->work = result->spent.busy;
	result->sojourn = s->arrivals ? sim_mul_div(ticks, 1000000, config->service << 8) : 0;
	result->stolen = result->steals_at[0] = result->steals;
	result->failed = result->tries - result->steals;
}

int sim_run_open(const struct sim_config *config, struct sim_heap *heap, struct sim_result *result,
		 struct sim_error *error)
{
	struct open_system s = { .config = config, .result = result };
	struct sim_event event;
	int status = 0;

	sim_logs_make(&s.logs);
	sim_queue_open(&s.queue, heap);
	s.gap = sim_mul_div(config->service << 16, 1000000,
			    (uint64_t)config->load * config->workers);
	s.tasks = sim_get(heap, config->workers, sizeof(*s.tasks));
	s.draws = sim_get(heap, config->workers, sizeof(*s.draws));
	if (!s.tasks || !s.draws) {
		status = sim_fail_memory(error, heap);
	} else {
		sim_queue_put(&s.queue, config->warm_up * config->service, 0,
			      sim_what(OPEN_WARM, 0));
		sim_queue_put(&s.queue, (config->warm_up + config->length) * config->service, 0,
			      sim_what(OPEN_OVER, 0));
		open_next_arrival(&s);
	}
	while (!status && sim_queue_take(&s.queue, &event) && open_step(&s, &event))
		if (config->event_limit && s.queue.taken > config->event_limit)
			status = sim_fail_events(config, error);
	if (!status && s.queue.is_out)
		status = sim_queue_fail(&s.queue, error);
	result->events = s.queue.taken;
	result->hash = sim_mix(s.queue.hash);
	if (!status)
		open_result(&s);
	sim_queue_close(&s.queue);
	sim_put(heap, s.tasks, config->workers, sizeof(*s.tasks));
	sim_put(heap, s.draws, config->workers, sizeof(*s.draws));
	return status;
}
