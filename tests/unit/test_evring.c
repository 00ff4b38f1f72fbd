/* SPDX-License-Identifier: MIT */
/* test_evring.c — the ring of events: what is there, what was overwritten, what is being written */
#include "check.h"

#include "os/thread.h"
#include "trace/evring.h"
#include "trace/namebook.h"

#include <skua/error.h>

#include <stdlib.h>
#include <string.h>

#define SIZE 64

static struct skuai_event events[SIZE];
static struct skuai_evring ring;

static void open_ring(void)
{
	memset(events, 0, sizeof(events));
	ring = (struct skuai_evring){ .mask = SIZE - 1, .events = events };
}

/* Event number n says n twice, in a way that a mixture of two does not. */
static void put(uint64_t n)
{
	skuai_evring_put(&ring, n,
			 skuai_event_rest(SKUAI_TRACE_MARK, (uint32_t)(n * 2654435761u), 7, 9));
}

static void expect_events(const struct skuai_trace_record *records, uint64_t from, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		assert_true(records[i].ticks == from + i);
		assert_int_equal(records[i].argument, (uint32_t)((from + i) * 2654435761u));
		assert_int_equal(records[i].peer, 7);
		assert_int_equal(records[i].kind, SKUAI_TRACE_MARK);
		assert_int_equal(records[i].detail, 9);
	}
}

static void test_evring_keeps_the_newest(void **state)
{
	struct skuai_trace_record records[SIZE];
	uint64_t from;

	(void)state;
	open_ring();
	assert_true(skuai_evring_copy(&ring, 0, records, &from) == 0 && from == 0);
	for (uint64_t n = 0; n < 1000; n++) {
		put(n);
		uint64_t count = skuai_evring_copy(&ring, 0, records, &from);
		/* The oldest of a full ring may be in the middle of being overwritten. */
		assert_true(count == (n + 1 < SIZE ? n + 1 : SIZE - 1));
		assert_true(from + count == n + 1);
		expect_events(records, from, count);
	}
	assert_true(skuai_evring_copy(&ring, 990, records, &from) == 10 && from == 990);
	expect_events(records, 990, 10);
	assert_true(skuai_evring_copy(&ring, 1000, records, &from) == 0 && from == 1000);
}

static void test_evring_newest_can_be_named(void **state)
{
	struct skuai_trace_record records[SIZE];
	uint64_t from;

	(void)state;
	open_ring();
	assert_null(skuai_evring_newest(&ring, SKUAI_TRACE_MARK));
	put(1);
	assert_null(skuai_evring_newest(&ring, SKUAI_TRACE_TASK_BEGIN));
	_Atomic uint64_t *rest = skuai_evring_newest(&ring, SKUAI_TRACE_MARK);
	assert_non_null(rest);
	skua_store(rest, skuai_event_rest(SKUAI_TRACE_MARK, 55, 7, 9), relaxed);
	assert_true(skuai_evring_copy(&ring, 0, records, &from) == 1);
	assert_int_equal(records[0].argument, 55);
}

static _Atomic bool must_end;

static void write_on(void *argument)
{
	(void)argument;
	for (uint64_t n = 0; !skua_load(&must_end, relaxed); n++)
		put(n);
}

/* While its owner writes, a copy has no event that is a mixture of two, and misses none. */
static void test_evring_is_copied_while_written(void **state)
{
	struct skuai_trace_record records[SIZE];
	struct skuai_thread thread;
	uint64_t from, copies = test_rounds(20000);

	(void)state;
	open_ring();
	skua_store(&must_end, false, relaxed);
	assert_int_equal(skuai_thread_start(&thread, write_on, NULL,
					    &(struct skuai_thread_options){ .name = "owner" }),
			 SKUA_OK);
	while (!skua_load(&ring.written, relaxed))
		skuai_thread_yield();
	for (uint64_t i = 0; i < copies; i++) {
		uint64_t count = skuai_evring_copy(&ring, 0, records, &from);
		expect_events(records, from, count);
	}
	skua_store(&must_end, true, relaxed);
	skuai_thread_join(&thread);
	uint64_t count = skuai_evring_copy(&ring, 0, records, &from);
	assert_true(count > 0);
	expect_events(records, from, count);
}

static void test_namebook_same_text_same_number(void **state)
{
	char text[512];
	uintptr_t address;

	(void)state;
	uint32_t one = skuai_name_of_text("one"), two = skuai_name_of_text("two");
	uint32_t function = skuai_name_of_function((uintptr_t)&put);
	assert_true(one && two && function && one != two && one != function);
	assert_int_equal(skuai_name_of_text("one"), one);
	assert_int_equal(skuai_name_of_function((uintptr_t)&put), function);
	assert_string_equal(skuai_name_read(two, &address), "two");
	assert_null(skuai_name_read(function, &address));
	assert_true(address == (uintptr_t)&put);
	assert_int_equal(skuai_name_of_text(""), 0);
	assert_null(skuai_name_read(0, &address));
	assert_null(skuai_name_read(UINT32_MAX, &address));
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(strlen(skuai_name_read(skuai_name_of_text(text), &address)),
			 SKUAI_NAME_BYTES_MOST);
}

/* A full book gives 0 to what is new, and goes on knowing the rest. */
static void test_namebook_is_full(void **state)
{
	char text[32];
	uint32_t first = skuai_name_of_text("first"), refused = 0;

	(void)state;
	for (unsigned i = 0; i < 2 * SKUAI_NAMES_MOST; i++) {
		snprintf(text, sizeof(text), "name %u", i);
		refused += skuai_name_of_text(text) == 0;
	}
	assert_true(refused >= SKUAI_NAMES_MOST);
	assert_int_equal(skuai_name_of_text("first"), first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_evring_keeps_the_newest),
		cmocka_unit_test(test_evring_newest_can_be_named),
		cmocka_unit_test(test_evring_is_copied_while_written),
		cmocka_unit_test(test_namebook_same_text_same_number),
		cmocka_unit_test(test_namebook_is_full),
	};
	return cmocka_run_group_tests_name("evring", tests, NULL, NULL);
}
