/* SPDX-License-Identifier: MIT */
/* sim_check.c — is this a configuration that can be simulated?  If not, why */
#include "sim/sim_port.h"

#define SPEED_MAX ((uint64_t)1 << 20) /* a thousand times as fast as usual */

static int check_ticks(struct sim_error *error, const char *what, uint64_t ticks)
{
	if (ticks <= SIM_TICKS_MAX)
		return 0;
	sim_fail(error, what, ticks, SIM_TICKS_MAX);
	return -1;
}

static int check_topology(const struct sim_config *config, struct sim_error *error)
{
	const struct sim_topology *topology = &config->topology;
	uint32_t before = 1;

	if (topology->levels > SIM_LEVELS)
		return sim_fail(error, "a topology of # levels; there may be up to #",
				topology->levels, SIM_LEVELS);
	for (unsigned i = 0; i < topology->levels; i++) {
		if (check_ticks(error, "a latency of # ticks is too long; expected 0..#",
				topology->latency[i]))
			return -1;
		if (i + 1 == topology->levels)
			break;
		if (!topology->group[i] || topology->group[i] % before)
			return sim_fail(error,
					"groups of # workers are not made of whole groups of # "
					"workers; give sizes that divide each other",
					topology->group[i], before);
		before = topology->group[i];
	}
	return 0;
}

static int check_costs(const struct sim_config *config, struct sim_error *error)
{
	static const char text[] = "a cost of # ticks is too large; expected 0..#";
	const struct sim_costs *costs = &config->costs;
	const uint64_t all[] = { costs->push,  costs->pop,  costs->join, costs->serve,
				 costs->queue, costs->wake, costs->park, costs->message };
	unsigned levels = config->topology.levels ? config->topology.levels : 1;

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (check_ticks(error, text, all[i]))
			return -1;
	for (unsigned i = 0; i < levels; i++) {
		if (check_ticks(error, text, costs->steal[i]) ||
		    check_ticks(error, text, costs->fail[i]))
			return -1;
		bool is_steal = config->scheduler == SIM_STEAL || config->scheduler == SIM_SKUA;
		bool is_task = config->model == SIM_TASKS && !costs->fail[i];
		if ((is_task || config->model == SIM_SHARES) && is_steal && config->workers > 1 &&
		    !config->topology.latency[i])
			return sim_fail(error,
					"a try in vain takes no time at level #, so thieves would "
					"try for ever; give it a latency or a cost",
					i, 0);
	}
	return 0;
}

static int check_workers(const struct sim_config *config, struct sim_error *error)
{
	if (!config->workers || config->workers > SIM_WORKERS_MAX)
		return sim_fail(error, "# workers; expected 1..#", config->workers,
				SIM_WORKERS_MAX);
	if (!config->memory.get || !config->memory.put)
		return sim_fail(error, "no memory was given to the simulator", 0, 0);
	if (config->speeds && !config->speed_count)
		return sim_fail(error, "a list of speeds with nothing in it", 0, 0);
	for (uint32_t i = 0; config->speeds && i < config->speed_count; i++)
		if (!config->speeds[i] || config->speeds[i] > SPEED_MAX)
			return sim_fail(
				error,
				"a speed of # (1024 is usual); expected 1..#; a worker that "
				"stands still has a stall",
				config->speeds[i], SPEED_MAX);
	for (uint32_t i = 0; i < config->stall_count; i++) {
		const struct sim_stall *stall = &config->stalls[i];
		if (stall->begin > SIM_TICKS_MAX || stall->length > SIM_TICKS_MAX ||
		    stall->period > SIM_TICKS_MAX)
			return sim_fail(error, "standstill # is beyond # ticks", i, SIM_TICKS_MAX);
		if (stall->period && stall->length >= stall->period)
			return sim_fail(error,
					"a standstill of # ticks each # ticks never ends; make it "
					"shorter than its period",
					stall->length, stall->period);
	}
	if (config->quota_period > SIM_TICKS_MAX ||
	    (config->quota_period && (!config->quota || config->quota > config->quota_period)))
		return sim_fail(error, "a quota of # in # ticks; expected 1 to the whole period",
				config->quota, config->quota_period);
	return 0;
}

/* --- workloads --- */

/* Nodes of a full tree, or more than can be. */
static uint64_t tree_nodes(uint64_t fan, uint64_t depth)
{
	uint64_t level = 1, sum = 1;

	if (fan == 1)
		return depth + 1;
	for (uint64_t i = 0; i < depth && sum <= SIM_TASKS_MAX; i++) {
		level = level > SIM_TASKS_MAX / fan ? SIM_TASKS_MAX + 1 : level * fan;
		sum += level;
	}
	return sum;
}

static int check_dag(const struct sim_dag *dag, struct sim_error *error)
{
	if (!dag->count || dag->count > SIM_TASKS_MAX || !dag->cost || !dag->first)
		return sim_fail(error, "a dag of # nodes; expected 1..#", dag->count,
				SIM_TASKS_MAX);
	if (dag->first[0])
		return sim_fail(error, "the edges of a dag begin at #, not at 0", dag->first[0], 0);
	for (uint32_t i = 0; i < dag->count; i++) {
		if (dag->first[i + 1] < dag->first[i])
			return sim_fail(error,
					"the edges of node # of the dag end before they begin", i,
					0);
		if (dag->cost[i] > SIM_TICKS_MAX)
			return sim_fail(error, "node # of the dag costs # ticks, which is too much",
					i, dag->cost[i]);
	}
	for (uint32_t i = 0; i < dag->first[dag->count]; i++)
		if (!dag->next || dag->next[i] >= dag->count)
			return sim_fail(error, "edge # of the dag leads to no node; there are #", i,
					dag->count);
	return 0;
}

static int check_uts(const struct sim_uts *tree, struct sim_error *error)
{
	if (tree->kind != SIM_UTS_BINOMIAL && (!tree->deep || tree->deep > 4096))
		return sim_fail(error, "an unbalanced tree of depth #; expected 1..#", tree->deep,
				4096);
	if (!tree->wide || tree->wide > 1000000)
		return sim_fail(error, "a root of # children; expected 1..#", tree->wide, 1000000);
	if (tree->kind != SIM_UTS_GEOMETRIC && (uint64_t)tree->chance * tree->many >= 1000000000)
		return sim_fail(error,
				"# children with probability # billionths: a tree that never ends; "
				"their product must be below 1",
				tree->many, tree->chance);
	return 0;
}

static int check_counted(const struct sim_workload *workload, struct sim_error *error)
{
	if (!workload->count || workload->count > SIM_TASKS_MAX)
		return sim_fail(error, "# tasks; expected 1..#", workload->count, SIM_TASKS_MAX);
	if (workload->leaf > SIM_TICKS_MAX / workload->count)
		return sim_fail(error, "# tasks of # ticks are more work than fits",
				workload->count, workload->leaf);
	return 0;
}

static int check_workload(const struct sim_workload *workload, struct sim_error *error)
{
	if (check_ticks(error, "a leaf of # ticks is too long; expected 0..#", workload->leaf) ||
	    check_ticks(error, "an inner node of # ticks is too long; expected 0..#",
			workload->inner) ||
	    check_ticks(error, "# ticks after a join are too long; expected 0..#", workload->after))
		return -1;
	if (workload->jitter > 1024)
		return sim_fail(error, "costs that differ by # of 1024; expected 0..#",
				workload->jitter, 1024);
	switch (workload->kind) {
	case SIM_WORK_BAG:
		return check_counted(workload, error);
	case SIM_WORK_LOOP:
		if ((unsigned)workload->law >= SIM_LAW_COUNT)
			return sim_fail(error, "there is no law of costs #; expected 0..#",
					workload->law, SIM_LAW_COUNT - 1);
		return check_counted(workload, error);
	case SIM_WORK_TREE:
		if (!workload->fan || workload->depth >= 1 << 24 ||
		    tree_nodes(workload->fan, workload->depth) > SIM_TASKS_MAX)
			return sim_fail(error,
					"a tree of # levels with # children each has no nodes, or "
					"too many; make it less deep or less wide",
					workload->depth, workload->fan);
		return 0;
	case SIM_WORK_UTS:
		return check_uts(&workload->uts, error);
	case SIM_WORK_LAYERS:
		if (!workload->fan || workload->degree > 1024 ||
		    workload->count * workload->degree > SIM_TASKS_MAX)
			return sim_fail(
				error,
				"layers of # nodes with # edges each; expected nodes, and up "
				"to 1024 edges each but not four billion in all",
				workload->fan, workload->degree);
		return check_counted(workload, error);
	case SIM_WORK_DAG:
		return check_dag(&workload->dag, error);
	default:
		return sim_fail(error, "there is no workload #", workload->kind, 0);
	}
}

/* A worker that is not there would never begin. */
static int check_homes(const struct sim_config *config, struct sim_error *error)
{
	const struct sim_workload *workload = &config->workload;

	if (!workload->home)
		return 0;
	if (workload->kind != SIM_WORK_DAG)
		return sim_fail(error, "only the tasks of a dag can have a home", 0, 0);
	for (uint32_t i = 0; i < workload->dag.count; i++)
		if (workload->home[i] != SIM_NONE && workload->home[i] >= config->workers)
			return sim_fail(error,
					"a task begins on worker #, but there are # workers, from "
					"0 on; give more workers, or another home",
					workload->home[i], config->workers);
	return 0;
}

static int check_priorities(const struct sim_config *config, struct sim_error *error)
{
	const struct sim_workload *workload = &config->workload;
	bool is_lifeline = config->scheduler == SIM_STEAL && config->lifeline_tries;

	if (config->is_urgent_first && is_lifeline)
		return sim_fail(error,
				"who waits at its lifelines sees no urgent task; choose lifelines "
				"or priorities",
				0, 0);
	if (!workload->priority)
		return 0;
	if (workload->kind != SIM_WORK_DAG)
		return sim_fail(error, "only the tasks of a dag can have a priority", 0, 0);
	for (uint32_t i = 0; i < workload->dag.count; i++)
		if (workload->priority[i] >= SIM_PRIORITY_COUNT)
			return sim_fail(error, "node # of the dag has priority #; expected 0..2", i,
					workload->priority[i]);
	return 0;
}

/* --- models --- */

static int check_stealing(const struct sim_config *config, struct sim_error *error)
{
	uint32_t group = config->topology.levels > 1 ? config->topology.group[0] : 0;

	if ((unsigned)config->victim >= SIM_VICTIM_COUNT)
		return sim_fail(error, "there is no victim law #; expected 0..#", config->victim,
				SIM_VICTIM_COUNT - 1);
	if (config->amount == SIM_AMOUNT_PART && (!config->part || config->part > 1023))
		return sim_fail(error, "a theft of # parts of 1024; expected 1..#", config->part,
				1023);
	if (config->remote > 1000000)
		return sim_fail(error, "a probability of # millionths; expected 0..#",
				config->remote, 1000000);
	if (config->is_published &&
	    (!group || config->workers <= group || config->workers > 2 * (uint64_t)group))
		return sim_fail(error,
				"the published remote rule is one of two clusters; # workers in "
				"groups of # are not",
				config->workers, group);
	if (config->lifelines > SIM_LIFELINES)
		return sim_fail(error, "# lifelines; expected up to #", config->lifelines,
				SIM_LIFELINES);
	if (config->lifeline_tries && (config->park_rounds || config->park_tries))
		return sim_fail(error, "lifelines and parking are two ways to rest; choose one", 0,
				0);
	return 0;
}

static int check_open(const struct sim_config *config, struct sim_error *error)
{
	uint64_t length = config->length + config->warm_up;

	if (!config->load || config->load >= 1000000)
		return sim_fail(error,
				"a load of # millionths; expected 1..#: with more, queues grow for "
				"ever",
				config->load, 999999);
	if (config->service > (uint64_t)1 << 32)
		return sim_fail(error, "a service time of # ticks; expected 1..#", config->service,
				(uint64_t)1 << 32);
	if (!config->length || length < config->length || length > (uint64_t)1 << 29)
		return sim_fail(error, "a length of # service times; expected 1..#", length,
				1 << 29);
	return 0;
}

static int check_model(const struct sim_config *config, struct sim_error *error)
{
	bool is_steal = config->scheduler == SIM_STEAL || config->scheduler == SIM_SKUA;

	switch (config->model) {
	case SIM_TASKS:
		if (config->is_fifo && config->join == SIM_JOIN_OWNER && is_steal)
			return sim_fail(error,
					"who waits for its children takes its newest task first; "
					"leave out oldest-first, or the waiting",
					0, 0);
		if (check_workload(&config->workload, error))
			return -1;
		if (check_homes(config, error))
			return -1;
		return check_priorities(config, error);
	case SIM_STEPS:
	case SIM_SHARES:
		if (!is_steal)
			return sim_fail(error, "this model knows stealing only", 0, 0);
		if (!config->work || config->work > SIM_TICKS_MAX)
			return sim_fail(error, "# units of work; expected 1..#", config->work,
					SIM_TICKS_MAX);
		return 0;
	case SIM_OPEN:
		if (!is_steal && config->scheduler != SIM_STATIC)
			return sim_fail(
				error,
				"the open model knows stealing and no stealing (static) only", 0,
				0);
		return check_open(config, error);
	default:
		return sim_fail(error, "there is no model #", config->model, 0);
	}
}

int sim_check_config(const struct sim_config *config, struct sim_error *error)
{
	if ((unsigned)config->scheduler > SIM_SKUA)
		return sim_fail(error, "there is no scheduler #", config->scheduler, 0);
	if (check_workers(config, error) || check_topology(config, error) ||
	    check_costs(config, error) || check_stealing(config, error))
		return -1;
	return check_model(config, error);
}
