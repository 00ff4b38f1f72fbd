/* SPDX-License-Identifier: MIT */
/* model_cells.c — cells with several ways to them: run once, given back once, not used after */
#include "mc.h"

#include "base/alloc.h"
#include "base/atomic.h"
#include "os/clock.h"
#include "os/thread.h"
#include "sched/cells.h"
#include "sched/outcome.h"
#include "sched/settle.h"
#include "sched/tally.h"
#include "sched/worker.h"

/*
 * The task of a future waits in a cell that is known to a queue, to the future itself, and
 * perhaps to a second queue; the task of an isolated group to a queue and a list.  The
 * functions of future.c and group.c stand here under their names there, around the production
 * cells.c, settle.c and tally.c.  A queue is a parking spot: whoever posts leaves a token for
 * the thread that will find the job.
 *
 * Each cell is a block of its own.  Who finds it in its store of free cells frees it: so a cell
 * that is given back twice, or used by anybody after that or without order before, is an
 * error.  The argument stands in the cell, and only who claimed it reads it.
 */
enum {
	WORKERS = 3,
};

static struct table {
	struct skua_pool *pool;
	struct skuai_worker *workers;
	struct skua_future *future;
	struct group {
		_Atomic uint32_t pending;
		struct skua_job done;
		struct skuai_lock lock;
		_Atomic(struct skuai_cell *) waiting;
	} * group;
	struct skuai_cell *cell;
	struct skuai_park queue;
	struct mc_cell result;
	unsigned runs, cancels;
	bool is_wiped; /* planted: the claim is wiped out by the post */
} * table;

/* The future's lock spins.  Who spins is as one who came later. */
void skuai_thread_yield(void)
{
	mc_prune();
}

_Atomic uint32_t skuai_era_now; /* nobody forks here */

/* --- cells --- */

static struct mc_cell *argument_of(struct skuai_cell *cell)
{
	return (struct mc_cell *)(void *)cell->copy;
}

static void open_table(unsigned ways, uint32_t state)
{
	table = mc_alloc(sizeof(*table));
	table->pool = mc_alloc(sizeof(*table->pool));
	table->workers = mc_alloc(WORKERS * sizeof(*table->workers));
	table->cell = skuai_alloc(1, sizeof(*table->cell));
	table->cell->job.pool = table->pool;
	mc_write(argument_of(table->cell), 7);
	skua_store(&table->cell->job.refs, ways, relaxed);
	skua_store(&table->cell->job.state, state, relaxed);
}

/* Drop it; if that gave it back to our store, make the next task of it, and be done with it. */
static void drop(struct skuai_worker *self, struct skuai_cell *cell)
{
	skuai_cell_drop(table->pool, self, cell, 1);
	if (!(self ? self->cells[SKUAI_CELL_LARGE].free
		   : table->pool->cells.loose[SKUAI_CELL_LARGE].free))
		return;
	mc_assert(skuai_cell_get(table->pool, self) == cell);
	mc_write(argument_of(cell), 8);
	skuai_free(cell);
}

static void run(struct skuai_cell *cell)
{
	mc_assert(mc_read(argument_of(cell)) == 7);
	mc_write(&table->result, mc_read(&table->result) + 1);
	table->runs++;
}

static void check_end(void)
{
	mc_join();
	mc_assert(table->runs + table->cancels == 1);
	mc_assert(mc_read(&table->result) == table->runs);
	mc_outcome(table->runs ? "run" : "cancelled");
	skuai_free(table->future);
	mc_assert(mc_blocks_left() == 0);
}

/* --- future.c --- */

static void open_future(unsigned ways, uint32_t state)
{
	open_table(ways, state);
	table->future = skuai_alloc(1, sizeof(*table->future));
	table->cell->owner = table->future;
	table->future->cell = table->cell;
	skua_store(&table->future->state, SKUAI_FUTURE_TASKED, relaxed);
}

static void end_task(struct skuai_worker *self, struct skuai_cell *cell, int error)
{
	struct skua_future *future = cell->owner;

	mc_assert(skuai_future_settle(future, SKUAI_FUTURE_TASKED, error));
	drop(self, cell);
}

/* A worker found it in a queue. */
static void run_queued(void *worker)
{
	if (skuai_cell_claim(table->cell)) {
		run(table->cell);
		end_task(worker, table->cell, 0);
	}
	drop(worker, table->cell);
}

static struct skuai_cell *borrow_cell(struct skua_future *future)
{
	uint32_t stage = skuai_future_lock(future);
	struct skuai_cell *cell = future->cell;
	if (cell)
		skua_add(&cell->job.refs, 1, relaxed);
	skuai_future_unlock(future, stage);
	return cell;
}

/* skua_future_cancel; a thread of the program, or a worker */
static void cancel(void *worker)
{
	if (skuai_future_stage(table->future) == SKUAI_FUTURE_EMPTY)
		return;
	struct skuai_cell *cell = borrow_cell(table->future);
	if (!cell)
		return;
	if (skuai_cell_claim(cell)) {
		table->cancels++;
		end_task(worker, cell, -1);
	}
	drop(worker, cell);
}

/* skua_await: run_unstarted.  Who sees DONE has the result. */
static void help(void *worker)
{
	struct skuai_cell *cell = borrow_cell(table->future);

	if (cell) {
		if (skua_load(&cell->job.state, relaxed) & SKUAI_JOB_POSTED &&
		    skuai_cell_claim(cell)) {
			run(cell);
			end_task(worker, cell, 0);
		}
		drop(worker, cell);
	}
	if (skuai_future_stage(table->future) == SKUAI_FUTURE_DONE)
		mc_assert(mc_read(&table->result) == (table->future->error == 0));
}

static void thief_against_cancel(void)
{
	open_future(2, SKUAI_JOB_POSTED);
	mc_start(run_queued, &table->workers[0]);
	mc_start(cancel, NULL);
	check_end();
}

static void thief_against_help(void)
{
	open_future(2, SKUAI_JOB_POSTED);
	mc_start(run_queued, &table->workers[0]);
	mc_start(help, &table->workers[1]);
	check_end();
}

/* It was raised: there are two queues that it comes out of. */
static void two_thieves(void)
{
	open_future(3, SKUAI_JOB_POSTED);
	mc_start(run_queued, &table->workers[0]);
	mc_start(run_queued, &table->workers[1]);
	check_end();
}

static void two_thieves_against_cancel(void)
{
	open_future(3, SKUAI_JOB_POSTED);
	mc_start(run_queued, &table->workers[0]);
	mc_start(run_queued, &table->workers[1]);
	mc_start(cancel, NULL);
	check_end();
}

static void all_three(void)
{
	open_future(2, SKUAI_JOB_POSTED);
	mc_start(run_queued, &table->workers[0]);
	mc_start(help, &table->workers[1]);
	mc_start(cancel, NULL);
	check_end();
}

/* skua_future_then: the future before it is fulfilled, just as this one is cancelled. */
static void follow(void *worker)
{
	if (!skuai_cell_claim(table->cell)) {
		drop(worker, table->cell);
		return;
	}
	skua_store(&table->cell->job.state, SKUAI_JOB_POSTED | SKUAI_JOB_CLAIMED, relaxed);
	run(table->cell); /* run_claimed, of another worker as a rule */
	end_task(worker, table->cell, 0);
	drop(worker, table->cell);
}

static void then_against_cancel(void)
{
	open_future(2, 0);
	mc_start(follow, &table->workers[0]);
	mc_start(help, &table->workers[1]);
	mc_start(cancel, NULL);
	check_end();
}

/* --- the moment when it is posted --- */

/* skua_future_async.  Before the queue has it others find it through the future. */
static void async(void *unused)
{
	struct skuai_cell *cell = table->cell;

	(void)unused;
	if (!table->is_wiped)
		skua_store(&cell->job.state, SKUAI_JOB_POSTED, relaxed); /* skuai_post_prepare */
	mc_assert(skuai_future_reserve(table->future, cell));
	if (table->is_wiped)
		skua_store(&cell->job.state, SKUAI_JOB_POSTED, relaxed);
	skuai_unpark(&table->queue);
}

static void run_posted(void *worker)
{
	skuai_park(&table->queue, SKUAI_NO_DEADLINE);
	run_queued(worker);
}

static void start_posting(bool is_wiped, void (*other)(void *))
{
	open_future(2, 0);
	skua_store(&table->future->state, SKUAI_FUTURE_EMPTY, relaxed);
	table->future->cell = NULL;
	table->is_wiped = is_wiped;
	mc_start(async, NULL);
	mc_start(run_posted, &table->workers[0]);
	mc_start(other, &table->workers[1]);
	check_end();
}

static void post_against_cancel(void)
{
	start_posting(false, cancel);
}

static void post_against_help(void)
{
	start_posting(false, help);
}

static void post_wipes_claim(void)
{
	start_posting(true, cancel);
}

/* --- group.c: isolated groups --- */

static void leave(struct group *group)
{
	skuai_tally_leave(&group->pending, &group->done, false);
}

static void list_cell(struct group *group, struct skuai_cell *cell)
{
	skuai_lock_take(&group->lock);
	skua_store(&group->waiting, cell, relaxed);
	skuai_lock_give(&group->lock);
}

static struct skuai_cell *unlist_cell(struct group *group)
{
	if (!skua_load(&group->waiting, relaxed))
		return NULL;
	skuai_lock_take(&group->lock);
	struct skuai_cell *cell = skua_load(&group->waiting, relaxed);
	if (cell)
		skua_store(&group->waiting, NULL, relaxed);
	skuai_lock_give(&group->lock);
	return cell;
}

/* A task of the group adds another, and ends.  Once that is listed, all may be over. */
static void add(void *unused)
{
	struct group *group = table->group;
	struct skuai_cell *cell = table->cell;

	(void)unused;
	if (!table->is_wiped)
		skua_store(&cell->job.state, SKUAI_JOB_POSTED, relaxed); /* skuai_post_prepare */
	skua_add(&group->pending, 1, relaxed);
	list_cell(group, cell);
	if (table->is_wiped)
		skua_store(&cell->job.state, SKUAI_JOB_POSTED, relaxed);
	skuai_unpark(&table->queue);
	leave(group);
}

/* This way to it may be found long after the group is gone. */
static void run_claimed(void *worker)
{
	struct skuai_cell *cell = table->cell;

	skuai_park(&table->queue, SKUAI_NO_DEADLINE);
	if (skuai_cell_claim(cell)) {
		struct group *group = cell->owner;
		run(cell);
		leave(group);
	}
	drop(worker, cell);
}

/* skua_group_wait, for a worker that may run only what is listed */
static void wait_isolated(void *worker)
{
	struct group *group = table->group;
	struct skuai_cell *cell;

	leave(group);
	while ((cell = unlist_cell(group))) {
		if (skuai_cell_claim(cell)) {
			run(cell);
			leave(group);
		}
		drop(worker, cell);
	}
	mc_assert(skuai_outcome_sleep(&group->done, SKUAI_NO_DEADLINE) == SKUAI_JOB_DONE);
	while ((cell = unlist_cell(group)))
		drop(worker, cell);
	mc_assert(mc_read(&table->result) == 1);
	skuai_free(group);
}

static void start_isolated(bool is_wiped)
{
	open_table(2, 0);
	table->is_wiped = is_wiped;
	table->group = skuai_alloc(1, sizeof(*table->group));
	table->cell->owner = table->group;
	skua_store(&table->group->pending, 2, relaxed); /* open, and the task that adds */
	mc_assert(skuai_outcome_begin(&table->group->done));
	mc_start(add, NULL);
	mc_start(run_claimed, &table->workers[0]);
	mc_start(wait_isolated, &table->workers[1]);
	check_end();
}

static void listed(void)
{
	start_isolated(false);
}

static void listed_wipes_claim(void)
{
	start_isolated(true);
}

int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		{ .name = "thief_against_cancel",
		  .body = thief_against_cancel,
		  .outcomes = "run cancelled" },
		{ .name = "thief_against_help", .body = thief_against_help, .outcomes = "run" },
		{ .name = "two_thieves", .body = two_thieves, .outcomes = "run" },
		{ .name = "two_thieves_against_cancel",
		  .body = two_thieves_against_cancel,
		  .outcomes = "run cancelled" },
		{ .name = "all_three", .body = all_three, .outcomes = "run cancelled" },
		{ .name = "then_against_cancel",
		  .body = then_against_cancel,
		  .outcomes = "run cancelled" },
		{ .name = "post_against_cancel",
		  .body = post_against_cancel,
		  .outcomes = "run cancelled" },
		{ .name = "post_against_help", .body = post_against_help, .outcomes = "run" },
		{ .name = "post_wipes_claim", .body = post_wipes_claim, .must_fail = true },
		{ .name = "listed", .body = listed, .outcomes = "run" },
		{ .name = "listed_wipes_claim", .body = listed_wipes_claim, .must_fail = true },
		{ .name = NULL },
	};
	return mc_main(argc, argv, cases);
}
