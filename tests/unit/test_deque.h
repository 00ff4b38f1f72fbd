/* SPDX-License-Identifier: MIT */
/* test_deque.h — what the unit tests of the deque share: numbered elements, pushed and taken */
#ifndef SKUA_TESTS_TEST_DEQUE_H
#define SKUA_TESTS_TEST_DEQUE_H

#include "check.h"

#include <skua/deque.h>
#include <skua/error.h>

#define OPTIONS(...) \
	(&(struct skua_deque_options){ .size = sizeof(struct skua_deque_options), __VA_ARGS__ })

static inline uint64_t value_of(uint64_t i)
{
	return i * 0x9e3779b97f4a7c15u + 1;
}

static inline void push_ok(struct skua_deque *deque, uint64_t first, uint64_t count)
{
	for (uint64_t i = first; i < first + count; i++)
		assert_int_equal(skua_deque_push(deque, value_of(i)), SKUA_OK);
}

static inline void assert_pops(struct skua_deque *deque, uint64_t i)
{
	uint64_t element = 0;

	assert_int_equal(skua_deque_pop(deque, &element), SKUA_TAKE_GOT);
	assert_int_equal(element, value_of(i));
}

static inline void assert_steals(struct skua_deque *deque, uint64_t i)
{
	uint64_t element = 0;

	assert_int_equal(skua_deque_steal(deque, &element), SKUA_TAKE_GOT);
	assert_int_equal(element, value_of(i));
}

/* Empty by every way of asking, and no way writes the element. */
static inline void assert_empty(struct skua_deque *deque)
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

#endif
