/* SPDX-License-Identifier: MIT */
/* race_fence.c — Chase and Lev's pop without its fence, on a processor with store buffers */
#include "stepped.h"

static struct race_deque deque;

static enum skua_take fence_pop(struct race_deque *d, uint64_t *task)
{
	int64_t bottom = d->own_bottom - 1; /* its own: no step */

	skua_store(&d->bottom, bottom, release);
	/* Here a full fence is missing. */
	int64_t top = skua_load(&d->top, relaxed);
	if (top > bottom) {
		skua_store(&d->bottom, bottom + 1, relaxed);
		return SKUA_TAKE_EMPTY;
	}
	*task = d->slots[bottom]; /* its own, too */
	if (top < bottom)
		return SKUA_TAKE_GOT; /* no CAS: no thief can get this far */
	bool is_ours = skua_cas(&d->top, &top, top + 1, relaxed, relaxed);
	skua_store(&d->bottom, bottom + 1, relaxed);
	return is_ours ? SKUA_TAKE_GOT : SKUA_TAKE_EMPTY;
}

static enum skua_take fence_steal(struct race_deque *d, uint64_t *task)
{
	int64_t top = skua_load(&d->top, acquire);

	if (top >= skua_load(&d->bottom, acquire))
		return SKUA_TAKE_EMPTY;
	*task = skua_load(&d->slots[top], relaxed);
	if (!skua_cas(&d->top, &top, top + 1, release, relaxed))
		return SKUA_TAKE_RETRY;
	return SKUA_TAKE_GOT;
}

RACE_EXPORT(fence_open) void fence_open(void)
{
	race_fill(&deque, 2);
}

RACE_EXPORT(fence_a) int fence_a(void)
{
	return race_take(fence_pop, &deque);
}

/* The thief steals twice. */
RACE_EXPORT(fence_b) int fence_b(void)
{
	race_take(fence_steal, &deque);
	return race_take(fence_steal, &deque);
}
