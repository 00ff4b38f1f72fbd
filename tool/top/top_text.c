/* SPDX-License-Identifier: MIT */
/* top_text.c — a monitored process for people: a bar and a few numbers for each worker */
#include "output.h"
#include "report.h"
#include "text.h"
#include "top/top.h"
#include "words.h"

#include <string.h>

#define BAR_COLUMNS 10
#define FIXED	    64 /* columns before the task's name */

/* A number in at most five columns: 12345, 1.23M. */
static struct text short_number(double value)
{
	static const char units[] = " kMGTPE";
	struct text text;
	unsigned unit = 0;

	while (value >= 99999.5 || (unit && value >= 999.5)) {
		value /= 1000;
		unit++;
	}
	if (!unit)
		snprintf(text.s, sizeof(text.s), "%.0f", value);
	else
		snprintf(text.s, sizeof(text.s), "%.*f%c",
			 value < 9.995	 ? 2
			 : value < 99.95 ? 1
					 : 0,
			 value, units[unit < 6 ? unit : 6]);
	return text;
}

static struct text rate_text(const struct top_rates *rates, double value)
{
	return rates->is_known ? short_number(value) : (struct text){ .s = "-" };
}

static void put_bar(FILE *to, const struct top_rates *rates)
{
	unsigned full = (unsigned)(rates->running * BAR_COLUMNS + 0.5);
	bool is_utf8 = report_utf8();

	fputs(report_paint(stdout, PAINT_GOOD), to);
	for (unsigned i = 0; i < BAR_COLUMNS; i++) {
		if (i == full)
			fputs(report_paint(stdout, PAINT_PLAIN), to);
		fputs(i < full ? (is_utf8 ? "\u25a0" : "#") : (is_utf8 ? "\u00b7" : "."), to);
	}
	fputs(report_paint(stdout, PAINT_PLAIN), to);
	if (rates->is_known)
		fprintf(to, " %3.0f %%", 100 * rates->running);
	else
		fprintf(to, "   - %%");
}

static void put_numbers(FILE *to, const struct top_rates *rates, uint64_t waiting)
{
	fprintf(to, " %8s %8s %8s %6s", rate_text(rates, rates->tasks).s,
		rate_text(rates, rates->steals).s, rate_text(rates, rates->parks).s,
		short_number((double)waiting).s);
}

/* "fib, 1.2 s" in what is left of the line. */
static void put_task(FILE *to, const struct skuai_live_worker *worker, int64_t now_ns,
		     unsigned room)
{
	char age[32] = "";

	if (!worker->since_ns)
		return;
	int64_t ns = now_ns > worker->since_ns ? now_ns - worker->since_ns : 0;
	if (ns >= 100000000)
		snprintf(age, sizeof(age), " %.1f s%s", (double)ns / 1e9,
			 worker->flags & SKUAI_LIVE_IS_STUCK ? ", stuck" : "");
	unsigned used = (unsigned)strlen(age);
	const char *paint = worker->flags & SKUAI_LIVE_IS_STUCK ? report_paint(stdout, PAINT_WARN)
								: "";
	fprintf(to, "  %s%s%s%s", paint,
		text_clean(worker->task, room > used + 8 ? room - used : 8).s, age,
		*paint ? report_paint(stdout, PAINT_PLAIN) : "");
}

static void put_worker(FILE *to, const struct live_pool *pool, const struct live_pool *before,
		       unsigned number, unsigned width)
{
	const struct skuai_live_worker *worker = &pool->workers[number];
	struct top_rates rates = top_rates_of(before, pool, (int)number);
	bool is_blocked = worker->state == SKUAI_LIVE_BLOCKED;

	fprintf(to, "%5u %s%-9s%s ", number, is_blocked ? report_paint(stdout, PAINT_WARN) : "",
		top_state_word(worker->state), is_blocked ? report_paint(stdout, PAINT_PLAIN) : "");
	put_bar(to, &rates);
	put_numbers(to, &rates, (uint64_t)worker->deque + worker->forks);
	put_task(to, worker, pool->head.now_ns, width > FIXED + 8 ? width - FIXED : 8);
	fputc('\n', to);
}

static unsigned in_state(const struct live_pool *pool, enum skuai_live_state state)
{
	unsigned count = 0;

	for (unsigned i = 0; i < pool->head.workers; i++)
		count += pool->workers[i].state == state;
	return count;
}

static void put_pool_head(FILE *to, const struct top_view *view, const struct live_pool *pool)
{
	static const char *const classes[] = { "urgent", "normal", "low" };
	const struct skuai_live_head *head = &pool->head;
	unsigned blocked = in_state(pool, SKUAI_LIVE_BLOCKED);
	double silent = top_silence_s(view, pool);

	fprintf(to, "%spool \"%s\"%s  %u of %u workers up", report_paint(stdout, PAINT_TITLE),
		text_clean(head->name, 16).s, report_paint(stdout, PAINT_PLAIN), head->active,
		head->workers);
	fprintf(to, ", %u running, %u blocked", in_state(pool, SKUAI_LIVE_RUNNING), blocked);
	for (unsigned rank = 0; rank < 3; rank++)
		if (head->queues >> rank & 1)
			fprintf(to, ", %s jobs queued", classes[rank]);
	if (head->stuck_ms)
		fprintf(to, "; watchdog %.1f s: %s", head->stuck_ms / 1e3,
			short_number((double)head->stuck).s);
	fputc('\n', to);
	if (silent > 0)
		fprintf(to, "%snot heard of for %.0f s: is the process stopped?%s\n",
			report_paint(stdout, PAINT_WARN), silent,
			report_paint(stdout, PAINT_PLAIN));
}

static void put_pool(FILE *to, const struct top_view *view, const struct live_pool *pool,
		     unsigned width)
{
	const struct live_pool *before = top_pool_before(view, pool);
	struct top_rates all = top_rates_of(before, pool, -1);
	uint64_t waiting = 0;

	put_pool_head(to, view, pool);
	fprintf(to, "%s%5s %-9s %-16s %8s %8s %8s %6s  %s%s\n", report_paint(stdout, PAINT_LABEL),
		"", "state", "in tasks", "tasks/s", "steals/s", "parks/s", "wait", "task",
		report_paint(stdout, PAINT_PLAIN));
	for (unsigned i = 0; i < pool->head.workers; i++)
		waiting += (uint64_t)pool->workers[i].deque + pool->workers[i].forks;
	fprintf(to, "%5s %-9s ", "all", "");
	put_bar(to, &all);
	put_numbers(to, &all, waiting);
	fputc('\n', to);
	for (unsigned i = 0; i < pool->head.workers; i++)
		put_worker(to, pool, before, i, width);
}

void top_show_text(FILE *to, const struct top_view *view, unsigned width)
{
	const struct live_process *process = &view->now;

	fprintf(to, "%sskua top%s  process %u (%s), every %g s%s\n",
		report_paint(stdout, PAINT_TITLE), report_paint(stdout, PAINT_PLAIN),
		process->number, text_clean(process->program, 24).s, view->interval_s,
		view->is_interactive ? ", q quits" : "");
	for (unsigned i = 0; i < process->pool_count; i++)
		put_pool(to, view, &process->pools[i], width);
	if (process->left_out)
		fprintf(to, "and %u more pools\n", process->left_out);
	if (process->fault[0])
		fprintf(to, "%s\n", process->fault);
}

void top_list_text(const struct live_process *processes, unsigned count, unsigned removed)
{
	if (count)
		out("%s%8s %6s %8s  %s%s\n", report_paint(stdout, PAINT_LABEL), "process", "pools",
		    "workers", "program", report_paint(stdout, PAINT_PLAIN));
	for (unsigned i = 0; i < count; i++) {
		unsigned workers = 0;
		for (unsigned p = 0; p < processes[i].pool_count; p++)
			workers += processes[i].pools[p].head.active;
		out("%8u %6u %8u  %s\n", processes[i].number,
		    processes[i].pool_count + processes[i].left_out, workers,
		    text_clean(processes[i].program, 40).s);
	}
	if (!count)
		report_text(0, "No process of yours is monitored.  Start one with SKUA_MONITOR=1 "
			       "in its environment, or let it call skua_monitor_begin.");
	if (removed)
		report_text(0, "%u file%s of processes that are gone: removed.", removed,
			    words_plural(removed));
}
