/* SPDX-License-Identifier: MIT */
/* stage.h — a stage that one token of a pipeline may be in at a time, and who is next */
#ifndef SKUAI_SCHED_STAGE_H
#define SKUAI_SCHED_STAGE_H

#include "sched/forks.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Nobody waits for a stage.  A token that finds it taken is left behind there, and whoever carried
 * it goes its way; whoever leaves the stage gets the next token in return and must see to it that
 * somebody carries it on.  That token is in the stage already.
 *
 *	OUTSIDE  -> INSIDE    enter, true: by its carrier
 *	OUTSIDE  -> WAITING   enter, false: by its carrier, who must not touch it again
 *	WAITING  -> INSIDE    leave: by whoever was inside before, whose token it becomes
 *	INSIDE   -> OUTSIDE   leave: by its carrier
 *
 * The race to fear: a token is left behind while the one inside leaves and sees nobody: then it
 * would wait for ever; or both think that it is theirs.  Red without: model_stage in_order_, any_.
 */

/* What every token begins with. */
struct skuai_token {
	struct skuai_token *next; /* of those that wait; whoever put it there, then who is inside */
	uint64_t number;	  /* 0, 1, 2 ... as they were made; whoever carries it */
};

/* Where the token of a number waits for its turn, or its turn for the token. */
struct skuai_seat {
	_Alignas(SKUAI_LINE) _Atomic(struct skuai_token *) who;
};

struct skuai_stage {
	/* in order; set when it is opened */
	struct skuai_seat *seats; /* NULL: in any order */
	uint64_t mask;		  /* seats, a power of two, less 1 */
	/* in any order */
	_Alignas(SKUAI_LINE) _Atomic(struct skuai_token *) waiting; /* the newest first */
	struct skuai_token *first; /* taken from there, the oldest first; who is inside alone */
};

/*
 * In order of the tokens' numbers, beginning with 0.  There are at least as many seats as there are
 * tokens that have not been through, at any time.
 */
void skuai_stage_open_in_order(struct skuai_stage *stage, struct skuai_seat *seats, uint64_t count);

/* One at a time, first come, first served. */
void skuai_stage_open_any(struct skuai_stage *stage);

/* True: the token is inside.  False: it waits there, and is not the caller's any more. */
bool skuai_stage_enter(struct skuai_stage *stage, struct skuai_token *token);

/* The token goes on; the one that is inside now, and the caller's, or NULL: none waits. */
struct skuai_token *skuai_stage_leave(struct skuai_stage *stage, const struct skuai_token *token);

/* --- the first stage --- */

/*
 * Here empty tokens wait to be filled, and it does not matter which is next: who comes with one
 * while nobody is inside goes in, past those that wait.  So a carrier goes round and round with its
 * token, and needs nobody else.  For those that wait there is an offer: a job that idle workers
 * find, and never more than one of it.
 *
 *	nobody inside   tokens wait   an offer is out, or nobody ever left
 *	one inside      tokens wait   who leaves makes the offer, if none is out
 *
 * The race to fear: tokens wait, nobody is inside, and there is no offer.  So all three stand in
 * one word.  Red without: model_stage source_.
 */
struct skuai_source {
	_Alignas(SKUAI_LINE) _Atomic uintptr_t word; /* the newest that waits, and bits */
	struct skuai_token *first; /* others that wait, the next one first; who is inside alone */
};

/* The caller is inside with a token of its own; those of the list wait. */
void skuai_source_open(struct skuai_source *source, struct skuai_token *waiting);

/* As skuai_stage_enter. */
bool skuai_source_enter(struct skuai_source *source, struct skuai_token *token);

/* The token that was filled goes on.  True: the caller must see to it that the offer is made. */
bool skuai_source_leave(struct skuai_source *source);

/* An empty token to wait with the others.  True: as leave. */
bool skuai_source_put(struct skuai_source *source, struct skuai_token *token);

/*
 * A token that waits, inside now, and the caller's; NULL: none, or somebody is inside.  is_offer:
 * the caller is the offer, which is not out any more.
 */
struct skuai_token *skuai_source_take(struct skuai_source *source, bool is_offer);

#endif
