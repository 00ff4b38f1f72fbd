/* SPDX-License-Identifier: MIT */
/* pipeline.h — pipelines: tokens go through stages, some of them one at a time, some at once */
#ifndef SKUA_PIPELINE_H
#define SKUA_PIPELINE_H

#include <skua/detail/where.h>
#include <skua/group.h>

SKUA_BEGIN_C

/*
 *	const struct skua_stage stages[] = {
 *		{ SKUA_STAGE_IN_ORDER, read_block, &input },
 *		{ SKUA_STAGE_PARALLEL, compress, NULL },
 *		{ SKUA_STAGE_IN_ORDER, write_block, &output },
 *	};
 *	struct skua_pipeline_options options = { .size = sizeof(options),
 *						 .bytes = sizeof(struct block) };
 *	struct skua_pipeline *pipeline;
 *	int error = skua_pipeline_open(&pipeline, stages, 3, &options);
 *	error = skua_pipeline_run(pool, pipeline, NULL);      again and again
 *	skua_pipeline_close(pipeline);
 *
 * The first stage makes tokens, until it says that there are no more; each goes through the stages
 * after it, one after the other.  A token is `bytes` of memory that it takes along; there are only
 * so many of them, so a slow stage holds up the first one, and memory stays bounded.
 *
 * A worker takes a token as far as it can.  Where it finds a stage taken it leaves the token there,
 * and does something else: nobody waits for a stage.  Who leaves a stage takes on what waits there.
 */
struct skua_pipeline;

/** Which tokens may be in a stage at the same time.  The first stage has one at a time. */
enum skua_stage_kind {
	SKUA_STAGE_IN_ORDER = 0, /* one at a time, in the order in which they were made */
	SKUA_STAGE_ONE = 1,	 /* one at a time, as they come */
	SKUA_STAGE_PARALLEL = 2, /* all of them */
};

/** What a stage may return besides 0, go on, and an error: the pipeline stops. */
enum skua_stage_result {
	SKUA_STAGE_END = 0x534501, /* the first: it made no token, nor will it */
	SKUA_STAGE_SKIP =
		0x534502, /* any other: the token goes no further; drop is not called for it */
};

/** What a stage does with a token.  0, one of the above, or an error code. */
typedef int skua_stage_run(struct skua_slot *skua_here, void *token, void *argument);

struct skua_stage {
	enum skua_stage_kind kind;
	skua_stage_run *run;
	void *argument;
};

/* Begin the definition of a stage: SKUA_STAGE(name, token type, token, type, argument) { ... }. */
#define SKUA_STAGE(name, token_type, token, type, argument)                                       \
	static inline int name##_skua_stage(struct skua_slot *skua_here, token_type token,        \
					    type argument);                                       \
	static int name(struct skua_slot *skua_here, void *skua_token, void *skua_argument)       \
	{                                                                                         \
		return name##_skua_stage(skua_here, (token_type)skua_token, (type)skua_argument); \
	}                                                                                         \
	static inline int name##_skua_stage(struct skua_slot *skua_here __attribute__((unused)),  \
					    token_type token __attribute__((unused)),             \
					    type argument __attribute__((unused)))

struct skua_pipeline_options {
	size_t size;	 /* sizeof(struct skua_pipeline_options) */
	size_t bytes;	 /* that a token takes along; what it finds there at first is anything */
	size_t align;	 /* of those, a power of two up to 4096; 0: 16 */
	unsigned tokens; /* under way at the same time, at most; 0: four for each worker */
	/* Called for each token that was made and did not come out, when a run has failed: to free
	 * what is in it.  By one thread, when the run is over.  NULL: nothing is to be done. */
	void (*drop)(void *token, void *context);
	void *context;
};

/** How far a run got: made = done + skipped + dropped. */
struct skua_pipeline_reach {
	uint64_t made;	  /* by the first stage */
	uint64_t done;	  /* by the last */
	uint64_t skipped; /* by one between */
	uint64_t dropped; /* under way when the run failed */
};

struct skua_pipeline_run_options {
	size_t size;			   /* sizeof(struct skua_pipeline_run_options) */
	int64_t deadline;		   /* then it stops, with SKUA_ETIMEDOUT; 0: never */
	enum skua_priority priority;	   /* of tokens that wait in a queue */
	struct skua_group *group;	   /* it stops when this is cancelled: SKUA_ECANCELED */
	struct skua_pipeline_reach *reach; /* filled in, also when it failed */
};

/**
 * Make a pipeline of 1 to 65536 stages, which are copied.
 *
 * Thread    any
 * Memory    384 bytes a stage; the tokens come with the first run
 * Ordering  hand the pipeline to other threads as you would any memory
 * Fails     SKUA_EINVAL: NULL, no stages or too many, one without a function or of no such kind, a
 *           first one that is parallel, wrong options; SKUA_ENOMEM.  *pipeline is then untouched.
 * Cost      an allocation
 * See       examples/27_pipeline.c, man skua_pipeline
 */
SKUA_API int skua_pipeline_open(struct skua_pipeline **pipeline, const struct skua_stage *stages,
				size_t count, const struct skua_pipeline_options *options);

/**
 * Let the first stage make tokens until it says end, take all of them through all stages, and
 * return: skua_pipeline_run(where, pipeline, options).
 *
 * With one worker, without any pool to be had, or in an isolated task (skua_isolate), it is a plain
 * loop on the calling thread.  Without a pool skua_here is NULL in the stages.
 *
 * Thread    any; a worker works along, another thread takes the place of a worker that sleeps
 * Memory    the tokens, kept for the next run: `bytes` and some 200 for each, and 128 for each and
 *           each stage in order.  When memory is short there are fewer of them.
 * Ordering  what the caller did is visible to all stages, what they did to the caller; what was
 *           done with a token, or in a stage that has one at a time, to who has it next
 * Fails     SKUA_EINVAL: NULL, wrong options; SKUA_EBUSY: it runs already; SKUA_ENOMEM: not even
 *           for one token, no stage was called; SKUA_ECLOSED; what the first stage that failed
 *           returned; SKUA_ECANCELED, SKUA_ETIMEDOUT, as the options say; SKUA_ECANCELED also: the
 *           pool was closed with SKUA_CLOSE_CANCEL.  No stage begins after a failure, and the
 *           tokens under way are dropped.
 * Cost      some 10 ns for each token and stage, 100 where a token waits; a wake, if workers sleep
 * See       examples/27_pipeline.c, man skua_pipeline
 */
SKUA_API int skua_pipeline_run_in(struct skua_pool *pool, struct skua_pipeline *pipeline,
				  const struct skua_pipeline_run_options *options);
#define skua_pipeline_run(where, pipeline, options) \
	skua_pipeline_run_in(SKUA_WHERE(where), (pipeline), (options))

/**
 * Free a pipeline.  NULL is fine.
 *
 * Thread    the last one using it
 * Memory    all freed
 * Ordering  none
 * Fails     SKUA_EBUSY: it runs; it goes on
 * Cost      a few frees
 * See       examples/27_pipeline.c, man skua_pipeline
 */
SKUA_API int skua_pipeline_close(struct skua_pipeline *pipeline);

SKUA_END_C

#endif
