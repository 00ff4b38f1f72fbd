/* SPDX-License-Identifier: MIT */
/* dupes.h — files with the same contents: found without reading more than is needed to tell */
#ifndef SKUAT_SCAN_DUPES_H
#define SKUAT_SCAN_DUPES_H

#include "scan/walk.h"

/* A file that may have a twin; several names of one file are one of these. */
struct dupe {
	const struct scan_dir *dir;
	const struct scan_file *file;
	struct dupe *other_name; /* the same file under another name; NULL: that is all */
	uint64_t dev, ino;	 /* 0: not known yet */
	uint64_t key[2];	 /* of what was read so far; equal where the contents are */
	bool is_out;		 /* it could not be read, or changed since the scan */
};

/* Files of one size and the same contents: dupes[first] up to first + count. */
struct dupe_group {
	size_t first, count;
	uint64_t bytes; /* of each */
};

struct dupes {
	struct scan *scan;
	struct dupe *all;
	size_t count;
	struct arena names;	   /* other names */
	struct dupe_group *groups; /* the most to be gained first */
	size_t group_count;
	uint64_t bytes_planned; /* to be read, if all differ at the end only */
	_Atomic uint64_t bytes_read;
	_Atomic uint64_t files_lost; /* not read, or changed meanwhile */
	bool is_compared;	     /* every byte was compared, not only hashed */
};

/* What stands in the way of looking for duplicates at all; NULL: nothing. */
const char *dupes_why_not(void);

/*
 * Look for them among the files of a scan that kept everything, of `least` bytes and more.  SKUA_OK
 * or SKUA_ENOMEM.  `is_compared`: compare byte by byte what the hashes call equal.
 */
int dupes_find(struct dupes *dupes, struct scan *scan, uint64_t least, bool is_compared);

void dupes_free(struct dupes *dupes);

/* --- dupes_read.c --- */

/* Open a file again, if it is still the one that was scanned; -1: it is not. */
int dupe_open(struct dupes *dupes, struct dupe *dupe);

/* Bytes [from, to) go into its key. */
void dupe_hash(struct dupes *dupes, struct dupe *dupe, uint64_t from, uint64_t to);

/* Are the contents the same, byte by byte? */
bool dupe_equals(struct dupes *dupes, struct dupe *a, struct dupe *b);

/* --- dupes_act.c --- */

enum dupe_action {
	DUPE_REPORT,
	DUPE_HARDLINK, /* make names of one file of them */
	DUPE_DEDUPE,   /* let them share their blocks: FIDEDUPERANGE */
};

struct dupe_deed {
	uint64_t files, bytes; /* changed, or would be */
	uint64_t failed;
};

/*
 * Do it, or with is_dry only count what would be done.  Each pair is compared byte by byte and
 * checked for changes right before.  Failures are told on standard error.
 */
void dupes_act(struct dupes *dupes, enum dupe_action action, bool is_dry, struct dupe_deed *deed);

#endif
