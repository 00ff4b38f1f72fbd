/* SPDX-License-Identifier: MIT */
/* test_sim_steps.c — unit tasks in steps: overhead of steal-half, the stall of steal-one */
#include "unit/test_sim.h"

static struct sim_config steps_of(uint32_t workers, unsigned log2_work)
{
	struct sim_config config = sim_plain();

	config.model = SIM_STEPS;
	config.workers = workers;
	config.work = (uint64_t)1 << log2_work;
	return config;
}

/* Overhead over W/m; means and deviations of an independent program's runs. */
static const struct {
	uint32_t workers;
	unsigned log2_work;
	double mean, sd;
	unsigned runs;
} halves[] = {
	{ 16, 14, 18.1, 2.8, 400 },  { 16, 17, 22.3, 3.9, 300 },  { 16, 20, 26.0, 3.7, 60 },
	{ 64, 14, 25.0, 3.0, 400 },  { 64, 17, 30.2, 3.7, 300 },  { 64, 20, 36.5, 4.1, 60 },
	{ 256, 14, 28.0, 3.0, 400 }, { 256, 17, 34.8, 3.3, 200 }, { 256, 20, 41.3, 3.2, 30 },
	{ 1024, 14, 30.3, 2.7, 60 }, { 1024, 17, 37.0, 3.3, 60 }, { 1024, 20, 44.0, 3.4, 20 },
	{ 4096, 20, 46.5, 2.0, 12 }, { 4096, 22, 51.0, 2.1, 6 },  { 16384, 20, 48.5, 2.6, 6 },
	{ 16384, 22, 52.6, 3.0, 4 },
};

/* 3.65 (log2 W + 0.72) + 1, proven for the mean. */
static double proven(unsigned log2_work)
{
	return 3.65 * (log2_work + 0.72) + 1;
}

static void test_steps_half_overhead(void **state)
{
	char what[64];

	(void)state;
	for (size_t i = 0; i < sizeof(halves) / sizeof(halves[0]); i++) {
		struct sim_config config = steps_of(halves[i].workers, halves[i].log2_work);
		double ideal = (double)config.work / config.workers;
		unsigned runs = SIM_SLOW ? halves[i].runs / 20 + 1 : halves[i].runs;
		if (SIM_SLOW && halves[i].workers * halves[i].log2_work > 256 * 17)
			continue;
		struct sim_sample got = sim_overhead(config, runs, ideal);
		snprintf(what, sizeof(what), "m = %u, W = 2^%u", config.workers,
			 halves[i].log2_work);
		sim_expect(what, got, halves[i].mean, halves[i].sd, 0.05);
		assert_true(got.most < proven(halves[i].log2_work) + 4 * halves[i].sd);
	}
}

/* Thieves that share always do better than thieves that are refused. */
static void test_steps_cooperative_is_better(void **state)
{
	unsigned runs = SIM_SLOW ? 10 : 60;

	(void)state;
	for (uint32_t workers = 64; workers <= 256; workers *= 2) {
		struct sim_config config = steps_of(workers, 17);
		double ideal = (double)config.work / workers;
		double plain = sim_overhead(config, runs, ideal).mean / 17;
		config.is_cooperative = true;
		double shared = sim_overhead(config, runs, ideal).mean / 17;
		if (getenv("SIM_SHOW"))
			print_message("m = %u: %.2f plain, %.2f cooperative\n", workers, plain,
				      shared);
		assert_true(shared < plain);
		assert_true(shared > 1.64 * 0.9 && shared < 1.90 * 1.1);
	}
}

/* Steal-one on a flat bag: however many there are, it takes W / (2 - 1/e). */
static void test_steps_one_stalls(void **state)
{
	static const struct {
		uint32_t workers;
		double steps;
	} ones[] = { { 4, 10162 }, { 32, 10096 }, { 256, 10069 } };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct sim_config config = steps_of(ones[i].workers, 14);
		config.amount = SIM_AMOUNT_ONE;
		struct sim_sample got = sim_overhead(config, SIM_SLOW ? 2 : 10, 0);
		sim_expect("steal-one", got, ones[i].steps, 0, 0.05);
		if (ones[i].workers == 256)
			assert_true(fabs(got.mean / 16384 - 1 / (2 - exp(-1))) < 0.01);
	}
}

/* All units are done once, whatever is stolen. */
static void test_steps_work_is_kept(void **state)
{
	static const enum sim_amount amounts[] = { SIM_AMOUNT_ONE, SIM_AMOUNT_HALF,
						   SIM_AMOUNT_PART };

	(void)state;
	for (uint32_t workers = 1; workers < 40; workers += 3) {
		for (unsigned k = 0; k < 6; k++) {
			struct sim_config config = steps_of(workers, 10);
			config.work += workers;
			config.amount = amounts[k % 3];
			config.part = 200;
			config.is_cooperative = k >= 3;
			struct sim_result result = sim_ran(&config);
			assert_int_equal(result.tasks, config.work);
			assert_true(result.makespan * workers >= config.work);
			assert_true(result.makespan <= config.work);
			assert_int_equal(result.tries, result.steals + result.failed);
			assert_true(workers > 1 || result.makespan == config.work);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps_half_overhead),
		cmocka_unit_test(test_steps_cooperative_is_better),
		cmocka_unit_test(test_steps_one_stalls),
		cmocka_unit_test(test_steps_work_is_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
