/* SPDX-License-Identifier: MIT */
/* stress_deque_once.c — one owner, four thieves: every element is seen exactly once, and whole */
#include "check.h"

#include "base/atomic.h"
#include "base/rng.h"
#include "os/clock.h"
#include "os/thread.h"
#include "os/wait.h"

#include <skua/deque.h>
#include <skua/error.h>

#include <stdlib.h>
#include <string.h>

/*
 *	owner:  take a free cell, write number n into it, push (n, cell)
 *	        ... pop some; a taken cell is checked, wiped and free again
 *	thief:  steal one or half; the same with each
 *
 * The cell is plain memory: whoever takes an element finds n in its cell, or something was handed
 * out twice, before it was written, or torn.  TSan sees a missing order here even when the values
 * happen to be right.  Numbers run from 1 to N; in the end count, sum and sum of hashes over all
 * takers must be those of 1..N, which a lost and a doubled element could not both hide from.
 *
 * A tenth of the elements goes through small bounded deques, so that slots are reused at once; the
 * others through one that starts with one slot.  As that has soon grown, many short-lived deques
 * come first, whose owners push in long bursts while thieves read buffers just replaced.
 *
 * How many races were lost is printed, not asserted: beside other work it may be none.  That each
 * is told as such is model_deque's.
 */
#define THIEVES	  4
#define CELL_BITS 16
#define CELLS	  (1u << CELL_BITS)
#define HALF_MOST 32
#define STUCK_NS  ((int64_t)60 * 1000 * 1000 * 1000)

/* Elements for each mode: seconds, whatever the build costs. */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(SKUA_ATOMICS_CHAOS)
#define USUAL 300000
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	__has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define USUAL 3000000
#elif !defined(NDEBUG)
#define USUAL 10000000
#else
#define USUAL 100000000
#endif

struct cell {
	uint64_t number;	  /* plain: written before the push, read and wiped by the taker */
	_Atomic uint32_t is_busy; /* owner sets, taker clears */
	uint32_t next;		  /* in the owner's list of cells it freed itself */
};

/* What one thread took. */
struct tally {
	uint64_t count, sum, hashes;
};

struct taker {
	_Alignas(128) struct tally tally; /* its own until the join */
	_Atomic uint64_t seen;		  /* tally.count for the watchdog */
	struct skuai_rng rng;
	struct arena *arena;
	struct skuai_thread thread;
	uint64_t retries;
};

struct arena {
	struct skua_deque deque;
	struct cell cells[CELLS];
	bool is_eager;			  /* long bursts only: it grows all the time */
	uint64_t total;			  /* elements to push */
	uint32_t depth;			  /* the owner keeps at most about this many inside */
	_Atomic bool is_over;		  /* owner: all pushed, and it found the deque empty */
	struct taker takers[1 + THIEVES]; /* 0 is the owner */
};

static uint64_t hash_of(uint64_t number)
{
	struct skuai_rng rng = { number };

	return skuai_rng_next(&rng);
}

static void explain(struct arena *arena, const char *what, uint64_t number)
{
	const _Atomic int64_t *words = (const _Atomic int64_t *)(const void *)arena->deque.insides;

	fprintf(stderr, "%s: element %llu of %llu, seed %#llx\n", what, (unsigned long long)number,
		(unsigned long long)arena->total, (unsigned long long)test_seed());
	fprintf(stderr, "  top %lld, bottom %lld\n", (long long)skua_load(&words[0], relaxed),
		(long long)skua_load(&words[8], relaxed));
	for (int i = 0; i <= THIEVES; i++)
		fprintf(stderr, "  %s %d took %llu\n", i ? "thief" : "owner", i,
			(unsigned long long)skua_load(&arena->takers[i].seen, relaxed));
}

/* cmocka's checks jump, which only its own thread may. */
_Noreturn static void give_up(struct arena *arena, const char *what, uint64_t number)
{
	explain(arena, what, number);
	abort();
}

/* Somebody got an element: is it whole, and ours alone? */
static struct cell *take(struct taker *taker, uint64_t element)
{
	struct cell *cell = &taker->arena->cells[element % CELLS];
	uint64_t number = element >> CELL_BITS;

	if (cell->number != number || number == 0)
		give_up(taker->arena, cell->number ? "handed out stale" : "handed out twice",
			number);
	cell->number = 0;
	taker->tally.count++;
	taker->tally.sum += number;
	taker->tally.hashes += hash_of(number);
	if (taker->tally.count % 256 == 0)
		skua_store(&taker->seen, taker->tally.count, relaxed);
	return cell;
}

/* --- thieves --- */

static void take_stolen(struct taker *thief, uint64_t element)
{
	struct cell *cell = take(thief, element);

	skua_store(&cell->is_busy, 0, release);
}

static enum skua_take steal_some(struct taker *thief)
{
	struct skua_deque *deque = &thief->arena->deque;
	uint64_t elements[HALF_MOST];
	size_t count = 0;
	enum skua_take result;

	if (skuai_rng_below(&thief->rng, 8)) {
		result = skua_deque_steal(deque, elements);
		count = result == SKUA_TAKE_GOT;
	} else {
		size_t most = 1 + skuai_rng_below(&thief->rng, HALF_MOST);
		result = skua_deque_steal_half(deque, elements, most, &count);
		if ((count != 0) != (result == SKUA_TAKE_GOT) || count > most)
			give_up(thief->arena, "steal_half: count and outcome differ", count);
	}
	for (size_t i = 0; i < count; i++)
		take_stolen(thief, elements[i]);
	return result;
}

static void be_thief(void *argument)
{
	struct taker *thief = argument;
	uint32_t misses = 0;

	for (;;) {
		bool is_over = skua_load(&thief->arena->is_over, acquire);
		enum skua_take result = steal_some(thief);

		thief->retries += result == SKUA_TAKE_RETRY;
		if (result == SKUA_TAKE_EMPTY && is_over)
			return;
		misses = result == SKUA_TAKE_GOT ? 0 : misses + 1;
		/* Fewer CPUs than threads: a thief without luck gives way, now and then not. */
		if (misses > skuai_rng_below(&thief->rng, 64))
			skuai_thread_yield();
	}
}

/* --- the owner --- */

struct owner {
	struct taker *taker;
	uint32_t cursor;     /* next cell to look at */
	uint32_t free_count; /* of free[] */
	uint32_t free[256];  /* cells the owner itself took */
};

/* A cell nobody uses; the deque is never so deep that there is none. */
static uint32_t find_cell(struct owner *owner)
{
	struct arena *arena = owner->taker->arena;

	if (owner->free_count)
		return owner->free[--owner->free_count];
	for (uint32_t looked = 0;; looked++) {
		uint32_t i = owner->cursor++ % CELLS;
		if (!skua_load(&arena->cells[i].is_busy, acquire))
			return i;
		if (looked % CELLS == CELLS - 1)
			skuai_thread_yield(); /* thieves hold the rest; the watchdog watches */
	}
}

static bool pop_one(struct owner *owner)
{
	struct taker *taker = owner->taker;
	uint64_t element;

	if (skua_deque_pop(&taker->arena->deque, &element) != SKUA_TAKE_GOT)
		return false;
	struct cell *cell = take(taker, element);
	if (owner->free_count < 256)
		owner->free[owner->free_count++] = (uint32_t)(element % CELLS);
	else
		skua_store(&cell->is_busy, 0, relaxed); /* only we look for free cells */
	return true;
}

static void push_one(struct owner *owner, uint64_t number)
{
	struct arena *arena = owner->taker->arena;
	uint32_t i = find_cell(owner);

	skua_store(&arena->cells[i].is_busy, 1, relaxed);
	arena->cells[i].number = number;
	while (skua_deque_push(&arena->deque, number << CELL_BITS | i) != SKUA_OK)
		if (!pop_one(owner)) /* bounded and full; thieves may have emptied it since */
			continue;
}

/* Between a push and the pops that follow: time for thieves to come, by and by at each step. */
static void dwell(struct owner *owner)
{
	struct skuai_rng *rng = &owner->taker->rng;

	if (skuai_rng_below(rng, 8) == 0)
		for (volatile uint32_t wait = skuai_rng_below(rng, 2000); wait; wait = wait - 1)
			continue;
}

static void be_owner(void *argument)
{
	struct owner owner = { .taker = argument };
	struct arena *arena = owner.taker->arena;
	struct skuai_rng *rng = &owner.taker->rng;

	skua_deque_adopt(&arena->deque);
	for (uint64_t number = 1; number <= arena->total;) {
		/* Mostly short bursts: the race is at one and two elements. */
		bool is_short = !arena->is_eager && skuai_rng_below(rng, 16);
		uint32_t burst = 1 + skuai_rng_below(rng, is_short ? 4 : arena->depth);
		for (; burst && number <= arena->total; burst--)
			push_one(&owner, number++);
		dwell(&owner);
		uint32_t pops = 1 +
				skuai_rng_below(rng, skuai_rng_below(rng, 16) ? 4 : arena->depth);
		while (skua_deque_count(&arena->deque) > arena->depth || pops) {
			if (!pop_one(&owner))
				break;
			pops -= pops != 0;
		}
	}
	while (pop_one(&owner))
		continue;
	skua_store(&arena->is_over, true, release);
}

/* --- the run --- */

/* Until all is seen; a minute without one element seen is a failure. */
static void watch(struct arena *arena)
{
	uint64_t before = 0;
	int64_t since = skuai_clock_ns();
	_Atomic uint32_t nobody_wakes = 0;

	while (!skua_load(&arena->is_over, acquire)) {
		uint64_t seen = 0;
		skuai_wait(&nobody_wakes, 0, skuai_deadline_after(20 * 1000 * 1000));
		for (int i = 0; i <= THIEVES; i++)
			seen += skua_load(&arena->takers[i].seen, relaxed);
		if (seen != before)
			since = skuai_clock_ns();
		else if (skuai_clock_ns() - since > STUCK_NS)
			give_up(arena, "no element for 60 s", seen);
		before = seen;
	}
}

struct plan {
	enum skua_deque_fence fence;
	uint64_t total;
	size_t capacity;
	bool is_bounded, is_eager;
};

static struct arena *open_arena(const struct plan *plan)
{
	struct skua_deque_options options = { .size = sizeof(options),
					      .capacity = plan->capacity,
					      .is_bounded = plan->is_bounded,
					      .fence = plan->fence };
	struct arena *arena = aligned_alloc(_Alignof(struct arena), sizeof(*arena));

	assert_non_null(arena);
	memset(arena, 0, sizeof(*arena));
	if (skua_deque_open(&arena->deque, &options) != SKUA_OK) {
		free(arena);
		skip(); /* no membarrier here */
	}
	arena->total = plan->total;
	arena->is_eager = plan->is_eager;
	arena->depth = plan->is_bounded ? (uint32_t)plan->capacity : plan->is_eager ? 256 : 4096;
	for (int i = 0; i <= THIEVES; i++) {
		arena->takers[i].arena = arena;
		arena->takers[i].rng.state = test_random();
	}
	return arena;
}

/* What 1..total adds up to. */
static struct tally tally_of(uint64_t total)
{
	struct tally wanted = { .count = total };

	for (uint64_t number = 1; number <= total; number++) {
		wanted.sum += number;
		wanted.hashes += hash_of(number);
	}
	return wanted;
}

static void run(const struct plan *plan)
{
	struct arena *arena = open_arena(plan);
	struct tally all = { 0 }, wanted = tally_of(plan->total);
	uint64_t retries = 0;
	int64_t start = skuai_clock_ns();

	for (int i = 0; i <= THIEVES; i++)
		assert_int_equal(skuai_thread_start(&arena->takers[i].thread,
						    i ? be_thief : be_owner, &arena->takers[i],
						    NULL),
				 0);
	watch(arena);
	for (int i = 0; i <= THIEVES; i++) {
		struct taker *taker = &arena->takers[i];
		skuai_thread_join(&taker->thread);
		all.count += taker->tally.count;
		all.sum += taker->tally.sum;
		all.hashes += taker->tally.hashes;
		retries += taker->retries;
	}
	if (!plan->is_eager)
		fprintf(stderr, "%s, %s %zu: %llu elements, %llu stolen, %llu retries, %.1f s\n",
			skua_deque_is_asymmetric(&arena->deque) ? "asymmetric" : "portable",
			plan->is_bounded ? "bounded" : "from", plan->capacity,
			(unsigned long long)plan->total,
			(unsigned long long)(all.count - arena->takers[0].tally.count),
			(unsigned long long)retries, (double)(skuai_clock_ns() - start) / 1e9);
	if (memcmp(&all, &wanted, sizeof(all)) != 0)
		explain(arena, "lost or handed out twice", all.count);
	assert_int_equal(all.count, wanted.count);
	assert_int_equal(all.sum, wanted.sum);
	assert_int_equal(all.hashes, wanted.hashes);
	skua_deque_close(&arena->deque);
	free(arena);
}

static void run_all(enum skua_deque_fence fence)
{
#ifdef SKUAI_DEQUE_FIRST
	uint64_t total = test_rounds(USUAL) / 10; /* indices near the end of their range */
#else
	uint64_t total = test_rounds(USUAL);
#endif

	for (uint64_t i = 0; i < 100; i++)
		run(&(struct plan){ fence, 2000, 1, false, true });
	run(&(struct plan){ fence, total / 20, 1, true, false });
	run(&(struct plan){ fence, total / 20, 4, true, false });
	for (int i = 0; i < 9; i++)
		run(&(struct plan){ fence, total / 10, 1, false, false });
}

static void stress_deque_portable_every_element_once(void **state)
{
	(void)state;
	run_all(SKUA_FENCE_PORTABLE);
}

static void stress_deque_asymmetric_every_element_once(void **state)
{
	(void)state;
	run_all(SKUA_FENCE_ASYMMETRIC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stress_deque_portable_every_element_once),
		cmocka_unit_test(stress_deque_asymmetric_every_element_once),
	};
	return cmocka_run_group_tests_name("deque_once", tests, NULL, NULL);
}
