/* SPDX-License-Identifier: MIT */
/* test_priority_fair.c — priorities: however urgent the rest is, nobody waits for ever */
#include "unit/test_pool.h"

#include <skua/group.h>

struct mill {
	struct skua_pool *pool;
	_Atomic uint32_t is_over, stopped, ran, turns, is_queued;
	struct skua_job jobs[400], grinders[4], victim, again, starter;
	struct skua_group group;
};

static struct mill *mill;

static void grind(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
}

/* It is submitted again, for ever. */
static void again(struct skua_job *job, int error)
{
	(void)error;
	if (skua_load(&mill->is_over, relaxed) || skua_submit(mill->pool, job))
		skua_add(&mill->stopped, 1, release);
}

static void count_ran(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
	skua_add(&mill->ran, 1, release);
}

static void test_priority_fair_low_work_moves_on(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 2; workers++) {
		WATCH(60);
		mill = calloc(1, sizeof(*mill));
		mill->pool = pool_of(workers);
		for (unsigned i = 0; i < 4; i++) { /* more of each than there are workers */
			mill->grinders[i] = (struct skua_job)SKUA_JOB(grind, NULL);
			mill->grinders[i].finish = again;
			mill->grinders[i].priority = i % 2 ? SKUA_PRIORITY_URGENT
							   : SKUA_PRIORITY_NORMAL;
			assert_int_equal(skua_submit(mill->pool, &mill->grinders[i]), SKUA_OK);
		}
		for (unsigned i = 0; i < 400; i++) {
			mill->jobs[i] = (struct skua_job)SKUA_JOB(count_ran, NULL);
			mill->jobs[i].priority = i % 2 ? SKUA_PRIORITY_LOW : SKUA_PRIORITY_NORMAL;
			assert_int_equal(skua_submit(mill->pool, &mill->jobs[i]), SKUA_OK);
		}
		assert_true(reaches(&mill->ran, 400));
		skua_store(&mill->is_over, 1, relaxed);
		assert_true(reaches(&mill->stopped, 4));
		pool_end(mill->pool);
		free(mill);
	}
}

/* Urgent ones for ever, each of which waits until an injected one is there; ours is neither. */
static void grind_for_injected(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
	while (!skua_load(&mill->is_over, relaxed) && !skua_load(&mill->is_queued, acquire))
		sleep_ns(5000);
}

static void be_injected(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
	skua_store(&mill->is_queued, 0, release);
	skua_add(&mill->turns, 1, relaxed);
}

static void be_victim(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
	skua_store(&mill->is_over, 1, release);
}

static void start_victim(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
	mill->grinders[0] = (struct skua_job)SKUA_JOB(grind_for_injected, NULL);
	mill->grinders[0].finish = again;
	mill->grinders[0].priority = SKUA_PRIORITY_URGENT;
	mill->victim = (struct skua_job)SKUA_JOB(be_victim, NULL);
	if (skua_submit(mill->pool, &mill->grinders[0]) || skua_submit(mill->pool, &mill->victim))
		_exit(41);
	while (!skua_load(&mill->is_queued, acquire))
		sleep_ns(5000);
}

/* A job in the worker's own deque, with injected ones always there too, gets its turn. */
static void test_priority_fair_own_work_moves_on(void **state)
{
	WATCH(60);
	mill = calloc(1, sizeof(*mill));
	mill->pool = pool_of(1);
	mill->starter = (struct skua_job)SKUA_JOB(start_victim, NULL);
	mill->again = (struct skua_job)SKUA_JOB(be_injected, NULL);

	(void)state;
	assert_int_equal(skua_submit(mill->pool, &mill->starter), SKUA_OK);
	while (!skua_load(&mill->is_over, acquire) && skua_load(&mill->turns, relaxed) < 50) {
		assert_int_equal(skua_submit(mill->pool, &mill->again), SKUA_OK);
		skua_store(&mill->is_queued, 1, release);
		assert_int_equal(skua_job_wait(&mill->again, SKUA_FOREVER), SKUA_OK);
	}
	bool has_run = skua_load(&mill->is_over, acquire);
	skua_store(&mill->is_over, 1, relaxed);
	assert_true(reaches(&mill->stopped, 1));
	pool_end(mill->pool);
	free(mill);
	assert_true(has_run);
}

/* A task for one worker only that adds itself again: low, so others come first, and at all. */
static int add_again(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
	return skua_load(&mill->is_over, relaxed) ? 0
						  : skua_go(&mill->group, add_again, (void *)NULL);
}

static void test_priority_fair_chosen_work_lets_others_pass(void **state)
{
	(void)state;
	for (int priority = SKUA_PRIORITY_NORMAL; priority <= SKUA_PRIORITY_LOW; priority++) {
		WATCH(60);
		mill = calloc(1, sizeof(*mill));
		mill->pool = pool_of(1);
		struct skua_group_options options = { .size = sizeof(options),
						      .pool = mill->pool,
						      .priority = SKUA_PRIORITY_LOW,
						      .workers = 1 };
		assert_int_equal(skua_group_open(&mill->group, &options), SKUA_OK);
		assert_int_equal(skua_go(&mill->group, add_again, (void *)NULL), SKUA_OK);
		mill->jobs[0] = (struct skua_job)SKUA_JOB(count_ran, NULL);
		mill->jobs[0].priority = (enum skua_priority)priority;
		assert_int_equal(skua_submit(mill->pool, &mill->jobs[0]), SKUA_OK);
		bool has_run = reaches(&mill->ran, 1);
		skua_store(&mill->is_over, 1, relaxed);
		assert_int_equal(skua_group_wait(&mill->group, SKUA_FOREVER), SKUA_OK);
		assert_true(has_run);
		pool_end(mill->pool);
		free(mill);
	}
}

/* Urgent and low ones for ever; a low one for one worker only has its turn among the low. */
static int count_task(struct skua_slot *skua_here, void *argument)
{
	count_ran(skua_here, argument);
	return 0;
}

static void test_priority_fair_low_ones_of_both_kinds(void **state)
{
	WATCH(60);
	mill = calloc(1, sizeof(*mill));
	mill->pool = pool_of(1);
	struct skua_group_options options = { .size = sizeof(options),
					      .pool = mill->pool,
					      .priority = SKUA_PRIORITY_LOW,
					      .workers = 1 };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		mill->grinders[i] = (struct skua_job)SKUA_JOB(grind, NULL);
		mill->grinders[i].finish = again;
		mill->grinders[i].priority = i % 2 ? SKUA_PRIORITY_URGENT : SKUA_PRIORITY_LOW;
		assert_int_equal(skua_submit(mill->pool, &mill->grinders[i]), SKUA_OK);
	}
	assert_int_equal(skua_group_open(&mill->group, &options), SKUA_OK);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(skua_go(&mill->group, count_task, (void *)NULL), SKUA_OK);
	bool have_run = reaches(&mill->ran, 20);
	skua_store(&mill->is_over, 1, relaxed);
	assert_true(reaches(&mill->stopped, 4));
	assert_int_equal(skua_group_wait(&mill->group, SKUA_FOREVER), SKUA_OK);
	pool_end(mill->pool);
	free(mill);
	assert_true(have_run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_priority_fair_low_work_moves_on),
		cmocka_unit_test(test_priority_fair_own_work_moves_on),
		cmocka_unit_test(test_priority_fair_chosen_work_lets_others_pass),
		cmocka_unit_test(test_priority_fair_low_ones_of_both_kinds),
	};
	return cmocka_run_group_tests_name("priority_fair", tests, NULL, NULL);
}
