/* SPDX-License-Identifier: MIT */
/* test_work_answers.c — every kernel of the benchmarks gives its answer, and notices a wrong one */
#include "check.h"

#include "../../bench/work/cilksort.h"
#include "../../bench/work/cores.h"
#include "../../bench/work/fib.h"
#include "../../bench/work/idling.h"
#include "../../bench/work/integrate.h"
#include "../../bench/work/knapsack.h"
#include "../../bench/work/longleaf.h"
#include "../../bench/work/nqueens.h"
#include "../../bench/work/quads.h"
#include "../../bench/work/skynet.h"
#include "../../bench/work/tasks.h"
#include "../../bench/work/treesum.h"
#include "../../bench/work/uts.h"

#include <skua/skua.h>
#include <string.h>

#define WORK_ENTRY(name) &work_##name,
static const struct work *const works[] = { WORKS(WORK_ENTRY) };
#undef WORK_ENTRY
#define WORK_COUNT (sizeof(works) / sizeof(works[0]))

static void run_serial(const struct work *work, void *data, void (*run)(void *))
{
	if (work->reset)
		work->reset(data);
	run(data);
}

static void test_work_serial_programs_are_right(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WORK_COUNT; i++) {
		const struct work *work = works[i];
		for (const struct work_problem *p = work->problems; p->name; p++) {
			if (p->tier != WORK_TEST)
				continue;
			void *data = work->prepare(p);
			assert_non_null(data);
			for (int round = 0; round < 2; round++) {
				run_serial(work, data, work->serial);
				if (!work->check(data))
					fail_msg("%s:%s, serial", work->name, p->name);
				if (!work->second)
					continue;
				run_serial(work, data, work->second);
				if (!work->check(data))
					fail_msg("%s:%s, %s", work->name, p->name,
						 work->second_name);
			}
			work->drop(data);
		}
	}
}

/* Whoever does nothing is not right: reset has wiped what the run before left. */
static void test_work_without_a_run_is_wrong(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WORK_COUNT; i++) {
		const struct work *work = works[i];
		void *data = work->prepare(work->problems);
		assert_non_null(data);
		run_serial(work, data, work->serial);
		work->reset(data);
		if (work->check(data))
			fail_msg("%s is right without having run", work->name);
		work->drop(data);
	}
}

/* Run it, spoil a little of what came out, and see it refused. */
static void assert_noticed(const struct work *work, void (*spoil)(void *data))
{
	void *data = work->prepare(work->problems);

	assert_non_null(data);
	run_serial(work, data, work->serial);
	assert_true(work->check(data));
	spoil(data);
	if (work->check(data))
		fail_msg("%s took a wrong result", work->name);
	work->drop(data);
}

static void spoil_fib(void *data)
{
	((struct fib *)data)->result++;
}

static void spoil_treesum(void *data)
{
	((struct treesum *)data)->result--;
}

static void spoil_skynet(void *data)
{
	((struct skynet *)data)->result ^= 1;
}

static void spoil_integrate(void *data) /* by one bit of the last place */
{
	struct integrate *area = data;

	area->result = nextafter(area->result, 0);
}

static void spoil_nqueens(void *data)
{
	((struct nqueens *)data)->result--;
}

static void spoil_uts_depth(void *data)
{
	((struct uts *)data)->result.depth++;
}

static void spoil_uts_leaves(void *data)
{
	((struct uts *)data)->result.leaves--;
}

static void spoil_quads(void *data)
{
	struct quads *quads = data;

	quads->c[(size_t)quads->n * quads->n - 1] += 1;
}

static void spoil_share(void *data)
{
	struct cores *cores = data;

	cores->shares[cores->count - 1].result++;
}

static void spoil_order(void *data)
{
	struct cilksort *sort = data;
	int32_t first = sort->numbers[0];

	sort->numbers[0] = sort->numbers[sort->count - 1];
	sort->numbers[sort->count - 1] = first;
}

static void spoil_number(void *data) /* still sorted: one twice, one lost */
{
	struct cilksort *sort = data;

	sort->numbers[1] = sort->numbers[0];
}

static void spoil_knapsack(void *data)
{
	struct knapsack *sack = data;

	knapsack_offer(sack, sack->answer + 1);
}

static void spoil_longleaf(void *data)
{
	((struct longleaf *)data)->tasks[LONGLEAF_TASKS - 1].result++;
}

static void spoil_burst(void *data) /* the last job of it */
{
	((struct idle *)data)->results[IDLE_JOBS - 1] ^= 1;
}

static void spoil_pause(void *data)
{
	((struct idle *)data)->is_over = false;
}

static void spoil_tasks(void *data) /* one that ran after all were waited for */
{
	tasks_ran(data);
}

static void test_work_wrong_results_are_noticed(void **state)
{
	(void)state;
	assert_noticed(&work_fib, spoil_fib);
	assert_noticed(&work_treesum, spoil_treesum);
	assert_noticed(&work_skynet, spoil_skynet);
	assert_noticed(&work_integrate, spoil_integrate);
	assert_noticed(&work_nqueens, spoil_nqueens);
	assert_noticed(&work_uts, spoil_uts_depth);
	assert_noticed(&work_uts, spoil_uts_leaves);
	assert_noticed(&work_matmul, spoil_quads);
	assert_noticed(&work_strassen, spoil_quads);
	assert_noticed(&work_cores, spoil_share);
	assert_noticed(&work_cilksort, spoil_order);
	assert_noticed(&work_cilksort, spoil_number);
	assert_noticed(&work_knapsack, spoil_knapsack);
	assert_noticed(&work_longleaf, spoil_longleaf);
	assert_noticed(&work_idle, spoil_burst);
	assert_noticed(&work_idle, spoil_pause);
	assert_noticed(&work_tasks, spoil_tasks);
}

static void test_work_tables_are_in_order(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WORK_COUNT; i++) {
		const struct work *work = works[i];
		unsigned quick = 0;

		assert_int_equal(work->problems->tier, WORK_TEST);
		assert_true(strlen(work->name) < 10 && !strchr(work->name, ':'));
		for (const struct work_problem *p = work->problems; p->name; p++) {
			quick += p->tier == WORK_QUICK;
			assert_true(p->size > 0);
			assert_true(strlen(p->name) < 7);
		}
		assert_true(quick > 0);
		assert_true(!work->second || (work->second_name && work->second_role));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_work_serial_programs_are_right),
		cmocka_unit_test(test_work_without_a_run_is_wrong),
		cmocka_unit_test(test_work_wrong_results_are_noticed),
		cmocka_unit_test(test_work_tables_are_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
