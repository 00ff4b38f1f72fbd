/* SPDX-License-Identifier: MIT */
/* simcmd_text.c — a sweep as a table for people, a bar for each efficiency */
#include "output.h"
#include "report.h"
#include "sim/simcmd.h"
#include "tour/bar.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BAR_LEAST 8 /* columns; below, the bars say nothing and are left out */

/* Three digits. */
static int digits_of(double value)
{
	return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

void simcmd_count(char *text, size_t size, double count)
{
	static const char units[] = "kMGTPE";
	unsigned u = 0;

	if (count < 999.5) {
		snprintf(text, size, "%.0f", count);
		return;
	}
	for (count /= 1000; count >= 999.5 && u < 5; u++)
		count /= 1000;
	snprintf(text, size, "%.*f%c", count < 99.95 ? 1 : 0, count, units[u]);
}

void simcmd_ticks(char *text, size_t size, double ticks, const char *unit)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	unsigned u = 0;

	if (strcmp(unit, "ns") != 0) {
		simcmd_count(text, size, ticks);
		return;
	}
	for (; u < 3 && ticks >= 999.5; u++)
		ticks /= 1000;
	snprintf(text, size, "%.*f %s", digits_of(ticks), ticks, units[u]);
}

/* --- columns: those that fit are shown, the first ones first --- */

struct row {
	const struct simcmd_sweep *sweep;
	unsigned variant, count;
};

static double mean_of(const struct row *row, enum simcmd_metric metric)
{
	return simcmd_spread(row->sweep, row->variant, row->count, metric).mean;
}

static bool is_open(const struct row *row)
{
	return row->sweep->plan->base.model == SIM_OPEN;
}

static void write_time(const struct row *row, char *text, size_t size)
{
	if (is_open(row))
		snprintf(text, size, "%.3f", mean_of(row, SIMCMD_SOJOURN));
	else
		simcmd_ticks(text, size, mean_of(row, SIMCMD_MAKESPAN),
			     row->sweep->plan->load.unit);
}

static void write_spread(const struct row *row, char *text, size_t size)
{
	struct simcmd_spread spread = simcmd_spread(row->sweep, row->variant, row->count,
						    is_open(row) ? SIMCMD_SOJOURN
								 : SIMCMD_MAKESPAN);

	if (spread.half < 0 || spread.mean <= 0)
		return;
	double part = 100 * spread.half / spread.mean;
	snprintf(text, size, "%.*f%%", part < 9.95 ? 1 : 0, part < 999 ? part : 999);
}

static void write_speedup(const struct row *row, char *text, size_t size)
{
	double value = mean_of(row, SIMCMD_SPEEDUP);

	if (!is_open(row) && value < 9999.5)
		snprintf(text, size, "%.*f", digits_of(value), value);
	else if (!is_open(row))
		simcmd_count(text, size, value);
}

static void write_share(const struct row *row, enum simcmd_metric metric, char *text, size_t size)
{
	double share = 100 * mean_of(row, metric);

	snprintf(text, size, "%.*f%%", share > 0 && share < 0.95 ? 1 : 0, share);
}

static void write_efficiency(const struct row *row, char *text, size_t size)
{
	write_share(row, SIMCMD_EFFICIENCY, text, size);
}

static void write_bound(const struct row *row, char *text, size_t size)
{
	double value = mean_of(row, SIMCMD_BOUND);

	if (!is_open(row) && value > 0)
		snprintf(text, size, "%.*f", digits_of(value), value);
}

static void write_factor(const struct row *row, char *text, size_t size)
{
	double value = mean_of(row, SIMCMD_FACTOR);

	if (!is_open(row) && value < 9999.5)
		snprintf(text, size, "%.*f", digits_of(value), value);
	else if (!is_open(row))
		simcmd_count(text, size, value);
}

#define SHARE_WRITER(name, METRIC)                                       \
	static void name(const struct row *row, char *text, size_t size) \
	{                                                                \
		write_share(row, METRIC, text, size);                    \
	}
#define COUNT_WRITER(name, METRIC)                                       \
	static void name(const struct row *row, char *text, size_t size) \
	{                                                                \
		simcmd_count(text, size, mean_of(row, METRIC));          \
	}
SHARE_WRITER(write_busy, SIMCMD_BUSY)
SHARE_WRITER(write_overhead, SIMCMD_OVERHEAD)
SHARE_WRITER(write_searching, SIMCMD_SEARCHING)
SHARE_WRITER(write_waiting, SIMCMD_WAITING)
SHARE_WRITER(write_parked, SIMCMD_PARKED)
SHARE_WRITER(write_blocked, SIMCMD_BLOCKED)
#define TICKS_WRITER(name, METRIC)                                                           \
	static void name(const struct row *row, char *text, size_t size)                     \
	{                                                                                    \
		simcmd_ticks(text, size, mean_of(row, METRIC), row->sweep->plan->load.unit); \
	}
TICKS_WRITER(write_urgent_mean, SIMCMD_URGENT_MEAN)
TICKS_WRITER(write_urgent_last, SIMCMD_URGENT_LAST)
TICKS_WRITER(write_normal_mean, SIMCMD_NORMAL_MEAN)
TICKS_WRITER(write_normal_last, SIMCMD_NORMAL_LAST)
TICKS_WRITER(write_low_mean, SIMCMD_LOW_MEAN)
TICKS_WRITER(write_low_last, SIMCMD_LOW_LAST)
COUNT_WRITER(write_steals, SIMCMD_STEALS)
COUNT_WRITER(write_failed, SIMCMD_FAILED)
COUNT_WRITER(write_messages, SIMCMD_MESSAGES)
COUNT_WRITER(write_queue, SIMCMD_QUEUE)
COUNT_WRITER(write_live, SIMCMD_LIVE)
COUNT_WRITER(write_used, SIMCMD_USED)
COUNT_WRITER(write_memory, SIMCMD_MEMORY)

struct column {
	const char *title;
	int width;
	void (*write)(const struct row *row, char *text, size_t size);
};

static const struct column first_table[] = {
	{ "time", 9, write_time },	   { "+-", 6, write_spread },
	{ "speed-up", 10, write_speedup }, { "effic.", 7, write_efficiency },
	{ "/bound", 8, write_bound },	   { NULL, 0, NULL },
};

static const struct column time_table[] = {
	{ "tasks", 7, write_busy },
	{ "cost", 6, write_overhead },
	{ "search", 8, write_searching },
	{ "wait", 6, write_waiting },
	{ "sleep", 7, write_parked },
	{ "idle", 6, write_blocked },
	{ "c", 9, write_factor },
	{ "used", 8, write_used },
	{ NULL, 0, NULL },
};

static const struct column count_table[] = {
	{ "steals", 8, write_steals },
	{ "failed", 8, write_failed },
	{ "messages", 10, write_messages },
	{ "queue", 8, write_queue },
	{ "alive", 8, write_live },
	{ "memory", 9, write_memory },
	{ NULL, 0, NULL },
};

/* When tasks end, by their priority. */
static const struct column end_table[] = {
	{ "urgent", 9, write_urgent_mean },
	{ "last", 9, write_urgent_last },
	{ "normal", 9, write_normal_mean },
	{ "last", 9, write_normal_last },
	{ "low", 9, write_low_mean },
	{ "last", 9, write_low_last },
	{ NULL, 0, NULL },
};

#define NAME_COLUMNS 23

static unsigned fitting(const struct column *columns, unsigned *left)
{
	unsigned used = NAME_COLUMNS, width = report_width(), i = 0;

	while (columns[i].title && used + (unsigned)columns[i].width <= width)
		used += (unsigned)columns[i++].width;
	*left = width - used;
	return i;
}

static void write_row(const struct row *row, const struct column *columns, bool is_best)
{
	unsigned left, shown = fitting(columns, &left);
	const struct simcmd_plan *plan = row->sweep->plan;

	out("%9" PRIu32 "  %s%-12s%s", plan->counts[row->count], report_paint(stdout, PAINT_LABEL),
	    plan->variants[row->variant]->name, report_paint(stdout, PAINT_PLAIN));
	for (unsigned i = 0; i < shown; i++) {
		char text[48] = "-";
		columns[i].write(row, text, sizeof(text));
		out("%*s", columns[i].width, text);
	}
	if (columns == first_table && left >= BAR_LEAST + 2) {
		double share = mean_of(row, SIMCMD_EFFICIENCY);
		unsigned length = (unsigned)((share < 1 ? share : 1) * (left - 2) + 0.5);
		if (length) {
			out("  %s", report_paint(stdout, is_best ? PAINT_GOOD : PAINT_PLAIN));
			bar_draw(length);
			out("%s", report_paint(stdout, PAINT_PLAIN));
		}
	}
	out("\n");
}

static unsigned best_of(const struct simcmd_sweep *sweep, unsigned count)
{
	enum simcmd_metric metric = sweep->plan->base.model == SIM_OPEN ? SIMCMD_SOJOURN
									: SIMCMD_MAKESPAN;
	unsigned best = 0;

	for (unsigned v = 1; v < sweep->plan->variant_count; v++) {
		if (simcmd_spread(sweep, v, count, metric).mean <
		    simcmd_spread(sweep, best, count, metric).mean)
			best = v;
	}
	return best;
}

static void write_table(const struct simcmd_sweep *sweep, const struct column *columns)
{
	const struct simcmd_plan *plan = sweep->plan;
	unsigned left, shown = fitting(columns, &left);

	out("\n%s%9s  %-12s", report_paint(stdout, PAINT_LABEL), "workers", "scheduler");
	for (unsigned i = 0; i < shown; i++)
		out("%*s", columns[i].width,
		    plan->base.model == SIM_OPEN && columns[i].write == write_time
			    ? "in system"
			    : columns[i].title);
	out("%s\n", report_paint(stdout, PAINT_PLAIN));
	for (unsigned c = 0; c < plan->count_count; c++) {
		unsigned best = best_of(sweep, c);
		if (c && plan->variant_count > 1)
			out("\n");
		for (unsigned v = 0; v < plan->variant_count; v++)
			write_row(&(struct row){ sweep, v, c }, columns, v == best);
	}
}

static void write_head(const struct simcmd_sweep *sweep)
{
	const struct simcmd_plan *plan = sweep->plan;
	const struct sim_result *result = sweep->results;
	char work[32], span[32], tasks[32], recorded[32];

	simcmd_ticks(work, sizeof(work), (double)result->work, plan->load.unit);
	simcmd_ticks(span, sizeof(span), (double)result->span, plan->load.unit);
	simcmd_count(tasks, sizeof(tasks), (double)result->tasks);
	if (plan->base.model == SIM_TASKS)
		report_text(0, "%s%s%s, simulated: %s; %s tasks, work T1 %s, span Tinf %s.",
			    report_paint(stdout, PAINT_TITLE), plan->load.name,
			    report_paint(stdout, PAINT_PLAIN), plan->load.about, tasks, work, span);
	else
		report_text(0, "%s%s%s, simulated: %s.", report_paint(stdout, PAINT_TITLE),
			    plan->load.name, report_paint(stdout, PAINT_PLAIN), plan->load.about);
	if (!plan->load.recorded)
		return;
	simcmd_ticks(recorded, sizeof(recorded), (double)plan->load.recorded, plan->load.unit);
	report_text(0, "Recorded: %s with %" PRIu32 " worker%s.", recorded,
		    plan->load.recorded_workers, plan->load.recorded_workers == 1 ? "" : "s");
}

static void write_end(const struct simcmd_plan *plan, bool is_detail)
{
	out("\n");
	if (plan->base.model == SIM_OPEN)
		report_text(2,
			    "Means of %u run%s from seed %" PRIu64
			    "; +- holds the mean of endless runs 95 times of 100. in system: mean "
			    "time from arrival to end, in service times. The bar is the load.",
			    plan->runs, plan->runs == 1 ? "" : "s", plan->seed);
	else
		report_text(
			2,
			"Means of %u run%s from seed %" PRIu64
			"; +- holds the mean of endless runs 95 times of 100. speed-up: T1 over "
			"the time; effic.: that for each worker, also the bar; /bound: the time "
			"over T1/P + Tinf.",
			plan->runs, plan->runs == 1 ? "" : "s", plan->seed);
	if (plan->load.priority)
		report_text(2, "urgent, normal, low: when a task of that priority ends, on "
			       "average and the last one.");
	if (is_detail)
		report_text(
			2,
			"Of all workers' time: tasks, cost of scheduling, search, wait for an "
			"answer, sleep, idle. c: (time - T1/P) / Tinf. used: workers that ran a "
			"task. queue: the longest there was; alive: most tasks begun or ready at "
			"a time; memory: bytes of the simulator.");
}

void simcmd_text(const struct simcmd_sweep *sweep, bool is_detail)
{
	write_head(sweep);
	write_table(sweep, first_table);
	if (sweep->plan->load.priority)
		write_table(sweep, end_table);
	if (is_detail) {
		write_table(sweep, time_table);
		write_table(sweep, count_table);
	}
	write_end(sweep->plan, is_detail);
}
