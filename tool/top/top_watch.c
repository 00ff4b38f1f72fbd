/* SPDX-License-Identifier: MIT */
/* top_watch.c — a monitored process shown again and again, until it ends or has been seen enough */
#include "command.h"
#include "output.h"
#include "report.h"
#include "text.h"
#include "top/screen.h"
#include "top/top.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define MOMENT_NS 1000000000 /* arbitrary; skua-top(1) names it */

static int64_t watch_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void sleep_until(int64_t deadline)
{
	struct timespec time = { .tv_sec = (time_t)(deadline / 1000000000),
				 .tv_nsec = (long)(deadline % 1000000000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0)
		continue;
}

/* Why there is nothing to see, on standard error; the exit status. */
static int refuse(enum live_found found, const struct live_process *process, bool is_first)
{
	char name[64];

	snprintf(name, sizeof(name), "skua top: process %u%s%.24s%s", process->number,
		 process->program[0] ? " (" : "", text_clean(process->program, 24).s,
		 process->program[0] ? ")" : "");
	if (found == LIVE_NO_PROCESS && is_first)
		fprintf(stderr,
			"skua top: there is no process %u; 'skua top' lists those that are "
			"monitored\n",
			process->number);
	else if (found == LIVE_NO_PROCESS)
		fprintf(stderr, "skua top: process %u has ended\n", process->number);
	else if (found == LIVE_OTHER_USER)
		fprintf(stderr,
			"%s belongs to user %u: only that user and root can look at it; try it as "
			"one of them\n",
			name, (unsigned)process->owner);
	else if (found == LIVE_NO_POOL && is_first)
		fprintf(stderr,
			"%s has no monitored pool: start it with SKUA_MONITOR=1 in its "
			"environment, or let it call skua_monitor_begin\n",
			name);
	else if (found == LIVE_NO_POOL)
		fprintf(stderr, "%s has no monitored pool any more\n", name);
	else
		fprintf(stderr, "%s: %s\n", name, process->fault);
	bool is_end = !is_first && (found == LIVE_NO_PROCESS || found == LIVE_NO_POOL);
	return is_end ? STATUS_DONE : STATUS_FAULT;
}

/* Look again; what was seen before is kept for the rates. */
static enum live_found look_again(struct top_view *view)
{
	struct live_process next;
	enum live_found found = live_look(view->now.number, &next);

	if (view->has_before)
		live_forget(&view->before);
	view->before = view->now;
	view->has_before = true;
	view->now = next;
	view->now_ns = watch_clock();
	return found;
}

/* No file yet, or one that is being written. */
static bool may_come(enum live_found found)
{
	return found == LIVE_NO_POOL || found == LIVE_ALL_REFUSED;
}

/*
 * Who starts a program and looks at it with the next command is faster than the program opens its
 * pool: one that has just begun is given a moment.
 */
static enum live_found look_first(unsigned number, struct live_process *process)
{
	enum live_found found = live_look(number, process);
	int64_t deadline = watch_clock() + MOMENT_NS;

	if (!may_come(found) || live_age_ns(number) > MOMENT_NS)
		return found;
	for (int64_t next = watch_clock(); may_come(found) && next < deadline;) {
		sleep_until(next += MOMENT_NS / 100);
		live_forget(process);
		found = live_look(number, process);
	}
	return found;
}

static void draw(const struct top_view *view)
{
	unsigned columns, lines;
	char *text = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);

	if (!to)
		return; /* the next one may have the memory */
	screen_size(&columns, &lines);
	top_show_text(to, view, columns < 40 ? 40 : columns);
	if (fclose(to) == 0)
		screen_show(text, bytes);
	free(text);
}

/* On the terminal.  ARGS_GO-like: -1, or the exit status; *number: the signal that ended it. */
static int watch_screen(struct top_view *view, const struct top_watch *watch, int *number)
{
	int64_t step = (int64_t)(watch->interval_s * 1e9), next = watch_clock() + step;
	uint64_t shown = 0;

	for (;;) {
		draw(view);
		switch (screen_wait(next, number)) {
		case SCREEN_QUIT:
			return STATUS_DONE;
		case SCREEN_REDRAW:
			continue;
		case SCREEN_TIME:
			break;
		}
		if (watch->count && ++shown >= watch->count)
			return STATUS_DONE;
		next += step;
		enum live_found found = look_again(view);
		if (found != LIVE_FOUND) {
			screen_leave();
			*number = -1; /* left already */
			return refuse(found, &view->now, false);
		}
	}
}

static int watch_plain(struct top_view *view, const struct top_watch *watch)
{
	int64_t step = (int64_t)(watch->interval_s * 1e9), next = watch_clock();

	for (uint64_t shown = 0; !watch->count || shown < watch->count; shown++) {
		next += step;
		sleep_until(next);
		enum live_found found = look_again(view);
		if (found != LIVE_FOUND)
			return refuse(found, &view->now, false);
		if (watch->is_json) {
			top_show_json(view, !watch->is_once);
		} else {
			if (shown)
				out("\n");
			top_show_text(stdout, view, report_width());
		}
		if (fflush(stdout) != 0 || ferror(stdout))
			break; /* nobody reads any more: output_finish says so */
	}
	return STATUS_DONE;
}

int top_watch(const struct top_watch *watch)
{
	struct top_view view = { .interval_s = watch->interval_s };
	int number = 0, status;
	enum live_found found = look_first(watch->process, &view.now);

	view.now_ns = watch_clock();
	if (found != LIVE_FOUND) {
		status = refuse(found, &view.now, true);
	} else if (watch->is_json || watch->is_plain || watch->is_once || !screen_is_there()) {
		status = watch_plain(&view, watch);
	} else {
		view.is_interactive = true;
		screen_enter();
		status = watch_screen(&view, watch, &number);
		if (number >= 0)
			screen_leave();
	}
	live_forget(&view.now);
	if (view.has_before)
		live_forget(&view.before);
	if (number > 0) { /* whoever started us wants to know that it was the signal */
		sigset_t one;
		signal(number, SIG_DFL);
		sigemptyset(&one);
		sigaddset(&one, number);
		sigprocmask(SIG_UNBLOCK, &one, NULL);
		raise(number);
	}
	return status;
}
