/* SPDX-License-Identifier: MIT */
/* diff_scan.c — `skua scan diff A B`: what changed between two scans */
#include "scan/diff_scan.h"

#include "scan/read_scan.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Walk a directory, or read a file that tells of one.  STATUS_DONE, or a status after a message. */
static int open_side(struct scan *scan, const struct scan_choice *choice, const char *name)
{
	struct scan_options options = choice->walk;
	const char *paths[] = { name };
	struct stat stat_of;

	options.level = SCAN_EVERYTHING;
	options.counts_only = false;
	options.paths = paths;
	options.path_count = 1;
	if (strcmp(name, "-") == 0 || stat(name, &stat_of) != 0 || !S_ISDIR(stat_of.st_mode))
		return read_scan(scan, &options, name, READ_ANY) ? STATUS_DONE : STATUS_FAULT;
	int error = scan_open(scan, &options);
	if (error) {
		fprintf(stderr, "skua scan: cannot start: %s; try fewer --workers\n",
			skua_strerror(error));
		return STATUS_FAULT;
	}
	bool is_interrupted = scan_run_shown(scan);
	scan->options.paths = NULL; /* they are ours, and the names are with the roots */
	scan_tell_errors(scan, choice);
	if (!is_interrupted)
		return STATUS_DONE;
	scan_close(scan); /* what was not walked would look as if it had gone */
	fprintf(stderr, "skua scan: diff: interrupted, so nothing is compared\n");
	return SCAN_STATUS_INTERRUPTED;
}

static int print_diff(struct scan scans[DIFF_SIDES], const struct scan_choice *choice,
		      const char *const names[DIFF_SIDES])
{
	struct diff diff;

	if (diff_join(&diff, &scans[DIFF_BEFORE], &scans[DIFF_AFTER])) {
		bool is_printed = choice->is_json ? diff_print_json(&diff, choice, names)
						  : diff_print_text(&diff, choice, names);
		diff_free(&diff);
		if (is_printed)
			return scans[0].total.errors || scans[1].total.errors ||
					       scans[0].is_partial || scans[1].is_partial
				       ? STATUS_PARTLY
				       : STATUS_DONE;
	}
	fprintf(stderr, "skua scan: diff: there is not enough memory to compare them\n");
	return STATUS_FAULT;
}

int diff_scans(const struct scan_choice *choice, const char *before, const char *after)
{
	const char *const names[DIFF_SIDES] = { before, after };
	struct scan scans[DIFF_SIDES];
	int status = open_side(&scans[DIFF_BEFORE], choice, before);

	if (status != STATUS_DONE)
		return status;
	status = open_side(&scans[DIFF_AFTER], choice, after);
	if (status == STATUS_DONE) {
		status = print_diff(scans, choice, names);
		scan_close(&scans[DIFF_AFTER]);
	}
	scan_close(&scans[DIFF_BEFORE]);
	return status;
}
