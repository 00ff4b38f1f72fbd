/* SPDX-License-Identifier: MIT */
/* sim_tasks.h — discrete tasks: workers, deques, tasks, and what a scheduler and a workload are */
#ifndef SKUA_SIM_TASKS_H
#define SKUA_SIM_TASKS_H

#include "sim/sim_events.h"
#include "sim/sim_models.h"
#include "sim/sim_victim.h"

/*
 * A worker runs a task, or searches, or is out of it.  What it does next is always decided at one
 * place, sim_next(); who finds nothing in its own deque is left to the scheduler.  A task that ends
 * makes others ready, which are linked as `born`; the scheduler places them.
 *
 *	END    the task of a worker has ended, but for what it does after a join
 *	AFTER  that has ended, too
 *	LOOK   a thief's request is with the victim
 *	ANSWER the thief has its answer
 *	SEND   tasks come unasked
 *	ASK    a lifeline is laid
 *	WAKE   a sleeper is up
 *	ASLEEP a worker is asleep
 */
enum sim_event_kind {
	SIM_EVENT_END,
	SIM_EVENT_AFTER,
	SIM_EVENT_LOOK,
	SIM_EVENT_ANSWER,
	SIM_EVENT_SEND,
	SIM_EVENT_ASK,
	SIM_EVENT_WAKE,
	SIM_EVENT_ASLEEP, /* the eighth and last that three bits have room for */
};

enum sim_state {
	SIM_STATE_RUNNING,
	SIM_STATE_SEARCHING,
	SIM_STATE_FALLING, /* asleep */
	SIM_STATE_ASLEEP,
	SIM_STATE_WAKING,
	SIM_STATE_QUIET,   /* its lifelines are out */
	SIM_STATE_BLOCKED, /* until a task comes */
	SIM_STATE_COUNT
};

/* One task, or a range of a bag; 32 bytes. */
struct sim_task {
	uint32_t parent;       /* that waits for it; SIM_NONE: nobody does */
	uint32_t pending;      /* children that it waits for */
	uint32_t older, newer; /* in its deque; of one that waits: its worker, the frame below */
	uint64_t span;	       /* when it would begin, then end, with ever so many workers */
	uint64_t about;	       /* the workload's: a range, a level, a node */
};

/* Tasks on their way; a list as in a deque. */
struct sim_parcel {
	uint32_t oldest, newest; /* free: newest is the next free one */
	uint32_t count;		 /* of tasks */
	uint32_t from;
	uint32_t lifeline; /* the one it comes by; SIM_NONE: none */
};

struct sim;

struct sim_source {
	int (*open)(struct sim *sim, struct sim_error *error);
	void (*close)(struct sim *sim); /* after open, whatever that returned; may be NULL */
	void (*start)(struct sim *sim); /* bear the first tasks */
	uint64_t (*cost)(struct sim *sim, uint32_t task);
	void (*fork)(struct sim *sim, uint32_t task); /* it has ended: bear what is ready by that */
};

struct sim_policy {
	void (*start)(struct sim *sim);		      /* place the first tasks, set off everybody */
	void (*place)(struct sim *sim, uint32_t w);   /* the tasks that were born to w, go on */
	void (*is_idle)(struct sim *sim, uint32_t w); /* it has nothing of its own */
};

struct sim {
	struct sim_config config; /* with all defaults filled in */
	struct sim_heap *heap;
	struct sim_queue queue;
	struct sim_victims victims;
	struct sim_result *result;
	const struct sim_source *source;
	const struct sim_policy *policy;
	bool is_joining; /* parents wait for their children */
	bool is_whole;	 /* ranges are run as they are: nobody can steal of them */
	bool is_stuck;	 /* somebody stands still for ever */
	bool is_spread;	 /* ranges differ in cost, so that each is one of its own */
	bool is_ranked;	 /* tasks have priorities, and they are heeded */

	/* workers; the lists have more: the central queue, then the urgent and the low */
	uint32_t list_count;
	uint64_t *since;   /* in its state; not accounted before */
	uint64_t *free_at; /* when its deque has served who looked; NULL: at once */
	uint32_t *oldest, *newest, *size;
	uint32_t *task;		   /* that it runs */
	uint32_t *frame;	   /* the newest that waits for children, of those it began */
	uint32_t *before, *behind; /* in the list of sleepers, or of those who wait for the queue */
	uint32_t *waiting;	   /* lifelines: bit i: the worker whose i-th leads here waits */
	uint32_t *laid;		   /* and its own that are out */
	uint32_t *looks;	   /* for a next task; NULL: priorities are not heeded */
	uint8_t *state;
	uint8_t *was_used;

	struct sim_task *tasks;
	uint32_t task_limit, task_count, task_free;
	unsigned char *extra; /* of each task, extra_size bytes */
	uint32_t extra_size, extra_limit, home_at;

	struct sim_parcel *parcels;
	uint32_t parcel_limit, parcel_count, parcel_free;

	uint32_t born_oldest, born_newest, born_count;
	uint64_t live;	 /* tasks that are not ended */
	uint64_t queued; /* tasks in deques */
	uint32_t searchers, sleepers;
	uint32_t running;      /* workers that are in a task */
	uint32_t first, last;  /* of the list of sleepers, or of those who wait for the queue */
	uint64_t served_until; /* the central queue is busy */
	uint32_t lifeline_base;

	/* what the next task that is begun costs beforehand */
	uint64_t toll_overhead, toll_waiting;

	/* the workload's */
	uint64_t loop_scale;
	struct sim_dag dag;
	uint32_t *indegree;
	uint64_t *reach;      /* of a dag's node: when all before it could have ended */
	uint32_t *uts_limits; /* rows of 100 */
	uint32_t uts_rows;
};

/* sim_lists.c: tasks and deques */
uint32_t sim_task_new(struct sim *sim, uint32_t parent, uint64_t span, uint64_t about);
void sim_task_free(struct sim *sim, uint32_t task);
void *sim_task_extra(struct sim *sim, uint32_t task);
uint32_t sim_task_count(const struct sim *sim, uint32_t task);
void sim_bear(struct sim *sim, uint32_t task);
uint32_t sim_born_next(struct sim *sim); /* the oldest of the born; SIM_NONE */
void sim_push(struct sim *sim, uint32_t w, uint32_t task);
uint32_t sim_pop(struct sim *sim, uint32_t w);
uint32_t sim_pop_oldest(struct sim *sim, uint32_t w);
uint32_t sim_detach(struct sim *sim, uint32_t victim, uint64_t want); /* a parcel, or none */
void sim_unpack(struct sim *sim, uint32_t w, uint32_t parcel);
struct sim_parcel *sim_parcel_of(struct sim *sim, uint32_t parcel);
uint32_t sim_wanted(const struct sim *sim, uint32_t victim);

/* sim_worker.c: what a worker does */
void sim_enter(struct sim *sim, uint32_t w, enum sim_state state);
void sim_begin(struct sim *sim, uint32_t w, uint32_t task);
void sim_next(struct sim *sim, uint32_t w);
void sim_end(struct sim *sim, uint32_t w);
void sim_after(struct sim *sim, uint32_t w);
bool sim_is_joined(const struct sim *sim, uint32_t w); /* its newest frame can go on */

/* sim_priority.c: urgent, normal and low */
enum sim_priority sim_priority_of(const struct sim *sim, uint32_t task);
uint32_t sim_priority_queue(const struct sim *sim, uint32_t task, uint32_t usual);
uint32_t sim_priority_choose(struct sim *sim, uint32_t w, uint32_t own);
bool sim_priority_next(struct sim *sim, uint32_t w);
bool sim_priority_search(struct sim *sim, uint32_t w);
void sim_priority_count(struct sim *sim, uint32_t task);

/* sim_time.c: speeds, standstills, quota */
uint64_t sim_finish(struct sim *sim, uint32_t w, uint64_t start, uint64_t work);

/* sim_steal.c, sim_rest.c, sim_lifeline.c: thieves and sleepers */
extern const struct sim_policy sim_policy_steal;
uint64_t sim_way(const struct sim *sim, uint32_t a, uint32_t b);
void sim_search(struct sim *sim, uint32_t w);
void sim_try(struct sim *sim, uint32_t w);
void sim_look(struct sim *sim, uint32_t victim, uint32_t thief);
void sim_answer(struct sim *sim, uint32_t w, uint32_t parcel);
void sim_go_round(struct sim *sim, uint32_t w);
void sim_fall_asleep(struct sim *sim, uint32_t w);
void sim_asleep(struct sim *sim, uint32_t w);
void sim_rouse(struct sim *sim, uint32_t w, uint32_t by);
void sim_wake_one(struct sim *sim, uint32_t by);
void sim_wake_next(struct sim *sim, uint32_t w);
void sim_wake(struct sim *sim, uint32_t w);
void sim_quiesce(struct sim *sim, uint32_t w);
void sim_ask(struct sim *sim, uint32_t w, uint32_t argument);
void sim_give(struct sim *sim, uint32_t w);

/* sim_central.c, sim_sharing.c */
extern const struct sim_policy sim_policy_central, sim_policy_sharing, sim_policy_static;
void sim_serve(struct sim *sim, uint32_t w, uint32_t queue);
void sim_send(struct sim *sim, uint32_t from, uint32_t to, uint32_t task, uint64_t delay);
void sim_arrive(struct sim *sim, uint32_t w, uint32_t parcel);

/* sim_bag.c, sim_tree.c, sim_uts.c, sim_dag.c */
extern const struct sim_source sim_source_bag, sim_source_tree, sim_source_uts, sim_source_dag,
	sim_source_layers;
/* Where a task is at home, of a static split. */
void sim_home_root(struct sim *sim, uint32_t task);
void sim_home_child(struct sim *sim, uint32_t parent, uint32_t child, uint32_t i, uint32_t of);
uint32_t sim_home(struct sim *sim, uint32_t task);
uint32_t sim_law_weight(enum sim_law law, uint64_t i, uint64_t n);
uint64_t sim_jitter(const struct sim_config *config, uint64_t ticks, uint64_t about);

static inline uint32_t sim_range_first(uint64_t about)
{
	return (uint32_t)about;
}

static inline uint32_t sim_range_count(uint64_t about)
{
	return (uint32_t)(about >> 32);
}

static inline uint64_t sim_range(uint32_t first, uint32_t count)
{
	return (uint64_t)count << 32 | first;
}

static inline bool sim_is_range(const struct sim *sim)
{
	return sim->source == &sim_source_bag;
}

/* Where a task that is there from the start is then. */
static inline uint32_t sim_start_home(const struct sim *sim, uint32_t task)
{
	const uint32_t *home = sim->config.workload.home;
	uint32_t w = home ? home[sim->tasks[task].about] : 0;

	return w == SIM_NONE ? 0 : w;
}

/* One line of the log. */
struct sim_remark {
	enum sim_step_kind kind;
	uint32_t worker, other, task;
	uint64_t count;
};
void sim_remark(struct sim *sim, struct sim_remark remark);
void sim_remark_start(struct sim *sim); /* what is in all queues before anybody begins */

#define SIM_REMARK(sim, ...)                                                   \
	do {                                                                   \
		if ((sim)->config.log)                                         \
			sim_remark((sim), (struct sim_remark){ __VA_ARGS__ }); \
	} while (0)

#endif
