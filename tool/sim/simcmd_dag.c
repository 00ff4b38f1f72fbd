/* SPDX-License-Identifier: MIT */
/* simcmd_dag.c — a dag put together node by node, in any order, for the simulator */
#include "sim/simcmd.h"

#include <stdlib.h>

/* Twice the room, or more; NULL: there is no memory, and the old block stays. */
static void *grown(void *block, size_t *room, size_t bytes)
{
	size_t more = *room ? 2 * *room : 1024;
	void *larger = more > SIZE_MAX / bytes ? NULL : realloc(block, more * bytes);

	if (larger)
		*room = more;
	return larger;
}

uint32_t simcmd_dag_node(struct simcmd_dag *dag, uint64_t cost)
{
	if (dag->count == dag->room) {
		size_t room = dag->room;
		uint64_t *cost_more = room > UINT32_MAX / 4
					      ? NULL
					      : grown(dag->cost, &room, sizeof(*dag->cost));
		if (!cost_more) {
			dag->is_short = true;
			return 0;
		}
		dag->cost = cost_more;
		dag->room = (uint32_t)room;
	}
	dag->cost[dag->count] = cost;
	return dag->count++;
}

void simcmd_dag_edge(struct simcmd_dag *dag, uint32_t from, uint32_t to)
{
	if (dag->edge_count == dag->edge_room) {
		void *more = dag->edge_room > UINT32_MAX / 2
				     ? NULL
				     : grown(dag->edges, &dag->edge_room, sizeof(*dag->edges));
		if (!more) {
			dag->is_short = true;
			return;
		}
		dag->edges = more;
	}
	dag->edges[dag->edge_count].from = from;
	dag->edges[dag->edge_count++].to = to;
}

void simcmd_dag_drop(struct simcmd_dag *dag)
{
	free(dag->cost);
	free(dag->edges);
	*dag = (struct simcmd_dag){ 0 };
}

/* By the node they leave, else in the order they were added. */
static void sort_edges(const struct simcmd_dag *dag, uint32_t *first, uint32_t *next)
{
	for (size_t i = 0; i < dag->edge_count; i++)
		first[dag->edges[i].from + 1]++;
	for (uint32_t i = 0; i < dag->count; i++)
		first[i + 1] += first[i];
	for (size_t i = 0; i < dag->edge_count; i++)
		next[first[dag->edges[i].from]++] = dag->edges[i].to;
	for (uint32_t i = dag->count; i > 0; i--)
		first[i] = first[i - 1];
	first[0] = 0;
}

bool simcmd_dag_finish(struct simcmd_dag *dag, struct simcmd_plan *plan)
{
	uint32_t *first = calloc((size_t)dag->count + 1, sizeof(*first));
	uint32_t *next = malloc((dag->edge_count + 1) * sizeof(*next));
	bool is_whole = first && next && !dag->is_short;

	if (is_whole) {
		sort_edges(dag, first, next);
		plan->load.cost = dag->cost;
		plan->load.first = first;
		plan->load.next = next;
		dag->cost = NULL;
		plan->base.workload.kind = SIM_WORK_DAG;
		plan->base.workload.dag = (struct sim_dag){ dag->count, plan->load.cost, first,
							    next };
	} else {
		free(first);
		free(next);
		simcmd_no_memory();
	}
	simcmd_dag_drop(dag);
	return is_whole;
}
