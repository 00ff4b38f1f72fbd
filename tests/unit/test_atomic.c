/* SPDX-License-Identifier: MIT */
/* test_atomic.c — the atomics layer does what its words say, in every back end */
#include "check.h"

#include "base/atomic.h"
#include "os/thread.h"

static void test_atomic_operations_return_the_value_before(void **state)
{
	_Atomic int64_t n = 40;
	_Atomic uint8_t bits = 0x0f;
	_Atomic(const char *) text = "a";
	int64_t expected = 7;

	(void)state;
	assert_int_equal(skua_load(&n, relaxed), 40);
	skua_store(&n, 41, release);
	assert_int_equal(skua_exchange(&n, -2, acq_rel), 41);
	assert_int_equal(skua_add(&n, 5, relaxed), -2);
	assert_int_equal(skua_sub(&n, 1, relaxed), 3);
	assert_int_equal(skua_or(&bits, 0xf0, relaxed), 0x0f);
	assert_int_equal(skua_and(&bits, 0x3c, relaxed), 0xff);
	assert_int_equal(skua_load(&bits, acquire), 0x3c);
	assert_false(skua_cas(&n, &expected, 9, seq_cst, relaxed));
	assert_int_equal(expected, 2);
	assert_true(skua_cas(&n, &expected, 9, seq_cst, relaxed));
	assert_int_equal(skua_load(&n, seq_cst), 9);
	expected = 9;
	while (!skua_cas_weak(&n, &expected, 10, acq_rel, acquire))
		assert_int_equal(expected, 9); /* only a spurious failure may bring us here */
	assert_string_equal(skua_exchange(&text, "b", acq_rel), "a");
	skua_fence(&n, seq_cst);
}

/*
 * Message passing by fences alone, the case ThreadSanitizer does not understand by itself:
 *
 *	writer: payload = round; FENCE release; flag = round (relaxed)
 *	reader: wait flag == round (relaxed); FENCE acquire; read payload
 */
struct mailbox {
	int payload;
	_Atomic int flag, answer;
	int rounds;
};

static void read_letters(void *argument)
{
	struct mailbox *box = argument;

	for (int round = 1; round <= box->rounds; round++) {
		while (skua_load(&box->flag, relaxed) != round)
			skuai_thread_yield();
		skua_fence(&box->flag, acquire);
		int read = box->payload;
		skua_fence(&box->answer, release);
		skua_store(&box->answer, read, relaxed);
	}
}

static void test_atomic_fences_pass_messages_without_a_race(void **state)
{
	struct mailbox box = { .rounds = (int)test_rounds(2000) };
	struct skuai_thread reader;

	(void)state;
	assert_int_equal(skuai_thread_start(&reader, read_letters, &box, NULL), 0);
	for (int round = 1; round <= box.rounds; round++) {
		box.payload = round;
		skua_fence(&box.flag, release);
		skua_store(&box.flag, round, relaxed);
		while (skua_load(&box.answer, relaxed) != round)
			skuai_thread_yield();
		skua_fence(&box.answer, acquire);
	}
	skuai_thread_join(&reader);
	assert_int_equal(skua_load(&box.answer, relaxed), box.rounds);
}

/*
 * Store buffering: with a seq_cst fence between each side's store and load, at least one side sees
 * the other.  This is the shape of pop against steal; a compiler or back end that drops the fence
 * shows both zero within a few thousand rounds on x86-64 (tried: it did after about 500).
 */
struct duel {
	_Alignas(64) _Atomic int x;
	_Alignas(64) _Atomic int y;
	_Alignas(64) _Atomic int start, seen_by_second;
	int rounds;
};

/*
 * Spin, so that both sides run at once; but where there is one CPU, let the other have it at last.
 * Much earlier than this and the sides meet so rarely that the test cannot go red.
 */
static void look_again(uint32_t *looks)
{
	if (++*looks % 100000 == 0)
		skuai_thread_yield();
}

static void second_side(void *argument)
{
	struct duel *duel = argument;

	for (int round = 1; round <= duel->rounds; round++) {
		uint32_t looks = 0;
		while (skua_load(&duel->start, acquire) != round)
			look_again(&looks);
		skua_store(&duel->y, round, relaxed);
		skua_fence(&duel->x, seq_cst);
		int seen = skua_load(&duel->x, relaxed);
		skua_store(&duel->seen_by_second, 2 * round + (seen == round), release);
	}
}

static void test_atomic_seq_cst_fences_forbid_missing_each_other(void **state)
{
	struct duel duel = { .rounds = (int)test_rounds(20000) };
	struct skuai_thread second;
	int both_missed = 0;

	(void)state;
	assert_int_equal(skuai_thread_start(&second, second_side, &duel, NULL), 0);
	for (int round = 1; round <= duel.rounds; round++) {
		skua_store(&duel.start, round, release);
		for (volatile int wait = round % 64; wait; wait = wait - 1)
			continue; /* vary who comes first */
		skua_store(&duel.x, round, relaxed);
		skua_fence(&duel.x, seq_cst);
		bool first_saw = skua_load(&duel.y, relaxed) == round;
		int answer;
		uint32_t looks = 0;
		while ((answer = skua_load(&duel.seen_by_second, acquire)) / 2 != round)
			look_again(&looks);
		both_missed += !first_saw && !(answer & 1);
	}
	skuai_thread_join(&second);
	assert_int_equal(both_missed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_atomic_operations_return_the_value_before),
		cmocka_unit_test(test_atomic_fences_pass_messages_without_a_race),
		cmocka_unit_test(test_atomic_seq_cst_fences_forbid_missing_each_other),
	};
	return cmocka_run_group_tests_name("atomic", tests, NULL, NULL);
}
