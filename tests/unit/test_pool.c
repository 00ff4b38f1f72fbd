/* SPDX-License-Identifier: MIT */
/* test_pool.c — a pool's life: options good and bad, hooks, names, memory, every way to close */
#include "unit/test_pool.h"

#include "os/cpuset.h"
#include "os/thread.h"

#include <skua/fork.h>
#include <skua/job.h>

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define UNTOUCHED ((struct skua_pool *)(uintptr_t)0x5a5a)

static void *get_memory(void *context, size_t bytes, size_t align);
static void put_memory(void *context, void *memory, size_t bytes);

/* --- open --- */

static void refuse(const char *what, const struct skua_pool_options *options)
{
	struct skua_pool *pool = UNTOUCHED;
	int error = skua_pool_open(&pool, options);

	if (error != SKUA_EINVAL || pool != UNTOUCHED)
		fail_msg("%s: error %d, pool %s", what, error,
			 pool == UNTOUCHED ? "untouched" : "touched");
}

static void test_pool_refuses_bad_options(void **state)
{
	static const struct {
		const char *what;
		struct skua_pool_options options;
	} bad[] = {
#define OPTIONS(...)                                                          \
	{                                                                     \
#__VA_ARGS__,                                                 \
		{                                                             \
			.size = sizeof(struct skua_pool_options), __VA_ARGS__ \
		}                                                             \
	}
		OPTIONS(.workers = -1),
		OPTIONS(.workers = 1025),
		OPTIONS(.workers = 1000000),
		OPTIONS(.workers = INT32_MIN),
		OPTIONS(.workers = INT32_MAX),
		OPTIONS(.spares = -1),
		OPTIONS(.workers = 1000, .spares = 25),
		OPTIONS(.spares = INT32_MAX),
		OPTIONS(.victim = (enum skua_victim)3),
		OPTIONS(.victim = (enum skua_victim) - 1),
		OPTIONS(.amount = (enum skua_amount)2),
		OPTIONS(.amount = (enum skua_amount) - 1),
		OPTIONS(.spin_ns = -2),
		OPTIONS(.spin_ns = INT64_MIN),
		OPTIONS(.stack_bytes = SIZE_MAX),
		OPTIONS(.fork_slots = 1),
		OPTIONS(.fork_slots = 3),
		OPTIONS(.fork_slots = SIZE_MAX),
		OPTIONS(.fork_slots = ((size_t)1 << 31) + 1),
		OPTIONS(.allocator.get = get_memory),
		OPTIONS(.allocator.put = put_memory),
		{ "size 0", { .size = 0 } },
		{ "size too small", { .size = sizeof(struct skua_pool_options) - 1 } },
	};

	WATCH(20);
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refuse(bad[i].what, &bad[i].options);
	assert_int_equal(skua_pool_open(NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_pool_open(NULL, &bad[0].options), SKUA_EINVAL);
}

static void test_pool_every_good_option_works(void **state)
{
	static const struct skua_pool_options good[] = {
		{ .workers = 1 },
		{ .workers = 2, .victim = SKUA_VICTIM_ROUND_ROBIN, .amount = SKUA_AMOUNT_ONE },
		{ .workers = 3, .spin_ns = -1 },
		{ .workers = 3, .spin_ns = 1000000 },
		{ .workers = 2, .spin_ns = INT64_MAX }, /* and yet it can be closed */
		{ .workers = 2, .stack_bytes = 1 },
		{ .workers = 2, .stack_bytes = 1 << 20, .fork_slots = 64 },
		{ .workers = 2, .seed = 1 },
		{ .workers = 2, .is_counting = true },
		{ .workers = 2, .is_pinned = true },
		{ .workers = 5, .is_pinned = true, .victim = SKUA_VICTIM_NEAREST },
		{ .workers = 3, .victim = SKUA_VICTIM_NEAREST },
		{ .workers = 2, .spares = 3 },
		{ .workers = 1, .spares = 1, .is_pinned = true, .victim = SKUA_VICTIM_NEAREST },
		{ .workers = 256 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		WATCH(20);
		struct skua_pool_options options = good[i];
		struct skua_pool *pool = NULL;
		options.size = sizeof(options);
		assert_int_equal(skua_pool_open(&pool, &options), SKUA_OK);
		assert_int_equal(skua_pool_workers(pool), options.workers);
		assert_int_equal(skua_run(pool, fib, 15), 610);
		assert_int_equal(skua_pool_self(pool), -1);
		pool_end(pool);
	}
	struct skua_pool *pool = NULL;
	struct skua_machine machine = { .size = sizeof(machine) };
	assert_int_equal(skua_pool_open(&pool, NULL), SKUA_OK);
	assert_int_equal(skua_machine_read(&machine, NULL), SKUA_OK);
	assert_int_equal(skua_pool_workers(pool), machine.workers);
	pool_end(pool);
}

/* Isolated, it begins nothing else while its child is with the other: it only looks. */
static void part_slowly(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
	spin_for(MILLISECOND);
}

static void part_a_pair(struct skua_slot *skua_here, void *argument)
{
	skua_join_pair(skua_here, part_slowly, argument, part_slowly, argument);
}

static void part_in_pairs(struct skua_slot *skua_here, void *argument)
{
	for (unsigned i = 0; i < 20; i++)
		skua_isolate(skua_here, part_a_pair, argument);
}

static void test_pool_longest_search_is_no_overflow(void **state)
{
	struct skua_pool_options options = { .size = sizeof(options),
					     .workers = 2,
					     .spin_ns = INT64_MAX };
	struct skua_pool *pool = NULL;
	struct skua_job job = SKUA_JOB(part_in_pairs, NULL);

	(void)state;
	WATCH(20);
	assert_int_equal(skua_pool_open(&pool, &options), SKUA_OK);
	assert_int_equal(skua_submit(pool, &job), SKUA_OK);
	assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	pool_end(pool);
}

/* --- what options promise --- */

struct watched {
	_Atomic uint32_t starts[8], stops[8], wrong, gets, puts;
	pthread_t threads[8];
	void *memory;
	size_t bytes;
	struct skua_pool *pool;
};

static void *get_memory(void *context, size_t bytes, size_t align)
{
	struct watched *watched = context;

	skua_add(&watched->gets, 1, relaxed);
	watched->bytes = bytes;
	watched->memory = aligned_alloc(align, (bytes + align - 1) / align * align);
	return memset(watched->memory, 0xa5, bytes);
}

static void put_memory(void *context, void *memory, size_t bytes)
{
	struct watched *watched = context;

	skua_add(&watched->puts, 1, relaxed);
	if (memory != watched->memory || bytes != watched->bytes)
		skua_add(&watched->wrong, 1, relaxed);
	free(memory);
}

static void *get_nothing(void *context, size_t bytes, size_t align)
{
	(void)context, (void)bytes, (void)align;
	return NULL;
}

static void test_pool_uses_the_allocator_it_is_given(void **state)
{
	WATCH(20);
	struct watched watched = { 0 };
	struct skua_pool_options options = { .size = sizeof(options),
					     .workers = 3,
					     .allocator = { get_memory, put_memory, &watched } };
	struct skua_pool *pool = UNTOUCHED;

	(void)state;
	assert_int_equal(skua_pool_open(&pool, &options), SKUA_OK);
	assert_true((void *)pool == watched.memory);
	assert_int_equal(skua_run(pool, fib, 15), 610);
	pool_end(pool);
	assert_int_equal(skua_load(&watched.gets, relaxed), 1);
	assert_int_equal(skua_load(&watched.puts, relaxed), 1);
	assert_int_equal(skua_load(&watched.wrong, relaxed), 0);
	options.allocator.get = get_nothing;
	pool = UNTOUCHED;
	assert_int_equal(skua_pool_open(&pool, &options), SKUA_ENOMEM);
	assert_true(pool == UNTOUCHED);
	assert_int_equal(skua_load(&watched.puts, relaxed), 1);
}

static void note_start(void *context, unsigned worker)
{
	struct watched *watched = context;
	char name[16] = "", expected[16];

	snprintf(expected, sizeof(expected), "abcdefghij-%u", worker);
	pthread_getname_np(pthread_self(), name, sizeof(name));
	if (worker >= 4 || strcmp(name, expected) != 0)
		skua_add(&watched->wrong, 1, relaxed);
	watched->threads[worker] = pthread_self();
	skua_add(&watched->starts[worker], 1, release);
}

static void note_stop(void *context, unsigned worker)
{
	struct watched *watched = context;

	if (skua_load(&watched->starts[worker], acquire) != 1 ||
	    !pthread_equal(watched->threads[worker], pthread_self()))
		skua_add(&watched->wrong, 1, relaxed);
	skua_add(&watched->stops[worker], 1, release);
}

static void test_pool_calls_hooks_once_on_each_named_thread(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		WATCH(20);
		struct watched watched = { 0 };
		struct skua_pool_options options = { .size = sizeof(options),
						     .workers = 4,
						     .name = "abcdefghijklmnop",
						     .hooks = { note_start, note_stop, &watched } };
		struct skua_pool *pool = NULL;
		assert_int_equal(skua_pool_open(&pool, &options), SKUA_OK);
		if (round % 2)
			assert_int_equal(skua_run(pool, fib, 12), 144);
		pool_end(pool);
		for (unsigned i = 0; i < 4; i++) {
			assert_int_equal(skua_load(&watched.starts[i], relaxed), 1);
			assert_int_equal(skua_load(&watched.stops[i], relaxed), 1);
		}
		assert_int_equal(skua_load(&watched.wrong, relaxed), 0);
	}
}

static void note_cpus(void *context, unsigned worker)
{
	struct watched *watched = context;
	cpu_set_t set;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set) || CPU_COUNT(&set) != 1)
		skua_add(&watched->wrong, 1, relaxed);
	skua_add(&watched->starts[worker], 1, release);
}

static void test_pool_pins_its_workers(void **state)
{
	WATCH(20);
	struct watched watched = { 0 };
	struct skua_pool_options options = { .size = sizeof(options),
					     .workers = 3,
					     .is_pinned = true,
					     .hooks = { .start = note_cpus, .context = &watched } };
	struct skua_pool *pool = NULL;

	(void)state;
	assert_int_equal(skua_pool_open(&pool, &options), SKUA_OK);
	for (unsigned i = 0; i < 3; i++)
		assert_true(reaches(&watched.starts[i], 1));
	pool_end(pool);
	assert_int_equal(skua_load(&watched.wrong, relaxed), 0);
}

static void test_pool_counts_forks_when_asked(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 3; workers++) {
		WATCH(20);
		struct skua_pool_options options = { .size = sizeof(options),
						     .workers = workers,
						     .is_counting = true };
		struct skua_pool *pool = NULL;
		assert_int_equal(skua_pool_open(&pool, &options), SKUA_OK);
		assert_int_equal(skua_run(pool, fib, 15), 610);
		struct skua_stats stats = stats_of(pool);
		assert_int_equal(stats.forks, 986); /* calls of fib(15) with n >= 2 */
		pool_end(pool);
	}
}

static void test_pool_stats_refuses_bad_arguments(void **state)
{
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	struct skua_stats stats = { .size = sizeof(stats) }, before = { .size = 1 };

	(void)state;
	assert_int_equal(skua_pool_stats(pool, -1, NULL), SKUA_EINVAL);
	assert_int_equal(skua_pool_stats(pool, -2, &stats), SKUA_EINVAL);
	assert_int_equal(skua_pool_stats(pool, 2, &stats), SKUA_EINVAL);
	assert_int_equal(skua_pool_stats(pool, 0, &before), SKUA_EINVAL);
	assert_int_equal(skua_pool_stats(pool, 1, &stats), SKUA_OK);
	for (unsigned i = 0; i < 10; i++)
		skua_run(pool, fib, 10);
	uint64_t each = 0;
	for (int worker = 0; worker < 2; worker++) {
		assert_int_equal(skua_pool_stats(pool, worker, &stats), SKUA_OK);
		each += stats.tasks;
	}
	assert_int_equal(stats_of(pool).tasks, each);
	assert_true(each >= 10);
	pool_end(pool);
}

/* --- close --- */

struct late {
	struct skua_pool *pool;
	_Atomic uint32_t entered, is_open, runs;
	int error;
	int self;
};

static void hold(struct skua_slot *skua_here, void *argument)
{
	struct late *late = argument;

	(void)skua_here;
	skua_add(&late->entered, 1, release);
	reaches(&late->is_open, 1);
	skua_add(&late->runs, 1, relaxed);
}

static void close_inside(struct skua_slot *skua_here, void *argument)
{
	struct late *late = argument;

	(void)skua_here;
	late->error = skua_pool_close(late->pool, SKUA_CLOSE_CANCEL);
	late->self = skua_pool_self(late->pool);
}

static void test_pool_close_by_its_own_task_is_refused(void **state)
{
	WATCH(20);
	struct late late = { .pool = pool_of(2) }, other = { .pool = late.pool };
	struct skua_job job = SKUA_JOB(close_inside, &late);

	(void)state;
	assert_int_equal(skua_submit(late.pool, &job), SKUA_OK);
	assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	assert_int_equal(late.error, SKUA_EBUSY);
	assert_in_range(late.self, 0, 1);
	assert_int_equal(skua_run(late.pool, fib, 15), 610); /* the pool goes on */
	late.error = SKUA_OK;
	skua_run_pair(late.pool, close_inside, &late, close_inside, &other);
	assert_int_equal(late.error, SKUA_EBUSY);
	assert_int_equal(other.error, SKUA_EBUSY);
	assert_int_equal(skua_submit(late.pool, &job), SKUA_OK);
	assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
	pool_end(late.pool);
}

static void test_pool_close_gives_up_at_its_deadline(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 2; workers++) {
		WATCH(20);
		struct late late = { .pool = pool_of(workers) };
		struct skua_job job = SKUA_JOB(hold, &late), more = SKUA_JOB(hold, &late);
		int64_t began = skua_clock_ns();
		assert_int_equal(skua_submit(late.pool, &job), SKUA_OK);
		assert_true(reaches(&late.entered, 1));
		assert_int_equal(skua_pool_close_until(late.pool, SKUA_CLOSE_DRAIN,
						       began + 20 * MILLISECOND),
				 SKUA_ETIMEDOUT);
		assert_true(skua_clock_ns() >= began + 20 * MILLISECOND);
		assert_int_equal(skua_pool_close_until(late.pool, SKUA_CLOSE_CANCEL, 0),
				 SKUA_ETIMEDOUT);
		assert_int_equal(skua_submit(late.pool, &more), SKUA_ECLOSED);
		skua_store(&late.is_open, 1, release);
		assert_int_equal(skua_pool_close_until(late.pool, SKUA_CLOSE_DRAIN, SKUA_FOREVER),
				 SKUA_OK);
		assert_int_equal(skua_load(&late.runs, relaxed), 1);
		assert_int_equal(skua_job_wait(&job, 0), SKUA_OK);
	}
}

/* What a job submits while the pool drains is drained, too, on whichever worker. */
static void submit_three(struct skua_slot *skua_here, void *argument);

struct tree {
	struct late *late;
	struct skua_job job;
	int depth;
};

static void end_tree(struct skua_job *job, int error)
{
	struct tree *tree = job->argument;

	skua_add(error ? &tree->late->entered : &tree->late->runs, 1, relaxed);
	free(tree);
}

static void plant(struct late *late, int depth)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	*tree = (struct tree){ .late = late, .depth = depth };
	tree->job = (struct skua_job)SKUA_JOB(submit_three, tree);
	tree->job.finish = end_tree;
	if (skua_submit(late->pool, &tree->job)) {
		skua_add(&late->is_open, 1, relaxed);
		free(tree);
	}
}

static void submit_three(struct skua_slot *skua_here, void *argument)
{
	struct tree *tree = argument;

	(void)skua_here;
	for (int i = 0; i < 3 && tree->depth > 0; i++)
		plant(tree->late, tree->depth - 1);
}

static void test_pool_close_drains_what_jobs_submit(void **state)
{
	(void)state;
	for (unsigned round = 0; round < (SLOW_BUILD ? 30 : 200); round++) {
		WATCH(20);
		struct late late = { .pool = pool_of(1 + (int)round % 3) };
		plant(&late, 5);
		pool_end(late.pool);
		assert_int_equal(skua_load(&late.is_open, relaxed), 0); /* none was refused */
		assert_int_equal(skua_load(&late.entered, relaxed), 0); /* nor cancelled */
		assert_int_equal(skua_load(&late.runs, relaxed), 1 + 3 + 9 + 27 + 81 + 243);
	}
}

static void test_pool_thousand_lives(void **state)
{
	WATCH(100);
	(void)state;
	for (uint64_t round = 0; round < test_rounds(SLOW_BUILD ? 100 : 1000); round++) {
		struct skua_pool *pool = pool_of(1 + (int)(round % 4));
		if (round % 3 == 0)
			assert_int_equal(skua_run(pool, fib, 8), 21);
		if (round % 3 == 1) {
			struct late late = { .pool = pool };
			skua_store(&late.is_open, 1, relaxed);
			struct skua_job job = SKUA_JOB(hold, &late);
			assert_int_equal(skua_submit(pool, &job), SKUA_OK);
			assert_int_equal(skua_pool_close(pool, round % 2 ? SKUA_CLOSE_DRAIN
									 : SKUA_CLOSE_CANCEL),
					 SKUA_OK);
			assert_true(skua_job_is_done(&job));
			continue;
		}
		pool_end(pool);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pool_refuses_bad_options),
		cmocka_unit_test(test_pool_every_good_option_works),
		cmocka_unit_test(test_pool_longest_search_is_no_overflow),
		cmocka_unit_test(test_pool_uses_the_allocator_it_is_given),
		cmocka_unit_test(test_pool_calls_hooks_once_on_each_named_thread),
		cmocka_unit_test(test_pool_pins_its_workers),
		cmocka_unit_test(test_pool_counts_forks_when_asked),
		cmocka_unit_test(test_pool_stats_refuses_bad_arguments),
		cmocka_unit_test(test_pool_close_by_its_own_task_is_refused),
		cmocka_unit_test(test_pool_close_gives_up_at_its_deadline),
		cmocka_unit_test(test_pool_close_drains_what_jobs_submit),
		cmocka_unit_test(test_pool_thousand_lives),
	};
	return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
