/* SPDX-License-Identifier: MIT */
/* fuzz_json.c — the command's JSON reader, fed anything, held to what it promises */
#include "json_read.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A broken promise aborts. */
#define PROMISE(claim) ((claim) ? (void)0 : abort())

static unsigned count_nodes(const struct json_node *node, unsigned depth, size_t size)
{
	unsigned count = 1, items = 0;

	PROMISE(depth <= JSON_NESTING_MAX && node->at < size);
	PROMISE(node->kind != JSON_NUMBER || isfinite(node->number));
	PROMISE((node->kind == JSON_TEXT) == (node->text != NULL));
	PROMISE(!node->text || strlen(node->text) < size);
	for (const struct json_node *item = node->first; item; item = item->next) {
		PROMISE((item->key != NULL) == (node->kind == JSON_OBJECT));
		PROMISE(item->at > node->at && (!item->next || item->at < item->next->at));
		if (item->key) /* the first of that name */
			PROMISE(json_find(node, item->key)->at <= item->at);
		count += count_nodes(item, depth + 1, size);
		items++;
	}
	PROMISE(items == node->count);
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_tree tree;
	struct json_fault fault;
	char *copy = malloc(size ? size : 1); /* of exactly this length: one too far is seen */

	PROMISE(copy);
	if (size)
		memcpy(copy, data, size);
	if (json_tree_read(&tree, copy, size, &fault)) {
		PROMISE(tree.root && !tree.root->next && !tree.root->key);
		PROMISE(count_nodes(tree.root, 0, size) == tree.nodes);
		json_tree_drop(&tree);
	} else {
		struct json_place place = json_place(copy, size, fault.at);
		PROMISE(fault.what && fault.at <= size && !tree.root && !tree.blocks);
		PROMISE(place.line >= 1 && place.column >= 1 && place.line <= size + 1);
	}
	free(copy);
	return 0;
}
