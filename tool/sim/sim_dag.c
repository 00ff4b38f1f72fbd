/* SPDX-License-Identifier: MIT */
/* sim_dag.c — any dag as a simulated workload: given in arrays, or random in layers */
#include "sim/sim_draw.h"
#include "sim/sim_tasks.h"

#define DAG_WORLD (UINT32_MAX - 1) /* whose draws a random dag is made of */

/* --- any dag --- */

static void dag_count_edges(struct sim *sim)
{
	const struct sim_dag *dag = &sim->dag;

	for (uint32_t i = 0; i < dag->count; i++)
		sim->indegree[i] = 0;
	for (uint32_t i = 0; i < dag->first[dag->count]; i++)
		sim->indegree[dag->next[i]]++;
}

/* Take away what nothing points to, again and again; what stays is on a cycle or behind one. */
static int dag_find_cycle(struct sim *sim, struct sim_error *error)
{
	const struct sim_dag *dag = &sim->dag;
	uint32_t *order = sim_get(sim->heap, dag->count, sizeof(*order)), found = 0;

	if (!order)
		return sim_fail_memory(error, sim->heap);
	for (uint32_t i = 0; i < dag->count; i++)
		if (!sim->indegree[i])
			order[found++] = i;
	for (uint32_t at = 0; at < found; at++)
		for (uint32_t i = dag->first[order[at]]; i < dag->first[order[at] + 1]; i++)
			if (!--sim->indegree[dag->next[i]])
				order[found++] = dag->next[i];
	uint32_t rest = dag->count - found, node = 0;
	while (rest && !sim->indegree[node])
		node++;
	sim_put(sim->heap, order, dag->count, sizeof(*order));
	if (rest)
		return sim_fail(error,
				"the dag has a cycle: # of its nodes wait for each other, the "
				"first is node #; a dag's edges must lead one way",
				rest, node);
	dag_count_edges(sim);
	return 0;
}

static int dag_prepare(struct sim *sim, struct sim_error *error)
{
	sim->indegree = sim_get(sim->heap, sim->dag.count, sizeof(*sim->indegree));
	sim->reach = sim_get(sim->heap, sim->dag.count, sizeof(*sim->reach));
	if (!sim->indegree || !sim->reach)
		return sim_fail_memory(error, sim->heap);
	dag_count_edges(sim);
	return dag_find_cycle(sim, error);
}

static int dag_open(struct sim *sim, struct sim_error *error)
{
	sim->dag = sim->config.workload.dag;
	return dag_prepare(sim, error);
}

static void dag_close(struct sim *sim)
{
	sim_put(sim->heap, sim->indegree, sim->dag.count, sizeof(*sim->indegree));
	sim_put(sim->heap, sim->reach, sim->dag.count, sizeof(*sim->reach));
}

static void dag_start(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->dag.count; i++)
		if (!sim->indegree[i])
			sim_bear(sim, sim_task_new(sim, SIM_NONE, 0, i));
}

static uint64_t dag_cost(struct sim *sim, uint32_t task)
{
	return sim->dag.cost[sim->tasks[task].about];
}

static void dag_fork(struct sim *sim, uint32_t task)
{
	const struct sim_dag *dag = &sim->dag;
	uint32_t node = (uint32_t)sim->tasks[task].about;
	uint64_t span = sim->tasks[task].span;

	for (uint32_t i = dag->first[node]; i < dag->first[node + 1]; i++) {
		uint32_t next = dag->next[i];
		if (span > sim->reach[next])
			sim->reach[next] = span;
		if (!--sim->indegree[next])
			sim_bear(sim, sim_task_new(sim, SIM_NONE, sim->reach[next], next));
	}
}

const struct sim_source sim_source_dag = { dag_open, dag_close, dag_start, dag_cost, dag_fork };

/* --- random, in layers --- */

/* The i-th node of the layer before that of `node`, drawn for its e-th edge. */
static uint32_t layers_before(const struct sim *sim, uint32_t node, uint32_t e)
{
	const struct sim_workload *workload = &sim->config.workload;
	uint32_t fan = workload->fan, layer = node / fan;
	uint64_t draw = sim_draw(sim->config.seed, DAG_WORLD,
				 (uint64_t)node * workload->degree + e);

	return (layer - 1) * fan + sim_below(draw, fan);
}

/* Edges by where they begin: count them, add up, then fill from behind. */
static void layers_edges(struct sim *sim, uint32_t *first, uint32_t *next)
{
	uint32_t count = sim->dag.count, fan = sim->config.workload.fan;
	uint32_t degree = sim->config.workload.degree;

	for (uint32_t node = fan; node < count; node++)
		for (uint32_t e = 0; e < degree; e++)
			first[layers_before(sim, node, e)]++;
	for (uint32_t i = 0, sum = 0; i <= count; i++)
		first[i] = sum += first[i];
	for (uint32_t node = count; node-- > fan;)
		for (uint32_t e = degree; e-- > 0;)
			next[--first[layers_before(sim, node, e)]] = node;
}

static int layers_open(struct sim *sim, struct sim_error *error)
{
	const struct sim_workload *workload = &sim->config.workload;
	uint32_t count = (uint32_t)workload->count;
	uint64_t edges = (uint64_t)(count > workload->fan ? count - workload->fan : 0) *
			 workload->degree;
	uint64_t *cost = sim_get(sim->heap, count, sizeof(*cost));
	uint32_t *first = sim_get(sim->heap, (uint64_t)count + 1, sizeof(*first));
	uint32_t *next = sim_get(sim->heap, edges, sizeof(*next));

	sim->dag = (struct sim_dag){ count, cost, first, next };
	if (!cost || !first || !next)
		return sim_fail_memory(error, sim->heap);
	for (uint32_t i = 0; i < count; i++)
		cost[i] = sim_jitter(&sim->config, workload->leaf, i);
	layers_edges(sim, first, next);
	return dag_prepare(sim, error);
}

static void layers_close(struct sim *sim)
{
	const struct sim_workload *workload = &sim->config.workload;
	uint64_t count = workload->count;
	uint64_t edges = (count > workload->fan ? count - workload->fan : 0) * workload->degree;

	dag_close(sim);
	/* Ours, as const as they are: NOLINTBEGIN(performance-no-int-to-ptr) */
	sim_put(sim->heap, (void *)(uintptr_t)sim->dag.cost, count, sizeof(uint64_t));
	sim_put(sim->heap, (void *)(uintptr_t)sim->dag.first, count + 1, sizeof(uint32_t));
	sim_put(sim->heap, (void *)(uintptr_t)sim->dag.next, edges, sizeof(uint32_t));
	/* NOLINTEND(performance-no-int-to-ptr) */
}

const struct sim_source sim_source_layers = { layers_open, layers_close, dag_start, dag_cost,
					      dag_fork };
