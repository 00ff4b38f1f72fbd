/* SPDX-License-Identifier: MIT */
/* pipeline_parts.h — what the files of pipelines share: the pipeline, its tokens, their memory */
#ifndef SKUAI_PAR_PIPELINE_PARTS_H
#define SKUAI_PAR_PIPELINE_PARTS_H

#include "sched/stage.h"

#include <skua/job.h>
#include <skua/pipeline.h>

/* A token.  Whoever carries it reads and writes; when the run is over, who called for it. */
struct skuai_pipe_token {
	struct skuai_token head; /* first: stages know only this */
	struct skua_pipeline *pipeline;
	struct skua_job job;	/* when it waits for somebody to carry it */
	uint32_t at;		/* the stage that it is in, or waits at; 0: it is empty */
	bool is_full;		/* the program's: made, and not done, skipped or dropped */
	bool is_skipped;	/* it only takes its turns */
	uint64_t done, skipped; /* how often it came out, and how often not */
};

struct skuai_pipe_stage {
	struct skua_stage what;
	struct skuai_stage door; /* not for the first, nor for a parallel one */
};

struct skua_pipeline {
	/* set at open */
	struct skua_pipeline_options options;
	size_t stage_count, in_order_count;
	size_t stride, storage; /* bytes from token to token; from there to what it takes along */
	/* memory, kept from run to run; who runs it writes */
	unsigned char *tokens;
	struct skuai_seat *seats;
	unsigned room; /* tokens */
	/* of the run: set before it, then read at every step */
	unsigned token_count;
	bool is_alone; /* one worker carries all */
	struct skua_pool *pool;
	struct skua_pipeline_run_options run;
	_Atomic int32_t error;	  /* the first; then no stage begins */
	_Atomic uint32_t running; /* its era + 1; 0: it does not run */
	/* line: the first stage, and the empty tokens; whoever is in it writes */
	struct skuai_source source;
	uint64_t made;
	/* line: written where carriers begin and end */
	_Alignas(SKUAI_LINE) _Atomic uint32_t active; /* under way, or posted */
	struct skua_job over;			      /* an event: none is left */
	struct skua_job offer;			      /* a carrier for empty tokens that wait */
	_Alignas(SKUAI_LINE) struct skuai_pipe_stage stages[];
};

static inline struct skuai_pipe_token *skuai_pipe_token(const struct skua_pipeline *pipeline,
							unsigned index)
{
	return (struct skuai_pipe_token *)(void *)(pipeline->tokens + index * pipeline->stride);
}

/* Seats at a stage in order: a power of two. */
static inline size_t skuai_pipe_seats(unsigned tokens)
{
	size_t seats = 1;

	while (seats < tokens)
		seats *= 2;
	return seats;
}

/* --- pipeline.c --- */

/* Room for so many tokens, or for as many as there is memory for.  False: not for one. */
bool skuai_pipe_reserve(struct skua_pipeline *pipeline, unsigned wanted);

/* --- pipeline_run.c --- */

/* Take tokens through all stages, at a place in a pool; or at none (NULL), where there is none. */
void skuai_pipe_flow(struct skua_slot *here, void *pipeline);

#endif
