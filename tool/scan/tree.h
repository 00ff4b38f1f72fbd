/* SPDX-License-Identifier: MIT */
/* tree.h — what a walk has found: directories with their sums, and files where they are wanted */
#ifndef SKUAT_SCAN_TREE_H
#define SKUAT_SCAN_TREE_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum scan_type {
	SCAN_FILE, /* a regular one */
	SCAN_SYMLINK,
	SCAN_OTHER,	  /* fifo, socket, device */
	SCAN_DIRECTORY,	  /* of a root that is none: never */
	SCAN_SKIP_NAME,	  /* kept out by a filter; a mark without a size */
	SCAN_SKIP_DEVICE, /* on another file system */
	SCAN_SKIP_KERNEL, /* a file system that the kernel makes up, such as proc */
	SCAN_SKIP_MET,	  /* met before, in another operand or through a link; or gone */
	SCAN_SKIP_OTHER,  /* only in a tree that was read from a file: a firmlink of macOS */
};

#define SCAN_NO_TIME INT64_MIN /* an mtime that is not known: the file that was read has none */

/*
 * A file of a tree that keeps them, 24 bytes and the name.  Those of one directory follow each
 * other in chunks, in the order in which they were read.
 */
struct scan_file {
	uint64_t bytes;
	int64_t mtime; /* seconds */
	uint32_t blocks_low;
	uint8_t blocks_high; /* of 512 bytes: 40 bits are half a petabyte */
	uint8_t type;	     /* enum scan_type */
	uint8_t flags;	     /* SCAN_LINKED ... */
	uint8_t name_length; /* at most 255 */
	char name[];	     /* ends in 0 */
} __attribute__((packed));   /* gaps between them would cost 1.5 bytes a file */
static_assert(sizeof(struct scan_file) == 24, "a million files: 24 MB and their names");

#define SCAN_LINKED   1 /* it has other names: links.c charges its size */
#define SCAN_UNKNOWN  2 /* it could not be looked at: no size, no time */
#define SCAN_REPEATED 4 /* charged at another of its names */
#define SCAN_GAP_STEP 8 /* the rest of the flags: names between the file before and this one */
#define SCAN_GAP_MOST 31

/* Files of a directory, one after the other; what lies between them is directories, mostly. */
struct scan_chunk {
	struct scan_chunk *next;
	uint32_t position; /* of the first file among all entries of the directory */
	uint32_t bytes;	   /* of the files that follow */
	_Alignas(8) char files[];
};

/* Sums of a directory and all below it.  Sizes of files with several names are added by links.c. */
struct scan_sums {
	uint64_t bytes, blocks; /* apparent; of 512 bytes on disk */
	int64_t newest;		/* mtime, seconds */
	uint64_t files, symlinks, others, directories;
	uint64_t errors;
};

/*
 * A directory.  While the walk goes on, whoever reads it makes its children, and whoever brings
 * `pending` to zero adds its sums to its parent's: see walk.c.  After it nothing changes.
 */
struct scan_dir {
	struct scan_dir *parent; /* NULL: a root */
	struct scan_dir *child;	 /* the first; by name, once the walk is over */
	struct scan_dir *next;	 /* of the same parent */
	_Atomic(struct scan_chunk *) chunks;
	struct scan_handle *handle; /* walk.h: while it is being read or has unopened children */
	uint64_t ino;
	uint64_t own_bytes, own_blocks; /* of the directory itself */
	int64_t mtime;
	_Atomic uint64_t bytes, blocks;
	_Atomic int64_t newest;
	_Atomic uint32_t files, symlinks, others, directories, errors; /* all below it */
	_Atomic uint32_t pending; /* children, blocks and the reading itself that are not done */
	uint32_t dev;		  /* all that Linux has */
	uint32_t depth;		  /* of a root: 0 */
	uint32_t position;	  /* among all entries of its parent, as they were read */
	uint16_t name_length;
	uint8_t type; /* SCAN_DIRECTORY; a root may be something else; SCAN_SKIP_...: not entered */
	bool has_error; /* it, or some of it, could not be read */
	char name[];	/* ends in 0; of a root: the operand as it was given */
};
static_assert(offsetof(struct scan_dir, name) == 136, "60 bytes an entry with 10 files in each");

static inline uint64_t scan_file_blocks(const struct scan_file *file)
{
	return (uint64_t)file->blocks_high << 32 | file->blocks_low;
}

/* Bytes that a file takes in its chunk. */
static inline size_t scan_file_size(size_t name_length)
{
	return sizeof(struct scan_file) + name_length + 1;
}

/* The files of a directory, in the order in which they were read: for (f = first; f; f = next). */
struct scan_files {
	const struct scan_chunk *chunk;
	uint32_t offset;   /* of the next one */
	uint32_t position; /* of the one that was given last, among all entries of its directory */
};

const struct scan_file *scan_files_first(struct scan_files *files, const struct scan_dir *dir);
const struct scan_file *scan_files_next(struct scan_files *files);

/*
 * The next directory after `dir` in the tree below `root`, parents before children; NULL: that was
 * the last.  Start with root itself.  No recursion: trees are thousands of levels deep.
 */
struct scan_dir *scan_dir_next(const struct scan_dir *dir, const struct scan_dir *root);

/* The same with children before parents; start with scan_dir_deepest(root), ends after root. */
struct scan_dir *scan_dir_deepest(struct scan_dir *root);
struct scan_dir *scan_dir_next_up(struct scan_dir *dir, const struct scan_dir *root);

/* "operand/a/b", or with a name "operand/a/b/name"; to be freed.  NULL: there is no memory. */
char *scan_path(const struct scan_dir *dir, const char *name);

/* Chunks into the order of reading, children into that of their names, or of reading. */
enum scan_order {
	SCAN_BY_NAME,
	SCAN_BY_POSITION
};
void scan_sort(struct scan_dir *root, enum scan_order order);

#endif
