/* SPDX-License-Identifier: MIT */
/* blocks.c — blocks of an array, each of which needs what those before it came to */
#include "par/blocks.h"

#include "base/alloc.h"
#include "base/atomic.h"
#include "par/pace.h"
#include "par/split.h"
#include "sched/visit.h"
#include "sched/worker.h"

#include <skua/error.h>
#include <skua/fork.h>

#include <string.h>

/*
 * The calling thread begins alone, as a plain loop would.  What is done in a few microseconds never
 * sees the pool; else the rest is cut into blocks of some tens of microseconds, if they are small
 * enough then to stay in a cache.
 *
 * Whoever takes part claims the next block, in order.  A token goes from block to block with what
 * is carried along.  Is it there already: the block is done in one go, and the token moves on.  Is
 * it not: the block is done ahead, as far as that can be, and finished when the token has come by,
 * soon after, so that it is still in the cache:
 *
 *	state     meaning                                    moved by
 *	FRESH     no token yet, nothing done                 -
 *	AWAITED   the token is here, for who claims it       who had the token (blocks.carry.1)
 *	AHEAD     done ahead, the token is not here          who claimed it (blocks.ahead.1)
 *	PASSED    done ahead, the token came by              who has the token (blocks.pass.1)
 *	DONE                                                 who claimed it, or had the token
 *
 * FRESH is left once, by one compare-and-swap of two: either the token comes first, and is taken on
 * by whoever did the block ahead, or the block is done first, and whoever has the token takes it
 * along.  So nobody ever waits for anybody: a thread that loses its processor with the token in its
 * hands only turns the others' work into two passes.  What was not finished on the way is done at
 * the end.  One worker does each block in one go: one pass.  Two did a third of them like that
 * where this was measured, and read the others twice, the second time from a cache.
 *
 * This is the decoupled look-back of Merrill and Garland ("Single-pass Parallel Prefix Scan with
 * Decoupled Look-back", 2016), except that nobody looks back: there may be no processor for those
 * one would wait for.
 */

#define BLOCKS_ALONE_US 5		    /* the caller begins alone for so long */
#define BLOCK_BYTES	((size_t)64 * 1024) /* and is so large: in and out fit in an L2 cache */
#define BLOCK_US	32 /* a block takes so long at most, if all cost the same */
#define BLOCK_SHARES	4  /* blocks for each worker, if they take a microsecond then */
#define BLOCKS_CHEAP	64 /* elements to begin with if they were known to cost little */
#define BLOCKS_KNOWN	64 /* a chunk of so many says so: one takes some 30 ns at most */
#define BLOCKS_DEPTH	16 /* arbitrary; forks of one who takes part */
#define BLOCKS_PENDING	8  /* blocks that a thread did ahead and will come back to */

enum block_state {
	BLOCK_FRESH,
	BLOCK_AWAITED,
	BLOCK_AHEAD,
	BLOCK_PASSED,
	BLOCK_DONE,
};

/* Rooms of somebody who took part; freed at the end, since the last blocks may still be there. */
struct block_rooms {
	struct block_rooms *older;
	_Alignas(64) unsigned char room[];
};

struct blocks_course {
	const struct skuai_blocks *blocks;
	size_t first;  /* element of the first block */
	size_t length; /* of a block, in elements */
	size_t count;  /* of blocks */
	_Atomic uint32_t *states;
	_Alignas(64) _Atomic size_t next;	 /* block to be claimed */
	_Alignas(64) _Atomic size_t done;	 /* blocks; each adds its own when it leaves */
	_Atomic(struct block_rooms *) all_rooms; /* the newest */
};

/* What somebody who takes part has begun. */
struct blocks_hand {
	struct blocks_course *course;
	size_t pending[BLOCKS_PENDING]; /* blocks, the oldest at [oldest % BLOCKS_PENDING] */
	size_t oldest, newest;
	struct block_rooms *rooms; /* one for each pending block */
	bool was_refused;	   /* no memory for rooms */
	size_t done;
};

/* --- blocks --- */

static struct skuai_span block_span(const struct blocks_course *course, size_t number)
{
	size_t lo = course->first + number * course->length;
	size_t left = course->blocks->count - lo;

	return (struct skuai_span){
		.lo = lo,
		.hi = lo + (left < course->length ? left : course->length),
		.number = number,
	};
}

static void block_set_done(struct blocks_course *course, size_t number)
{
	/* order blocks.done.1: relaxed, who reads it after us joined us first */
	skua_store(&course->states[number], BLOCK_DONE, relaxed);
}

/* A block was done ahead, and the token is ours and there.  True: it is done. */
static bool block_pass(struct blocks_course *course, size_t number)
{
	struct skuai_span span = block_span(course, number);

	return course->blocks->way->pass(course->blocks->job, &span);
}

static void block_finish(struct blocks_course *course, size_t number)
{
	struct skuai_span span = block_span(course, number);

	course->blocks->way->finish(course->blocks->job, &span);
	block_set_done(course, number);
}

/* The token is ours: put it down at the first block from here on that is not done ahead. */
static size_t token_carry(struct blocks_course *course, size_t number)
{
	size_t done = 0;

	for (; number < course->count; number++) {
		uint32_t state = BLOCK_FRESH;
		/* order blocks.carry.1: release, pairs blocks.claim.1 and blocks.ahead.1; whoever
		 * takes the token on sees what is carried; acquire on failure, pairs
		 * blocks.ahead.1: what was done ahead is seen */
		if (skua_cas(&course->states[number], &state, BLOCK_AWAITED, release, acquire))
			break;
		bool is_done = block_pass(course, number);
		done += is_done;
		/* order blocks.pass.1: release, pairs blocks.pending.1; what was noted is seen */
		skua_store(&course->states[number], is_done ? BLOCK_DONE : BLOCK_PASSED, release);
	}
	return done;
}

/* --- rooms --- */

static size_t block_room_bytes(const struct blocks_course *course)
{
	return (course->length * course->blocks->bytes + 63) & ~(size_t)63;
}

/* Room for the next block; NULL: none, or none is wanted. */
static void *block_room(struct blocks_hand *hand)
{
	struct blocks_course *course = hand->course;

	if (!course->blocks->has_rooms || hand->newest - hand->oldest == BLOCKS_PENDING)
		return NULL;
	if (!hand->rooms && !hand->was_refused) {
		hand->rooms = skuai_alloc_aligned(
			1, sizeof(struct block_rooms) + BLOCKS_PENDING * block_room_bytes(course),
			64);
		hand->was_refused = !hand->rooms;
		if (hand->rooms) {
			/* order blocks.rooms.1: relaxed, .2 says if it was the newest */
			hand->rooms->older = skua_load(&course->all_rooms, relaxed);
			/* order blocks.rooms.2: relaxed, freed after everybody was joined */
			while (!skua_cas_weak(&course->all_rooms, &hand->rooms->older, hand->rooms,
					      relaxed, relaxed))
				continue;
		}
	}
	return hand->rooms ? hand->rooms->room +
				     hand->newest % BLOCKS_PENDING * block_room_bytes(course)
			   : NULL;
}

static void blocks_free_rooms(struct blocks_course *course)
{
	/* order blocks.free.1: relaxed, everybody was joined */
	struct block_rooms *rooms = skua_load(&course->all_rooms, relaxed);

	while (rooms) {
		struct block_rooms *older = rooms->older;
		skuai_free(rooms);
		rooms = older;
	}
}

/* --- taking part --- */

/* The token has not come yet.  Do what can be done, and see where it is then. */
static void block_do_ahead(struct blocks_hand *hand, size_t number)
{
	struct blocks_course *course = hand->course;
	struct skuai_span span = block_span(course, number);
	void *room = block_room(hand);
	uint32_t state = BLOCK_FRESH;

	course->blocks->way->ahead(course->blocks->job, &span, room);
	/* order blocks.ahead.1: release, pairs blocks.carry.1; who takes the token along sees what
	 * was done; acquire on failure, pairs blocks.carry.1: we see what is carried */
	if (skua_cas(&course->states[number], &state, BLOCK_AHEAD, release, acquire)) {
		/* Without a room it is done when the token comes by, or at the end. */
		if (hand->newest - hand->oldest < BLOCKS_PENDING &&
		    (room || !course->blocks->has_rooms))
			hand->pending[hand->newest++ % BLOCKS_PENDING] = number;
		return;
	}
	bool is_done = block_pass(course, number);
	hand->done += token_carry(course, number + 1); /* others may go on */
	if (!is_done)
		block_finish(course, number);
	else
		block_set_done(course, number);
	hand->done++;
}

static void block_do(struct blocks_hand *hand, size_t number)
{
	struct blocks_course *course = hand->course;

	/* order blocks.claim.1: acquire, pairs blocks.carry.1; with the token comes what is
	 * carried */
	if (skua_load(&course->states[number], acquire) != BLOCK_AWAITED) {
		block_do_ahead(hand, number);
		return;
	}
	struct skuai_span span = block_span(course, number);
	course->blocks->way->whole(course->blocks->job, &span);
	block_set_done(course, number);
	hand->done += 1 + token_carry(course, number + 1);
}

/* The token has come by some of the blocks that were done ahead. */
static void blocks_finish_pending(struct blocks_hand *hand)
{
	for (; hand->oldest != hand->newest; hand->oldest++) {
		size_t number = hand->pending[hand->oldest % BLOCKS_PENDING];
		/* order blocks.pending.1: acquire, pairs blocks.pass.1 */
		if (skua_load(&hand->course->states[number], acquire) != BLOCK_PASSED)
			return;
		block_finish(hand->course, number);
		hand->done++;
	}
}

static bool blocks_are_wanted(const struct skua_slot *here)
{
	/* order blocks.wanted.1: relaxed, as the look of a fork */
	return skua_load(&here->bounds->limit, relaxed) <= here;
}

static void blocks_take_part(struct skua_slot *here, struct blocks_hand *hand, unsigned depth);

static void blocks_take_part_and_leave(struct skua_slot *here, struct blocks_course *course)
{
	struct blocks_hand hand = { .course = course };

	blocks_take_part(here, &hand, 0);
	blocks_finish_pending(&hand);
	/* order blocks.leave.1: relaxed, a number, read after the joins */
	skua_add(&course->done, hand.done, relaxed);
}

/* What stands in the slot of a fork. */
struct blocks_args {
	struct blocks_course *course;
} __attribute__((may_alias));

static void blocks_join_in(struct skua_slot *here, struct skua_slot *slot)
{
	struct blocks_args *args = (struct blocks_args *)(void *)slot->payload;

	blocks_take_part_and_leave(here, args->course);
}

static bool blocks_are_left(struct blocks_course *course)
{
	/* order blocks.more.1: relaxed, a hint */
	return skua_load(&course->next, relaxed) < course->count;
}

/*
 * Claim block after block.  A fork that says "take part as well" is kept on offer; it is not joined
 * before there are no blocks left, so if nobody took it, nothing is left of it to do.
 */
static void blocks_take_part(struct skua_slot *here, struct blocks_hand *hand, unsigned depth)
{
	struct blocks_course *course = hand->course;
	struct skua_slot *slot = here, *above = here;
	bool is_over = false;

	((struct blocks_args *)(void *)slot->payload)->course = course;
	skua_slot_fork(&above, blocks_join_in);
	while (!is_over) {
		blocks_finish_pending(hand);
		/* order blocks.next.1: relaxed, a number; the block's state carries the rest */
		size_t number = skua_add(&course->next, 1, relaxed);
		is_over = number >= course->count;
		if (!is_over)
			block_do(hand, number);
		/* The next fork shares this one, and is on offer itself then. */
		if (depth < BLOCKS_DEPTH && blocks_are_wanted(above) && blocks_are_left(course) &&
		    skuai_forks_has_room(above, 1)) {
			blocks_take_part(above, hand, depth + 1);
			is_over = true;
		}
	}
	(void)skua_slot_join(&above, slot);
}

/* --- the rest --- */

static int blocks_finish_left(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct blocks_course *course = argument;

	(void)here;
	for (size_t number = (size_t)lo; number < hi; number++)
		/* order blocks.left.1: relaxed, everybody was joined */
		if (skua_load(&course->states[number], relaxed) == BLOCK_PASSED)
			block_finish(course, number);
	return SKUA_OK;
}

/* Everybody has left: do what was passed, but not finished. */
static void blocks_finish_all(struct blocks_course *course)
{
	/* order blocks.left.2: relaxed, everybody was joined */
	size_t left = course->count - skua_load(&course->done, relaxed);

	if (left > 2)
		skuai_blocks_each(NULL, course->count, blocks_finish_left, course,
				  SKUA_PRIORITY_NORMAL);
	else if (left > 0)
		blocks_finish_left(NULL, 0, course->count, course);
}

/* --- alone --- */

/* One go from lo on, before hi; blocks of a fixed length one by one. */
static void blocks_alone(const struct skuai_blocks *blocks, size_t lo, size_t hi)
{
	while (lo < hi) {
		size_t end = blocks->fixed && hi - lo > blocks->fixed ? lo + blocks->fixed : hi;
		struct skuai_span span = { .lo = lo, .hi = end, .number = SKUAI_NO_BLOCK };
		blocks->way->whole(blocks->job, &span);
		lo = end;
	}
}

/* What this thread found to cost little lately. */
static _Thread_local uintptr_t blocks_known_cheap[16];

/* Begin alone; how far it got.  *rate: the most elements that would have been done in BLOCK_US. */
static size_t blocks_begin(const struct skuai_blocks *blocks, uint64_t *rate)
{
	uintptr_t *known = &blocks_known_cheap[(blocks->who >> 4) % 16];
	bool is_cheap = *known == blocks->who;
	struct skuai_pace pace = { .chunk = is_cheap ? BLOCKS_CHEAP : 1, .grain = 1 };
	size_t lo = 0;

	skuai_pace_resume(&pace);
	uint64_t end = pace.before + skuai_ticks_of_us(BLOCKS_ALONE_US);
	/* A thread that loses its processor takes long once, but not three times. */
	for (unsigned chunks = 0; lo < blocks->count && (pace.before < end || chunks < 3);
	     chunks++) {
		size_t left = blocks->count - lo,
		       count = pace.chunk < left ? (size_t)pace.chunk : left;
		uint64_t before = pace.before;
		if (blocks->fixed && count % blocks->fixed && count < left)
			count += blocks->fixed - count % blocks->fixed;
		if (count > left)
			count = left;
		blocks_alone(blocks, lo, lo + count);
		lo += count;
		if (lo == blocks->count)
			break;
		skuai_pace_step(&pace, count);
		uint64_t did = count * skuai_ticks_of_us(BLOCK_US) / (pace.before - before + 1);
		*rate = did > *rate ? did : *rate;
	}
	bool was_dear = lo < blocks->count ? pace.chunk < BLOCKS_KNOWN : skuai_ticks() >= end;
	if (was_dear)
		*known = 0;
	else if (pace.chunk >= BLOCKS_KNOWN)
		*known = blocks->who;
	return lo;
}

/* Elements of a block, if so many are left: not too long, enough blocks for all, not too short. */
static size_t block_length(const struct skuai_blocks *blocks, size_t left, uint64_t rate,
			   unsigned width)
{
	size_t most = blocks->bytes < BLOCK_BYTES ? BLOCK_BYTES / blocks->bytes : 1;
	size_t wanted = rate < most ? (size_t)rate : most, share = left / width / BLOCK_SHARES;

	if (blocks->fixed)
		return blocks->fixed;
	if (share < wanted)
		wanted = share > wanted / BLOCK_US ? share : wanted / BLOCK_US;
	return wanted ? wanted : 1;
}

/* --- the whole --- */

static void blocks_run_course(struct skua_slot *here, void *argument)
{
	struct blocks_course *course = argument;

	if (!course->states || !skuai_forks_has_room(here, 1)) {
		blocks_alone(course->blocks, course->first, course->blocks->count);
		return;
	}
	/* order blocks.first.1: relaxed, nobody else knows of it yet */
	skua_store(&course->states[0], BLOCK_AWAITED, relaxed);
	blocks_take_part_and_leave(here, course);
	blocks_finish_all(course);
}

/* With others, from `first` on. */
static void blocks_run_rest(struct skua_pool *pool, const struct skuai_blocks *blocks, size_t first,
			    uint64_t rate)
{
	struct blocks_course course = { .blocks = blocks, .first = first };
	size_t left = blocks->count - first;
	unsigned width = skuai_split_width(pool);

	course.length = block_length(blocks, left, rate, width);
	course.count = left / course.length + (left % course.length != 0);
	if (course.count > 2 && width > 1) {
		course.states = skuai_alloc(course.count, sizeof(*course.states));
		if (course.states && !blocks->way->prepare(blocks->job, course.count)) {
			skuai_free(course.states);
			course.states = NULL;
		}
	}
	/* Too little for others: here and now.  So is the rest where there is no pool to be had, or
	 * it closes, since some of it is done. */
	if (course.count > 2 && !pool && skuai_self)
		blocks_run_course(skuai_forks_top(&skuai_self->forks), &course);
	else if (course.count <= 2 ||
		 skuai_visit(pool, blocks->priority, blocks_run_course, &course))
		blocks_alone(blocks, first, blocks->count);
	blocks_free_rooms(&course);
	skuai_free(course.states);
}

void skuai_blocks_run(struct skua_pool *pool, const struct skuai_blocks *blocks)
{
	uint64_t rate = 0;
	size_t first = blocks_begin(blocks, &rate);

	if (first < blocks->count)
		blocks_run_rest(pool, blocks, first, rate);
}

void skuai_blocks_each(struct skua_pool *pool, size_t blocks, skua_loop_body *body, void *argument,
		       enum skua_priority priority)
{
	const struct skuai_work work = { .body = body, .argument = argument };
	const struct skua_loop_options options = { .size = sizeof(options), .priority = priority };

	/* One alone is not worth a visit, and would make the loop known as a short one. */
	if (blocks == 1 || skuai_split(pool, 0, blocks, &work, &options))
		body(NULL, 0, blocks, argument);
}

bool skuai_array_is_possible(const void *array, size_t count, size_t bytes)
{
	return bytes && count <= PTRDIFF_MAX / bytes && (array || !count);
}

bool skuai_arrays_overlap(const void *a, const void *b, size_t count, size_t bytes)
{
	uintptr_t from = (uintptr_t)a, to = (uintptr_t)b;

	return (from < to ? to - from : from - to) < count * bytes;
}
