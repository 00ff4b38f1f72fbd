/* SPDX-License-Identifier: MIT */
/* test_jobring.c — the queue of jobs that rivals share: order at both ends, growth, moves */
#include "check.h"

#include "../../bench/rivals/jobring.h"

static struct rival_job numbered(uintptr_t number)
{
	return (struct rival_job){ NULL, (void *)number };
}

static void test_jobring_keeps_order_while_it_turns_and_grows(void **state)
{
	struct jobring ring = { 0 };
	struct rival_job job = { 0 };
	uintptr_t in = 0, out = 0;

	(void)state;
	assert_false(jobring_take_oldest(&ring, &job));
	assert_false(jobring_take_newest(&ring, &job));
	for (unsigned round = 0; round < 100; round++) {
		for (unsigned i = 0; i < 37; i++)
			assert_true(jobring_push(&ring, numbered(++in)));
		for (unsigned i = 0; i < 30; i++) {
			assert_true(jobring_take_oldest(&ring, &job));
			assert_int_equal((uintptr_t)job.arg, ++out);
		}
	}
	for (; in > out; in--) {
		assert_true(jobring_take_newest(&ring, &job));
		assert_int_equal((uintptr_t)job.arg, in);
	}
	assert_int_equal(ring.count, 0);
	jobring_free(&ring);
}

static void test_jobring_moves_the_oldest(void **state)
{
	struct jobring from = { 0 }, to = { 0 };
	struct rival_job job = { 0 };

	(void)state;
	for (uintptr_t i = 1; i <= 100; i++)
		assert_true(jobring_push(i <= 20 ? &to : &from, numbered(i)));
	assert_true(jobring_reserve(&to, 50));
	jobring_move(&to, &from, 50);
	for (uintptr_t i = 1; i <= 100; i++) {
		assert_true(jobring_take_oldest(i <= 70 ? &to : &from, &job));
		assert_int_equal((uintptr_t)job.arg, i);
	}
	assert_int_equal(to.count + from.count, 0);
	jobring_free(&from);
	jobring_free(&to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jobring_keeps_order_while_it_turns_and_grows),
		cmocka_unit_test(test_jobring_moves_the_oldest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
