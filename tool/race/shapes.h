/* SPDX-License-Identifier: MIT */
/* shapes.h — the shapes of work that pools are raced with: jobs that can be judged afterwards */
#ifndef SKUAT_SHAPES_H
#define SKUAT_SHAPES_H

#include "../../bench/rivals/rival.h"

#include <stdbool.h>
#include <stdint.h>

struct field;

/* A line of the cache for each: neighbours run on different workers. */
struct shape_job {
	_Alignas(64) struct field *field;
	uint64_t seed;	/* what it computes with, units times */
	uint64_t value; /* what came of it; written by the job, as the next three */
	uint32_t runs;	/* must be 1 */
	int32_t worker; /* who ran it; RIVAL_OUTSIDE: none of the pool's */
	uint32_t units; /* of computing, see shape_compute */
	uint32_t size;	/* of its branch of the tree, itself included; by whoever submits it */
};

struct shape {
	const char *name;
	const char *role;
	uint32_t jobs;	    /* how many, unless told */
	bool is_clocked;    /* a job is long enough for two looks at the clock */
	uint32_t burst;	    /* so many at a time, and rest; 0: all at once */
	int64_t pause_ns;   /* a job sleeps in its middle; 0: it does not */
	bool is_from_first; /* the first job is submitted, the others are by jobs */
	void (*run)(struct rival_worker *here, void *job);
	uint32_t units;					     /* of each job */
	void (*deal)(struct field *field, uint64_t *random); /* other units; NULL: none */
};

/* All, ended by NULL; and the one with a name, or NULL. */
extern const struct shape *const shapes[];
const struct shape *shape_find(const char *name);

/* The jobs of one shape. */
struct field {
	const struct shape *shape;
	uint32_t count;
	struct shape_job *jobs;
};

/* False: not enough memory. */
bool field_make(struct field *field, const struct shape *shape, uint32_t count);
void field_free(struct field *field);

/* Choose sizes and values anew, the same for the same seed; the whole work is always the same. */
void field_deal(struct field *field, uint64_t seed);

/* Run all jobs in a plain loop, or on a pool; the nanoseconds it took, rests left out. */
int64_t field_run_serial(struct field *field);
int64_t field_run(struct field *field, const struct rival *rival, struct rival_pool *pool);

/* What came of the last run. */
struct verdict {
	uint32_t lost, twice, wrong; /* jobs that never ran, ran again, gave a wrong value */
	double imbalance;	     /* the busiest worker's units over the mean */
};

/* `workers` is the pool's number, or 1 after a serial run. */
struct verdict field_judge(const struct field *field, unsigned workers);
static inline bool verdict_is_right(const struct verdict *verdict)
{
	return !verdict->lost && !verdict->twice && !verdict->wrong;
}

/* A linear congruence, `units` steps from a seed; about 1.3 ns a step at 3 GHz. */
uint64_t shape_compute(uint64_t seed, uint32_t units);
/* The same in a few dozen steps, however many units. */
uint64_t shape_foretell(uint64_t seed, uint32_t units);

/* Do a job's own part, and sign it. */
void shape_perform(struct shape_job *job, int worker);

/* The next of a row of random numbers. */
uint64_t race_random(uint64_t *state);

#endif
