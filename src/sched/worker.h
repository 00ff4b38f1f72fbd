/* SPDX-License-Identifier: MIT */
/* worker.h — a worker and its pool: the structs that the scheduler's files share */
#ifndef SKUAI_SCHED_WORKER_H
#define SKUAI_SCHED_WORKER_H

#include "base/atomic.h"
#include "base/rng.h"
#include "os/stackmem.h"
#include "os/thread.h"
#include "sched/cells.h"
#include "sched/chosen.h"
#include "sched/counters.h"
#include "sched/forks.h"
#include "sched/idle.h"
#include "sched/inject.h"
#include "sched/park.h"
#include "sched/victims.h"
#include "sched/width.h"

#include <skua/deque.h>
#include <skua/machine.h>
#include <skua/pool.h>

struct skua_group;
struct skua_pool;
struct skuai_profiler;
struct skuai_profiles;
struct skuai_tracer;
struct skuai_traces;
struct skuai_monitor;

/*
 * A worker is a place to work at: a stack of forks, a deque of jobs, a spot to sleep.  Its own
 * thread works there; while that one sleeps with nothing begun, a guest may (visit.c).  So "the
 * worker" below is whoever of the two is up, and there is never more than one.
 */
struct skuai_worker {
	struct skuai_forks forks; /* lines of its own, see there; first: slots point into it */
	struct skua_deque deque;  /* likewise */
	/* line: others look here for somebody to rob */
	_Alignas(SKUAI_LINE) _Atomic bool is_busy; /* runs tasks, may have forks */
	_Atomic bool is_at_top;			   /* its thread sleeps with nothing begun */
	_Atomic bool is_isolated;		   /* what it waits for is all it may take */
	_Atomic int64_t woken_ns;		   /* the waker writes: when it called */
	/* line: its thieves write what robbing it was worth, so that all of them know (search.c) */
	_Alignas(SKUAI_LINE) _Atomic int64_t worth_ns; /* mean time that a task from here ran */
	_Atomic int64_t ask_gap_ns;		       /* grows while thefts are not worth it */
	_Atomic int64_t ask_ns;			       /* not to be asked before this */
	/* lines: whoever wakes writes; one spot for its thread, one for a guest */
	_Alignas(SKUAI_LINE) struct skuai_park park;
	_Alignas(SKUAI_LINE) struct skuai_park guest_park;
	/* from here on the worker's alone, counters aside */
	_Alignas(SKUAI_LINE) struct skua_pool *pool;
	_Atomic uint32_t eyes; /* enum skuai_eye: who looks at what it does; 0: nobody */
	_Atomic(struct skuai_tracer *) tracer; /* who begins and ends a trace writes; NULL: none */
	struct skuai_profiler *profiler;       /* NULL: it is not profiled; thieves read it too */
	unsigned number;
	unsigned sleeper;  /* in pool->idle: number, or for a guest count + number */
	unsigned tick;	   /* jobs begun; every so often another queue comes first */
	unsigned depth;	   /* tasks begun one inside the other while waiting */
	unsigned blocked;  /* skua_blocking_begin without its end */
	bool is_searching; /* counted as such in pool->idle */
	bool has_thread;   /* in this process */
	struct skuai_rng rng;
	unsigned next_victim;	      /* whom it robbed last; SKUA_VICTIM_ROUND_ROBIN */
	struct skuai_victims victims; /* SKUA_VICTIM_NEAREST */
	struct skua_group *group;     /* whose task it runs; NULL: none's */
	/* search.c: manners of a thief */
	struct skuai_worker *asked;   /* whom it asked last */
	bool is_asking;		      /* and that one had not answered when it last looked */
	int64_t asked_ns;	      /* when */
	uint32_t asked_answers;	      /* what it had answered by then */
	unsigned ask_for;	      /* so many tasks at a time: more when they are small */
	int64_t haul_ns;	      /* when it last stole jobs; 0: judged already */
	unsigned dull_hauls;	      /* in a row that were not worth it */
	bool was_useful;	      /* it did something worth the search since it last slept */
	bool was_loop;		      /* what it stole last was to help with a loop, and is done */
	const void *loop, *loop_home; /* what it read and wrote there: the next needs the same */
	int64_t moved_ns;	      /* when it last left its CPU to another; apart.c */
	int64_t waited_ns;	      /* in joins of stolen tasks, all its life */
	int64_t idle_since_ns;	      /* 0: not idle */
	struct skuai_cells cells[SKUAI_CELL_SIZES];
	struct skuai_counters counters;
	/* watch.h: what the monitor wants to know besides; it reads them whenever */
	_Atomic uintptr_t task;		 /* function of the task it is in; 0: none, a root */
	_Atomic uint32_t tid, guest_tid; /* the kernel's number of its thread; of a guest, or 0 */
	_Atomic bool is_blocking;	 /* between skua_blocking_begin and end */
	/* apart.c: where its thread lay down, which writes it; and where it must not get up,
	 * written by whoever calls it, and by itself when it is up */
	_Atomic int32_t bed_cpu, forbidden_cpu;
	struct skuai_thread thread;
	struct skuai_stackmem slots;
};

/* The classes of jobs, the most urgent first. */
enum skuai_class {
	SKUAI_URGENT,
	SKUAI_NORMAL,
	SKUAI_LOW,
	SKUAI_CLASSES,
};

struct skua_pool {
	/* set at open, then only read */
	unsigned count;	  /* places, with a thread each */
	unsigned regular; /* of those, active at first: all but the spares */
	struct skua_pool_options options;
	char name[11];
	struct skuai_worker *workers;
	size_t bytes;	     /* of this struct and the workers */
	bool has_membarrier; /* forced steals are possible */
	struct skuai_near_table near;
	bool is_following; /* what the machine allows decides how many should be up */
	/* shared */
	_Atomic unsigned cpus;	   /* that its threads may use */
	_Atomic unsigned followed; /* workers that the machine was good for lately */
	_Atomic int64_t follow_ns; /* when to look at the machine again */
	_Atomic bool is_throttled; /* its quota was used up lately: who spins spends it */
	_Atomic uint64_t stops;	   /* of the quota at the last look, and 1; 0: not known */
	_Atomic int64_t linger_ns; /* until then a spare worker stays up: tasks blocked lately */
	struct skuai_width width;
	struct skuai_idle idle;
	struct skuai_inject inject[SKUAI_CLASSES]; /* the most urgent first */
	/* hints: jobs that wait in the first and the last of those */
	_Alignas(SKUAI_LINE) _Atomic int32_t urgent;
	_Atomic int32_t low;
	struct skuai_chosen chosen; /* jobs that only some workers may run */
	_Atomic uint32_t dirty;	    /* groups that have tasks and were not waited for */
	_Atomic uint32_t following; /* tasks that wait for a future */
	/* threads in the middle of a call, and the bit that lets no more of them in */
	_Alignas(SKUAI_LINE) _Atomic uint32_t visitors;
	_Atomic bool is_cancelling;   /* jobs that have not started do not */
	_Atomic bool is_stopping;     /* threads end */
	_Atomic uint32_t quiet;	      /* counts up when everybody is asleep */
	_Atomic uint32_t started;     /* era in which its threads were started */
	_Atomic int64_t wake_cost_ns; /* learned: from call to being up */
	_Atomic int64_t forced_ns;    /* last forced steal; spaces them out */
	_Atomic int64_t nap_ns;	      /* the sentinel's next nap */
	struct skuai_lock start_lock;
	struct skuai_cell_store cells;
	struct skuai_traces *traces;	 /* under the lock of traces.c; NULL: never traced */
	struct skuai_profiles *profiles; /* likewise; NULL: never profiled */
	_Atomic(struct skuai_profiles *) profiling; /* the same while it is; workers read */
	struct skuai_monitor
		*monitor;	/* who looks at it, or NULL; under the lock of monitor_thread.c */
	struct skua_pool *next; /* of all pools, forked.c */
};

/* The worker that the calling thread is, or NULL; it is never two. */
extern _Thread_local struct skuai_worker *skuai_self __attribute__((tls_model("initial-exec")));

/* What a worker does other work for, until it comes. */
struct skuai_until {
	struct skua_slot *child; /* this stolen task is done; */
	int64_t jobs_ns;	 /* from then on jobs may be run meanwhile too */
	struct skua_job *job;	 /* or this job is over; */
	int64_t deadline;	 /* or it is that late.  All empty: the pool stops */
	bool is_isolated;	 /* nothing may be begun meanwhile */
	uint8_t reason;		 /* for a trace: enum skuai_trace_reason */
};

/* Run whatever there is to run, at `here` on its stack; sleep when there is nothing. */
void skuai_work_until(struct skuai_worker *self, struct skua_slot *here,
		      const struct skuai_until *until);

/* The body of a worker's thread. */
void skuai_worker_main(void *worker);

/* Something to run. */
struct skuai_find {
	struct skua_job *job;	     /* this; or */
	struct skuai_theft theft;    /* this, */
	struct skuai_worker *victim; /* of that worker */
	uint8_t origin;		     /* for a trace: enum skuai_trace_origin of the job */
};

/* --- choose.c --- */

/* A deque's element is the job's address. */
static inline struct skua_job *skuai_job_of(uint64_t element)
{
	return (struct skua_job *)(uintptr_t)element; /* NOLINT(performance-no-int-to-ptr) */
}

enum skuai_class skuai_class_of(const struct skua_job *job);

/* Queue a job where every worker finds it, by its class. */
bool skuai_inject(struct skua_pool *pool, unsigned shard, struct skua_job *job);

/* Queue jobs that were taken in one go; the first is for us.  They run in the order given. */
void skuai_keep_jobs(struct skuai_worker *self, struct skua_job **jobs, unsigned count);

/* The job to run next of the urgent, its own and the injected ones.  False: none. */
bool skuai_find_job(struct skuai_worker *self, struct skuai_find *find);

/* Of those that go before its own, urgent or for chosen workers; injected ones; low ones. */
bool skuai_find_ahead(struct skuai_worker *self, struct skuai_find *find);
bool skuai_find_injected(struct skuai_worker *self, struct skuai_find *find);
bool skuai_find_low(struct skuai_worker *self, struct skuai_find *find);

/* --- search.c --- */

/* What may be taken. */
enum skuai_allowed {
	SKUAI_ALLOW_CHILD = 1, /* tasks of whoever has our child */
	SKUAI_ALLOW_FORKS = 2, /* anybody's forked tasks */
	SKUAI_ALLOW_JOBS = 4,
};

/* One look at everybody. */
bool skuai_find_any(struct skuai_worker *self, unsigned allowed, struct skua_slot *child,
		    struct skuai_find *find);

/* Is there work anywhere that `allowed` covers?  No obligation. */
bool skuai_is_there_work(struct skuai_worker *self, unsigned allowed);

/* What to think of a theft from `victim` that ran so long, waits aside, until now. */
void skuai_judge_theft(struct skuai_worker *self, struct skuai_worker *victim, int64_t ran_ns,
		       int64_t now);

/* Time for work, not for other threads: with more of us than CPUs they run in between. */
int64_t skuai_work_clock(struct skua_pool *pool);

/* --- patience.c --- */

/* How long to search before sleeping; and is it time to go on, having done so for so long? */
int64_t skuai_patience_ns(struct skuai_worker *self, const struct skuai_until *until);
bool skuai_is_patient(struct skuai_worker *self, int64_t budget, int64_t searched);

/* Up again: how long that took, if somebody called. */
void skuai_learn_wake(struct skuai_worker *self);

/* --- slowpath.c --- */

/* Fork, and share the oldest task that waits, though nobody asks for it. */
void skuai_fork_given(struct skua_slot **here, skua_slot_task *task);

/* The worker at `here` forks nothing just now, but looks whether somebody wants what waits. */
void skuai_offer(struct skua_slot *here);

/* Is anybody busy?  A moment ago. */
bool skuai_is_anybody_busy(struct skua_pool *pool);

/*
 * Were the jobs that it stole lately over at once?  Each look takes lines away from an owner who
 * may be making jobs and running them itself the next moment: then not to look all the time.
 */
bool skuai_is_bored(struct skuai_worker *self, int64_t now);

/* Is it worth staying up because there may be more of what was found lately? */
bool skuai_is_promising(struct skuai_worker *self, int64_t now);

/* Is it worth staying up to rob somebody who does not answer? */
bool skuai_should_force(struct skuai_worker *self, int64_t now);

/* --- wakes --- */

/* Work was made visible: wake somebody if need be. */
void skuai_notify(struct skua_pool *pool, struct skuai_worker *self, bool is_urgent);

/* The same for a job injected by a thread that is no worker; is_behind: there were others. */
void skuai_notify_injected(struct skua_pool *pool, bool is_behind);

/* Where the worker sleeps, or its guest while there is one. */
struct skuai_park *skuai_spot(struct skuai_worker *worker);

/* Wake one that sleeps with nothing begun. */
void skuai_wake_free_one(struct skua_pool *pool);

/* Wake one sleeper, if there is one. */
bool skuai_wake_one(struct skua_pool *pool, struct skuai_worker *self);

/* Wake one of these workers, if one of them sleeps. */
void skuai_wake_chosen(struct skua_pool *pool, uint64_t workers);

/* Everybody sleeps: whoever closes the pool waits for that. */
void skuai_tell_closer(struct skua_pool *pool);

/* As if its thread had gone to sleep just now. */
void skuai_list_asleep(struct skua_pool *pool, unsigned number);

/* Bring dormant workers back while too few are up. */
void skuai_activate(struct skua_pool *pool, struct skuai_worker *self);

/* A task of `self` is over: sections that it left open are, too, down to so many. */
void skuai_blocking_restore(struct skuai_worker *self, unsigned before);

/* More workers are up than should be, and have been for a while. */
bool skuai_is_surplus(struct skua_pool *pool);

/* Look whether the machine allows more or fewer workers than it did, every two seconds. */
void skuai_follow(struct skuai_worker *self, int64_t now);

/* Are more awake than there are CPUs?  Then who spins is in the way of who works. */
bool skuai_is_crowded(struct skua_pool *pool);

/* Are there more workers than CPUs?  Then each may be in another's way. */
bool skuai_is_oversubscribed(struct skua_pool *pool);

/* `self` has begun to run: others may want to hear of its forks. */
void skuai_worker_begin(struct skuai_worker *self);

/* --- apart.c --- */

/* `self` is about to share: tell thieves on which CPU. */
void skuai_say_where(struct skuai_worker *self);

/* Before `self` works for `victim`, or waits for it: not on the same CPU. */
void skuai_keep_apart(struct skuai_worker *self, struct skuai_worker *victim, int64_t now);

/* The pool's own thread is about to sleep; then, to be called by one who works on; then, up. */
void skuai_say_bed(struct skuai_worker *self);
void skuai_call_apart(struct skuai_worker *sleeper);
void skuai_leave_bed(struct skuai_worker *self);

/* --- pool.c, forked.c --- */

/* The pool, or the default pool; its threads run.  NULL: it cannot be had, *error says why. */
struct skua_pool *skuai_pool_of(struct skua_pool *pool, int *error);

/*
 * A thread that is no worker uses the pool between these two, so that close does not pull it away
 * under it.  False: it is closing.  leave may be the last anybody sees of the pool.
 */
#define SKUAI_POOL_CLOSING ((uint32_t)1 << 31)
bool skuai_pool_enter(struct skua_pool *pool);
void skuai_pool_leave(struct skua_pool *pool);

/* Start the threads, after open or after a fork. */
int skuai_pool_start(struct skua_pool *pool);

/* How often this process's line has forked since the program began. */
extern _Atomic uint32_t skuai_era_now;
static inline uint32_t skuai_era(void)
{
	/* order worker.era.1: relaxed, changes only while alone */
	return skua_load(&skuai_era_now, relaxed);
}

/* Held while the default pool is opened or let go, and across a fork. */
extern struct skuai_lock skuai_default_lock;

void skuai_pools_add(struct skua_pool *pool);
void skuai_pools_remove(struct skua_pool *pool);

/* In the child of a fork: this pool has no threads any more. */
void skuai_pool_orphan(struct skua_pool *pool);

/* --- submit.c --- */

/* skua_submit for who is a worker or has entered. */
int skuai_submit(struct skua_pool *pool, struct skuai_worker *self, struct skua_job *job);

/* Run or drop a job that was found. */
void skuai_job_begin(struct skuai_worker *self, struct skua_slot *here,
		     const struct skuai_find *find);

/* skua_job_wait for a reason: enum skuai_trace_reason. */
int skuai_job_wait_for(struct skua_job *job, int64_t deadline, uint8_t reason);

#endif
