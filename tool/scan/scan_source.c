/* SPDX-License-Identifier: MIT */
/* scan_source.c — where a scan comes from, a walk or a file, and where it is kept */
#include "scan/scan_source.h"

#include "args.h"
#include "scan/read_scan.h"
#include "scan/snapshot.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRACE_VARIABLE "SKUA_TRACE" /* a pool that is opened then writes what its workers do */

/* `diff A B` is the comparison; any other "diff" is a path, which should then be there. */
static int check_diff(const struct call *call, struct scan_choice *choice)
{
	if (call->operand_count == 0 || strcmp(call->operands[0], "diff") != 0)
		return ARGS_GO;
	choice->is_diff = call->operand_count == 3;
	if (!choice->is_diff && access("diff", F_OK) == 0)
		return ARGS_GO;
	if (!choice->is_diff)
		return args_blame(call, NULL, "as in: skua scan diff before.skua after.skua",
				  "diff compares two scans: directories, snapshots or exports");
	if (choice->report_count || choice->is_null_ended || choice->import_file ||
	    choice->load_file || choice->save_file || choice->trace_file)
		return args_blame(call, NULL,
				  "only --json, --limit, --max-depth, --apparent-size "
				  "and what tells the walk go with it",
				  "diff has one report");
	return ARGS_GO;
}

/* Who writes `--html docs/` means docs/ to be scanned, and named no file. */
static int check_folder(const struct call *call, const char *option, const char *file,
			const char *example)
{
	struct stat status;
	char hint[200];

	if (stat(file, &status) != 0 || !S_ISDIR(status.st_mode))
		return ARGS_GO;
	snprintf(hint, sizeof(hint), "%s names the file to write, a PATH what to scan: %s=%s %.80s",
		 option, option, example, text_clean(file, 60).s);
	return args_blame(call, file, hint, "%s cannot write to %s: it is a directory", option,
			  text_clean(file, 60).s);
}

/* What would only be found out after the walk: an empty name, a directory. */
static int check_names(const struct call *call, const struct scan_choice *choice)
{
	const struct {
		const char *option, *file, *hint;
	} names[] = { { "--trace", choice->trace_file, "as in: --trace=scan.trace" },
		      { "--save", choice->save_file, "as in: --save=today.skua" },
		      { "--html", choice->html_file, "as in: --html=page.html" },
		      { "--load", choice->load_file, "as in: --load=today.skua" },
		      { "--import", choice->import_file, "as in: --import=export.json" } };

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].file && !*names[i].file)
			return args_blame(call, names[i].file, names[i].hint,
					  "%s needs the name of a file", names[i].option);
	int status = ARGS_GO;
	if (choice->html_file)
		status = check_folder(call, "--html", choice->html_file, "page.html");
	if (status == ARGS_GO && choice->save_file)
		status = check_folder(call, "--save", choice->save_file, "today.skua");
	return status;
}

int source_check(const struct call *call, struct scan_choice *choice)
{
	int status = check_names(call, choice);
	const char *file = choice->import_file ? choice->import_file : choice->load_file;

	if (status == ARGS_GO)
		status = check_diff(call, choice);
	if (status != ARGS_GO || choice->is_diff)
		return status;
	if (choice->import_file && choice->load_file)
		return args_blame(call, choice->load_file, "choose one of them",
				  "--import and --load exclude each other");
	if (file && call->operand_count)
		return args_blame(call, call->operands[0], "leave the PATH out",
				  "a scan that is read from a file needs no PATH");
	if (!file && call->operand_count == 1 && !choice->du.is_wanted &&
	    read_is_snapshot(call->operands[0])) /* to du it is a file like others */
		file = choice->load_file = call->operands[0];
	if (file && choice->walk.filter)
		return args_blame(call, NULL,
				  "leave out --exclude, --name, --type, --min-size, "
				  "--newer and --older",
				  "a scan that is read from a file is taken whole");
	if (choice->trace_file && file)
		return args_blame(call, choice->trace_file, "leave --trace out",
				  "a scan that is read from a file has no workers to trace");
	if (choice->save_file && choice->is_count)
		return args_blame(call, NULL, "leave --count out", "--save needs sizes");
	if (choice->save_file)
		choice->walk.level = SCAN_EVERYTHING;
	return ARGS_GO;
}

int source_open(struct scan *scan, const struct scan_choice *choice, bool *is_interrupted)
{
	const char *file = choice->import_file ? choice->import_file : choice->load_file;

	*is_interrupted = false;
	if (file)
		return read_scan(scan, &choice->walk, file,
				 choice->import_file ? READ_NCDU : READ_SNAPSHOT)
			       ? STATUS_DONE
			       : STATUS_FAULT;
	if (choice->trace_file && setenv(TRACE_VARIABLE, choice->trace_file, 1) != 0) {
		fprintf(stderr, "skua scan: --trace: not enough memory for the name\n");
		return STATUS_FAULT;
	}
	int error = scan_open(scan, &choice->walk);
	if (error) {
		fprintf(stderr, "skua scan: cannot start: %s; try fewer --workers\n",
			skua_strerror(error));
		return STATUS_FAULT;
	}
	*is_interrupted = scan_run_shown(scan);
	return STATUS_DONE;
}

int source_save(const struct scan *scan, const struct scan_choice *choice, int status)
{
	int error = choice->save_file ? snapshot_write(scan, choice->save_file) : 0;

	if (!error)
		return status;
	fprintf(stderr, "skua scan: --save: cannot write ");
	scan_put_path(stderr, choice->save_file);
	fprintf(stderr, ": %s\n", strerror(error));
	return STATUS_FAULT;
}
