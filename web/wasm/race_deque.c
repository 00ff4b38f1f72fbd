/* SPDX-License-Identifier: MIT */
/* race_deque.c — the races run on src/sched/deque.c itself: two thieves, the last task, both */
#include "stepped.h"

static uint64_t storage[2];

/*
 * What skua_deque_open leaves behind, written down: struct deque of deque.c, where top, bottom and
 * top_seen have asserted places.  Open itself is left out, because its limit on the capacity needs
 * a size_t of 64 bits.  Should a word move, a push ends up elsewhere or an access meets a word that
 * has no name: the page's engine stops there, and so does its test.
 */
struct opened_buffer {
	int64_t mask;
	struct opened_buffer *older;
	uint64_t *slots;
};

struct opened {
	_Alignas(64) int64_t top;
	_Alignas(64) int64_t bottom;
	struct opened_buffer *buffer;
	bool is_asymmetric;
	_Alignas(64) int64_t top_seen;
	bool is_bounded;
	struct opened_buffer in_place;
	_Alignas(64) uintptr_t owner;
};
_Static_assert(sizeof(struct opened) == sizeof(struct skua_deque), "four lines");

static struct opened opened;
static struct skua_deque *const deque = (struct skua_deque *)(void *)&opened;

static void fill(uint64_t tasks)
{
	opened = (struct opened){
		.buffer = &opened.in_place,
		.is_bounded = true,
		.in_place = { .mask = 1, .slots = storage },
	};
	storage[0] = storage[1] = 0;
	race_cell("top", &opened.top, sizeof(opened.top));
	race_cell("bottom", &opened.bottom, sizeof(opened.bottom));
	race_cell("buffer", &opened.buffer, sizeof(opened.buffer));
	race_cell("slot 0", &storage[0], sizeof(storage[0]));
	race_cell("slot 1", &storage[1], sizeof(storage[1]));
	for (uint64_t task = 1; task <= tasks; task++)
		if (skua_deque_push(deque, task))
			__builtin_trap();
}

static int take(enum skua_take (*how)(struct skua_deque *, uint64_t *))
{
	uint64_t task = 0;
	enum skua_take result = how(deque, &task);

	if (result == SKUA_TAKE_GOT)
		race_got(task);
	return (int)result;
}

/* Two thieves, two tasks. */
RACE_EXPORT(thieves_open) void thieves_open(void)
{
	fill(2);
}

RACE_EXPORT(thieves_a) int thieves_a(void)
{
	return take(skua_deque_steal);
}

RACE_EXPORT(thieves_b) int thieves_b(void)
{
	return take(skua_deque_steal);
}

/* The owner, a thief, one task. */
RACE_EXPORT(ends_open) void ends_open(void)
{
	fill(1);
}

RACE_EXPORT(ends_a) int ends_a(void)
{
	return take(skua_deque_pop);
}

RACE_EXPORT(ends_b) int ends_b(void)
{
	return take(skua_deque_steal);
}

/* The owner, a thief that steals twice, two tasks: what the fence is for. */
RACE_EXPORT(fenced_open) void fenced_open(void)
{
	fill(2);
}

RACE_EXPORT(fenced_a) int fenced_a(void)
{
	return take(skua_deque_pop);
}

RACE_EXPORT(fenced_b) int fenced_b(void)
{
	take(skua_deque_steal);
	return take(skua_deque_steal);
}
