/* SPDX-License-Identifier: MIT */
/* report.c — reports for people: colour, width, wrapped rows and paragraphs */
#include "report.h"

#include "output.h"
#include "text.h"

#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LABEL_COLUMN 2
#define VALUE_COLUMN 14

static struct {
	bool is_utf8;
	bool has_colour[3]; /* by descriptor */
	unsigned width;
} style = { .width = 80 };

static bool wants_colour(int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fd) && !(no_color && *no_color) && term && *term && strcmp(term, "dumb") != 0;
}

static unsigned find_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize window;
	long width = 80;

	if (columns && *columns)
		width = strtol(columns, NULL, 10);
	else if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col)
		width = window.ws_col;
	if (width <= 0)
		width = 80;
	return width < 40 ? 40 : width > 100 ? 100 : (unsigned)width; /* longer lines read badly */
}

void report_start(void)
{
	/* Only the characters: numbers stay 1.5 in every country, so JSON stays JSON. */
	style.is_utf8 = setlocale(LC_CTYPE, "") && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	style.has_colour[STDOUT_FILENO] = wants_colour(STDOUT_FILENO);
	style.has_colour[STDERR_FILENO] = wants_colour(STDERR_FILENO);
	style.width = find_width();
}

bool report_utf8(void)
{
	return style.is_utf8;
}

unsigned report_width(void)
{
	return style.width;
}

const char *report_paint(FILE *stream, enum paint paint)
{
	static const char *const escapes[] = {
		[PAINT_PLAIN] = "\033[0m", [PAINT_TITLE] = "\033[1m", [PAINT_LABEL] = "\033[36m",
		[PAINT_GOOD] = "\033[32m", [PAINT_WARN] = "\033[33m",
	};

	return style.has_colour[fileno(stream)] ? escapes[paint] : "";
}

void report_title(const char *title)
{
	out("%s%s%s\n", report_paint(stdout, PAINT_TITLE), title,
	    report_paint(stdout, PAINT_PLAIN));
}

/* Print words until the width is reached, then go on below; the cursor stands at `column`. */
static void wrap(const char *text, unsigned column, unsigned indent)
{
	bool is_first = true; /* on its line */

	while (*(text += strspn(text, " "))) {
		size_t bytes = strcspn(text, " ");
		unsigned columns = text_width(text, bytes);

		if (!is_first && column + 1 + columns > style.width) {
			out("\n%*s", (int)indent, "");
			column = indent;
			is_first = true;
		}
		if (!is_first)
			out_bytes(" ", 1);
		out_bytes(text, bytes);
		column += columns + !is_first;
		is_first = false;
		text += bytes;
	}
	out_bytes("\n", 1);
}

void report_row(const char *label, const char *format, ...)
{
	char text[2048];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	out("%*s%s%-*s%s", LABEL_COLUMN, "", report_paint(stdout, PAINT_LABEL),
	    VALUE_COLUMN - LABEL_COLUMN, label, report_paint(stdout, PAINT_PLAIN));
	wrap(text, VALUE_COLUMN, VALUE_COLUMN);
}

void report_text(unsigned indent, const char *format, ...)
{
	char text[2048];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	out("%*s", (int)indent, "");
	wrap(text, indent, indent);
}
