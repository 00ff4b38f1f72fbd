/* SPDX-License-Identifier: MIT */
/* test_blocking.c — spares while tasks block, resizing, and following what the machine allows */
#include "unit/test_pool.h"

#include "os/thread.h"
#include "sched/worker.h"

#include <skua/group.h>

#include <dirent.h>
#include <sched.h>
#include <sys/wait.h>

struct scene {
	_Atomic uint32_t running, most, runs, is_free;
	struct skua_pool *pool;
	bool is_told;
};

static struct skua_pool *pool_with_spares(int workers, int spares)
{
	struct skua_pool_options options = { .size = sizeof(options),
					     .workers = workers,
					     .spares = spares };
	struct skua_pool *pool = NULL;

	assert_int_equal(skua_pool_open(&pool, &options), SKUA_OK);
	return pool;
}

static int note_most(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;
	uint32_t now = skua_add(&scene->running, 1, relaxed) + 1;

	(void)skua_here;
	for (uint32_t most = skua_load(&scene->most, relaxed); most < now;)
		if (skua_cas_weak(&scene->most, &most, now, relaxed, relaxed))
			break;
	if (scene->is_told)
		skua_blocking_begin();
	sleep_ns(2 * MILLISECOND);
	if (scene->is_told)
		skua_blocking_end();
	skua_sub(&scene->running, 1, relaxed);
	skua_add(&scene->runs, 1, relaxed);
	return 0;
}

static uint32_t most_at_once(struct skua_pool *pool, unsigned tasks, bool is_told)
{
	struct scene scene = { .pool = pool, .is_told = is_told }, *here = &scene;
	struct skua_group group;
	struct skua_group_options options = { .size = sizeof(options), .pool = pool };

	assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
	for (unsigned i = 0; i < tasks; i++)
		assert_int_equal(skua_go(&group, note_most, &here), SKUA_OK);
	assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&scene.runs, relaxed), tasks);
	return skua_load(&scene.most, relaxed);
}

/*
 * The most at once of so many tasks that say that they block, or do not: of many goes one in which
 * it was as few, or as many, as wanted.  A worker that is without a processor for long comes too
 * late in the one case, and leaves too late in the other.
 */
static uint32_t most_of_goes(struct skua_pool *pool, unsigned tasks, bool is_told, uint32_t least,
			     uint32_t most)
{
	uint32_t found = 0;

	for (unsigned go = 0; go < 100; go++) {
		found = most_at_once(pool, tasks, is_told);
		if (found >= least && found <= most)
			break;
	}
	return found;
}

static void test_blocking_spares_take_over(void **state)
{
	WATCH(60);
	struct skua_pool *pool = pool_with_spares(2, 3);

	(void)state;
	assert_int_equal(skua_pool_workers(pool), 2);
	assert_int_equal(skua_pool_places(pool), 5);
	assert_in_range(most_at_once(pool, 50, false), 1, 2);
	assert_in_range(most_of_goes(pool, 200, true, 3, UINT32_MAX), 3, 5); /* under the cap */
	assert_in_range(most_at_once(pool, 50, false), 1, 5); /* some may still be on the way */
	assert_in_range(most_of_goes(pool, 50, false, 1, 2), 1, 2); /* and they have gone again */
	pool_end(pool);
}

static void test_blocking_without_spares_is_nothing(void **state)
{
	WATCH(30);
	struct skua_pool *pool = pool_of(2);

	(void)state;
	skua_blocking_begin(); /* no worker: nothing */
	skua_blocking_end();
	skua_blocking_end();
	assert_in_range(most_at_once(pool, 30, true), 1, 2);
	pool_end(pool);
}

static void test_blocking_nests(void **state)
{
	WATCH(30);
	struct skua_pool *pool = pool_with_spares(1, 1);

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		most_at_once(pool, 5, i % 2);
	pool_end(pool);
}

/* A task that ends one section too many does not take away the one around it. */
static void end_too_often(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	(void)argument;
	skua_blocking_end();
	skua_blocking_end();
	skua_blocking_begin(); /* and leaves one open */
}

static void block_around_a_wait(struct skua_slot *skua_here, void *argument)
{
	struct skua_job inner = SKUA_JOB(end_too_often, NULL);

	(void)skua_here;
	skua_blocking_begin();
	assert_int_equal(skua_submit(argument, &inner), SKUA_OK);
	assert_int_equal(skua_job_wait(&inner, SKUA_FOREVER), SKUA_OK);
	skua_blocking_end();
}

static void test_blocking_ends_too_often(void **state)
{
	WATCH(30);
	struct skua_pool *pool = pool_with_spares(1, 1);

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		struct skua_job outer = SKUA_JOB(block_around_a_wait, pool);
		assert_int_equal(skua_submit(pool, &outer), SKUA_OK);
		assert_int_equal(skua_job_wait(&outer, SKUA_FOREVER), SKUA_OK);
	}
	assert_int_equal(most_of_goes(pool, 20, false, 1, 1), 1);
	pool_end(pool);
}

/* Tasks for a worker that is dormant bring it back. */
static void test_blocking_chosen_workers_come_back(void **state)
{
	WATCH(60);
	struct skua_pool *pool = pool_with_spares(2, 2);

	(void)state;
	for (unsigned round = 0; round < 40; round++) {
		struct scene scene = { .pool = pool }, *here = &scene;
		struct skua_group group;
		struct skua_group_options options = { .size = sizeof(options),
						      .pool = pool,
						      .workers = (uint64_t)1 << round % 4 };
		assert_int_equal(skua_pool_resize(pool, 1 + (int)(round / 4 % 4)), SKUA_OK);
		most_at_once(pool, 3, false);
		assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(skua_go(&group, note_most, &here), SKUA_OK);
		assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
		assert_int_equal(skua_load(&scene.runs, relaxed), 3);
	}
	pool_end(pool);
}

/* --- resize --- */

static void test_resize(void **state)
{
	WATCH(60);
	struct skua_pool *pool = pool_with_spares(2, 6);

	(void)state;
	assert_int_equal(skua_pool_resize(pool, 0), SKUA_EINVAL);
	assert_int_equal(skua_pool_resize(pool, -1), SKUA_EINVAL);
	assert_int_equal(skua_pool_resize(pool, 9), SKUA_EINVAL);
	assert_int_equal(skua_pool_workers(pool), 2);
	for (int size = 8; size >= 1; size--) {
		assert_int_equal(skua_pool_resize(pool, size), SKUA_OK);
		assert_int_equal(skua_pool_workers(pool), (unsigned)size);
		/* those too many go when they are done */
		assert_in_range(most_of_goes(pool, 40, false, 1, (uint32_t)size), 1, size);
	}
	assert_int_equal(skua_pool_resize(pool, 8), SKUA_OK);
	assert_int_equal(most_of_goes(pool, 100, false, 8, UINT32_MAX), 8);
	pool_end(pool);
}

static void resize_at_random(void *argument)
{
	struct scene *scene = argument;
	uint32_t seed = 1;

	while (!skua_load(&scene->is_free, acquire)) {
		seed = seed * 1664525 + 1013904223;
		assert_int_equal(skua_pool_resize(scene->pool, (int)(1 + (seed >> 16) % 8)),
				 SKUA_OK);
	}
}

static void test_resize_during_work(void **state)
{
	WATCH(120);
	struct scene scene = { .pool = pool_with_spares(3, 5) };
	struct skuai_thread thread;

	(void)state;
	assert_int_equal(skuai_thread_start(&thread, resize_at_random, &scene, NULL), SKUA_OK);
	for (unsigned i = 0; i < test_rounds(SLOW_BUILD ? 10 : 60); i++) {
		assert_int_equal(skua_run(scene.pool, fib, SLOW_BUILD ? 15 : 20),
				 SLOW_BUILD ? 610 : 6765);
		most_at_once(scene.pool, 10, i % 2);
	}
	skua_store(&scene.is_free, 1, release);
	skuai_thread_join(&thread);
	pool_end(scene.pool);
}

static void test_resize_in_the_child_of_a_fork(void **state)
{
#ifdef SKUAI_ATOMICS_TSAN
	skip(); /* it does not let a child of fork() start threads */
#endif
	WATCH(60);
	struct skua_pool *pool = pool_with_spares(2, 2);

	(void)state;
	most_at_once(pool, 20, true);
	pid_t child = fork();
	if (child == 0) {
		WATCH(30);
		most_at_once(pool, 20, true);
		skua_pool_resize(pool, 1);
		most_at_once(pool, 20, true);
		_exit(skua_pool_close(pool, SKUA_CLOSE_DRAIN) == SKUA_OK ? 0 : 1);
	}
	int status = -1;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	most_at_once(pool, 20, true);
	pool_end(pool);
}

/* --- following the machine --- */

/* Every thread of this process may use the first `count` of the CPUs it had. */
static void allow_cpus(const cpu_set_t *all, int count)
{
	DIR *tasks = opendir("/proc/self/task");
	cpu_set_t set;

	CPU_ZERO(&set);
	for (size_t cpu = 0; cpu < CPU_SETSIZE && count > 0; cpu++)
		if (CPU_ISSET(cpu, all)) {
			CPU_SET(cpu, &set);
			count--;
		}
	assert_non_null(tasks);
	for (struct dirent *entry; (entry = readdir(tasks));)
		if (entry->d_name[0] != '.')
			sched_setaffinity((pid_t)strtol(entry->d_name, NULL, 10), sizeof(set),
					  &set);
	closedir(tasks);
}

/* Work now and then, for up to so long, until the pool has this size. */
static bool comes_to(struct skua_pool *pool, unsigned workers)
{
	int64_t end = skua_clock_ns() + 25 * SECOND * PATIENCE;

	while (skua_pool_workers(pool) != workers && skua_clock_ns() < end)
		most_at_once(pool, 10, false);
	return skua_pool_workers(pool) == workers;
}

static void test_pool_follows_its_affinity(void **state)
{
	WATCH(120);
	cpu_set_t all;
	struct skua_pool *pool;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	unsigned cpus = (unsigned)CPU_COUNT(&all);
	if (cpus < 2 || getenv("SKUA_WORKERS"))
		skip();
	assert_int_equal(skua_pool_open(&pool, NULL), SKUA_OK);
	if (skua_pool_workers(pool) < 2) { /* a quota decides */
		pool_end(pool);
		skip();
	}
	unsigned before = skua_pool_workers(pool);
	allow_cpus(&all, 1);
	bool has_shrunk = comes_to(pool, 1);
	allow_cpus(&all, (int)cpus);
	assert_true(has_shrunk);
	assert_true(comes_to(pool, before));
	pool_end(pool);
}

/* A machine of 4 CPUs made of files, with a quota that changes. */
static void put_quota(const char *quota)
{
	test_write_text(test_folder(), "cg/job/cpu.max", quota);
}

/* A pool there, with a quota of two and a half CPUs. */
static struct skua_pool *pool_of_machine(int workers)
{
	struct skua_pool_options options = { .size = sizeof(options),
					     .workers = workers,
					     .machine_root = test_folder() };
	struct skua_pool *pool;

	if (getenv("SKUA_WORKERS"))
		skip();
	test_write_text(test_folder(), "sys/devices/system/cpu/possible", "0-3\n");
	test_write_text(test_folder(), "sys/devices/system/cpu/online", "0-3\n");
	test_write_text(test_folder(), "proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-3\n");
	test_write_text(test_folder(), "proc/self/cgroup", "0::/job\n");
	test_write_text(test_folder(), "proc/self/mountinfo",
			"30 22 0:26 / /cg rw - cgroup2 cgroup2 rw\n");
	put_quota("250000 100000\n");
	assert_int_equal(skua_pool_open(&pool, &options), SKUA_OK);
	return pool;
}

static void test_pool_follows_its_quota(void **state)
{
	WATCH(120);
	struct skua_pool *pool = pool_of_machine(0);

	(void)state;
	assert_int_equal(skua_pool_workers(pool), 3);
	put_quota("100000 100000\n");
	assert_true(comes_to(pool, 1));
	put_quota("200000 100000\n");
	assert_true(comes_to(pool, 2));
	put_quota("max 100000\n"); /* four would be right, but it has no more than three */
	assert_true(comes_to(pool, 3));
	test_remove(test_folder(), "cg/job/cpu.max");
	most_at_once(pool, 20, false);
	pool_end(pool);
	pool = pool_of_machine(3); /* what was asked for stays */
	put_quota("100000 100000\n");
	most_at_once(pool, 20, false);
	assert_int_equal(skua_pool_workers(pool), 3);
	pool_end(pool);
}

/* The quota is used up again and again, and then no more: who is idle must not spend it. */
static bool comes_to_throttled(struct skua_pool *pool, bool is_throttled, uint64_t *stops)
{
	for (unsigned i = 0; i < 300; i++) {
		char text[64];
		if (is_throttled)
			++*stops;
		snprintf(text, sizeof(text), "nr_periods 9\nnr_throttled %llu\nthrottled_usec 1\n",
			 (unsigned long long)*stops);
		test_write_text(test_folder(), "cg/job/cpu.stat", text);
		if (skua_load(&pool->is_throttled, relaxed) == is_throttled)
			return true;
		most_at_once(pool, 2, false); /* somebody falls idle, and looks */
		sleep_ns(100 * MILLISECOND);
	}
	return false;
}

static void test_pool_notices_that_it_is_throttled(void **state)
{
	WATCH(120);
	struct skua_pool *pool = pool_of_machine(0);
	uint64_t stops = 7;

	(void)state;
	assert_true(comes_to_throttled(pool, true, &stops));
	assert_true(comes_to_throttled(pool, false, &stops));
	assert_true(comes_to_throttled(pool, true, &stops));
	test_remove(test_folder(), "cg/job/cpu.stat");
	put_quota("max 100000\n");
	for (unsigned i = 0; i < 300 && skua_load(&pool->is_throttled, relaxed); i++) {
		most_at_once(pool, 2, false);
		sleep_ns(100 * MILLISECOND);
	}
	assert_false(skua_load(&pool->is_throttled, relaxed));
	pool_end(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocking_spares_take_over),
		cmocka_unit_test(test_blocking_without_spares_is_nothing),
		cmocka_unit_test(test_blocking_nests),
		cmocka_unit_test(test_blocking_ends_too_often),
		cmocka_unit_test(test_blocking_chosen_workers_come_back),
		cmocka_unit_test(test_resize),
		cmocka_unit_test(test_resize_during_work),
		cmocka_unit_test(test_resize_in_the_child_of_a_fork),
		cmocka_unit_test(test_pool_follows_its_affinity),
		cmocka_unit_test(test_pool_follows_its_quota),
		cmocka_unit_test(test_pool_notices_that_it_is_throttled),
	};
	return cmocka_run_group_tests_name("blocking", tests, NULL, NULL);
}
