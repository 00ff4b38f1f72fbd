/* SPDX-License-Identifier: MIT */
/* test_fork_checked.c — with SKUA_CHECKED, a mistake in using fork and join is named and ends it */
#define SKUA_CHECKED 1
#include "unit/test_pool.h"

#include "os/thread.h"

SKUA_TASK(int, leaf, int, n)
{
	return n;
}

SKUA_TASK(int, forgets_to_join)
{
	skua_fork(leaf, a, 1);
	(void)a;
	return 0;
}

SKUA_TASK_VOID(forgets_and_is_void)
{
	skua_fork(leaf, a, 1);
	(void)a;
}

SKUA_TASK(int, forgets_one_of_two)
{
	skua_fork(leaf, a, 1);
	skua_fork(leaf, b, 2);
	(void)a;
	return skua_join(leaf, b);
}

SKUA_TASK(int, joins_oldest_first)
{
	skua_fork(leaf, a, 1);
	skua_fork(leaf, b, 2);
	int sum = skua_join(leaf, a);
	return sum + skua_join(leaf, b);
}

SKUA_TASK(int, joins_twice)
{
	skua_fork(leaf, a, 1);
	int sum = skua_join(leaf, a);
	return sum + skua_join(leaf, a);
}

struct stray {
	struct skua_slot *here;
	int result;
};

static void fork_there(void *argument)
{
	struct stray *stray = argument;
	struct skua_slot *skua_here = stray->here;

	skua_fork(leaf, a, 1);
	stray->result = skua_join(leaf, a);
}

static void call_elsewhere(struct skua_slot *here)
{
	struct stray stray = { here, 0 };
	struct skuai_thread thread;

	if (skuai_thread_start(&thread, fork_there, &stray, NULL))
		_exit(1);
	skuai_thread_join(&thread);
}

SKUA_TASK(int, hands_its_place_to_a_thread)
{
	call_elsewhere(skua_here);
	return 0;
}

SKUA_TASK(int, forks_for_ever, int, n)
{
	skua_fork(leaf, a, n);
	int deeper = n ? skua_call(forks_for_ever, n - 1) : 0;
	return skua_join(leaf, a) + deeper;
}

static struct skua_pool *small_pool(int workers, size_t slots)
{
	struct skua_pool_options options = { .size = sizeof(options),
					     .workers = workers,
					     .fork_slots = slots };
	struct skua_pool *pool = NULL;

	if (skua_pool_open(&pool, &options))
		_exit(1);
	return pool;
}

enum mistake {
	FORGET,
	FORGET_VOID,
	FORGET_ONE,
	OLDEST_FIRST,
	TWICE,
	THREAD,
	TOO_MANY,
	FORGET_JOB
};

static void forget_in_job(struct skua_slot *skua_here, void *argument)
{
	(void)argument;
	skua_call(forgets_to_join);
}

static void make_mistake(void *argument)
{
	enum mistake mistake = *(enum mistake *)argument;

	watch_set("child", 10);
	struct skua_pool *pool = small_pool(2, 64);
	struct skua_job job = SKUA_JOB(forget_in_job, NULL);
	switch (mistake) {
	case FORGET:
		skua_run(pool, forgets_to_join);
		break;
	case FORGET_VOID:
		skua_run(pool, forgets_and_is_void);
		break;
	case FORGET_ONE:
		skua_run(pool, forgets_one_of_two);
		break;
	case OLDEST_FIRST:
		skua_run(pool, joins_oldest_first);
		break;
	case TWICE:
		skua_run(pool, joins_twice);
		break;
	case THREAD:
		skua_run(pool, hands_its_place_to_a_thread);
		break;
	case TOO_MANY:
		skua_run(pool, forks_for_ever, 64);
		break;
	case FORGET_JOB:
		skua_submit(pool, &job);
		skua_job_wait(&job, SKUA_FOREVER);
		break;
	}
}

static void expect_message(enum mistake mistake, const char *task, const char *what)
{
	char text[1024];
	int status = test_in_child_stderr(make_mistake, &mistake, text, sizeof(text));

	if (status != 128 + SIGABRT)
		fail_msg("mistake %d: status %d, not an abort; it said: %s", mistake, status, text);
	if (!strstr(text, "skua: bug in the calling program") || !strstr(text, task) ||
	    !strstr(text, what))
		fail_msg("mistake %d: expected '%s' and '%s' in: %s", mistake, task, what, text);
}

static void test_fork_checked_names_the_task_and_the_mistake(void **state)
{
	WATCH(60);
	(void)state;
	expect_message(FORGET, "forgets_to_join", "without joining");
	expect_message(FORGET_VOID, "forgets_and_is_void", "without joining");
	expect_message(FORGET_ONE, "forgets_one_of_two", "without joining");
	expect_message(FORGET_JOB, "forgets_to_join", "without joining");
	expect_message(OLDEST_FIRST, "leaf", "newer");
	expect_message(TWICE, "leaf", "joined already");
	expect_message(THREAD, "leaf", "not the worker");
	expect_message(TOO_MANY, "skua_fork", "too many");
}

/* Correct code is left alone: nothing of the above may fire. */
static void test_fork_checked_leaves_correct_code_alone(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 3; workers++) {
		WATCH(20);
		struct skua_pool *pool = pool_of(workers);
		for (unsigned round = 0; round < 20; round++)
			assert_int_equal(skua_run(pool, fib, 18), 2584);
		pool_end(pool);
	}
}

/* A small stack of forks holds what it says, with and without somebody asking; see fork_slots. */
static void test_fork_checked_small_stack_holds_what_it_says(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 3; workers++)
		for (size_t slots = 4; slots <= 70; slots += slots < 8 ? 1 : 31) {
			WATCH(20);
			struct skua_pool *pool = small_pool(workers, slots);
			int deepest = (int)slots - 3; /* n + 1 wait at once; one slot is spare */
			for (unsigned round = 0; round < 50; round++)
				assert_int_equal(skua_run(pool, forks_for_ever, deepest),
						 deepest * (deepest + 1) / 2);
			pool_end(pool);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fork_checked_names_the_task_and_the_mistake),
		cmocka_unit_test(test_fork_checked_leaves_correct_code_alone),
		cmocka_unit_test(test_fork_checked_small_stack_holds_what_it_says),
	};
	return cmocka_run_group_tests_name("fork_checked", tests, NULL, NULL);
}
