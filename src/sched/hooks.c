/* SPDX-License-Identifier: MIT */
/* hooks.c — what other profilers have themselves told about tasks and sleep */
#include "sched/watch.h"

#include <skua/error.h>

#include <string.h>

/*
 * Set under the lock, before there is a pool; who opens one takes the lock too: so whoever looks
 * needs no order, and no hook is called for an end whose begin it did not see.  A pool that could
 * not be opened has no threads any more, and leaves things as they were.
 */
static struct skua_task_hooks hooks; /* all NULL: nobody asked */
static struct skuai_lock hooks_lock;
static unsigned opened; /* pools, since ever; under the lock */

int skua_hooks_set(const struct skua_task_hooks *wish)
{
	int error = SKUA_OK;

	if (wish && wish->size < sizeof(*wish))
		return SKUA_EINVAL;
	skuai_lock_take(&hooks_lock);
	if (opened)
		error = SKUA_EBUSY;
	else
		hooks = wish ? *wish : (struct skua_task_hooks){ 0 };
	skuai_lock_give(&hooks_lock);
	return error;
}

void skuai_hooks_open(struct skua_pool *pool)
{
	skuai_lock_take(&hooks_lock);
	opened++;
	skuai_lock_give(&hooks_lock);
	if (hooks.task_begin || hooks.task_end)
		skuai_eyes_set(pool, SKUAI_EYE_HOOKS, true);
}

void skuai_hooks_failed(void)
{
	skuai_lock_take(&hooks_lock);
	opened--;
	skuai_lock_give(&hooks_lock);
}

static void (*task_of(struct skuai_worker *self))(void)
{
	/* order hooks.task.1: relaxed, our own store */
	uintptr_t address = skua_load(&self->task, relaxed);
	void (*function)(void);

	memcpy(&function, &address, sizeof(function));
	return function;
}

void skuai_hooks_task(struct skuai_worker *self, bool is_begin)
{
	void (*hook)(void *, unsigned, void (*)(void)) = is_begin ? hooks.task_begin
								  : hooks.task_end;

	if (hook)
		hook(hooks.context, self->number, task_of(self));
}

void skuai_hooks_park(unsigned number, bool is_begin)
{
	void (*hook)(void *, unsigned) = is_begin ? hooks.park : hooks.unpark;

	if (hook)
		hook(hooks.context, number);
}
