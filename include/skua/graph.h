/* SPDX-License-Identifier: MIT */
/* graph.h — task graphs: nodes, edges, conditions, data hazards; built once, run many times */
#ifndef SKUA_GRAPH_H
#define SKUA_GRAPH_H

#include <skua/detail/slot.h>
#include <skua/pool.h>
#include <stdio.h> /* FILE: skua_graph_dot writes to the caller's, without a copy in memory */

SKUA_BEGIN_C

/*
 *	struct skua_graph *graph;
 *	skua_node read, left, right;
 *	int error = skua_graph_open(&graph, NULL);
 *	error = skua_graph_task(graph, &read, read_input, &input, "read");
 *	error = skua_graph_task(graph, &left, do_left, &input, "left");
 *	error = skua_graph_edge(graph, read, left);
 *	...
 *	error = skua_graph_run(graph, SKUA_FOREVER);      again and again
 *
 * A node starts when every task with an edge to it has ended.  It returns 0, or an error: the first
 * error is the result of the run, what has not started by then does not start.
 *
 * A condition returns which of its edges to take: 0 for the first that was made, and so on; none of
 * them when there is no such edge; below 0 it is an error.  Its edges hold nobody up.  The node at
 * the end of the edge that was taken starts at once, and may have run before: so loops are made,
 * and only so.  A node never runs twice at the same time; it runs once for each time it was picked,
 * and once for each time all tasks before it have ended.
 *
 * A graph is built, checked and closed by one thread at a time; the first start after that, too.
 */
struct skua_graph;

/* A node of one graph: no other graph takes it for its own, and 0 is a node of none. */
typedef uint64_t skua_node;

/* A node's number: 0, 1, 2 ... in the order they were made. */
static inline uint32_t skua_node_index(skua_node node)
{
	return (uint32_t)node;
}

/* What a node does.  A task: 0 or an error.  A condition: an edge to take, or an error below 0. */
typedef int skua_node_run(struct skua_slot *skua_here, void *argument);

struct skua_graph_options {
	size_t size;		/* sizeof(struct skua_graph_options) */
	struct skua_pool *pool; /* where it runs; NULL: the default pool */
	uint32_t nodes;		/* room for so many is made at once; it grows beyond as needed */
	uint32_t edges;		/* likewise */
};

/** What a node does with an object, for skua_graph_touch. */
enum skua_access {
	SKUA_READS = 1,
	SKUA_WRITES = 2, /* or both: SKUA_READS | SKUA_WRITES */
};

/** How far a node came in the run that is under way, or in the last one. */
enum skua_node_state {
	SKUA_NODE_WAITING = 0,
	SKUA_NODE_RUNNING = 1, /* or what it has spawned does */
	SKUA_NODE_DONE = 2,
	SKUA_NODE_FAILED = 3,
	SKUA_NODE_SKIPPED = 4, /* the run is over and it did not start */
};

/** What a graph is made of. */
struct skua_graph_info {
	size_t size; /* sizeof(struct skua_graph_info), set by the caller */
	uint32_t nodes, edges;
	size_t bytes; /* of memory that it holds, unused room included */
};

/**
 * Make an empty graph.
 *
 * Thread    any
 * Memory    under 1 KiB, and the room asked for
 * Ordering  hand the graph to other threads as you would any memory
 * Fails     SKUA_EINVAL: NULL, wrong size, 2^31 nodes or edges; SKUA_ENOMEM.  *graph is untouched.
 * Cost      an allocation or three
 * See       examples/10_graph.c, man skua_graph
 */
SKUA_API int skua_graph_open(struct skua_graph **graph, const struct skua_graph_options *options);

/**
 * Free a graph.  NULL is fine.
 *
 * Thread    one at a time; nobody may use it any more
 * Memory    all freed
 * Ordering  none
 * Fails     SKUA_EBUSY: it runs; it goes on
 * Cost      a few frees
 * See       examples/10_graph.c, man skua_graph
 */
SKUA_API int skua_graph_close(struct skua_graph *graph);

/**
 * Add a task.  The name is copied; NULL: none.
 *
 * Thread    one at a time
 * Memory    104 bytes a node, and the name
 * Ordering  what the caller did before a start is visible to the task
 * Fails     SKUA_EINVAL: NULL, no function; SKUA_ENOMEM; SKUA_EFULL: 2^31 nodes, or 4 GiB of names;
 *           SKUA_EBUSY: it runs; SKUA_EFORKED: it runs, in the parent.  Nothing was changed.
 * Cost      some 10 ns, and the first touch of its memory
 * See       examples/10_graph.c, man skua_graph
 */
SKUA_API int skua_graph_task(struct skua_graph *graph, skua_node *node, skua_node_run *run,
			     void *argument, const char *name);

/**
 * Add a condition: its function picks the edge to take.
 *
 * Thread    one at a time
 * Memory    as skua_graph_task; in a graph with conditions 4 bytes more for every node
 * Ordering  as skua_graph_task
 * Fails     as skua_graph_task
 * Cost      as skua_graph_task
 * See       examples/10_graph.c, man skua_graph
 */
SKUA_API int skua_graph_condition(struct skua_graph *graph, skua_node *node, skua_node_run *pick,
				  void *argument, const char *name);

/**
 * Let `to` start after `from` has ended; from a condition: let it start when that edge is picked.
 *
 * Thread    one at a time
 * Memory    8 bytes until the next check or start, then 4
 * Ordering  what `from` did is visible to `to`
 * Fails     SKUA_EINVAL: NULL, not nodes of this graph; SKUA_ENOMEM; SKUA_EFULL: 2^31 edges;
 *           SKUA_EBUSY: it runs; SKUA_EFORKED.  Nothing was changed.
 * Cost      a few ns
 * See       examples/10_graph.c, man skua_graph
 */
SKUA_API int skua_graph_edge(struct skua_graph *graph, skua_node from, skua_node to);

/**
 * Say that a task reads or writes an object, known by its address alone.
 *
 * Edges are added so that tasks touch it as if one by one in the order of these calls: a reader
 * after the last writer before it, a writer after all readers since, readers beside each other.
 *
 * Thread    one at a time
 * Memory    16 to 32 bytes an object, 8 a reader since the last write, and the edges
 * Ordering  as skua_graph_edge
 * Fails     SKUA_EINVAL: NULL, not a task of this graph, neither reads nor writes; and as
 *           skua_graph_edge.  Nothing was changed.
 * Cost      some 20 ns, and an edge for each reader that a writer follows
 * See       examples/10_graph.c, man skua_graph
 */
SKUA_API int skua_graph_touch(struct skua_graph *graph, skua_node node, const void *object,
			      unsigned access) SKUA_OPAQUE(3);

/**
 * Can every node run?  Not if one waits for itself in a circle: *length is then how many nodes the
 * circle has, and the first `room` of them are in `path`; an edge leads from each to the next, and
 * from the last to the first.  Edges of conditions count only where nothing leads into the circle.
 *
 * A start does the same once after a change.
 *
 * Thread    one at a time
 * Memory    8 bytes a node and 4 an edge for a moment
 * Ordering  none
 * Fails     SKUA_ECYCLE: there is a circle; SKUA_EINVAL: NULL, room without a path; SKUA_ENOMEM;
 *           SKUA_EBUSY: it runs; SKUA_EFORKED
 * Cost      some 100 ns a node; a load when nothing was changed since the last check
 * See       man skua_graph
 */
SKUA_API int skua_graph_check(struct skua_graph *graph, skua_node *path, size_t room,
			      size_t *length);

/**
 * Start a run and go on.
 *
 * Thread    any; also tasks, but not its own
 * Memory    none, when it was checked since the last change
 * Ordering  what the caller did before is visible to all nodes
 * Fails     SKUA_EINVAL: NULL; SKUA_EBUSY: it runs; SKUA_ECYCLE, SKUA_ENOMEM: as skua_graph_check;
 *           SKUA_ECLOSED: its pool is closing; SKUA_EFORKED: it runs, in the parent.  Nothing was
 *           changed.
 * Cost      a job; a few ns a node after a run that failed, and in a graph with conditions
 * See       examples/10_graph.c, man skua_graph
 */
SKUA_API int skua_graph_start(struct skua_graph *graph);

/**
 * Wait until the run is over.  A worker that waits runs other tasks meanwhile.
 *
 * Thread    any, several at once
 * Memory    none
 * Ordering  everything the nodes did is visible after it, but for SKUA_ETIMEDOUT of this wait
 * Fails     the first error of a node; what skua_graph_cancel was told; SKUA_ECANCELED: its pool is
 *           closed; SKUA_ETIMEDOUT: not over at the deadline (skua_clock_ns time), the run goes on,
 *           skua_graph_is_running tells it from an error of a node; SKUA_ECYCLE: called by one of
 *           its own nodes; SKUA_EFORKED: it runs, in the parent; SKUA_EINVAL: NULL, never started
 * Cost      a load when it is over
 * See       examples/10_graph.c, man skua_graph
 */
SKUA_API int skua_graph_wait(struct skua_graph *graph, int64_t deadline);

/**
 * Start, and wait.
 *
 * Thread    as skua_graph_start
 * Memory    as skua_graph_start
 * Ordering  as skua_graph_start and skua_graph_wait
 * Fails     as skua_graph_start and skua_graph_wait
 * Cost      some 12 ns a node in a chain, 50 where many are ready, 130 where many paths meet
 * See       examples/10_graph.c, man skua_graph
 */
SKUA_API int skua_graph_run(struct skua_graph *graph, int64_t deadline);

/**
 * Let nothing start that has not started; `why` comes back from the wait, unless an error was
 * first.  A graph that does not run is left as it is.
 *
 * Thread    any; also its own nodes
 * Memory    none
 * Ordering  none
 * Fails     SKUA_EINVAL: NULL, why is not a negative error code
 * Cost      a few ns
 * See       man skua_graph
 */
SKUA_API int skua_graph_cancel(struct skua_graph *graph, int why);

/**
 * Add a task to a node that runs: it may start at once, and the node has ended only when all that
 * was spawned for it has, too.  It is part of this run alone.  May spawn in turn.
 *
 * Thread    the node's function, what it waits for, and what was spawned for the same node
 * Memory    one small allocation, freed after the task
 * Ordering  what the caller did before is visible to the task; what it did, to the nodes after
 * Fails     SKUA_EINVAL: NULL, no function, not a task of this graph that runs; SKUA_ECANCELED: the
 *           run was stopped; SKUA_ENOMEM; SKUA_EFULL: 2^27 tasks of one node; SKUA_ECLOSED.  The
 *           task is then not added.
 * Cost      an allocation more than a job
 * See       examples/10_graph.c, man skua_graph
 */
SKUA_API int skua_graph_spawn(struct skua_graph *graph, skua_node node, skua_node_run *run,
			      void *argument);

/**
 * Does it run?
 *
 * Thread    any
 * Memory    none
 * Ordering  everything the nodes did is visible when it says false
 * Fails     never; NULL does not run
 * Cost      a load
 * See       man skua_graph
 */
SKUA_API bool skua_graph_is_running(const struct skua_graph *graph);

/**
 * How far a node came: an enum skua_node_state.
 *
 * Thread    any, but not while another builds or starts it
 * Memory    none
 * Ordering  exact after a wait; a moment ago while it runs
 * Fails     SKUA_EINVAL: NULL, not a node of this graph
 * Cost      a few loads
 * See       man skua_graph
 */
SKUA_API int skua_graph_state(const struct skua_graph *graph, skua_node node);

/**
 * The name of a node, "" when it has none.
 *
 * Thread    any, but not while another builds it
 * Memory    the graph's: valid until a node is added or the graph is closed
 * Ordering  none
 * Fails     NULL: not a node of this graph
 * Cost      a few loads
 * See       man skua_graph
 */
SKUA_API const char *skua_graph_name(const struct skua_graph *graph, skua_node node);

/**
 * Count nodes, edges and bytes.
 *
 * Thread    any, but not while another builds or starts it
 * Memory    none
 * Ordering  none
 * Fails     SKUA_EINVAL: NULL, wrong size
 * Cost      a few loads
 * See       man skua_graph
 */
SKUA_API int skua_graph_measure(const struct skua_graph *graph, struct skua_graph_info *info);

/**
 * Write the graph in the DOT language: dot -Tsvg makes a picture of it.  Conditions are diamonds,
 * their edges dashed and numbered.
 *
 * Thread    any, but not while another builds or starts it
 * Memory    none
 * Ordering  none
 * Fails     SKUA_EINVAL: NULL; SKUA_EIO: the file could not be written
 * Cost      some 200 ns a line
 * See       examples/10_graph.c, man skua_graph
 */
SKUA_API int skua_graph_dot(const struct skua_graph *graph, FILE *file);

SKUA_END_C

#endif
