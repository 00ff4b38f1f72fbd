/* SPDX-License-Identifier: MIT */
/* race_text.c — a race as a table for people, a bar for each speed-up */
#include "output.h"
#include "race/race.h"
#include "report.h"
#include "tour/bar.h"

#include <inttypes.h>
#include <stdio.h>

#define NAME_COLUMNS 17
#define BAR_LEAST    4 /* columns; below, the bars say nothing and are left out */

/* Three digits and a unit: "251ms", "35.1ms"; no blank, the table is full. */
static void format_seconds(char *text, size_t size, double seconds)
{
	static const char *const units[] = { "s", "ms", "us", "ns" };
	unsigned u = 0;

	while (u < 3 && seconds < 0.9995) {
		seconds *= 1000;
		u++;
	}
	snprintf(text, size, "%.*f%s",
		 seconds < 9.995   ? 2
		 : seconds < 99.95 ? 1
				   : 0,
		 seconds, units[u]);
}

/* "471", "63.2k" */
static int format_count(char *text, size_t size, double count)
{
	static const char units[] = "kMG";
	unsigned u = 0;

	if (count < 999.5)
		return snprintf(text, size, "%.0f", count);
	for (count /= 1000; count >= 999.5 && u < 2; u++)
		count /= 1000;
	return snprintf(text, size, "%.*f%c", count < 99.95 ? 1 : 0, count, units[u]);
}

static bool has(const struct race_row *row, enum race_reading reading)
{
	return row->readings[reading].count > 0;
}

/* --- the columns: those that fit are shown, the first ones first --- */

static void write_time(const struct race_row *row, char *text, size_t size)
{
	format_seconds(text, size, race_median(row, RACE_SECONDS));
}

static void write_speedup(const struct race_row *row, char *text, size_t size)
{
	snprintf(text, size, "%.2f", row->rival ? race_median(row, RACE_SPEEDUP) : 1.0);
}

static void write_utilisation(const struct race_row *row, char *text, size_t size)
{
	if (has(row, RACE_UTILISATION))
		snprintf(text, size, "%.0f%%", 100 * race_median(row, RACE_UTILISATION));
}

/* Lock waits, or CAS failures, and which. */
static void write_waits(const struct race_row *row, char *text, size_t size)
{
	bool is_cas = has(row, RACE_CAS_FAILURES);
	int length;

	if (!is_cas && !has(row, RACE_LOCK_WAITS))
		return;
	length = format_count(text, size,
			      race_median(row, is_cas ? RACE_CAS_FAILURES : RACE_LOCK_WAITS));
	snprintf(text + length, size - (size_t)length, "%s", is_cas ? "c" : "l");
}

static void write_switches(const struct race_row *row, char *text, size_t size)
{
	int length = format_count(text, size, race_median(row, RACE_VOLUNTARY));

	text[length++] = '+';
	format_count(text + length, size - (size_t)length, race_median(row, RACE_INVOLUNTARY));
}

static void write_cpu(const struct race_row *row, char *text, size_t size)
{
	format_seconds(text, size, race_median(row, RACE_CPU));
}

static void write_imbalance(const struct race_row *row, char *text, size_t size)
{
	if (has(row, RACE_IMBALANCE))
		snprintf(text, size, "%.2f", race_median(row, RACE_IMBALANCE));
}

static const struct column {
	const char *title;
	int width;
	void (*write)(const struct race_row *row, char *text, size_t size);
} columns[] = {
	{ "time", 7, write_time },	   { "speed-up", 9, write_speedup },
	{ "util", 5, write_utilisation },  { "waits", 7, write_waits },
	{ "switches", 9, write_switches }, { "CPU", 7, write_cpu },
	{ "imbal", 6, write_imbalance },
};

#define COLUMN_COUNT (sizeof(columns) / sizeof(columns[0]))

/* How many of them fit into the width, and what is left for a bar. */
static unsigned fitting(unsigned *bar)
{
	unsigned used = NAME_COLUMNS, width = report_width(), i = 0;

	while (i < COLUMN_COUNT && used + (unsigned)columns[i].width <= width)
		used += (unsigned)columns[i++].width;
	*bar = used + 2 + BAR_LEAST <= width ? width - used - 2 : 0;
	return i;
}

static void write_row(const struct race_row *row, double most, bool is_best)
{
	unsigned room, shown = fitting(&room);
	double speedup = row->rival ? race_median(row, RACE_SPEEDUP) : 1;

	out("%s%-*s%s", report_paint(stdout, PAINT_LABEL), NAME_COLUMNS, race_row_name(row),
	    report_paint(stdout, PAINT_PLAIN));
	if (row->failed) {
		out("did not run: %s\n", row->failed);
		return;
	}
	for (unsigned i = 0; i < shown; i++) {
		char text[48] = "-";
		columns[i].write(row, text, sizeof(text));
		out("%*s", columns[i].width, text);
	}
	unsigned length = (unsigned)(speedup / most * room + 0.5);
	if (length) {
		out("  %s", report_paint(stdout, is_best ? PAINT_GOOD : PAINT_PLAIN));
		bar_draw(length < room ? length : room);
		out("%s", report_paint(stdout, PAINT_PLAIN));
	}
	out("\n");
	if (!row->check)
		out("%s  WRONG: %" PRIu32 " jobs lost, %" PRIu32 " run twice, %" PRIu32
		    " results wrong%s\n",
		    report_paint(stdout, PAINT_WARN), row->worst.lost, row->worst.twice,
		    row->worst.wrong, report_paint(stdout, PAINT_PLAIN));
}

static bool is_shown(const struct race_row *row, unsigned workers)
{
	return !row->rival || row->workers == workers;
}

void race_text(const struct race_result *result, unsigned workers)
{
	double most = workers; /* the longest bar */
	const struct race_row *best = result->rows;
	unsigned room, shown = fitting(&room);

	for (unsigned i = 1; i < result->row_count; i++) {
		const struct race_row *row = &result->rows[i];
		if (!is_shown(row, workers) || row->failed)
			continue;
		double speedup = race_median(row, RACE_SPEEDUP);
		most = speedup > most ? speedup : most;
		if (speedup > (best->rival ? race_median(best, RACE_SPEEDUP) : 1))
			best = row;
	}
	report_text(0, "%s%s%s, %" PRIu32 " jobs, %u worker%s: %s.",
		    report_paint(stdout, PAINT_TITLE), result->shape->name,
		    report_paint(stdout, PAINT_PLAIN), result->jobs, workers,
		    workers == 1 ? "" : "s", result->shape->role);
	out("%s%-*s", report_paint(stdout, PAINT_LABEL), NAME_COLUMNS, "");
	for (unsigned i = 0; i < shown; i++)
		out("%*s", columns[i].width, columns[i].title);
	out("%s\n", report_paint(stdout, PAINT_PLAIN));
	for (unsigned i = 0; i < result->row_count; i++) {
		const struct race_row *row = &result->rows[i];
		if (is_shown(row, workers))
			write_row(row, most, row == best);
	}
	out("\n");
}

void race_text_end(const struct race_plan *plan, bool is_right)
{
	report_text(2,
		    "Medians of %u round%s in random order, seed %" PRIu64
		    ". speed-up: over the serial loop of the same round, also the bar. util: the "
		    "share of its workers' time that was in jobs. waits: locks that were held (l), "
		    "CAS that failed (c). switches: voluntary + involuntary. imbal: the busiest "
		    "worker's work over the mean. skua_...: our own pool with one knob turned.",
		    plan->repeat, plan->repeat == 1 ? "" : "s", plan->seed);
	if (is_right)
		report_text(2, "%sEvery job ran exactly once, and every result was right.%s",
			    report_paint(stdout, PAINT_GOOD), report_paint(stdout, PAINT_PLAIN));
}
