/* SPDX-License-Identifier: MIT */
/* blocking.c — tasks that sleep among tasks that compute: do the cores stay busy? */
#include "blocking.h"

#include "cpu_clock.h"

#include <skua/group.h>
#include <stdlib.h>
#include <time.h>

/*
 * As many tasks that sleep for a millisecond as tasks that compute for one, in turn.  A pool whose
 * workers sleep with them needs twice the time; one that is told of it (skua_blocking_begin) uses
 * its spares.  The pool is one of its own, because the one under measure has no spares.
 */
struct part {
	struct blocking *blocking;
	uint64_t index;
};

static int nap(struct skua_slot *skua_here, void *argument)
{
	struct part *part = argument;
	struct timespec left = { .tv_nsec = BLOCKING_NAP_NS };

	(void)skua_here;
	if (part->blocking->is_told)
		skua_blocking_begin();
	while (nanosleep(&left, &left))
		;
	if (part->blocking->is_told)
		skua_blocking_end();
	return 0;
}

static int compute(struct skua_slot *skua_here, void *argument)
{
	struct part *part = argument;

	(void)skua_here;
	part->blocking->results[part->index] = grind(part->index, BLOCKING_TURNS);
	return 0;
}

static void run_serial(void *data)
{
	struct blocking *blocking = data;

	for (uint64_t i = 0; i < blocking->tasks; i++) {
		nap(NULL, &(struct part){ blocking, i });
		compute(NULL, &(struct part){ blocking, i });
	}
}

/* All of it on a pool with spares; how long. */
static double run_once(struct blocking *blocking, struct skua_pool *pool, bool is_told)
{
	struct skua_group group;
	struct skua_group_options options = { .size = sizeof(options), .pool = pool };
	int64_t began = skua_clock_ns();

	blocking->is_told = is_told;
	if (skua_group_open(&group, &options)) {
		blocking->is_wrong = true;
		return 0;
	}
	for (uint64_t i = 0; i < blocking->tasks; i++) {
		struct part part = { blocking, i };
		blocking->is_wrong |= skua_go(&group, nap, &part) != 0;
		blocking->is_wrong |= skua_go(&group, compute, &part) != 0;
	}
	blocking->is_wrong |= skua_group_wait(&group, SKUA_FOREVER) != 0;
	return (double)(skua_clock_ns() - began);
}

static void run_skua(void *data, struct skua_pool *like)
{
	struct blocking *blocking = data;
	struct skua_pool_options options = { .size = sizeof(options),
					     .workers = (int)skua_pool_workers(like),
					     .spares = BLOCKING_SPARES };
	struct skua_pool *pool;

	if (skua_pool_open(&pool, &options)) {
		blocking->is_wrong = true;
		return;
	}
	double before_ns = cpu_clock_ns(), told_ns = run_once(blocking, pool, true);
	double busy = (cpu_clock_ns() - before_ns) / (told_ns * options.workers);
	double not_told_ns = run_once(blocking, pool, false);
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
	blocking->notes = (struct work_notes){
		.count = 3,
		.readings = { { "told", "with blocking sections", told_ns },
			      { "not_told", "without", not_told_ns },
			      { "busy", "busy in each ms of a core", busy * 1e6 } },
		.seconds = told_ns / 1e9,
	};
}

static void drop(void *data)
{
	struct blocking *blocking = data;

	free(blocking->results);
	free(blocking);
}

static void *prepare(const struct work_problem *problem)
{
	struct blocking *blocking = calloc(1, sizeof(*blocking));

	if (!blocking)
		return NULL;
	blocking->tasks = problem->size;
	blocking->results = calloc(problem->size, sizeof(*blocking->results));
	if (!blocking->results) {
		drop(blocking);
		return NULL;
	}
	return blocking;
}

static void reset(void *data)
{
	struct blocking *blocking = data;

	blocking->is_wrong = false;
	blocking->notes = (struct work_notes){ 0 };
	for (uint64_t i = 0; i < blocking->tasks; i++)
		blocking->results[i] = 0;
}

static bool check(void *data)
{
	struct blocking *blocking = data;

	for (uint64_t i = 0; i < blocking->tasks; i++)
		if (blocking->results[i] != grind_answer(i, BLOCKING_TURNS))
			return false;
	return !blocking->is_wrong;
}

static const struct work_notes *notes(const void *data)
{
	return &((const struct blocking *)data)->notes;
}

static const struct work_problem problems[] = {
	{ .name = "5", .tier = WORK_TEST, .size = 5 },
	{ .name = "100", .tier = WORK_QUICK, .size = 100 },
	{ .name = "1000", .tier = WORK_USUAL, .size = 1000 },
	{ .name = NULL },
};

const struct work work_blocking = {
	.name = "blocking",
	.role = "tasks that sleep among tasks that compute, with spare workers",
	.unit = "tasks of each kind, a millisecond each",
	.problems = problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_skua,
	.check = check,
	.drop = drop,
	.notes = notes,
};
