/* SPDX-License-Identifier: MIT */
/* found.h — what becomes of one entry of a directory: counted, sized, kept, or a new directory */
#ifndef SKUAT_SCAN_FOUND_H
#define SKUAT_SCAN_FOUND_H

#include "scan/handle.h"
#include "scan/walk.h"

/* What is known of a name before it is looked at: an entry of getdents64(2). */
struct scan_name {
	const char *text; /* ends in 0 */
	uint8_t length;
	uint8_t kind; /* DT_REG ...; DT_UNKNOWN: only a stat tells */
	uint32_t position;
	uint64_t ino; /* of what was there before something was mounted on it */
};

/* One directory, or a block of its names, in the hands of one worker. */
struct finding {
	struct scan *scan;
	struct scan_worker *worker;
	struct scan_dir *dir;
	int fd;
	struct scan_chunk *chunk; /* the one being filled; NULL: none */
	uint32_t expected;	  /* position of a file that follows its last without a gap */
	struct scan_sums sums;	  /* what was found so far; not in dir yet */
	struct scan_dir *children;
	uint32_t child_count;
};

/* A directory below finding->dir: it joins the children. */
void found_dir(struct finding *finding, const struct scan_name *name);

/* Anything else; a name of unknown kind that turns out a directory is not meant for us. */
void found_file(struct finding *finding, const struct scan_name *name);

/* finding->dir is an operand that is no directory. */
void found_root_file(struct finding *finding, const struct stat *stat);

/* A name that a filter keeps out: a mark where everything is kept. */
void found_skipped(struct finding *finding, const struct scan_name *name, enum scan_type why);

/* Is the directory one of those above it?  That is an error, and noted. */
bool found_is_loop(struct finding *finding, const struct stat *stat);

/* Is it a directory?  Asks the system where the entry does not tell. */
bool found_is_dir(struct finding *finding, const struct scan_name *name);

/* Put the sums where they belong: into the directory and the worker's tally. */
void found_end(struct finding *finding);

/* Remember that a step failed, at a name of the directory or, with NULL, at the directory. */
void found_error(struct finding *finding, enum scan_step step, const struct scan_name *name,
		 int number);

/* Add to what is below a directory; the reader, blocks and children do so in any order. */
void found_add(struct scan_dir *dir, const struct scan_sums *sums);

/* Add to a count that others may read meanwhile. */
void found_count(uint64_t *count, uint64_t more);

#endif
