/* SPDX-License-Identifier: MIT */
/* arena.h — memory that is given out in sequence and taken back all at once */
#ifndef SKUAT_SCAN_ARENA_H
#define SKUAT_SCAN_ARENA_H

#include <stddef.h>

/* One thread's.  Start with { 0 }. */
struct arena {
	char *next, *end;
	struct arena_piece *pieces;
	size_t bytes; /* of all pieces: what it costs */
};

/* Zeroed and aligned for anything; NULL: there is no memory. */
void *arena_take(struct arena *arena, size_t bytes);

/* A copy of the text, which need not end in 0; the copy does. */
char *arena_text(struct arena *arena, const char *text, size_t length);

/* The same right behind what was taken last, which arena_room must allow; aligned as that ended. */
static inline void *arena_follow(struct arena *arena, size_t bytes)
{
	void *taken = arena->next;

	arena->next += bytes;
	return taken;
}

/* Bytes that follow without a gap what was taken last. */
static inline size_t arena_room(const struct arena *arena)
{
	return (size_t)(arena->end - arena->next);
}

void arena_free(struct arena *arena);

#endif
