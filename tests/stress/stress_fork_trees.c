/* SPDX-License-Identifier: MIT */
/* stress_fork_trees.c — random trees of uneven work, with jobs and nested runs among the forks */
#include "unit/test_pool.h"

#include "base/rng.h"

#include <skua/job.h>

static uint64_t next_of(uint64_t seed, uint64_t k)
{
	struct skuai_rng rng = { .state = seed * 0x9e3779b97f4a7c15u + k };

	return skuai_rng_next(&rng);
}

/* How many children: 0 to 5, fewer further down. */
static unsigned children_of(uint64_t seed, unsigned depth)
{
	return depth == 0 ? 0 : (unsigned)(next_of(seed, 100) % 6);
}

/* The same tree without a pool. */
static uint64_t grow_plainly(uint64_t seed, unsigned depth)
{
	uint64_t sum = next_of(seed, 0);

	for (unsigned i = 0; i < children_of(seed, depth); i++)
		sum += (i + 1) * grow_plainly(next_of(seed, i + 1), depth - 1);
	return sum;
}

static struct skua_pool *pool;

SKUA_TASK_DECLARE(uint64_t, grow, uint64_t, seed, unsigned, depth);

struct grown {
	uint64_t seed, result;
	unsigned depth;
};

static void grow_job(struct skua_slot *skua_here, void *argument);

static uint64_t grow_as_job(uint64_t seed, unsigned depth)
{
	struct grown grown = { seed, 0, depth };
	struct skua_job job = SKUA_JOB(grow_job, &grown);

	if (skua_submit(pool, &job) || skua_job_wait(&job, SKUA_FOREVER))
		return 0;
	return grown.result;
}

static uint64_t grow_nested(uint64_t seed, unsigned depth);

SKUA_TASK_DEFINE(uint64_t, grow, uint64_t, seed, unsigned, depth)
{
	skua_forked(grow) handles[5];
	uint64_t sum = next_of(seed, 0), dice = next_of(seed, 200);
	unsigned count = children_of(seed, depth), forked = 0;

	if (dice % 64 == 0)
		spin_for((int64_t)(dice >> 8) % 30000); /* now and then a long one */
	for (; forked + 1 < count; forked++)
		skua_fork_into(grow, handles[forked], next_of(seed, forked + 1), depth - 1);
	if (count) { /* the last child by call, by a nested run, or as a job */
		uint64_t child = next_of(seed, count);
		unsigned way = dice >> 32 & 15;
		sum += count * (way == 0  ? grow_as_job(child, depth - 1)
				: way < 3 ? grow_nested(child, depth - 1)
					  : skua_call(grow, child, depth - 1));
	}
	while (forked-- > 0)
		sum += (forked + 1) * skua_join(grow, handles[forked]);
	return sum;
}

static uint64_t grow_nested(uint64_t seed, unsigned depth)
{
	return skua_run(pool, grow, seed, depth);
}

static void grow_job(struct skua_slot *skua_here, void *argument)
{
	struct grown *grown = argument;

	grown->result = skua_call(grow, grown->seed, grown->depth);
}

static void stress_fork_trees_agree_with_plain_recursion(void **state)
{
	static const int workers[] = { 1, 2, 3, 8 };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		WATCH(60);
		pool = pool_of(workers[i]);
		for (uint64_t round = 0; round < test_rounds(SLOW_BUILD ? 8 : 40); round++) {
			uint64_t seed = test_random();
			if (skua_run(pool, grow, seed, 8u) != grow_plainly(seed, 8))
				fail_msg("%d workers, tree %#llx", workers[i],
					 (unsigned long long)seed);
		}
		pool_end(pool);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stress_fork_trees_agree_with_plain_recursion),
	};
	return cmocka_run_group_tests_name("fork_trees", tests, NULL, NULL);
}
