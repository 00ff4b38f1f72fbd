/* SPDX-License-Identifier: MIT */
/* read_scan.c — a scan read from a file instead of walked: a snapshot, or an export of ncdu */
#include "scan/read_scan.h"

#include "scan/ncdu_file.h"
#include "scan/scan_command.h"
#include "scan/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool complain(const char *file, const char *why, const struct pull *place)
{
	fprintf(stderr, "skua scan: cannot read ");
	scan_put_path(stderr, strcmp(file, "-") == 0 ? "standard input" : file);
	if (place && place->error)
		fprintf(stderr, ": %s\n", strerror(place->error));
	else if (place)
		fprintf(stderr, ": line %" PRIu64 ", column %" PRIu64 ": %s\n", place->line,
			place->column, why);
	else
		fprintf(stderr, ": %s\n", why);
	return false;
}

/* By the first bytes; those stay in the buffer. */
static enum read_kind kind_of(struct pull *pull)
{
	int first = pull_peek(pull);

	return first == '[' ? READ_NCDU : first == SNAPSHOT_MAGIC[0] ? READ_SNAPSHOT : READ_ANY;
}

static bool read_open(struct scan *scan, const struct scan_options *options, const char *file,
		      enum read_kind kind, struct pull *pull)
{
	const char *wrong;

	if (kind == READ_ANY)
		kind = kind_of(pull);
	if (pull->fault)
		return complain(file, pull->fault, pull);
	if (kind == READ_ANY)
		return complain(file,
				"it is neither a snapshot of skua scan --save nor an export "
				"of ncdu -o or skua scan --ncdu",
				NULL);
	wrong = kind == READ_NCDU ? ncdu_read(scan, options, pull)
				  : snapshot_read(scan, options, pull);
	if (!wrong)
		return true;
	scan_close(scan);
	return complain(file, wrong, kind == READ_NCDU || pull->error ? pull : NULL);
}

bool read_scan(struct scan *scan, const struct scan_options *options, const char *file,
	       enum read_kind kind)
{
	bool is_stdin = strcmp(file, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct pull pull;

	if (fd < 0)
		return complain(file, strerror(errno), NULL);
	bool is_read = pull_open(&pull, fd)
			       ? read_open(scan, options, file, kind, &pull)
			       : complain(file, "there is not enough memory for it", NULL);
	pull_close(&pull);
	if (!is_stdin)
		close(fd);
	return is_read;
}

bool read_is_snapshot(const char *path)
{
	size_t length = strlen(path);
	char head[8];

	if (length < 6 || strcmp(path + length - 5, ".skua") != 0)
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return false;
	bool is_one = read(fd, head, sizeof(head)) == sizeof(head) &&
		      memcmp(head, SNAPSHOT_MAGIC, sizeof(head)) == 0;
	close(fd);
	return is_one;
}
