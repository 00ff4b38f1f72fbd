/* SPDX-License-Identifier: MIT */
/* test_forks.c — a worker's stack of waiting forks, one thread playing all parts */
#include "unit/test_pool.h"

#include "os/membarrier.h"
#include "sched/forks.h"

#include <stdlib.h>

#define SLOTS 200

struct table {
	struct skuai_forks forks;
	struct skua_slot *slots;
	struct skua_slot *here;
};

static void run_nothing(struct skua_slot *here, struct skua_slot *slot)
{
	(void)here, (void)slot;
}

static struct table *table_open(uint32_t count)
{
	struct table *table = aligned_alloc(SKUAI_LINE, (sizeof(*table) + SKUAI_LINE - 1) /
								SKUAI_LINE * SKUAI_LINE);

	memset(table, 0, sizeof(*table));
	table->slots = aligned_alloc(SKUA_SLOT_BYTES, count * sizeof(*table->slots));
	memset(table->slots, 0, count * sizeof(*table->slots));
	skuai_forks_open(&table->forks, table->slots, count);
	table->here = table->slots;
	return table;
}

static void table_close(struct table *table)
{
	free(table->slots);
	free(table);
}

/* A fork as skua_slot_fork makes it, but the slow half is called here; how many were shared. */
static unsigned fork_one(struct table *table)
{
	struct skua_slot *slot = table->here;

	slot->payload[0] = (uint64_t)(slot - table->slots);
	skua_store(&slot->ready, run_nothing, release);
	table->here = slot + 1;
	if (slot >= skua_load(&table->forks.bounds.limit, relaxed))
		return skuai_forks_fork(&table->forks, slot, false);
	return 0;
}

/* A join likewise; true: it was stolen. */
static bool join_one(struct table *table)
{
	struct skua_slot *slot = table->here - 1;
	unsigned shared = 0;

	skua_store(&slot->ready, NULL, relaxed);
	table->here = slot;
	if (slot >= skua_load(&table->forks.bounds.joinlo, relaxed))
		return false;
	if (!skuai_forks_join(&table->forks, slot, &shared))
		return false;
	assert_true(skuai_forks_is_done(slot)); /* whoever plays the thief has run it */
	skuai_forks_joined(&table->forks, slot);
	return true;
}

static void test_forks_nobody_asks_nobody_gets(void **state)
{
	struct table *table = table_open(SLOTS);
	struct skuai_theft theft;

	(void)state;
	assert_false(skuai_forks_has_private(&table->forks));
	for (unsigned i = 0; i < SLOTS - 2; i++)
		assert_int_equal(fork_one(table), 0);
	assert_true(skuai_forks_has_private(&table->forks));
	assert_false(skuai_forks_has_shared(&table->forks));
	assert_false(skuai_forks_steal(&table->forks, 1, &theft));
	assert_true(skuai_forks_top(&table->forks) == table->here);
	for (unsigned i = 0; i < SLOTS - 2; i++)
		assert_false(join_one(table));
	assert_true(skuai_forks_top(&table->forks) == table->slots);
	table_close(table);
}

static void test_forks_asked_for_shares_the_oldest(void **state)
{
	struct table *table = table_open(SLOTS);
	struct skuai_theft theft;

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		fork_one(table);
	skuai_forks_ask(&table->forks, 1);
	assert_true(skuai_forks_is_asked(&table->forks));
	assert_int_equal(fork_one(table), 1);
	assert_false(skuai_forks_is_asked(&table->forks));
	assert_true(skuai_forks_has_shared(&table->forks));
	assert_true(skuai_forks_steal(&table->forks, 7, &theft));
	assert_true(theft.slot == table->slots && theft.task == run_nothing);
	assert_int_equal(theft.slot->payload[0], 0);
	assert_int_equal(skuai_forks_thief(theft.slot), 7);
	assert_false(skuai_forks_is_done(theft.slot));
	assert_false(skuai_forks_steal(&table->forks, 7, &theft));
	assert_true(skuai_forks_wait(theft.slot));
	assert_true(skuai_forks_wait(theft.slot)); /* twice is once */
	assert_true(skuai_forks_done(theft.slot)); /* somebody waits */
	assert_false(skuai_forks_wait(theft.slot));
	assert_int_equal(skuai_forks_thief(theft.slot), -1);
	for (unsigned i = 0; i < 5; i++)
		assert_false(join_one(table));
	assert_true(join_one(table));
	assert_true(table->here == table->slots);
	assert_int_equal(fork_one(table), 0); /* as new */
	assert_false(join_one(table));
	table_close(table);
}

/* A fork as skuai_fork_given makes it; how many were shared. */
static unsigned give_one(struct table *table)
{
	struct skua_slot *slot = table->here++;

	skuai_forks_fill(slot, run_nothing);
	return skuai_forks_fork(&table->forks, slot, true);
}

/* Nobody asks: the oldest is shared, one at a time; who did ask has its answer with it. */
static void test_forks_given_is_shared_unasked(void **state)
{
	struct table *table = table_open(SLOTS);
	struct skuai_theft theft;

	(void)state;
	fork_one(table);
	assert_int_equal(give_one(table), 1);
	assert_int_equal(give_one(table), 0); /* one waits for thieves already */
	assert_true(skuai_forks_steal(&table->forks, 3, &theft));
	assert_true(theft.slot == table->slots && theft.task == run_nothing);
	assert_false(skuai_forks_steal(&table->forks, 3, &theft));
	assert_int_equal(give_one(table), 1);
	skuai_forks_ask(&table->forks, 1);
	assert_int_equal(give_one(table), 1); /* asked for, one more than is shared already */
	assert_false(skuai_forks_is_asked(&table->forks));
	assert_int_equal(skuai_forks_answers(&table->forks), 1);
	for (unsigned i = 0; i < 4; i++)
		assert_false(join_one(table));
	assert_false(skuai_forks_is_gone(table->slots));
	assert_false(skuai_forks_done(table->slots));
	assert_true(skuai_forks_is_gone(table->slots)); /* so it need not be joined before */
	skua_store(&table->slots->ready, NULL, relaxed);
	skuai_forks_joined(&table->forks, --table->here);
	assert_false(skuai_forks_is_gone(table->slots)); /* it was, but is not taken any more */
	assert_int_equal(fork_one(table), 0);
	assert_false(join_one(table));
	table_close(table);
}

/* Asked for many, it gives no more than half, the oldest, and one if that is all. */
static void test_forks_gives_as_many_as_asked_for(void **state)
{
	struct table *table = table_open(SLOTS);
	struct skuai_theft theft;

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		fork_one(table);
	skuai_forks_ask(&table->forks, 2);
	assert_int_equal(fork_one(table), 2);
	assert_true(skuai_forks_steal(&table->forks, 1, &theft));
	assert_true(theft.slot == table->slots);
	assert_false(skuai_forks_done(theft.slot));
	assert_true(skuai_forks_steal(&table->forks, 1, &theft));
	assert_true(theft.slot == table->slots + 1);
	assert_false(skuai_forks_done(theft.slot));
	assert_false(skuai_forks_steal(&table->forks, 1, &theft));
	skuai_forks_ask(&table->forks, 8); /* four are left, and one that comes */
	assert_int_equal(fork_one(table), 2);
	for (unsigned i = 0; i < 5; i++)
		assert_false(join_one(table));
	assert_true(join_one(table));
	assert_true(join_one(table));
	skuai_forks_ask(&table->forks, 8);
	assert_int_equal(fork_one(table), 1);
	assert_false(join_one(table));
	table_close(table);
}

/* Asked before there is anything: the first fork answers.  Asked while joining: the join does. */
static void test_forks_requests_wait_for_something_to_give(void **state)
{
	struct table *table = table_open(SLOTS);
	struct skuai_theft theft;

	(void)state;
	skuai_forks_ask(&table->forks, 1);
	assert_int_equal(fork_one(table), 1);
	assert_false(join_one(table)); /* taken back: nobody came */
	assert_false(skuai_forks_steal(&table->forks, 1, &theft));
	for (unsigned i = 0; i < 3; i++)
		fork_one(table);
	skuai_forks_ask(&table->forks, 1);
	assert_false(join_one(table));
	assert_true(skuai_forks_has_shared(&table->forks));
	assert_true(skuai_forks_steal(&table->forks, 1, &theft));
	assert_true(theft.slot == table->slots);
	assert_false(skuai_forks_done(theft.slot));
	assert_false(join_one(table));
	assert_true(join_one(table));
	skuai_forks_arm(&table->forks); /* the owner's own wish */
	assert_int_equal(fork_one(table), 1);
	assert_false(join_one(table));
	table_close(table);
}

/* Everything at random against a plain list: each task is joined, or stolen, exactly once. */
static void test_forks_random_against_a_list(void **state)
{
	struct table *table = table_open(SLOTS);
	bool is_stolen[SLOTS] = { false };
	bool has_force = skuai_membarrier_ready() == SKUA_OK;
	uint64_t thefts = 0, forced = 0, reclaims = 0;

	WATCH(30);
	(void)state;
	for (uint64_t step = 0; step < test_rounds(200000); step++) {
		uint64_t dice = test_random();
		uint32_t top = (uint32_t)(table->here - table->slots);
		struct skuai_theft theft;
		bool got = false;
		switch (dice % 8) {
		case 0:
			skuai_forks_ask(&table->forks, 1);
			break;
		case 1:
			got = skuai_forks_steal(&table->forks, 3, &theft);
			thefts += got;
			break;
		case 2:
			if (has_force && dice % 64 == 2)
				got = skuai_forks_revoke(&table->forks, 4, &theft);
			forced += got;
			break;
		case 3:
		case 4:
		case 5:
			if (top < SLOTS - 3 && (dice >> 8) % (SLOTS / 4) >= top / 4) {
				is_stolen[top] = false;
				fork_one(table);
				break;
			} /* fall through */
		default:
			if (top == 0)
				break;
			assert_int_equal(join_one(table), is_stolen[top - 1]);
			reclaims += !is_stolen[top - 1];
			is_stolen[top - 1] = false;
		}
		if (got) {
			uint32_t slot = (uint32_t)(theft.slot - table->slots);
			assert_true(slot < top && !is_stolen[slot] && theft.task == run_nothing);
			assert_true(slot == 0 || is_stolen[slot - 1]); /* the oldest goes first */
			assert_int_equal(theft.slot->payload[0], slot);
			is_stolen[slot] = true;
			skuai_forks_done(theft.slot);
		}
		assert_true(skuai_forks_top(&table->forks) == table->here);
	}
	print_message("%llu thefts, %llu forced, %llu joined at home\n", (unsigned long long)thefts,
		      (unsigned long long)forced, (unsigned long long)reclaims);
	assert_true(thefts > 100 && reclaims > 100);
	table_close(table);
}

/* After a fork() the child's workers find nothing of what waited; its owner joins it. */
static void test_forks_orphan_keeps_what_waits(void **state)
{
	struct table *table = table_open(SLOTS);
	struct skuai_theft theft;

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		fork_one(table);
	skuai_forks_ask(&table->forks, 2);
	fork_one(table);
	assert_true(
		skuai_forks_steal(&table->forks, 1, &theft)); /* 1 stolen, 1 shared, 4 private */
	skuai_forks_orphan(&table->forks);
	assert_true(skuai_forks_is_lost(table->slots));
	assert_true(skuai_forks_top(&table->forks) == table->here);
	assert_false(skuai_forks_steal(&table->forks, 1, &theft));
	assert_false(skuai_forks_has_private(&table->forks));
	skuai_forks_ask(&table->forks, 9);
	assert_int_equal(fork_one(table), 1); /* a new one can be had */
	assert_true(skuai_forks_steal(&table->forks, 1, &theft));
	assert_true(theft.slot == &table->slots[6]);
	skuai_forks_done(theft.slot);
	assert_true(join_one(table));
	for (unsigned i = 5; i > 0; i--) {
		assert_false(join_one(table));
		assert_true(skuai_forks_top(&table->forks) == table->here);
		assert_false(skuai_forks_steal(&table->forks, 1, &theft));
		fork_one(table); /* in the same place, as ever */
		assert_false(join_one(table));
	}
	assert_true(skuai_forks_is_lost(table->slots));
	table_close(table);
}

static void test_forks_reset_forgets_everything(void **state)
{
	struct table *table = table_open(SLOTS);
	struct skuai_theft theft;

	(void)state;
	skuai_forks_ask(&table->forks, 1);
	for (unsigned i = 0; i < 150; i++)
		fork_one(table);
	assert_true(skuai_forks_steal(&table->forks, 1, &theft));
	skuai_forks_reset(&table->forks);
	assert_false(skuai_forks_has_shared(&table->forks));
	assert_false(skuai_forks_has_private(&table->forks));
	assert_false(skuai_forks_is_asked(&table->forks));
	assert_true(skuai_forks_top(&table->forks) == table->slots);
	table->here = table->slots;
	for (unsigned i = 0; i < SLOTS - 2; i++)
		fork_one(table);
	for (unsigned i = 0; i < SLOTS - 2; i++)
		assert_false(join_one(table));
	table_close(table);
}

static void fork_too_many(void *argument)
{
	struct table *table = table_open(8);

	(void)argument;
	for (unsigned i = 0; i < 8; i++)
		fork_one(table);
}

static void test_forks_too_many_is_a_bug_of_the_caller(void **state)
{
	char text[512];

	(void)state;
	assert_int_equal(test_in_child_stderr(fork_too_many, NULL, text, sizeof(text)),
			 128 + SIGABRT);
	assert_non_null(strstr(text, "too many forks"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forks_nobody_asks_nobody_gets),
		cmocka_unit_test(test_forks_asked_for_shares_the_oldest),
		cmocka_unit_test(test_forks_given_is_shared_unasked),
		cmocka_unit_test(test_forks_gives_as_many_as_asked_for),
		cmocka_unit_test(test_forks_requests_wait_for_something_to_give),
		cmocka_unit_test(test_forks_random_against_a_list),
		cmocka_unit_test(test_forks_orphan_keeps_what_waits),
		cmocka_unit_test(test_forks_reset_forgets_everything),
		cmocka_unit_test(test_forks_too_many_is_a_bug_of_the_caller),
	};
	return cmocka_run_group_tests_name("forks", tests, NULL, NULL);
}
