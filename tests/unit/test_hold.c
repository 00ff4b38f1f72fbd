/* SPDX-License-Identifier: MIT */
/* test_hold.c — a lock held across a wait that may run other tasks is named, and ends it */
#define SKUA_CHECKED 1
#include "unit/test_pool.h"

#include "os/thread.h"

#include <skua/future.h>
#include <skua/group.h>
#include <skua/hold.h>

static char first_lock, second_lock;
static struct skua_pool *pool;

static int do_nothing(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
	return 0;
}

static void run_nothing(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
}

SKUA_TASK(int, leaf, int, n)
{
	return n;
}

/* --- the waits --- */

enum wait {
	BY_JOIN,
	BY_GROUP,
	BY_ROOM,
	BY_JOB,
	BY_AWAIT,
	BY_ALL,
	BY_ANY,
	WAITS
};

static const char *const names[WAITS] = {
	"skua_join",  "skua_group_wait", "skua_go",	   "skua_job_wait",
	"skua_await", "skua_await",	 "skua_await_any",
};

static void wait_by_group(bool is_isolated, bool has_limit)
{
	struct skua_group group;
	struct skua_group_options options = { .size = sizeof(options),
					      .pool = pool,
					      .max_inflight = has_limit,
					      .when_full = SKUA_FULL_WAIT,
					      .is_isolated = is_isolated };

	if (skua_group_open(&group, &options))
		_exit(31);
	for (unsigned i = 0; i < 8; i++)
		if (skua_go(&group, do_nothing, (void *)NULL))
			_exit(32);
	if (skua_group_wait(&group, SKUA_FOREVER))
		_exit(33);
}

static void wait_by_future(enum wait by)
{
	struct skua_future future = { 0 }, *futures[1] = { &future };
	size_t index;

	if (skua_async(pool, &future, do_nothing, (void *)NULL))
		_exit(34);
	if (by == BY_AWAIT ? skua_await(&future, SKUA_FOREVER)
	    : by == BY_ALL ? skua_await_all(futures, 1, SKUA_FOREVER)
			   : skua_await_any(futures, 1, SKUA_FOREVER, &index))
		_exit(35);
}

static void wait_by(enum wait by, struct skua_slot *skua_here, bool is_isolated)
{
	struct skua_job job = SKUA_JOB(run_nothing, NULL);

	switch (by) {
	case BY_JOIN: {
		skua_fork(leaf, a, 1);
		(void)skua_join(leaf, a);
		break;
	}
	case BY_GROUP:
	case BY_ROOM:
		wait_by_group(is_isolated, by == BY_ROOM);
		break;
	case BY_JOB:
		if (skua_submit(pool, &job) || skua_job_wait(&job, SKUA_FOREVER))
			_exit(36);
		break;
	default:
		wait_by_future(by);
	}
}

/* --- who holds what --- */

struct act {
	enum wait by;
	bool holds, isolates, is_group_isolated;
};

static void wait_inside(struct skua_slot *skua_here, void *argument)
{
	struct act *act = argument;

	if (act->holds) {
		skua_hold(&first_lock);
		skua_hold(&second_lock);
		skua_unhold(&second_lock);
	}
	wait_by(act->by, skua_here, act->is_group_isolated);
	if (act->holds)
		skua_unhold(&first_lock);
	wait_by(act->by, skua_here, false); /* nothing is held any more */
}

static void isolate(struct skua_slot *skua_here, void *argument)
{
	struct act *act = argument;

	if (act->isolates)
		skua_isolate(skua_here, wait_inside, act);
	else
		wait_inside(skua_here, act);
}

static void play(void *argument)
{
	struct act *act = argument;

	watch_set("child", 20);
	pool = pool_of(act->by == BY_ROOM ? 1 : 2); /* with one, it is full for sure */
	struct skua_job job = SKUA_JOB(isolate, act);
	if (skua_submit(pool, &job) || skua_job_wait(&job, SKUA_FOREVER) ||
	    skua_pool_close(pool, SKUA_CLOSE_DRAIN))
		_exit(37);
	_exit(0);
}

static void expect(struct act act, bool is_reported)
{
	char text[1024];
	int status = test_in_child_stderr(play, &act, text, sizeof(text));

	if (status != (is_reported ? 128 + SIGABRT : 0))
		fail_msg("%s, held %d, isolated %d %d: status %d; it said: %s", names[act.by],
			 act.holds, act.isolates, act.is_group_isolated, status, text);
	if (is_reported && (!strstr(text, names[act.by]) || !strstr(text, "&first_lock")))
		fail_msg("expected '%s' and the lock's name in: %s", names[act.by], text);
}

static void test_hold_names_the_lock(void **state)
{
	(void)state;
	for (enum wait by = BY_JOIN; by < WAITS; by++) {
		WATCH(60);
		expect((struct act){ .by = by, .holds = true }, true);
		expect((struct act){ .by = by }, false);
	}
}

/* A join and a group can be isolated; a wait for a job or a future cannot, and is reported. */
static void test_hold_is_right_when_isolated(void **state)
{
	(void)state;
	for (enum wait by = BY_JOIN; by < WAITS; by++) {
		WATCH(60);
		expect((struct act){ .by = by, .holds = true, .isolates = true }, by > BY_ROOM);
	}
	expect((struct act){ .by = BY_GROUP, .holds = true, .is_group_isolated = true }, false);
	expect((struct act){ .by = BY_ROOM, .holds = true, .is_group_isolated = true }, false);
}

/* A thread that is no worker sleeps while it waits: it is given nothing to run. */
static void test_hold_is_right_outside(void **state)
{
	WATCH(30);

	(void)state;
	pool = pool_of(2);
	skua_hold(&first_lock);
	for (enum wait by = BY_GROUP; by < WAITS; by++)
		wait_by(by, NULL, false);
	skua_unhold(&first_lock);
	pool_end(pool);
}

/* As a guest of the pool it is a worker. */
SKUA_TASK(int, join_one, int, n)
{
	skua_fork(leaf, a, n);
	return skua_join(leaf, a);
}

static void run_as_guest(void *argument)
{
	(void)argument;
	watch_set("child", 20);
	pool = pool_of(1);
	sleep_ns(20 * MILLISECOND); /* its worker sleeps */
	skua_hold(&first_lock);
	_exit(skua_run(pool, join_one, 38));
}

static void test_hold_of_a_guest(void **state)
{
	char text[1024];

	(void)state;
	WATCH(30);
	assert_int_equal(test_in_child_stderr(run_as_guest, NULL, text, sizeof(text)),
			 128 + SIGABRT);
	assert_non_null(strstr(text, "&first_lock"));
}

/* --- mistakes, many locks --- */

static void unhold_unknown(void *argument)
{
	(void)argument;
	skua_hold(&first_lock);
	skua_unhold(&second_lock);
	_exit(0);
}

static void unhold_twice(void *argument)
{
	static char locks[20];

	(void)argument;
	for (unsigned i = 0; i < 20; i++)
		skua_hold(&locks[i]);
	for (unsigned i = 0; i < 20; i++)
		skua_unhold(&locks[i]);
	skua_unhold(&locks[0]);
	_exit(0);
}

static void test_hold_unknown_is_a_mistake(void **state)
{
	char text[1024];

	(void)state;
	WATCH(30);
	assert_int_equal(test_in_child_stderr(unhold_unknown, NULL, text, sizeof(text)),
			 128 + SIGABRT);
	assert_non_null(strstr(text, "skua_unhold"));
	assert_int_equal(test_in_child_stderr(unhold_twice, NULL, text, sizeof(text)),
			 128 + SIGABRT);
	assert_non_null(strstr(text, "skua_unhold"));
}

/* More than are watched, given back in any order: none of it is a mistake. */
static void test_hold_more_than_sixteen(void **state)
{
	static char locks[24];
	bool is_held[24];

	(void)state;
	WATCH(30);
	for (unsigned round = 0; round < 200; round++) {
		for (unsigned i = 0; i < 24; i++) {
			skua_hold(&locks[i]);
			is_held[i] = true;
		}
		for (unsigned left = 24; left > 0; left--) {
			unsigned i = round == 0	  ? 24 - left
				     : round == 1 ? left - 1
						  : (unsigned)(test_random() % 24);
			while (!is_held[i])
				i = (i + 1) % 24;
			skua_unhold(&locks[i]);
			is_held[i] = false;
		}
	}
}

/* The same lock twice, as a recursive one is. */
static void test_hold_the_same_twice(void **state)
{
	(void)state;
	WATCH(30);
	skua_hold(&first_lock);
	skua_hold(&first_lock);
	skua_unhold(&first_lock);
	skua_unhold(&first_lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hold_names_the_lock),
		cmocka_unit_test(test_hold_is_right_when_isolated),
		cmocka_unit_test(test_hold_is_right_outside),
		cmocka_unit_test(test_hold_of_a_guest),
		cmocka_unit_test(test_hold_unknown_is_a_mistake),
		cmocka_unit_test(test_hold_more_than_sixteen),
		cmocka_unit_test(test_hold_the_same_twice),
	};
	return cmocka_run_group_tests_name("hold", tests, NULL, NULL);
}
