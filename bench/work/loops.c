/* SPDX-License-Identifier: MIT */
/* loops.c — loops whose indices cost the same, or not, and cheap ones: nanoseconds an index */
#include "algo_run.h"

#include <skua/fork.h>
#include <skua/loop.h>
#include <stdlib.h>

/*
 * The cases of bench/peers/algo, where other runtimes are measured alike: by a worker, one loop
 * after the other.  No options are given: it is the library that must know what to do with each.
 */
struct loops {
	struct loops_data *shapes[LOOPS_COUNT]; /* NULL: not with so many indices */
	bool is_wrong;
	unsigned measured; /* of the last run */
	struct work_notes notes;
};

SKUA_LOOP(run_skewed, const struct loops_data *, data, i)
{
	loops_skewed(data, i);
}

SKUA_LOOP(run_cheap1, const struct loops_data *, data, i)
{
	loops_cheap1(data, i);
}

SKUA_LOOP(run_cheap10, const struct loops_data *, data, i)
{
	loops_cheap10(data, i);
}

static skua_loop_body *body_of(const struct loops_data *data)
{
	return data->shape == LOOPS_cheap1    ? run_cheap1
	       : data->shape == LOOPS_cheap10 ? run_cheap10
					      : run_skewed;
}

int loops_run(struct skua_slot *skua_here, struct loops_data *data)
{
	skua_loop_body *body = body_of(data);
	int error = 0;

	for (uint64_t k = 0; k < data->times; k++)
		error |= skua_for(skua_here, 0, data->n, body, data, NULL);
	return error;
}

/* Nanoseconds of all repetitions; negative: it went wrong. */
SKUA_TASK(int64_t, repeat, struct loops_data *, data)
{
	int64_t start = skua_clock_ns();
	int error = loops_run(skua_here, data);

	return error ? -1 : skua_clock_ns() - start;
}

static int64_t repeat_plain(struct loops_data *data)
{
	int64_t start = skua_clock_ns();

	loops_plain(data);
	return skua_clock_ns() - start;
}

/* With a pool, or without: the plain loops. */
static void run_all(struct loops *loops, struct skua_pool *pool)
{
	struct work_notes *notes = &loops->notes;

	for (unsigned i = 0; i < LOOPS_COUNT; i++) {
		struct loops_data *data = loops->shapes[i];
		if (!data)
			continue;
		loops_reset(data);
		int64_t ns = pool ? skua_run(pool, repeat, data) : repeat_plain(data);
		loops->is_wrong |= ns < 0 || !loops_is_right(data);
		loops->measured++;
		notes->seconds += (double)ns * 1e-9;
		notes->readings[notes->count++] = (struct work_reading){
			loops_name(i), loops_role(i), (double)ns / (double)(data->n * data->times)
		};
	}
}

static void run_serial(void *data)
{
	run_all(data, NULL);
}

static void run_skua(void *data, struct skua_pool *pool)
{
	run_all(data, pool);
}

static void drop(void *data)
{
	struct loops *loops = data;

	for (unsigned i = 0; i < LOOPS_COUNT; i++)
		if (loops->shapes[i])
			loops_close(loops->shapes[i]);
	free(loops);
}

static void *prepare(const struct work_problem *problem)
{
	struct loops *loops = calloc(1, sizeof(*loops));

	for (unsigned i = 0; loops && i < LOOPS_COUNT; i++) {
		if (!loops_has(i, problem->size))
			continue;
		loops->shapes[i] = loops_open(i, problem->size);
		if (!loops->shapes[i]) {
			drop(loops);
			return NULL;
		}
	}
	return loops;
}

static void reset(void *data)
{
	struct loops *loops = data;

	loops->is_wrong = false;
	loops->measured = 0;
	loops->notes = (struct work_notes){ 0 };
}

static bool check(void *data)
{
	const struct loops *loops = data;

	return loops->measured && !loops->is_wrong;
}

static const struct work_notes *notes(const void *data)
{
	return &((const struct loops *)data)->notes;
}

const struct work work_loops = {
	.name = "loops",
	.role = "loops whose indices cost the same, or not, and cheap ones",
	.unit = "indices",
	.problems = loops_problems,
	.prepare = prepare,
	.reset = reset,
	.serial = run_serial,
	.skua = run_skua,
	.check = check,
	.drop = drop,
	.notes = notes,
};
