/* SPDX-License-Identifier: MIT */
/* rival.h — what a rival is: a pool of another design, for the same jobs, raced against skua */
#ifndef SKUA_RIVAL_H
#define SKUA_RIVAL_H

#include <stdbool.h>
#include <stdint.h>

struct rival;
struct rival_pool; /* each rival's own */
struct skua_pool_options;

/*
 *	struct rival_pool *pool = rival->open(rival, &(struct rival_options){ .workers = 2 });
 *
 *	rival->submit(pool, RIVAL_OUTSIDE, (struct rival_job){ visit, root });
 *	rival->wait(pool);
 *	rival->close(pool);
 *
 * and in the job itself, to submit more:
 *
 *	rival_submit(here, (struct rival_job){ visit, root->left });
 *
 * Submitting cannot fail: where a rival has no room left, the job runs in place, inside the call.
 */

/* Where a job runs.  The rival's; good while the pool is open. */
struct rival_worker {
	const struct rival *rival;
	struct rival_pool *pool;
	int index; /* of the worker; RIVAL_OUTSIDE: in place, by a thread that is none */
};

#define RIVAL_OUTSIDE	  (-1)
#define RIVAL_WORKERS_MAX 1024

/* Given and kept by value. */
struct rival_job {
	void (*run)(struct rival_worker *here, void *arg);
	void *arg;
};

struct rival_options {
	unsigned workers; /* 1 to RIVAL_WORKERS_MAX */
	bool is_timed;	  /* count busy_ns: two looks at the clock a job, some 50 ns */
};

/* X(NAME, field, what it counts): the one list of counters. */
#define RIVAL_COUNTERS(X)                                                            \
	X(JOBS, jobs, "jobs run")                                                    \
	X(BUSY_NS, busy_ns, "time in jobs; only of workers, and with is_timed")      \
	X(LOCK_WAITS, lock_waits, "locks that somebody held when they were wanted")  \
	X(CAS_FAILURES, cas_failures, "compare-and-swaps that another thread won")   \
	X(STEALS, steals, "jobs taken from another worker's queue")                  \
	X(FAILED_STEALS, failed_steals, "looks at another's queue that got nothing") \
	X(PARKS, parks, "times it went to sleep")

enum rival_counter {
#define RIVAL_COUNTER_NUMBER(NAME, field, what) RIVAL_##NAME,
	RIVAL_COUNTERS(RIVAL_COUNTER_NUMBER)
#undef RIVAL_COUNTER_NUMBER
	RIVAL_COUNTERS_COUNT
};

struct rival_stats {
#define RIVAL_COUNTER_FIELD(NAME, field, what) uint64_t field;
	RIVAL_COUNTERS(RIVAL_COUNTER_FIELD)
#undef RIVAL_COUNTER_FIELD
};

/* A bit of struct rival's `counted`. */
#define RIVAL_COUNTED(NAME)  (1u << RIVAL_##NAME)
#define RIVAL_COUNTED_BY_ALL (RIVAL_COUNTED(JOBS) | RIVAL_COUNTED(BUSY_NS) | RIVAL_COUNTED(PARKS))

struct rival {
	const char *name;
	const char *role;		       /* one line, for people */
	uint32_t counted;		       /* the counters that mean something; others stay 0 */
	const struct skua_pool_options *knobs; /* of skua's own pool; NULL: all as usual */

	/* NULL: no memory, no more threads, a number out of range; then nothing is left behind. */
	struct rival_pool *(*open)(const struct rival *rival, const struct rival_options *options);

	/*
	 * Hand over a job.  `from` is the index of the worker that the calling thread is, in a job,
	 * else RIVAL_OUTSIDE; any number of threads may be that.  What the caller did before is
	 * visible to the job.  While somebody waits, only jobs submit.
	 */
	void (*submit)(struct rival_pool *pool, int from, struct rival_job job);

	/*
	 * Until every job has run, and every one that those submitted.  What they did is visible
	 * after it.  From outside, one thread at a time.
	 */
	void (*wait)(struct rival_pool *pool);

	/* Of one worker, or of RIVAL_OUTSIDE; jobs and busy_ns are exact after a wait. */
	void (*stats)(struct rival_pool *pool, int worker, struct rival_stats *stats);

	/* Wait, end the threads, free all. */
	void (*close)(struct rival_pool *pool);
};

/* From inside a job. */
static inline void rival_submit(struct rival_worker *here, struct rival_job job)
{
	here->rival->submit(here->pool, here->index, job);
}

/* The one list, in the order of the table.  To add a rival, add its name and define rival_NAME. */
#define RIVALS(X)           \
	X(shared_queue)     \
	X(static_split)     \
	X(work_sharing)     \
	X(mutex_deques)     \
	X(mpmc_queue)       \
	X(skua)             \
	X(skua_one)         \
	X(skua_round_robin) \
	X(skua_nearest)     \
	X(skua_no_spin)

#define RIVAL_DECLARE(name) extern const struct rival rival_##name;
RIVALS(RIVAL_DECLARE)
#undef RIVAL_DECLARE

#endif
