/* SPDX-License-Identifier: MIT */
/* group.c — groups: many tasks, one wait, one error, one cancellation */
#include "base/atomic.h"
#include "base/diag.h"
#include "os/clock.h"
#include "par/group_parts.h"
#include "sched/held.h"
#include "sched/outcome.h"
#include "sched/post.h"
#include "sched/profiling.h"
#include "sched/tally.h"
#include "sched/tracing.h"
#include "sched/watch.h"

#include <skua/error.h>
#include <skua/group.h>

#include <assert.h>
#include <string.h>

/*
 * Tasks are counted in `pending` (tally.h), and who waits for them waits for an event.  A task
 * waits in a cell, posted to the pool; in an isolated group also in a list (isolated.c).
 */
#define GROUP_OPEN	 0x6f
#define GROUP_GLANCE_NS	 500000 /* an isolated waiter looks for new tasks of its group so often */
#define GROUP_ROOM_LOOKS 64	/* after so many it helps itself */
#define GROUP_ROOM_NS	 200000 /* a worker that waits for room looks again so often */

static uint32_t pending_of(const struct skua_group *group)
{
	/* order group.pending.1: relaxed, a number */
	return skua_load(&group->pending, relaxed) & ~SKUAI_TALLY_ROOM_WAITS;
}

bool skuai_group_may_run(const struct skua_group *group, const struct skuai_worker *self)
{
	return self->pool == group->pool &&
	       (!group->workers || (self->number < 64 && group->workers >> self->number & 1));
}

/* --- open --- */

static bool group_options_are_valid(const struct skua_group_options *options)
{
	return options->size == sizeof(*options) && options->when_full <= SKUA_FULL_REFUSE &&
	       options->priority <= SKUA_PRIORITY_LOW && options->deadline >= 0 &&
	       options->max_inflight < SKUAI_TALLY_ROOM_WAITS &&
	       (!options->parent || options->parent->is_open == GROUP_OPEN);
}

/* Nothing is in it: ready for the first task, or for the first after a wait. */
static void group_make_ready(struct skua_group *group)
{
	skuai_event_open(&group->done, group->pool);
	skua_store(&group->error, SKUA_OK, relaxed); /* order group.ready.1: relaxed, alone */
	skua_store(&group->pending, 1, relaxed);     /* order group.ready.2: relaxed, alone */
}

int skua_group_open(struct skua_group *group, const struct skua_group_options *wish)
{
	struct skua_group_options options = { .size = sizeof(options) };
	int error;

	if (!group || (wish && !group_options_are_valid(wish)))
		return SKUA_EINVAL;
	if (wish)
		options = *wish;
	if (!options.pool && options.parent)
		options.pool = options.parent->pool;
	struct skua_pool *pool = skuai_pool_of(options.pool, &error);
	if (!pool)
		return error;
	if (options.workers && pool->count < 64 && options.workers >> pool->count)
		return SKUA_EINVAL;
	/* order group.open.1: relaxed, our own store */
	bool is_inside = skuai_self && skua_load(&skuai_self->is_isolated, relaxed);
	*group = (struct skua_group){
		.pool = pool,
		.parent = options.parent,
		.name = options.name,
		.deadline = options.deadline ? options.deadline : SKUAI_NO_DEADLINE,
		.workers = options.workers,
		.max_inflight = options.max_inflight,
		.when_full = (uint8_t)options.when_full,
		.priority = (uint8_t)options.priority,
		.is_isolated = options.is_isolated || is_inside ||
			       (options.parent && options.parent->is_isolated),
		.is_plain = !options.parent && !options.deadline,
		.is_open = GROUP_OPEN,
	};
	group->is_simple = group->is_plain && !group->is_isolated && !group->workers &&
			   !group->max_inflight && group->priority == SKUA_PRIORITY_NORMAL;
	group_make_ready(group);
	group->opened = skuai_profile_span_now(skuai_self);
	return SKUA_OK;
}

/* --- cancel --- */

static void fail(struct skua_group *group, int why)
{
	int32_t none = SKUA_OK;

	/* order group.fail.1: relaxed, a number; the wait reads it after the last task is done */
	skua_cas(&group->error, &none, why, relaxed, relaxed);
}

int skua_group_cancel(struct skua_group *group, int why)
{
	if (!group || group->is_open != GROUP_OPEN || why >= 0)
		return SKUA_EINVAL;
	fail(group, why);
	return SKUA_OK;
}

/* Somewhere up the tree is a reason not to go on. */
static __attribute__((noinline)) bool is_cancelled_above(struct skua_group *group)
{
	for (; group; group = group->parent) {
		/* order group.cancelled.1: relaxed, somebody's word that may as well come later */
		if (skua_load(&group->error, relaxed) != SKUA_OK)
			return true;
		if (skuai_deadline_is_past(group->deadline)) {
			fail(group, SKUA_ETIMEDOUT);
			return true;
		}
	}
	return false;
}

/* That reason, or 0. */
static int error_above(const struct skua_group *group)
{
	int error = SKUA_OK;

	for (; group && !error; group = group->parent)
		error = skua_load(&group->error,
				  relaxed); /* order group.error.2: relaxed, a number */
	return error;
}

/* The same, at once for a group that has neither a parent nor a deadline. */
static inline bool is_cancelled(struct skua_group *group)
{
	if (group->is_plain)
		/* order group.cancelled.2: relaxed, as .1 */
		return skua_load(&group->error, relaxed) != SKUA_OK;
	return is_cancelled_above(group);
}

bool skua_group_is_cancelled(struct skua_group *group)
{
	return group && is_cancelled(group);
}

/* --- the life of a task --- */

void skuai_group_leave(struct skua_group *group)
{
	skuai_tally_leave(&group->pending, &group->done, group->max_inflight);
}

static void group_run_task(struct skuai_worker *self, struct skua_slot *here,
			   struct skua_group *group, skua_group_task *task, void *argument)
{
	struct skua_group *outer = self->group;

	self->group = group;
	/* order group.isolated.1: relaxed, our own store */
	bool was_isolated = skua_load(&self->is_isolated, relaxed);
	/* order group.isolated.2: relaxed, carried by whatever a thief takes from us */
	skua_store(&self->is_isolated, was_isolated || group->is_isolated, relaxed);
	skuai_task_is(self, (uintptr_t)task);
	int error = task(here, argument);
	skua_store(&self->is_isolated, was_isolated, relaxed); /* order group.isolated.3: as .2 */
	self->group = outer;
	if (error)
		fail(group, error);
}

static void skip(struct skua_group *group)
{
	skua_add(&group->skipped, 1, relaxed); /* order group.skip.1: relaxed, a count */
}

void skuai_group_begin(struct skuai_worker *self, struct skua_slot *here, struct skuai_cell *cell)
{
	struct skua_group *group = cell->owner;

	/* order group.cancelling.1: relaxed, as submit.cancel.1 */
	if (skua_load(&group->pool->is_cancelling, relaxed))
		fail(group, SKUA_ECANCELED);
	if (is_cancelled(group))
		skip(group);
	else
		group_run_task(self, here, group, cell->task, skuai_cell_argument(cell));
}

static void run_alone(struct skua_slot *here, void *argument)
{
	struct skuai_worker *self = skuai_self;
	struct skuai_cell *cell = argument;
	struct skua_group *group = cell->owner;

	skuai_group_begin(self, here, cell);
	if (skuai_is_watched(self))
		skuai_profile_task_of(self, &group->span);
	skuai_cell_put(self->pool, self, cell);
	skuai_group_leave(group);
}

/* here NULL: the pool was closed and told to cancel.  Its group is not isolated, nor are we. */
static inline void run_small(struct skua_slot *here, struct skuai_small_cell *cell, void *argument)
{
	struct skuai_worker *self = skuai_self;
	struct skua_group *group = cell->owner, *outer = self->group;
	int error = SKUA_OK;

	if (!here || is_cancelled(group)) {
		error = here ? SKUA_OK : SKUA_ECANCELED;
		skip(group);
	} else {
		self->group = group;
		skuai_task_is(self, (uintptr_t)cell->task);
		error = cell->task(here, argument);
		self->group = outer;
	}
	if (error)
		fail(group, error);
	if (skuai_is_watched(self))
		skuai_profile_task_of(self, &group->span);
	skuai_small_cell_put(self->pool, self, cell);
	skuai_group_leave(group);
}

static void run_small_copied(struct skua_slot *here, struct skuai_small_cell *cell)
{
	run_small(here, cell, cell->copy);
}

static void run_small_pointed(struct skua_slot *here, struct skuai_small_cell *cell)
{
	void *argument;

	memcpy(&argument, cell->copy, sizeof(argument));
	run_small(here, cell, argument);
}

void skuai_group_run_claimed(struct skua_slot *here, void *argument)
{
	struct skuai_worker *self = skuai_self;
	struct skuai_cell *cell = argument;

	if (skuai_cell_claim(cell)) {
		struct skua_group *group = cell->owner;
		skuai_group_begin(self, here, cell);
		if (skuai_is_watched(self))
			skuai_profile_task_of(self, &group->span);
		skuai_group_leave(group);
	}
	skuai_cell_drop(self->pool, self, cell, 1);
}

/* The pool was closed and told to cancel. */
static void cancel_cell(struct skua_job *job, int error)
{
	struct skuai_cell *cell = (struct skuai_cell *)(void *)job;
	struct skua_group *group = cell->owner;
	bool is_alone = job->run == run_alone;

	if (is_alone || skuai_cell_claim(cell)) {
		fail(group, error);
		skip(group);
		skuai_group_leave(group);
	}
	if (is_alone)
		skuai_cell_put(skuai_self->pool, skuai_self, cell);
	else
		skuai_cell_drop(skuai_self->pool, skuai_self, cell, 1);
}

/* --- go --- */

/* It has tasks that somebody must wait for; or not any more. */
static void mark(struct skua_group *group, bool is_dirty)
{
	/* order group.mark.1: relaxed, .2 decides */
	if (skua_load(&group->is_dirty, relaxed) == is_dirty)
		return;
	/* order group.mark.2: relaxed, a flag; only one of several changes it */
	if (skua_exchange(&group->is_dirty, is_dirty, relaxed) == is_dirty)
		return;
	/* order group.mark.3: relaxed, a count */
	skua_add(&group->pool->dirty, is_dirty ? 1u : UINT32_MAX, relaxed);
}

/* Put in words what is to be done, and count it. */
static void group_fill_cell(struct skuai_cell *cell, struct skua_group *group,
			    skua_group_task *task, const void *argument, size_t bytes)
{
	cell->job.run = group->is_isolated ? skuai_group_run_claimed : run_alone;
	cell->job.argument = cell;
	cell->job.finish = cancel_cell;
	cell->job.priority = (enum skua_priority)group->priority;
	cell->owner = group;
	cell->task = task;
	skuai_cell_give(cell, argument, bytes);
	skuai_post_prepare(&cell->job);
	mark(group, true);
	skua_add(&group->pending, 1, relaxed); /* order group.go.1: relaxed, we hold it open */
	if (group->is_isolated)
		skuai_group_list(group, cell);
}

/* In place: there is no memory, or no room in the group. */
static void run_now(struct skuai_worker *self, struct skua_group *group, skua_group_task *task,
		    const void *argument, size_t bytes)
{
	_Alignas(16) unsigned char copy[SKUAI_COPY_BYTES];
	struct skuai_inlined inlined;
	void *given = copy;

	if (bytes)
		memcpy(copy, argument, bytes);
	else
		memcpy(&given, &argument, sizeof(argument)); /* it is the caller's to be const */
	mark(group, true);
	skua_add(&group->pending, 1, relaxed); /* order group.go.2: relaxed, we hold it open */
	skuai_begin_inlined(self, &inlined);
	group_run_task(self, skuai_forks_top(&self->forks), group, task, given);
	skuai_end_inlined(self, &inlined);
	skuai_group_leave(group);
}

/* Is this one of the groups whose tasks we are in the middle of? */
static bool is_around_us(const struct skua_group *group)
{
	const struct skua_group *around = skuai_self ? skuai_self->group : NULL;

	while (around && around != group)
		around = around->parent;
	return around != NULL;
}

/*
 * A worker runs other tasks until there is room, any other thread sleeps.  False: a worker has seen
 * none for long; it may stand in a fork of a task of the group, which waits for itself then.
 */
static bool wait_for_room(struct skua_group *group, struct skuai_worker *self)
{
	for (unsigned looks = 0; pending_of(group) > group->max_inflight && !is_cancelled(group);
	     looks++) {
		if (looks == GROUP_ROOM_LOOKS && self)
			return false;
		if (!self) {
			skuai_tally_sleep(&group->pending, group->max_inflight, group->deadline);
			continue;
		}
		int64_t look = skuai_deadline_after(GROUP_ROOM_NS);
		struct skuai_until until = { .job = &group->done,
					     .deadline = look,
					     .is_isolated = group->is_isolated,
					     .reason = SKUAI_TRACE_FOR_GROUP };
		if (group->is_isolated)
			skuai_group_run_listed(group, self, look);
		else
			skuai_held_check("skua_go");
		skuai_work_until(self, skuai_forks_top(&self->forks), &until);
	}
	return true;
}

static inline void fill_small(struct skuai_small_cell *cell, struct skua_group *group,
			      skua_group_task *task, const void *argument, size_t bytes)
{
	cell->run = bytes ? run_small_copied : run_small_pointed;
	cell->owner = group;
	cell->priority = (enum skua_priority)group->priority;
	cell->task = task;
	if (bytes == 0)
		memcpy(cell->copy, &argument, sizeof(argument));
	else if (bytes == 8)
		memcpy(cell->copy, argument, 8);
	else
		memcpy(cell->copy, argument, bytes);
}

/* Most tasks of most groups.  False: no memory. */
static bool add_small(struct skua_group *group, struct skuai_worker *self, skua_group_task *task,
		      const void *argument, size_t bytes)
{
	struct skua_pool *pool = group->pool;
	struct skuai_small_cell *cell = skuai_small_cell_get(pool, self);

	if (!cell)
		return false;
	fill_small(cell, group, task, argument, bytes);
	mark(group, true);
	skua_add(&group->pending, 1, relaxed); /* order group.go.3: relaxed, we hold it open */
	skuai_post_small(pool, self, cell);
	return true;
}

/* Add the task, but for what depends on being full. */
static int add(struct skua_group *group, struct skuai_worker *self, skua_group_task *task,
	       const void *argument, size_t bytes)
{
	bool is_small = bytes <= SKUAI_SMALL_BYTES && !group->is_isolated && !group->workers;

	if (is_small && add_small(group, self, task, argument, bytes))
		return SKUA_OK;
	struct skuai_cell *cell = is_small ? NULL : skuai_cell_get(group->pool, self);
	if (!cell && (!self || !skuai_group_may_run(group, self)))
		return SKUA_ENOMEM;
	if (!cell) {
		run_now(self, group, task, argument, bytes);
		return SKUA_OK;
	}
	struct skua_pool *pool = group->pool; /* once it is listed, group and all may be gone */
	uint64_t workers = group->workers;
	group_fill_cell(cell, group, task, argument, bytes);
	if (workers)
		skuai_post_chosen(pool, &cell->job, workers);
	else
		skuai_post_known(pool, self, &cell->job);
	return SKUA_OK;
}

/*
 * The common case in a straight line: a worker adds a small task to a group with nothing special
 * about it that has tasks already, and has a cell to put it in.  False: it is not that case.
 */
static inline bool go_straight(struct skua_group *group, skua_group_task *task,
			       const void *argument, size_t bytes)
{
	struct skuai_worker *self = skuai_self;

	/* order group.straight.1: relaxed, as group.mark.1 */
	if (!self || self->pool != group->pool || !group->is_simple || bytes > SKUAI_SMALL_BYTES ||
	    !skua_load(&group->is_dirty, relaxed))
		return false;
	struct skuai_small_cell *cell = (struct skuai_small_cell *)(void *)skuai_cells_take(
		&self->cells[SKUAI_CELL_SMALL]);
	if (!cell)
		return false;
	fill_small(cell, group, task, argument, bytes);
	skua_add(&group->pending, 1, relaxed); /* order group.go.4: relaxed, we hold it open */
	skuai_post_small(self->pool, self, cell);
	return true;
}

static int go_any(struct skua_group *group, skua_group_task *task, const void *argument,
		  size_t bytes)
{
	struct skua_pool *pool = group->pool; /* it may go before we do */
	struct skuai_worker *self;
	int error = SKUA_OK;

	if (skuai_self && skuai_self->pool == pool)
		self = skuai_self;
	else if ((error = skuai_pool_accept(&pool, &self)))
		return error;
	/* One of the pending is the open group itself; but not while somebody waits for it. */
	bool is_full = group->max_inflight && pending_of(group) > group->max_inflight;
	bool may_help = self && skuai_group_may_run(group, self);
	/* A task of the group that waited for room might wait for itself. */
	bool must_help = may_help && (group->when_full == SKUA_FULL_HELP || is_around_us(group));
	if (is_full && group->when_full == SKUA_FULL_REFUSE)
		error = SKUA_EBUSY;
	else if (is_full && (must_help || (!wait_for_room(group, self) && may_help)))
		run_now(self, group, task, argument, bytes);
	else
		error = add(group, self, task, argument, bytes);
	skuai_pool_thanks(pool, self);
	return error;
}

int skua_group_go(struct skua_group *group, skua_group_task *task, const void *argument,
		  size_t bytes)
{
	if (!group || group->is_open != GROUP_OPEN || !task || bytes > SKUAI_COPY_BYTES ||
	    (bytes && !argument))
		return SKUA_EINVAL;
	if (group->done.era != skuai_era())
		return SKUA_EFORKED;
	if (is_cancelled(group)) {
		fail(group, error_above(group)); /* so that the wait tells, too */
		return SKUA_ECANCELED;
	}
	if (go_straight(group, task, argument, bytes))
		return SKUA_OK;
	return go_any(group, task, argument, bytes);
}

/* --- wait --- */

/* Wait until the event has ended, or for a while. */
static void wait_some(struct skua_group *group, struct skuai_worker *self, int64_t deadline)
{
	if (!self || !group->is_isolated) {
		skuai_job_wait_for(&group->done, deadline, SKUAI_TRACE_FOR_GROUP);
		return;
	}
	/* Also of another pool: what it would run meanwhile is none of the group's. */
	skuai_group_run_listed(group, self, deadline);
	int64_t glance = skuai_group_may_run(group, self) ? skuai_deadline_after(GROUP_GLANCE_NS)
							  : SKUAI_NO_DEADLINE;
	struct skuai_until until = { .job = &group->done,
				     .deadline = glance < deadline ? glance : deadline,
				     .is_isolated = true,
				     .reason = SKUAI_TRACE_FOR_GROUP };
	skuai_work_until(self, skuai_forks_top(&self->forks), &until);
}

static bool group_is_over(const struct skua_group *group)
{
	return skuai_outcome_stage(&group->done) != SKUAI_JOB_QUEUED;
}

/* False: the deadline came first. */
static bool wait_for_all(struct skua_group *group, int64_t deadline)
{
	skuai_group_leave(group); /* the one that held it open */
	while (!group_is_over(group)) {
		int64_t soonest = deadline < group->deadline ? deadline : group->deadline;
		bool has_ended = is_cancelled(group); /* its own deadline among it */
		wait_some(group, skuai_self, has_ended ? deadline : soonest);
		if (!group_is_over(group) && skuai_deadline_is_past(deadline) &&
		    skuai_tally_hold(&group->pending))
			return false;
	}
	return true;
}

/* The first error of the group; of a group around it when that kept a task from running. */
static int error_of(const struct skua_group *group)
{
	/* order group.error.1: relaxed, its tasks are done */
	int error = skua_load(&group->error, relaxed);

	return error || !skua_group_skipped(group) ? error : error_above(group);
}

int skua_group_wait(struct skua_group *group, int64_t deadline)
{
	if (!group || group->is_open != GROUP_OPEN)
		return SKUA_EINVAL;
	if (group->done.era != skuai_era())
		return SKUA_EFORKED;
	if (is_around_us(group))
		return SKUA_ECYCLE;
	if (!group->is_isolated)
		skuai_held_check("skua_group_wait");
	/* order group.wait.1: acquire, pairs group.wait.2; the waiter before has made it ready */
	if (skua_exchange(&group->is_waited, 1, acquire))
		return SKUA_EBUSY;
	bool is_worker = skuai_self && skuai_self->pool == group->pool;
	bool is_in = is_worker || skuai_pool_enter(group->pool);
	int error = SKUA_ETIMEDOUT;
	if (wait_for_all(group, deadline)) {
		error = error_of(group);
		/* order group.span.1: relaxed, alone; what was told of comes with their end */
		skuai_profile_waited(skuai_self, group->opened,
				     skua_exchange(&group->span, 0, relaxed));
		group->opened = skuai_profile_span_now(skuai_self);
		if (is_in) {
			skuai_group_empty_list(group, is_worker ? skuai_self : NULL);
			mark(group, false);
		} else {
			/* The pool may be gone, and its count with it.
			 * order group.mark.4: relaxed, alone */
			skua_store(&group->is_dirty, 0, relaxed);
		}
		/* order group.skip.3: relaxed, alone; told of from there until the next task */
		group->skipped_before = skua_exchange(&group->skipped, 0, relaxed);
		group_make_ready(group);
	}
	if (is_in && !is_worker)
		skuai_pool_leave(group->pool);
	skua_store(&group->is_waited, 0, release); /* order group.wait.2: release, pairs .1 */
	return error;
}

bool skua_group_is_busy(const struct skua_group *group)
{
	/* order group.busy.1: relaxed, a moment ago; of two, one is the group itself */
	return group && pending_of(group) > (skua_load(&group->is_waited, relaxed) ? 0u : 1u);
}

unsigned skua_group_skipped(const struct skua_group *group)
{
	if (!group)
		return 0;
	/* order group.skip.2: relaxed, a flag and a count; exact when nobody adds tasks */
	bool has_tasks = skua_load(&group->is_dirty, relaxed);
	/* order group.skip.4: relaxed, likewise */
	return has_tasks ? skua_load(&group->skipped, relaxed) : group->skipped_before;
}
