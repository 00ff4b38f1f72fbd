/* SPDX-License-Identifier: MIT */
/* diff_print.c — what changed between two scans: the largest changes as a tree, or JSON */
#include "output.h"
#include "report.h"
#include "scan/diff_scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 20 /* of the tree, unless --limit says otherwise */

/* "+1.2 GiB", "-3 KiB" */
static struct text change_words(int64_t change)
{
	struct text text, size = scan_bytes(change < 0 ? -(uint64_t)change : (uint64_t)change);

	snprintf(text.s, sizeof(text.s), "%s%.60s", change < 0 ? "-" : change ? "+" : "", size.s);
	return text;
}

static uint64_t weight(const struct diff_node *node, bool is_apparent)
{
	int64_t change = diff_change(node, is_apparent);

	return change < 0 ? -(uint64_t)change : (uint64_t)change;
}

/* What qsort cannot be told otherwise. */
static bool is_sorted_apparent;

/* Larger changes first, then names: an order that does not depend on the way here. */
static int compare_nodes(const void *left, const void *right)
{
	const struct diff_node *a = *(const struct diff_node *const *)left,
			       *b = *(const struct diff_node *const *)right;
	uint64_t x = weight(a, is_sorted_apparent), y = weight(b, is_sorted_apparent);

	if (x != y)
		return x > y ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* --- text --- */

/* Children by the size of their changes; false: no memory. */
static bool sort_children(struct diff_node *node)
{
	size_t count = 0;

	for (struct diff_node *child = node->child; child; child = child->next)
		count++;
	if (count < 2)
		return true;
	struct diff_node **list = malloc(count * sizeof(*list));
	if (!list)
		return false;
	count = 0;
	for (struct diff_node *child = node->child; child; child = child->next)
		list[count++] = child;
	qsort((void *)list, count, sizeof(*list), compare_nodes);
	node->child = list[0];
	for (size_t i = 0; i < count; i++)
		list[i]->next = i + 1 < count ? list[i + 1] : NULL;
	free((void *)list);
	return true;
}

/* Nodes that wait for their turn: a heap with the largest change on top. */
struct waiting {
	struct diff_node **all;
	size_t count;
};

static bool is_before(const struct diff_node *a, const struct diff_node *b)
{
	return compare_nodes((const void *)&a, (const void *)&b) < 0;
}

static void wait_for_turn(struct waiting *waiting, struct diff_node *node)
{
	size_t at = waiting->count++;

	for (; at && is_before(node, waiting->all[(at - 1) / 2]); at = (at - 1) / 2)
		waiting->all[at] = waiting->all[(at - 1) / 2];
	waiting->all[at] = node;
}

static struct diff_node *take_turn(struct waiting *waiting)
{
	struct diff_node **all = waiting->all, *top = all[0], *last = all[--waiting->count];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < waiting->count) {
		if (child + 1 < waiting->count && is_before(all[child + 1], all[child]))
			child++;
		if (!is_before(all[child], last))
			break;
		all[at] = all[child];
		at = child;
	}
	all[at] = last;
	return top;
}

/*
 * Mark the largest changes, each below a parent that is marked too: take the largest that waits;
 * then its first child and its next sibling wait.  So no more wait than rows were taken.
 */
static bool choose_rows(struct diff_node *root, uint64_t rows, uint64_t max_depth)
{
	struct waiting waiting = { malloc((rows + 2) * sizeof(struct diff_node *)), 0 };

	if (!waiting.all)
		return false;
	bool is_done = sort_children(root);
	if (is_done && root->child && max_depth > 0)
		wait_for_turn(&waiting, root->child);
	for (; is_done && rows && waiting.count; rows--) {
		struct diff_node *node = take_turn(&waiting);
		node->is_shown = true;
		is_done = sort_children(node);
		if (node->next)
			wait_for_turn(&waiting, node->next);
		if (is_done && node->child && node->depth < max_depth)
			wait_for_turn(&waiting, node->child);
	}
	free((void *)waiting.all);
	return is_done;
}

static void print_row(const struct diff_node *node, const struct scan_choice *choice)
{
	int64_t change = diff_change(node, choice->is_apparent);

	out("%s%12s%s  ", report_paint(stdout, change > 0 ? PAINT_WARN : PAINT_GOOD),
	    change_words(change).s, report_paint(stdout, PAINT_PLAIN));
	if (choice->is_screen_reader)
		out("%" PRIu32 "  ", node->depth);
	else
		out("%*s", (int)(2 * (node->depth < 30 ? node->depth - 1 : 29)), "");
	scan_put_path(stdout, node->name);
	out("%s%s\n", node->is_dir ? "/" : "",
	    !node->is_there[DIFF_BEFORE]  ? "  (new)"
	    : !node->is_there[DIFF_AFTER] ? "  (gone)"
					  : "");
}

static const struct diff_node *next_shown(const struct diff_node *node)
{
	const struct diff_node *next = node->child;

	if (next && next->is_shown) /* the first of a row is shown if any is */
		return next;
	for (; node; node = node->parent)
		if (node->next && node->next->is_shown)
			return node->next;
	return NULL;
}

static void print_side(const char *label, const struct diff *diff, unsigned side,
		       const struct scan_choice *choice, const char *name)
{
	const struct scan *scan = diff->scans[side];
	const struct diff_node *root = diff->all[0];
	uint64_t size = choice->is_apparent ? root->bytes[side] : 512 * root->blocks[side];
	const struct scan_tally *total = &scan->total;

	out("  %s%-8s%s", report_paint(stdout, PAINT_LABEL), label,
	    report_paint(stdout, PAINT_PLAIN));
	scan_put_path(stdout, name);
	if (scan->is_read)
		out(", scanned %s", scan_moment(scan->read_when).s);
	out(": %s%s in %s entries\n", scan->is_partial ? "partial, " : "", scan_bytes(size).s,
	    scan_number(total->directories + total->files + total->symlinks + total->others).s);
}

bool diff_print_text(const struct diff *diff, const struct scan_choice *choice,
		     const char *const names[DIFF_SIDES])
{
	struct diff_node *root = diff->all[0];
	uint64_t rows = choice->limit == UINT64_MAX ? ROWS : choice->limit;

	is_sorted_apparent = choice->is_apparent;
	if (rows > diff->count)
		rows = diff->count;
	if (!choose_rows(root, rows, choice->max_depth))
		return false;
	print_side("before", diff, DIFF_BEFORE, choice, names[DIFF_BEFORE]);
	print_side("after", diff, DIFF_AFTER, choice, names[DIFF_AFTER]);
	out("  %s%-8s%s%s %s\n", report_paint(stdout, PAINT_LABEL), "change",
	    report_paint(stdout, PAINT_PLAIN),
	    change_words(diff_change(root, choice->is_apparent)).s,
	    choice->is_apparent ? "of apparent size" : "on disk");
	out("  %s%-8s%s%" PRIu64 " new, %" PRIu64 " gone, %" PRIu64 " grown, %" PRIu64
	    " shrunk, %" PRIu64 " changed in place\n",
	    report_paint(stdout, PAINT_LABEL), "files", report_paint(stdout, PAINT_PLAIN),
	    diff->came, diff->went, diff->grew, diff->shrank, diff->touched);
	out("  %s%-8s%s%" PRIu64 " new, %" PRIu64 " gone\n", report_paint(stdout, PAINT_LABEL),
	    "dirs", report_paint(stdout, PAINT_PLAIN), diff->dirs_came, diff->dirs_went);
	if (root->child)
		out("\n");
	for (const struct diff_node *node = next_shown(root); node; node = next_shown(node))
		print_row(node, choice);
	return true;
}

/* --- JSON --- */

static void side_json(struct json *json, const struct diff *diff, unsigned side, const char *key,
		      const char *name)
{
	const struct scan *scan = diff->scans[side];
	const struct diff_node *root = diff->all[0];

	json_object(json, key);
	json_name(json, "path", name);
	if (scan->is_read)
		json_signed(json, "scanned_at_s", scan->read_when);
	else
		json_null(json, "scanned_at_s");
	json_count(json, "directories", scan->total.directories);
	json_count(json, "files", scan->total.files);
	json_count(json, "symlinks", scan->total.symlinks);
	json_count(json, "others", scan->total.others);
	json_count(json, "errors", scan->total.errors);
	json_count(json, "bytes_apparent", root->bytes[side]);
	json_count(json, "bytes_disk", 512 * root->blocks[side]);
	json_yes(json, "partial", scan->is_partial);
	json_close(json);
}

static void node_side_json(struct json *json, const struct diff_node *node, unsigned side,
			   const char *key)
{
	if (!node->is_there[side]) {
		json_null(json, key);
		return;
	}
	json_object(json, key);
	json_count(json, "bytes_apparent", node->bytes[side]);
	json_count(json, "bytes_disk", 512 * node->blocks[side]);
	json_count(json, "entries", node->entries[side]);
	json_close(json);
}

static bool node_json(struct json *json, const struct diff_node *node)
{
	static const char *const types[] = { [SCAN_FILE] = "file",
					     [SCAN_SYMLINK] = "symlink",
					     [SCAN_OTHER] = "other",
					     [SCAN_DIRECTORY] = "directory" };
	char *path = diff_path(node);

	if (!path)
		return false;
	json_object(json, NULL);
	json_name(json, "path", path);
	json_text(json, "type", node->type <= SCAN_DIRECTORY ? types[node->type] : "other");
	json_text(json, "state",
		  !node->is_there[DIFF_BEFORE]	? "new"
		  : !node->is_there[DIFF_AFTER] ? "gone"
						: "changed");
	json_signed(json, "change_apparent", diff_change(node, true));
	json_signed(json, "change_disk", diff_change(node, false));
	node_side_json(json, node, DIFF_BEFORE, "before");
	node_side_json(json, node, DIFF_AFTER, "after");
	json_close(json);
	free(path);
	return true;
}

/* All that changed, larger changes first. */
static bool changes_json(struct json *json, const struct diff *diff,
			 const struct scan_choice *choice)
{
	const struct diff_node **list = malloc((diff->count + 1) * sizeof(*list));
	size_t count = 0;
	bool is_whole = true;

	if (!list)
		return false;
	for (size_t i = 0; i < diff->count; i++)
		if (diff->all[i]->is_changed && diff->all[i]->depth <= choice->max_depth)
			list[count++] = diff->all[i];
	qsort((void *)list, count, sizeof(*list), compare_nodes);
	for (size_t i = 0; i < count && i < choice->limit && is_whole; i++)
		is_whole = node_json(json, list[i]);
	free((void *)list);
	return is_whole;
}

bool diff_print_json(const struct diff *diff, const struct scan_choice *choice,
		     const char *const names[DIFF_SIDES])
{
	struct json json = { 0 };

	is_sorted_apparent = choice->is_apparent;
	json_object(&json, NULL);
	json_text(&json, "schema", "skua-scan-diff-1");
	side_json(&json, diff, DIFF_BEFORE, "before", names[DIFF_BEFORE]);
	side_json(&json, diff, DIFF_AFTER, "after", names[DIFF_AFTER]);
	json_signed(&json, "change_apparent", diff_change(diff->all[0], true));
	json_signed(&json, "change_disk", diff_change(diff->all[0], false));
	json_object(&json, "files");
	json_count(&json, "new", diff->came);
	json_count(&json, "gone", diff->went);
	json_count(&json, "grown", diff->grew);
	json_count(&json, "shrunk", diff->shrank);
	json_count(&json, "changed_in_place", diff->touched);
	json_close(&json);
	json_object(&json, "directories");
	json_count(&json, "new", diff->dirs_came);
	json_count(&json, "gone", diff->dirs_went);
	json_close(&json);
	json_array(&json, "changes");
	bool is_whole = changes_json(&json, diff, choice);
	json_close(&json);
	json_close(&json);
	return is_whole;
}
