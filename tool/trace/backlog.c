/* SPDX-License-Identifier: MIT */
/* backlog.c — when tasks waited in deques, as far as samples of their depth tell */
#include "trace/backlog.h"

#include <stdlib.h>

static bool add_spell(struct backlog *backlog, size_t *room, const struct backlog_spell *spell)
{
	if (spell->end - spell->start < backlog->least)
		return true;
	if (backlog->count == *room) {
		size_t more = *room ? 2 * *room : 64;
		struct backlog_spell *spells = realloc(backlog->spells, more * sizeof(*spells));
		if (!spells)
			return false;
		backlog->spells = spells;
		*room = more;
	}
	backlog->spells[backlog->count++] = *spell;
	return true;
}

/* A worker that does this has nothing of its own. */
static bool is_without_work(uint8_t kind)
{
	return kind == SKUAI_TRACE_PARK || kind == SKUAI_TRACE_MISS || kind == SKUAI_TRACE_STEAL ||
	       kind == SKUAI_TRACE_INJECT;
}

static int64_t ns_inside(const struct trace *trace, uint64_t ticks)
{
	int64_t ns = trace_ns(trace, ticks);

	return ns < trace->begin_ns ? trace->begin_ns : ns > trace->end_ns ? trace->end_ns : ns;
}

static bool find_in_ring(struct backlog *backlog, size_t *room, const struct trace *trace,
			 const struct trace_ring *ring)
{
	struct backlog_spell spell = { .worker = ring->worker };
	bool is_open = false;

	for (uint64_t i = 0; i < ring->count; i++) {
		struct skuai_trace_record record = trace_record(ring, i);
		bool is_depth = record.kind == SKUAI_TRACE_DEPTH;

		if (is_depth && record.argument > 1) {
			int64_t ns = ns_inside(trace, record.ticks);
			if (!is_open)
				spell.start = spell.end = ns;
			spell.end = ns > spell.end ? ns : spell.end;
			is_open = true;
		} else if (is_open && (is_depth || is_without_work(record.kind))) {
			is_open = false;
			if (!add_spell(backlog, room, &spell))
				return false;
		}
	}
	return !is_open || add_spell(backlog, room, &spell);
}

static int by_start(const void *left, const void *right)
{
	const struct backlog_spell *a = left, *b = right;

	if (a->start != b->start)
		return a->start > b->start ? 1 : -1;
	return (a->worker > b->worker) - (a->worker < b->worker);
}

static void find_latest(struct backlog *backlog)
{
	struct backlog_spell *all = backlog->spells;

	for (size_t i = 0; i < backlog->count; i++) {
		bool is_latest = i == 0 || all[i].end > all[all[i - 1].latest].end;
		all[i].latest = is_latest ? i : all[i - 1].latest;
	}
}

bool backlog_find(struct backlog *backlog, const struct trace *trace, int64_t least)
{
	size_t room = 0;
	bool is_found = true;

	*backlog = (struct backlog){ .least = least > 0 ? least : 1 };
	for (size_t i = 0; i < trace->ring_count && is_found; i++)
		is_found = find_in_ring(backlog, &room, trace, &trace->rings[i]);
	for (size_t i = 0; i < backlog->count && is_found; i++)
		is_found = cover_add(&backlog->any, backlog->spells[i].start,
				     backlog->spells[i].end);
	if (!is_found) {
		backlog_drop(backlog);
		return false;
	}
	if (backlog->count)
		qsort(backlog->spells, backlog->count, sizeof(*backlog->spells), by_start);
	find_latest(backlog);
	cover_join(&backlog->any);
	return true;
}

void backlog_drop(struct backlog *backlog)
{
	free(backlog->spells);
	cover_drop(&backlog->any);
	*backlog = (struct backlog){ 0 };
}

/*
 * All spells, and the time asked for, are at least as long as what they are to share: so they share
 * it if one begins early enough and ends late enough.  Those that begin early enough are the first
 * of all, and the best of them is the one that ends last.
 */
const struct backlog_spell *backlog_beside(const struct backlog *backlog, int64_t start,
					   int64_t end)
{
	size_t low = 0, high = backlog->count;
	int64_t bound = backlog->least;

	if (end - start < bound)
		return NULL;
	while (low < high) { /* the first that begins too late */
		size_t middle = low + (high - low) / 2;
		if (backlog->spells[middle].start <= end - bound)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	const struct backlog_spell *spell = &backlog->spells[backlog->spells[low - 1].latest];
	return spell->end >= start + bound ? spell : NULL;
}
