/* SPDX-License-Identifier: MIT */
/* model_mpmc_ring.c — the ring of a rival: each job once, whole, cells used again, no lost wake */
#include "mc.h"

#define MPMC_CELLS 2 /* few enough to come round */
#include "rivals/mpmc_ring.h"

/*
 * Two cells, each with a plain one beside it that stands for the job: whoever has won the cell
 * writes or reads it.  So two winners at once, one who takes a job before it is whole, and one who
 * puts the next over it before it was taken are data races.  Jobs are numbers from 1; each comes
 * out once.  In the case with a sleeper the list and its lock are left out: one consumer, a word.
 */
enum {
	JOBS_MAX = 4,
};

static struct table {
	struct mpmc_ring ring;
	struct mpmc_cell cells[MPMC_CELLS];
	struct mc_cell plain[MPMC_CELLS];
	unsigned taken[JOBS_MAX + 1];
	_Atomic uint32_t sleepers;
	bool is_woken;
} * table;

static struct mc_cell *plain_of(const struct mpmc_won *won)
{
	return &table->plain[won->cell - table->cells];
}

static bool put(unsigned job)
{
	struct mpmc_won won = mpmc_win_free(&table->ring);

	if (!won.cell)
		return false;
	mc_write(plain_of(&won), job);
	mpmc_put(&won);
	return true;
}

static bool take(void)
{
	struct mpmc_won won = mpmc_win_full(&table->ring);

	if (!won.cell)
		return false;
	uint64_t job = mc_read(plain_of(&won));
	mc_assert(job >= 1 && job <= JOBS_MAX && ++table->taken[job] == 1);
	mpmc_taken(&won);
	return true;
}

static void open_ring(unsigned jobs)
{
	table = mc_alloc(sizeof(*table));
	table->ring.cells = table->cells;
	mpmc_begin(&table->ring);
	for (unsigned job = 1; job <= jobs; job++)
		mc_assert(put(job));
}

/* The rest comes out, and all have been seen. */
static void check_end(unsigned jobs)
{
	mc_join();
	while (take())
		;
	for (unsigned job = 1; job <= jobs; job++)
		mc_assert(table->taken[job] == 1);
}

static void producer(void *job)
{
	mc_assert(put((unsigned)(uintptr_t)job));
}

static void taker(void *unused)
{
	(void)unused;
	take();
}

static void two_producers(void)
{
	open_ring(0);
	mc_start(producer, (void *)1);
	mc_start(producer, (void *)2);
	take();
	check_end(2);
}

static void two_takers(void)
{
	open_ring(2);
	mc_start(taker, NULL);
	mc_start(taker, NULL);
	check_end(2);
	mc_assert(!take());
}

static void one_each(void)
{
	open_ring(1);
	mc_start(producer, (void *)2);
	mc_start(taker, NULL);
	take();
	check_end(2);
}

/* Full: a job gets in where one was taken out, and only then. */
static void cells_again(void)
{
	open_ring(2);
	mc_start(taker, NULL);
	bool is_in = put(3);
	mc_outcome(is_in ? "in" : "full");
	check_end(is_in ? 3 : 2);
}

static void cells_again_two_takers(void)
{
	open_ring(2);
	mc_start(taker, NULL);
	mc_start(taker, NULL);
	bool is_in = put(3);
	check_end(is_in ? 3 : 2);
}

/* mpmc_queue.c: submit, but for the lock and the token */
static void submitter(void *job)
{
	mc_assert(put((unsigned)(uintptr_t)job));
	if (mpmc_has_sleeper(&table->sleepers))
		table->is_woken = true;
}

/* mpmc_queue.c: park_or_take, likewise.  Nobody wakes it, and the job is there: a lost wake. */
static void no_lost_wake(void)
{
	open_ring(0);
	mc_start(submitter, (void *)1);
	skua_store(&table->sleepers, 1, relaxed);
	mpmc_about_to_sleep(&table->sleepers);
	bool is_got = take();
	mc_join();
	mc_assert(is_got || table->is_woken);
	mc_outcome("%s%s", is_got ? "got" : "", table->is_woken ? "woken" : "");
}

int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		/* Those without a loop first: with a weaker order the others need not end. */
		{ .name = "cells_again", .body = cells_again, .outcomes = "in full" },
		{ .name = "no_lost_wake", .body = no_lost_wake, .outcomes = "got woken gotwoken" },
		{ .name = "two_producers", .body = two_producers },
		{ .name = "two_takers", .body = two_takers },
		{ .name = "one_each", .body = one_each },
		{ .name = "cells_again_two_takers", .body = cells_again_two_takers },
		{ .name = NULL },
	};
	return mc_main(argc, argv, cases);
}
