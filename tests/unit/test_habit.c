/* SPDX-License-Identifier: MIT */
/* test_habit.c — a loop that two share: the border goes where both end together, and stays there */
#include "unit/test_pool.h"

#include "base/rng.h"
#include "par/habit.h"

#include <skua/loop.h>

#define INDICES 100
#define START	300 /* ticks until the helper begins */

/* What a loop would tell that is divided at habit->own, if nobody took anything; and learn it. */
static int64_t play(struct skuai_habit *habit, const uint32_t cost[INDICES])
{
	uint32_t own = skuai_habit_own(habit, INDICES);
	uint64_t mine = 0, theirs = 0;

	for (uint32_t i = 0; i < INDICES; i++)
		*(i < own ? &mine : &theirs) += cost[i];
	struct skuai_meeting met = {
		.count = INDICES,
		.own = own,
		.late = (int64_t)(START + theirs - mine),
		.took = mine,
		.own_each = cost[own - 1],
		.help_each = theirs / (INDICES - own),
	};
	skuai_habit_learn(habit, &met);
	return met.late < 0 ? -met.late : met.late;
}

static int64_t least_late(const uint32_t cost[INDICES])
{
	int64_t least = INT64_MAX;

	for (uint32_t own = 1; own < INDICES; own++) {
		struct skuai_habit habit = { .count = INDICES, .own = own };
		int64_t late = play(&habit, cost);
		least = late < least ? late : least;
	}
	return least;
}

/* After some loops it is nearly as good as it can be, most of the time. */
static void expect_learned(const uint32_t cost[INDICES], uint64_t dearest)
{
	struct skuai_habit habit = { 0 };
	unsigned good = 0;

	for (unsigned i = 0; i < 50; i++)
		play(&habit, cost);
	for (unsigned i = 0; i < 100; i++)
		good += play(&habit, cost) <= least_late(cost) + (int64_t)dearest;
	assert_in_range(good, 90, 100);
}

static void test_habit_begins_with_halves(void **state)
{
	struct skuai_habit habit = { 0 };

	(void)state;
	assert_int_equal(skuai_habit_own(&habit, 100), 50);
	assert_int_equal(skuai_habit_own(&habit, 101), 51);
	assert_int_equal(skuai_habit_own(&habit, 1), 1);
	assert_false(skuai_habit_is_calm(&habit, 100));
	habit = (struct skuai_habit){ .count = 100, .own = 7, .calm = SKUAI_HABIT_CALM };
	assert_int_equal(skuai_habit_own(&habit, 100), 7);
	assert_int_equal(skuai_habit_own(&habit, 102), 51);
	assert_true(skuai_habit_is_calm(&habit, 100));
	assert_false(skuai_habit_is_calm(&habit, 102));
}

static void test_habit_finds_the_border(void **state)
{
	uint32_t cost[INDICES];

	(void)state;
	for (unsigned i = 0; i < INDICES; i++)
		cost[i] = 200;
	expect_learned(cost, 200);
	for (unsigned i = 0; i < INDICES; i++)
		cost[i] = 4 * i + 1;
	expect_learned(cost, 400);
	for (unsigned i = 0; i < INDICES; i++)
		cost[i] = 4 * (INDICES - i);
	expect_learned(cost, 400);
	for (unsigned i = 0; i < INDICES; i++)
		cost[i] = (uint32_t)1 << (i * 16 / INDICES);
	expect_learned(cost, 1u << 15);
	for (unsigned i = 0; i < INDICES; i++)
		cost[i] = i == 33 ? 9900 : 100;
	expect_learned(cost, 9900);
	for (unsigned i = 0; i < INDICES; i++)
		cost[i] = i % 10 == 3 ? 1000 : 10;
	expect_learned(cost, 1000);
}

/* Half of it is in one index: whoever has that is late, and the border stays beside it. */
static void test_habit_stays_where_it_cannot_be_better(void **state)
{
	struct skuai_habit habit = { 0 };
	uint32_t cost[INDICES];
	unsigned moves = 0;

	(void)state;
	for (unsigned i = 0; i < INDICES; i++)
		cost[i] = i == 33 ? 9900 : 100;
	for (unsigned i = 0; i < 1000; i++) {
		play(&habit, cost);
		if (i >= 50)
			moves += habit.step != 0;
	}
	assert_in_range(habit.own, 33, 35);
	assert_in_range(moves, 0, 1000 / SKUAI_HABIT_HOLD * 4);
}

/* Costs change: it follows, from wherever it was. */
static void test_habit_follows(void **state)
{
	struct skuai_habit habit = { 0 };
	uint32_t front[INDICES], back[INDICES];

	(void)state;
	for (unsigned i = 0; i < INDICES; i++) {
		front[i] = i < 10 ? 2000 : 10;
		back[i] = i < 90 ? 10 : 2000;
	}
	for (unsigned turn = 0; turn < 6; turn++) {
		const uint32_t *cost = turn % 2 ? front : back;
		for (unsigned i = 0; i < 2 * SKUAI_HABIT_HOLD + 50; i++)
			play(&habit, cost);
		assert_in_range(habit.own, turn % 2 ? 3 : 93, turn % 2 ? 7 : 97);
	}
}

/* A thread lost its processor for a millisecond: once, that says nothing. */
static void test_habit_doubts_a_single_loop(void **state)
{
	struct skuai_meeting even = { .count = 100, .own = 60, .took = 5000, .late = 10 };
	struct skuai_habit habit = { 0 };

	(void)state;
	even.own_each = even.help_each = 100;
	skuai_habit_learn(&habit, &(struct skuai_meeting){ .count = 100, .own = 50, .late = 9000 });
	assert_int_equal(habit.own, 50); /* the first: the helper may have had to be woken */
	habit = (struct skuai_habit){ 0 };
	for (unsigned i = 0; i < 10; i++) {
		skuai_habit_learn(&habit, &even);
		assert_int_equal(habit.own, 60);
	}
	struct skuai_meeting odd = even;
	odd.late = -2500000;
	skuai_habit_learn(&habit, &odd);
	assert_int_equal(habit.own, 60);
	skuai_habit_learn(&habit, &even);
	assert_int_equal(habit.own, 60);
	skuai_habit_learn(&habit, &odd);
	skuai_habit_learn(&habit, &odd);
	assert_int_equal(habit.own, 58); /* twice: a small step, */
	odd.own = 58;
	skuai_habit_learn(&habit, &odd);
	assert_int_equal(habit.own, 54); /* then a larger one */
}

static void test_habit_is_calm_after_even_loops(void **state)
{
	struct skuai_meeting met = { .count = 100, .own = 60, .took = 5000, .late = 1000 };
	struct skuai_habit habit = { 0 };

	(void)state;
	met.own_each = met.help_each = 1000;
	for (unsigned i = 0; i < SKUAI_HABIT_CALM; i++) {
		assert_false(skuai_habit_is_calm(&habit, 100));
		skuai_habit_learn(&habit, &met);
	}
	assert_true(skuai_habit_is_calm(&habit, 100));
	met.late = -1300; /* a quarter is 1250 */
	skuai_habit_learn(&habit, &met);
	assert_false(skuai_habit_is_calm(&habit, 100));
	met.late = 10;
	met.took = skuai_ticks_of_us(SKUAI_HABIT_CALM_US) + 1;
	for (unsigned i = 0; i < 2 * SKUAI_HABIT_CALM; i++)
		skuai_habit_learn(&habit, &met);
	assert_false(skuai_habit_is_calm(&habit, 100));
}

/* Clocks that jump, loops of any length: there is always a part for each. */
static void test_habit_survives_nonsense(void **state)
{
	struct skuai_rng rng = { .state = test_seed() };
	struct skuai_habit habit = { 0 };

	(void)state;
	for (unsigned round = 0; round < 100000; round++) {
		uint64_t word[6];
		for (unsigned i = 0; i < 6; i++)
			word[i] = skuai_rng_next(&rng) >> skuai_rng_below(&rng, 64);
		uint32_t some = (uint32_t)(word[0] & INT32_MAX);
		uint32_t count = round % 2 && habit.count ? habit.count : some < 2 ? 2 : some;
		struct skuai_meeting met = {
			.count = count,
			.own = skuai_habit_own(&habit, count),
			.late = round % 7 ? (int64_t)(word[1] - word[2]) : INT64_MIN,
			.took = word[3],
			.own_each = round % 5 ? word[4] : UINT64_MAX,
			.help_each = round % 3 ? word[5] : UINT64_MAX,
		};
		skuai_habit_learn(&habit, &met);
		assert_true(habit.own >= 1 && habit.own < count);
		assert_true(habit.count == count);
	}
}

/* --- in loops --- */

/* All cost is in the back half.  Who has the first index waits for the helper to come, which so
 * begins where its part does. */
struct uneven {
	_Atomic uint32_t is_helped;
	_Atomic uint64_t border;
};

static int run_uneven(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument)
{
	struct uneven *uneven = argument;

	(void)skua_here;
	if (lo && !skua_load(&uneven->is_helped, relaxed)) {
		skua_store(&uneven->border, lo, relaxed);
		skua_store(&uneven->is_helped, 1, release);
	}
	if (lo == 0 && !reaches(&uneven->is_helped, 1))
		return -77;
	if (hi > INDICES / 2)
		spin_for((int64_t)(hi - (lo < INDICES / 2 ? INDICES / 2 : lo)) * 20000);
	return 0;
}

static uint64_t border_of_loop(struct skua_pool *pool, uint64_t count)
{
	struct uneven uneven = { 0 };

	assert_int_equal(skua_for(pool, 0, count, run_uneven, &uneven, NULL), SKUA_OK);
	return skua_load(&uneven.border, relaxed);
}

static void test_loops_of_two_learn(void **state)
{
	(void)state;
	WATCH(60);
	struct skua_pool *pool = pool_of(2);
	uint64_t border = border_of_loop(pool, INDICES);
	assert_int_equal(border, INDICES / 2);
	for (unsigned i = 0; i < 1000 && border < 60; i++)
		border = border_of_loop(pool, INDICES);
	assert_in_range(border, 60, INDICES - 1);
	/* Of another length it is another loop. */
	assert_int_equal(border_of_loop(pool, INDICES + 10), INDICES / 2 + 5);
	pool_end(pool);
}

/* --- whatever was learned, dear indices are not met by a large chunk --- */

struct dear {
	int64_t cost_ns;
	_Atomic uint64_t longest;
};

static int run_dear(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument)
{
	struct dear *dear = argument;
	uint64_t seen = skua_load(&dear->longest, relaxed);

	(void)skua_here;
	while (hi - lo > seen && !skua_cas_weak(&dear->longest, &seen, hi - lo, relaxed, relaxed))
		;
	spin_for((int64_t)(hi - lo) * dear->cost_ns);
	return 0;
}

/* Loops of 15 us that are even and calm; then an index takes as long as three of those. */
static void expect_short_chunks(struct skua_pool *even, struct skua_pool *dear_ones)
{
	struct dear cheap = { .cost_ns = 150 }, dear = { .cost_ns = 50000 };

	for (unsigned i = 0; i < 300; i++)
		assert_int_equal(skua_for(even, 0, INDICES, run_dear, &cheap, NULL), SKUA_OK);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(skua_for(dear_ones, 0, INDICES, run_dear, &dear, NULL), SKUA_OK);
	assert_in_range(skua_load(&dear.longest, relaxed), 1, 4);
}

static void test_loops_that_were_calm_heed_dear_indices(void **state)
{
	(void)state;
	WATCH(60);
	struct skua_pool *two = pool_of(2);
	expect_short_chunks(two, two);
	for (int workers = 1; workers <= 4; workers++) {
		struct skua_pool *pool = pool_of(workers);
		expect_short_chunks(two, pool);
		pool_end(pool);
	}
	pool_end(two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_habit_begins_with_halves),
		cmocka_unit_test(test_habit_finds_the_border),
		cmocka_unit_test(test_habit_stays_where_it_cannot_be_better),
		cmocka_unit_test(test_habit_follows),
		cmocka_unit_test(test_habit_doubts_a_single_loop),
		cmocka_unit_test(test_habit_is_calm_after_even_loops),
		cmocka_unit_test(test_habit_survives_nonsense),
		cmocka_unit_test(test_loops_of_two_learn),
		cmocka_unit_test(test_loops_that_were_calm_heed_dear_indices),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
