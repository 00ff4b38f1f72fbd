/* SPDX-License-Identifier: MIT */
/* dupes.h — files with the same contents: found without reading more than is needed to tell */
#ifndef SKUAT_SCAN_DUPES_H
#define SKUAT_SCAN_DUPES_H

#include "scan/walk.h"

/* A file that may have a twin; several names of one file are one of these. */
struct dupe {
	const struct scan_dir *dir;   /* where it is; itself, if it is an operand */
	const struct scan_file *file; /* NULL: an operand */
	uint64_t bytes;
	int64_t mtime;
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

/* Start with { .scan = ... }. */
struct dupes {
	struct scan *scan;
	struct dupe *all;
	size_t count;
	struct arena names;	   /* other names */
	struct dupe_group *groups; /* the most to be gained first */
	size_t group_count;
	/* for who looks meanwhile: what is read if all differ at the end only, and what was */
	_Atomic uint64_t bytes_planned, bytes_read;
	_Atomic uint64_t files_lost; /* not read, or changed meanwhile */
	bool is_compared;	     /* every byte was compared, not only hashed */
};

/* What stands in the way of looking for duplicates at all; NULL: nothing. */
const char *dupes_why_not(void);

/*
 * Look for them among the files of a scan that kept everything, of `least` bytes and more.  SKUA_OK
 * or SKUA_ENOMEM; SKUA_ECANCELED after scan_stop: half of a search says nothing.  `is_compared`:
 * compare byte by byte what the hashes call equal.  To be freed in any case.
 */
int dupes_find(struct dupes *dupes, uint64_t least, bool is_compared);

static inline bool dupes_is_stopped(const struct dupes *dupes)
{
	/* order: relaxed; when it is seen does not matter */
	return atomic_load_explicit(&dupes->scan->is_stopped, memory_order_relaxed);
}

/* Of this name; to be freed.  NULL: there is no memory. */
char *dupe_path(const struct dupe *dupe);

void dupes_free(struct dupes *dupes);

/* --- dupes_read.c --- */

/* Open a file again, if it is still the one that was scanned; -1 with errno, ESTALE: it is not. */
int dupe_open(struct dupes *dupes, struct dupe *dupe);

/* The same where the directory that it is in is open. */
int dupe_open_in(struct dupes *dupes, struct dupe *dupe, int folder, const char *name);

/* Bytes [from, to) go into its key. */
void dupe_hash(struct dupes *dupes, struct dupe *dupe, uint64_t from, uint64_t to);

/* Are the contents the same, byte by byte?  Of two open files, their first `bytes`. */
bool dupe_equals(struct dupes *dupes, struct dupe *a, struct dupe *b);
bool dupe_same_bytes(int one, int two, uint64_t bytes);

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
 * checked for changes right before.  Failures are told on standard error.  After scan_stop the rest
 * is left as it is.
 */
void dupes_act(struct dupes *dupes, enum dupe_action action, bool is_dry, struct dupe_deed *deed);

#endif
