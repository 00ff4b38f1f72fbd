/* SPDX-License-Identifier: MIT */
/* compare_show.c — two runs compared: the table for people, and JSON as docs/json.md has it */
#include "bench/bench.h"
#include "bench/verdict.h"
#include "json.h"
#include "output.h"
#include "report.h"
#include "text.h"

#include <skua/skua.h>
#include <stdio.h>
#include <string.h>

/* Eighty columns with the verdict. */
#define ROW "%-10s%-7s%7s%8s%8s%7s%12s%7s  "

#define VERDICT_ENTRY(name, word, shown) [name] = { word, shown },
#define REASON_ENTRY(name, word, shown)	 [name] = { word, shown },
static const struct {
	const char *word, *shown;
} verdict_words[] = { VERDICTS(VERDICT_ENTRY) }, reason_words[] = { REASONS(REASON_ENTRY) };

static const enum paint verdict_paints[VERDICT_KINDS] = {
	[VERDICT_SLOWER] = PAINT_WARN,
	[VERDICT_FASTER] = PAINT_GOOD,
};

static void format_ratio(char *text, size_t size, double ratio)
{
	if (ratio > 0)
		snprintf(text, size, "%.*f", ratio < 99.95 ? 2 : 0, ratio < 99999 ? ratio : 99999);
	else
		snprintf(text, size, "-");
}

static void format_interval(char *text, size_t size, const struct comparison *comparison)
{
	char low[12], high[12];

	format_ratio(low, sizeof(low), comparison->interval.low);
	format_ratio(high, sizeof(high), comparison->interval.high);
	snprintf(text, size, "%s %s", low, high);
}

/* Texts from a file: clean, and never as wide as their column. */
static void show_row(const struct comparison *comparison)
{
	const struct past_row *row = comparison->after ? comparison->after : comparison->before;
	char workers[16], old[16] = "-", new[16] = "-", ratio[16], serial[16], interval[32] = "-";
	const char *paint = report_paint(stdout, verdict_paints[comparison->verdict]);
	struct text name = text_clean(row->name, 9);
	struct text problem = text_clean(row->problem ? row->problem : "", 6);

	snprintf(workers, sizeof(workers), "%u", row->workers);
	if (comparison->before)
		bench_seconds(old, sizeof(old), comparison->before->seconds);
	if (comparison->after)
		bench_seconds(new, sizeof(new), comparison->after->seconds);
	format_ratio(ratio, sizeof(ratio),
		     comparison->has_interval ? comparison->interval.ratio : 0);
	format_ratio(serial, sizeof(serial), comparison->serial);
	if (comparison->has_interval)
		format_interval(interval, sizeof(interval), comparison);
	out(ROW "%s%s%s\n", name.s, problem.s, workers, old, new, ratio, interval, serial, paint,
	    verdict_words[comparison->verdict].shown,
	    *paint ? report_paint(stdout, PAINT_PLAIN) : "");
}

/* "2 slower, 1 faster, 5 same" */
static void show_counts(const struct comparisons *all)
{
	char text[200] = "";
	size_t length = 0;

	for (unsigned v = 0; v < VERDICT_KINDS; v++) {
		if (all->verdicts[v])
			length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%u %s",
						   length ? ", " : "", all->verdicts[v],
						   verdict_words[v].shown);
	}
	report_text(2, "%s%s.%s",
		    report_paint(stdout, all->verdicts[VERDICT_SLOWER] ? PAINT_WARN : PAINT_GOOD),
		    length ? text : "Both files are empty", report_paint(stdout, PAINT_PLAIN));
}

static bool is_beyond(double ratio, double threshold)
{
	return ratio > 1 + threshold || (ratio > 0 && ratio < 1 / (1 + threshold));
}

void compare_text(const struct comparisons *all)
{
	double percent = 100 * all->threshold;

	out("%s", report_paint(stdout, PAINT_LABEL));
	out(ROW "verdict\n", "kernel", "size", "workers", "old", "new", "ratio", "95% from to",
	    "serial");
	out("%s", report_paint(stdout, PAINT_PLAIN));
	for (unsigned i = 0; i < all->count; i++)
		show_row(&all->each[i]);
	out("\n");
	report_text(2,
		    "Ratio is the new median over the old: 1.20 is a fifth slower. It is told from "
		    "chance when its interval does not hold 1, and worth a word from %.0f%% on. "
		    "Serial is the same for the plain programs, which no change of skua moves.",
		    percent);
	if (is_beyond(all->serial, all->threshold))
		report_text(2,
			    "%sThe plain serial programs took %.2f times as long too%s: the "
			    "machine or its load was another; measure both again, in turn.",
			    report_paint(stdout, PAINT_WARN), all->serial,
			    report_paint(stdout, PAINT_PLAIN));
	for (unsigned r = REASON_NONE + 1; r < REASON_KINDS; r++) {
		if (all->reasons[r])
			report_text(2, "Cannot tell, %u: %s.", all->reasons[r],
				    reason_words[r].shown);
	}
	show_counts(all);
}

/* --- JSON --- */

/* 0 becomes null. */
static void write_real(struct json *json, const char *key, double value)
{
	if (value > 0)
		json_real(json, key, value);
	else
		json_null(json, key);
}

static void write_run(struct json *json, const char *key, const struct past *past)
{
	json_object(json, key);
	json_text(json, "file", past->file);
	json_text(json, "skua_version", past->version);
	json_close(json);
}

static void write_row(struct json *json, const struct comparison *comparison)
{
	const struct past_row *before = comparison->before, *after = comparison->after;
	const struct past_row *row = after ? after : before;
	const struct interval *interval = &comparison->interval;

	json_object(json, NULL);
	json_text(json, "name", row->name);
	json_text(json, "problem", row->problem);
	json_count(json, "workers", row->workers);
	json_text(json, "verdict", verdict_words[comparison->verdict].word);
	json_text(json, "reason",
		  comparison->reason ? reason_words[comparison->reason].word : NULL);
	write_real(json, "ratio", interval->ratio);
	write_real(json, "ratio_low", interval->low);
	write_real(json, "ratio_high", interval->high);
	write_real(json, "serial_ratio", comparison->serial);
	write_real(json, "old_s", before ? before->seconds : 0);
	write_real(json, "new_s", after ? after->seconds : 0);
	json_count(json, "old_samples", before ? before->own.count : 0);
	json_count(json, "new_samples", after ? after->own.count : 0);
	json_close(json);
}

void compare_json(const struct comparisons *all)
{
	struct json json = { 0 };

	json_object(&json, NULL);
	json_text(&json, "schema", "skua-compare-1");
	json_text(&json, "skua_version", skua_version_text());
	write_run(&json, "old", all->old);
	write_run(&json, "new", all->new);
	json_real(&json, "threshold", all->threshold);
	write_real(&json, "serial_ratio", all->serial);
	json_object(&json, "counts");
	for (unsigned v = 0; v < VERDICT_KINDS; v++)
		json_count(&json, verdict_words[v].word, all->verdicts[v]);
	json_close(&json);
	json_array(&json, "rows");
	for (unsigned i = 0; i < all->count; i++)
		write_row(&json, &all->each[i]);
	json_close(&json);
	json_close(&json);
}
