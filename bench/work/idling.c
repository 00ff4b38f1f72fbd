/* SPDX-License-Identifier: MIT */
/* idling.c — after a burst of jobs there is nothing to do: what that costs */
#include "idling.h"

#include "cpu_clock.h"
#include "grind.h"

#include <skua/fork.h>
#include <stdlib.h>
#include <time.h>

/*
 * A millisecond of jobs wakes all workers there are.  Then the pool is left alone, and the calling
 * thread sleeps: whatever CPU time is used meanwhile, workers burned in search of work.
 */

void idle_job(struct idle *idle, unsigned i)
{
	idle->results[i] = grind(i, IDLE_JOB_US * GRIND_US);
}

SKUA_TASK_VOID(idle_range, struct idle *, idle, unsigned, first, unsigned, end)
{
	unsigned middle = first + (end - first) / 2;

	if (end - first == 1) {
		idle_job(idle, first);
		return;
	}
	skua_fork(idle_range, right, idle, middle, end);
	skua_call(idle_range, idle, first, middle);
	skua_join(idle_range, right);
}

static void burst_skua(struct idle *idle, void *pool)
{
	skua_run(pool, idle_range, idle, 0, IDLE_JOBS);
}

static void burst_plain(struct idle *idle, void *nothing)
{
	(void)nothing;
	for (unsigned i = 0; i < IDLE_JOBS; i++)
		idle_job(idle, i);
}

static void leave_alone(uint64_t ms)
{
	struct timespec left = { .tv_sec = (time_t)(ms / 1000),
				 .tv_nsec = (long)(ms % 1000) * 1000000 };

	while (nanosleep(&left, &left))
		;
}

void idle_run(struct idle *idle, void (*burst)(struct idle *idle, void *way), void *way)
{
	burst(idle, way);
	int64_t start = skua_clock_ns();
	double cpu = cpu_clock_ns();

	leave_alone(idle->ms);
	idle->cpu_ns = cpu_clock_ns() - cpu;
	idle->is_over = true;
	idle->notes = (struct work_notes){
		.count = 1,
		.seconds = (double)(skua_clock_ns() - start) * 1e-9,
		.readings = { { "cpu", "CPU time meanwhile", idle->cpu_ns } },
	};
}

static void run_serial(void *data)
{
	idle_run(data, burst_plain, NULL);
}

static void run_skua(void *data, struct skua_pool *pool)
{
	idle_run(data, burst_skua, pool);
}

static void *prepare(const struct work_problem *problem)
{
	struct idle *idle = calloc(1, sizeof(*idle));

	if (idle)
		idle->ms = problem->size;
	return idle;
}

static void reset(void *data)
{
	struct idle *idle = data;

	*idle = (struct idle){ .ms = idle->ms };
}

static bool check(void *data)
{
	struct idle *idle = data;

	for (unsigned i = 0; i < IDLE_JOBS; i++) {
		if (idle->results[i] != grind_answer(i, IDLE_JOB_US * GRIND_US))
			return false;
	}
	return idle->is_over;
}

static const struct work_notes *notes(const void *data)
{
	return &((const struct idle *)data)->notes;
}

static const struct work_problem problems[] = {
	{ .name = "100ms", .tier = WORK_TEST, .size = 100 },
	{ .name = "1s", .tier = WORK_QUICK, .size = 1000 },
	{ .name = NULL },
};

const struct work work_idle = {
	.name = "idle",
	.role = "a pool that is left alone after a burst: CPU time that it burns",
	.unit = "milliseconds",
	.problems = problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_skua,
	.check = check,
	.drop = free,
	.notes = notes,
	.has_no_ratio = true,
};
