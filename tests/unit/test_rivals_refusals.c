/* SPDX-License-Identifier: MIT */
/* test_rivals_refusals.c — rivals without memory or threads: NULL, nothing left, no job lost */
#include "unit/test_rivals.h"

/* --- memory and threads that are refused (CMakeLists.txt wraps these calls) --- */

static _Atomic int64_t calls_left = INT64_MAX; /* that are granted; then they are refused */
static _Atomic int64_t live_blocks, live_threads;
static _Atomic uint32_t refuses_threads, was_refused; /* else memory */

static bool is_refused(bool is_thread)
{
	if ((bool)skua_load(&refuses_threads, relaxed) != is_thread ||
	    skua_load(&calls_left, relaxed) == INT64_MAX || skua_sub(&calls_left, 1, relaxed) > 0)
		return false;
	skua_store(&was_refused, 1, relaxed);
	return true;
}

static void refuse_after(bool is_thread, int64_t calls)
{
	skua_store(&refuses_threads, is_thread, relaxed);
	skua_store(&was_refused, 0, relaxed);
	skua_store(&calls_left, calls, relaxed);
}

static bool refuse_no_more(void)
{
	skua_store(&calls_left, INT64_MAX, relaxed);
	return skua_load(&was_refused, relaxed);
}

static void *counted(void *block)
{
	if (block)
		skua_add(&live_blocks, 1, relaxed);
	return block;
}

/* The linker gives them these names. */
void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__real_aligned_alloc(size_t align, size_t bytes);
void *__wrap_aligned_alloc(size_t align, size_t bytes);
void __real_free(void *block);
void __wrap_free(void *block);
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __real_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result);

void *__wrap_malloc(size_t bytes)
{
	return is_refused(false) ? NULL : counted(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
	return is_refused(false) ? NULL : counted(__real_calloc(count, bytes));
}

void *__wrap_aligned_alloc(size_t align, size_t bytes)
{
	return is_refused(false) ? NULL : counted(__real_aligned_alloc(align, bytes));
}

void __wrap_free(void *block)
{
	if (block)
		skua_sub(&live_blocks, 1, relaxed);
	__real_free(block);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*body)(void *),
			  void *argument)
{
	int error = is_refused(true) ? 11 : __real_pthread_create(thread, attr, body, argument);

	if (!error)
		skua_add(&live_threads, 1, relaxed);
	return error;
}

int __wrap_pthread_join(pthread_t thread, void **result)
{
	skua_sub(&live_threads, 1, relaxed);
	return __real_pthread_join(thread, result);
}

/* --- refusals --- */

static void test_rivals_refuse_a_number_of_workers_out_of_range(void **state)
{
	(void)state;
	for (unsigned r = 0; r < RIVALS_COUNT; r++) {
		assert_null(rivals[r]->open(rivals[r], &(struct rival_options){ .workers = 0 }));
		assert_null(rivals[r]->open(
			rivals[r], &(struct rival_options){ .workers = RIVAL_WORKERS_MAX + 1 }));
	}
}

/* Refuse all calls from the n-th on; NULL and nothing left, or a pool that works.  False: none
 * was refused. */
static bool open_with_refusal(const struct rival *rival, bool is_thread, int64_t granted)
{
	int64_t blocks = skua_load(&live_blocks, relaxed);
	int64_t threads = skua_load(&live_threads, relaxed);
	struct rival_options options = { .workers = 3 };

	refuse_after(is_thread, granted);
	struct rival_pool *pool = rival->open(rival, &options);
	bool is_hit = refuse_no_more();
	if (is_hit == (pool != NULL))
		fail_msg("%s: open gave %p, %s %lld refused", rival->name, (void *)pool,
			 is_thread ? "thread" : "memory", (long long)granted);
	if (pool)
		rival->close(pool);
	if (skua_load(&live_blocks, relaxed) != blocks ||
	    skua_load(&live_threads, relaxed) != threads)
		fail_msg("%s: %s %lld refused, something is left", rival->name,
			 is_thread ? "thread" : "memory", (long long)granted);
	return is_hit;
}

static void test_rivals_open_gives_null_and_leaves_nothing(void **state)
{
	(void)state;
	for (unsigned r = 0; r < RIVALS_COUNT; r++) {
		for (unsigned is_thread = 0; is_thread < 2; is_thread++) {
			int64_t granted = 0;
			while (open_with_refusal(rivals[r], is_thread, granted))
				granted++;
			assert_true(granted >= (is_thread ? 3 : 2)); /* so many it needs */
		}
	}
}

/* From the start: not even the first ring can be had. */
static void starve(struct scene *scene)
{
	scene->body = grow;
	refuse_after(false, 0);
	submit(scene, 1);
	scene->rival->wait(scene->pool);
	refuse_no_more();
	expect_once(scene, 1, 2 * LEAVES, 1);
	expect(scene, "jobs counted", total_of(scene).jobs, 2 * LEAVES - 1);
	submit(scene, 1);
	scene->rival->wait(scene->pool);
	expect_once(scene, 1, 2 * LEAVES, 1);
}

static void test_rivals_run_in_place_without_memory(void **state)
{
	(void)state;
	for_all(starve);
}

static void hand_out(struct rival_worker *here, struct errand *errand)
{
	if (errand->number)
		return;
	for (uint32_t i = 1; i <= 64; i++)
		rival_submit(here, job_of(errand->scene, i));
	wait_until_ran(errand->scene, 65); /* with job 65, before */
}

/* The common queue has its ring from job 65, the owner is granted one, the thief none.  False: it
 * was so fast that there was never more than one to take, and it asked for none. */
static bool steal_without_memory(void)
{
	struct scene *scene = scene_open(&rival_mutex_deques, 2, false);

	scene->body = hand_out;
	submit(scene, 65);
	scene->rival->wait(scene->pool);
	refuse_after(false, 1);
	submit(scene, 0);
	scene->rival->wait(scene->pool);
	bool is_refused_now = refuse_no_more();
	expect_once(scene, 0, 66, 1);
	expect(scene, "steals", total_of(scene).steals, 64);
	scene_close(scene);
	return is_refused_now;
}

static void test_mutex_deques_thief_without_memory_takes_one(void **state)
{
	unsigned tries = 1;

	(void)state;
	while (!steal_without_memory())
		assert_true(tries++ < 1000);
}

static void nothing(struct scene *scene)
{
	(void)scene;
}

static void test_rivals_close_with_nothing_done(void **state)
{
	int64_t blocks = skua_load(&live_blocks, relaxed);

	(void)state;
	for_all(nothing);
	assert_int_equal(skua_load(&live_blocks, relaxed), blocks);
	assert_int_equal(skua_load(&live_threads, relaxed), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rivals_refuse_a_number_of_workers_out_of_range),
		cmocka_unit_test(test_rivals_open_gives_null_and_leaves_nothing),
		cmocka_unit_test(test_rivals_run_in_place_without_memory),
		cmocka_unit_test(test_mutex_deques_thief_without_memory_takes_one),
		cmocka_unit_test(test_rivals_close_with_nothing_done),
	};

	alarm(PATIENCE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
