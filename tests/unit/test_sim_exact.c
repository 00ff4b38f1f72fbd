/* SPDX-License-Identifier: MIT */
/* test_sim_exact.c — what is known to the unit: greedy trees, the central queue, balls in bins */
#include "unit/test_sim.h"

static struct sim_config central_tree(uint32_t workers, uint32_t depth)
{
	struct sim_config config = sim_plain();

	config.scheduler = SIM_CENTRAL;
	config.workers = workers;
	config.workload = (struct sim_workload){ SIM_WORK_TREE, .leaf = 1, .inner = 1,
						 .depth = depth, .fan = 2 };
	return config;
}

static void test_exact_greedy_tree(void **state)
{
	static const struct {
		uint32_t depth, workers;
		uint64_t steps;
	} trees[] = { { 20, 1024, 2057 }, { 20, 64, 32773 }, { 16, 256, 519 } };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		if (SIM_SLOW && i == 1)
			continue;
		assert_int_equal(sim_greedy_steps(trees[i].depth, trees[i].workers),
				 trees[i].steps);
		struct sim_config config = central_tree(trees[i].workers, trees[i].depth);
		struct sim_result result = sim_ran(&config);
		assert_int_equal(result.makespan, trees[i].steps);
		assert_int_equal(result.span, trees[i].depth + 1);
		assert_int_equal(result.work, ((uint64_t)2 << trees[i].depth) - 1);
		assert_true(result.makespan <= result.work / trees[i].workers + 1 + result.span);
	}
}

/* Speed-up is P d / (d + s) until the queue is busy all the time: d / s, whatever P. */
static void test_exact_central_throughput(void **state)
{
	static const uint64_t services[] = { 50, 100, 200 };
	const double d = 1000;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		for (uint32_t workers = 1; workers <= 64; workers++) {
			struct sim_config config = sim_plain();
			config.scheduler = SIM_CENTRAL;
			config.workers = workers;
			config.workload.count = 6400;
			config.workload.leaf = (uint64_t)d;
			config.costs.queue = services[i];
			double s = (double)services[i];
			double expected = fmin(workers / (d + s), 1 / s);
			double rate = 6400 / (double)sim_ran(&config).makespan;
			if (fabs(rate / expected - 1) > 0.02)
				fail_msg("s = %.0f, P = %u: %.5f tasks a tick, not %.5f", s,
					 workers, rate, expected);
		}
	}
}

/* The largest of `runs` loads in the middle. */
static uint64_t median_load(uint32_t bins, uint64_t balls, uint32_t choices, unsigned runs)
{
	uint64_t loads[16];

	for (unsigned i = 0; i < runs; i++) {
		uint64_t load = sim_largest_load(&sim_host_memory, bins, balls, choices, i);
		unsigned at = i;
		for (; at && loads[at - 1] > load; at--)
			loads[at] = loads[at - 1];
		loads[at] = load;
	}
	return loads[runs / 2];
}

static void test_exact_balls_in_bins(void **state)
{
	(void)state;
	uint64_t wide = median_load(1024, 16 * 1024, 1, 15);
	if (getenv("SIM_SHOW"))
		print_message("1024 bins, 16 each: %u\n", (unsigned)wide);
	assert_in_range(wide, 29, 31);
	if (SIM_SLOW)
		return;
	assert_in_range(median_load(1000000, 1000000, 1, 5), 9, 9);
	assert_in_range(median_load(1000000, 1000000, 2, 3), 4, 4);
	uint64_t heavy = median_load(1000000, 100000000, 1, SIM_LONG ? 5 : 1);
	if (getenv("SIM_SHOW"))
		print_message("10^6 bins, 100 each: %u\n", (unsigned)heavy);
	assert_in_range(heavy, 150, 155);
}

/* The same as a run: unit tasks that are shared out at random, then nobody steals. */
static void test_exact_sharing_is_balls_in_bins(void **state)
{
	struct sim_config config = sim_plain();

	(void)state;
	config.scheduler = SIM_SHARING;
	config.workers = 1024;
	config.workload.count = 16 * 1024;
	struct sim_sample got = sim_overhead(config, 15, 0);
	assert_true(got.mean > 28 && got.mean < 32);
	config.sharing = SIM_SHARING_TWO;
	double two = sim_overhead(config, 15, 0).mean;
	assert_true(two >= 17 && two < 21);
	if (SIM_SLOW)
		return;
	config.workers = 1000000;
	config.workload.count = 1000000;
	config.sharing = SIM_SHARING_RANDOM;
	assert_in_range(sim_ran(&config).makespan, 8, 10);
	config.sharing = SIM_SHARING_TWO;
	assert_in_range(sim_ran(&config).makespan, 4, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_greedy_tree),
		cmocka_unit_test(test_exact_central_throughput),
		cmocka_unit_test(test_exact_balls_in_bins),
		cmocka_unit_test(test_exact_sharing_is_balls_in_bins),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
