/* SPDX-License-Identifier: MIT */
/* test_ncdu_read.c — exports of ncdu become a tree; all else is refused with its place */
#include "check.h"
#include "scan/ncdu_file.h"
#include "scan/scan_command.h"
#include "scan/tree_tour.h"

#include <stdlib.h>
#include <string.h>

#define HEAD "[1,2,{\"progname\":\"x\",\"timestamp\":77},\n"

static const char good[] = HEAD
	"[{\"name\":\"/r\",\"asize\":100,\"dsize\":512,\"dev\":7,\"mtime\":5},\n"
	"{\"name\":\"one\",\"asize\":10,\"dsize\":1024},\n"
	"[{\"name\":\"d\",\"asize\":1,\"dsize\":512,\"read_error\":true},"
	"{\"name\":\"link\",\"asize\":30,\"dsize\":1024,\"ino\":9,\"hlnkc\":true,"
	"\"nlink\":2}],\n"
	"{\"name\":\"link\",\"asize\":30,\"dsize\":1024,\"ino\":9,\"hlnkc\":true,"
	"\"nlink\":2},\n"
	"{\"name\":\"s\",\"notreg\":true,\"mode\":41471,\"uid\":[{\"a\":[1,null]},-1.5e3]},\n"
	"{\"name\":\"p\",\"notreg\":true,\"mtime\":-4.5},{\"name\":\"bad\",\"read_error\":true},\n"
	"{\"name\":\"out\",\"asize\":1000,\"excluded\":\"pattern\"},"
	"[{\"name\":\"proc\",\"excluded\":\"kernfs\",\"dev\":8}]]]\n";

static const struct scan_choice apparent = { .is_apparent = true };

/* Read from a heap copy of exactly this length: a byte too far is seen by a sanitizer. */
static const char *read_bytes(struct scan *scan, struct pull *pull, const char *text, size_t size,
			      enum scan_links links)
{
	char *copy = malloc(size ? size : 1);
	struct scan_options options = { .links = links };

	assert_non_null(copy);
	memcpy(copy, text, size);
	assert_true(pull_open_bytes(pull, copy, size));
	const char *wrong = ncdu_read(scan, &options, pull);
	free(copy); /* the tree must not need it */
	return wrong;
}

static void read_good(struct scan *scan, const char *text, enum scan_links links)
{
	struct pull pull;
	const char *wrong = read_bytes(scan, &pull, text, strlen(text), links);

	if (wrong)
		fail_msg("line %lu column %lu: %s", (unsigned long)pull.line,
			 (unsigned long)pull.column, wrong);
	pull_close(&pull);
}

static void refuse_at(const char *text, unsigned line, unsigned column, const char *what)
{
	struct scan scan;
	struct pull pull;
	const char *wrong = read_bytes(&scan, &pull, text, strlen(text), SCAN_LINKS_ONCE);

	if (!wrong)
		fail_msg("this was read: %s", text);
	if (!strstr(wrong, what) || pull.line != line || pull.column != column)
		fail_msg("%s: %lu:%lu: %s; expected %u:%u: %s", text, (unsigned long)pull.line,
			 (unsigned long)pull.column, wrong, line, column, what);
	scan_close(&scan);
	pull_close(&pull);
}

static void test_ncdu_read_sums_are_those_of_a_walk(void **state)
{
	struct scan scan;

	(void)state;
	read_good(&scan, good, SCAN_LINKS_ONCE);
	const struct scan_dir *root = scan.roots[0], *d = root->child;
	assert_true(scan.is_read && scan.read_when == 77 && scan.options.path_count == 1);
	assert_string_equal(scan.options.paths[0], "/r");
	assert_int_equal(scan.total.directories, 2);
	assert_int_equal(scan.total.files, 4);
	assert_int_equal(scan.total.symlinks, 1);
	assert_int_equal(scan.total.others, 1);
	assert_int_equal(scan.total.skipped, 2);
	assert_int_equal(scan.total.errors, 2);
	assert_int_equal(scan.total.bytes, 100 + 10 + 1 + 30);
	assert_int_equal(scan.total.blocks, 1 + 2 + 1 + 2);
	assert_int_equal(scan_size_of_dir(&apparent, root), scan.total.bytes);
	assert_string_equal(d->name, "d");
	assert_int_equal(scan_size_of_dir(&apparent, d), 31); /* the first name is the one in d */
	assert_int_equal(scan_entries_of(d), 2);
	assert_true(d->has_error && d->dev == 7 && d->depth == 1);
	assert_int_equal(d->next->type, SCAN_SKIP_KERNEL);
	assert_int_equal(d->next->dev, 8);
	assert_int_equal(scan.errors.count, 2);
	assert_string_equal(scan.errors.all[0].path, "/r/bad");
	assert_string_equal(scan.errors.all[1].path, "/r/d");
	scan_close(&scan);
	read_good(&scan, good, SCAN_LINKS_ALL);
	assert_int_equal(scan.total.bytes, 100 + 10 + 1 + 60);
	scan_close(&scan);
}

static void test_ncdu_read_order_is_kept(void **state)
{
	static const char *const names[] = { "one", "d",   "link", "link", "s",
					     "p",   "bad", "out",  "proc" };
	struct scan scan;
	struct tour tour;
	enum tour_step step;
	size_t seen = 0;

	(void)state;
	read_good(&scan, good, SCAN_LINKS_ONCE);
	tour_start(&tour, scan.roots[0]);
	assert_int_equal(tour_next(&tour), TOUR_DIR);
	while ((step = tour_next(&tour)) != TOUR_END) {
		if (step == TOUR_LEAVE)
			continue;
		assert_true(seen < sizeof(names) / sizeof(*names));
		assert_string_equal(step == TOUR_DIR ? tour.dir->name : tour.file->name,
				    names[seen]);
		seen++;
	}
	assert_int_equal(seen, sizeof(names) / sizeof(*names));
	tour_stop(&tour);
	scan_close(&scan);
}

static void check_name(const char *written, const char *wanted)
{
	char text[400];
	struct scan scan;
	struct scan_files files;

	snprintf(text, sizeof(text), HEAD "[{\"name\":\"/\"},{\"name\":\"%s\"}]]", written);
	read_good(&scan, text, SCAN_LINKS_ONCE);
	assert_string_equal(scan_files_first(&files, scan.roots[0])->name, wanted);
	scan_close(&scan);
}

static void test_ncdu_read_names_are_bytes(void **state)
{
	(void)state;
	check_name("a\\n\\t\\\"\\\\\\b\\f\\r\\u001b\\u007f", "a\n\t\"\\\b\f\r\x1b\x7f");
	check_name("n\xff\xc3(", "n\xff\xc3(");
	check_name("\\u00e9\\u20ac\\ud83d\\ude00", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	check_name("\\udcff\\udc80", "\xff\x80"); /* as Python writes bytes that are no text */
	check_name("\\ud800x", "\xef\xbf\xbdx");
	check_name("\\ud800\\udcff", "\xf0\x90\x83\xbf");
	check_name("\\ud800\\u0041", "\xef\xbf\xbd"
				     "A");
	check_name("\\udbff\\ud83d\\ude00", "\xef\xbf\xbd\xf0\x9f\x98\x80");
}

static void test_ncdu_read_faults_have_a_place(void **state)
{
	(void)state;
	refuse_at("", 1, 1, "begins with [1,");
	refuse_at("{}", 1, 1, "begins with [1,");
	refuse_at("[2,0,{},[{\"name\":\"/\"}]]", 1, 3, "major version");
	refuse_at(HEAD "[{\"name\":\"/\"}] x", 2, 16, "the ] of the first [");
	refuse_at(HEAD "[{\"name\":\"/\"}]]]", 2, 16, "something follows");
	refuse_at(HEAD "{\"name\":\"/\"}]", 2, 1, "a directory");
	refuse_at(HEAD "[{\"asize\":3}]]", 2, 13, "has no name");
	refuse_at(HEAD "[{\"name\":\"/\",\"excluded\":\"x\"}]]", 2, 29, "root is left out");
	refuse_at(HEAD "[{\"name\":\"/\",\"asize\":-3}]]", 2, 24, "negative");
	refuse_at(HEAD "[{\"name\":\"/\",\"asize\":1e3}]]", 2, 23, "exponent");
	refuse_at(HEAD "[{\"name\":\"/\",\"asize\":18446744073709551616}]]", 2, 41, "too large");
	refuse_at(HEAD "[{\"name\":\"/\",\"hlnkc\":1}]]", 2, 22, "true or false");
	refuse_at(HEAD "[{\"name\":\"\xc3\xa9\n\"}]]", 2, 12, "control character");
	refuse_at(HEAD "[{\"name\":\"/\"},{\"name\":\"\"}]]", 2, 26, "empty");
	refuse_at(HEAD "[{\"name\":\"/\"},{\"name\":\"..\"}]]", 2, 28, ". or ..");
	refuse_at(HEAD "[{\"name\":\"/\"},[{\"name\":\"a/b\"}]]]", 2, 30, "slash");
	refuse_at(HEAD "[{\"name\":\"/\"},{\"name\":\"a\\u0000b\"}]]", 2, 34, "0 byte");
	refuse_at(HEAD "[{\"name\":\"/\"},{\"name\":\"a\\x\"}]]", 2, 26, "after a backslash");
	refuse_at(HEAD "[{\"name\":\"/\"},[{\"name\":\"x\",\"excluded\":\"otherfs\"},"
		       "{\"name\":\"y\"}]]]",
		  2, 62, "outside");
	refuse_at(HEAD "[{\"name\":\"/\",\"asize\":9223372036854775807},"
		       "{\"name\":\"a\",\"asize\":1}]]",
		  2, 65, "add up");
}

static void test_ncdu_read_every_prefix_is_refused(void **state)
{
	(void)state;
	for (size_t size = 0; size < sizeof(good) - 2; size++) {
		struct scan scan;
		struct pull pull;
		if (!read_bytes(&scan, &pull, good, size, SCAN_LINKS_ONCE))
			fail_msg("the first %zu bytes were read", size);
		scan_close(&scan);
		pull_close(&pull);
	}
}

static char *repeat(const char *start, const char *piece, size_t times, const char *end)
{
	size_t step = strlen(piece), length = strlen(start) + step * times + strlen(end);
	char *text = malloc(length + 1), *at = text;

	assert_non_null(text);
	at = stpcpy(at, start);
	for (size_t i = 0; i < times; i++, at += step)
		memcpy(at, piece, step);
	strcpy(at, end);
	return text;
}

static void test_ncdu_read_long_and_deep_are_bounded(void **state)
{
	enum {
		DEEP = 200000
	};
	struct scan scan;
	struct pull pull;
	(void)state;

	/* a tree of any depth is one; each level is in error, and paths would need gigabytes */
	char *text = repeat(HEAD "[{\"name\":\"/\"}", ",[{\"name\":\"abc\",\"read_error\":true}",
			    DEEP, "");
	char *ends = repeat("", "]", DEEP + 2, ""), *whole = repeat(text, ends, 1, "");
	read_good(&scan, whole, SCAN_LINKS_ONCE);
	assert_int_equal(scan.total.directories, DEEP + 1);
	assert_int_equal(scan.total.errors, DEEP);
	assert_true(scan.errors.lost > 0 && scan.errors.count + scan.errors.lost == DEEP);
	scan_close(&scan);
	assert_non_null(read_bytes(&scan, &pull, text, strlen(text), SCAN_LINKS_ONCE));
	scan_close(&scan);
	pull_close(&pull);
	free(text);
	free(ends);
	free(whole);
	/* a value that nobody needs may be nested, but not without end */
	text = repeat("[1,2,{\"x\":", "[", 100000, "");
	assert_string_equal(read_bytes(&scan, &pull, text, strlen(text), SCAN_LINKS_ONCE),
			    "brackets are nested too deep here");
	scan_close(&scan);
	pull_close(&pull);
	free(text);
	text = repeat(HEAD "[{\"name\":\"", "x", 70000, "\"}]]");
	assert_non_null(read_bytes(&scan, &pull, text, strlen(text), SCAN_LINKS_ONCE));
	assert_string_equal(pull.fault, "a string is longer than 65535 bytes");
	scan_close(&scan);
	pull_close(&pull);
	free(text);
	text = repeat(HEAD "[{\"name\":\"/\"},{\"name\":\"", "x", 256, "\"}]]");
	assert_non_null(read_bytes(&scan, &pull, text, strlen(text), SCAN_LINKS_ONCE));
	assert_string_equal(pull.fault, "a name is longer than 255 bytes");
	scan_close(&scan);
	pull_close(&pull);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ncdu_read_sums_are_those_of_a_walk),
		cmocka_unit_test(test_ncdu_read_order_is_kept),
		cmocka_unit_test(test_ncdu_read_names_are_bytes),
		cmocka_unit_test(test_ncdu_read_faults_have_a_place),
		cmocka_unit_test(test_ncdu_read_every_prefix_is_refused),
		cmocka_unit_test(test_ncdu_read_long_and_deep_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
