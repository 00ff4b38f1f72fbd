/* SPDX-License-Identifier: MIT */
/* ncdu_file.h — ncdu's export files: written from a scan, and read as if they were one */
#ifndef SKUAT_SCAN_NCDU_FILE_H
#define SKUAT_SCAN_NCDU_FILE_H

#include "scan/ncdu_json.h"
#include "scan/walk.h"

/*
 * The tree of an export.  NULL, or what is wrong; pull then tells where, and the scan is to be
 * closed all the same.  Sizes on disk are kept in units of 512 bytes.
 */
const char *ncdu_read(struct scan *scan, const struct scan_options *options, struct pull *pull);

/* To standard output; false: there was no memory, and what is written is not whole. */
bool ncdu_write(const struct scan_dir *root, const struct scan *scan, const char *root_name);

#endif
