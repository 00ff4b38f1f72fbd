/* SPDX-License-Identifier: MIT */
/* test_deque_refusals.c — bad arguments, no memory, no membarrier, a second owner; nothing lost */
#include "test_deque.h"

#include "base/fault.h"
#include "os/thread.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

/* Sanitizers end the process where malloc would give NULL. */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	__has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
static const bool heap_is_sanitized = true;
#else
static const bool heap_is_sanitized = false;
#endif

/* --- bad arguments --- */

static void assert_open_refuses(const struct skua_deque_options *options, int error)
{
	struct skua_deque deque, before;

	memset(&deque, 0x5a, sizeof(deque));
	before = deque;
	assert_int_equal(skua_deque_open(&deque, options), error);
	assert_memory_equal(&deque, &before, sizeof(deque));
}

static void test_deque_bad_arguments_change_nothing(void **state)
{
	_Alignas(8) unsigned char room[9 * 8];

	(void)state;
	memset(room, 0x5a, sizeof(room));
	assert_int_equal(skua_deque_open(NULL, NULL), SKUA_EINVAL);
	assert_int_equal(skua_deque_open(NULL, OPTIONS(.capacity = 4)), SKUA_EINVAL);
	/* an address that malloc might give; through void, so that the compiler does not object */
	static _Alignas(64) unsigned char memory[2 * sizeof(struct skua_deque)];
	assert_int_equal(skua_deque_open((void *)(memory + 16), NULL), SKUA_EINVAL);
	assert_open_refuses(&(struct skua_deque_options){ .size = 0 }, SKUA_EINVAL);
	assert_open_refuses(&(struct skua_deque_options){ .size = 8, .capacity = 4 }, SKUA_EINVAL);
	assert_open_refuses(OPTIONS(.capacity = (size_t)1 << 41), SKUA_EINVAL);
	assert_open_refuses(OPTIONS(.capacity = ((size_t)1 << 40) + 1), SKUA_EINVAL);
	assert_open_refuses(OPTIONS(.capacity = SIZE_MAX), SKUA_EINVAL);
	assert_open_refuses(OPTIONS(.capacity = SIZE_MAX / 8 + 2), SKUA_EINVAL);
	assert_open_refuses(OPTIONS(.fence = (enum skua_deque_fence)7), SKUA_EINVAL);
	assert_open_refuses(OPTIONS(.fence = (enum skua_deque_fence) - 1), SKUA_EINVAL);
	for (size_t shift = 1; shift < 8; shift++)
		assert_open_refuses(OPTIONS(.capacity = 8, .storage = room + shift), SKUA_EINVAL);
	assert_open_refuses(OPTIONS(.capacity = 3, .storage = room), SKUA_EINVAL);
	assert_open_refuses(OPTIONS(.capacity = 0, .storage = room), SKUA_EINVAL);
	assert_open_refuses(OPTIONS(.capacity = (size_t)1 << 41, .storage = room), SKUA_EINVAL);
	for (size_t i = 0; i < sizeof(room); i++)
		assert_int_equal(room[i], 0x5a);
	skua_deque_close(NULL);
}

/* --- a system that refuses --- */

#ifdef SKUA_FAULTS
/* Open a small one and push 40; what is refused is pushed again later.  All must come out. */
static void run_short_of_memory(void)
{
	struct skua_deque deque;
	uint64_t refused = 0;
	int error = skua_deque_open(&deque, OPTIONS(.capacity = 2));

	if (error) {
		assert_int_equal(error, SKUA_ENOMEM);
		return;
	}
	for (uint64_t i = 0; i < 40; i++) {
		size_t count = skua_deque_count(&deque), memory = skua_deque_memory(&deque);
		while ((error = skua_deque_push(&deque, value_of(i))) != SKUA_OK) {
			assert_int_equal(error, SKUA_ENOMEM);
			assert_int_equal(skua_deque_count(&deque), count);
			assert_int_equal(skua_deque_memory(&deque), memory);
			assert_pops(&deque, i - 1); /* still usable at both ends */
			push_ok(&deque, i - 1, 1);
			if (++refused > 3)
				skuai_fault_disarm(); /* "for ever" has been seen */
		}
	}
	for (uint64_t i = 0; i < 20; i++) {
		assert_steals(&deque, i);
		assert_pops(&deque, 39 - i);
	}
	assert_empty(&deque);
	skua_deque_close(&deque);
}
#endif

static void test_deque_without_memory_loses_nothing(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	for (int for_ever = 0; for_ever < 2; for_ever++) {
		uint32_t calls = 1;
		for (uint32_t nth = 1; nth <= calls; nth++) { /* every allocation in turn */
			skuai_fault_disarm();
			run_short_of_memory();
			calls = skuai_fault_calls(SKUAI_FAULT_MALLOC);
			skuai_fault_disarm();
			skuai_fault_arm(SKUAI_FAULT_MALLOC, nth, for_ever, SKUAI_FAULT_USUAL);
			run_short_of_memory();
		}
		assert_int_equal(calls, 6); /* capacity 2, 4 ... 64 */
	}
	skuai_fault_disarm();
#else
	skip();
#endif
}

static void test_deque_is_portable_where_membarrier_is_refused(void **state)
{
	struct skua_deque deque;

	(void)state;
#ifdef SKUA_FAULTS
	const struct {
		int system, ours;
	} refusals[] = { { ENOSYS, SKUA_ENOTSUP },
			 { EINVAL, SKUA_ENOTSUP },
			 { EPERM, SKUA_EPERM } };
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		skuai_fault_arm(SKUAI_FAULT_MEMBARRIER, 1, true, refusals[i].system);
		assert_int_equal(skua_deque_open(&deque, NULL), SKUA_OK);
		assert_false(skua_deque_is_asymmetric(&deque));
		push_ok(&deque, 0, 3);
		assert_steals(&deque, 0); /* without membarrier */
		assert_pops(&deque, 2);
		skua_deque_close(&deque);
		assert_open_refuses(OPTIONS(.fence = SKUA_FENCE_ASYMMETRIC), refusals[i].ours);
		skuai_fault_disarm();
	}
	assert_int_equal(skua_deque_open(&deque, OPTIONS(.fence = SKUA_FENCE_PORTABLE)), SKUA_OK);
	assert_false(skua_deque_is_asymmetric(&deque));
	assert_int_equal(skuai_fault_calls(SKUAI_FAULT_MEMBARRIER), 0); /* did not even ask */
	skua_deque_close(&deque);
#else
	(void)deque;
	skip();
#endif
}

static void test_deque_steal_without_its_fence_claims_nothing(void **state)
{
	struct skua_deque deque;

	(void)state;
#ifdef SKUA_FAULTS
	uint64_t element = 4711;
	size_t count = 99;
	if (skua_deque_open(&deque, OPTIONS(.fence = SKUA_FENCE_ASYMMETRIC)) != SKUA_OK)
		skip();
	push_ok(&deque, 0, 4);
	skuai_fault_arm(SKUAI_FAULT_MEMBARRIER, 1, true, ENOMEM); /* taken away since open */
	assert_int_equal(skua_deque_steal(&deque, &element), SKUA_TAKE_RETRY);
	assert_int_equal(skua_deque_steal_half(&deque, &element, 1, &count), SKUA_TAKE_RETRY);
	assert_int_equal(count, 0);
	assert_int_equal(element, 4711);
	assert_int_equal(skua_deque_count(&deque), 4);
	assert_pops(&deque, 3);
	skuai_fault_disarm();
	assert_steals(&deque, 0);
	assert_pops(&deque, 2);
	assert_pops(&deque, 1);
	assert_empty(&deque);
	skua_deque_close(&deque);
#else
	(void)deque;
	skip();
#endif
}

/* A real refusal by the heap, not one of the fault table: that one sets errno. */
static void need_more_than_there_is(void *argument)
{
	struct skua_deque deque;
	struct rlimit limit = { .rlim_cur = (rlim_t)1 << 30, .rlim_max = (rlim_t)1 << 30 };

	(void)argument;
	setrlimit(RLIMIT_AS, &limit);
	errno = 4711;
	int error = skua_deque_open(&deque, OPTIONS(.capacity = (size_t)1 << 34));
	_exit(error == SKUA_ENOMEM && errno == 4711 ? 0 : 1);
}

static void test_deque_leaves_errno_alone(void **state)
{
	struct skua_deque deque;
	uint64_t element;

	(void)state;
	errno = 4711;
	assert_int_equal(skua_deque_open(&deque, OPTIONS(.capacity = 1)), SKUA_OK);
	push_ok(&deque, 0, 100);
	assert_pops(&deque, 99);
	assert_steals(&deque, 0);
#ifdef SKUA_FAULTS
	skuai_fault_arm(SKUAI_FAULT_MEMBARRIER, 1, true, ENOMEM);
	skua_deque_steal(&deque, &element);
	skuai_fault_disarm();
#endif
	skua_deque_close(&deque);
	(void)element;
	skua_deque_open(NULL, NULL);
	assert_int_equal(errno, 4711);
	if (!heap_is_sanitized)
		assert_int_equal(test_in_child(need_more_than_there_is, NULL), 0);
}

/* --- owners --- */

static void push_one(void *argument)
{
	skua_deque_push(argument, 1);
}

static void pop_one(void *argument)
{
	uint64_t element;

	skua_deque_pop(argument, &element);
}

struct foreigner {
	void (*body)(void *);
	struct skua_deque deque;
};

/* Open here, then do it on another thread. */
static void on_another_thread(void *argument)
{
	struct foreigner *foreigner = argument;
	struct skuai_thread thread;

	if (skua_deque_open(&foreigner->deque, NULL) != SKUA_OK ||
	    skuai_thread_start(&thread, foreigner->body, &foreigner->deque, NULL) != 0)
		_exit(99);
	skuai_thread_join(&thread);
	skua_deque_close(&foreigner->deque);
}

static void test_deque_second_owner_is_a_bug(void **state)
{
	void (*const bodies[])(void *) = { push_one, pop_one };
	char text[512];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct foreigner foreigner = { .body = bodies[i] };
		int status = test_in_child_stderr(on_another_thread, &foreigner, text,
						  sizeof(text));
#ifdef NDEBUG
		assert_int_equal(status, 0); /* release builds do not look */
#else
		assert_int_equal(status, 128 + SIGABRT);
		assert_non_null(strstr(text, "bug in the calling program: skua_deque_push"));
		assert_non_null(strstr(text, "skua_deque_adopt"));
#endif
	}
}

static void take_over(void *argument)
{
	struct skua_deque *deque = argument;

	skua_deque_adopt(deque);
	assert_pops(deque, 9);
	push_ok(deque, 20, 300); /* and growth is the new owner's too */
	assert_pops(deque, 319);
}

static void test_deque_adopt_hands_it_over_and_back(void **state)
{
	struct skua_deque deque;
	struct skuai_thread thread;

	(void)state;
	assert_int_equal(skua_deque_open(&deque, NULL), SKUA_OK);
	push_ok(&deque, 0, 10);
	assert_int_equal(skuai_thread_start(&thread, take_over, &deque, NULL), 0);
	skuai_thread_join(&thread);
	skua_deque_adopt(&deque);
	assert_pops(&deque, 318);
	assert_steals(&deque, 0);
	assert_int_equal(skua_deque_count(&deque), 10 - 2 + 300 - 2);
	skua_deque_close(&deque);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deque_bad_arguments_change_nothing),
		cmocka_unit_test(test_deque_without_memory_loses_nothing),
		cmocka_unit_test(test_deque_is_portable_where_membarrier_is_refused),
		cmocka_unit_test(test_deque_steal_without_its_fence_claims_nothing),
		cmocka_unit_test(test_deque_leaves_errno_alone),
		cmocka_unit_test(test_deque_second_owner_is_a_bug),
		cmocka_unit_test(test_deque_adopt_hands_it_over_and_back),
	};
	return cmocka_run_group_tests_name("deque_refusals", tests, NULL, NULL);
}
