/* SPDX-License-Identifier: MIT */
/* test_visit.c — skua_run from threads of the program: as guests of sleepers, or handed over */
#include "unit/test_pool.h"

#include "os/thread.h"
#include "sched/worker.h"

#include <stdlib.h>

struct visitor {
	struct skua_pool *pool;
	struct skuai_thread thread;
	uint64_t rounds, wrong;
};

SKUA_TASK(int, where, struct skua_pool *, pool)
{
	return skua_pool_self(pool);
}

static void visit_often(void *argument)
{
	struct visitor *visitor = argument;
	int count = (int)skua_pool_workers(visitor->pool);

	for (uint64_t i = 0; i < visitor->rounds; i++) {
		int self = skua_run(visitor->pool, where, visitor->pool);
		visitor->wrong += self < 0 || self >= count;
		visitor->wrong += skua_run(visitor->pool, fib, 12) != 144;
		visitor->wrong += skua_pool_self(visitor->pool) != -1;
	}
}

static void test_visit_by_more_threads_than_workers(void **state)
{
	static const int workers[] = { 1, 2, 3, 16 };

	(void)state;
	for (unsigned w = 0; w < 4; w++) {
		WATCH(60);
		struct visitor visitors[8];
		struct skua_pool *pool = pool_of(workers[w]);
		for (unsigned i = 0; i < 8; i++) {
			visitors[i] = (struct visitor){
				.pool = pool, .rounds = test_rounds(SLOW_BUILD ? 50 : 500)
			};
			assert_int_equal(skuai_thread_start(&visitors[i].thread, visit_often,
							    &visitors[i], NULL),
					 SKUA_OK);
		}
		for (unsigned i = 0; i < 8; i++) {
			skuai_thread_join(&visitors[i].thread);
			assert_int_equal(visitors[i].wrong, 0);
		}
		pool_end(pool);
	}
}

/* Never more tasks at once than workers. */
struct crowd {
	_Atomic uint32_t inside, most;
	struct skua_pool *pool;
	struct skuai_thread threads[6];
};

SKUA_TASK_VOID(be_inside, struct crowd *, crowd)
{
	uint32_t now = skua_add(&crowd->inside, 1, relaxed) + 1;
	uint32_t most = skua_load(&crowd->most, relaxed);

	while (now > most && !skua_cas(&crowd->most, &most, now, relaxed, relaxed))
		continue;
	sleep_ns(200000);
	skua_sub(&crowd->inside, 1, relaxed);
}

static void visit_crowd(void *argument)
{
	struct crowd *crowd = argument;

	for (unsigned i = 0; i < 30; i++)
		skua_run(crowd->pool, be_inside, crowd);
}

static void test_visit_never_more_tasks_than_workers(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 3; workers++) {
		WATCH(30);
		struct crowd crowd = { .pool = pool_of(workers) };
		for (unsigned i = 0; i < 6; i++)
			assert_int_equal(
				skuai_thread_start(&crowd.threads[i], visit_crowd, &crowd, NULL),
				SKUA_OK);
		for (unsigned i = 0; i < 6; i++)
			skuai_thread_join(&crowd.threads[i]);
		assert_in_range(skua_load(&crowd.most, relaxed), 1, workers);
		pool_end(crowd.pool);
	}
}

/* A visit that leaves jobs behind: somebody runs them. */
static void count_run(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	skua_add((_Atomic uint32_t *)argument, 1, release);
}

SKUA_TASK_VOID(leave_jobs, struct skua_pool *, pool, _Atomic uint32_t *, runs)
{
	for (unsigned i = 0; i < 10; i++)
		skua_detach(pool, count_run, runs);
}

static void test_visit_leaves_jobs_behind(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 3; workers++) {
		WATCH(30);
		struct skua_pool *pool = pool_of(workers);
		_Atomic uint32_t runs = 0;
		for (uint32_t round = 1; round <= 200; round++) {
			skua_run(pool, leave_jobs, pool, &runs);
			assert_true(reaches(&runs, 10 * round));
		}
		pool_end(pool);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_visit_by_more_threads_than_workers),
		cmocka_unit_test(test_visit_never_more_tasks_than_workers),
		cmocka_unit_test(test_visit_leaves_jobs_behind),
	};
	return cmocka_run_group_tests_name("visit", tests, NULL, NULL);
}
