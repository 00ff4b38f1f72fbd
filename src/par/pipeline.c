/* SPDX-License-Identifier: MIT */
/* pipeline.c — a pipeline: its stages, the memory of its tokens, and who may run it */
#include "base/alloc.h"
#include "base/atomic.h"
#include "os/clock.h"
#include "par/pipeline_parts.h"
#include "sched/visit.h"
#include "sched/worker.h"

#include <skua/error.h>

#include <string.h>

#define PIPE_STAGES_MOST 65536
#define PIPE_TOKENS_MOST ((unsigned)1 << 20)
#define PIPE_ALIGN_MOST	 4096
#define PIPE_ALIGN	 16
#define PIPE_BYTES_MOST	 (SIZE_MAX / 4)

/* --- open --- */

static bool pipe_options_are_valid(const struct skua_pipeline_options *options)
{
	return options->size == sizeof(*options) && options->bytes <= PIPE_BYTES_MOST &&
	       (options->align & (options->align - 1)) == 0 && options->align <= PIPE_ALIGN_MOST &&
	       options->tokens <= PIPE_TOKENS_MOST;
}

static bool stages_are_valid(const struct skua_stage *stages, size_t count)
{
	if (!stages || count == 0 || count > PIPE_STAGES_MOST ||
	    stages[0].kind == SKUA_STAGE_PARALLEL)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!stages[i].run || stages[i].kind < SKUA_STAGE_IN_ORDER ||
		    stages[i].kind > SKUA_STAGE_PARALLEL)
			return false;
	return true;
}

static size_t rounded_up(size_t bytes, size_t to)
{
	return (bytes + to - 1) & ~(to - 1);
}

/* Where things are in a token; a line of its own, so that neighbours do not disturb. */
static void pipe_lay_out(struct skua_pipeline *pipeline)
{
	size_t align = pipeline->options.align ? pipeline->options.align : PIPE_ALIGN;

	pipeline->options.align = align < SKUAI_LINE ? SKUAI_LINE : align;
	pipeline->storage = rounded_up(sizeof(struct skuai_pipe_token), align);
	pipeline->stride = rounded_up(pipeline->storage + pipeline->options.bytes,
				      pipeline->options.align);
}

int skua_pipeline_open(struct skua_pipeline **pipeline, const struct skua_stage *stages,
		       size_t count, const struct skua_pipeline_options *wish)
{
	struct skua_pipeline_options options = { .size = sizeof(options) };

	if (!pipeline || !stages_are_valid(stages, count) ||
	    (wish && !pipe_options_are_valid(wish)))
		return SKUA_EINVAL;
	if (wish)
		options = *wish;
	struct skua_pipeline *made = skuai_alloc_aligned(
		1, sizeof(*made) + count * sizeof(made->stages[0]), SKUAI_LINE);
	if (!made)
		return SKUA_ENOMEM;
	made->options = options;
	made->stage_count = count;
	for (size_t i = 0; i < count; i++) {
		made->stages[i].what = stages[i];
		made->in_order_count += i > 0 && stages[i].kind == SKUA_STAGE_IN_ORDER;
	}
	pipe_lay_out(made);
	*pipeline = made;
	return SKUA_OK;
}

/* --- tokens --- */

static void pipe_free_tokens(struct skua_pipeline *pipeline)
{
	skuai_free(pipeline->tokens);
	skuai_free(pipeline->seats);
	pipeline->tokens = NULL;
	pipeline->seats = NULL;
	pipeline->room = 0;
}

static bool pipe_alloc_tokens(struct skua_pipeline *pipeline, unsigned count)
{
	size_t seats = skuai_pipe_seats(count) * pipeline->in_order_count;

	pipeline->tokens = skuai_alloc_aligned(count, pipeline->stride, pipeline->options.align);
	if (pipeline->tokens && seats)
		pipeline->seats = skuai_alloc_aligned(seats, sizeof(struct skuai_seat), SKUAI_LINE);
	if (pipeline->tokens && (pipeline->seats || !seats)) {
		pipeline->room = count;
		return true;
	}
	pipe_free_tokens(pipeline);
	return false;
}

bool skuai_pipe_reserve(struct skua_pipeline *pipeline, unsigned wanted)
{
	if (pipeline->room < wanted) {
		pipe_free_tokens(pipeline);
		for (unsigned count = wanted; count > 0 && !pipeline->room; count /= 2)
			pipe_alloc_tokens(pipeline, count);
	}
	pipeline->token_count = pipeline->room < wanted ? pipeline->room : wanted;
	return pipeline->token_count > 0;
}

/* --- run --- */

static bool pipe_run_options_are_valid(const struct skua_pipeline_run_options *options)
{
	return options->size == sizeof(*options) && options->deadline >= 0 &&
	       options->priority >= SKUA_PRIORITY_NORMAL && options->priority <= SKUA_PRIORITY_LOW;
}

/* A run that a fork() has cut off does not count: its threads are in the parent. */
static bool pipe_begin(struct skua_pipeline *pipeline)
{
	uint32_t ours = skuai_era() + 1;
	/* order pipeline.begin.1: relaxed, .2 decides */
	uint32_t seen = skua_load(&pipeline->running, relaxed);

	/* order pipeline.begin.2: acquire, pairs pipeline.end.1; the run before is over */
	return seen != ours && skua_cas(&pipeline->running, &seen, ours, acquire, relaxed);
}

static void pipe_end(struct skua_pipeline *pipeline)
{
	skua_store(&pipeline->running, 0,
		   release); /* order pipeline.end.1: pairs pipeline.begin.2 */
}

/* What is left in the tokens, and how far they came. */
static void pipe_clear(struct skua_pipeline *pipeline, struct skua_pipeline_reach *reach)
{
	const struct skua_pipeline_options *options = &pipeline->options;

	*reach = (struct skua_pipeline_reach){ .made = pipeline->made };
	for (unsigned i = 0; i < pipeline->token_count; i++) {
		struct skuai_pipe_token *token = skuai_pipe_token(pipeline, i);
		reach->done += token->done;
		reach->skipped += token->skipped;
		reach->dropped += token->is_full;
		if (token->is_full && options->drop)
			options->drop((unsigned char *)token + pipeline->storage, options->context);
		token->is_full = false;
	}
}

int skua_pipeline_run_in(struct skua_pool *pool, struct skua_pipeline *pipeline,
			 const struct skua_pipeline_run_options *options)
{
	static const struct skua_pipeline_run_options usual = { .size = sizeof(usual) };
	struct skua_pipeline_reach reach;

	if (!pipeline || (options && !pipe_run_options_are_valid(options)))
		return SKUA_EINVAL;
	if (!pipe_begin(pipeline))
		return SKUA_EBUSY;
	pipeline->run = options ? *options : usual;
	if (!pipeline->run.deadline)
		pipeline->run.deadline = SKUAI_NO_DEADLINE;
	pipeline->made = 0;
	pipeline->token_count = 0;
	skua_store(&pipeline->error, 0, relaxed); /* order pipeline.run.1: relaxed, alone */
	int error = skuai_visit_anyhow(pool, pipeline->run.priority, skuai_pipe_flow, pipeline);
	pipe_clear(pipeline, &reach);
	if (pipeline->run.reach)
		*pipeline->run.reach = reach;
	if (!error)
		error = skua_load(&pipeline->error, relaxed); /* order pipeline.run.2: alone */
	pipe_end(pipeline);
	return error;
}

int skua_pipeline_close(struct skua_pipeline *pipeline)
{
	if (!pipeline)
		return SKUA_OK;
	if (!pipe_begin(pipeline))
		return SKUA_EBUSY;
	pipe_free_tokens(pipeline);
	skuai_free(pipeline);
	return SKUA_OK;
}
