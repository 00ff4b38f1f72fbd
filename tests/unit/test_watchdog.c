/* SPDX-License-Identifier: MIT */
/* test_watchdog.c — a stuck task is named, once; one that gets on, or waits, is not */
#include "unit/test_pool.h"

#include "os/threadinfo.h"
#include "sched/monitor_thread.h"

#include <skua/monitor.h>

#include <sys/mman.h>
#include <sys/stat.h>

/* What was reported. */
struct seen {
	_Atomic uint32_t count;
	char name[80], stack[2048], wait[64];
	void (*function)(void);
	int64_t age_ns, thread;
	unsigned worker;
	struct skua_pool *pool;
	int end_error;
};

static void on_stuck(const struct skua_stuck *stuck, void *context)
{
	struct seen *seen = context;

	if (skua_load(&seen->count, relaxed) ==
	    0) { /* the first; the test may be reading it by now */
		snprintf(seen->name, sizeof(seen->name), "%s", stuck->name);
		snprintf(seen->stack, sizeof(seen->stack), "%s", stuck->stack);
		snprintf(seen->wait, sizeof(seen->wait), "%s", stuck->wait);
		seen->function = stuck->function;
		seen->age_ns = stuck->age_ns;
		seen->thread = stuck->thread;
		seen->worker = stuck->worker;
		seen->end_error = skua_monitor_end(seen->pool);
	}
	skua_add(&seen->count, 1, release);
}

static void watch_pool(struct skua_pool *pool, int stuck_ms, struct seen *seen)
{
	struct skua_monitor_options options = { .size = sizeof(options),
						.stuck_ms = stuck_ms,
						.on_stuck = on_stuck,
						.context = seen,
						.is_private = true };

	seen->pool = pool;
	assert_int_equal(skua_monitor_begin(pool, &options), SKUA_OK);
}

static struct skua_pool *watched_pool(int workers, int stuck_ms, struct seen *seen)
{
	struct skua_pool *pool = pool_of(workers);

	watch_pool(pool, stuck_ms, seen);
	return pool;
}

static _Atomic uint32_t has_begun; /* in this thread */
static _Atomic uint32_t is_free;

static __attribute__((noinline)) void stuck_in_sleep(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
	skua_store(&has_begun, skuai_thread_tid(), release);
	while (!skua_load(&is_free, acquire))
		sleep_ns(20 * MILLISECOND);
}

static void test_watchdog_stuck_job_is_named_once(void **state)
{
	struct seen seen = { 0 };
	struct skua_pool *pool = watched_pool(2, 60, &seen);
	struct skua_job job = SKUA_JOB(stuck_in_sleep, NULL);

	(void)state;
	WATCH(60);
	skua_store(&is_free, 0, relaxed);
	assert_int_equal(skua_submit(pool, &job), SKUA_OK);
	assert_true(reaches(&seen.count, 1));
	assert_string_equal(seen.name, "stuck_in_sleep");
	assert_ptr_equal((void *)(uintptr_t)seen.function, (void *)(uintptr_t)stuck_in_sleep);
	assert_true(seen.age_ns >= 60 * MILLISECOND);
	assert_true(seen.thread > 0 && seen.worker < 2);
	assert_int_equal(seen.end_error, SKUA_EBUSY);
	printf("waits in \"%s\", on its stack:\n%s", seen.wait, seen.stack);
	if (seen.stack[0]) /* the system told; it sleeps nearly all the time */
		assert_non_null(strstr(seen.stack, "stuck_in_sleep"));
	sleep_ns(200 * MILLISECOND); /* time enough for a second report */
	assert_int_equal(skua_load(&seen.count, acquire), 1);
	skua_store(&is_free, 1, release);
	assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	/* The next task is another one. */
	skua_store(&is_free, 0, relaxed);
	job = (struct skua_job)SKUA_JOB(stuck_in_sleep, NULL);
	assert_int_equal(skua_submit(pool, &job), SKUA_OK);
	assert_true(reaches(&seen.count, 2));
	skua_store(&is_free, 1, release);
	assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	pool_end(pool);
}

/* Waits for a job that is stuck: only that one is. */
static void wait_for_it(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	skua_job_wait(argument, SKUA_FOREVER);
}

static bool is_anybody_waiting(struct skua_pool *pool)
{
	for (unsigned i = 0; i < pool->count; i++)
		if (skuai_state_of(&pool->workers[i]) == SKUAI_LIVE_WAITING)
			return true;
	return false;
}

static void test_watchdog_who_waits_is_not_stuck(void **state)
{
	struct seen seen = { 0 };
	struct skua_pool *pool = pool_of(2);
	struct skua_job stuck = SKUA_JOB(stuck_in_sleep, NULL);
	struct skua_job waiting = SKUA_JOB(wait_for_it, &stuck);

	(void)state;
	WATCH(60);
	skua_store(&has_begun, 0, relaxed);
	skua_store(&is_free, 0, relaxed);
	assert_int_equal(skua_submit(pool, &stuck), SKUA_OK);
	assert_true(reaches(&has_begun, 1)); /* else the one that waits may run it itself */
	assert_int_equal(skua_submit(pool, &waiting), SKUA_OK);
	while (!is_anybody_waiting(pool))
		sleep_ns(MILLISECOND);
	watch_pool(pool, 100,
		   &seen); /* both are seen at the first look, and would be late at one */
	assert_true(reaches(&seen.count, 1));
	sleep_ns(300 * MILLISECOND);
	assert_int_equal(skua_load(&seen.count, acquire), 1);
	assert_int_equal(seen.thread, skua_load(&has_begun, acquire));
	skua_store(&is_free, 1, release);
	assert_int_equal(skua_job_wait(&waiting, SKUA_FOREVER), SKUA_OK);
	pool_end(pool);
}

/* --- signs of life --- */

#define LIMIT_NS SECOND /* by a clock of our own: as long as we say */

struct looks {
	struct skuai_monitor monitor;
	struct skuai_watched watched[2];
	int64_t now;
	unsigned reports, early; /* all, and before it stopped forking */
};

static void count_report(const struct skua_stuck *stuck, void *context)
{
	struct looks *looks = context;

	(void)stuck;
	looks->reports++;
}

static void look_again(struct looks *looks)
{
	looks->now += LIMIT_NS / 2;
	skuai_watchdog_look(&looks->monitor, skuai_self->number, SKUAI_LIVE_RUNNING, looks->now);
}

/* A root that is looked at between its forks, by itself; and then forks no more. */
SKUA_TASK_VOID(be_looked_at, struct looks *, looks)
{
	for (unsigned i = 0; i < 20; i++) {
		look_again(looks);
		(void)skua_call(fib, 2);
	}
	looks->early = looks->reports;
	for (unsigned i = 0; i < 4; i++)
		look_again(looks);
}

static void test_watchdog_forking_is_a_sign_of_life(void **state)
{
	(void)state;
	WATCH(60);
	for (int workers = 1; workers <= 2; workers++) {
		struct looks looks = { 0 };
		struct skua_pool *pool = pool_of(workers);
		looks.monitor = (struct skuai_monitor){ .pool = pool, .watched = looks.watched };
		looks.monitor.options.stuck_ms = (int)(LIMIT_NS / MILLISECOND);
		looks.monitor.options.on_stuck = count_report;
		looks.monitor.options.context = &looks;
		skua_run(pool, be_looked_at, &looks);
		assert_int_equal(looks.early, 0);
		assert_int_equal(looks.reports, 1); /* once, however often it is looked at */
		pool_end(pool);
	}
}

/* There is no thief here: whoever asks is the watchdog.  Who was reported is not asked again. */
SKUA_TASK_VOID(fork_until_asked, struct seen *, seen)
{
	uint32_t before = skuai_forks_answers(&skuai_self->forks);

	while (skuai_forks_answers(&skuai_self->forks) - before < 3 &&
	       !skua_load(&seen->count, acquire))
		(void)skua_call(fib, 12);
}

/* It is asked before it is late; but not where the watchdog itself comes too late. */
static void test_watchdog_asks_for_signs_of_life(void **state)
{
	uint32_t reports = 1;

	(void)state;
	WATCH(60);
	for (int tries = 0; reports && tries < 100; tries++) {
		struct seen seen = { 0 };
		struct skua_pool *pool = watched_pool(1, 60, &seen);
		skua_run(pool, fork_until_asked, &seen);
		pool_end(pool);
		reports = skua_load(&seen.count, acquire);
	}
	assert_int_equal(reports, 0);
}

/* A root that does nothing of the kind is reported; its function nobody knows. */
SKUA_TASK_VOID(spin_until, _Atomic uint32_t *, count)
{
	while (!skua_load(count, acquire))
		continue;
}

static void test_watchdog_root_that_spins_is_reported(void **state)
{
	struct seen seen = { 0 };
	struct skua_pool *pool = watched_pool(2, 60, &seen);

	(void)state;
	WATCH(60);
	skua_run(pool, spin_until, &seen.count);
	assert_string_equal(seen.name, "a root of skua_run");
	assert_null((void *)(uintptr_t)seen.function);
	pool_end(pool);
}

/* A function of a group, a future: their own names, not those of the library. */
static int stuck_in_group(struct skua_slot *skua_here, void *argument)
{
	struct seen *seen = *(struct seen **)argument;

	(void)skua_here;
	while (!skua_load(&seen->count, acquire))
		sleep_ns(MILLISECOND);
	return 0;
}

static void test_watchdog_task_of_a_group_is_named(void **state)
{
	struct seen seen = { 0 }, *argument = &seen;
	struct skua_pool *pool = watched_pool(2, 60, &seen);
	struct skua_group group;
	struct skua_group_options options = { .size = sizeof(options), .pool = pool };

	(void)state;
	WATCH(60);
	assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
	assert_int_equal(skua_go(&group, stuck_in_group, &argument), SKUA_OK);
	assert_true(reaches(&seen.count, 1));
	assert_string_equal(seen.name, "stuck_in_group");
	assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
	pool_end(pool);
}

/* The same where the library has a function of its own in between. */
struct large {
	struct seen *seen;
	char more[32];
};

static int stuck_with_much(struct skua_slot *skua_here, void *argument)
{
	return stuck_in_group(skua_here, &((struct large *)argument)->seen);
}

static int stuck_in_future(struct skua_slot *skua_here, void *argument)
{
	return stuck_in_group(skua_here, argument);
}

static int stuck_in_node(struct skua_slot *skua_here, void *argument)
{
	return stuck_in_group(skua_here, &argument);
}

static _Atomic uint32_t is_detached_over;

static void stuck_detached(struct skua_slot *skua_here, void *argument)
{
	stuck_in_group(skua_here, &argument);
	skua_store(&is_detached_over, 1, release);
}

static void go_with_much(struct skua_pool *pool, struct seen *seen)
{
	struct skua_group group;
	struct skua_group_options options = { .size = sizeof(options), .pool = pool };

	assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
	assert_int_equal(skua_go(&group, stuck_with_much, &(struct large){ .seen = seen }),
			 SKUA_OK);
	assert_true(reaches(&seen->count, 1)); /* by a worker, not by who waits */
	assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
}

static void future_of(struct skua_pool *pool, struct seen *seen)
{
	struct skua_future future = { 0 };

	assert_int_equal(skua_async(pool, &future, stuck_in_future, &seen), SKUA_OK);
	assert_true(reaches(&seen->count, 1));
	assert_int_equal(skua_await(&future, SKUA_FOREVER), SKUA_OK);
}

static void detach(struct skua_pool *pool, struct seen *seen)
{
	skua_store(&is_detached_over, 0, relaxed);
	assert_int_equal(skua_detach(pool, stuck_detached, seen), SKUA_OK);
	assert_true(reaches(&is_detached_over, 1));
}

static void run_graph(struct skua_pool *pool, struct seen *seen)
{
	struct skua_graph *graph = NULL;
	struct skua_graph_options options = { .size = sizeof(options), .pool = pool };
	skua_node node;

	assert_int_equal(skua_graph_open(&graph, &options), SKUA_OK);
	assert_int_equal(skua_graph_task(graph, &node, stuck_in_node, seen, NULL), SKUA_OK);
	assert_int_equal(skua_graph_run(graph, SKUA_FOREVER), SKUA_OK);
	skua_graph_close(graph);
}

static void test_watchdog_names_are_the_programs_own(void **state)
{
	static const struct {
		void (*run)(struct skua_pool *pool, struct seen *seen);
		const char *name;
	} cases[] = { { go_with_much, "stuck_with_much" },
		      { future_of, "stuck_in_future" },
		      { detach, "stuck_detached" },
		      { run_graph, "stuck_in_node" } };

	(void)state;
	WATCH(60);
	for (unsigned i = 0; i < 4; i++) {
		struct seen seen = { 0 };
		struct skua_pool *pool = watched_pool(2, 60, &seen);
		cases[i].run(pool, &seen);
		assert_string_equal(seen.name, cases[i].name);
		pool_end(pool);
	}
}

/* --- on standard error --- */

static void wait_until_told(struct skua_slot *skua_here, void *argument)
{
	struct stat status;

	(void)skua_here, (void)argument;
	while (fstat(STDERR_FILENO, &status) == 0 && status.st_size == 0)
		sleep_ns(MILLISECOND);
}

/* What was written to a file in place of standard error goes there after all. */
static void hand_on(int stderr_fd)
{
	char text[8192];
	ssize_t count = pread(STDERR_FILENO, text, sizeof(text), 0);

	if (count <= 0 || write(stderr_fd, text, (size_t)count) != count)
		_exit(3);
}

static void be_watched_by_environment(void *argument)
{
	struct skua_pool *pool;
	struct skua_job job = SKUA_JOB(wait_until_told, NULL);

	(void)argument;
	WATCH(60);
	int stderr_fd = dup(STDERR_FILENO);
	if (dup2(memfd_create("stderr", MFD_CLOEXEC), STDERR_FILENO) < 0)
		_exit(4);
	setenv("SKUA_WATCHDOG", "100", 1);
	if (skua_pool_open(&pool, NULL) || skua_submit(pool, &job) ||
	    skua_job_wait(&job, SKUA_FOREVER) || skua_pool_close(pool, SKUA_CLOSE_DRAIN))
		_exit(1);
	hand_on(stderr_fd);
	_exit(0);
}

static void test_watchdog_environment_has_it_printed(void **state)
{
	static char text[8192];

	(void)state;
	WATCH(60);
	assert_int_equal(test_in_child_stderr(be_watched_by_environment, NULL, text, sizeof(text)),
			 0);
	printf("%s", text);
	const char *told = strstr(text, "skua: watchdog: worker ");
	assert_non_null(told);
	assert_null(strstr(told + 1, "skua: watchdog: "));
	assert_non_null(strstr(told, "has been in one task for "));
	assert_non_null(strstr(told, "task    wait_until_told\n"));
	assert_non_null(strstr(told, "thread  "));
}

/* --- what the kernel tells of a thread --- */

static void test_threadinfo_of_nobody_is_empty(void **state)
{
	struct skuai_thread_info info;
	char calls[64] = "not empty";

	(void)state;
	skuai_thread_info(UINT32_MAX, &info);
	assert_int_equal(info.state, 0);
	assert_string_equal(info.wait, "");
	assert_int_equal(skuai_thread_calls(&info, NULL, calls, sizeof(calls)), 0);
	assert_string_equal(calls, "");
	/* A stack pointer that leads nowhere. */
	info.stack = 4096;
	assert_int_equal(skuai_thread_calls(&info, NULL, calls, sizeof(calls)), 0);
	assert_true(skuai_process_start() > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_watchdog_environment_has_it_printed),
		cmocka_unit_test(test_threadinfo_of_nobody_is_empty),
		cmocka_unit_test(test_watchdog_stuck_job_is_named_once),
		cmocka_unit_test(test_watchdog_who_waits_is_not_stuck),
		cmocka_unit_test(test_watchdog_forking_is_a_sign_of_life),
		cmocka_unit_test(test_watchdog_asks_for_signs_of_life),
		cmocka_unit_test(test_watchdog_root_that_spins_is_reported),
		cmocka_unit_test(test_watchdog_task_of_a_group_is_named),
		cmocka_unit_test(test_watchdog_names_are_the_programs_own),
	};

	unsetenv("SKUA_MONITOR");
	unsetenv("SKUA_WATCHDOG");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
