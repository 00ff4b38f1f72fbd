/* SPDX-License-Identifier: MIT */
/* sysfs.c — one value out of one small file of /sys, its path given like printf's text */
#include "topo/sysfs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 4, 0))) static enum skuai_file
sysfs_read(const char *root, char *buffer, struct skuai_text *text, const char *path, va_list words)
{
	static const char above[] = "/sys/devices/system/";
	char full[128]; /* ours are all shorter than 80 */
	size_t length = strlen(above);

	memcpy(full, above, length);
	vsnprintf(full + length, sizeof(full) - length, path, words);
	enum skuai_file is = skuai_file_read(root, full, buffer, SKUAI_FILE_SMALL, text);
	*text = skuai_text_trim(*text);
	return is == SKUAI_FILE_CUT ? SKUAI_FILE_REFUSED : is;
}

enum skuai_file skuai_sysfs_text(const char *root, char *buffer, struct skuai_text *text,
				 const char *path, ...)
{
	va_list words;

	va_start(words, path);
	enum skuai_file is = sysfs_read(root, buffer, text, path, words);
	va_end(words);
	return is;
}

enum skuai_file skuai_sysfs_number(const char *root, uint64_t *number, const char *path, ...)
{
	char buffer[SKUAI_FILE_SMALL];
	struct skuai_text text;
	va_list words;

	va_start(words, path);
	enum skuai_file is = sysfs_read(root, buffer, &text, path, words);
	va_end(words);
	if (is == SKUAI_FILE_READ && !skuai_text_number(text, number))
		return SKUAI_FILE_REFUSED;
	return is;
}

enum skuai_file skuai_sysfs_list(const char *root, struct skuai_cpuset *set, const char *path, ...)
{
	char buffer[SKUAI_FILE_SMALL];
	struct skuai_text text;
	va_list words;

	va_start(words, path);
	enum skuai_file is = sysfs_read(root, buffer, &text, path, words);
	va_end(words);
	*set = (struct skuai_cpuset){ 0 };
	if (is != SKUAI_FILE_READ)
		return is;
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
