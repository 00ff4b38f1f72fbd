/* SPDX-License-Identifier: MIT */
/* report.h — reports for people: colour, width, wrapped rows and paragraphs */
#ifndef SKUAT_REPORT_H
#define SKUAT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

/* Learn what the terminal and the locale can show. */
void report_start(void);

bool report_utf8(void);	     /* the locale writes UTF-8; else ASCII only */
unsigned report_width(void); /* columns to use, 40 to 100 */

enum paint {
	PAINT_PLAIN,
	PAINT_TITLE,
	PAINT_LABEL,
	PAINT_GOOD,
	PAINT_WARN,
};

/* The escape that switches to a paint, or "" where `stream` wants no colour. */
const char *report_paint(FILE *stream, enum paint paint);

void report_title(const char *title);

/* "  label       text", the text wrapped under itself; an empty label continues the one above. */
__attribute__((format(printf, 2, 3))) void report_row(const char *label, const char *format, ...);

/* A paragraph, wrapped; every line starts with `indent` blanks. */
__attribute__((format(printf, 2, 3))) void report_text(unsigned indent, const char *format, ...);

#endif
