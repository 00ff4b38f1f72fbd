/* SPDX-License-Identifier: MIT */
/* test_fault.c — the fault table fails just the calls it was told to */
#include "check.h"

#include "base/fault.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SKUA_FAULTS

static void test_fault_unarmed_lets_every_call_through(void **state)
{
	(void)state;
	for (int kind = 0; kind < SKUAI_FAULT_COUNT; kind++)
		for (int i = 0; i < 10; i++)
			assert_int_equal(skuai_fault((enum skuai_fault_kind)kind), 0);
	assert_int_equal(skuai_fault_calls(SKUAI_FAULT_MMAP), 10);
	skuai_fault_disarm();
	assert_int_equal(skuai_fault_calls(SKUAI_FAULT_MMAP), 0);
}

static void test_fault_once_fails_only_the_nth(void **state)
{
	(void)state;
	for (uint32_t nth = 1; nth <= 5; nth++) {
		skuai_fault(SKUAI_FAULT_MMAP); /* "from now", not "from the start" */
		skuai_fault_arm(SKUAI_FAULT_MMAP, nth, false, SKUAI_FAULT_USUAL);
		for (uint32_t call = 1; call <= 8; call++)
			assert_int_equal(skuai_fault(SKUAI_FAULT_MMAP), call == nth ? ENOMEM : 0);
		skuai_fault_disarm();
	}
}

static void test_fault_for_ever_fails_the_nth_and_all_after(void **state)
{
	(void)state;
	skuai_fault_arm(SKUAI_FAULT_MEMBARRIER, 3, true, EPERM);
	for (uint32_t call = 1; call <= 8; call++) {
		assert_int_equal(skuai_fault(SKUAI_FAULT_MEMBARRIER), call >= 3 ? EPERM : 0);
		assert_int_equal(skuai_fault(SKUAI_FAULT_THREAD), 0);
	}
	skuai_fault_disarm();
	assert_int_equal(skuai_fault(SKUAI_FAULT_MEMBARRIER), 0);
	skuai_fault_disarm();
}

/* As a child, for some texts abort: the answers of three calls, as bits. */
static void arm_and_call(void *text)
{
	int failed = 0;

	skuai_fault_arm_text(text);
	for (int call = 0; call < 3; call++)
		failed |= (skuai_fault(SKUAI_FAULT_OPEN) != 0) << call;
	_exit(failed);
}

static void test_fault_text_arms_or_is_refused(void **state)
{
	static const struct {
		const char *text;
		int status;
	} cases[] = {
		{ "open:1", 1 },
		{ "open:2", 2 },
		{ "open:2:ever", 6 },
		{ "open:2:ever:13", 6 },
		{ "open:3:13", 4 },
		{ "mmap:1", 0 },
		{ "open:4", 0 },
		{ "open", 128 + SIGABRT },
		{ "", 128 + SIGABRT },
		{ "open:0", 128 + SIGABRT },
		{ "ope:1", 128 + SIGABRT },
		{ "open:1:x", 128 + SIGABRT },
		{ "open:x", 128 + SIGABRT },
		{ "open:", 128 + SIGABRT },
		{ "open:99999999999999999999", 128 + SIGABRT },
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int status = test_in_child_stderr(arm_and_call, (void *)cases[i].text, text,
						  sizeof(text));
		if (status != cases[i].status)
			fail_msg("'%s': status %d, expected %d", cases[i].text, status,
				 cases[i].status);
		if (status > 128)
			assert_non_null(strstr(text, "SKUA_FAULT"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fault_unarmed_lets_every_call_through),
		cmocka_unit_test(test_fault_once_fails_only_the_nth),
		cmocka_unit_test(test_fault_for_ever_fails_the_nth_and_all_after),
		cmocka_unit_test(test_fault_text_arms_or_is_refused),
	};
	return cmocka_run_group_tests_name("fault", tests, NULL, NULL);
}

#else

static void test_fault_without_a_table_nothing_fails(void **state)
{
	(void)state;
	for (int kind = 0; kind < SKUAI_FAULT_COUNT; kind++)
		assert_int_equal(skuai_fault((enum skuai_fault_kind)kind), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fault_without_a_table_nothing_fails),
	};
	return cmocka_run_group_tests_name("fault", tests, NULL, NULL);
}

#endif
