/* SPDX-License-Identifier: MIT */
/* profiling.c — work and span of what a pool runs, strand by strand, while that is asked for */
#include "sched/profiling.h"

#include "base/atomic.h"
#include "os/ticks.h"
#include "sched/watch.h"

/*
 * Unmodelled: what is written here is the worker's own, but for what stands beside a slot, which
 * moves with the slot (forks.share.3, forks.done.1), and for counts.
 */
#define COST_ROUNDS  16
#define COST_BATCHES 16

#ifdef SKUA_FAULTS
uint64_t (*skuai_profile_clock)(void);
static uint64_t profile_ticks(void)
{
	return skuai_profile_clock ? skuai_profile_clock() : skuai_ticks();
}
#else
static uint64_t profile_ticks(void)
{
	return skuai_ticks();
}
#endif

/* --- strands --- */

void skuai_strand_end(struct skuai_profiler *profiler)
{
	uint64_t now = profile_ticks();

	if (!profiler->began)
		return;
	uint64_t took = now - profiler->began;
	took = took > profiler->cost ? took - profiler->cost : 0;
	profiler->began = 0;
	profiler->work += took;
	profiler->by[profiler->name] += took;
	profiler->path.span += took;
	profiler->path.burdened += took;
	profiler->path.by[profiler->name] += took;
}

void skuai_strand_begin(struct skuai_profiler *profiler)
{
	uint64_t now = profile_ticks();

	profiler->began = now ? now : 1;
}

/* The longer one of both, by either measure. */
static void path_join(struct skuai_path *path, const struct skuai_path *other)
{
	uint64_t burdened = path->burdened > other->burdened ? path->burdened : other->burdened;

	if (other->span > path->span)
		*path = *other;
	path->burdened = burdened;
}

static void path_add(struct skuai_path *path, const struct skuai_path *more)
{
	path->span += more->span;
	path->burdened += more->burdened;
	for (unsigned i = 0; i < SKUAI_PROFILE_NAMES; i++)
		path->by[i] += more->by[i];
}

static void do_nothing(struct skua_slot *here, struct skua_slot *slot)
{
	(void)here, (void)slot;
}

static unsigned profile_name_of(struct skuai_profiler *profiler, uintptr_t function)
{
	if (!function || function == (uintptr_t)do_nothing)
		function = SKUAI_PROFILE_ROOT;
	for (unsigned i = 0; i < SKUAI_PROFILE_NAMES - 1; i++) {
		/* order profiling.name.1: relaxed, a number; .2 decides */
		uintptr_t there = skua_load(&profiler->names[i], relaxed);
		/* order profiling.name.2: relaxed, likewise */
		if (!there && skua_cas(&profiler->names[i], &there, function, relaxed, relaxed))
			return i;
		if (there == function)
			return i;
	}
	return SKUAI_PROFILE_NAMES - 1;
}

void skuai_profile_rename(struct skuai_worker *self, uintptr_t function)
{
	skuai_strand_end(self->profiler);
	self->profiler->name = profile_name_of(self->profiler, function);
	skuai_strand_begin(self->profiler);
}

/* --- fork and join --- */

void skuai_profile_fork(struct skuai_profiler *profiler, struct skua_slot *slot, uint32_t number)
{
	profiler->forks++;
	if (number >= profiler->side_count)
		return;
	struct skuai_side *side = &profiler->sides[number];
	/* order profiling.fork.1: relaxed, our own store; taken by force already, it is the same */
	side->task = skua_load(&slot->ready, relaxed);
	side->fork = profiler->path;
}

bool skuai_profile_run(struct skuai_profiler *profiler, struct skua_slot *slot, uint32_t number)
{
	struct skuai_side *side = number < profiler->side_count ? &profiler->sides[number] : NULL;

	if (!side || !side->task)
		return false; /* whoever joins runs it */
	struct skuai_path beside = profiler->path;
	skua_slot_task *task = side->task;
	unsigned name = profiler->name;

	side->task = NULL;
	profiler->path = side->fork;
	profiler->path.burdened += profiler->burden;
	profiler->name = profile_name_of(profiler, (uintptr_t)task);
	skuai_strand_begin(profiler);
	task(slot, slot);
	skuai_strand_end(profiler);
	profiler->name = name;
	path_join(&profiler->path, &beside);
	return true;
}

void skuai_profile_joined(struct skuai_profiler *profiler, uint32_t number)
{
	struct skuai_side *side = number < profiler->side_count ? &profiler->sides[number] : NULL;

	if (!side || !side->task)
		return;
	side->task = NULL;
	struct skuai_path child = side->fork;
	child.burdened += profiler->burden;
	if (side->has_child)
		path_add(&child, &side->child);
	side->has_child = false;
	path_join(&profiler->path, &child);
}

/* --- other things --- */

void skuai_profile_enter(struct skuai_worker *self, struct skuai_profile_frame *frame,
			 uintptr_t function)
{
	struct skuai_profiler *profiler = self->profiler;

	*frame = (struct skuai_profile_frame){ 0 }; /* in a root's wait it may be switched on */
	if (!profiler)
		return;
	skuai_strand_end(profiler);
	frame->path = profiler->path;
	frame->name = profiler->name;
	profiler->path = (struct skuai_path){ 0 };
	profiler->name = profile_name_of(profiler, function);
	skuai_strand_begin(profiler);
}

static void profile_restore(struct skuai_profiler *profiler,
			    const struct skuai_profile_frame *frame)
{
	profiler->path = frame->path;
	profiler->name = frame->name;
}

void skuai_profile_leave_theft(struct skuai_worker *self, const struct skuai_profile_frame *frame,
			       const struct skuai_find *find)
{
	struct skuai_profiler *profiler = self->profiler, *victim = find->victim->profiler;

	if (!profiler)
		return;
	skuai_strand_end(profiler);
	/* The victim is what it was when it forked, until it joins: the theft carries it. */
	uint32_t number = (uint32_t)(find->theft.slot - find->victim->forks.base);
	if (victim && number < victim->side_count) {
		victim->sides[number].child = profiler->path;
		victim->sides[number].has_child = true;
	}
	skuai_profile_tell(profiler); /* before who waits for it asks */
	profile_restore(profiler, frame);
}

/* Add to what others read. */
static void tell_path(_Atomic uint64_t *span, _Atomic uint64_t *burdened, _Atomic uint64_t *by,
		      const struct skuai_path *path)
{
	skuai_count(span, path->span);
	skuai_count(burdened, path->burdened);
	for (unsigned i = 0; i < SKUAI_PROFILE_NAMES; i++)
		skuai_count(&by[i], path->by[i]);
}

void skuai_profile_job_done(struct skuai_worker *self)
{
	struct skuai_profiler *profiler = self->profiler;

	if (!profiler)
		return;
	skuai_strand_end(profiler);
	/* order profiling.job.1: relaxed, our own store */
	if (profiler->path.span > skua_load(&profiler->job_span, relaxed)) {
		/* order profiling.job.2: relaxed, a number */
		skua_store(&profiler->job_span, 0, relaxed);
		skua_store(&profiler->job_burdened, 0, relaxed); /* order profiling.job.3: as .2 */
		for (unsigned i = 0; i < SKUAI_PROFILE_NAMES; i++)
			skua_store(&profiler->job_by[i], 0,
				   relaxed); /* order profiling.job.4: as .2 */
		tell_path(&profiler->job_span, &profiler->job_burdened, profiler->job_by,
			  &profiler->path);
	}
	skuai_profile_tell(profiler);
	skuai_strand_begin(profiler);
}

void skuai_profile_leave_job(struct skuai_worker *self, const struct skuai_profile_frame *frame)
{
	if (!self->profiler)
		return;
	skuai_profile_job_done(self);
	self->profiler->began = 0;
	profile_restore(self->profiler, frame);
}

void skuai_profile_news(struct skuai_worker *self)
{
	if (!self->profiler)
		return;
	skuai_strand_end(self->profiler);
	skuai_profile_tell(self->profiler);
	skuai_strand_begin(self->profiler);
}

void skuai_profile_leave_visit(struct skuai_worker *self)
{
	struct skuai_profiler *profiler = self->profiler;

	if (!profiler)
		return;
	skuai_strand_end(profiler);
	tell_path(&profiler->visit_span, &profiler->visit_burdened, profiler->visit_by,
		  &profiler->path);
	profiler->path = (struct skuai_path){ 0 };
	skuai_profile_tell(profiler);
}

void skuai_profile_tell(struct skuai_profiler *profiler)
{
	skuai_count(&profiler->told_work, profiler->work);
	skuai_count(&profiler->told_forks, profiler->forks);
	for (unsigned i = 0; i < SKUAI_PROFILE_NAMES; i++) {
		skuai_count(&profiler->told_by[i], profiler->by[i]);
		profiler->by[i] = 0;
	}
	profiler->work = profiler->forks = 0;
}

/* --- groups --- */

void skuai_profile_task_of(struct skuai_worker *self, _Atomic uint64_t *longest)
{
	struct skuai_profiler *profiler = self->profiler;

	if (!profiler)
		return;
	skuai_strand_end(profiler);
	/* order profiling.group.1: relaxed, .2 decides */
	uint64_t seen = skua_load(longest, relaxed);
	/* order profiling.group.2: relaxed, carried by the end of the group */
	while (profiler->path.span > seen &&
	       !skua_cas_weak(longest, &seen, profiler->path.span, relaxed, relaxed))
		continue;
	skuai_profile_tell(profiler);
	skuai_strand_begin(profiler);
}

void skuai_profile_waited(struct skuai_worker *self, uint64_t opened, uint64_t longest)
{
	struct skuai_profiler *profiler = self ? self->profiler : NULL;

	if (!profiler)
		return;
	skuai_strand_end(profiler);
	struct skuai_path *path = &profiler->path;
	uint64_t end = (opened < path->span ? opened : path->span) + longest;
	if (end > path->span) {
		uint64_t more = end - path->span;
		path->span += more;
		path->burdened += more + profiler->burden;
		path->by[SKUAI_PROFILE_NAMES - 1] += more;
	}
	skuai_strand_begin(profiler);
}

/* --- loops --- */

void skuai_profile_fan_begin(struct skuai_worker *self, struct skuai_profile_fan *fan,
			     uintptr_t function)
{
	struct skuai_profiler *profiler = self->profiler;

	if (!profiler)
		return;
	skuai_strand_end(profiler);
	fan->before = fan->most = profiler->path;
	fan->chunks = 0;
	fan->name = profiler->name;
	profiler->name = profile_name_of(profiler, function);
	skuai_strand_begin(profiler);
}

void skuai_profile_fan_chunk(struct skuai_worker *self, struct skuai_profile_fan *fan)
{
	struct skuai_profiler *profiler = self->profiler;

	if (!profiler)
		return;
	skuai_strand_end(profiler);
	path_join(&fan->most, &profiler->path);
	profiler->path = fan->before; /* the next begins when this one did */
	fan->chunks++;
	skuai_strand_begin(profiler);
}

void skuai_profile_fan_end(struct skuai_worker *self, const struct skuai_profile_fan *fan)
{
	struct skuai_profiler *profiler = self->profiler;

	if (!profiler)
		return;
	skuai_strand_end(profiler);
	path_join(&profiler->path, &fan->most);
	if (fan->chunks > 1)
		profiler->path.burdened += profiler->burden;
	profiler->name = fan->name;
	skuai_strand_begin(profiler);
}

/* --- on and off --- */

/* What a strand costs in which nothing is done: three of them make a round. */
static uint64_t cost_of_strand(struct skuai_profiler *profiler, struct skua_slot *here)
{
	uint64_t least = UINT64_MAX;

	for (unsigned batch = 0; batch < COST_BATCHES; batch++) {
		uint64_t before = profiler->work;
		skuai_strand_begin(profiler);
		for (unsigned i = 0; i < COST_ROUNDS; i++) {
			struct skua_slot *slot = here;
			skua_slot_fork(&here, do_nothing);
			if (!skua_slot_join(&here, slot))
				do_nothing(here, slot);
		}
		skuai_strand_end(profiler);
		uint64_t cost = (profiler->work - before) / ((uint64_t)3 * COST_ROUNDS);
		least = cost < least ? cost : least;
	}
	return least;
}

void skuai_profile_switch(struct skuai_worker *self, struct skua_slot *here)
{
	/* order profiling.switch.1: acquire, pairs profiles.begin.1 */
	struct skuai_profiles *all = skua_load(&self->pool->profiling, acquire);

	if (!all) {
		skuai_profile_tell(self->profiler);
		self->profiler = NULL;
		skuai_eye_set(self, SKUAI_EYE_PROFILE, false);
		skuai_forks_profile(&self->forks, false);
		return;
	}
	struct skuai_profiler *profiler = &all->profilers[self->number];
	self->profiler = profiler;
	skuai_eye_set(self, SKUAI_EYE_PROFILE, true);
	skuai_forks_profile(&self->forks, true);
	profiler->path = (struct skuai_path){ 0 };
	profiler->name = 0;
	profiler->began = 0;
	profiler->cost = 0;
	profiler->burden = skua_load(&all->burden,
				     relaxed); /* order profiling.switch.2: a number */
	profiler->cost = cost_of_strand(profiler, here);
	/* It was no work. */
	profiler->path = (struct skuai_path){ 0 };
	profiler->work = profiler->forks = 0;
	for (unsigned i = 0; i < SKUAI_PROFILE_NAMES; i++)
		profiler->by[i] = 0;
}
