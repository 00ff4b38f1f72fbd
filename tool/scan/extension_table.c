/* SPDX-License-Identifier: MIT */
/* extension_table.c — files by the end of their names: how many, and how large together */
#include "scan/extension_table.h"

#include "scan/scan_top.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 256 /* a power of two */
#define LONGEST	   32  /* a longer end of a name is none of its kind; arbitrary */

/* Open addressing, at most half full. */

static size_t hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return (size_t)(h ^ h >> 32);
}

static struct extension *place_of(struct extension *all, size_t room, const char *text)
{
	size_t at = hash(text) & (room - 1);

	while (all[at].text && strcmp(all[at].text, text) != 0)
		at = (at + 1) & (room - 1);
	return &all[at];
}

static bool grow(struct extensions *table)
{
	size_t room = table->room ? 2 * table->room : ROOM_FIRST;
	struct extension *all = calloc(room, sizeof(*all));

	if (!all)
		return false;
	for (size_t i = 0; i < table->room; i++)
		if (table->all[i].text)
			*place_of(all, room, table->all[i].text) = table->all[i];
	free(table->all);
	table->all = all;
	table->room = room;
	return true;
}

/* What follows the last dot, unless the name starts with that dot or ends in it. */
static void extension_of(const char *name, char text[LONGEST + 1])
{
	const char *slash = strrchr(name, '/'); /* an operand may have some */
	const char *base = slash ? slash + 1 : name, *dot = strrchr(base, '.');

	text[0] = 0;
	if (!dot || dot == base || strlen(dot + 1) > LONGEST)
		return;
	for (const char *at = dot + 1;; at++) {
		*text++ = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
		if (!*at)
			return;
	}
}

static void add_file(struct scan_item item, enum scan_type type, void *context)
{
	struct extensions *table = context;
	char text[LONGEST + 1];

	if (type != SCAN_FILE)
		return;
	extension_of(item.file ? item.file->name : item.dir->name, text);
	if (2 * (table->count + 1) > table->room && !grow(table)) {
		table->is_lost = true;
		return;
	}
	struct extension *place = place_of(table->all, table->room, text);
	if (!place->text) {
		place->text = arena_text(&table->texts, text, strlen(text));
		if (!place->text) {
			table->is_lost = true;
			return;
		}
		table->count++;
	}
	place->files++;
	if (item.file && !scan_is_charged(item.file))
		return;
	place->bytes += item.file ? item.file->bytes : item.dir->own_bytes;
	place->blocks += item.file ? scan_file_blocks(item.file) : item.dir->own_blocks;
}

/* The largest first, then the most files, then by text. */
static int compare(const struct extension *a, const struct extension *b, bool is_apparent)
{
	uint64_t a_size = is_apparent ? a->bytes : a->blocks;
	uint64_t b_size = is_apparent ? b->bytes : b->blocks;

	if (a_size != b_size)
		return a_size > b_size ? -1 : 1;
	if (a->files != b->files)
		return a->files > b->files ? -1 : 1;
	return strcmp(a->text, b->text);
}

static int compare_apparent(const void *a, const void *b)
{
	return compare(a, b, true);
}

static int compare_disk(const void *a, const void *b)
{
	return compare(a, b, false);
}

/* The used places to the front, in order. */
static void sort_all(struct extensions *table, bool is_apparent)
{
	size_t count = 0;

	for (size_t i = 0; i < table->room; i++)
		if (table->all[i].text)
			table->all[count++] = table->all[i];
	if (count)
		qsort(table->all, count, sizeof(*table->all),
		      is_apparent ? compare_apparent : compare_disk);
}

void extensions_count(struct extensions *table, const struct scan *scan, bool is_apparent)
{
	*table = (struct extensions){ 0 };
	scan_visit_all(scan, add_file, table);
	sort_all(table, is_apparent);
}

void extensions_free(struct extensions *table)
{
	free(table->all);
	arena_free(&table->texts);
	*table = (struct extensions){ 0 };
}
