/* SPDX-License-Identifier: MIT */
/* model_inject.c — the production queue of injected jobs: each once, in order, none overlooked */
#include "mc.h"

#include "base/atomic.h"
#include "sched/inject.h"

/*
 * Jobs stand in an array, each with a cell that its submitter wrote: who takes the job reads it.
 * Claims: each job comes out once; those of one submitter in the order they were put, as far as one
 * taker sees; who is told that there is nothing, and looks once more behind a fence as a worker
 * does before it sleeps (worker.c: sleep_listed), is told of it or is woken.
 */
enum {
	JOBS_MAX = 4,
};

static struct table {
	struct skuai_inject inject;
	struct skua_job jobs[JOBS_MAX];
	struct mc_cell cells[JOBS_MAX];
	unsigned taken[JOBS_MAX];
	_Atomic uint32_t asleep;
	bool sleeps, wakes;
	unsigned most, takes;
} * table;

static unsigned take(unsigned shard)
{
	struct skua_job *jobs[JOBS_MAX];
	unsigned count = skuai_inject_take(&table->inject, shard, jobs, table->most);

	mc_assert(count <= table->most);
	for (unsigned i = 0; i < count; i++) {
		unsigned number = (unsigned)(jobs[i] - table->jobs);
		mc_assert(number < JOBS_MAX && mc_read(&table->cells[number]) == 100 + number);
		mc_assert(++table->taken[number] == 1);
		/* 0 and 1 are one submitter's, in one shard */
		mc_assert(number != 0 || !i || jobs[i - 1] != &table->jobs[1]);
	}
	return count;
}

static void taker(void *shard)
{
	for (unsigned i = 0; i < table->takes; i++)
		take((unsigned)(uintptr_t)shard);
}

static void put_chain(void *unused)
{
	(void)unused;
	mc_write(&table->cells[0], 100);
	mc_write(&table->cells[1], 101);
	table->jobs[1].next = &table->jobs[0]; /* skua_submit_many: newest first */
	skuai_inject_put(&table->inject, 0, &table->jobs[1], &table->jobs[0]);
}

static void put_two(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 2; i++) {
		mc_write(&table->cells[i], 100 + i);
		skuai_inject_put(&table->inject, 0, &table->jobs[i], &table->jobs[i]);
	}
}

static void put_one(void *shard)
{
	mc_write(&table->cells[2], 102);
	skuai_inject_put(&table->inject, (unsigned)(uintptr_t)shard, &table->jobs[2],
			 &table->jobs[2]);
}

static void open_table(unsigned takes, unsigned most)
{
	table = mc_alloc(sizeof(*table));
	table->takes = takes;
	table->most = most;
}

/* What is left comes out at the end: nothing was lost. */
static void check_end(unsigned jobs)
{
	mc_join();
	table->most = JOBS_MAX;
	while (skuai_inject_has_any(&table->inject))
		take(0);
	for (unsigned i = 0; i < JOBS_MAX; i++)
		mc_assert(table->taken[i] == (i < jobs));
}

static void one_taker(void)
{
	open_table(2, 1);
	mc_start(put_two, NULL);
	mc_start(taker, (void *)0);
	check_end(2);
}

static void two_takers(void)
{
	open_table(1, 1);
	mc_start(put_chain, NULL);
	mc_start(taker, (void *)0);
	mc_start(taker, (void *)0);
	check_end(2);
}

/* Some are turned round already: the lock alone carries them to the next taker. */
static void turned(void)
{
	open_table(1, 1);
	put_chain(NULL);
	mc_start(taker, (void *)0);
	mc_start(taker, (void *)0);
	mc_start(put_one, (void *)0);
	check_end(3);
}

static void two_producers(void)
{
	open_table(2, 2);
	mc_start(put_chain, NULL);
	mc_start(put_one, (void *)0);
	mc_start(taker, (void *)0);
	check_end(3);
}

static void two_shards(void)
{
	open_table(1, 1);
	mc_start(put_chain, NULL);
	mc_start(put_one, (void *)1);
	mc_start(taker, (void *)0);
	mc_start(taker, (void *)1);
	check_end(3);
}

/* --- the look before sleep --- */

/* worker.c: sleep_listed after a search that found nothing; up again if there is something */
static void sleeper(void *unused)
{
	(void)unused;
	if (take(0))
		return;
	skua_store(&table->asleep, 1, relaxed);
	skua_fence(&table->asleep, seq_cst); /* idle.sleep.3 */
	table->sleeps = !skuai_inject_has_any(&table->inject);
}

/* skuai_notify */
static void notify(void)
{
	skua_fence(&table->asleep, seq_cst); /* idle.needs.1 */
	table->wakes |= skua_load(&table->asleep, relaxed) != 0;
}

static void maker(void *unused)
{
	put_one(unused);
	notify();
}

static void look_against_put(void)
{
	open_table(1, 1);
	mc_start(maker, (void *)0);
	mc_start(sleeper, NULL);
	mc_join();
	mc_assert(table->taken[2] || table->wakes || !table->sleeps);
}

/*
 * Who holds the lock has some jobs in its hands, where no look finds them, and will put back what
 * it does not take.  Whoever looks meanwhile goes to sleep; so who took several tells (search.c:
 * keep_jobs), and who took one of several does not exist.
 */
static void holder(void *unused)
{
	(void)unused;
	if (take(0) > 1)
		notify();
}

static void look_against_take(void)
{
	open_table(1, 2);
	put_chain(NULL);
	put_one((void *)0);
	mc_start(holder, NULL);
	mc_start(sleeper, NULL);
	mc_join();
	mc_assert(table->taken[2] || table->wakes || !table->sleeps);
	check_end(3);
}

int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		{ .name = "one_taker", .body = one_taker, .spurious = 1 },
		{ .name = "two_takers", .body = two_takers },
		{ .name = "turned", .body = turned },
		{ .name = "two_producers", .body = two_producers },
		{ .name = "look_against_put", .body = look_against_put },
		{ .name = "look_against_take", .body = look_against_take },
		{ .name = "two_shards", .body = two_shards },
		{ .name = NULL },
	};
	return mc_main(argc, argv, cases);
}
