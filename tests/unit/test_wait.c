/* SPDX-License-Identifier: MIT */
/* test_wait.c — sleeping on a word: woken, timed out, interrupted, refused */
#include "check.h"

#include "base/atomic.h"
#include "base/fault.h"
#include "os/clock.h"
#include "os/thread.h"
#include "os/wait.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000

static void rest(int64_t ns)
{
	struct timespec time = { .tv_nsec = (long)ns };

	nanosleep(&time, NULL);
}

static void test_wait_changed_word_returns_at_once(void **state)
{
	_Atomic uint32_t word = 1;

	(void)state;
	errno = 4711;
	assert_int_equal(skuai_wait(&word, 0, SKUAI_NO_DEADLINE), SKUAI_WAIT_RETURNED);
	assert_int_equal(errno, 4711);
}

/* How often this thread has gone to sleep by itself. */
static long sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/* A changed word is not a refusal: no rest is taken over it. */
static void test_wait_changed_word_never_sleeps(void **state)
{
	_Atomic uint32_t word = 1;

	(void)state;
	long before = sleeps();
	for (int i = 0; i < 200; i++)
		skuai_wait(&word, 0, SKUAI_NO_DEADLINE);
	assert_true(sleeps() - before < 100);
}

static void test_wait_deadline_passes(void **state)
{
	_Atomic uint32_t word = 0;

	(void)state;
	errno = 4711;
	int64_t deadline = skuai_deadline_after(20 * MS);
	while (skuai_wait(&word, 0, deadline) != SKUAI_WAIT_TIMED_OUT)
		continue;
	assert_true(skuai_clock_ns() >= deadline);
	assert_int_equal(errno, 4711);
	/* long past, and before the clock's own beginning */
	assert_int_equal(skuai_wait(&word, 0, 1), SKUAI_WAIT_TIMED_OUT);
	assert_int_equal(skuai_wait(&word, 0, INT64_MIN), SKUAI_WAIT_TIMED_OUT);
}

struct sleepers {
	_Atomic uint32_t word;
	_Atomic int awake;
};

static void sleep_until_changed(void *argument)
{
	struct sleepers *all = argument;

	while (skua_load(&all->word, acquire) == 0)
		skuai_wait(&all->word, 0, SKUAI_NO_DEADLINE);
	skua_add(&all->awake, 1, release);
}

static void test_wait_wake_all_wakes_all(void **state)
{
	enum {
		COUNT = 8
	};
	struct sleepers all = { 0 };
	struct skuai_thread threads[COUNT];

	(void)state;
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(skuai_thread_start(&threads[i], sleep_until_changed, &all, NULL),
				 0);
	rest(10 * MS); /* let most of them fall asleep; right in any case */
	assert_int_equal(skua_load(&all.awake, acquire), 0);
	skua_store(&all.word, 1, release);
	skuai_wake(&all.word, SKUAI_WAKE_ALL);
	for (int i = 0; i < COUNT; i++)
		skuai_thread_join(&threads[i]);
	assert_int_equal(skua_load(&all.awake, acquire), COUNT);
}

static void note_signal(int number)
{
	(void)number;
}

static void interrupt_often(void *argument)
{
	struct sleepers *all = argument;

	while (skua_load(&all->awake, acquire) == 0)
		kill(getpid(), SIGUSR1);
}

/* A handler without SA_RESTART makes the kernel return EINTR: to us one more spurious return. */
static void test_wait_signal_storm_is_harmless(void **state)
{
	struct sleepers all = { 0 };
	struct skuai_thread storm;
	struct sigaction action = { .sa_handler = note_signal }, before;
	int64_t deadline = skuai_deadline_after(50 * MS);

	(void)state;
	sigaction(SIGUSR1, &action, &before);
	assert_int_equal(skuai_thread_start(&storm, interrupt_often, &all, NULL), 0);
	while (skuai_wait(&all.word, 0, deadline) != SKUAI_WAIT_TIMED_OUT)
		continue;
	assert_true(skuai_clock_ns() >= deadline);
	skua_store(&all.awake, 1, release);
	skuai_thread_join(&storm);
	sigaction(SIGUSR1, &before, NULL);
}

/* Every wait refused: waiting becomes polling, the sleeper still comes back in time. */
static void test_wait_futex_refused_polls_instead(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	struct sleepers all = { 0 };
	struct skuai_thread thread;

	skuai_fault_arm(SKUAI_FAULT_FUTEX_WAIT, 1, true, ENOSYS);
	skuai_fault_arm(SKUAI_FAULT_FUTEX_WAKE, 1, true, ENOSYS);
	assert_false(skuai_wait_offered());
	assert_int_equal(skuai_thread_start(&thread, sleep_until_changed, &all, NULL), 0);
	rest(5 * MS);
	skua_store(&all.word, 1, release);
	skuai_wake(&all.word, 1);
	skuai_thread_join(&thread);
	/* it rested between looks: no more than about one look a millisecond, not a spin */
	uint32_t looks = skuai_fault_calls(SKUAI_FAULT_FUTEX_WAIT);
	int64_t began = skuai_clock_ns(), deadline = skuai_deadline_after(10 * MS);
	_Atomic uint32_t word = 0;
	while (skuai_wait(&word, 0, deadline) != SKUAI_WAIT_TIMED_OUT)
		continue;
	assert_true(skuai_clock_ns() - began >= 10 * MS);
	assert_true(skuai_fault_calls(SKUAI_FAULT_FUTEX_WAIT) - looks <= 11);
	/* nor much less: on a busy machine not each time, but in one of many tries */
	uint32_t most = 0;
	for (int attempt = 0; attempt < 2000 && most < 5; attempt++) {
		looks = skuai_fault_calls(SKUAI_FAULT_FUTEX_WAIT);
		deadline = skuai_deadline_after(8 * MS);
		while (skuai_wait(&word, 0, deadline) != SKUAI_WAIT_TIMED_OUT)
			continue;
		looks = skuai_fault_calls(SKUAI_FAULT_FUTEX_WAIT) - looks;
		most = looks > most ? looks : most;
	}
	assert_true(most >= 5);
	/* and it does not rest beyond its deadline */
	long before = sleeps();
	for (int i = 0; i < 200; i++)
		assert_int_equal(skuai_wait(&word, 0, 1), SKUAI_WAIT_TIMED_OUT);
	assert_true(sleeps() - before < 100);
	skuai_fault_disarm();
	assert_true(skuai_wait_offered());
#else
	skip();
#endif
}

/*
 * The n-th wait returns early with each errno a kernel gives, or the n-th wake is refused once: a
 * sleeper handed ten numbers in turn receives every one.
 */
enum {
	HANDED = 10
};

struct relay {
	_Atomic uint32_t word;
	uint32_t received;
};

static void receive(void *argument)
{
	struct relay *relay = argument;

	for (uint32_t number = 1; number <= HANDED; number++) {
		while (skua_load(&relay->word, acquire) != number)
			skuai_wait(&relay->word, number - 1, SKUAI_NO_DEADLINE);
		relay->received += number;
		skua_store(&relay->word, number | 0x80000000, release);
		skuai_wake(&relay->word, 1);
		while (skua_load(&relay->word, acquire) == (number | 0x80000000))
			skuai_wait(&relay->word, number | 0x80000000, SKUAI_NO_DEADLINE);
	}
}

static void hand_over_ten(void)
{
	struct relay relay = { 0 };
	struct skuai_thread thread;

	assert_int_equal(skuai_thread_start(&thread, receive, &relay, NULL), 0);
	for (uint32_t number = 1; number <= HANDED; number++) {
		uint32_t seen;
		skua_store(&relay.word, number, release);
		skuai_wake(&relay.word, 1);
		while ((seen = skua_load(&relay.word, acquire)) != (number | 0x80000000))
			skuai_wait(&relay.word, seen, SKUAI_NO_DEADLINE);
		/* plain again: what the receiver waits on until the next number comes */
		skua_store(&relay.word, number, release);
		skuai_wake(&relay.word, 1);
	}
	skuai_thread_join(&thread);
	assert_int_equal(relay.received, HANDED * (HANDED + 1) / 2);
}

static void test_wait_any_call_failing_in_turn_loses_nothing(void **state)
{
	(void)state;
	hand_over_ten();
#ifdef SKUA_FAULTS
	static const int wait_errors[] = { EINTR, EAGAIN, ENOSYS, EPERM };

	for (size_t i = 0; i < sizeof(wait_errors) / sizeof(wait_errors[0]); i++)
		for (uint32_t nth = 1; nth <= HANDED; nth++)
			for (int for_ever = 0; for_ever <= 1; for_ever++) {
				skuai_fault_arm(SKUAI_FAULT_FUTEX_WAIT, nth, for_ever,
						wait_errors[i]);
				hand_over_ten();
				skuai_fault_disarm();
			}
	for (uint32_t nth = 1; nth <= 2 * HANDED; nth++) {
		skuai_fault_arm(SKUAI_FAULT_FUTEX_WAKE, nth, false, SKUAI_FAULT_USUAL);
		hand_over_ten();
		skuai_fault_disarm();
	}
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wait_changed_word_returns_at_once),
		cmocka_unit_test(test_wait_changed_word_never_sleeps),
		cmocka_unit_test(test_wait_deadline_passes),
		cmocka_unit_test(test_wait_wake_all_wakes_all),
		cmocka_unit_test(test_wait_signal_storm_is_harmless),
		cmocka_unit_test(test_wait_futex_refused_polls_instead),
		cmocka_unit_test(test_wait_any_call_failing_in_turn_loses_nothing),
	};
	return cmocka_run_group_tests_name("wait", tests, NULL, NULL);
}
