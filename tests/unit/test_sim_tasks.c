/* SPDX-License-Identifier: MIT */
/* test_sim_tasks.c — tasks on every scheduler: all work is done once, bounds hold, ticks add up */
#include "unit/test_sim.h"

static const struct sim_workload shapes[] = {
	{ SIM_WORK_BAG, .count = 5000, .leaf = 7 },
	{ SIM_WORK_BAG, .count = 999, .leaf = 3, .grain = 10 },
	{ SIM_WORK_LOOP, .count = 4000, .leaf = 20, .law = SIM_LAW_LINEAR },
	{ SIM_WORK_LOOP, .count = 4000, .leaf = 20, .law = SIM_LAW_HEAVY, .grain = 4 },
	{ SIM_WORK_LOOP, .count = 4000, .leaf = 20, .law = SIM_LAW_BIMODAL },
	{ SIM_WORK_TREE, .leaf = 5, .inner = 2, .after = 1, .depth = 10, .fan = 2 },
	{ SIM_WORK_TREE, .leaf = 5, .inner = 0, .depth = 6, .fan = 4, .jitter = 512 },
	{ SIM_WORK_TREE, .leaf = 9, .inner = 9, .after = 3, .depth = 200, .fan = 1 },
	{ SIM_WORK_UTS, .leaf = 4, .inner = 6, .after = 1 },
	{ SIM_WORK_LAYERS, .count = 3000, .leaf = 10, .fan = 40, .degree = 3, .jitter = 300 },
};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static struct sim_config shape_of(size_t i)
{
	struct sim_config config = sim_plain();

	config.workload = shapes[i];
	assert_true(sim_uts_named(i % 2 ? "linear" : "cyclic", &config.workload.uts));
	config.costs.push = config.costs.pop = config.costs.join = 1;
	config.event_limit = 100000000;
	return config;
}

/* What holds for any run. */
static void expect_sound(const struct sim_config *config, struct sim_result r, uint64_t work)
{
	const struct sim_spent *s = &r.spent;
	uint64_t all = s->busy + s->overhead + s->searching + s->waiting + s->parked + s->blocked;

	assert_int_equal(r.work, work);
	assert_true(r.makespan >= r.span);
	assert_true(r.makespan * config->workers >= r.work);
	assert_int_equal(all, r.makespan * config->workers);
	assert_true(r.tries - r.failed - r.steals <= config->workers); /* under way at the end */
	assert_true(r.used >= 1 && r.used <= config->workers);
}

/* One worker does all of it in the time of the work and its overheads, whoever schedules. */
static void test_tasks_one_worker(void **state)
{
	(void)state;
	for (size_t i = 0; i < SHAPES; i++) {
		for (unsigned scheduler = 0; scheduler <= SIM_SKUA; scheduler++) {
			struct sim_config config = shape_of(i);
			config.workers = 1;
			config.scheduler = (enum sim_scheduler)scheduler;
			config.costs = (struct sim_costs){ 0 };
			struct sim_result r = sim_ran(&config);
			assert_int_equal(r.makespan, r.work);
			assert_int_equal(r.steals + r.tries, 0);
			expect_sound(&config, r, r.work);
		}
	}
}

static void try_scheduler(struct sim_config config, uint64_t work, uint64_t tasks, uint64_t span)
{
	struct sim_result r = sim_ran(&config), again = sim_ran(&config);

	expect_sound(&config, r, work);
	assert_int_equal(r.tasks, tasks);
	assert_int_equal(r.span, span);
	sim_expect_same(r, again);
}

/* Every workload on every scheduler: the same tasks, the same work, the same longest path. */
static void test_tasks_all_schedulers(void **state)
{
	static const uint32_t widths[] = { 2, 3, 16, 100 };

	(void)state;
	for (size_t i = 0; i < SHAPES; i++) {
		struct sim_config config = shape_of(i);
		config.workers = 1;
		struct sim_result serial = sim_ran(&config);
		for (unsigned k = 0; k < 4 * (SIM_SKUA + 1); k++) {
			config = shape_of(i);
			config.workers = widths[k % 4];
			config.scheduler = (enum sim_scheduler)(k / 4);
			config.topology.latency[0] = k % 3 * 10;
			config.costs.serve = k % 2;
			config.costs.queue = k % 5;
			config.sharing = (enum sim_sharing)(k % 3);
			try_scheduler(config, serial.work, serial.tasks, serial.span);
		}
	}
}

/* Every way to steal. */
static void test_tasks_all_thieves(void **state)
{
	(void)state;
	for (size_t i = 0; i < SHAPES; i++) {
		for (unsigned k = 0; k < 3 * SIM_VICTIM_COUNT; k++) {
			struct sim_config config = shape_of(i);
			config.seed = k;
			config.workers = 1;
			struct sim_result serial = sim_ran(&config);
			config.workers = 24;
			config.victim = (enum sim_victim)(k % SIM_VICTIM_COUNT);
			config.amount = (enum sim_amount)(k % 3);
			config.part = 300;
			config.remote = 200000;
			config.join = (enum sim_join)(k % 2);
			config.topology = (struct sim_topology){ 3, { 4, 12, 0 }, { 0, 5, 50 } };
			config.lifeline_tries = k % 3 == 1 ? 4 : 0;
			config.park_rounds = k % 3 == 2 ? 1 : 0;
			config.costs.park = config.costs.wake = k % 4 * 20;
			try_scheduler(config, serial.work, serial.tasks, serial.span);
		}
	}
}

/* T1/P + c Tinf with one small c, and tries within what is proven, on trees of any width. */
static void test_tasks_bound_of_trees(void **state)
{
	(void)state;
	for (uint32_t workers = 2; workers <= (SIM_SLOW ? 128 : 2048); workers *= 4) {
		for (unsigned join = 0; join < 2; join++) {
			struct sim_config config = sim_plain();
			config.workers = workers;
			config.amount = SIM_AMOUNT_ONE;
			config.join = (enum sim_join)join;
			config.workload = (struct sim_workload){ SIM_WORK_TREE, .leaf = 1,
								 .inner = 1,	.after = 1,
								 .depth = 14,	.fan = 2 };
			struct sim_result r = sim_ran(&config);
			double ideal = (double)r.work / workers, span = (double)r.span;
			double c = ((double)r.makespan - ideal) / span;
			if (getenv("SIM_SHOW"))
				print_message("P = %u: T = %u, c = %.2f, tries / (P Tinf) %.2f\n",
					      workers, (unsigned)r.makespan, c,
					      (double)r.tries / workers / span);
			assert_true(c < 3);
			assert_true((double)r.tries < 5.5 * workers * span);
		}
	}
}

/* No more tasks are alive than P times what one worker has. */
static void test_tasks_space(void **state)
{
	struct sim_config config = sim_plain();

	(void)state;
	config.amount = SIM_AMOUNT_ONE;
	config.workload = (struct sim_workload){ SIM_WORK_TREE, .leaf = 1,  .inner = 1,
						 .after = 1,	.depth = 9, .fan = 3 };
	config.workers = 1;
	uint64_t alone = sim_ran(&config).peak_live;
	assert_int_equal(alone, 3 * 9 + 1);
	for (uint32_t workers = 2; workers <= 512; workers *= 2) {
		config.workers = workers;
		assert_true(sim_ran(&config).peak_live <= alone * workers);
	}
}

/* Steal-one and steal-half differ hugely on a bag, and little on a tree. */
static void test_tasks_one_against_half(void **state)
{
	struct sim_config config = sim_plain();

	(void)state;
	config.workers = 64;
	config.workload.count = 20000;
	uint64_t bag_half = sim_ran(&config).makespan;
	config.amount = SIM_AMOUNT_ONE;
	uint64_t bag_one = sim_ran(&config).makespan;
	assert_true(bag_one > 10 * bag_half);
	config.workload = (struct sim_workload){ SIM_WORK_TREE, .leaf = 10, .inner = 10,
						 .depth = 13, .fan = 2 };
	uint64_t tree_one = sim_ran(&config).makespan;
	config.amount = SIM_AMOUNT_HALF;
	uint64_t tree_half = sim_ran(&config).makespan;
	assert_true(tree_one < tree_half * 12 / 10 && tree_half < tree_one * 12 / 10);
}

/* The trees of bench/work/uts.c, node for node. */
static void test_tasks_uts_counts(void **state)
{
	static const struct {
		const char *name;
		uint64_t nodes, depth;
	} trees[] = {
		{ "fixed", 3987, 5 },  { "linear", 1317, 8 },	{ "cyclic", 4988, 31 },
		{ "bin", 453, 15 },    { "hybrid", 15914, 73 }, { "deep", 92549, 1005 },
		{ "T2", 4117769, 81 }, { "T1", 4130071, 10 },	{ "T4", 4132453, 134 },
		{ "T5", 4147582, 20 }, { "T3", 4112897, 1572 },
	};

	(void)state;
	for (size_t i = 0; i < (SIM_LONG ? 11 : SIM_SLOW ? 6 : 7); i++) {
		struct sim_config config = sim_plain();
		config.workers = 50;
		config.workload = (struct sim_workload){ SIM_WORK_UTS, .leaf = 1, .inner = 1 };
		assert_true(sim_uts_named(trees[i].name, &config.workload.uts));
		struct sim_result r = sim_ran(&config);
		assert_int_equal(r.tasks, trees[i].nodes);
		assert_int_equal(r.span, trees[i].depth + 1);
	}
	struct sim_uts tree;
	assert_false(sim_uts_named("T9", &tree));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tasks_one_worker),
		cmocka_unit_test(test_tasks_all_schedulers),
		cmocka_unit_test(test_tasks_all_thieves),
		cmocka_unit_test(test_tasks_bound_of_trees),
		cmocka_unit_test(test_tasks_space),
		cmocka_unit_test(test_tasks_one_against_half),
		cmocka_unit_test(test_tasks_uts_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
