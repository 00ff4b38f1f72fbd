/* SPDX-License-Identifier: MIT */
/* watchdog.c — who has been in one task for how long, and the report when it is too long */
#include "sched/watchdog.h"

#include "base/atomic.h"
#include "os/threadinfo.h"
#include "sched/monitor_thread.h"

#include <stdio.h>
#include <string.h>

/*
 * A worker counts the tasks that it begins, and says whether it runs or sleeps.  Seen running with
 * the same count at every look for longer than the limit, it is in one task all that time.
 *
 * A root that forks for an hour is one task, too, and yet gets on: its forks are counted nowhere.
 * So before it is taken for stuck it is asked to share a task, as a thief would ask.  Its next
 * fork, join or chunk of a loop answers, at the cost of one that is stolen from; an answer is a
 * sign of life.
 *
 * Unmodelled: it only looks, and asks by forks.c; TSan watches it.
 */

enum skuai_live_state skuai_state_of(struct skuai_worker *worker)
{
	/* order watchdog.state.1: relaxed, all of these are of a moment ago and may disagree */
	bool is_busy = skua_load(&worker->is_busy, relaxed);
	/* order watchdog.state.2: relaxed, see .1 */
	bool is_guest = skua_load(&worker->guest_tid, relaxed) != 0;
	bool is_asleep = skuai_park_is_asleep(is_guest ? &worker->guest_park : &worker->park);

	if (is_guest || is_busy) {
		/* order watchdog.state.3: relaxed, see .1 */
		if (!is_asleep && skua_load(&worker->is_blocking, relaxed))
			return SKUAI_LIVE_BLOCKED;
		return is_asleep ? SKUAI_LIVE_WAITING : SKUAI_LIVE_RUNNING;
	}
	if (skuai_width_is_dormant(&worker->pool->width, worker->number))
		return SKUAI_LIVE_DORMANT;
	return is_asleep ? SKUAI_LIVE_ASLEEP : SKUAI_LIVE_SEARCHING;
}

static uint32_t thread_of(struct skuai_worker *worker)
{
	/* order watchdog.thread.1: relaxed, news */
	uint32_t guest = skua_load(&worker->guest_tid, relaxed);

	/* order watchdog.thread.2: relaxed, news */
	return guest ? guest : skua_load(&worker->tid, relaxed);
}

/* --- the report --- */

/* Lines of a text, the first behind its label and the others below it. */
static void put_lines(FILE *to, const char *label, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		fprintf(to, "  %-8s%.*s\n", label, (int)length, text);
		text += length + (text[length] == '\n');
		label = "";
	}
}

static void print_stuck(const struct skua_stuck *stuck, unsigned limit_ms)
{
	char block[4096] = { 0 }; /* what does not fit is left out, but for the last zero */
	FILE *to = fmemopen(block, sizeof(block) - 1, "w");

	if (!to)
		return;
	fprintf(to, "skua: watchdog: worker %u of pool \"%s\" has been in one task for %.1f s",
		stuck->worker, stuck->pool, (double)stuck->age_ns / 1e9);
	fprintf(to, ", the limit is %.3g s\n  %-8s%s\n", limit_ms / 1e3, "task", stuck->name);
	fprintf(to, "  %-8s%lld, %s%s\n", "thread", (long long)stuck->thread,
		stuck->state == 'R'   ? "running"
		: stuck->state == 'D' ? "asleep, cannot be woken, in "
		: stuck->state	      ? "asleep in "
				      : "not to be seen",
		stuck->state == 'R' || !stuck->state ? ""
		: stuck->wait[0]		     ? stuck->wait
						     : "the kernel, which does not say where");
	put_lines(to, "stack", stuck->stack);
	put_lines(to, "kernel", stuck->kernel_stack);
	fclose(to);
	/* In one piece, so that other output does not come between. */
	fputs(block, stderr);
	fflush(stderr);
}

/* What has no function that we know of. */
static const char *nameless(struct skuai_worker *worker)
{
	/* order watchdog.nameless.1: relaxed, news */
	return skua_load(&worker->guest_tid, relaxed) ? "a root of skua_run"
						      : "a task that began before the monitor";
}

static void report(struct skuai_monitor *monitor, struct skuai_worker *worker, int64_t age_ns)
{
	struct skuai_thread_info info;
	char calls[1536];
	/* order watchdog.report.1: relaxed, news */
	uintptr_t function = skua_load(&worker->task, relaxed);
	uint32_t thread = thread_of(worker);

	skuai_thread_info(thread, &info);
	skuai_thread_calls(&info, monitor->symbols, calls, sizeof(calls));
	struct skua_stuck stuck = {
		.size = sizeof(stuck),
		.pool = monitor->pool->name,
		.worker = worker->number,
		.name = function ? skuai_monitor_name(monitor, function) : nameless(worker),
		.age_ns = age_ns,
		.thread = thread,
		.state = info.state,
		.wait = info.wait,
		.stack = calls,
		.kernel_stack = info.kernel,
	};
	memcpy(&stuck.function, &function, sizeof(function));
	monitor->stuck++;
	if (monitor->options.on_stuck)
		monitor->options.on_stuck(&stuck, monitor->options.context);
	else
		print_stuck(&stuck, (unsigned)monitor->options.stuck_ms);
}

/* --- looking --- */

/* It has been at it for half the limit: does it get on?  Seen at the next look. */
static void ask_for_life(struct skuai_worker *worker)
{
	if (!skuai_forks_is_asked(&worker->forks))
		skuai_forks_ask(&worker->forks, 1);
}

void skuai_watchdog_look(struct skuai_monitor *monitor, unsigned number,
			 enum skuai_live_state state, int64_t now)
{
	struct skuai_watched *watched = &monitor->watched[number];
	struct skuai_worker *worker = &monitor->pool->workers[number];
	/* order watchdog.look.1: relaxed, a number of a moment ago */
	uint64_t tasks = skua_load(&worker->counters.tasks, relaxed);
	uint32_t answers = skuai_forks_answers(&worker->forks);
	int64_t limit_ns = (int64_t)monitor->options.stuck_ms * 1000000;
	bool is_in_task = state <= SKUAI_LIVE_WAITING;

	if (tasks != watched->tasks || !is_in_task || !watched->began_ns) {
		watched->is_reported &= tasks == watched->tasks;
		watched->began_ns = is_in_task ? now : 0;
	}
	/* Whoever waits is up to nothing; an answer, or to have waited, begins it anew. */
	if (watched->began_ns == now || !is_in_task || state == SKUAI_LIVE_WAITING ||
	    answers != watched->answers)
		watched->since_ns = is_in_task ? now : 0;
	watched->tasks = tasks;
	watched->answers = answers;
	if (!limit_ns || !watched->since_ns || watched->is_reported)
		return;
	if (now - watched->since_ns >= limit_ns / 2)
		ask_for_life(worker);
	if (now - watched->since_ns < limit_ns)
		return;
	watched->is_reported = true;
	report(monitor, worker, now - watched->since_ns);
}
