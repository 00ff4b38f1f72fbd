/* SPDX-License-Identifier: MIT */
/* snapshot_read.c — a scan read from a file; cut, damaged and hostile ones are refused */
#include "scan/snapshot.h"
#include "scan/tree_build.h"

#include <stdlib.h>
#include <string.h>

/*
 * A block is checked before a record of it is looked at, so that an accident is called one.
 * Whoever makes a checksum that fits can still tell nonsense: every field is checked all the same.
 */

static const char cut_short[] = "it is cut short; save it again";
static const char damaged[] = "its checksum is wrong: it is damaged; save it again";
static const char nonsense[] = "it holds what no scan writes";

struct reader {
	struct build build;
	unsigned char *block;
	size_t size, at; /* of the block; of the next record */
	uint64_t records;
	uint64_t errors, races;
	bool is_done;
	char path[UINT16_MAX + 1];
};

/* The next record: fixed bytes and a name of `extra` bytes behind them; NULL: it does not fit. */
static const unsigned char *take(struct reader *reader, size_t bytes, size_t extra)
{
	if (reader->size - reader->at < bytes + extra)
		return NULL;
	const unsigned char *record = reader->block + reader->at;
	reader->at += bytes + extra;
	return record;
}

/* A number inside the next record, which may be too short for it: 0 then, and take refuses. */
static size_t look(const struct reader *reader, size_t offset, unsigned bytes)
{
	if (reader->size - reader->at < offset + bytes)
		return 0;
	return (size_t)snapshot_get(reader->block + reader->at + offset, bytes);
}

static const char *read_dir(struct reader *reader)
{
	size_t length = look(reader, 4, 2);
	const unsigned char *from = take(reader, SNAPSHOT_DIR_BYTES, length);
	bool is_root = !reader->build.dir;

	if (!from || from[1] > SCAN_SKIP_OTHER || from[2] > 1)
		return nonsense;
	struct told told = {
		.name = (const char *)from + SNAPSHOT_DIR_BYTES,
		.name_length = length,
		.type = (enum scan_type)from[1],
		.has_error = from[2],
		.bytes = snapshot_get(from + 8, 8),
		.blocks = snapshot_get(from + 16, 8),
		.mtime = (int64_t)snapshot_get(from + 24, 8),
		.dev = snapshot_get(from + 32, 8),
		.ino = snapshot_get(from + 40, 8),
	};
	if (!is_root && told.type < SCAN_DIRECTORY)
		return nonsense;
	return build_dir(&reader->build, &told);
}

static const char *read_file(struct reader *reader, bool is_linked)
{
	size_t length = look(reader, 3, 1),
	       bytes = is_linked ? SNAPSHOT_LINK_BYTES : SNAPSHOT_FILE_BYTES;
	const unsigned char *from = take(reader, bytes, length);

	if (!from || !reader->build.dir || from[1] > SCAN_SKIP_OTHER || from[1] == SCAN_DIRECTORY ||
	    (from[2] & ~SCAN_UNKNOWN))
		return nonsense;
	struct told told = {
		.name = (const char *)from + bytes,
		.name_length = length,
		.type = (enum scan_type)from[1],
		.has_error = from[2] & SCAN_UNKNOWN,
		.bytes = snapshot_get(from + 4, 8),
		.blocks = snapshot_get(from + 12, 8),
		.mtime = (int64_t)snapshot_get(from + 20, 8),
		.dev = is_linked ? snapshot_get(from + 28, 8) : reader->build.dir->dev,
		.ino = is_linked ? snapshot_get(from + 36, 8) : 0,
		.nlink = is_linked ? (uint32_t)snapshot_get(from + 44, 4) : 1,
		.is_linked = is_linked,
	};
	return build_file(&reader->build, &told);
}

static const char *read_error(struct reader *reader)
{
	size_t length = look(reader, 2, 2);
	const unsigned char *from = take(reader, SNAPSHOT_ERROR_BYTES, length);
	const unsigned char *path = from ? from + SNAPSHOT_ERROR_BYTES : NULL;

	if (!from || from[1] > SCAN_STEP_LOOP || memchr(path, 0, length))
		return nonsense;
	memcpy(reader->path, path, length);
	reader->path[length] = 0;
	return build_error(&reader->build, reader->path, NULL, (enum scan_step)from[1],
			   (int)(uint32_t)snapshot_get(from + 4, 4));
}

static const char *read_totals(struct reader *reader)
{
	const unsigned char *from = take(reader, 17, 0);

	if (!from)
		return nonsense;
	reader->errors = snapshot_get(from + 1, 8);
	reader->races = snapshot_get(from + 9, 8);
	return NULL;
}

static const char *read_end(struct reader *reader)
{
	const unsigned char *from = take(reader, 9, 0);

	if (!from || snapshot_get(from + 1, 8) != reader->records || reader->at != reader->size)
		return nonsense;
	reader->is_done = true;
	return NULL;
}

static const char *read_record(struct reader *reader)
{
	reader->records++;
	switch (reader->block[reader->at]) {
	case 'D':
		return read_dir(reader);
	case 'F':
		return read_file(reader, false);
	case 'L':
		return read_file(reader, true);
	case 'U':
		reader->at++;
		return build_leave(&reader->build);
	case 'E':
		return read_error(reader);
	case 'T':
		return read_totals(reader);
	case 'Z':
		return read_end(reader);
	}
	return nonsense;
}

static const char *read_block(struct reader *reader, struct pull *pull)
{
	unsigned char head[8];
	const char *wrong = NULL;

	if (pull_bytes(pull, head, sizeof(head)) != sizeof(head))
		return cut_short;
	reader->size = (size_t)snapshot_get(head, 4);
	reader->at = 0;
	if (reader->size == 0 || reader->size > SNAPSHOT_BLOCK)
		return damaged;
	if (pull_bytes(pull, reader->block, reader->size) != reader->size)
		return cut_short;
	if (snapshot_crc(reader->block, reader->size) != snapshot_get(head + 4, 4))
		return damaged;
	while (!wrong && reader->at < reader->size)
		wrong = reader->is_done ? nonsense : read_record(reader);
	return wrong;
}

static const char *read_head(struct pull *pull, bool *is_partial, int64_t *when)
{
	unsigned char head[SNAPSHOT_HEAD];

	size_t count = pull_bytes(pull, head, sizeof(head));
	if (count < 8 || memcmp(head, SNAPSHOT_MAGIC, 8) != 0)
		return "it is no snapshot of skua scan --save";
	if (count < sizeof(head))
		return cut_short;
	if (snapshot_crc(head, 28) != snapshot_get(head + 28, 4))
		return damaged;
	if (snapshot_get(head + 8, 4) != SNAPSHOT_VERSION)
		return "it is of a version that this skua does not know; try a newer skua";
	*is_partial = snapshot_get(head + 12, 4) & SNAPSHOT_PARTIAL;
	*when = (int64_t)snapshot_get(head + 16, 8);
	return NULL;
}

static const char *read_scan(struct reader *reader, struct pull *pull)
{
	struct scan *scan = reader->build.scan;
	int64_t when = 0;
	unsigned char more;
	const char *wrong = read_head(pull, &scan->is_partial, &when);

	while (!wrong && !reader->is_done)
		wrong = read_block(reader, pull);
	if (!wrong && pull_bytes(pull, &more, 1) != 0)
		wrong = "something follows after its end";
	if (!wrong)
		wrong = build_end(&reader->build, when);
	if (!wrong) {
		if (reader->errors < scan->errors.count)
			return nonsense;
		scan->errors.lost = reader->errors - scan->errors.count;
		scan->total.errors = reader->errors;
		scan->total.races = reader->races;
	}
	return wrong;
}

const char *snapshot_read(struct scan *scan, const struct scan_options *options, struct pull *pull)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	const char *wrong = "there is not enough memory for it";

	*scan = (struct scan){ 0 };
	if (reader && build_open(&reader->build, scan, options))
		reader->block = malloc(SNAPSHOT_BLOCK);
	if (reader && reader->block)
		wrong = read_scan(reader, pull);
	if (reader)
		free(reader->block);
	free(reader);
	return wrong && pull->error ? pull->fault : wrong;
}
