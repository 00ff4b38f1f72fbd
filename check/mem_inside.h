/* SPDX-License-Identifier: MIT */
/* mem_inside.h — what mem.c and races.c share: views, messages, locations, threads, their steps */
#ifndef SKUA_CHECK_MEM_INSIDE_H
#define SKUA_CHECK_MEM_INSIDE_H

#include "mem.h"

enum {
	LOCATIONS_MAX = 64,
	MESSAGES_MAX = 1024,
	WRITES_MAX = 96, /* to one location */
};

struct view {
	uint16_t seen[LOCATIONS_MAX];	/* message index; 0: only the initial one */
	uint16_t clock[MC_THREADS_MAX]; /* steps of each thread that happen before */
};

struct message {
	struct view view;
	uint64_t value;
	unsigned serial;   /* step of its writer */
	uint16_t position; /* in its location's order */
	int8_t thread;	   /* its writer; -1: initial */
	bool is_rmw;	   /* glued to the message before it */
};

struct location {
	uintptr_t address;
	uint8_t size;
	uint16_t count;
	uint16_t order[WRITES_MAX]; /* message indices, oldest first */
	uint16_t waker_seen;	    /* the newest that any thread knew when it woke sleepers here */
	/* plain accesses: last write, and last read of each thread, as clock values */
	int8_t plain_writer;
	uint16_t plain_write, plain_reads[MC_THREADS_MAX];
};

struct thread {
	struct view cur, acq, rel;
	struct mem_hash history, graph;
	unsigned serial;
};

/* The memory of this execution; the model that moves it is told in mem.c. */
extern struct mem_now {
	struct thread threads[MC_THREADS_MAX];
	struct location locations[LOCATIONS_MAX];
	struct message messages[MESSAGES_MAX]; /* [0] unused: "no message" */
	struct view s;
	unsigned location_count, message_count;
	struct mem_source source;
} mem_now;

/* A step begins: its number, and one tick of the thread's own clock. */
struct thread *mem_step(int thread);

/* The location at this address; met for the first time, it holds what memory holds. */
unsigned mem_locate(uintptr_t address, size_t size);

/* An access is about to happen: not to freed memory; and remembered for whoever frees it. */
void mem_use_block(int thread, uintptr_t address);
void mem_blocks_reset(void);

/* --- hashes: inline, every step needs them several times --- */

static inline void mix(struct mem_hash *hash, uint64_t word)
{
	hash->low = (hash->low ^ word) * 0x9e3779b97f4a7c15u;
	hash->low ^= hash->low >> 29;
	hash->high = (hash->high + word) * 0xc2b2ae3d27d4eb4fu;
	hash->high ^= hash->high >> 31;
}

/* What this thread did, into the hash of its history; the numbers of the kinds are arbitrary. */
static inline void remember(int thread, uint64_t kind, uintptr_t address, uint64_t name)
{
	struct thread *self = &mem_now.threads[thread];

	mix(&self->history, kind << 48 ^ address);
	mix(&self->history, name);
	mix(&self->graph, kind << 48 ^ address);
	mix(&self->graph, name);
}

#endif
