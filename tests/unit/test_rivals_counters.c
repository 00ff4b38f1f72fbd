/* SPDX-License-Identifier: MIT */
/* test_rivals_counters.c — the rivals' counters add up, and each rival is what it says it is */
#include "unit/test_rivals.h"

#include "../../bench/rivals/crew.h"

#include <skua/pool.h>

#define SPIN_NS	  20000
#define MPMC_ROOM 8192 /* cells of mpmc_queue.c */

/* --- counters --- */

static void spin(struct rival_worker *here, struct errand *errand)
{
	int64_t end = skua_clock_ns() + SPIN_NS;

	(void)here, (void)errand;
	while (skua_clock_ns() < end)
		;
}

/* At least what the jobs took, at most what the clock says; nothing when it was not asked for. */
static void expect_busy(const struct rival *rival, unsigned workers, bool is_timed)
{
	struct scene *scene = scene_open(rival, workers, is_timed);
	int64_t start = skua_clock_ns();
	struct rival_stats stats;

	scene->body = spin;
	for (uint32_t i = 0; i < 100; i++)
		submit(scene, i);
	rival->wait(scene->pool);
	uint64_t took = (uint64_t)(skua_clock_ns() - start);
	if (is_timed)
		expect_least(scene, "busy_ns", total_of(scene).busy_ns, 100ull * SPIN_NS);
	else
		expect(scene, "busy_ns", total_of(scene).busy_ns, 0);
	for (int i = 0; i < (int)workers; i++) {
		rival->stats(scene->pool, i, &stats);
		expect_least(scene, "the clock", took, stats.busy_ns);
		if (is_timed)
			expect_least(scene, "busy_ns", stats.busy_ns, stats.jobs * SPIN_NS);
	}
	scene_close(scene);
}

static void test_rivals_busy_time_is_that_of_the_jobs(void **state)
{
	(void)state;
	for (unsigned r = 0; r < RIVALS_COUNT; r++) {
		expect_busy(rivals[r], 1, true);
		expect_busy(rivals[r], 3, true);
		expect_busy(rivals[r], 2, false);
	}
}

/* Of skua's workers those that a job woke: it does not count that they are born asleep. */
static void idles(struct scene *scene)
{
	int least = scene->rival->knobs ? 1 : (int)scene->workers, parked;

	submit(scene, 0);
	scene->rival->wait(scene->pool);
	do {
		sched_yield();
		parked = 0;
		for (int i = 0; i < (int)scene->workers; i++) {
			struct rival_stats one;
			scene->rival->stats(scene->pool, i, &one);
			parked += one.parks > 0;
		}
	} while (parked < least); /* until PATIENCE ends */
	struct rival_stats stats;
	scene->rival->stats(scene->pool, RIVAL_OUTSIDE, &stats);
	expect(scene, "parks of nobody", stats.parks, 0);
}

static void test_rivals_park_when_idle(void **state)
{
	(void)state;
	for_all(idles);
}

static void counts_only_its_own(struct scene *scene)
{
	scene->body = bring;
	submit_from_threads(scene);
	struct rival_stats sum = total_of(scene);
#define EXPECT_NONE(NAME, field, what)         \
	if (!has_counter(scene, RIVAL_##NAME)) \
		expect(scene, #field, sum.field, 0);
	RIVAL_COUNTERS(EXPECT_NONE)
#undef EXPECT_NONE
}

static void test_rivals_other_counters_stay_zero(void **state)
{
	(void)state;
	for_all(counts_only_its_own);
}

/* Job 0 submits 64 others and ends after them: somebody else must run each. */
static void hand_out(struct rival_worker *here, struct errand *errand)
{
	if (errand->number)
		return;
	for (uint32_t i = 1; i <= 64; i++)
		rival_submit(here, job_of(errand->scene, i));
	wait_until_ran(errand->scene, 64);
}

static void test_rivals_that_steal_rob_a_busy_worker(void **state)
{
	(void)state;
	for (unsigned r = 0; r < RIVALS_COUNT; r++) {
		if (!(rivals[r]->counted & RIVAL_COUNTED(STEALS)))
			continue;
		for (unsigned w = 1; w < WORKER_COUNTS; w++) {
			struct scene *scene = scene_open(rivals[r], worker_counts[w], false);
			scene->body = hand_out;
			submit(scene, 0);
			rivals[r]->wait(scene->pool);
			expect_once(scene, 0, 65, 1);
			expect_least(scene, "steals", total_of(scene).steals, 64);
			scene_close(scene);
		}
	}
}

/* --- what makes each rival what it is --- */

static void stay_at_gate(const struct rival_worker *here, struct scene *scene)
{
	scene->gate_worker = here->index;
	skua_add(&scene->waits_at_gate, 1, release);
	while (!skua_load(&scene->gate, acquire))
		sched_yield();
}

static void wait_at_gate(struct rival_worker *here, struct errand *errand)
{
	if (!errand->number)
		stay_at_gate(here, errand->scene);
}

static struct scene *scene_with_busy_worker(const struct rival *rival, unsigned workers)
{
	struct scene *scene = scene_open(rival, workers, false);

	scene->body = wait_at_gate;
	submit(scene, 0);
	while (!skua_load(&scene->waits_at_gate, acquire))
		sched_yield();
	return scene;
}

static void end_busy_worker(struct scene *scene)
{
	skua_store(&scene->gate, 1, release);
	scene->rival->wait(scene->pool);
}

static void test_static_split_deals_evenly_and_moves_nothing(void **state)
{
	struct scene *scene = scene_with_busy_worker(&rival_static_split, 2);
	struct rival_stats stats;

	(void)state;
	for (uint32_t i = 1; i < 100; i++)
		submit(scene, i);
	wait_until_ran(scene, 50);
	usleep(20000); /* for others to do what they must not */
	assert_int_equal(skua_load(&scene->ran, relaxed), 50);
	end_busy_worker(scene);
	for (int i = 0; i < 2; i++) {
		rival_static_split.stats(scene->pool, i, &stats);
		assert_int_equal(stats.jobs, 50);
	}
	scene_close(scene);
}

/* Until all but the busy one sleep: only then are they known to have nothing. */
static uint64_t wait_until_parked(struct scene *scene, uint64_t least)
{
	uint64_t parks = 0;
	unsigned asleep = 0;

	while (asleep + 1 < scene->workers || parks < least) {
		sched_yield();
		parks = asleep = 0;
		for (int i = 0; i < (int)scene->workers; i++) {
			struct rival_stats stats;
			scene->rival->stats(scene->pool, i, &stats);
			parks += stats.parks;
			asleep += stats.parks > 0 && i != scene->gate_worker;
		}
	}
	return parks;
}

static void test_work_sharing_gives_to_who_has_least(void **state)
{
	(void)state;
	for (unsigned workers = 2; workers <= 3; workers++) {
		struct scene *scene = scene_with_busy_worker(&rival_work_sharing, workers);
		uint64_t parks = wait_until_parked(scene, 0);
		for (uint32_t i = 1; i < 100; i++) { /* for ever behind the gate, if it is wrong */
			submit(scene, i);
			wait_until_ran(scene, i);
			parks = wait_until_parked(scene, parks + 1);
		}
		end_busy_worker(scene);
		expect_once(scene, 0, 100, 1);
		scene_close(scene);
	}
}

static void test_mpmc_queue_runs_in_place_when_full(void **state)
{
	struct scene *scene = scene_with_busy_worker(&rival_mpmc_queue, 1);
	struct rival_stats stats;

	(void)state;
	for (uint32_t i = 1; i < JOBS; i++)
		submit(scene, i);
	rival_mpmc_queue.stats(scene->pool, RIVAL_OUTSIDE, &stats);
	assert_int_equal(stats.jobs, JOBS - 1 - MPMC_ROOM);
	end_busy_worker(scene);
	expect_once(scene, 0, JOBS, 1);
	assert_int_equal(total_of(scene).jobs, JOBS);
	scene_close(scene);
}

/* In which order the second worker ran jobs 1 to 64; its own until the wait. */
static uint32_t order[64], order_count;

/* Job 65 keeps a worker busy until job 0, on the other, has submitted all and is busy itself. */
static void hand_out_halves(struct rival_worker *here, struct errand *errand)
{
	if (errand->number == 65) {
		stay_at_gate(here, errand->scene);
	} else if (errand->number == 0) {
		for (uint32_t i = 1; i <= 64; i++)
			rival_submit(here, job_of(errand->scene, i));
		skua_store(&errand->scene->gate, 1, release);
		wait_until_ran(errand->scene, 65);
	} else {
		order[order_count++] = errand->number;
	}
}

static void test_mutex_deques_thief_takes_the_older_half_owner_the_newest(void **state)
{
	struct scene *scene = scene_open(&rival_mutex_deques, 2, false);

	(void)state;
	scene->body = hand_out_halves;
	submit(scene, 65);
	while (!skua_load(&scene->waits_at_gate, acquire))
		sched_yield();
	submit(scene, 0);
	rival_mutex_deques.wait(scene->pool);
	assert_int_equal(order_count, 64);
	/* 1 to 32 are taken: 1 is run at once, the others are its own then; next 33 to 48, ... */
	for (uint32_t first = 1, half = 32, i = 0; half; first += half, half /= 2) {
		assert_int_equal(order[i++], first);
		for (uint32_t own = first + half - 1; own > first; own--)
			assert_int_equal(order[i++], own);
	}
	assert_int_equal(total_of(scene).steals, 64);
	scene_close(scene);
}

/* A CAS that fails takes two threads at one counter; they meet sooner or later. */
static void test_mpmc_queue_counts_lost_cas(void **state)
{
	struct scene *scene = scene_open(&rival_mpmc_queue, 8, false);

	(void)state;
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		scene_close(scene);
		skip();
	}
	scene->body = bring;
	while (!total_of(scene).cas_failures) { /* until PATIENCE ends */
		submit_from_threads(scene);
		expect_once(scene, 0, JOBS, 1);
	}
	scene_close(scene);
}

struct lock_case {
	struct crew_place place;
	pthread_mutex_t lock;
};

static void *lock_and_unlock(void *argument)
{
	struct lock_case *lock_case = argument;

	crew_lock(&lock_case->place, &lock_case->lock);
	pthread_mutex_unlock(&lock_case->lock);
	return NULL;
}

static void test_crew_lock_counts_a_wait_only_when_it_waits(void **state)
{
	static struct lock_case lock_case = { .lock = PTHREAD_MUTEX_INITIALIZER };
	_Atomic uint64_t *waits = &lock_case.place.counters[RIVAL_LOCK_WAITS];
	pthread_t thread;

	(void)state;
	lock_and_unlock(&lock_case);
	assert_int_equal(skua_load(waits, relaxed), 0);
	pthread_mutex_lock(&lock_case.lock);
	assert_int_equal(pthread_create(&thread, NULL, lock_and_unlock, &lock_case), 0);
	while (!skua_load(waits, relaxed)) /* until PATIENCE ends */
		sched_yield();
	pthread_mutex_unlock(&lock_case.lock);
	pthread_join(thread, NULL);
	assert_int_equal(skua_load(waits, relaxed), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rivals_busy_time_is_that_of_the_jobs),
		cmocka_unit_test(test_rivals_park_when_idle),
		cmocka_unit_test(test_rivals_other_counters_stay_zero),
		cmocka_unit_test(test_rivals_that_steal_rob_a_busy_worker),
		cmocka_unit_test(test_static_split_deals_evenly_and_moves_nothing),
		cmocka_unit_test(test_work_sharing_gives_to_who_has_least),
		cmocka_unit_test(test_mutex_deques_thief_takes_the_older_half_owner_the_newest),
		cmocka_unit_test(test_mpmc_queue_runs_in_place_when_full),
		cmocka_unit_test(test_mpmc_queue_counts_lost_cas),
		cmocka_unit_test(test_crew_lock_counts_a_wait_only_when_it_waits),
	};

	alarm(PATIENCE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
