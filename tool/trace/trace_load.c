/* SPDX-License-Identifier: MIT */
/* trace_load.c — a trace read from a file or a pipe, and what is said when that fails */
#include "text.h"
#include "trace/trace_read.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_BYTES ((size_t)1 << 16)

/* Half of the machine's memory: a pipe may never end. */
static size_t most_bytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

	if (pages <= 0 || page_bytes <= 0 || (uint64_t)pages > SIZE_MAX / (uint64_t)page_bytes)
		return SIZE_MAX / 2;
	return (size_t)pages / 2 * (size_t)page_bytes;
}

/* What to have room for when `room` bytes are not all; no more than that: it is too large. */
static size_t more_room(int fd, size_t room)
{
	struct stat stat;
	size_t most = most_bytes();
	uint64_t wanted = (uint64_t)room * 2;

	if (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) && stat.st_size > 0) {
		if ((uint64_t)stat.st_size > most)
			return 0;
		if ((uint64_t)stat.st_size >= room)
			wanted = (uint64_t)stat.st_size + 1; /* and one read that finds the end */
	}
	return wanted < most ? (size_t)wanted : most;
}

static bool begins_as_trace(const unsigned char *bytes, size_t size)
{
	return memcmp(bytes, SKUAI_TRACE_MAGIC, size < 8 ? size : 8) == 0;
}

/*
 * All that a descriptor gives: read, not mapped, since a file may shrink meanwhile.  Of what is no
 * trace only the beginning, which trace_parse refuses.  0 or errno.
 */
static int read_whole(int fd, unsigned char **bytes, size_t *size)
{
	size_t room = FIRST_BYTES;

	*size = 0;
	*bytes = malloc(room);
	while (*bytes) {
		ssize_t got = read(fd, *bytes + *size, room - *size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno;
		*size += (size_t)got;
		if (got == 0 || !begins_as_trace(*bytes, *size))
			return 0;
		if (*size < room)
			continue;
		room = more_room(fd, room);
		if (room <= *size)
			return EFBIG;
		unsigned char *more = realloc(*bytes, room);
		if (!more)
			return ENOMEM;
		*bytes = more;
	}
	return ENOMEM;
}

static bool refuse_file(const char *command, const char *path, int error)
{
	const char *hint = error == ENOENT   ? "; is the name right? SKUA_TRACE=file records one"
			   : error == EISDIR ? "; name a file in it"
			   : error == ENOMEM ? "; it is too large for this machine"
			   : error == EFBIG  ? "; it would take half of this machine's memory, or "
					       "more: record a shorter time"
					     : "";

	fprintf(stderr, "skua %s: cannot read %s: %s%s\n", command, text_clean(path, 0).s,
		strerror(error), hint);
	return false;
}

bool trace_load(struct trace *trace, const char *path, const char *command)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	unsigned char *bytes = NULL;
	size_t size = 0;
	struct trace_fault fault;

	if (fd < 0)
		return refuse_file(command, path, errno);
	int error = read_whole(fd, &bytes, &size);
	if (!is_stdin)
		close(fd);
	if (!error && trace_parse(trace, bytes, size, &fault)) {
		trace->owned = bytes;
		trace->owned_bytes = size;
		return true;
	}
	free(bytes);
	if (error)
		return refuse_file(command, path, error);
	fprintf(stderr, "skua %s: cannot read %s: at byte %" PRIu64 ": %s\n", command,
		text_clean(path, 0).s, fault.at, fault.what);
	return false;
}
