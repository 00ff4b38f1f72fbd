/* SPDX-License-Identifier: MIT */
/* test_inject.c — the queue that foreign threads submit to: order, chains, each job once */
#include "unit/test_pool.h"

#include "os/thread.h"
#include "sched/inject.h"

#include <stdlib.h>

static void test_inject_first_in_first_out(void **state)
{
	static struct skuai_inject inject;
	struct skua_job jobs[10], *taken[10];

	WATCH(10);
	(void)state;
	assert_false(skuai_inject_has_any(&inject));
	assert_int_equal(skuai_inject_take(&inject, 0, taken, 10), 0);
	for (unsigned i = 0; i < 5; i++) {
		jobs[i].next = NULL;
		skuai_inject_put(&inject, 3, &jobs[i], &jobs[i]);
	}
	assert_true(skuai_inject_has_any(&inject));
	assert_int_equal(skuai_inject_take(&inject, 3, taken, 2), 2);
	assert_true(taken[0] == &jobs[0] && taken[1] == &jobs[1]);
	for (unsigned i = 5; i < 10; i++) { /* a chain, newest first */
		jobs[i].next = i > 5 ? &jobs[i - 1] : NULL;
	}
	skuai_inject_put(&inject, 3, &jobs[9], &jobs[5]);
	for (unsigned i = 2; i < 10;) { /* from another shard's point of view, in any portions */
		unsigned count = skuai_inject_take(&inject, 6, taken, 2);
		assert_true(count > 0);
		for (unsigned k = 0; k < count; k++, i++)
			assert_true(taken[k] == &jobs[i]);
	}
	assert_false(skuai_inject_has_any(&inject));
}

#define PUTTERS 3

struct field {
	struct skuai_inject inject;
	struct skua_job *jobs;
	_Atomic uint32_t *seen;
	uint32_t each;
	_Atomic uint32_t taken, next, wrong;
};

static void put_jobs(void *argument)
{
	struct field *field = argument;
	uint32_t putter = skua_add(&field->next, 1, relaxed);
	struct skua_job *jobs = field->jobs + (size_t)putter * field->each;

	for (uint32_t i = 0; i < field->each;) {
		uint32_t chain = 1 + i % 5;
		if (chain > field->each - i)
			chain = field->each - i;
		for (uint32_t k = 0; k < chain; k++)
			jobs[i + k].next = k ? &jobs[i + k - 1] : NULL;
		skuai_inject_put(&field->inject, putter, &jobs[i + chain - 1], &jobs[i]);
		i += chain;
	}
}

static void take_jobs(void *argument)
{
	struct field *field = argument;
	struct skua_job *taken[16];

	while (skua_load(&field->taken, relaxed) < PUTTERS * field->each) {
		unsigned count = skuai_inject_take(&field->inject, 0, taken, 16);
		for (unsigned i = 0; i < count; i++)
			if (skua_add(&field->seen[taken[i] - field->jobs], 1, relaxed))
				skua_add(&field->wrong, 1, relaxed);
		skua_add(&field->taken, count, relaxed);
	}
}

static void test_inject_every_job_once(void **state)
{
	WATCH(60);
	struct field *field = aligned_alloc(128, (sizeof(*field) + 127) / 128 * 128);
	struct skuai_thread threads[PUTTERS + 2];

	(void)state;
	memset(field, 0, sizeof(*field));
	field->each = (uint32_t)test_rounds(SLOW_BUILD ? 5000 : 50000);
	field->jobs = calloc(PUTTERS * (size_t)field->each, sizeof(*field->jobs));
	field->seen = calloc(PUTTERS * (size_t)field->each, sizeof(*field->seen));
	for (unsigned i = 0; i < PUTTERS + 2; i++)
		assert_int_equal(skuai_thread_start(&threads[i], i < PUTTERS ? put_jobs : take_jobs,
						    field, NULL),
				 SKUA_OK);
	for (unsigned i = 0; i < PUTTERS + 2; i++)
		skuai_thread_join(&threads[i]);
	assert_int_equal(skua_load(&field->taken, relaxed), PUTTERS * field->each);
	assert_int_equal(skua_load(&field->wrong, relaxed), 0);
	assert_false(skuai_inject_has_any(&field->inject));
	free(field->jobs);
	free(field->seen);
	free(field);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inject_first_in_first_out),
		cmocka_unit_test(test_inject_every_job_once),
	};
	return cmocka_run_group_tests_name("inject", tests, NULL, NULL);
}
