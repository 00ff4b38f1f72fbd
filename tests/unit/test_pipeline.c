/* SPDX-License-Identifier: MIT */
/* test_pipeline.c — pipelines: every token through every stage, order, bound, nesting */
#include "test_pipeline.h"

#include <pthread.h>

static const int worker_counts[] = { 1, 2, 3, 8, 64 };
#define WORKER_COUNTS (sizeof(worker_counts) / sizeof(worker_counts[0]))

/* Run a line, and compare with the plain loop. */
static void expect_flow(struct skua_pool *pool, struct skua_pipeline *pipeline, struct line *line)
{
	struct skua_pipeline_reach reach;
	struct skua_pipeline_run_options options = { .size = sizeof(options), .reach = &reach };
	uint64_t skipped = line->skip_of ? (line->count + line->skip_of - 2) / line->skip_of : 0;

	assert_int_equal(skua_pipeline_run(pool, pipeline, &options), SKUA_OK);
	assert_int_equal(skua_load(&line->wrong, relaxed), 0);
	assert_int_equal(skua_load(&line->alive, relaxed), 0);
	assert_int_equal(skua_load(&line->dropped, relaxed), 0);
	assert_int_equal(skua_load(&line->sum, relaxed), line_sum(line));
	assert_int_equal(reach.made, line->count);
	assert_int_equal(reach.skipped, skipped);
	assert_int_equal(reach.done, line->count - skipped);
	assert_int_equal(reach.done, skua_load(&line->out, relaxed));
	assert_int_equal(reach.dropped, 0);
	for (unsigned i = 0; i < line->stages; i++)
		if (line->places[i].kind != SKUA_STAGE_PARALLEL)
			assert_int_equal(
				line->places[i].seen,
				line->count - (line->skip_of && i > line->skip_at ? skipped : 0));
}

/* --- flow --- */

/* Any kinds of stages, any numbers of them and of tokens. */
static void test_pipeline_random(void **state)
{
	static const uint64_t counts[] = { 0, 1, 2, 7, 100, 1000 };

	(void)state;
	for (size_t w = 0; w < WORKER_COUNTS; w++) {
		WATCH(30);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (int round = 0; round < (worker_counts[w] > 8 ? 6 : 20); round++) {
			struct line line;
			unsigned stages = round < 16 ? (unsigned)round + 1
						     : 1 + (unsigned)(test_random() % 16);
			unsigned tokens = (unsigned)(test_random() % 9);
			struct skua_pipeline *pipeline = line_open(&line, stages, test_random(),
								   tokens);
			line_again(&line, test_random(), counts[test_random() % 6]);
			line.cost = (unsigned)(test_random() % 200);
			expect_flow(pool, pipeline, &line);
			assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
		}
		pool_end(pool);
	}
}

/* All in order, or all but the first parallel: what random kinds seldom are. */
static void test_pipeline_of_one_kind(void **state)
{
	(void)state;
	for (size_t w = 0; w < WORKER_COUNTS - 1; w++) {
		WATCH(30);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (uint64_t kind = 0; kind < 3; kind++) {
			struct line line;
			struct skua_pipeline *pipeline = line_open(&line, 16, kind * (43046720 / 2),
								   0); /* 3^16 - 1 */
			line_again(&line, test_random(), SLOW_BUILD ? 300 : 2000);
			line.cost = 50;
			expect_flow(pool, pipeline, &line);
			assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
		}
		pool_end(pool);
	}
}

/* No more tokens under way than the options say; each is used. */
static void test_pipeline_bound(void **state)
{
	(void)state;
	WATCH(30);
	for (size_t w = 0; w < WORKER_COUNTS - 1; w++) {
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (unsigned tokens = 0; tokens < 10; tokens += tokens < 3 ? 1 : 3) {
			struct line line;
			struct skua_pipeline *pipeline = line_open(&line, 4, 0 * 27 + 2 * 9 + 2 * 3,
								   tokens);
			unsigned most = tokens ? tokens : 4 * (unsigned)worker_counts[w];
			for (int again = 0; again < 3; again++) {
				line_again(&line, test_random(), 500);
				line.cost = 300;
				expect_flow(pool, pipeline, &line);
				uint32_t seen = skua_load(&line.most_alive, relaxed);
				assert_in_range(seen, 1, worker_counts[w] == 1 ? 1 : most);
			}
			assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
		}
		pool_end(pool);
	}
}

/* Built once: in this pool, in a larger one, in the default one, and again. */
static void test_pipeline_runs_again(void **state)
{
	struct line line;

	(void)state;
	WATCH(20);
	struct skua_pool *pools[] = { pool_of(1), pool_of(3), NULL, pool_of(2) };
	struct skua_pipeline *pipeline = line_open(&line, 3, 0 * 9 + 2 * 3, 0);
	for (unsigned i = 0; i < 40; i++) {
		line_again(&line, test_random(), test_random() % 60);
		expect_flow(pools[i % 4], pipeline, &line);
	}
	assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
	for (unsigned i = 0; i < 4; i++)
		if (pools[i])
			pool_end(pools[i]);
}

/* A skipped token is not seen by later stages, and holds nobody up. */
static void test_pipeline_skips(void **state)
{
	(void)state;
	WATCH(30);
	for (size_t w = 0; w < WORKER_COUNTS - 1; w++) {
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (unsigned at = 1; at < 6; at++) {
			struct line line; /* order, parallel, one, order, parallel, order */
			struct skua_pipeline *pipeline = line_open(
				&line, 6, 2 * 3 + 1 * 9 + 0 * 27 + 2 * 81, 7);
			line_again(&line, test_random(), 400);
			line.cost = 100;
			line.skip_of = at % 2 ? 3 : 2;
			line.skip_at = at;
			line.has_memory = true;
			expect_flow(pool, pipeline, &line);
			assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
		}
		pool_end(pool);
	}
}

/* --- at the same time --- */

struct meeting {
	_Atomic uint32_t inside, out;
	uint32_t wanted;
	uint32_t made; /* plain */
	bool was_late;
};

static int meeting_make(struct skua_slot *skua_here, void *token, void *argument)
{
	struct meeting *meeting = argument;

	(void)skua_here;
	*(uint32_t *)token = meeting->made;
	return meeting->made++ < meeting->wanted ? SKUA_OK : SKUA_STAGE_END;
}

/* Nobody goes on before all are there. */
static int meeting_wait(struct skua_slot *skua_here, void *token, void *argument)
{
	struct meeting *meeting = argument;

	(void)skua_here;
	(void)token;
	skua_add(&meeting->inside, 1, relaxed);
	return reaches(&meeting->inside, meeting->wanted) ? SKUA_OK : SKUA_ETIMEDOUT;
}

static void test_pipeline_is_parallel(void **state)
{
	struct meeting meeting = { .wanted = 4 };
	const struct skua_stage stages[] = { { SKUA_STAGE_ONE, meeting_make, &meeting },
					     { SKUA_STAGE_PARALLEL, meeting_wait, &meeting } };
	struct skua_pipeline_options options = { .size = sizeof(options), .bytes = 4 };
	struct skua_pipeline *pipeline;

	(void)state;
	WATCH(30);
	struct skua_pool *pool = pool_of(4);
	assert_int_equal(skua_pipeline_open(&pipeline, stages, 2, &options), SKUA_OK);
	assert_int_equal(skua_pipeline_run(pool, pipeline, NULL), SKUA_OK);
	assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
	pool_end(pool);
}

/*
 * Again and again later on: four in a row meet, each on a worker of its own, while a stage in order
 * makes carriers change tokens all the time.  Red where an offer is lost: then carriers are.
 */
static _Atomic uint32_t met[10];

static int meet_now_and_then(struct skua_slot *skua_here, void *token, void *argument)
{
	uint32_t number = *(uint32_t *)token;

	(void)skua_here;
	(void)argument;
	if (number % 40 >= 4) {
		spin_for(number * 7919 % 3000);
		return SKUA_OK;
	}
	skua_add(&met[number / 40], 1, relaxed);
	return reaches(&met[number / 40], 4) ? SKUA_OK : SKUA_ETIMEDOUT;
}

static int spin_in_order(struct skua_slot *skua_here, void *token, void *argument)
{
	(void)skua_here;
	(void)argument;
	spin_for(*(uint32_t *)token * 104729 % 2000);
	return SKUA_OK;
}

static void test_pipeline_stays_parallel(void **state)
{
	struct meeting meeting = { .wanted = 400 };
	const struct skua_stage stages[] = { { SKUA_STAGE_ONE, meeting_make, &meeting },
					     { SKUA_STAGE_PARALLEL, meet_now_and_then, NULL },
					     { SKUA_STAGE_IN_ORDER, spin_in_order, NULL } };
	struct skua_pipeline_options options = { .size = sizeof(options), .bytes = 4 };
	struct skua_pipeline *pipeline;

	(void)state;
	WATCH(60);
	struct skua_pool *pool = pool_of(4);
	assert_int_equal(skua_pipeline_open(&pipeline, stages, 3, &options), SKUA_OK);
	for (int round = 0; round < 3; round++) {
		memset((void *)met, 0, sizeof(met));
		meeting.made = 0;
		assert_int_equal(skua_pipeline_run(pool, pipeline, NULL), SKUA_OK);
	}
	assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
	pool_end(pool);
}

/* Token 0 stays in a parallel stage until all others that may be under way have passed it. */
static int overtaken_wait(struct skua_slot *skua_here, void *token, void *argument)
{
	struct meeting *meeting = argument;

	(void)skua_here;
	if (*(uint32_t *)token > 0) {
		skua_add(&meeting->inside, 1, relaxed);
		return SKUA_OK;
	}
	return reaches(&meeting->inside, 7) ? SKUA_OK : SKUA_ETIMEDOUT;
}

static int overtaken_last(struct skua_slot *skua_here, void *token, void *argument)
{
	struct meeting *meeting = argument;

	(void)skua_here;
	meeting->was_late |= skua_add(&meeting->out, 1, relaxed) != *(uint32_t *)token;
	return SKUA_OK;
}

static void test_pipeline_is_overtaken(void **state)
{
	(void)state;
	WATCH(30);
	struct skua_pool *pool = pool_of(2);
	for (int round = 0; round < 20; round++) {
		struct meeting meeting = { .wanted = 20 };
		const struct skua_stage stages[] = {
			{ SKUA_STAGE_ONE, meeting_make, &meeting },
			{ SKUA_STAGE_PARALLEL, overtaken_wait, &meeting },
			{ SKUA_STAGE_IN_ORDER, overtaken_last, &meeting },
		};
		struct skua_pipeline_options options = { .size = sizeof(options),
							 .bytes = 4,
							 .tokens = 8 };
		struct skua_pipeline *pipeline;
		assert_int_equal(skua_pipeline_open(&pipeline, stages, 3, &options), SKUA_OK);
		assert_int_equal(skua_pipeline_run(pool, pipeline, NULL), SKUA_OK);
		assert_int_equal(skua_load(&meeting.out, relaxed), 20);
		assert_false(meeting.was_late);
		assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
	}
	pool_end(pool);
}

/* --- inside other things --- */

/* A stage that forks, loops, and runs a pipeline of its own. */
SKUA_LOOP(nested_add, _Atomic uint64_t *, sum, i)
{
	skua_add(sum, i, relaxed);
}

static bool nested_flow(struct skua_slot *skua_here, uint64_t seed)
{
	struct line line;
	struct skua_pipeline *pipeline = line_open(&line, 3, 0 * 9 + 2 * 3, 4);

	line_again(&line, seed, seed % 30);
	line.cost = 50;
	bool is_right = skua_pipeline_run(skua_here, pipeline, NULL) == SKUA_OK &&
			skua_load(&line.sum, relaxed) == line_sum(&line) &&
			!skua_load(&line.wrong, relaxed);
	return skua_pipeline_close(pipeline) == SKUA_OK && is_right;
}

static int nested_stage(struct skua_slot *skua_here, void *token, void *argument)
{
	struct item *item = token;
	struct place *place = argument;
	_Atomic uint64_t sum = 0;

	if (skua_call(fib, 10) != 55)
		note(place->line, WRONG_NESTED);
	if (skua_for(skua_here, 0, 100, nested_add, &sum, NULL) || skua_load(&sum, relaxed) != 4950)
		note(place->line, WRONG_NESTED);
	if (!nested_flow(skua_here, item->value))
		note(place->line, WRONG_NESTED);
	return line_stage(skua_here, token, argument);
}

static void test_pipeline_nested(void **state)
{
	(void)state;
	for (size_t w = 0; w < WORKER_COUNTS; w++) {
		WATCH(30);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		struct line line;
		struct skua_pipeline *pipeline = line_open(&line, 4, 2 * 3 + 1 * 9 + 0 * 27, 6);
		assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
		struct skua_stage stages[4];
		struct skua_pipeline_options options = { .size = sizeof(options),
							 .bytes = sizeof(struct item) };
		for (unsigned i = 0; i < 4; i++)
			stages[i] = (struct skua_stage){ line.places[i].kind,
							 i ? nested_stage : line_stage,
							 &line.places[i] };
		assert_int_equal(skua_pipeline_open(&pipeline, stages, 4, &options), SKUA_OK);
		line_again(&line, test_random(), SLOW_BUILD || worker_counts[w] > 8 ? 15 : 100);
		expect_flow(pool, pipeline, &line);
		assert_int_equal(skua_pipeline_close(pipeline), SKUA_OK);
		pool_end(pool);
	}
}

static int flow_in_loop(struct skua_slot *skua_here, uint64_t lo, uint64_t hi, void *argument)
{
	(void)argument;
	for (uint64_t i = lo; i < hi; i++)
		if (!nested_flow(skua_here, mixed(i, 1)))
			return SKUA_ESYS;
	return SKUA_OK;
}

static void test_pipeline_in_loop(void **state)
{
	(void)state;
	WATCH(30);
	for (size_t w = 0; w < WORKER_COUNTS; w++) {
		struct skua_pool *pool = pool_of(worker_counts[w]);
		assert_int_equal(skua_for(pool, 0, 100, flow_in_loop, NULL, NULL), SKUA_OK);
		pool_end(pool);
	}
}

/* Isolated: on its worker alone, and nothing else begins there meanwhile. */
static _Thread_local bool is_alone_here;
static _Atomic uint32_t disturbances;

static int disturb(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	(void)argument;
	spin_for(2000);
	skua_add(&disturbances, is_alone_here, relaxed);
	return SKUA_OK;
}

static void flow_isolated(struct skua_slot *skua_here, void *argument)
{
	is_alone_here = true;
	*(bool *)argument = nested_flow(skua_here, 29);
	is_alone_here = false;
}

SKUA_TASK(bool, isolated_task, struct skua_group *, group)
{
	bool is_right = false;

	for (int i = 0; i < 20; i++)
		if (skua_go(group, disturb, (void *)0))
			return false;
	skua_isolate(skua_here, flow_isolated, &is_right);
	return is_right;
}

static void test_pipeline_isolated(void **state)
{
	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(3);
	struct skua_group_options options = { .size = sizeof(options), .pool = pool };
	struct skua_group group;
	assert_int_equal(skua_group_open(&group, &options), SKUA_OK);
	for (int round = 0; round < 50; round++) {
		assert_true(skua_run(pool, isolated_task, &group));
		assert_int_equal(skua_group_wait(&group, SKUA_FOREVER), SKUA_OK);
	}
	assert_int_equal(skua_load(&disturbances, relaxed), 0);
	pool_end(pool);
}

/* --- many callers --- */

struct caller {
	struct skua_pool *pool;
	uint64_t seed;
	enum skua_priority priority;
	bool is_right;
};

static void *call_flow(void *argument)
{
	struct caller *caller = argument;
	struct line line;
	struct skua_pipeline *pipeline = line_open(&line, 4, 2 * 3 + 0 * 9 + 1 * 27, 5);
	struct skua_pipeline_run_options options = { .size = sizeof(options),
						     .priority = caller->priority };

	line.cost = 100;
	caller->is_right = true;
	for (uint64_t i = 0; i < 10; i++) {
		line_again(&line, mixed(caller->seed, i), 50);
		caller->is_right &= skua_pipeline_run(caller->pool, pipeline, &options) ==
					    SKUA_OK &&
				    skua_load(&line.sum, relaxed) == line_sum(&line) &&
				    !skua_load(&line.wrong, relaxed);
	}
	caller->is_right &= skua_pipeline_close(pipeline) == SKUA_OK;
	return NULL;
}

static void test_pipeline_of_many_threads(void **state)
{
	pthread_t threads[6];
	struct caller callers[6];

	(void)state;
	WATCH(30);
	struct skua_pool *pool = pool_of(3);
	for (unsigned i = 0; i < 6; i++) {
		callers[i] = (struct caller){ pool, test_random(), (enum skua_priority)(i % 3),
					      false };
		assert_int_equal(pthread_create(&threads[i], NULL, call_flow, &callers[i]), 0);
	}
	for (unsigned i = 0; i < 6; i++) {
		pthread_join(threads[i], NULL);
		assert_true(callers[i].is_right);
	}
	pool_end(pool);
}

/* A worker of one pool runs it in another, or in its own. */
SKUA_TASK_VOID(call_elsewhere, struct caller *, caller)
{
	call_flow(caller);
}

static void test_pipeline_in_another_pool(void **state)
{
	(void)state;
	WATCH(30);
	struct skua_pool *pools[] = { pool_of(2), pool_of(3), pool_of(1) };
	for (unsigned i = 0; i < 9; i++) {
		struct caller caller = { .pool = pools[i % 3], .seed = test_random() };
		skua_run(pools[i / 3], call_elsewhere, &caller);
		assert_true(caller.is_right);
	}
	for (unsigned i = 0; i < 3; i++)
		pool_end(pools[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pipeline_random),
		cmocka_unit_test(test_pipeline_of_one_kind),
		cmocka_unit_test(test_pipeline_bound),
		cmocka_unit_test(test_pipeline_runs_again),
		cmocka_unit_test(test_pipeline_skips),
		cmocka_unit_test(test_pipeline_is_parallel),
		cmocka_unit_test(test_pipeline_stays_parallel),
		cmocka_unit_test(test_pipeline_is_overtaken),
		cmocka_unit_test(test_pipeline_nested),
		cmocka_unit_test(test_pipeline_in_loop),
		cmocka_unit_test(test_pipeline_isolated),
		cmocka_unit_test(test_pipeline_of_many_threads),
		cmocka_unit_test(test_pipeline_in_another_pool),
	};
	return cmocka_run_group_tests_name("pipeline", tests, NULL, NULL);
}
