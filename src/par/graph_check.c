/* SPDX-License-Identifier: MIT */
/* graph_check.c — a graph is made ready to run: edges packed, circles found and named */
#include "base/alloc.h"
#include "base/atomic.h"
#include "par/graph_parts.h"

#include <string.h>

/*
 * Pack: old edges and new ones into one array, by node, each node's in the order they were made (a
 * condition's edges are counted).  A counting sort: count, sum up, place.
 *
 * Check: tasks hold up what comes after them, so their edges may not form a circle.  Take away a
 * node that nothing holds up, and what it held up is held up by one less; what cannot be taken away
 * so is in a circle or behind one (Kahn, "Topological sorting of large networks", CACM 1962).
 * Conditions hold up nobody, and so allow loops; but a loop must have an entry: what cannot be
 * reached from the sources, the nodes without any edge to them, is in or behind a circle, too.
 *
 * Either way every node that is left has a node before it that is left.  So to name a circle: keep
 * for each one such node, and walk back until the walk meets itself.
 */

/* Memory for one check, by node. */
struct check {
	uint32_t *queue; /* nodes in the order they were taken away; then the node before each */
	uint32_t *held;	 /* edges that hold it up; then: is it left? */
	uint32_t length; /* of the queue */
};

static bool check_is_condition(const struct skuai_node *node)
{
	return node->first & SKUAI_CONDITION;
}

/* --- pack --- */

/* Old edges: `to` of each goes where its node's cursor is; no cursors: count them there. */
static void pack_old(struct skua_graph *graph, uint32_t *cursor, uint32_t *packed)
{
	for (uint32_t n = 0; n < graph->count; n++) {
		uint32_t edge = graph->nodes[n].first & ~SKUAI_CONDITION;
		bool is_last = edge == SKUAI_FIRST_NONE;
		for (; !is_last; edge++) {
			is_last = graph->edges[edge] & SKUAI_EDGE_LAST;
			if (packed)
				packed[cursor[n]] = graph->edges[edge] & ~SKUAI_EDGE_LAST;
			cursor[n]++;
		}
	}
}

static void pack_new(struct skua_graph *graph, uint32_t *cursor, uint32_t *packed)
{
	for (uint32_t i = 0; i < graph->link_count; i++) {
		struct skuai_link link = graph->links[i];
		if (packed)
			packed[cursor[link.from]] = link.to;
		cursor[link.from]++;
	}
}

/* `cursor` has a zero for each node. */
static int pack(struct skua_graph *graph, uint32_t *cursor)
{
	uint32_t total = graph->edge_count + graph->link_count, sum = 0;
	uint32_t *packed = skuai_alloc(total ? total : 1, sizeof(*packed));

	if (!packed)
		return SKUA_ENOMEM;
	pack_old(graph, cursor, NULL);
	pack_new(graph, cursor, NULL);
	for (uint32_t n = 0; n < graph->count; n++) {
		uint32_t degree = cursor[n];
		cursor[n] = sum;
		sum += degree;
	}
	pack_old(graph, cursor, packed);
	pack_new(graph, cursor, packed);
	for (uint32_t n = 0, begin = 0; n < graph->count; begin = cursor[n++]) {
		bool has_any = cursor[n] > begin;
		if (has_any)
			packed[cursor[n] - 1] |= SKUAI_EDGE_LAST;
		graph->nodes[n].first = (graph->nodes[n].first & SKUAI_CONDITION) |
					(has_any ? begin : SKUAI_FIRST_NONE);
	}
	skuai_free(graph->edges);
	skuai_free(graph->links);
	graph->edges = packed;
	graph->edge_count = total;
	graph->links = NULL;
	graph->link_count = graph->link_room = 0;
	return SKUA_OK;
}

/* --- circles --- */

/* What holds each node up (strong), and how many edges of any kind lead to it (held). */
static void count_before(struct skua_graph *graph, uint32_t *held)
{
	for (uint32_t n = 0; n < graph->count; n++) {
		graph->nodes[n].strong = 0;
		held[n] = 0;
	}
	for (uint32_t n = 0; n < graph->count; n++) {
		uint32_t edge = graph->nodes[n].first & ~SKUAI_CONDITION;
		bool is_last = edge == SKUAI_FIRST_NONE;
		for (; !is_last; edge++) {
			uint32_t to = graph->edges[edge] & ~SKUAI_EDGE_LAST;
			is_last = graph->edges[edge] & SKUAI_EDGE_LAST;
			held[to]++;
			graph->nodes[to].strong += !check_is_condition(&graph->nodes[n]);
		}
	}
}

/* Take away what nothing holds up; of the rest held[] stays above 0.  True: no rest. */
static bool take_away(struct skua_graph *graph, struct check *check)
{
	check->length = 0;
	for (uint32_t n = 0; n < graph->count; n++) {
		check->held[n] = graph->nodes[n].strong;
		if (!check->held[n])
			check->queue[check->length++] = n;
	}
	for (uint32_t i = 0; i < check->length; i++) {
		const struct skuai_node *node = &graph->nodes[check->queue[i]];
		bool is_last = check_is_condition(node) || node->first == SKUAI_FIRST_NONE;
		for (uint32_t edge = node->first; !is_last; edge++) {
			uint32_t to = graph->edges[edge] & ~SKUAI_EDGE_LAST;
			is_last = graph->edges[edge] & SKUAI_EDGE_LAST;
			if (--check->held[to] == 0)
				check->queue[check->length++] = to;
		}
	}
	return check->length == graph->count;
}

/* Reach what the sources lead to; of the rest held[] stays above 0.  True: no rest. */
static bool reach(struct skua_graph *graph, struct check *check)
{
	for (uint32_t n = 0; n < graph->count; n++)
		check->held[n] = 1;
	for (check->length = 0; check->length < graph->source_count; check->length++) {
		check->queue[check->length] = graph->sources[check->length];
		check->held[graph->sources[check->length]] = 0;
	}
	for (uint32_t i = 0; i < check->length; i++) {
		uint32_t edge = graph->nodes[check->queue[i]].first & ~SKUAI_CONDITION;
		bool is_last = edge == SKUAI_FIRST_NONE;
		for (; !is_last; edge++) {
			uint32_t to = graph->edges[edge] & ~SKUAI_EDGE_LAST;
			is_last = graph->edges[edge] & SKUAI_EDGE_LAST;
			if (check->held[to]) {
				check->held[to] = 0;
				check->queue[check->length++] = to;
			}
		}
	}
	return check->length == graph->count;
}

/* For each node that is left one before it that is left; with edges of conditions, or without. */
static void note_before(struct skua_graph *graph, struct check *check, bool with_conditions)
{
	for (uint32_t n = 0; n < graph->count; n++) {
		const struct skuai_node *node = &graph->nodes[n];
		uint32_t edge = node->first & ~SKUAI_CONDITION;
		bool is_last = edge == SKUAI_FIRST_NONE || !check->held[n] ||
			       (check_is_condition(node) && !with_conditions);
		for (; !is_last; edge++) {
			is_last = graph->edges[edge] & SKUAI_EDGE_LAST;
			check->queue[graph->edges[edge] & ~SKUAI_EDGE_LAST] = n;
		}
	}
}

/* Walk back from any node that is left.  The lowest node of the circle we come into. */
static uint32_t find_circle(struct skua_graph *graph, struct check *check)
{
	uint32_t n = 0, lowest;

	while (n < graph->count && !check->held[n])
		n++;
	for (; check->held[n]; n = check->queue[n])
		check->held[n] = 0; /* here we have been */
	lowest = n;
	for (uint32_t m = check->queue[n]; m != n; m = check->queue[m])
		lowest = m < lowest ? m : lowest;
	return lowest;
}

/* The circle in the direction of its edges, from its lowest node on. */
static void name_circle(struct skua_graph *graph, const struct check *check, uint32_t lowest,
			skua_node *path, size_t room, size_t *length)
{
	size_t count = 1, place;

	for (uint32_t m = check->queue[lowest]; m != lowest; m = check->queue[m])
		count++;
	place = count;
	for (uint32_t m = check->queue[lowest]; place > 0; m = check->queue[m]) {
		place--;
		/* The node before the lowest is the last one, and so on back to the lowest. */
		if (place < room)
			path[place] = (uint64_t)graph->serial << 32 | m;
	}
	if (length)
		*length = count;
}

/* --- all together --- */

static int make_jobs(struct skua_graph *graph)
{
	if (graph->job_count == graph->count && graph->jobs)
		return SKUA_OK;
	struct skua_job *jobs = skuai_alloc_aligned(graph->count ? graph->count : 1, sizeof(*jobs),
						    SKUAI_GRAPH_LINE);
	if (!jobs)
		return SKUA_ENOMEM;
	skuai_free(graph->jobs);
	graph->jobs = jobs;
	graph->job_count = graph->count;
	return SKUA_OK;
}

/* New ones of the two arrays that a run needs; the old ones stay until both are there. */
static int make_run_arrays(struct skua_graph *graph, const uint32_t *held)
{
	uint32_t count = 0;

	for (uint32_t n = 0; n < graph->count; n++)
		count += !held[n];
	uint32_t *sources = skuai_alloc(count ? count : 1, sizeof(*sources));
	_Atomic uint32_t *owed = graph->has_conditions ? skuai_alloc(graph->count, sizeof(*owed))
						       : NULL;
	if (!sources || (graph->has_conditions && !owed)) {
		skuai_free(sources);
		skuai_free(owed);
		return SKUA_ENOMEM;
	}
	skuai_free(graph->sources);
	skuai_free(graph->owed);
	graph->sources = sources;
	graph->owed = owed;
	graph->source_count = 0;
	for (uint32_t n = 0; n < graph->count; n++)
		if (!held[n])
			graph->sources[graph->source_count++] = n;
	return SKUA_OK;
}

static void make_ready(struct skua_graph *graph)
{
	for (uint32_t n = 0; n < graph->count; n++) {
		struct skuai_node *node = &graph->nodes[n];
		/* order graph_check.ready.1: relaxed, nobody else looks; carried by the start */
		skua_store(&node->pending, node->strong, relaxed);
		/* order graph_check.ready.2: relaxed, likewise */
		skua_store(&node->left, 0, relaxed);
		graph->jobs[n] = (struct skua_job)SKUA_JOB(skuai_node_run, node);
		graph->jobs[n].finish = skuai_node_drop;
	}
}

static int check_graph(struct skua_graph *graph, struct check *check, skua_node *path, size_t room,
		       size_t *length)
{
	int error = graph->link_count || !graph->edges ? pack(graph, check->queue) : SKUA_OK;

	if (error)
		return error;
	count_before(graph, check->held);
	error = make_run_arrays(graph, check->held);
	if (error)
		return error;
	bool is_whole = take_away(graph, check);
	if (is_whole && graph->has_conditions && !reach(graph, check))
		note_before(graph, check, true);
	else if (is_whole)
		return SKUA_OK;
	else
		note_before(graph, check, false);
	name_circle(graph, check, find_circle(graph, check), path, room, length);
	return SKUA_ECYCLE;
}

int skua_graph_check(struct skua_graph *graph, skua_node *path, size_t room, size_t *length)
{
	struct check check = { 0 };

	if (!graph || (room && !path))
		return SKUA_EINVAL;
	int error = graph->is_checked ? SKUA_OK : skuai_graph_idle(graph);
	if (!error && !graph->is_checked) {
		uint32_t count = graph->count ? graph->count : 1;
		check.queue = skuai_alloc(count, sizeof(*check.queue));
		check.held = skuai_alloc(count, sizeof(*check.held));
		error = check.queue && check.held ? check_graph(graph, &check, path, room, length)
						  : SKUA_ENOMEM;
		skuai_free(check.queue);
		skuai_free(check.held);
		if (!error)
			error = make_jobs(graph);
		if (!error)
			make_ready(graph);
		graph->is_checked = !error;
	}
	if (!error && length)
		*length = 0;
	return error;
}
