/* SPDX-License-Identifier: MIT */
/* sim_uts.c — unbalanced trees as a simulated workload: nodes are grown when they are run */
#include "sim/sim_uts.h"

#include "../../bench/work/sha1.h"
#include "sim/sim_tasks.h"

struct uts_state {
	uint32_t words[SHA1_WORDS];
	uint32_t height;
};

static const struct {
	const char *name;
	struct sim_uts tree;
} named[] = {
	/* as bench/work/uts.c has them */
	{ "fixed", { SIM_UTS_GEOMETRIC, SIM_UTS_FIXED, 19, 4, 5, 0, 0 } },
	{ "linear", { SIM_UTS_GEOMETRIC, SIM_UTS_LINEAR, 34, 4, 8, 0, 0 } },
	{ "cyclic", { SIM_UTS_GEOMETRIC, SIM_UTS_CYCLIC, 502, 6, 6, 0, 0 } },
	{ "bin", { SIM_UTS_BINOMIAL, SIM_UTS_LINEAR, 42, 20, 0, 120000000, 8 } },
	{ "hybrid", { SIM_UTS_HYBRID, SIM_UTS_LINEAR, 1, 6, 8, 234375000, 4 } },
	{ "deep", { SIM_UTS_BINOMIAL, SIM_UTS_LINEAR, 33, 4, 0, 499990000, 2 } },
	{ "T1", { SIM_UTS_GEOMETRIC, SIM_UTS_FIXED, 19, 4, 10, 0, 0 } },
	{ "T2", { SIM_UTS_GEOMETRIC, SIM_UTS_CYCLIC, 502, 6, 16, 0, 0 } },
	{ "T3", { SIM_UTS_BINOMIAL, SIM_UTS_LINEAR, 42, 2000, 0, 124875000, 8 } },
	{ "T4", { SIM_UTS_HYBRID, SIM_UTS_LINEAR, 1, 6, 16, 234375000, 4 } },
	{ "T5", { SIM_UTS_GEOMETRIC, SIM_UTS_LINEAR, 34, 4, 20, 0, 0 } },
	{ "T1L", { SIM_UTS_GEOMETRIC, SIM_UTS_FIXED, 29, 4, 13, 0, 0 } },
	{ "T2L", { SIM_UTS_GEOMETRIC, SIM_UTS_CYCLIC, 220, 7, 23, 0, 0 } },
	{ "T3L", { SIM_UTS_BINOMIAL, SIM_UTS_LINEAR, 7, 2000, 0, 200014000, 5 } },
};

bool sim_uts_named(const char *name, struct sim_uts *tree)
{
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		if (sim_is_same(name, named[i].name)) {
			*tree = named[i].tree;
			return true;
		}
	}
	return false;
}

static int uts_open(struct sim *sim, struct sim_error *error)
{
	const struct sim_uts *tree = &sim->config.workload.uts;

	sim->is_joining = sim->config.workload.after || sim->config.join == SIM_JOIN_OWNER;
	sim->home_at = sizeof(struct uts_state);
	sim->extra_size = sim->home_at + (sim->config.scheduler == SIM_STATIC ? 8 : 0);
	sim->uts_rows = sim_uts_rows(tree);
	sim->uts_limits = sim_get(sim->heap, (uint64_t)sim->uts_rows * SIM_UTS_MOST,
				  sizeof(uint32_t));
	if (!sim->uts_limits)
		return sim_fail_memory(error, sim->heap);
	sim_uts_fill(tree, sim->uts_limits);
	return 0;
}

static void uts_close(struct sim *sim)
{
	sim_put(sim->heap, sim->uts_limits, (uint64_t)sim->uts_rows * SIM_UTS_MOST,
		sizeof(uint32_t));
}

static void uts_start(struct sim *sim)
{
	const uint32_t words[SHA1_WORDS] = { 0, 0, 0, 0, sim->config.workload.uts.seed };
	uint32_t root = sim_task_new(sim, SIM_NONE, 0, 0);

	if (root == SIM_NONE)
		return;
	struct uts_state *state = sim_task_extra(sim, root);
	sha1_words(state->words, words, SHA1_WORDS);
	state->height = 0;
	sim_home_root(sim, root);
	sim_bear(sim, root);
}

static uint32_t uts_children_of(struct sim *sim, uint32_t task)
{
	const struct uts_state *state = sim_task_extra(sim, task);

	return sim_uts_children(&sim->config.workload.uts, sim->uts_limits, state->height,
				state->words[4]);
}

/* Also remembers how many children it has. */
static uint64_t uts_cost(struct sim *sim, uint32_t task)
{
	const struct sim_workload *workload = &sim->config.workload;
	const struct uts_state *state = sim_task_extra(sim, task);
	uint32_t children = uts_children_of(sim, task);
	uint64_t identity = (uint64_t)state->words[0] << 32 | state->words[1];

	sim->tasks[task].about = children;
	return sim_jitter(&sim->config, children ? workload->inner : workload->leaf, identity);
}

static void uts_fork(struct sim *sim, uint32_t task)
{
	uint32_t children = (uint32_t)sim->tasks[task].about;
	uint32_t parent = sim->is_joining ? task : SIM_NONE;
	struct uts_state own = *(const struct uts_state *)sim_task_extra(sim, task);
	uint64_t span = sim->tasks[task].span;

	for (uint32_t i = 0; i < children; i++) {
		const uint32_t words[SHA1_WORDS + 1] = { own.words[0], own.words[1], own.words[2],
							 own.words[3], own.words[4], i };
		uint32_t child = sim_task_new(sim, parent, span, 0);
		if (child == SIM_NONE)
			return;
		struct uts_state *state = sim_task_extra(sim, child);
		sha1_words(state->words, words, SHA1_WORDS + 1);
		state->height = own.height + 1;
		sim_home_child(sim, task, child, i, children);
		sim_bear(sim, child);
	}
}

const struct sim_source sim_source_uts = { uts_open, uts_close, uts_start, uts_cost, uts_fork };
