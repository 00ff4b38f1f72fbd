/* SPDX-License-Identifier: MIT */
/* scan_tree.c — the report of the largest parts of a tree: which they are */
#include "scan/scan_tree.h"

#include <stdlib.h>

/*
 * Best first: of all that could be shown next the largest is taken, and what is in it can then be
 * shown too.  So each row is larger than all that is left out, and its directory is shown above it.
 */

/* What could be shown next: a heap, the first in order on top. */
struct candidate {
	struct scan_item item;
	size_t parent; /* a node */
};

struct candidates {
	struct candidate *all;
	size_t count, room;
};

static bool is_before(const struct candidate *a, const struct candidate *b)
{
	return scan_item_compare(&a->item, &b->item) < 0;
}

static bool push(struct candidates *heap, struct candidate candidate)
{
	size_t at = heap->count;

	if (heap->count == heap->room) {
		size_t room = heap->room ? 2 * heap->room : 64;
		struct candidate *all = realloc(heap->all, room * sizeof(*all));
		if (!all)
			return false;
		heap->all = all;
		heap->room = room;
	}
	heap->count++;
	while (at && is_before(&candidate, &heap->all[(at - 1) / 2])) {
		heap->all[at] = heap->all[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap->all[at] = candidate;
	return true;
}

static struct candidate pop(struct candidates *heap)
{
	struct candidate first = heap->all[0], last = heap->all[--heap->count];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < heap->count) {
		if (child + 1 < heap->count && is_before(&heap->all[child + 1], &heap->all[child]))
			child++;
		if (!is_before(&heap->all[child], &last))
			break;
		heap->all[at] = heap->all[child];
		at = child;
	}
	heap->all[at] = last;
	return first;
}

/* The largest that a directory holds; more of them than rows are left would not be shown. */
static bool push_children(struct candidates *heap, const struct scan_choice *choice,
			  const struct scan_tree *tree, size_t parent)
{
	const struct scan_dir *dir = tree->nodes[parent].item.dir;
	struct scan_top top = { .most = tree->room - tree->count };
	struct scan_files files;

	if (tree->nodes[parent].item.file || dir->depth >= choice->max_depth)
		return true;
	for (const struct scan_dir *child = dir->child; child; child = child->next)
		if (child->type == SCAN_DIRECTORY)
			scan_top_offer(
				&top, (struct scan_item){ .dir = child,
							  .key = scan_size_of_dir(choice, child) });
	for (const struct scan_file *file = scan_files_first(&files, dir); file;
	     file = scan_files_next(&files))
		if (file->type < SCAN_DIRECTORY && scan_is_charged_here(choice->walk.links, file))
			scan_top_offer(
				&top, (struct scan_item){ .dir = dir,
							  .file = file,
							  .key = scan_size_of_file(choice, file) });
	bool is_kept = !top.is_lost;
	for (size_t i = 0; i < top.count && is_kept; i++)
		is_kept = push(heap, (struct candidate){ top.items[i], parent });
	scan_top_free(&top);
	return is_kept;
}

/* Behind its elder siblings, which are larger. */
static size_t add_node(struct scan_tree *tree, const struct candidate *candidate)
{
	size_t at = tree->count++;
	struct scan_node *node = &tree->nodes[at];

	*node = (struct scan_node){ candidate->item, candidate->parent, SCAN_NO_NODE, SCAN_NO_NODE,
				    SCAN_NO_NODE };
	size_t *last = candidate->parent == SCAN_NO_NODE ? &tree->last
							 : &tree->nodes[candidate->parent].last;
	size_t *first = candidate->parent == SCAN_NO_NODE ? &tree->first
							  : &tree->nodes[candidate->parent].first;
	if (*last == SCAN_NO_NODE)
		*first = at;
	else
		tree->nodes[*last].next = at;
	*last = at;
	return at;
}

bool scan_tree_make(struct scan_tree *tree, const struct scan *scan,
		    const struct scan_choice *choice)
{
	struct candidates heap = { 0 };
	bool is_made = true;

	*tree = (struct scan_tree){ .first = SCAN_NO_NODE, .last = SCAN_NO_NODE };
	tree->room = (size_t)choice->tree_rows;
	tree->nodes = malloc(tree->room * sizeof(*tree->nodes));
	if (!tree->nodes)
		return false;
	for (unsigned i = 0; i < scan->options.path_count && is_made; i++) {
		const struct scan_dir *root = scan->roots[i];
		uint64_t size = scan_size_of_dir(choice, root);
		tree->total += size;
		is_made = push(&heap, (struct candidate){ { root, NULL, size }, SCAN_NO_NODE });
	}
	while (heap.count && tree->count < tree->room && is_made) {
		struct candidate next = pop(&heap);
		size_t node = add_node(tree, &next);
		is_made = push_children(&heap, choice, tree, node);
	}
	free(heap.all);
	if (!is_made)
		scan_tree_free(tree);
	return is_made;
}

size_t scan_tree_next(const struct scan_tree *tree, size_t node)
{
	if (tree->nodes[node].first != SCAN_NO_NODE)
		return tree->nodes[node].first;
	while (node != SCAN_NO_NODE && tree->nodes[node].next == SCAN_NO_NODE)
		node = tree->nodes[node].parent;
	return node == SCAN_NO_NODE ? SCAN_NO_NODE : tree->nodes[node].next;
}

void scan_tree_free(struct scan_tree *tree)
{
	free(tree->nodes);
	tree->nodes = NULL;
}
