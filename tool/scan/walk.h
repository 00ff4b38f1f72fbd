/* SPDX-License-Identifier: MIT */
/* walk.h — the walk through directory trees: what is asked of it, and what it gives */
#ifndef SKUAT_SCAN_WALK_H
#define SKUAT_SCAN_WALK_H

#include "scan/arena.h"
#include "scan/du_order.h"
#include "scan/scan_workers.h"
#include "scan/spot.h"
#include "scan/tree.h"

#include <skua/skua.h>
#include <sys/stat.h>

/* How much is kept of what was found. */
enum scan_level {
	SCAN_TOTALS,	  /* sums only: memory does not grow with the tree */
	SCAN_DIRECTORIES, /* about 150 bytes a directory */
	SCAN_EVERYTHING,  /* and 24 bytes and the name for each file */
};

/* What a file with several names adds to the sums. */
enum scan_links {
	SCAN_LINKS_ONCE,    /* where du would meet it first */
	SCAN_LINKS_SUBTREE, /* once in each directory that has it, at whatever depth: ncdu's rule */
	SCAN_LINKS_ALL,	    /* at each name */
};

struct filter; /* filter.h */

struct scan_options {
	const char *const *paths;
	unsigned path_count;
	enum scan_level level;
	enum scan_links links;
	int workers;	     /* 0: as fits the machine */
	bool counts_only;    /* no sizes and times: saves a system call for each file */
	bool is_one_device;  /* stay on the operand's file system */
	bool is_following;   /* symbolic links too */
	bool enters_kernel;  /* proc, sys and their like too; an operand is always entered */
	bool is_in_du_order; /* positions are du's in large directories too; ONCE sets it */
	bool is_like_du;     /* a link that leads nowhere is an error where links are followed */
	const struct filter *filter; /* NULL: everything counts */
};

/* What the walk did not get at. */
enum scan_step {
	SCAN_STEP_OPEN,
	SCAN_STEP_READ,
	SCAN_STEP_STAT,
	SCAN_STEP_MEMORY,
	SCAN_STEP_LOOP
};

struct scan_error {
	char *path;
	enum scan_step step;
	int number; /* errno; 0: a link that leads nowhere, where du's rules are asked for */
	/* Where it is among the entries of dir; NULL: not known, at level totals. */
	const struct scan_dir *dir;
	uint32_t position;
};

struct scan_errors {
	struct scan_error *all;
	size_t count, room;
	uint64_t lost; /* for want of memory */
};

/* One name of a file that has several. */
struct scan_link {
	uint64_t dev, ino;
	struct scan_dir *dir;
	uint64_t bytes, blocks;
	int64_t mtime;
	const struct scan_file *file; /* only where everything is kept */
	uint32_t position;
	uint32_t nlink; /* names it has, here and elsewhere; 1: it may be met twice all the same */
};

struct scan_link_list {
	struct scan_link *all;
	size_t count, room;
};

/* Counts of the whole scan. */
struct scan_tally {
	uint64_t directories, files, symlinks, others, skipped;
	uint64_t errors; /* places that could not be read */
	uint64_t races;	 /* entries that went or changed while we looked */
	uint64_t bytes, blocks;
};

#define SCAN_BUFFER ((size_t)64 * 1024) /* of getdents; more did not help on tmpfs and ext4 */

/* What one worker has of its own; nobody else writes it. */
struct scan_worker {
	_Alignas(128) struct scan_tally tally; /* others may read it meanwhile: see scan_look */
	struct arena dirs, files;
	struct scan_errors errors;
	struct scan_link_list links;
	char *buffer;	       /* of getdents */
	struct du_batch batch; /* the same where du's order is wanted */
	uint32_t deepest;      /* directory that it read */
};

struct scan {
	struct scan_options options;
	struct skua_pool *pool;
	unsigned places;
	enum workers_rule workers_rule; /* why there are so many */
	struct scan_worker *workers;	/* one for each place of the pool, and one for us */
	struct scan_dir **roots;	/* one for each path, in their order */
	struct link_set *seen;		/* links.h: what was met, where that matters */
	unsigned root_next;		/* the operand that is walked after this one */
	struct skua_future done;
	_Atomic uint32_t blocks_out; /* handed over and not done */
	_Atomic bool is_stopped;
	struct spot spot;   /* for who shows how far it is */
	bool is_partial;    /* it was stopped: what is told is not all */
	bool remembers_all; /* a file or directory may be met twice even with one name */
	bool knows_noatime;
	int fd_most; /* a directory with a higher descriptor is closed early */
	struct scan_tally total;
	struct scan_errors errors; /* by path */
	int64_t started_ns;
	double seconds;
	size_t memory; /* bytes that hold the tree */
	bool is_read;  /* from a file that tells of another scan: nothing of it need exist here */
	int64_t read_when; /* when that scan was made, seconds since 1970 */
};

/*
 * Open a scan: check the paths, start the workers.  SKUA_OK, or an error of skua_pool_open; the
 * scan is then closed.  A path that does not exist becomes an error of the scan.
 */
int scan_open(struct scan *scan, const struct scan_options *options);

/* Walk.  Returns after everything was seen, or scan_stop.  Once. */
void scan_run(struct scan *scan);

/* The same in two steps, so that the caller can show how far it is. */
void scan_start(struct scan *scan);
bool scan_wait(struct scan *scan, int64_t deadline); /* false: not done at the deadline */
void scan_look(const struct scan *scan, struct scan_tally *tally); /* about, while it runs */

/* Stop soon; from anywhere, also from a signal handler. */
void scan_stop(struct scan *scan);

void scan_close(struct scan *scan);

#endif
