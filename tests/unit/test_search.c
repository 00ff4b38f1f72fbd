/* SPDX-License-Identifier: MIT */
/* test_search.c — manners of a thief: when it asks again, when it lets be, for how many it asks */
#include "unit/test_pool.h"

#include "base/atomic.h"
#include "sched/worker.h"

#define SMALL_NS 200
#define LARGE_NS 400000

/* A pool whose workers sleep; what they would learn from thefts is told to them here. */
struct school {
	struct skua_pool *pool;
	struct skuai_worker *thief, *victim;
};

static struct school school_open(enum skua_amount amount)
{
	struct skua_pool_options options = { .size = sizeof(options), .workers = 2 };
	struct school school = { 0 };

	options.amount = amount;
	assert_int_equal(skua_pool_open(&school.pool, &options), SKUA_OK);
	school.thief = &school.pool->workers[0];
	school.victim = &school.pool->workers[1];
	return school;
}

/* So many thefts that ran so long.  How long the victim is to be left alone after the last. */
static int64_t learn(struct school *school, unsigned thefts, int64_t ran_ns)
{
	for (unsigned i = 0; i < thefts; i++)
		skuai_judge_theft(school->thief, school->victim, ran_ns, 1000);
	return skua_load(&school->victim->ask_ns, relaxed) - 1000;
}

/* Unbalanced tree search: a large subtree now and then, and leaves by the hundred between. */
static void test_search_does_not_lose_heart_between_two_large_tasks(void **state)
{
	struct school school = school_open(SKUA_AMOUNT_HALF);

	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		assert_int_equal(learn(&school, 1, LARGE_NS), 0);
		assert_int_equal(learn(&school, 400, SMALL_NS), 0);
	}
	pool_end(school.pool);
}

/* Tiny roots one after the other, 512 forks each: after a while the owner is mostly left alone. */
static void test_search_lets_be_who_has_only_small_tasks(void **state)
{
	struct school school = school_open(SKUA_AMOUNT_HALF);

	(void)state;
	assert_int_equal(learn(&school, 1, SMALL_NS), 0);
	assert_in_range(learn(&school, 3000, SMALL_NS), 64000, 64000);
	/* A thief that lost its processor for a second: an accident, and soon forgotten. */
	assert_int_equal(learn(&school, 1, 1000000000), 0);
	assert_in_range(learn(&school, 3000, SMALL_NS), 64000, 64000);
	/* But real work counts at once. */
	assert_int_equal(learn(&school, 1, LARGE_NS), 0);
	pool_end(school.pool);
}

static void test_search_asks_for_more_when_tasks_are_small(void **state)
{
	struct school school = school_open(SKUA_AMOUNT_HALF), one = school_open(SKUA_AMOUNT_ONE);
	static const unsigned amounts[] = { 2, 4, 8, 8 };

	(void)state;
	learn(&school, 1, LARGE_NS);
	assert_int_equal(school.thief->ask_for, 1);
	for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++) {
		learn(&school, 1, SMALL_NS);
		assert_int_equal(school.thief->ask_for, amounts[i]);
	}
	learn(&school, 1, LARGE_NS); /* one large task is enough: leave the others there */
	assert_int_equal(school.thief->ask_for, 1);
	learn(&school, 5000, SMALL_NS); /* nor of the worthless more than one */
	assert_int_equal(school.thief->ask_for, 1);
	learn(&one, 4, SMALL_NS);
	assert_int_equal(one.thief->ask_for, 1);
	pool_end(school.pool);
	pool_end(one.pool);
}

/* A haul of stolen jobs that was over within so long. */
static bool is_bored_after(struct school *school, unsigned hauls, int64_t took_ns)
{
	bool is_bored = false;

	for (unsigned i = 0; i < hauls; i++) {
		school->thief->haul_ns = 1000;
		is_bored = skuai_is_bored(school->thief, 1000 + took_ns);
	}
	return is_bored;
}

/* Whoever makes jobs and runs them itself is looked at less often, until they are worth it. */
static void test_search_is_bored_by_jobs_that_are_over_at_once(void **state)
{
	struct school school = school_open(SKUA_AMOUNT_HALF);

	(void)state;
	assert_false(skuai_is_bored(school.thief, 5));
	assert_false(is_bored_after(&school, 10, SMALL_NS));
	assert_true(is_bored_after(&school, 40, SMALL_NS));
	assert_true(skuai_is_bored(school.thief, 5)); /* a search without a haul changes nothing */
	assert_false(is_bored_after(&school, 1, LARGE_NS));
	assert_true(is_bored_after(&school, 40, SMALL_NS));
	pool_end(school.pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_search_does_not_lose_heart_between_two_large_tasks),
		cmocka_unit_test(test_search_lets_be_who_has_only_small_tasks),
		cmocka_unit_test(test_search_asks_for_more_when_tasks_are_small),
		cmocka_unit_test(test_search_is_bored_by_jobs_that_are_over_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
