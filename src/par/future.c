/* SPDX-License-Identifier: MIT */
/* future.c — futures: one result that comes later, from a task or from anywhere */
#include "base/atomic.h"
#include "par/future_parts.h"
#include "sched/held.h"
#include "sched/outcome.h"
#include "sched/post.h"
#include "sched/watch.h"

#include <skua/error.h>

#include <assert.h>
#include <string.h>

/*
 * The moment of fulfilment is settle.c's.  A task waits in a cell to which there are several ways:
 * a queue, a more urgent queue when it was raised, and the future itself, through which an awaiting
 * worker or skua_future_cancel comes.  Whoever claims the cell first has it (cells.h).
 *
 * Whoever waits is a listener with an event on its own stack: so the future needs no room for
 * waiters, and is never touched by whoever tells them.
 */
static_assert(sizeof(struct skua_future) == 32, "as promised");

/* --- the task behind a future --- */

/* The task has ended, or never will begin.  The future's way to it becomes the caller's. */
static void end_task(struct skuai_cell *cell, int error)
{
	skuai_future_settle(cell->owner, SKUAI_FUTURE_TASKED, error);
}

/* The tasks of futures that this thread is in the middle of. */
struct future_frame {
	const struct skua_future *future;
	const struct future_frame *outer;
};
static _Thread_local const struct future_frame *future_frames;

bool skuai_future_is_around_us(const struct skua_future *future)
{
	const struct future_frame *frame = future_frames;

	while (frame && frame->future != future)
		frame = frame->outer;
	return frame != NULL;
}

/* Run it, unless its pool was closed and told to cancel.  It is claimed. */
static void future_run_task(struct skua_slot *here, struct skuai_cell *cell)
{
	struct future_frame frame = { cell->owner, future_frames };

	/* order future.cancelling.1: relaxed, as submit.cancel.1 */
	if (skua_load(&cell->job.pool->is_cancelling, relaxed)) {
		end_task(cell, SKUA_ECANCELED);
		return;
	}
	future_frames = &frame;
	skuai_task_is(skuai_self, (uintptr_t)cell->task);
	int error = cell->task(here, skuai_cell_argument(cell));
	if (skuai_is_watched(skuai_self))
		skuai_profile_news(skuai_self);
	future_frames = frame.outer;
	end_task(cell, error);
}

static void run_queued(struct skua_slot *here, void *argument)
{
	struct skuai_cell *cell = argument;
	bool is_first = skuai_cell_claim(cell);

	if (is_first)
		future_run_task(here, cell);
	skuai_cell_drop(skuai_self->pool, skuai_self, cell, is_first ? 2 : 1);
}

/* The pool was closed and told to cancel. */
static void cancel_queued(struct skua_job *job, int error)
{
	struct skuai_cell *cell = job->argument;
	bool is_first = skuai_cell_claim(cell);

	if (is_first)
		end_task(cell, error);
	skuai_cell_drop(skuai_self->pool, skuai_self, cell, is_first ? 2 : 1);
}

/* It was claimed when the future before it was fulfilled. */
static void future_run_claimed(struct skua_slot *here, void *argument)
{
	future_run_task(here, argument);
	skuai_cell_drop(skuai_self->pool, skuai_self, argument, 2);
}

static void cancel_claimed(struct skua_job *job, int error)
{
	end_task(job->argument, error);
	skuai_cell_drop(skuai_self->pool, skuai_self, job->argument, 2);
}

static bool future_is_valid(const struct skua_future *future, skua_group_task *task,
			    const void *argument, size_t bytes)
{
	return future && task && bytes <= SKUAI_COPY_BYTES && (!bytes || argument);
}

/* A cell with two references: the future's, and the queue's or listener's. */
static inline void future_fill_cell(struct skuai_cell *cell, struct skua_pool *pool,
				    struct skua_future *future, skua_group_task *task,
				    const void *argument, size_t bytes)
{
	cell->job = (struct skua_job)SKUA_JOB(run_queued, cell);
	cell->job.finish = cancel_queued;
	cell->job.pool = pool;
	skua_store(&cell->job.refs, 2, relaxed); /* order future.fill.1: relaxed, alone */
	cell->owner = future;
	cell->task = task;
	skuai_cell_give(cell, argument, bytes);
}

int skua_future_async(struct skua_pool *pool, struct skua_future *future,
		      enum skua_priority priority, skua_group_task *task, const void *argument,
		      size_t bytes)
{
	struct skuai_worker *self;

	if (!future_is_valid(future, task, argument, bytes) || priority > SKUA_PRIORITY_LOW)
		return SKUA_EINVAL;
	int error = skuai_pool_accept(&pool, &self);
	if (error)
		return error;
	struct skuai_cell *cell = skuai_cell_get(pool, self);
	if (cell) {
		future_fill_cell(cell, pool, future, task, argument, bytes);
		cell->job.priority = priority;
		skuai_post_prepare(&cell->job);
	}
	if (!cell) {
		error = SKUA_ENOMEM;
	} else if (skuai_future_reserve(future, cell)) {
		skuai_post_known(pool, self, &cell->job);
	} else {
		error = SKUA_EBUSY;
		skuai_cell_put(pool, self, cell);
	}
	skuai_pool_thanks(pool, self);
	return error;
}

static bool is_own(const struct skua_pool *pool)
{
	return skuai_self && skuai_self->pool == pool;
}

/*
 * A second way to the task of a future, so that it is not given back meanwhile; NULL: none, or its
 * pool is closing.  Who is no worker of that pool enters it, under the lock: while the task has not
 * ended, which takes the lock, the pool is there.
 */
static struct skuai_cell *borrow_cell(struct skua_future *future)
{
	uint32_t stage = skuai_future_lock(future);
	struct skuai_cell *cell = future->cell;

	if (cell && !is_own(cell->job.pool) && !skuai_pool_enter(cell->job.pool))
		cell = NULL;
	if (cell)
		skua_add(&cell->job.refs, 1, relaxed); /* order future.borrow.1: relaxed, a count */
	skuai_future_unlock(future, stage);
	return cell;
}

static void leave_borrowed(struct skua_pool *pool)
{
	if (!is_own(pool))
		skuai_pool_leave(pool);
}

/* The borrowed way, and the future's if that was taken over. */
static void return_cell(struct skuai_cell *cell, unsigned ways)
{
	struct skua_pool *pool = cell->job.pool;

	skuai_cell_drop(pool, is_own(pool) ? skuai_self : NULL, cell, ways);
	leave_borrowed(pool);
}

int skua_future_cancel(struct skua_future *future)
{
	if (!future || skuai_future_stage(future) == SKUAI_FUTURE_EMPTY)
		return SKUA_EINVAL;
	struct skuai_cell *cell = borrow_cell(future);
	if (!cell)
		return SKUA_EBUSY;
	bool is_first = skuai_cell_claim(cell);
	if (is_first)
		end_task(cell, SKUA_ECANCELED);
	return_cell(cell, is_first ? 2 : 1);
	return is_first ? SKUA_OK : SKUA_EBUSY;
}

/* --- raise: a second place in a queue --- */

static void run_raised(struct skua_slot *here, void *argument)
{
	struct skuai_cell *second = argument, *cell = second->owner;

	skuai_cell_put(skuai_self->pool, skuai_self, second);
	run_queued(here, cell);
}

static void cancel_raised(struct skua_job *job, int error)
{
	struct skuai_cell *second = job->argument, *cell = second->owner;

	skuai_cell_put(skuai_self->pool, skuai_self, second);
	cancel_queued(&cell->job, error);
}

/* Queue the borrowed cell once more; the way to it goes with it. */
static int queue_again(struct skuai_cell *cell, enum skua_priority priority)
{
	struct skua_pool *pool = cell->job.pool;
	struct skuai_worker *self;
	int error = skuai_pool_accept(&pool, &self);

	if (error)
		return error;
	struct skuai_cell *second = skuai_cell_get(pool, self);
	if (second) {
		second->job = (struct skua_job)SKUA_JOB(run_raised, second);
		second->job.finish = cancel_raised;
		second->job.priority = priority;
		second->owner = cell;
		skuai_post(pool, self, &second->job);
	}
	skuai_pool_thanks(pool, self);
	return second ? SKUA_OK : SKUA_ENOMEM;
}

int skua_future_raise(struct skua_future *future, enum skua_priority priority)
{
	if (!future || priority > SKUA_PRIORITY_LOW)
		return SKUA_EINVAL;
	if (skuai_future_is_forked(future, skuai_future_stage(future)))
		return SKUA_EFORKED;
	struct skuai_cell *cell = borrow_cell(future);
	if (!cell)
		return SKUA_EBUSY;
	/* order future.raise.1: relaxed, a hint: a task that has begun is found out later */
	uint32_t state = skua_load(&cell->job.state, relaxed);
	struct skua_pool *pool = cell->job.pool;
	int error = SKUA_EBUSY;
	if (state & SKUAI_JOB_POSTED && !(state & SKUAI_JOB_CLAIMED))
		error = queue_again(cell, priority);
	if (error)
		return_cell(cell, 1);
	else
		leave_borrowed(pool);
	return error;
}

/* --- then --- */

struct follower {
	struct skuai_listener listener;
	struct skuai_cell *holder; /* the cell that this stands in */
	struct skuai_cell *cell;   /* the task that follows */
};
static_assert(sizeof(struct follower) <= SKUAI_COPY_BYTES, "a cell has room for it");

static void follow(struct skuai_listener *listener, int error)
{
	struct follower follower = *(struct follower *)(void *)listener;
	struct skuai_cell *cell = follower.cell;
	struct skua_pool *pool = cell->job.pool, *entered = pool;
	struct skuai_worker *self = NULL;
	bool is_first = skuai_cell_claim(cell); /* else it was cancelled meanwhile */
	/* Also in order to fail: whoever waits for this future may then close the pool. */
	int refused = skuai_pool_accept(&entered, &self);

	skua_sub(&pool->following, 1, relaxed); /* order future.follow.1: relaxed, a count */
	if (!error)
		error = refused;
	skuai_cell_put(pool, self, follower.holder);
	if (is_first && !error) {
		cell->job.run = future_run_claimed;
		cell->job.finish = cancel_claimed;
		skuai_post_claimed(pool, self, &cell->job);
	} else {
		if (is_first)
			end_task(cell, error);
		skuai_cell_drop(pool, self, cell, is_first ? 2 : 1);
	}
	if (!refused)
		skuai_pool_thanks(pool, self);
}

/* Two cells, or none. */
static bool get_two(struct skua_pool *pool, struct skuai_worker *self, struct skuai_cell *two[2])
{
	two[0] = skuai_cell_get(pool, self);
	two[1] = two[0] ? skuai_cell_get(pool, self) : NULL;
	if (two[0] && !two[1])
		skuai_cell_put(pool, self, two[0]);
	return two[1] != NULL;
}

int skua_future_then(struct skua_future *first, struct skua_pool *pool, struct skua_future *future,
		     skua_group_task *task, const void *argument, size_t bytes)
{
	struct skuai_worker *self;
	struct skuai_cell *cells[2];

	if (!first || first == future || !future_is_valid(future, task, argument, bytes))
		return SKUA_EINVAL;
	int error = skuai_pool_accept(&pool, &self);
	if (error)
		return error;
	bool has_both = get_two(pool, self, cells);
	if (has_both)
		future_fill_cell(cells[0], pool, future, task, argument, bytes);
	if (!has_both) {
		error = SKUA_ENOMEM;
	} else if (!skuai_future_reserve(future, cells[0])) {
		skuai_cell_put(pool, self, cells[0]);
		skuai_cell_put(pool, self, cells[1]);
		error = SKUA_EBUSY;
	} else {
		struct follower *follower = (struct follower *)(void *)cells[1]->copy;
		skua_add(&pool->following, 1,
			 relaxed); /* order future.follow.2: relaxed, a count */
		*follower = (struct follower){ { NULL, follow, 0 }, cells[1], cells[0] };
		if (!skuai_future_listen(first, &follower->listener))
			follow(&follower->listener, first->error);
	}
	skuai_pool_thanks(pool, self);
	return error;
}

/* --- fulfil, await --- */

int skua_future_fulfil(struct skua_future *future, int error)
{
	if (!future)
		return SKUA_EINVAL;
	return skuai_future_settle(future, SKUAI_FUTURE_EMPTY, error) ? SKUA_OK : SKUA_EBUSY;
}

bool skua_future_is_done(const struct skua_future *future)
{
	return future && skuai_future_stage(future) == SKUAI_FUTURE_DONE;
}

struct waiter {
	struct skuai_listener listener;
	struct skua_job event;
};

static void wake_waiter(struct skuai_listener *listener, int error)
{
	(void)error;
	skuai_outcome_end(&((struct waiter *)(void *)listener)->event, SKUAI_JOB_DONE);
}

/*
 * Run its task if that is our newest job, as it mostly is.  Then no way to it is left behind in the
 * deque, where it would hold memory until we come to it.
 */
static bool run_newest(struct skuai_worker *self, struct skua_future *future)
{
	uint64_t element;

	if (skua_deque_pop(&self->deque, &element) != SKUA_TAKE_GOT)
		return false;
	struct skua_job *job = skuai_job_of(element);
	if (job->run == run_queued && ((struct skuai_cell *)(void *)job)->owner == future) {
		struct skuai_inlined inlined;
		skuai_begin_inlined(self, &inlined);
		run_queued(skuai_forks_top(&self->forks), job);
		skuai_end_inlined(self, &inlined);
		return true;
	}
	skuai_post_known(self->pool, self, job); /* for a moment nobody saw it: R1 */
	return false;
}

/* Run its task, wherever it waits. */
__attribute__((noinline)) static void run_wherever(struct skuai_worker *self,
						   struct skua_future *future)
{
	struct skuai_cell *cell = borrow_cell(future);
	if (!cell)
		return;
	/* order future.help.1: relaxed, a hint: what waits for another future is not posted yet */
	bool is_first = cell->job.pool == self->pool &&
			skua_load(&cell->job.state, relaxed) & SKUAI_JOB_POSTED &&
			skuai_cell_claim(cell);
	if (is_first) {
		struct skuai_inlined inlined;
		skuai_begin_inlined(self, &inlined);
		future_run_task(skuai_forks_top(&self->forks), cell);
		skuai_end_inlined(self, &inlined);
	}
	return_cell(cell, is_first ? 2 : 1);
}

void skuai_future_run_unstarted(struct skua_future *future)
{
	struct skuai_worker *self = skuai_self;

	if (self && !run_newest(self, future))
		run_wherever(self, future);
}

/* Nobody here can bring it about: sleep, or do other work meanwhile. */
__attribute__((noinline)) static int wait_told(struct skua_future *future, int64_t deadline)
{
	struct waiter waiter;

	waiter.listener = (struct skuai_listener){ NULL, wake_waiter, 0 };
	skuai_event_open(&waiter.event, NULL);
	if (skuai_future_listen(future, &waiter.listener)) {
		if (skuai_job_wait_for(&waiter.event, deadline, SKUAI_TRACE_FOR_FUTURE) ==
			    SKUA_ETIMEDOUT &&
		    skuai_future_unlisten(future, &waiter.listener))
			return SKUA_ETIMEDOUT;
		skuai_job_wait_for(&waiter.event, SKUA_FOREVER,
				   SKUAI_TRACE_FOR_FUTURE); /* in a moment */
	}
	return future->error;
}

int skua_await(struct skua_future *future, int64_t deadline)
{
	if (!future)
		return SKUA_EINVAL;
	skuai_held_check("skua_await");
	uint32_t stage = skuai_future_stage(future);
	if (stage == SKUAI_FUTURE_DONE)
		return future->error;
	if (skuai_future_is_forked(future, stage))
		return SKUA_EFORKED;
	if (skuai_future_is_around_us(future))
		return SKUA_ECYCLE;
	skuai_future_run_unstarted(future);
	if (skuai_future_stage(future) == SKUAI_FUTURE_DONE)
		return future->error;
	return wait_told(future, deadline);
}

int skua_await_all(struct skua_future *const futures[], size_t count, int64_t deadline)
{
	int first = SKUA_OK;

	for (size_t i = 0; i < count; i++)
		if (!futures || !futures[i])
			return SKUA_EINVAL;
	for (size_t i = 0; i < count; i++) {
		int error = skua_await(futures[i], deadline);
		if (!skua_future_is_done(futures[i]))
			return error;
		if (!first)
			first = error;
	}
	return first;
}
