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
 *
 * The first stage is like that, but being taken is a bit of its own beside those that wait.
 */
#define STAGE_TURN  ((struct skuai_token *)1) /* at a seat */
#define STAGE_FREE  ((struct skuai_token *)0)
#define STAGE_TAKEN ((struct skuai_token *)1) /* and nobody waits */

/* Below the address of a token in the word of a source. */
#define SOURCE_TAKEN   ((uintptr_t)1)
#define SOURCE_OFFERED ((uintptr_t)2)
#define SOURCE_BITS    (SOURCE_TAKEN | SOURCE_OFFERED)

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

void skuai_stage_open_any(struct skuai_stage *stage)
{
	stage->seats = NULL;
	stage->first = NULL;
	/* order stage.open.2: relaxed, nobody else knows of it */
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

/* --- the first stage --- */

static struct skuai_token *source_newest(uintptr_t word)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): bits stand below the address */
	return (struct skuai_token *)(word & ~SOURCE_BITS);
}

void skuai_source_open(struct skuai_source *source, struct skuai_token *waiting)
{
	source->first = waiting;
	/* order stage.open.3: relaxed, nobody else knows of it */
	skua_store(&source->word, SOURCE_TAKEN, relaxed);
}

bool skuai_source_enter(struct skuai_source *source, struct skuai_token *token)
{
	/* order stage.fill.1: relaxed, .2 or .3 decides */
	uintptr_t seen = skua_load(&source->word, relaxed);

	for (;;) {
		if (!(seen & SOURCE_TAKEN)) {
			/* order stage.fill.2: acquire, pairs stage.filled.2 */
			if (skua_cas_weak(&source->word, &seen, seen | SOURCE_TAKEN, acquire,
					  relaxed))
				return true;
			continue;
		}
		token->next = source_newest(seen);
		/* order stage.fill.3: release, pairs stage.take.4; the token */
		if (skua_cas_weak(&source->word, &seen, (uintptr_t)token | (seen & SOURCE_BITS),
				  release, relaxed))
			return false;
	}
}

bool skuai_source_leave(struct skuai_source *source)
{
	bool has_first = source->first, must_offer;
	/* order stage.filled.1: relaxed, .2 decides */
	uintptr_t seen = skua_load(&source->word, relaxed), left;

	do {
		must_offer = (has_first || source_newest(seen)) && !(seen & SOURCE_OFFERED);
		left = (seen & ~SOURCE_TAKEN) | (must_offer ? SOURCE_OFFERED : 0);
		/* order stage.filled.2: acq_rel, pairs stage.fill.2, stage.take.2, stage.take.3,
		 * stage.put.2; what was done in the stage; and the offer is ours to make, who had
		 * it before is done with it */
	} while (!skua_cas_weak(&source->word, &seen, left, acq_rel, relaxed));
	return must_offer;
}

bool skuai_source_put(struct skuai_source *source, struct skuai_token *token)
{
	/* order stage.put.1: relaxed, .2 decides */
	uintptr_t seen = skua_load(&source->word, relaxed), with;

	do {
		token->next = source_newest(seen);
		with = (uintptr_t)token | (seen & SOURCE_BITS) |
		       (seen & SOURCE_TAKEN ? 0 : SOURCE_OFFERED);
		/* order stage.put.2: acq_rel, pairs stage.take.2, stage.take.4, stage.filled.2;
		 * the token; and the offer, as there */
	} while (!skua_cas_weak(&source->word, &seen, with, acq_rel, relaxed));
	return !(seen & SOURCE_BITS);
}

/* False: somebody is inside. */
static bool source_go_inside(struct skuai_source *source, bool is_offer)
{
	uintptr_t gone = is_offer ? SOURCE_OFFERED : 0;
	/* order stage.take.1: relaxed, .2 or .3 decides */
	uintptr_t seen = skua_load(&source->word, relaxed);

	for (;;) {
		if (seen & SOURCE_TAKEN && !gone)
			return false;
		if (seen & SOURCE_TAKEN) {
			/* order stage.take.2: release, pairs stage.filled.2, stage.put.2; we are
			 * done with the offer, which who is inside may make again */
			if (skua_cas_weak(&source->word, &seen, seen & ~gone, release, relaxed))
				return false;
			continue;
		}
		/* order stage.take.3: acquire, pairs stage.filled.2; the offer is made again only
		 * after we have left */
		if (skua_cas_weak(&source->word, &seen, (seen & ~gone) | SOURCE_TAKEN, acquire,
				  relaxed))
			return true;
	}
}

struct skuai_token *skuai_source_take(struct skuai_source *source, bool is_offer)
{
	while (source_go_inside(source, is_offer)) {
		if (!source->first)
			/* order stage.take.4: acquire, pairs stage.fill.3, stage.put.2 */
			source->first = source_newest(
				skua_and(&source->word, SOURCE_BITS, acquire));
		struct skuai_token *token = source->first;
		if (token) {
			source->first = token->next;
			return token;
		}
		if (!skuai_source_leave(source))
			return NULL;
		is_offer = true; /* one came meanwhile, and it is on us to offer it: to ourselves */
	}
	return NULL;
}
