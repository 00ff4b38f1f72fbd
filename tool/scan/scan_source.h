/* SPDX-License-Identifier: MIT */
/* scan_source.h — where a scan comes from, a walk or a file, and where it is kept */
#ifndef SKUAT_SCAN_SCAN_SOURCE_H
#define SKUAT_SCAN_SCAN_SOURCE_H

#include "scan/scan_command.h"

/*
 * Do --import, --load, --save and `diff` fit the rest?  Call it when the walk is planned.  ARGS_GO,
 * or STATUS_USAGE after a complaint.
 */
int source_check(const struct call *call, struct scan_choice *choice);

/* Walk or read; STATUS_DONE, or a status after a message: there is then nothing to close. */
int source_open(struct scan *scan, const struct scan_choice *choice, bool *is_interrupted);

/* Keep it where --save says; returns `status`, or STATUS_FAULT after a message. */
int source_save(const struct scan *scan, const struct scan_choice *choice, int status);

#endif
