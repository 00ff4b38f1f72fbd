/* SPDX-License-Identifier: MIT */
/* test_errcode.c — error codes: distinct, negative, each with a text; errno translated; version */
#include "check.h"

#include "base/errcode.h"

#include <skua/skua.h>

#include <errno.h>
#include <string.h>

static const int codes[] = {
#define CODE(name, value, text) SKUA_##name,
	SKUA_ERRORS(CODE)
#undef CODE
};
#define CODE_COUNT (sizeof(codes) / sizeof(codes[0]))

static void test_errcode_every_code_is_negative_and_has_its_own_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < CODE_COUNT; i++) {
		assert_true(codes[i] < 0);
		assert_string_not_equal(skua_strerror(codes[i]), "unknown skua error");
		for (size_t j = 0; j < i; j++) {
			assert_int_not_equal(codes[i], codes[j]);
			assert_string_not_equal(skua_strerror(codes[i]), skua_strerror(codes[j]));
		}
	}
}

static void test_errcode_unknown_code_says_so(void **state)
{
	(void)state;
	assert_string_equal(skua_strerror(0), "no error");
	assert_string_equal(skua_strerror(1), "unknown skua error");
	assert_string_equal(skua_strerror(-999), "unknown skua error");
	assert_string_equal(skua_strerror(-1000), "an error of the program's own");
}

static void test_errcode_errno_maps_to_a_code_of_the_list(void **state)
{
	(void)state;
	for (int error = 1; error < 200; error++) {
		errno = 4711;
		int code = skuai_error_from_errno(error);
		assert_int_equal(errno, 4711);
		assert_true(code < 0);
		assert_string_not_equal(skua_strerror(code), "unknown skua error");
	}
}

static void test_errcode_each_errno_maps_to_its_code(void **state)
{
	static const struct {
		int error, code;
	} cases[] = {
		{ 0, SKUA_OK },		  { EINVAL, SKUA_EINVAL },
		{ ENOMEM, SKUA_ENOMEM },  { EAGAIN, SKUA_EAGAIN },
		{ EMFILE, SKUA_EAGAIN },  { ENFILE, SKUA_EAGAIN },
		{ ENOSYS, SKUA_ENOTSUP }, { EOPNOTSUPP, SKUA_ENOTSUP },
		{ EPERM, SKUA_EPERM },	  { EACCES, SKUA_EPERM },
		{ ENOENT, SKUA_ENOENT },  { ENOTDIR, SKUA_ENOENT },
		{ ESRCH, SKUA_ENOENT },	  { EIO, SKUA_EIO },
		{ ELOOP, SKUA_EIO },	  { ETIMEDOUT, SKUA_ETIMEDOUT },
		{ EDOM, SKUA_ESYS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (skuai_error_from_errno(cases[i].error) != cases[i].code)
			fail_msg("errno %d (%s) is %d", cases[i].error, strerror(cases[i].error),
				 skuai_error_from_errno(cases[i].error));
}

static void test_errcode_version_text_and_number_agree(void **state)
{
	int major, minor, patch;

	(void)state;
	assert_int_equal(sscanf(skua_version_text(), "%d.%d.%d", &major, &minor, &patch), 3);
	assert_int_equal(major * 10000 + minor * 100 + patch, skua_version());
	assert_int_equal(skua_version(), SKUA_VERSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errcode_every_code_is_negative_and_has_its_own_text),
		cmocka_unit_test(test_errcode_unknown_code_says_so),
		cmocka_unit_test(test_errcode_errno_maps_to_a_code_of_the_list),
		cmocka_unit_test(test_errcode_each_errno_maps_to_its_code),
		cmocka_unit_test(test_errcode_version_text_and_number_agree),
	};
	return cmocka_run_group_tests_name("errcode", tests, NULL, NULL);
}
