/* SPDX-License-Identifier: MIT */
/* test_tools.c — each sanitizer must find its planted bug, or its silence means nothing */
#include "check.h"

#include "base/atomic.h"
#include "os/thread.h"

#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#define HAS(feature) __has_feature(feature)
#else
#define HAS(feature) 0
#endif

static volatile int zero; /* the compiler must not see through the plants */

static void read_past_the_end(void *argument)
{
	char *bytes = malloc(8);

	(void)argument;
	memset(bytes, 0, 8);
	zero = ((volatile char *)bytes)[8 + zero];
	free(bytes);
}

static void leak_memory(void *argument)
{
	(void)argument;
	void *volatile lost = malloc(100);
	lost = NULL;
	exit(lost != NULL);
}

static void overflow_a_number(void *argument)
{
	(void)argument;
	volatile int big = 2147483647 - zero;
	big = big + 1;
}

static void branch_on_garbage(void *argument)
{
	int *numbers = malloc(8 * sizeof(int));

	(void)argument;
	if (((volatile int *)numbers)[3])
		zero = 0;
	free(numbers);
}

static volatile int shared;

static void write_shared(void *argument)
{
	for (int i = 0; i < 1000; i++)
		shared = *(int *)argument + i;
}

static void race(void *argument)
{
	int one = 1;
	struct skuai_thread thread;

	(void)argument;
	skuai_thread_start(&thread, write_shared, &one, NULL);
	write_shared(&one);
	skuai_thread_join(&thread);
}

/* The plant must end the child with the sanitizer's own report. */
static void assert_found(void (*plant)(void *), const char *words)
{
	static char text[65536];
	int status = test_in_child_stderr(plant, NULL, text, sizeof(text));

	if (status == 0 || !strstr(text, words))
		fail_msg("planted bug not found: status %d, no '%s' in:\n%s", status, words, text);
}

static void test_tools_address_sanitizer_sees_a_read_past_the_end(void **state)
{
	(void)state;
#if defined(__SANITIZE_ADDRESS__) || HAS(address_sanitizer)
	assert_found(read_past_the_end, "heap-buffer-overflow");
	assert_found(leak_memory, "LeakSanitizer");
	assert_found(overflow_a_number, "signed integer overflow");
#else
	(void)read_past_the_end, (void)leak_memory, (void)overflow_a_number;
	skip();
#endif
}

static void test_tools_memory_sanitizer_sees_garbage(void **state)
{
	(void)state;
#if HAS(memory_sanitizer)
	assert_found(branch_on_garbage, "use-of-uninitialized-value");
#else
	(void)branch_on_garbage;
	skip();
#endif
}

static void test_tools_thread_sanitizer_sees_a_race(void **state)
{
	(void)state;
#ifdef SKUAI_ATOMICS_TSAN
	assert_found(race, "data race");
#else
	(void)race;
	skip();
#endif
}

int main(void)
{
	(void)assert_found;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tools_address_sanitizer_sees_a_read_past_the_end),
		cmocka_unit_test(test_tools_memory_sanitizer_sees_garbage),
		cmocka_unit_test(test_tools_thread_sanitizer_sees_a_race),
	};
	return cmocka_run_group_tests_name("tools", tests, NULL, NULL);
}
