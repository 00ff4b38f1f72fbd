/* SPDX-License-Identifier: MIT */
/* test_sim_priority.c — simulated priorities: who goes first, who moves on, what is told of it */
#include "unit/test_sim.h"

#define TASKS	1100
#define WORKERS 4

static uint64_t costs[TASKS];
static uint32_t firsts[TASKS + 1], nexts[TASKS], homes[TASKS];
static uint8_t priorities[TASKS];

/* Normal tasks of so many ticks without edges, all with worker 0; nothing costs but a try. */
static struct sim_config bag_of(uint32_t count, uint64_t ticks)
{
	struct sim_config config = sim_plain();

	memset(firsts, 0, sizeof(firsts));
	memset(priorities, SIM_NORMAL, sizeof(priorities));
	for (uint32_t i = 0; i < count; i++) {
		costs[i] = ticks;
		homes[i] = 0;
	}
	config.workload = (struct sim_workload){ SIM_WORK_DAG,
						 .dag = { count, costs, firsts, nexts },
						 .home = homes, .priority = priorities };
	config.workers = WORKERS;
	config.is_urgent_first = true;
	return config;
}

/* One that makes the next ready, from the first of them to the last. */
static void chain(uint32_t first, uint32_t last)
{
	for (uint32_t i = 0, edges = 0; i < TASKS; i++) {
		firsts[i] = edges;
		if (i >= first && i < last)
			nexts[edges++] = i + 1;
		firsts[i + 1] = edges;
	}
}

/* --- what the log says --- */

struct seen {
	uint32_t order[TASKS], count; /* of tasks, as they were begun */
	uint64_t begun[TASKS];
	uint32_t worker[TASKS], ended;
	struct sim_ends ends[SIM_PRIORITY_COUNT];
};

static void see(void *user, const struct sim_step *step)
{
	struct seen *seen = user;

	if (step->task != SIM_NONE)
		assert_int_equal(step->priority, priorities[step->task]);
	if (step->kind == SIM_STEP_BEGIN) {
		seen->begun[step->task] = step->time;
		seen->worker[step->task] = step->worker;
		seen->order[seen->count++] = step->task;
	} else if (step->kind == SIM_STEP_END) {
		struct sim_ends *ends = &seen->ends[priorities[step->task]];
		ends->count++;
		ends->sum += step->time;
		ends->last = step->time;
		seen->ended++;
	}
}

static struct seen seen_of(struct sim_config config, struct sim_result *result)
{
	struct seen seen = { .count = 0 };

	config.log = see;
	config.log_user = &seen;
	*result = sim_ran(&config);
	assert_int_equal(seen.count, config.workload.dag.count);
	assert_int_equal(seen.ended, config.workload.dag.count);
	assert_memory_equal(seen.ends, result->ends, sizeof(seen.ends));
	return seen;
}

static void expect_order(const struct seen *seen, const uint32_t *order, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(seen->order[i], order[i]);
}

/* --- tests --- */

/* Urgent and low ones as they came, its own the newest first. */
static void test_priority_of_one_worker(void **state)
{
	static const uint32_t stolen[] = { 1, 4, 6, 3, 0, 2, 5 };
	static const uint32_t central[] = { 1, 4, 0, 3, 6, 2, 5 };
	struct sim_result r;

	(void)state;
	struct sim_config config = bag_of(7, 10);
	priorities[1] = priorities[4] = SIM_URGENT;
	priorities[2] = priorities[5] = SIM_LOW;
	config.workers = 1;
	struct seen seen = seen_of(config, &r);
	expect_order(&seen, stolen, 7);
	assert_int_equal(r.ends[SIM_URGENT].count, 2);
	assert_int_equal(r.ends[SIM_URGENT].sum, 10 + 20);
	assert_int_equal(r.ends[SIM_URGENT].last, 20);
	assert_int_equal(r.ends[SIM_NORMAL].last, 50);
	assert_int_equal(r.ends[SIM_LOW].last, 70);
	config.scheduler = SIM_SKUA;
	config.is_urgent_first = false; /* ours heeds them all the same */
	seen = seen_of(config, &r);
	expect_order(&seen, stolen, 7);
	config.scheduler = SIM_CENTRAL;
	config.is_urgent_first = true;
	seen = seen_of(config, &r);
	expect_order(&seen, central, 7);
}

/* Task 0 makes two urgent ones ready; both workers have others of their own, and leave them. */
static void test_priority_across_workers(void **state)
{
	struct sim_result r;

	(void)state;
	struct sim_config config = bag_of(12, 10);
	config.workers = 2;
	nexts[0] = 10;
	nexts[1] = 11;
	for (uint32_t i = 1; i <= 12; i++)
		firsts[i] = 2;
	for (uint32_t i = 1; i < 10; i++)
		homes[i] = 1;
	priorities[10] = priorities[11] = SIM_URGENT;
	struct seen seen = seen_of(config, &r);
	assert_int_equal(seen.begun[10], 10);
	assert_int_equal(seen.begun[11], 10);
	assert_int_equal(seen.worker[10], 0);
	assert_int_equal(seen.worker[11], 1);
	config.is_urgent_first = false;
	seen = seen_of(config, &r);
	assert_int_equal(seen.begun[11], 10); /* goes on with it, as with a call */
	assert_true(seen.begun[10] > 10);
	assert_int_equal(r.ends[SIM_URGENT].count, 2);
}

/* The queues for all serve one taker at a time. */
static void test_priority_costs_the_queue(void **state)
{
	struct sim_result r;

	(void)state;
	struct sim_config config = bag_of(WORKERS, 10);
	memset(priorities, SIM_URGENT, WORKERS);
	config.costs.queue = 3;
	struct seen seen = seen_of(config, &r);
	assert_int_equal(seen.count, WORKERS);
	assert_int_equal(r.makespan, 3 * WORKERS + 10);
	assert_int_equal(r.spent.waiting, 3 + 6 + 9 + 12);
	memset(priorities, SIM_NORMAL, WORKERS); /* in its own deque, as ever */
	config.workers = 1;
	config.costs.pop = 2;
	seen = seen_of(config, &r);
	assert_int_equal(r.makespan, WORKERS * (10 + 2));
	assert_int_equal(r.spent.waiting, 0);
}

/* A chain of a thousand, and one that would be behind it: every 61st look is out of turn. */
static void test_priority_low_moves_on(void **state)
{
	struct sim_result r;

	(void)state;
	for (unsigned scheduler = SIM_STEAL; scheduler <= SIM_SKUA; scheduler++) {
		if (scheduler == SIM_SHARING || scheduler == SIM_STATIC)
			continue;
		struct sim_config config = bag_of(1001, 10);
		config.scheduler = (enum sim_scheduler)scheduler;
		config.workers = 1;
		chain(0, 999);
		priorities[1000] = SIM_LOW;
		seen_of(config, &r);
		assert_int_equal(r.ends[SIM_LOW].last, 610);
		assert_int_equal(r.ends[SIM_NORMAL].last, 10010);
	}
}

/* Urgent work without end keeps neither a low task nor a normal one waiting. */
static void test_priority_urgent_lets_others_pass(void **state)
{
	struct sim_result r;

	(void)state;
	struct sim_config config = bag_of(1004, 10);
	config.workers = 1;
	memset(priorities, SIM_URGENT, 1000);
	chain(0, 999);
	priorities[1000] = priorities[1001] = SIM_LOW;
	for (unsigned k = 0; k < 2; k++) {
		config.scheduler = k ? SIM_CENTRAL : SIM_STEAL;
		struct seen seen = seen_of(config, &r);
		assert_int_equal(seen.begun[1000], 600);
		assert_int_equal(seen.begun[1002], 1210); /* the oldest of its own, by turns */
		assert_int_equal(seen.begun[1001], 1820);
		assert_int_equal(seen.begun[1003], 2430);
	}
}

/* Whoever sleeps is woken for what is in the queues for all, one by the other. */
static void test_priority_wakes_sleepers(void **state)
{
	struct sim_result r;

	(void)state;
	for (unsigned priority = SIM_URGENT; priority <= SIM_LOW; priority++) {
		struct sim_config config = bag_of(WORKERS + 1, 1000);
		config.scheduler = SIM_SKUA;
		config.costs.wake = 3;
		for (uint32_t i = 1; i <= WORKERS; i++) {
			priorities[i] = (uint8_t)priority;
			nexts[i - 1] = i;
			firsts[i] = WORKERS;
		}
		firsts[WORKERS + 1] = WORKERS;
		struct seen seen = seen_of(config, &r);
		assert_int_equal(r.used, WORKERS);
		assert_true(r.parks > 0 && r.wakes >= WORKERS - 1);
		for (uint32_t i = 1; i <= WORKERS; i++)
			assert_true(seen.begun[i] < 1100);
	}
}

/* A low task is the last resort of a thief, but one: it is not left to its maker. */
static void test_priority_low_is_taken_by_anybody(void **state)
{
	struct sim_result r;

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		struct sim_config config = bag_of(5, 100);
		config.scheduler = k ? SIM_SKUA : SIM_STEAL;
		memset(priorities + 1, SIM_LOW, 4);
		struct seen seen = seen_of(config, &r);
		assert_int_equal(r.used, WORKERS);
		assert_int_equal(seen.worker[0], 0);
		assert_true(seen.begun[1] > 0 && seen.begun[1] < 20); /* a round of tries first */
		assert_true(r.makespan < 240);
	}
}

/* Not heeded, they change nothing; all of one kind, they change no order. */
static void test_priority_of_no_consequence(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 10; k++) {
		struct sim_config config = bag_of(50, 7);
		config.seed = k;
		config.scheduler = k % 2 ? SIM_CENTRAL : SIM_STEAL;
		chain(10, 30);
		struct sim_result ranked = sim_ran(&config);
		config.workload.priority = NULL;
		struct sim_result none = sim_ran(&config);
		assert_int_equal(ranked.hash, none.hash);
		assert_int_equal(ranked.makespan, none.makespan);
		assert_int_equal(none.ends[SIM_NORMAL].count, 0);
		assert_int_equal(ranked.ends[SIM_NORMAL].count, 50);
		for (uint32_t i = 0; i < 50; i++)
			priorities[i] = (uint8_t)(i % 3);
		config.workload.priority = priorities;
		config.is_urgent_first = false;
		config.scheduler = (enum sim_scheduler)(k % 4);
		struct sim_result ignored = sim_ran(&config);
		config.workload.priority = NULL;
		sim_expect_same(ignored, sim_ran(&config));
		assert_int_equal(ignored.ends[SIM_LOW].count, 16);
		if (k % 4 < SIM_SHARING)
			continue;
		config.workload.priority = priorities;
		config.is_urgent_first = true; /* but nobody there can */
		sim_expect_same(ignored, sim_ran(&config));
	}
}

/* Forks, chains and loose ends of all priorities: all is done once, and every tick is somewhere. */
static void test_priority_all_is_done(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 200; k++) {
		struct sim_config config = bag_of(200, 5);
		struct sim_result r;
		uint32_t edges = 0;
		for (uint32_t i = 0; i < 200; i++) {
			firsts[i] = edges;
			for (uint32_t to = 2 * i + 1; to <= 2 * i + 2 && to < 150; to++)
				nexts[edges++] = to;
			costs[i] = (i * 7 + k) % 11;
			homes[i] = i % WORKERS;
			priorities[i] = (uint8_t)((i * i + k) % 7 % 3);
		}
		firsts[200] = edges;
		config.seed = k;
		config.workers = k % 3 ? WORKERS + k % 5 : 64;
		config.scheduler = k % 5 == 2 || k % 5 == 3 ? SIM_STEAL
							    : (enum sim_scheduler)(k % 5);
		config.amount = k % 2 ? SIM_AMOUNT_ONE : SIM_AMOUNT_HALF;
		config.victim = (enum sim_victim)(k % SIM_VICTIM_REMOTE);
		config.topology.latency[0] = k % 4 == 3 ? 3 : 0;
		config.costs.queue = k % 3;
		config.costs.pop = config.costs.push = k % 2;
		config.costs.wake = config.costs.park = k % 6;
		seen_of(config, &r);
		const struct sim_spent *s = &r.spent;
		assert_int_equal(s->busy + s->overhead + s->searching + s->waiting + s->parked +
					 s->blocked,
				 config.workers * r.makespan);
	}
}

static void test_priority_that_is_none(void **state)
{
	struct sim_config config = bag_of(3, 1);
	struct sim_result r;
	struct sim_error error;

	(void)state;
	priorities[2] = SIM_PRIORITY_COUNT;
	assert_int_equal(sim_run(&config, &r, &error), -1);
	assert_string_equal(error.text, "node 2 of the dag has priority 3; expected 0..2");
	priorities[2] = SIM_LOW;
	assert_int_equal(sim_run(&config, &r, &error), 0);
	config.lifeline_tries = 2;
	assert_int_equal(sim_run(&config, &r, &error), -1);
	assert_string_equal(error.text, "who waits at its lifelines sees no urgent task; choose "
					"lifelines or priorities");
	config = sim_plain();
	config.workload.priority = priorities;
	assert_int_equal(sim_run(&config, &r, &error), -1);
	assert_string_equal(error.text, "only the tasks of a dag can have a priority");
	assert_string_equal(sim_priority_name(SIM_URGENT), "urgent");
	assert_null(sim_priority_name(SIM_PRIORITY_COUNT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_priority_of_one_worker),
		cmocka_unit_test(test_priority_across_workers),
		cmocka_unit_test(test_priority_costs_the_queue),
		cmocka_unit_test(test_priority_low_moves_on),
		cmocka_unit_test(test_priority_urgent_lets_others_pass),
		cmocka_unit_test(test_priority_wakes_sleepers),
		cmocka_unit_test(test_priority_low_is_taken_by_anybody),
		cmocka_unit_test(test_priority_of_no_consequence),
		cmocka_unit_test(test_priority_all_is_done),
		cmocka_unit_test(test_priority_that_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
