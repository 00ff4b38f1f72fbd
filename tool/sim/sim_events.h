/* SPDX-License-Identifier: MIT */
/* sim_events.h — what happens next: a lane for each frequent delay, a radix heap for the others */
#ifndef SKUA_SIM_EVENTS_H
#define SKUA_SIM_EVENTS_H

#include "sim/sim_port.h"

/*
 * Most delays of a simulation come from a short list: messages, tries in vain.  Events of one delay
 * come due in the order in which they are put, so each such delay has a lane, which is a plain
 * queue.  All others go to a radix heap (Ahuja, Mehlhorn, Orlin, Tarjan 1990): bucket b has the
 * events whose time differs from that of the last one taken first in bit b - 1.  An event only
 * ever moves to lower buckets, and never past one of the same time.
 *
 * So the order is fixed: by time; at the same time the lanes as they were opened, then the heap; in
 * one of them first put, first taken.
 */
#define SIM_LANES   12
#define SIM_BUCKETS 64

struct sim_event {
	uint64_t time;
	uint32_t who;
	uint32_t what; /* three bits of kind, 29 of argument */
};

#define SIM_ARGUMENT_BITS 29
#define SIM_ARGUMENT_NONE (((uint32_t)1 << SIM_ARGUMENT_BITS) - 1)

static inline uint32_t sim_what(unsigned kind, uint32_t argument)
{
	return (uint32_t)kind << SIM_ARGUMENT_BITS | argument;
}

static inline unsigned sim_kind(const struct sim_event *event)
{
	return event->what >> SIM_ARGUMENT_BITS;
}

static inline uint32_t sim_argument(const struct sim_event *event)
{
	return event->what & SIM_ARGUMENT_NONE;
}

#define SIM_CHUNK 255 /* so that a chunk is 4096 bytes */

struct sim_chunk {
	struct sim_chunk *next;
	uint32_t begin, end; /* of what it has */
	struct sim_event events[SIM_CHUNK];
};

struct sim_fifo {
	struct sim_chunk *head, *tail; /* NULL: never used */
};

struct sim_queue {
	struct sim_heap *heap;
	struct sim_chunk *spare;
	uint64_t now;	/* time of the event taken last */
	uint64_t taken; /* how many were */
	uint64_t hash;	/* of all that were */
	uint64_t pending;
	bool is_out;  /* something was not put: out of memory */
	bool is_late; /* or because its time would have been beyond all numbers; is_out, too */

	const struct sim_fifo *from; /* what was taken last came from here */
	unsigned lanes;
	uint64_t delays[SIM_LANES];
	uint64_t due[SIM_LANES]; /* of the first in it; UINT64_MAX: empty */
	struct sim_fifo lane[SIM_LANES];

	uint64_t last;		     /* what buckets are counted from */
	uint64_t filled;	     /* a bit for each bucket that is not empty */
	uint64_t least[SIM_BUCKETS]; /* time, in it; while it is not empty */
	struct sim_fifo bucket[SIM_BUCKETS];
};

void sim_queue_open(struct sim_queue *queue, struct sim_heap *heap);
void sim_queue_close(struct sim_queue *queue);

/* From now on this delay has a lane, if one is left. */
void sim_queue_lane(struct sim_queue *queue, uint64_t delay);

void sim_queue_put(struct sim_queue *queue, uint64_t delay, uint32_t who, uint32_t what);

/* The next event, and `now` is its time; false: there is none, or something was not put. */
bool sim_queue_take(struct sim_queue *queue, struct sim_event *event);

/* An event that will be taken soon, if nothing comes before it; NULL: no telling. */
const struct sim_event *sim_queue_ahead(const struct sim_queue *queue, unsigned places);

/* Why something was not put; -1. */
int sim_queue_fail(const struct sim_queue *queue, struct sim_error *error);

#endif
