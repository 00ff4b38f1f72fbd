/* SPDX-License-Identifier: MIT */
/* blame.c — the command line shown again with the guilty word underlined */
#include "args.h"
#include "report.h"
#include "text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define INDENT	     4
#define WORD_COLUMNS 48 /* columns of one word; a longer one is cut; arbitrary */

/* One word as it may have been typed: clean, and in quotes where a shell would need them. */
static struct text show_word(const char *word)
{
	struct text clean = text_clean(word, WORD_COLUMNS), quoted;

	if (*word && !strpbrk(word, " '\"$&|;<>()*?[]{}#~`!\\"))
		return clean;
	clean.s[sizeof(clean.s) - 3] = '\0';
	const char *quote = strchr(word, '\'') ? "\"" : "'";
	snprintf(quoted.s, sizeof(quoted.s), "%s%.*s%s", quote, (int)sizeof(quoted.s) - 3, clean.s,
		 quote);
	return quoted;
}

static unsigned word_columns(const char *word)
{
	struct text shown = show_word(word);

	return text_width(shown.s, strlen(shown.s));
}

/* Which word of the line `guilty` points into; argc when none: something is missing at the end. */
static int find_guilty(const struct call *call, const char *guilty)
{
	for (int i = 1; guilty && i < call->argc; i++) {
		const char *word = call->argv[i];
		for (size_t at = 0; at <= strlen(word); at++) {
			if (word + at == guilty)
				return i;
		}
	}
	return call->argc;
}

/* "    skua doctor --jsn" with tildes below; words that do not fit become "...". */
static void show_line(const struct call *call, int guilty)
{
	unsigned room = report_width() - INDENT, used = 4 /* skua */, under;
	const char *guilty_word = guilty < call->argc ? call->argv[guilty] : NULL;
	unsigned tildes = guilty_word ? word_columns(guilty_word) : 1;
	int first = guilty;

	/* As many words before the guilty one as fit, nearest first; 4 stands for " ...". */
	for (unsigned need = used + 4 + 1 + tildes; first > 1; first--) {
		need += 1 + word_columns(call->argv[first - 1]);
		if (need > room)
			break;
	}
	fprintf(stderr, "%*sskua", INDENT, "");
	if (first > 1) {
		fprintf(stderr, " ...");
		used += 4;
	}
	for (; first < guilty; first++) {
		fprintf(stderr, " %s", show_word(call->argv[first]).s);
		used += 1 + word_columns(call->argv[first]);
	}
	under = used + 1;
	if (guilty_word)
		fprintf(stderr, " %s", show_word(guilty_word).s);
	used += 1 + tildes;
	for (int i = guilty + 1; i < call->argc; i++) {
		used += 1 + word_columns(call->argv[i]);
		fprintf(stderr, " %s", used + 4 > room ? "..." : show_word(call->argv[i]).s);
		if (used + 4 > room)
			break;
	}
	fprintf(stderr, "\n%*s%s", (int)(INDENT + under), "", report_paint(stderr, PAINT_WARN));
	for (unsigned i = 0; i < tildes; i++)
		fputc('~', stderr);
	fprintf(stderr, "%s\n", report_paint(stderr, PAINT_PLAIN));
}

int args_blame(const struct call *call, const char *guilty, const char *hint, const char *format,
	       ...)
{
	va_list arguments;

	fprintf(stderr, "skua%s%s: ", call->command ? " " : "",
		call->command ? call->command->name : "");
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	show_line(call, find_guilty(call, guilty));
	if (hint)
		fprintf(stderr, "%*s%s\n", INDENT, "", hint);
	return STATUS_USAGE;
}
