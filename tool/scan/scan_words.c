/* SPDX-License-Identifier: MIT */
/* scan_words.c — what several reports of a scan print: sizes, numbers, paths,
 * reasons */
#include "output.h"
#include "scan/scan_command.h"
#include "words.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#define PIECE 200 /* bytes of a path that are cleaned at a time */

struct text scan_bytes(uint64_t bytes)
{
	if (bytes)
		return words_bytes(bytes);
	return (struct text){ "0 bytes" };
}

struct text scan_number(uint64_t number)
{
	char digits[24];
	struct text text;
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, number);
	char *at = text.s;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*at++ = ',';
		*at++ = digits[i];
	}
	*at = 0;
	return text;
}

struct text scan_moment(int64_t seconds)
{
	time_t moment = (time_t)seconds;
	struct tm parts;
	struct text text;

	if (!localtime_r(&moment, &parts) ||
	    strftime(text.s, sizeof(text.s), "%Y-%m-%d %H:%M:%S", &parts) == 0)
		snprintf(text.s, sizeof(text.s), "@%" PRId64, seconds);
	return text;
}

void scan_put_path(FILE *to, const char *path)
{
	size_t left = strlen(path);

	while (left) {
		char piece[PIECE + 4];
		size_t bytes = 0;
		uint32_t character;
		while (bytes < left && bytes < PIECE)
			bytes += text_decode(path + bytes, left - bytes, &character);
		memcpy(piece, path, bytes);
		piece[bytes] = 0;
		struct text clean = text_clean(piece, 0);
		if (to == stdout)
			out_bytes(clean.s, strlen(clean.s));
		else
			fputs(clean.s, to);
		path += bytes;
		left -= bytes;
	}
}

const char *scan_error_step(const struct scan_error *error)
{
	switch (error->step) {
	case SCAN_STEP_OPEN:
		return "cannot open";
	case SCAN_STEP_READ:
		return "cannot read";
	case SCAN_STEP_STAT:
		return "cannot look at";
	case SCAN_STEP_MEMORY:
		return "cannot keep";
	case SCAN_STEP_LOOP:
		return "did not enter";
	}
	return "cannot read";
}

const char *scan_error_reason(const struct scan_error *error)
{
	if (error->step == SCAN_STEP_MEMORY)
		return "not enough memory";
	if (error->step == SCAN_STEP_LOOP)
		return "it is one of the directories above it";
	if (error->number == 0)
		return "the file that was read does not say why";
	return strerror(error->number);
}
