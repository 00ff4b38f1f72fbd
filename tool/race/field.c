/* SPDX-License-Identifier: MIT */
/* field.c — the jobs of one shape: dealt, run in a loop or on a pool, and judged */
#include "race/shapes.h"

#include <stdlib.h>
#include <time.h>

#define REST_NS	    300000 /* between bursts: workers that soon fall asleep do */
#define PLACES_MAX  (RIVAL_WORKERS_MAX + 1)
#define NOBODY_RAN  (-2)
#define GOLDEN_STEP 0x9e3779b97f4a7c15u

/* splitmix64 (Steele, Lea, Flood 2014): every seed is as good as any other */
uint64_t race_random(uint64_t *state)
{
	uint64_t z = *state += GOLDEN_STEP;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

bool field_make(struct field *field, const struct shape *shape, uint32_t count)
{
	size_t bytes = count * sizeof(struct shape_job);

	*field = (struct field){ .shape = shape, .count = count };
	field->jobs = aligned_alloc(_Alignof(struct shape_job), bytes);
	for (uint32_t i = 0; i < count && field->jobs; i++)
		field->jobs[i] = (struct shape_job){ .field = field };
	return field->jobs != NULL;
}

void field_free(struct field *field)
{
	free(field->jobs);
	field->jobs = NULL;
}

void field_deal(struct field *field, uint64_t seed)
{
	uint64_t random = seed;

	for (uint32_t i = 0; i < field->count; i++) {
		field->jobs[i].seed = race_random(&random);
		field->jobs[i].units = field->shape->units;
	}
	if (field->shape->deal)
		field->shape->deal(field, &random);
}

static void clear(struct field *field)
{
	for (uint32_t i = 0; i < field->count; i++) {
		struct shape_job *job = &field->jobs[i];
		job->value = 0;
		job->runs = 0;
		job->worker = NOBODY_RAN;
		job->size = i ? 0 : field->count;
	}
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t field_run_serial(struct field *field)
{
	clear(field);
	int64_t start = now_ns();
	for (uint32_t i = 0; i < field->count; i++)
		shape_perform(&field->jobs[i], RIVAL_OUTSIDE);
	return now_ns() - start;
}

/* Jobs first..end-1, from outside, and until they have run. */
static int64_t run_some(struct field *field, uint32_t first, uint32_t end,
			const struct rival *rival, struct rival_pool *pool)
{
	int64_t start = now_ns();

	for (uint32_t i = first; i < end; i++)
		rival->submit(pool, RIVAL_OUTSIDE,
			      (struct rival_job){ field->shape->run, &field->jobs[i] });
	rival->wait(pool);
	return now_ns() - start;
}

int64_t field_run(struct field *field, const struct rival *rival, struct rival_pool *pool)
{
	uint32_t count = field->shape->is_from_first ? 1 : field->count;
	uint32_t step = field->shape->burst ? field->shape->burst : count;
	int64_t ns = 0;

	clear(field);
	for (uint32_t first = 0; first < count; first += step) {
		if (first)
			nanosleep(&(struct timespec){ .tv_nsec = REST_NS }, NULL);
		ns += run_some(field, first, step < count - first ? first + step : count, rival,
			       pool);
	}
	return ns;
}

struct verdict field_judge(const struct field *field, unsigned workers)
{
	struct verdict verdict = { 0 };
	double units[PLACES_MAX] = { 0 }, all = 0, most = 0;

	for (uint32_t i = 0; i < field->count; i++) {
		const struct shape_job *job = &field->jobs[i];
		verdict.lost += job->runs == 0;
		verdict.twice += job->runs > 1;
		verdict.wrong += job->runs && job->value != shape_foretell(job->seed, job->units);
		all += job->units;
		if (job->worker >= RIVAL_OUTSIDE && job->worker < RIVAL_WORKERS_MAX)
			units[job->worker - RIVAL_OUTSIDE] += job->units;
	}
	for (unsigned i = 0; i < PLACES_MAX; i++)
		most = units[i] > most ? units[i] : most;
	verdict.imbalance = all > 0 ? most * workers / all : 0;
	return verdict;
}
