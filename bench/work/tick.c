/* SPDX-License-Identifier: MIT */
/* tick.c — short bursts of tiny jobs between serial work and pauses: to search or to sleep */
#include "tick.h"

#include "cpu_clock.h"
#include "grind.h"
#include "ranked.h"

#include <skua/fork.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * The shape of a game or a simulation (rayon, pull request 1318): in each tick twelve bursts of
 * thirty jobs of 2 us, 200 us of serial work between them, then 3 ms of rest.  Workers that search
 * through the gaps make the bursts short and burn the CPU; workers that sleep spare it and are
 * late.  So both are told: the time of the bursts, and the CPU time of the whole.
 */

void tick_job(struct tick *tick, unsigned i)
{
	tick->results[i] = grind(i, TICK_JOB_US * GRIND_US);
}

static void gap(void)
{
	grind(1, TICK_GAP_US * GRIND_US);
}

static void end_burst(struct tick *tick, int64_t ns)
{
	for (unsigned i = 0; i < TICK_JOBS; i++) {
		if (tick->results[i] != grind_answer(i, TICK_JOB_US * GRIND_US))
			tick->is_wrong = true;
	}
	memset(tick->results, 0, sizeof(tick->results));
	tick->burst_ns[tick->burst_count++] = (double)ns;
}

SKUA_TASK_VOID(tick_job_task, struct tick *, tick, unsigned, i)
{
	tick_job(tick, i);
}

SKUA_TASK_VOID(burst_task, struct tick *, tick)
{
	skua_forked(tick_job_task) forked[TICK_JOBS];

	for (unsigned i = 0; i < TICK_JOBS; i++)
		skua_fork_into(tick_job_task, forked[i], tick, i);
	for (unsigned i = TICK_JOBS; i-- > 0;)
		skua_join(tick_job_task, forked[i]);
}

static void burst_skua(struct tick *tick, void *pool)
{
	skua_run(pool, burst_task, tick);
}

static void burst_plain(struct tick *tick, void *nothing)
{
	(void)nothing;
	for (unsigned i = 0; i < TICK_JOBS; i++)
		tick_job(tick, i);
}

static void rest(void)
{
	struct timespec left = { .tv_nsec = TICK_PAUSE };

	while (nanosleep(&left, &left))
		;
}

/* Sorts the times of the bursts. */
static void take_notes(struct tick *tick)
{
	double sum = 0;

	for (unsigned i = 0; i < tick->burst_count; i++)
		sum += tick->burst_ns[i];
	tick->notes = (struct work_notes){
		.count = 3,
		.seconds = sum * 1e-9,
		.readings = { { "burst_p50", "a burst, median",
				ranked(tick->burst_ns, tick->burst_count, 50) },
			      { "burst_p99", "a burst, 99 of 100",
				ranked(tick->burst_ns, tick->burst_count, 99) },
			      { "cpu", "CPU time of a tick", tick->cpu_ns / tick->ticks } },
	};
}

void tick_run(struct tick *tick, void (*burst)(struct tick *tick, void *way), void *way)
{
	double cpu = cpu_clock_ns();

	for (unsigned t = 0; t < tick->ticks; t++) {
		for (unsigned b = 0; b < TICK_BURSTS; b++) {
			int64_t start = skua_clock_ns();
			burst(tick, way);
			end_burst(tick, skua_clock_ns() - start);
			gap();
		}
		rest();
	}
	tick->cpu_ns = cpu_clock_ns() - cpu;
	take_notes(tick);
}

static void run_serial(void *data)
{
	tick_run(data, burst_plain, NULL);
}

static void run_skua(void *data, struct skua_pool *pool)
{
	tick_run(data, burst_skua, pool);
}

static void drop(void *data)
{
	struct tick *tick = data;

	free(tick->burst_ns);
	free(tick);
}

static void *prepare(const struct work_problem *problem)
{
	struct tick *tick = calloc(1, sizeof(*tick));

	if (!tick)
		return NULL;
	tick->ticks = (unsigned)problem->size;
	tick->burst_ns = calloc((size_t)tick->ticks * TICK_BURSTS, sizeof(*tick->burst_ns));
	if (!tick->burst_ns) {
		drop(tick);
		return NULL;
	}
	return tick;
}

static void reset(void *data)
{
	struct tick *tick = data;

	tick->is_wrong = false;
	tick->burst_count = 0;
	tick->notes = (struct work_notes){ 0 };
}

static bool check(void *data)
{
	struct tick *tick = data;

	return !tick->is_wrong && tick->burst_count == tick->ticks * TICK_BURSTS;
}

static const struct work_notes *notes(const void *data)
{
	return &((const struct tick *)data)->notes;
}

static const struct work_problem problems[] = {
	{ .name = "2", .tier = WORK_TEST, .size = 2 },
	{ .name = "60", .tier = WORK_QUICK, .size = 60 },
	{ .name = NULL },
};

const struct work work_tick = {
	.name = "tick",
	.role = "short bursts of tiny jobs between serial work and pauses",
	.unit = "ticks of 12 bursts",
	.problems = problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_skua,
	.check = check,
	.drop = drop,
	.notes = notes,
};
