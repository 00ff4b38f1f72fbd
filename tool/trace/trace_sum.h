/* SPDX-License-Identifier: MIT */
/* trace_sum.h — what a trace comes to: times by state, steals, waits, tasks, gaps, warnings */
#ifndef SKUAT_TRACE_SUM_H
#define SKUAT_TRACE_SUM_H

#include "trace/backlog.h"
#include "trace/trace_walk.h"

#define SUM_GAPS    5 /* longest ones that are kept */
#define SUM_REASONS 7 /* of waits; the last is "other" */

/* One worker.  Its times add up to the length of the trace; other threads have none. */
struct sum_worker {
	const struct trace_ring *ring;
	bool is_outside; /* no worker: all threads that are none */
	uint64_t ns[STATE_COUNT];
	uint64_t idle_beside_ns; /* not running while tasks waited in a deque */
	uint64_t tasks, steals, stolen, robbed, misses;
};

/* Tasks of a name. */
struct sum_task {
	const char *name; /* NULL: without one */
	uint64_t count;
	uint64_t ns;	  /* in it, not in what it waited for or ran meanwhile */
	uint64_t longest; /* from beginning to end */
};

struct sum_wait {
	uint64_t count;
	uint64_t ns;	  /* from beginning to end */
	uint64_t idle_ns; /* and of it without a task to run meanwhile */
	uint64_t longest;
};

/* Who robbed whom. */
struct sum_steal {
	uint32_t thief, victim;
	uint64_t steals, tasks;
};

/* A worker that was not running. */
struct sum_gap {
	uint32_t worker;
	int64_t start, ns;
	enum trace_state state; /* for most of it */
	int64_t beside;		/* tasks waited in a deque meanwhile */
};

struct summary {
	const struct trace *trace;
	struct sum_worker *workers; /* one for each ring */
	size_t worker_count;	    /* of those that are workers */
	uint64_t counts[256];	    /* records by kind */
	uint64_t slices[SLICE_KINDS];
	uint64_t forks, misses, injected, shared; /* as many as the records stand for */
	uint64_t distances[256];
	struct sum_wait waits[SUM_REASONS];
	struct sum_task *tasks; /* with a count; most time first */
	size_t task_count;
	struct sum_steal *steals; /* by thief, then victim */
	size_t steal_count, steal_room;
	struct sum_gap gaps[SUM_GAPS];
	unsigned gap_count;
	double utilisation;   /* of all workers; less than 0: there is none */
	double imbalance;     /* running of the busiest over the mean; less than 0: nobody ran */
	uint64_t running_ns;  /* of all */
	uint64_t somebody_ns; /* time in which anybody ran */
};

/* False: not enough memory. */
bool summary_make(struct summary *summary, const struct trace *trace);
void summary_drop(struct summary *summary);

/* Sentences about what is amiss; each is handed over as it is, names in it not cleaned. */
void summary_warn(const struct summary *summary, void (*say)(void *, const char *), void *context);

/* "join", ..., "other" */
const char *summary_reason(unsigned i);

/* How long, at least, a worker was idle while others ran. */
uint64_t summary_idle_beside(const struct summary *summary, const struct sum_worker *worker);

/* A share of the trace's length, 0 to 1. */
double summary_share(const struct summary *summary, uint64_t ns);

#endif
