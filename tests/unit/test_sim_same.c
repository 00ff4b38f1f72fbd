/* SPDX-License-Identifier: MIT */
/* test_sim_same.c — the same seed gives the same bytes, whoever compiled it for which machine */
#include "unit/test_sim.h"

/* FNV-1a of what a run gave, but for the memory it took: pointers differ in size. */
static uint64_t digest(uint64_t hash, struct sim_result result)
{
	const uint64_t numbers[] = {
		result.makespan,       result.work,
		result.span,	       result.tasks,
		result.steals,	       result.stolen,
		result.tries,	       result.failed,
		result.messages,       result.sends,
		result.lifeline_asks,  result.parks,
		result.wakes,	       result.events,
		result.peak_queue,     result.peak_live,
		result.used,	       result.spent.busy,
		result.spent.overhead, result.spent.searching,
		result.spent.waiting,  result.spent.parked,
		result.spent.blocked,  result.efficiency,
		result.sojourn,	       result.hash,
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		for (unsigned byte = 0; byte < 64; byte += 8)
			hash = (hash ^ (numbers[i] >> byte & 255)) * 0x100000001b3u;
	return hash;
}

/* A bit of everything. */
static uint64_t digest_all(void)
{
	static const uint32_t speeds[] = { 1024, 900, 1100 };
	uint64_t hash = 0xcbf29ce484222325u;

	for (unsigned k = 0; k < 30; k++) {
		struct sim_config config = sim_plain();
		config.seed = k;
		config.workers = 5 + 13 * k;
		config.scheduler = (enum sim_scheduler)(k % 5);
		config.victim = (enum sim_victim)(k % SIM_VICTIM_COUNT);
		config.remote = 100000;
		config.topology = (struct sim_topology){ 2, { 8, 0 }, { 0, k % 4 * 7 } };
		config.workload = (struct sim_workload){
			(enum sim_work)(k % 5),
			.count = 3000,
			.leaf = 30,
			.inner = 5,
			.after = 3,
			.depth = 9,
			.fan = 2,
			.degree = 2,
			.jitter = 100,
			.law = k % SIM_LAW_COUNT,
		};
		assert_true(sim_uts_named(k % 2 ? "cyclic" : "hybrid", &config.workload.uts));
		config.speeds = k % 3 ? speeds : NULL;
		config.speed_count = 3;
		config.lifeline_tries = k % 7 == 3 ? 2 : 0;
		config.costs.wake = 17;
		hash = digest(hash, sim_ran(&config));
		config.scheduler = SIM_STEAL;
		config.speeds = NULL;
		config.topology.latency[0] = 1 + k;
		config.topology.latency[1] = 30 + k;
		config.work = 50000;
		config.length = 5;
		config.warm_up = 1;
		for (unsigned model = SIM_STEPS; model <= SIM_OPEN; model++) {
			config.model = (enum sim_model)model;
			hash = digest(hash, sim_ran(&config));
		}
	}
	return hash;
}

static void test_same_bytes_everywhere(void **state)
{
	const uint64_t recorded = 0xa441087380cdb757u;
	uint64_t hash = digest_all();

	(void)state;
	if (hash != recorded)
		fail_msg("the digest of all runs is 0x%016llx; if what is simulated was changed on "
			 "purpose, record that",
			 (unsigned long long)hash);
}

/* Trees of a hundred tasks of all priorities, heeded; each task is at home with another worker. */
static uint64_t digest_priorities(void)
{
	enum {
		NODES = 100
	};
	uint64_t cost[NODES], hash = 0xcbf29ce484222325u;
	uint32_t first[NODES + 1], next[NODES], home[NODES];
	uint8_t priority[NODES];
	struct sim_config config = sim_plain();

	config.is_urgent_first = true;
	config.workload = (struct sim_workload){ SIM_WORK_DAG, .dag = { NODES, cost, first, next },
						 .home = home, .priority = priority };
	for (unsigned k = 0; k < 15; k++) {
		uint32_t edges = 0;
		for (uint32_t i = 0; i < NODES; i++) {
			first[i] = edges;
			for (uint32_t to = 3 * i + 1; to <= 3 * i + 3 && to < NODES - 20; to++)
				next[edges++] = to;
			cost[i] = 3 + (i * 5 + k) % 17;
			home[i] = i % 3;
			priority[i] = (uint8_t)((i + k) % 5 % SIM_PRIORITY_COUNT);
		}
		first[NODES] = edges;
		config.seed = k;
		config.workers = 3 + k;
		config.scheduler = (enum sim_scheduler)(k % 5);
		config.costs.queue = k % 3;
		struct sim_result result = sim_ran(&config);
		hash = digest(hash, result);
		for (unsigned i = 0; i < SIM_PRIORITY_COUNT; i++)
			hash = (hash ^ result.ends[i].sum ^ result.ends[i].last) * 0x100000001b3u;
	}
	return hash;
}

static void test_same_bytes_with_priorities(void **state)
{
	const uint64_t recorded = 0xa7c58c6a65218957u;
	uint64_t hash = digest_priorities();

	(void)state;
	if (hash != recorded)
		fail_msg("the digest of runs with priorities is 0x%016llx; if they were changed on "
			 "purpose, record that",
			 (unsigned long long)hash);
}

static void test_same_seed_same_bytes(void **state)
{
	(void)state;
	struct sim_config config = sim_plain();
	config.workers = 100;
	config.workload.count = 10000;
	struct sim_result a = sim_ran(&config), b = sim_ran(&config);
	sim_expect_same(a, b);
	config.seed = 1;
	b = sim_ran(&config);
	assert_true(a.hash != b.hash);
	assert_true(a.tries != b.tries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_bytes_everywhere),
		cmocka_unit_test(test_same_bytes_with_priorities),
		cmocka_unit_test(test_same_seed_same_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
