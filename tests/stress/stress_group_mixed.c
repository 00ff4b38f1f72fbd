/* SPDX-License-Identifier: MIT */
/* stress_group_mixed.c — groups, futures, priorities, isolation all at once; every task counted */
#include "unit/test_pool.h"

#include "base/rng.h"
#include "os/thread.h"

#include <skua/future.h>
#include <skua/group.h>

/*
 * Threads of the program open groups of every kind and fill them with tasks that open groups in
 * turn, fork, and hand futures on.  Each that was taken is counted, and each that ran: so the two
 * agree exactly, whoever ran it.
 *
 * Groups for worker 0 alone are opened only outside: worker 0 may wait isolated for a task that
 * runs elsewhere, and if that waited for something only worker 0 may run, both would wait for ever.
 */
#define OUTSIDE	  3 /* threads of the program */
#define DEPTH_TOP 3

struct plan {
	struct skua_pool *pool;
	_Atomic uint64_t expected, ran, cancelled;
};

struct node {
	struct plan *plan;
	struct skua_group *group; /* that it is in; NULL: none */
	uint64_t seed;
	unsigned depth;
};

static int run_node(struct skua_slot *skua_here, void *argument);

/* A number below that; the seed moves on. */
static uint64_t draw(uint64_t *seed, uint64_t below)
{
	struct skuai_rng rng = { *seed };
	uint64_t drawn = skuai_rng_next(&rng) % below;

	*seed = rng.state;
	return drawn;
}

static void must(bool is_right, int code)
{
	if (!is_right)
		_exit(code);
}

/* One more will run, if it was taken; who refuses says so. */
static void add(struct skua_group *group, struct plan *plan, uint64_t seed, unsigned depth)
{
	struct node node = { plan, group, seed, depth };

	skua_add(&plan->expected, 1, relaxed);
	int error = skua_go(group, run_node, &node);
	if (error) {
		must(error == SKUA_EBUSY, 60);
		skua_sub(&plan->expected, 1, relaxed);
	}
}

static void use_group(struct plan *plan, uint64_t seed, unsigned depth)
{
	struct skua_group group;
	struct skua_group_options options = {
		.size = sizeof(options),
		.pool = plan->pool,
		.max_inflight = draw(&seed, 3) ? 0 : 1 + (unsigned)draw(&seed, 6),
		.when_full = (enum skua_full)draw(&seed, 3),
		.priority = (enum skua_priority)draw(&seed, 3),
		.is_isolated = draw(&seed, 2),
		.workers = draw(&seed, 8) == 0 && depth == DEPTH_TOP,
	};
	uint64_t tasks = draw(&seed, 6);

	must(!skua_group_open(&group, &options), 61);
	for (uint64_t i = 0; i < tasks; i++)
		add(&group, plan, seed + i * 0x9e3779b97f4a7c15u, depth);
	if (draw(&seed, 4) == 0) /* one that gives up, and waits again */
		must(skua_group_wait(&group, 1) != SKUA_EBUSY, 62);
	must(skua_group_wait(&group, SKUA_FOREVER) == SKUA_OK, 63);
}

/* A task, one that follows it, and perhaps somebody who changes his mind. */
static void use_futures(struct plan *plan, uint64_t seed, unsigned depth)
{
	struct skua_future first = { 0 }, then = { 0 }, *both[] = { &then, &first };
	struct node node = { plan, NULL, seed + 1, depth };
	uint64_t what = draw(&seed, 5);
	size_t index;

	must(!skua_future_async(plan->pool, &first, (enum skua_priority)draw(&seed, 3), run_node,
				&node, sizeof(node)),
	     64);
	node.seed++;
	must(!skua_then(&first, plan->pool, &then, run_node, &node), 65);
	if (what == 0)
		(void)skua_future_raise(&first, SKUA_PRIORITY_URGENT);
	if (what == 1)
		must(!skua_await_any(both, 2, SKUA_FOREVER, &index), 66);
	bool is_off = what == 2 && skua_future_cancel(&first) == SKUA_OK;
	must(skua_await(&first, SKUA_FOREVER) == (is_off ? SKUA_ECANCELED : SKUA_OK), 67);
	must(skua_await(&then, SKUA_FOREVER) == (is_off ? SKUA_ECANCELED : SKUA_OK), 68);
	skua_add(is_off ? &plan->cancelled : &plan->expected, 2, relaxed);
}

SKUA_TASK(int, forked, struct node *, node)
{
	return run_node(skua_here, node);
}

static void fork_two(struct skua_slot *skua_here, void *argument)
{
	struct node *node = argument;
	struct node one = { node->plan, NULL, node->seed + 7, node->depth };
	struct node other = { node->plan, NULL, node->seed + 8, node->depth };

	skua_add(&node->plan->expected, 2, relaxed);
	skua_fork(forked, a, &one);
	must(!skua_call(forked, &other), 69);
	must(!skua_join(forked, a), 70);
}

static int run_node(struct skua_slot *skua_here, void *argument)
{
	struct node node = *(struct node *)argument;
	uint64_t seed = node.seed;

	skua_add(&node.plan->ran, 1, relaxed);
	if (!node.depth)
		return 0;
	node.depth--;
	switch (draw(&seed, 6)) {
	case 0:
		use_group(node.plan, seed, node.depth);
		break;
	case 1:
		use_futures(node.plan, seed, node.depth);
		break;
	case 2:
		fork_two(skua_here, &node);
		break;
	case 3:
		skua_isolate(skua_here, fork_two, &node);
		break;
	case 4:
		if (node.group) /* into its own group */
			add(node.group, node.plan, seed, node.depth);
		break;
	default:
		break;
	}
	return 0;
}

struct outside {
	struct plan *plan;
	uint64_t seed, rounds;
};

static void work_outside(void *argument)
{
	struct outside *outside = argument;

	for (uint64_t round = 0; round < outside->rounds; round++) {
		uint64_t seed = outside->seed + round * 1000003;
		if (round % 3)
			use_group(outside->plan, seed, DEPTH_TOP);
		else
			use_futures(outside->plan, seed, DEPTH_TOP);
	}
}

static void play(int workers, uint64_t rounds)
{
	struct plan plan = { .pool = pool_of(workers) };
	struct outside outside[OUTSIDE];
	struct skuai_thread threads[OUTSIDE];

	for (unsigned i = 0; i < OUTSIDE; i++) {
		outside[i] = (struct outside){ &plan, test_random(), rounds };
		assert_int_equal(skuai_thread_start(&threads[i], work_outside, &outside[i], NULL),
				 0);
	}
	for (unsigned i = 0; i < OUTSIDE; i++)
		skuai_thread_join(&threads[i]);
	pool_end(plan.pool);
	print_message("%2d workers: %llu tasks, %llu cancelled\n", workers,
		      (unsigned long long)skua_load(&plan.ran, relaxed),
		      (unsigned long long)skua_load(&plan.cancelled, relaxed));
	assert_true(skua_load(&plan.ran, relaxed) == skua_load(&plan.expected, relaxed));
}

static void stress_group_mixed(void **state)
{
	static const int workers[] = { 1, 2, 3, 8, 64 };

	(void)state;
	test_seed();
	for (unsigned i = 0; i < sizeof(workers) / sizeof(workers[0]); i++) {
		WATCH(60);
		play(workers[i], test_rounds(SLOW_BUILD ? 150 : 4000));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(stress_group_mixed) };

	return cmocka_run_group_tests_name("group_mixed", tests, NULL, NULL);
}
