/* SPDX-License-Identifier: MIT */
/* test_isolated.c — isolated waits: nothing unrelated on the waiter's stack, so no deadlock */
#include "unit/test_pool.h"

#include "sched/worker.h"

#include <skua/group.h>

#include <pthread.h>

/*
 * Four deadlocks that users of other schedulers met, each with what they guarded: rayon #592 (a
 * mutex around a parallel loop), #1251 (a value made once, in parallel), #1269 (a bounded channel
 * whose sender helps while it is full), Taskflow #522 (scratch memory of the thread).  In all of
 * them a task waits inside the guard, is given another task to run, and that one comes to the same
 * guard, on the same thread.
 *
 * A guard here notices that instead of hanging, but for `is_deadly`.
 */
enum kind {
	MUTEX,
	ONCE,
	CHANNEL,
	SCRATCH,
	KINDS
};

struct scene {
	enum kind kind;
	bool is_isolated, is_deadly;
	struct skua_pool *pool, *other;
	struct skua_group *group;
	pthread_mutex_t mutex; /* one that notices its own thread */
	bool is_made;
	_Atomic uint32_t is_full; /* the channel */
	_Atomic uint32_t nested, others, leaves, away, is_over;
	struct skua_job guarded, unrelated;
};

static _Thread_local unsigned inside; /* guards that this thread is in */

static bool enter(struct scene *scene)
{
	if (inside && !scene->is_deadly) {
		skua_add(&scene->nested, 1, relaxed);
		return false;
	}
	if (scene->kind == CHANNEL) {
		while (skua_exchange(&scene->is_full, 1, acquire))
			sleep_ns(50000);
	} else if (scene->kind != SCRATCH) {
		if (pthread_mutex_lock(&scene->mutex))
			_exit(50);
	}
	inside++;
	return true;
}

static void leave(struct scene *scene)
{
	inside--;
	if (scene->kind == CHANNEL)
		skua_store(&scene->is_full, 0, release);
	else if (scene->kind != SCRATCH)
		pthread_mutex_unlock(&scene->mutex);
}

/* The other task that comes to the same guard. */
static void run_unrelated(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = argument;

	(void)skua_here;
	if (enter(scene)) {
		if (scene->kind == ONCE && !scene->is_made)
			scene->is_made = true;
		leave(scene);
	}
	skua_add(&scene->others, 1, release);
}

static void submit_unrelated(struct scene *scene)
{
	scene->unrelated = (struct skua_job)SKUA_JOB(run_unrelated, scene);
	if (skua_submit(scene->pool, &scene->unrelated))
		_exit(51);
}

static int leaf_of_group(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;

	(void)skua_here;
	skua_add(&scene->leaves, 1, relaxed);
	return 0;
}

/* Its deque's newest is the unrelated job: who waits without isolation takes that first. */
static void guarded_by_group(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = argument;
	struct skua_group group;
	struct skua_group_options options = { .size = sizeof(options),
					      .pool = scene->pool,
					      .is_isolated = scene->is_isolated };

	(void)skua_here;
	if (!enter(scene))
		return;
	if (skua_group_open(&group, &options))
		_exit(52);
	for (unsigned i = 0; i < 4; i++)
		if (skua_go(&group, leaf_of_group, &scene))
			_exit(53);
	submit_unrelated(scene);
	if (skua_group_wait(&group, SKUA_FOREVER))
		_exit(54);
	scene->is_made = true;
	leave(scene);
}

/* Elsewhere it lasts until the unrelated job was begun, or long enough for that. */
SKUA_TASK(int, leaf_of_fork, struct scene *, scene)
{
	skua_add(&scene->leaves, 1, relaxed);
	if (inside)
		return 1;
	skua_store(&scene->away, 1, release);
	if (!scene->is_isolated)
		reaches(&scene->others, 1);
	else
		for (unsigned i = 0; i < 200 && !skua_load(&scene->others, acquire); i++)
			sleep_ns(50000);
	return 1;
}

static void fork_and_join(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = argument;

	skua_fork(leaf_of_fork, a, scene);
	if (skua_pool_workers(scene->pool) > 1)
		reaches(&scene->away, 1);
	submit_unrelated(scene);
	int sum = skua_call(leaf_of_fork, scene);
	sum += skua_join(leaf_of_fork, a);
	if (sum != 2)
		_exit(55);
}

static void guarded_by_fork(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = argument;

	if (!enter(scene))
		return;
	if (scene->is_isolated)
		skua_isolate(skua_here, fork_and_join, scene);
	else
		fork_and_join(skua_here, scene);
	scene->is_made = true;
	leave(scene);
}

/* How often the unrelated task came to the guard on the stack of who was in it. */
static uint32_t play(struct scene scene, int workers, skua_job_run *guarded)
{
	pthread_mutexattr_t kind;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, scene.is_deadly ? PTHREAD_MUTEX_NORMAL
							 : PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&scene.mutex, &kind);
	scene.pool = pool_of(workers);
	scene.guarded = (struct skua_job)SKUA_JOB(guarded, &scene);
	assert_int_equal(skua_submit(scene.pool, &scene.guarded), SKUA_OK);
	assert_int_equal(skua_job_wait(&scene.guarded, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_job_wait(&scene.unrelated, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&scene.others, relaxed), 1);
	assert_true(scene.is_made);
	pool_end(scene.pool);
	pthread_mutex_destroy(&scene.mutex);
	pthread_mutexattr_destroy(&kind);
	return skua_load(&scene.nested, relaxed);
}

static void test_isolated_keeps_others_out(void **state)
{
	static const int workers[] = { 1, 2, 8 };

	(void)state;
	for (unsigned i = 0; i < sizeof(workers) / sizeof(workers[0]); i++)
		for (enum kind kind = MUTEX; kind < KINDS; kind++) {
			struct scene scene = { .kind = kind, .is_isolated = true };
			WATCH(30);
			assert_int_equal(play(scene, workers[i], guarded_by_group), 0);
			assert_int_equal(play(scene, workers[i], guarded_by_fork), 0);
		}
}

/* The tests above can fail: without isolation the other task is run in the middle of the wait. */
static void test_isolated_is_needed(void **state)
{
	(void)state;
	for (enum kind kind = MUTEX; kind < KINDS; kind++) {
		struct scene scene = { .kind = kind };
		WATCH(30);
		assert_int_equal(play(scene, 1, guarded_by_group), 1);
		assert_int_equal(play(scene, 2, guarded_by_fork), 1);
	}
}

static void play_deadly(void *argument)
{
	struct scene scene = *(struct scene *)argument;

	watch_set("child", scene.is_isolated ? 30 : 1);
	play(scene, 1, guarded_by_group);
	_exit(0);
}

/* And with a real lock, and a channel that is full, it hangs for good. */
static void test_isolated_or_it_hangs(void **state)
{
	char text[256];

	(void)state;
	for (enum kind kind = MUTEX; kind <= CHANNEL; kind++) {
		struct scene scene = { .kind = kind, .is_deadly = true };
		WATCH(60);
		assert_int_equal(test_in_child_stderr(play_deadly, &scene, text, sizeof(text)), 97);
		scene.is_isolated = true;
		assert_int_equal(test_in_child_stderr(play_deadly, &scene, text, sizeof(text)), 0);
	}
}

/* --- what is isolated with it --- */

/* Stolen, it has an unrelated job in its own deque when its join waits for the third worker. */
SKUA_TASK(int, stolen_middle, struct scene *, scene)
{
	if (inside)
		return 0; /* nobody came: try again */
	inside = 1;
	skua_store(&scene->away, 0, release);
	skua_fork(leaf_of_fork, a, scene);
	inside = 0;
	bool is_stolen = reaches(&scene->away, 1);
	inside = 1;
	submit_unrelated(scene);
	skua_join(leaf_of_fork, a);
	inside = 0;
	return is_stolen;
}

static void fork_the_middle(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = argument;

	inside = 1;
	skua_store(&scene->is_over, 0, relaxed);
	skua_fork(stolen_middle, a, scene);
	for (int64_t end = skua_clock_ns() + SECOND * PATIENCE;
	     !skua_load(&scene->leaves, relaxed);)
		if (skua_clock_ns() > end)
			break;
	if (skua_join(stolen_middle, a))
		skua_store(&scene->is_over, 1, relaxed);
	inside = 0;
}

static void isolate_the_middle(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = argument;

	if (scene->is_isolated)
		skua_isolate(skua_here, fork_the_middle, argument);
	else
		fork_the_middle(skua_here, argument);
}

static void test_isolated_goes_with_stolen_forks(void **state)
{
	(void)state;
	for (unsigned tries = 0, played = 0; played < 3; tries++) {
		struct scene scene = { .kind = SCRATCH, .is_isolated = true };
		WATCH(60);
		assert_true(tries < 100);
		scene.pool = pool_of(3);
		scene.guarded = (struct skua_job)SKUA_JOB(isolate_the_middle, &scene);
		assert_int_equal(skua_submit(scene.pool, &scene.guarded), SKUA_OK);
		assert_int_equal(skua_job_wait(&scene.guarded, SKUA_FOREVER), SKUA_OK);
		pool_end(scene.pool);
		if (!skua_load(&scene.is_over, relaxed))
			continue;
		played++;
		assert_int_equal(skua_load(&scene.nested, relaxed), 0);
	}
}

/* Opened in an isolated task, or below an isolated parent, a group is isolated unasked. */
static int plain_group_inside(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;

	scene->is_isolated = false;
	guarded_by_group(skua_here, scene);
	return 0;
}

static void open_parent(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = argument;
	struct skua_group parent, child;
	struct skua_group_options options = { .size = sizeof(options),
					      .pool = scene->pool,
					      .is_isolated = true };

	(void)skua_here;
	if (skua_group_open(&parent, &options))
		_exit(60);
	options.parent = scene->kind == SCRATCH ? &parent : NULL;
	options.is_isolated = !options.parent;
	if (skua_group_open(&child, &options) || skua_go(&child, plain_group_inside, &scene) ||
	    skua_group_wait(&child, SKUA_FOREVER))
		_exit(61);
}

static void test_isolated_goes_with_groups_inside(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 4; workers *= 2) {
		WATCH(20);
		assert_int_equal(play((struct scene){ .kind = MUTEX }, workers, open_parent), 0);
		assert_int_equal(play((struct scene){ .kind = SCRATCH }, workers, open_parent), 0);
	}
}

/* --- waits of other kinds --- */

static int dawdle(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;

	(void)skua_here;
	skua_add(&scene->leaves, 1, relaxed);
	for (unsigned i = 0; i < 100 && !skua_load(&scene->others, acquire); i++)
		sleep_ns(50000);
	return 0;
}

/* The group is of another pool, whose worker runs it: ours runs nothing meanwhile. */
static void wait_for_other_pool(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = argument;
	struct skua_group group;
	struct skua_group_options options = { .size = sizeof(options),
					      .pool = scene->other,
					      .is_isolated = true };

	(void)skua_here;
	enter(scene);
	submit_unrelated(scene);
	if (skua_group_open(&group, &options) || skua_go(&group, dawdle, &scene) ||
	    skua_group_wait(&group, SKUA_FOREVER))
		_exit(90);
	scene->is_made = true;
	leave(scene);
}

/* Room in an isolated group is waited for isolated, too; there is room when its tasks have run. */
static void wait_for_room(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = argument, **copied = &scene;
	struct skua_group group;
	struct skua_group_options options = { .size = sizeof(options),
					      .pool = scene->pool,
					      .max_inflight = 2,
					      .when_full = SKUA_FULL_WAIT,
					      .is_isolated = true };

	(void)skua_here;
	enter(scene);
	if (skua_group_open(&group, &options) || skua_go(&group, leaf_of_group, copied))
		_exit(91);
	submit_unrelated(scene);
	for (unsigned i = 0; i < 20; i++)
		if (skua_go(&group, leaf_of_group, copied))
			_exit(92);
	if (skua_group_wait(&group, SKUA_FOREVER) || skua_load(&scene->leaves, relaxed) != 21)
		_exit(93);
	scene->is_made = true;
	leave(scene);
}

static void test_isolated_waits_of_other_kinds(void **state)
{
	struct scene scene = { .kind = SCRATCH, .other = pool_of(1) };

	(void)state;
	WATCH(30);
	assert_int_equal(play(scene, 1, wait_for_other_pool), 0);
	assert_int_equal(play(scene, 1, wait_for_room), 0);
	pool_end(scene.other);
}

/* A deadline that has passed: nothing is begun.  One that comes: no more than is running. */
static void wait_too_late(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = argument, **copied = &scene;
	struct skua_group group;
	struct skua_group_options options = { .size = sizeof(options),
					      .pool = scene->pool,
					      .is_isolated = true };

	(void)skua_here;
	if (skua_group_open(&group, &options))
		_exit(94);
	for (unsigned i = 0; i < 10; i++)
		if (skua_go(&group, leaf_of_group, copied))
			_exit(95);
	skua_store(&scene->is_over, skua_group_wait(&group, 1) == SKUA_ETIMEDOUT, relaxed);
	skua_store(&scene->nested, skua_load(&scene->leaves, relaxed), relaxed);
	if (skua_group_wait(&group, SKUA_FOREVER))
		_exit(96);
}

static void test_isolated_wait_keeps_its_deadline(void **state)
{
	WATCH(20);
	struct scene scene = { .pool = pool_of(1) };
	struct skua_job job = SKUA_JOB(wait_too_late, &scene);

	(void)state;
	assert_int_equal(skua_submit(scene.pool, &job), SKUA_OK);
	assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&scene.is_over, relaxed), 1);
	assert_int_equal(skua_load(&scene.nested, relaxed), 0); /* ran before */
	assert_int_equal(skua_load(&scene.leaves, relaxed), 10);
	pool_end(scene.pool);
}

/* Who waits isolated is bound by the group's mask like anybody else. */
static int note_worker(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument;

	(void)skua_here;
	skua_add(skuai_self->number == 1 ? &scene->leaves : &scene->nested, 1, relaxed);
	return 0;
}

static int wait_for_number_one(struct skua_slot *skua_here, void *argument)
{
	struct scene *scene = *(struct scene **)argument, **copied = &scene;
	struct skua_group group;
	struct skua_group_options options = { .size = sizeof(options),
					      .pool = scene->pool,
					      .max_inflight = 8,
					      .is_isolated = true,
					      .workers = 2 };

	(void)skua_here;
	if (skua_group_open(&group, &options))
		return -1;
	for (unsigned i = 0; i < 50; i++)
		if (skua_go(&group, note_worker, copied))
			return -2;
	return skua_group_wait(&group, SKUA_FOREVER);
}

static void test_isolated_waiter_keeps_to_the_mask(void **state)
{
	WATCH(30);
	struct scene scene = { .pool = pool_of(2) }, *copied = &scene;
	struct skua_group group;
	struct skua_group_options options = { .size = sizeof(options),
					      .pool = scene.pool,
					      .workers = 1 };

	(void)state;
	assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
	assert_int_equal(skua_go(&group, wait_for_number_one, &copied), SKUA_OK);
	assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(skua_load(&scene.nested, relaxed), 0);
	assert_int_equal(skua_load(&scene.leaves, relaxed), 50);
	pool_end(scene.pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_isolated_keeps_others_out),
		cmocka_unit_test(test_isolated_is_needed),
		cmocka_unit_test(test_isolated_or_it_hangs),
		cmocka_unit_test(test_isolated_goes_with_stolen_forks),
		cmocka_unit_test(test_isolated_goes_with_groups_inside),
		cmocka_unit_test(test_isolated_waits_of_other_kinds),
		cmocka_unit_test(test_isolated_wait_keeps_its_deadline),
		cmocka_unit_test(test_isolated_waiter_keeps_to_the_mask),
	};
	return cmocka_run_group_tests_name("isolated", tests, NULL, NULL);
}
