/* SPDX-License-Identifier: MIT */
/* ncdu_read.c — an export of ncdu, or of who writes the same, read as if it were a scan */
#include "scan/ncdu_file.h"
#include "scan/tree_build.h"

#include <stdlib.h>
#include <string.h>

/*
 * No recursion: an open bracket is a directory that is open in the tree that is being built.  Keys
 * that are not known are skipped, as the format asks for.
 */

struct reader {
	struct pull *pull;
	struct build build;
	struct told told;
	bool has_ino, is_notreg, is_link;
	char name[PULL_TEXT_MOST + 1];
};

static bool read_whole(struct pull *pull, uint64_t most, uint64_t *number)
{
	bool is_negative;

	if (!pull_number(pull, &is_negative, number))
		return false;
	if (is_negative && *number)
		return pull_fail(pull, "this number must not be negative");
	return *number <= most || pull_fail(pull, "this number is too large");
}

static bool read_moment(struct pull *pull, int64_t *moment)
{
	bool is_negative;
	uint64_t number;

	if (!pull_number(pull, &is_negative, &number))
		return false;
	*moment = (int64_t)(is_negative ? -number : number); /* huge: before 1970, as ncdu has it */
	return true;
}

static bool read_name(struct reader *reader)
{
	struct pull *pull = reader->pull;

	if (!pull_text(pull))
		return false;
	memcpy(reader->name, pull->text, pull->length + 1);
	reader->told.name = reader->name;
	reader->told.name_length = pull->length;
	return true;
}

static bool read_excluded(struct reader *reader)
{
	struct pull *pull = reader->pull;

	if (!pull_text(pull))
		return false;
	reader->told.type = strcmp(pull->text, "otherfs") == 0 || strcmp(pull->text, "othfs") == 0
				    ? SCAN_SKIP_DEVICE
			    : strcmp(pull->text, "kernfs") == 0 ? SCAN_SKIP_KERNEL
			    : strcmp(pull->text, "frmlnk") == 0 ? SCAN_SKIP_OTHER
								: SCAN_SKIP_NAME;
	return true;
}

static bool read_nlink(struct reader *reader)
{
	uint64_t number;

	if (!read_whole(reader->pull, UINT32_MAX, &number))
		return false;
	reader->told.nlink = (uint32_t)number;
	if (number > 1)
		reader->told.is_linked = true;
	return true;
}

static bool read_mode(struct reader *reader)
{
	uint64_t mode;

	if (!read_whole(reader->pull, UINT32_MAX, &mode))
		return false;
	reader->is_link = S_ISLNK((mode_t)mode);
	return true;
}

/* The value of a key whose name is in pull->text. */
static bool read_value(struct reader *reader, const char *key)
{
	struct pull *pull = reader->pull;
	struct told *told = &reader->told;

	if (strcmp(key, "name") == 0)
		return read_name(reader);
	if (strcmp(key, "asize") == 0)
		return read_whole(pull, INT64_MAX, &told->bytes);
	if (strcmp(key, "dsize") == 0) {
		bool is_read = read_whole(pull, INT64_MAX, &told->blocks);
		told->blocks = (told->blocks + 511) / 512;
		return is_read;
	}
	if (strcmp(key, "dev") == 0)
		return read_whole(pull, UINT64_MAX, &told->dev);
	if (strcmp(key, "ino") == 0) {
		reader->has_ino = true;
		return read_whole(pull, UINT64_MAX, &told->ino);
	}
	if (strcmp(key, "nlink") == 0)
		return read_nlink(reader);
	if (strcmp(key, "hlnkc") == 0)
		return pull_yes(pull, &told->is_linked);
	if (strcmp(key, "read_error") == 0)
		return pull_yes(pull, &told->has_error);
	if (strcmp(key, "excluded") == 0)
		return read_excluded(reader);
	if (strcmp(key, "notreg") == 0)
		return pull_yes(pull, &reader->is_notreg);
	if (strcmp(key, "mtime") == 0)
		return read_moment(pull, &told->mtime);
	if (strcmp(key, "mode") == 0)
		return read_mode(reader);
	return pull_skip(pull);
}

/* A key of an object that stands open, up to its colon. */
static bool read_key(struct pull *pull, char key[16])
{
	if (!pull_text(pull))
		return false;
	memset(key, 0, 16);
	if (pull->length < 16) /* longer ones are not ours */
		memcpy(key, pull->text, pull->length);
	return pull_take(pull, ':', "a colon is expected after a key");
}

/* To the next key of an object, or past its end. */
static bool more_keys(struct pull *pull, bool *is_first)
{
	if (*is_first) {
		*is_first = false;
		if (pull_peek(pull) != '}')
			return true;
	} else if (pull_peek(pull) == ',') {
		return pull_take(pull, ',', "");
	}
	pull_take(pull, '}', "a comma or } is expected");
	return false;
}

/* The object that tells of an entry. */
static bool read_info(struct reader *reader)
{
	struct pull *pull = reader->pull;
	const struct scan_dir *dir = reader->build.dir;
	bool is_first = true;
	char key[16];

	reader->told = (struct told){ .mtime = SCAN_NO_TIME, .dev = dir ? dir->dev : 0 };
	reader->has_ino = reader->is_notreg = reader->is_link = false;
	if (!pull_take(pull, '{', "an object that tells of an entry is expected"))
		return false;
	while (more_keys(pull, &is_first))
		if (!read_key(pull, key) || !read_value(reader, key))
			return false;
	if (!pull->fault && !reader->told.name)
		return pull_fail(pull, "an entry has no name");
	return !pull->fault;
}

static bool is_built(struct reader *reader, const char *wrong)
{
	return !wrong || pull_fail(reader->pull, wrong);
}

static bool read_dir(struct reader *reader)
{
	struct told *told = &reader->told;
	struct build *build = &reader->build;

	if (!pull_take(reader->pull, '[', "a directory in [ and ] is expected") ||
	    !read_info(reader))
		return false;
	if (told->type < SCAN_SKIP_NAME)
		told->type = SCAN_DIRECTORY;
	else if (!build->dir)
		return pull_fail(reader->pull, "its root is left out, so there is nothing in it");
	else
		told->bytes = told->blocks = 0;
	return is_built(reader, build_dir(build, told)) &&
	       (!told->has_error ||
		is_built(reader, build_error(build, NULL, NULL, SCAN_STEP_READ, 0)));
}

static bool read_file(struct reader *reader)
{
	struct told *told = &reader->told;
	struct build *build = &reader->build;

	if (!read_info(reader))
		return false;
	if (told->type >= SCAN_SKIP_NAME)
		told->bytes = told->blocks = 0;
	else if (reader->is_notreg || reader->is_link)
		told->type = reader->is_link ? SCAN_SYMLINK : SCAN_OTHER;
	told->is_linked = told->is_linked && reader->has_ino;
	if (!told->is_linked)
		told->nlink = 1;
	return is_built(reader, build_file(build, told)) &&
	       (!told->has_error ||
		is_built(reader, build_error(build, NULL, told->name, SCAN_STEP_STAT, 0)));
}

/* All that is in the root, up to the bracket that closes it. */
static bool read_tree(struct reader *reader)
{
	struct pull *pull = reader->pull;

	if (!read_dir(reader))
		return false;
	while (reader->build.dir) {
		int next = pull_peek(pull);
		if (next == ']') {
			pull_take(pull, ']', "");
			if (!is_built(reader, build_leave(&reader->build)))
				return false;
			continue;
		}
		if (!pull_take(pull, ',', "a comma or ] is expected"))
			return false;
		next = pull_peek(pull);
		if (!(next == '[' ? read_dir(reader) : read_file(reader)))
			return false;
	}
	return true;
}

/* [1, 2, {about}, */
static bool read_head(struct pull *pull, int64_t *when)
{
	bool is_first = true;
	uint64_t major, minor;
	char key[16];

	if (!pull_take(pull, '[', "an export of ncdu begins with [1,") ||
	    !read_whole(pull, UINT64_MAX, &major))
		return false;
	if (major != 1)
		return pull_fail(pull, "this major version of the format is not known, only 1");
	if (!pull_take(pull, ',', "a comma is expected") || !read_whole(pull, UINT64_MAX, &minor) ||
	    !pull_take(pull, ',', "a comma is expected") ||
	    !pull_take(pull, '{', "an object that tells of the export is expected"))
		return false;
	while (more_keys(pull, &is_first)) {
		if (!read_key(pull, key))
			return false;
		if (!(strcmp(key, "timestamp") == 0 ? read_moment(pull, when) : pull_skip(pull)))
			return false;
	}
	return pull_take(pull, ',', "a comma is expected");
}

const char *ncdu_read(struct scan *scan, const struct scan_options *options, struct pull *pull)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int64_t when = 0;

	*scan = (struct scan){ 0 };
	if (!reader || !build_open(&reader->build, scan, options)) {
		free(reader);
		pull_fail(pull, "there is not enough memory for it");
		return pull->fault;
	}
	reader->pull = pull;
	if (read_head(pull, &when) && read_tree(reader) &&
	    pull_take(pull, ']', "the ] of the first [ is expected") && pull_peek(pull) >= 0)
		pull_fail(pull, "something follows after the end");
	if (!pull->fault)
		is_built(reader, build_end(&reader->build, when));
	free(reader);
	return pull->fault;
}
