/* SPDX-License-Identifier: MIT */
/* model_deque.c — the production deque: every execution of small programs, both fence modes */
#include "mc.h"

#include "base/atomic.h"

#include <skua/deque.h>
#include <skua/error.h>

/*
 * The owner is thread 0.  It pushes the numbers 1..pushes, pops, and after the join empties what is
 * left; thieves steal meanwhile.  Claims: only pushed numbers come out, each at most once, and at
 * the end each exactly once: nothing lost, nothing doubled, nothing invented.  Every element stands
 * for a plain cell that the owner wrote before the push: whoever takes the element reads it, which
 * is a data race unless the deque ordered the two.  Who takes nothing has its variable untouched.
 */
enum kind {
	PLAIN,
	BOUNDED,     /* never grows */
	HALF,	     /* thieves take half */
	INTERLEAVED, /* a pop after each push */
	REPUSH,	     /* a pop after the second push only: an index is used again */
	ANY,	     /* pushes + pops calls of the owner, in every order */
	EARLY,	     /* all is pushed before thieves start: their results are the outcome */
};

struct program {
	unsigned capacity, pushes, pops, thieves, steals;
	enum kind kind;
};

enum {
	ELEMENTS_MAX = 8,
	UNTOUCHED = 77,
};

static struct table {
	struct skua_deque deque;
	struct mc_cell cells[ELEMENTS_MAX];
	unsigned taken[ELEMENTS_MAX];
	enum skua_take results[MC_THREADS_MAX]; /* of each thread's last steal */
	struct program program;
} * table;

static void take(uint64_t element)
{
	mc_assert(element >= 1 && element <= table->program.pushes);
	mc_assert(mc_read(&table->cells[element]) == 100 + element);
	mc_assert(++table->taken[element] == 1);
}

static void thief(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < table->program.steals; i++) {
		uint64_t elements[ELEMENTS_MAX] = { UNTOUCHED };
		size_t count = ELEMENTS_MAX;
		enum skua_take result = table->program.kind == HALF
						? skua_deque_steal_half(&table->deque, elements,
									ELEMENTS_MAX, &count)
						: skua_deque_steal(&table->deque, elements);
		if (table->program.kind != HALF)
			count = result == SKUA_TAKE_GOT;
		mc_assert((result == SKUA_TAKE_GOT) == (count != 0));
		mc_assert(count || elements[0] == UNTOUCHED);
		for (size_t j = 0; j < count; j++)
			take(elements[j]);
		table->results[mc_self()] = result;
	}
}

static bool pop(void)
{
	uint64_t element = UNTOUCHED;
	enum skua_take result = skua_deque_pop(&table->deque, &element);

	if (result == SKUA_TAKE_GOT)
		take(element);
	else
		mc_assert(result == SKUA_TAKE_EMPTY && element == UNTOUCHED);
	return result == SKUA_TAKE_GOT;
}

static void push(uint64_t element)
{
	mc_write(&table->cells[element], 100 + element);
	int error = skua_deque_push(&table->deque, element);
	if (!error)
		return;
	/* Refused: still ours.  Only a bounded deque may, or one that got no memory. */
	mc_assert(error == (table->program.kind == BOUNDED ? SKUA_EFULL : SKUA_ENOMEM));
	take(element);
	(void)pop(); /* and it works on */
}

static void owner(struct program program)
{
	unsigned pushed = 0, popped = 0;

	while (program.kind == ANY && pushed + popped < program.pushes + program.pops) {
		if (pushed < program.pushes && (popped == program.pops || mc_choose(2) == 0))
			push(++pushed);
		else
			pop(), popped++;
	}
	while (pushed < program.pushes) {
		push(++pushed);
		if (program.kind == INTERLEAVED || (program.kind == REPUSH && pushed == 2))
			pop();
	}
	for (; popped < program.pops; popped++)
		pop();
}

static void play(struct program program, enum skua_deque_fence fence)
{
	struct skua_deque_options options = { .size = sizeof(options),
					      .capacity = program.capacity,
					      .is_bounded = program.kind == BOUNDED,
					      .fence = fence };

	table = mc_alloc(sizeof(*table));
	table->program = program;
	int error = skua_deque_open(&table->deque, &options);
	if (error) {
		mc_assert(error == SKUA_ENOMEM);
		return;
	}
	if (program.kind == EARLY)
		owner(program);
	for (unsigned i = 0; i < program.thieves; i++)
		mc_start(thief, NULL);
	if (program.kind != EARLY)
		owner(program);
	mc_join();
	if (program.kind == EARLY)
		mc_outcome("%d%d", table->results[1], table->results[2]);
	while (pop())
		;
	for (unsigned i = 1; i <= program.pushes; i++)
		mc_assert(table->taken[i] == 1);
	skua_deque_close(&table->deque);
	mc_assert(mc_blocks_left() == 0);
}

/* X(id, what the checker may do besides (.random = 0: nothing), the program) */
#define PROGRAMS(X)                                                          \
	X(one_thief_twice, .random = 0, { 4, 2, 2, 1, 2, PLAIN })            \
	X(two_pops_two_thieves, .random = 0, { 4, 2, 2, 2, 1, PLAIN })       \
	X(three_pops_one_thief, .random = 0, { 4, 3, 3, 1, 3, PLAIN })       \
	X(grow_one_thief, .random = 0, { 2, 3, 1, 1, 2, PLAIN })             \
	X(grow_two_thieves, .random = 0, { 2, 3, 2, 2, 1, PLAIN })           \
	X(bounded_wraps, .random = 0, { 2, 3, 1, 2, 1, BOUNDED })            \
	X(bounded_one_slot, .random = 0, { 1, 3, 0, 1, 2, BOUNDED })         \
	X(push_pop_pairs, .random = 0, { 2, 3, 0, 1, 2, INTERLEAVED })       \
	X(repush, .random = 0, { 4, 3, 0, 1, 2, REPUSH })                    \
	X(repush_grow, .random = 0, { 2, 4, 0, 1, 2, REPUSH })               \
	X(any_order, .random = 0, { 4, 3, 2, 1, 1, ANY })                    \
	X(any_order_grow, .random = 0, { 2, 3, 2, 1, 1, ANY })               \
	X(steal_half, .random = 0, { 4, 3, 2, 1, 1, HALF })                  \
	X(grow_without_memory, .failed_allocs = 1, { 2, 3, 1, 1, 1, PLAIN }) \
	/* got, retry; never empty: two are there, and two come */           \
	X(never_empty, .outcomes = "11 12 21", { 2, 2, 0, 2, 1, EARLY })

/* Larger ones, within a bound; `--whole` takes the bound away (minutes). */
#define LARGE_PROGRAMS(X)                                                      \
	X(large_any_order, .preemptions = 2, { 2, 3, 2, 2, 1, ANY })           \
	X(large_two_thieves_twice, .preemptions = 2, { 4, 2, 2, 2, 2, PLAIN }) \
	X(large_three_thieves, .preemptions = 1, { 4, 2, 2, 3, 1, PLAIN })     \
	X(large_steal_half_two_thieves, .preemptions = 1, { 4, 3, 2, 2, 1, HALF })

#define BODY(id, world, ...)                                              \
	static void id##_portable(void)                                   \
	{                                                                 \
		play((struct program)__VA_ARGS__, SKUA_FENCE_PORTABLE);   \
	}                                                                 \
	static void id##_asymmetric(void)                                 \
	{                                                                 \
		play((struct program)__VA_ARGS__, SKUA_FENCE_ASYMMETRIC); \
	}
PROGRAMS(BODY)
LARGE_PROGRAMS(BODY)

#define CASE(id, world, ...)                                       \
	{ .name = #id "_portable", .body = id##_portable, world }, \
		{ .name = #id "_asymmetric", .body = id##_asymmetric, world },
int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		/* clang-format off */
		PROGRAMS(CASE)
		LARGE_PROGRAMS(CASE)
		{ .name = NULL },
		/* clang-format on */
	};
	return mc_main(argc, argv, cases);
}
