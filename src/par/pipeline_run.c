/* SPDX-License-Identifier: MIT */
/* pipeline_run.c — tokens on their way through the stages: who carries which, and the end */
#include "base/atomic.h"
#include "os/clock.h"
#include "par/pipeline_parts.h"
#include "sched/held.h"
#include "sched/outcome.h"
#include "sched/post.h"
#include "sched/tally.h"
#include "sched/tracing.h"

#include <skua/error.h>

/*
 * Tokens go round: out of the last stage, empty, one comes back to the first, which fills it anew.
 * At the start all of them wait there.
 *
 *	    .--> first -----> second -----> ... -----> last --.
 *	    '------------------------<------------------------'
 *
 * A carrier takes a token from stage to stage, round and round.  Where one is taken, it leaves the
 * token behind (stage.h), and fills another if one is to be had.  Leaving a stage where another
 * token waits, it goes on with that one: the stage may be the one that all are waiting for.  Its
 * own is put with the empty ones if the stage was the last, or left behind at the next stage; if
 * that takes it, it is posted, a carrier more.  (Going on with its own and posting the other was
 * tried: the stage then stands still until the other is found; a third slower in bench rows of
 * stages in order, with a theft for every other token.)
 *
 * Other carriers come from the offer, a job that is out while empty tokens wait: an idle worker
 * takes it up, fills a token, and when it leaves the first stage the offer is made again, by it.
 * So there are as many carriers as workers want to be, and busy ones do nothing but carry.
 *
 * The end.  Carriers are counted, with the offer (tally.h), waiting tokens are not: somebody who is
 * counted will come to them.  When the first stage says end its carrier ends without leaving it, so
 * that tokens come to rest there one after the other, and the last carrier ends the run.  After an
 * error every carrier ends where it is; nobody comes to the waiting ones, and who called for the
 * run drops what is in them (pipeline.c).
 *
 * A token that was skipped goes on as an empty shell, past all stages but those in order, where it
 * takes its turn: the numbers after it wait for it.
 *
 * The race to fear: a token left behind is another's at once, and may be anywhere; a carrier that
 * has ended may have been the last, and the pipeline is gone.  Neither is touched again.
 */
#define PIPE_TOKENS_EACH 4   /* for each worker: one that it carries, others that wait in between */
#define PIPE_STEPS_MOST	 256 /* stages in a row before other tasks get a turn; arbitrary */

/* --- stop --- */

static void pipe_fail(struct skua_pipeline *pipeline, int error)
{
	int32_t none = 0;

	/* order pipeline_run.fail.1: relaxed, a code; read when no carrier is left */
	skua_cas(&pipeline->error, &none, error, relaxed, relaxed);
}

static bool pipe_is_cancelled(const struct skua_pipeline *pipeline)
{
	return skua_group_is_cancelled(pipeline->run.group) ||
	       /* order pipeline_run.stop.1: relaxed, as submit.cancel.1 */
	       (pipeline->pool && skua_load(&pipeline->pool->is_cancelling, relaxed));
}

static bool pipe_must_stop(struct skua_pipeline *pipeline)
{
	if (skuai_deadline_is_past(pipeline->run.deadline))
		pipe_fail(pipeline, SKUA_ETIMEDOUT);
	else if (pipe_is_cancelled(pipeline))
		pipe_fail(pipeline, SKUA_ECANCELED);
	/* order pipeline_run.stop.2: relaxed, a code: seen a stage later it is as good */
	return skua_load(&pipeline->error, relaxed) != 0;
}

/* --- one stage --- */

static bool has_door(const struct skua_pipeline *pipeline, const struct skuai_pipe_token *token)
{
	return pipeline->stages[token->at].what.kind != SKUA_STAGE_PARALLEL;
}

static bool pipe_enter(struct skua_pipeline *pipeline, struct skuai_pipe_token *token)
{
	if (token->at == 0)
		return skuai_source_enter(&pipeline->source, &token->head);
	return !has_door(pipeline, token) ||
	       skuai_stage_enter(&pipeline->stages[token->at].door, &token->head);
}

/* Call the stage that the token is in.  False: the carrier ends here. */
static bool pipe_step(struct skua_slot *here, struct skua_pipeline *pipeline,
		      struct skuai_pipe_token *token)
{
	const struct skua_stage *stage = &pipeline->stages[token->at].what;

	if (pipe_must_stop(pipeline))
		return false;
	if (token->is_skipped)
		return true;
	bool has_memory = pipeline->options.bytes > 0;
	void *memory = has_memory ? (unsigned char *)token + pipeline->storage : NULL;
	if (here)
		skuai_trace_task(skuai_self, (uintptr_t)stage->run, SKUAI_TRACE_NOBODY,
				 SKUAI_TRACE_OF_OWN);
	int result = stage->run(here, memory, stage->argument);
	if (here)
		skuai_trace(skuai_self, SKUAI_TRACE_TASK_END, 0);
	if (token->at == 0 && result == SKUA_STAGE_END)
		return false;
	if (token->at == 0 && result == 0) {
		token->head.number = pipeline->made++;
		token->is_full = true;
	} else if (token->at > 0 && result == SKUA_STAGE_SKIP) {
		token->is_skipped = true;
		token->is_full = false;
		token->skipped++;
	} else if (result) {
		bool is_misplaced = result == SKUA_STAGE_END || result == SKUA_STAGE_SKIP;
		pipe_fail(pipeline, is_misplaced ? SKUA_EINVAL : result);
		return false;
	}
	return true;
}

/* To the next stage; behind the last one it is empty, and comes first again. */
static void pipe_advance(const struct skua_pipeline *pipeline, struct skuai_pipe_token *token)
{
	do
		token->at++;
	while (token->at < pipeline->stage_count && token->is_skipped &&
	       pipeline->stages[token->at].what.kind != SKUA_STAGE_IN_ORDER);
	if (token->at < pipeline->stage_count)
		return;
	token->done += !token->is_skipped;
	token->is_full = token->is_skipped = false;
	token->at = 0;
}

/* --- carriers --- */

static void pipe_post(struct skua_pipeline *pipeline, struct skua_job *job)
{
	/* order pipeline_run.post.1: relaxed, we are counted ourselves */
	skua_add(&pipeline->active, 1, relaxed);
	skuai_post(pipeline->pool, skuai_self, job);
}

/* The token that waited, and is in the stage now; NULL: none. */
static struct skuai_pipe_token *pipe_leave(struct skua_pipeline *pipeline,
					   const struct skuai_pipe_token *token)
{
	if (token->at == 0) {
		if (skuai_source_leave(&pipeline->source))
			pipe_post(pipeline, &pipeline->offer);
		return NULL;
	}
	if (!has_door(pipeline, token))
		return NULL;
	return (struct skuai_pipe_token *)skuai_stage_leave(&pipeline->stages[token->at].door,
							    &token->head);
}

static struct skuai_pipe_token *pipe_take(struct skua_pipeline *pipeline, bool is_offer)
{
	return (struct skuai_pipe_token *)skuai_source_take(&pipeline->source, is_offer);
}

/* With its own token at the next stage, and maybe one that waited: which to go on with? */
static struct skuai_pipe_token *pipe_go_on(struct skua_pipeline *pipeline,
					   struct skuai_pipe_token *token,
					   struct skuai_pipe_token *next)
{
	bool was_empty = token->at == 0; /* once it is left behind it is not ours to ask */

	if (next && was_empty) {
		if (skuai_source_put(&pipeline->source, &token->head))
			pipe_post(pipeline, &pipeline->offer);
		return next;
	}
	bool is_in = pipe_enter(pipeline, token);
	if (!next)
		return is_in ? token : was_empty ? NULL : pipe_take(pipeline, false);
	if (is_in)
		pipe_post(pipeline, &token->job);
	return next;
}

/* Take a token that is in its stage as far as it goes, and others after it. */
static void pipe_carry(struct skua_slot *here, struct skua_pipeline *pipeline,
		       struct skuai_pipe_token *token)
{
	unsigned steps = 0;

	while (token && pipe_step(here, pipeline, token)) {
		struct skuai_pipe_token *next = pipe_leave(pipeline, token);
		pipe_advance(pipeline, token);
		token = pipe_go_on(pipeline, token, next);
		if (token && ++steps > PIPE_STEPS_MOST && !pipeline->is_alone) {
			pipe_post(pipeline, &token->job);
			token = NULL;
		}
	}
}

/* The pipeline may be gone when this returns. */
static void pipe_end_carrier(struct skua_pipeline *pipeline)
{
	skuai_tally_leave(&pipeline->active, &pipeline->over, false);
}

static void pipe_run_posted(struct skua_slot *here, void *argument)
{
	struct skuai_pipe_token *token = argument;
	struct skua_pipeline *pipeline = token->pipeline;

	pipe_carry(here, pipeline, token);
	pipe_end_carrier(pipeline);
}

static void pipe_run_offer(struct skua_slot *here, void *argument)
{
	struct skua_pipeline *pipeline = argument;

	pipe_carry(here, pipeline, pipe_take(pipeline, true));
	pipe_end_carrier(pipeline);
}

/* The pool was closed and told to cancel. */
static void pipe_cancel(struct skua_pipeline *pipeline, int error)
{
	pipe_fail(pipeline, error);
	pipe_end_carrier(pipeline);
}

static void pipe_cancel_posted(struct skua_job *job, int error)
{
	struct skuai_pipe_token *token = job->argument;

	pipe_cancel(token->pipeline, error);
}

static void pipe_cancel_offer(struct skua_job *job, int error)
{
	pipe_cancel(job->argument, error);
}

/* --- the whole --- */

/* All tokens at the first stage, one of them in it; all other stages empty. */
static void pipe_set_up(struct skua_pipeline *pipeline)
{
	size_t seats = skuai_pipe_seats(pipeline->token_count), used = 0;
	struct skuai_token *waiting = NULL;

	for (unsigned i = pipeline->token_count; i-- > 0;) {
		struct skuai_pipe_token *token = skuai_pipe_token(pipeline, i);
		*token = (struct skuai_pipe_token){
			.head.next = waiting,
			.pipeline = pipeline,
			.job = SKUA_JOB(pipe_run_posted, token),
		};
		token->job.priority = pipeline->run.priority;
		token->job.finish = pipe_cancel_posted;
		if (i > 0)
			waiting = &token->head;
	}
	pipeline->offer = (struct skua_job)SKUA_JOB(pipe_run_offer, pipeline);
	pipeline->offer.priority = pipeline->run.priority;
	pipeline->offer.finish = pipe_cancel_offer;
	skuai_source_open(&pipeline->source, waiting);
	for (size_t i = 1; i < pipeline->stage_count; i++) {
		struct skuai_stage *door = &pipeline->stages[i].door;
		if (pipeline->stages[i].what.kind == SKUA_STAGE_IN_ORDER) {
			skuai_stage_open_in_order(door, &pipeline->seats[used], seats);
			used += seats;
		} else {
			skuai_stage_open_any(door);
		}
	}
}

static void pipe_wait(struct skua_slot *here, struct skua_pipeline *pipeline)
{
	struct skuai_until until = { .job = &pipeline->over,
				     .deadline = SKUAI_NO_DEADLINE,
				     .reason = SKUAI_TRACE_FOR_PIPELINE };

	if (skuai_outcome_stage(&pipeline->over) == SKUAI_JOB_QUEUED)
		skuai_work_until(skuai_self, here, &until);
}

void skuai_pipe_flow(struct skua_slot *here, void *argument)
{
	struct skua_pipeline *pipeline = argument;
	/* order pipeline_run.flow.1: relaxed, our own store */
	bool is_isolated = here && skua_load(&skuai_self->is_isolated, relaxed);
	unsigned tokens = pipeline->options.tokens;

	if (here && !is_isolated)
		skuai_held_check("skua_pipeline_run");
	pipeline->pool = here ? skuai_self->pool : NULL;
	pipeline->is_alone = !here || is_isolated || pipeline->pool->count == 1;
	if (pipeline->is_alone)
		tokens = 1;
	else if (!tokens)
		tokens = PIPE_TOKENS_EACH * pipeline->pool->regular;
	if (!skuai_pipe_reserve(pipeline, tokens)) {
		pipe_fail(pipeline, SKUA_ENOMEM);
		return;
	}
	pipe_set_up(pipeline);
	skuai_event_open(&pipeline->over, pipeline->pool);
	skua_store(&pipeline->active, 1, relaxed); /* order pipeline_run.flow.2: relaxed, alone */
	pipe_carry(here, pipeline, skuai_pipe_token(pipeline, 0));
	pipe_end_carrier(pipeline);
	if (!pipeline->is_alone)
		pipe_wait(here, pipeline);
}
