/* SPDX-License-Identifier: MIT */
/* test_chosen.c — jobs that only some workers may run: whose turn it is, against a plain list */
#include "unit/test_pool.h"

#include "base/rng.h"
#include "sched/chosen.h"

#define JOBS 500

struct waiting {
	struct skua_job job;
	uint64_t workers;
	bool is_there;
};

/* What should come: the oldest of this priority that this worker may run. */
static struct waiting *oldest_of(struct waiting *all, unsigned put, unsigned worker, int priority)
{
	for (unsigned i = 0; i < put; i++)
		if (all[i].is_there && (priority < 0 || (int)all[i].job.priority == priority) &&
		    worker < 64 && all[i].workers >> worker & 1)
			return &all[i];
	return NULL;
}

static void test_chosen_random_against_a_list(void **state)
{
	struct skuai_rng rng = { .state = test_seed() };

	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		static struct waiting all[JOBS];
		struct skuai_chosen chosen = { 0 };
		unsigned put = 0, left = 0;
		while (put < JOBS || left) {
			unsigned worker = (unsigned)skuai_rng_below(&rng, round % 2 ? 66 : 3);
			enum skua_priority priority = (enum skua_priority)skuai_rng_below(
				&rng, SKUA_PRIORITY_LOW + 1);
			if (put < JOBS && skuai_rng_below(&rng, 5) < 2) {
				struct waiting *new = &all[put++];
				*new = (struct waiting){ .is_there = true };
				new->job.priority = priority;
				new->workers = (uint64_t)1 << worker % 64 |
					       (uint64_t)1 << skuai_rng_below(&rng, 64);
				skuai_chosen_put(&chosen, &new->job, new->workers);
				left++;
			}
			assert_int_equal(skuai_chosen_count(&chosen), left);
			assert_int_equal(skuai_chosen_has(&chosen, worker),
					 oldest_of(all, put, worker, -1) != NULL);
			struct waiting *due = oldest_of(all, put, worker, (int)priority);
			struct skua_job *got = skuai_chosen_take(&chosen, worker, priority);
			assert_ptr_equal(got, due ? &due->job : NULL);
			if (!due)
				continue;
			due->is_there = false;
			left--;
		}
		assert_true(skuai_chosen_is_empty(&chosen));
	}
}

/* Who was told that there is none hears of the next. */
static void test_chosen_none_is_not_for_ever(void **state)
{
	struct skuai_chosen chosen = { 0 };
	struct skua_job first = { 0 }, second = { 0 };

	(void)state;
	skuai_chosen_put(&chosen, &first, 1);
	assert_false(skuai_chosen_has(&chosen, 1));
	assert_null(skuai_chosen_take(&chosen, 1, SKUA_PRIORITY_NORMAL));
	skuai_chosen_put(&chosen, &second, 3);
	assert_true(skuai_chosen_has(&chosen, 1));
	assert_null(skuai_chosen_take(&chosen, 1, SKUA_PRIORITY_LOW));
	assert_ptr_equal(skuai_chosen_take(&chosen, 1, SKUA_PRIORITY_NORMAL), &second);
	assert_ptr_equal(skuai_chosen_take(&chosen, 0, SKUA_PRIORITY_NORMAL), &first);
	assert_false(skuai_chosen_has(&chosen, 0));
	assert_false(skuai_chosen_has(&chosen, 64)); /* a mask has 64 bits */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chosen_random_against_a_list),
		cmocka_unit_test(test_chosen_none_is_not_for_ever),
	};
	return cmocka_run_group_tests_name("chosen", tests, NULL, NULL);
}
