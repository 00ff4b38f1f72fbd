/* SPDX-License-Identifier: MIT */
/* test_diag.c — a broken rule ends in one readable line and SIGABRT */
#include "check.h"

#include "base/diag.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static void be_a_bad_caller(void *argument)
{
	(void)argument;
	skua_bug("skua_pool_open: called with a closed pool");
}

static void break_an_invariant(void *argument)
{
	int *two = argument;

	skua_verify(*two == 3);
}

static void assert_in_debug(void *argument)
{
	int *two = argument;

	skua_assert(*two == 3);
}

static void test_diag_bug_names_the_call_and_aborts(void **state)
{
	char text[256];

	(void)state;
	assert_int_equal(test_in_child_stderr(be_a_bad_caller, NULL, text, sizeof(text)),
			 128 + SIGABRT);
	const char *line = "skua: bug in the calling program: "
			   "skua_pool_open: called with a closed pool\n";
	assert_memory_equal(text, line, strlen(line)); /* an emulator adds its own words after it */
}

static void test_diag_verify_names_the_claim_and_the_place(void **state)
{
	char text[512];
	int two = 2;

	(void)state;
	assert_int_equal(test_in_child_stderr(break_an_invariant, &two, text, sizeof(text)),
			 128 + SIGABRT);
	assert_non_null(strstr(text, "test_diag.c:"));
	assert_non_null(strstr(text, "*two == 3"));
}

static void test_diag_assert_is_for_debug_builds_only(void **state)
{
	char text[512];
	int two = 2;

	(void)state;
	int status = test_in_child_stderr(assert_in_debug, &two, text, sizeof(text));
#ifdef NDEBUG
	assert_int_equal(status, 0);
	assert_string_equal(text, "");
#else
	assert_int_equal(status, 128 + SIGABRT);
#endif
}

static void warn_twice(void *argument)
{
	errno = 7;
	skuai_warn("%s cannot be used", (const char *)argument);
	skuai_warn("%01100d", 1);
	_exit(errno);
}

static void test_diag_warning_is_a_line_and_the_program_goes_on(void **state)
{
	char text[4096];
	const char *line = "skua: a?[2J?b\xc3\xa4??31m cannot be used\n";

	(void)state;
	assert_int_equal(test_in_child_stderr(warn_twice,
					      "a\033[2J\nb\xc3\xa4\xc2\x9b"
					      "31m",
					      text, sizeof(text)),
			 7);
	assert_memory_equal(text, line, strlen(line));
	const char *second = text + strlen(line);
	assert_memory_equal(second, "skua: 000", 9);
	assert_int_equal(strlen(second), 1023); /* cut, and ended */
	assert_ptr_equal(strchr(second, '\n'), second + 1022);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_diag_bug_names_the_call_and_aborts),
		cmocka_unit_test(test_diag_verify_names_the_claim_and_the_place),
		cmocka_unit_test(test_diag_assert_is_for_debug_builds_only),
		cmocka_unit_test(test_diag_warning_is_a_line_and_the_program_goes_on),
	};
	return cmocka_run_group_tests_name("diag", tests, NULL, NULL);
}
