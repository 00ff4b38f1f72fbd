/* SPDX-License-Identifier: MIT */
/* model_outcome.c — the outcome of a job: every waiter hears, nobody touches what is gone */
#include "mc.h"

#include "base/alloc.h"
#include "base/atomic.h"
#include "os/clock.h"
#include "sched/outcome.h"

/*
 * The finisher does what skuai_job_begin does after the job's function.  Threads wait as
 * skua_job_wait does outside a pool; workers as skuai_work_until does when it may begin nothing
 * (sleep_unlisted): look, register, park, withdraw, look again.  The job's cell is what it did.
 */
static struct table {
	struct skua_job *job;
	struct mc_cell result;
	struct skuai_park *parks[3]; /* blocks of their own: each is gone with its worker */
	bool is_freed_by_waiter;
	unsigned runs;
} * table;

static void finish(void *unused)
{
	(void)unused;
	mc_write(&table->result, mc_read(&table->result) + 42);
	skuai_outcome_end(table->job, SKUAI_JOB_DONE);
}

static void see(void)
{
	mc_assert(mc_read(&table->result) == 42);
	if (table->is_freed_by_waiter)
		skuai_free(table->job);
}

static void thread(void *unused)
{
	(void)unused;
	mc_assert(skuai_outcome_sleep(table->job, SKUAI_NO_DEADLINE) == SKUAI_JOB_DONE);
	see();
}

static void late_thread(void *unused)
{
	(void)unused;
	if (skuai_outcome_sleep(table->job, 1) == SKUAI_JOB_DONE)
		see();
}

/* True: over.  False: the deadline came first. */
static bool wait_as_worker(struct skuai_park *park, int64_t deadline)
{
	for (unsigned refused = 0; skuai_outcome_stage(table->job) == SKUAI_JOB_QUEUED;) {
		if (!skuai_outcome_register(table->job, park)) {
			if (deadline != SKUAI_NO_DEADLINE)
				return false;
			if (++refused == 3)
				mc_prune(); /* it yields until it is let */
			continue;
		}
		bool is_called = skuai_park(park, deadline);
		skuai_outcome_withdraw(table->job, park);
		if (!is_called && deadline != SKUAI_NO_DEADLINE)
			return skuai_outcome_stage(table->job) != SKUAI_JOB_QUEUED;
	}
	return true;
}

static void worker(void *park)
{
	mc_assert(wait_as_worker(park, SKUAI_NO_DEADLINE));
	see();
	skuai_free(park); /* its pool was closed */
}

static void late_worker(void *park)
{
	if (wait_as_worker(park, 1))
		see();
	skuai_free(park);
}

/* Its time is up: it does not look, it withdraws and is gone, spot and all. */
static void impatient_worker(void *park)
{
	if (skuai_outcome_register(table->job, park) && !skuai_park(park, 1))
		skuai_outcome_withdraw(table->job, park);
	else
		mc_prune();
	skuai_free(park);
}

static void open_table(bool is_freed_by_waiter)
{
	table = mc_alloc(sizeof(*table));
	table->job = skuai_alloc(1, sizeof(*table->job));
	table->is_freed_by_waiter = is_freed_by_waiter;
	mc_assert(skuai_outcome_begin(table->job) && !skuai_outcome_begin(table->job));
}

static void start_worker(unsigned number, void (*body)(void *))
{
	table->parks[number] = skuai_alloc(1, sizeof(*table->parks[number]));
	mc_start(body, table->parks[number]);
}

static void check_end(void)
{
	mc_join();
	if (!table->is_freed_by_waiter) {
		mc_assert(skuai_outcome_stage(table->job) == SKUAI_JOB_DONE);
		mc_assert(skua_load(&table->job->waiter, relaxed) == NULL);
		skuai_free(table->job);
	}
	mc_assert(mc_blocks_left() == 0);
}

static void freed(void)
{
	open_table(true);
	mc_start(thread, NULL);
	mc_start(finish, NULL);
	check_end();
}

static void freed_by_worker(void)
{
	open_table(true);
	start_worker(0, worker);
	mc_start(finish, NULL);
	check_end();
}

static void two_threads(void)
{
	open_table(false);
	mc_start(thread, NULL);
	mc_start(thread, NULL);
	mc_start(finish, NULL);
	check_end();
}

static void thread_and_late_thread(void)
{
	open_table(false);
	mc_start(thread, NULL);
	mc_start(late_thread, NULL);
	mc_start(finish, NULL);
	check_end();
}

static void late_worker_alone(void)
{
	open_table(false);
	start_worker(0, late_worker);
	mc_start(finish, NULL);
	check_end();
}

static void impatient_worker_alone(void)
{
	open_table(false);
	start_worker(0, impatient_worker);
	mc_start(finish, NULL);
	check_end();
}

/* One worker's registration takes the place of another's while the finisher looks (ABA). */
static void two_workers(void)
{
	open_table(false);
	start_worker(0, worker);
	start_worker(1, late_worker);
	mc_start(finish, NULL);
	check_end();
}

static void worker_and_thread(void)
{
	open_table(false);
	start_worker(0, worker);
	mc_start(thread, NULL);
	mc_start(finish, NULL);
	check_end();
}

/* --- submitted again at once --- */

static void again(void *unused)
{
	(void)unused;
	mc_assert(skuai_outcome_sleep(table->job, SKUAI_NO_DEADLINE) == SKUAI_JOB_DONE);
	mc_assert(mc_read(&table->result) == 42);
	mc_write(&table->result, 0);
	mc_assert(skuai_outcome_begin(table->job));
	finish(NULL);
}

/* Does not wait: submits it again if it is over, and then has what the run before did. */
static void again_if_over(void *unused)
{
	(void)unused;
	if (!skuai_outcome_begin(table->job))
		return;
	mc_assert(mc_read(&table->result) == 42);
	mc_write(&table->result, 0);
	finish(NULL);
}

static void resubmitted_blindly(void)
{
	open_table(false);
	mc_start(again_if_over, NULL);
	mc_start(finish, NULL);
	check_end();
}

/* Sees either run's end, and no result: the job is at work again. */
static void any_run_worker(void *park)
{
	mc_assert(wait_as_worker(park, SKUAI_NO_DEADLINE));
	skuai_free(park);
}

static void resubmitted(void)
{
	open_table(false);
	mc_start(again, NULL);
	mc_start(finish, NULL);
	check_end();
}

/* A worker that waits for the first run may find itself waiting for the second. */
static void resubmitted_beside_worker(void)
{
	open_table(false);
	mc_start(again, NULL);
	start_worker(0, any_run_worker);
	mc_start(finish, NULL);
	check_end();
}

static void resubmitted_beside_workers(void)
{
	open_table(false);
	mc_start(again, NULL);
	start_worker(0, any_run_worker);
	start_worker(1, any_run_worker);
	mc_start(finish, NULL);
	check_end();
}

int main(int argc, char **argv)
{
	static const struct mc_case cases[] = {
		{ .name = "freed", .body = freed, .spurious = 1 },
		{ .name = "freed_by_worker", .body = freed_by_worker, .spurious = 1 },
		{ .name = "late_worker_alone", .body = late_worker_alone, .spurious = 1 },
		{ .name = "impatient_worker_alone", .body = impatient_worker_alone },
		{ .name = "resubmitted_blindly", .body = resubmitted_blindly },
		{ .name = "resubmitted", .body = resubmitted },
		{ .name = "two_threads", .body = two_threads },
		{ .name = "thread_and_late_thread", .body = thread_and_late_thread },
		{ .name = "two_workers", .body = two_workers, .preemptions = 2 },
		{ .name = "worker_and_thread", .body = worker_and_thread, .preemptions = 2 },
		{ .name = "resubmitted_beside_worker",
		  .body = resubmitted_beside_worker,
		  .preemptions = 1 },
		{ .name = "large_resubmitted_beside_workers",
		  .body = resubmitted_beside_workers,
		  .random = 50000 },
		{ .name = NULL },
	};
	return mc_main(argc, argv, cases);
}
