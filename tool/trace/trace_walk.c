/* SPDX-License-Identifier: MIT */
/* trace_walk.c — a ring's records as slices that nest, whatever the ring holds */
#include "trace/trace_walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define SPANS_BACK 64 /* how far the begin of a span is looked for; arbitrary, keeps it linear */

const char *const trace_state_words[STATE_COUNT] = {
	[STATE_RUNNING] = "running", [STATE_SEARCHING] = "searching", [STATE_ASLEEP] = "asleep",
	[STATE_WAITING] = "waiting", [STATE_BLOCKED] = "blocked",     [STATE_UNSEEN] = "unseen",
};

enum trace_slice walk_begins(uint8_t kind)
{
	switch (kind) {
	case SKUAI_TRACE_TASK_BEGIN:
		return SLICE_TASK;
	case SKUAI_TRACE_WAIT_BEGIN:
		return SLICE_WAIT;
	case SKUAI_TRACE_PARK:
		return SLICE_PARK;
	case SKUAI_TRACE_BLOCK_BEGIN:
		return SLICE_BLOCK;
	case SKUAI_TRACE_SPAN_BEGIN:
		return SLICE_SPAN;
	}
	return SLICE_KINDS;
}

enum trace_slice walk_ends(uint8_t kind)
{
	switch (kind) {
	case SKUAI_TRACE_TASK_END:
		return SLICE_TASK;
	case SKUAI_TRACE_WAIT_END:
		return SLICE_WAIT;
	case SKUAI_TRACE_UNPARK:
		return SLICE_PARK;
	case SKUAI_TRACE_BLOCK_END:
		return SLICE_BLOCK;
	case SKUAI_TRACE_SPAN_END:
		return SLICE_SPAN;
	}
	return SLICE_KINDS;
}

const char *walk_reason(uint8_t detail)
{
	static const char *const words[] = {
		[SKUAI_TRACE_FOR_JOIN] = "join",   [SKUAI_TRACE_FOR_JOB] = "job",
		[SKUAI_TRACE_FOR_GROUP] = "group", [SKUAI_TRACE_FOR_FUTURE] = "future",
		[SKUAI_TRACE_FOR_GRAPH] = "graph", [SKUAI_TRACE_FOR_PIPELINE] = "pipeline",
	};

	return detail < sizeof(words) / sizeof(*words) ? words[detail] : NULL;
}

const char *walk_origin(uint8_t detail)
{
	static const char *const words[] = {
		[SKUAI_TRACE_OF_OWN] = "own",	       [SKUAI_TRACE_OF_FORK] = "stolen-fork",
		[SKUAI_TRACE_OF_DEQUE] = "stolen-job", [SKUAI_TRACE_OF_OUTSIDE] = "outside",
		[SKUAI_TRACE_OF_CHOSEN] = "chosen",    [SKUAI_TRACE_OF_VISIT] = "visit",
	};

	return detail < sizeof(words) / sizeof(*words) ? words[detail] : NULL;
}

const char *walk_distance(uint8_t detail)
{
	static const char *const words[] = {
		[SKUAI_TRACE_NOT_KNOWN] = "unknown", [SKUAI_TRACE_SAME_CORE] = "core",
		[SKUAI_TRACE_SAME_CACHE] = "cache",  [SKUAI_TRACE_SAME_NODE] = "node",
		[SKUAI_TRACE_FAR] = "far",
	};

	return detail < sizeof(words) / sizeof(*words) ? words[detail] : NULL;
}

const char *walk_slice_name(const struct trace *trace, const struct open_slice *slice)
{
	static const char *const waits[] = {
		[SKUAI_TRACE_FOR_JOIN] = "wait for a join",
		[SKUAI_TRACE_FOR_JOB] = "wait for a job",
		[SKUAI_TRACE_FOR_GROUP] = "wait for a group",
		[SKUAI_TRACE_FOR_FUTURE] = "wait for a future",
		[SKUAI_TRACE_FOR_GRAPH] = "wait for a graph",
		[SKUAI_TRACE_FOR_PIPELINE] = "wait for a pipeline",
	};
	const struct trace_name *name = NULL;

	switch (slice->kind) {
	case SLICE_WAIT:
		return !slice->is_before && walk_reason(slice->record.detail)
			       ? waits[slice->record.detail]
			       : "wait";
	case SLICE_PARK:
		return "asleep";
	case SLICE_BLOCK:
		return "blocked";
	case SLICE_SPAN:
	case SLICE_TASK:
	case SLICE_KINDS:
		break;
	}
	/* The end of a task, which is all there is of one from before, has no name. */
	if (!slice->is_before || slice->kind == SLICE_SPAN)
		name = trace_find_name(trace, slice->record.argument);
	return name ? name->text : slice->kind == SLICE_SPAN ? "span" : "task";
}

static bool push_slice(struct walk *walk, enum trace_slice kind,
		       const struct skuai_trace_record *record, uint64_t number)
{
	static const enum trace_state states[] = { STATE_RUNNING, STATE_WAITING, STATE_ASLEEP,
						   STATE_BLOCKED, STATE_RUNNING };

	if (!walk->stack || walk->depth == walk->room) {
		size_t room = walk->room ? 2 * walk->room : 16;
		struct open_slice *more = realloc(walk->stack, room * sizeof(*more));
		if (!more)
			return false;
		walk->stack = more;
		walk->room = room;
	}
	const struct open_slice *below = walk->depth ? &walk->stack[walk->depth - 1] : NULL;
	struct open_slice *slice = &walk->stack[walk->depth];
	*slice = (struct open_slice){ .kind = kind,
				      .state = states[kind],
				      .record = *record,
				      .number = number,
				      .ns = walk->ns,
				      .task = below ? below->task : WALK_NONE,
				      .wait = below ? below->wait : WALK_NONE,
				      .base = below ? below->base : WALK_NONE };
	if (kind == SLICE_SPAN && below)
		slice->state = below->state;
	if (kind != SLICE_SPAN)
		slice->base = walk->depth;
	if (kind == SLICE_TASK) {
		slice->task = walk->depth;
		slice->wait = WALK_NONE;
	}
	if (kind == SLICE_WAIT)
		slice->wait = walk->depth;
	walk->open[kind]++;
	walk->depth++;
	return true;
}

/* Where the slice is that a record ends; WALK_NONE: nowhere. */
static size_t find_slice(const struct walk *walk, enum trace_slice kind, uint32_t name)
{
	size_t least = kind == SLICE_SPAN && walk->depth > SPANS_BACK ? walk->depth - SPANS_BACK
								      : 0;

	if (!walk->open[kind])
		return WALK_NONE;
	for (size_t i = walk->depth; i > least; i--) {
		const struct open_slice *slice = &walk->stack[i - 1];
		if (slice->kind == kind && (kind != SLICE_SPAN || slice->record.argument == name))
			return i - 1;
	}
	return WALK_NONE;
}

static enum walk_what shut_one(struct walk *walk, struct walk_step *step)
{
	assert(walk->stack && walk->depth);
	*step = (struct walk_step){ .what = WALK_SHUT,
				    .ns = walk->ns,
				    .number = walk->is_shut_implied ? WALK_NONE : walk->next - 1,
				    .record = walk->record,
				    .slice = walk->stack[--walk->depth] };
	step->is_implied = walk->is_shut_implied || walk->depth > walk->down;
	walk->open[step->slice.kind]--;
	if (walk->depth == walk->down)
		walk->down = WALK_NONE;
	return step->what;
}

static int64_t next_ns(const struct walk *walk, uint64_t ticks)
{
	int64_t ns = trace_ns(walk->trace, ticks);

	ns = ns > walk->trace->end_ns ? walk->trace->end_ns : ns;
	return ns > walk->ns ? ns : walk->ns;
}

int64_t walk_until(const struct walk *walk)
{
	if (walk->told < walk->before || walk->down != WALK_NONE)
		return walk->ns;
	if (walk->next == walk->ring->count)
		return walk->trace->end_ns;
	return next_ns(walk, trace_record(walk->ring, walk->next).ticks);
}

/* At the end of the ring whatever is open ends with the trace. */
static enum walk_what finish_ring(struct walk *walk, struct walk_step *step)
{
	walk->ns = walk->trace->end_ns;
	*step = (struct walk_step){ .what = WALK_END, .ns = walk->ns, .number = WALK_NONE };
	if (!walk->depth)
		return WALK_END;
	walk->down = 0;
	walk->is_shut_implied = true;
	return shut_one(walk, step);
}

enum walk_what walk_next(struct walk *walk, struct walk_step *step)
{
	if (walk->told < walk->before) {
		*step = (struct walk_step){ .what = WALK_OPEN,
					    .ns = walk->ns,
					    .number = WALK_NONE,
					    .slice = walk->stack[walk->told++] };
		return step->what;
	}
	if (walk->down != WALK_NONE)
		return shut_one(walk, step);
	if (walk->next == walk->ring->count)
		return finish_ring(walk, step);
	walk->record = trace_record(walk->ring, walk->next);
	walk->ns = next_ns(walk, walk->record.ticks);
	*step = (struct walk_step){ .ns = walk->ns,
				    .number = walk->next++,
				    .record = walk->record };
	enum trace_slice begun = walk_begins(step->record.kind),
			 ended = walk_ends(step->record.kind);
	if (begun != SLICE_KINDS) {
		if (!push_slice(walk, begun, &step->record, step->number))
			return step->what = WALK_NO_MEMORY;
		step->slice = walk->stack[walk->depth - 1];
		return step->what = WALK_OPEN;
	}
	if (ended == SLICE_KINDS)
		return step->what = WALK_POINT;
	walk->down = find_slice(walk, ended, step->record.argument);
	if (walk->down == WALK_NONE)
		return step->what = WALK_STRAY;
	return shut_one(walk, step);
}

/* Ends that meet an empty stack: what was open before the ring began, the innermost first. */
static bool find_before(struct walk *walk)
{
	struct walk dry = { .trace = walk->trace, .ring = walk->ring, .down = WALK_NONE };
	struct walk_step step;
	enum walk_what what;
	bool is_good = true;

	while (is_good && (what = walk_next(&dry, &step)) != WALK_END) {
		if (what == WALK_STRAY && !dry.depth)
			is_good = push_slice(walk, walk_ends(step.record.kind), &step.record,
					     step.number);
		if (what == WALK_NO_MEMORY)
			is_good = false;
	}
	free(dry.stack);
	return is_good;
}

bool walk_start(struct walk *walk, const struct trace *trace, const struct trace_ring *ring)
{
	*walk = (struct walk){
		.trace = trace, .ring = ring, .ns = trace->begin_ns, .down = WALK_NONE
	};
	if (!find_before(walk)) {
		walk_stop(walk);
		return false;
	}
	if (ring->dropped && ring->count)
		walk->ns = next_ns(walk, trace_record(ring, 0).ticks);
	/* Put in once more, the outermost first, so that each knows what it stands in. */
	size_t count = walk->before = walk->depth;
	for (size_t i = 0; i < count / 2; i++) {
		struct open_slice swapped = walk->stack[i];
		walk->stack[i] = walk->stack[count - 1 - i];
		walk->stack[count - 1 - i] = swapped;
	}
	memset(walk->open, 0, sizeof(walk->open));
	walk->depth = 0;
	for (size_t i = 0; i < count; i++) {
		struct open_slice slice = walk->stack[i];
		push_slice(walk, slice.kind, &slice.record, slice.number);
		walk->stack[i].is_before = true;
	}
	return true;
}

void walk_stop(struct walk *walk)
{
	free(walk->stack);
	walk->stack = NULL;
}
