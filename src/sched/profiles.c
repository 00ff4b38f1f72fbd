/* SPDX-License-Identifier: MIT */
/* profiles.c — the profile of a pool: begun, ended, put into numbers and words */
#include "base/alloc.h"
#include "base/atomic.h"
#include "base/diag.h"
#include "os/clock.h"
#include "os/symbols.h"
#include "os/wish.h"
#include "sched/profiling.h"
#include "sched/tracing.h"
#include "trace/tracewrite.h"

#include <skua/error.h>
#include <skua/profile.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Under the lock of traces.c, but for workers, which look at pool->profiling and tell what they did
 * when a root has ended.  Counts only grow; a profile is what they grew by.
 *
 * Unmodelled: a lock, a pointer, and counts that are read when nobody writes them.
 */
#define THEFT_USUAL_NS 3000
#define THEFT_LEAST_NS 1000
#define THEFT_MOST_NS  20000
#define CALIBRATE_NS   100000
#define WORKERS_SHOWN  1024

/* --- begin --- */

static void profiles_free(struct skua_pool *pool)
{
	struct skuai_profiles *profiles = pool->profiles;

	if (!profiles)
		return;
	for (unsigned i = 0; i < pool->count; i++)
		skuai_stackmem_unmap(&profiles->profilers[i].memory);
	skuai_free(profiles);
	pool->profiles = NULL;
	/* order profiles.free.1: relaxed, alone */
	skua_store(&pool->profiling, NULL, relaxed);
}

static bool open_sides(struct skuai_profiler *profiler, uint32_t slots)
{
	uint32_t count = slots < SKUAI_PROFILE_SIDES ? slots : SKUAI_PROFILE_SIDES;

	while (skuai_stackmem_map(&profiler->memory, count * sizeof(struct skuai_side)))
		if ((count /= 2) < 64)
			return false;
	profiler->sides = profiler->memory.base;
	profiler->side_count = count;
	return true;
}

static int profiles_make(struct skua_pool *pool)
{
	struct skuai_profiles *profiles = skuai_alloc(
		1, sizeof(*profiles) + pool->count * sizeof(profiles->profilers[0]));
	bool is_made = profiles;

	if (!profiles)
		return SKUA_ENOMEM;
	pool->profiles = profiles;
	for (unsigned i = 0; i < pool->count && is_made; i++) {
		profiles->profilers[i].names = profiles->names;
		is_made = open_sides(&profiles->profilers[i], pool->workers[i].forks.end);
	}
	/* order profiles.name.1: relaxed, nobody else knows of it yet */
	skua_store(&profiles->names[0], SKUAI_PROFILE_ROOT, relaxed);
	if (!is_made)
		profiles_free(pool);
	return is_made ? SKUA_OK : SKUA_ENOMEM;
}

/* What a theft costs here: what it took to be up after a call, if the pool has learned that. */
static int64_t theft_ns(struct skua_pool *pool)
{
	/* order profiles.theft.1: relaxed, an estimate */
	int64_t cost = skua_load(&pool->wake_cost_ns, relaxed);

	if (cost <= 0)
		return THEFT_USUAL_NS;
	return cost < THEFT_LEAST_NS ? THEFT_LEAST_NS : cost > THEFT_MOST_NS ? THEFT_MOST_NS : cost;
}

/* Ticks of so many ns, to a percent. */
static uint64_t ticks_of_ns(int64_t ns)
{
	int64_t from_ns, to_ns;
	uint64_t from, to;

	skuai_trace_moment(&from_ns, &from);
	do
		skuai_trace_moment(&to_ns, &to);
	while (to_ns - from_ns < CALIBRATE_NS);
	return (uint64_t)((double)ns * (double)(to - from) / (double)(to_ns - from_ns));
}

static void sum_up(struct skua_pool *pool, struct skuai_profile_sum *sum)
{
	*sum = (struct skuai_profile_sum){ 0 };
	for (unsigned i = 0; i < pool->count; i++) {
		struct skuai_profiler *one = &pool->profiles->profilers[i];
		/* order profiles.sum.1: relaxed, a count; so are .2 to .6 */
		sum->work += skua_load(&one->told_work, relaxed);
		sum->forks += skua_load(&one->told_forks, relaxed); /* order profiles.sum.2: .1 */
		/* order profiles.sum.3: relaxed, as .1 */
		sum->visits.span += skua_load(&one->visit_span, relaxed);
		/* order profiles.sum.4: relaxed, as .1 */
		sum->visits.burdened += skua_load(&one->visit_burdened, relaxed);
		for (unsigned n = 0; n < SKUAI_PROFILE_NAMES; n++) {
			/* order profiles.sum.5: relaxed, as .1 */
			sum->by[n] += skua_load(&one->told_by[n], relaxed);
			/* order profiles.sum.6: relaxed, as .1 */
			sum->visits.by[n] += skua_load(&one->visit_by[n], relaxed);
		}
	}
}

/* Under the lock. */
static int profiles_begin(struct skua_pool *pool)
{
	int error = SKUA_OK;

	/* order profiles.begin.2: relaxed, under the lock */
	if (skua_load(&pool->profiling, relaxed))
		return SKUA_EBUSY;
	if (!pool->profiles && (error = profiles_make(pool)))
		return error;
	struct skuai_profiles *profiles = pool->profiles;
	/* order profiles.burden.1: relaxed, a number; one that still switches may see either */
	skua_store(&profiles->burden, ticks_of_ns(theft_ns(pool)), relaxed);
	for (unsigned i = 0; i < pool->count; i++)
		/* order profiles.job.1: relaxed, a number; nothing runs, or what does is old */
		skua_store(&profiles->profilers[i].job_span, 0, relaxed);
	sum_up(pool, &profiles->before);
	skuai_trace_moment(&profiles->start_ns, &profiles->start_ticks);
	/* order profiles.begin.1: release, pairs profiling.safe.1, profiling.switch.1 */
	skua_store(&pool->profiling, profiles, release);
	return SKUA_OK;
}

int skua_profile_begin(struct skua_pool *pool)
{
	int error;

	pool = skuai_pool_of(pool, &error);
	if (!pool)
		return error;
	int before = errno;
	skuai_traces_lock();
	error = profiles_begin(pool);
	skuai_traces_unlock();
	errno = before;
	return error;
}

/* --- end --- */

/* The longest job; jobs may all run at once, as far as is known. */
static struct skuai_path longest_job(struct skua_pool *pool)
{
	struct skuai_path longest = { 0 };

	for (unsigned i = 0; i < pool->count; i++) {
		struct skuai_profiler *one = &pool->profiles->profilers[i];
		/* order profiles.job.2: relaxed, a number; so are .3 to .4 */
		uint64_t span = skua_load(&one->job_span, relaxed);
		if (span <= longest.span)
			continue;
		longest.span = span;
		/* order profiles.job.3: relaxed, as .2 */
		longest.burdened = skua_load(&one->job_burdened, relaxed);
		for (unsigned n = 0; n < SKUAI_PROFILE_NAMES; n++)
			/* order profiles.job.4: relaxed, as .2 */
			longest.by[n] = skua_load(&one->job_by[n], relaxed);
	}
	return longest;
}

static void path_less(struct skuai_path *path, const struct skuai_path *before)
{
	path->span -= before->span;
	path->burdened -= before->burdened;
	for (unsigned n = 0; n < SKUAI_PROFILE_NAMES; n++)
		path->by[n] -= before->by[n];
}

static void profile_name_task(struct skuai_symbols *symbols, uintptr_t function, unsigned n,
			      char *name, size_t room)
{
	if (n == SKUAI_PROFILE_NAMES - 1)
		snprintf(name, room, "(others, and waits for groups)");
	else if (function == SKUAI_PROFILE_ROOT)
		snprintf(name, room, "(roots)");
	else
		skuai_symbols_name(symbols, function, name, room);
}

static int by_work(const void *a, const void *b)
{
	const struct skua_profile_task *x = a, *y = b;

	return (x->work_ns + x->span_ns < y->work_ns + y->span_ns) -
	       (x->work_ns + x->span_ns > y->work_ns + y->span_ns);
}

_Static_assert(SKUA_PROFILE_TASKS == SKUAI_PROFILE_NAMES, "all of them");

static void fill_tasks(struct skua_pool *pool, const struct skuai_profile_sum *sum,
		       const struct skuai_path *path, double ns, struct skua_profile *profile)
{
	struct skuai_symbols *symbols = skuai_symbols_open();

	for (unsigned n = 0; n < SKUAI_PROFILE_NAMES; n++) {
		struct skua_profile_task *task = &profile->tasks[profile->task_count];
		/* order profiles.name.2: relaxed, a number */
		uintptr_t function = skua_load(&pool->profiles->names[n], relaxed);
		uint64_t work = sum->by[n] - pool->profiles->before.by[n];
		if (!work && !path->by[n])
			continue;
		profile_name_task(symbols, function, n, task->name, sizeof(task->name));
		task->work_ns = (int64_t)((double)work * ns);
		task->span_ns = (int64_t)((double)path->by[n] * ns);
		profile->task_count++;
	}
	skuai_symbols_close(symbols);
	qsort(profile->tasks, profile->task_count, sizeof(profile->tasks[0]), by_work);
}

/* Under the lock; it is profiled. */
static void profiles_end(struct skua_pool *pool, struct skua_profile *profile)
{
	struct skuai_profiles *profiles = pool->profiles;
	struct skuai_profile_sum sum;
	int64_t end_ns;
	uint64_t end_ticks;

	/* order profiles.end.1: relaxed, workers notice when they next begin something */
	skua_store(&pool->profiling, NULL, relaxed);
	if (!profile)
		return;
	skuai_trace_moment(&end_ns, &end_ticks);
	double ns = (double)(end_ns - profiles->start_ns) /
		    (double)(end_ticks - profiles->start_ticks);
	sum_up(pool, &sum);
	struct skuai_path path = sum.visits, job = longest_job(pool);
	path_less(&path, &profiles->before.visits);
	if (job.span > path.span)
		path = job;
	*profile = (struct skua_profile){
		.size = profile->size,
		.wall_ns = end_ns - profiles->start_ns,
		.workers = skuai_width_wanted(&pool->width),
		.work_ns = (int64_t)((double)(sum.work - profiles->before.work) * ns),
		.span_ns = (int64_t)((double)path.span * ns),
		.burdened_ns = (int64_t)((double)path.burdened * ns),
		/* order profiles.burden.2: relaxed, our own store */
		.theft_ns = (int64_t)((double)skua_load(&profiles->burden, relaxed) * ns),
		.forks = sum.forks - profiles->before.forks,
	};
	fill_tasks(pool, &sum, &path, ns, profile);
}

int skua_profile_end(struct skua_pool *pool, struct skua_profile *profile)
{
	int error;

	if (profile && profile->size < sizeof(*profile))
		return SKUA_EINVAL;
	pool = skuai_pool_of(pool, &error);
	if (!pool)
		return error;
	int before = errno;
	skuai_traces_lock();
	/* order profiles.end.2: relaxed, under the lock */
	if (!skua_load(&pool->profiling, relaxed) || pool->profiles->is_environments)
		error = SKUA_EINVAL;
	else
		profiles_end(pool, profile);
	skuai_traces_unlock();
	errno = before;
	return error;
}

/* --- words --- */

double skua_profile_speedup(const struct skua_profile *profile, unsigned workers)
{
	if (!profile || !workers)
		return 0;
	double work = (double)profile->work_ns, count = workers;
	double span = (double)(profile->burdened_ns > profile->span_ns ? profile->burdened_ns
								       : profile->span_ns);
	if (work <= 0)
		return 1;
	span = span < work ? span : work;
	return work / (work / count + span * (1 - 1 / count));
}

/* Text that is cut, and counted as if it was not. */
struct report {
	char *text;
	size_t room, length;
};

__attribute__((format(printf, 2, 3))) static void report_add(struct report *report,
							     const char *format, ...)
{
	va_list list;
	size_t left = report->length < report->room ? report->room - report->length : 0;

	va_start(list, format);
	int more = vsnprintf(left ? report->text + report->length : NULL, left, format, list);
	va_end(list);
	report->length += more > 0 ? (size_t)more : 0;
}

static void report_time(struct report *report, const char *what, int64_t ns, const char *why)
{
	double value = (double)ns;
	const char *unit = ns >= 1000000000 ? "s " : ns >= 1000000 ? "ms" : "us";

	value /= ns >= 1000000000 ? 1e9 : ns >= 1000000 ? 1e6 : 1e3;
	report_add(report, "%-12s %10.3f %s  %s\n", what, value, unit, why);
}

static double over(int64_t a, int64_t b)
{
	return b > 0 ? (double)a / (double)b : 1;
}

static void report_tasks(struct report *report, const struct skua_profile *profile)
{
	report_add(report, "%-32s %8s %8s\n", "task", "of work", "of span");
	for (unsigned i = 0; i < profile->task_count && i < SKUA_PROFILE_TASKS; i++)
		report_add(report, "%-32.32s %6.1f %% %6.1f %%\n", profile->tasks[i].name,
			   100 * over(profile->tasks[i].work_ns, profile->work_ns),
			   100 * over(profile->tasks[i].span_ns, profile->span_ns));
}

size_t skua_profile_text(const struct skua_profile *profile, char *text, size_t room)
{
	struct report report = { text, text ? room : 0, 0 };

	if (!profile)
		return 0;
	int64_t burdened = profile->burdened_ns > profile->span_ns ? profile->burdened_ns
								   : profile->span_ns;
	double speedup = skua_profile_speedup(profile, profile->workers);
	report_time(&report, "work", profile->work_ns, "all that was run, one after the other");
	report_time(&report, "span", profile->span_ns, "the longest chain of it");
	report_add(&report, "%-12s %10.1f     work / span: more workers than this are of no use\n",
		   "parallelism", over(profile->work_ns, profile->span_ns));
	report_add(&report, "%-12s %10.1f     the same, with a theft of %.1f us at each fork\n",
		   "  burdened", over(profile->work_ns, burdened), (double)profile->theft_ns / 1e3);
	report_add(&report, "%-12s %10llu\n", "forks", (unsigned long long)profile->forks);
	report_time(&report, "measured", profile->wall_ns, "from begin to end, profiled");
	report_time(&report, "bound",
		    (int64_t)(speedup > 0 ? (double)profile->work_ns / speedup : 0),
		    "for as many workers as there are: a share of the work, and the span");
	report_add(&report, "%-12s", "workers");
	for (unsigned count = 1; count <= WORKERS_SHOWN; count *= 2)
		report_add(&report, " %5u", count);
	report_add(&report, "\n%-12s", "speed-up");
	for (unsigned count = 1; count <= WORKERS_SHOWN; count *= 2)
		report_add(&report, " %5.1f", skua_profile_speedup(profile, count));
	report_add(&report, "\n");
	report_tasks(&report, profile);
	return report.length;
}

/* --- SKUA_PROFILE --- */

void skuai_profiles_open(struct skua_pool *pool)
{
	static _Atomic bool is_told;
	int before = errno;

	if (!skuai_wish("SKUA_PROFILE", secure_getenv("SKUA_PROFILE"), &is_told))
		return;
	skuai_traces_lock();
	int error = profiles_begin(pool);
	if (!error)
		pool->profiles->is_environments = true;
	skuai_traces_unlock();
	if (error)
		skuai_warn("SKUA_PROFILE=1: pool \"%s\" is not profiled: %s", pool->name,
			   skua_strerror(error));
	errno = before;
}

void skuai_profiles_finish(struct skua_pool *pool)
{
	struct skua_profile profile = { .size = sizeof(profile) };
	char text[4096];
	bool is_on;

	skuai_traces_lock();
	/* order profiles.end.3: relaxed, under the lock */
	is_on = skua_load(&pool->profiling, relaxed) && pool->profiles->is_environments;
	if (is_on)
		profiles_end(pool, &profile);
	skuai_traces_unlock();
	if (!is_on)
		return;
	skua_profile_text(&profile, text, sizeof(text));
	fprintf(stderr, "skua: profile of pool \"%s\", %u worker%s\n%s", pool->name,
		profile.workers, profile.workers == 1 ? "" : "s", text);
}

void skuai_profiles_close(struct skua_pool *pool)
{
	profiles_free(pool);
}

void skuai_profiles_orphan(struct skua_pool *pool)
{
	for (unsigned i = 0; i < pool->count; i++)
		pool->workers[i].forks.is_profiled = false;
	profiles_free(pool);
}
