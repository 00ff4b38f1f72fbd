/* SPDX-License-Identifier: MIT */
/* test_pool_faults.c — every call a pool makes to the system fails in turn, once and for ever */
#include "unit/test_pool.h"

#include "base/fault.h"

#include <skua/fork.h>
#include <skua/job.h>

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>

#ifdef SKUA_FAULTS

#define JOBS 200

static void count_run(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	skua_add((_Atomic uint32_t *)argument, 1, relaxed);
}

static void submit_inside(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here, (void)argument;
}

/* Opens, runs, submits, waits, closes.  An error code, or everything right; else a child's end. */
static int whole_program(void)
{
	struct skua_pool_options options = { .size = sizeof(options), .workers = 3 };
	struct skua_pool *pool = NULL;
	struct skua_job jobs[JOBS];
	_Atomic uint32_t runs = 0;
	uint32_t detached = 0;
	int error = skua_pool_open(&pool, &options);

	if (error)
		return pool ? 1 : error;
	if (skua_run(pool, fib, SLOW_BUILD ? 14 : 20) != (SLOW_BUILD ? 377 : 6765))
		return 2;
	for (unsigned i = 0; i < JOBS; i++) {
		jobs[i] = (struct skua_job)SKUA_JOB(i % 7 ? count_run : submit_inside, &runs);
		if (i >= JOBS / 2 && skua_submit(pool, &jobs[i]))
			return 3;
	}
	if (skua_submit_many(pool, jobs, JOBS / 2))
		return 4;
	for (unsigned i = 0; i < 10; i++) {
		error = skua_detach(pool, count_run, &runs);
		if (error && error != SKUA_ENOMEM)
			return 5;
		detached += !error;
	}
	for (unsigned i = 0; i < JOBS; i++)
		if (skua_job_wait(&jobs[i], SKUA_FOREVER))
			return 6;
	if (skua_pool_close(pool, SKUA_CLOSE_DRAIN))
		return 7;
	return skua_load(&runs, relaxed) == JOBS - (JOBS + 6) / 7 + detached ? 0 : 8;
}

/* Threads of this process that are left. */
static unsigned count_threads(void)
{
	DIR *folder = opendir("/proc/self/task");
	unsigned count = 0;

	if (!folder)
		return 1;
	for (struct dirent *entry; (entry = readdir(folder));)
		count += entry->d_name[0] != '.';
	closedir(folder);
	return count;
}

struct sweep {
	uint32_t calls, errors, right;
};

/* One run with the n-th call of a kind failing; false: it made fewer than n. */
static bool run_with_fault(enum skuai_fault_kind kind, uint32_t nth, bool for_ever,
			   struct sweep *sweep)
{
	skuai_fault_disarm();
	skuai_fault_arm(kind, nth, for_ever, SKUAI_FAULT_USUAL);
	/* Without futex nobody sleeps in it, so nobody is to be woken: both are gone, or none. */
	if (kind == SKUAI_FAULT_FUTEX_WAKE && for_ever)
		skuai_fault_arm(SKUAI_FAULT_FUTEX_WAIT, 1, true, ENOSYS);
	int result = whole_program();
	uint32_t calls = skuai_fault_calls(kind);
	skuai_fault_disarm();
	int64_t end = skua_clock_ns() + 5 * SECOND * PATIENCE;
	unsigned threads;
	while ((threads = count_threads()) > 1 + SLOW_BUILD && skua_clock_ns() < end)
		sleep_ns(MILLISECOND); /* a joined thread stays listed for a moment */
	if (result > 0)
		fail_msg("%s call %u failing%s: the program went wrong at %d",
			 skuai_fault_word(kind), nth, for_ever ? " for ever" : "", result);
	if (threads > 1 + SLOW_BUILD)
		fail_msg("%s call %u failing: %u threads are left", skuai_fault_word(kind), nth,
			 threads);
	sweep->errors += result < 0;
	sweep->right += result == 0;
	sweep->calls = calls;
	return calls >= nth;
}

static void sweep_kind(enum skuai_fault_kind kind, uint32_t most)
{
	for (int for_ever = 0; for_ever < 2; for_ever++) {
		struct sweep sweep = { 0 };
		uint32_t nth = 1;
		while (nth <= most && run_with_fault(kind, nth, for_ever, &sweep))
			nth += nth < (SLOW_BUILD ? 12 : 60) ? 1 : nth / 4;
		print_message("%-10s %-8s: %u runs, %u clean errors, %u right results\n",
			      skuai_fault_word(kind), for_ever ? "for ever" : "once",
			      sweep.errors + sweep.right, sweep.errors, sweep.right);
	}
}

/* Kinds whose number of calls is the same each time: every single one. */
static void test_pool_faults_memory_and_threads(void **state)
{
	static const enum skuai_fault_kind kinds[] = { SKUAI_FAULT_MALLOC, SKUAI_FAULT_MMAP,
						       SKUAI_FAULT_MPROTECT, SKUAI_FAULT_THREAD,
						       SKUAI_FAULT_AFFINITY };

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		WATCH(60);
		sweep_kind(kinds[i], 1000);
	}
}

/* Kinds whose number depends on luck: the first ones each, later ones by growing steps. */
static void test_pool_faults_waiting_and_fencing(void **state)
{
	static const enum skuai_fault_kind kinds[] = { SKUAI_FAULT_FUTEX_WAIT,
						       SKUAI_FAULT_FUTEX_WAKE,
						       SKUAI_FAULT_MEMBARRIER };

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		WATCH(60);
		sweep_kind(kinds[i], 100);
	}
}

/* What the machine report reads: without it a pool has one worker or says no. */
static void test_pool_faults_reading_the_machine(void **state)
{
	static const enum skuai_fault_kind kinds[] = { SKUAI_FAULT_OPEN, SKUAI_FAULT_READ,
						       SKUAI_FAULT_STAT };

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		WATCH(60);
		sweep_kind(kinds[i], 30);
	}
}

/* *pool untouched, every thread gone, and the next open works: at each k-th thread. */
static void test_pool_faults_kth_thread(void **state)
{
	(void)state;
	for (uint32_t k = 1; k <= 16; k++) {
		WATCH(20);
		struct skua_pool_options options = { .size = sizeof(options), .workers = 16 };
		struct skua_pool *pool = (struct skua_pool *)(uintptr_t)0x5a5a;
		skuai_fault_disarm();
		skuai_fault_arm(SKUAI_FAULT_THREAD, k, k % 2, SKUAI_FAULT_USUAL);
		assert_int_equal(skua_pool_open(&pool, &options), SKUA_EAGAIN);
		assert_true(pool == (struct skua_pool *)(uintptr_t)0x5a5a);
		skuai_fault_disarm();
		assert_int_equal(skua_pool_open(&pool, &options), SKUA_OK);
		assert_int_equal(skua_run(pool, fib, 12), 144);
		pool_end(pool);
	}
}

/* A job that its worker's deque has no room for is queued elsewhere, and counted. */
static void submit_many_inside(struct skua_slot *skua_here, void *argument);

struct spill {
	struct skua_pool *pool;
	struct skua_job jobs[5000];
	_Atomic uint32_t runs;
	unsigned refused;
};

static void submit_many_inside(struct skua_slot *skua_here, void *argument)
{
	struct spill *spill = argument;

	(void)skua_here;
	for (unsigned i = 0; i < 5000; i++) {
		spill->jobs[i] = (struct skua_job)SKUA_JOB(count_run, &spill->runs);
		spill->refused += skua_submit(spill->pool, &spill->jobs[i]) != SKUA_OK;
	}
}

static void test_pool_faults_deque_cannot_grow(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 3; workers++) {
		WATCH(20);
		struct spill *spill = calloc(1, sizeof(*spill));
		spill->pool = pool_of(workers);
		struct skua_job job = SKUA_JOB(submit_many_inside, spill);
		skuai_fault_disarm();
		skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
		assert_int_equal(skua_submit(spill->pool, &job), SKUA_OK);
		assert_int_equal(skua_job_wait(&job, SKUA_FOREVER), SKUA_OK);
		for (unsigned i = 0; i < 5000; i++)
			assert_int_equal(skua_job_wait(&spill->jobs[i], SKUA_FOREVER), SKUA_OK);
		skuai_fault_disarm();
		struct skua_stats stats = stats_of(spill->pool);
		if (workers == 1)
			assert_true(stats.spills > 0); /* else the deque never was full */
		pool_end(spill->pool);
		assert_int_equal(spill->refused, 0);
		assert_int_equal(skua_load(&spill->runs, relaxed), 5000);
		free(spill);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pool_faults_memory_and_threads),
		cmocka_unit_test(test_pool_faults_waiting_and_fencing),
		cmocka_unit_test(test_pool_faults_reading_the_machine),
		cmocka_unit_test(test_pool_faults_kth_thread),
		cmocka_unit_test(test_pool_faults_deque_cannot_grow),
	};
	return cmocka_run_group_tests_name("pool_faults", tests, NULL, NULL);
}

#else

int main(void)
{
	return 77; /* no fault table in this build */
}

#endif
