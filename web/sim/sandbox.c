/* SPDX-License-Identifier: MIT */
/* sandbox.c — the page's way into the simulator: a scene goes in, steps and sums come out */
#include "../../tool/sim/sim.h"

/*
 * Compiled for wasm32 with the engine's own files.  The page (web/page/sandbox_engine.js) writes a
 * scene, calls sandbox_run, and reads the log and the figures.  One run at a time; all memory is
 * what is here and what the page's memory can grow by, taken anew by each run.
 */
#define EXPORT(name) __attribute__((export_name(#name))) name
#define NODES_MAX    4096
#define EDGES_MAX    8192
#define STEPS_MAX    200000
#define EVENTS_MAX   5000000
#define PAGE_BYTES   65536
#define ARENA_MAX    (64u << 20)

/* What the page writes; all words are 32 bits, in this order.  Knobs: numbers of sim.h's enums. */
static struct scene {
	uint32_t workers, seed;
	uint32_t scheduler, amount, victim, sharing, is_urgent_first;
	uint32_t count;
	uint32_t cost[NODES_MAX];
	uint32_t home[NODES_MAX];
	uint32_t priority[NODES_MAX];
	uint32_t first[NODES_MAX + 1];
	uint32_t next[EDGES_MAX];
} scene;
static uint64_t costs[NODES_MAX];
static uint8_t priorities[NODES_MAX];

/* What the page reads: struct sim_step in seven words of 32 bits. */
static struct line {
	uint32_t time, kind, worker, other, task, queue, count;
} lines[STEPS_MAX];
static uint32_t line_count;

enum figure {
	MAKESPAN,
	WORK,
	SPAN,
	TASKS,
	STEALS,
	STOLEN,
	TRIES,
	FAILED,
	SENDS,
	PARKS,
	WAKES,
	PEAK_QUEUE,
	BUSY,
	EVENTS,
	ENDS, /* three for each priority: how many, the sum of their times, the last */
	FIGURE_COUNT = ENDS + 3 * SIM_PRIORITY_COUNT
};
static double figures[FIGURE_COUNT];
static struct sim_error error;

/* --- memory: from the end of what the linker laid out, never given back before the next run --- */

extern unsigned char __heap_base;
static uintptr_t arena_at;

static void *arena_get(void *user, size_t bytes)
{
	uintptr_t at = (arena_at + 15) / 16 * 16, end = at + bytes;
	uintptr_t have = __builtin_wasm_memory_size(0) * PAGE_BYTES;

	(void)user;
	if (end < at || end > (uintptr_t)&__heap_base + ARENA_MAX)
		return NULL;
	if (end > have &&
	    __builtin_wasm_memory_grow(0, (end - have + PAGE_BYTES - 1) / PAGE_BYTES) == SIZE_MAX)
		return NULL;
	arena_at = end;
	return (void *)at; /* NOLINT(performance-no-int-to-ptr): there is no other way to it */
}

static void arena_put(void *user, void *block, size_t bytes)
{
	(void)user, (void)block, (void)bytes;
}

/* --- a run --- */

static void keep_step(void *user, const struct sim_step *step)
{
	(void)user;
	if (line_count < STEPS_MAX)
		lines[line_count] = (struct line){ (uint32_t)step->time, step->kind, step->worker,
						   step->other,		 step->task, step->queue,
						   (uint32_t)step->count };
	line_count++;
}

static void keep_figures(const struct sim_result *r)
{
	const uint64_t numbers[ENDS] = {
		[MAKESPAN] = r->makespan, [WORK] = r->work,	[SPAN] = r->span,
		[TASKS] = r->tasks,	  [STEALS] = r->steals, [STOLEN] = r->stolen,
		[TRIES] = r->tries,	  [FAILED] = r->failed, [SENDS] = r->sends,
		[PARKS] = r->parks,	  [WAKES] = r->wakes,	[PEAK_QUEUE] = r->peak_queue,
		[BUSY] = r->spent.busy,	  [EVENTS] = r->events,
	};

	for (unsigned i = 0; i < ENDS; i++)
		figures[i] = (double)numbers[i];
	for (unsigned i = 0; i < SIM_PRIORITY_COUNT; i++) {
		double *ends = &figures[ENDS + 3 * i];
		ends[0] = (double)r->ends[i].count;
		ends[1] = (double)r->ends[i].sum;
		ends[2] = (double)r->ends[i].last;
	}
}

/* Out of the page's words; NULL: no task has a priority but the usual. */
static const uint8_t *read_priorities(uint32_t count)
{
	bool has_any = false;

	for (uint32_t i = 0; i < count; i++) {
		priorities[i] = (uint8_t)scene.priority[i];
		has_any |= priorities[i] != SIM_NORMAL;
	}
	return has_any ? priorities : NULL;
}

/*
 * Groups of four; a theft or a look beyond one's own takes two ticks, within it one, and a queue
 * for all serves somebody each tick.  sandbox_scene.js has the same as options of skua sim.
 */
static void set_costs(struct sim_config *config)
{
	config->topology = (struct sim_topology){ 2, { 4, 0 }, { 0, 0 } };
	config->costs = (struct sim_costs){ .queue = 1, .wake = 1, .park = 1 };
	for (unsigned i = 0; i < SIM_LEVELS; i++)
		config->costs.steal[i] = config->costs.fail[i] = i ? 2 : 1;
}

/* 0, or -1: see sandbox_error. */
int EXPORT(sandbox_run)(uint32_t is_logged)
{
	struct sim_config config;
	struct sim_result result;
	uint32_t count = scene.count < NODES_MAX ? scene.count : NODES_MAX;

	sim_defaults(&config);
	set_costs(&config);
	for (uint32_t i = 0; i < count; i++)
		costs[i] = scene.cost[i];
	config.workers = scene.workers;
	config.seed = scene.seed;
	config.scheduler = (enum sim_scheduler)scene.scheduler;
	config.amount = (enum sim_amount)scene.amount;
	config.victim = (enum sim_victim)scene.victim;
	config.sharing = (enum sim_sharing)scene.sharing;
	config.is_urgent_first = scene.is_urgent_first;
	config.event_limit = is_logged ? STEPS_MAX : EVENTS_MAX;
	config.workload = (struct sim_workload){
		.kind = SIM_WORK_DAG,
		.dag = { count, costs, scene.first, scene.next },
		.home = scene.home,
		.priority = read_priorities(count),
	};
	config.memory = (struct sim_memory){ arena_get, arena_put, NULL };
	config.log = is_logged ? keep_step : NULL;
	arena_at = (uintptr_t)&__heap_base;
	line_count = 0;
	if (sim_run(&config, &result, &error))
		return -1;
	keep_figures(&result);
	return 0;
}

/* --- where the page finds things --- */

struct scene *EXPORT(sandbox_scene)(void)
{
	return &scene;
}

uint32_t EXPORT(sandbox_nodes_max)(void)
{
	return NODES_MAX;
}

uint32_t EXPORT(sandbox_edges_max)(void)
{
	return EDGES_MAX;
}

const struct line *EXPORT(sandbox_lines)(void)
{
	return lines;
}

/* How many there are; more than there was room for is no log. */
uint32_t EXPORT(sandbox_line_count)(void)
{
	return line_count <= STEPS_MAX ? line_count : 0;
}

const double *EXPORT(sandbox_figures)(void)
{
	return figures;
}

const char *EXPORT(sandbox_error)(void)
{
	return error.text;
}

const char *EXPORT(sandbox_step_name)(uint32_t kind)
{
	return sim_step_name(kind);
}
