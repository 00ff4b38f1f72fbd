/* SPDX-License-Identifier: MIT */
/* cmd_scan.c — `skua scan`: what fills a directory tree */
#include "args.h"
#include "output.h"
#include "report.h"
#include "scan/diff_scan.h"
#include "scan/scan_command.h"
#include "scan/scan_source.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#define ROWS	  10 /* of a list that is cut, unless told otherwise */
#define TREE_ROWS 20
#define ROWS_MAX  1000000

/* Reports that are alone or lists of paths do not go with everything. */
static int check_reports(const struct call *call, const struct scan_choice *choice)
{
	for (unsigned i = 0; i < choice->report_count; i++) {
		const struct scan_report *report = choice->reports[i];
		if (report->is_alone && choice->report_count > 1)
			return args_blame(call, NULL, "leave the others out", "--%s stands alone",
					  report->name);
		if (report->is_alone && choice->is_json)
			return args_blame(call, NULL, "choose one of them",
					  "--%s and --json exclude each other", report->name);
		if (choice->is_null_ended && !report->is_paths)
			return args_blame(call, NULL,
					  "-0 goes with lists: --largest-files, --largest-dirs, "
					  "--recent, --empty-dirs, --symlinks, --errors",
					  "--%s is no list of paths", report->name);
		if (report->needs_sizes && choice->is_count)
			return args_blame(call, NULL, "leave --count out", "--%s needs sizes",
					  report->name);
	}
	if (choice->is_null_ended && choice->is_json)
		return args_blame(call, NULL, "choose one of them",
				  "-0 and --json exclude each other");
	if (choice->is_null_ended && choice->report_count == 0)
		return args_blame(call, NULL, "add one, such as --largest-files=10",
				  "-0 needs a report that is a list of paths");
	return ARGS_GO;
}

static bool asks_for(const struct scan_choice *choice, const struct scan_report *report)
{
	for (unsigned i = 0; i < choice->report_count; i++)
		if (choice->reports[i] == report)
			return true;
	return false;
}

/* What is done about duplicates needs them, and files that are there. */
static int check_duplicates(const struct call *call, const struct scan_choice *choice)
{
	bool is_acting = choice->is_hardlinking || choice->is_deduping;

	if (!asks_for(choice, &scan_report_duplicates)) {
		if (is_acting || choice->is_verifying || choice->is_applying)
			return args_blame(call, NULL, "add --duplicates",
					  "--verify, --hardlink, --dedupe and --apply go with "
					  "--duplicates");
		return ARGS_GO;
	}
	if (choice->import_file || choice->load_file)
		return args_blame(call, NULL, "name the directory itself",
				  "--duplicates must read the files, which a saved scan has not");
	if (choice->is_hardlinking && choice->is_deduping)
		return args_blame(call, NULL, "choose one of them",
				  "--hardlink and --dedupe exclude each other");
	if (choice->is_applying && !is_acting)
		return args_blame(call, NULL, "add --hardlink or --dedupe",
				  "--apply needs something to do");
	if (choice->walk.links == SCAN_LINKS_ALL)
		return args_blame(call, NULL, "leave --hard-links out",
				  "--duplicates must tell names of one file from files");
	return ARGS_GO;
}

static bool is_filtering_files(const struct filter *filter)
{
	return filter->name || filter->least_bytes || filter->newer_than != INT64_MIN ||
	       filter->older_than != INT64_MAX || filter->types;
}

/* As little as the reports need. */
static void plan_walk(const struct call *call, struct scan_choice *choice)
{
	static const char *const here[] = { "." };
	struct scan_options *walk = &choice->walk;

	walk->paths = call->operand_count ? call->operands : here;
	walk->path_count = call->operand_count ? (unsigned)call->operand_count : 1;
	walk->workers = (int)choice->workers;
	choice->filter.excludes = choice->excludes;
	if (choice->filter.exclude_count || is_filtering_files(&choice->filter))
		walk->filter = &choice->filter;
	walk->counts_only = choice->is_count && !is_filtering_files(&choice->filter);
	for (unsigned i = 0; i < choice->report_count; i++) {
		const struct scan_report *report = choice->reports[i];
		if (report->level > walk->level)
			walk->level = report->level;
		if (report->needs_du_order)
			walk->is_in_du_order = true;
	}
	du_plan(choice);
}

static int print_reports(struct scan *scan, const struct scan_choice *choice)
{
	bool is_text = !choice->json && !choice->is_null_ended;
	int worst = STATUS_DONE;

	for (unsigned i = 0; i < choice->report_count; i++) {
		const struct scan_report *report = choice->reports[i];
		if (is_text && report->title) {
			out("\n");
			report_title(report->title);
		}
		int status = report->print(scan, choice);
		worst = status > worst ? status : worst;
	}
	return worst;
}

static int print_all(struct scan *scan, struct scan_choice *choice)
{
	struct json json = { 0 };
	bool is_alone = choice->report_count && choice->reports[0]->is_alone;

	if (choice->is_json) {
		choice->json = &json;
		json_object(&json, NULL);
		scan_summary_json(scan, choice);
	} else if (!is_alone && !choice->is_null_ended) {
		scan_summary_text(scan, choice);
	}
	int status = print_reports(scan, choice);
	if (choice->is_json)
		json_close(&json);
	choice->json = NULL;
	return status;
}

static int scan_paths(struct scan_choice *choice)
{
	struct scan scan;
	bool is_interrupted;
	int status = source_open(&scan, choice, &is_interrupted);

	if (status != STATUS_DONE)
		return status;
	status = source_save(&scan, choice, print_all(&scan, choice));
	if (!choice->du.is_wanted) { /* du has its own words and rules for them */
		scan_tell_errors(&scan, choice);
		if (scan.total.errors && status == STATUS_DONE)
			status = STATUS_PARTLY;
	}
	scan_close(&scan);
	return is_interrupted ? SCAN_STATUS_INTERRUPTED : status;
}

static int scan_command(struct call *call)
{
	struct scan_choice choice = {
		.filter = { .newer_than = INT64_MIN, .older_than = INT64_MAX },
		.now = time(NULL),
		.max_depth = UINT64_MAX,
		.limit = UINT64_MAX,
		.tree_rows = TREE_ROWS,
		.largest_files = ROWS,
		.largest_dirs = ROWS,
	};

	choice.excludes = calloc((size_t)call->argc, sizeof(*choice.excludes));
	if (!choice.excludes) {
		fprintf(stderr, "skua scan: not enough memory to start\n");
		return STATUS_FAULT;
	}
	int status = args_parse(call, &choice);
	if (status == ARGS_GO)
		status = du_check(call, &choice);
	if (status == ARGS_GO)
		status = check_reports(call, &choice);
	if (status == ARGS_GO)
		status = check_duplicates(call, &choice);
	if (status == ARGS_GO) {
		plan_walk(call, &choice);
		status = source_check(call, &choice);
	}
	if (status == ARGS_GO)
		status = choice.is_diff ? diff_scans(&choice, call->operands[1], call->operands[2])
					: scan_paths(&choice);
	free((void *)choice.excludes);
	return status;
}

#define AT(field) .offset = offsetof(struct scan_choice, field)

static const struct arg_option scan_option_table[] = {
	/* reports */
	{ .name = "tree",
	  .kind = ARG_CALL,
	  .value = "N",
	  .is_optional = true,
	  .role = "the N largest parts with bars; without N 20",
	  .least = 1,
	  .most = ROWS_MAX,
	  AT(tree_rows),
	  .take = scan_take_report },
	{ .name = "largest-files",
	  .kind = ARG_CALL,
	  .value = "N",
	  .role = "the N largest files",
	  .least = 1,
	  .most = ROWS_MAX,
	  AT(largest_files),
	  .take = scan_take_report },
	{ .name = "largest-dirs",
	  .kind = ARG_CALL,
	  .value = "N",
	  .role = "the N largest directories, with all below them",
	  .least = 1,
	  .most = ROWS_MAX,
	  AT(largest_dirs),
	  .take = scan_take_report },
	{ .name = "recent",
	  .kind = ARG_CALL,
	  .value = "AGE",
	  .role = "files changed within: 90s, 1h, 7d, 1y",
	  AT(recent),
	  .take = scan_take_recent },
	{ .name = "extensions",
	  .kind = ARG_CALL,
	  .role = "files and sizes by the end of their names",
	  .take = scan_take_report },
	{ .name = "empty-dirs",
	  .kind = ARG_CALL,
	  .role = "directories with nothing in them",
	  .take = scan_take_report },
	{ .name = "symlinks",
	  .kind = ARG_CALL,
	  .role = "symbolic links, where they lead, and which are broken",
	  .take = scan_take_report },
	{ .name = "errors",
	  .kind = ARG_CALL,
	  .role = "what could not be read, and why",
	  .take = scan_take_report },
	{ .name = "stats",
	  .kind = ARG_CALL,
	  .role = "largest, newest, deepest, averages",
	  .take = scan_take_report },
	{ .name = "inodes",
	  .kind = ARG_CALL,
	  .role = "directories with the most entries",
	  .take = scan_take_report },
	{ .name = "metrics",
	  .kind = ARG_CALL,
	  .role = "what the scan took: CPU, memory, pool",
	  .take = scan_take_report },
	{ .name = "duplicates",
	  .kind = ARG_CALL,
	  .role = "files with the same contents; with it:",
	  .take = scan_take_report },
	{ .name = "verify", .role = "compare every byte, not only hashes", AT(is_verifying) },
	{ .name = "hardlink", .role = "make names of one file of them", AT(is_hardlinking) },
	{ .name = "dedupe", .role = "let them share their blocks", AT(is_deduping) },
	{ .name = "apply", .role = "do it; without this it is only told", AT(is_applying) },
	{ .name = "html",
	  .kind = ARG_CALL,
	  .value = "FILE",
	  .role = "a page with a map of it all, to FILE",
	  AT(html_file),
	  .take = scan_take_html },
	{ .name = "ndjson",
	  .kind = ARG_CALL,
	  .role = "alone: a line of JSON for each directory",
	  .take = scan_take_report },
	{ .name = "du",
	  .kind = ARG_CALL,
	  .role = "alone: what du prints, byte for byte; with it:",
	  .take = scan_take_report },
	{ .name = "all", .letter = 'a', .role = "du: files too", AT(du.is_all) },
	{ .name = "summarize", .letter = 's', .role = "du: each PATH alone", AT(du.is_summary) },
	{ .name = "bytes",
	  .letter = 'b',
	  .kind = ARG_CALL,
	  .role = "du: apparent sizes, in bytes",
	  .take = du_take_bytes },
	{ .name = "kibibytes",
	  .letter = 'k',
	  .kind = ARG_CALL,
	  .role = "du: in KiB",
	  .take = du_take_kibibytes },
	{ .name = "total",
	  .letter = 'c',
	  .role = "du: a line for all at the end",
	  AT(du.has_total) },
	{ .name = "count-links",
	  .letter = 'l',
	  .role = "du: hard links at each name",
	  AT(du.has_all_links) },
	{ .name = "time", .role = "du: when the newest changed", AT(du.has_time) },
	{ .name = "human-readable",
	  .letter = 'h',
	  .kind = ARG_CALL,
	  .role = "du: 4.0K, 1.2G; -h without --du is help",
	  .take = du_take_human },
	{ .name = "block-size",
	  .letter = 'B',
	  .kind = ARG_CALL,
	  .value = "SIZE",
	  .role = "du: in blocks of SIZE",
	  .take = du_take_block },
	{ .name = "threshold",
	  .letter = 't',
	  .kind = ARG_CALL,
	  .value = "SIZE",
	  .role = "du: only from SIZE on, or with a minus up to it",
	  .take = du_take_threshold },
	{ .name = "ncdu",
	  .kind = ARG_CALL,
	  .role = "all of it, as a file that ncdu -f opens",
	  .take = scan_take_report },
	{ .name = "folded",
	  .kind = ARG_CALL,
	  .role = "directories as stacks, for flame-graph tools",
	  .take = scan_take_report },
	/* from a file, to a file */
	{ .name = "import",
	  .letter = 'f',
	  .kind = ARG_WORD,
	  .value = "FILE",
	  .role = "no walk: read an export of ncdu -o or --ncdu; - is stdin",
	  AT(import_file) },
	{ .name = "load",
	  .kind = ARG_WORD,
	  .value = "FILE",
	  .role = "no walk: read a snapshot of --save",
	  AT(load_file) },
	{ .name = "save",
	  .kind = ARG_WORD,
	  .value = "FILE",
	  .role = "keep the scan as a snapshot, best named NAME.skua",
	  AT(save_file) },
	/* what is walked */
	{ .name = "one-file-system",
	  .letter = 'x',
	  .role = "stay on each PATH's file system",
	  AT(walk.is_one_device) },
	{ .name = "dereference",
	  .letter = 'L',
	  .role = "follow symbolic links",
	  AT(walk.is_following) },
	{ .name = "kernel", .role = "enter proc, sys and their like too", AT(walk.enters_kernel) },
	{ .name = "hard-links",
	  .kind = ARG_CALL,
	  .value = "HOW",
	  .role = "count a file with many names: once, subtree, all",
	  .take = scan_take_links },
	{ .name = "count", .role = "count only: no sizes, so faster", AT(is_count) },
	{ .name = "exclude",
	  .kind = ARG_CALL,
	  .value = "PATTERN",
	  .role = "leave out what matches, and all below it; repeatable",
	  .take = scan_take_exclude },
	{ .name = "name",
	  .kind = ARG_WORD,
	  .value = "PATTERN",
	  .role = "only files whose name matches",
	  AT(filter.name) },
	{ .name = "type",
	  .kind = ARG_CALL,
	  .value = "LIST",
	  .role = "only these: f file, l symlink, o other, d none of them",
	  .take = scan_take_types },
	{ .name = "min-size",
	  .kind = ARG_CALL,
	  .value = "SIZE",
	  .role = "only files of this apparent size and more: 10M",
	  AT(filter.least_bytes),
	  .take = scan_take_size },
	{ .name = "newer",
	  .kind = ARG_CALL,
	  .value = "AGE",
	  .role = "only files changed within: 90s, 1h, 7d, 1y",
	  AT(filter.newer_than),
	  .take = scan_take_age },
	{ .name = "older",
	  .kind = ARG_CALL,
	  .value = "AGE",
	  .role = "only files not changed within",
	  AT(filter.older_than),
	  .take = scan_take_age },
	{ .name = "workers",
	  .kind = ARG_NUMBER,
	  .value = "N",
	  .role = "threads; without it as fits the machine",
	  .least = 1,
	  .most = SKUA_WORKERS_MAX,
	  AT(workers) },
	{ .name = "trace",
	  .kind = ARG_WORD,
	  .value = "FILE",
	  .role = "what the workers do, as a trace, to FILE",
	  AT(trace_file) },
	/* how it is shown */
	{ .name = "apparent-size",
	  .role = "where one size is shown: apparent, not on disk",
	  AT(is_apparent) },
	{ .name = "max-depth",
	  .letter = 'd',
	  .kind = ARG_NUMBER,
	  .value = "N",
	  .role = "show nothing deeper; it is still counted",
	  .most = UINT32_MAX,
	  AT(max_depth) },
	{ .name = "limit",
	  .kind = ARG_NUMBER,
	  .value = "N",
	  .role = "at most so many rows of a list",
	  .least = 1,
	  .most = ROWS_MAX,
	  AT(limit) },
	{ .name = "screen-reader",
	  .role = "no bars and lines: a column for the depth",
	  AT(is_screen_reader) },
	{ .name = "null",
	  .letter = '0',
	  .role = "only the paths, each ended by a 0 byte",
	  AT(is_null_ended) },
	{ .name = "json", .role = "print JSON instead, schema skua-scan-1", AT(is_json) },
	{ .name = NULL },
};

const struct command command_scan = {
	.name = "scan",
	.role = "See what fills a directory tree, with all workers",
	.options = scan_option_table,
	.operands = "[PATH...]",
	.operands_max = INT_MAX,
	.about = "Without a PATH it is the current directory.  A PATH that is no "
		 "directory counts\n"
		 "itself.  Reports may be combined; they come in the order they "
		 "are asked for.\n"
		 "\n"
		 "Exit status: 0 done, 1 something could not be read, 2 usage, 3 "
		 "it could not be\n"
		 "done or written, 130 interrupted: the report is then partial.\n"
		 "\n"
		 "Examples:\n"
		 "  skua scan /usr                   counts and sizes\n"
		 "  skua scan -x / --tree            the largest directories and "
		 "files, with bars\n"
		 "  skua scan --largest-files=20 ~   names and sizes\n"
		 "  skua scan --save=a.skua ~        keep it, and later:\n"
		 "  skua scan diff a.skua ~          what grew since\n"
		 "\n"
		 "The manual is skua-scan(1).\n",
	.run = scan_command,
};
