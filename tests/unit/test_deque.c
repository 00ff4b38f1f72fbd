/* SPDX-License-Identifier: MIT */
/* test_deque.c — one thread at a time: order of elements, growth, limits, refusals, owners */
#include "check.h"

#include "base/fault.h"
#include "os/membarrier.h"
#include "os/thread.h"

#include <skua/deque.h>
#include <skua/error.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#define OPTIONS(...) \
	(&(struct skua_deque_options){ .size = sizeof(struct skua_deque_options), __VA_ARGS__ })

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

static uint64_t value_of(uint64_t i)
{
	return i * 0x9e3779b97f4a7c15u + 1;
}

static void push_ok(struct skua_deque *deque, uint64_t first, uint64_t count)
{
	for (uint64_t i = first; i < first + count; i++)
		assert_int_equal(skua_deque_push(deque, value_of(i)), SKUA_OK);
}

static void assert_pops(struct skua_deque *deque, uint64_t i)
{
	uint64_t element = 0;

	assert_int_equal(skua_deque_pop(deque, &element), SKUA_TAKE_GOT);
	assert_int_equal(element, value_of(i));
}

static void assert_steals(struct skua_deque *deque, uint64_t i)
{
	uint64_t element = 0;

	assert_int_equal(skua_deque_steal(deque, &element), SKUA_TAKE_GOT);
	assert_int_equal(element, value_of(i));
}

/* Empty by every way of asking, and no way writes the element. */
static void assert_empty(struct skua_deque *deque)
{
	uint64_t element[2] = { 4711, 4712 };
	size_t count = 99;

	assert_int_equal(skua_deque_pop(deque, element), SKUA_TAKE_EMPTY);
	assert_int_equal(skua_deque_steal(deque, element), SKUA_TAKE_EMPTY);
	assert_int_equal(skua_deque_steal_half(deque, element, 2, &count), SKUA_TAKE_EMPTY);
	assert_int_equal(count, 0);
	assert_int_equal(element[0], 4711);
	assert_int_equal(element[1], 4712);
	assert_int_equal(skua_deque_count(deque), 0);
}

/* The forms to try: both, where the system offers membarrier. */
static int last_fence(void)
{
	return skuai_membarrier_offered() ? SKUA_FENCE_ASYMMETRIC : SKUA_FENCE_PORTABLE;
}

/* --- order --- */

static void test_deque_pops_before_any_push_are_empty(void **state)
{
	struct skua_deque deque;

	(void)state;
	for (int fence = SKUA_FENCE_PORTABLE; fence <= last_fence(); fence++) {
		assert_int_equal(
			skua_deque_open(&deque, OPTIONS(.fence = (enum skua_deque_fence)fence)),
			SKUA_OK);
		for (int round = 0; round < 5; round++)
			assert_empty(&deque);
		push_ok(&deque, 7, 1);
		assert_pops(&deque, 7);
		assert_empty(&deque);
		skua_deque_close(&deque);
	}
}

static void test_deque_owner_gets_the_newest_first(void **state)
{
	struct skua_deque deque;

	(void)state;
	assert_int_equal(skua_deque_open(&deque, NULL), SKUA_OK);
	for (uint64_t n = 1; n < 300; n = 2 * n + 1) {
		push_ok(&deque, 0, n);
		assert_int_equal(skua_deque_count(&deque), n);
		for (uint64_t i = n; i-- > 0;)
			assert_pops(&deque, i);
		assert_empty(&deque);
	}
	skua_deque_close(&deque);
}

static void test_deque_thieves_get_the_oldest_first(void **state)
{
	struct skua_deque deque;

	(void)state;
	for (int fence = SKUA_FENCE_PORTABLE; fence <= last_fence(); fence++) {
		assert_int_equal(
			skua_deque_open(&deque, OPTIONS(.fence = (enum skua_deque_fence)fence)),
			SKUA_OK);
		for (uint64_t n = 1; n < 300; n = 2 * n + 1) {
			push_ok(&deque, 0, n);
			for (uint64_t i = 0; i < n; i++)
				assert_steals(&deque, i);
			assert_empty(&deque);
		}
		skua_deque_close(&deque);
	}
}

static void test_deque_both_ends_meet_in_the_middle(void **state)
{
	struct skua_deque deque;

	(void)state;
	assert_int_equal(skua_deque_open(&deque, OPTIONS(.capacity = 8)), SKUA_OK);
	/* Long enough for the indices to go round a small buffer many times. */
	for (int round = 0; round < 100; round++) {
		push_ok(&deque, 0, 7);
		for (uint64_t i = 0; i < 3; i++) {
			assert_steals(&deque, i);
			assert_pops(&deque, 6 - i);
		}
		if (round % 2)
			assert_steals(&deque, 3);
		else
			assert_pops(&deque, 3);
		assert_empty(&deque);
	}
	assert_int_equal(skua_deque_memory(&deque) / sizeof(uint64_t) / 16, 0); /* never grew */
	skua_deque_close(&deque);
}

static void test_deque_agrees_with_a_list_on_random_calls(void **state)
{
	enum {
		ROOM = 1 << 12
	};
	static uint64_t list[ROOM];
	uint64_t oldest = 0, newest = 0, next = 0; /* list[i % ROOM] for oldest <= i < newest */
	struct skua_deque deque;

	(void)state;
	assert_int_equal(skua_deque_open(&deque, OPTIONS(.capacity = 1)), SKUA_OK);
	for (uint64_t step = test_rounds(200000); step; step--) {
		uint64_t dice = test_random() % 16;
		bool wants_more = step / 4096 % 2; /* fill for a while, then drain */
		if (dice < (wants_more ? 9 : 6) && newest - oldest < ROOM) {
			list[newest++ % ROOM] = next;
			push_ok(&deque, next++, 1);
		} else if (newest == oldest) {
			assert_empty(&deque);
		} else if (dice < 13) {
			assert_pops(&deque, list[--newest % ROOM]);
		} else {
			assert_steals(&deque, list[oldest++ % ROOM]);
		}
		assert_int_equal(skua_deque_count(&deque), newest - oldest);
	}
	skua_deque_close(&deque);
}

static void test_deque_outcomes_are_distinct(void **state)
{
	(void)state;
	assert_int_equal(SKUA_TAKE_EMPTY, 0); /* "if (pop(...))" means "got one" for an owner */
	assert_int_not_equal(SKUA_TAKE_RETRY, SKUA_TAKE_EMPTY);
	assert_int_not_equal(SKUA_TAKE_RETRY, SKUA_TAKE_GOT);
	assert_int_not_equal(SKUA_TAKE_EMPTY, SKUA_TAKE_GOT);
}

/* --- half --- */

static void test_deque_steal_half_takes_half_rounded_up(void **state)
{
	struct skua_deque deque;
	uint64_t taken[64];

	(void)state;
	assert_int_equal(skua_deque_open(&deque, OPTIONS(.capacity = 64)), SKUA_OK);
	for (uint64_t n = 1; n <= 40; n++) {
		size_t count = 99;
		push_ok(&deque, 0, n);
		assert_int_equal(skua_deque_steal_half(&deque, taken, 64, &count), SKUA_TAKE_GOT);
		assert_int_equal(count, (n + 1) / 2);
		for (uint64_t i = 0; i < count; i++)
			assert_int_equal(taken[i], value_of(i));
		for (uint64_t i = n; i-- > count;)
			assert_pops(&deque, i);
		assert_empty(&deque);
	}
	skua_deque_close(&deque);
}

static void test_deque_steal_half_takes_no_more_than_asked(void **state)
{
	struct skua_deque deque;
	uint64_t taken[4] = { 1, 2, 3, 4 };
	size_t count = 99;

	(void)state;
	assert_int_equal(skua_deque_open(&deque, NULL), SKUA_OK);
	push_ok(&deque, 0, 20);
	assert_int_equal(skua_deque_steal_half(&deque, taken, 0, &count), SKUA_TAKE_EMPTY);
	assert_int_equal(count, 0);
	assert_int_equal(taken[0], 1);
	assert_int_equal(skua_deque_steal_half(&deque, NULL, 0, &count), SKUA_TAKE_EMPTY);
	assert_int_equal(skua_deque_count(&deque), 20);
	assert_int_equal(skua_deque_steal_half(&deque, taken, 3, &count), SKUA_TAKE_GOT);
	assert_int_equal(count, 3);
	assert_int_equal(taken[2], value_of(2));
	assert_int_equal(taken[3], 4); /* behind what was asked for */
	assert_steals(&deque, 3);
	skua_deque_close(&deque);
}

/* --- growth and limits --- */

static void test_deque_growth_keeps_order_and_reports_memory(void **state)
{
	enum {
		MOST = 1 << 16
	};
	struct skua_deque deque;
	size_t newest = 0, all = 0;

	(void)state;
	assert_int_equal(skua_deque_open(&deque, OPTIONS(.capacity = 1)), SKUA_OK);
	all = newest = skua_deque_memory(&deque);
	assert_true(newest >= 8);
	for (uint64_t i = 0; i < MOST; i++) {
		push_ok(&deque, i, 1);
		size_t memory = skua_deque_memory(&deque);
		if (memory != all) { /* grew: what it had before is still there, and smaller */
			newest = memory - all;
			assert_int_equal(i & (i - 1), 0);
			assert_true(newest >= 2 * 8 * i);
			assert_true(i < 64 || all < newest + 64 * 24); /* headers apart */
			all = memory;
		}
	}
	assert_true(all < 2 * 8 * MOST + 64 * 24);
	for (uint64_t i = 0; i < MOST / 2; i++) {
		assert_steals(&deque, i);
		assert_pops(&deque, MOST - 1 - i);
	}
	assert_empty(&deque);
	assert_int_equal(skua_deque_memory(&deque), all);
	skua_deque_close(&deque);
	assert_int_equal(skua_deque_memory(&deque), 0);
}

static void test_deque_grows_when_the_elements_lie_round_the_end(void **state)
{
	struct skua_deque deque;

	(void)state;
	for (uint64_t shift = 0; shift < 9; shift++) {
		assert_int_equal(skua_deque_open(&deque, OPTIONS(.capacity = 8)), SKUA_OK);
		for (uint64_t i = 0; i < shift; i++) {
			push_ok(&deque, i, 1);
			assert_steals(&deque, i);
		}
		push_ok(&deque, 100, 33);
		for (uint64_t i = 0; i < 16; i++)
			assert_steals(&deque, 100 + i);
		for (uint64_t i = 33; i-- > 16;)
			assert_pops(&deque, 100 + i);
		assert_empty(&deque);
		skua_deque_close(&deque);
	}
}

/* Push `extra` too many; none is taken; then the deque works on. */
static void overfill(struct skua_deque *deque, uint64_t capacity, uint64_t extra)
{
	push_ok(deque, 0, capacity);
	for (uint64_t i = 0; i < extra; i++)
		assert_int_equal(skua_deque_push(deque, value_of(capacity + i)), SKUA_EFULL);
	assert_int_equal(skua_deque_count(deque), capacity);
	assert_steals(deque, 0); /* room for one, at the other end */
	push_ok(deque, capacity, 1);
	assert_int_equal(skua_deque_push(deque, 1), SKUA_EFULL);
	for (uint64_t i = capacity; i >= 1; i--)
		assert_pops(deque, i);
	assert_empty(deque);
}

static void test_deque_bounded_refuses_and_works_on(void **state)
{
	struct skua_deque deque;

	(void)state;
	for (uint64_t capacity = 1; capacity <= 64; capacity *= 2) {
		assert_int_equal(
			skua_deque_open(&deque, OPTIONS(.capacity = capacity, .is_bounded = true)),
			SKUA_OK);
		size_t memory = skua_deque_memory(&deque);
		overfill(&deque, capacity, 1);
		overfill(&deque, capacity, 10 * capacity);
		overfill(&deque, capacity, 3);
		assert_int_equal(skua_deque_memory(&deque), memory);
		skua_deque_close(&deque);
	}
}

static void test_deque_in_caller_storage_allocates_nothing(void **state)
{
	uint64_t room[1 + 16 + 1];
	struct skua_deque deque;

	(void)state;
#ifdef SKUA_FAULTS
	skuai_fault_disarm();
	skuai_fault_arm(SKUAI_FAULT_MALLOC, 1, true, SKUAI_FAULT_USUAL);
#endif
	for (uint64_t capacity = 1; capacity <= 16; capacity *= 2) {
		memset(room, 0x5a, sizeof(room));
		/* is_bounded not set: storage alone means bounded */
		assert_int_equal(
			skua_deque_open(&deque, OPTIONS(.capacity = capacity, .storage = room + 1)),
			SKUA_OK);
		overfill(&deque, capacity, 10 * capacity);
		push_ok(&deque, 0, capacity);
		assert_int_equal(skua_deque_memory(&deque), 0);
		skua_deque_close(&deque);
		skua_deque_close(&deque);
		assert_int_equal(room[0], 0x5a5a5a5a5a5a5a5a); /* wrote nothing beside it */
		assert_int_equal(room[1 + capacity], 0x5a5a5a5a5a5a5a5a);
	}
#ifdef SKUA_FAULTS
	assert_int_equal(skuai_fault_calls(SKUAI_FAULT_MALLOC), 0);
	skuai_fault_disarm();
#endif
}

/* --- types --- */

struct job {
	int number;
};
struct pair {
	int32_t x, y;
};
SKUA_DEQUE_OF(jobs, struct job *);
SKUA_DEQUE_OF(pairs, struct pair);

static void test_deque_of_pointers_hands_out_the_same_pointers(void **state)
{
	struct job all[3] = { { 0 }, { 1 }, { 2 } }, *job = NULL;
	struct jobs jobs;

	(void)state;
	assert_int_equal(jobs_open(&jobs, NULL), SKUA_OK);
	assert_int_equal(jobs_pop(&jobs, &job), SKUA_TAKE_EMPTY);
	assert_int_equal(jobs_steal(&jobs, &job), SKUA_TAKE_EMPTY);
	assert_null(job);
	for (int i = 0; i < 3; i++)
		assert_int_equal(jobs_push(&jobs, &all[i]), SKUA_OK);
	assert_int_equal(jobs_pop(&jobs, &job), SKUA_TAKE_GOT);
	assert_ptr_equal(job, &all[2]);
	assert_int_equal(jobs_steal(&jobs, &job), SKUA_TAKE_GOT);
	assert_ptr_equal(job, &all[0]);
	assert_int_equal(skua_deque_count(&jobs.deque), 1);
	jobs_close(&jobs);
}

static void test_deque_of_structs_hands_out_equal_structs(void **state)
{
	struct pair pair = { 0, 0 };
	struct pairs pairs;

	(void)state;
	assert_int_equal(pairs_open(&pairs, OPTIONS(.capacity = 2)), SKUA_OK);
	for (int32_t i = 1; i <= 10; i++)
		assert_int_equal(pairs_push(&pairs, (struct pair){ i, -i }), SKUA_OK);
	for (int32_t i = 1; i <= 10; i++) {
		enum skua_take take = i % 2 ? pairs_steal(&pairs, &pair) : pairs_pop(&pairs, &pair);
		int32_t wanted = i % 2 ? (i + 1) / 2 : 11 - i / 2;
		assert_int_equal(take, SKUA_TAKE_GOT);
		assert_int_equal(pair.x, wanted);
		assert_int_equal(pair.y, -wanted);
	}
	assert_int_equal(pairs_steal(&pairs, &pair), SKUA_TAKE_EMPTY);
	pairs_close(&pairs);
}

/* --- refusals --- */

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

static void test_deque_capacity_is_rounded_up(void **state)
{
	struct skua_deque deque;

	(void)state;
	for (uint64_t capacity = 1; capacity <= 33; capacity++) {
		uint64_t rounded = 1;
		while (rounded < capacity)
			rounded *= 2;
		assert_int_equal(
			skua_deque_open(&deque, OPTIONS(.capacity = capacity, .is_bounded = true)),
			SKUA_OK);
		overfill(&deque, rounded, 1);
		skua_deque_close(&deque);
	}
}

static void test_deque_two_closes_are_as_one(void **state)
{
	struct skua_deque deque;

	(void)state;
	assert_int_equal(skua_deque_open(&deque, OPTIONS(.capacity = 1)), SKUA_OK);
	push_ok(&deque, 0, 100); /* forgotten: they are ours */
	skua_deque_close(&deque);
	skua_deque_close(&deque);
	assert_int_equal(skua_deque_memory(&deque), 0);
	assert_int_equal(skua_deque_open(&deque, NULL), SKUA_OK); /* and open again */
	assert_empty(&deque);
	skua_deque_close(&deque);
}

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

static void test_deque_asymmetric_is_what_was_asked_for(void **state)
{
	struct skua_deque deque;

	(void)state;
	if (skuai_membarrier_ready() != SKUA_OK)
		skip();
	for (int fence = SKUA_FENCE_PORTABLE; fence <= SKUA_FENCE_ASYMMETRIC; fence++) {
		assert_int_equal(
			skua_deque_open(&deque, OPTIONS(.fence = (enum skua_deque_fence)fence)),
			SKUA_OK);
		assert_int_equal(skua_deque_is_asymmetric(&deque), fence != SKUA_FENCE_PORTABLE);
		skua_deque_close(&deque);
	}
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
		cmocka_unit_test(test_deque_pops_before_any_push_are_empty),
		cmocka_unit_test(test_deque_owner_gets_the_newest_first),
		cmocka_unit_test(test_deque_thieves_get_the_oldest_first),
		cmocka_unit_test(test_deque_both_ends_meet_in_the_middle),
		cmocka_unit_test(test_deque_agrees_with_a_list_on_random_calls),
		cmocka_unit_test(test_deque_outcomes_are_distinct),
		cmocka_unit_test(test_deque_steal_half_takes_half_rounded_up),
		cmocka_unit_test(test_deque_steal_half_takes_no_more_than_asked),
		cmocka_unit_test(test_deque_growth_keeps_order_and_reports_memory),
		cmocka_unit_test(test_deque_grows_when_the_elements_lie_round_the_end),
		cmocka_unit_test(test_deque_bounded_refuses_and_works_on),
		cmocka_unit_test(test_deque_in_caller_storage_allocates_nothing),
		cmocka_unit_test(test_deque_of_pointers_hands_out_the_same_pointers),
		cmocka_unit_test(test_deque_of_structs_hands_out_equal_structs),
		cmocka_unit_test(test_deque_bad_arguments_change_nothing),
		cmocka_unit_test(test_deque_capacity_is_rounded_up),
		cmocka_unit_test(test_deque_two_closes_are_as_one),
		cmocka_unit_test(test_deque_without_memory_loses_nothing),
		cmocka_unit_test(test_deque_is_portable_where_membarrier_is_refused),
		cmocka_unit_test(test_deque_steal_without_its_fence_claims_nothing),
		cmocka_unit_test(test_deque_asymmetric_is_what_was_asked_for),
		cmocka_unit_test(test_deque_leaves_errno_alone),
		cmocka_unit_test(test_deque_second_owner_is_a_bug),
		cmocka_unit_test(test_deque_adopt_hands_it_over_and_back),
	};
	return cmocka_run_group_tests_name("deque", tests, NULL, NULL);
}
