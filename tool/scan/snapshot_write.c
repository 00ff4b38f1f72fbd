/* SPDX-License-Identifier: MIT */
/* snapshot_write.c — a scan written to a file that appears only when it is whole */
#include "scan/snapshot.h"
#include "scan/tree_tour.h"
#include "whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct writer {
	FILE *to;
	int error; /* errno of the first thing that failed */
	size_t used;
	uint64_t records;
	unsigned char *block; /* 8 bytes for its head, then records */
};

/* The CRC of zlib and PNG, so that other programs can check it. */
uint32_t snapshot_crc(const void *bytes, size_t count)
{
	static const uint32_t nibbles[16] = { 0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
					      0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
					      0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
					      0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };
	const unsigned char *at = bytes;
	uint32_t crc = UINT32_MAX;

	for (; count; count--, at++) {
		crc ^= *at;
		crc = crc >> 4 ^ nibbles[crc & 15];
		crc = crc >> 4 ^ nibbles[crc & 15];
	}
	return ~crc;
}

static void write_all(struct writer *writer, const unsigned char *bytes, size_t count)
{
	if (!writer->error && fwrite(bytes, 1, count, writer->to) != count)
		writer->error = errno ? errno : EIO;
}

static void flush(struct writer *writer)
{
	if (writer->used == 0)
		return;
	snapshot_put(writer->block, writer->used, 4);
	snapshot_put(writer->block + 4, snapshot_crc(writer->block + 8, writer->used), 4);
	write_all(writer, writer->block, 8 + writer->used);
	writer->used = 0;
}

/* Room for a record: `bytes` and a name behind them, which is copied. */
static unsigned char *record(struct writer *writer, char tag, size_t bytes, const char *name,
			     size_t length)
{
	if (writer->used + bytes + length > SNAPSHOT_BLOCK)
		flush(writer);
	unsigned char *to = writer->block + 8 + writer->used;
	memset(to, 0, bytes);
	to[0] = (unsigned char)tag;
	if (length)
		memcpy(to + bytes, name, length);
	writer->used += bytes + length;
	writer->records++;
	return to;
}

static void put_dir(struct writer *writer, const struct scan_dir *dir)
{
	unsigned char *to = record(writer, 'D', SNAPSHOT_DIR_BYTES, dir->name, dir->name_length);

	to[1] = dir->type;
	to[2] = dir->has_error;
	snapshot_put(to + 4, dir->name_length, 2);
	snapshot_put(to + 8, dir->own_bytes, 8);
	snapshot_put(to + 16, dir->own_blocks, 8);
	snapshot_put(to + 24, (uint64_t)dir->mtime, 8);
	snapshot_put(to + 32, dir->dev, 8);
	snapshot_put(to + 40, dir->ino, 8);
}

static void put_file(struct writer *writer, const struct scan_file *file,
		     const struct scan_link *link)
{
	unsigned char *to = record(writer, link ? 'L' : 'F',
				   link ? SNAPSHOT_LINK_BYTES : SNAPSHOT_FILE_BYTES, file->name,
				   file->name_length);

	to[1] = file->type;
	to[2] = file->flags & SCAN_UNKNOWN;
	to[3] = file->name_length;
	snapshot_put(to + 4, file->bytes, 8);
	snapshot_put(to + 12, scan_file_blocks(file), 8);
	snapshot_put(to + 20, (uint64_t)file->mtime, 8);
	if (link) {
		snapshot_put(to + 28, link->dev, 8);
		snapshot_put(to + 36, link->ino, 8);
		snapshot_put(to + 44, link->nlink, 4);
	}
}

static void put_root(struct writer *writer, struct scan_dir *root, const struct tour_links *links)
{
	struct tour tour;
	enum tour_step step;

	scan_sort(root, SCAN_BY_POSITION);
	tour_start(&tour, root);
	while ((step = tour_next(&tour)) != TOUR_END && step != TOUR_NO_MEMORY && !writer->error) {
		if (step == TOUR_FILE)
			put_file(writer, tour.file, tour_links_find(links, tour.file));
		else if (step == TOUR_DIR)
			put_dir(writer, tour.dir);
		else
			record(writer, 'U', 1, NULL, 0);
	}
	tour_stop(&tour);
	if (step == TOUR_NO_MEMORY)
		writer->error = ENOMEM;
}

static void put_errors(struct writer *writer, const struct scan *scan)
{
	for (size_t i = 0; i < scan->errors.count; i++) {
		const struct scan_error *error = &scan->errors.all[i];
		size_t length = strlen(error->path);
		if (length > UINT16_MAX)
			continue; /* it is counted, and told without its path by the number */
		unsigned char *to = record(writer, 'E', SNAPSHOT_ERROR_BYTES, error->path, length);
		to[1] = (unsigned char)error->step;
		snapshot_put(to + 2, length, 2);
		snapshot_put(to + 4, (uint32_t)error->number, 4);
	}
	unsigned char *to = record(writer, 'T', 17, NULL, 0);
	snapshot_put(to + 1, scan->total.errors, 8);
	snapshot_put(to + 9, scan->total.races, 8);
}

static void put_scan(struct writer *writer, const struct scan *scan)
{
	unsigned char head[SNAPSHOT_HEAD] = SNAPSHOT_MAGIC;
	struct tour_links links;

	snapshot_put(head + 8, SNAPSHOT_VERSION, 4);
	snapshot_put(head + 12, scan->is_partial ? SNAPSHOT_PARTIAL : 0, 4);
	snapshot_put(head + 16, (uint64_t)(scan->is_read ? scan->read_when : (int64_t)time(NULL)),
		     8);
	snapshot_put(head + 28, snapshot_crc(head, 28), 4);
	write_all(writer, head, sizeof(head));
	if (!tour_links_make(&links, scan)) {
		writer->error = ENOMEM;
		return;
	}
	for (unsigned i = 0; i < scan->options.path_count; i++)
		put_root(writer, scan->roots[i], &links);
	tour_links_free(&links);
	put_errors(writer, scan);
	unsigned char *to = record(writer, 'Z', 9, NULL, 0);
	snapshot_put(to + 1, writer->records, 8);
	flush(writer);
}

int snapshot_write(const struct scan *scan, const char *path)
{
	struct writer writer = { .block = malloc(8 + SNAPSHOT_BLOCK) };
	struct whole_file file;
	int error = writer.block ? whole_file_open(&file, path) : ENOMEM;

	if (!error) {
		writer.to = file.to;
		put_scan(&writer, scan);
		error = whole_file_close(&file, writer.error);
	}
	free(writer.block);
	return error;
}
