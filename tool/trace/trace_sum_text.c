/* SPDX-License-Identifier: MIT */
/* trace_sum_text.c — a trace's summary for people */
#include "output.h"
#include "report.h"
#include "text.h"
#include "trace/trace_command.h"
#include "trace/trace_sum.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define MATRIX_MOST 12 /* workers for which who robbed whom is a table */
#define NAME_WIDTH  32

struct trace_time trace_time(uint64_t ns)
{
	struct trace_time time;
	double value = (double)ns;

	if (ns < 1000)
		snprintf(time.s, sizeof(time.s), "%" PRIu64 " ns", ns);
	else if (ns < 1000000)
		snprintf(time.s, sizeof(time.s), "%.1f us", value / 1e3);
	else if (ns < 1000000000)
		snprintf(time.s, sizeof(time.s), "%.1f ms", value / 1e6);
	else
		snprintf(time.s, sizeof(time.s), "%.3f s", value / 1e9);
	return time;
}

static void show_file(const struct summary *summary, const struct trace_call *call)
{
	const struct trace *trace = call->trace;
	const char *program = trace_fact(trace, "program");
	time_t when = (time_t)(trace->header.start_wall_ns / 1000000000);
	struct tm broken;
	char date[40] = "";

	report_title("Trace");
	report_row("of", "%s, process %" PRIu64, program ? text_clean(program, 60).s : "a program",
		   trace->header.process);
	if (trace->header.start_wall_ns > 0 && gmtime_r(&when, &broken) &&
	    strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &broken))
		report_row("begun", "%s", date);
	report_row("length", "%s%s", trace_time(trace_length(trace)).s,
		   trace->header.flags & SKUAI_TRACE_IS_SNAPSHOT ? ", the last of a longer run"
								 : "");
	report_row("workers", "%zu", summary->worker_count);
	report_row("records", "%" PRIu64 ", %" PRIu64 " dropped", trace->records, trace->dropped);
	if (summary->utilisation >= 0)
		report_row("running", "%.1f %% of the workers' time; somebody for %.1f %%",
			   100 * summary->utilisation,
			   100 * summary_share(summary, summary->somebody_ns));
	if (summary->imbalance >= 0)
		report_row("imbalance", "%.2f: the busiest worker over the mean",
			   summary->imbalance);
}

static void show_workers(const struct summary *summary)
{
	out("\n");
	report_title("Workers");
	out("  worker running searching  asleep waiting blocked  unseen    tasks   steals\n");
	for (size_t i = 0; i < summary->trace->ring_count; i++) {
		const struct sum_worker *worker = &summary->workers[i];
		if (worker->is_outside)
			continue;
		out("  %6" PRIu32, worker->ring->worker);
		for (unsigned state = 0; state < STATE_COUNT; state++)
			out(" %*.1f%%", state == STATE_SEARCHING ? 8 : 6,
			    100 * summary_share(summary, worker->ns[state]));
		out(" %8" PRIu64 " %8" PRIu64 "\n", worker->tasks, worker->steals);
	}
}

static void show_matrix(const struct summary *summary)
{
	uint32_t most = 0;
	size_t next = 0;

	for (size_t i = 0; i < summary->steal_count; i++) {
		const struct sum_steal *steal = &summary->steals[i];
		most = steal->thief > most ? steal->thief : most;
		most = steal->victim > most ? steal->victim : most;
	}
	out("  thief  from");
	for (uint32_t victim = 0; victim <= most; victim++)
		out(" %7" PRIu32, victim);
	out("\n");
	for (uint32_t thief = 0; thief <= most; thief++) {
		out("  %5" PRIu32 "      ", thief);
		for (uint32_t victim = 0; victim <= most; victim++) {
			const struct sum_steal *steal = &summary->steals[next];
			bool is_it = next < summary->steal_count && steal->thief == thief &&
				     steal->victim == victim;
			out(" %7" PRIu64, is_it ? steal->steals : 0);
			next += is_it;
		}
		out("\n");
	}
}

/* Too many for a table: those who stole most often. */
static void show_pairs(const struct summary *summary, uint64_t most)
{
	uint64_t below = UINT64_MAX;

	for (uint64_t shown = 0; shown < most;) {
		uint64_t best = 0;
		for (size_t i = 0; i < summary->steal_count; i++)
			if (summary->steals[i].steals < below && summary->steals[i].steals > best)
				best = summary->steals[i].steals;
		if (!best)
			return;
		for (size_t i = 0; i < summary->steal_count && shown < most; i++) {
			const struct sum_steal *steal = &summary->steals[i];
			if (steal->steals != best)
				continue;
			out("  worker %" PRIu32 " from worker %" PRIu32 ": %" PRIu64 "\n",
			    steal->thief, steal->victim, steal->steals);
			shown++;
		}
		below = best;
	}
}

static void show_steals(const struct summary *summary, uint64_t most)
{
	bool is_small = true;

	out("\n");
	report_title("Steals");
	for (unsigned i = 0; i < 256; i++) {
		const char *word = walk_distance((uint8_t)i);
		if (summary->distances[i])
			report_row(word ? word : "other", "%" PRIu64, summary->distances[i]);
	}
	if (summary->misses)
		report_row("in vain", "%" PRIu64 " searches", summary->misses);
	for (size_t i = 0; i < summary->steal_count; i++)
		is_small &= summary->steals[i].thief < MATRIX_MOST &&
			    summary->steals[i].victim < MATRIX_MOST;
	if (!summary->steal_count)
		report_text(2, "nobody stole anything");
	else if (is_small)
		show_matrix(summary);
	else
		show_pairs(summary, most);
}

static void show_waits(const struct summary *summary)
{
	bool is_titled = false;

	for (unsigned i = 0; i < SUM_REASONS; i++) {
		const struct sum_wait *wait = &summary->waits[i];
		if (!wait->count)
			continue;
		if (!is_titled) {
			out("\n");
			report_title("Waits");
			out("  for          count       total        idle     longest\n");
		}
		is_titled = true;
		out("  %-9s %8" PRIu64 " %11s %11s %11s\n", summary_reason(i), wait->count,
		    trace_time(wait->ns).s, trace_time(wait->idle_ns).s,
		    trace_time(wait->longest).s);
	}
}

static void show_tasks(const struct summary *summary, uint64_t most)
{
	if (!summary->task_count)
		return;
	out("\n");
	report_title("Tasks");
	out("     count       total     longest  name\n");
	for (size_t i = 0; i < summary->task_count && i < most; i++) {
		const struct sum_task *task = &summary->tasks[i];
		out("  %8" PRIu64 " %11s %11s  %s\n", task->count, trace_time(task->ns).s,
		    trace_time(task->longest).s,
		    task->name ? text_clean(task->name, NAME_WIDTH).s : "(no name)");
	}
	if (summary->task_count > most)
		out("  and %" PRIu64 " more names; --most=N shows N\n",
		    (uint64_t)summary->task_count - most);
}

static void show_gaps(const struct summary *summary)
{
	if (!summary->gap_count)
		return;
	out("\n");
	report_title("Longest gaps");
	for (unsigned i = 0; i < summary->gap_count; i++) {
		const struct sum_gap *gap = &summary->gaps[i];
		out("  worker %" PRIu32 ", %s from %.6f s on, mostly %s", gap->worker,
		    trace_time((uint64_t)gap->ns).s, (double)gap->start / 1e9,
		    trace_state_words[gap->state]);
		if (gap->beside)
			out("; tasks waited elsewhere for %s", trace_time((uint64_t)gap->beside).s);
		out("\n");
	}
}

static void show_warning(void *context, const char *text)
{
	bool *is_titled = context;

	if (!*is_titled) {
		out("\n");
		report_title("Warnings");
	}
	*is_titled = true;
	report_text(2, "- %s", text_clean(text, 0).s);
}

void summary_text(const struct summary *summary, const struct trace_call *call)
{
	uint64_t most = call->options->most ? call->options->most : TRACE_TASK_MOST;
	bool is_titled = false;

	show_file(summary, call);
	if (summary->worker_count)
		show_workers(summary);
	show_steals(summary, most);
	show_waits(summary);
	show_tasks(summary, most);
	show_gaps(summary);
	summary_warn(summary, show_warning, &is_titled);
}

int trace_summary(const struct trace_call *call)
{
	struct summary summary;

	if (!summary_make(&summary, call->trace))
		return trace_no_memory(call->path);
	if (call->options->is_json)
		summary_json(&summary, call);
	else
		summary_text(&summary, call);
	summary_drop(&summary);
	return STATUS_DONE;
}
