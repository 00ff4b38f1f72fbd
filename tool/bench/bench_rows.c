/* SPDX-License-Identifier: MIT */
/* bench_rows.c — results of the programs of bench/work as one table for people */
#include "bench/bench.h"
#include "output.h"
#include "report.h"

#include <stdio.h>

#define OTHERS_QUIET 0.05 /* CPUs: more is worth a word; arbitrary */

/* Eighty columns. */
#define ROW "%-10s%-7s%8s%8s%8s%5s%9s%9s%8s%8s"

void bench_seconds(char *text, size_t size, double seconds)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 } };
	unsigned u = 0;

	while (u < 3 && seconds < 0.9995 * units[u].seconds)
		u++;
	double value = seconds / units[u].seconds;
	int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
	snprintf(text, size, "%.*f %s", digits, value, units[u].name);
}

/* "4711", "63.2M" */
static void format_count(char *text, size_t size, uint64_t count)
{
	static const char units[] = " kMGTPE";
	double value = (double)count;
	unsigned u = 0;

	if (count < 10000) {
		snprintf(text, size, "%u", (unsigned)count);
		return;
	}
	while (value >= 999.5) {
		value /= 1000;
		u++;
	}
	snprintf(text, size, "%.*f%c", value < 99.95 ? 1 : 0, value, units[u]);
}

void bench_rows_title(void)
{
	out("%s", report_paint(stdout, PAINT_LABEL));
	out(ROW "\n", "kernel", "size", "serial", "workers", "skua", "+-", "/serial", "speed-up",
	    "tasks", "steals");
	out("%s", report_paint(stdout, PAINT_PLAIN));
}

/* Half the distance of the quartiles, in parts of the median. */
static void format_spread(char *text, size_t size, struct stats stats)
{
	double spread = stats.median > 0 ? (stats.high - stats.low) / 2 / stats.median : 0;

	snprintf(text, size, "%.0f%%", spread < 9.99 ? 100 * spread : 999.0);
}

void bench_row(const struct bench_result *result, bool is_first)
{
	struct stats own = sample_stats(&result->own);
	char serial[16] = "", workers[16], seconds[16], spread[16], ratio[16] = "-";
	char speedup[16] = "", tasks[16], steals[16];

	if (is_first)
		bench_seconds(serial, sizeof(serial), sample_stats(&result->serial).median);
	snprintf(workers, sizeof(workers), "%u", result->workers);
	bench_seconds(seconds, sizeof(seconds), own.median);
	format_spread(spread, sizeof(spread), own);
	if (result->has_ratio)
		snprintf(ratio, sizeof(ratio), "%.2f", sample_ratio(&result->own, &result->serial));
	if (result->speedup > 0)
		snprintf(speedup, sizeof(speedup), "%.2f", result->speedup);
	format_count(tasks, sizeof(tasks), result->tasks);
	format_count(steals, sizeof(steals), result->steals);
	out("%s", report_paint(stdout, result->check ? PAINT_PLAIN : PAINT_WARN));
	out(ROW "%s\n", is_first ? result->name : "", is_first ? result->problem : "", serial,
	    workers, seconds, spread, ratio, speedup, tasks, steals,
	    result->check ? "" : "\n  THE RESULT IS WRONG.");
	out("%s", result->check ? "" : report_paint(stdout, PAINT_PLAIN));
	if (result->second.count)
		out("  %.2f x %s\n", sample_ratio(&result->own, &result->second),
		    result->second_role);
	else if (result->figure_count)
		bench_figures(result);
}

void bench_rows_end(bool is_right)
{
	out("\n");
	report_text(
		2,
		"Medians; serial is the plain program on one thread, +- half the distance of "
		"the quartiles, /serial skua's time over the serial one of the same round: below "
		"1 is faster. "
		"Tasks and steals are those of all rounds.");
	if (is_right)
		report_text(2, "%sEvery result was right.%s", report_paint(stdout, PAINT_GOOD),
			    report_paint(stdout, PAINT_PLAIN));
}

void bench_busy(double other_cpus)
{
	if (other_cpus <= OTHERS_QUIET)
		return;
	out("\n");
	report_text(2,
		    "%sThe machine was busy%s: other processes used %.2f CPUs meanwhile. Ratios of "
		    "one worker suffer less from that than times, speed-ups more.",
		    report_paint(stdout, PAINT_WARN), report_paint(stdout, PAINT_PLAIN),
		    other_cpus);
}
