/* SPDX-License-Identifier: MIT */
/* graph_parts.h — a graph and its nodes: the structs that the graph's files share */
#ifndef SKUAI_PAR_GRAPH_PARTS_H
#define SKUAI_PAR_GRAPH_PARTS_H

#include "sched/post.h"

#include <skua/error.h>
#include <skua/graph.h>

#include <assert.h>

/*
 * Nodes are one array, known by their index.  New edges are pairs in a list; a check packs them
 * behind the older ones, all edges of a node one after the other, the last one marked: 4 bytes an
 * edge, and a node says only where its edges begin.
 */
#define SKUAI_NODE_NONE	    UINT32_MAX
#define SKUAI_EDGE_LAST	    ((uint32_t)1 << 31)	  /* bit of an edge: the last one of its node */
#define SKUAI_CONDITION	    ((uint32_t)1 << 31)	  /* bit of node->first: it is a condition */
#define SKUAI_FIRST_NONE    ((uint32_t)INT32_MAX) /* as node->first: it has no edges */
#define SKUAI_GRAPH_MOST    ((uint32_t)INT32_MAX) /* nodes, and edges, are fewer */
#define SKUAI_GRAPH_LINE    64
#define SKUAI_OBJECTS_LEAST 64

/* The life of node->left. */
enum {
	SKUAI_NODE_CHILDREN = (1 << 27) - 1, /* mask: tasks spawned for it and not ended */
	SKUAI_NODE_RETURNED = 1 << 27,	     /* its function has; the last child goes on */
	SKUAI_NODE_PARITY = 1 << 28,	     /* of the run that it speaks of */
	SKUAI_NODE_STARTED = 1 << 29,
	SKUAI_NODE_ENDED = 1 << 30,
};
#define SKUAI_NODE_FAILED ((uint32_t)1 << 31)

/* Its job is kept apart: one that is never queued never touches it. */
struct skuai_node {
	_Atomic uint32_t pending; /* tasks before it that have not ended; who ends one writes */
	uint32_t strong;	  /* tasks before it; set by the check */
	uint32_t first;		  /* index of its first edge; and what it is */
	_Atomic uint32_t left;	  /* how far it has come; whoever runs it writes */
	skua_node_run *run;
	void *argument;
	struct skua_graph *graph;
};
static_assert(sizeof(struct skuai_node) == 40, "as the manual says, with a job of 64 bytes");

/* A new edge. */
struct skuai_link {
	uint32_t from, to;
};

/* An object that tasks touch: who wrote it last, and who read it since. */
struct skuai_object {
	const void *address; /* NULL: this place of the table is free */
	uint32_t writer;     /* a node, or NONE */
	uint32_t readers;    /* index of a reader, plus one; 0: none */
};

struct skuai_reader {
	uint32_t node;
	uint32_t next; /* of this object, or of the free ones; likewise */
};

struct skuai_hazards {
	struct skuai_object *objects; /* a hash table by address */
	struct skuai_reader *readers;
	uint32_t object_count, object_room; /* room: 0, or a power of two */
	uint32_t reader_count, reader_room;
	uint32_t free; /* a free reader; likewise */
};

struct skua_graph {
	/* whoever builds writes, runs only read */
	struct skuai_node *nodes;
	struct skua_job
		*jobs; /* of each node, in the queues while it is ready; job_count of them */
	uint32_t count, room, job_count;
	uint32_t *edges; /* packed; bit EDGE_LAST */
	struct skuai_link *links;
	uint32_t edge_count, link_count, link_room;
	uint32_t source_count;
	uint32_t *sources;	/* nodes with no edge to them */
	_Atomic uint32_t *owed; /* of each node: runs not ended.  NULL: no conditions, no loops */
	uint32_t serial;	/* upper half of its nodes' ids */
	bool has_conditions;
	bool is_checked; /* since the last change */
	char *text;	 /* the names, each ended by a zero; the first is "" */
	uint32_t *names; /* of each node: where its name is in text; NULL: none has one */
	size_t text_used, text_room;
	struct skuai_hazards hazards;
	struct skua_pool *wish;
	/* a run: the starter writes, then only read */
	struct skua_pool *pool;
	uint32_t parity; /* 0 or SKUAI_NODE_PARITY, by turns */
	/* the seed's alone */
	uint32_t seeded; /* sources that were started */
	struct skua_job seed;
	/* line: all read it before each node, whoever fails writes it once */
	_Alignas(SKUAI_GRAPH_LINE) _Atomic int32_t error; /* the first one; not 0: start nothing */
	/* line: all write */
	_Alignas(SKUAI_GRAPH_LINE) _Atomic uint64_t active; /* nodes queued or running */
	/* line: who waits, and who ends the run */
	_Alignas(SKUAI_GRAPH_LINE) struct skua_job event;
};

/* The node, or NULL: not one of this graph's. */
struct skuai_node *skuai_graph_node(const struct skua_graph *graph, skua_node node);

/* May it be changed?  SKUA_EBUSY: it runs; SKUA_EFORKED: in the parent. */
int skuai_graph_idle(const struct skua_graph *graph);

/*
 * `*memory` with room for at least `need` elements of `size` bytes, `*room` of them there now and
 * `used` of them to be kept.  SKUA_ENOMEM, or SKUA_EFULL beyond `most`: nothing was changed.
 */
int skuai_graph_grow(void *memory, size_t size, size_t used, size_t *room, size_t need,
		     size_t most);

/* Room for more new edges; then add one, which cannot fail. */
int skuai_graph_reserve_links(struct skua_graph *graph, uint32_t more);
void skuai_graph_link(struct skua_graph *graph, uint32_t from, uint32_t to);

void skuai_hazards_close(struct skuai_hazards *hazards);
size_t skuai_hazards_bytes(const struct skuai_hazards *hazards);

/* graph_run.c: what a job of a node does, and when its pool is closed. */
void skuai_node_run(struct skua_slot *here, void *node);
void skuai_node_drop(struct skua_job *job, int error);

#endif
