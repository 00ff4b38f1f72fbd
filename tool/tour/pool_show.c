/* SPDX-License-Identifier: MIT */
/* pool_show.c — an uneven set of jobs on one worker and on all of them, run for the tour */
#include "tour/pool_show.h"

#include "command.h"
#include "output.h"
#include "report.h"
#include "tour/bar.h"

#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Each job counts the primes of a range, the plain way.  Ranges are between SHORTEST and 128 times
 * that, mixed, and larger numbers take longer: nobody could deal such jobs out fairly beforehand.
 */
#define LIMIT	 2097152
#define PRIMES	 155611 /* below LIMIT */
#define SHORTEST 128
#define JOBS_MAX (LIMIT / SHORTEST)

#define ROUNDS	  3
#define ROUNDS_NS 5000000000 /* no new round after that */

#define BAR_ROWS     2
#define BAR_COLUMNS  40 /* at most */
#define CELL_COLUMNS 26 /* at least, where bars stand side by side */
#define LINE_LEAST   40 /* a bar has its line alone */
#define NAME_LONG    16 /* so that bars stand above those of the deque */
#define NAME_SHORT   11 /* "worker 1023" */

struct range {
	unsigned first, end;
	unsigned primes;
	int worker;
	int64_t ns;
	struct skua_pool *pool;
};

/* What came of one run. */
struct outcome {
	unsigned workers;
	int64_t ns;
	int64_t busy_ns[SKUA_WORKERS_MAX];
};

struct show {
	unsigned count;
	bool is_right; /* every result of every run */
	struct range ranges[JOBS_MAX];
	struct skua_job jobs[JOBS_MAX];
	struct outcome alone, all, last;
};

static bool is_prime(unsigned n)
{
	if (n < 4 || n % 2 == 0)
		return n == 2 || n == 3;
	for (unsigned d = 3; d * d <= n; d += 2)
		if (n % d == 0)
			return false;
	return true;
}

static void count_primes(struct skua_slot *skua_here, void *argument)
{
	struct range *range = argument;
	int64_t began = skua_clock_ns();

	(void)skua_here;
	for (unsigned n = range->first; n < range->end; n++)
		range->primes += is_prime(n);
	range->worker = skua_pool_self(range->pool);
	range->ns = skua_clock_ns() - began;
}

static void deal(struct show *show, struct skua_pool *pool)
{
	unsigned next = 0, random = 1;

	for (show->count = 0; next < LIMIT; show->count++) {
		struct range *range = &show->ranges[show->count];
		random = random * 1664525 + 1013904223;
		unsigned length = (unsigned)SHORTEST << (random >> 29);
		*range = (struct range){ .first = next, .pool = pool };
		next = range->end = next + length < LIMIT ? next + length : LIMIT;
		show->jobs[show->count] = (struct skua_job)SKUA_JOB(count_primes, range);
	}
}

/* Keep the run if it was faster than the best one before. */
static void add_up(struct show *show, struct outcome *best)
{
	struct outcome *last = &show->last;
	unsigned primes = 0;

	for (unsigned i = 0; i < show->count; i++) {
		struct range *range = &show->ranges[i];
		primes += range->primes;
		if (range->worker >= 0)
			last->busy_ns[range->worker] += range->ns;
	}
	show->is_right &= primes == PRIMES;
	if (!best->ns || last->ns < best->ns)
		*best = *last;
}

/* Run the jobs on a pool of so many workers, 0 for the default; traced, if a path is given. */
static int run_jobs(struct show *show, int workers, const char *trace, struct outcome *best)
{
	struct skua_trace_options traced = { .size = sizeof(traced), .path = trace };
	struct skua_pool_options options = { .size = sizeof(options), .workers = workers };
	struct skua_pool *pool;
	int error = skua_pool_open(&pool, &options);

	if (error)
		return error;
	show->last = (struct outcome){ .workers = skua_pool_workers(pool) };
	deal(show, pool);
	bool is_traced = trace && !skua_trace_begin(pool, &traced);
	int64_t began = skua_clock_ns();
	error = skua_submit_many(pool, show->jobs, show->count);
	for (unsigned i = 0; i < show->count && !error; i++)
		error = skua_job_wait(&show->jobs[i], SKUA_FOREVER);
	show->last.ns = skua_clock_ns() - began;
	if (is_traced)
		skua_trace_end(pool); /* skua_trace_error tells what went wrong */
	skua_pool_close(pool, SKUA_CLOSE_DRAIN);
	if (!error)
		add_up(show, best);
	return error;
}

/* In turn, so that a slow spell of the machine falls on both; the best of each counts. */
static int run_rounds(struct show *show)
{
	int64_t end = skua_clock_ns() + ROUNDS_NS;
	int error = SKUA_OK;

	show->is_right = true;
	for (int round = 0; round < ROUNDS && !error; round++) {
		if (round && skua_clock_ns() > end)
			break;
		error = run_jobs(show, 1, NULL, &show->alone);
		if (!error)
			error = run_jobs(show, 0, NULL, &show->all);
	}
	return error;
}

/* --- what is shown --- */

static unsigned percent(int64_t busy_ns, int64_t ns)
{
	int64_t share = ns > 0 ? (100 * busy_ns + ns / 2) / ns : 0;

	return share > 100 ? 100 : (unsigned)share;
}

/* "  worker 0       98 %  ####" in so many columns; the last one of a line ends it. */
static void show_bar(const char *name, unsigned share, unsigned columns, bool is_last)
{
	unsigned name_columns = columns < LINE_LEAST ? NAME_SHORT : NAME_LONG;
	unsigned room = columns - name_columns - 9, length;

	room = room < BAR_COLUMNS ? room : BAR_COLUMNS;
	length = share * room / 100;
	out("  %s%-*s%s%3u %%%s", report_paint(stdout, PAINT_LABEL), (int)name_columns, name,
	    report_paint(stdout, PAINT_PLAIN), share, length || !is_last ? "  " : "");
	bar_draw(length);
	if (is_last)
		out("\n");
	else
		out("%*s", (int)(room - length), "");
}

/* Two workers have a line each; more stand side by side, and of many the last bar is the rest. */
static void show_workers(const struct outcome *outcome)
{
	char name[32];
	unsigned width = report_width(), workers = outcome->workers;
	unsigned across = (workers + BAR_ROWS - 1) / BAR_ROWS;

	across = across < width / CELL_COLUMNS ? across : width / CELL_COLUMNS;
	across = across ? across : 1; /* however narrow */
	unsigned shown = workers < across * BAR_ROWS ? workers : across * BAR_ROWS;
	for (unsigned i = 0; i < shown; i++) {
		unsigned many = i + 1 == shown ? workers - i : 1;
		int64_t busy = 0;
		for (unsigned j = i; j < i + many; j++)
			busy += outcome->busy_ns[j];
		if (many > 1)
			snprintf(name, sizeof(name), "%u more", many);
		else
			snprintf(name, sizeof(name), "worker %u", i);
		show_bar(name, percent(busy / many, outcome->ns), width / across,
			 (i + 1) % across == 0 || i + 1 == shown);
	}
}

static double seconds(const struct outcome *outcome)
{
	return (double)outcome->ns / 1e9;
}

static int show_runs(const struct show *show, bool is_brief)
{
	const struct outcome *alone = &show->alone, *all = &show->all;
	const char *verdict = show->is_right ? "all right" : "RESULTS WRONG";

	if (all->workers == 1)
		report_text(0, "%u uneven jobs, %s: 1 worker %.2f s.", show->count, verdict,
			    seconds(all));
	else
		report_text(0,
			    "%u uneven jobs, %s: 1 worker %.2f s, %u workers %.2f s, "
			    "speed-up %.2f.",
			    show->count, verdict, seconds(alone), all->workers, seconds(all),
			    seconds(alone) / seconds(all));
	if (all->workers > 1 && !is_brief)
		show_bar("alone", percent(alone->busy_ns[0], alone->ns), report_width(), true);
	show_workers(all);
	if (show->is_right)
		return STATUS_DONE;
	fprintf(stderr, "skua tour: jobs were lost, run twice or gave wrong results; please report "
			"this\n");
	return STATUS_PARTLY;
}

int pool_show(bool is_brief, const char *trace)
{
	struct show *show = calloc(1, sizeof(*show));
	int error = show ? run_rounds(show) : SKUA_ENOMEM, status = STATUS_PARTLY;

	if (!error && trace) { /* once more, for the page: that one is not timed */
		struct outcome traced = { 0 };
		error = run_jobs(show, 0, trace, &traced);
	}

	if (error) {
		report_text(0, "A pool at work could not be shown: %s.", skua_strerror(error));
		fprintf(stderr, "skua tour: cannot run jobs in a pool: %s\n", skua_strerror(error));
	} else {
		status = show_runs(show, is_brief);
	}
	free(show);
	return status;
}
