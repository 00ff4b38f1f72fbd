/* SPDX-License-Identifier: MIT */
/* json_read.h — JSON read into a tree; safe with any bytes, and a fault has a place */
#ifndef SKUAT_JSON_READ_H
#define SKUAT_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

/* Far more than the command itself writes; both are there to bound stack and memory. */
#define JSON_NESTING_MAX 32
#define JSON_NODES_MAX	 (1U << 21)

enum json_kind {
	JSON_NULL,
	JSON_YES, /* true or false */
	JSON_NUMBER,
	JSON_TEXT,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json_node {
	enum json_kind kind;
	bool yes;
	unsigned count;	  /* of an array or object */
	const char *key;  /* inside an object; else NULL */
	const char *text; /* bytes that are not UTF-8 stay; U+0000 and half a pair are U+FFFD */
	double number;	  /* finite */
	size_t at;	  /* the byte where it begins */
	struct json_node *first, *next;
};

struct json_tree {
	struct json_node *root;
	char *strings; /* all texts and keys, one after the other */
	struct json_block *blocks;
	unsigned nodes;
};

/* What is wrong, at which byte. */
struct json_fault {
	const char *what;
	size_t at;
};

/* For people: both count from 1, columns in characters. */
struct json_place {
	unsigned line, column;
};

/*
 * Read one value and nothing behind it.  The text needs no NUL at its end, and the tree does not
 * need it any more.  False: *fault says why, and there is nothing to drop.
 */
bool json_tree_read(struct json_tree *tree, const char *text, size_t size,
		    struct json_fault *fault);
void json_tree_drop(struct json_tree *tree);

/* The first of that name in an object; NULL: there is none, or it is no object. */
const struct json_node *json_find(const struct json_node *object, const char *key);

struct json_place json_place(const char *text, size_t size, size_t at);

#endif
