/* SPDX-License-Identifier: MIT */
/* arena.c — memory that is given out in sequence and taken back all at once */
#include "scan/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES ((size_t)64 * 1024) /* what is not used of the last one is lost */

struct arena_piece {
	struct arena_piece *next;
	_Alignas(max_align_t) char bytes[];
};

/* A piece of its own for what is large; what is left of the present one stays in use. */
static void *take_piece(struct arena *arena, size_t bytes)
{
	struct arena_piece *piece = calloc(1, sizeof(*piece) + bytes);

	if (!piece)
		return NULL;
	piece->next = arena->pieces;
	arena->pieces = piece;
	arena->bytes += sizeof(*piece) + bytes;
	return piece->bytes;
}

void *arena_take(struct arena *arena, size_t bytes)
{
	size_t gap = -(uintptr_t)arena->next & 7;

	if (arena_room(arena) < gap + bytes) {
		if (bytes > PIECE_BYTES / 4)
			return take_piece(arena, bytes);
		char *piece = take_piece(arena, PIECE_BYTES);
		if (!piece)
			return NULL;
		arena->next = piece;
		arena->end = piece + PIECE_BYTES;
		gap = 0;
	}
	char *taken = arena->next + gap;
	arena->next = taken + bytes;
	return taken;
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_take(arena, length + 1);

	if (copy)
		memcpy(copy, text, length);
	return copy;
}

void arena_free(struct arena *arena)
{
	while (arena->pieces) {
		struct arena_piece *piece = arena->pieces;
		arena->pieces = piece->next;
		free(piece);
	}
	*arena = (struct arena){ 0 };
}
