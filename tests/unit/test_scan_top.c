/* SPDX-License-Identifier: MIT */
/* test_scan_top.c — a small tree walked: sums, order, paths, filters, the best rows of a tree */
#include "check.h"
#include "scan/links.h"
#include "scan/scan_tree.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 *	a/big 9000, a/sub/middle 5000, a-b/two 2000, a/none 0, b -> a, pipe
 *
 * "a-b" comes before "a/" byte by byte, but behind "a" name by name.
 */
static char root[256];

static int make_tree(void **state)
{
	static const char bytes[9000];
	char path[300];

	(void)state;
	snprintf(root, sizeof(root), "%s/top", test_folder());
	test_write(test_folder(), "top/a/big", bytes, 9000);
	test_write(test_folder(), "top/a/sub/middle", bytes, 5000);
	test_write(test_folder(), "top/a-b/two", bytes, 2000);
	test_write(test_folder(), "top/a/none", bytes, 0);
	snprintf(path, sizeof(path), "%s/b", root);
	if (symlink("a", path) != 0)
		return -1;
	snprintf(path, sizeof(path), "%s/pipe", root);
	return mkfifo(path, 0600);
}

static int remove_tree(void **state)
{
	(void)state;
	test_remove(test_folder(), "top");
	return 0;
}

static void walk(struct scan *scan, enum scan_level level, const struct filter *filter, int workers)
{
	static const char *paths[1];

	paths[0] = root;
	struct scan_options options = { .paths = paths,
					.path_count = 1,
					.level = level,
					.filter = filter,
					.workers = workers };
	assert_int_equal(scan_open(scan, &options), SKUA_OK);
	scan_run(scan);
}

static void test_top_walk_sums_are_exact(void **state)
{
	(void)state;
	for (int level = SCAN_TOTALS; level <= SCAN_EVERYTHING; level++) {
		struct scan scan;
		walk(&scan, (enum scan_level)level, NULL, 1 + level);
		assert_int_equal(scan.total.directories, 4);
		assert_int_equal(scan.total.files, 4);
		assert_int_equal(scan.total.symlinks, 1);
		assert_int_equal(scan.total.others, 1);
		assert_int_equal(scan.total.errors, 0);
		assert_int_equal(scan_entries_of(scan.roots[0]), 10);
		assert_int_equal(scan_deepest(&scan), 2);
		assert_false(scan.is_partial);
		scan_close(&scan);
	}
}

static void offer_files(struct scan_item item, enum scan_type type, void *context)
{
	item.key = item.file ? item.file->bytes : 0;
	if (type == SCAN_FILE)
		scan_top_offer(context, item);
}

static void offer_all(struct scan_item item, enum scan_type type, void *context)
{
	(void)type;
	scan_top_offer(context, item);
}

/* The paths of a sorted list, without the root, with a blank between them. */
static void expect_paths(struct scan_top *top, const char *wanted)
{
	char found[512] = "";

	scan_top_sort(top);
	for (size_t i = 0; i < top->count; i++) {
		char *path = scan_item_path(&top->items[i]);
		strcat(found, i ? " " : "");
		strcat(found, path + strlen(root));
		free(path);
	}
	assert_string_equal(found, wanted);
	scan_top_free(top);
}

static void test_top_keeps_the_largest(void **state)
{
	struct scan scan;

	(void)state;
	walk(&scan, SCAN_EVERYTHING, NULL, 2);
	struct scan_top one = { .most = 1 }, two = { .most = 2 }, all = { .most = SIZE_MAX };
	scan_visit_all(&scan, offer_files, &one);
	expect_paths(&one, "/a/big");
	scan_visit_all(&scan, offer_files, &two);
	expect_paths(&two, "/a/big /a/sub/middle");
	scan_visit_all(&scan, offer_files, &all);
	expect_paths(&all, "/a/big /a/sub/middle /a-b/two /a/none");
	scan_close(&scan);
}

static void test_top_equal_keys_are_in_order_of_paths(void **state)
{
	struct scan scan;

	(void)state;
	walk(&scan, SCAN_EVERYTHING, NULL, 2);
	struct scan_top all = { .most = SIZE_MAX }, five = { .most = 5 };
	scan_visit_all(&scan, offer_all, &all);
	expect_paths(&all, " /a /a/big /a/none /a/sub /a/sub/middle /a-b /a-b/two /b /pipe");
	scan_visit_all(&scan, offer_all, &five);
	expect_paths(&five, " /a /a/big /a/none /a/sub");
	scan_close(&scan);
}

static void test_top_tree_has_no_row_smaller_than_one_left_out(void **state)
{
	struct scan_choice choice = { .is_apparent = true, .max_depth = UINT64_MAX };
	struct scan scan;
	struct scan_tree tree;

	(void)state;
	walk(&scan, SCAN_EVERYTHING, NULL, 2);
	choice.tree_rows = 4;
	assert_true(scan_tree_make(&tree, &scan, &choice));
	assert_int_equal(tree.count, 4);
	size_t at = tree.first;
	assert_ptr_equal(tree.nodes[at].item.dir, scan.roots[0]);
	at = scan_tree_next(&tree, at);
	assert_string_equal(tree.nodes[at].item.dir->name, "a");
	uint64_t least = tree.nodes[at].item.key;
	at = scan_tree_next(&tree, at);
	assert_true(tree.nodes[at].item.key <= least);
	at = scan_tree_next(&tree, at);
	assert_int_equal(scan_tree_next(&tree, at), SCAN_NO_NODE);
	scan_tree_free(&tree);
	choice.max_depth = 1;
	choice.tree_rows = 100;
	assert_true(scan_tree_make(&tree, &scan, &choice));
	assert_int_equal(tree.count, 5); /* root, a, a-b, b, pipe */
	scan_tree_free(&tree);
	scan_close(&scan);
}

static void test_top_filters_choose_files(void **state)
{
	struct filter filter = { .newer_than = INT64_MIN, .older_than = INT64_MAX };
	static const char *const excludes[] = { "sub", "*-b" };
	struct scan scan;

	(void)state;
	filter.least_bytes = 5000;
	walk(&scan, SCAN_TOTALS, &filter, 2);
	assert_int_equal(scan.total.files, 2);
	assert_int_equal(scan.total.directories, 4);
	scan_close(&scan);
	filter.least_bytes = 0;
	filter.types = 1u << SCAN_SYMLINK;
	walk(&scan, SCAN_TOTALS, &filter, 2);
	assert_int_equal(scan.total.files, 0);
	assert_int_equal(scan.total.symlinks, 1);
	scan_close(&scan);
	filter.types = 0;
	filter.name = "*o";
	walk(&scan, SCAN_TOTALS, &filter, 2);
	assert_int_equal(scan.total.files, 1);
	scan_close(&scan);
	filter.name = NULL;
	filter.excludes = excludes;
	filter.exclude_count = 2;
	walk(&scan, SCAN_DIRECTORIES, &filter, 2);
	assert_int_equal(scan.total.directories, 2);
	assert_int_equal(scan.total.files, 2);
	assert_int_equal(scan.total.skipped, 2);
	scan_close(&scan);
}

/* The same number on many devices: some of them must share a place in the table. */
static void test_top_files_met_are_told_apart_by_device(void **state)
{
	struct scan scan = { .seen = links_set_make() };
	struct stat met = { .st_ino = 5 };

	(void)state;
	assert_non_null(scan.seen);
	for (unsigned round = 0; round < 2; round++)
		for (met.st_dev = 1; met.st_dev < 20000; met.st_dev++)
			if (links_is_first(&scan, &met) != (round == 0))
				fail_msg("device %u, round %u", (unsigned)met.st_dev, round);
	links_set_free(scan.seen);
}

static void test_top_none_is_none(void **state)
{
	struct scan scan;
	struct scan_top top = { .most = 0 };

	(void)state;
	walk(&scan, SCAN_EVERYTHING, NULL, 1);
	scan_visit_all(&scan, offer_all, &top);
	assert_int_equal(top.count, 0);
	expect_paths(&top, "");
	scan_close(&scan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_top_walk_sums_are_exact),
		cmocka_unit_test(test_top_keeps_the_largest),
		cmocka_unit_test(test_top_equal_keys_are_in_order_of_paths),
		cmocka_unit_test(test_top_tree_has_no_row_smaller_than_one_left_out),
		cmocka_unit_test(test_top_filters_choose_files),
		cmocka_unit_test(test_top_files_met_are_told_apart_by_device),
		cmocka_unit_test(test_top_none_is_none),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
