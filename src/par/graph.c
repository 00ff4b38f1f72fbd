/* SPDX-License-Identifier: MIT */
/* graph.c — a graph is built: nodes, names, edges; opened, measured, closed */
#include "base/alloc.h"
#include "base/atomic.h"
#include "par/graph_parts.h"
#include "sched/outcome.h"

#include <string.h>

/*
 * One thread at a time builds, and nobody while it runs: nothing here is shared.  Every call first
 * makes room for all that it adds and only then adds it, so a call that fails changed nothing.
 */

/* Numbers the graphs, so that a node of one is not taken for a node of another. */
static _Atomic uint32_t graph_serial;

/* --- what the other files use --- */

struct skuai_node *skuai_graph_node(const struct skua_graph *graph, skua_node node)
{
	bool is_ours = node >> 32 == graph->serial && (uint32_t)node < graph->count;

	return is_ours ? &graph->nodes[(uint32_t)node] : NULL;
}

int skuai_graph_idle(const struct skua_graph *graph)
{
	if (skuai_outcome_stage(&graph->event) != SKUAI_JOB_QUEUED)
		return SKUA_OK;
	return graph->event.era == skuai_era() ? SKUA_EBUSY : SKUA_EFORKED;
}

int skuai_graph_grow(void *memory, size_t size, size_t used, size_t *room, size_t need, size_t most)
{
	void *old; /* *memory is a pointer of any type: copied, for it may not be read as another */
	size_t wish = *room < 8 ? 16 : 2 * *room;

	if (need <= *room)
		return SKUA_OK;
	if (need > most)
		return SKUA_EFULL;
	wish = wish < need ? need : wish > most ? most : wish;
	void *grown = skuai_alloc(wish, size);
	if (!grown)
		return SKUA_ENOMEM;
	memcpy(&old, memory, sizeof(old));
	if (used)
		memcpy(grown, old, used * size);
	skuai_free(old);
	memcpy(memory, &grown, sizeof(grown));
	*room = wish;
	return SKUA_OK;
}

int skuai_graph_reserve_links(struct skua_graph *graph, uint32_t more)
{
	size_t room = graph->link_room, most = SKUAI_GRAPH_MOST - graph->edge_count;
	int error = skuai_graph_grow(&graph->links, sizeof(*graph->links), graph->link_count, &room,
				     (size_t)graph->link_count + more, most);

	graph->link_room = (uint32_t)room;
	return error;
}

void skuai_graph_link(struct skua_graph *graph, uint32_t from, uint32_t to)
{
	graph->links[graph->link_count++] = (struct skuai_link){ from, to };
	graph->is_checked = false;
}

/* --- open and close --- */

static int graph_reserve_nodes(struct skua_graph *graph, size_t need)
{
	size_t room = graph->room;
	int error = skuai_graph_grow(&graph->nodes, sizeof(*graph->nodes), graph->count, &room,
				     need, SKUAI_GRAPH_MOST);

	graph->room = (uint32_t)room;
	return error;
}

static void graph_free(struct skua_graph *graph)
{
	skuai_hazards_close(&graph->hazards);
	skuai_free(graph->nodes);
	skuai_free(graph->jobs);
	skuai_free(graph->edges);
	skuai_free(graph->links);
	skuai_free(graph->sources);
	skuai_free(graph->owed);
	skuai_free(graph->text);
	skuai_free(graph->names);
	skuai_free(graph);
}

int skua_graph_open(struct skua_graph **graph, const struct skua_graph_options *options)
{
	static const struct skua_graph_options defaults = { .size = sizeof(defaults) };

	if (!options)
		options = &defaults;
	if (!graph || options->size < sizeof(*options) || options->nodes > SKUAI_GRAPH_MOST ||
	    options->edges > SKUAI_GRAPH_MOST)
		return SKUA_EINVAL;
	struct skua_graph *made = skuai_alloc_aligned(1, sizeof(*made), SKUAI_GRAPH_LINE);
	if (!made)
		return SKUA_ENOMEM;
	made->wish = options->pool;
	/* order graph.serial.1: relaxed, a number of its own is all that is asked */
	made->serial = skua_add(&graph_serial, 1, relaxed) + 1;
	int error = graph_reserve_nodes(made, options->nodes);
	if (!error)
		error = skuai_graph_reserve_links(made, options->edges);
	if (error)
		graph_free(made);
	else
		*graph = made;
	return error;
}

int skua_graph_close(struct skua_graph *graph)
{
	if (!graph)
		return SKUA_OK;
	if (skuai_graph_idle(graph) == SKUA_EBUSY)
		return SKUA_EBUSY;
	graph_free(graph);
	return SKUA_OK;
}

/* --- nodes --- */

/* Room for one more name of so many bytes; the table of names only when there is a first one. */
static int graph_reserve_name(struct skua_graph *graph, size_t bytes)
{
	size_t none = 0;
	size_t used = graph->text_used ? graph->text_used : 1;

	if (!graph->names) {
		int error = skuai_graph_grow(&graph->names, sizeof(*graph->names), 0, &none,
					     graph->room, SKUAI_GRAPH_MOST);
		if (error)
			return error;
	}
	int error = skuai_graph_grow(&graph->text, 1, graph->text_used, &graph->text_room,
				     used + bytes, UINT32_MAX);
	if (!error)
		graph->text_used = used; /* the first byte is the name of those that have none */
	return error;
}

/* The table of names is as large as that of the nodes. */
static int graph_reserve_node(struct skua_graph *graph)
{
	uint32_t *names = graph->names;
	size_t room = graph->room;

	if (graph->count < graph->room)
		return SKUA_OK;
	if (!names)
		return graph_reserve_nodes(graph, (size_t)graph->count + 1);
	names = NULL;
	int error = graph_reserve_nodes(graph, (size_t)graph->count + 1);
	if (error)
		return error;
	size_t none = 0;
	error = skuai_graph_grow(&names, sizeof(*names), 0, &none, graph->room, SKUAI_GRAPH_MOST);
	if (error) {
		graph->room = (uint32_t)room; /* there is more, but names count too */
		return error;
	}
	memcpy(names, graph->names, graph->count * sizeof(*names));
	skuai_free(graph->names);
	graph->names = names;
	return SKUA_OK;
}

static void graph_set_name(struct skua_graph *graph, const char *name, size_t bytes)
{
	graph->names[graph->count] = (uint32_t)graph->text_used;
	memcpy(graph->text + graph->text_used, name, bytes);
	graph->text_used += bytes;
}

static int graph_add(struct skua_graph *graph, skua_node *node, struct skuai_node made,
		     const char *name)
{
	if (!graph || !node || !made.run)
		return SKUA_EINVAL;
	size_t bytes = name && *name ? strlen(name) + 1 : 0;
	int error = skuai_graph_idle(graph);
	if (!error)
		error = graph_reserve_node(graph);
	if (!error && bytes)
		error = graph_reserve_name(graph, bytes);
	if (error)
		return error;
	if (bytes)
		graph_set_name(graph, name, bytes);
	*node = (uint64_t)graph->serial << 32 | graph->count;
	made.graph = graph;
	graph->nodes[graph->count++] = made;
	graph->has_conditions |= (made.first & SKUAI_CONDITION) != 0;
	graph->is_checked = false;
	return SKUA_OK;
}

int skua_graph_task(struct skua_graph *graph, skua_node *node, skua_node_run *run, void *argument,
		    const char *name)
{
	struct skuai_node made = { .run = run, .argument = argument, .first = SKUAI_FIRST_NONE };

	return graph_add(graph, node, made, name);
}

int skua_graph_condition(struct skua_graph *graph, skua_node *node, skua_node_run *pick,
			 void *argument, const char *name)
{
	struct skuai_node made = { .run = pick,
				   .argument = argument,
				   .first = SKUAI_FIRST_NONE | SKUAI_CONDITION };

	return graph_add(graph, node, made, name);
}

int skua_graph_edge(struct skua_graph *graph, skua_node from, skua_node to)
{
	if (!graph || !skuai_graph_node(graph, from) || !skuai_graph_node(graph, to))
		return SKUA_EINVAL;
	int error = skuai_graph_idle(graph);
	if (!error)
		error = skuai_graph_reserve_links(graph, 1);
	if (!error)
		skuai_graph_link(graph, (uint32_t)from, (uint32_t)to);
	return error;
}

/* --- what it says of itself --- */

const char *skua_graph_name(const struct skua_graph *graph, skua_node node)
{
	if (!graph || !skuai_graph_node(graph, node))
		return NULL;
	return graph->text ? graph->text + graph->names[(uint32_t)node] : "";
}

int skua_graph_measure(const struct skua_graph *graph, struct skua_graph_info *info)
{
	if (!graph || !info || info->size < sizeof(*info))
		return SKUA_EINVAL;
	info->nodes = graph->count;
	info->edges = graph->edge_count + graph->link_count;
	info->bytes = sizeof(*graph) + graph->room * sizeof(*graph->nodes) +
		      graph->job_count * sizeof(*graph->jobs) +
		      graph->link_room * sizeof(*graph->links) +
		      ((size_t)graph->edge_count + graph->source_count) * sizeof(uint32_t) +
		      (graph->owed ? graph->count * sizeof(*graph->owed) : 0) + graph->text_room +
		      (graph->names ? graph->room * sizeof(*graph->names) : 0) +
		      skuai_hazards_bytes(&graph->hazards);
	return SKUA_OK;
}
