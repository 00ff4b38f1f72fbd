/* SPDX-License-Identifier: MIT */
/* scan_show.c — a scan of a real tree, for the tour */
#include "tour/scan_show.h"

#include "report.h"
#include "scan/scan_command.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define PLACE "/usr"

void scan_show(void)
{
	static const char *const paths[] = { PLACE };
	struct scan_options options = { .paths = paths, .path_count = 1 };
	struct scan scan;

	if (access(PLACE, R_OK | X_OK) != 0) {
		report_text(0, "No scan: " PLACE " cannot be read: %s.", strerror(errno));
		return;
	}
	int error = scan_open(&scan, &options);
	if (error) {
		report_text(0, "No scan of " PLACE ": %s.", skua_strerror(error));
		return;
	}
	scan_run(&scan);
	report_text(0, "A scan of " PLACE ": %s files, %s directories, %s in %.2f s.",
		    scan_number(scan.total.files + scan.total.symlinks + scan.total.others).s,
		    scan_number(scan.total.directories).s, scan_bytes(scan.total.blocks * 512).s,
		    scan.seconds);
	scan_close(&scan);
}
