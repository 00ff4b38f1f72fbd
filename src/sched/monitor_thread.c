/* SPDX-License-Identifier: MIT */
/* monitor_thread.c — the life of the thread that looks at a pool */
#include "sched/monitor_thread.h"

#include "base/alloc.h"
#include "base/atomic.h"
#include "base/diag.h"
#include "base/errcode.h"
#include "os/clock.h"
#include "os/threadinfo.h"
#include "os/wait.h"
#include "os/wish.h"
#include "sched/watch.h"

#include <skua/error.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Workers count, and say what they run, for themselves; this thread reads it some dozen times a
 * second, so that being looked at costs them a cache miss each time and no instruction.  It writes
 * a file that only this user can read (os/sharedfile.c, trace/livefile.h).  The same looks are the
 * watchdog's (watchdog.c).
 *
 * The file goes when monitoring ends, when the pool is closed, and at exit.  A process that is
 * killed leaves it behind; `skua top` sees that, and removes it.  A child of fork(2) has no monitor
 * and leaves the file of its parent alone.
 *
 * Unmodelled: it needs real threads and files; TSan watches it.
 */
#define INTERVAL_MS 100
#define GLANCES	    5 /* looks at who is running for each write: a bar of 4 % steps in `skua top` */
#define STACK_BYTES ((size_t)256 << 10)

static struct skuai_lock monitors_lock;
static struct skuai_monitor *monitors;
static struct skuai_monitor *parents; /* of before a fork; not ours to use */
static unsigned pools_seen;	      /* under the lock: numbers for files */

/* --- the thread --- */

/* Sleep for so long; true: it is over. */
static bool rest(struct skuai_monitor *monitor, int64_t ns)
{
	int64_t deadline = skuai_deadline_after(ns);

	/* order monitor_thread.over.1: acquire, pairs monitor_thread.over.2 */
	while (!skua_load(&monitor->is_over, acquire))
		if (skuai_wait(&monitor->is_over, 0, deadline) == SKUAI_WAIT_TIMED_OUT)
			return false;
	return true;
}

static void monitor_main(void *argument)
{
	struct skuai_monitor *monitor = argument;
	int64_t step_ns = (int64_t)monitor->options.interval_ms * 1000000 / GLANCES;
	unsigned round = 0;

	while (!rest(monitor, step_ns)) {
		skuai_monitor_glance(monitor);
		if (++round % GLANCES == 0)
			skuai_monitor_see(monitor);
	}
}

/* --- begin --- */

static bool is_valid_wish(const struct skua_monitor_options *o)
{
	return o->size >= sizeof(*o) && o->stuck_ms >= 0 &&
	       (o->interval_ms == 0 || (o->interval_ms >= 10 && o->interval_ms <= 10000));
}

static void fill_options(struct skua_monitor_options *o, const struct skua_monitor_options *wish)
{
	*o = wish ? *wish : (struct skua_monitor_options){ .size = sizeof(*o) };
	if (!o->interval_ms) {
		o->interval_ms = INTERVAL_MS;
		if (o->stuck_ms && o->stuck_ms / 4 < INTERVAL_MS) /* seen soon after the limit */
			o->interval_ms = o->stuck_ms / 4 < 10 ? 10 : o->stuck_ms / 4;
	}
}

static void free_monitor(struct skuai_monitor *monitor)
{
	skuai_shared_close(&monitor->file);
	skuai_symbols_close(monitor->symbols);
	skuai_free(monitor->watched);
	skuai_free(monitor->image);
	skuai_free(monitor);
}

static void fill_head(struct skuai_monitor *monitor, unsigned number)
{
	struct skuai_live_head *head = monitor->image;

	memcpy(head->magic, SKUAI_LIVE_MAGIC, sizeof(head->magic));
	head->version = SKUAI_LIVE_VERSION;
	head->head_bytes = sizeof(*head);
	head->worker_bytes = sizeof(struct skuai_live_worker);
	head->workers = monitor->pool->count;
	head->process = monitor->process;
	head->pool = number;
	head->start_ticks = skuai_process_start();
	head->space = skuai_process_namespace();
	head->begun_ns = skuai_clock_ns();
	head->interval_ms = (uint32_t)monitor->options.interval_ms;
	head->stuck_ms = (uint32_t)monitor->options.stuck_ms;
	strncpy(head->name, monitor->pool->name, sizeof(head->name) - 1);
}

static struct skuai_monitor *make_monitor(struct skua_pool *pool,
					  const struct skua_monitor_options *wish)
{
	struct skuai_monitor *monitor = skuai_alloc(1, sizeof(*monitor));

	if (!monitor)
		return NULL;
	monitor->file.fd = -1;
	monitor->pool = pool;
	monitor->process = (uint32_t)getpid();
	fill_options(&monitor->options, wish);
	monitor->bytes = sizeof(*monitor->image) + pool->count * sizeof(*monitor->blocks);
	monitor->image = skuai_alloc(1, monitor->bytes);
	monitor->watched = skuai_alloc(pool->count, sizeof(*monitor->watched));
	monitor->symbols = skuai_symbols_open(); /* without, functions are numbers */
	if (!monitor->image || !monitor->watched) {
		free_monitor(monitor);
		return NULL;
	}
	monitor->blocks = (struct skuai_live_worker *)(void *)(monitor->image + 1);
	return monitor;
}

/* At exit the default pool is still open, and so may be others: their files must not stay. */
static void remove_files(void)
{
	skuai_lock_take(&monitors_lock);
	for (struct skuai_monitor *monitor = monitors; monitor; monitor = monitor->next)
		if (monitor->process == (uint32_t)getpid()) /* not of a child that vfork made */
			skuai_shared_remove(&monitor->file);
	skuai_lock_give(&monitors_lock);
}

/* The file, and what is in it at first.  Under the lock. */
static int share(struct skuai_monitor *monitor)
{
	static bool will_remove;
	char name[32];
	unsigned number = pools_seen++;

	fill_head(monitor, number);
	if (monitor->options.is_private)
		return 0;
	if (!will_remove && !(will_remove = atexit(remove_files) == 0))
		return ENOMEM;
	snprintf(name, sizeof(name), "%u.%u", monitor->process, number);
	int error = skuai_shared_open(&monitor->file, name);
	if (!error)
		skuai_monitor_see(monitor);
	return error;
}

/* Under the lock.  *system is the errno behind it, or 0. */
static int begin_monitor(struct skuai_monitor *monitor, int *system)
{
	struct skua_pool *pool = monitor->pool;
	struct skuai_thread_options options = { .name = "skua-monitor",
						.stack_bytes = STACK_BYTES };

	if (pool->monitor)
		return SKUA_EBUSY;
	*system = share(monitor);
	if (*system)
		return skuai_error_from_errno(*system);
	int error = skuai_thread_start(&monitor->thread, monitor_main, monitor, &options);
	if (error) {
		skuai_shared_remove(&monitor->file);
		return error;
	}
	skuai_eyes_set(pool, SKUAI_EYE_MONITOR, true);
	pool->monitor = monitor;
	monitor->next = monitors;
	monitors = monitor;
	return SKUA_OK;
}

/* `path` is told when the system refused the file. */
static int monitor_pool(struct skua_pool *pool, const struct skua_monitor_options *wish,
			char path[SKUAI_SHARED_PATH_ROOM], int *system)
{
	struct skuai_monitor *monitor = make_monitor(pool, wish);

	if (!monitor)
		return SKUA_ENOMEM;
	skuai_lock_take(&monitors_lock);
	int error = begin_monitor(monitor, system);
	skuai_lock_give(&monitors_lock);
	if (error) {
		memcpy(path, monitor->file.path, SKUAI_SHARED_PATH_ROOM);
		free_monitor(monitor);
	}
	return error;
}

int skua_monitor_begin(struct skua_pool *pool, const struct skua_monitor_options *options)
{
	char path[SKUAI_SHARED_PATH_ROOM];
	int error, system = 0;

	if (options && !is_valid_wish(options))
		return SKUA_EINVAL;
	pool = skuai_pool_of(pool, &error);
	return pool ? monitor_pool(pool, options, path, &system) : error;
}

/* --- end --- */

/* Take it off the pool and the list.  Under the lock. */
static struct skuai_monitor *take_monitor(struct skua_pool *pool)
{
	struct skuai_monitor *monitor = pool->monitor;

	skuai_eyes_set(pool, SKUAI_EYE_MONITOR, false);
	pool->monitor = NULL;
	for (struct skuai_monitor **link = &monitors; *link; link = &(*link)->next)
		if (*link == monitor) {
			*link = monitor->next;
			break;
		}
	return monitor;
}

static int end_monitor(struct skua_pool *pool)
{
	struct skuai_monitor *monitor = NULL;
	int error = SKUA_OK;

	skuai_lock_take(&monitors_lock);
	if (!pool->monitor)
		error = SKUA_EINVAL;
	else if (pthread_equal(pool->monitor->thread.handle, pthread_self()))
		error = SKUA_EBUSY;
	else
		monitor = take_monitor(pool);
	skuai_lock_give(&monitors_lock);
	if (error)
		return error;
	skua_store(&monitor->is_over, 1,
		   release); /* order monitor_thread.over.2: pairs monitor_thread.over.1 */
	skuai_wake(&monitor->is_over, SKUAI_WAKE_ALL);
	skuai_thread_join(&monitor->thread);
	skuai_shared_remove(&monitor->file);
	free_monitor(monitor);
	return SKUA_OK;
}

int skua_monitor_end(struct skua_pool *pool)
{
	int error;

	pool = skuai_pool_of(pool, &error);
	return pool ? end_monitor(pool) : error;
}

void skuai_monitor_close(struct skua_pool *pool)
{
	(void)end_monitor(pool); /* it may not have one */
}

/* --- as the environment wishes --- */

static int watchdog_wish(void)
{
	static _Atomic bool is_told;
	const char *text = secure_getenv("SKUA_WATCHDOG");
	size_t digits = text ? strspn(text, "0123456789") : 0;
	unsigned long limit = digits ? strtoul(text, NULL, 10) : 0;

	if (text && (text[digits] || limit > INT32_MAX)) {
		/* order monitor_thread.told.1: relaxed, pools that follow say nothing new */
		if (!skua_exchange(&is_told, true, relaxed))
			skuai_warn("SKUA_WATCHDOG='%.60s' is not used: it is no whole number of "
				   "milliseconds from 1 to %d; try SKUA_WATCHDOG=1000",
				   text, INT32_MAX);
		return 0;
	}
	return (int)limit; /* 0, and the empty text, ask for none */
}

void skuai_monitor_wish(struct skua_pool *pool)
{
	static _Atomic bool is_told;
	bool is_shared = skuai_wish("SKUA_MONITOR", secure_getenv("SKUA_MONITOR"), &is_told);
	char path[SKUAI_SHARED_PATH_ROOM] = "";
	struct skua_monitor_options options = { .size = sizeof(options),
						.stuck_ms = watchdog_wish(),
						.is_private = !is_shared };
	int system = 0;

	if (!is_shared && !options.stuck_ms)
		return;
	int error = monitor_pool(pool, &options, path, &system);
	if (error && system)
		skuai_warn("SKUA_MONITOR=1: cannot make %s: %s; the program runs on, unseen", path,
			   strerror(system));
	else if (error)
		skuai_warn("%s: pool \"%s\" is not monitored: %s",
			   is_shared ? "SKUA_MONITOR=1" : "SKUA_WATCHDOG", pool->name,
			   skua_strerror(error));
}

/* --- the child of a fork --- */

void skuai_monitor_orphan(struct skua_pool *pool)
{
	struct skuai_monitor *monitor = pool->monitor;

	monitors_lock = (struct skuai_lock){ 0 };
	monitors = NULL; /* all of them are the parent's */
	pool->monitor = NULL;
	skuai_eyes_set(pool, SKUAI_EYE_MONITOR, false);
	if (monitor) { /* the rest is left: its thread may have been in the middle of it */
		skuai_shared_close(&monitor->file);
		monitor->next = parents;
		parents = monitor;
	}
	for (unsigned i = 0; i < pool->count; i++) {
		struct skuai_worker *worker = &pool->workers[i];
		bool is_mine = worker == skuai_self;
		bool is_guest = is_mine && worker->sleeper != worker->number;
		uint32_t mine = is_mine ? skuai_thread_tid() : 0;
		/* order monitor_thread.orphan.1: relaxed, alone */
		skua_store(&worker->tid, is_guest ? 0 : mine, relaxed);
		/* order monitor_thread.orphan.2: relaxed, alone */
		skua_store(&worker->guest_tid, is_guest ? mine : 0, relaxed);
	}
}
