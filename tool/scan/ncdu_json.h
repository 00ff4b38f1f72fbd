/* SPDX-License-Identifier: MIT */
/* ncdu_json.h — JSON taken piece by piece from a file of any length, in bounded memory */
#ifndef SKUAT_SCAN_NCDU_JSON_H
#define SKUAT_SCAN_NCDU_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* tool/json_read.c holds a whole file; an export of millions of entries is read through this. */

#define PULL_TEXT_MOST	  65535 /* bytes of one string */
#define PULL_NESTING_MOST 64	/* of values that nobody asked for */

/*
 * What is being read.  A call that returns false has left a fault, with the place of the first byte
 * that does not fit; all calls after it return false too.
 */
struct pull {
	int fd; /* -1: all there is lies between at and end */
	const char *at, *end;
	char *buffer;
	uint64_t line, column; /* of the byte at `at`; both from 1, columns in characters */
	const char *fault;     /* NULL: none so far */
	int error;	       /* errno, when it is the file that cannot be read */
	char *text;	       /* the last string; ends in 0, but may hold others */
	size_t length;
};

bool pull_open(struct pull *pull, int fd);
bool pull_open_bytes(struct pull *pull, const char *bytes, size_t count);
void pull_close(struct pull *pull); /* not the file */

/* Note what is wrong here, unless something was already; returns false. */
bool pull_fail(struct pull *pull, const char *fault);

int pull_peek(struct pull *pull); /* the next byte that is no blank; -1: end, or a fault */
bool pull_take(struct pull *pull, char wanted, const char *fault);
bool pull_text(struct pull *pull); /* into text and length */
bool pull_number(struct pull *pull, bool *is_negative,
		 uint64_t *number); /* fractions are dropped */
bool pull_yes(struct pull *pull, bool *yes);
bool pull_skip(struct pull *pull); /* any value */

/* Bytes as they are; fewer than wanted only at the end.  Lines and columns are then not kept. */
size_t pull_bytes(struct pull *pull, void *bytes, size_t wanted);

#endif
