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

/* All that a descriptor gives: read, not mapped, since a file may shrink meanwhile.  0 or errno. */
static int read_whole(int fd, unsigned char **bytes, size_t *size)
{
	struct stat stat;
	size_t room = FIRST_BYTES;

	if (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) && stat.st_size > 0)
		room = (size_t)stat.st_size + 1; /* and one read that finds the end */
	*size = 0;
	*bytes = malloc(room);
	while (*bytes) {
		ssize_t got = read(fd, *bytes + *size, room - *size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno;
		if (got == 0)
			return 0;
		*size += (size_t)got;
		if (*size < room)
			continue;
		unsigned char *more = room > SIZE_MAX / 2 ? NULL : realloc(*bytes, 2 * room);
		if (!more)
			return ENOMEM;
		*bytes = more;
		room *= 2;
	}
	return ENOMEM;
}

static bool refuse_file(const char *command, const char *path, int error)
{
	const char *hint = error == ENOENT   ? "; is the name right? SKUA_TRACE=file records one"
			   : error == EISDIR ? "; name a file in it"
			   : error == ENOMEM ? "; it is too large for this machine"
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
