/* SPDX-License-Identifier: MIT */
/* trace_warn.c — what is amiss in a trace, in words, with what to try */
#include "trace/trace_sum.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define IDLE_SHARE    0.25 /* of the time in which others run: worth a sentence; all arbitrary */
#define BESIDE_SHARE  0.25 /* of that, with tasks waiting elsewhere */
#define BLOCKED_SHARE 0.25
#define QUIET_SHARE   0.25
#define IMBALANCE     1.5
#define LONG_SHARE    0.5  /* of the trace in one run of one task */
#define MISSES	      100  /* searches in vain for each that found something */
#define SEARCH_SHARE  0.05 /* of the workers' time spent with them */
#define IDLE_WORKERS  4	   /* that are named one by one */

struct voice {
	void (*say)(void *, const char *);
	void *context;
};

__attribute__((format(printf, 2, 3))) static void warn(const struct voice *voice,
						       const char *format, ...)
{
	char text[TRACE_NAME_BYTES + 400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	voice->say(voice->context, text);
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static void warn_of_file(const struct summary *summary, const struct voice *voice)
{
	const struct trace *trace = summary->trace;

	if (trace->is_truncated)
		warn(voice, "the file is cut short: this is what is in it; record it again where "
			    "there is room");
	if (trace->dropped)
		warn(voice,
		     "%" PRIu64 " records were dropped, the oldest of their rings: enlarge the "
		     "rings (SKUA_TRACE_RECORDS, or records in skua_trace_options), or trace a "
		     "shorter time",
		     trace->dropped);
	if (trace->unknown_records || trace->unknown_sections)
		warn(voice,
		     "%" PRIu64 " records and %" PRIu64 " sections are of kinds that this skua "
		     "does not know: they were skipped; try a newer one",
		     trace->unknown_records, trace->unknown_sections);
	if (trace->trailing)
		warn(voice, "%" PRIu64 " bytes follow the end of the trace: they were not read",
		     trace->trailing);
	if (!trace->is_calibrated)
		warn(voice, "the clock was not calibrated: a tick is taken for a nanosecond");
	if (!trace->records)
		warn(voice, "no worker recorded anything: was the pool used while it was traced?");
}

static void warn_of_idle(const struct summary *summary, const struct voice *voice,
			 const struct sum_worker *worker)
{
	uint64_t idle = summary_idle_beside(summary, worker);
	bool has_work = (double)worker->idle_beside_ns > BESIDE_SHARE * (double)idle;

	warn(voice, "worker %" PRIu32 " was idle for %.0f %% of the time in which others ran, %s",
	     worker->ring->worker, percent((double)idle, (double)summary->somebody_ns),
	     has_work ? "while tasks waited at them for much of it: they were not offered, or not "
			"found"
		      : "while hardly any task waited at them: there was too little to do at once; "
			"more or smaller tasks would help");
}

static void warn_of_workers(const struct summary *summary, const struct voice *voice)
{
	unsigned idle_count = 0;
	uint64_t spares = trace_fact_number(summary->trace, "spares");
	double somebody = (double)summary->somebody_ns;

	for (size_t i = 0; i < summary->trace->ring_count; i++) {
		const struct sum_worker *worker = &summary->workers[i];
		if (worker->is_outside || (spares && !worker->tasks))
			continue; /* a spare that was not needed, as likely as not */
		if ((double)summary_idle_beside(summary, worker) > IDLE_SHARE * somebody &&
		    idle_count++ < IDLE_WORKERS)
			warn_of_idle(summary, voice, worker);
		if (summary_share(summary, worker->ns[STATE_BLOCKED]) > BLOCKED_SHARE)
			warn(voice,
			     "worker %" PRIu32 " was blocked for %.0f %% of the time: spare "
			     "workers may take over meanwhile, see skua_pool(3)",
			     worker->ring->worker,
			     100 * summary_share(summary, worker->ns[STATE_BLOCKED]));
	}
	if (idle_count > IDLE_WORKERS)
		warn(voice, "%u more workers were idle for over %.0f %% of that time",
		     idle_count - IDLE_WORKERS, 100 * IDLE_SHARE);
}

/* How long one run of it may have worked at most, without what it waited for. */
static uint64_t longest_run(const struct sum_task *task)
{
	return task->longest < task->ns ? task->longest : task->ns;
}

static void warn_of_searches(const struct summary *summary, const struct voice *voice)
{
	uint64_t steals = summary->counts[SKUAI_TRACE_STEAL], searching = 0;

	for (size_t i = 0; i < summary->trace->ring_count; i++)
		searching = trace_add(searching, summary->workers[i].ns[STATE_SEARCHING]);
	if (summary_share(summary, searching) > SEARCH_SHARE * (double)summary->worker_count &&
	    summary->misses > MISSES * (steals + summary->counts[SKUAI_TRACE_INJECT] + 1) &&
	    summary->misses > (uint64_t)10 * MISSES)
		warn(voice,
		     "%.2f %% of the searches for work found some: tasks are too few or too small "
		     "for so many workers",
		     percent((double)steals, (double)(summary->misses + steals)));
}

static void warn_of_work(const struct summary *summary, const struct voice *voice)
{
	const struct sum_task *longest = NULL;
	double quiet = 1 - summary_share(summary, summary->somebody_ns);

	if (summary->worker_count && summary->trace->records && quiet > QUIET_SHARE)
		warn(voice,
		     "nobody ran for %.0f %% of the time: the program was busy elsewhere, or waited "
		     "for something",
		     100 * quiet);
	if (summary->imbalance > IMBALANCE)
		warn(voice,
		     "the busiest worker did %.2f times the mean: the work is not spread evenly",
		     summary->imbalance);
	for (size_t i = 0; i < summary->task_count; i++)
		if (!longest || longest_run(&summary->tasks[i]) > longest_run(longest))
			longest = &summary->tasks[i];
	if (longest && summary->worker_count > 1 && summary->imbalance > IMBALANCE &&
	    summary_share(summary, longest_run(longest)) > LONG_SHARE)
		warn(voice, "one run of %s lasted %.0f %% of the time: if it works alone, split it",
		     longest->name ? longest->name : "a task without a name",
		     100 * summary_share(summary, longest_run(longest)));
	warn_of_searches(summary, voice);
}

void summary_warn(const struct summary *summary, void (*say)(void *, const char *), void *context)
{
	struct voice voice = { say, context };

	warn_of_file(summary, &voice);
	warn_of_workers(summary, &voice);
	warn_of_work(summary, &voice);
}
