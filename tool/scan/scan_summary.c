/* SPDX-License-Identifier: MIT */
/* scan_summary.c — the summary of a scan, as text and as JSON, and its errors as messages */
#include "output.h"
#include "report.h"
#include "scan/scan_command.h"
#include "words.h"

#include <string.h>

#define REASONS_MAX 4 /* of errors, in the summary's line */

static uint64_t entries_of(const struct scan_tally *total)
{
	return total->directories + total->files + total->symlinks + total->others;
}

static double rate_of(const struct scan *scan)
{
	return scan->seconds > 0 ? (double)entries_of(&scan->total) / scan->seconds : 0;
}

/* "3: 2 permission denied, 1 input/output error", the most frequent first. */
static struct text error_words(const struct scan *scan)
{
	const char *reasons[REASONS_MAX];
	uint64_t counts[REASONS_MAX];
	unsigned kinds = 0;
	uint64_t others = scan->errors.lost;
	struct text text;

	for (size_t i = 0; i < scan->errors.count; i++) {
		const char *reason = scan_error_reason(&scan->errors.all[i]);
		unsigned kind = 0;
		while (kind < kinds && strcmp(reasons[kind], reason) != 0)
			kind++;
		if (kind == REASONS_MAX) {
			others++;
			continue;
		}
		if (kind == kinds) {
			reasons[kinds] = reason;
			counts[kinds++] = 0;
		}
		counts[kind]++;
	}
	int at = snprintf(text.s, sizeof(text.s), "%s", scan_number(scan->total.errors).s);
	for (unsigned i = 0; i < kinds; i++)
		at += snprintf(text.s + at, sizeof(text.s) - (size_t)at, "%s%s %.60s",
			       i ? ", " : ": ", scan_number(counts[i]).s, reasons[i]);
	if (others)
		snprintf(text.s + at, sizeof(text.s) - (size_t)at, ", %s others",
			 scan_number(others).s);
	return text;
}

static void sizes_text(const struct scan *scan)
{
	const struct scan_tally *total = &scan->total;

	report_row("on disk", "%s (%s bytes)", scan_bytes(total->blocks * 512).s,
		   scan_number(total->blocks * 512).s);
	report_row("apparent", "%s (%s bytes)", scan_bytes(total->bytes).s,
		   scan_number(total->bytes).s);
}

/* The file that a scan was read from; NULL: it was walked. */
static const char *file_of(const struct scan *scan, const struct scan_choice *choice)
{
	if (!scan->is_read)
		return NULL;
	return choice->import_file ? choice->import_file : choice->load_file;
}

/* How long it took, and to do what. */
static void time_text(const struct scan *scan, const struct scan_choice *choice)
{
	const char *file = file_of(scan, choice);
	struct text when = { "" };

	if (!file) {
		unsigned workers = skua_pool_workers(scan->pool);
		report_row("time", "%.3f s with %u worker%s, %s entries/s", scan->seconds, workers,
			   words_plural(workers), scan_number((uint64_t)rate_of(scan)).s);
		return;
	}
	if (scan->read_when) /* else the file does not say */
		snprintf(when.s, sizeof(when.s), "; scanned %.40s", scan_moment(scan->read_when).s);
	report_row("read", "from %s in %.3f s%s",
		   strcmp(file, "-") == 0 ? "standard input" : text_clean(file, 0).s, scan->seconds,
		   when.s);
}

void scan_summary_text(const struct scan *scan, const struct scan_choice *choice)
{
	const struct scan_tally *total = &scan->total;

	out("%s", report_paint(stdout, PAINT_TITLE));
	for (unsigned i = 0; i < scan->options.path_count; i++) {
		out("%s", i ? ", " : "");
		scan_put_path(stdout, scan->options.paths[i]);
	}
	out("%s%s\n", report_paint(stdout, PAINT_PLAIN), scan->is_partial ? " (partial)" : "");
	report_row("directories", "%s", scan_number(total->directories).s);
	report_row("files", "%s", scan_number(total->files).s);
	report_row("symlinks", "%s", scan_number(total->symlinks).s);
	report_row("others", "%s", scan_number(total->others).s);
	if (!choice->is_count)
		sizes_text(scan);
	report_row("deepest", "%s", scan_number(scan_deepest(scan)).s);
	if (total->skipped)
		report_row("left out", "%s", scan_number(total->skipped).s);
	if (total->races)
		report_row("vanished", "%s while we looked", scan_number(total->races).s);
	report_row("errors", "%s", total->errors ? error_words(scan).s : "0");
	time_text(scan, choice);
	if (scan->is_partial)
		report_text(0, "Interrupted: this is what was seen until then, not all there is.");
}

static void json_size(struct json *json, const char *key, bool is_known, uint64_t bytes)
{
	if (is_known)
		json_count(json, key, bytes);
	else
		json_null(json, key);
}

static void root_json(const struct scan_choice *choice, const struct scan_dir *root)
{
	static const char *const types[] = { [SCAN_FILE] = "file",
					     [SCAN_SYMLINK] = "symlink",
					     [SCAN_OTHER] = "other",
					     [SCAN_DIRECTORY] = "directory" };
	struct json *json = choice->json;

	/* order: relaxed, all; the walk is over */
	uint64_t bytes = atomic_load_explicit(&root->bytes, memory_order_relaxed);
	uint64_t blocks = atomic_load_explicit(&root->blocks, memory_order_relaxed);
	json_object(json, NULL);
	json_name(json, "path", root->name);
	json_text(json, "type",
		  root->has_error && root->type == SCAN_OTHER ? NULL
		  : root->type <= SCAN_DIRECTORY	      ? types[root->type]
							      : "other");
	json_count(json, "entries", scan_entries_of(root));
	json_size(json, "bytes_apparent", !choice->is_count, bytes);
	json_size(json, "bytes_disk", !choice->is_count, blocks * 512);
	json_count(json, "errors", atomic_load_explicit(&root->errors, memory_order_relaxed));
	json_close(json);
}

void scan_summary_json(const struct scan *scan, const struct scan_choice *choice)
{
	const struct scan_tally *total = &scan->total;
	struct json *json = choice->json;

	json_text(json, "schema", "skua-scan-1");
	json_count(json, "schema_version", 1);
	json_text(json, "skua_version", skua_version_text());
	json_name(json, "path", scan->options.paths[0]);
	json_array(json, "roots");
	for (unsigned i = 0; i < scan->options.path_count; i++)
		root_json(choice, scan->roots[i]);
	json_close(json);
	json_count(json, "directories", total->directories);
	json_count(json, "files", total->files);
	json_count(json, "symlinks", total->symlinks);
	json_count(json, "others", total->others);
	json_count(json, "errors", total->errors);
	json_size(json, "bytes_apparent", !choice->is_count, total->bytes);
	json_size(json, "bytes_disk", !choice->is_count, total->blocks * 512);
	json_count(json, "deepest", scan_deepest(scan));
	json_count(json, "left_out", total->skipped);
	json_count(json, "vanished", total->races);
	json_count(json, "workers", scan->pool ? skua_pool_workers(scan->pool) : 0);
	json_name(json, "read_from", file_of(scan, choice));
	if (scan->is_read && scan->read_when)
		json_signed(json, "scanned_at_s", scan->read_when);
	else
		json_null(json, "scanned_at_s");
	json_real(json, "seconds", scan->seconds);
	json_real(json, "entries_per_second", rate_of(scan));
	json_yes(json, "partial", scan->is_partial);
}

static bool is_listed(const struct scan_choice *choice)
{
	for (unsigned i = 0; i < choice->report_count; i++)
		if (choice->reports[i] == &scan_report_errors)
			return choice->limit == UINT64_MAX;
	return false;
}

void scan_tell_errors(const struct scan *scan, const struct scan_choice *choice)
{
	if (scan->errors.count && is_listed(choice)) {
		fprintf(stderr, "skua scan: %s place%s could not be read; the list says which\n",
			scan_number(scan->errors.count).s, words_plural(scan->errors.count));
		return;
	}
	for (size_t i = 0; i < scan->errors.count; i++) {
		const struct scan_error *error = &scan->errors.all[i];
		fprintf(stderr, "skua scan: %s '", scan_error_step(error));
		scan_put_path(stderr, error->path);
		fprintf(stderr, "': %s\n", scan_error_reason(error));
	}
	if (scan->errors.lost)
		fprintf(stderr,
			"skua scan: %s more errors, which there was no memory to keep; try less at "
			"a time\n",
			scan_number(scan->errors.lost).s);
}
