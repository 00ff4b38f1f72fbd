/* SPDX-License-Identifier: MIT */
/* bench_text.c — a kernel's own figures as a table for people */
#include "bench/bench.h"
#include "output.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROLE_COLUMNS   26
#define FIGURE_COLUMNS 18
#define VARIANTS_MAX   3

/*
 * "0.24 [0.23 0.26]", "12.4 [12.3 12.6]", "13 us [11 15]": the largest number decides unit and
 * digits, so that a cell is never wider than 16, even on a machine that was busy.
 */
static void format_stats(char *text, size_t size, struct stats stats)
{
	static const struct {
		const char *name;
		double ns, one_digit_below;
	} units[] = {
		{ "", 1, 99.95 }, { " us", 1e3, 9.95 }, { " ms", 1e6, 9.95 }, { " s", 1e9, 9.95 }
	};
	unsigned u = 0;

	while (u < 3 && stats.high / units[u].ns >= 999.5)
		u++;
	double unit = units[u].ns;
	int digits = stats.high < 9.995 ? 2 : stats.high / unit < units[u].one_digit_below ? 1 : 0;
	if (stats.count == 0)
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%.*f%s [%.*f %.*f]", digits, stats.median / unit,
			 units[u].name, digits, stats.low / unit, digits, stats.high / unit);
}

static void show_column(const char *text, bool is_last)
{
	if (is_last)
		out("%s", text);
	else
		out("%-*s", FIGURE_COLUMNS, text);
}

static const struct figure *find(const struct bench_result *result, const char *name,
				 const char *variant)
{
	for (unsigned i = 0; i < result->figure_count; i++) {
		const struct figure *figure = &result->figures[i];
		if (strcmp(figure->name, name) == 0 && strcmp(figure->variant, variant) == 0)
			return figure;
	}
	return NULL;
}

static const struct figure *find_name(const struct bench_result *result, const char *name)
{
	unsigned i = 0;

	while (strcmp(result->figures[i].name, name) != 0)
		i++;
	return &result->figures[i];
}

/* The columns, in the order in which the figures bring them. */
static unsigned find_variants(const struct bench_result *result, const char **variants)
{
	unsigned count = 0;

	for (unsigned i = 0; i < result->figure_count; i++) {
		unsigned v = 0;
		while (v < count && strcmp(variants[v], result->figures[i].variant) != 0)
			v++;
		if (v == count && count < VARIANTS_MAX)
			variants[count++] = result->figures[i].variant;
	}
	return count;
}

void bench_figures(const struct bench_result *result)
{
	const char *variants[VARIANTS_MAX];
	unsigned count = find_variants(result, variants);

	out("  %s%-*s", report_paint(stdout, PAINT_LABEL), ROLE_COLUMNS, "ns, median [quartiles]");
	for (unsigned v = 0; v < count; v++)
		show_column(variants[v], v + 1 == count);
	out("%s\n", report_paint(stdout, PAINT_PLAIN));
	for (unsigned i = 0; i < result->figure_count; i++) {
		const struct figure *first = &result->figures[i];
		if (find_name(result, first->name) != first)
			continue; /* its row is there */
		out("  %-*s", ROLE_COLUMNS, first->role);
		for (unsigned v = 0; v < count; v++) {
			const struct figure *figure = find(result, first->name, variants[v]);
			char text[64] = "";
			if (figure)
				format_stats(text, sizeof(text), sample_stats(&figure->ns));
			show_column(text, v + 1 == count);
		}
		out("\n");
	}
}

void bench_text(const struct bench_result *result)
{
	out("%s%s%s: %s\n\n", report_paint(stdout, PAINT_TITLE), result->name,
	    report_paint(stdout, PAINT_PLAIN), result->role);
	if (result->figure_count)
		bench_figures(result);
	out("\n");
	report_text(2,
		    "%" PRIu64 " %s: %.2f x the plain serial program, %u rounds, up to %u threads.",
		    result->size, result->unit, sample_ratio(&result->own, &result->serial),
		    result->own.count, result->workers);
	report_text(2, "%s%" PRIu64 " elements went through, %" PRIu64 " of them stolen: %s%s",
		    report_paint(stdout, result->check ? PAINT_GOOD : PAINT_WARN), result->tasks,
		    result->steals,
		    result->check ? "all came out, none twice."
				  : "SOME WERE LOST OR CAME OUT TWICE.",
		    report_paint(stdout, PAINT_PLAIN));
	if (result->skipped)
		report_text(2, "Left out: %s.", result->skipped);
}
