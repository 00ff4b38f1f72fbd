/* SPDX-License-Identifier: MIT */
/* test_diff_join.c — two trees laid over each other: what is found new, gone, grown and shrunk */
#include "check.h"
#include "scan/diff_join.h"
#include "scan/tree_build.h"

#include <stdlib.h>
#include <string.h>

/* --- trees, told entry by entry --- */

static struct build building;

static void open_tree(struct scan *scan)
{
	static const struct scan_options plain;

	assert_true(build_open(&building, scan, &plain));
}

static void add_dir(const char *name)
{
	struct told told = { .name = name,
			     .name_length = strlen(name),
			     .type = SCAN_DIRECTORY,
			     .bytes = 40,
			     .blocks = 8 };

	assert_null(build_dir(&building, &told));
}

static void leave(void)
{
	assert_null(build_leave(&building));
}

static void add_file(const char *name, uint64_t bytes, uint64_t blocks, int64_t mtime)
{
	struct told told = { .name = name,
			     .name_length = strlen(name),
			     .type = SCAN_FILE,
			     .bytes = bytes,
			     .blocks = blocks,
			     .mtime = mtime };

	assert_null(build_file(&building, &told));
}

static void close_tree(void)
{
	assert_null(build_end(&building, 1));
}

/* --- what is found --- */

/* The changed ones as "path:+bytes", parents before children, with a blank between them. */
static void expect_changes(const struct diff *diff, const char *wanted)
{
	char found[1024] = "";

	for (size_t i = 0; i < diff->count; i++) {
		const struct diff_node *node = diff->all[i];
		if (!node->is_changed)
			continue;
		char *path = diff_path(node);
		size_t at = strlen(found);
		snprintf(found + at, sizeof(found) - at, "%s%s%s:%+lld", at ? " " : "", path,
			 node->is_dir ? "/" : "", (long long)diff_change(node, true));
		free(path);
	}
	assert_string_equal(found, wanted);
}

/* Children that hang on a node, in their order. */
static void expect_children(const struct diff_node *node, const char *wanted)
{
	char found[256] = "";

	for (const struct diff_node *child = node->child; child; child = child->next) {
		assert_ptr_equal(child->parent, node);
		assert_int_equal(child->depth, node->depth + 1);
		strcat(found, *found ? " " : "");
		strcat(found, child->name);
	}
	assert_string_equal(found, wanted);
}

static void expect_counts(const struct diff *diff, const uint64_t wanted[7])
{
	const uint64_t found[] = { diff->came,	  diff->went,	   diff->grew,	   diff->shrank,
				   diff->touched, diff->dirs_came, diff->dirs_went };

	assert_memory_equal(found, wanted, sizeof(found));
}

static void join(struct diff *diff, struct scan scans[DIFF_SIDES])
{
	assert_true(diff_join(diff, &scans[DIFF_BEFORE], &scans[DIFF_AFTER]));
}

static void close_all(struct diff *diff, struct scan scans[DIFF_SIDES])
{
	diff_free(diff);
	scan_close(&scans[DIFF_BEFORE]);
	scan_close(&scans[DIFF_AFTER]);
}

/* --- cases --- */

static void test_diff_join_same_trees_have_no_change(void **state)
{
	struct scan scans[DIFF_SIDES];
	struct diff diff;

	(void)state;
	for (unsigned side = 0; side < DIFF_SIDES; side++) {
		open_tree(&scans[side]);
		add_dir(side ? "/after" : "/before"); /* roots meet whatever they are called */
		add_file("x", 10, 8, 5);
		add_dir("d");
		add_file("y", 20, 8, 5);
		leave();
		leave();
		close_tree();
	}
	join(&diff, scans);
	expect_changes(&diff, "");
	expect_children(diff.all[0], "");
	expect_counts(&diff, (uint64_t[]){ 0, 0, 0, 0, 0, 0, 0 });
	assert_int_equal(diff.count, 2); /* directories are kept, equal files are not */
	close_all(&diff, scans);
}

static void test_diff_join_tells_each_kind_of_change(void **state)
{
	struct scan scans[DIFF_SIDES];
	struct diff diff;

	(void)state;
	open_tree(&scans[DIFF_BEFORE]);
	add_dir("r");
	add_file("went", 100, 8, 1);
	add_file("grew", 10, 8, 1);
	add_file("shrank", 90, 8, 1);
	add_file("touched", 7, 8, 1);
	add_file("timeless", 7, 8, SCAN_NO_TIME);
	add_dir("same");
	add_file("z", 1, 8, 1);
	leave();
	leave();
	close_tree();
	open_tree(&scans[DIFF_AFTER]);
	add_dir("r");
	add_dir("same");
	add_file("z", 1, 8, 1);
	leave();
	add_file("timeless", 7, 8, 3);
	add_file("touched", 7, 8, 2);
	add_file("shrank", 50, 8, 1);
	add_file("grew", 30, 8, 1);
	add_file("came", 1000, 8, 1);
	leave();
	close_tree();
	join(&diff, scans);
	expect_changes(&diff, "./:+880 came:+1000 grew:+20 shrank:-40 went:-100");
	expect_children(diff.all[0], "came grew shrank went");
	expect_counts(&diff, (uint64_t[]){ 1, 1, 1, 1, 1, 0, 0 });
	close_all(&diff, scans);
}

static void test_diff_join_new_tree_counts_all_in_it(void **state)
{
	struct scan scans[DIFF_SIDES];
	struct diff diff;

	(void)state;
	open_tree(&scans[DIFF_BEFORE]);
	add_dir("r");
	add_dir("old");
	leave();
	leave();
	close_tree();
	open_tree(&scans[DIFF_AFTER]);
	add_dir("r");
	add_dir("new");
	add_dir("deeper");
	add_file("f", 5, 8, 1);
	leave();
	leave();
	leave();
	close_tree();
	join(&diff, scans);
	expect_changes(&diff, "./:+45 new/:+85 old/:-40 new/deeper/:+45 new/deeper/f:+5");
	expect_children(diff.all[0], "new old");
	expect_counts(&diff, (uint64_t[]){ 1, 0, 0, 0, 0, 2, 1 });
	assert_int_equal(diff.all[1]->entries[DIFF_AFTER], 3);
	assert_int_equal(diff.all[1]->entries[DIFF_BEFORE], 0);
	assert_true(diff.all[1]->is_there[DIFF_AFTER] && !diff.all[1]->is_there[DIFF_BEFORE]);
	assert_int_equal(diff_change(diff.all[1], false), 24 * 512);
	close_all(&diff, scans);
}

static void test_diff_join_file_that_became_directory_is_both(void **state)
{
	struct scan scans[DIFF_SIDES];
	struct diff diff;

	(void)state;
	open_tree(&scans[DIFF_BEFORE]);
	add_dir("r");
	add_file("x", 100, 8, 1);
	leave();
	close_tree();
	open_tree(&scans[DIFF_AFTER]);
	add_dir("r");
	add_dir("x");
	leave();
	leave();
	close_tree();
	join(&diff, scans);
	expect_changes(&diff, "./:-60 x/:+40 x:-100");
	expect_counts(&diff, (uint64_t[]){ 0, 1, 0, 0, 0, 1, 0 });
	close_all(&diff, scans);
}

/* Sparse files fill up: the apparent size stays. */
static void test_diff_join_blocks_alone_are_a_change(void **state)
{
	struct scan scans[DIFF_SIDES];
	struct diff diff;

	(void)state;
	for (unsigned side = 0; side < DIFF_SIDES; side++) {
		open_tree(&scans[side]);
		add_dir("r");
		add_file("more", 100, side ? 16 : 8, 1);
		add_file("less", 100, side ? 0 : 8, 1);
		leave();
		close_tree();
	}
	join(&diff, scans);
	expect_changes(&diff, "./:+0 less:+0 more:+0");
	expect_counts(&diff, (uint64_t[]){ 0, 0, 1, 1, 0, 0, 0 });
	assert_int_equal(diff_change(diff.all[1], false), -8 * 512);
	assert_int_equal(diff_change(diff.all[2], false), 8 * 512);
	close_all(&diff, scans);
}

/* What was left out on a side is not there, be it a directory or a file. */
static void test_diff_join_left_out_is_not_there(void **state)
{
	const struct told dir_out = { .name = "d", .name_length = 1, .type = SCAN_SKIP_DEVICE };
	const struct told file_out = { .name = "f", .name_length = 1, .type = SCAN_SKIP_NAME };
	struct scan scans[DIFF_SIDES];
	struct diff diff;

	(void)state;
	open_tree(&scans[DIFF_BEFORE]);
	add_dir("r");
	assert_null(build_dir(&building, &dir_out));
	leave();
	assert_null(build_file(&building, &file_out));
	leave();
	close_tree();
	open_tree(&scans[DIFF_AFTER]);
	add_dir("r");
	add_dir("d");
	leave();
	add_file("f", 3, 8, 1);
	leave();
	close_tree();
	join(&diff, scans);
	expect_changes(&diff, "./:+43 d/:+40 f:+3");
	expect_counts(&diff, (uint64_t[]){ 1, 0, 0, 0, 0, 1, 0 });
	close_all(&diff, scans);
}

static void test_diff_join_several_roots_meet_by_name(void **state)
{
	struct scan scans[DIFF_SIDES];
	struct diff diff;

	(void)state;
	open_tree(&scans[DIFF_BEFORE]);
	add_dir("/b");
	add_file("x", 10, 8, 1);
	leave();
	add_dir("/a");
	leave();
	close_tree();
	open_tree(&scans[DIFF_AFTER]);
	add_dir("/c");
	leave();
	add_dir("/b");
	add_file("x", 30, 8, 1);
	leave();
	close_tree();
	join(&diff, scans);
	expect_changes(&diff, "./:+20 /a/:-40 /b/:+20 /c/:+40 /b/x:+20");
	expect_children(diff.all[0], "/a /b /c");
	expect_counts(&diff, (uint64_t[]){ 0, 0, 1, 0, 0, 1, 1 });
	close_all(&diff, scans);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_diff_join_same_trees_have_no_change),
		cmocka_unit_test(test_diff_join_tells_each_kind_of_change),
		cmocka_unit_test(test_diff_join_new_tree_counts_all_in_it),
		cmocka_unit_test(test_diff_join_file_that_became_directory_is_both),
		cmocka_unit_test(test_diff_join_blocks_alone_are_a_change),
		cmocka_unit_test(test_diff_join_left_out_is_not_there),
		cmocka_unit_test(test_diff_join_several_roots_meet_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
