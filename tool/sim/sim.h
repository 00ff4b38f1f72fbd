/* SPDX-License-Identifier: MIT */
/* sim.h — the simulator: what is to be simulated, and what came out (interface settled) */
#ifndef SKUA_SIM_H
#define SKUA_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A discrete-event simulator of schedulers, for up to SIM_WORKERS_MAX workers.  Time is a whole
 * number of ticks; what a tick is (a nanosecond, a unit task) is the caller's to say.  All that
 * decides an event is integer arithmetic: the same configuration gives the same result, bit for
 * bit, with any compiler on any machine.  No libc in here: memory comes from the caller.
 *
 *	struct sim_config config;
 *	struct sim_result result;
 *	struct sim_error error;
 *	sim_defaults(&config);            a flat bag, stolen by halves
 *	config.memory = sim_host_memory;  of sim_host.h; or the caller's own
 *	config.workers = 1000;
 *	if (sim_run(&config, &result, &error))
 *		complain(error.text);
 */

#define SIM_WORKERS_MAX 16777216	    /* 2^24 */
#define SIM_TASKS_MAX	4000000000	    /* of a bag or a loop; also of one tree or dag */
#define SIM_TICKS_MAX	((uint64_t)1 << 48) /* any single cost, latency or period */
#define SIM_LEVELS	6
#define SIM_LIFELINES	24
#define SIM_NONE	UINT32_MAX

enum sim_model {
	SIM_TASKS, /* discrete tasks on any scheduler (M5): bags, loops, trees, dags */
	SIM_STEPS, /* unit tasks in synchronous steps (M1): one thief a victim and step is served */
	SIM_SHARES, /* divisible work with latency (M2), also in clusters (M3) */
	SIM_OPEN,   /* tasks arrive for ever (M4) */
};

/* SIM_STEPS, SIM_SHARES and SIM_OPEN know SIM_STEAL only; SIM_OPEN also SIM_STATIC: no stealing. */
enum sim_scheduler {
	SIM_STEAL,   /* one deque a worker, thieves take the oldest */
	SIM_CENTRAL, /* one queue for all, which serves one taker at a time */
	SIM_SHARING, /* a new task is sent to some worker, nobody steals */
	SIM_STATIC,  /* all is dealt out beforehand in equal parts, nobody steals */
	SIM_SKUA,    /* stealing as ours does: see sim_as_skua() */
};

enum sim_victim {
	SIM_VICTIM_RANDOM,  /* anybody, drawn anew for each try */
	SIM_VICTIM_ROUND,   /* ours: start anywhere, then all the next ones */
	SIM_VICTIM_TURNS,   /* round robin: start where the last theft was, then the next ones */
	SIM_VICTIM_NEAREST, /* all of the nearest level first, from a random one on; ours, too */
	SIM_VICTIM_LAST,    /* the one last robbed with success, else random */
	SIM_VICTIM_LATENCY, /* a level with odds of 1 to its round trip, then anybody there */
	SIM_VICTIM_REMOTE,  /* with probability `remote` beyond the first level, else within it */
	SIM_VICTIM_COUNT
};

enum sim_amount {
	SIM_AMOUNT_ONE,
	SIM_AMOUNT_HALF, /* rounded down, but at least one */
	SIM_AMOUNT_PART, /* `part` of 1024, rounded down, but at least one */
};

enum sim_sharing {
	SIM_SHARING_RANDOM,    /* to anybody */
	SIM_SHARING_TWO,       /* to the shorter queue of two */
	SIM_SHARING_THRESHOLD, /* kept while the own queue is below `threshold`, else to anybody */
};

enum sim_join {
	SIM_JOIN_LAST,	/* who ends the last child goes on with the parent (continuation) */
	SIM_JOIN_OWNER, /* who forked waits for its children, and runs what it steals meanwhile */
};

enum sim_work {
	SIM_WORK_BAG,	 /* `count` tasks of `leaf` ticks, all with worker 0 at the start */
	SIM_WORK_LOOP,	 /* the same, their costs as `law` says with a mean of `leaf` */
	SIM_WORK_TREE,	 /* `depth` levels of forks, each in `fan` children */
	SIM_WORK_UTS,	 /* an unbalanced tree, as bench/work/uts.h grows it */
	SIM_WORK_LAYERS, /* a random dag: layers of `fan` nodes, `count` in all */
	SIM_WORK_DAG,	 /* as `dag` says */
};

/* Costs of the indices of a loop; names and shapes as in bench/work/loops_data.h. */
enum sim_law {
	SIM_LAW_CONSTANT,
	SIM_LAW_LINEAR,
	SIM_LAW_QUADRATIC,
	SIM_LAW_HEAVY,
	SIM_LAW_EXPONENTIAL,
	SIM_LAW_BIMODAL,
	SIM_LAW_COUNT
};

enum sim_uts_kind {
	SIM_UTS_BINOMIAL,
	SIM_UTS_GEOMETRIC,
	SIM_UTS_HYBRID,
};
enum sim_uts_shape {
	SIM_UTS_LINEAR = 0,
	SIM_UTS_CYCLIC = 2,
	SIM_UTS_FIXED = 3,
};

/* Options -t -a -r -b -d -q -m of the authors' program. */
struct sim_uts {
	enum sim_uts_kind kind;
	enum sim_uts_shape shape;
	uint32_t seed, wide, deep;
	uint32_t chance; /* in billionths */
	uint32_t many;
};

/* Of a task of a dag; words and numbers as in skua/job.h. */
enum sim_priority {
	SIM_NORMAL,
	SIM_URGENT,
	SIM_LOW,
	SIM_PRIORITY_COUNT
};

/*
 * Any dag, in arrays of the caller's that are read only.  Node i costs cost[i] ticks, and may begin
 * when all that point to it have ended; its successors are next[first[i]] to next[first[i+1] - 1].
 * Without a cycle, or sim_run says so.  All nodes that nothing points to are with worker 0 at the
 * start, unless the workload has a `home` for them.
 */
struct sim_dag {
	uint32_t count;
	const uint64_t *cost;  /* count of them */
	const uint32_t *first; /* count + 1 of them, from 0, rising */
	const uint32_t *next;  /* first[count] of them, below count */
};

struct sim_workload {
	enum sim_work kind;
	uint64_t count; /* bag, loop, layers: tasks */
	uint64_t leaf;	/* ticks of a leaf, of a task of a bag; of a loop's index: the mean */
	uint64_t inner; /* ticks of an inner node of a tree before it forks */
	uint64_t after; /* and after all its children; 0: nothing waits, unless SIM_JOIN_OWNER */
	uint32_t depth, fan;
	uint32_t degree; /* layers: edges into each node, from random nodes of the layer before */
	uint32_t jitter; /* layers, trees: costs differ by up to so many 1024ths either way */
	enum sim_law law;
	uint32_t grain; /* bag, loop: tasks that are run and stolen as one; 0: 1 */
	struct sim_uts uts;
	struct sim_dag dag;
	/*
	 * Dag: where each node that nothing points to is at the start, count of them; SIM_NONE, or
	 * NULL for all: with worker 0.  Sharing sends it on from there; a central queue and a
	 * static split do not care.
	 */
	const uint32_t *home;
	const uint8_t *priority; /* dag: of each node, count of them; NULL: it has no priorities */
};

/*
 * Workers in nested groups of equal size.  Workers i and j are at the lowest level k at which
 * i / group[k] == j / group[k]; at the last level everybody is together, whatever its group.
 * Flat: one level.  Cores, caches, nodes, hosts: { 2, 8, 32, 0 }.
 */
struct sim_topology {
	uint32_t levels;
	uint32_t group[SIM_LEVELS];
	uint64_t
		latency[SIM_LEVELS]; /* one way, in ticks; 0: memory is shared, a look is at once */
};

/* Ticks. */
struct sim_costs {
	uint64_t push, pop; /* on the owner, for each task that it forks; that it takes back */
	uint64_t join;	    /* on who goes on with a task whose children are all over */
	uint64_t steal[SIM_LEVELS]; /* on the thief, for a theft, besides the latency */
	uint64_t fail[SIM_LEVELS];  /* on the thief, for a try that found nothing, by distance */
	uint64_t serve;		    /* a deque is looked at by one thief at a time, for so long */
	uint64_t queue;		    /* the central queue serves one taker at a time, for so long */
	uint64_t wake;		    /* from the call until the sleeper searches */
	uint64_t park;		    /* on who falls asleep, before it can be woken */
	uint64_t message;	    /* added to the latency of each message */
};

/* These workers stand still from begin on, for `length`, and again each `period` (0: once). */
struct sim_stall {
	uint32_t first, count; /* workers */
	uint64_t begin, length, period;
};

enum sim_step_kind {
	SIM_STEP_BEGIN, /* worker begins a task */
	SIM_STEP_END,	/* and ends it; count: tasks that are ready by that */
	SIM_STEP_TRY,	/* worker looks at other */
	SIM_STEP_FAIL,	/* and got nothing */
	SIM_STEP_STEAL, /* and got count tasks */
	SIM_STEP_SEND,	/* worker sends count tasks to other, who did not ask: sharing, lifelines */
	SIM_STEP_PARK,	/* worker sleeps */
	SIM_STEP_WAKE,	/* worker is woken by other */
	SIM_STEP_BLOCK, /* worker waits: for a join, or the central queue */
	SIM_STEP_QUIESCE, /* worker has asked all its lifelines, and waits */
	SIM_STEP_PUSH,	  /* worker puts count tasks into a queue: other's; SIM_NONE: one for all */
	SIM_STEP_ARRIVE,  /* count tasks come into worker's queue from other; SIM_NONE: at start */
	SIM_STEP_TAKE,	  /* count tasks leave other's queue, on their way to the thief */
	SIM_STEP_COUNT
};

/* One line of the log; in the order of time. */
struct sim_step {
	uint64_t time;
	enum sim_step_kind kind;
	uint32_t worker, other; /* other: SIM_NONE where there is none */
	uint32_t task;		/* while it lives, then used again; of a dag: the node */
	uint32_t queue;		/* tasks in worker's own queue now, or in the central one */
	uint64_t count;
	enum sim_priority priority; /* of the task, if there is one */
};

/* The caller's.  get: NULL when there is no more; contents are arbitrary. */
struct sim_memory {
	void *(*get)(void *user, size_t bytes);
	void (*put)(void *user, void *block, size_t bytes);
	void *user;
};

/* Zero means: the default of sim_defaults(), unless another meaning is written here. */
struct sim_config {
	enum sim_model model;
	enum sim_scheduler scheduler;
	uint32_t workers;
	uint64_t seed; /* 0 is a seed like others */

	/* SIM_STEAL */
	enum sim_victim victim;
	enum sim_amount amount;
	uint32_t part;		 /* SIM_AMOUNT_PART, 1 .. 1023 */
	uint32_t remote;	 /* SIM_VICTIM_REMOTE: in millionths */
	bool is_published;	 /* SIM_VICTIM_REMOTE: with the slip of the public simulator */
	bool is_cooperative;	 /* SIM_STEPS: all thieves of a victim share with it */
	bool is_single;		 /* SIM_SHARES: refuses while what it gave before is on its way */
	uint64_t least;		 /* SIM_SHARES: no share is smaller; 0: max(2, latency) */
	uint32_t lifeline_tries; /* w: so many random tries, then the lifelines; 0: no lifelines */
	uint32_t lifelines;	 /* z: so many, 1 .. SIM_LIFELINES; 0: as a hypercube has */
	uint32_t park_rounds;	 /* sleep after so many rounds of all victims in vain; 0: never */
	uint32_t park_tries;	 /* and at the latest after so many tries; 0: no such limit */
	bool is_thorough;	 /* the last searcher goes all the way round before it sleeps, and
				  * when it finds work wakes the next while anybody else runs */

	/* SIM_SHARING */
	enum sim_sharing sharing;
	uint32_t threshold; /* 0: 2 */

	/* SIM_TASKS */
	enum sim_join join;
	bool is_fifo; /* the owner takes its oldest, not its newest; SIM_CENTRAL is always so */
	struct sim_workload workload;
	/*
	 * Priorities are heeded, as sim_priority.c has it; else they are only told apart in the
	 * results.  By SIM_STEAL without lifelines and SIM_CENTRAL; SIM_SKUA always heeds them,
	 * SIM_SHARING and SIM_STATIC never do.
	 */
	bool is_urgent_first;

	/* SIM_STEPS and SIM_SHARES: `work` units with worker 0 */
	uint64_t work;

	/* SIM_OPEN */
	uint32_t load;	  /* of each worker, in millionths of what it can do */
	uint64_t service; /* ticks a task takes on average; 0: 2^24 */
	bool is_constant; /* each takes that, not exponentially distributed */
	uint64_t warm_up; /* so many times the service time is not measured */
	uint64_t length;  /* and so many is */

	struct sim_topology topology; /* levels 0: flat, latency 0 */
	struct sim_costs costs;
	const uint32_t *speeds; /* worker i has speeds[i % speed_count]: 1024 is usual; NULL: all */
	uint32_t speed_count;
	const struct sim_stall *stalls;
	uint32_t stall_count;
	uint64_t quota, quota_period; /* all run the first `quota` ticks of each; 0: always */

	uint64_t event_limit; /* more are an error; 0: none */
	struct sim_memory memory;
	void (*log)(void *user, const struct sim_step *step); /* NULL: no log; SIM_TASKS only */
	void *log_user;
	uint64_t *busy_of; /* if not NULL: each worker's ticks in tasks, `workers` of them */
};

/* Sums of all workers' ticks; all of them together are workers * makespan (SIM_TASKS). */
struct sim_spent {
	uint64_t busy;	    /* in tasks, standstills and slowness included */
	uint64_t overhead;  /* push, pop, join; what a theft costs after the answer; park, wake */
	uint64_t searching; /* looking for work: tries in vain, and the way there */
	uint64_t waiting; /* for the answer to a try that brought work, or for the queue to serve */
	uint64_t parked;  /* asleep, and lifelines out */
	uint64_t blocked; /* nothing to do and no way to look for it: sharing, static, the queue */
};

/* Tasks of one priority: how many ended, the sum of the times at which they did, the last one. */
struct sim_ends {
	uint64_t count, sum, last;
};

struct sim_result {
	uint64_t makespan;
	uint64_t work;	/* T1: ticks of all tasks at usual speed, as executed */
	uint64_t span;	/* Tinf: of the longest path (SIM_STEPS: 1, SIM_SHARES: 1, SIM_OPEN: 0) */
	uint64_t tasks; /* executed; SIM_OPEN: served */
	uint64_t steals, stolen; /* thefts, and tasks (SIM_SHARES: units of work) got by them */
	uint64_t steals_at[SIM_LEVELS];
	uint64_t tries, failed;
	uint64_t spells;	/* of searching: times that somebody began to look for work */
	uint64_t messages;	/* between workers where there is latency; looks count two */
	uint64_t sends;		/* tasks that were sent unasked: sharing, lifelines */
	uint64_t lifeline_asks; /* lifelines that were laid */
	uint64_t parks, wakes;
	uint64_t events;
	uint64_t peak_queue; /* the longest queue there ever was */
	uint64_t peak_live;  /* most tasks that were begun or ready and not ended at one time */
	uint64_t peak_bytes; /* memory of the simulator */
	uint64_t used;	     /* workers that ran at least one task */
	struct sim_spent spent;
	uint32_t efficiency; /* work / (workers * makespan), in millionths, at usual speed */
	uint64_t sojourn;    /* SIM_OPEN: mean time in system, in millionths of the service time */
	uint64_t hash;	     /* of all events: equal only if the runs were */
	struct sim_ends ends[SIM_PRIORITY_COUNT]; /* zeros: the work has no priorities */
};

struct sim_error {
	char text[240]; /* what, on what, why, what to try; no full stop, no newline */
};

void sim_defaults(struct sim_config *config);

/* Scheduling, victims and amount as our pool does; costs stay.  SIM_SKUA alone does the same. */
void sim_as_skua(struct sim_config *config);

/* 0, or -1 and the reason. */
int sim_check_config(const struct sim_config *config, struct sim_error *error);

/* Checks, then runs.  0, or -1 and the reason: bad configuration, a cycle, no memory, too long. */
int sim_run(const struct sim_config *config, struct sim_result *result, struct sim_error *error);

/* Named trees of bench/work/uts.c ("T1", "T3", "bin", ...): false if there is none. */
bool sim_uts_named(const char *name, struct sim_uts *tree);

/* --- exact checks, closed forms --- */

/* Steps of a greedy schedule of a full binary tree: the sum over levels of ceil(2^k / workers). */
uint64_t sim_greedy_steps(uint32_t depth, uint64_t workers);

/* Throw `balls` into `bins`, each into the emptiest of `choices`: the largest load; 0: no room. */
uint64_t sim_largest_load(const struct sim_memory *memory, uint32_t bins, uint64_t balls,
			  uint32_t choices, uint64_t seed);

/* Name of a number of an enum above, for options and reports; NULL if there is none. */
const char *sim_scheduler_name(unsigned scheduler);
const char *sim_victim_name(unsigned victim);
const char *sim_law_name(unsigned law);
const char *sim_step_name(unsigned kind);
const char *sim_priority_name(unsigned priority);

#endif
