/* SPDX-License-Identifier: MIT */
/* test_json_read.c — the command's JSON reader: values, places of faults, and hostile files */
#include "check.h"
#include "json_read.h"

#include <stdlib.h>
#include <string.h>

/* Read from a heap copy of exactly this length: a byte too far is seen by a sanitizer. */
static bool read_bytes(struct json_tree *tree, const char *bytes, size_t size,
		       struct json_fault *fault)
{
	char *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	bool is_read = json_tree_read(tree, copy, size, fault);
	free(copy); /* the tree must not need it */
	return is_read;
}

static struct json_tree read_good(const char *text)
{
	struct json_tree tree;
	struct json_fault fault = { 0 };

	if (!read_bytes(&tree, text, strlen(text), &fault))
		fail_msg("%s: byte %zu: %s", text, fault.at, fault.what);
	assert_non_null(tree.root);
	return tree;
}

static void refuse_at(const char *text, size_t at, const char *what)
{
	struct json_tree tree;
	struct json_fault fault = { 0 };

	if (read_bytes(&tree, text, strlen(text), &fault))
		fail_msg("this was read: %s", text);
	assert_null(tree.root);
	assert_null(tree.strings);
	if (!strstr(fault.what, what) || fault.at != at)
		fail_msg("%s: byte %zu: %s; expected byte %zu: %s", text, fault.at, fault.what, at,
			 what);
}

static void check_text(const char *json, const char *wanted)
{
	struct json_tree tree = read_good(json);

	assert_int_equal(tree.root->kind, JSON_TEXT);
	assert_string_equal(tree.root->text, wanted);
	json_tree_drop(&tree);
}

static void check_number(const char *json, double wanted)
{
	struct json_tree tree = read_good(json);

	assert_int_equal(tree.root->kind, JSON_NUMBER);
	assert_memory_equal(&tree.root->number, &wanted, sizeof(wanted));
	json_tree_drop(&tree);
}

static void test_json_read_all_kinds_come_back(void **state)
{
	(void)state;
	struct json_tree tree = read_good(" {\"a\": [1, true,false , null],\r\n\t\"b\":{}, "
					  "\"c\" :\"x\",\"b\":7, \"e\":[]} \n");
	const struct json_node *array = json_find(tree.root, "a"), *item = array->first;

	assert_int_equal(tree.root->kind, JSON_OBJECT);
	assert_int_equal(tree.root->count, 5);
	assert_int_equal(array->kind, JSON_ARRAY);
	assert_int_equal(array->count, 4);
	assert_null(item->key);
	assert_int_equal(item->kind, JSON_NUMBER);
	item = item->next;
	assert_true(item->kind == JSON_YES && item->yes);
	item = item->next;
	assert_true(item->kind == JSON_YES && !item->yes);
	item = item->next;
	assert_true(item->kind == JSON_NULL && !item->next);
	assert_int_equal(json_find(tree.root, "b")->kind, JSON_OBJECT); /* the first */
	assert_string_equal(json_find(tree.root, "c")->text, "x");
	assert_int_equal(json_find(tree.root, "e")->count, 0);
	assert_null(json_find(tree.root, "d"));
	assert_null(json_find(array, "a"));
	json_tree_drop(&tree);
	json_tree_drop(&tree); /* there is nothing left, and that is fine */
}

static void test_json_read_numbers_are_exact(void **state)
{
	(void)state;
	check_number("0", 0);
	check_number("-0.0", -0.0);
	check_number("1.5e-3", 1.5e-3);
	check_number("4.5975000000000006e-05", 4.5975000000000006e-05);
	check_number("1E+2", 100);
	check_number("18446744073709551615", 18446744073709551615.0);
	check_number("1e-999", 0);
	check_number("\xef\xbb\xbf 2", 2); /* behind an editor's mark */
}

static void test_json_read_escapes_are_decoded(void **state)
{
	(void)state;
	check_text("\"\"", "");
	check_text("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t");
	check_text("\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"",
		   "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	check_text("\"\\ud83dx\"", "\xef\xbf\xbdx");
	check_text("\"\\ude00\"", "\xef\xbf\xbd");
	check_text("\"\\ud83d\\u0041\"", "\xef\xbf\xbd"
					 "A");
	check_text("\"a\\u0000b\"", "a\xef\xbf\xbd"
				    "b");
	check_text("\"\xff\xc3(\"", "\xff\xc3("); /* what is not UTF-8 stays as it is */
}

static void test_json_read_faults_have_a_place(void **state)
{
	(void)state;
	refuse_at("", 0, "the file ends where a value should be");
	refuse_at("  ", 2, "the file ends where a value should be");
	refuse_at("[1 2]", 3, "expected a comma or ]");
	refuse_at("{\"a\":1 \"b\":2}", 7, "expected a comma or }");
	refuse_at("[1,]", 3, "expected a value");
	refuse_at("[,1]", 1, "expected a value");
	refuse_at("{\"a\":1,}", 7, "expected a key in quotes");
	refuse_at("{a:1}", 1, "expected a key in quotes");
	refuse_at("{\"a\" 1}", 5, "expected a colon");
	refuse_at("[1}", 2, "expected a comma or ]");
	refuse_at("1 2", 2, "something behind the end");
	refuse_at("nul", 0, "expected a value");
	refuse_at("nulll", 4, "something behind the end");
	refuse_at("NaN", 0, "expected a value");
	refuse_at("01", 2, "this is no number");
	refuse_at("-", 1, "this is no number");
	refuse_at("+1", 0, "expected a value");
	refuse_at("0x10", 1, "something behind the end");
	refuse_at("1.", 2, "a digit is missing");
	refuse_at("1e", 2, "the exponent has no digits");
	refuse_at("[1e999]", 1, "too large");
	refuse_at("\"a\nb\"", 2, "control character");
	refuse_at("\"\\x\"", 2, "no such escape");
	refuse_at("\"\\u12g4\"", 5, "four hexadecimal digits");
	refuse_at("\"\\ud800\\u12", 11, "four hexadecimal digits");
}

/* Every beginning of a good text is refused, and at its end. */
static void test_json_read_truncated_is_refused(void **state)
{
	(void)state;
	static const char text[] =
		"{\"a\": [1.5, \"b\\u00e9\\ud83d\\ude00\", {\"c\": null}, true]}";
	struct json_tree tree;
	struct json_fault fault;

	for (size_t size = 0; size + 1 < sizeof(text); size++) {
		assert_false(read_bytes(&tree, text, size, &fault));
		assert_true(fault.at <= size);
	}
	assert_true(read_bytes(&tree, text, sizeof(text) - 1, &fault));
	json_tree_drop(&tree);
}

static void test_json_read_nul_bytes_are_refused(void **state)
{
	(void)state;
	struct json_tree tree;
	struct json_fault fault;

	assert_false(read_bytes(&tree, "\0", 1, &fault));
	assert_false(read_bytes(&tree, "[1,\0]", 5, &fault));
	assert_false(read_bytes(&tree, "1\0", 2, &fault));
	assert_int_equal(fault.at, 1);
	assert_false(read_bytes(&tree, "\"a\0\"", 4, &fault));
	assert_false(read_bytes(&tree, "[\0", 2, &fault));
}

static char *repeat(const char *piece, size_t count)
{
	size_t length = strlen(piece);
	char *text = malloc(length * count + 1);

	assert_non_null(text);
	for (size_t i = 0; i < count; i++)
		memcpy(text + i * length, piece, length);
	text[length * count] = '\0';
	return text;
}

static void test_json_read_deep_nesting_is_refused(void **state)
{
	(void)state;
	char *arrays = repeat("[", 1000000), *objects = repeat("{\"a\":", 1000000);
	char text[2 * JSON_NESTING_MAX + 1] = "";

	refuse_at(arrays, JSON_NESTING_MAX, "nested too deep");
	refuse_at(objects, (size_t)JSON_NESTING_MAX * 5, "nested too deep");
	free(arrays);
	free(objects);
	memset(text, '[', JSON_NESTING_MAX);
	memset(text + JSON_NESTING_MAX, ']', JSON_NESTING_MAX);
	struct json_tree tree = read_good(text); /* as deep as it may be */
	json_tree_drop(&tree);
}

static void test_json_read_too_many_values_are_refused(void **state)
{
	(void)state;
	char *text = repeat("[],", JSON_NODES_MAX);

	text[0] = '[';
	text[1] = ' ';
	text[2] = ' ';
	refuse_at(text, (size_t)JSON_NODES_MAX * 3, "too many values");
	free(text);
}

static void test_json_read_long_number_is_read(void **state)
{
	(void)state;
	char *digits = repeat("1", 100000);

	digits[1] = '.';
	check_number(digits, 1.11111111111111111);
	free(digits);
}

static void test_json_read_place_counts_characters(void **state)
{
	(void)state;
	static const char text[] = "{\n\n  \"\xc3\xa9\xe2\x82\xac\": x";
	struct json_place place = json_place(text, sizeof(text) - 1, strlen(text) - 1);

	assert_int_equal(place.line, 3);
	assert_int_equal(place.column, 9);
	place = json_place(text, sizeof(text) - 1, 0);
	assert_true(place.line == 1 && place.column == 1);
	place = json_place(text, sizeof(text) - 1, 1000000);
	assert_true(place.line == 3 && place.column == 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_read_all_kinds_come_back),
		cmocka_unit_test(test_json_read_numbers_are_exact),
		cmocka_unit_test(test_json_read_escapes_are_decoded),
		cmocka_unit_test(test_json_read_faults_have_a_place),
		cmocka_unit_test(test_json_read_truncated_is_refused),
		cmocka_unit_test(test_json_read_nul_bytes_are_refused),
		cmocka_unit_test(test_json_read_deep_nesting_is_refused),
		cmocka_unit_test(test_json_read_too_many_values_are_refused),
		cmocka_unit_test(test_json_read_long_number_is_read),
		cmocka_unit_test(test_json_read_place_counts_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
