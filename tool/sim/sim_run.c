/* SPDX-License-Identifier: MIT */
/* sim_run.c — one simulation: defaults, what ours does, names, the model that is asked for */
#include "sim/sim_models.h"

static const char *const scheduler_names[] = { "steal", "central", "sharing", "static", "skua" };
static const char *const victim_names[] = { "random", "round",	 "turns", "nearest",
					    "last",   "latency", "remote" };
static const char *const law_names[] = { "constant", "linear",	    "quadratic",
					 "heavy",    "exponential", "bimodal" };
static const char *const step_names[] = { "begin", "end",    "try",  "fail",  "steal",
					  "send",  "park",   "wake", "block", "quiesce",
					  "push",  "arrive", "take" };
static const char *const priority_names[] = { "normal", "urgent", "low" };

#define NAME_OF(names, i) ((i) < sizeof(names) / sizeof((names)[0]) ? (names)[i] : NULL)

const char *sim_scheduler_name(unsigned scheduler)
{
	return NAME_OF(scheduler_names, scheduler);
}

const char *sim_victim_name(unsigned victim)
{
	return NAME_OF(victim_names, victim);
}

const char *sim_law_name(unsigned law)
{
	return NAME_OF(law_names, law);
}

const char *sim_step_name(unsigned kind)
{
	return NAME_OF(step_names, kind);
}

const char *sim_priority_name(unsigned priority)
{
	return NAME_OF(priority_names, priority);
}

void sim_defaults(struct sim_config *config)
{
	*config = (struct sim_config){
		.model = SIM_TASKS,
		.scheduler = SIM_STEAL,
		.workers = 2,
		.victim = SIM_VICTIM_RANDOM,
		.amount = SIM_AMOUNT_HALF,
		.workload = { .kind = SIM_WORK_BAG, .count = 1000, .leaf = 1, .fan = 2 },
		.work = 1000,
		.load = 900000,
		.length = 1000,
		.warm_up = 100,
	};
	config->topology.levels = 1;
	for (unsigned i = 0; i < SIM_LEVELS; i++)
		config->costs.steal[i] = config->costs.fail[i] = 1;
}

/*
 * Forked tasks are stolen one by one, the oldest first, by a thief that goes round from anywhere
 * on; a range is halved; who joins waits at its place and runs what it can steal meanwhile; who
 * found nothing sleeps; the urgent go first.  Ours goes round for some 5 to 50 us before it sleeps,
 * and always ends the round; here it is two rounds, or 256 tries for those who leave another one
 * searching.
 */
void sim_as_skua(struct sim_config *config)
{
	bool is_range = config->workload.kind == SIM_WORK_BAG ||
			config->workload.kind == SIM_WORK_LOOP;
	bool is_near = config->victim == SIM_VICTIM_NEAREST || config->victim == SIM_VICTIM_TURNS;

	config->scheduler = SIM_STEAL;
	config->victim = is_near ? config->victim : SIM_VICTIM_ROUND;
	config->amount = is_range ? SIM_AMOUNT_HALF : SIM_AMOUNT_ONE;
	config->join = SIM_JOIN_OWNER;
	config->is_fifo = false;
	config->lifeline_tries = 0;
	if (!config->park_rounds && !config->park_tries) {
		config->park_rounds = 2;
		config->park_tries = 256;
	}
	config->is_thorough = true;
	config->is_urgent_first = true;
}

/* Everything that zero stands for. */
static void run_resolve(struct sim_config *config)
{
	if (config->scheduler == SIM_SKUA)
		sim_as_skua(config);
	if (config->scheduler == SIM_SHARING || config->scheduler == SIM_STATIC)
		config->is_urgent_first = false; /* nobody sees another's tasks */
	if (config->scheduler != SIM_STEAL) {
		config->join = SIM_JOIN_LAST;
		config->lifeline_tries = 0;
	}
	if (!config->topology.levels)
		config->topology.levels = 1;
	if (!config->threshold)
		config->threshold = 2;
	if (!config->service)
		config->service = (uint64_t)1 << 24;
	if (!config->workload.grain)
		config->workload.grain = 1;
	if (config->lifeline_tries && !config->lifelines)
		while ((uint64_t)1 << config->lifelines < config->workers)
			config->lifelines++;
}

int sim_fail_events(const struct sim_config *config, struct sim_error *error)
{
	return sim_fail(error,
			"more than # events; raise the limit, or make the work or the number of "
			"workers (#) smaller, or let idle workers park",
			config->event_limit, config->workers);
}

int sim_run(const struct sim_config *config, struct sim_result *result, struct sim_error *error)
{
	if (sim_check_config(config, error))
		return -1;
	struct sim_config resolved = *config;
	struct sim_heap heap = { .memory = config->memory };
	int status;

	run_resolve(&resolved);
	*result = (struct sim_result){ 0 };
	for (uint32_t w = 0; resolved.busy_of && w < resolved.workers; w++)
		resolved.busy_of[w] = 0;
	switch (resolved.model) {
	case SIM_STEPS:
		status = sim_run_steps(&resolved, &heap, result, error);
		break;
	case SIM_SHARES:
		status = sim_run_shares(&resolved, &heap, result, error);
		break;
	case SIM_OPEN:
		status = sim_run_open(&resolved, &heap, result, error);
		break;
	default:
		status = sim_run_tasks(&resolved, &heap, result, error);
	}
	result->peak_bytes = heap.peak;
	if (!status && result->makespan) {
		uint64_t per_worker = sim_mul_div(result->work, 1000000, resolved.workers);
		result->efficiency = (uint32_t)(per_worker / result->makespan);
	}
	return status;
}
