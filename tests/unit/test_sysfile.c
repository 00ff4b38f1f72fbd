/* SPDX-License-Identifier: MIT */
/* test_sysfile.c — reading files that are missing, endless, too long, or no files at all */
#include "base/fault.h"
#include "check.h"
#include "os/sysfile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char buffer[SKUAI_FILE_SMALL];
static struct skuai_text text;

static enum skuai_file read_it(const char *path)
{
	return skuai_file_read(test_folder(), path, buffer, sizeof(buffer), &text);
}

static void full_path(char *full, size_t room, const char *path)
{
	assert_true((size_t)snprintf(full, room, "%s%s", test_folder(), path) < room);
}

static void test_sysfile_plain_file_is_read_whole(void **state)
{
	(void)state;
	test_write(test_folder(), "plain", "a\0b\n", 4);
	assert_int_equal(read_it("/plain"), SKUAI_FILE_READ);
	assert_int_equal(text.count, 4);
	assert_memory_equal(text.at, "a\0b\n", 4);
}

static void test_sysfile_empty_file_is_read(void **state)
{
	(void)state;
	test_write_text(test_folder(), "empty", "");
	assert_int_equal(read_it("/empty"), SKUAI_FILE_READ);
	assert_int_equal(text.count, 0);
}

static void test_sysfile_without_root_reads_the_real_one(void **state)
{
	(void)state;
	assert_int_equal(skuai_file_read(NULL, "/proc/self/stat", buffer, sizeof(buffer), &text),
			 SKUAI_FILE_READ);
	assert_int_equal(strtol(buffer, NULL, 10), getpid());
}

static void test_sysfile_missing_is_told_from_refused(void **state)
{
	(void)state;
	char target[512];

	assert_int_equal(read_it("/nowhere"), SKUAI_FILE_MISSING);
	assert_int_equal(read_it("/no/where"), SKUAI_FILE_MISSING);
	test_write_text(test_folder(), "file", "1");
	assert_int_equal(read_it("/file/below"), SKUAI_FILE_REFUSED);
	full_path(target, sizeof(target), "/loop");
	assert_int_equal(symlink("loop", target), 0);
	assert_int_equal(read_it("/loop"), SKUAI_FILE_REFUSED);
	assert_int_equal(text.count, 0);
}

static void test_sysfile_size_at_the_limit_is_whole_and_above_is_cut(void **state)
{
	(void)state;
	char *bytes = calloc(sizeof(buffer) + 1, 1);

	memset(bytes, 'x', sizeof(buffer) + 1);
	test_write(test_folder(), "full", bytes, sizeof(buffer));
	test_write(test_folder(), "over", bytes, sizeof(buffer) + 1);
	free(bytes);
	assert_int_equal(read_it("/full"), SKUAI_FILE_READ);
	assert_int_equal(text.count, sizeof(buffer));
	assert_int_equal(read_it("/over"), SKUAI_FILE_CUT);
	assert_int_equal(text.count, sizeof(buffer));
}

/* A reader that waits for a writer would hang until ctest's time is up; alarm makes it short. */
static void test_sysfile_what_is_no_file_is_refused_without_waiting(void **state)
{
	(void)state;
	char path[512];

	full_path(path, sizeof(path), "/pipe");
	assert_int_equal(mkfifo(path, 0600), 0);
	full_path(path, sizeof(path), "/folder");
	assert_int_equal(mkdir(path, 0700), 0);
	full_path(path, sizeof(path), "/device");
	assert_int_equal(symlink("/dev/zero", path), 0);
	alarm(20);
	assert_int_equal(read_it("/pipe"), SKUAI_FILE_REFUSED);
	assert_int_equal(read_it("/folder"), SKUAI_FILE_REFUSED);
	assert_int_equal(read_it("/device"), SKUAI_FILE_REFUSED);
	alarm(0);
}

/* The longest path that fits names a file; one byte more must not name the same file. */
static void test_sysfile_path_too_long_is_refused_not_cut(void **state)
{
	(void)state;
	static const char name[] = "/plain";
	char path[SKUAI_PATH_ROOM + 1];
	size_t length = SKUAI_PATH_ROOM - 1 - strlen(test_folder());

	test_write_text(test_folder(), "plain", "one");
	memset(path, '/', length);
	memcpy(path + length - strlen(name), name, sizeof(name));
	assert_int_equal(read_it(path), SKUAI_FILE_READ);
	memcpy(path + length, "r", sizeof("r"));
	assert_int_equal(read_it(path), SKUAI_FILE_REFUSED);
}

static void test_sysfile_interrupted_is_tried_again_but_not_for_ever(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	static const enum skuai_fault_kind kinds[] = { SKUAI_FAULT_OPEN, SKUAI_FAULT_READ };

	test_write_text(test_folder(), "plain", "one");
	for (int i = 0; i < 2; i++) {
		skuai_fault_arm(kinds[i], 1, false, EINTR);
		assert_int_equal(read_it("/plain"), SKUAI_FILE_READ);
		assert_int_equal(text.count, 3);
		skuai_fault_arm(kinds[i], 1, true, EINTR);
		assert_int_equal(read_it("/plain"), SKUAI_FILE_REFUSED);
		skuai_fault_disarm();
	}
#else
	skip();
#endif
}

static void test_sysfile_each_failing_call_is_refused(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	test_write_text(test_folder(), "plain", "one");
	skuai_fault_arm(SKUAI_FAULT_OPEN, 1, false, EACCES);
	assert_int_equal(read_it("/plain"), SKUAI_FILE_REFUSED);
	skuai_fault_arm(SKUAI_FAULT_OPEN, 1, false, ENOENT);
	assert_int_equal(read_it("/plain"), SKUAI_FILE_MISSING);
	for (uint32_t nth = 1; nth <= 2; nth++) { /* the text, then the end of the file */
		skuai_fault_arm(SKUAI_FAULT_READ, nth, false, SKUAI_FAULT_USUAL);
		assert_int_equal(read_it("/plain"), SKUAI_FILE_REFUSED);
		assert_int_equal(text.count, 0);
	}
	skuai_fault_arm(SKUAI_FAULT_STAT, 1, false, SKUAI_FAULT_USUAL);
	assert_int_equal(read_it("/plain"), SKUAI_FILE_REFUSED);
	skuai_fault_arm(SKUAI_FAULT_STAT, 1, false, SKUAI_FAULT_USUAL);
	assert_false(skuai_file_is_folder(test_folder()));
	skuai_fault_arm(SKUAI_FAULT_READ, 1, false, ENODEV); /* the control group has just gone */
	assert_int_equal(read_it("/plain"), SKUAI_FILE_MISSING);
	skuai_fault_disarm();
	assert_int_equal(read_it("/plain"), SKUAI_FILE_READ);
#else
	skip();
#endif
}

static void test_sysfile_folder_is_told_from_file(void **state)
{
	(void)state;
	char path[512];

	test_write_text(test_folder(), "plain", "one");
	full_path(path, sizeof(path), "/plain");
	assert_true(skuai_file_is_folder(test_folder()));
	assert_false(skuai_file_is_folder(path));
	assert_false(skuai_file_is_folder(""));
	assert_false(skuai_file_is_folder("/nowhere/at/all"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sysfile_plain_file_is_read_whole),
		cmocka_unit_test(test_sysfile_empty_file_is_read),
		cmocka_unit_test(test_sysfile_without_root_reads_the_real_one),
		cmocka_unit_test(test_sysfile_missing_is_told_from_refused),
		cmocka_unit_test(test_sysfile_size_at_the_limit_is_whole_and_above_is_cut),
		cmocka_unit_test(test_sysfile_what_is_no_file_is_refused_without_waiting),
		cmocka_unit_test(test_sysfile_path_too_long_is_refused_not_cut),
		cmocka_unit_test(test_sysfile_interrupted_is_tried_again_but_not_for_ever),
		cmocka_unit_test(test_sysfile_each_failing_call_is_refused),
		cmocka_unit_test(test_sysfile_folder_is_told_from_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
