/* SPDX-License-Identifier: MIT */
/* output.h — standard output that cannot fail unnoticed */
#ifndef SKUAT_OUTPUT_H
#define SKUAT_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

/*
 * Call before anything is opened.  A closed descriptor 0, 1 or 2 is filled with one that refuses
 * reads and writes; else the next file to be opened would land there and be read or written to.
 */
void output_start(void);

/* Write to standard output; the first failure is remembered. */
__attribute__((format(printf, 1, 2))) void out(const char *format, ...);
void out_bytes(const char *bytes, size_t count);

/* From now on `out` goes there instead, and its failures are the caller's; NULL: as before. */
void out_divert(FILE *to);

/* Flush and close; returns status, or STATUS_FAULT after a message when a write failed. */
int output_finish(const char *command, int status);

#endif
