/* SPDX-License-Identifier: MIT */
/* habit.h — where two who share a loop met the last time: there the next one is divided */
#ifndef SKUAI_PAR_HABIT_H
#define SKUAI_PAR_HABIT_H

#include "os/ticks.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Programs run the same loop again and again, over indices that cost about what they cost the last
 * time.  Of two who share it each has a part at home (claims.h): at first a half, and then as much
 * as lets both end together, so that nothing need be taken from the other.  The same indices come
 * to the same processor besides, where what they read may still be.
 *
 * What is learned is only where they begin: who has nothing left takes from the other as ever.  The
 * border follows how much later the helper would have ended if nobody had taken anything:
 *
 *	twice in a row late, or twice early    it moves, each time twice as far, at most by as
 *	                                       many units as cost half of that
 *	the other way round then               back by half, and not further than that again
 *	a move of one unit that made           back, and it stays there for a while: costs that
 *	it worse, the other way round          differ that much cannot be divided any better
 *
 * A thread that lost its processor says nonsense; seldom twice in a row.  When it was even some
 * times in a row, a short loop is claimed in few large chunks, behind a first index each: should
 * that be dear all at once, chunks are short as ever.
 */
#define SKUAI_HABIT_EVEN    4  /* such a part of it late or early: that is even */
#define SKUAI_HABIT_CALM    4  /* even loops in a row, and the chunks are large */
#define SKUAI_HABIT_CALM_US 10 /* if it was no longer than this: long ones would not feel it */
#define SKUAI_HABIT_STEP    64 /* the first move is such a part of the loop, at most */
#define SKUAI_HABIT_HOLD    64 /* loops for which a border stays that cannot be better */
#define SKUAI_HABIT_DEAREST ((uint64_t)1 << 40) /* ticks of a unit: a clock jumped */

/* Small: every thread has some in its own storage, of which libraries may not have much. */
struct skuai_habit {
	uint32_t count;	 /* units of the loop; 0: nothing is known */
	uint32_t own;	 /* the first ones, that are the owner's; from 1 to all but one */
	int32_t step;	 /* the last move of that border; 0: it did not move */
	int32_t late;	 /* ticks, the last time, as far as there is room for them */
	uint8_t hold;	 /* loops for which it stays */
	uint8_t calm;	 /* even loops in a row, up to SKUAI_HABIT_CALM */
	bool is_growing; /* it went further each time, and never back, since it last stood */
};

/* How a loop went that somebody helped with. */
struct skuai_meeting {
	uint32_t count;	    /* its units; more than one, and at most 2^31 */
	uint32_t own;	    /* of those, the owner's; from 1 to all but one */
	int64_t late;	    /* ticks the helper would have ended later if nobody had taken any */
	uint64_t took;	    /* ticks of the owner */
	uint64_t own_each;  /* ticks of a unit where the owner ended, */
	uint64_t help_each; /* and of the helper's, on average */
};

/* How many of so many units are the owner's. */
static inline uint32_t skuai_habit_own(const struct skuai_habit *habit, uint32_t count)
{
	return habit->count == count ? habit->own : count - count / 2;
}

/* Is the next loop of so many units to be claimed in large chunks? */
static inline bool skuai_habit_is_calm(const struct skuai_habit *habit, uint32_t count)
{
	return habit->count == count && habit->calm >= SKUAI_HABIT_CALM;
}

static inline uint64_t skuai_habit_size(int64_t number)
{
	return number < 0 ? -(uint64_t)number : (uint64_t)number;
}

static inline int32_t skuai_habit_within(int64_t number, int32_t most)
{
	return number > most ? most : number < -most ? -most : (int32_t)number;
}

/* By how many units the border should move, if costs are what they seem. */
static inline int64_t skuai_habit_miss(const struct skuai_meeting *met)
{
	uint64_t each = met->late < 0 ? met->own_each : met->help_each;

	each = each < SKUAI_HABIT_DEAREST ? each + 1 : SKUAI_HABIT_DEAREST;
	/* Half of the time each; not if that makes as much the other way round. */
	int64_t miss = (int64_t)((skuai_habit_size(met->late) + each / 2) / (2 * each));
	return met->late < 0 ? -miss : miss;
}

/* By how many it does. */
static inline int32_t skuai_habit_step(struct skuai_habit *habit, const struct skuai_meeting *met)
{
	bool is_back = (met->late < 0) != (habit->late < 0);
	bool is_worse = skuai_habit_size(met->late) >= skuai_habit_size(habit->late);
	int32_t last = habit->step, most = last < 0 ? -last : last;

	if (most == 1 && is_back && is_worse) {
		habit->hold = SKUAI_HABIT_HOLD;
		return -last;
	}
	if (habit->hold) {
		habit->hold--;
		return 0;
	}
	if (!last) {
		most = is_back ? 0 : (int32_t)(met->count / SKUAI_HABIT_STEP) + 1;
		habit->is_growing = true;
	} else if (is_back) {
		most = most > 1 ? most / 2 : 1;
		habit->is_growing = false; /* it is between the last two: else it would swing */
	} else if (habit->is_growing) {
		most = skuai_habit_within(2 * (int64_t)most, INT32_MAX);
	}
	return skuai_habit_within(skuai_habit_miss(met), most);
}

/* A loop was helped with: learn. */
static inline void skuai_habit_learn(struct skuai_habit *habit, const struct skuai_meeting *met)
{
	bool is_new = habit->count != met->count;
	bool is_calm = skuai_habit_size(met->late) < met->took / SKUAI_HABIT_EVEN &&
		       met->took < skuai_ticks_of_us(SKUAI_HABIT_CALM_US);

	if (is_new)
		*habit = (struct skuai_habit){ .count = met->count };
	int32_t step = is_new ? 0 : skuai_habit_step(habit, met);
	uint32_t room = step < 0 ? met->own - 1 : met->count - met->own - 1;
	if (skuai_habit_size(step) > room)
		step = step < 0 ? -(int32_t)room : (int32_t)room;
	habit->own = met->own + (uint32_t)step;
	habit->step = step;
	habit->late = skuai_habit_within(met->late, INT32_MAX);
	habit->calm = !is_calm ? 0 : habit->calm < SKUAI_HABIT_CALM ? habit->calm + 1 : habit->calm;
}

#endif
