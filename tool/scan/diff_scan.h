/* SPDX-License-Identifier: MIT */
/* diff_scan.h — `skua scan diff A B`: what changed between two scans */
#ifndef SKUAT_SCAN_DIFF_SCAN_H
#define SKUAT_SCAN_DIFF_SCAN_H

#include "scan/diff_join.h"
#include "scan/scan_command.h"

/* A and B are directories, snapshots or exports of ncdu; returns an exit status. */
int diff_scans(const struct scan_choice *choice, const char *before, const char *after);

/* What diff_scans prints: as text the largest changes as a tree, or JSON.  False: no memory. */
bool diff_print_text(const struct diff *diff, const struct scan_choice *choice,
		     const char *const names[DIFF_SIDES]);
bool diff_print_json(const struct diff *diff, const struct scan_choice *choice,
		     const char *const names[DIFF_SIDES]);

#endif
