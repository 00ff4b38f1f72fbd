/* SPDX-License-Identifier: MIT */
/* test_executor.c — bulk: each step once, with a slot of its own; post; what is refused */
#include "unit/test_pool.h"

#include "base/fault.h"
#include "os/membarrier.h"
#include "os/thread.h"

#include <skua/executor.h>

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

/* Other libraries were compiled with these. */
static_assert(SKUA_EXECUTOR_ABI == 1, "the layout below is version 1");
static_assert(offsetof(struct skua_executor, abi) == 0, "1st");
static_assert(offsetof(struct skua_executor, self) == sizeof(void *), "2nd");
static_assert(offsetof(struct skua_executor, width) == 2 * sizeof(void *), "3rd");
static_assert(offsetof(struct skua_executor, bulk) == 3 * sizeof(void *), "4th");
static_assert(offsetof(struct skua_executor, post) == 4 * sizeof(void *), "5th");
static_assert(sizeof(struct skua_executor) == 5 * sizeof(void *), "five fields");

static const int widths[] = { 1, 2, 8 };
#define WIDTHS	  3
#define WIDTH_MAX 64

/* --- every step once, and what slots are for --- */

/* Nothing in here is atomic: TSan would tell of two steps with one slot. */
struct marks {
	size_t count;
	unsigned width;
	uint8_t *seen; /* one for each step */
	struct {
		_Alignas(64) uint64_t steps, sum;
	} scratch[WIDTH_MAX];
	_Atomic uint32_t wrong_slots;
};

static void mark(void *argument, size_t index, unsigned slot)
{
	struct marks *marks = argument;

	if (slot >= marks->width) {
		skua_add(&marks->wrong_slots, 1, relaxed);
		return;
	}
	marks->seen[index]++;
	marks->scratch[slot].steps++;
	marks->scratch[slot].sum += index;
}

/* What is wrong with it, or NULL. */
static const char *flaw_of_bulk(const struct skua_executor *executor, size_t count)
{
	struct marks marks = { .count = count,
			       .width = executor->width(executor->self),
			       .seen = calloc(count + 1, 1) };
	const char *flaw = NULL;
	uint64_t steps = 0, sum = 0;

	if (executor->bulk(executor->self, count, mark, &marks) != SKUA_OK)
		flaw = "refused";
	for (unsigned i = 0; i < WIDTH_MAX; i++) {
		steps += marks.scratch[i].steps;
		sum += marks.scratch[i].sum;
	}
	for (size_t i = 0; i < count && !flaw; i++)
		if (marks.seen[i] != 1)
			flaw = marks.seen[i] ? "a step ran twice" : "a step did not run";
	if (!flaw && marks.seen[count])
		flaw = "a step too many";
	if (!flaw && (steps != count || (count && sum != (uint64_t)count * (count - 1) / 2)))
		flaw = "two steps had one slot";
	if (skua_load(&marks.wrong_slots, relaxed))
		flaw = "a slot beyond the width";
	free(marks.seen);
	return flaw;
}

SKUA_TASK(const char *, flaw_on_worker, const struct skua_executor *, executor, size_t, count)
{
	return flaw_of_bulk(executor, count);
}

static void expect_none(const char *flaw, const char *where, int workers, size_t count)
{
	if (flaw)
		fail_msg("%zu steps %s, %d workers: %s", count, where, workers, flaw);
}

static void test_executor_bulk_runs_each_step_once(void **state)
{
	static const size_t counts[] = { 0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 1000, 1 << 20 };

	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(widths[w]);
		struct skua_executor executor = skua_pool_executor(pool);
		assert_int_equal(executor.abi, SKUA_EXECUTOR_ABI);
		assert_int_equal(executor.width(executor.self), widths[w]);
		for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			expect_none(flaw_of_bulk(&executor, counts[i]), "from outside", widths[w],
				    counts[i]);
			expect_none(skua_run(pool, flaw_on_worker, &executor, counts[i]),
				    "on a worker", widths[w], counts[i]);
		}
		pool_end(pool);
	}
}

/* Counted forks all go the slow way, where a leaf looks as if it were asked after each step. */
/* Spares have slots, too: while steps block, and when the pool has been resized. */
static void mark_and_block(void *argument, size_t index, unsigned slot)
{
	skua_blocking_begin();
	sleep_ns(MILLISECOND / 2);
	skua_blocking_end();
	mark(argument, index, slot);
}

static void test_executor_width_counts_spares(void **state)
{
	WATCH(60);
	struct skua_pool_options options = { .size = sizeof(options), .workers = 2, .spares = 5 };
	struct marks marks = { .count = 300, .seen = calloc(300, 1) };
	struct skua_pool *pool;

	(void)state;
	assert_int_equal(skua_pool_open(&pool, &options), SKUA_OK);
	struct skua_executor executor = skua_pool_executor(pool);
	marks.width = executor.width(executor.self);
	assert_int_equal(marks.width, 7);
	assert_int_equal(executor.bulk(executor.self, 300, mark_and_block, &marks), SKUA_OK);
	assert_int_equal(skua_load(&marks.wrong_slots, relaxed), 0);
	assert_int_equal(skua_pool_resize(pool, 7), SKUA_OK);
	assert_int_equal(executor.width(executor.self), 7);
	expect_none(flaw_of_bulk(&executor, 100000), "after a resize", 7, 100000);
	free(marks.seen);
	pool_end(pool);
}

static void test_executor_bulk_in_a_counting_pool(void **state)
{
	WATCH(60);
	struct skua_pool_options options = { .size = sizeof(options),
					     .workers = 2,
					     .is_counting = true };
	struct skua_pool *pool;

	(void)state;
	assert_int_equal(skua_pool_open(&pool, &options), SKUA_OK);
	struct skua_executor executor = skua_pool_executor(pool);
	expect_none(flaw_of_bulk(&executor, 100000), "counted", 2, 100000);
	assert_true(stats_of(pool).forks > 128);
	pool_end(pool);
}

struct visitor {
	struct skua_executor executor;
	struct skuai_thread thread;
	const char *flaw;
	unsigned rounds;
};

static void visit_often(void *argument)
{
	struct visitor *visitor = argument;

	for (unsigned i = 0; i < visitor->rounds && !visitor->flaw; i++)
		visitor->flaw = flaw_of_bulk(&visitor->executor, i);
}

static void test_executor_bulk_from_many_threads_at_once(void **state)
{
	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(widths[w]);
		struct visitor visitors[5];
		for (unsigned i = 0; i < 5; i++) {
			visitors[i] = (struct visitor){ .executor = skua_pool_executor(pool),
							.rounds = (unsigned)test_rounds(
								SLOW_BUILD ? 100 : 1000) };
			assert_int_equal(skuai_thread_start(&visitors[i].thread, visit_often,
							    &visitors[i], NULL),
					 SKUA_OK);
		}
		for (unsigned i = 0; i < 5; i++)
			skuai_thread_join(&visitors[i].thread);
		for (unsigned i = 0; i < 5; i++)
			expect_none(visitors[i].flaw, "of five threads", widths[w], i);
		pool_end(pool);
	}
}

/* --- nested calls --- */

#define OUTER 48
#define INNER 6

struct nest {
	struct skua_executor outer, inner;
	/* Plain: two steps of one call with one slot would be two on one thread, in turn. */
	bool is_taken[WIDTH_MAX];
	_Atomic uint32_t inner_steps, clashes, errors;
};

/* One call of the inner bulk; its slots are counted apart from the outer one's. */
struct twig {
	struct nest *nest;
	bool is_taken[WIDTH_MAX];
};

static void run_inner(void *argument, size_t index, unsigned slot)
{
	struct twig *twig = argument;

	if (twig->is_taken[slot])
		skua_add(&twig->nest->clashes, 1, relaxed);
	twig->is_taken[slot] = true;
	sleep_ns((int64_t)(index % 3) *
		 100000); /* lets others in, and makes whoever joins it wait */
	skua_add(&twig->nest->inner_steps, 1, relaxed);
	twig->is_taken[slot] = false;
}

static void run_outer(void *argument, size_t index, unsigned slot)
{
	struct nest *nest = argument;
	struct twig twig = { .nest = nest };

	(void)index;
	if (nest->is_taken[slot])
		skua_add(&nest->clashes, 1, relaxed);
	nest->is_taken[slot] = true;
	if (nest->inner.bulk(nest->inner.self, INNER, run_inner, &twig) != SKUA_OK)
		skua_add(&nest->errors, 1, relaxed);
	nest->is_taken[slot] = false;
}

static void run_nest(struct skua_pool *outer, struct skua_pool *inner)
{
	struct nest nest = { .outer = skua_pool_executor(outer),
			     .inner = skua_pool_executor(inner) };

	assert_int_equal(nest.outer.bulk(nest.outer.self, OUTER, run_outer, &nest), SKUA_OK);
	assert_int_equal(skua_load(&nest.errors, relaxed), 0);
	assert_int_equal(skua_load(&nest.inner_steps, relaxed), OUTER * INNER);
	assert_int_equal(skua_load(&nest.clashes, relaxed), 0);
}

/*
 * outer step 3, slot 0 -> inner call -> waits for a stolen part of it
 *                                        `-> may take a part of the outer call, but not with slot 0
 */
static void test_executor_nested_steps_never_share_a_slot(void **state)
{
	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		struct skua_pool *pool = pool_of(widths[w]);
		for (uint64_t i = 0; i < test_rounds(20); i++) {
			WATCH(60);
			run_nest(pool, pool);
		}
		pool_end(pool);
	}
}

/* The same with another pool in between: a worker that waits there works here meanwhile. */
static void test_executor_nested_in_another_pool(void **state)
{
	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		struct skua_pool *outer = pool_of(widths[w]), *inner = pool_of(2);
		for (uint64_t i = 0; i < test_rounds(5); i++) {
			WATCH(60);
			run_nest(outer, inner);
		}
		pool_end(inner);
		pool_end(outer);
	}
}

/* --- balance --- */

struct stall {
	_Atomic uint32_t others; /* steps that ended, but for the first */
	bool has_seen_all;
};

static void stall_first(void *argument, size_t index, unsigned slot)
{
	struct stall *stall = argument;

	(void)slot;
	if (index == 0)
		stall->has_seen_all = reaches(&stall->others, 99);
	else
		skua_add(&stall->others, 1, release);
}

/* While one step takes its time, others run all the rest. */
static void test_executor_long_step_holds_up_nobody(void **state)
{
	(void)state;
	if (skuai_membarrier_ready() != SKUA_OK)
		skip(); /* then a worker that is inside a step keeps the forks it has */
	for (unsigned w = 1; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(widths[w]);
		struct skua_executor executor = skua_pool_executor(pool);
		struct stall stall = { 0 };
		assert_int_equal(executor.bulk(executor.self, 100, stall_first, &stall), SKUA_OK);
		assert_true(stall.has_seen_all);
		pool_end(pool);
	}
}

#define LEAF_STEPS 500 /* less than a leaf of 2^17 steps on 2 workers, which is 1025 */

struct slow_leaf {
	_Atomic uint32_t by_slot[2]; /* of the first LEAF_STEPS steps */
};

static void run_slow_leaf(void *argument, size_t index, unsigned slot)
{
	struct slow_leaf *leaf = argument;

	if (index >= LEAF_STEPS)
		return;
	skua_add(&leaf->by_slot[slot], 1, relaxed);
	if (!skua_load(&leaf->by_slot[!slot], relaxed)) /* until both take part */
		spin_for(MILLISECOND);
}

/* Costly steps side by side in one leaf: it is split when the other worker has nothing to do. */
static void test_executor_leaf_is_split_when_asked(void **state)
{
	WATCH(60);
	struct skua_pool *pool = pool_of(2);
	struct skua_executor executor = skua_pool_executor(pool);
	bool is_split = false;

	(void)state;
	/* Half a second each: on a busy machine the other one may need more to come. */
	for (unsigned i = 0; i < 50 && !is_split; i++) {
		struct slow_leaf leaf = { 0 };
		assert_int_equal(executor.bulk(executor.self, 1 << 17, run_slow_leaf, &leaf),
				 SKUA_OK);
		uint32_t by_0 = skua_load(&leaf.by_slot[0], relaxed);
		uint32_t by_1 = skua_load(&leaf.by_slot[1], relaxed);
		assert_int_equal(by_0 + by_1, LEAF_STEPS);
		is_split = by_0 && by_1;
	}
	assert_true(is_split);
	pool_end(pool);
}

/* --- post --- */

struct posts {
	struct skua_executor executor;
	_Atomic uint32_t runs, errors;
};

static void count_run(void *argument)
{
	struct posts *posts = argument;

	skua_add(&posts->runs, 1, release);
}

static void post_two(void *argument, size_t index, unsigned slot)
{
	struct posts *posts = argument;

	(void)index, (void)slot;
	for (unsigned i = 0; i < 2; i++)
		if (posts->executor.post(posts->executor.self, count_run, posts) != SKUA_OK)
			skua_add(&posts->errors, 1, relaxed);
}

static void test_executor_post_runs_once(void **state)
{
	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(30);
		struct skua_pool *pool = pool_of(widths[w]);
		struct posts posts = { .executor = skua_pool_executor(pool) };
		for (unsigned i = 0; i < 100; i++) /* from outside */
			post_two(&posts, i, 0);
		assert_int_equal(posts.executor.bulk(pool, 100, post_two, &posts), SKUA_OK);
		pool_end(pool); /* runs what was posted */
		assert_int_equal(skua_load(&posts.errors, relaxed), 0);
		assert_int_equal(skua_load(&posts.runs, relaxed), 400);
	}
}

/* --- refusals --- */

static void never_run(void *argument, size_t index, unsigned slot)
{
	(void)index, (void)slot;
	count_run(argument);
}

static void test_executor_refuses_no_function(void **state)
{
	WATCH(30);
	struct skua_pool *pool = pool_of(2);
	struct skua_executor executors[] = { skua_pool_executor(pool), skua_pool_executor(NULL),
					     skua_serial_executor() };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct skua_executor *e = &executors[i];
		assert_int_equal(e->bulk(e->self, 1, NULL, NULL), SKUA_EINVAL);
		assert_int_equal(e->bulk(e->self, 0, NULL, NULL), SKUA_EINVAL);
		assert_int_equal(e->post(e->self, NULL, NULL), SKUA_EINVAL);
		assert_int_equal(e->bulk(e->self, 0, never_run, NULL), SKUA_OK);
		expect_none(flaw_of_bulk(e, 1000), "after refusals", 0, 1000);
	}
	assert_int_equal(executors[1].width(NULL), skua_pool_workers(NULL));
	assert_int_equal(skua_pool_close(NULL, SKUA_CLOSE_DRAIN), SKUA_OK);
	pool_end(pool);
}

static void test_executor_without_memory(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	WATCH(30);
	struct skua_pool *pool = pool_of(2);
	struct skua_executor executor = skua_pool_executor(pool), any = skua_pool_executor(NULL);
	struct posts posts = { 0 };

	skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
	assert_int_equal(executor.post(executor.self, count_run, &posts), SKUA_ENOMEM);
	assert_int_equal(any.bulk(NULL, 1, never_run, &posts), SKUA_ENOMEM);
	assert_int_equal(any.width(NULL), 1);
	const char *flaw = flaw_of_bulk(&executor, 1000); /* allocates nothing */
	skuai_fault_disarm();
	expect_none(flaw, "without memory", 2, 1000);
	skuai_fault_arm(SKUAI_FAULT_THREAD, 1, true, SKUAI_FAULT_USUAL);
	assert_int_equal(any.bulk(NULL, 1, never_run, &posts), SKUA_EAGAIN);
	assert_int_equal(any.bulk(NULL, 0, never_run, &posts), SKUA_OK); /* opens nothing */
	skuai_fault_disarm();
	pool_end(pool);
	assert_int_equal(skua_load(&posts.runs, relaxed), 0);
#else
	skip();
#endif
}

/* --- without a pool --- */

struct in_order {
	struct skua_executor executor;
	size_t next;
	bool is_wrong;
};

static void be_next(void *argument, size_t index, unsigned slot)
{
	struct in_order *order = argument;

	order->is_wrong |= index != order->next++ || slot != 0;
}

static void note_post(void *argument)
{
	((struct in_order *)argument)->next = 77;
}

static void test_executor_serial_runs_in_order(void **state)
{
	struct in_order order = { .executor = skua_serial_executor() };

	(void)state;
	assert_int_equal(order.executor.abi, SKUA_EXECUTOR_ABI);
	assert_int_equal(order.executor.width(order.executor.self), 1);
	assert_int_equal(order.executor.bulk(order.executor.self, 0, be_next, &order), SKUA_OK);
	assert_int_equal(order.next, 0);
	assert_int_equal(order.executor.bulk(order.executor.self, 1000, be_next, &order), SKUA_OK);
	assert_int_equal(order.next, 1000);
	assert_false(order.is_wrong);
	assert_int_equal(order.executor.post(order.executor.self, note_post, &order), SKUA_OK);
	assert_int_equal(order.next, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_executor_bulk_runs_each_step_once),
		cmocka_unit_test(test_executor_width_counts_spares),
		cmocka_unit_test(test_executor_bulk_in_a_counting_pool),
		cmocka_unit_test(test_executor_bulk_from_many_threads_at_once),
		cmocka_unit_test(test_executor_nested_steps_never_share_a_slot),
		cmocka_unit_test(test_executor_nested_in_another_pool),
		cmocka_unit_test(test_executor_long_step_holds_up_nobody),
		cmocka_unit_test(test_executor_leaf_is_split_when_asked),
		cmocka_unit_test(test_executor_post_runs_once),
		cmocka_unit_test(test_executor_refuses_no_function),
		cmocka_unit_test(test_executor_without_memory),
		cmocka_unit_test(test_executor_serial_runs_in_order),
	};
	return cmocka_run_group_tests_name("executor", tests, NULL, NULL);
}
