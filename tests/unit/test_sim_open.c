/* SPDX-License-Identifier: MIT */
/* test_sim_open.c — an open system: mean time in it at several loads, with stealing and without */
#include "unit/test_sim.h"

/* Mitzenmacher's limit for infinitely many workers: one try on running empty. */
static double limit_of(double load)
{
	double p2 = ((1 + load) - sqrt(1 + 2 * load - 3 * load * load)) / 2;
	double ratio = load / (1 + load - p2);

	return (load + p2 / (1 - ratio)) / load;
}

static double sojourn(struct sim_config *config, double load, uint64_t length)
{
	config->model = SIM_OPEN;
	config->load = (uint32_t)(load * 1000000);
	config->length = length;
	return (double)sim_ran(config).sojourn / 1e6;
}

static void test_open_limit_is_the_table(void **state)
{
	static const double table[][2] = { { 0.5, 1.618 }, { 0.7, 2.107 },  { 0.8, 2.562 },
					   { 0.9, 3.541 }, { 0.95, 4.888 }, { 0.99, 10.462 } };

	(void)state;
	for (size_t i = 0; i < 6; i++)
		assert_true(fabs(limit_of(table[i][0]) - table[i][1]) < 0.001);
}

/* As long as the load needs: at 0.9 tasks of long ago still matter. */
static void test_open_mean_with_stealing(void **state)
{
	static const struct {
		double load;
		uint64_t length;
	} loads[] = { { 0.5, 150 }, { 0.7, 200 }, { 0.8, 300 }, { 0.9, 800 } };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct sim_config config = sim_plain();
		double part = SIM_SLOW ? 0.06 : 0.01;
		uint64_t length = SIM_LONG ? 100000 : loads[i].length;
		config.workers = SIM_SLOW ? 1000 : 10000;
		config.seed = 3;
		config.warm_up = 100;
		double mean = sojourn(&config, loads[i].load, length), is = limit_of(loads[i].load);
		if (getenv("SIM_SHOW"))
			print_message("load %.2f: %.4f, limit %.4f, %+.2f %%\n", loads[i].load,
				      mean, is, 100 * (mean / is - 1));
		if (fabs(mean / is - 1) > part)
			fail_msg("load %.2f: %.4f, not %.4f", loads[i].load, mean, is);
	}
}

/* Without stealing each worker is a queue of its own, of which everything is known. */
static void test_open_mean_without_stealing(void **state)
{
	struct sim_config config = sim_plain();
	uint64_t length = SIM_SLOW ? 100 : 400;

	(void)state;
	config.scheduler = SIM_STATIC;
	config.workers = 5000;
	double exponential = sojourn(&config, 0.5, length);
	config.is_constant = true;
	double constant = sojourn(&config, 0.5, length);
	if (getenv("SIM_SHOW"))
		print_message("alone: %.4f, constant %.4f\n", exponential, constant);
	assert_true(fabs(exponential / 2 - 1) < 0.02);
	assert_true(fabs(constant / 1.5 - 1) < 0.02);
}

static void test_open_same_seed_same_result(void **state)
{
	struct sim_config config = sim_plain();

	(void)state;
	config.model = SIM_OPEN;
	config.workers = 100;
	struct sim_result a = sim_ran(&config), b = sim_ran(&config);
	sim_expect_same(a, b);
	config.seed = 1;
	assert_true(sim_ran(&config).hash != a.hash);
	assert_true(a.tries == a.steals + a.failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open_limit_is_the_table),
		cmocka_unit_test(test_open_mean_with_stealing),
		cmocka_unit_test(test_open_mean_without_stealing),
		cmocka_unit_test(test_open_same_seed_same_result),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
