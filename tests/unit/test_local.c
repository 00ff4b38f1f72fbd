/* SPDX-License-Identifier: MIT */
/* test_local.c — worker-local storage on one thread: order, memory, mistakes, faults */
#include "unit/test_local.h"

#include "base/fault.h"

#include <string.h>

/* --- one thread --- */

static void test_local_lends_what_came_back_last(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	struct skua_local local = local_of(pool);

	(void)state;
	for (unsigned round = 0; round < 3; round++) {
		struct instance *a = enter(&local), *b = enter(&local), *c = enter(&local);
		assert_true(a && b && c && a != b && b != c && a != c);
		assert_true(leave(&local, b) && leave(&local, a) && leave(&local, c));
	}
	assert_int_equal(sum_of(&local).instances, 3);
	assert_int_equal(sum_of(&local).leases, 9);
	assert_int_equal(skua_local_close(&local), SKUA_OK);
	pool_end(pool);
}

SKUA_TASK(bool, lifo_on_worker, struct skua_local *, local)
{
	struct instance *a = enter(local), *b = enter(local);

	if (!a || !b || a == b || !leave(local, b) || !leave(local, a))
		return false;
	struct instance *again = enter(local);
	return again == a && leave(local, again);
}

static void test_local_lends_what_came_back_last_on_a_worker(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_local local = local_of(pool);

	(void)state;
	for (unsigned round = 0; round < 3; round++)
		assert_true(skua_run(pool, lifo_on_worker, &local));
	assert_int_equal(sum_of(&local).instances, 2);
	assert_int_equal(skua_local_close(&local), SKUA_OK);
	pool_end(pool);
}

static void test_local_instances_are_aligned_and_zeroed(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);

	(void)state;
	for (size_t align = 0; align <= 4096; align = align ? 2 * align : 1)
		for (size_t bytes = 1; bytes <= 5000; bytes = 3 * bytes + 1) {
			struct skua_local local;
			struct skua_local_options options = { .size = sizeof(options),
							      .pool = pool,
							      .bytes = bytes,
							      .align = align };
			assert_int_equal(skua_local_open(&local, &options), SKUA_OK);
			unsigned char *a = skua_local_lease(&local), *b = skua_local_lease(&local);
			assert_int_equal((uintptr_t)a % (align ? align : 16), 0);
			assert_int_equal((uintptr_t)b % (align ? align : 16), 0);
			for (size_t i = 0; i < bytes; i++)
				assert_true(a[i] == 0 && b[i] == 0);
			memset(a, 0xff, bytes); /* ASan: all of it is ours */
			memset(b, 0xff, bytes);
			assert_int_equal(skua_local_return(&local, a), SKUA_OK);
			assert_int_equal(skua_local_return(&local, b), SKUA_OK);
			assert_int_equal(skua_local_close(&local), SKUA_OK);
		}
	pool_end(pool);
}

struct life {
	unsigned inits, finis;
	bool refuses;
};

static int life_init(void *context, void *instance)
{
	struct life *life = context;

	if (life->refuses)
		return -1;
	life->inits++;
	((struct instance *)instance)->leases = 100;
	return 0;
}

static void life_fini(void *context, void *instance)
{
	struct life *life = context;

	life->finis += ((struct instance *)instance)->leases == 100;
}

static void test_local_init_and_fini_once_each(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct life life = { 0 };
	struct skua_local local;
	struct skua_local_options options = { .size = sizeof(options),
					      .pool = pool,
					      .bytes = sizeof(struct instance),
					      .init = life_init,
					      .fini = life_fini,
					      .context = &life };

	(void)state;
	assert_int_equal(skua_local_open(&local, &options), SKUA_OK);
	for (unsigned round = 1; round <= 2; round++) {
		void *a = skua_local_lease(&local), *b = skua_local_lease(&local);
		life.refuses = true;
		assert_null(skua_local_lease(&local));
		life.refuses = false;
		assert_int_equal(skua_local_return(&local, a), SKUA_OK);
		assert_int_equal(skua_local_return(&local, b), SKUA_OK);
		assert_int_equal(life.inits, 2 * round);
		assert_int_equal(life.finis, 2 * (round - 1));
		assert_int_equal(skua_local_clear(&local), SKUA_OK);
		assert_int_equal(life.finis, 2 * round);
		assert_int_equal(sum_of(&local).instances, 0);
	}
	assert_int_equal(skua_local_close(&local), SKUA_OK);
	assert_int_equal(life.finis, 4);
	pool_end(pool);
}

/* --- bad input --- */

static void test_local_open_refuses_and_changes_nothing(void **state)
{
	static const struct skua_local_options wrong[] = {
		{ .size = sizeof(wrong[0]), .bytes = 0 },
		{ .size = sizeof(wrong[0]) - 1, .bytes = 8 },
		{ .size = 0, .bytes = 8 },
		{ .size = sizeof(wrong[0]), .bytes = (size_t)PTRDIFF_MAX + 1 },
		{ .size = sizeof(wrong[0]), .bytes = 8, .align = 3 },
		{ .size = sizeof(wrong[0]), .bytes = 8, .align = (size_t)1 << 21 },
	};
	struct skua_local local, before;

	(void)state;
	WATCH(20);
	memset(&local, 0x5a, sizeof(local));
	before = local;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(skua_local_open(&local, &wrong[i]), SKUA_EINVAL);
	assert_int_equal(skua_local_open(&local, NULL), SKUA_EINVAL);
	assert_memory_equal(&local, &before, sizeof(local));
	struct skua_local_options right = { .size = sizeof(right), .bytes = 8 };
	assert_int_equal(skua_local_open(NULL, &right), SKUA_EINVAL);
}

static void test_local_closed_one_refuses(void **state)
{
	struct skua_local local;
	struct sum sum = { 0 };

	(void)state;
	memset(&local, 0, sizeof(local));
	assert_null(skua_local_lease(&local));
	assert_null(skua_local_lease(NULL));
	assert_int_equal(skua_local_return(&local, &sum), SKUA_EINVAL);
	assert_int_equal(skua_local_return(NULL, &sum), SKUA_EINVAL);
	assert_int_equal(skua_local_each(&local, add_up, &sum), SKUA_EINVAL);
	assert_int_equal(skua_local_each(NULL, add_up, &sum), SKUA_EINVAL);
	assert_int_equal(skua_local_clear(&local), SKUA_EINVAL);
	assert_int_equal(skua_local_clear(NULL), SKUA_EINVAL);
	assert_int_equal(skua_local_close(&local), SKUA_OK);
	assert_int_equal(skua_local_close(NULL), SKUA_EINVAL);
}

static void test_local_return_refuses_what_is_not_out(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	struct skua_local local = local_of(pool), other = local_of(pool);
	struct instance *mine = enter(&local), *others = enter(&other);

	(void)state;
	assert_int_equal(skua_local_return(&local, NULL), SKUA_EINVAL);
	assert_int_equal(skua_local_return(&local, others), SKUA_EINVAL);
	assert_int_equal(skua_local_return(&local, (char *)mine + 1), SKUA_EINVAL);
#ifndef NDEBUG /* found out with assertions only */
	uint64_t foreign[32] = { 0 };
	assert_int_equal(skua_local_return(&local, foreign + 8), SKUA_EINVAL);
	assert_int_equal(skua_local_return(&local, foreign + 9), SKUA_EINVAL);
#endif
	assert_true(leave(&local, mine));
	assert_int_equal(skua_local_return(&local, mine), SKUA_EINVAL);
	assert_true(leave(&other, others));
	assert_int_equal(sum_of(&local).instances, 1);
	assert_int_equal(sum_of(&other).instances, 1);
	assert_int_equal(skua_local_close(&local), SKUA_OK);
	assert_int_equal(skua_local_close(&local), SKUA_OK); /* stays closed */
	assert_int_equal(skua_local_close(&other), SKUA_OK);
	pool_end(pool);
}

static void test_local_busy_while_a_lease_is_out(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	struct skua_local local = local_of(pool);

	(void)state;
	for (unsigned i = 0; i < 2; i++) { /* of a thread, of a worker's place */
		struct sum sum = { 0 };
		struct instance *a = i ? skua_run(pool, enter_task, &local) : enter(&local);
		assert_non_null(a);
		assert_int_equal(skua_local_each(&local, add_up, &sum), SKUA_EBUSY);
		assert_int_equal(sum.instances, 0);
		assert_int_equal(skua_local_clear(&local), SKUA_EBUSY);
		assert_int_equal(skua_local_close(&local), SKUA_EBUSY);
		assert_true(leave(&local, a));
	}
	assert_int_equal(skua_local_each(&local, NULL, NULL), SKUA_EINVAL);
	assert_int_equal(sum_of(&local).instances, 2);
	assert_int_equal(skua_local_close(&local), SKUA_OK);
	pool_end(pool);
}

#ifdef SKUA_FAULTS
static void test_local_without_memory(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	struct skua_local local, before;
	struct skua_local_options options = { .size = sizeof(options), .pool = pool, .bytes = 64 };

	(void)state;
	memset(&local, 0x5a, sizeof(local));
	before = local;
	skuai_fault_disarm();
	skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
	assert_int_equal(skua_local_open(&local, &options), SKUA_ENOMEM);
	assert_memory_equal(&local, &before, sizeof(local));
	skuai_fault_disarm();
	assert_int_equal(skua_local_open(&local, &options), SKUA_OK);
	void *a = skua_local_lease(&local);
	skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
	assert_null(skua_local_lease(&local));
	assert_int_equal(skua_local_return(&local, a), SKUA_OK);
	for (unsigned i = 0; i < 100; i++) { /* what exists needs no memory */
		assert_ptr_equal(skua_local_lease(&local), a);
		assert_int_equal(skua_local_return(&local, a), SKUA_OK);
	}
	assert_null(skua_run(pool, enter_task, &local));
	skuai_fault_disarm();
	assert_int_equal(skua_local_close(&local), SKUA_OK);
	pool_end(pool);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_local_lends_what_came_back_last),
		cmocka_unit_test(test_local_lends_what_came_back_last_on_a_worker),
		cmocka_unit_test(test_local_instances_are_aligned_and_zeroed),
		cmocka_unit_test(test_local_init_and_fini_once_each),
		cmocka_unit_test(test_local_open_refuses_and_changes_nothing),
		cmocka_unit_test(test_local_closed_one_refuses),
		cmocka_unit_test(test_local_return_refuses_what_is_not_out),
		cmocka_unit_test(test_local_busy_while_a_lease_is_out),
#ifdef SKUA_FAULTS
		cmocka_unit_test(test_local_without_memory),
#endif
	};
	return cmocka_run_group_tests_name("local", tests, NULL, NULL);
}
