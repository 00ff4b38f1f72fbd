/* SPDX-License-Identifier: MIT */
/* test_sim_idle.c — those without work: lifelines, sleepers, standstills, quota, speeds, the log */
#include "unit/test_sim.h"

/* One long node before many short ones: a while in which only one has anything to do. */
static uint64_t costs[101];
static uint32_t firsts[102], nexts[100];

static struct sim_dag late_fan(uint64_t length)
{
	costs[0] = length;
	firsts[0] = 0;
	for (uint32_t i = 1; i <= 100; i++) {
		costs[i] = 10;
		firsts[i] = 100;
		nexts[i - 1] = i;
	}
	firsts[101] = 100;
	return (struct sim_dag){ 101, costs, firsts, nexts };
}

static struct sim_config late(uint64_t length)
{
	struct sim_config config = sim_plain();

	config.workers = 64;
	config.topology.latency[0] = 10;
	config.workload = (struct sim_workload){ SIM_WORK_DAG, .dag = late_fan(length) };
	return config;
}

/* At most w + z requests in an idle spell; random thieves send the longer the more. */
static void test_idle_lifelines_fall_silent(void **state)
{
	(void)state;
	struct sim_config config = late(100000);
	struct sim_result random = sim_ran(&config);
	config.lifeline_tries = 3;
	struct sim_result quiet = sim_ran(&config);
	config.workload.dag = late_fan(10000000);
	struct sim_result longer = sim_ran(&config);

	assert_true(random.messages > 63 * 100000 / 20);
	assert_true(quiet.tries + quiet.lifeline_asks <= quiet.spells * (3 + 6));
	assert_true(quiet.lifeline_asks >= 63);
	assert_int_equal(longer.messages, quiet.messages);
	assert_int_equal(longer.work, 10000000 + 1000);
	assert_true(longer.used > 15);
	for (uint32_t z = 1; z <= 7; z++) {
		config = late(1000);
		config.workers = 61; /* some numbers of z digits are nobody's */
		config.lifeline_tries = 1;
		config.lifelines = z;
		struct sim_result r = sim_ran(&config);
		assert_int_equal(r.work, 2000);
		assert_true(r.tries + r.lifeline_asks <= r.spells * (1 + z));
	}
}

/* Sleepers try no more, and are woken one by the other when there is work. */
static void test_idle_sleepers_wake(void **state)
{
	(void)state;
	struct sim_config config = late(1000000);
	config.park_rounds = 1;
	config.costs.wake = 30;
	struct sim_result r = sim_ran(&config);

	assert_true(r.tries <= r.spells * 63);
	assert_true(r.parks >= 63);
	assert_true(r.wakes > 0 && r.used > 1);
	assert_true(r.spent.parked > (uint64_t)60 * 900000);
	assert_true(r.makespan < 1000000 + 100 * 10);
}

/* Work that is made while the last searcher falls asleep is seen by its last look. */
static void test_idle_last_look(void **state)
{
	struct sim_config config = sim_plain();

	(void)state;
	config.workers = 2;
	config.park_rounds = 1;
	config.costs.park = 1000;
	config.workload = (struct sim_workload){ SIM_WORK_TREE, .leaf = 1000, .inner = 500,
						 .depth = 1, .fan = 100 };
	struct sim_result r = sim_ran(&config);
	assert_int_equal(r.used, 2);
	assert_true(r.makespan < 60000);
}

/*
 * Work that only ten at a time can do, among many workers.  Ours has few that look, and these must
 * not sleep before they have looked at all the others: then it takes longer the more there are, but
 * a task that waits is found.
 */
static void test_idle_few_find_narrow_work(void **state)
{
	struct sim_config config = sim_plain();

	(void)state;
	config.workers = 64;
	config.workload = (struct sim_workload){ SIM_WORK_LAYERS, .count = 2000, .leaf = 5000,
						 .fan = 10, .degree = 2 };
	config.costs.wake = 5000;
	config.costs.park = 2000;
	config.costs.steal[0] = 200;
	config.costs.fail[0] = 50;
	struct sim_result many = sim_ran(&config); /* nobody sleeps */
	config.scheduler = SIM_SKUA;
	for (; config.workers <= 1024; config.workers *= 4) {
		struct sim_result few = sim_ran(&config);
		assert_int_equal(few.tasks, many.tasks);
		assert_true(few.makespan < 9 * many.makespan / 2);
		assert_true(few.steals > 300);
	}
}

/* A lifeline that is still out is not laid again: each is used up by what is sent along it. */
static void test_idle_lifelines_are_laid_once(void **state)
{
	struct sim_config config = sim_plain();

	(void)state;
	config.workers = 64;
	config.amount = SIM_AMOUNT_ONE;
	config.lifeline_tries = 1;
	config.topology.latency[0] = 5;
	config.workload = (struct sim_workload){ SIM_WORK_UTS, .leaf = 20, .inner = 20 };
	assert_true(sim_uts_named("deep", &config.workload.uts));
	struct sim_result r = sim_ran(&config);
	assert_int_equal(r.tasks, 92549);
	assert_true(r.spells > 10 * 64);
	assert_true(r.lifeline_asks <= 64 * 6 + r.sends);
}

/* Who waits for a stolen child while asleep is woken by who ends it. */
static void test_idle_joins_wake(void **state)
{
	struct sim_config config = sim_plain();

	(void)state;
	config.workers = 4;
	config.scheduler = SIM_SKUA;
	config.workload = (struct sim_workload){ SIM_WORK_TREE, .leaf = 5000, .inner = 10,
						 .after = 10,	.depth = 3,   .fan = 3,
						 .jitter = 800 };
	config.costs.wake = 100;
	for (config.seed = 0; config.seed < 50; config.seed++) {
		struct sim_result r = sim_ran(&config);
		assert_int_equal(r.tasks, 40);
		assert_true(r.makespan < r.work / 2);
	}
}

/* --- time --- */

static struct sim_config row(uint32_t workers, uint64_t count, uint64_t leaf)
{
	struct sim_config config = sim_plain();

	config.scheduler = SIM_STATIC;
	config.workers = workers;
	config.workload.count = count;
	config.workload.leaf = leaf;
	return config;
}

static void test_idle_speeds(void **state)
{
	static const uint32_t speeds[] = { 1024, 512, 2048 };
	struct sim_config config = row(3, 3, 100);
	uint64_t busy[3];

	(void)state;
	config.speeds = speeds;
	config.speed_count = 3;
	config.busy_of = busy;
	struct sim_result r = sim_ran(&config);
	assert_int_equal(r.makespan, 200);
	assert_int_equal(r.work, 300);
	assert_int_equal(busy[0], 100);
	assert_int_equal(busy[1], 200);
	assert_int_equal(busy[2], 50);
	config.scheduler = SIM_STEAL; /* and stealing makes up for it */
	config.workload.count = 3000;
	r = sim_ran(&config);
	assert_true((double)r.makespan < 300000 / 3.5 * 1.05);
}

static void test_idle_standstills(void **state)
{
	static const struct sim_stall once = { 1, 1, 50, 1000, 0 };
	static const struct sim_stall often = { 0, 2, 10, 5, 20 };
	struct sim_config config = row(2, 2, 100);

	(void)state;
	config.stalls = &once;
	config.stall_count = 1;
	assert_int_equal(sim_ran(&config).makespan, 1100);
	config.workload.count = 1; /* only worker 1 has it */
	assert_int_equal(sim_ran(&config).makespan, 1100);
	config.workload.count = 2;
	config.stalls = &often; /* 10, then 15 of each 20; the 100th in the seventh period */
	assert_int_equal(sim_ran(&config).makespan, 10 + 6 * 20);
	config = row(2, 2000, 10);
	config.scheduler = SIM_STEAL;
	config.stalls = &once;
	config.stall_count = 1;
	uint64_t robbed = sim_ran(&config).makespan; /* its queue does not stand still */
	assert_true(robbed < 10000 + 600);
}

static void test_idle_quota(void **state)
{
	struct sim_config config = row(2, 2, 1000);

	(void)state;
	config.quota = 25;
	config.quota_period = 100;
	assert_int_equal(sim_ran(&config).makespan, 39 * 100 + 25);
	config.workload.leaf = 30;
	assert_int_equal(sim_ran(&config).makespan, 105);
	config.workload.leaf = 25;
	assert_int_equal(sim_ran(&config).makespan, 25);
}

/* --- the log --- */

struct seen {
	uint64_t count[SIM_STEP_COUNT], last, stolen;
};

static void see(void *user, const struct sim_step *step)
{
	struct seen *seen = user;

	assert_true(step->time >= seen->last);
	assert_true(step->worker < 8);
	seen->last = step->time;
	seen->count[step->kind]++;
	if (step->kind == SIM_STEP_STEAL)
		seen->stolen += step->count;
}

static void test_idle_log(void **state)
{
	struct sim_config config = sim_plain();
	struct seen seen = { .last = 0 };

	(void)state;
	config.workers = 8;
	config.park_rounds = 2;
	config.workload = (struct sim_workload){ SIM_WORK_TREE, .leaf = 50, .inner = 3,
						 .after = 4,	.depth = 7, .fan = 2 };
	struct sim_result silent = sim_ran(&config);
	config.log = see;
	config.log_user = &seen;
	struct sim_result r = sim_ran(&config);
	assert_int_equal(r.hash, silent.hash);
	assert_int_equal(seen.count[SIM_STEP_BEGIN], 255 + 127);
	assert_int_equal(seen.count[SIM_STEP_END], 255 + 127);
	assert_int_equal(seen.count[SIM_STEP_TRY], r.tries);
	assert_int_equal(seen.count[SIM_STEP_FAIL], r.failed);
	assert_int_equal(seen.count[SIM_STEP_STEAL], r.steals);
	assert_int_equal(seen.stolen, r.stolen);
	assert_int_equal(seen.count[SIM_STEP_PARK], r.parks);
	assert_int_equal(seen.count[SIM_STEP_WAKE], r.wakes);
	for (unsigned kind = 0; kind < SIM_STEP_COUNT; kind++)
		assert_non_null(sim_step_name(kind));
	assert_null(sim_step_name(SIM_STEP_COUNT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle_lifelines_fall_silent),
		cmocka_unit_test(test_idle_sleepers_wake),
		cmocka_unit_test(test_idle_last_look),
		cmocka_unit_test(test_idle_few_find_narrow_work),
		cmocka_unit_test(test_idle_lifelines_are_laid_once),
		cmocka_unit_test(test_idle_joins_wake),
		cmocka_unit_test(test_idle_speeds),
		cmocka_unit_test(test_idle_standstills),
		cmocka_unit_test(test_idle_quota),
		cmocka_unit_test(test_idle_log),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
