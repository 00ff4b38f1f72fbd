/* SPDX-License-Identifier: MIT */
/* split.c — a range of indices worked off by whoever is idle: what all algorithms stand on */
#include "par/split.h"

#include "base/alloc.h"
#include "base/atomic.h"
#include "par/pace.h"
#include "par/running.h"
#include "sched/visit.h"
#include "sched/watch.h"
#include "sched/worker.h"

#include <skua/error.h>
#include <skua/fork.h>

#include <string.h>

/*
 * A loop that folds nothing is worked off by claims (claims.c).  One with results is split:
 *
 * Whoever has a part of the loop forks the back half of it and works off the front, a chunk at a
 * time:
 *
 *	lo       chunk  chunk  chunk ...        mid                      hi
 *	 [ done ][      ][      ][               ][   on offer: a fork     ]
 *
 * Nobody took the back half: it is taken back, and the same goes on there, with no more cost than
 * an unstolen fork; so there are about log2(chunks) forks, not one for each chunk.  Somebody took
 * it: that one does the same with its part.  When more is wanted, the bound that every fork looks
 * at has been lowered (sched/forks.c); this is looked at after each chunk, and then what is left of
 * the front is split in turn, or what waits already is shared.  The fork that answers shares the
 * oldest that waits: an outer loop is split before an inner one.  An owner in a long body does not
 * look; its back half is taken by force.
 *
 * A loop that was short the last time is begun before anything is offered: one of a microsecond
 * ends there, and nobody was woken for it.  Others are on offer from the start, since their first
 * index may take a second.
 *
 * Partial results.  The front of a part, and a back half that was taken back, are folded into the
 * result of the part itself.  A thief has one of its own, which is merged after: in order, and one
 * merge for each theft.  Stable loops are a tree of parts instead, each with a result of its own,
 * whose shape follows from the number of indices.
 */

#define SHORT_US    5	 /* a loop that takes no longer is short */
#define START_COUNT 4	 /* indices that a short one begins with, */
#define SAMPLE	    16	 /* or one in so many: arbitrary */
#define SURE	    4	 /* times shorter than that it must be, */
#define SURE_CALLS  64	 /* in so many calls, one after the other, */
#define SURE_LOOKS  16	 /* until only one in so many is timed */
#define ROOM	    64	 /* bytes for a result in the frame of whoever forked */
#define LEAVES	    256	 /* of a stable tree, if they are not too large then */
#define LEAF_MOST   4096 /* indices */

/* Indices, and where they are folded into. */
struct part {
	struct skuai_run *loop;
	uint64_t lo, hi; /* lo moves: all before it are done */
	uint64_t count;	 /* done, in all */
	uint64_t chunk;	 /* to begin with; stable: of a leaf */
	void *into;
	bool was_refused;			 /* by a thief that had no memory */
	bool was_helped;			 /* somebody took a part of it, */
	bool was_little_help;			 /* but it took as long as it would have alone */
	_Alignas(ROOM) unsigned char room[ROOM]; /* aligned for any vector */
};

/* What stands in the slot of a fork. */
struct part_args {
	struct part *part;
} __attribute__((may_alias));

static struct part_args *part_args_of(struct skua_slot *slot)
{
	return (struct part_args *)(void *)slot->payload;
}

/* Its room is not cleared: a loop of a microsecond would feel it. */
static void part_begin(struct part *part, struct skuai_run *loop, uint64_t lo, uint64_t hi,
		       uint64_t chunk, void *into)
{
	part->loop = loop;
	part->lo = lo;
	part->hi = hi;
	part->count = 0;
	part->chunk = chunk;
	part->into = into;
	part->was_refused = false;
	part->was_helped = false;
	part->was_little_help = false;
}

/* --- partial results --- */

static bool has_results(const struct skuai_run *loop)
{
	return loop->work->fold;
}

static void begin_result(struct skuai_run *loop, void *into)
{
	const struct skua_fold *fold = loop->work->fold;

	if (fold->init)
		fold->init(into, loop->work->argument);
	else
		memset(into, 0, fold->bytes);
}

/* Room for a result of its own.  False: no memory. */
static bool open_result(struct part *part)
{
	size_t bytes = part->loop->work->fold->bytes;
	part->into = bytes <= ROOM ? part->room : skuai_alloc_aligned(1, bytes, ROOM);
	if (part->into)
		begin_result(part->loop, part->into);
	return part->into;
}

/* The back half is done as far as it will be: it becomes a part of the whole again. */
static void close_result(struct part *part, struct part *back, uint64_t mid)
{
	if (part->lo == mid)
		part->lo = back->lo;
	part->count += back->count;
	part->was_helped = true;
	const struct skuai_work *work = part->loop->work;
	work->fold->merge(part->into, back->into, work->argument);
	if (back->into != back->room)
		skuai_free(back->into);
}

/* --- parts --- */

/* One chunk at the front.  False: the loop stops. */
static bool run_chunk(struct skua_slot *here, struct part *part, uint64_t count)
{
	const struct skuai_work *work = part->loop->work;
	uint64_t lo = part->lo, hi = lo + count;

	if (skuai_run_must_stop(part->loop))
		return false;
	int error = work->body ? work->body(here, lo, hi, work->argument)
			       : work->fold->body(here, lo, hi, part->into, work->argument);
	if (error) {
		skuai_run_stop(part->loop, error);
		return false;
	}
	part->lo = hi;
	part->count += count;
	return true;
}

static bool run_paced(struct skua_slot *here, struct part *part, struct skuai_pace *pace,
		      uint64_t count)
{
	if (!run_chunk(here, part, count))
		return false;
	skuai_pace_step(pace, count);
	return true;
}

/* Are there two chunks left, or what may turn out to be two? */
static bool has_two_chunks(const struct part *part, const struct skuai_pace *pace, uint64_t hi)
{
	return hi - part->lo > skuai_pace_next(pace, hi - part->lo);
}

static void run_part(struct skua_slot *here, struct part *part, struct skuai_pace *pace,
		     uint64_t hi);

/* The front of a part: chunk after chunk, and split in turn when somebody wants more. */
static void run_front(struct skua_slot *here, struct part *part, struct skuai_pace *pace,
		      uint64_t hi)
{
	skuai_pace_resume(pace);
	while (part->lo < hi && run_paced(here, part, pace, skuai_pace_next(pace, hi - part->lo))) {
		if (!skuai_is_wanted(here))
			continue;
		if (has_two_chunks(part, pace, hi) && skuai_forks_has_room(here, 1)) {
			run_part(here, part, pace, hi);
			return;
		}
		skuai_offer(here);
	}
}

/* What a thief runs. */
static void run_stolen(struct skua_slot *here, struct skua_slot *slot)
{
	struct part *part = part_args_of(slot)->part;
	struct skuai_pace pace = { .chunk = part->chunk, .grain = part->loop->grain };

	skuai_task_is(skuai_self, skuai_work_key(part->loop->work));
	part->was_refused = !open_result(part);
	if (!part->was_refused)
		run_part(here, part, &pace, part->hi);
}

/* Work off a part up to hi; all of it is done if part->lo is hi then. */
static void run_part(struct skua_slot *here, struct part *part, struct skuai_pace *pace,
		     uint64_t hi)
{
	while (has_two_chunks(part, pace, hi) && skuai_forks_has_room(here, 1)) {
		uint64_t mid = part->lo + (hi - part->lo) / 2;
		struct part back;
		part_begin(&back, part->loop, mid, hi, pace->chunk, part->into);
		struct skua_slot *slot = here, *above = here;
		part_args_of(slot)->part = &back;
		skua_slot_fork(&above, run_stolen);
		run_front(above, part, pace, mid);
		bool is_stolen = skua_slot_join(&above, slot) && !back.was_refused;
		if (is_stolen)
			close_result(part, &back, mid);
		if (is_stolen || part->lo != mid)
			return;
	}
	run_front(here, part, pace, hi);
}

/* --- stable --- */

static void run_tree(struct skua_slot *here, struct part *part);

static void run_branch(struct skua_slot *here, struct skua_slot *slot)
{
	struct part *part = part_args_of(slot)->part;

	skuai_task_is(skuai_self, skuai_work_key(part->loop->work));
	run_tree(here, part);
}

/* The same tree for the same indices, whoever runs which part of it. */
static void run_tree(struct skua_slot *here, struct part *part)
{
	uint64_t count = part->hi - part->lo, mid = part->lo + count / 2;

	if (skuai_run_must_stop(part->loop))
		return;
	if (count <= part->chunk) {
		run_chunk(here, part, count);
		return;
	}
	struct part front = *part, back = *part;
	front.hi = back.lo = mid;
	if (!open_result(&back)) {
		skuai_run_stop(part->loop, SKUA_ENOMEM);
		return;
	}
	front.into = part->into;
	if (here && skuai_forks_has_room(here, 1)) {
		struct skua_slot *slot = here, *above = here;
		part_args_of(slot)->part = &back;
		skua_slot_fork(&above, run_branch);
		run_tree(above, &front);
		if (!skua_slot_join(&above, slot))
			run_tree(here, &back);
	} else {
		run_tree(here, &front);
		run_tree(here, &back);
	}
	part->lo = front.lo;
	part->count = front.count;
	close_result(part, &back, mid);
}

static uint64_t leaf_of(uint64_t count, uint64_t grain)
{
	uint64_t leaf = count / LEAVES < LEAF_MOST ? count / LEAVES : LEAF_MOST;

	return leaf < grain ? grain : leaf < 1 ? 1 : leaf;
}

/* --- the whole --- */

/* Loops that this thread began lately. */
struct known_loop {
	uintptr_t key;		  /* 0: none */
	uint32_t short_count;	  /* indices it had when it was short; 0: it was not */
	uint32_t sure_calls;	  /* in a row that were surely short */
	struct skuai_habit habit; /* how it is divided between two */
};
static _Thread_local struct known_loop known_loops[16];

/* Where what is known of a loop with this key is, unless something is known of another there. */
static struct known_loop *where_known(uintptr_t key)
{
	return &known_loops[(key >> 4) % (sizeof(known_loops) / sizeof(known_loops[0]))];
}

static struct known_loop *know(uintptr_t key)
{
	struct known_loop *known = where_known(key);

	if (known->key != key)
		*known = (struct known_loop){ .key = key };
	return known;
}

/* Without results, and not much longer than when it was short. */
static bool is_known_short(const struct skuai_work *work, uint64_t lo, uint64_t hi)
{
	uintptr_t key = skuai_work_key(work);
	const struct known_loop *known = where_known(key);

	return work->body && lo < hi && known->key == key && known->short_count &&
	       (hi - lo) / 2 <= known->short_count;
}

/*
 * A loop without results or wishes, by a worker, that was short the last time.  A sample of it says
 * whether it still is: three looks at the clock and a loop in two pieces, some 60 ns.  To one of
 * 100 ns that is much, so of those that were very short many times in a row most are not timed, and
 * the others in one piece.  The price: after 64 cheap calls up to sixteen dear ones find no help.
 * Up to *lo it is done; if that is not all, it is not short any more.
 */
static int run_short(struct skua_slot *here, const struct skuai_work *work, uint64_t *lo,
		     uint64_t hi)
{
	struct known_loop *known = where_known(skuai_work_key(work));
	bool is_sure = known->sure_calls >= SURE_CALLS;
	uint64_t first = *lo, count = is_sure ? hi - first : (hi - first - 1) / SAMPLE + 1;
	uint64_t left = hi - first - count;

	if (is_sure && ++known->sure_calls % SURE_LOOKS) {
		*lo = hi;
		return work->body(here, first, hi, work->argument);
	}
	uint64_t began = skuai_ticks(), least = skuai_ticks_of_us(SHORT_US);
	int error = work->body(here, first, first + count, work->argument);
	uint64_t took = skuai_ticks() - began;
	*lo += count;
	if (!error && left && took * (left / count + 1) < least) {
		error = work->body(here, *lo, hi, work->argument);
		took = skuai_ticks() - began;
		*lo = hi;
	}
	if (known->key != skuai_work_key(work))
		return error; /* a body began a loop that needed the same place */
	if (took >= least || *lo < hi)
		known->short_count = 0;
	known->sure_calls = took < least / SURE && *lo == hi ? known->sure_calls + 1 : 0;
	return error;
}

/* A chunk where nobody will help, or all that is left. */
static uint64_t alone_count(const struct skuai_pace *pace, const struct part *part)
{
	return part->hi - part->lo < pace->chunk ? part->hi - part->lo : pace->chunk;
}

/* With whoever is idle. */
static void run_together(struct skua_slot *here, struct part *part, struct skuai_pace *pace)
{
	struct skua_reach reach = { .count = part->count };

	if (has_results(part->loop)) {
		run_part(here, part, pace, part->hi);
		return;
	}
	uint64_t began = skuai_ticks();
	uint64_t worked = skuai_claims_run(here, part->loop, part->lo, part->hi, pace->chunk,
					   &reach);
	part->lo = reach.first;
	part->count = reach.count;
	skuai_pace_resume(pace);
	part->was_helped = worked;
	part->was_little_help = pace->before - began >= worked;
}

/* At a place in the pool; or at none (NULL), where there is no pool. */
static void run_whole(struct skua_slot *here, void *argument)
{
	struct part *part = argument;
	struct skuai_run *loop = part->loop;
	uint64_t began = skuai_ticks(), least = skuai_ticks_of_us(SHORT_US), end = began + least;
	struct skuai_pace pace = { .chunk = loop->grain, .grain = loop->grain, .before = began };
	uintptr_t key = skuai_work_key(loop->work);
	struct known_loop *known = know(key);
	uint64_t indices = part->hi - part->lo;
	struct skuai_habit habit = known->habit; /* the body may need its place for another */

	loop->habit = &habit;
	if (known->short_count) {
		pace.chunk = loop->grain > START_COUNT ? loop->grain : START_COUNT;
		while (part->lo < part->hi && pace.before < end)
			if (!run_paced(here, part, &pace, alone_count(&pace, part)))
				return;
	}
	if (here && part->lo < part->hi)
		run_together(here, part, &pace);
	while (part->lo < part->hi && run_paced(here, part, &pace, alone_count(&pace, part)))
		;
	bool is_short = part->was_helped ? part->was_little_help && pace.before < end + least
					 : pace.before < end;
	*know(key) = (struct known_loop){
		.key = key,
		.short_count = !is_short	      ? 0
			       : indices < UINT32_MAX ? (uint32_t)indices
						      : UINT32_MAX,
		.habit = habit,
	};
}

static void run_whole_tree(struct skua_slot *here, void *argument)
{
	run_tree(here, argument);
}

bool skuai_loop_options_are_valid(const struct skua_loop_options *options)
{
	return !options || (options->size == sizeof(*options) && options->deadline >= 0 &&
			    options->priority >= SKUA_PRIORITY_NORMAL &&
			    options->priority <= SKUA_PRIORITY_LOW);
}

int skuai_split(struct skua_pool *pool, uint64_t lo, uint64_t hi, const struct skuai_work *work,
		const struct skua_loop_options *options)
{
	static const struct skua_loop_options usual = { .size = sizeof(usual) };

	if (!options) {
		struct skua_slot *here = is_known_short(work, lo, hi) ? skuai_place_in(pool) : NULL;
		int error = here ? run_short(here, work, &lo, hi) : SKUA_OK;
		if (here && (error || lo == hi))
			return error;
		options = &usual;
	}
	struct skuai_run loop = { .work = work,
				  .grain = options->grain ? options->grain : 1,
				  .deadline = options->deadline ? options->deadline
								: SKUAI_NO_DEADLINE,
				  .group = options->group };
	struct part part;
	int error = SKUA_OK;

	part_begin(&part, &loop, lo, hi, 0, work->result);
	if (has_results(&loop))
		begin_result(&loop, work->result);
	if (lo < hi && options->is_stable && has_results(&loop)) {
		part.chunk = leaf_of(hi - lo, loop.grain);
		error = skuai_visit_anyhow(pool, options->priority, run_whole_tree, &part);
	} else if (lo < hi) {
		error = skuai_visit_anyhow(pool, options->priority, run_whole, &part);
	}
	if (options->reach)
		*options->reach = (struct skua_reach){ .first = part.lo, .count = part.count };
	/* order split.end.1: relaxed, everybody else is done with it */
	return error ? error : skua_load(&loop.error, relaxed);
}

unsigned skuai_split_width(struct skua_pool *pool)
{
	unsigned width = skua_pool_workers(!pool && skuai_self ? skuai_self->pool : pool);

	return width ? width : 1;
}

struct skua_pool *skuai_split_hold(struct skua_pool *pool)
{
	int error;

	if (skuai_self && (!pool || pool == skuai_self->pool))
		return NULL;
	pool = skuai_pool_of(pool, &error);
	return pool && skuai_pool_enter(pool) ? pool : NULL;
}

void skuai_split_release(struct skua_pool *held)
{
	if (held)
		skuai_pool_leave(held);
}
