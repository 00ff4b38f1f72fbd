/* SPDX-License-Identifier: MIT */
/* evring.h — the last events of one worker: it alone writes, anybody may copy meanwhile */
#ifndef SKUAI_TRACE_EVRING_H
#define SKUAI_TRACE_EVRING_H

#include "base/atomic.h"
#include "trace/tracefile.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Events are numbered from 0; number n stands at n modulo the size, a power of two.  The owner
 * writes an event, then counts it in `written`.  It never waits and never fails: what is
 * overwritten is lost, and whoever copies finds out how much.
 *
 *	owner   written = n | FENCE | words of event n | written = n + 1, release
 *	copier  end = written, acquire | words | FENCE | now = written
 *
 * The race to fear: the copier takes a word of event n for one of n - size, which it overwrites.
 * Then it sees, by the two fences, that `written` is n at least, and drops everything up to n -
 * size.  Red without: model_evring.
 */
struct skuai_event {
	_Atomic uint64_t ticks;
	_Atomic uint64_t rest; /* what follows ticks in struct skuai_trace_record */
};

struct skuai_evring {
	_Atomic uint64_t written;   /* the owner writes, who copies reads */
	uint64_t mask;		    /* the size less 1 */
	struct skuai_event *events; /* likewise */
};

/* What happened, but for when. */
static inline uint64_t skuai_event_rest(enum skuai_trace_kind kind, uint32_t argument,
					uint16_t peer, uint8_t detail)
{
	return argument | (uint64_t)peer << 32 | (uint64_t)kind << 48 | (uint64_t)detail << 56;
}

/* The owner: one event more. */
static inline void skuai_evring_put(struct skuai_evring *ring, uint64_t ticks, uint64_t rest)
{
	uint64_t number = skua_load(&ring->written, relaxed); /* order evring.put.1: our own */
	struct skuai_event *event = &ring->events[number & ring->mask];

	/* order evring.put.2: fence release, pairs evring.copy.4; who sees a word of this event
	 * sees that all before were written */
	skua_fence(&ring->written, release);
	skua_store(&event->ticks, ticks, relaxed); /* order evring.put.3: between .2 and .5 */
	skua_store(&event->rest, rest, relaxed);   /* order evring.put.4: likewise */
	/* order evring.put.5: release, pairs evring.copy.1; the words */
	skua_store(&ring->written, number + 1, release);
}

/* The owner: the newest event was of this kind.  Then its rest may be written anew. */
static inline _Atomic uint64_t *skuai_evring_newest(struct skuai_evring *ring,
						    enum skuai_trace_kind kind)
{
	/* order evring.newest.1: relaxed, our own store */
	uint64_t number = skua_load(&ring->written, relaxed);
	struct skuai_event *event = &ring->events[(number - 1) & ring->mask];

	if (number == 0)
		return NULL;
	/* order evring.newest.2: relaxed, our own store */
	return (uint8_t)(skua_load(&event->rest, relaxed) >> 48) == kind ? &event->rest : NULL;
}

/*
 * Anybody: copy the events from number `first` on that are still there, in order; room for a whole
 * ring.  How many; *from is the number of the first of them.
 */
static inline uint64_t skuai_evring_copy(struct skuai_evring *ring, uint64_t first,
					 struct skuai_trace_record *records, uint64_t *from)
{
	uint64_t size = ring->mask + 1;
	/* order evring.copy.1: acquire, pairs evring.put.5 */
	uint64_t end = skua_load(&ring->written, acquire);
	uint64_t begin = end > size && end - size > first ? end - size : first;

	for (uint64_t n = begin; n < end; n++) {
		struct skuai_event *event = &ring->events[n & ring->mask];
		uint64_t words[2];
		words[0] = skua_load(&event->ticks, relaxed); /* order evring.copy.2: .4 judges */
		words[1] = skua_load(&event->rest, relaxed);  /* order evring.copy.3: likewise */
		memcpy(&records[n - begin], words, sizeof(words));
	}
	/* order evring.copy.4: fence acquire, pairs evring.put.2 */
	skua_fence(&ring->written, acquire);
	/* order evring.copy.5: relaxed, ordered by .4 */
	uint64_t now = skua_load(&ring->written, relaxed);
	/* Number `now` may be in the middle of being written. */
	uint64_t safe = now + 1 > size ? now + 1 - size : 0;
	*from = safe < begin ? begin : safe < end ? safe : end;
	memmove(records, &records[*from - begin], (end - *from) * sizeof(*records));
	return end - *from;
}

#endif
