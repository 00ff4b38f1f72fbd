/* SPDX-License-Identifier: MIT */
/* test_rivals.h — what tests of the rivals share: a pool under test, jobs that know their number */
#ifndef SKUA_TESTS_RIVALS_H
#define SKUA_TESTS_RIVALS_H

#include "check.h"

#include "../../bench/rivals/rival.h"

#include "base/atomic.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#define JOBS	 10000
#define LEAVES	 4096 /* of the tree */
#define THREADS	 4    /* outside */
#define PATIENCE 1200 /* seconds for a whole file: a lost wake is red, not a build that hangs */

static const struct rival *const rivals[] = {
#define RIVAL_ADDRESS(name) &rival_##name,
	RIVALS(RIVAL_ADDRESS)
};

#define RIVALS_COUNT (sizeof(rivals) / sizeof(rivals[0]))

static const unsigned worker_counts[] = { 1, 2, 3, 8 };

#define WORKER_COUNTS (sizeof(worker_counts) / sizeof(worker_counts[0]))

/* Job i of a scene: runs[i] says how often it ran, value[i] is for TSan and the wait to order. */
struct scene;

struct errand {
	struct scene *scene;
	uint32_t number;
};

struct scene {
	const struct rival *rival;
	struct rival_pool *pool;
	unsigned workers;
	void (*body)(struct rival_worker *here, struct errand *errand);
	_Atomic uint32_t runs[JOBS];
	uint32_t values[JOBS];
	struct errand errands[JOBS];
	pthread_t who[8]; /* the thread that worker i is, written by it */
	uint8_t has_who[8];
	_Atomic uint32_t strangers; /* jobs that met a `here` that cannot be */
	_Atomic uint32_t ran;
	_Atomic uint32_t gate; /* opened by the test */
	_Atomic uint32_t waits_at_gate;
	int gate_worker; /* who waits there; ordered by waits_at_gate */
};

static inline void fail_scene(const struct scene *scene, const char *what, uint64_t got,
			      uint64_t wanted)
{
	fail_msg("%s, %u workers: %s: %llu, not %llu", scene->rival->name, scene->workers, what,
		 (unsigned long long)got, (unsigned long long)wanted);
}

static inline void expect(const struct scene *scene, const char *what, uint64_t got,
			  uint64_t wanted)
{
	if (got != wanted)
		fail_scene(scene, what, got, wanted);
}

static inline void expect_least(const struct scene *scene, const char *what, uint64_t got,
				uint64_t least)
{
	if (got < least)
		fail_scene(scene, what, got, least);
}

static inline struct scene *scene_open(const struct rival *rival, unsigned workers, bool is_timed)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	struct rival_options options = { .workers = workers, .is_timed = is_timed };

	assert_non_null(scene);
	scene->rival = rival;
	scene->workers = workers;
	for (uint32_t i = 0; i < JOBS; i++)
		scene->errands[i] = (struct errand){ scene, i };
	scene->pool = rival->open(rival, &options);
	if (!scene->pool)
		fail_scene(scene, "open", 0, 1);
	return scene;
}

static inline void scene_close(struct scene *scene)
{
	if (scene->pool)
		scene->rival->close(scene->pool);
	expect(scene, "jobs in a place that cannot be", skua_load(&scene->strangers, relaxed), 0);
	free(scene);
}

/* Each worker is one thread, and no other worker's: plain memory, so TSan sees when it is not. */
static inline void check_here(struct scene *scene, const struct rival_worker *here)
{
	bool is_right = here->pool == scene->pool && here->rival == scene->rival &&
			here->index >= RIVAL_OUTSIDE && here->index < (int)scene->workers;

	if (is_right && here->index >= 0) {
		if (!scene->has_who[here->index])
			scene->who[here->index] = pthread_self();
		scene->has_who[here->index] = 1;
		is_right = pthread_equal(scene->who[here->index], pthread_self());
	}
	if (!is_right)
		skua_add(&scene->strangers, 1, relaxed);
}

static inline void run_errand(struct rival_worker *here, void *arg)
{
	struct errand *errand = arg;
	struct scene *scene = errand->scene;

	check_here(scene, here);
	scene->values[errand->number] = errand->number + 1;
	skua_add(&scene->runs[errand->number], 1, relaxed);
	if (scene->body)
		scene->body(here, errand);
	skua_add(&scene->ran, 1, release);
}

static inline struct rival_job job_of(struct scene *scene, uint32_t number)
{
	return (struct rival_job){ run_errand, &scene->errands[number] };
}

static inline void submit(struct scene *scene, uint32_t number)
{
	scene->rival->submit(scene->pool, RIVAL_OUTSIDE, job_of(scene, number));
}

static inline void expect_once(struct scene *scene, uint32_t first, uint32_t end, uint32_t times)
{
	for (uint32_t i = first; i < end; i++) {
		if (skua_load(&scene->runs[i], relaxed) != times || scene->values[i] != i + 1)
			fail_msg("%s, %u workers: job %u ran %u times, not %u", scene->rival->name,
				 scene->workers, i, skua_load(&scene->runs[i], relaxed), times);
		skua_store(&scene->runs[i], 0, relaxed);
		scene->values[i] = 0;
	}
}

/* All workers, and outside. */
static inline struct rival_stats total_of(struct scene *scene)
{
	struct rival_stats sum = { 0 }, one;

	for (int i = RIVAL_OUTSIDE; i < (int)scene->workers; i++) {
		scene->rival->stats(scene->pool, i, &one);
#define ADD(NAME, field, what) sum.field += one.field;
		RIVAL_COUNTERS(ADD)
#undef ADD
	}
	return sum;
}

static inline bool has_counter(const struct scene *scene, enum rival_counter counter)
{
	return scene->rival->counted & 1u << counter;
}

typedef void scene_test(struct scene *scene);

static inline void for_all(scene_test *test)
{
	for (unsigned r = 0; r < RIVALS_COUNT; r++) {
		for (unsigned w = 0; w < WORKER_COUNTS; w++) {
			struct scene *scene = scene_open(rivals[r], worker_counts[w], false);
			test(scene);
			scene_close(scene);
		}
	}
}

/* Node i has the children 2i and 2i + 1. */
static inline void grow(struct rival_worker *here, struct errand *errand)
{
	for (uint32_t child = 2 * errand->number; child <= 2 * errand->number + 1; child++)
		if (child < 2 * LEAVES)
			rival_submit(here, job_of(errand->scene, child));
}

/* --- several threads outside --- */

struct outsider {
	struct scene *scene;
	uint32_t first;
	pthread_t thread;
};

#define SHARE (JOBS / 2 / THREADS)

/* Every job of the first half brings one of the second. */
static inline void bring(struct rival_worker *here, struct errand *errand)
{
	if (errand->number < JOBS / 2)
		rival_submit(here, job_of(errand->scene, errand->number + JOBS / 2));
}

static inline void *submit_share(void *argument)
{
	struct outsider *outsider = argument;

	for (uint32_t i = 0; i < SHARE; i++)
		submit(outsider->scene, outsider->first + i);
	return NULL;
}

static inline void submit_from_threads(struct scene *scene)
{
	struct outsider outsiders[THREADS];

	for (uint32_t i = 0; i < THREADS; i++) {
		outsiders[i] = (struct outsider){ .scene = scene, .first = i * SHARE };
		assert_int_equal(
			pthread_create(&outsiders[i].thread, NULL, submit_share, &outsiders[i]), 0);
	}
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(outsiders[i].thread, NULL);
	scene->rival->wait(scene->pool);
}

static inline void wait_until_ran(struct scene *scene, uint32_t count)
{
	while (skua_load(&scene->ran, acquire) < count)
		sched_yield();
}

#endif
