/* SPDX-License-Identifier: MIT */
/* read_scan.h — a scan read from a file instead of walked: a snapshot, or an export of ncdu */
#ifndef SKUAT_SCAN_READ_SCAN_H
#define SKUAT_SCAN_READ_SCAN_H

#include "scan/walk.h"

enum read_kind {
	READ_ANY, /* what its first bytes tell */
	READ_NCDU,
	READ_SNAPSHOT,
};

/* "-" is standard input.  False after a message on standard error: there is nothing to close. */
bool read_scan(struct scan *scan, const struct scan_options *options, const char *file,
	       enum read_kind kind);

/* Is it one that `skua scan PATH` reads instead of counting: NAME.skua, and a snapshot? */
bool read_is_snapshot(const char *path);

#endif
