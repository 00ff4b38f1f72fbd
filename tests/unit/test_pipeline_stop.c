/* SPDX-License-Identifier: MIT */
/* test_pipeline_stop.c — pipelines that stop: errors, cancellation, deadlines, refusals, faults */
#include "test_pipeline.h"

#include "base/fault.h"

#include <pthread.h>

static const int worker_counts[] = { 1, 2, 3, 8 };
#define WORKER_COUNTS (sizeof(worker_counts) / sizeof(worker_counts[0]))

/* order, parallel, one, order */
#define USUAL_KINDS  (0 + 2 * 3 + 1 * 9 + 0 * 27)
#define USUAL_STAGES 4

/* It fails so, and no token is lost: each came out, was skipped or was dropped. */
static struct skua_pipeline_reach expect_failure(struct skua_pool *pool,
						 struct skua_pipeline *pipeline, struct line *line,
						 const struct skua_pipeline_run_options *wish,
						 int error)
{
	struct skua_pipeline_reach reach = { .made = 12345 };
	struct skua_pipeline_run_options options = { .size = sizeof(options) };

	if (wish)
		options = *wish;
	options.reach = &reach;
	assert_int_equal(skua_pipeline_run(pool, pipeline, &options), error);
	assert_int_equal(skua_load(&line->wrong, relaxed), 0);
	assert_int_equal(skua_load(&line->alive, relaxed), 0);
	assert_int_equal(reach.made, line->made);
	assert_int_equal(reach.done, skua_load(&line->out, relaxed));
	assert_int_equal(reach.dropped, skua_load(&line->dropped, relaxed));
	assert_int_equal(reach.made, reach.done + reach.skipped + reach.dropped);
	return reach;
}

/* --- errors --- */

static void test_pipeline_error_in_each_stage(void **state)
{
	static const uint64_t numbers[] = { 0, 1, 50, 99 };

	(void)state;
	WATCH(30);
	for (size_t w = 0; w < WORKER_COUNTS; w++) {
		struct skua_pool *pool = pool_of(worker_counts[w]);
		struct line line;
		struct skua_pipeline *pipeline = line_open(&line, USUAL_STAGES, USUAL_KINDS, 0);
		line.cost = 100;
		line.has_memory = true;
		line.fail_code = -1234;
		for (unsigned stage = 0; stage < USUAL_STAGES; stage++)
			for (unsigned i = 0; i < 4; i++) {
				line_again(&line, test_random(), 100);
				line.fail_at = stage;
				line.fail_on = numbers[i];
				struct skua_pipeline_reach reach = expect_failure(
					pool, pipeline, &line, NULL, -1234);
				if (stage == 0)
					assert_int_equal(reach.made, numbers[i]);
				if (stage == 3) /* in order: those before it, and no other */
					assert_int_equal(reach.done, numbers[i]);
				assert_true(stage == 0 || reach.dropped >= 1);
				/* and it can be run again */
				line_again(&line, test_random(), 30);
				line.fail_at = UINT32_MAX;
				expect_failure(pool, pipeline, &line, NULL, SKUA_OK);
				assert_int_equal(skua_load(&line.sum, relaxed), line_sum(&line));
			}
		assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
		pool_end(pool);
	}
}

/* What was skipped is not dropped, though its shell still waits for its turn: behind token 0. */
static int shell_make(struct skua_slot *skua_here, void *token, void *argument)
{
	unsigned *made = argument;

	(void)skua_here;
	*(unsigned *)token = (*made)++;
	return SKUA_OK;
}

static int shell_skip(struct skua_slot *skua_here, void *token, void *argument)
{
	_Atomic uint32_t *skipped = argument;

	(void)skua_here;
	if (*(unsigned *)token > 0) {
		skua_add(skipped, 1, relaxed);
		return SKUA_STAGE_SKIP;
	}
	bool is_there = reaches(skipped, 1);
	sleep_ns(MILLISECOND); /* until it waits; if it does not yet, this run shows nothing */
	return is_there ? SKUA_OK : SKUA_ETIMEDOUT;
}

static int shell_fail(struct skua_slot *skua_here, void *token, void *argument)
{
	(void)skua_here;
	(void)argument;
	return *(unsigned *)token == 0 ? -1234 : SKUA_OK;
}

static void count_drop(void *token, void *context)
{
	(void)token;
	++*(unsigned *)context;
}

static void test_pipeline_error_before_shells(void **state)
{
	(void)state;
	WATCH(30);
	struct skua_pool *pool = pool_of(3);
	for (int round = 0; round < 10; round++) {
		unsigned made = 0, dropped = 0;
		_Atomic uint32_t skipped = 0;
		const struct skua_stage stages[] = {
			{ SKUA_STAGE_ONE, shell_make, &made },
			{ SKUA_STAGE_PARALLEL, shell_skip, &skipped },
			{ SKUA_STAGE_IN_ORDER, shell_fail, NULL },
		};
		struct skua_pipeline_options options = { .size = sizeof(options),
							 .bytes = sizeof(unsigned),
							 .tokens = 2,
							 .drop = count_drop,
							 .context = &dropped };
		struct skua_pipeline_reach reach;
		struct skua_pipeline_run_options run = { .size = sizeof(run), .reach = &reach };
		struct skua_pipeline *pipeline;
		assert_int_equal(skua_pipeline_open(&pipeline, stages, 3, &options), SKUA_OK);
		assert_int_equal(skua_pipeline_run(pool, pipeline, &run), -1234);
		assert_int_equal(reach.made, 2);
		assert_int_equal(reach.skipped, 1);
		assert_int_equal(reach.dropped, 1);
		assert_int_equal(dropped, 1);
		assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
	}
	pool_end(pool);
}

/* Any value that means nothing special is an error, as it is; one that does, in another place, is
 * SKUA_EINVAL. */
static void test_pipeline_odd_results(void **state)
{
	struct line line;

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	struct skua_pipeline *pipeline = line_open(&line, USUAL_STAGES, USUAL_KINDS, 0);
	const struct {
		unsigned stage;
		int code, error;
	} cases[] = { { 0, SKUA_STAGE_SKIP, SKUA_EINVAL },
		      { 2, SKUA_STAGE_END, SKUA_EINVAL },
		      { 0, 77, 77 },
		      { 3, 77, 77 } };
	for (unsigned i = 0; i < 4; i++) {
		line_again(&line, test_random(), 100);
		line.fail_at = cases[i].stage;
		line.fail_code = cases[i].code;
		line.fail_on = 20;
		expect_failure(pool, pipeline, &line, NULL, cases[i].error);
	}
	assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
	pool_end(pool);
}

/* Without drop nothing is called, and the numbers are right all the same. */
static int make_seven(struct skua_slot *skua_here, void *token, void *argument)
{
	unsigned *made = argument;

	(void)skua_here;
	(void)token;
	return (*made)++ < 7 ? SKUA_OK : SKUA_STAGE_END;
}

static int fail_at_once(struct skua_slot *skua_here, void *token, void *argument)
{
	(void)skua_here;
	(void)token;
	(void)argument;
	return -2000;
}

static void test_pipeline_without_options(void **state)
{
	unsigned made = 0;
	struct skua_stage stages[] = { { SKUA_STAGE_ONE, make_seven, &made },
				       { SKUA_STAGE_ONE, fail_at_once, NULL } };
	struct skua_pipeline *pipeline;
	struct skua_pipeline_reach reach;
	struct skua_pipeline_run_options options = { .size = sizeof(options), .reach = &reach };

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	assert_int_equal(skua_pipeline_open(&pipeline, stages, 1, NULL), SKUA_OK);
	assert_int_equal(skua_pipeline_run(pool, pipeline, &options), SKUA_OK);
	assert_int_equal(reach.done, 7);
	assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
	made = 0;
	assert_int_equal(skua_pipeline_open(&pipeline, stages, 2, NULL), SKUA_OK);
	assert_int_equal(skua_pipeline_run(pool, pipeline, &options), -2000);
	assert_int_equal(reach.done, 0);
	assert_int_equal(reach.dropped, reach.made);
	assert_true(reach.made > 0);
	assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
	pool_end(pool);
}

/* --- from outside --- */

static void test_pipeline_cancelled(void **state)
{
	(void)state;
	WATCH(30);
	for (size_t w = 0; w < WORKER_COUNTS; w++) {
		struct skua_pool *pool = pool_of(worker_counts[w]);
		struct skua_group_options of_group = { .size = sizeof(of_group), .pool = pool };
		struct skua_group group;
		struct line line;
		struct skua_pipeline *pipeline = line_open(&line, USUAL_STAGES, USUAL_KINDS, 0);
		struct skua_pipeline_run_options options = { .size = sizeof(options),
							     .group = &group };
		line.has_memory = true;
		line_again(&line, test_random(), UINT64_MAX);
		line.cancelled = &group;
		line.fail_on = 70;
		assert_int_equal(skua_group_open(&group, &of_group), SKUA_OK);
		struct skua_pipeline_reach reach = expect_failure(pool, pipeline, &line, &options,
								  SKUA_ECANCELED);
		assert_true(reach.made >= 71);
		/* It is cancelled still: nothing begins. */
		line_again(&line, test_random(), 10);
		reach = expect_failure(pool, pipeline, &line, &options, SKUA_ECANCELED);
		assert_int_equal(reach.made, 0);
		assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_ECANCELED);
		assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
		pool_end(pool);
	}
}

static void test_pipeline_deadline(void **state)
{
	(void)state;
	WATCH(30);
	for (size_t w = 0; w < WORKER_COUNTS; w++) {
		struct skua_pool *pool = pool_of(worker_counts[w]);
		struct line line;
		struct skua_pipeline *pipeline = line_open(&line, USUAL_STAGES, USUAL_KINDS, 0);
		struct skua_pipeline_run_options options = { .size = sizeof(options) };
		line_again(&line, test_random(), UINT64_MAX);
		line.has_memory = true;
		options.deadline = skua_clock_ns() + 5 * MILLISECOND;
		expect_failure(pool, pipeline, &line, &options, SKUA_ETIMEDOUT);
		assert_true(skua_clock_ns() >= options.deadline);
		line_again(&line, test_random(), 10);
		struct skua_pipeline_reach reach = expect_failure(pool, pipeline, &line, &options,
								  SKUA_ETIMEDOUT);
		assert_int_equal(reach.made, 0);
		options.deadline = skua_clock_ns() + 1000 * SECOND;
		expect_failure(pool, pipeline, &line, &options, SKUA_OK);
		assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
		pool_end(pool);
	}
}

/* A pool that is closed and told to cancel ends a pipeline that would never end. */
struct endless {
	struct skua_pool *pool;
	struct skua_pipeline *pipeline;
	struct skua_pipeline_reach reach;
	int error;
};

static void *run_endless(void *argument)
{
	struct endless *endless = argument;
	struct skua_pipeline_run_options options = { .size = sizeof(options),
						     .reach = &endless->reach };

	endless->error = skua_pipeline_run(endless->pool, endless->pipeline, &options);
	return NULL;
}

static void test_pipeline_of_pool_that_closes(void **state)
{
	(void)state;
	WATCH(30);
	for (int workers = 1; workers <= 3; workers++) {
		struct line line;
		struct endless endless = { .pool = pool_of(workers) };
		pthread_t thread;
		endless.pipeline = line_open(&line, USUAL_STAGES, USUAL_KINDS, 0);
		line_again(&line, test_random(), UINT64_MAX);
		line.has_memory = true;
		assert_int_equal(pthread_create(&thread, NULL, run_endless, &endless), 0);
		assert_true(reaches(&line.most_alive, 1));
		assert_int_equal(skua_pool_close(endless.pool, SKUA_CLOSE_CANCEL), SKUA_OK);
		pthread_join(thread, NULL);
		assert_int_equal(endless.error, SKUA_ECANCELED);
		assert_int_equal(skua_load(&line.alive, relaxed), 0);
		assert_int_equal(endless.reach.dropped, skua_load(&line.dropped, relaxed));
		assert_int_equal(skua_pipeline_close(endless.pipeline), SKUA_OK);
	}
}

/* --- refusals --- */

static void test_pipeline_refuses_to_open(void **state)
{
	struct skua_stage good = { SKUA_STAGE_ONE, fail_at_once, NULL }, bad[2] = { good, good };
	struct skua_pipeline_options options = { .size = sizeof(options) }, wrong;
	struct skua_pipeline *mark = (struct skua_pipeline *)&good, *pipeline = mark;

	(void)state;
	assert_int_equal(skua_pipeline_open(NULL, bad, 2, NULL), SKUA_EINVAL);
	assert_int_equal(skua_pipeline_open(&pipeline, NULL, 2, NULL), SKUA_EINVAL);
	assert_int_equal(skua_pipeline_open(&pipeline, bad, 0, NULL), SKUA_EINVAL);
	assert_int_equal(skua_pipeline_open(&pipeline, bad, 65537, NULL), SKUA_EINVAL);
	bad[0].kind = SKUA_STAGE_PARALLEL;
	assert_int_equal(skua_pipeline_open(&pipeline, bad, 2, NULL), SKUA_EINVAL);
	bad[0] = good;
	bad[1].kind = (enum skua_stage_kind)3;
	assert_int_equal(skua_pipeline_open(&pipeline, bad, 2, NULL), SKUA_EINVAL);
	bad[1] = good;
	bad[1].run = NULL;
	assert_int_equal(skua_pipeline_open(&pipeline, bad, 2, NULL), SKUA_EINVAL);
	wrong = options;
	wrong.size--;
	assert_int_equal(skua_pipeline_open(&pipeline, &good, 1, &wrong), SKUA_EINVAL);
	wrong = options;
	wrong.align = 24;
	assert_int_equal(skua_pipeline_open(&pipeline, &good, 1, &wrong), SKUA_EINVAL);
	wrong.align = 8192;
	assert_int_equal(skua_pipeline_open(&pipeline, &good, 1, &wrong), SKUA_EINVAL);
	wrong = options;
	wrong.bytes = SIZE_MAX;
	assert_int_equal(skua_pipeline_open(&pipeline, &good, 1, &wrong), SKUA_EINVAL);
	wrong = options;
	wrong.tokens = UINT32_MAX;
	assert_int_equal(skua_pipeline_open(&pipeline, &good, 1, &wrong), SKUA_EINVAL);
	assert_ptr_equal(pipeline, mark);
	assert_int_equal(skua_pipeline_close(NULL), SKUA_OK);
}

static void test_pipeline_refuses_to_run(void **state)
{
	struct line line;
	struct skua_pipeline_run_options options = { .size = sizeof(options) }, wrong = options;

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	struct skua_pipeline *pipeline = line_open(&line, 1, 0, 0);
	line_again(&line, 1, 5);
	assert_int_equal(skua_pipeline_run(pool, NULL, NULL), SKUA_EINVAL);
	wrong.size++;
	assert_int_equal(skua_pipeline_run(pool, pipeline, &wrong), SKUA_EINVAL);
	wrong = options;
	wrong.deadline = -1;
	assert_int_equal(skua_pipeline_run(pool, pipeline, &wrong), SKUA_EINVAL);
	wrong = options;
	wrong.priority = (enum skua_priority)3;
	assert_int_equal(skua_pipeline_run(pool, pipeline, &wrong), SKUA_EINVAL);
	assert_int_equal(line.made, 0);
	assert_int_equal(skua_pipeline_run(pool, pipeline, &options), SKUA_OK);
	assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
	pool_end(pool);
}

/* One that runs neither runs again meanwhile nor closes. */
struct inward {
	struct skua_pipeline *pipeline;
	int run, close;
};

static int inward_stage(struct skua_slot *skua_here, void *token, void *argument)
{
	struct inward *inward = argument;

	(void)token;
	inward->run = skua_pipeline_run(skua_here, inward->pipeline, NULL);
	inward->close = skua_pipeline_close(inward->pipeline);
	return SKUA_STAGE_END;
}

static void test_pipeline_is_busy(void **state)
{
	struct inward inward = { 0 };
	struct skua_stage stage = { SKUA_STAGE_ONE, inward_stage, &inward };

	(void)state;
	WATCH(20);
	assert_int_equal(skua_pipeline_open(&inward.pipeline, &stage, 1, NULL), SKUA_OK);
	assert_int_equal(skua_pipeline_run(NULL, inward.pipeline, NULL), SKUA_OK);
	assert_int_equal(inward.run, SKUA_EBUSY);
	assert_int_equal(inward.close, SKUA_EBUSY);
	assert_int_equal(skua_pipeline_close(inward.pipeline), SKUA_OK);
}

/* What a token takes along is where it was asked to be, and all of it. */
struct wide {
	size_t bytes, align;
	unsigned made;
	bool is_astray; /* the first stage writes */
	bool is_torn;	/* the second */
};

static int wide_make(struct skua_slot *skua_here, void *token, void *argument)
{
	struct wide *wide = argument;

	(void)skua_here;
	if (wide->bytes)
		memset(token, (int)wide->made & 0xff, wide->bytes);
	wide->is_astray |= (uintptr_t)token % wide->align != 0 || !token != !wide->bytes;
	return wide->made++ < 50 ? SKUA_OK : SKUA_STAGE_END;
}

static int wide_look(struct skua_slot *skua_here, void *token, void *argument)
{
	struct wide *wide = argument;
	unsigned char *bytes = token;

	(void)skua_here;
	for (size_t i = 1; i < wide->bytes; i++)
		wide->is_torn |= bytes[i] != bytes[0];
	return SKUA_OK;
}

static void test_pipeline_storage(void **state)
{
	static const size_t sizes[] = { 0, 1, 15, 64, 200, 5000 };

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(3);
	for (size_t align = 1; align <= 4096; align *= 4)
		for (unsigned i = 0; i < 6; i++) {
			struct wide wide = { .bytes = sizes[i], .align = align };
			const struct skua_stage stages[] = {
				{ SKUA_STAGE_ONE, wide_make, &wide },
				{ SKUA_STAGE_ONE, wide_look, &wide },
			};
			struct skua_pipeline_options options = { .size = sizeof(options),
								 .bytes = sizes[i],
								 .align = align };
			struct skua_pipeline *pipeline;
			assert_int_equal(skua_pipeline_open(&pipeline, stages, 2, &options), 0);
			assert_int_equal(skua_pipeline_run(pool, pipeline, NULL), SKUA_OK);
			assert_false(wide.is_astray);
			assert_false(wide.is_torn);
			assert_int_equal(wide.made, 51);
			assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
		}
	pool_end(pool);
}

/* --- faults --- */

#ifdef SKUA_FAULTS
/* With some memory it does with fewer tokens; with none it says so, and has called nobody. */
static void test_pipeline_without_memory(void **state)
{
	(void)state;
	WATCH(30);
	struct skua_pool *pool = pool_of(3);
	for (int for_ever = 0; for_ever < 2; for_ever++)
		for (uint32_t nth = 1; nth < 8; nth++) {
			struct line line;
			struct skua_pipeline *pipeline = line_open(&line, 4, USUAL_KINDS, 6);
			line_again(&line, test_random(), 50);
			skuai_fault_arm(SKUAI_FAULT_MALLOC, nth, for_ever, SKUAI_FAULT_USUAL);
			int error = skua_pipeline_run(pool, pipeline, NULL);
			skuai_fault_disarm();
			bool may_fail = for_ever && nth <= 2;
			assert_int_equal(error, may_fail ? SKUA_ENOMEM : SKUA_OK);
			assert_int_equal(line.made, may_fail ? 0 : 50);
			line_again(&line, test_random(), 50);
			assert_int_equal(skua_pipeline_run(pool, pipeline, NULL), SKUA_OK);
			assert_int_equal(skua_load(&line.sum, relaxed), line_sum(&line));
			assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
		}
	struct skua_stage stage = { SKUA_STAGE_ONE, fail_at_once, NULL };
	struct skua_pipeline *mark = (struct skua_pipeline *)&stage, *pipeline = mark;
	skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
	assert_int_equal(skua_pipeline_open(&pipeline, &stage, 1, NULL), SKUA_ENOMEM);
	skuai_fault_disarm();
	assert_ptr_equal(pipeline, mark);
	pool_end(pool);
}

static void test_pipeline_without_a_pool(void **state)
{
	struct line line;

	(void)state;
	WATCH(20);
	struct skua_pipeline *pipeline = line_open(&line, USUAL_STAGES, USUAL_KINDS, 0);
	/* Tests before this one have opened the default pool. */
	assert_int_equal(skua_pool_close(NULL, SKUA_CLOSE_DRAIN), SKUA_OK);
	for (int round = 0; round < 2; round++) {
		if (round == 0)
			skuai_fault_arm(SKUAI_FAULT_THREAD, 1, true, SKUAI_FAULT_USUAL);
		line_again(&line, test_random(), 500);
		expect_failure(NULL, pipeline, &line, NULL, SKUA_OK);
		assert_int_equal(skua_load(&line.sum, relaxed), line_sum(&line));
		assert_int_equal(skua_load(&line.most_alive, relaxed) == 1 || round, true);
		skuai_fault_disarm();
	}
	assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
	assert_int_equal(skua_pool_close(NULL, SKUA_CLOSE_DRAIN), SKUA_OK);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pipeline_error_in_each_stage),
		cmocka_unit_test(test_pipeline_error_before_shells),
		cmocka_unit_test(test_pipeline_odd_results),
		cmocka_unit_test(test_pipeline_without_options),
		cmocka_unit_test(test_pipeline_cancelled),
		cmocka_unit_test(test_pipeline_deadline),
		cmocka_unit_test(test_pipeline_of_pool_that_closes),
		cmocka_unit_test(test_pipeline_refuses_to_open),
		cmocka_unit_test(test_pipeline_refuses_to_run),
		cmocka_unit_test(test_pipeline_is_busy),
		cmocka_unit_test(test_pipeline_storage),
#ifdef SKUA_FAULTS
		cmocka_unit_test(test_pipeline_without_memory),
		cmocka_unit_test(test_pipeline_without_a_pool),
#endif
	};
	return cmocka_run_group_tests_name("pipeline_stop", tests, NULL, NULL);
}
