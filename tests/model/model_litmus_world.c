/* SPDX-License-Identifier: MIT */
/* model_litmus_world.c — the checker's self-test beyond memory: locks, heap, choices, limits */
#include "mc.h"

#include "base/alloc.h"
#include "base/atomic.h"

/*
 * What model_litmus.c cannot say in one line.  Each broken program stands beside one that is right
 * and differs in one word, so that being caught means something.
 */

static struct board {
	_Atomic uint32_t a, b, turn;
	struct mc_cell cell;
	struct mc_cell *heap_cell;
	_Atomic uint32_t *heap_word;
	unsigned count;
} * board;

static struct board *fresh(void)
{
	board = mc_alloc(sizeof(*board));
	return board;
}

/* Two threads with these bodies, to their end. */
static void two(void (*first)(void *), void (*second)(void *))
{
	mc_start(first, NULL);
	mc_start(second, NULL);
	mc_join();
}

#define THREAD(name) static void name(__attribute__((unused)) void *unused)

/* --- compare and swap --- */

static void weak_cas(void)
{
	uint32_t zero = 0;

	fresh();
	bool is_done = skua_cas_weak(&board->a, &zero, 1, relaxed, relaxed);
	mc_outcome("%d,%u", is_done, skua_load(&board->a, relaxed));
}

static void strong_cas(void)
{
	uint32_t zero = 0;

	fresh();
	mc_outcome("%d", skua_cas(&board->a, &zero, 1, relaxed, relaxed));
}

/* --- mutual exclusion: the critical section is a plain write, overlap is a race --- */

static void section(void)
{
	mc_write(&board->cell, mc_read(&board->cell) + 1);
}

/* Tries twice; executions in which it gets nothing are of no interest. */
#define LOCK_BODY(name, release_order)                                         \
	THREAD(name##_thread)                                                  \
	{                                                                      \
		for (int tries = 0; tries < 2; tries++) {                      \
			uint32_t zero = 0;                                     \
			if (skua_cas(&board->a, &zero, 1, acquire, relaxed)) { \
				section();                                     \
				skua_store(&board->a, 0, release_order);       \
				return;                                        \
			}                                                      \
		}                                                              \
		mc_prune();                                                    \
	}                                                                      \
	static void name(void)                                                 \
	{                                                                      \
		fresh();                                                       \
		two(name##_thread, name##_thread);                             \
		mc_outcome("%d", (int)mc_read(&board->cell));                  \
	}
LOCK_BODY(cas_lock, release)
LOCK_BODY(cas_lock_relaxed_unlock, relaxed)

/* Dekker's core: raise a flag, look at the other's, enter only if it is down. */
#define DEKKER(name, fence)                                   \
	THREAD(name##_left)                                   \
	{                                                     \
		skua_store(&board->a, 1, release);            \
		fence(&board->a);                             \
		if (skua_load(&board->b, acquire) == 0)       \
			section();                            \
	}                                                     \
	THREAD(name##_right)                                  \
	{                                                     \
		skua_store(&board->b, 1, release);            \
		fence(&board->b);                             \
		if (skua_load(&board->a, acquire) == 0)       \
			section();                            \
	}                                                     \
	static void name(void)                                \
	{                                                     \
		fresh();                                      \
		two(name##_left, name##_right);               \
		mc_outcome("%d", (int)mc_read(&board->cell)); \
	}
#define FULL_FENCE(object) skua_fence(object, seq_cst)
#define NO_FENCE(object)   ((void)(object))
DEKKER(dekker, FULL_FENCE)
DEKKER(dekker_without_fence, NO_FENCE)

/*
 * Peterson's lock, two looks each.  `turn` may be set by an exchange, whose order of writes carries
 * the flags; or by a store between two fences.  One fence, after it, is not enough: the store may
 * go before the other's in modification order although the other's fence was first.
 */
static void enter_or_prune(_Atomic uint32_t *mine, _Atomic uint32_t *others, uint32_t other)
{
	for (int looks = 0; looks < 2; looks++)
		if (skua_load(others, acquire) == 0 || skua_load(&board->turn, acquire) != other) {
			section();
			skua_store(mine, 0, release);
			return;
		}
	mc_prune();
}

#define SET_EXCHANGE(value) (void)skua_exchange(&board->turn, value, acq_rel)
#define SET_ONE_FENCE(value) \
	(skua_store(&board->turn, value, release), skua_fence(&board->turn, seq_cst))
#define SET_TWO_FENCES(value) (skua_fence(&board->turn, seq_cst), SET_ONE_FENCE(value))

#define PETERSON(name, set_turn)                              \
	THREAD(name##_left)                                   \
	{                                                     \
		skua_store(&board->a, 1, release);            \
		set_turn(2);                                  \
		enter_or_prune(&board->a, &board->b, 2);      \
	}                                                     \
	THREAD(name##_right)                                  \
	{                                                     \
		skua_store(&board->b, 1, release);            \
		set_turn(1);                                  \
		enter_or_prune(&board->b, &board->a, 1);      \
	}                                                     \
	static void name(void)                                \
	{                                                     \
		fresh();                                      \
		two(name##_left, name##_right);               \
		mc_outcome("%d", (int)mc_read(&board->cell)); \
	}
PETERSON(peterson, SET_EXCHANGE)
PETERSON(peterson_two_fences, SET_TWO_FENCES)
PETERSON(peterson_one_fence, SET_ONE_FENCE)

/* --- the heap --- */

/* `use` tells thread 0 that it is done, by a release store; then it touches the block once more. */
#define HEAP_BODY(name, before, after)                                         \
	THREAD(name##_thread)                                                  \
	{                                                                      \
		before;                                                        \
		skua_store(&board->a, 1, release);                             \
		after;                                                         \
	}                                                                      \
	static void name(void)                                                 \
	{                                                                      \
		fresh();                                                       \
		board->heap_cell = skuai_alloc(1, 64);                         \
		board->heap_word = (_Atomic uint32_t *)(board->heap_cell + 1); \
		mc_start(name##_thread, NULL);                                 \
		if (skua_load(&board->a, acquire))                             \
			skuai_free(board->heap_cell);                          \
		mc_join();                                                     \
		mc_outcome("%u", mc_blocks_left());                            \
	}
HEAP_BODY(free_after_use, mc_write(board->heap_cell, 1), )
HEAP_BODY(free_before_plain_read, , mc_read(board->heap_cell))
HEAP_BODY(free_before_load, , (void)skua_load(board->heap_word, relaxed))
HEAP_BODY(free_before_store, , skua_store(board->heap_word, 1, relaxed))
HEAP_BODY(free_before_add, , (void)skua_add(board->heap_word, 1, relaxed))

/* The last of two users frees; the other's use is ordered only by a release it can acquire. */
#define COUNTED(name, order)                                             \
	THREAD(name##_thread)                                            \
	{                                                                \
		(void)skua_load(board->heap_word, relaxed);              \
		if (skua_sub(&board->a, 1, order) == 1)                  \
			skuai_free(board->heap_cell);                    \
	}                                                                \
	static void name(void)                                           \
	{                                                                \
		fresh();                                                 \
		board->heap_cell = skuai_alloc(1, 64);                   \
		board->heap_word = (_Atomic uint32_t *)board->heap_cell; \
		skua_store(&board->a, 2, relaxed);                       \
		two(name##_thread, name##_thread);                       \
		mc_assert(mc_blocks_left() == 0);                        \
	}
COUNTED(last_user_frees, acq_rel)
COUNTED(last_user_frees_relaxed, relaxed)
COUNTED(last_user_frees_release, release)

static void freed_twice(void)
{
	void *block = skuai_alloc(1, 64);

	skuai_free(block);
	skuai_free(block);
}

/* What the checker does not see: an address that comes back (ABA).  It never does. */
static void freed_is_not_reused(void)
{
	void *first = skuai_alloc(1, 64);

	skuai_free(first);
	mc_assert(skuai_alloc(1, 64) != first);
}

static void alloc_may_fail(void)
{
	void *first = skuai_alloc(1, 8), *second = skuai_alloc(1, 8);

	mc_outcome("%d,%d", first != NULL, second != NULL);
}

/* --- choices, phases, limits --- */

static void choose(void)
{
	mc_outcome("%u,%u", mc_choose(2), mc_choose(3));
}

THREAD(read_a)
{
	mc_outcome("%u", skua_load(&board->a, relaxed));
}

/* What thread 0 does between two generations is ordered before the second, after the first. */
static void phases(void)
{
	fresh();
	mc_start(read_a, NULL);
	mc_join();
	skua_store(&board->a, 5, relaxed);
	mc_start(read_a, NULL);
	mc_join();
}

static void never_ends(void)
{
	fresh();
	while (skua_load(&board->a, relaxed) == 0)
		;
}

static void does_not_join(void)
{
	fresh();
	mc_start(read_a, NULL);
}

static void two_sizes(void)
{
	static const struct skuai_site here = { "here", "load", 0 };

	fresh();
	skuai_model_load(&board->a, 4, memory_order_relaxed, &here);
	skuai_model_load(&board->a, 8, memory_order_relaxed, &here);
}

THREAD(write_a_read_b)
{
	skua_store(&board->a, 1, relaxed);
	board->count += skua_load(&board->b, relaxed);
}

THREAD(write_b_read_a)
{
	skua_store(&board->b, 1, relaxed);
	board->count += skua_load(&board->a, relaxed);
}

/* Store buffering, to be found by drawing, and with a single preemption. */
static void weak_enough(void)
{
	fresh();
	two(write_a_read_b, write_b_read_a);
	mc_assert(board->count != 0);
}

/* --- what is no verdict: a planted bug is not caught by it --- */

static void all_pruned(void)
{
	mc_prune();
}

static void many_outcomes(void)
{
	mc_outcome("%u", mc_choose(300));
}

static void long_outcome(void)
{
	mc_outcome("%048d", 0);
}

static void many_ways(void)
{
	(void)mc_choose(70000);
}

static void many_threads(void)
{
	fresh();
	for (int i = 0; i < MC_THREADS_MAX; i++)
		mc_start(read_a, NULL);
	mc_join();
}

int main(int argc, char **argv)
{
	/* clang-format off */
	static const struct mc_case cases[] = {
		{ "weak_cas", weak_cas, .outcomes = "1,1", .graphs = 1 },
		{ "weak_cas_spurious", weak_cas, .outcomes = "1,1 0,0", .spurious = 1 },
		{ "strong_cas_never_spurious", strong_cas, .outcomes = "1", .spurious = 1 },
		{ "cas_lock", cas_lock, .outcomes = "2" },
		{ "cas_lock_relaxed_unlock", cas_lock_relaxed_unlock, .must_fail = true },
		/* never both; perhaps neither */
		{ "dekker", dekker, .outcomes = "0 1" },
		{ "dekker_without_fence", dekker_without_fence, .must_fail = true },
		{ "peterson", peterson, .outcomes = "2" },
		{ "peterson_two_fences", peterson_two_fences, .outcomes = "2" },
		{ "peterson_one_fence", peterson_one_fence, .must_fail = true },
		{ "free_after_use", free_after_use, .outcomes = "0 1", .graphs = 2 },
		{ "free_before_plain_read", free_before_plain_read, .must_fail = true },
		{ "free_before_load", free_before_load, .must_fail = true },
		{ "free_before_store", free_before_store, .must_fail = true },
		{ "free_before_add", free_before_add, .must_fail = true },
		{ "last_user_frees", last_user_frees, .graphs = 2 },
		{ "last_user_frees_relaxed", last_user_frees_relaxed, .must_fail = true },
		{ "last_user_frees_release", last_user_frees_release, .must_fail = true },
		{ "freed_twice", freed_twice, .must_fail = true },
		{ .name = "freed_is_not_reused", .body = freed_is_not_reused },
		{ "alloc_may_fail", alloc_may_fail, .outcomes = "1,1 0,1 1,0", .failed_allocs = 1 },
		{ "alloc_may_fail_twice", alloc_may_fail, .outcomes = "1,1 0,1 1,0 0,0",
		  .failed_allocs = 2 },
		{ "choose", choose, .outcomes = "0,0 0,1 0,2 1,0 1,1 1,2", .graphs = 6 },
		{ "phases", phases, .outcomes = "0 5", .graphs = 1 },
		{ "never_ends", never_ends, .must_fail = true },
		{ "does_not_join", does_not_join, .must_fail = true },
		{ "two_sizes", two_sizes, .must_fail = true },
		{ "weak_enough_random", weak_enough, .random = 200, .must_fail = true },
		{ "weak_enough_bounded", weak_enough, .preemptions = 1, .must_fail = true },
		{ "all_pruned", all_pruned, .says = "no execution came to its end" },
		{ "many_outcomes", many_outcomes, .says = "256 different outcomes" },
		{ "long_outcome", long_outcome, .says = "more than 47 characters" },
		{ "many_ways", many_ways, .says = "mc_choose(70000)" },
		{ "many_threads", many_threads, .says = "more than 6 threads" },
		{ "outcome_is_no_bug", choose, .outcomes = "9", .must_fail = true,
		  .says = "a planted bug was not found" },
		{ .name = NULL },
	};
	/* clang-format on */
	return mc_main(argc, argv, cases);
}
