/* SPDX-License-Identifier: MIT */
/* test_apart.c — threads leave a CPU at once; workers that help do not stay on the helped one's */
#include "unit/test_pool.h"

#include "base/fault.h"
#include "os/cpuset.h"
#include "os/thread.h"
#include "sched/worker.h"

#include <skua/group.h>

#include <errno.h>
#include <sched.h>
#include <sys/wait.h>

#define TRIES 200

/* --- one thread --- */

static struct skuai_cpuset allowed_to(uint32_t tid)
{
	struct skuai_cpuset set;

	assert_int_equal(skuai_cpuset_allowed(tid, &set), SKUAI_CPUSET_WHOLE);
	return set;
}

static void allow(uint32_t tid, const struct skuai_cpuset *set)
{
	assert_int_equal(sched_setaffinity((pid_t)tid, sizeof(*set), (const cpu_set_t *)set->words),
			 0);
}

static bool has_two_cpus(void)
{
	struct skuai_cpuset all = allowed_to(0);

	return skuai_cpuset_count(&all) >= 2;
}

/* The kernel may send it back the next moment: once in many tries it is seen elsewhere. */
static void test_apart_leaves_at_once_and_may_come_back(void **state)
{
	struct skuai_cpuset before = allowed_to(0);
	unsigned elsewhere = 0;

	(void)state;
	if (!has_two_cpus())
		skip();
	for (unsigned i = 0; i < TRIES; i++) {
		struct skuai_cpuset taken = { 0 };
		int cpu = skuai_thread_cpu();
		assert_true(cpu >= 0);
		skuai_cpuset_add(&taken, (unsigned)cpu);
		assert_true(skuai_thread_leave(&taken));
		elsewhere += skuai_thread_cpu() != cpu;
		struct skuai_cpuset after = allowed_to(0);
		assert_memory_equal(&after, &before, sizeof(before));
	}
	assert_true(elsewhere > 0);
}

static void test_apart_nowhere_else_to_go(void **state)
{
	struct skuai_cpuset before = allowed_to(0), one = { 0 };
	unsigned first = skuai_cpuset_next(&before, 0);

	(void)state;
	errno = 4711;
	assert_false(skuai_thread_leave(&before));
	skuai_cpuset_add(&one, first);
	allow(0, &one);
	assert_false(skuai_thread_forbid(0, first));
	assert_false(skuai_thread_forbid(0, first + 1)); /* not allowed anyway */
	struct skuai_cpuset after = allowed_to(0);
	assert_memory_equal(&after, &one, sizeof(one));
	allow(0, &before);
	assert_int_equal(errno, 4711);
}

static void test_apart_forbids_and_allows(void **state)
{
	struct skuai_cpuset before = allowed_to(0);

	(void)state;
	if (!has_two_cpus())
		skip();
	for (unsigned cpu = skuai_cpuset_next(&before, 0); cpu < SKUAI_CPUS_MAX;
	     cpu = skuai_cpuset_next(&before, cpu + 1)) {
		assert_true(skuai_thread_forbid(skuai_thread_tid(), cpu));
		assert_int_not_equal(skuai_thread_cpu(), (int)cpu);
		struct skuai_cpuset fewer = allowed_to(0);
		assert_false(skuai_cpuset_has(&fewer, cpu));
		assert_true(skuai_thread_allow(0, cpu));
		struct skuai_cpuset after = allowed_to(0);
		assert_memory_equal(&after, &before, sizeof(before));
	}
}

/* Refused at each of its calls: nothing is changed, or all is as it was. */
static void test_apart_refused_by_the_system(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	struct skuai_cpuset before = allowed_to(0), taken = { 0 };
	unsigned first = skuai_cpuset_next(&before, 0);

	if (!has_two_cpus())
		skip();
	skuai_cpuset_add(&taken, first);
	for (uint32_t nth = 1; nth <= 6; nth++) {
		skuai_fault_arm(SKUAI_FAULT_AFFINITY, nth, false, SKUAI_FAULT_USUAL);
		assert_int_equal(skuai_thread_leave(&taken), nth > 2); /* then it tries again */
		skuai_fault_arm(SKUAI_FAULT_AFFINITY, nth, false, SKUAI_FAULT_USUAL);
		assert_int_equal(skuai_thread_forbid(0, first), nth > 2);
		skuai_fault_disarm();
		assert_true(skuai_thread_allow(0, first));
		skuai_fault_arm(SKUAI_FAULT_AFFINITY, nth, false, SKUAI_FAULT_USUAL);
		assert_int_equal(skuai_thread_allow(0, first), nth > 1);
		skuai_fault_disarm();
		struct skuai_cpuset after = allowed_to(0);
		assert_memory_equal(&after, &before, sizeof(before));
	}
#else
	skip();
#endif
}

/* --- a pool of two, its caller kept on one CPU --- */

struct scene {
	struct skua_pool *pool;
	unsigned cpu; /* the caller's */
	struct skuai_cpuset before;
};

static void do_nothing(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	(void)argument;
}

static struct scene scene_of(struct skua_pool_options options)
{
	struct scene scene = { .before = allowed_to(0) };
	struct skuai_cpuset one = { 0 };
	struct skua_job job = SKUA_JOB(do_nothing, NULL);

	options.size = sizeof(options);
	assert_int_equal(skua_pool_open(&scene.pool, &options), SKUA_OK);
	assert_int_equal(skua_submit(scene.pool, &job), SKUA_OK);
	assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	scene.cpu = skuai_cpuset_next(&scene.before, 0);
	skuai_cpuset_add(&one, scene.cpu);
	allow(0, &one);
	return scene;
}

static void scene_end(struct scene *scene)
{
	struct skuai_cpuset mine = allowed_to(0);

	assert_int_equal(skuai_cpuset_count(&mine), 1); /* callers are not moved */
	pool_end(scene->pool);
	allow(0, &scene->before);
}

SKUA_LOOP(turn_a_little, _Atomic uint32_t *, sum, i)
{
	int64_t end = skua_clock_ns() + 200;

	while (skua_clock_ns() < end)
		continue;
	skua_add(sum, (uint32_t)i & 1, relaxed);
}

SKUA_TASK(int, many_loops, _Atomic uint32_t *, sum)
{
	int error = 0;

	for (unsigned i = 0; i < 100; i++)
		error |= skua_for(skua_here, 0, 200, turn_a_little, sum, NULL);
	return error;
}

/* Its thread has begun, and nobody is up, nor will be by itself. */
static bool sleeps_for_good(struct skuai_worker *worker)
{
	struct skuai_idle *idle = &worker->pool->idle;
	int64_t end = skua_clock_ns() + 5 * SECOND * PATIENCE;

	while (!skua_load(&worker->tid, relaxed) || skuai_idle_searching(idle) ||
	       skuai_idle_sleeping(idle) < worker->pool->count || skuai_idle_has_sentinel(idle)) {
		if (skua_clock_ns() > end)
			return false;
		sleep_ns(MILLISECOND);
	}
	return true;
}

/* All that sleep are said to lie where the caller is. */
static void lay_all_here(struct scene *scene)
{
	for (unsigned i = 0; i < scene->pool->count; i++)
		skua_store(&scene->pool->workers[i].bed_cpu, (int32_t)scene->cpu + 1, relaxed);
}

static uint64_t moves_in(struct scene *scene, unsigned tries)
{
	for (unsigned i = 0; i < tries && stats_of(scene->pool).moves == 0; i++) {
		_Atomic uint32_t sum = 0;
		for (unsigned k = 0; k < scene->pool->count; k++)
			assert_true(sleeps_for_good(&scene->pool->workers[k]));
		lay_all_here(scene);
		assert_int_equal(skua_run(scene->pool, many_loops, &sum), SKUA_OK);
		assert_int_equal(skua_load(&sum, relaxed), 100 * 100);
	}
	return stats_of(scene->pool).moves;
}

/* Waits until all sleep: then every thread may run wherever it might before. */
static void check_all_free(struct scene *scene)
{
	for (unsigned i = 0; i < scene->pool->count; i++) {
		struct skuai_worker *worker = &scene->pool->workers[i];
		uint32_t tid = skua_load(&worker->tid, relaxed);
		int64_t end = skua_clock_ns() + 5 * SECOND * PATIENCE;
		bool is_free = !tid;
		while (!is_free && skua_clock_ns() < end) {
			struct skuai_cpuset now = allowed_to(tid);
			is_free = memcmp(&now, &scene->before, sizeof(now)) == 0;
			sleep_ns(100000);
		}
		assert_true(is_free);
		assert_int_equal(skua_load(&worker->forbidden_cpu, relaxed), 0);
	}
}

static void test_apart_helper_goes_elsewhere(void **state)
{
	WATCH(60);
	(void)state;
	if (!has_two_cpus())
		skip();
	struct scene scene = scene_of((struct skua_pool_options){ .workers = 2 });
	assert_true(moves_in(&scene, TRIES) > 0);
	check_all_free(&scene);
	scene_end(&scene);
}

static void test_apart_pinned_or_crowded_stays(void **state)
{
	WATCH(60);
	(void)state;
	if (!has_two_cpus())
		skip();
	unsigned cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	struct scene pinned = scene_of(
		(struct skua_pool_options){ .workers = 2, .is_pinned = true });
	_Atomic uint32_t sum = 0;
	assert_int_equal(skua_run(pinned.pool, many_loops, &sum), SKUA_OK);
	assert_int_equal(stats_of(pinned.pool).moves, 0);
	scene_end(&pinned);
	struct scene crowded = scene_of((struct skua_pool_options){ .workers = (int)cpus + 1 });
	assert_int_equal(moves_in(&crowded, 3), 0);
	scene_end(&crowded);
}

/* A sleeper that lay down where its waker works: by hand, each step looked at. */
static void test_apart_sleeper_is_called_elsewhere(void **state)
{
	WATCH(20);
	(void)state;
	if (!has_two_cpus())
		skip();
	struct scene scene = scene_of((struct skua_pool_options){ .workers = 2 });
	struct skuai_worker *sleeper = &scene.pool->workers[1];
	int64_t end = skua_clock_ns() + 5 * SECOND * PATIENCE;
	assert_true(sleeps_for_good(sleeper));
	uint32_t tid = skua_load(&sleeper->tid, relaxed);
	for (int32_t cpu = 0; cpu < 2; cpu++) { /* not known, or elsewhere: it is left alone */
		skua_store(&sleeper->bed_cpu, cpu * ((int32_t)scene.cpu + 2), relaxed);
		skuai_call_apart(sleeper);
		assert_int_equal(skua_load(&sleeper->forbidden_cpu, relaxed), 0);
	}
	skua_store(&sleeper->bed_cpu, (int32_t)scene.cpu + 1, relaxed);
	skuai_call_apart(sleeper);
	assert_int_equal(skua_load(&sleeper->forbidden_cpu, relaxed), scene.cpu + 1);
	struct skuai_cpuset fewer = allowed_to(tid);
	assert_false(skuai_cpuset_has(&fewer, scene.cpu));
	assert_int_equal(skuai_cpuset_count(&fewer), skuai_cpuset_count(&scene.before) - 1);
	struct skua_job jobs[2] = { SKUA_JOB(do_nothing, NULL), SKUA_JOB(do_nothing, NULL) };
	while (skua_load(&sleeper->forbidden_cpu, relaxed) && skua_clock_ns() < end) {
		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(skua_submit(scene.pool, &jobs[i]), SKUA_OK);
		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(skua_job_wait(&jobs[i], SKUA_FOREVER), SKUA_OK);
		if (skuai_idle_claim_number(&scene.pool->idle, 1))
			skuai_unpark_call(&sleeper->park);
	}
	check_all_free(&scene);
	scene_end(&scene);
}

struct thief {
	uint64_t moves[6];
	bool is_free;
};

/* Not moved: it is not busy, not known where, elsewhere, or we moved just now.  Moved: twice. */
static bool is_as_told(const struct thief *thief)
{
	bool is_moved = thief->moves[4] == 1 && thief->moves[5] == 2;

	for (unsigned i = 0; i < 4; i++)
		is_moved = is_moved && thief->moves[i] == 0;
	return is_moved && thief->is_free;
}

/* The other worker is said to be at work on this CPU: each reason to stay, then to go. */
static void keep_apart_by_hand(struct skua_slot *skua_here, void *argument)
{
	struct thief *thief = argument;
	struct skuai_worker *self = skuai_self, *victim = &self->pool->workers[1 - self->number];
	struct skuai_cpuset before = allowed_to(0);
	uint64_t moves = skua_load(&self->counters.moves, relaxed);
	int64_t now = skua_clock_ns();
	struct skuai_find find;

	(void)skua_here;
	for (unsigned i = 0; i < 6; i++) {
		int32_t here = skuai_thread_cpu() + 1;
		skua_store(&victim->is_busy, i != 0, relaxed);
		skua_store(&victim->forks.cpu, i == 1 ? 0 : i == 2 ? here + 1 : here, relaxed);
		self->moved_ns = i == 3 ? now : now - SECOND;
		if (i < 5)
			skuai_keep_apart(self, victim, now);
		else /* as thieves come to it */
			skuai_find_any(self, SKUAI_ALLOW_FORKS, NULL, &find);
		thief->moves[i] = skua_load(&self->counters.moves, relaxed) - moves;
	}
	skua_store(&victim->is_busy, false, relaxed);
	skua_store(&victim->forks.cpu, 0, relaxed);
	struct skuai_cpuset after = allowed_to(0);
	thief->is_free = memcmp(&after, &before, sizeof(after)) == 0;
}

static void test_apart_thief_leaves_its_victim(void **state)
{
	WATCH(20);
	(void)state;
	if (!has_two_cpus())
		skip();
	struct skua_pool *pool = pool_of(2);
	bool is_once = false;
	/* The kernel may move it, too, just between two steps: not each time. */
	for (unsigned i = 0; i < TRIES && !is_once; i++) {
		struct thief thief = { 0 };
		struct skua_job job = SKUA_JOB(keep_apart_by_hand, &thief);
		assert_int_equal(skua_submit(pool, &job), SKUA_OK);
		assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
		is_once = is_as_told(&thief);
	}
	assert_true(is_once);
	pool_end(pool);
}

SKUA_TASK(int, as_guest, struct thief *, thief)
{
	keep_apart_by_hand(skua_here, thief);
	return 0;
}

static void test_apart_caller_stays(void **state)
{
	WATCH(20);
	(void)state;
	if (!has_two_cpus())
		skip();
	struct skua_pool *pool = pool_of(2);
	struct thief thief = { 0 };
	skua_run(pool, as_guest, &thief);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(thief.moves[i], 0);
	pool_end(pool);
}

/* --- that it is asked at all --- */

static int stay_on_last(struct skua_slot *skua_here, void *argument)
{
	struct skuai_cpuset *before = argument, one = { 0 };
	unsigned last = 0;

	(void)skua_here;
	for (unsigned cpu = skuai_cpuset_next(before, 0); cpu < SKUAI_CPUS_MAX;
	     cpu = skuai_cpuset_next(before, cpu + 1))
		last = cpu;
	skuai_cpuset_add(&one, last);
	allow(0, &one);
	return 0;
}

/* The helper is kept on the last CPU, the caller on the first: none is in the other's way, but for
 * what is said of the bed. */
static void test_apart_words_are_said_and_heard(void **state)
{
	WATCH(60);
	(void)state;
	if (!has_two_cpus())
		skip();
	struct scene scene = scene_of((struct skua_pool_options){ .workers = 2 });
	for (unsigned i = 0; i < 2; i++) {
		struct skua_group_options options = { .size = sizeof(options),
						      .pool = scene.pool,
						      .workers = (uint64_t)1 << i };
		struct skua_group group;
		assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
		assert_int_equal(skua_go(&group, stay_on_last, (void *)&scene.before), SKUA_OK);
		assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
	}
	for (unsigned i = 0; i < 2; i++) {
		struct skuai_worker *worker = &scene.pool->workers[i];
		assert_true(sleeps_for_good(worker));
		assert_true(skua_load(&worker->bed_cpu, relaxed) > (int32_t)scene.cpu + 1);
		allow(skua_load(&worker->tid, relaxed), &scene.before);
	}
	assert_int_equal(stats_of(scene.pool).moves, 0);
	assert_true(moves_in(&scene, TRIES) > 0); /* it was called, and got up elsewhere */
	bool is_said = false;
	for (unsigned i = 0; i < 2; i++)
		is_said |= skua_load(&scene.pool->workers[i].forks.cpu, relaxed) ==
			   (int32_t)scene.cpu + 1;
	assert_true(is_said);
	check_all_free(&scene);
	scene_end(&scene);
}

/* The child has the parent's words, but its threads are others. */
static void test_apart_child_leaves_the_parent_alone(void **state)
{
	WATCH(60);
	(void)state;
#ifdef SKUAI_ATOMICS_TSAN
	skip(); /* it allows such a child no threads */
#endif
	if (!has_two_cpus())
		skip();
	struct scene scene = scene_of((struct skua_pool_options){ .workers = 2 });
	assert_true(sleeps_for_good(&scene.pool->workers[1]));
	assert_true(sleeps_for_good(&scene.pool->workers[0]));
	for (unsigned i = 0; i < 20; i++) {
		lay_all_here(&scene);
		pid_t child = fork();
		assert_true(child >= 0);
		if (!child) {
			_Atomic uint32_t sum = 0;
			lay_all_here(&scene);
			_exit(skua_run(scene.pool, many_loops, &sum) != SKUA_OK);
		}
		int status = -1;
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		check_all_free(&scene);
	}
	scene_end(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_apart_leaves_at_once_and_may_come_back),
		cmocka_unit_test(test_apart_nowhere_else_to_go),
		cmocka_unit_test(test_apart_forbids_and_allows),
		cmocka_unit_test(test_apart_refused_by_the_system),
		cmocka_unit_test(test_apart_thief_leaves_its_victim),
		cmocka_unit_test(test_apart_caller_stays),
		cmocka_unit_test(test_apart_helper_goes_elsewhere),
		cmocka_unit_test(test_apart_pinned_or_crowded_stays),
		cmocka_unit_test(test_apart_sleeper_is_called_elsewhere),
		cmocka_unit_test(test_apart_words_are_said_and_heard),
		cmocka_unit_test(test_apart_child_leaves_the_parent_alone),
	};
	return cmocka_run_group_tests_name("apart", tests, NULL, NULL);
}
