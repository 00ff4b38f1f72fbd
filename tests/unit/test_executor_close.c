/* SPDX-License-Identifier: MIT */
/* test_executor_close.c — an executor whose pool closes: outsiders refused, nothing half run */
#include "unit/test_pool.h"

#include "os/thread.h"

#include <skua/executor.h>

static const int widths[] = { 1, 2, 8 };
#define WIDTHS 3

struct posts {
	struct skua_executor executor;
	_Atomic uint32_t runs, inside, errors, is_held, is_free;
};

static void count_run(void *argument)
{
	struct posts *posts = argument;

	skua_add(&posts->runs, 1, release);
}

static void never_run(void *argument, size_t index, unsigned slot)
{
	(void)index, (void)slot;
	count_run(argument);
}

static void run_inside(void *argument, size_t index, unsigned slot)
{
	struct posts *posts = argument;

	(void)index, (void)slot;
	skua_add(&posts->inside, 1, relaxed);
}

static void hold(void *argument)
{
	struct posts *posts = argument;

	skua_store(&posts->is_held, 1, release);
	if (!reaches(&posts->is_free, 1))
		skua_add(&posts->errors, 1, relaxed);
	/* A task of the pool may go on using it while it closes. */
	if (posts->executor.bulk(posts->executor.self, 1000, run_inside, posts) != SKUA_OK ||
	    skua_load(&posts->inside, relaxed) != 1000)
		skua_add(&posts->errors, 1, relaxed);
}

static void hold_pool(struct posts *posts)
{
	assert_int_equal(posts->executor.post(posts->executor.self, hold, posts), SKUA_OK);
	assert_true(reaches(&posts->is_held, 1));
}

static void begin_close(struct skua_pool *pool, enum skua_close how)
{
	assert_int_equal(skua_pool_close_until(pool, how, skua_clock_ns()), SKUA_ETIMEDOUT);
}

static void test_executor_closing_pool_refuses_outsiders(void **state)
{
	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(30);
		struct skua_pool *pool = pool_of(widths[w]);
		struct posts posts = { .executor = skua_pool_executor(pool) };
		hold_pool(&posts);
		begin_close(pool, SKUA_CLOSE_DRAIN);
		assert_int_equal(posts.executor.bulk(pool, 1, never_run, &posts), SKUA_ECLOSED);
		assert_int_equal(posts.executor.post(pool, count_run, &posts), SKUA_ECLOSED);
		skua_store(&posts.is_free, 1, release);
		pool_end(pool);
		assert_int_equal(skua_load(&posts.runs, relaxed), 0);
		assert_int_equal(skua_load(&posts.errors, relaxed), 0);
	}
}

struct late {
	struct posts *posts;
	struct skuai_thread thread;
	_Atomic uint32_t rounds;
	int error;
};

static void bulk_until_refused(void *argument)
{
	struct late *late = argument;
	struct skua_executor *executor = &late->posts->executor;

	do {
		late->error = executor->bulk(executor->self, 2, never_run, late->posts);
		skua_add(&late->rounds, 1, release);
	} while (!late->error);
}

/* Closed at any moment of somebody's bulk call: it is run whole, or refused. */
static void test_executor_closed_under_a_bulk_call(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < test_rounds(SLOW_BUILD ? 20 : 200); round++) {
		WATCH(30);
		struct skua_pool *pool = pool_of(3);
		struct posts posts = { .executor = skua_pool_executor(pool) };
		struct late late[2] = { { .posts = &posts }, { .posts = &posts } };
		hold_pool(&posts);
		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(skuai_thread_start(&late[i].thread, bulk_until_refused,
							    &late[i], NULL),
					 SKUA_OK);
		assert_true(reaches(&late[0].rounds, 1) && reaches(&late[1].rounds, 1));
		begin_close(pool, SKUA_CLOSE_DRAIN);
		for (unsigned i = 0; i < 2; i++) {
			skuai_thread_join(&late[i].thread);
			assert_int_equal(late[i].error, SKUA_ECLOSED);
		}
		assert_int_equal(skua_load(&posts.runs, relaxed),
				 2 * (skua_load(&late[0].rounds, relaxed) +
				      skua_load(&late[1].rounds, relaxed) - 2));
		skua_store(&posts.is_free, 1, release);
		pool_end(pool);
	}
}

static void bulk_once(void *argument)
{
	struct late *late = argument;
	struct skua_executor *executor = &late->posts->executor;

	skua_store(&late->rounds, 1, release);
	late->error = executor->bulk(executor->self, 2, never_run, late->posts);
}

/* What waits for the only worker when the pool is cancelled: not run, not leaked, told. */
static void test_executor_cancelled_before_it_began(void **state)
{
	WATCH(30);
	struct skua_pool *pool = pool_of(1);
	struct posts posts = { .executor = skua_pool_executor(pool) };
	struct late late = { .posts = &posts };

	(void)state;
	hold_pool(&posts);
	assert_int_equal(posts.executor.post(pool, count_run, &posts), SKUA_OK);
	assert_int_equal(skuai_thread_start(&late.thread, bulk_once, &late, NULL), SKUA_OK);
	assert_true(reaches(&late.rounds, 1));
	sleep_ns(20 * MILLISECOND); /* or it is refused: as good */
	begin_close(pool, SKUA_CLOSE_CANCEL);
	skua_store(&posts.is_free, 1, release);
	skuai_thread_join(&late.thread);
	assert_true(late.error == SKUA_ECANCELED || late.error == SKUA_ECLOSED);
	assert_int_equal(skua_pool_close(pool, SKUA_CLOSE_CANCEL), SKUA_OK);
	assert_int_equal(skua_load(&posts.runs, relaxed), 0);
	assert_int_equal(skua_load(&posts.errors, relaxed), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_executor_closing_pool_refuses_outsiders),
		cmocka_unit_test(test_executor_closed_under_a_bulk_call),
		cmocka_unit_test(test_executor_cancelled_before_it_began),
	};
	return cmocka_run_group_tests_name("executor_close", tests, NULL, NULL);
}
