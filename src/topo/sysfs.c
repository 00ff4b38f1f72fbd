/* SPDX-License-Identifier: MIT */
/* sysfs.c — one value out of one small file of /sys, its path given like printf's text */
#include "topo/sysfs.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * Since Linux 5.15 a list of CPUs may be longer than a page; the longest, every other CPU up to
 * SKUAI_CPUS_MAX, takes some 20 KiB.  Nearly all are short, so memory for a long one is asked for
 * only when there is one.
 */
#define SYSFS_LIST_USUAL 1024
#define SYSFS_LIST_MOST	 ((size_t)1 << 16)

#define SYSFS_PATH_ROOM 128 /* ours are all shorter than 80 */

__attribute__((format(printf, 2, 0))) static void sysfs_path(char *full, const char *path,
							     va_list words)
{
	static const char above[] = "/sys/devices/system/";
	size_t length = strlen(above);

	memcpy(full, above, length);
	vsnprintf(full + length, SYSFS_PATH_ROOM - length, path, words);
}

static enum skuai_file sysfs_read(const char *root, const char *full, char *buffer,
				  struct skuai_text *text)
{
	enum skuai_file is = skuai_file_read(root, full, buffer, SKUAI_SYSFS_WORD, text);

	*text = skuai_text_trim(*text);
	return is == SKUAI_FILE_CUT ? SKUAI_FILE_REFUSED : is;
}

enum skuai_file skuai_sysfs_text(const char *root, char *buffer, struct skuai_text *text,
				 const char *path, ...)
{
	char full[SYSFS_PATH_ROOM];
	va_list words;

	va_start(words, path);
	sysfs_path(full, path, words);
	va_end(words);
	return sysfs_read(root, full, buffer, text);
}

enum skuai_file skuai_sysfs_number(const char *root, uint64_t *number, const char *path, ...)
{
	char full[SYSFS_PATH_ROOM], buffer[SKUAI_SYSFS_WORD];
	struct skuai_text text;
	va_list words;

	va_start(words, path);
	sysfs_path(full, path, words);
	va_end(words);
	enum skuai_file is = sysfs_read(root, full, buffer, &text);
	if (is == SKUAI_FILE_READ && !skuai_text_number(text, number))
		return SKUAI_FILE_REFUSED;
	return is;
}

/* The set that a list names, and whether all of it is in it. */
static enum skuai_file sysfs_parse_list(struct skuai_text text, struct skuai_cpuset *set)
{
	switch (skuai_cpuset_parse(text, set)) {
	case SKUAI_CPUSET_WHOLE:
		return SKUAI_FILE_READ;
	case SKUAI_CPUSET_CLIPPED:
		return SKUAI_FILE_CUT;
	case SKUAI_CPUSET_GARBLED:
		break;
	}
	return SKUAI_FILE_REFUSED;
}

enum skuai_file skuai_sysfs_list(const char *root, struct skuai_cpuset *set, const char *path, ...)
{
	char full[SYSFS_PATH_ROOM], usual[SYSFS_LIST_USUAL], *large = NULL;
	struct skuai_text text;
	va_list words;

	va_start(words, path);
	sysfs_path(full, path, words);
	va_end(words);
	*set = (struct skuai_cpuset){ 0 };
	enum skuai_file is = skuai_file_read(root, full, usual, sizeof(usual), &text);
	if (is == SKUAI_FILE_CUT && (large = skuai_alloc(SYSFS_LIST_MOST, 1)))
		is = skuai_file_read(root, full, large, SYSFS_LIST_MOST, &text);
	if (is == SKUAI_FILE_READ)
		is = sysfs_parse_list(text, set);
	else if (is == SKUAI_FILE_CUT)
		is = SKUAI_FILE_REFUSED;
	skuai_free(large);
	return is;
}
