/* SPDX-License-Identifier: MIT */
/* claims.c — a loop that folds nothing: whoever helps claims chunks of it, none asks another */
#include "par/claims.h"

#include "par/pace.h"
#include "par/running.h"
#include "sched/watch.h"

#include <skua/fork.h>

/*
 * The owner keeps a fork on offer that says "help".  Whoever steals it claims chunks too, as
 * claims.h deals them out, and keeps such a fork on offer itself; so helpers come one after the
 * other, from wherever they look first.  It is not taken back before nothing is left to claim:
 * then there is nothing to help with.
 *
 * Nobody waits for another until the end: where a part of a tree (split.c) is asked for and given
 * away in ever smaller pieces, half a microsecond each, here it is taken by one CAS.  At the end
 * every one is at its last chunk, which is a fraction of what was left.  But the chunks of one
 * helper are not neighbours, so this is for loops without results.
 */
#define EXTRA_MOST_US \
	64 /* memory likes long chunks, and nobody waits for their end; 8 % of `for` */
#define UNITS_IN_CHUNK 1024		   /* arbitrary: a unit should not be felt */
#define UNITS_MOST     ((uint64_t)1 << 31) /* that one word of claims can count */

struct claimed {
	struct skuai_run *run;
	uint64_t lo, hi;
	uint64_t unit;		    /* so many indices at a time are claimed */
	uint32_t units;		    /* in all */
	uint32_t parts;		    /* claim no more than such a part of what is left, */
	uint32_t least;		    /* but so many units */
	struct skuai_claims claims; /* of units */
	/* line: all who help */
	_Alignas(SKUAI_LINE) _Atomic uint64_t count; /* indices done by helpers */
	_Atomic uint64_t ticks;			     /* that they worked */
	_Atomic uint64_t gap; /* the least index of a chunk that failed; UINT64_MAX: none did */
};

/* What stands in the slot of a fork that says "help". */
struct help_args {
	struct claimed *loop;
	uint64_t chunk;
} __attribute__((may_alias));

static struct help_args *help_args_of(struct skua_slot *slot)
{
	return (struct help_args *)(void *)slot->payload;
}

/* One of those who work on it. */
struct claimer {
	struct claimed *loop;
	struct skuai_pace pace;
	unsigned home;
	uint64_t count; /* indices done */
	uint64_t began; /* ticks when its first chunk did; 0: not yet */
	uint64_t help;	/* ticks that those who helped worked */
	bool was_helped;
	const struct claimer *outer; /* of the same thread, which waits in a body of that loop */
	bool is_profiled;	     /* since it began */
	struct skuai_profile_fan fan;
};

/* The innermost of this thread. */
static _Thread_local const struct claimer *claiming;

static bool is_claiming(const struct claimed *loop)
{
	const struct claimer *at = claiming;

	while (at && at->loop != loop)
		at = at->outer;
	return at != NULL;
}

static void leave_gap(struct claimed *loop, uint64_t lo)
{
	/* order claims.gap.1: relaxed, .2 decides */
	uint64_t gap = skua_load(&loop->gap, relaxed);

	/* order claims.gap.2: relaxed, a number; read after the joins */
	while (lo < gap && !skua_cas_weak(&loop->gap, &gap, lo, relaxed, relaxed))
		;
}

/* Claim a chunk and run it.  False: nothing is left, or the loop stops. */
static bool claim_and_run(struct skua_slot *here, struct claimer *self)
{
	struct claimed *loop = self->loop;
	const struct skuai_work *work = loop->run->work;
	uint64_t chunk = self->pace.chunk / loop->unit;
	uint32_t first, count;

	if (skuai_run_must_stop(loop->run))
		return false;
	struct skuai_claims_size size = { .chunk = chunk < UINT32_MAX ? (uint32_t)chunk
								      : UINT32_MAX,
					  .parts = loop->parts,
					  .least = loop->least };
	count = skuai_claims_take(&loop->claims, self->home, &size, &first);
	if (!count)
		return false;
	uint64_t lo = loop->lo + first * loop->unit;
	uint64_t hi = first + count < loop->units ? lo + count * loop->unit : loop->hi;
	int error = work->body(here, lo, hi, work->argument);
	if (error) {
		skuai_run_stop(loop->run, error);
		leave_gap(loop, lo);
		return false;
	}
	self->count += hi - lo;
	skuai_pace_step(&self->pace, hi - lo);
	if (self->is_profiled) /* a profile sees a chunk as one: so no longer ones */
		skuai_profile_fan_chunk(skuai_self, &self->fan);
	else if (self->pace.extra < skuai_ticks_of_us(EXTRA_MOST_US))
		self->pace.extra += skuai_ticks_of_us(1) / 2;
	return true;
}

/* Is there enough left for another one, at whatever home? */
static bool is_help_welcome(struct claimer *self, const struct skua_slot *here)
{
	uint64_t left = 0;

	for (unsigned i = 0; i < self->loop->claims.count; i++)
		left += skuai_claims_count(skuai_claims_left(&self->loop->claims, i));
	return left > 1 && left - 1 >= self->pace.chunk / 2 / self->loop->unit &&
	       skuai_forks_has_room(here, 1);
}

static void help(struct skua_slot *here, struct skua_slot *slot);

/* Fork "help" at *above, if that makes sense. */
static bool offer_help(struct skua_slot **above, struct claimer *self)
{
	if (!is_help_welcome(self, *above))
		return false;
	*help_args_of(*above) = (struct help_args){ self->loop, self->pace.chunk };
	skua_slot_fork(above, help);
	return true;
}

static void end_help(struct skua_slot **above, struct skua_slot *slot, struct claimer *self)
{
	if (skua_slot_join(above, slot))
		self->was_helped = true;
}

static void work_along(struct skua_slot *here, struct claimer *self)
{
	struct skua_slot *slot = here, *above = here;
	bool is_offering = offer_help(&above, self);

	skuai_pace_resume(&self->pace);
	if (!self->began)
		self->began = self->pace.before;
	while (claim_and_run(above, self)) {
		if (!skuai_is_wanted(above))
			continue;
		bool is_taken = is_offering && skuai_forks_is_taken(slot);
		if (is_taken && skuai_forks_is_done(slot)) {
			end_help(&above, slot, self);
			is_offering = offer_help(&above, self);
		} else if ((is_offering && !is_taken) || !is_help_welcome(self, above)) {
			skuai_offer(above);
		} else {
			work_along(above, self); /* as deep as there are others who help us */
			break;
		}
	}
	if (is_offering)
		end_help(&above, slot, self);
}

static void take_part(struct skua_slot *here, struct claimer *self)
{
	self->outer = claiming;
	claiming = self;
	self->is_profiled = skuai_self->profiler;
	if (self->is_profiled)
		skuai_profile_fan_begin(skuai_self, &self->fan,
					skuai_work_key(self->loop->run->work));
	work_along(here, self);
	if (self->is_profiled)
		skuai_profile_fan_end(skuai_self, &self->fan);
	claiming = self->outer;
}

/*
 * What a thief runs.  Not one that waits in a body of this very loop: each body that it ran
 * meanwhile might wait in turn, and so on as deep as there are indices.
 */
static void help(struct skua_slot *here, struct skua_slot *slot)
{
	struct help_args *args = help_args_of(slot);
	struct claimed *loop = args->loop;
	struct claimer self = { .loop = loop,
				.pace = { .chunk = args->chunk, .grain = loop->run->grain },
				.home = skuai_self->number % loop->claims.count };

	if (is_claiming(loop))
		return;
	skuai_task_is(skuai_self, skuai_work_key(loop->run->work));
	take_part(here, &self);
	/* order claims.count.1: relaxed, a count; read after the joins */
	skua_add(&loop->count, self.count, relaxed);
	/* order claims.count.2: relaxed, likewise */
	skua_add(&loop->ticks, self.pace.before - self.began, relaxed);
	skuai_self->was_loop = true;
}

/* As much from lo on, before hi, as can be claimed from words of 32 bits for each end. */
static void open_window(struct claimed *loop, struct skuai_run *run, uint64_t lo, uint64_t hi,
			uint64_t chunk)
{
	unsigned workers = skuai_width_wanted(&skuai_self->pool->width);
	uint64_t unit = chunk / UNITS_IN_CHUNK > run->grain ? chunk / UNITS_IN_CHUNK : run->grain;
	uint64_t units = (hi - lo - 1) / unit + 1;

	if (units > UNITS_MOST) {
		units = UNITS_MOST;
		hi = lo + units * unit;
	}
	loop->run = run;
	loop->lo = lo;
	loop->hi = hi;
	loop->unit = unit;
	loop->units = (uint32_t)units;
	loop->parts = workers > 1 ? 2 : 1;
	loop->least = (uint32_t)(workers > 1 ? units / 64 : units);
	/* order claims.reach.4: relaxed, nobody else knows of it yet; so .5, .6 */
	skua_store(&loop->count, 0, relaxed);
	skua_store(&loop->ticks, 0, relaxed);	     /* order claims.reach.5: relaxed, see .4 */
	skua_store(&loop->gap, UINT64_MAX, relaxed); /* order claims.reach.6: relaxed, see .4 */
}

/* The first unit that nobody claimed, or failed. */
static uint64_t first_left(struct claimed *loop)
{
	/* order claims.reach.1: relaxed, all who helped have been joined; so .2, .3 */
	uint64_t first = skua_load(&loop->gap, relaxed);

	for (unsigned i = 0; i < loop->claims.count; i++) {
		uint64_t left = skuai_claims_left(&loop->claims, i);
		uint64_t at = loop->lo + skuai_claims_first(left) * loop->unit;
		if (skuai_claims_count(left) && at < first)
			first = at;
	}
	return first < loop->hi ? first : loop->hi;
}

/* The first index that is not done. */
static uint64_t run_window(struct skua_slot *here, struct claimed *loop, struct claimer *self)
{
	unsigned workers = skuai_self->pool->count;
	unsigned homes = workers < SKUAI_CLAIMS_HOMES ? workers : SKUAI_CLAIMS_HOMES;

	self->loop = loop;
	self->home = skuai_self->number % homes;
	skuai_claims_open(&loop->claims, homes, self->home, loop->units);
	take_part(here, self);
	/* order claims.reach.2: relaxed, see .1 */
	self->count += skua_load(&loop->count, relaxed);
	/* order claims.reach.3: relaxed, see .1 */
	self->help += skua_load(&loop->ticks, relaxed);
	return first_left(loop);
}

uint64_t skuai_claims_run(struct skua_slot *here, struct skuai_run *run, uint64_t lo, uint64_t hi,
			  uint64_t chunk, struct skua_reach *reach)
{
	struct claimer self = { .pace = { .chunk = chunk, .grain = run->grain } };
	bool is_whole;

	do {
		struct claimed loop;
		open_window(&loop, run, lo, hi, self.pace.chunk);
		lo = run_window(here, &loop, &self);
		is_whole = lo == loop.hi;
	} while (is_whole && lo < hi);
	reach->first = lo;
	reach->count += self.count;
	return self.was_helped ? self.pace.before - self.began + self.help : 0;
}
