/* SPDX-License-Identifier: MIT */
/* tree_show.c — the report of the largest parts of a tree: rows with bars, a plain list, JSON */
#include "output.h"
#include "report.h"
#include "scan/scan_tree.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_COLUMNS  10
#define SHARE_COLUMNS 6	 /* "  100 %" without one blank */
#define BAR_WIDE      24 /* from 80 columns on */
#define BAR_NARROW    10
#define STEP_COLUMNS  3 /* each level is so much further right */

static unsigned percent(uint64_t size, uint64_t total)
{
	return total ? (unsigned)((double)size / (double)total * 100 + 0.5) : 0;
}

static const char *name_of(const struct scan_item *item)
{
	return item->file ? item->file->name : item->dir->name;
}

/* Its own share full, what its parent has besides it light. */
static void put_bar(const struct scan_tree *tree, const struct scan_node *node, unsigned columns)
{
	const char *full = report_utf8() ? "\u2588" : "#", *light = report_utf8() ? "\u2591" : ".";
	uint64_t around = node->parent == SCAN_NO_NODE ? node->item.key
						       : tree->nodes[node->parent].item.key;
	unsigned own = percent(node->item.key, tree->total) * columns / 100;
	unsigned all = percent(around, tree->total) * columns / 100;

	for (unsigned i = 0; i < columns; i++)
		out("%s", i < own ? full : i < all ? light : " ");
}

/* The lines that lead to a row: for each level above whether more follows there. */
static unsigned put_lines(const struct scan_tree *tree, size_t node, unsigned room)
{
	static const char *const pictures[2][4] = {
		{ "|  ", "   ", "|- ", "`- " },
		{ "\u2502  ", "   ", "\u251c\u2500 ", "\u2514\u2500 " },
	};
	const char *const *picture = pictures[report_utf8()];
	bool has_next[64];
	unsigned levels = 0;

	for (size_t at = node; tree->nodes[at].parent != SCAN_NO_NODE; at = tree->nodes[at].parent)
		if (levels < sizeof(has_next))
			has_next[levels++] = tree->nodes[at].next != SCAN_NO_NODE;
	while (levels * STEP_COLUMNS > room)
		levels--; /* too deep for this width: what is above is not drawn */
	for (unsigned i = levels; i > 0; i--)
		out("%s", picture[(i == 1 ? 2 : 0) + !has_next[i - 1]]);
	return levels * STEP_COLUMNS;
}

static void row_text(const struct scan_tree *tree, size_t at)
{
	const struct scan_node *node = &tree->nodes[at];
	unsigned width = report_width(), bar = width >= 80 ? BAR_WIDE : BAR_NARROW;
	unsigned room = width - SIZE_COLUMNS - 2 - SHARE_COLUMNS - bar - 2;

	out("%*s  ", SIZE_COLUMNS, scan_bytes(node->item.key).s);
	room -= put_lines(tree, at, room / 2);
	bool is_dir = !node->item.file && node->item.dir->type == SCAN_DIRECTORY;
	struct text name = text_clean(name_of(&node->item), room);
	out("%s%s%s%*s  ", is_dir ? report_paint(stdout, PAINT_LABEL) : "", name.s,
	    is_dir ? report_paint(stdout, PAINT_PLAIN) : "",
	    (int)(room - text_width(name.s, strlen(name.s))), "");
	put_bar(tree, node, bar);
	out(" %3u %%\n", percent(node->item.key, tree->total));
}

/* For those who hear it: no drawing, the depth as a number, the whole path last. */
static void row_plain(const struct scan_tree *tree, size_t at, const char *path)
{
	const struct scan_node *node = &tree->nodes[at];

	out("%5u  %*s  %3u %%  ", (unsigned)scan_item_depth(&node->item), SIZE_COLUMNS,
	    scan_bytes(node->item.key).s, percent(node->item.key, tree->total));
	scan_put_path(stdout, path);
	out("\n");
}

static void row_json(struct json *json, const struct scan_item *item, const char *path)
{
	static const char *const types[] = { [SCAN_FILE] = "file",
					     [SCAN_SYMLINK] = "symlink",
					     [SCAN_OTHER] = "other",
					     [SCAN_DIRECTORY] = "directory" };
	const struct scan_dir *dir = item->dir;
	unsigned type = item->file ? item->file->type : dir->type;

	json_object(json, NULL);
	json_name(json, "path", path);
	json_count(json, "depth", scan_item_depth(item));
	json_text(json, "type", type <= SCAN_DIRECTORY ? types[type] : "other");
	/* order: relaxed, both; the walk is over */
	json_count(json, "bytes_apparent",
		   item->file ? item->file->bytes
			      : atomic_load_explicit(&dir->bytes, memory_order_relaxed));
	json_count(json, "bytes_disk",
		   512 * (item->file ? scan_file_blocks(item->file)
				     : atomic_load_explicit(&dir->blocks, memory_order_relaxed)));
	json_count(json, "entries", item->file ? 1 : scan_entries_of(dir));
	json_close(json);
}

static int no_memory(void)
{
	fprintf(stderr, "skua scan: --tree is not complete: not enough memory; try fewer rows\n");
	return STATUS_PARTLY;
}

static int print_rows(const struct scan_tree *tree, const struct scan_choice *choice)
{
	bool has_paths = choice->json || choice->is_screen_reader;

	if (!choice->json && choice->is_screen_reader)
		out("depth        size  share  path\n");
	for (size_t at = tree->first; at != SCAN_NO_NODE; at = scan_tree_next(tree, at)) {
		char *path = has_paths ? scan_item_path(&tree->nodes[at].item) : NULL;
		if (has_paths && !path)
			return no_memory();
		if (choice->json)
			row_json(choice->json, &tree->nodes[at].item, path);
		else if (choice->is_screen_reader)
			row_plain(tree, at, path);
		else
			row_text(tree, at);
		free(path);
	}
	return STATUS_DONE;
}

static int print_tree(struct scan *scan, const struct scan_choice *choice)
{
	struct scan_tree tree;
	int status;

	if (choice->json)
		json_array(choice->json, "tree");
	if (scan_tree_make(&tree, scan, choice)) {
		status = print_rows(&tree, choice);
		scan_tree_free(&tree);
	} else {
		status = no_memory();
	}
	if (choice->json)
		json_close(choice->json);
	return status;
}

const struct scan_report scan_report_tree = {
	.name = "tree",
	.title = "Largest parts",
	.level = SCAN_EVERYTHING,
	.needs_sizes = true,
	.print = print_tree,
};
