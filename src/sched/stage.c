/* SPDX-License-Identifier: MIT */
/* stage.c — a stage that one token of a pipeline may be in at a time, and who is next */
#include "sched/stage.h"

#include "base/atomic.h"

#include <stddef.h>

/*
 * In order.  Each number has a seat, where its token and its turn meet: the turn comes from the
 * token before.  Who comes first leaves itself there, who comes second finds it and clears the
 * seat.  Seats are used again, by the number that is so many higher: its token was made after one
 * that was through, so after all lower ones, this seat's among them, were.
 *
 * In any order.  A word says FREE, TAKEN, or the newest of those that wait.  Only who is inside
 * takes them out, all at once, and turns them round.
 */
#define STAGE_TURN  ((struct skuai_token *)1) /* at a seat */
#define STAGE_FREE  ((struct skuai_token *)0)
#define STAGE_TAKEN ((struct skuai_token *)1) /* and nobody waits */

/* --- in order --- */

void skuai_stage_open_in_order(struct skuai_stage *stage, struct skuai_seat *seats, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		/* order stage.open.1: relaxed, nobody else knows of it */
		skua_store(&seats[i].who, i ? NULL : STAGE_TURN, relaxed);
	stage->seats = seats;
	stage->mask = count - 1;
}

/* Who was at the seat before us; NULL: nobody, and now we are. */
static struct skuai_token *stage_meet(struct skuai_stage *stage, uint64_t number,
				      struct skuai_token *us)
{
	struct skuai_seat *seat = &stage->seats[number & stage->mask];
	struct skuai_token *nobody = NULL;

	/* order stage.meet.1: release, pairs .2; the token, or what was done in the stage */
	if (skua_cas(&seat->who, &nobody, us, release, relaxed))
		return NULL;
	/* order stage.meet.2: acquire, pairs .1 */
	struct skuai_token *who = skua_load(&seat->who, acquire);
	/* order stage.meet.3: relaxed, the turns carry it to whoever comes here next */
	skua_store(&seat->who, NULL, relaxed);
	return who;
}

/* --- in any order --- */

void skuai_stage_open_any(struct skuai_stage *stage, struct skuai_token *waiting)
{
	stage->seats = NULL;
	stage->first = waiting;
	/* order stage.open.2: relaxed, nobody else knows of it */
	skua_store(&stage->waiting, STAGE_TAKEN, relaxed);
}

void skuai_stage_open_empty(struct skuai_stage *stage)
{
	stage->seats = NULL;
	stage->first = NULL;
	/* order stage.open.3: relaxed, nobody else knows of it */
	skua_store(&stage->waiting, STAGE_FREE, relaxed);
}

static bool stage_enter_any(struct skuai_stage *stage, struct skuai_token *token)
{
	/* order stage.enter.1: relaxed, .2 or .3 decides */
	struct skuai_token *seen = skua_load(&stage->waiting, relaxed);

	for (;;) {
		if (seen == STAGE_FREE) {
			/* order stage.enter.2: acquire, pairs stage.leave.1 */
			if (skua_cas_weak(&stage->waiting, &seen, STAGE_TAKEN, acquire, relaxed))
				return true;
			continue;
		}
		token->next = seen == STAGE_TAKEN ? NULL : seen;
		/* order stage.enter.3: release, pairs stage.leave.2; the token */
		if (skua_cas_weak(&stage->waiting, &seen, token, release, relaxed))
			return false;
	}
}

static struct skuai_token *stage_turned_round(struct skuai_token *newest)
{
	struct skuai_token *oldest = NULL;

	while (newest) {
		struct skuai_token *older = newest->next;
		newest->next = oldest;
		oldest = newest;
		newest = older;
	}
	return oldest;
}

static struct skuai_token *stage_leave_any(struct skuai_stage *stage)
{
	struct skuai_token *seen = STAGE_TAKEN;

	if (!stage->first) {
		/* order stage.leave.1: release, pairs stage.enter.2; what was done in the stage */
		if (skua_cas(&stage->waiting, &seen, STAGE_FREE, release, relaxed))
			return NULL;
		/* order stage.leave.2: acquire, pairs stage.enter.3 */
		seen = skua_exchange(&stage->waiting, STAGE_TAKEN, acquire);
		stage->first = stage_turned_round(seen);
	}
	struct skuai_token *next = stage->first;
	stage->first = next->next;
	return next;
}

/* --- either --- */

bool skuai_stage_enter(struct skuai_stage *stage, struct skuai_token *token)
{
	if (stage->seats)
		return stage_meet(stage, token->number, token) != NULL;
	return stage_enter_any(stage, token);
}

struct skuai_token *skuai_stage_leave(struct skuai_stage *stage, const struct skuai_token *token)
{
	if (stage->seats)
		return stage_meet(stage, token->number + 1, STAGE_TURN);
	return stage_leave_any(stage);
}
