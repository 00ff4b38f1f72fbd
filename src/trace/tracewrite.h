/* SPDX-License-Identifier: MIT */
/* tracewrite.h — a trace is written to a file: whole or not at all, over nobody else's */
#ifndef SKUAI_TRACE_TRACEWRITE_H
#define SKUAI_TRACE_TRACEWRITE_H

#include "trace/evring.h"

#include <stdbool.h>

#define SKUAI_TRACE_PATH_ROOM 4096

/* One ring to be written. */
struct skuai_trace_part {
	struct skuai_evring *ring;
	uint64_t first;	 /* number of the first event that counts */
	uint32_t number; /* in the file */
};

struct skuai_trace_source {
	/* Magic, version and size are filled in; the times are what is written. */
	struct skuai_trace_header header;
	uint64_t from_ticks; /* events before are left out, and those after header.end_ticks */
	const char *facts;   /* lines of key=value */
	const struct skuai_trace_part *parts;
	unsigned part_count;
};

/* What stood at a path at some moment. */
struct skuai_trace_before {
	bool is_known; /* looked at: what changed since is somebody else's */
	bool is_there;
	uint64_t device, inode, bytes;
	int64_t changed_ns;
};
void skuai_trace_look(const char *path, struct skuai_trace_before *before);

/* The errno with which writing there is sure to fail as things stand; 0: none is foreseen. */
int skuai_trace_refusal(const char *path);

/* What came of it. */
struct skuai_trace_told {
	uint64_t records, dropped;
	char path[SKUAI_TRACE_PATH_ROOM + 32]; /* where it is, or was to be */
	int system_error; /* errno of what failed, 0: nothing or not the system */
};

/*
 * Write it to a file beside the path, and when that is whole, give it the path's name.  A file that
 * another process put there since *before was looked at stays; ours is then called path.PID.  What
 * is no regular file (a terminal, a pipe somebody reads) is written to as it is.
 * SKUA_OK or a code.
 */
int skuai_trace_write_file(const struct skuai_trace_source *source, const char *path,
			   const struct skuai_trace_before *before, struct skuai_trace_told *told);

/* A moment by both clocks, as close as they can be read. */
void skuai_trace_moment(int64_t *ns, uint64_t *ticks);

#endif
