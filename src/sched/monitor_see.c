/* SPDX-License-Identifier: MIT */
/* monitor_see.c — what a monitor sees of a pool, written for `skua top` */
#include "base/atomic.h"
#include "os/clock.h"
#include "sched/monitor_thread.h"

#include <string.h>

/*
 * Everything here is a look: relaxed loads of what the workers write for themselves.  Numbers of
 * one worker may be of different moments.
 *
 * Unmodelled: it changes nothing; TSan watches it.
 */
#define LOOKUPS 4 /* names looked up for one write; the others come with the next */

const char *skuai_monitor_name(struct skuai_monitor *monitor, uintptr_t function)
{
	size_t at = (function >> 4) % SKUAI_MONITOR_NAMES;

	if (monitor->names[at].function != function) {
		monitor->names[at].function = function;
		skuai_symbols_name(monitor->symbols, function, monitor->names[at].name,
				   sizeof(monitor->names[at].name));
	}
	return monitor->names[at].name;
}

static void name_task(struct skuai_monitor *monitor, struct skuai_live_worker *block,
		      uintptr_t function, unsigned *lookups)
{
	size_t at = (function >> 4) % SKUAI_MONITOR_NAMES;

	if (!function || block->since_ns == 0) {
		memset(block->task, 0, sizeof(block->task));
		if (block->since_ns && block->flags & SKUAI_LIVE_IS_GUEST)
			memcpy(block->task, "skua_run", sizeof("skua_run"));
		return;
	}
	if (monitor->names[at].function != function && (*lookups)++ >= LOOKUPS) {
		memset(block->task, 0, sizeof(block->task));
		return;
	}
	strncpy(block->task, skuai_monitor_name(monitor, function), sizeof(block->task) - 1);
}

static void see_counters(struct skuai_live_worker *block, const struct skuai_counters *counters)
{
	/* order monitor_see.count.1: relaxed, numbers of a moment ago */
#define SEE(name) block->name = skua_load(&counters->name, relaxed)
	SEE(tasks);
	SEE(jobs);
	SEE(steals);
	SEE(stolen_jobs);
	SEE(failed);
	SEE(parks);
	SEE(wakes);
	SEE(idle_ns);
#undef SEE
}

static void see_worker(struct skuai_monitor *monitor, unsigned number, int64_t now,
		       unsigned *lookups)
{
	struct skuai_live_worker *block = &monitor->blocks[number];
	struct skuai_worker *worker = &monitor->pool->workers[number];
	enum skuai_live_state state = skuai_state_of(worker);

	see_counters(block, &worker->counters);
	skuai_watchdog_look(monitor, number, state, now);
	block->state = state;
	block->since_ns = monitor->watched[number].began_ns;
	/* order monitor_see.see.1: relaxed, news */
	uint32_t guest = skua_load(&worker->guest_tid, relaxed);
	/* order monitor_see.see.2: relaxed, news */
	block->thread = guest ? guest : skua_load(&worker->tid, relaxed);
	block->flags = (guest ? SKUAI_LIVE_IS_GUEST : 0) |
		       (monitor->watched[number].is_reported ? SKUAI_LIVE_IS_STUCK : 0);
	size_t jobs = skua_deque_count(&worker->deque);
	block->deque = jobs < UINT32_MAX ? (uint32_t)jobs : UINT32_MAX;
	/* order monitor_see.see.3: relaxed, of a moment ago */
	uint64_t shared = skua_load(&worker->forks.shared, relaxed);
	uint32_t split = (uint32_t)(shared >> 32), tail = (uint32_t)shared;
	block->forks = split > tail ? split - tail : 0;
	/* order monitor_see.see.4: relaxed, news */
	block->function = block->since_ns ? skua_load(&worker->task, relaxed) : 0;
	name_task(monitor, block, (uintptr_t)block->function, lookups);
}

void skuai_monitor_see(struct skuai_monitor *monitor)
{
	struct skua_pool *pool = monitor->pool;
	struct skuai_live_head *head = monitor->image;
	unsigned lookups = 0;

	head->now_ns = skuai_clock_ns();
	for (unsigned i = 0; i < pool->count; i++)
		see_worker(monitor, i, head->now_ns, &lookups);
	head->wanted = skuai_width_wanted(&pool->width);
	head->active = skuai_width_active(&pool->width);
	head->queues = 0;
	for (unsigned rank = 0; rank < SKUAI_CLASSES; rank++)
		head->queues |= (uint32_t)skuai_inject_has_any(&pool->inject[rank]) << rank;
	head->stuck = monitor->stuck;
	head->writes++;
	if (monitor->file.fd < 0)
		return;
	head->check = skuai_live_check(head, monitor->bytes);
	/* A disk that is full has room again some day: the next one is tried as well. */
	(void)skuai_shared_write(&monitor->file, head, monitor->bytes);
}

void skuai_monitor_glance(struct skuai_monitor *monitor)
{
	monitor->image->glances++;
	for (unsigned i = 0; i < monitor->pool->count; i++)
		monitor->blocks[i].running += skuai_state_of(&monitor->pool->workers[i]) <=
					      SKUAI_LIVE_BLOCKED;
}
