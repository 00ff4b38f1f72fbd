/* SPDX-License-Identifier: MIT */
/* dupes_read.c — reading files for their keys: in leaves, several at a time where one is large */
#include "scan/dupes.h"
#include "scan/handle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if __has_include(<xxhash.h>)
#define XXH_INLINE_ALL
#include <xxhash.h>
#define HAS_HASH 1
#else
#define HAS_HASH 0
#endif

#define LEAF	((uint64_t)16 << 20) /* what one task hashes; keys depend on it */
#define AT_ONCE ((size_t)256 * 1024)

const char *dupes_why_not(void)
{
	return HAS_HASH ? NULL : "skua was built without xxhash.h (Debian: libxxhash-dev)";
}

char *dupe_path(const struct dupe *dupe)
{
	return scan_path(dupe->dir, dupe->file ? dupe->file->name : NULL);
}

static int open_at(const struct scan *scan, int at, const char *name)
{
	int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK |
		    (scan->options.is_following ? 0 : O_NOFOLLOW);
	int fd = openat(at, name, flags | O_NOATIME);

	return fd < 0 && errno == EPERM ? openat(at, name, flags) : fd;
}

/* By its path: one call, and what is read is only compared.  It may be too long for the system. */
static int open_file(const struct scan *scan, const struct dupe *dupe)
{
	char *path = dupe_path(dupe);

	if (!path) {
		errno = ENOMEM;
		return -1;
	}
	int fd = open_at(scan, AT_FDCWD, path);
	if (fd < 0 && errno == ENAMETOOLONG && dupe->file) {
		int folder = handle_reach(scan, dupe->dir);
		if (folder >= 0) {
			fd = open_at(scan, folder, dupe->file->name);
			close(folder);
		}
	}
	free(path);
	return fd;
}

/* Is what was opened still what was scanned?  The descriptor, or -1. */
static int check_open(struct dupes *dupes, struct dupe *dupe, int fd)
{
	int error = errno;
	struct stat stat;

	if (fd >= 0 && fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) &&
	    (uint64_t)stat.st_size == dupe->bytes && stat.st_mtime == dupe->mtime) {
		dupe->dev = stat.st_dev;
		dupe->ino = stat.st_ino;
		return fd;
	}
	if (fd >= 0) {
		close(fd);
		error = ESTALE;
	}
	dupe->is_out = true;
	/* order: relaxed, a count */
	atomic_fetch_add_explicit(&dupes->files_lost, 1, memory_order_relaxed);
	errno = error;
	return -1;
}

int dupe_open(struct dupes *dupes, struct dupe *dupe)
{
	return check_open(dupes, dupe, open_file(dupes->scan, dupe));
}

int dupe_open_in(struct dupes *dupes, struct dupe *dupe, int folder, const char *name)
{
	return check_open(dupes, dupe, open_at(dupes->scan, folder, name));
}

/* All of [from, from + bytes); false: it ended before, or could not be read. */
static bool read_all(int fd, char *into, size_t bytes, uint64_t from)
{
	while (bytes > 0) {
		ssize_t got = pread(fd, into, bytes, (off_t)from);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		into += got;
		from += (uint64_t)got;
		bytes -= (size_t)got;
	}
	return true;
}

#if HAS_HASH

struct leaf_key {
	uint64_t half[2];
};

/* One part of a file, of LEAF bytes at most. */
struct leaves {
	struct dupes *dupes;
	int fd;
	uint64_t from, to;
	struct leaf_key *keys;
	_Atomic bool has_failed;
};

static bool hash_leaf(struct leaves *leaves, uint64_t index)
{
	uint64_t from = leaves->from + index * LEAF;
	uint64_t to = leaves->to - from < LEAF ? leaves->to : from + LEAF;
	char *buffer = malloc(to - from < AT_ONCE ? (size_t)(to - from) : AT_ONCE);
	XXH3_state_t *state = XXH3_createState();
	bool is_good = buffer && state && XXH3_128bits_reset(state) == XXH_OK;

	for (uint64_t at = from; is_good && at < to;) {
		size_t bytes = to - at < AT_ONCE ? (size_t)(to - at) : AT_ONCE;
		is_good = !dupes_is_stopped(leaves->dupes) &&
			  read_all(leaves->fd, buffer, bytes, at);
		if (is_good)
			XXH3_128bits_update(state, buffer, bytes);
		at += bytes;
	}
	if (is_good) {
		XXH128_hash_t hash = XXH3_128bits_digest(state);
		leaves->keys[index] = (struct leaf_key){ { hash.high64, hash.low64 } };
		/* order: relaxed, a count */
		atomic_fetch_add_explicit(&leaves->dupes->bytes_read, to - from,
					  memory_order_relaxed);
	}
	XXH3_freeState(state);
	free(buffer);
	return is_good;
}

static int hash_leaves(struct skua_slot *here, uint64_t lo, uint64_t hi, void *argument)
{
	struct leaves *leaves = argument;

	(void)here;
	for (uint64_t i = lo; i < hi; i++)
		if (!hash_leaf(leaves, i))
			/* order: relaxed; read after the loop */
			atomic_store_explicit(&leaves->has_failed, true, memory_order_relaxed);
	return 0;
}

void dupe_hash(struct dupes *dupes, struct dupe *dupe, uint64_t from, uint64_t to)
{
	const struct skua_loop_options one = { .size = sizeof(one), .grain = 1 };
	uint64_t count = (to - from + LEAF - 1) / LEAF;
	struct leaf_key few[2], *keys = few + 1;

	if (dupe->is_out || dupes_is_stopped(dupes))
		return;
	int fd = dupe_open(dupes, dupe);
	if (fd < 0)
		return;
	if (count > 1)
		keys = calloc(count + 1, sizeof(*keys));
	if (count > 1 && keys)
		keys++;
	struct leaves leaves = { .dupes = dupes, .fd = fd, .from = from, .to = to, .keys = keys };
	bool is_good = keys;
	if (keys && count == 1)
		is_good = hash_leaf(&leaves, 0);
	else if (keys)
		skua_for(dupes->scan->pool, 0, count, hash_leaves, &leaves, &one);
	/* order: relaxed; the loop is over */
	if (is_good && !atomic_load_explicit(&leaves.has_failed, memory_order_relaxed)) {
		keys[-1] = (struct leaf_key){ { dupe->key[0], dupe->key[1] } };
		XXH128_hash_t hash = XXH3_128bits(keys - 1, (count + 1) * sizeof(*keys));
		dupe->key[0] = hash.high64;
		dupe->key[1] = hash.low64;
	} else {
		dupe->is_out = true;
		/* order: relaxed, a count */
		atomic_fetch_add_explicit(&dupes->files_lost, 1, memory_order_relaxed);
	}
	if (keys && keys != few + 1)
		free(keys - 1);
	close(fd);
}

#else

void dupe_hash(struct dupes *dupes, struct dupe *dupe, uint64_t from, uint64_t to)
{
	(void)dupes;
	(void)from;
	(void)to;
	dupe->is_out = true; /* dupes_why_not says why nobody should come here */
}

#endif

bool dupe_same_bytes(int one, int two, uint64_t bytes)
{
	char *buffer = malloc(2 * AT_ONCE);
	bool is_equal = buffer;

	for (uint64_t at = 0; is_equal && at < bytes;) {
		size_t some = bytes - at < AT_ONCE ? (size_t)(bytes - at) : AT_ONCE;
		is_equal = read_all(one, buffer, some, at) &&
			   read_all(two, buffer + AT_ONCE, some, at) &&
			   memcmp(buffer, buffer + AT_ONCE, some) == 0;
		at += some;
	}
	free(buffer);
	return is_equal;
}

bool dupe_equals(struct dupes *dupes, struct dupe *a, struct dupe *b)
{
	int one = dupe_open(dupes, a), two = dupe_open(dupes, b);
	bool is_equal = one >= 0 && two >= 0 && dupe_same_bytes(one, two, a->bytes);

	if (one >= 0)
		close(one);
	if (two >= 0)
		close(two);
	return is_equal;
}

void dupes_free(struct dupes *dupes)
{
	arena_free(&dupes->names);
	free(dupes->all);
	free(dupes->groups);
	*dupes = (struct dupes){ 0 };
}
