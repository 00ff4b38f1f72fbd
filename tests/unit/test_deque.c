/* SPDX-License-Identifier: MIT */
/* test_deque.c — one thread at a time: order of elements, growth, limits, types, both forms */
#include "test_deque.h"

#include "base/fault.h"
#include "os/membarrier.h"

#include <string.h>

/* The forms to try: both, where the system offers membarrier. */
static int last_fence(void)
{
	return skuai_membarrier_offered() ? SKUA_FENCE_ASYMMETRIC : SKUA_FENCE_PORTABLE;
}

/* --- order --- */

static void test_deque_pops_before_any_push_are_empty(void **state)
{
	struct skua_deque deque;

	(void)state;
	for (int fence = SKUA_FENCE_PORTABLE; fence <= last_fence(); fence++) {
		assert_int_equal(
			skua_deque_open(&deque, OPTIONS(.fence = (enum skua_deque_fence)fence)),
			SKUA_OK);
		for (int round = 0; round < 5; round++)
			assert_empty(&deque);
		push_ok(&deque, 7, 1);
		assert_pops(&deque, 7);
		assert_empty(&deque);
		skua_deque_close(&deque);
	}
}

static void test_deque_owner_gets_the_newest_first(void **state)
{
	struct skua_deque deque;

	(void)state;
	assert_int_equal(skua_deque_open(&deque, NULL), SKUA_OK);
	for (uint64_t n = 1; n < 300; n = 2 * n + 1) {
		push_ok(&deque, 0, n);
		assert_int_equal(skua_deque_count(&deque), n);
		for (uint64_t i = n; i-- > 0;)
			assert_pops(&deque, i);
		assert_empty(&deque);
	}
	skua_deque_close(&deque);
}

static void test_deque_thieves_get_the_oldest_first(void **state)
{
	struct skua_deque deque;

	(void)state;
	for (int fence = SKUA_FENCE_PORTABLE; fence <= last_fence(); fence++) {
		assert_int_equal(
			skua_deque_open(&deque, OPTIONS(.fence = (enum skua_deque_fence)fence)),
			SKUA_OK);
		for (uint64_t n = 1; n < 300; n = 2 * n + 1) {
			push_ok(&deque, 0, n);
			for (uint64_t i = 0; i < n; i++)
				assert_steals(&deque, i);
			assert_empty(&deque);
		}
		skua_deque_close(&deque);
	}
}

static void test_deque_both_ends_meet_in_the_middle(void **state)
{
	struct skua_deque deque;

	(void)state;
	assert_int_equal(skua_deque_open(&deque, OPTIONS(.capacity = 8)), SKUA_OK);
	/* Long enough for the indices to go round a small buffer many times. */
	for (int round = 0; round < 100; round++) {
		push_ok(&deque, 0, 7);
		for (uint64_t i = 0; i < 3; i++) {
			assert_steals(&deque, i);
			assert_pops(&deque, 6 - i);
		}
		if (round % 2)
			assert_steals(&deque, 3);
		else
			assert_pops(&deque, 3);
		assert_empty(&deque);
	}
	assert_int_equal(skua_deque_memory(&deque) / sizeof(uint64_t) / 16, 0); /* never grew */
	skua_deque_close(&deque);
}

static void test_deque_agrees_with_a_list_on_random_calls(void **state)
{
	enum {
		ROOM = 1 << 12
	};
	static uint64_t list[ROOM];
	uint64_t oldest = 0, newest = 0, next = 0; /* list[i % ROOM] for oldest <= i < newest */
	struct skua_deque deque;

	(void)state;
	assert_int_equal(skua_deque_open(&deque, OPTIONS(.capacity = 1)), SKUA_OK);
	for (uint64_t step = test_rounds(200000); step; step--) {
		uint64_t dice = test_random() % 16;
		bool wants_more = step / 4096 % 2; /* fill for a while, then drain */
		if (dice < (wants_more ? 9 : 6) && newest - oldest < ROOM) {
			list[newest++ % ROOM] = next;
			push_ok(&deque, next++, 1);
		} else if (newest == oldest) {
			assert_empty(&deque);
		} else if (dice < 13) {
			assert_pops(&deque, list[--newest % ROOM]);
		} else {
			assert_steals(&deque, list[oldest++ % ROOM]);
		}
		assert_int_equal(skua_deque_count(&deque), newest - oldest);
	}
	skua_deque_close(&deque);
}

static void test_deque_outcomes_are_distinct(void **state)
{
	(void)state;
	assert_int_equal(SKUA_TAKE_EMPTY, 0); /* "if (pop(...))" means "got one" for an owner */
	assert_int_not_equal(SKUA_TAKE_RETRY, SKUA_TAKE_EMPTY);
	assert_int_not_equal(SKUA_TAKE_RETRY, SKUA_TAKE_GOT);
	assert_int_not_equal(SKUA_TAKE_EMPTY, SKUA_TAKE_GOT);
}

/* --- half --- */

static void test_deque_steal_half_takes_half_rounded_up(void **state)
{
	struct skua_deque deque;
	uint64_t taken[64];

	(void)state;
	assert_int_equal(skua_deque_open(&deque, OPTIONS(.capacity = 64)), SKUA_OK);
	for (uint64_t n = 1; n <= 40; n++) {
		size_t count = 99;
		push_ok(&deque, 0, n);
		assert_int_equal(skua_deque_steal_half(&deque, taken, 64, &count), SKUA_TAKE_GOT);
		assert_int_equal(count, (n + 1) / 2);
		for (uint64_t i = 0; i < count; i++)
			assert_int_equal(taken[i], value_of(i));
		for (uint64_t i = n; i-- > count;)
			assert_pops(&deque, i);
		assert_empty(&deque);
	}
	skua_deque_close(&deque);
}

static void test_deque_steal_half_takes_no_more_than_asked(void **state)
{
	struct skua_deque deque;
	uint64_t taken[4] = { 1, 2, 3, 4 };
	size_t count = 99;

	(void)state;
	assert_int_equal(skua_deque_open(&deque, NULL), SKUA_OK);
	push_ok(&deque, 0, 20);
	assert_int_equal(skua_deque_steal_half(&deque, taken, 0, &count), SKUA_TAKE_EMPTY);
	assert_int_equal(count, 0);
	assert_int_equal(taken[0], 1);
	assert_int_equal(skua_deque_steal_half(&deque, NULL, 0, &count), SKUA_TAKE_EMPTY);
	assert_int_equal(skua_deque_count(&deque), 20);
	assert_int_equal(skua_deque_steal_half(&deque, taken, 3, &count), SKUA_TAKE_GOT);
	assert_int_equal(count, 3);
	assert_int_equal(taken[2], value_of(2));
	assert_int_equal(taken[3], 4); /* behind what was asked for */
	assert_steals(&deque, 3);
	skua_deque_close(&deque);
}

/* --- growth and limits --- */

static void test_deque_growth_keeps_order_and_reports_memory(void **state)
{
	enum {
		MOST = 1 << 16
	};
	struct skua_deque deque;
	size_t newest = 0, all = 0;

	(void)state;
	assert_int_equal(skua_deque_open(&deque, OPTIONS(.capacity = 1)), SKUA_OK);
	all = newest = skua_deque_memory(&deque);
	assert_true(newest >= 8);
	for (uint64_t i = 0; i < MOST; i++) {
		push_ok(&deque, i, 1);
		size_t memory = skua_deque_memory(&deque);
		if (memory != all) { /* grew: what it had before is still there, and smaller */
			newest = memory - all;
			assert_int_equal(i & (i - 1), 0);
			assert_true(newest >= 2 * 8 * i);
			assert_true(i < 64 || all < newest + 64 * 24); /* headers apart */
			all = memory;
		}
	}
	assert_true(all < 2 * 8 * MOST + 64 * 24);
	for (uint64_t i = 0; i < MOST / 2; i++) {
		assert_steals(&deque, i);
		assert_pops(&deque, MOST - 1 - i);
	}
	assert_empty(&deque);
	assert_int_equal(skua_deque_memory(&deque), all);
	skua_deque_close(&deque);
	assert_int_equal(skua_deque_memory(&deque), 0);
}

static void test_deque_grows_when_the_elements_lie_round_the_end(void **state)
{
	struct skua_deque deque;

	(void)state;
	for (uint64_t shift = 0; shift < 9; shift++) {
		assert_int_equal(skua_deque_open(&deque, OPTIONS(.capacity = 8)), SKUA_OK);
		for (uint64_t i = 0; i < shift; i++) {
			push_ok(&deque, i, 1);
			assert_steals(&deque, i);
		}
		push_ok(&deque, 100, 33);
		for (uint64_t i = 0; i < 16; i++)
			assert_steals(&deque, 100 + i);
		for (uint64_t i = 33; i-- > 16;)
			assert_pops(&deque, 100 + i);
		assert_empty(&deque);
		skua_deque_close(&deque);
	}
}

/* Push `extra` too many; none is taken; then the deque works on. */
static void overfill(struct skua_deque *deque, uint64_t capacity, uint64_t extra)
{
	push_ok(deque, 0, capacity);
	for (uint64_t i = 0; i < extra; i++)
		assert_int_equal(skua_deque_push(deque, value_of(capacity + i)), SKUA_EFULL);
	assert_int_equal(skua_deque_count(deque), capacity);
	assert_steals(deque, 0); /* room for one, at the other end */
	push_ok(deque, capacity, 1);
	assert_int_equal(skua_deque_push(deque, 1), SKUA_EFULL);
	for (uint64_t i = capacity; i >= 1; i--)
		assert_pops(deque, i);
	assert_empty(deque);
}

static void test_deque_bounded_refuses_and_works_on(void **state)
{
	struct skua_deque deque;

	(void)state;
	for (uint64_t capacity = 1; capacity <= 64; capacity *= 2) {
		assert_int_equal(
			skua_deque_open(&deque, OPTIONS(.capacity = capacity, .is_bounded = true)),
			SKUA_OK);
		size_t memory = skua_deque_memory(&deque);
		overfill(&deque, capacity, 1);
		overfill(&deque, capacity, 10 * capacity);
		overfill(&deque, capacity, 3);
		assert_int_equal(skua_deque_memory(&deque), memory);
		skua_deque_close(&deque);
	}
}

static void test_deque_in_caller_storage_allocates_nothing(void **state)
{
	uint64_t room[1 + 16 + 1];
	struct skua_deque deque;

	(void)state;
#ifdef SKUA_FAULTS
	skuai_fault_disarm();
	skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
#endif
	for (uint64_t capacity = 1; capacity <= 16; capacity *= 2) {
		memset(room, 0x5a, sizeof(room));
		/* is_bounded not set: storage alone means bounded */
		assert_int_equal(
			skua_deque_open(&deque, OPTIONS(.capacity = capacity, .storage = room + 1)),
			SKUA_OK);
		overfill(&deque, capacity, 10 * capacity);
		push_ok(&deque, 0, capacity);
		assert_int_equal(skua_deque_memory(&deque), 0);
		skua_deque_close(&deque);
		skua_deque_close(&deque);
		assert_int_equal(room[0], 0x5a5a5a5a5a5a5a5a); /* wrote nothing beside it */
		assert_int_equal(room[1 + capacity], 0x5a5a5a5a5a5a5a5a);
	}
#ifdef SKUA_FAULTS
	assert_int_equal(skuai_fault_calls(SKUAI_FAULT_MALLOC), 0);
	skuai_fault_disarm();
#endif
}

static void test_deque_capacity_is_rounded_up(void **state)
{
	struct skua_deque deque;

	(void)state;
	for (uint64_t capacity = 1; capacity <= 33; capacity++) {
		uint64_t rounded = 1;
		while (rounded < capacity)
			rounded *= 2;
		assert_int_equal(
			skua_deque_open(&deque, OPTIONS(.capacity = capacity, .is_bounded = true)),
			SKUA_OK);
		overfill(&deque, rounded, 1);
		skua_deque_close(&deque);
	}
}

/* --- types --- */

struct job {
	int number;
};
struct pair {
	int32_t x, y;
};
SKUA_DEQUE_OF(jobs, struct job *);
SKUA_DEQUE_OF(pairs, struct pair);

static void test_deque_of_pointers_hands_out_the_same_pointers(void **state)
{
	struct job all[3] = { { 0 }, { 1 }, { 2 } }, *job = NULL;
	struct jobs jobs;

	(void)state;
	assert_int_equal(jobs_open(&jobs, NULL), SKUA_OK);
	assert_int_equal(jobs_pop(&jobs, &job), SKUA_TAKE_EMPTY);
	assert_int_equal(jobs_steal(&jobs, &job), SKUA_TAKE_EMPTY);
	assert_null(job);
	for (int i = 0; i < 3; i++)
		assert_int_equal(jobs_push(&jobs, &all[i]), SKUA_OK);
	assert_int_equal(jobs_pop(&jobs, &job), SKUA_TAKE_GOT);
	assert_ptr_equal(job, &all[2]);
	assert_int_equal(jobs_steal(&jobs, &job), SKUA_TAKE_GOT);
	assert_ptr_equal(job, &all[0]);
	assert_int_equal(skua_deque_count(&jobs.deque), 1);
	jobs_close(&jobs);
}

static void test_deque_of_structs_hands_out_equal_structs(void **state)
{
	struct pair pair = { 0, 0 };
	struct pairs pairs;

	(void)state;
	assert_int_equal(pairs_open(&pairs, OPTIONS(.capacity = 2)), SKUA_OK);
	for (int32_t i = 1; i <= 10; i++)
		assert_int_equal(pairs_push(&pairs, (struct pair){ i, -i }), SKUA_OK);
	for (int32_t i = 1; i <= 10; i++) {
		enum skua_take take = i % 2 ? pairs_steal(&pairs, &pair) : pairs_pop(&pairs, &pair);
		int32_t wanted = i % 2 ? (i + 1) / 2 : 11 - i / 2;
		assert_int_equal(take, SKUA_TAKE_GOT);
		assert_int_equal(pair.x, wanted);
		assert_int_equal(pair.y, -wanted);
	}
	assert_int_equal(pairs_steal(&pairs, &pair), SKUA_TAKE_EMPTY);
	pairs_close(&pairs);
}

/* --- open and close --- */

static void test_deque_two_closes_are_as_one(void **state)
{
	struct skua_deque deque;

	(void)state;
	assert_int_equal(skua_deque_open(&deque, OPTIONS(.capacity = 1)), SKUA_OK);
	push_ok(&deque, 0, 100); /* forgotten: they are ours */
	skua_deque_close(&deque);
	skua_deque_close(&deque);
	assert_int_equal(skua_deque_memory(&deque), 0);
	assert_int_equal(skua_deque_open(&deque, NULL), SKUA_OK); /* and open again */
	assert_empty(&deque);
	skua_deque_close(&deque);
}

static void test_deque_asymmetric_is_what_was_asked_for(void **state)
{
	struct skua_deque deque;

	(void)state;
	if (skuai_membarrier_ready() != SKUA_OK)
		skip();
	for (int fence = SKUA_FENCE_PORTABLE; fence <= SKUA_FENCE_ASYMMETRIC; fence++) {
		assert_int_equal(
			skua_deque_open(&deque, OPTIONS(.fence = (enum skua_deque_fence)fence)),
			SKUA_OK);
		assert_int_equal(skua_deque_is_asymmetric(&deque), fence != SKUA_FENCE_PORTABLE);
		skua_deque_close(&deque);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deque_pops_before_any_push_are_empty),
		cmocka_unit_test(test_deque_owner_gets_the_newest_first),
		cmocka_unit_test(test_deque_thieves_get_the_oldest_first),
		cmocka_unit_test(test_deque_both_ends_meet_in_the_middle),
		cmocka_unit_test(test_deque_agrees_with_a_list_on_random_calls),
		cmocka_unit_test(test_deque_outcomes_are_distinct),
		cmocka_unit_test(test_deque_steal_half_takes_half_rounded_up),
		cmocka_unit_test(test_deque_steal_half_takes_no_more_than_asked),
		cmocka_unit_test(test_deque_growth_keeps_order_and_reports_memory),
		cmocka_unit_test(test_deque_grows_when_the_elements_lie_round_the_end),
		cmocka_unit_test(test_deque_bounded_refuses_and_works_on),
		cmocka_unit_test(test_deque_in_caller_storage_allocates_nothing),
		cmocka_unit_test(test_deque_capacity_is_rounded_up),
		cmocka_unit_test(test_deque_of_pointers_hands_out_the_same_pointers),
		cmocka_unit_test(test_deque_of_structs_hands_out_equal_structs),
		cmocka_unit_test(test_deque_two_closes_are_as_one),
		cmocka_unit_test(test_deque_asymmetric_is_what_was_asked_for),
	};
	return cmocka_run_group_tests_name("deque", tests, NULL, NULL);
}
