/* SPDX-License-Identifier: MIT */
/* stress_job_exact.c — a million jobs from many threads and from jobs: each runs and ends once */
#include "unit/test_pool.h"

#include "os/thread.h"

#include <skua/job.h>

#include <stdlib.h>

#define THREADS 3
#define BATCH	100

struct numbered {
	struct skua_job job;
	uint64_t id;
	_Atomic uint32_t runs, ends;
	struct numbered *more; /* submitted by this one's run: from a worker */
	struct field *field;
};

struct field {
	struct skua_pool *pool;
	struct numbered *jobs; /* THREADS * each, and as many more */
	uint64_t each;
	_Atomic uint32_t next, failed;
	_Atomic uint32_t ended;
};

static void run_numbered(struct skua_slot *skua_here, void *argument)
{
	struct numbered *numbered = argument;

	(void)skua_here;
	skua_add(&numbered->runs, 1, relaxed);
	if (numbered->more && skua_submit(numbered->field->pool, &numbered->more->job))
		skua_add(&numbered->field->failed, 1, relaxed);
}

static void end_numbered(struct skua_job *job, int error)
{
	struct numbered *numbered = job->argument;

	skua_add(error ? &numbered->field->failed : &numbered->ends, 1, relaxed);
	skua_add(&numbered->field->ended, 1, release);
}

/* One by one, waiting for every 16th; jobs with finish are not waited for. */
static void submit_share(void *argument)
{
	struct field *field = argument;
	uint64_t from = skua_add(&field->next, 1, relaxed) * field->each;

	for (uint64_t i = from; i < from + field->each; i++) {
		struct numbered *numbered = &field->jobs[i];
		bool is_waited = i % 16 == 0;
		if (is_waited)
			numbered->job.finish = NULL;
		int error = skua_submit(field->pool, &numbered->job);
		if (!error && is_waited) {
			error = skua_job_wait(&numbered->job, SKUA_FOREVER);
			skua_add(&numbered->ends, 1, relaxed);
			skua_add(&field->ended, 1, release);
		}
		if (error)
			skua_add(&field->failed, 1, relaxed);
	}
}

static void check_all(struct field *field, uint64_t count)
{
	assert_int_equal(skua_load(&field->failed, relaxed), 0);
	for (uint64_t i = 0; i < count; i++) {
		uint32_t runs = skua_load(&field->jobs[i].runs, relaxed);
		uint32_t ends = skua_load(&field->jobs[i].ends, relaxed);
		if (runs != 1 || ends != 1)
			fail_msg("job %llu ran %u times and ended %u times", (unsigned long long)i,
				 runs, ends);
	}
}

static void submit_from_threads(int workers, uint64_t each)
{
	WATCH(60);
	struct field field = { .pool = pool_of(workers), .each = each };
	uint64_t count = 2 * THREADS * each;
	struct skuai_thread threads[THREADS];

	field.jobs = calloc(count, sizeof(*field.jobs));
	assert_non_null(field.jobs);
	for (uint64_t i = 0; i < count; i++) {
		struct numbered *numbered = &field.jobs[i];
		numbered->job = (struct skua_job)SKUA_JOB(run_numbered, numbered);
		numbered->job.finish = end_numbered;
		numbered->id = i;
		numbered->field = &field;
		if (i < count / 2)
			numbered->more = &field.jobs[count / 2 + i];
	}
	int64_t began = skua_clock_ns();
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(skuai_thread_start(&threads[i], submit_share, &field, NULL),
				 SKUA_OK);
	for (unsigned i = 0; i < THREADS; i++)
		skuai_thread_join(&threads[i]);
	while (skua_load(&field.ended, acquire) < count)
		sleep_ns(MILLISECOND);
	int64_t took = skua_clock_ns() - began;
	struct skua_stats stats = stats_of(field.pool);
	pool_end(field.pool);
	check_all(&field, count);
	assert_int_equal(stats.jobs, count);
	print_message("%d workers: %llu jobs, %lld ns each, %llu stolen, %llu parks\n", workers,
		      (unsigned long long)count, (long long)(took / (int64_t)count),
		      (unsigned long long)stats.stolen_jobs, (unsigned long long)stats.parks);
	free(field.jobs);
}

static void stress_job_exact_every_job_once(void **state)
{
	static const int workers[] = { 1, 2, 3, 8 };

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		for (uint64_t repeat = 0; repeat < test_rounds(1); repeat++)
			submit_from_threads(workers[i], SLOW_BUILD ? 2000 : 42000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stress_job_exact_every_job_once),
	};
	return cmocka_run_group_tests_name("job_exact", tests, NULL, NULL);
}
