/* SPDX-License-Identifier: MIT */
/* json_read.c — JSON read into a tree; safe with any bytes, and a fault has a place */
#include "json_read.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_NODES 256 /* arbitrary */

/* Nodes are made in blocks, so that pointers to them stay good. */
struct json_block {
	struct json_block *before;
	unsigned used;
	struct json_node nodes[BLOCK_NODES];
};

/*
 * Strings are decoded one behind the other into tree->strings, which has one byte more than the
 * text.  That is always enough: a string and its NUL take no more than it took with its quotes, an
 * escape is never shorter than what it stands for, and a number is there only while it is read.
 */
struct reader {
	const char *text;
	size_t size, at;
	size_t used; /* of strings */
	unsigned depth;
	struct json_tree *tree;
	const char *what; /* is wrong; NULL: nothing so far */
};

static bool fail(struct reader *reader, const char *what)
{
	reader->what = what;
	return false;
}

/* The byte at hand; '\0' at the end, where no value and no bracket begins either. */
static char peek(const struct reader *reader)
{
	return reader->at < reader->size ? reader->text[reader->at] : '\0';
}

static void skip_blanks(struct reader *reader)
{
	while (reader->at < reader->size && strchr(" \t\r\n", peek(reader)) && peek(reader))
		reader->at++;
}

static struct json_node *make_node(struct reader *reader)
{
	struct json_tree *tree = reader->tree;

	if (tree->nodes == JSON_NODES_MAX) {
		fail(reader, "there are too many values");
		return NULL;
	}
	if (!tree->blocks || tree->blocks->used == BLOCK_NODES) {
		struct json_block *block = calloc(1, sizeof(*block));
		if (!block) {
			fail(reader, "there is not enough memory to read on");
			return NULL;
		}
		block->before = tree->blocks;
		tree->blocks = block;
	}
	tree->nodes++;
	struct json_node *node = &tree->blocks->nodes[tree->blocks->used++];
	node->at = reader->at;
	return node;
}

static void put_byte(struct reader *reader, char byte)
{
	reader->tree->strings[reader->used++] = byte;
}

static void put_character(struct reader *reader, uint32_t c)
{
	static const unsigned char leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	int bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (int i = bytes - 1; i >= 0; i--) {
		uint32_t bits = c >> (6 * i);
		put_byte(reader,
			 (char)(i == bytes - 1 ? leads[bytes] | bits : 0x80 | (bits & 0x3f)));
	}
}

/* Four hexadecimal digits behind \u. */
static bool read_digits(struct reader *reader, uint32_t *value)
{
	*value = 0;
	for (int i = 0; i < 4; i++) {
		char c = peek(reader);
		uint32_t digit = c >= '0' && c <= '9'	? (uint32_t)(c - '0')
				 : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
				 : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
							: 16;
		if (digit == 16)
			return fail(reader, "\\u wants four hexadecimal digits");
		*value = 16 * *value + digit;
		reader->at++;
	}
	return true;
}

static bool read_unicode(struct reader *reader)
{
	uint32_t c, low = 0;

	if (!read_digits(reader, &c))
		return false;
	size_t behind = reader->at;
	if (c >= 0xd800 && c < 0xdc00 && reader->size - behind >= 6 &&
	    memcmp(reader->text + behind, "\\u", 2) == 0) {
		reader->at += 2;
		if (!read_digits(reader, &low))
			return false;
		if (low >= 0xdc00 && low < 0xe000)
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		else
			reader->at = behind; /* that one stands for itself */
	}
	if (!c || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	put_character(reader, c);
	return true;
}

static bool read_escape(struct reader *reader)
{
	static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	char c = peek(reader);
	const char *name = c ? strchr(names, c) : NULL;

	if (c != 'u' && !name)
		return fail(reader, "there is no such escape");
	reader->at++;
	if (c == 'u')
		return read_unicode(reader);
	put_byte(reader, meant[name - names]);
	return true;
}

/* A quote is at hand. */
static bool read_string(struct reader *reader, const char **string)
{
	*string = reader->tree->strings + reader->used;
	reader->at++;
	for (;;) {
		if (reader->at == reader->size)
			return fail(reader, "the file ends inside a string");
		char c = peek(reader);
		if ((unsigned char)c < 0x20)
			return fail(reader, "a line break or control character inside a string");
		reader->at++;
		if (c == '"')
			break;
		if (c != '\\')
			put_byte(reader, c);
		else if (!read_escape(reader))
			return false;
	}
	put_byte(reader, '\0');
	return true;
}

static size_t skip_digits(struct reader *reader)
{
	size_t from = reader->at;

	while (peek(reader) >= '0' && peek(reader) <= '9')
		reader->at++;
	return reader->at - from;
}

static bool read_number(struct reader *reader, struct json_node *node)
{
	size_t from = reader->at;

	if (peek(reader) == '-')
		reader->at++;
	bool is_zero = peek(reader) == '0';
	size_t digits = skip_digits(reader);
	if (!digits || (is_zero && digits > 1))
		return fail(reader, "this is no number");
	if (peek(reader) == '.') {
		reader->at++;
		if (!skip_digits(reader))
			return fail(reader, "a digit is missing behind the point");
	}
	if (peek(reader) == 'e' || peek(reader) == 'E') {
		reader->at++;
		if (peek(reader) == '+' || peek(reader) == '-')
			reader->at++;
		if (!skip_digits(reader))
			return fail(reader, "the exponent has no digits");
	}
	/* strtod wants a NUL behind it. */
	char *copy = reader->tree->strings + reader->used;
	memcpy(copy, reader->text + from, reader->at - from);
	copy[reader->at - from] = '\0';
	node->kind = JSON_NUMBER;
	node->number = strtod(copy, NULL);
	if (!isfinite(node->number)) {
		reader->at = from;
		return fail(reader, "this number is too large");
	}
	return true;
}

static bool read_word(struct reader *reader, struct json_node *node)
{
	static const struct {
		const char *word;
		enum json_kind kind;
		bool yes;
	} words[] = { { "null", JSON_NULL, false },
		      { "true", JSON_YES, true },
		      { "false", JSON_YES, false } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i].word);
		if (reader->size - reader->at < length ||
		    memcmp(reader->text + reader->at, words[i].word, length) != 0)
			continue;
		reader->at += length;
		node->kind = words[i].kind;
		node->yes = words[i].yes;
		return true;
	}
	return fail(reader, reader->at == reader->size
				    ? "the file ends where a value should be"
				    : "expected a value: a text in quotes, a number, {, [, true, "
				      "false or null");
}

static struct json_node *read_value(struct reader *reader);

/* "key": */
static bool read_key(struct reader *reader, const char **key)
{
	skip_blanks(reader);
	if (peek(reader) != '"')
		return fail(reader, "expected a key in quotes");
	if (!read_string(reader, key))
		return false;
	skip_blanks(reader);
	if (peek(reader) != ':')
		return fail(reader, "expected a colon behind the key");
	reader->at++;
	return true;
}

/* What stands between two brackets; the first is at hand. */
static bool read_items(struct reader *reader, struct json_node *parent, char closer)
{
	struct json_node **link = &parent->first;

	if (reader->depth++ == JSON_NESTING_MAX)
		return fail(reader, "brackets are nested too deep");
	reader->at++;
	skip_blanks(reader);
	while (peek(reader) != closer) {
		const char *key = NULL;
		if (parent->count && peek(reader) != ',')
			return fail(reader, reader->at == reader->size ? "the file ends too early"
					    : closer == ']'	       ? "expected a comma or ]"
								       : "expected a comma or }");
		reader->at += parent->count > 0;
		if (closer == '}' && !read_key(reader, &key))
			return false;
		struct json_node *node = read_value(reader);
		if (!node)
			return false;
		node->key = key;
		*link = node;
		link = &node->next;
		parent->count++;
		skip_blanks(reader);
	}
	reader->at++;
	reader->depth--;
	return true;
}

static struct json_node *read_value(struct reader *reader)
{
	skip_blanks(reader);
	struct json_node *node = make_node(reader);
	char c = peek(reader);
	bool is_read;

	if (!node)
		return NULL;
	if (c == '{' || c == '[') {
		node->kind = c == '{' ? JSON_OBJECT : JSON_ARRAY;
		is_read = read_items(reader, node, c == '{' ? '}' : ']');
	} else if (c == '"') {
		node->kind = JSON_TEXT;
		is_read = read_string(reader, &node->text);
	} else if (c == '-' || (c >= '0' && c <= '9')) {
		is_read = read_number(reader, node);
	} else {
		is_read = read_word(reader, node);
	}
	return is_read ? node : NULL;
}

bool json_tree_read(struct json_tree *tree, const char *text, size_t size, struct json_fault *fault)
{
	struct reader reader = { .text = text, .size = size, .tree = tree };

	*tree = (struct json_tree){ .strings = malloc(size + 1) };
	if (!tree->strings) {
		*fault = (struct json_fault){ "there is not enough memory to read it", 0 };
		return false;
	}
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		reader.at = 3; /* some editors begin a file with this mark */
	tree->root = read_value(&reader);
	if (tree->root) {
		skip_blanks(&reader);
		if (reader.at < size)
			fail(&reader, "there is something behind the end");
	}
	if (!reader.what)
		return true;
	*fault = (struct json_fault){ reader.what, reader.at };
	json_tree_drop(tree);
	return false;
}

void json_tree_drop(struct json_tree *tree)
{
	while (tree->blocks) {
		struct json_block *block = tree->blocks;
		tree->blocks = block->before;
		free(block);
	}
	free(tree->strings);
	*tree = (struct json_tree){ 0 };
}

const struct json_node *json_find(const struct json_node *object, const char *key)
{
	const struct json_node *node = object->kind == JSON_OBJECT ? object->first : NULL;

	while (node && strcmp(node->key, key) != 0)
		node = node->next;
	return node;
}

struct json_place json_place(const char *text, size_t size, size_t at)
{
	struct json_place place = { 1, 1 };

	for (size_t i = 0; i < size && i < at; i++) {
		if (text[i] == '\n')
			place = (struct json_place){ place.line + 1, 1 };
		else if (((unsigned char)text[i] & 0xc0) != 0x80) /* not inside a character */
			place.column++;
	}
	return place;
}
