/* SPDX-License-Identifier: MIT */
/* scan_ndjson.c — every directory of a scan as a line of JSON */
#include "scan/scan_command.h"

#include <stdlib.h>

/* order: relaxed; the walk is over */
#define OF(dir, field) atomic_load_explicit(&(dir)->field, memory_order_relaxed)

static void size_json(struct json *json, const char *key, bool is_known, uint64_t bytes)
{
	if (is_known)
		json_count(json, key, bytes);
	else
		json_null(json, key);
}

static bool print_dir(const struct scan_dir *dir, const struct scan_choice *choice)
{
	struct json json = { .is_line = true };
	bool has_sizes = !choice->is_count;
	char *path = scan_path(dir, NULL);

	if (!path)
		return false;
	json_object(&json, NULL);
	json_name(&json, "path", path);
	json_count(&json, "depth", dir->depth);
	json_count(&json, "directories", (uint64_t)OF(dir, directories) + 1);
	json_count(&json, "files", OF(dir, files));
	json_count(&json, "symlinks", OF(dir, symlinks));
	json_count(&json, "others", OF(dir, others));
	json_count(&json, "errors", OF(dir, errors));
	size_json(&json, "bytes_apparent", has_sizes, OF(dir, bytes));
	size_json(&json, "bytes_disk", has_sizes, OF(dir, blocks) * 512);
	if (has_sizes && OF(dir, newest) != INT64_MIN)
		json_signed(&json, "modified", OF(dir, newest));
	else
		json_null(&json, "modified");
	json_close(&json);
	free(path);
	return true;
}

static int print_ndjson(struct scan *scan, const struct scan_choice *choice)
{
	bool is_complete = true;

	for (unsigned i = 0; i < scan->options.path_count; i++) {
		struct scan_dir *root = scan->roots[i];
		scan_sort(root, SCAN_BY_NAME);
		for (const struct scan_dir *dir = root; dir; dir = scan_dir_next(dir, root))
			if (dir->type == SCAN_DIRECTORY && dir->depth <= choice->max_depth)
				is_complete &= print_dir(dir, choice);
	}
	if (is_complete)
		return STATUS_DONE;
	fprintf(stderr, "skua scan: --ndjson is not complete: not enough memory for a path\n");
	return STATUS_PARTLY;
}

const struct scan_report scan_report_ndjson = {
	.name = "ndjson",
	.level = SCAN_DIRECTORIES,
	.is_alone = true,
	.print = print_ndjson,
};
