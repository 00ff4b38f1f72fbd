/* SPDX-License-Identifier: MIT */
/* forked.c — fork(2): the child has one thread, and pools that must not wait for the others */
#include "base/atomic.h"
#include "sched/tracing.h"
#include "sched/worker.h"

#include <pthread.h>

/*
 * A child of fork() has the memory of all workers and none of their threads.  Its pools start again
 * as if just opened: threads on first use, empty queues; what was queued or running belongs to the
 * parent.  skuai_era() tells the two apart: a job or a stolen task from an older era will never be
 * done here, and who waits for one is told instead of waiting.
 *
 * The list of pools is locked across the fork, so the child finds it whole.
 */
static struct skuai_lock list_lock;
static struct skua_pool *list;
_Atomic uint32_t skuai_era_now = 1;
static pthread_once_t watch_once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
	skuai_lock_take(&skuai_default_lock);
	skuai_traces_lock();
	skuai_lock_take(&list_lock);
}

static void after_in_parent(void)
{
	skuai_lock_give(&list_lock);
	skuai_traces_unlock();
	skuai_lock_give(&skuai_default_lock);
}

static void after_in_child(void)
{
	skuai_thread_forget_tid();
	skua_add(&skuai_era_now, 1, relaxed); /* order forked.era.1: relaxed, the only thread */
	for (struct skua_pool *pool = list; pool; pool = pool->next)
		skuai_pool_orphan(pool);
	after_in_parent();
}

static void watch(void)
{
	/* Refused only for want of memory, and then a child finds out when it waits. */
	pthread_atfork(before_fork, after_in_parent, after_in_child);
}

void skuai_pools_add(struct skua_pool *pool)
{
	pthread_once(&watch_once, watch);
	skuai_lock_take(&list_lock);
	pool->next = list;
	list = pool;
	skuai_lock_give(&list_lock);
}

void skuai_pools_remove(struct skua_pool *pool)
{
	skuai_lock_take(&list_lock);
	for (struct skua_pool **link = &list; *link; link = &(*link)->next)
		if (*link == pool) {
			*link = pool->next;
			break;
		}
	skuai_lock_give(&list_lock);
}
