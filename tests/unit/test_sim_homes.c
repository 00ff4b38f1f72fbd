/* SPDX-License-Identifier: MIT */
/* test_sim_homes.c — tasks that begin where they are put; queues drawn from the log */
#include "unit/test_sim.h"

#define TASKS	40
#define WORKERS 4

static uint64_t costs[TASKS];
static uint32_t firsts[TASKS + 1], nexts[TASKS], homes[TASKS];

/* Tasks of so many ticks without edges. */
static struct sim_config bag_of(uint32_t count, uint64_t ticks)
{
	struct sim_config config = sim_plain();

	for (uint32_t i = 0; i < count; i++) {
		costs[i] = ticks;
		firsts[i] = firsts[i + 1] = 0;
		homes[i] = SIM_NONE;
	}
	config.workers = WORKERS;
	config.workload = (struct sim_workload){ SIM_WORK_DAG,
						 .dag = { count, costs, firsts, nexts },
						 .home = homes };
	return config;
}

/* --- queues drawn from the log --- */

struct drawn {
	uint32_t queue[WORKERS + 1][TASKS],
		size[WORKERS + 1]; /* the oldest first; one more: central */
	uint32_t held[WORKERS][TASKS], held_count[WORKERS]; /* by a thief, on the way home */
	uint32_t sent[TASKS], sent_count;
	uint32_t runs[WORKERS]; /* 1 + the task */
	uint32_t begun[TASKS], ended;
	uint64_t steals, stolen, count[SIM_STEP_COUNT];
	bool is_central;
};

static void put(struct drawn *d, uint32_t w, uint32_t task)
{
	assert_true(d->size[w] < TASKS);
	d->queue[w][d->size[w]++] = task;
}

static bool take(struct drawn *d, uint32_t w, uint32_t task)
{
	for (uint32_t i = 0; i < d->size[w]; i++) {
		if (d->queue[w][i] != task)
			continue;
		for (uint32_t k = i + 1; k < d->size[w]; k++)
			d->queue[w][k - 1] = d->queue[w][k];
		d->size[w]--;
		return true;
	}
	return false;
}

static void draw_thief(struct drawn *d, const struct sim_step *step)
{
	uint32_t w = step->worker;

	if (step->kind == SIM_STEP_TAKE) {
		assert_int_equal(d->queue[step->other][0], step->task);
		for (uint32_t i = 0; i < step->count; i++) {
			uint32_t oldest = d->queue[step->other][0];
			assert_true(take(d, step->other, oldest));
			d->held[w][d->held_count[w]++] = oldest;
		}
		return;
	}
	assert_int_equal(d->held_count[w], step->count);
	for (uint32_t i = 0; i < step->count; i++)
		put(d, w, d->held[w][i]);
	d->held_count[w] = 0;
	d->steals++;
	d->stolen += step->count;
}

static void draw_runner(struct drawn *d, const struct sim_step *step)
{
	uint32_t w = step->worker;

	if (step->kind == SIM_STEP_END) {
		assert_int_equal(d->runs[w], step->task + 1);
		d->runs[w] = 0;
		d->ended++;
		return;
	}
	assert_int_equal(d->runs[w], 0);
	d->runs[w] = step->task + 1;
	take(d, d->is_central ? WORKERS : w, step->task); /* or it was never in a queue */
	assert_int_equal(d->begun[step->task]++, 0);
}

static void draw(void *user, const struct sim_step *step)
{
	struct drawn *d = user;

	d->count[step->kind]++;
	switch (step->kind) {
	case SIM_STEP_BEGIN:
	case SIM_STEP_END:
		draw_runner(d, step);
		break;
	case SIM_STEP_TAKE:
	case SIM_STEP_STEAL:
		draw_thief(d, step);
		break;
	case SIM_STEP_PUSH:
		put(d, step->other == SIM_NONE ? WORKERS : step->other, step->task);
		break;
	case SIM_STEP_SEND:
		d->sent[d->sent_count++] = step->task;
		break;
	case SIM_STEP_ARRIVE:
		put(d, step->worker, step->task);
		d->sent_count -= step->other != SIM_NONE;
		break;
	default:
		break;
	}
	assert_int_equal(d->size[d->is_central ? WORKERS : step->worker], step->queue);
}

static struct drawn drawn_of(struct sim_config config, struct sim_result *result)
{
	struct drawn d = { .is_central = config.scheduler == SIM_CENTRAL };

	config.log = draw;
	config.log_user = &d;
	*result = sim_ran(&config);
	return d;
}

/* --- tests --- */

static void test_homes_everybody_begins_at_home(void **state)
{
	struct sim_config config = bag_of(8, 10);

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		homes[i] = i % WORKERS;
	struct sim_result r = sim_ran(&config);
	assert_int_equal(r.makespan, 20);
	assert_int_equal(r.steals, 0);
	assert_int_equal(r.used, WORKERS);
	config.workload.home = NULL; /* all with worker 0 */
	r = sim_ran(&config);
	assert_true(r.makespan > 20);
	assert_true(r.steals > 0);
}

/* Nothing told is worker 0, to the last event. */
static void test_homes_unknown_is_the_first(void **state)
{
	struct sim_config config = bag_of(TASKS, 7);

	(void)state;
	for (unsigned scheduler = SIM_STEAL; scheduler <= SIM_SKUA; scheduler++) {
		config.scheduler = (enum sim_scheduler)scheduler;
		config.workload.home = NULL;
		struct sim_result without = sim_ran(&config);
		config.workload.home = homes;
		if (config.scheduler != SIM_SHARING) /* which sends on what has a home */
			sim_expect_same(without, sim_ran(&config));
	}
}

/* Whoever has a task at the start has made it: sharing sends it to somebody. */
static void test_homes_sharing_sends_them_on(void **state)
{
	struct sim_config config = bag_of(TASKS, 10);
	struct sim_result r;

	(void)state;
	config.scheduler = SIM_SHARING;
	config.sharing = SIM_SHARING_TWO;
	for (uint32_t i = 0; i < TASKS; i++)
		homes[i] = 3;
	struct drawn d = drawn_of(config, &r);
	assert_int_equal(r.used, WORKERS);
	assert_true(r.sends > TASKS / 2 && r.sends < TASKS);
	assert_int_equal(d.count[SIM_STEP_SEND], r.sends);
	assert_int_equal(d.count[SIM_STEP_ARRIVE], r.sends);
	assert_int_equal(d.count[SIM_STEP_PUSH], TASKS - r.sends);
}

static void test_homes_that_are_not_there(void **state)
{
	struct sim_config config = bag_of(3, 1);
	struct sim_result r;
	struct sim_error error;

	(void)state;
	homes[2] = WORKERS;
	assert_int_equal(sim_run(&config, &r, &error), -1);
	assert_string_equal(error.text,
			    "a task begins on worker 4, but there are 4 workers, from 0 on; give "
			    "more workers, or another home");
	config.workers = WORKERS + 1;
	assert_int_equal(sim_run(&config, &r, &error), 0);
	config.workload = (struct sim_workload){ SIM_WORK_BAG, .count = 3, .home = homes };
	assert_int_equal(sim_run(&config, &r, &error), -1);
	assert_string_equal(error.text, "only the tasks of a dag can have a home");
}

/* A tree of forks: node i makes 2i + 1 and 2i + 2 ready; some roots besides. */
static struct sim_config tree_config(void)
{
	struct sim_config config = bag_of(TASKS, 5);
	uint32_t edges = 0;

	for (uint32_t i = 0; i < TASKS; i++) {
		firsts[i] = edges;
		for (uint32_t child = 2 * i + 1; child <= 2 * i + 2 && child < 30; child++)
			nexts[edges++] = child;
		costs[i] = 3 + i % 5;
		homes[i] = i < 30 ? SIM_NONE : i % WORKERS;
	}
	firsts[TASKS] = edges;
	return config;
}

/* All queues can be followed by what the log says, with every scheduler and with latency. */
static void test_homes_log_draws_the_queues(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 60; k++) {
		struct sim_config config = tree_config();
		struct sim_result r;
		config.scheduler = (enum sim_scheduler)(k % 5);
		config.seed = k;
		config.amount = k % 2 ? SIM_AMOUNT_ONE : SIM_AMOUNT_HALF;
		config.victim = (enum sim_victim)(k % SIM_VICTIM_REMOTE);
		config.sharing = (enum sim_sharing)(k / 5 % 3);
		config.topology.latency[0] = k % 4 == 3 ? 3 : 0;
		struct drawn d = drawn_of(config, &r);
		assert_int_equal(d.ended, TASKS);
		assert_int_equal(r.tasks, TASKS);
		assert_int_equal(d.steals, r.steals);
		assert_int_equal(d.stolen, r.stolen);
		assert_int_equal(d.count[SIM_STEP_SEND], r.sends);
		assert_int_equal(d.sent_count, 0);
		for (uint32_t w = 0; w <= WORKERS; w++)
			assert_int_equal(d.size[w], 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_homes_everybody_begins_at_home),
		cmocka_unit_test(test_homes_unknown_is_the_first),
		cmocka_unit_test(test_homes_sharing_sends_them_on),
		cmocka_unit_test(test_homes_that_are_not_there),
		cmocka_unit_test(test_homes_log_draws_the_queues),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
