/* SPDX-License-Identifier: MIT */
/* snapshot.h — a scan kept in a file: its format, written whole or not at all, read with care */
#ifndef SKUAT_SCAN_SNAPSHOT_H
#define SKUAT_SCAN_SNAPSHOT_H

#include "scan/ncdu_json.h"
#include "scan/walk.h"

/*
 * All numbers are little-endian.  A head of 32 bytes:
 *
 *	"skuascan", u32 version, u32 flags, i64 when it was made, u32 0, u32 CRC-32 of the 28 before
 *
 * Then blocks: u32 size, u32 CRC-32, and so many bytes of records.  A record is never split.
 *
 *	D  u8 type, u8 has_error, u8 0, u16 name, u16 0, u64 bytes, u64 blocks, i64 mtime, u64 dev,
 *	   u64 ino, name          a directory, or a root of any type; what follows is in it
 *	F  u8 type, u8 flags, u8 name, u64 bytes, u64 blocks, i64 mtime, name
 *	L  the same, and before the name u64 dev, u64 ino, u32 nlink
 *	U                         the innermost directory is left
 *	E  u8 step, u16 path, i32 errno, path
 *	T  u64 errors, u64 races  of the whole scan
 *	Z  u64 records            the end, this one counted: nothing follows
 *
 * Sums are not kept: they follow from the rest, under any policy of links.
 */
#define SNAPSHOT_MAGIC	 "skuascan"
#define SNAPSHOT_VERSION 1
#define SNAPSHOT_HEAD	 32
#define SNAPSHOT_PARTIAL 1u		     /* flags: the scan was interrupted */
#define SNAPSHOT_BLOCK	 ((size_t)128 << 10) /* bytes of the largest block */

#define SNAPSHOT_DIR_BYTES   48 /* of a record without its name */
#define SNAPSHOT_FILE_BYTES  28
#define SNAPSHOT_LINK_BYTES  48
#define SNAPSHOT_ERROR_BYTES 8

uint32_t snapshot_crc(const void *bytes, size_t count);

static inline void snapshot_put(unsigned char *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (unsigned char)(value >> 8 * i);
}

static inline uint64_t snapshot_get(const unsigned char *from, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)from[i] << 8 * i;
	return value;
}

/*
 * Write a scan that kept everything; the file appears when it is whole.  0, or an errno, ENOMEM
 * among them.
 */
int snapshot_write(const struct scan *scan, const char *path);

/* NULL, or what is wrong; the scan is to be closed all the same. */
const char *snapshot_read(struct scan *scan, const struct scan_options *options, struct pull *pull);

#endif
