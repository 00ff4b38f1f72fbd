/* SPDX-License-Identifier: MIT */
/* pool.h — a pool of workers: open, close, count */
#ifndef SKUA_POOL_H
#define SKUA_POOL_H

#include <skua/detail/export.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

SKUA_BEGIN_C

/*
 * A pool has N workers.  Each runs forked tasks (fork.h) and jobs (job.h) of its own, and steals
 * from the others when it has none.  With nothing to do at all its threads sleep and cost nothing.
 *
 * Wherever a pool is asked for, NULL is the default pool: opened on first use with the defaults
 * below; its threads end with the program.
 */
struct skua_pool;

/** Whom an idle worker tries to rob first. */
enum skua_victim {
	SKUA_VICTIM_RANDOM = 0,	     /* start anywhere, then the next ones */
	SKUA_VICTIM_ROUND_ROBIN = 1, /* go on where the last search ended */
	SKUA_VICTIM_NEAREST = 2,     /* same core, cache, node first; with is_pinned, else random */
};

/**
 * How many jobs a thief takes from a deque.  Of forks it takes the oldest one; with HALF it has a
 * few more laid ready while they turn out small.
 */
enum skua_amount {
	SKUA_AMOUNT_HALF = 0,
	SKUA_AMOUNT_ONE = 1,
};

/** How a pool ends. */
enum skua_close {
	SKUA_CLOSE_DRAIN = 0,  /* run what was submitted, and what that submits */
	SKUA_CLOSE_CANCEL = 1, /* what has not started does not start: skua_job_wait tells */
};

/** Memory for the pool itself: both or neither.  Called by open and close only. */
struct skua_allocator {
	void *(*get)(void *context, size_t bytes, size_t align); /* NULL: no room */
	void (*put)(void *context, void *memory, size_t bytes);
	void *context;
};

/** Called on the worker's own thread. */
struct skua_hooks {
	void (*start)(void *context, unsigned worker); /* before its first task */
	void (*stop)(void *context, unsigned worker);  /* after its last */
	void *context;
};

struct skua_pool_options {
	size_t size;	  /* sizeof(struct skua_pool_options) */
	int workers;	  /* 1 to 1024; 0: as many as this machine, affinity and quota are good for,
			also when those change while it runs */
	int spares;	  /* threads besides, for while tasks block or it is resized; 0: none */
	const char *name; /* of the threads, cut to 10 bytes; NULL: "skua" */
	bool is_pinned;	  /* a wish: worker i runs on the i-th allowed CPU only, round and round */
	enum skua_victim victim;
	enum skua_amount amount;
	int64_t spin_ns;    /* search this long before sleeping; 0: learned, -1: do not spin */
	size_t stack_bytes; /* of each thread; 0: 64 MiB, of which only what is used counts */
	size_t fork_slots;  /* forks that may wait on a worker, 64 bytes each, likewise; 0: 16 Mi */
	uint64_t seed;	    /* of the victims' order; 0: SKUA_SEED, else arbitrary */
	bool is_counting;   /* count forks too: each goes the slow way then, some 20 ns */
	struct skua_allocator allocator;
	struct skua_hooks hooks;
	const char
		*machine_root; /* where /proc and /sys are, as in machine.h; NULL: the real ones */
};

/**
 * Open a pool.  Its threads are started, and asleep.
 *
 * Thread    any; also in a child of fork()
 * Memory    about 10 KiB a worker, and address space for stacks that fills as it is used
 * Ordering  hand the pool to other threads as you would any memory
 * Fails     SKUA_EINVAL: NULL, wrong size, a number out of its range, half an allocator;
 *           SKUA_ENOMEM; SKUA_EAGAIN: the system has no more threads.  *pool is then untouched and
 *           every thread that was started is gone.
 * Cost      some 20 us a worker
 * See       examples/02_fork_join.c, man skua_pool
 */
SKUA_API int skua_pool_open(struct skua_pool **pool, const struct skua_pool_options *options);

/**
 * Close a pool: drain or cancel, then end and join its threads.  The pool is gone.
 *
 * Nobody may use the pool any more, but for its own running tasks; jobs submitted from outside
 * meanwhile are SKUA_ECLOSED.  NULL closes the default pool, if it is open; the next use opens it
 * again.
 *
 * Thread    any but a worker of this pool
 * Memory    all freed
 * Ordering  everything its tasks did is visible after it
 * Fails     SKUA_EBUSY: called by one of its own tasks; the pool goes on
 * Cost      as long as what it drains
 * See       man skua_pool
 */
SKUA_API int skua_pool_close(struct skua_pool *pool, enum skua_close how);

/**
 * The same, giving up at a deadline (skua_clock_ns time).
 *
 * Thread    any but a worker of this pool
 * Memory    all freed, when done
 * Ordering  as skua_pool_close
 * Fails     SKUA_ETIMEDOUT: tasks still run; the pool takes no new jobs, close it again;
 *           SKUA_EBUSY
 * Cost      at most until the deadline, and then the joining of idle threads
 * See       man skua_pool
 */
SKUA_API int skua_pool_close_until(struct skua_pool *pool, enum skua_close how, int64_t deadline);

/**
 * How many workers should be up: as opened or resized, spares aside.
 *
 * Thread    any
 * Memory    none
 * Ordering  none
 * Fails     never; the default pool that could not be opened has 0
 * Cost      a load
 * See       man skua_pool
 */
SKUA_API unsigned skua_pool_workers(struct skua_pool *pool);

/**
 * So many workers should be up from now on.  Those too many finish what they run, then sleep; what
 * they had queued is taken by others.
 *
 * Thread    any
 * Memory    none
 * Ordering  none
 * Fails     SKUA_EINVAL: less than 1, or more than workers and spares together at open;
 *           SKUA_ECLOSED
 * Cost      a wake for each that is to be up
 * See       examples/19_blocking.c, man skua_pool
 */
SKUA_API int skua_pool_resize(struct skua_pool *pool, int workers);

/**
 * One more than the highest number that skua_pool_self gives: workers and spares.
 *
 * Thread    any
 * Memory    none
 * Ordering  none
 * Fails     never; the default pool that could not be opened has 0
 * Cost      a load
 * See       man skua_pool
 */
SKUA_API unsigned skua_pool_places(struct skua_pool *pool);

/**
 * The calling task will block for a while: in a system call, on a lock.  Until the end a spare
 * worker, if the pool has one left, does what this one does not.  Nothing in a thread that is no
 * worker.  Pairs may be nested.
 *
 * Thread    a worker, in a task; other threads may call it in vain
 * Memory    none
 * Ordering  none
 * Fails     never
 * Cost      some 30 ns, and a wake (some 2 us) of a spare
 * See       examples/19_blocking.c, man skua_pool
 */
SKUA_API void skua_blocking_begin(void);

/**
 * The calling task blocks no more.
 *
 * Thread    the one that began
 * Memory    none
 * Ordering  none
 * Fails     never; one too many is nothing
 * Cost      some 10 ns
 * See       examples/19_blocking.c, man skua_pool
 */
SKUA_API void skua_blocking_end(void);

/**
 * The number of the worker that the calling thread is, 0 and up; -1: none of this pool's.
 *
 * Thread    any
 * Memory    none
 * Ordering  none
 * Fails     never
 * Cost      a few loads
 * See       man skua_pool
 */
SKUA_API int skua_pool_self(struct skua_pool *pool);

/**
 * Nanoseconds of the clock that deadlines are given in; it never goes back.
 *
 * Thread    any
 * Memory    none
 * Ordering  none
 * Fails     never
 * Cost      some 25 ns
 * See       man skua_job
 */
SKUA_API int64_t skua_clock_ns(void);

#define SKUA_FOREVER INT64_MAX /* a deadline that never comes */

/* X(field, what it counts): the one list of counters, for the struct, the table and the docs. */
#define SKUA_COUNTERS(X)                                                         \
	X(tasks, "stolen tasks, jobs and roots run")                             \
	X(forks, "forks; counted only with is_counting")                         \
	X(jobs, "jobs run")                                                      \
	X(injected, "jobs taken from the queue that other threads submit to")    \
	X(steals, "forked tasks stolen from other workers")                      \
	X(steals_forced, "of those, from a worker that did not answer")          \
	X(steals_core, "of all steals, from the same core; SKUA_VICTIM_NEAREST") \
	X(steals_cache, "of all steals, from another core of the same cache")    \
	X(steals_node, "of all steals, from another cache of the same node")     \
	X(steals_far, "of all steals, from another node")                        \
	X(stolen_jobs, "jobs stolen from other workers' deques")                 \
	X(failed, "looks at another worker that found nothing")                  \
	X(asked, "requests made to busy workers")                                \
	X(shared, "forked tasks shared: somebody asked, or a loop began")        \
	X(joins_waited, "joins of a stolen task that had to wait")               \
	X(parks, "times its thread went to sleep")                               \
	X(wakes, "sleepers it woke")                                             \
	X(spills, "jobs for which its deque had no room")                        \
	X(inlined, "tasks of groups and futures run at once by who waits")       \
	X(idle_ns, "time without work, counted when there is some again")        \
	X(moves, "times it left the CPU of a worker it would help for another")

struct skua_stats {
	size_t size; /* sizeof(struct skua_stats), set by the caller */
#define SKUA_COUNTER_FIELD(name, what) uint64_t name;
	SKUA_COUNTERS(SKUA_COUNTER_FIELD)
#undef SKUA_COUNTER_FIELD
};

/**
 * Read the counters of one worker, or of all together with worker -1.
 *
 * Thread    any
 * Memory    none
 * Ordering  none: numbers of a moment ago while the pool is busy
 * Fails     SKUA_EINVAL: NULL, wrong size, no such worker
 * Cost      a few loads for each worker
 * See       examples/06_counters.c, man skua_pool
 */
SKUA_API int skua_pool_stats(struct skua_pool *pool, int worker, struct skua_stats *stats);

SKUA_END_C

#endif
