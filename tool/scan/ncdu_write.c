/* SPDX-License-Identifier: MIT */
/* ncdu_write.c — the report --ncdu: a scan as a file that `ncdu -f` opens */
#include "output.h"
#include "scan/ncdu_file.h"
#include "scan/scan_command.h"
#include "scan/tree_tour.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * The format, [1,2,{about},[root, ...]]: a directory is an array whose first item tells of itself,
 * a file an object.  A device is only told where it is not the parent's.  Names are bytes: what
 * JSON must escape is, all else stays, UTF-8 or not.
 */

/* Strings escaped the way ncdu does it: short forms, and \u00XX for the other controls. */
static void put_string(const char *s)
{
	static const char names[] = "btnvfr"; /* from 8 on; there is no \v in JSON */
	const char *from = s;

	out_bytes("\"", 1);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f)
			continue;
		out_bytes(from, (size_t)(s - from));
		from = s + 1;
		if (c == '"' || c == '\\')
			out("\\%c", c);
		else if (c >= 8 && c <= 13 && c != 11)
			out("\\%c", names[c - 8]);
		else
			out("\\u%04x", c);
	}
	out_bytes(from, (size_t)(s - from));
	out_bytes("\"", 1);
}

static void put_sizes(uint64_t bytes, uint64_t blocks)
{
	if (bytes)
		out(",\"asize\":%" PRIu64, bytes);
	if (blocks)
		out(",\"dsize\":%" PRIu64, 512 * blocks);
}

/* Before 1970 it is a huge number, as with ncdu, which refuses negative ones. */
static void put_time(int64_t mtime)
{
	out(",\"mtime\":%" PRIu64, (uint64_t)mtime);
}

static void put_excluded(uint8_t type)
{
	static const char *const reasons[] = { [SCAN_SKIP_NAME] = "pattern",
					       [SCAN_SKIP_DEVICE] = "otherfs",
					       [SCAN_SKIP_KERNEL] = "kernfs",
					       [SCAN_SKIP_OTHER] = "frmlnk" };

	if (type < sizeof(reasons) / sizeof(*reasons) && reasons[type])
		out(",\"excluded\":\"%s\"", reasons[type]);
}

static void put_dir(const struct scan_dir *dir, const char *name)
{
	out(",\n[{\"name\":");
	put_string(name);
	put_sizes(dir->own_bytes, dir->own_blocks);
	if (!dir->parent || dir->dev != dir->parent->dev)
		out(",\"dev\":%" PRIu32, dir->dev);
	if (dir->has_error)
		out(",\"read_error\":true");
	put_excluded(dir->type);
	if (dir->mtime != SCAN_NO_TIME)
		put_time(dir->mtime);
	out_bytes("}", 1);
}

static void put_file(const struct scan_dir *dir, const struct scan_file *file,
		     const struct scan_link *link)
{
	out(",\n{\"name\":");
	put_string(file->name);
	put_sizes(file->bytes, scan_file_blocks(file));
	if (link && link->dev != dir->dev)
		out(",\"dev\":%" PRIu64, link->dev);
	if (link && link->nlink != 1) { /* 0: more than one, but the file read does not tell */
		out(",\"ino\":%" PRIu64 ",\"hlnkc\":true", link->ino);
		if (link->nlink)
			out(",\"nlink\":%" PRIu32, link->nlink);
	}
	if (file->flags & SCAN_UNKNOWN)
		out(",\"read_error\":true");
	put_excluded(file->type);
	if (file->type == SCAN_SYMLINK || file->type == SCAN_OTHER)
		out(",\"notreg\":true");
	if (file->mtime != SCAN_NO_TIME && !(file->flags & SCAN_UNKNOWN) &&
	    file->type < SCAN_SKIP_NAME)
		put_time(file->mtime);
	out_bytes("}", 1);
}

/* Not one of those that vanished while they were looked at, or were met elsewhere. */
static bool is_told(const struct scan_dir *dir)
{
	return dir->type != SCAN_SKIP_MET || dir->has_error;
}

bool ncdu_write(const struct scan_dir *root, const struct scan *scan, const char *root_name)
{
	struct tour_links links;
	struct tour tour;
	enum tour_step step;

	if (!tour_links_make(&links, scan))
		return false;
	out("[1,2,{\"progname\":\"skua\",\"progver\":\"%s\",\"timestamp\":%" PRId64 "}",
	    skua_version_text(), scan->is_read ? scan->read_when : (int64_t)time(NULL));
	tour_start(&tour, root);
	while ((step = tour_next(&tour)) != TOUR_END && step != TOUR_NO_MEMORY) {
		if (step == TOUR_FILE)
			put_file(tour.dir, tour.file, tour_links_find(&links, tour.file));
		else if (!is_told(tour.dir))
			continue;
		else if (step == TOUR_DIR)
			put_dir(tour.dir, tour.dir == root ? root_name : tour.dir->name);
		else
			out_bytes("]", 1);
	}
	if (step == TOUR_END)
		out_bytes("]\n", 2);
	tour_stop(&tour);
	tour_links_free(&links);
	return step == TOUR_END;
}

static int refuse(const char *path, const char *why)
{
	fprintf(stderr, "skua scan: --ncdu: ");
	scan_put_path(stderr, path);
	fprintf(stderr, ": %s\n", why);
	return STATUS_FAULT;
}

static int print_ncdu(struct scan *scan, const struct scan_choice *choice)
{
	struct scan_dir *root = scan->roots[0];
	char *full = NULL;

	(void)choice;
	if (scan->options.path_count > 1)
		return refuse(scan->roots[1]->name,
			      "an export has one root; scan one PATH at a time");
	if (root->type != SCAN_DIRECTORY)
		return refuse(root->name, root->has_error ? "nothing to export"
							  : "an export tells of a directory");
	if (!scan->is_read) /* ncdu wants to know where it was, whoever reads it */
		full = realpath(root->name, NULL);
	scan_sort(root, SCAN_BY_POSITION);
	bool is_whole = ncdu_write(root, scan, full ? full : root->name);
	free(full);
	return is_whole ? STATUS_DONE : refuse(root->name, "there is not enough memory for it");
}

const struct scan_report scan_report_ncdu = {
	.name = "ncdu",
	.level = SCAN_EVERYTHING,
	.needs_sizes = true,
	.is_alone = true,
	.print = print_ncdu,
};
