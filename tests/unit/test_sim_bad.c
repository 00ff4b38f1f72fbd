/* SPDX-License-Identifier: MIT */
/* test_sim_bad.c — what cannot be simulated is refused with a reason, and memory may run out */
#include "unit/test_sim.h"

/* Refused, and the reason has this word in it. */
static void expect_refused(const struct sim_config *config, const char *word)
{
	struct sim_result result;
	struct sim_error error = { "untouched" };

	assert_int_equal(sim_run(config, &result, &error), -1);
	if (!strstr(error.text, word))
		fail_msg("no \"%s\" in: %s", word, error.text);
}

static void test_bad_workers_and_time(void **state)
{
	static const uint32_t speeds[] = { 1024, 0 };
	static const struct sim_stall always = { 0, 9, 0, 10, 10 };
	static const struct sim_stall turns[] = { { 0, 9, 0, 5, 10 }, { 0, 9, 5, 5, 10 } };
	struct sim_config config = sim_plain(), plain = config;

	(void)state;
	config.workers = 0;
	expect_refused(&config, "0 workers; expected 1..16777216");
	config.workers = SIM_WORKERS_MAX + 1;
	expect_refused(&config, "16777217 workers");
	config = plain;
	config.speeds = speeds;
	expect_refused(&config, "nothing in it");
	config.speed_count = 2;
	expect_refused(&config, "a speed of 0");
	config = plain;
	config.stalls = &always;
	config.stall_count = 1;
	expect_refused(&config, "never ends");
	config.stalls = turns;
	config.stall_count = 2;
	expect_refused(&config, "for ever");
	config = plain;
	config.quota_period = 10;
	expect_refused(&config, "quota of 0");
	config.quota = 11;
	expect_refused(&config, "quota of 11 in 10");
	config = plain;
	config.memory.get = NULL;
	expect_refused(&config, "no memory was given");
}

static void test_bad_costs_and_places(void **state)
{
	struct sim_config config = sim_plain(), plain = config;

	(void)state;
	config.costs.push = (uint64_t)-5;
	expect_refused(&config, "18446744073709551611 ticks is too large");
	config = plain;
	config.costs.fail[0] = 0;
	expect_refused(&config, "try for ever");
	config.topology.latency[0] = 1;
	sim_ran(&config);
	config.topology.latency[0] = UINT64_MAX;
	expect_refused(&config, "a latency of");
	config = plain;
	config.topology.levels = SIM_LEVELS + 1;
	expect_refused(&config, "7 levels");
	config.topology.levels = 3;
	expect_refused(&config, "groups of 0");
	config.topology.group[0] = 4;
	config.topology.group[1] = 6;
	expect_refused(&config, "groups of 6 workers are not made of whole groups of 4");
}

static void test_bad_stealing(void **state)
{
	struct sim_config config = sim_plain(), plain = config;

	(void)state;
	config.victim = SIM_VICTIM_COUNT;
	expect_refused(&config, "victim law 7");
	config = plain;
	config.amount = SIM_AMOUNT_PART;
	expect_refused(&config, "0 parts of 1024");
	config = plain;
	config.remote = 1000001;
	expect_refused(&config, "millionths");
	config = plain;
	config.is_published = true;
	expect_refused(&config, "two clusters");
	config = plain;
	config.lifelines = SIM_LIFELINES + 1;
	expect_refused(&config, "25 lifelines");
	config.lifelines = 0;
	config.lifeline_tries = config.park_rounds = 1;
	expect_refused(&config, "choose one");
	config = plain;
	config.is_fifo = true;
	config.join = SIM_JOIN_OWNER;
	expect_refused(&config, "newest");
	config = plain;
	config.scheduler = (enum sim_scheduler)(SIM_SKUA + 1);
	expect_refused(&config, "no scheduler 5");
	config = plain;
	config.model = (enum sim_model)9;
	expect_refused(&config, "no model 9");
	config.model = SIM_STEPS;
	config.work = 0;
	expect_refused(&config, "0 units of work");
	config.scheduler = SIM_CENTRAL;
	expect_refused(&config, "stealing only");
	config.model = SIM_OPEN;
	expect_refused(&config, "no stealing");
	config.scheduler = SIM_STEAL;
	config.load = 1000000;
	expect_refused(&config, "queues grow");
	config = plain;
	config.event_limit = 100;
	config.workers = 50;
	expect_refused(&config, "more than 100 events");
}

static void test_bad_workloads(void **state)
{
	struct sim_config config = sim_plain(), plain = config;

	(void)state;
	config.workload.count = 0;
	expect_refused(&config, "0 tasks; expected 1..4000000000");
	config.workload.count = 1000000;
	config.workload.leaf = SIM_TICKS_MAX;
	expect_refused(&config, "more work than fits");
	config = plain;
	config.workload.kind = SIM_WORK_LOOP;
	config.workload.law = SIM_LAW_COUNT;
	expect_refused(&config, "law of costs 6");
	config.workload.kind = SIM_WORK_TREE;
	config.workload.depth = 40;
	expect_refused(&config, "a tree of 40 levels with 2 children");
	config.workload.depth = 3;
	config.workload.jitter = 1025;
	expect_refused(&config, "1025 of 1024");
	config = plain;
	config.workload.kind = SIM_WORK_UTS;
	config.workload.uts = (struct sim_uts){ SIM_UTS_BINOMIAL, 0, 1, 4, 0, 500000000, 2 };
	expect_refused(&config, "never ends");
	config.workload.uts = (struct sim_uts){ SIM_UTS_GEOMETRIC, 0, 1, 4, 0, 0, 0 };
	expect_refused(&config, "depth 0");
	config.workload.kind = SIM_WORK_LAYERS;
	config.workload.degree = 2000;
	expect_refused(&config, "2000 edges");
	config.workload.kind = (enum sim_work)17;
	expect_refused(&config, "no workload 17");
}

static void test_bad_dags(void **state)
{
	static const uint64_t cost[] = { 1, 1, 1, 1 };
	static const uint32_t cyclic_first[] = { 0, 1, 2, 3, 4 }, cyclic_next[] = { 1, 2, 1, 0 };
	static const uint32_t falling_first[] = { 0, 2, 1, 3, 4 }, wide_next[] = { 1, 2, 4, 0 };
	static const uint32_t loop_first[] = { 0, 1 }, loop_next[] = { 0 };
	static const uint64_t dear[] = { 1, UINT64_MAX, 1, 1 };
	struct sim_config config = sim_plain();
	struct sim_dag *dag = &config.workload.dag;

	(void)state;
	config.workload.kind = SIM_WORK_DAG;
	expect_refused(&config, "a dag of 0 nodes");
	*dag = (struct sim_dag){ 4, cost, cyclic_first, cyclic_next };
	expect_refused(&config,
		       "the dag has a cycle: 2 of its nodes wait for each other, the first "
		       "is node 1;");
	*dag = (struct sim_dag){ 1, cost, loop_first, loop_next };
	expect_refused(&config, "cycle");
	*dag = (struct sim_dag){ 4, cost, falling_first, cyclic_next };
	expect_refused(&config, "node 1 of the dag end before they begin");
	*dag = (struct sim_dag){ 4, cost, cyclic_first, wide_next };
	expect_refused(&config, "edge 2 of the dag leads to no node");
	*dag = (struct sim_dag){ 4, dear, cyclic_first, wide_next };
	expect_refused(&config, "node 1 of the dag costs");
}

/* --- memory --- */

struct budget {
	unsigned left;
	int64_t held;
};

static void *budget_get(void *user, size_t bytes)
{
	struct budget *budget = user;

	if (!budget->left)
		return NULL;
	budget->left--;
	budget->held += (int64_t)bytes;
	return malloc(bytes);
}

static void budget_put(void *user, void *block, size_t bytes)
{
	((struct budget *)user)->held -= (int64_t)bytes;
	free(block);
}

/* Each request for memory fails once; nothing is lost, and all is well without a failure. */
static void run_out(struct sim_config config)
{
	struct sim_result result;
	struct sim_error error;
	int status = -1;

	for (unsigned allowed = 0; status && allowed < 200; allowed++) {
		struct budget budget = { allowed, 0 };
		config.memory = (struct sim_memory){ budget_get, budget_put, &budget };
		status = sim_run(&config, &result, &error);
		assert_int_equal(budget.held, 0);
		assert_true(!status || strstr(error.text, "no more memory"));
	}
	assert_int_equal(status, 0);
}

static void test_bad_memory(void **state)
{
	struct sim_config config = sim_plain();

	(void)state;
	config.workers = 300;
	for (unsigned model = 0; model <= SIM_OPEN; model++) {
		config.model = (enum sim_model)model;
		config.topology.latency[0] = 3;
		config.length = 3;
		config.warm_up = 1;
		run_out(config);
	}
	config.model = SIM_TASKS;
	config.costs.serve = 1;
	for (unsigned kind = SIM_WORK_TREE; kind < SIM_WORK_DAG; kind++) {
		config.workload.kind = (enum sim_work)kind;
		config.workload.depth = 12;
		config.workload.degree = 2;
		assert_true(sim_uts_named("hybrid", &config.workload.uts));
		config.lifeline_tries = kind % 2;
		for (unsigned scheduler = 0; scheduler <= SIM_SKUA; scheduler++) {
			config.scheduler = (enum sim_scheduler)scheduler;
			run_out(config);
		}
	}
}

/* With priorities: two more queues, and a count of looks. */
static void test_bad_memory_for_priorities(void **state)
{
	static uint64_t cost[300];
	static uint32_t first[301];
	static uint8_t priority[300];
	struct sim_config config = sim_plain();

	(void)state;
	for (uint32_t i = 0; i < 300; i++) {
		cost[i] = 10;
		priority[i] = (uint8_t)(i % SIM_PRIORITY_COUNT);
	}
	config.workers = 300;
	config.is_urgent_first = true;
	config.workload = (struct sim_workload){ SIM_WORK_DAG, .dag = { 300, cost, first, NULL },
						 .priority = priority };
	for (unsigned scheduler = 0; scheduler <= SIM_SKUA; scheduler++) {
		config.scheduler = (enum sim_scheduler)scheduler;
		run_out(config);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_workers_and_time),
		cmocka_unit_test(test_bad_costs_and_places),
		cmocka_unit_test(test_bad_stealing),
		cmocka_unit_test(test_bad_workloads),
		cmocka_unit_test(test_bad_dags),
		cmocka_unit_test(test_bad_memory),
		cmocka_unit_test(test_bad_memory_for_priorities),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
