/* SPDX-License-Identifier: MIT */
/* test_dupes.c — twins among files: found with little reading, never when they changed meanwhile */
#include "base/atomic.h"
#include "check.h"
#include "scan/dupes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGE ((size_t)1 << 20) /* its ends are read first */

static char root[256];
static struct scan scan;
static struct dupes dupes;

static const char *path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

/* So many bytes, all 0 but one. */
static void put(const char *name, size_t bytes, size_t at, char byte)
{
	char *data = calloc(1, bytes), path[300];

	assert_non_null(data);
	data[at] = byte;
	snprintf(path, sizeof(path), "twins/%s", name);
	test_write(test_folder(), path, data, bytes);
	free(data);
	struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	assert_int_equal(utimensat(AT_FDCWD, path_of(name), times, 0), 0);
}

static void walk(void)
{
	static const char *paths[1];

	paths[0] = root;
	struct scan_options options = {
		.paths = paths, .path_count = 1, .level = SCAN_EVERYTHING, .workers = 2
	};
	assert_int_equal(scan_open(&scan, &options), SKUA_OK);
	scan_run(&scan);
}

static void find(bool is_compared)
{
	dupes = (struct dupes){ .scan = &scan };
	assert_int_equal(dupes_find(&dupes, 1, is_compared), SKUA_OK);
}

static int begin(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "%s/twins", test_folder());
	return 0;
}

static int end(void **state)
{
	(void)state;
	dupes_free(&dupes);
	scan_close(&scan);
	test_remove(test_folder(), "twins");
	return 0;
}

static void test_dupes_differing_ends_are_all_that_is_read(void **state)
{
	(void)state;
	put("one", LARGE, LARGE - 1, 1);
	put("two", LARGE, LARGE - 1, 2);
	put("alone", LARGE - 1, 0, 1); /* of a size of its own: not read at all */
	walk();
	find(false);
	assert_int_equal(dupes.group_count, 0);
	assert_int_equal(skua_load(&dupes.bytes_read, relaxed), 4 * 4096);
}

static void test_dupes_equal_ones_are_read_once(void **state)
{
	(void)state;
	put("one", LARGE, 5000, 1);
	put("two", LARGE, 5000, 1);
	put("middle", LARGE, LARGE / 2, 1);
	walk();
	find(true);
	assert_int_equal(dupes.group_count, 1);
	assert_int_equal(dupes.groups[0].count, 2);
	assert_int_equal(dupes.groups[0].bytes, LARGE);
	assert_true(dupes.is_compared);
	assert_int_equal(skua_load(&dupes.bytes_read, relaxed), 3 * (2 * 4096 + LARGE));
}

/* Two pairs that differ only in the first MiB, or only at the ends: what is read later agrees. */
static void test_dupes_earlier_rounds_are_not_forgotten(void **state)
{
	(void)state;
	put("a1", 2 * LARGE, 0, 1);
	put("a2", 2 * LARGE, 0, 1);
	put("b1", 2 * LARGE, 9000, 1);
	put("b2", 2 * LARGE, 9000, 1);
	put("c1", 2 * LARGE, 9000, 2);
	put("c2", 2 * LARGE, 9000, 2);
	walk();
	find(false);
	assert_int_equal(dupes.group_count, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(dupes.groups[i].count, 2);
}

/* Same size, other bytes, a new time: what the scan knew of it is no longer true. */
static void test_dupes_changed_since_the_scan_is_left_out(void **state)
{
	(void)state;
	put("one", 5000, 0, 1);
	put("two", 5000, 0, 1);
	put("three", 5000, 0, 1);
	walk();
	struct timespec times[2] = { { .tv_sec = 1001 }, { .tv_sec = 1001 } };
	assert_int_equal(utimensat(AT_FDCWD, path_of("two"), times, 0), 0);
	assert_int_equal(truncate(path_of("three"), 4999), 0);
	find(false);
	assert_int_equal(dupes.group_count, 0);
	assert_int_equal(skua_load(&dupes.files_lost, relaxed), 2);
}

static void act_quietly(struct dupe_deed *deed)
{
	fflush(stderr);
	int kept = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);

	dup2(nowhere, STDERR_FILENO);
	dupes_act(&dupes, DUPE_HARDLINK, false, deed);
	dup2(kept, STDERR_FILENO);
	close(kept);
	close(nowhere);
}

/* Not even the time tells: only the bytes do. */
static void test_dupes_nothing_is_linked_unless_bytes_agree(void **state)
{
	struct dupe_deed deed;
	struct stat one, two;

	(void)state;
	put("one", 5000, 0, 1);
	put("two", 5000, 0, 1);
	walk();
	find(false);
	assert_int_equal(dupes.group_count, 1);
	put("two", 5000, 4999, 1);
	act_quietly(&deed);
	assert_int_equal(deed.files, 0);
	assert_int_equal(deed.failed, 1);
	assert_int_equal(deed.bytes, 0);
	assert_int_equal(stat(path_of("one"), &one), 0);
	assert_int_equal(stat(path_of("two"), &two), 0);
	assert_true(one.st_ino != two.st_ino);
	put("two", 5000, 0, 1);
	act_quietly(&deed);
	assert_int_equal(deed.files, 1);
	assert_int_equal(deed.failed, 0);
	assert_int_equal(deed.bytes, 5000);
	assert_int_equal(stat(path_of("two"), &two), 0);
	assert_true(one.st_ino == two.st_ino);
}

/* Somebody moves a directory away and puts a link there: what it leads to is none of ours. */
static void test_dupes_a_link_on_the_way_is_not_followed(void **state)
{
	struct dupe_deed deed;
	struct stat before, after;
	char inside[512], outside[512], file[520];

	(void)state;
	put("a/one", 5000, 0, 1);
	put("b/two", 5000, 0, 1);
	walk();
	find(false);
	assert_int_equal(dupes.group_count, 1);
	snprintf(inside, sizeof(inside), "%s", path_of("b"));
	snprintf(outside, sizeof(outside), "%s/outside", test_folder());
	snprintf(file, sizeof(file), "%s/two", outside);
	assert_int_equal(rename(inside, outside), 0);
	assert_int_equal(symlink(outside, inside), 0);
	assert_int_equal(stat(file, &before), 0);
	act_quietly(&deed);
	assert_int_equal(stat(file, &after), 0);
	test_remove(test_folder(), "outside");
	assert_int_equal(deed.failed, 1);
	assert_int_equal(deed.files, 0);
	assert_true(before.st_ino == after.st_ino && after.st_nlink == 1);
}

/* Half of a search says nothing: equal so far is not equal. */
static void test_dupes_stopped_finds_nothing(void **state)
{
	(void)state;
	put("one", 5000, 0, 1);
	put("two", 5000, 0, 1);
	walk();
	scan_stop(&scan);
	dupes = (struct dupes){ .scan = &scan };
	assert_int_equal(dupes_find(&dupes, 1, false), SKUA_ECANCELED);
	assert_int_equal(dupes.group_count, 0);
	assert_int_equal(skua_load(&dupes.bytes_read, relaxed), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_dupes_a_link_on_the_way_is_not_followed, begin,
						end),
		cmocka_unit_test_setup_teardown(test_dupes_stopped_finds_nothing, begin, end),
		cmocka_unit_test_setup_teardown(test_dupes_differing_ends_are_all_that_is_read,
						begin, end),
		cmocka_unit_test_setup_teardown(test_dupes_equal_ones_are_read_once, begin, end),
		cmocka_unit_test_setup_teardown(test_dupes_earlier_rounds_are_not_forgotten, begin,
						end),
		cmocka_unit_test_setup_teardown(test_dupes_changed_since_the_scan_is_left_out,
						begin, end),
		cmocka_unit_test_setup_teardown(test_dupes_nothing_is_linked_unless_bytes_agree,
						begin, end),
	};

	if (dupes_why_not()) {
		printf("skipped: %s\n", dupes_why_not());
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
