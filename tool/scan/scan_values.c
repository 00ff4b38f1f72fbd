/* SPDX-License-Identifier: MIT */
/* scan_values.c — sizes and ages as people write them: 10M, 1h */
#include "scan/scan_command.h"

#include <string.h>

/* The digits at the start; false when there are none, or too many. */
static bool read_digits(const char **text, uint64_t *number)
{
	const char *at = *text;
	uint64_t n = 0;

	for (; *at >= '0' && *at <= '9'; at++) {
		unsigned digit = (unsigned)(*at - '0');
		if (n > (UINT64_MAX - digit) / 10)
			return false;
		n = 10 * n + digit;
	}
	if (at == *text)
		return false;
	*text = at;
	*number = n;
	return true;
}

/* du's suffixes: K and KiB are 1024, KB is 1000. */
bool scan_read_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGTPE";
	uint64_t number;

	if (!read_digits(&text, &number))
		return false;
	const char *unit = *text ? strchr(units, *text == 'k' ? 'K' : *text) : NULL;
	if (!unit) {
		*bytes = number;
		return *text == 0 || strcmp(text, "B") == 0;
	}
	uint64_t step = strcmp(text + 1, "B") == 0 ? 1000 : 1024;
	if (text[1] && step == 1024 && strcmp(text + 1, "iB") != 0)
		return false;
	for (const char *at = units; at <= unit; at++) {
		if (number > UINT64_MAX / step)
			return false;
		number *= step;
	}
	*bytes = number;
	return true;
}

bool scan_read_age(const char *text, int64_t now, int64_t *moment)
{
	static const struct {
		char letter;
		int64_t seconds;
	} units[] = { { 's', 1 },     { 'm', 60 },     { 'h', 3600 },
		      { 'd', 86400 }, { 'w', 604800 }, { 'y', 31536000 } };
	bool is_absolute = *text == '@';
	uint64_t number;

	text += is_absolute;
	if (!read_digits(&text, &number) || number > INT64_MAX / (INT64_C(366) * 86400))
		return false;
	if (is_absolute) {
		*moment = (int64_t)number;
		return *text == 0;
	}
	for (unsigned i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (*text == units[i].letter && !text[1]) {
			*moment = now - (int64_t)number * units[i].seconds;
			return true;
		}
	}
	return false;
}
