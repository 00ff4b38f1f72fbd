/* SPDX-License-Identifier: MIT */
/* du_text.c — numbers, quoted names and messages in the form of GNU du */
#include "scan/links.h"
#include "scan/scan_command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

/* "0", "512", "4.0K", "12K", "1.1M": at most one digit after the point, never less than it is. */
static void number_for_people(char text[DU_NUMBER_MAX], uint64_t number)
{
	static const char units[] = "KMGTPE";
	unsigned at = 0, shift = 10;

	if (number < 1024) {
		snprintf(text, DU_NUMBER_MAX, "%" PRIu64, number);
		return;
	}
	for (; units[at + 1] && number >> shift >= 1024; at++)
		shift += 10;
	uint64_t most = (UINT64_C(1) << shift) - 1, rest = number & most, whole = number >> shift;
	uint64_t tenths = 10 * whole + ((10 * rest + most) >> shift); /* of 60 bits: it fits */
	if (whole < 10 && tenths < 100) {
		snprintf(text, DU_NUMBER_MAX, "%" PRIu64 ".%" PRIu64 "%c", tenths / 10, tenths % 10,
			 units[at]);
		return;
	}
	whole += rest != 0;
	if (whole == 1024 && units[at + 1])
		snprintf(text, DU_NUMBER_MAX, "1.0%c", units[at + 1]);
	else
		snprintf(text, DU_NUMBER_MAX, "%" PRIu64 "%c", whole, units[at]);
}

void du_number(char text[DU_NUMBER_MAX], const struct du_choice *du, uint64_t number)
{
	uint64_t blocks = number / du->block + (number % du->block != 0);

	if (du->is_human)
		number_for_people(text, number);
	else
		snprintf(text, DU_NUMBER_MAX, "%" PRIu64 "%s", blocks, du->unit);
}

/* --- quotes --- */

/* Bytes of the character at s that can be shown as they are; 0: its first byte is escaped. */
static size_t shown(const char *s, size_t length)
{
	mbstate_t state = { 0 };
	wchar_t wide;
	size_t bytes = mbrtowc(&wide, s, length, &state);

	if (bytes == (size_t)-1 || bytes == (size_t)-2 || bytes == 0)
		return 0;
	return iswprint((wint_t)wide) ? bytes : 0;
}

/* Names with a single quote get double ones, unless something in them would not survive it. */
static bool fits_double(const char *name)
{
	if (!strchr(name, '\''))
		return false;
	for (const char *at = name; *at;) {
		size_t bytes = shown(at, strlen(at));
		if (bytes == 0 || strchr("!\"$&()*;<=>?[^`|", *at) ||
		    (strchr("#~", *at) && at > name))
			return false;
		at += bytes;
	}
	return true;
}

static char *put_escape(char *to, unsigned char byte)
{
	static const char letters[] = "abtnvfr"; /* from 7 on */

	if (byte >= 7 && byte <= 13)
		return to + sprintf(to, "\\%c", letters[byte - 7]);
	return to + sprintf(to, "\\%03o", byte);
}

/* In single quotes; what cannot be shown goes between $' and '. */
static void quote_single(char *to, const char *name)
{
	bool is_escaping = false;

	*to++ = '\'';
	for (const char *at = name; *at;) {
		size_t bytes = shown(at, strlen(at));
		if (bytes == 0 && !is_escaping)
			to = stpcpy(to, "'$'");
		if (bytes != 0 && is_escaping && *at != '\'')
			to = stpcpy(to, "''");
		is_escaping = bytes == 0;
		if (bytes == 0) {
			to = put_escape(to, (unsigned char)*at++);
		} else if (*at == '\'') {
			to = stpcpy(to, "'\\''");
			at++;
		} else {
			to = mempcpy(to, at, bytes);
			at += bytes;
		}
	}
	*to++ = '\'';
	*to = 0;
}

char *du_quote(const char *name)
{
	char *quoted = malloc(8 * strlen(name) + 3); /* '$'\ooo'' is the longest */

	if (!quoted)
		return NULL;
	if (!fits_double(name)) {
		quote_single(quoted, name);
		return quoted;
	}
	char *to = quoted;
	*to++ = '"';
	for (; *name; *to++ = *name++)
		if (*name == '\\')
			*to++ = '\\';
	*to++ = '"';
	*to = 0;
	return quoted;
}

/* --- messages --- */

static int compare_errors(const void *left, const void *right)
{
	const struct scan_error *a = left, *b = right;

	if (!a->dir || !b->dir)
		return strcmp(a->path, b->path);
	return links_compare_places(a->dir, a->position, b->dir, b->position);
}

static void tell(const struct scan_error *error)
{
	if (!*error->path) {
		fprintf(stderr, "skua scan: invalid zero-length file name\n");
		return;
	}
	char *quoted = du_quote(error->path);
	const char *what = error->step == SCAN_STEP_STAT ? "cannot access"
							 : "cannot read directory";
	fprintf(stderr, "skua scan: %s %s%s%s\n", what, quoted ? quoted : error->path,
		error->number ? ": " : "", error->number ? strerror(error->number) : "");
	free(quoted);
}

bool du_tell_errors(struct scan *scan)
{
	struct scan_errors *errors = &scan->errors;
	bool is_any = errors->lost > 0;

	if (errors->count)
		qsort(errors->all, errors->count, sizeof(*errors->all), compare_errors);
	for (size_t i = 0; i < errors->count; i++) {
		if (errors->all[i].step == SCAN_STEP_LOOP) /* one directory mounted in itself */
			continue;
		tell(&errors->all[i]);
		is_any = true;
	}
	if (errors->lost)
		fprintf(stderr,
			"skua scan: %" PRIu64 " more errors, which there was no memory to keep\n",
			errors->lost);
	return is_any;
}
