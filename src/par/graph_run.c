/* SPDX-License-Identifier: MIT */
/* graph_run.c — a graph runs: who starts a node, who goes on, who ends the run */
#include "base/alloc.h"
#include "base/atomic.h"
#include "os/clock.h"
#include "par/graph_parts.h"
#include "sched/held.h"
#include "sched/outcome.h"
#include "sched/tracing.h"
#include "sched/watch.h"
#include "trace/namebook.h"

/*
 * Every node that is queued or running holds one of the run's tokens, counted in `active`.  Who
 * ends a node lowers `pending` of each node after it; who lowers it to 0 has made that node ready.
 * The first one made ready is run next by the same worker and takes over the token, in a loop, not
 * deeper on the stack; each of the others gets a token and is posted.  With none ready the token
 * is given up, and who gives up the last one ends the run.  So the count moves only where paths
 * part and meet, and a chain costs no atomic operation at all.  The seed, a job of the graph, does
 * the same for the nodes that nothing leads to, some at a time: queues stay short, and whoever
 * steals the seed has the rest of them.
 *
 * The race to fear: a run ends, its waiter closes the graph, and somebody still looks at it.  Who
 * gives up a token does not touch the graph again; the event's end is the last step of all.
 *
 * Nothing is reset between runs where every node runs once: a node sets its own `pending` right
 * when it starts, nobody can want it again in this run; and `left` carries the parity of the run it
 * speaks of.  After an error, and in graphs with conditions, the start resets all nodes.
 *
 * Conditions.  A node may be made ready again while it is queued or runs: by a condition, or
 * because a loop came round before it.  So in a graph with conditions `owed` counts what each node
 * still has to run, each of these holding a token; who raises it from 0 posts the node, who
 * finishes a run and finds more goes on with it: never twice at the same time, and none is lost.
 * `pending` is lowered and set anew in one step there, since the next round may be there at once.
 *
 * Spawned tasks hold no tokens, they hold up their node: `left` counts them.  The node's function
 * says that it has RETURNED; whoever comes last, it or a child, goes on with the nodes after it.
 */
#define DIRECT_MOST 256 /* nodes run one after the other before others get a turn; arbitrary */
#define BATCH_MOST  64	/* nodes posted in one go; arbitrary */

/* The graphs whose nodes stand on this thread's stack, innermost first: one cannot wait there. */
struct graph_frame {
	const struct skua_graph *graph;
	struct graph_frame *outer;
};
static _Thread_local struct graph_frame *graph_frames __attribute__((tls_model("initial-exec")));

/* Nodes made ready by the end of one. */
struct ready {
	struct skua_graph *graph;
	struct skuai_worker *self;
	struct skuai_node *direct; /* to be run next here */
	struct skua_job *list;	   /* to be posted, linked by next */
	unsigned count;		   /* of them */
};

/* A task spawned for a node. */
struct graph_child {
	struct skua_job job;
	struct skuai_node *node;
	skua_node_run *run;
	void *argument;
};

static struct skua_job *node_job(const struct skua_graph *graph, const struct skuai_node *node)
{
	return &graph->jobs[node - graph->nodes];
}

/* --- stopping --- */

static void graph_fail(struct skua_graph *graph, int error)
{
	int32_t none = 0;

	/* order graph_run.fail.1: relaxed, the first one counts; read after the event */
	skua_cas(&graph->error, &none, error, relaxed, relaxed);
}

static bool graph_is_stopped(struct skua_graph *graph)
{
	/* order graph_run.stop.1: relaxed, a node starts or does not, either is right meanwhile */
	if (skua_load(&graph->error, relaxed))
		return true;
	/* order graph_run.stop.2: relaxed, likewise */
	if (!skua_load(&graph->pool->is_cancelling, relaxed))
		return false;
	graph_fail(graph, SKUA_ECANCELED);
	return true;
}

/* The graph may be gone when this returns. */
static void graph_give_up(struct skua_graph *graph, uint64_t tokens)
{
	/* order graph_run.active.1: acq_rel, pairs itself; who ends the run has seen all of it */
	if (skua_sub(&graph->active, tokens, acq_rel) == tokens)
		skuai_outcome_end(&graph->event, SKUAI_JOB_DONE);
}

/* The node does not run, nor whatever else it is owed. */
static void graph_skip(struct skua_graph *graph, struct skuai_node *node)
{
	uint64_t tokens = 1;

	if (graph->owed)
		/* order graph_run.owed.1: acq_rel, pairs .2; who owes it a run is done with it */
		tokens = skua_exchange(&graph->owed[node - graph->nodes], 0, acq_rel);
	graph_give_up(graph, tokens);
}

/* --- making ready --- */

static void ready_post(struct ready *ready)
{
	struct skua_pool *pool = ready->graph->pool;
	struct skua_job *job = ready->list;

	if (!job)
		return;
	if (!ready->graph->owed)
		/* order graph_run.active.2: relaxed, we hold one; carried by the queue */
		skua_add(&ready->graph->active, ready->count, relaxed);
	while (job) { /* it may have run, and more, once it is posted */
		struct skua_job *next = job->next;
		skuai_post(pool, ready->self, job);
		job = next;
	}
	ready->list = NULL;
	ready->count = 0;
}

static void ready_add(struct ready *ready, struct skuai_node *node)
{
	struct skua_graph *graph = ready->graph;

	if (graph->owed) {
		/* order graph_run.active.3: relaxed, we hold one; carried by graph_run.owed.2 */
		skua_add(&graph->active, 1, relaxed);
		/* order graph_run.owed.2: acq_rel, pairs .1, .3; the token, and what we did */
		if (skua_add(&graph->owed[node - graph->nodes], 1, acq_rel) > 0)
			return; /* it is under way: who runs it goes on */
	}
	if (!ready->direct) {
		ready->direct = node;
		return;
	}
	struct skua_job *job = node_job(graph, node);
	job->next = ready->list;
	ready->list = job;
	if (++ready->count == BATCH_MOST)
		ready_post(ready);
}

/* One task before it has ended.  True: it was the last. */
static bool graph_arrive(const struct skua_graph *graph, struct skuai_node *node)
{
	if (node->strong == 1)
		return true;
	if (!graph->owed)
		/* order graph_run.pending.1: acquire, pairs .2; we are left, all others ended */
		return skua_load(&node->pending, acquire) == 1 ||
		       /* order graph_run.pending.2: acq_rel, pairs .1, itself */
		       skua_sub(&node->pending, 1, acq_rel) == 1;
	/* order graph_run.pending.3: relaxed, .4 decides */
	uint32_t seen = skua_load(&node->pending, relaxed);
	/* order graph_run.pending.4: acq_rel, pairs itself; the last sees what the others did */
	while (!skua_cas_weak(&node->pending, &seen, seen == 1 ? node->strong : seen - 1, acq_rel,
			      relaxed))
		continue;
	return seen == 1;
}

/* Make ready what comes after a node. */
static void graph_release(struct ready *ready, const struct skuai_node *node, int result)
{
	struct skua_graph *graph = ready->graph;
	uint32_t edge = node->first & ~SKUAI_CONDITION;
	bool is_condition = node->first & SKUAI_CONDITION;
	bool is_last = edge == SKUAI_FIRST_NONE;

	for (; !is_last; edge++) {
		struct skuai_node *to = &graph->nodes[graph->edges[edge] & ~SKUAI_EDGE_LAST];
		is_last = graph->edges[edge] & SKUAI_EDGE_LAST;
		if (is_condition ? result-- == 0 : graph_arrive(graph, to))
			ready_add(ready, to);
	}
	ready_post(ready);
}

/* --- running --- */

/* A node has ended.  What to run next, or NULL: the graph may be gone then. */
static struct skuai_node *graph_finish(struct skua_graph *graph, struct skuai_node *node,
				       int result)
{
	struct ready ready = { .graph = graph, .self = skuai_self };
	/* order graph_run.left.1: acquire, pairs .5; what was spawned for it has ended */
	uint32_t left = skua_load(&node->left, acquire) & (SKUAI_NODE_FAILED | SKUAI_NODE_PARITY);

	/* order graph_run.left.2: relaxed, read after the event, or as news */
	skua_store(&node->left, left | SKUAI_NODE_STARTED | SKUAI_NODE_ENDED, relaxed);
	if (!graph_is_stopped(graph))
		graph_release(&ready, node, result);
	if (!graph->owed) {
		if (!ready.direct)
			graph_give_up(graph, 1);
		return ready.direct;
	}
	/* order graph_run.owed.3: acq_rel, pairs .2; the next run sees who wanted it */
	if (skua_sub(&graph->owed[node - graph->nodes], 1, acq_rel) > 1) {
		if (!ready.direct)
			ready.direct = node;
		else
			skuai_post(graph->pool, ready.self, node_job(graph, node));
	}
	graph_give_up(graph, 1);
	return ready.direct;
}

/* A node is a task of its own in a trace, also where one worker runs several in a row. */
__attribute__((cold)) static uintptr_t watch_node(const struct skua_graph *graph,
						  const struct skuai_node *node)
{
	struct skuai_tracer *tracer = skuai_tracer_of(skuai_self);

	if (tracer)
		skuai_tracer_task(tracer, 0, SKUAI_TRACE_NOBODY, SKUAI_TRACE_OF_OWN);
	uintptr_t before = skuai_watch_name(skuai_self, (uintptr_t)node->run);
	const char *name = tracer && graph->names ? graph->text + graph->names[node - graph->nodes]
						  : "";
	if (*name)
		skuai_tracer_name(tracer, skuai_name_of_text(name));
	return before;
}

/* Run a node, or not.  What to run next, or NULL: the graph may be gone then. */
static struct skuai_node *graph_run_node(struct skua_graph *graph, struct skua_slot *here,
					 struct skuai_node *node)
{
	if (graph_is_stopped(graph)) {
		graph_skip(graph, node);
		return NULL;
	}
	if (!graph->owed && node->strong > 1)
		/* order graph_run.pending.5: relaxed, for the next run; carried by the event */
		skua_store(&node->pending, node->strong, relaxed);
	/* order graph_run.left.3: relaxed, read by what its function spawns, or as news */
	skua_store(&node->left, SKUAI_NODE_STARTED | graph->parity, relaxed);
	bool is_watched = skuai_is_watched(skuai_self);
	uintptr_t before = is_watched ? watch_node(graph, node) : 0;
	int result = node->run(here, node->argument);
	if (__builtin_expect(is_watched, 0)) {
		skuai_trace(skuai_self, SKUAI_TRACE_TASK_END, 0);
		skuai_profile_news(skuai_self);
		skuai_watch_back(skuai_self, before); /* its job may not have been watched */
	}
	if (node->first & SKUAI_CONDITION ? result < 0 : result != 0) {
		graph_fail(graph, result);
		/* order graph_run.left.4: relaxed, a bit to read after the event */
		skua_or(&node->left, SKUAI_NODE_FAILED, relaxed);
	}
	/* order graph_run.left.6: relaxed, graph_run.left.1 or .7 looks again */
	if (skua_load(&node->left, relaxed) & SKUAI_NODE_CHILDREN)
		/* order graph_run.left.7: acq_rel, pairs .5; one of us goes on, and sees all */
		if (skua_or(&node->left, SKUAI_NODE_RETURNED, acq_rel) & SKUAI_NODE_CHILDREN)
			return NULL;
	return graph_finish(graph, node, result);
}

/* Run a node and what it leads to, one after the other. */
static void graph_run_on(struct skua_graph *graph, struct skua_slot *here, struct skuai_node *node)
{
	struct graph_frame frame = { graph, graph_frames };

	graph_frames = &frame;
	for (unsigned i = 0; node && i < DIRECT_MOST; i++)
		node = graph_run_node(graph, here, node);
	graph_frames = frame.outer;
	if (node)
		skuai_post(graph->pool, skuai_self, node_job(graph, node));
}

void skuai_node_run(struct skua_slot *here, void *argument)
{
	struct skuai_node *node = argument;

	graph_run_on(node->graph, here, node);
}

void skuai_node_drop(struct skua_job *job, int error)
{
	struct skuai_node *node = job->argument;

	graph_fail(node->graph, error);
	graph_skip(node->graph, node);
}

static void run_seed(struct skua_slot *here, void *argument)
{
	struct skua_graph *graph = argument;
	struct ready ready = { .graph = graph, .self = skuai_self };
	uint32_t next = graph->seeded, left = graph->source_count - next;
	uint32_t end = next + (left < BATCH_MOST ? left : BATCH_MOST);
	bool has_more = end < graph->source_count && !graph_is_stopped(graph);

	graph->seeded = end;
	/* A token more, for the seed that goes on: ours is the first node's. */
	if (has_more) {
		/* order graph_run.active.4: relaxed, we hold one; carried by the queue */
		skua_add(&graph->active, 1, relaxed);
		skuai_post(graph->pool, ready.self, &graph->seed);
	}
	for (; next < end; next++)
		ready_add(&ready, &graph->nodes[graph->sources[next]]);
	ready_post(&ready);
	if (!ready.direct || graph->owed)
		graph_give_up(graph, 1);
	if (ready.direct)
		graph_run_on(graph, here, ready.direct);
}

static void drop_seed(struct skua_job *job, int error)
{
	struct skua_graph *graph = job->argument;

	graph_fail(graph, error);
	graph_give_up(graph, 1);
}

/* --- spawned tasks --- */

/* One of them has ended.  What to run next, or NULL. */
static struct skuai_node *child_end(struct skuai_node *node, int result)
{
	struct skua_graph *graph = node->graph;

	if (result) {
		graph_fail(graph, result);
		/* order graph_run.left.8: relaxed, carried by .5 */
		skua_or(&node->left, SKUAI_NODE_FAILED, relaxed);
	}
	/* order graph_run.left.5: acq_rel, pairs .1, .7, itself; who goes on sees what we did */
	uint32_t left = skua_sub(&node->left, 1, acq_rel);
	if ((left & (SKUAI_NODE_CHILDREN | SKUAI_NODE_RETURNED)) != (SKUAI_NODE_RETURNED | 1))
		return NULL;
	return graph_finish(graph, node, 0);
}

static void run_child(struct skua_slot *here, void *argument)
{
	struct graph_child child = *(struct graph_child *)argument;
	struct skua_graph *graph = child.node->graph;
	struct graph_frame frame = { graph, graph_frames };
	int result = 0;

	skuai_free(argument);
	graph_frames = &frame;
	if (!graph_is_stopped(graph)) {
		skuai_task_is(skuai_self, (uintptr_t)child.run);
		result = child.run(here, child.argument);
	}
	graph_frames = frame.outer;
	struct skuai_node *next = child_end(child.node, result);
	if (next)
		graph_run_on(graph, here, next);
}

static void drop_child(struct skua_job *job, int error)
{
	struct skuai_node *node = ((struct graph_child *)job->argument)->node;
	struct skua_graph *graph = node->graph;

	skuai_free(job->argument);
	graph_fail(graph, error);
	struct skuai_node *next = child_end(node, 0);
	if (next) /* the node again */
		graph_skip(graph, next);
}

int skua_graph_spawn(struct skua_graph *graph, skua_node id, skua_node_run *run, void *argument)
{
	struct skuai_node *node = graph ? skuai_graph_node(graph, id) : NULL;
	struct skuai_worker *self;

	if (!node || !run || node->first & SKUAI_CONDITION || !skua_graph_is_running(graph))
		return SKUA_EINVAL;
	/* order graph_run.left.9: relaxed, whoever may call was started by it */
	uint32_t left = skua_load(&node->left, relaxed);
	uint32_t running = SKUAI_NODE_STARTED | graph->parity;
	if ((left & (SKUAI_NODE_STARTED | SKUAI_NODE_ENDED | SKUAI_NODE_PARITY)) != running)
		return SKUA_EINVAL;
	if (graph_is_stopped(graph))
		return SKUA_ECANCELED;
	if ((left & SKUAI_NODE_CHILDREN) == SKUAI_NODE_CHILDREN)
		return SKUA_EFULL;
	struct skua_pool *pool = graph->pool;
	int error = skuai_pool_accept(&pool, &self);
	if (error)
		return error;
	struct graph_child *child = skuai_alloc(1, sizeof(*child));
	if (child) {
		*child = (struct graph_child){ SKUA_JOB(run_child, child), node, run, argument };
		child->job.finish = drop_child;
		/* order graph_run.left.10: relaxed, carried by the queue; the caller holds it up */
		skua_add(&node->left, 1, relaxed);
		skuai_post(pool, self, &child->job);
	}
	skuai_pool_thanks(pool, self);
	return child ? SKUA_OK : SKUA_ENOMEM;
}

/* --- start and wait --- */

static void graph_reset(struct skua_graph *graph)
{
	for (uint32_t n = 0; n < graph->count; n++) {
		struct skuai_node *node = &graph->nodes[n];
		/* order graph_run.reset.1: relaxed, between runs; carried by the queue */
		skua_store(&node->pending, node->strong, relaxed);
		/* order graph_run.reset.2: relaxed, likewise */
		skua_store(&node->left, 0, relaxed);
		if (graph->owed)
			/* order graph_run.reset.3: relaxed, likewise */
			skua_store(&graph->owed[n], 0, relaxed);
	}
}

int skua_graph_start(struct skua_graph *graph)
{
	struct skuai_worker *self;

	if (!graph)
		return SKUA_EINVAL;
	int error = skuai_graph_idle(graph);
	if (!error)
		error = skua_graph_check(graph, NULL, 0, NULL);
	if (error)
		return error;
	struct skua_pool *pool = graph->wish;
	error = skuai_pool_accept(&pool, &self);
	if (error)
		return error;
	/* Others may wait from the next step on.  Not written without need: they may start, too. */
	if (graph->event.era != skuai_era() || graph->event.pool != pool) {
		graph->event.era = skuai_era();
		graph->event.pool = pool;
	}
	if (!skuai_outcome_begin(&graph->event)) {
		skuai_pool_thanks(pool, self);
		return SKUA_EBUSY;
	}
	graph->pool = pool;
	/* order graph_run.start.1: relaxed, written before the end of the last run */
	if (graph->owed || skua_load(&graph->error, relaxed))
		graph_reset(graph);
	graph->parity ^= SKUAI_NODE_PARITY;
	graph->seeded = 0;
	graph->seed = (struct skua_job)SKUA_JOB(run_seed, graph);
	graph->seed.finish = drop_seed;
	/* order graph_run.start.2: relaxed, carried by the queue */
	skua_store(&graph->error, 0, relaxed);
	/* order graph_run.start.3: relaxed, likewise */
	skua_store(&graph->active, 1, relaxed);
	skuai_post(pool, self, &graph->seed);
	skuai_pool_thanks(pool, self);
	return SKUA_OK;
}

int skua_graph_wait(struct skua_graph *graph, int64_t deadline)
{
	if (!graph)
		return SKUA_EINVAL;
	for (const struct graph_frame *frame = graph_frames; frame; frame = frame->outer)
		if (frame->graph == graph)
			return SKUA_ECYCLE;
	skuai_held_check("skua_graph_wait");
	int error;
	do /* started again just as it was over: the same event, and not over */
		error = skuai_job_wait_for(&graph->event, deadline, SKUAI_TRACE_FOR_GRAPH);
	while (error == SKUA_ETIMEDOUT &&
	       (deadline == SKUA_FOREVER || skuai_clock_ns() < deadline));
	/* order graph_run.wait.1: relaxed, after the event */
	return error ? error : skua_load(&graph->error, relaxed);
}

int skua_graph_run(struct skua_graph *graph, int64_t deadline)
{
	int error = skua_graph_start(graph);

	return error ? error : skua_graph_wait(graph, deadline);
}

int skua_graph_cancel(struct skua_graph *graph, int why)
{
	if (!graph || why >= 0)
		return SKUA_EINVAL;
	if (skua_graph_is_running(graph))
		graph_fail(graph, why);
	return SKUA_OK;
}

bool skua_graph_is_running(const struct skua_graph *graph)
{
	return graph && skuai_outcome_stage(&graph->event) == SKUAI_JOB_QUEUED;
}

int skua_graph_state(const struct skua_graph *graph, skua_node id)
{
	struct skuai_node *node = graph ? skuai_graph_node(graph, id) : NULL;

	if (!node)
		return SKUA_EINVAL;
	/* order graph_run.state.1: relaxed, after the event, or news */
	uint32_t left = skua_load(&node->left, relaxed);
	if (!(left & SKUAI_NODE_STARTED) || (left & SKUAI_NODE_PARITY) != graph->parity)
		return skuai_outcome_stage(&graph->event) == SKUAI_JOB_DONE ? SKUA_NODE_SKIPPED
									    : SKUA_NODE_WAITING;
	if (!(left & SKUAI_NODE_ENDED))
		return SKUA_NODE_RUNNING;
	return left & SKUAI_NODE_FAILED ? SKUA_NODE_FAILED : SKUA_NODE_DONE;
}
