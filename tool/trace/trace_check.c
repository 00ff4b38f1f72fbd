/* SPDX-License-Identifier: MIT */
/* trace_check.c — what must be true of every trace, ring by ring */
#include "trace/trace_check.h"

#include "trace/backlog.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* One ring. */
struct ring_check {
	struct check *check;
	const struct trace_ring *ring;
	const struct backlog *backlog;
	uint32_t *credit; /* by victim: stolen tasks that did not begin yet */
	bool is_lenient;  /* its beginning is missing: what is not explained may be there */
	bool has_stolen;
	uint64_t last_ticks;
	struct walk_step step;
};

static const char *const slice_words[SLICE_KINDS] = { "task", "wait", "sleep", "blocking section",
						      "span" };

__attribute__((format(printf, 3, 4))) static void violate(struct ring_check *ring, const char *rule,
							  const char *format, ...)
{
	struct violation violation = { .rule = rule,
				       .worker = ring->ring->worker,
				       .number = ring->step.number,
				       .ns = ring->step.ns };
	va_list arguments;

	if (ring->check->violations++ >= ring->check->most)
		return;
	va_start(arguments, format);
	vsnprintf(violation.text, sizeof(violation.text), format, arguments);
	va_end(arguments);
	ring->check->hear(ring->check->context, &violation);
}

static void check_time(struct ring_check *ring)
{
	uint64_t ticks = ring->step.record.ticks;

	if (ring->step.number > 0 && ticks < ring->last_ticks)
		violate(ring, "time", "the clock runs backwards, by %" PRIu64 " ticks",
			ring->last_ticks - ticks);
	ring->last_ticks = ticks;
}

static void check_peer(struct ring_check *ring)
{
	const struct skuai_trace_record *record = &ring->step.record;
	bool is_stolen = record->kind == SKUAI_TRACE_TASK_BEGIN &&
			 (record->detail == SKUAI_TRACE_OF_FORK ||
			  record->detail == SKUAI_TRACE_OF_DEQUE);

	if (record->kind != SKUAI_TRACE_STEAL && record->kind != SKUAI_TRACE_WAKE && !is_stolen)
		return;
	if (!trace_is_worker(ring->check->trace, record->peer))
		violate(ring, "peer", "%s: there is no worker %u", trace_word(record->kind),
			record->peer);
	else if (record->kind != SKUAI_TRACE_WAKE && record->peer == ring->ring->worker)
		violate(ring, "peer", "%s: from itself", trace_word(record->kind));
}

static void check_name(struct ring_check *ring)
{
	const struct skuai_trace_record *record = &ring->step.record;

	if ((record->kind == SKUAI_TRACE_TASK_BEGIN || record->kind == SKUAI_TRACE_SPAN_BEGIN ||
	     record->kind == SKUAI_TRACE_SPAN_END || record->kind == SKUAI_TRACE_MARK) &&
	    record->argument && !trace_find_name(ring->check->trace, record->argument) &&
	    !ring->check->trace->is_truncated) /* names may stand behind the rings */
		violate(ring, "name", "%s: there is no name %" PRIu32, trace_word(record->kind),
			record->argument);
}

/* A stolen task begins after a theft from that victim, and not more often than was stolen. */
static void check_theft(struct ring_check *ring)
{
	const struct skuai_trace_record *record = &ring->step.record;

	if (!trace_is_worker(ring->check->trace, record->peer))
		return;
	uint32_t *credit = &ring->credit[record->peer];
	if (record->kind == SKUAI_TRACE_STEAL) {
		uint32_t count = record->argument ? record->argument : 1;
		*credit += *credit > UINT32_MAX - count ? 0 : count;
		ring->has_stolen = true;
	} else if (record->kind == SKUAI_TRACE_TASK_BEGIN &&
		   (record->detail == SKUAI_TRACE_OF_FORK ||
		    record->detail == SKUAI_TRACE_OF_DEQUE)) {
		if (*credit)
			--*credit;
		else if (ring->has_stolen || !ring->is_lenient)
			violate(ring, "theft",
				"a task stolen from worker %u begins, and nothing was stolen there "
				"before",
				record->peer);
	}
}

static void check_sleep(struct ring_check *ring)
{
	const struct open_slice *slice = &ring->step.slice;
	const struct backlog_spell *spell = backlog_beside(ring->backlog, slice->ns, ring->step.ns);

	if (!spell || spell->worker == ring->ring->worker)
		return;
	struct ring_check at = *ring; /* told where the sleep began */
	at.step.number = slice->number;
	at.step.ns = slice->ns;
	violate(&at, "sleep",
		"sleeps for %.3f ms while tasks wait at worker %" PRIu32 " from %.6f to %.6f s",
		(double)(ring->step.ns - slice->ns) / 1e6, spell->worker,
		(double)spell->start / 1e9, (double)spell->end / 1e9);
}

static void check_open(struct ring_check *ring, const struct walk *walk)
{
	const struct open_slice *slice = &ring->step.slice;
	const struct open_slice *below = NULL;

	if (slice->is_before) {
		ring->check->open_before++;
		if (ring->check->is_whole) {
			struct ring_check at = *ring; /* told where it ends */
			at.step.number = slice->number;
			at.step.ns = trace_ns(ring->check->trace, slice->record.ticks);
			violate(&at, "begin", "a %s has an end and no beginning",
				slice_words[slice->kind]);
		}
		return;
	}
	if (walk->depth > 1 && walk->stack[walk->depth - 2].base != WALK_NONE)
		below = &walk->stack[walk->stack[walk->depth - 2].base];
	if (!below)
		return;
	if (below->kind == SLICE_PARK)
		violate(ring, "nesting", "a %s begins in a sleep", slice_words[slice->kind]);
}

static void check_shut(struct ring_check *ring)
{
	const struct open_slice *slice = &ring->step.slice;

	if (slice->kind == SLICE_PARK && !ring->check->has_spares)
		check_sleep(ring);
	if (!ring->step.is_implied)
		return;
	struct ring_check at = *ring; /* told where it began */
	at.step.number = slice->number;
	at.step.ns = slice->ns;
	if (ring->step.number != WALK_NONE)
		violate(&at, "nesting",
			"a %s does not end before what it stands in ends, at %.6f s",
			slice_words[slice->kind], (double)ring->step.ns / 1e9);
	else if (ring->check->is_whole && slice->kind != SLICE_PARK)
		violate(&at, "end", "a %s has no end", slice_words[slice->kind]);
	ring->check->open_after += ring->step.number == WALK_NONE;
}

static void check_step(struct ring_check *ring, const struct walk *walk, bool is_outside)
{
	const struct walk_step *step = &ring->step;
	bool is_end = step->what == WALK_SHUT && step->is_implied;

	if (step->number != WALK_NONE && !is_end && step->what != WALK_END) {
		check_time(ring);
		check_name(ring);
		check_peer(ring);
		check_theft(ring);
	}
	if (is_outside) /* of several threads: their spans cross */
		return;
	if (step->what == WALK_OPEN)
		check_open(ring, walk);
	if (step->what == WALK_SHUT)
		check_shut(ring);
	if (step->what == WALK_STRAY)
		violate(ring, "nesting", "%s: no %s has begun here", trace_word(step->record.kind),
			slice_words[walk_ends(step->record.kind)]);
}

/* What a ring leaves behind would be there for the next one. */
static void clear_credit(struct ring_check *ring)
{
	for (uint64_t i = 0; i < ring->ring->count; i++) {
		struct skuai_trace_record record = trace_record(ring->ring, i);
		if (trace_is_worker(ring->check->trace, record.peer))
			ring->credit[record.peer] = 0;
	}
}

static bool check_ring(struct ring_check *ring)
{
	const struct trace *trace = ring->check->trace;
	struct walk walk;
	enum walk_what what;
	bool is_outside = trace_is_outside(trace, ring->ring);

	if (!walk_start(&walk, trace, ring->ring))
		return false;
	while ((what = walk_next(&walk, &ring->step)) != WALK_END && what != WALK_NO_MEMORY)
		check_step(ring, &walk, is_outside);
	walk_stop(&walk);
	if (ring->ring->dropped) {
		ring->step = (struct walk_step){ .number = WALK_NONE };
		violate(ring, "dropped",
			"%" PRIu64 " of %" PRIu64 " records were overwritten; enlarge the ring "
			"(records in skua_trace_options), or trace a shorter time",
			ring->ring->dropped, ring->ring->written);
	}
	clear_credit(ring);
	return what == WALK_END;
}

/* One more than the highest that is a worker; at most 65535, so this is never much memory. */
static size_t count_peers(const struct trace *trace)
{
	size_t most = 0;

	for (size_t i = 0; i < trace->ring_count; i++) {
		for (uint64_t j = 0; j < trace->rings[i].count; j++) {
			uint16_t peer = trace_record(&trace->rings[i], j).peer;
			if (trace_is_worker(trace, peer) && peer > most)
				most = peer;
		}
	}
	return most + 1;
}

bool check_trace(struct check *check)
{
	const struct trace *trace = check->trace;
	struct backlog backlog = { 0 };
	uint32_t *credit = calloc(count_peers(trace), sizeof(*credit));
	/* Spare workers sleep as long as nobody blocks, whatever there is to do. */
	check->has_spares = trace_fact_number(trace, "spares") > 0;
	bool is_good = credit && backlog_find(&backlog, trace, check->bound_ns);

	for (size_t i = 0; i < trace->ring_count && is_good; i++) {
		struct ring_check ring = {
			.check = check,
			.ring = &trace->rings[i],
			.backlog = &backlog,
			.credit = credit,
			.is_lenient = trace->rings[i].dropped || !check->is_whole,
		};
		is_good = check_ring(&ring);
	}
	backlog_drop(&backlog);
	free(credit);
	return is_good;
}
