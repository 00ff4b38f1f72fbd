/* SPDX-License-Identifier: MIT */
/* claims.c — a loop that folds nothing: whoever helps claims chunks of it, none asks another */
#include "par/claims.h"

#include "os/fetch.h"
#include "os/relax.h"
#include "par/habit.h"
#include "par/pace.h"
#include "par/running.h"
#include "sched/watch.h"

#include <skua/fork.h>

#include <assert.h>
#include <stddef.h>

/*
 * The owner keeps a fork on offer that says "help"; the first is shared before anybody asks, since
 * a loop is worth it.  Whoever steals it claims chunks too, as claims.h deals them out, and keeps
 * such a fork on offer itself; so helpers come one after the other, from wherever they look first.
 * It is not taken back before nothing is left to claim: then there is nothing to help with.
 *
 * Nobody waits for another until the end: where a part of a tree (split.c) is asked for and given
 * away in ever smaller pieces, half a microsecond each, here it is taken by one CAS.  At the end
 * every one is at its last chunk, which is a fraction of what was left.  But the chunks of one
 * helper are not neighbours, so this is for loops without results.
 */
#define EXTRA_MOST_US \
	64 /* memory likes long chunks, and nobody waits for their end; 8 % of `for` */
#define UNITS_IN_CHUNK 1024 /* arbitrary: a unit should not be felt */
#define LEAST_PART     32   /* of a loop; claims.h: a sixteenth of a chunk, if that is less */
#define AWAIT_US       2    /* a chunk's worth: so long another may still be at its last */
#define SPARE	       2    /* a chunk is half of what is left at home, */
#define SPARE_CALM     8    /* or much of it, where that was right the last times */
#define EXTRA_CALM_US  8    /* so that it is not the clock that cuts those */
#define LINE_PART      8    /* of a microsecond: the owner learns of the helper's end later */
#define UNITS_MOST     ((uint64_t)1 << 31) /* that one word of claims can count */

/*
 * A line that was in another processor costs some 50 to 200 ns, more than a chunk: so there are
 * few.  Who helps reads a slot, the first line here, and writes a home; the owner writes those when
 * it begins, and the word that thieves look at, and asks for all of them at once (fetch_lines).
 */
struct claimed {
	/* line: set when it begins, but for the error; all read it */
	_Alignas(SKUAI_LINE) uint64_t lo;
	uint64_t hi;
	uint64_t unit; /* so many indices at a time are claimed */
	int64_t deadline;
	struct skua_group *group;
	struct skuai_claims claims; /* of units */
	uint32_t units;		    /* in all */
	_Atomic int32_t error;	    /* the first; then no chunk begins */
	/* line: seldom looked at */
	const struct skuai_work *work;
	_Atomic uint64_t gap; /* the least index of a chunk that failed; UINT64_MAX: none did */
	/* lines: whoever lives there */
	struct skuai_home homes[SKUAI_CLAIMS_HOMES];
};
static_assert(offsetof(struct claimed, work) == 64, "all that is read often is in one line");

/* What stands in the slot of a fork that says "help"; and then. */
struct help_args {
	struct claimed *loop;
	uint64_t chunk;
	uint64_t grain;
	skua_loop_body *body;
	void *argument;
} __attribute__((may_alias));
static_assert(sizeof(struct help_args) <= SKUA_PAYLOAD_BYTES, "it fits");

struct help_result {
	uint64_t count; /* indices done */
	uint64_t ticks; /* that it took, all who helped in turn together */
	uint64_t end;	/* ticks when the last chunk ended, */
	uint64_t away;	/* and how long it had been at what it took from others */
} __attribute__((may_alias));

static struct help_args *help_args_of(struct skua_slot *slot)
{
	return (struct help_args *)(void *)slot->payload;
}

static struct help_result *help_result_of(struct skua_slot *slot)
{
	return (struct help_result *)(void *)slot->payload;
}

/* One of those who work on it. */
struct claimer {
	struct claimed *loop;
	skua_loop_body *body;
	void *argument;
	struct skuai_pace pace;
	unsigned home;
	struct skuai_claims_size size;
	uint64_t count;	     /* indices done, by those who helped too */
	uint64_t began;	     /* ticks when its first chunk did; 0: not yet */
	uint64_t help;	     /* ticks that those who helped worked, */
	uint64_t help_count; /* indices that they did, */
	uint64_t help_end;   /* ticks when the last one's last chunk ended, */
	uint64_t help_away;  /* and what of those they were at what they took from us */
	uint64_t left_home;  /* ticks when nothing was left at home; 0: not yet */
	bool was_helped;
	bool is_owner;
	struct skua_slot *offered;     /* the owner's first "help"; NULL: none */
	const struct claimer *outer;   /* of the same thread, which waits in a body of that loop */
	struct skuai_profile_fan *fan; /* NULL: it was not profiled when it began */
};

/* Field by field: an initializer becomes a loop in microcode, 30 ns. */
static void claimer_begin(struct claimer *self, const struct help_args *args, bool is_owner)
{
	self->loop = args->loop;
	self->body = args->body;
	self->argument = args->argument;
	self->pace = (struct skuai_pace){ .chunk = args->chunk, .grain = args->grain };
	self->count = 0;
	self->began = 0;
	self->help = 0;
	self->help_count = 0;
	self->help_away = 0;
	self->left_home = 0;
	self->was_helped = false;
	self->is_owner = is_owner;
	self->offered = NULL;
}

static void live_in(struct claimer *self)
{
	const struct claimed *loop = self->loop;
	bool is_shared = loop->claims.count > 1;

	self->home = skuai_self->number % loop->claims.count;
	self->size.spare = is_shared ? loop->claims.spare : UINT32_MAX;
	if (loop->claims.spare == SPARE_CALM)
		self->pace.extra = skuai_ticks_of_us(EXTRA_CALM_US);
	self->size.least = is_shared ? loop->units / LEAST_PART : loop->units;
}

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

/* Units of the next chunk, from *first on; 0: none. */
static uint32_t claim(struct claimer *self, uint32_t *first)
{
	struct claimed *loop = self->loop;
	uint64_t chunk = self->pace.chunk / loop->unit;

	self->size.chunk = chunk < UINT32_MAX ? (uint32_t)chunk : UINT32_MAX;
	uint32_t count = skuai_claims_front(&loop->homes[self->home], &self->size, first);
	if (count)
		return count;
	if (!self->left_home)
		self->left_home = self->pace.before;
	self->size.is_alone = self->offered && !skuai_forks_is_taken(self->offered);
	return skuai_claims_bring(&loop->claims, self->home, &self->size, first);
}

/* Claim a chunk and run it.  False: nothing is left, or the loop stops. */
static bool claim_and_run(struct skua_slot *here, struct claimer *self)
{
	struct claimed *loop = self->loop;
	uint32_t first;

	if (skuai_must_stop(loop->deadline, loop->group, &loop->error))
		return false;
	uint32_t count = claim(self, &first);
	if (!count)
		return false;
	uint64_t lo = loop->lo + first * loop->unit;
	uint64_t hi = first + count < loop->units ? lo + count * loop->unit : loop->hi;
	int error = self->body(here, lo, hi, self->argument);
	if (error) {
		skuai_stop_with(&loop->error, error);
		leave_gap(loop, lo);
		return false;
	}
	self->count += hi - lo;
	skuai_pace_step(&self->pace, hi - lo);
	if (self->fan) /* a profile sees a chunk as one: so no longer ones */
		skuai_profile_fan_chunk(skuai_self, self->fan);
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
	*help_args_of(*above) = (struct help_args){ .loop = self->loop,
						    .chunk = self->pace.chunk,
						    .grain = self->pace.grain,
						    .body = self->body,
						    .argument = self->argument };
	if (self->is_owner && !self->offered && self->loop->claims.count > 1) {
		self->offered = *above;
		skuai_fork_given(above, help);
	} else {
		skua_slot_fork(above, help);
	}
	return true;
}

/*
 * Nothing is left to claim.  Who helps is at its last chunk: we look for a while before we join,
 * which would ask it for other work and write lines that it needs.
 */
static void await_help(struct skua_slot *slot)
{
	uint64_t began = skuai_ticks(), most = skuai_ticks_of_us(AWAIT_US);

	skuai_forks_fetch(slot);
	while (skuai_forks_is_taken(slot) && !skuai_forks_is_done(slot) &&
	       skuai_ticks() - began < most)
		skuai_relax();
}

static void end_help(struct skua_slot **above, struct skua_slot *slot, struct claimer *self)
{
	await_help(slot);
	if (!skua_slot_join(above, slot))
		return;
	self->was_helped = true;
	self->count += help_result_of(slot)->count;
	self->help_count += help_result_of(slot)->count;
	self->help_end = help_result_of(slot)->end;
	self->help_away += help_result_of(slot)->away;
	self->help += help_result_of(slot)->ticks;
}

static void work_along(struct skua_slot *here, struct claimer *self)
{
	struct skua_slot *slot = here, *above = here;
	bool may_offer = self->is_owner || self->loop->claims.count > 2; /* else nobody is left */
	bool is_offering = may_offer && offer_help(&above, self);

	skuai_pace_resume(&self->pace);
	if (!self->began)
		self->began = self->pace.before;
	while (claim_and_run(above, self)) {
		if (!skuai_is_wanted(above))
			continue;
		if (is_offering && skuai_forks_is_gone(slot)) {
			end_help(&above, slot, self);
			is_offering = offer_help(&above, self);
		} else if (!may_offer || (is_offering && !skuai_forks_is_taken(slot)) ||
			   !is_help_welcome(self, above)) {
			skuai_offer(above);
		} else {
			work_along(above, self); /* as deep as there are others who help us */
			break;
		}
	}
	if (is_offering)
		end_help(&above, slot, self);
}

/* Ticks that it was at what it took from another's home. */
static uint64_t away_of(const struct claimer *self)
{
	return self->left_home ? self->pace.before - self->left_home : 0;
}

static void take_part(struct skua_slot *here, struct claimer *self)
{
	struct skuai_profile_fan fan;

	self->outer = claiming;
	claiming = self;
	self->fan = skuai_self->profiler ? &fan : NULL;
	if (self->fan)
		skuai_profile_fan_begin(skuai_self, &fan, skuai_work_key(self->loop->work));
	work_along(here, self);
	if (self->fan)
		skuai_profile_fan_end(skuai_self, &fan);
	claiming = self->outer;
}

/*
 * What a thief runs.  Not one that waits in a body of this very loop: each body that it ran
 * meanwhile might wait in turn, and so on as deep as there are indices.
 */
static void help(struct skua_slot *here, struct skua_slot *slot)
{
	struct claimer self;

	claimer_begin(&self, help_args_of(slot), false);
	live_in(&self);
	*help_result_of(slot) = (struct help_result){ 0 };
	if (is_claiming(self.loop))
		return;
	if (skuai_is_watched(skuai_self)) /* skuai_task_is would read loop->work in any case */
		skuai_watch_name(skuai_self, skuai_work_key(self.loop->work));
	take_part(here, &self);
	*help_result_of(slot) = (struct help_result){
		.count = self.count,
		.ticks = self.pace.before - self.began + self.help,
		.end = self.pace.before,
		.away = away_of(&self),
	};
	skuai_self->was_loop = true;
	skuai_self->loop = self.loop;
	skuai_self->loop_home = &self.loop->homes[self.home];
}

static unsigned homes_wanted(void)
{
	unsigned workers = skuai_self->pool->count;

	return workers < SKUAI_CLAIMS_HOMES ? workers : SKUAI_CLAIMS_HOMES;
}

/* The owner is about to write these. */
static void fetch_lines(struct claimed *loop, const struct skua_slot *here)
{
	skuai_fetch_to_write(loop);
	for (unsigned i = 0; i < homes_wanted(); i++)
		skuai_fetch_to_write(&loop->homes[i]);
	skuai_fetch_to_write(here);
	skuai_forks_fetch(here);
}

/* As much from lo on, before hi, as can be claimed from words of 32 bits for each end. */
static void open_window(struct claimed *loop, const struct skuai_run *run, uint64_t lo, uint64_t hi,
			uint64_t chunk)
{
	uint64_t unit = chunk / UNITS_IN_CHUNK > run->grain ? chunk / UNITS_IN_CHUNK : run->grain;
	uint64_t units = (hi - lo - 1) / unit + 1;

	if (units > UNITS_MOST) {
		units = UNITS_MOST;
		hi = lo + units * unit;
	}
	loop->lo = lo;
	loop->hi = hi;
	loop->unit = unit;
	loop->units = (uint32_t)units;
	loop->deadline = run->deadline;
	loop->group = run->group;
	/* order claims.begin.1: relaxed, nobody else knows of it yet */
	skua_store(&loop->error, 0, relaxed);
	loop->claims.homes = loop->homes;
	loop->claims.count = homes_wanted();
	loop->claims.spare = loop->claims.count == 2 && skuai_habit_is_calm(run->habit, loop->units)
				     ? SPARE_CALM
				     : SPARE;
	loop->work = run->work;
	/* order claims.gap.3: relaxed, nobody else knows of it yet */
	skua_store(&loop->gap, UINT64_MAX, relaxed);
}

/* The first unit that nobody claimed, or failed. */
static uint64_t first_left(struct claimed *loop)
{
	/* order claims.gap.4: relaxed, all who helped have been joined */
	uint64_t first = skua_load(&loop->gap, relaxed);

	for (unsigned i = 0; i < loop->claims.count; i++) {
		uint64_t left = skuai_claims_left(&loop->claims, i);
		uint64_t at = loop->lo + skuai_claims_first(left) * loop->unit;
		if (skuai_claims_count(left) && at < first)
			first = at;
	}
	return first < loop->hi ? first : loop->hi;
}

/* Two have done the whole loop: the next is divided where they met. */
static void learn(const struct claimer *self, uint32_t own, struct skuai_habit *habit)
{
	const struct claimed *loop = self->loop;
	const struct skuai_meeting met = {
		.count = loop->units,
		.own = own,
		/* Whatever one took it would have done later, and the other sooner. */
		.late = (int64_t)(self->help_end + skuai_ticks_of_us(1) / LINE_PART -
				  self->pace.before + 2 * (away_of(self) - self->help_away)),
		.took = self->pace.before - self->began,
		.own_each = self->pace.count ? self->pace.took * loop->unit / self->pace.count : 0,
		.help_each = self->help * loop->unit / self->help_count,
	};

	skuai_habit_learn(habit, &met);
}

/* The first index that is not done. */
static uint64_t run_window(struct skua_slot *here, struct skuai_run *run, struct claimer *self)
{
	struct claimed *loop = self->loop;
	uint64_t before = self->count, count = loop->hi - loop->lo;
	uint32_t own = skuai_habit_own(run->habit, loop->units);

	self->offered = NULL;
	live_in(self);
	skuai_claims_open(&loop->claims, self->home, loop->units, own);
	take_part(here, self);
	if (self->count - before == count) {
		if (self->help_count && !before && loop->claims.count == 2 && loop->units > 1)
			learn(self, own, run->habit);
		return loop->hi; /* without another look at where helpers live */
	}
	/* order claims.end.1: relaxed, all who helped have been joined */
	int32_t error = skua_load(&loop->error, relaxed);
	if (error)
		skuai_run_stop(run, error);
	return first_left(loop);
}

uint64_t skuai_claims_run(struct skua_slot *here, struct skuai_run *run, uint64_t lo, uint64_t hi,
			  uint64_t chunk, struct skua_reach *reach)
{
	struct claimed loop;
	struct claimer self;
	bool is_whole;

	fetch_lines(&loop, here);
	claimer_begin(&self,
		      &(struct help_args){ .loop = &loop,
					   .chunk = chunk,
					   .grain = run->grain,
					   .body = run->work->body,
					   .argument = run->work->argument },
		      true);
	do {
		open_window(&loop, run, lo, hi, self.pace.chunk);
		lo = run_window(here, run, &self);
		is_whole = lo == loop.hi;
	} while (is_whole && lo < hi);
	reach->first = lo;
	reach->count += self.count;
	return self.was_helped ? self.pace.before - self.began + self.help : 0;
}
