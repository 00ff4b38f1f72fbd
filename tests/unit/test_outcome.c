/* SPDX-License-Identifier: MIT */
/* test_outcome.c — how far a job has come: stages, and every kind of waiter hears of it */
#include "unit/test_pool.h"

#include "os/relax.h"
#include "os/thread.h"
#include "os/wait.h"
#include "sched/outcome.h"

#include <sched.h>

#include <stdlib.h>

static void test_outcome_stages(void **state)
{
	struct skua_job job = { 0 };
	struct skuai_park park = { 0 }, other = { 0 };

	WATCH(10);
	(void)state;
	assert_int_equal(skuai_outcome_stage(&job), SKUAI_JOB_NEW);
	assert_true(skuai_outcome_begin(&job));
	assert_false(skuai_outcome_begin(&job)); /* it is queued */
	assert_int_equal(skuai_outcome_stage(&job), SKUAI_JOB_QUEUED);
	assert_int_equal(skuai_outcome_sleep(&job, 0), SKUAI_JOB_QUEUED);
	assert_true(skuai_outcome_register(&job, &park));
	assert_false(skuai_outcome_register(&job, &other)); /* one worker at most */
	skuai_outcome_withdraw(&job, &park);
	assert_true(skuai_outcome_register(&job, &other));
	skuai_outcome_end(&job, SKUAI_JOB_DONE);
	assert_int_equal(skuai_outcome_stage(&job), SKUAI_JOB_DONE);
	assert_true(skuai_park(&other, 0)); /* it was told */
	assert_false(skuai_park(&park, 0)); /* this one no longer waited */
	assert_false(skuai_outcome_register(&job, &park));
	skuai_outcome_withdraw(&job, &park);
	assert_int_equal(skuai_outcome_stage(&job), SKUAI_JOB_DONE);
	assert_int_equal(skuai_outcome_sleep(&job, SKUAI_NO_DEADLINE), SKUAI_JOB_DONE);
	assert_true(skuai_outcome_begin(&job)); /* again */
	assert_true(skuai_outcome_register(&job, &park));
	skuai_outcome_end(&job, SKUAI_JOB_CANCELED);
	assert_int_equal(skuai_outcome_stage(&job), SKUAI_JOB_CANCELED);
	assert_true(skuai_park(&park, 0));
}

/*
 * One finisher, one thread on the word, two workers that register and unregister in turn: whoever
 * is registered when the job ends must be told, and nobody may touch it afterwards.
 */
struct scene {
	struct skua_job *job;
	struct skuai_park parks[2];
	_Atomic uint32_t round, done, lost, names;
	uint32_t rounds;
};

static void await(_Atomic uint32_t *word, uint32_t value)
{
	uint32_t seen;

	while ((seen = skua_load(word, acquire)) < value)
		skuai_wait(word, seen, SKUAI_NO_DEADLINE);
}

static void tell(_Atomic uint32_t *word)
{
	skua_add(word, 1, acq_rel);
	skuai_wake(word, SKUAI_WAKE_ALL);
}

static void wait_as_worker(struct scene *scene, unsigned self, struct skua_job *job)
{
	while (skuai_outcome_stage(job) == SKUAI_JOB_QUEUED) {
		if (!skuai_outcome_register(job, &scene->parks[self]))
			continue;
		/* Mostly a glance, as of one woken for other work; sometimes for good. */
		bool is_short = (skua_clock_ns() >> 4) % 4;
		int64_t limit = is_short ? 0 : skua_clock_ns() + 2 * SECOND * PATIENCE;
		if (!skuai_park(&scene->parks[self], limit) && !is_short)
			skua_add(&scene->lost, 1, relaxed);
		skuai_outcome_withdraw(job, &scene->parks[self]);
	}
}

static void be_worker(void *argument)
{
	struct scene *scene = argument;
	unsigned self = (unsigned)skua_add(&scene->names, 1, relaxed);

	for (uint32_t round = 1; round <= scene->rounds; round++) {
		await(&scene->round, round);
		wait_as_worker(scene, self, scene->job);
		tell(&scene->done);
		await(&scene->done, 2 * round);
	}
}

static void test_outcome_whoever_waits_is_told(void **state)
{
	WATCH(60);
	struct scene scene = { .rounds = (uint32_t)test_rounds(SLOW_BUILD ? 2000 : 10000) };
	struct skuai_thread threads[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(skuai_thread_start(&threads[i], be_worker, &scene, NULL), SKUA_OK);
	for (uint32_t round = 1; round <= scene.rounds; round++) {
		scene.job = calloc(1, sizeof(*scene.job));
		assert_true(skuai_outcome_begin(scene.job));
		tell(&scene.round);
		for (unsigned i = 0; i < round % 256; i++)
			skuai_relax();
		skuai_outcome_end(scene.job, SKUAI_JOB_DONE);
		await(&scene.done, 2 * round);
		free(scene.job);
		assert_int_equal(skua_load(&scene.lost, relaxed), 0);
	}
	for (unsigned i = 0; i < 2; i++)
		skuai_thread_join(&threads[i]);
}

/* The waiter frees the job the moment it sees it done; ASan and TSan watch the finisher. */
struct handed {
	_Atomic(struct skua_job *) job;
	uint32_t rounds;
};

static void wait_and_free(void *argument)
{
	struct handed *handed = argument;

	for (uint32_t i = 0; i < handed->rounds; i++) {
		struct skua_job *job;
		while (!(job = skua_exchange(&handed->job, NULL, acquire)))
			sched_yield();
		skuai_outcome_sleep(job, SKUAI_NO_DEADLINE);
		memset(job, 0xa5, sizeof(*job));
		free(job);
	}
}

static void test_outcome_may_be_freed_when_done(void **state)
{
	WATCH(60);
	struct handed handed = { .rounds = (uint32_t)test_rounds(SLOW_BUILD ? 1000 : 5000) };
	struct skuai_thread thread;

	(void)state;
	assert_int_equal(skuai_thread_start(&thread, wait_and_free, &handed, NULL), SKUA_OK);
	for (uint32_t i = 0; i < handed.rounds; i++) {
		struct skua_job *job = calloc(1, sizeof(*job));
		assert_true(skuai_outcome_begin(job));
		skua_store(&handed.job, job, release);
		if (i % 2)
			sched_yield();
		skuai_outcome_end(job, SKUAI_JOB_DONE);
		while (skua_load(&handed.job, relaxed))
			sched_yield();
	}
	skuai_thread_join(&thread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outcome_stages),
		cmocka_unit_test(test_outcome_whoever_waits_is_told),
		cmocka_unit_test(test_outcome_may_be_freed_when_done),
	};
	return cmocka_run_group_tests_name("outcome", tests, NULL, NULL);
}
