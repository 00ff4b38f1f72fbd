/* SPDX-License-Identifier: MIT */
/* knapsack.c — the best filling of a knapsack: branches cut off by what others have found */
#include "knapsack.h"

#include "base/atomic.h"

#include <skua/fork.h>
#include <stdlib.h>
#include <string.h>

/*
 * Branch and bound.  How many branches are looked at depends on who finds a good filling when, so
 * two runs are not the same work, and a second worker may help by more than two.  What comes out
 * is the optimum whatever happens: a bound that is a moment old cuts off too little, never too
 * much.  All orders are relaxed: the bound is one number that guards no other memory.
 */
struct knapsack_best {
	_Alignas(64) _Atomic int value; /* everybody reads, whoever finds more writes */
};

int knapsack_best(const struct knapsack *sack)
{
	return skua_load(&sack->best->value, relaxed); /* order knapsack.best.1: told above */
}

void knapsack_offer(struct knapsack *sack, int value)
{
	int best = skua_load(&sack->best->value, relaxed); /* order knapsack.offer.1: .2 checks */

	/* order knapsack.offer.2: relaxed both, one number; it only ever grows */
	while (value > best && !skua_cas_weak(&sack->best->value, &best, value, relaxed, relaxed))
		;
}

WORK_NOINLINE static void fill_plain(struct knapsack *sack, int i, int room, int value)
{
	if (value > knapsack_best(sack))
		knapsack_offer(sack, value);
	if (!knapsack_may_win(sack, i, room, value))
		return;
	const struct knapsack_item *item = &sack->items[i];
	if (item->weight <= room)
		fill_plain(sack, i + 1, room - item->weight, value + item->value);
	fill_plain(sack, i + 1, room, value);
}

SKUA_TASK_VOID(fill_task, struct knapsack *, sack, int, i, int, room, int, value)
{
	if (value > knapsack_best(sack))
		knapsack_offer(sack, value);
	if (!knapsack_may_win(sack, i, room, value))
		return;
	const struct knapsack_item *item = &sack->items[i];
	skua_fork(fill_task, without, sack, i + 1, room, value);
	if (item->weight <= room)
		skua_call(fill_task, sack, i + 1, room - item->weight, value + item->value);
	skua_join(fill_task, without);
}

static int by_worth(const void *a, const void *b)
{
	const struct knapsack_item *x = a, *y = b;
	int64_t p = (int64_t)x->value * y->weight, q = (int64_t)y->value * x->weight;

	return (p < q) - (p > q);
}

/* The optimum, by another way: best[c] is the most that fits in c. */
static int solve(const struct knapsack *sack, int *best)
{
	for (int i = 0; i < sack->count; i++) {
		const struct knapsack_item *item = &sack->items[i];
		for (int room = sack->capacity; room >= item->weight; room--) {
			int with = best[room - item->weight] + item->value;
			if (with > best[room])
				best[room] = with;
		}
	}
	return best[sack->capacity];
}

static void drop(void *data)
{
	struct knapsack *sack = data;

	free(sack->best);
	free(sack);
}

/* Worth and weight go together but not quite: that is what makes them hard to choose from. */
static void make_items(struct knapsack *sack)
{
	uint64_t random = 2026;
	int total = 0;

	for (int i = 0; i < sack->count; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		int weight = 100 + (int)(random >> 33) % 900;
		random = random * 6364136223846793005u + 1442695040888963407u;
		int value = weight + 100 + (int)(random >> 33) % 10;
		sack->items[i] = (struct knapsack_item){ value, weight };
		total += weight;
	}
	qsort(sack->items, (size_t)sack->count, sizeof(*sack->items), by_worth);
	sack->capacity = total / 2;
}

static void *prepare(const struct work_problem *problem)
{
	struct knapsack *sack = calloc(1, sizeof(*sack));

	if (!sack)
		return NULL;
	sack->count = (int)problem->size;
	make_items(sack);
	sack->best = aligned_alloc(64, sizeof(*sack->best));
	int *room = calloc((size_t)sack->capacity + 1, sizeof(*room));
	if (!sack->best || !room) {
		free(room);
		drop(sack);
		return NULL;
	}
	sack->answer = solve(sack, room);
	free(room);
	return sack;
}

static void reset(void *data)
{
	struct knapsack *sack = data;

	skua_store(&sack->best->value, 0, relaxed); /* order knapsack.reset.1: nobody runs */
}

static void run_serial(void *data)
{
	struct knapsack *sack = data;

	fill_plain(sack, 0, sack->capacity, 0);
}

static void run_skua(void *data, struct skua_pool *pool)
{
	struct knapsack *sack = data;

	skua_run(pool, fill_task, sack, 0, sack->capacity, 0);
}

static bool check(void *data)
{
	struct knapsack *sack = data;

	return knapsack_best(sack) == sack->answer;
}

static const struct work_problem problems[] = {
	{ .name = "25", .tier = WORK_TEST, .size = 25 },
	{ .name = "60", .tier = WORK_QUICK, .size = 60 },
	{ .name = NULL },
};

const struct work work_knapsack = {
	.name = "knapsack",
	.role = "the best filling of a knapsack: branch and bound, the bound shared",
	.unit = "items",
	.problems = problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_skua,
	.check = check,
	.drop = drop,
};
