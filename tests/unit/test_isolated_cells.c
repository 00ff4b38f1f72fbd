/* SPDX-License-Identifier: MIT */
/* test_isolated_cells.c — isolated groups: filled from outside, deep, gone before their cells */
#include "unit/test_pool.h"

#include "base/fault.h"
#include "os/thread.h"

#include <skua/group.h>

struct scene {
	struct skua_pool *pool;
	_Atomic uint32_t leaves, is_over;
};

static int leaf_of_group(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;

	(void)skua_here;
	skua_add(&scene->leaves, 1, relaxed);
	return 0;
}

/* --- filled from outside --- */

#define FILLERS	  2
#define FILL_EACH (SLOW_BUILD ? 40 : 150)

struct filled {
	struct skua_group group;
	_Atomic uint32_t fillers;
	_Atomic uint32_t runs[FILLERS][150];
};

struct filling {
	struct filled *filled;
	unsigned filler, index;
};

static int count_this(struct skua_slot *skua_here, void *argument)
{
	struct filling *filling = argument;

	(void)skua_here;
	skua_add(&filling->filled->runs[filling->filler][filling->index], 1, relaxed);
	return 0;
}

static int hold_open(struct skua_slot *skua_here, void *argument)
{
	struct filled *filled = *(struct filled **)argument;

	(void)skua_here;
	while (skua_load(&filled->fillers, acquire))
		sleep_ns(20000);
	return 0;
}

static void fill(void *argument)
{
	struct filling filling = *(struct filling *)argument;

	for (filling.index = 0; filling.index < FILL_EACH; filling.index++)
		if (skua_go(&filling.filled->group, count_this, &filling))
			_exit(70);
	skua_sub(&filling.filled->fillers, 1, release);
}

/* Its tasks come from two threads while its worker waits; it may hold the last by itself. */
static void wait_while_filled(struct skua_slot *skua_here, void *argument)
{
	struct filled *filled = argument;
	struct filling fillings[FILLERS];
	struct skuai_thread threads[FILLERS];

	(void)skua_here;
	if (skua_go(&filled->group, hold_open, &filled))
		_exit(71);
	for (unsigned i = 0; i < FILLERS; i++) {
		fillings[i] = (struct filling){ filled, i, 0 };
		if (skuai_thread_start(&threads[i], fill, &fillings[i], NULL))
			_exit(72);
	}
	if (skua_group_wait(&filled->group, SKUA_FOREVER))
		_exit(73);
	for (unsigned i = 0; i < FILLERS; i++)
		skuai_thread_join(&threads[i]);
}

/* Red when a cell is listed before it says POSTED: both who waits and who dequeues it run it. */
static void test_isolated_cells_filled_from_outside(void **state)
{
	enum {
		ROUNDS = SLOW_BUILD ? 20 : 120
	};
	static struct filled filled[ROUNDS];

	(void)state;
	for (int workers = 1; workers <= 8; workers = workers == 2 ? 8 : workers + 1) {
		WATCH(60);
		struct skua_pool *pool = pool_of(workers);
		struct skua_group_options options = { .size = sizeof(options),
						      .pool = pool,
						      .is_isolated = true };
		memset(filled, 0, sizeof(filled));
		for (unsigned round = 0; round < ROUNDS; round++) {
			struct skua_job job = SKUA_JOB(wait_while_filled, &filled[round]);
			assert_int_equal(skua_group_open(&filled[round].group, &options), SKUA_OK);
			skua_store(&filled[round].fillers, FILLERS, relaxed);
			assert_int_equal(skua_submit(pool, &job), SKUA_OK);
			assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
		}
		pool_end(pool); /* old ways to the cells are met at the latest here */
		for (unsigned round = 0; round < ROUNDS; round++)
			for (unsigned i = 0; i < FILLERS * FILL_EACH; i++)
				assert_int_equal(
					skua_load(&filled[round].runs[i % FILLERS][i / FILLERS],
						  relaxed),
					1);
	}
}

/* --- depth, leftovers --- */

struct level {
	struct skua_pool *pool;
	_Atomic uint32_t *runs;
	unsigned depth;
};

static int go_deeper(struct skua_slot *skua_here, void *argument)
{
	struct level level = *(struct level *)argument;
	struct skua_group group;
	struct skua_group_options options = { .size = sizeof(options),
					      .pool = level.pool,
					      .is_isolated = true };

	(void)skua_here;
	skua_add(level.runs, 1, relaxed);
	if (!level.depth--)
		return 0;
	if (skua_group_open(&group, &options) || skua_go(&group, go_deeper, &level))
		return -1;
	return skua_group_wait(&group, SKUA_FOREVER);
}

static void test_isolated_cells_thousand_deep(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 8; workers = workers == 2 ? 8 : workers + 1) {
		WATCH(60);
		_Atomic uint32_t runs = 0;
		struct level level = { pool_of(workers), &runs, 1000 };
		struct skua_group group;
		struct skua_group_options options = { .size = sizeof(options), .pool = level.pool };
		assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
		assert_int_equal(skua_go(&group, go_deeper, &level), SKUA_OK);
		assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
		assert_int_equal(skua_load(&runs, relaxed), 1001);
		pool_end(level.pool);
	}
}

/* Each group is freed at once; its cells are met in deques long after.  ASan watches. */
static void open_and_free(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = argument, **copied = &scene;
	unsigned rounds = SLOW_BUILD ? 300 : 3000;

	(void)skua_here;
	for (unsigned round = 0; round < rounds; round++) {
		struct skua_group *group = malloc(sizeof(*group));
		struct skua_group_options options = { .size = sizeof(options),
						      .pool = scene->pool,
						      .priority = (enum skua_priority)(round % 3),
						      .is_isolated = true };
		if (skua_group_open(group, &options))
			_exit(80);
		for (unsigned i = 0; i <= round % 5; i++)
			if (skua_go(group, leaf_of_group, copied))
				_exit(81);
		if (skua_group_wait(group, SKUA_FOREVER))
			_exit(82);
		free(group);
	}
	skua_add(&scene->is_over, 1, relaxed);
}

static void test_isolated_cells_groups_come_and_go(void **state)
{
	enum {
		JOBS = 3
	};

	(void)state;
	for (int workers = 1; workers <= 4; workers *= 2) {
		WATCH(60);
		struct scene scene = { .pool = pool_of(workers) };
		struct skua_job jobs[JOBS];
		uint32_t rounds = SLOW_BUILD ? 300 : 3000;
		for (unsigned i = 0; i < JOBS; i++) {
			jobs[i] = (struct skua_job)SKUA_JOB(open_and_free, &scene);
			assert_int_equal(skua_submit(scene.pool, &jobs[i]), SKUA_OK);
		}
		for (unsigned i = 0; i < JOBS; i++)
			assert_int_equal(skua_job_wait(&jobs[i], SKUA_FOREVER), SKUA_OK);
		pool_end(scene.pool);
		assert_int_equal(skua_load(&scene.is_over, relaxed), JOBS);
		assert_int_equal(skua_load(&scene.leaves, relaxed), JOBS * rounds / 5 * 15);
	}
}

#ifdef SKUA_FAULTS
/* One task that opens one isolated group after the other needs no more memory for each. */
static void count_memory(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = argument, **copied = &scene;
	unsigned rounds = SLOW_BUILD ? 1000 : 20000;

	(void)skua_here;
	for (unsigned round = 0; round < rounds; round++) {
		struct skua_group group;
		struct skua_group_options options = { .size = sizeof(options),
						      .pool = scene->pool,
						      .is_isolated = true };
		if (round == 500)
			skuai_fault_disarm(); /* counts from here */
		if (skua_group_open(&group, &options) || skua_go(&group, leaf_of_group, copied) ||
		    skua_group_wait(&group, SKUA_FOREVER))
			_exit(83);
	}
	skua_store(&scene->is_over, skuai_fault_calls(SKUAI_FAULT_MALLOC), relaxed);
}

static void test_isolated_cells_leave_nothing_behind(void **state)
{
	WATCH(60);
	struct scene scene = { .pool = pool_of(1) };
	struct skua_job job = SKUA_JOB(count_memory, &scene);

	(void)state;
	assert_int_equal(skua_submit(scene.pool, &job), SKUA_OK);
	assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&scene.is_over, relaxed), 0);
	pool_end(scene.pool);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_isolated_cells_filled_from_outside),
		cmocka_unit_test(test_isolated_cells_thousand_deep),
		cmocka_unit_test(test_isolated_cells_groups_come_and_go),
#ifdef SKUA_FAULTS
		cmocka_unit_test(test_isolated_cells_leave_nothing_behind),
#endif
	};
	return cmocka_run_group_tests_name("isolated_cells", tests, NULL, NULL);
}
