/* SPDX-License-Identifier: MIT */
/* model_litmus_sleep.c — the checker's self-test of sleep: wakes, lost ones, deadlines */
#include "mc.h"

#include "base/atomic.h"
#include "os/clock.h"
#include "os/wait.h"

/*
 * Each broken program stands beside one that is right and differs in one word, so that being caught
 * means something.
 */

static struct board {
	_Atomic uint32_t a, b, turn, word;
	struct mc_cell cell;
} * board;

static void fresh(void)
{
	board = mc_alloc(sizeof(*board));
}

/* Two threads with these bodies, to their end. */
static void two(void (*first)(void *), void (*second)(void *))
{
	mc_start(first, NULL);
	mc_start(second, NULL);
	mc_join();
}

#define THREAD(name) static void name(__attribute__((unused)) void *unused)

/* --- sleep and wake --- */

THREAD(post)
{
	mc_write(&board->cell, 7);
	skua_store(&board->word, 1, release);
	skuai_wake(&board->word, 8);
}

THREAD(post_without_wake)
{
	mc_write(&board->cell, 7);
	skua_store(&board->word, 1, release);
}

THREAD(post_after_wake)
{
	mc_write(&board->cell, 7);
	skuai_wake(&board->word, 8);
	skua_store(&board->word, 1, release);
}

THREAD(post_one)
{
	mc_write(&board->cell, 7);
	skua_store(&board->word, 1, release);
	skuai_wake(&board->word, 1);
}

THREAD(post_by_exchange)
{
	(void)skua_exchange(&board->word, 1, release);
	skuai_wake(&board->word, 1);
}

THREAD(wait_in_loop)
{
	while (skua_load(&board->word, acquire) == 0)
		skuai_wait(&board->word, 0, SKUAI_NO_DEADLINE);
	mc_assert(mc_read(&board->cell) == 7);
}

/* Takes a return for a wake.  With the exchange an add of 0 sees it; a load could be stale. */
THREAD(wait_once)
{
	if (skua_load(&board->word, acquire) == 0)
		skuai_wait(&board->word, 0, SKUAI_NO_DEADLINE);
	mc_assert(skua_add(&board->word, 0, acquire) == 1);
}

THREAD(wait_once_and_load)
{
	if (skua_load(&board->word, acquire) == 0)
		skuai_wait(&board->word, 0, SKUAI_NO_DEADLINE);
	mc_assert(skua_load(&board->word, acquire) == 1);
}

/* Sleeping and waking order nothing: only the acquire load does. */
THREAD(wait_without_acquire)
{
	while (skua_load(&board->word, relaxed) == 0)
		skuai_wait(&board->word, 0, SKUAI_NO_DEADLINE);
	mc_read(&board->cell);
}

THREAD(wait_with_deadline)
{
	enum skuai_wait_result result = skuai_wait(&board->word, 0, 1);

	mc_outcome(result == SKUAI_WAIT_TIMED_OUT ? "late" : "returned");
}

THREAD(wait_in_loop_with_deadline)
{
	while (skua_load(&board->word, acquire) == 0)
		skuai_wait(&board->word, 0, 1);
	mc_assert(mc_read(&board->cell) == 7);
}

/* Late as often as the case allows; and once more, when all the others have ended. */
THREAD(wait_four_times)
{
	int late = 0;

	for (int i = 0; i < 4; i++)
		late += skuai_wait(&board->word, 0, 1) == SKUAI_WAIT_TIMED_OUT;
	mc_outcome("%d", late);
}

#define SLEEP_BODY(name, first, second) \
	static void name(void)          \
	{                               \
		fresh();                \
		two(first, second);     \
	}
SLEEP_BODY(sleep_wake, post, wait_in_loop)
SLEEP_BODY(sleep_no_wake, post_without_wake, wait_in_loop)
SLEEP_BODY(sleep_wake_before_store, post_after_wake, wait_in_loop)
SLEEP_BODY(sleep_trusts_return, post_by_exchange, wait_once)
SLEEP_BODY(sleep_wake_orders_nothing, post, wait_once_and_load)
SLEEP_BODY(sleep_no_acquire, post, wait_without_acquire)
SLEEP_BODY(sleep_deadline, post, wait_with_deadline)
SLEEP_BODY(sleep_deadline_no_wake, post_without_wake, wait_with_deadline)
SLEEP_BODY(sleep_deadline_loop, post_without_wake, wait_in_loop_with_deadline)
SLEEP_BODY(sleep_deadline_four, post_without_wake, wait_four_times)

static void three_sleep(void (*poster)(void *))
{
	fresh();
	mc_start(wait_in_loop, NULL);
	mc_start(wait_in_loop, NULL);
	mc_start(poster, NULL);
	mc_join();
}

static void wake_all(void)
{
	three_sleep(post);
}

static void wake_one_of_two(void)
{
	three_sleep(post_one);
}

THREAD(wait_a_then_wake_b)
{
	while (skua_load(&board->a, acquire) == 0)
		skuai_wait(&board->a, 0, SKUAI_NO_DEADLINE);
	skua_store(&board->b, 1, release);
	skuai_wake(&board->b, 1);
}

THREAD(wait_b_then_wake_a)
{
	while (skua_load(&board->b, acquire) == 0)
		skuai_wait(&board->b, 0, SKUAI_NO_DEADLINE);
	skua_store(&board->a, 1, release);
	skuai_wake(&board->a, 1);
}
SLEEP_BODY(deadlock, wait_a_then_wake_b, wait_b_then_wake_a)

/*
 * The kernel sees what a waker knew of the word, not more.  Here the waker learnt only by a relaxed
 * flag that the word had changed: it wakes nobody, and the kernel may still see the old word.
 */
#define WAKER_BODY(name, store_order, load_order)                       \
	THREAD(name##_changer)                                          \
	{                                                               \
		skua_store(&board->word, 1, relaxed);                   \
		skua_store(&board->a, 1, store_order);                  \
	}                                                               \
	THREAD(name##_waker)                                            \
	{                                                               \
		if (skua_load(&board->a, load_order) == 0)              \
			mc_prune();                                     \
		skuai_wake(&board->word, 8);                            \
	}                                                               \
	THREAD(name##_sleeper)                                          \
	{                                                               \
		while (skua_load(&board->word, relaxed) == 0)           \
			skuai_wait(&board->word, 0, SKUAI_NO_DEADLINE); \
	}                                                               \
	static void name(void)                                          \
	{                                                               \
		fresh();                                                \
		mc_start(name##_sleeper, NULL);                         \
		two(name##_changer, name##_waker);                      \
	}
WAKER_BODY(waker_knows, release, acquire)
WAKER_BODY(waker_heard, relaxed, relaxed)

/* --- deadlines that pass because nobody else can go on --- */

/* The first one must, thread 0 sleeps until then; it is not the one that the case allows. */
THREAD(late_twice)
{
	skuai_wait(&board->a, 0, 1);
	skua_store(&board->b, 1, release);
	skuai_wake(&board->b, 1);
	mc_assert(skuai_wait(&board->word, 0, 1) != SKUAI_WAIT_TIMED_OUT);
}

static void forced_is_not_counted(void)
{
	fresh();
	mc_start(late_twice, NULL);
	while (skua_load(&board->b, acquire) == 0)
		skuai_wait(&board->b, 0, SKUAI_NO_DEADLINE);
	skua_store(&board->word, 1, relaxed);
	skuai_wake(&board->word, 1);
	mc_join();
}

THREAD(set_a)
{
	skua_store(&board->a, 1, release);
}

THREAD(poll_a_then_set_b)
{
	while (skua_load(&board->a, acquire) == 0)
		skuai_wait(&board->word, 0, 1);
	skua_store(&board->b, 1, release);
}

THREAD(poll_b)
{
	while (skua_load(&board->b, acquire) == 0)
		skuai_wait(&board->turn, 0, 1);
}
SLEEP_BODY(poll_ends, poll_a_then_set_b, set_a)

/* Nobody wakes either: the first poller must have its turn for the second to end. */
static void poll_chain_ends(void)
{
	fresh();
	mc_start(poll_b, NULL);
	two(poll_a_then_set_b, set_a);
}

/*
 * Late, it sees all that was written until then, not what comes later: b without a, if its second
 * wait began before the stores and its deadline, the one allowed, passed too soon after them.
 */
THREAD(late_then_set_a_b)
{
	skuai_wait(&board->word, 0, 1);
	skua_store(&board->a, 1, relaxed);
	skua_store(&board->b, 1, relaxed);
}

THREAD(late_twice_then_read)
{
	skuai_wait(&board->word, 0, 1);
	skuai_wait(&board->word, 0, 1);
	uint32_t b = skua_load(&board->b, relaxed);
	mc_outcome("%u%u", skua_load(&board->a, relaxed), b);
}
SLEEP_BODY(late_sees_until_then, late_then_set_a_b, late_twice_then_read)

/* A lost wake-up, and somebody who waits for the sleeper, awake now and then. */
THREAD(sleep_then_set_b)
{
	if (skua_load(&board->a, acquire) == 0)
		skuai_wait(&board->word, 0, SKUAI_NO_DEADLINE);
	skua_store(&board->b, 1, release);
}

static void sleeper_beside_poll(void)
{
	fresh();
	mc_start(sleep_then_set_b, NULL);
	two(poll_b, set_a);
}

int main(int argc, char **argv)
{
	/* clang-format off */
	static const struct mc_case cases[] = {
		{ .name = "sleep_wake", .body = sleep_wake },
		{ "sleep_wake_spurious", sleep_wake, .spurious = 2 },
		{ "sleep_no_wake", sleep_no_wake, .must_fail = true },
		{ "sleep_wake_before_store", sleep_wake_before_store, .must_fail = true },
		{ .name = "sleep_trusts_return", .body = sleep_trusts_return },
		{ "sleep_trusts_return_spurious", sleep_trusts_return, .spurious = 1,
		  .must_fail = true },
		{ "sleep_wake_orders_nothing", sleep_wake_orders_nothing, .must_fail = true },
		{ "sleep_no_acquire", sleep_no_acquire, .must_fail = true },
		{ "sleep_deadline", sleep_deadline, .outcomes = "late returned" },
		{ "sleep_deadline_no_wake", sleep_deadline_no_wake, .outcomes = "late returned" },
		{ .name = "sleep_deadline_loop", .body = sleep_deadline_loop },
		{ "sleep_deadline_once", sleep_deadline_four, .outcomes = "0 1 2", .timeouts = 1 },
		{ "sleep_deadline_four", sleep_deadline_four, .outcomes = "0 1 2 3 4",
		  .timeouts = 4 },
		{ .name = "wake_all", .body = wake_all },
		{ "wake_one_of_two", wake_one_of_two, .must_fail = true },
		{ "deadlock", deadlock, .must_fail = true, .says = "deadlock" },
		{ .name = "waker_knows", .body = waker_knows },
		{ "waker_heard", waker_heard, .must_fail = true, .says = "deadlock" },
		{ "forced_is_not_counted", forced_is_not_counted, .timeouts = 1,
		  .must_fail = true },
		{ .name = "poll_ends", .body = poll_ends },
		{ .name = "poll_chain_ends", .body = poll_chain_ends },
		{ "late_sees_until_then", late_sees_until_then, .outcomes = "00 01 10 11",
		  .timeouts = 1 },
		{ "sleeper_beside_poll", sleeper_beside_poll, .must_fail = true,
		  .says = "asleep, without a deadline: thread 1" },
		{ .name = NULL },
	};
	/* clang-format on */
	return mc_main(argc, argv, cases);
}
